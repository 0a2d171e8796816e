# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU.

The stateless generator of torch.func._random (experimental), the default generator (mt19937), and
the RNN modules.
"""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")

try:
    from assay_target import serve  # noqa: E402
    from torch_target import Torch  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

serve(Torch())
