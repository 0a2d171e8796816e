# SPDX-License-Identifier: Apache-2.0
"""jax.random on the CPU, without FMA (XLA may use AVX at most)."""

import os
import sys

# This file has the name of the package that it imports: look in the helper's folder instead of this one.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_max_isa=AVX"

try:
    from assay_target import serve  # noqa: E402
    from jax_target import Jax  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(Jax("jax_avx"))
