# SPDX-License-Identifier: Apache-2.0
"""jax.random on the CPU, with all features of the processor."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

try:
    from assay_target import serve  # noqa: E402
    from jax_target import Jax  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(Jax("jax"))
