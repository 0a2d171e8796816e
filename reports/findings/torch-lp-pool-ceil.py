# SPDX-License-Identifier: Apache-2.0
"""torch.nn.functional.lp_pool1d with ceil_mode: the last window holds one element, 3, whose norm is
3. It gives the root of 2 times 9."""

import torch

found = torch.nn.functional.lp_pool1d(torch.tensor([[[1.0, 1.0, 3.0]]]), 2.0, 2, 2, True)
print("torch", torch.__version__)
print(found.tolist(), "where [[[1.4142135..., 3.0]]] is right")
raise SystemExit(0 if abs(found[0, 0, 1].item() - 3) < 1e-6 else 1)
