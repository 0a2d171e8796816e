# SPDX-License-Identifier: Apache-2.0
"""minimize: every finding that has a C program, cut down, compiled and run."""

import os
import runpy

os.environ["ASSAY_FULL"] = "1"
runpy.run_path("harness/cli/tests/certify/minimize_test.py", run_name="__main__")
