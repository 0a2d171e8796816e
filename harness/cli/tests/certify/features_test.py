# SPDX-License-Identifier: Apache-2.0
"""A mistake that shows only where two features of a network meet is found by the cases in which
they are together: the reference behind zoo/rewrites.so, with each of its mistakes and with none.
"""

import os
import subprocess

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ROWS = (("", "onednn.rnn", "pairs-*", 0), ("states", "onednn.rnn", "pairs-*gru-f32-*", 1),
        ("bias", "onednn.rnn", "pairs-gru-*", 1), ("training", "onednn.rnn", "pairs-tanh-*", 1),
        ("peephole", "onednn.rnn", "pairs-lstm-bf16-*", 1),
        ("sizes", "onednn.rnn", "pairs-leaky-f32-5", 1))

for number, (fault, suite, cases, code) in enumerate(ROWS, 1):
    done = subprocess.run(
        [f"{BUILD}/assay", "certify", "--plugin", f"{BUILD}/zoo/rewrites.so", "--suite", suite,
         "--case", cases, "--quick"], capture_output=True, text=True, check=False,
        env=os.environ | {"ASSAY_ZOO_OF": f"{BUILD}/targets/reference.so",
                          "ASSAY_ZOO_FAULT": fault})
    good = done.returncode == code and (" 0 unexpected" in done.stdout) == (code == 0)
    print(f"{'ok' if good else 'not ok'} {number} - {suite}, {fault or 'no mistake'}: {code}")
    if not good:
        print("\n".join("# " + line for line in (done.stdout + done.stderr).splitlines()[-8:]))
print(f"1..{len(ROWS)}")
