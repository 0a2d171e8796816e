# SPDX-License-Identifier: Apache-2.0
"""A program as the reference of a suite: emit asks it, under each profile where the suite has
choices, its files stand in the manifest, and a difference is told."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, expect, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))

# Three times a u32, or four times where it takes `rounding: up`, or the word CHANGED.
PROGRAM = """import json, sys

for line in sys.stdin:
    line = json.loads(line)
    if "hello" in line:
        answer = {"name": "three", "version": "1", "operations": ["acme.three"]}
    elif "supports" in line:
        answer = {"supported": True}
    else:
        request = line["run"]
        x = request["inputs"]["x"]
        option = request.get("profile", {}).get("rounding", OPTION)
        by = {"nearest": 3, "up": 4, "wild": 5, "wilder": 6}[option]
        if x["dtype"] != "u32":
            answer = {"rejected": "whole numbers only"}
        elif request["inputs"]["x"]["shape"] == [7]:
            answer = SEVEN
        else:
            bits = [f"{int(b, 16) * by % 2**32:08x}" for b in x["bits"]]
            answer = {"outputs": {"y": {"dtype": "u32", "shape": x["shape"], "bits": bits}}}
    print(json.dumps(answer), flush=True)
"""

SUITE = f"""suite: three
version: 1.0.0
specification: {{title: three times}}
requirements: {{R: {{text: "as the program does"}}}}
reference: {{exec: "{sys.executable} three.py", files: [three.py]}}
operations:
  acme.three: {{inputs: [x], outputs: [y], choices: {{rounding: [nearest, up, wild, wilder]}}}}
choices: {{rounding: {{default: nearest, allowed: [up], deviant: [wild, wilder]}}}}
cases:
  - id: some-{{n}}
    matrix: {{n: [1, 3, 20]}}
    covers: [R]
    op: acme.three
    inputs: {{x: {{fill: bits, dtype: u32, shape: [$n]}}}}
  - {{id: no, covers: [R], op: acme.three, inputs: {{x: {{dtype: f32, data: [1]}}}}, reject: whole}}
"""

with tempfile.TemporaryDirectory() as folder:
    def assay(*arguments, cwd=folder):
        return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=cwd,
                              check=False)

    def write(name, text):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)

    def program(name="three.py", option="nearest", seven='{"failed": "no"}', text=PROGRAM):
        write(name, text.replace("OPTION", repr(option)).replace("SEVEN", seven))

    def certify(option, *more):
        program("target.py", option)
        return assay("certify", "--suite", "./three.yaml", "--exec", f"{sys.executable} target.py",
                     *more)

    suite = ("--suite", "./three.yaml")
    write("three.yaml", SUITE)
    program()
    expect(certify("nearest"), 3, ["the program of suite three was not asked yet: assay emit "
                                   "--suite ./three.yaml --write does"],
           "before emit, there is nothing to be held to")
    expect(assay("emit", *suite, "--write"), 0, ["4 cases are stored, not derived", "4 new"],
           "emit asks the program")
    with open(f"{folder}/vectors/three.jsonl") as file:
        head, *lines = map(json.loads, file)
    check(list(head["program"]["files"]) == ["three.py"]
          and len(head["program"]["files"]["three.py"]) == 64
          and head["program"]["exec"].endswith("three.py"), "its files stand in the manifest", head)
    one = next(line for line in lines if line["id"] == "some-1")
    y = {name: int(of["outputs"]["y"]["bits"][0], 16) for name, of in
         [("nearest", one)] + [(u["profile"]["rounding"], u) for u in one["under"]]}
    x = int(one["inputs"]["x"]["bits"][0], 16)
    check({name: value == x * by % 2**32 for (name, value), by in
           zip(sorted(y.items()), (3, 4, 5, 6), strict=True)} ==
          dict.fromkeys(("nearest", "up", "wild", "wilder"), True),
          "what it answers under each option is kept", y)
    expect(assay("emit", "--check", *suite), 0, ["nothing differs"], "emit --check runs it again")
    os.mkdir(f"{folder}/elsewhere")
    expect(assay("emit", "--check", "--suite", "../three.yaml", cwd=f"{folder}/elsewhere"), 0,
           ["nothing differs"], "from anywhere")

    expect(certify("nearest"), 0, ["conforms: 4 of 4 cases",
                                   "values of 4 of 4 cases of suite three are stored, not derived"],
           "a target is held to its answers")
    expect(certify("up", "--verbose"), 0, ["rounding=up"],
           "one that takes another allowed option conforms under it")
    expect(certify("wild", "--verbose"), 1,
           ["3 fail", "equals the reference bit for bit with rounding=wild"],
           "a known mistake is recognised by its answers")
    expect(assay("mutants", *suite), 0, ["2 of 2 deviant options killed"],
           "and the suite notices each")
    os.rename(f"{folder}/three.py", f"{folder}/away.py")
    expect(certify("nearest"), 0, ["conforms"], "the vectors are enough to certify by")
    os.rename(f"{folder}/away.py", f"{folder}/three.py")

    program(text="# another text\n" + PROGRAM)
    expect(assay("emit", "--check", *suite), 1, ["the vectors were made by the program"],
           "another text of the program is told")
    program(option="up", text=PROGRAM.replace('"nearest": 3', '"nearest": 7'))
    done = assay("emit", "--check", *suite)
    expect(done, 1, ["three: case some-1: changed: "], "so is another answer")
    with open(f"{folder}/vectors/three.safetensors", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x42")
    expect(certify("nearest"), 3, ["three.safetensors does not have the sum"],
           "vectors that were changed hold nobody to anything")

    seven = SUITE.replace("n: [1, 3, 20]", "n: [7]")
    for answer, said in [
            ('{"failed": "no"}', "case some-7: the program failed: no"),
            ('{"rejected": "no"}', "case some-7: the program refuses it: no"),
            ('{"outputs": {}}', "output 'y' is missing"), ('{"a": 1}', "the program protocol"),
            ('{"outputs": {"y": {"dtype": "f99", "shape": [], "bits": []}}}',
             "unknown dtype 'f99'"),
            ('{"outputs": {"y": {"dtype": "u8", "shape": [2], "bits": ["00"]}}}',
             "has 1 bits; expected 2"),
            ('{"outputs": {"y": {"dtype": "u8", "shape": [99999999999], "bits": []}}}',
             "is larger than 64 MiB"),
            ('{"outputs": {"y": {"dtype": "u8", "shape": [-1], "bits": []}}}', "is no number"),
            ('{"outputs": {"y": {"dtype": "u8", "shape": [], "bits": ["00"]}, "z": {}}}',
             "output 'z' was not asked for")]:
        write("three.yaml", seven)
        program(seven=answer)
        expect(assay("emit", *suite), 2, [said], f"{said!r} is told")
    write("three.yaml", SUITE.replace("reject: whole", "reject: another reason"))
    expect(assay("emit", *suite), 2, ["not for the reason that the suite states"],
           "a refusal is the one that the suite states")
    write("three.yaml", SUITE.replace("{dtype: f32, data: [1]}", "{dtype: u32, data: [1]}"))
    expect(assay("emit", *suite), 2, ["answers what must be refused"], "and must come")
    write("three.yaml", SUITE.replace("three.py, files", "gone.py, files").replace(
        "three.py\", files: [three.py]", "three.py\", files: [gone.py]"))
    expect(assay("emit", *suite), 2, ["gone.py"], "files that are not there are named")
finish()
