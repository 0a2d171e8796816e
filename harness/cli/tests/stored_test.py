# SPDX-License-Identifier: Apache-2.0
"""Values that a suite states: of operations that assay derives, which are judged first, and of
others. They are met by bits, ulps or an interval, and named stored wherever they are shown."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import keys, safetensors  # noqa: E402
from tap import check, expect, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
HELPER = os.path.abspath("harness/python/assay")

# Squares, off by so many ulps; counts; refuses integers.
TARGET = f"""import sys
sys.path.insert(0, {HELPER!r})
import numpy
from target import Rejected, Unsupported, serve

class Target:
    name, version, operations = "square", "1", ["acme.square", "onnx.range"]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported("no")

    def run(self, request):
        if request.op == "onnx.range":
            i = request.inputs
            return {{"output": numpy.arange(i["start"], i["limit"], i["delta"], dtype="f4")}}
        x = request.inputs["x"]
        if x.dtype.kind != "f":
            raise Rejected("integers are refused")
        y = x * x
        for _ in range(int(sys.argv[1])):
            y = numpy.nextafter(y, x.dtype.type(numpy.inf))
        return {{"y": y}}

serve(Target())
"""

SUITE = """suite: paper
version: 1.0.0
specification: {title: "a table"}
requirements: {R1: {text: "as the table has it"}}
sources:
  table: {title: "Smith 2020, table 3", source: "https://doi.org/10.0/1", tolerance: {ulps: 2}}
  file: {title: "a colleague's file", file: data/values.safetensors, sha256: SHA256}
operations:
  acme.square: {attributes: {mode: [exact, fast], axis: integer}, inputs: [x], outputs: [y]}
cases:
  - id: ulps
    op: acme.square
    covers: [R1]
    attributes: {mode: fast, axis: -1}
    inputs: {x: {dtype: f32, data: [1, 2, 3]}}
    from: table
    expected: {y: {dtype: f32, data: [1, 4, 9]}}
  - id: interval
    op: acme.square
    covers: [R1]
    inputs: {x: {dtype: f32, data: [1, 2]}}
    from: table
    expected: {y: {lower: {dtype: f32, data: [0.5, 3.9]}, upper: {dtype: f32, data: [1.5, 4.1]}}}
  - id: in-a-file
    op: acme.square
    covers: [R1]
    inputs: {x: {dtype: f32, shape: [2], file: data/values.safetensors, tensor: x}}
    from: file
    tolerance: {y: {ulps: 5}}
    expected: {y: {dtype: f32, shape: [2], file: data/values.safetensors, tensor: y}}
  - id: derived
    op: onnx.range
    covers: [R1]
    inputs: {start: {dtype: f32, data: 1}, limit: {dtype: f32, data: 5},
             delta: {dtype: f32, data: 2}}
    from: table
    expected: {output: {dtype: f32, data: [1, 3]}}
  - id: refused
    op: acme.square
    covers: [R1]
    inputs: {x: {dtype: i32, data: [0]}}
    from: table
    reject: integers
