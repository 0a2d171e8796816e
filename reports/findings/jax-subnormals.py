# SPDX-License-Identifier: Apache-2.0
"""JAX on a CPU: f64 converted to f32 where the result is subnormal. Needs numpy and jax.

Ends with 1 when it is 0.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
x = np.array([2.0**-126, 3e-39, 2.0**-149])
found, right = np.asarray(jnp.asarray(x).astype(jnp.float32)), x.astype(np.float32)
for number, got, expected in zip(x, found, right):
    print(f"{number:g}: {got:g}, NumPy gives {expected:g}")
sys.exit(1 if not found[1:].any() and right[1:].all() else 0)
