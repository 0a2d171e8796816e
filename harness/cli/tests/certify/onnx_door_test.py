# SPDX-License-Identifier: Apache-2.0
"""Targets of `--target onnx:MODULE` and `--exec-onnx`: a backend that computes right passes, one
that exchanges gates is accused and named, feeds are conditions, and what cannot be is said."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
PYTHON = os.path.join(BUILD, "venv/bin/python")
BACKEND = '''
import numpy
from onnx.backend.base import Backend, BackendRep
from onnx.reference import ReferenceEvaluator

class Rep(BackendRep):
    def __init__(self, model, wrong):
        self.evaluator, self.wrong = ReferenceEvaluator(model), wrong
        self.names = [v.name for v in model.graph.input]

    def run(self, inputs, **kwargs):
        inputs = {n: numpy.array(a) for n, a in zip(self.names, inputs)}
        if self.wrong and "W" in inputs:
            for name in ("W", "R"):
                i, o, f, c = numpy.split(inputs[name], 4, axis=1)
                inputs[name] = numpy.concatenate([o, i, f, c], axis=1)
            size = inputs["B"].shape[1] // 8
            part = [inputs["B"][:, k * size:(k + 1) * size] for k in range(8)]
            inputs["B"] = numpy.concatenate([part[k] for k in (1, 0, 2, 3, 5, 4, 6, 7)], axis=1)
        return self.evaluator.run(None, inputs)

class Mine(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        if device == "none":
            raise NotImplementedError("no such device")
        return Rep(model, WRONG)
'''
RUNNER = '''
import sys
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
model, tensors = sys.argv[1], sys.argv[2:]
graph = onnx.load(model).graph
if any(a.name == "clip" for a in graph.node[0].attribute):
    print("no clip here", file=sys.stderr)
    sys.exit(3)
if not tensors:
    sys.exit(0)
count = len(graph.input)
inputs = {v.name: numpy_helper.to_array(onnx.load_tensor(p))
          for v, p in zip(graph.input, tensors[:count])}
try:
    outputs = ReferenceEvaluator(model).run(None, inputs)
except ValueError as why:
    print(why, file=sys.stderr)
    sys.exit(2)
for value, path in zip(outputs, tensors[count:]):
    onnx.save_tensor(numpy_helper.from_array(value), path)
'''


def certify(*words, folder=None):
    """What it printed, and its records."""
    out = os.path.join(folder, "results.jsonl")
    done = subprocess.run([ASSAY, "certify", "--suite", "onnx.lstm", "--out", out, *words],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": folder})
    records = []
    if done.returncode in (0, 1, 4) and os.path.exists(out):
        with open(out) as file:
            records = [json.loads(line) for line in file]
    return done, records


def test_backends(folder):
    for name, wrong in (("rightbackend", False), ("wrongbackend", True)):
        with open(os.path.join(folder, f"{name}.py"), "w") as file:
            file.write(BACKEND.replace("WRONG", str(wrong)))
    case = ("--case", "step-dense-1.0")
    done, _ = certify("--target", "onnx:rightbackend", *case, folder=folder)
    check(done.returncode == 0 and "1 cases, 0 unexpected" in done.stdout,
          "any module with a class of onnx.backend.base is a target", done)
    done, _ = certify("--target", "onnx:wrongbackend", *case, folder=folder)
    check(done.returncode == 1 and "gates=oifc" in done.stdout,
          "one that exchanges two gates is accused, and its mistake is named", done)
    done, records = certify("--target", "onnx:rightbackend@none", *case, folder=folder)
    reasons = [r.get("reason", "") for r in records if r.get("record") == "case"]
    check(done.returncode == 4 and reasons == ["no such device"],
          "the device is handed over, and a backend says what it lacks", [done.stdout, *reasons])
    for name, words in (("onnx:nobody_has_this", "No module named 'nobody_has_this'"),
                        ("onnx:json", "json has no prepare, and 0 backends"),
                        ("onnx:onnxruntime@Abacus", "no AbacusExecutionProvider here"),
                        ("onnx:", "there is no target 'onnx:'")):
        done, _ = certify("--target", name, *case, folder=folder)
        check(done.returncode != 0 and words in done.stdout + done.stderr,
              f"{name}: {words}", done)


def test_command(folder):
    path = os.path.join(folder, "runner.py")
    with open(path, "w") as file:
        file.write(RUNNER)
    command = f"{PYTHON} {path} {{model}} {{inputs}} {{outputs}}"
    done, _ = certify("--exec-onnx", command, "--case", "step-dense-1.0", folder=folder)
    check(done.returncode == 0 and "1 cases, 0 unexpected" in done.stdout,
          "a command that reads a model and tensors from files passes", done)
    check("runner" in done.stdout, "it has the name of its script", done)
    done, _ = certify("--exec", "onnx:" + command, "--case", "step-dense-1.0", folder=folder)
    check(done.returncode == 0, "--exec onnx:COMMAND is the same", done)
    _, records = certify("--exec-onnx", command, "--case", "clip-half", folder=folder)
    reasons = [r.get("reason") for r in records if r.get("record") == "case"]
    check(reasons == ["no clip here"], "exit code 3: it is unsupported, with the reason", reasons)
    _, records = certify("--exec-onnx", command, "--case", "lengths-of-forward", folder=folder)
    verdicts = [r.get("verdict") for r in records if r.get("record") == "case"]
    check(verdicts == ["fail"], "one that does not use sequence_lens fails", verdicts)
    done, _ = certify("--exec-onnx", f"{PYTHON} {path} {{model}}", folder=folder)
    check("the command has no {inputs}" in done.stdout + done.stderr,
          "a command without a place for its inputs is named", done)
    done, _ = certify("--exec-onnx", "x", "--exec", "y", folder=folder)
    check(done.returncode == 2, "--exec and --exec-onnx are one too many", done)


def test_runtimes(folder):
    done, records = certify("--target", "onnx:onnxruntime", "--case", "size-31.0", folder=folder)
    check(done.returncode == 0, "onnxruntime passes a case with initial states", done)
    feeds = records[0]["targets"][0].get("feeds") if "targets" in records[0] else None
    report = subprocess.run([ASSAY, "targets", "--json"], capture_output=True, text=True,
                            check=False).stdout
    rows = [json.loads(line) for line in report.splitlines()]
    said = next((r["feeds"] for r in rows if r["name"] == "onnx:onnxruntime"), feeds)
    check(said == ["inputs", "as_written", "constants"],
          "graph optimisation on and off, and weights as constants, are conditions", said)


def test_feeds(folder):
    """Feeds of a process target: each case is run in two of them, and each answer is judged."""
    right, wrong = os.path.join(folder, "right.py"), os.path.join(folder, "wrong.py")
    with open(right, "w") as file:
        file.write(FEEDS.replace("BODY", ""))
    with open(wrong, "w") as file:
        file.write(FEEDS.replace("BODY", 'line.get("feed") == "second" and '
                                 'next(iter(answer["outputs"].values()))["bits"].__setitem__'
                                 '(0, "3f000000")'))
    case = ("--case", "version-7", "--no-explain")
    done, _ = certify("--exec", f"{PYTHON} {right}", *case, folder=folder)
    check(done.returncode == 0, "a target whose two feeds are right passes", done)
    done, records = certify("--exec", f"{PYTHON} {wrong}", *case, folder=folder)
    found = [r for r in records if r.get("record") == "case"]
    check(done.returncode == 1 and found[0]["verdict"] == "fail"
          and found[0]["condition"]["feed"] == "second",
          "one whose second feed is wrong fails, and the feed is named", [done.stdout, str(found)])
    bad = os.path.join(folder, "bad.py")
    with open(bad, "w") as file:
        file.write(FEEDS.replace("BODY", "").replace('"second"]', '"first"]'))
    done, _ = certify("--exec", f"{PYTHON} {bad}", *case, folder=folder)
    check("'feeds' must be a list" in done.stdout + done.stderr, "two feeds of one name", done)


FEEDS = '''
import sys, json
sys.path.insert(0, "harness/tests")
import process_target
for text in sys.stdin:
    line = json.loads(text)
    if "hello" in line:
        process_target.directory = line["directory"]
        answer = {"name": "fed", "version": "1", "operations": ["onnx.lstm"],
                  "feeds": ["first", "second"]}
    elif "supports" in line:
        answer = {"supported": True}
    else:
        answer = process_target.evaluate(line["run"])
        BODY
    print(json.dumps(answer), flush=True)
'''

with tempfile.TemporaryDirectory() as work:
    test_feeds(work)
    if subprocess.run([PYTHON, "-c", "import onnx, onnxruntime"], capture_output=True,
                      check=False).returncode:
        skip("backends of ONNX", "onnx or onnxruntime is not installed")
        finish()
    test_backends(work)
    test_command(work)
    test_runtimes(work)
finish()
