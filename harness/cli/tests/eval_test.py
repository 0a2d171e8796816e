# SPDX-License-Identifier: Apache-2.0
"""assay eval: one line for each document, whatever is wrong with another, and the exit code."""

import json
import os
import resource
import subprocess

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
GOOD = "op: jax.key\ninputs: {seed: 5}\n"
# What JAX makes of the seed 5: the high word, then the low.
KEY = {"key": {"dtype": "u32", "shape": [2], "bits": ["00000000", "00000005"]}}
WRONG = {
    "a repeated key": ("op: jax.key\nop: jax.key\n", "line 5, column 1: key 'op' stands twice"),
    "an open bracket": ("op: [jax.key\n", "not YAML"),
    "nothing": ("", "line 3, column 1: the document is empty"),
    "JSON without an end": ('{"op": "jax.key",\n', "not JSON"),
    "an unknown key": ("operation: jax.key\n", "line 4, column 1: unknown key 'operation'"),
    "no mapping": ("- 1\n", "line 4, column 1: a request is a list"),
}


def evaluate(text):
    done = subprocess.run([ASSAY, "eval", "-"], input=text, capture_output=True, text=True)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


failed = 0
tests = list(WRONG.items())
print(f"1..{len(tests) + 4}")
for number, (name, (text, message)) in enumerate(tests, 1):
    code, lines, _ = evaluate(f"{GOOD}---\n{text}---\n{GOOD}")
    good = (code == 2 and len(lines) == 3 and lines[0].get("outputs") == KEY
            and lines[2].get("outputs") == KEY
            and lines[1].get("error", {}).get("code") == "invalid_argument"
            and message in lines[1]["error"]["message"])
    failed += not good
    print(
        f"{'ok' if good else 'not ok'} {number} - a request before and one after {name} are "
        "answered"
    )
    if not good:
        print("#", code, lines)
code, lines, told = evaluate("")
good = code == 2 and lines == [] and "the document is empty" in told
failed += not good
print(f"{'ok' if good else 'not ok'} {len(tests) + 1} - no request is exit code 2")
code, lines, told = evaluate("cases: []\n")
good = code == 2 and lines == [] and "1:8: cases is empty" in told
failed += not good
print(f"{'ok' if good else 'not ok'} {len(tests) + 4} - nor is a list of none")
# Sixteen gigabytes, four megabytes at a time.
runs = ("op: openvino.random_uniform\nattributes: {output_type: f32, global_seed: 1}\n"
        "inputs: {shape: [1000000], minval: 0, maxval: 1}\nruns: 4000\n")
done = subprocess.run([ASSAY, "eval", "-"], input=runs, capture_output=True, text=True,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32)))
good = done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "too_large"
failed += not good
print(f"{'ok' if good else 'not ok'} {len(tests) + 2} - many runs of a large output are too large")
# 20 million bytes are 120 million letters. Each thread has memory of its own, and a machine may
# have hundreds of them.
long = "op: jax.bits\nattributes: {shape: [20000000], dtype: u8}\ninputs: {key: [1, 2]}\n"
done = subprocess.run([ASSAY, "eval", "-"], input=long, capture_output=True, text=True,
                      env=dict(os.environ, ASSAY_THREADS="2"))
kibibytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
short = evaluate(long + "window: [19999998, 2]\n")[1][0]["outputs"]["bits"]["bits"]
good = done.returncode == 0 and json.loads(
    done.stdout)["outputs"]["bits"]["bits"][-2:] == short and kibibytes < 100 * 1024
failed += not good
print(
    f"{'ok' if good else 'not ok'} {len(tests) + 3} - a line of 120 MB is written with "
    f"{kibibytes} KiB of memory"
)
raise SystemExit(bool(failed))
