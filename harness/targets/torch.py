# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU.

The stateless generator of torch.func._random (experimental), the default generator (mt19937), and
the RNN modules.
"""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]

try:
    from torch_target import Torch  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))

Torch().serve()
