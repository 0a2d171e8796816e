# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on the CPU: the operator Range behind openvino.range, RNN operators behind onednn.rnn."""

import os
import sys

# This file has the name of the package that it imports: look in the helper's folder instead of this one.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")

try:
    from assay_target import serve  # noqa: E402
    from onnxruntime_target import OnnxRuntime  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(OnnxRuntime())
