# SPDX-License-Identifier: Apache-2.0
"""Cases whose tensors have no bytes are judged like others: a right answer passes and a wrong shape
fails, where nothing else is run. TAP."""

import os
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import certify_case  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BODY = """
def run(request):
    return {"outputs": {"Y": {"dtype": "f32", "shape": [%d], "bits": [%s]}}}
"""
for elements, bits, verdict in ((0, "", "pass"), (1, '"00000000"', "fail")):
    with tempfile.TemporaryDirectory() as folder:
        program = write(os.path.join(folder, "empty"), ["onnx.relu"], BODY % (elements, bits))
        done, record = certify_case(program, "onnx.activations", "length-relu-0", "")
        check(record["verdict"] == verdict and done.returncode == (verdict != "pass"),
              f"{elements} elements where there are none: {verdict}", str(record) + done.stdout)
finish()
