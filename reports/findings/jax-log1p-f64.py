# SPDX-License-Identifier: Apache-2.0
"""How far jax.numpy.log1p and arctanh of f64 are off, compiled for the processor, in ulps: numbers
in four ranges, beside 200 bits. Needs mpmath."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
worst = 0.0
print("jax", jax.__version__)
for name, of in (("log1p", mpmath.log1p), ("arctanh", mpmath.atanh)):
    function = jax.jit(getattr(jnp, name))
    for low, high in ((-0.5, -0.4143), (-0.4142, -0.293), (-0.2928, -0.1), (0.1, 0.414)):
        x = np.linspace(low, high, 1001)
        off = max(abs(float((mpmath.mpf(float(y)) - of(mpmath.mpf(float(v)))) / mpmath.mpf(
            float(np.spacing(abs(y)))))) for v, y in zip(x, np.asarray(function(x))))
        worst = max(worst, off)
        print(f"{name} from {low} to {high}: off by up to {off:.1f} ulps")
raise SystemExit(1 if worst > 4 else 0)
