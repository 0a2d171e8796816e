# SPDX-License-Identifier: Apache-2.0
"""The safetensors file of an answer holds the tensor that it is said to hold, and nothing else.
TAP."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import ASSAY, certify_case  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

CASE = "batch-4x32-31"  # u32[31, 4]
BODY = """
def run(request):
    request["inputs"] = {name: inline(tensor) for name, tensor in request["inputs"].items()}
    given = evaluate(request)["outputs"]["output"]
    data = b"".join(bytes.fromhex(bits)[::-1] for bits in given["bits"])
    shape, after, other = [31, 4], b"", {}
    %s
    header = {"output": {"dtype": "U32", "shape": shape, "data_offsets": [0, len(data)]}, **other}
    header = json.dumps(header).encode()
    with open(os.path.join(process_target.directory, "answer"), "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + data + after)
    return {"outputs": {"output": {"dtype": "u32", "shape": [31, 4], "file": "answer",
                                   "tensor": "output"}}}


import process_target
from process_target import inline
"""
ROWS = (("pass", "pass", ""),
        ('other = {"__metadata__": {"made": "here"}}', "pass", ""),
        ('other, after = {"more": {"dtype": "U8", "shape": [2], "data_offsets": [496, 498]}}, '
         'b"ab"', "pass", ""),
        ('after = b"x"', "protocol", "497 bytes of data; its header speaks of 496"),
        ('other = {"more": {"dtype": "U8", "shape": [2], "data_offsets": [496, 498]}}', "protocol",
         "496 bytes of data; its header speaks of 498"),
        ("shape = [4, 31]", "protocol", "another shape"),
        ("shape = [124]", "protocol", "another shape"))


def check_trace(program):
    """What `run --trace` prints beside the verdict: each line, told and answered."""
    done = subprocess.run([ASSAY, "run", CASE, "--exec", program, "--trace"], capture_output=True,
                          text=True, check=False)
    lines = done.stderr.splitlines()
    told = [line[:12] for line in lines if line.startswith("> ")]
    answered = [line for line in lines if line.startswith("< ")]
    check(told[:3] == ['> {"hello": ', '> {"supports', '> {"run": {"'] and
          len(told) == len(answered) and '< {"supported": true' in done.stderr,
          "each line that is told and answered is shown", done.stderr[:2000])


for change, verdict, says in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        program = write(os.path.join(folder, "files"), ["philox"], BODY % change)
        done, record = certify_case(program, "philox", CASE, "")
        check(record["verdict"] == verdict and says in record.get("reason", ""),
              f"{change}: {verdict}", (record, done.stdout, done.stderr))
        if change == "pass":
            check_trace(program)
finish()
