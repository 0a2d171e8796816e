# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU: the stateless generator of torch.func._random (experimental) and the default generator, mt19937; its RNN modules."""

import os
import sys

# This file has the name of the package that it imports: look in the helper's folder instead of this one.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")

try:
    from assay_target import serve  # noqa: E402
    from torch_target import Torch  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(Torch())
