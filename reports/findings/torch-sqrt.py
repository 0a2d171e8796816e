# SPDX-License-Identifier: Apache-2.0
"""How many f32 roots of torch.sqrt on a CPU are not the nearest f32: every f32 from 1 to 4."""

import numpy
import torch

torch.set_num_threads(1)
bits = numpy.arange(0x3F800000, 0x40800000, dtype=numpy.int32)
x = bits.view(numpy.float32)
# A root in f64, rounded to f32, is the nearest f32: 53 bits are more than 2 * 24 + 2.
nearest = numpy.sqrt(x.astype(numpy.float64)).astype(numpy.float32)
found = torch.sqrt(torch.from_numpy(x)).numpy()
away = numpy.abs(found.view(numpy.int32) - nearest.view(numpy.int32))
print("torch", torch.__version__)
print(f"{(away > 0).sum():,} of {len(x):,} roots are not the nearest f32, by up to {away.max()} "
      "ulp")
first = numpy.flatnonzero(away)[:1]
for at in first:
    print(f"the first: x = {x[at].item().hex()}, {found[at].item().hex()} in place of "
          f"{nearest[at].item().hex()}")
raise SystemExit(1 if away.any() else 0)
