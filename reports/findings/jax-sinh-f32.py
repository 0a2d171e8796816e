# SPDX-License-Identifier: Apache-2.0
"""How far jax.numpy.sinh and cosh of f32 are off, compiled for the processor, in ulps: numbers in
six ranges, beside C's functions in double and the formula exp(x + log(1/2)) -+ exp(-x + log(1/2))
with rounded arguments alone."""

import jax
import jax.numpy as jnp
import numpy as np

half = np.log(np.float32(0.5))
worst = 0.0
print("jax", jax.__version__)
for name, sign in (("sinh", -1), ("cosh", 1)):
    function = jax.jit(getattr(jnp, name))
    for low, high in ((0.01, 1), (1, 4), (4, 8), (8, 16), (16, 64), (64, 89)):
        x = np.linspace(low, high, 200_001).astype(np.float32)
        right = getattr(np, name)(x.astype(np.float64))
        ulp = np.spacing(right.astype(np.float32)).astype(np.float64)
        got = np.asarray(function(x)).astype(np.float64)
        formula = np.exp((x + half).astype(np.float64)) + sign * np.exp(
            (half - x).astype(np.float64))
        off = np.nanmax(np.abs(got - right) / ulp)
        worst = max(worst, off)
        print(f"{name} from {low} to {high}: off by up to {off:.2f} ulps, from the formula by "
              f"{np.nanmax(np.abs(got - formula) / ulp):.2f}")
raise SystemExit(1 if worst > 4 else 0)
