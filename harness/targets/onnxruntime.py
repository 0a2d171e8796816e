# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on the CPU: Range for openvino.range, RNN operators for onednn.rnn and as ONNX
has them."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]

try:
    from onnxruntime_target import OnnxRuntime  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

OnnxRuntime().serve()
