# SPDX-License-Identifier: Apache-2.0
"""PyTorch: quotients of -2^31 and below quantized to qint8 with a negative zero point. Needs torch.

Ends with 1 when they are the largest number, 127, and not the least.
"""

import sys

import torch

found = {}
for x in (-2.0**30, -2.0**31, -2.0**32, -1e30, float("-inf")):
    for zero in (-1, 0):
        y = torch.quantize_per_tensor(torch.full((8,), x), 1.0, zero, torch.qint8).int_repr()
        found[x, zero] = y[0].item()
        print(f"x = {x:g}, scale 1, zero point {zero}: {found[x, zero]}")
sys.exit(1 if found[-2.0**32, -1] == 127 and found[-2.0**32, 0] == -128 else 0)
