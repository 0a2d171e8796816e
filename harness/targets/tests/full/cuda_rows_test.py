# SPDX-License-Identifier: Apache-2.0
"""The rows of harness/targets/cuda that PyTorch answers, on the processor: recorded, and judged.
Skipped where PyTorch is not installed (scripts/setup all)."""

import importlib.util
import os
import shutil
import subprocess
import sys

sys.path[:0] = ["harness/tests", "harness/targets/cuda"]
from tap import check, expect, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY, FOLDER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "test-cuda-rows")
CUDA = "harness/targets/cuda"


def python(program, *arguments):
    return subprocess.run([sys.executable, os.path.join(CUDA, program), *arguments],
                          capture_output=True, text=True)


def main():
    if not importlib.util.find_spec("torch"):
        skip("rows of PyTorch", "it is not installed (scripts/setup all)")
        return finish()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    requests, records = os.path.join(FOLDER, "requests"), os.path.join(FOLDER, "records")
    expect(python("export_rows.py", "--assay", ASSAY, requests), 0, ["torch.random"],
           "requests of all rows are exported")
    for name in ("torch-draws", "torch-products-i8", "torch-products-narrow",
                 "torch-attention-math", "torch-attention-flash", "torch-recurrent"):
        done = python("record_rows.py", "--stand-in", "--only", name, "--build", BUILD, requests,
                      records)
        expect(done, 0, [f"| {name} | yes |"], f"{name} is recorded")
    expect(python("record_rows.py", "--stand-in", "--only", "torch-attention-cudnn", requests,
                  records), 4, ["PyTorch has this kernel on CUDA alone"],
           "a row without a stand-in says why")
    done = python("judge_rows.py", "--assay", ASSAY, records)
    expect(done, 0, ["| torch-draws | torch.random | 99 | 0 | 0 |",
                     "| torch-products-i8 | onnx.quantization | 9 | 0 | 0 |"],
           "what was recorded is right")
    done = python("determinism.py", records)
    lines = [line for line in done.stdout.splitlines() if line.startswith("| rand")]
    check(done.returncode == 0 and len(lines) == 2 and all("| 0 | 0 | 0 |" in line
                                                           for line in lines),
          "equal seeds give equal draws, again, in another thread and beside other work", done)
    finish()


main()
