# SPDX-License-Identifier: Apache-2.0
"""JAX on a CPU: f64 and i64 to f16 and bf16. Needs numpy and jax.

Ends with 1 when numbers above the middle of two become the lower one, as those of f32 do.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
above = {
    "1 + 2^-11 + 2^-52 to float16": (1 + 2.0**-11 + 2.0**-52, jnp.float16, 1 + 2.0**-10),
    "1 + 2^-8 + 2^-52 to bfloat16": (1 + 2.0**-8 + 2.0**-52, jnp.bfloat16, 1 + 2.0**-7),
    "2^30 + 2^22 + 1 to bfloat16": (2**30 + 2**22 + 1, jnp.bfloat16, 2**30 + 2**23),
}


def cast(x, kind):
    """x of f64 or i64 as kind, in compiled code; the same without."""
    compiled, plain = (np.asarray(form(x)) for form in (jax.jit(lambda x: x.astype(kind)),
                                                        lambda x: x.astype(kind)))
    assert (compiled == plain).all()
    return compiled


wrong = 0
for what, (x, kind, right) in above.items():
    found = float(cast(jnp.asarray([x]), kind)[0])
    wrong += found != right
    print(f"{what}: {found!r}, right is {right!r}")
x = np.random.Generator(np.random.PCG64(1)).uniform(1, 2, 2**22)
found = cast(jnp.asarray(x), jnp.float16)
print(f"jax {jax.__version__}: of {x.size:,} f64 between 1 and 2, "
      f"{(found != x.astype(np.float16)).sum()} are not the nearest f16, "
      f"{(found != x.astype(np.float32).astype(np.float16)).sum()} are not f16(f32(x))")
sys.exit(1 if wrong == len(above) else 0)
