# SPDX-License-Identifier: Apache-2.0
"""PyTorch on a CPU: f64 and i64 to f16 and bf16. Needs numpy and torch.

Ends with 1 when numbers above the middle of two become the lower one, as those of f32 do.
"""

import sys

import numpy as np
import torch

above = {
    "1 + 2^-11 + 2^-52 to float16": (1 + 2.0**-11 + 2.0**-52, torch.float16, 1 + 2.0**-10),
    "1 + 2^-8 + 2^-52 to bfloat16": (1 + 2.0**-8 + 2.0**-52, torch.bfloat16, 1 + 2.0**-7),
    "2^30 + 2^22 + 1 to bfloat16": (2**30 + 2**22 + 1, torch.bfloat16, 2**30 + 2**23),
}
wrong = 0
for what, (x, kind, right) in above.items():
    given = torch.float64 if isinstance(x, float) else torch.int64
    found = torch.tensor([x], dtype=given).to(kind).item()
    wrong += found != right
    print(f"{what}: {found!r}, right is {right!r}")
x = np.random.Generator(np.random.PCG64(1)).uniform(1, 2, 2**22)
found = torch.from_numpy(x).to(torch.float16).numpy()
print(f"torch {torch.__version__}: of {x.size:,} f64 between 1 and 2, "
      f"{(found != x.astype(np.float16)).sum()} are not the nearest f16, "
      f"{(found != x.astype(np.float32).astype(np.float16)).sum()} are not f16(f32(x))")
sys.exit(1 if wrong == len(above) else 0)