"""


with tempfile.TemporaryDirectory() as folder:
    def assay(*arguments):
        return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=folder,
                              check=False)

    def write(suite, **values):
        with open(f"{folder}/data/values.safetensors", "wb") as file:
            file.write(safetensors(**{name: ("f", data) for name, data in
                                     (values or {"x": [2, 3], "y": [4, 9]}).items()}))
        with open(f"{folder}/data/values.safetensors", "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        with open(f"{folder}/paper.yaml", "w") as file:
            file.write(suite.replace("SHA256", digest))

    os.mkdir(f"{folder}/data")
    with open(f"{folder}/target.py", "w") as file:
        file.write(TARGET)
    private, public = keys(folder)
    suite = ("--suite", "./paper.yaml")
    write(SUITE)

    done = assay("emit", *suite, "--write")
    expect(done, 0, ["5 cases are stored, not derived: the reference agrees with 1, differs from 0 "
                     "and has none of 4", "5 cases, 5 new"],
           "emit judges what is stated, and keeps it")
    with open(f"{folder}/vectors/paper.jsonl") as file:
        lines = {line["id"]: line for line in map(json.loads, file) if "id" in line}
    check(lines["ulps"]["stored"] == {"from": "table", "title": "Smith 2020, table 3",
                                      "tolerance": "y: within 2 ulps"}
          and lines["in-a-file"]["outputs"]["y"]["bits"] == ["40800000", "41100000"]
          and "profile" not in lines["ulps"], "the manifest says whose they are", lines["ulps"])
    expect(assay("emit", "--check", *suite), 0, ["nothing differs"], "and emit finds them again")

    def certify(ulps, *more):
        return assay("certify", *suite, "--exec", f"{sys.executable} target.py {ulps}", "--out",
                     "r.jsonl", "--html", "p.html", *more)

    stored = ["values of 5 of 5 cases of suite paper are stored, not derived: the reference agrees "
              "with 1, differs from 0 and has none of 4; by "]
    expect(certify(0, "--sign", private), 0, ["conforms: 5 of 5 cases", *stored],
           "a target that assay has no operation for is certified by stored values")
    with open(f"{folder}/r.statement.jsonl") as file:
        check("are stored, not derived" in file.read(), "its certificate says so")
    expect(assay("verify", "--key", public, *suite, "--exec",
                 f"{sys.executable} target.py 0", "r.certificate.jsonl"), 0,
           ["The certificate holds"], "and is verified")
    expect(certify(2), 0, ["conforms: 5 of 5 cases"], "two ulps are what two ulps allow")
    done = certify(3, "--verbose")
    expect(done, 1, ["3 pass, 1 fail", "stored, not derived: Smith 2020, table 3; y: within 2 ulps",
                     "fail ulps"], "three are not; the interval and five ulps hold them")
    with open(f"{folder}/p.html") as file:
        page = file.read()
    check("stored, not derived: Smith 2020, table 3 (https://doi.org/10.0/1)" in page
          and "within 2 ulps" in page, "the page of a failure says whose values it is held to")
    expect(assay("show", "ulps", *suite), 0,
           ["stored, not derived: Smith 2020, table 3; y: within 2 ulps", "stored: y, f32[3]"],
           "so does show")
    expect(assay("minimize", "ulps", *suite, "--exec", f"{sys.executable} target.py 3"), 2,
           ["its values are stored"], "what is stored cannot be cut down")
    expect(assay("certify", *suite, "--exec", f"{sys.executable} target.py 0", "--seed", "7"), 0,
           ["5 cases"], "nor drawn anew")
    expect(assay("certify", *suite, "--exec", f"{sys.executable} target.py 0", "--jobs", "2"), 0,
           ["conforms: 5 of 5 cases"], "several processes share it")
    expect(certify(0, "--case", "derived"), 0, ["agrees with 1"], "and so is one case of it")

    # What is stated of an operation that assay derives is judged first.
    write(SUITE.replace("data: [1, 3]}", "data: [1, 3.5]}"))
    expect(assay("emit", *suite, "--reason", "another table"), 0,
           ["case derived: what is stored differs from the reference: output: 1 of 2 elements, the "
            "first at 1: stored 40600000, the reference gives 40400000",
            "agrees with 0, differs from 1"], "a stated value that is wrong is told by emit")
    expect(certify(0, "--verbose"), 1,
           ["what is stored differs from the reference: output: 1 of 2"],
           "and by certify")
    with open(f"{folder}/p.html") as file:
        check("differs from what is stored: output: 1 of 2" in file.read(), "and on the page")
    write(SUITE.replace("data: [1, 3]}", "data: [1, 3.0000005]}"))
    expect(assay("emit", *suite), 1, ["agrees with 1, differs from 0"],
           "one whose tolerance reaches what is right is not wrong")
    write(SUITE.replace("op: onnx.range", "op: onnx.range\n    digests: true"))
    expect(assay("emit", *suite), 2, ["paper.yaml:", "values that are stored are kept whole"],
           "digests alone are not kept of what is stored")
    write(SUITE.replace("op: onnx.range", "op: onnx.range\n    attributes: {opset: 27}"))
    expect(assay("emit", *suite, "--reason", "newer"), 0, ["agrees with 1"],
           "attributes of an operation of assay's are read by its own table")

    # Of operators that are declared for assay too.
    write(SUITE[:SUITE.index("cases:")] + """cases:
  - {id: two, op: onnx.softmax, covers: [R1], inputs: {input: [[1, 1]]}, from: table,
     expected: {output: {dtype: f32, data: [[0.5, 0.5]]}}}
  - {id: off, op: onnx.softmax, covers: [R1], inputs: {input: [[1, 1]]}, from: table,
     expected: {output: {dtype: f32, data: [[0.5, 0.25]]}}}
