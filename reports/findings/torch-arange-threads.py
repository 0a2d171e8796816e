# SPDX-License-Identifier: Apache-2.0
"""PyTorch: the last bits of torch.arange depend on the number of threads.

Ends with 1 when they do.
"""

import sys

import torch

COUNT, STEP = 100001, 0.1
answers = {}
for threads in (1, 2, 3):
    torch.set_num_threads(threads)
    answers[threads] = torch.arange(0, STEP * (COUNT - 0.5), STEP, dtype=torch.float32)
    differing = (answers[threads] != answers[1]).nonzero().flatten().tolist()
    print(f"{threads} threads: {len(answers[threads])} elements, {len(differing)} differ from "
          f"those of one thread, first {differing[:1]}")
index = (answers[2] != answers[1]).nonzero().flatten().tolist()
if index:
    print(f"element {index[0]}: {answers[1][index[0]]:.6f} and {answers[2][index[0]]:.6f}")
sys.exit(1 if index else 0)
