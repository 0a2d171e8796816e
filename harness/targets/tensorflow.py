# SPDX-License-Identifier: Apache-2.0
"""TensorFlow on the CPU: stateless_uniform with the algorithm Philox, outside XLA."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    from tensorflow_target import TensorFlow  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

TensorFlow().serve()
