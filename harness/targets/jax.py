# SPDX-License-Identifier: Apache-2.0
"""jax.random on the CPU, with all features of the processor."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

try:
    from jax_target import Jax  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

Jax("jax").serve()
