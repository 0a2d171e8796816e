# SPDX-License-Identifier: Apache-2.0
"""How far jax.numpy.tanh of f32 is off, compiled for the processor, in ulps: every f32 from 2^-14
to 16, beside the tanh of C in double."""

import jax
import jax.numpy as jnp
import numpy as np

tanh = jax.jit(jnp.tanh)
first, last = (int(np.float32(x).view(np.uint32)) for x in (2.0**-14, 16.0))
worst, at = 0.0, 0.0
for begin in range(first, last, 1 << 21):
    x = np.arange(begin, min(begin + (1 << 21), last), dtype=np.uint32).view(np.float32)
    right = np.tanh(x.astype(np.float64))
    error = np.abs(np.asarray(tanh(x)).astype(np.float64) - right) / np.spacing(
        right.astype(np.float32))
    if error.max() > worst:
        worst, at = float(error.max()), float(x[error.argmax()])
print("jax", jax.__version__)
print(f"tanh: off by up to {worst:.2f} ulps, at x = {at:.6f}")
raise SystemExit(1 if worst > 2 else 0)
