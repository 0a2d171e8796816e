# SPDX-License-Identifier: Apache-2.0
"""A span of 2^32 read as 32 bits is 0, by which nothing can be divided: the word itself comes back, and the program goes on."""

import json
import os
import subprocess
import sys

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
REQUESTS = """
op: openvino.random_uniform
attributes: {output_type: i64, global_seed: 150, op_seed: 10}
inputs: {shape: [4], minval: 0, maxval: 4294967296}
profile: {integer_range: signed_span, i64_words: one}
---
op: philox
inputs: {counter: {dtype: u32, shape: [4], data: [0, 0, 10, 0]}, key: {dtype: u32, shape: [2], data: [150, 0]}}
"""
done = subprocess.run([ASSAY, "eval", "-"], input=REQUESTS, capture_output=True, text=True, check=False)
answers = [json.loads(line)["outputs"]["output"]["bits"] for line in done.stdout.splitlines()]
good = done.returncode == 0 and len(answers) == 2 and [int(a, 16) for a in answers[0]] == [int(a, 16) for a in answers[1]]
print(f"{'ok' if good else 'not ok'} 1 - a span that vanishes in 32 bits gives the words of philox themselves")
print(f"1..1{'' if good else ' ' + str(answers) + done.stderr}")
sys.exit(not good)
