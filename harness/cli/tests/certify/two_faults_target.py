# SPDX-License-Identifier: Apache-2.0
"""A process target with two faults in onednn.rnn: it leaves the bias out, and of one row alone it
doubles the bias instead. The reference computes both, by their options."""

import json
import os
import subprocess
import sys

EVAL = [os.path.join(os.environ.get("BUILD", "build"), "assay"), "eval", "-"]

for line in sys.stdin:
    asked = json.loads(line)
    if "hello" in asked:
        answer = {"name": "two_faults", "version": "1", "operations": ["onednn.rnn"]}
    elif "supports" in asked:
        answer = {"supported": True}
    else:
        request = asked["run"]
        rows = request["inputs"]["src_layer"]["shape"][1]
        request["profile"] = {"bias": "doubled" if rows == 1 else "ignored"}
        done = subprocess.run(EVAL, input=json.dumps(request), capture_output=True, text=True,
                              check=False)
        answer = {"outputs": json.loads(done.stdout)["outputs"]}
    print(json.dumps(answer), flush=True)
