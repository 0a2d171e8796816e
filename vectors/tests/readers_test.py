# SPDX-License-Identifier: Apache-2.0
"""READERS.md is so: its programs read the golden vectors, and the schemas describe manifests and
exports: what is left out of a line or put into it is no line any more."""

import copy
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
GOLDEN = "vectors/golden"
CASES = ("published-4x32-r10-zero", "published-2x32-r7-zero", "batch-2x32-2")
LINES = 25  # of each suite
generator = random.Random(24)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


# ---- the page ----------------------------------------------------------------

with open("vectors/READERS.md") as file:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", file.read(), flags=re.M | re.S)
programs = {}
for language, text in blocks:
    programs.setdefault(language, text)
expected = {}
with open(f"{GOLDEN}/philox.jsonl") as file:
    for line in map(json.loads, file):
        if line.get("id") in CASES:
            output = line["outputs"]["output"]
            expected[line["id"]] = " ".join(
                [line["op"], output["dtype"].upper(), str(output["shape"]), *output["bits"]])
# The toolchain, the source's name, and how the program is built and run.
TOOLCHAINS = {
    "python": (sys.executable, "reader.py", None, [sys.executable, "reader.py"]),
    "rust": ("rustc", "reader.rs", ["rustc", "--edition", "2021", "-o", "reader-rust",
                                    "reader.rs"], ["./reader-rust"]),
    "go": ("go", "reader.go", ["go", "build", "-o", "reader-go", "reader.go"], ["./reader-go"]),
    "cpp": ("g++", "reader.cpp", ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o",
                                  "reader-cpp", "reader.cpp"], ["./reader-cpp"]),
    "javascript": ("node", "reader.js", None, ["node", "reader.js"]),
}
check(set(TOOLCHAINS) <= set(programs) and len(expected) == len(CASES),
      "the page has a program in each language", programs.keys())
golden = os.path.abspath(GOLDEN)
with tempfile.TemporaryDirectory() as folder:
    for language, (tool, source, build, start) in TOOLCHAINS.items():
        name = f"{language}: the program of the page reads the vectors"
        if not shutil.which(tool):
            skip(name, f"there is no {tool} here")
            continue
        with open(os.path.join(folder, source), "w") as file:
            file.write(programs[language])
        env = {**os.environ, "GOCACHE": f"{folder}/go", "GO111MODULE": "off"}
        done = run(*build, cwd=folder, env=env) if build else None
        if done and done.returncode:
            check(False, name, done)
            continue
        answers = {case: run(*start, golden, "philox", case, cwd=folder) for case in CASES}
        wrong = {case: done for case, done in answers.items()
                 if done.stdout.strip() != expected[case]}
        check(not wrong, name, wrong)

values = {}
exec(blocks[-1][1], values)  # the page's last block: bf16
numbers = [1.0, -2.5, 0.0078125, float("inf"), 3.140625]
data = b"".join(struct.pack("<f", number)[2:] for number in numbers)
check("def bf16" in blocks[-1][1] and values["bf16"](data) == numbers
      and struct.unpack("<H", data[:2])[0] == 16256
      and struct.unpack("<e", data[:2])[0] == 1.875,
      "bf16 is read as the page says, and misread so")

# ---- the schemas -------------------------------------------------------------


def validator(name):
    with open(f"vectors/schema/{name}.schema.json") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def sampled(folder):
    """Some lines of each suite, the first among them."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name)) as file:
                lines = file.read().splitlines()
            chosen = [lines[0]] + generator.sample(lines, min(LINES, len(lines)))
            yield from ((name, json.loads(line)) for line in chosen)


def flaws(line):
    """The line with one thing wrong, in turn."""
    for key in ("op", "id", "requirements", "suite", "cases"):
        if key in line:
            yield {other: value for other, value in line.items() if other != key}
    yield {**line, "surplus": 1}
    for part in ("inputs", "outputs"):
        for name, tensor in line.get(part, {}).items():
            if (isinstance(tensor, dict) and "dtype" in tensor and
                    not {"reject", "survive"} & line.keys()):
                for change in ({"dtype": "f99"}, {"shape": [-1]}, {"surplus": 0}):
                    spoilt = copy.deepcopy(line)
                    spoilt[part][name].update(change)
                    yield spoilt
                break


with tempfile.TemporaryDirectory() as folder:
    done = run(ASSAY, "export", "--suite", "philox,onnx.lstm,onnx.random,openvino.random_uniform",
               "--limit", "1000", "--to", folder)
    check(done.returncode == 0, "suites are exported", done)
    for name, where in (("manifest", GOLDEN), ("export", folder)):
        schema = validator(name)
        lines = list(sampled(where))
        wrong = [(suite, line.get("id"), str(jsonschema.exceptions.best_match(
            schema.iter_errors(line)).message)[:300])
            for suite, line in lines if not schema.is_valid(line)]
        check(not wrong and len(lines) > 50, f"the schema describes {len(lines)} lines of {name}s",
              wrong[:5])
        passed = [flawed for _, line in lines[::9] for flawed in flaws(line)
                  if schema.is_valid(flawed)]
        check(not passed, f"and no line of {name}s with one thing wrong", passed[:2])
    with open(os.path.join(folder, "onnx.lstm.jsonl")) as file:
        exported = [json.loads(line) for line in file]
    operation = json.loads(run(ASSAY, "list", "operations", "onnx.lstm", "--json").stdout)
    answers = [line for line in exported if "outputs" in line]
    check(all(line["attributes"].get(key) is not None for line in answers
              for key in ("direction", "layout", "opset", "input_forget"))
          and {key for line in answers for key in line["attributes"]}
          <= {one["name"] for one in operation["attributes"]},
          f"the defaults of attributes are written out, in {len(answers)} cases", answers[:1])
    # Written out or not, the request is the same.
    line = next(line for line in answers if all("bits" in tensor for tensor
                                                in line["inputs"].values()))
    request = {key: line[key] for key in ("op", "attributes", "inputs")}
    done = run(ASSAY, "eval", "-", input=json.dumps(request))
    bits = json.loads(done.stdout).get("outputs", {})
    check(bits and all(bits[name]["bits"] == tensor["bits"] for name, tensor
                       in line["outputs"].items() if "bits" in tensor),
          "and the request with them has the same answer", done)
finish()
