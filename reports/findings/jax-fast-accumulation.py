# SPDX-License-Identifier: Apache-2.0
"""What JAX makes of its algorithms for products of 8-bit floats. Needs jax, and no GPU: programs
are lowered for CUDA and not run.

Ends with 1 when a name with FAST_ACCUM does not allow imprecise accumulation, or another does.
"""

import re
import sys

import jax
import jax.numpy as jnp

wrong = 0
operand = jnp.ones((2, 2), jnp.float8_e4m3fn)
print("jax", jax.__version__)
for algorithm in jax.lax.DotAlgorithmPreset:
    if "F8" not in algorithm.name:
        continue
    product = jax.jit(lambda x, chosen=algorithm: jax.lax.dot(x, x, precision=chosen))
    text = product.trace(operand).lower(lowering_platforms=("cuda",)).as_text()
    found = re.search(r"allow_imprecise_accumulation = (\w+)", text)[1]
    print(f"{algorithm.name}: allow_imprecise_accumulation = {found}")
    wrong += (found == "true") != algorithm.name.endswith("_FAST_ACCUM")
sys.exit(1 if wrong else 0)
