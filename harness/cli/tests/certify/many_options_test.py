# SPDX-License-Identifier: Apache-2.0
"""A suite allows more profiles than are listed: a target that takes the other option of each
operator conforms under one profile all the same; one that takes both of one operator does not."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
KINKS = ["relu", "leaky_relu", "elu", "selu", "shrink", "p_relu"]
TARGET = '''
def run(request):
    name = request["op"].removeprefix("gradient.")
    first = next(iter(request["inputs"].values()))["bits"][0]
    if %s:
        request["profile"] = {"kink_" + name: "first"}
    return evaluate(request)
'''


def certify(folder, name, condition):
    target = write(os.path.join(folder, name), [f"gradient.{kink}" for kink in KINKS],
                   TARGET % condition)
    return subprocess.run([ASSAY, "certify", "--suite", "gradients", "--case", "kink-*",
                           "--verbose", "--exec", target], capture_output=True, text=True,
                          check=False)


with tempfile.TemporaryDirectory() as folder:
    done = certify(folder, "others", "True")
    # What the one of Elu is makes no difference where alpha is 1.
    check(done.returncode == 0 and "7 cases, 0 unexpected" in done.stdout and all(
        f"kink_{name}=first" in done.stdout for name in KINKS if name != "elu"),
        "five options beside the default, of as many operators", done.stdout + done.stderr)
    done = certify(folder, "one_default", "name != 'shrink'")
    check(done.returncode == 0 and "kink_p_relu=first" in done.stdout
          and "kink_shrink" not in done.stdout, "the default where that is taken", done.stdout)
    done = certify(folder, "both", "name != 'shrink' or first[0] == 'c'")
    check(done.returncode == 1 and "7 cases, 1 unexpected" in done.stdout,
          "one option or the other, not both", done.stdout + done.stderr)
finish()
