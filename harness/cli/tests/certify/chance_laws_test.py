# SPDX-License-Identifier: Apache-2.0
"""What is left to chance and is not uniform, and what a seed repeats: draws of another law, draws
that cannot be, seeds that are ignored and calls that do not repeat fail; what is right passes.
TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BODY = """
import math, random
calls = 0


def run(request):
    global calls
    calls += 1
    asked = request["attributes"]
    shape = asked.get("shape") or request["inputs"]["input"]["shape"]
    if "sample_size" in asked:
        shape = [shape[0], asked["sample_size"]]
    count = math.prod(shape)
    source = random.Random(%s)
    draw, gauss = source.random, source.gauss
    data = [%s for k in range(count)]
    return "output", "%s", shape, struct.pack("<%%d%s" %% count, *data)
"""
SEED, CLOCK, FIXED = "asked['seed']", "calls + 1000 * os.getpid()", "5"
GAUSS, CHANCE = "gauss(0, 1)", "(0.3, 0.7, 0.1)[k % 3]"
CLASSES = "draw() < math.e ** 3 / (1 + math.e ** 3)"
NORMAL, WEIGHTS = "not normal", "not of these weights"
ROWS = (("onnx.random_uniform", "uniform-seed-f32", SEED, "draw()", "pass", "uniform in"),
        ("onnx.random_uniform", "uniform-seed-f32", CLOCK, "draw()", "nondeterministic", "element"),
        ("onnx.random_uniform", "uniform-seed-f32", FIXED, "draw()", "fail", "two seeds gave"),
        ("onnx.random_uniform", "uniform-seed-f32", SEED, "draw() ** 1.02", "fail", "not uniform"),
        ("onnx.random_uniform", "uniform-f32", CLOCK, "draw()", "pass", "uniform in"),
        ("onnx.random_uniform", "uniform-f32", FIXED, "draw()", "fail", "the same values"),
        ("onnx.random_normal", "normal-seed-f32", SEED, GAUSS, "pass", "normal in 524288 draws"),
        ("onnx.random_normal", "normal-f32", CLOCK, GAUSS, "pass", "normal in 524288 draws"),
        ("onnx.random_normal", "normal-f32", CLOCK, "gauss(0, 1.02)", "fail", NORMAL),
        ("onnx.random_normal", "normal-f32", CLOCK, "gauss(0.02, 1)", "fail", NORMAL),
        ("onnx.random_normal", "normal-f32", CLOCK, "12 ** 0.5 * (draw() - 0.5)", "fail", NORMAL),
        ("onnx.random_normal", "normal-f32", CLOCK, GAUSS + " if k != 9 else math.inf", "fail",
         "element 9 is inf, which cannot be drawn"),
        ("onnx.random_normal", "normal-of-shifted", SEED, "gauss(-3, 2.5)", "pass", "normal in"),
        ("onnx.random_normal", "normal-of-shifted", SEED, "gauss(2.5, 3)", "fail", NORMAL),
        ("onnx.bernoulli", "bernoulli-seed", SEED, f"draw() < {CHANCE}", "pass", "of these"),
        ("onnx.bernoulli", "bernoulli-seed", SEED, f"draw() > {CHANCE}", "fail", WEIGHTS),
        ("onnx.bernoulli", "bernoulli-seed", SEED, f"draw() < {CHANCE} + 0.01", "fail", WEIGHTS),
        ("onnx.bernoulli", "bernoulli-seed", SEED, f"2 * (draw() < {CHANCE})", "fail", "is 2, wh"),
        ("onnx.bernoulli", "bernoulli-seed", SEED, "draw() < 11 / 30", "fail", WEIGHTS),
        ("onnx.multinomial", "multinomial-seed-i64", SEED, CLASSES, "pass", "of these weights in"),
        ("onnx.multinomial", "multinomial-seed-i64", SEED, "1 - (%s)" % CLASSES, "fail", WEIGHTS),
        ("onnx.multinomial", "multinomial-seed-i64", SEED, "draw() < 0.75", "fail", WEIGHTS),
        ("onnx.multinomial", "multinomial-seed-i64", SEED, "1 + (%s)" % CLASSES, "fail",
         "element 0 is 2, which cannot be drawn"))
for op, case, seed, draw, verdict, says in ROWS:
    dtype = "i64" if op == "onnx.multinomial" else "f32"
    with tempfile.TemporaryDirectory() as folder:
        program = write(os.path.join(folder, "chance"), [op],
                        BODY % (seed, draw, dtype, "q" if dtype == "i64" else "f"))
        out = os.path.join(folder, "out.jsonl")
        done = subprocess.run([os.path.join(os.environ.get("BUILD", "build"), "assay"), "certify",
                               "--exec", program, "--suite", "onnx.random", "--case", case, "--out",
                               out, "--no-explain"], capture_output=True, text=True)
        record = json.loads(open(out).readlines()[1]) if os.path.exists(out) else {}
        check(record.get("verdict") == verdict and says in record.get("reason", ""),
              f"{case}, {draw}, seed {seed}: {verdict}", [done.stdout, done.stderr, record])
finish()
