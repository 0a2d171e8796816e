# SPDX-License-Identifier: Apache-2.0
"""TensorFlow on the CPU: stateless_uniform with the algorithm Philox, outside XLA."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    from assay_target import serve  # noqa: E402
    from tensorflow_target import TensorFlow  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(TensorFlow())
