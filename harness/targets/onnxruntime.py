# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on the CPU: Range for openvino.range, RNN operators for onednn.rnn and as ONNX
has them."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")

try:
    from assay_target import serve  # noqa: E402
    from onnxruntime_target import OnnxRuntime  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(OnnxRuntime())