""")
    expect(assay("emit", *suite), 1, ["case off: what is stored differs from the reference: "
                                      "output: 1 of 2 elements", "agrees with 1, differs from 1"],
           "declared operators are known, with their plain types")

    # Files that are not what the suite says.
    write(SUITE)
    with open(f"{folder}/data/values.safetensors", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x42")
    expect(certify(0), 2, ["is not the file that suite paper names"],
           "a changed byte in a source's file is refused")
    os.remove(f"{folder}/data/values.safetensors")
    expect(certify(0), 2, ["values.safetensors"], "and so is a missing file")
    write(SUITE, x=[2, 3], z=[4, 9])
    expect(assay("emit", *suite), 2, ["holds no tensor 'y'"], "a tensor that is not there is named")
    write(SUITE, x=[2, 3, 4], y=[4, 9])
    expect(assay("emit", *suite), 2, ["x is f32[3] in data/values.safetensors"],
           "and one of another shape")

    # Nothing is guessed.
    VALUE = "expected: {y: {dtype: f32, data: [1, 4, 9]}}"
    LOWER = "lower: {dtype: f32, data: [0.5, 3.9]}"
    WRONG = [
        ("from: table\n    " + VALUE, "", "assay derives nothing"),
        ("from: table\n    " + VALUE, VALUE, "assay derives nothing"),
        (VALUE, "", "from goes with either expected or reject"),
        (VALUE, VALUE.replace("y:", "z:"), "acme.square has no output 'z'"),
        (VALUE, "expected: {y: [1, 4, 9]}", "must say its dtype"),
        ("from: table\n    " + VALUE, "from: tables\n    " + VALUE, "there is no source 'tables'"),
        ("tolerance: {y: {ulps: 5}}", "tolerance: {y: {ulps: 0}}", "ulps"),
        ("tolerance: {y: {ulps: 5}}", "tolerance: close", "a tolerance is bits or {ulps: N}"),
        ("tolerance: {y: {ulps: 5}}", "tolerance: {z: {ulps: 5}}", "has no output 'z'"),
        (LOWER, LOWER.replace("3.9", "4.2"),
         "element 1: lower, value and upper are not in this order"),
        (LOWER, "lower: {dtype: f32, data: [0.5]}", "have one type and shape"),
        ("upper: {dtype: f32, data: [1.5, 4.1]}", "upper: {dtype: f32, data: [1.5, nan]}",
         "not in this order"),
        ("reject: integers", "reject: integers\n    tolerance: bits", "a tolerance is for values"),
        ("acme.square: {attr", "onnx.range: {attr", "assay has an operation onnx.range itself"),
        ("acme.square: {attr", "onnx.softmax: {attr", "assay has an operation onnx.softmax itself"),
        ("mode: fast", "mode: slow", "attribute mode is 'slow'; expected one of exact, fast"),
        ("{mode: [exact, fast]", "{mode: text", "an attribute is integer, boolean"),
        ("data/values.safetensors, sha", "../values.safetensors, sha",
         "beside its suite, or below"),
        ("shape: [2], file: data/values", "shape: [2], file: other",
         "no source of this suite names the file"),
        ("    reject: integers", "    reject: integers\n    runs: 2", "runs cannot be combined"),
    ]
    for old, new, said in WRONG:
        check(old in SUITE, f"the suite has {old[:40]!r}")
        write(SUITE.replace(old, new, 1))
        done = assay("emit", *suite)
        expect(done, 2, [said, "paper.yaml:"], f"{said!r} is told, with its place")
finish()
