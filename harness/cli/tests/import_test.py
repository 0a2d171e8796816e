# SPDX-License-Identifier: Apache-2.0
"""Values in formats of others become a suite with vectors: safetensors, JSON lines, CSV and test
groups by the program alone, npz files and ONNX backend tests by Python."""

import json
import os
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, "harness/tests")
from given import safetensors  # noqa: E402
from tap import check, expect, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
PYTHON = os.path.join(BUILD, "venv", "bin", "python")

with tempfile.TemporaryDirectory() as folder:
    def assay(*arguments):
        return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=folder,
                              check=False)

    def write(name, text):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    serial = 0

    def imported(name, *more):
        """The finished import of a file as a suite of its own, and that suite's lines."""
        global serial
        serial += 1
        suite = f"s{serial}"
        done = assay("import", name, "--to", f"{suite}.yaml", "--by", "Smith 2020, table 3", *more)
        path = f"{folder}/{suite}.yaml"
        text = open(path).read() if os.path.exists(path) else ""
        cases = [json.loads(line[4:]) for line in text.splitlines() if line.startswith("  - ")]
        return done, text, {case["id"]: case for case in cases}

    # ---- CSV
    table = write("t.csv", 'x,y,note\n1,1,a\n2,4,"b, ""c"""\r\n3,9,\n')
    done, text, cases = imported(table, "--op", "acme.square", "--tolerance", "ulps=1", "--columns",
                                 "x=inputs.x:f32,y=expected.y:f32,note=")
    expect(done, 0, ["1 cases", "has none of 1", "1 new"], "a table is a case, an element a row")
    check(cases["t"]["expected"] == {"y": {"dtype": "f32", "shape": [3], "data": [1, 4, 9]}}
          and '"tolerance": {"ulps": 1}' in text and '"file": "t.csv", "sha256": "' in text,
          "with its values, its tolerance and where it is from", text)
    expect(assay("emit", "--check", "--suite", "./s1.yaml"), 0, ["nothing differs"],
           "its vectors are kept")
    expect(assay("import", table, "--to", "s1.yaml", "--by", "me", "--op", "acme.square",
                 "--columns", "x=inputs.x:f32,y=expected.y:f32,note="), 2, ["is there already"],
           "a suite that is there is left alone")
    done, text, cases = imported(write(
        "u.csv", "id,op,attributes.mode,attributes.axis:integer,inputs.x:u32:bits,inputs.n:i64:"
        "scalar,expected.y.lower:f16,expected.y.upper:f16\n"
        "A 1,acme.f,fast,-1,0000000a,7,0.5,1.5\nb,acme.f,slow,2,0000000b,8,-1,nan\n"))
    expect(done, 2, ["lower, value and upper are not in this order"],
           "an interval that holds nothing is refused")
    check(not os.path.exists(f"{folder}/s2.yaml"), "and nothing of it is written")
    done, text, cases = imported(write(
        "u.csv", "id,op,attributes.mode,attributes.axis:integer,inputs.x:u32:bits,inputs.n:i64:"
        "scalar,expected.y.lower:f16,expected.y.upper:f16\n"
        "A 1,acme.f,fast,-1,0000000a,7,0.5,1.5\nb,acme.f,slow,2,0000000b,8,-1,1\n"))
    expect(done, 0, ["2 cases"], "columns may say themselves what they are")
    check(cases["a-1"]["attributes"] == {"mode": "fast", "axis": -1}
          and cases["a-1"]["inputs"] == {"x": {"dtype": "u32", "shape": [1], "data": [10]},
                                         "n": {"dtype": "i64", "shape": [], "data": [7]}}
          and cases["b"]["expected"]["y"]["lower"]["data"] == [-1]
          and '{"mode": ["fast", "slow"], "axis": "integer"}' in text,
          "attributes, bits, scalars and intervals among them", cases)
    for wrong, columns, said in [
            ("x,y\n1,2\n3\n", "x=inputs.x:f32,y=expected.y:f32", "w.csv:3:1: the row has 1 cells"),
            ("x,y\n1,z\n", "x=inputs.x:f32,y=expected.y:f32", "w.csv:2:1: column 'y': found \"z\""),
            ('x,y\n1,"2\n', "x=inputs.x:f32,y=expected.y:f32", "a cell in quotes does not end"),
            ('x,y\n1,2"\n', "x=inputs.x:f32,y=expected.y:f32", "a quote stands inside"),
            ("x,y\n1,2\n", "x=inputs.x:f32,y=expected.y:f32,z=id", "has no column for 'z=id'"),
            ("x,y\n1,2\n", "x=inputs.x:f32", "'y' is no meaning"),
            ("x,x\n1,2\n", "x=inputs.x:f32", "two columns 'x'"),
            ("x,y\n1,300\n", "x=inputs.x:f32,y=expected.y:u8", "column 'y'"),
            ("x,y\n1,2\n", "x=inputs.x:f32,y=", "neither expected values nor a reason"),
            ("x\n", "x=expected.x:f32", "there is no case"), ("", "x=id", "the table is empty")]:
        expect(imported(write("w.csv", wrong), "--op", "acme.f", "--columns", columns)[0], 2,
               [said], f"{said!r}")
    expect(imported(write("w.csv", "x,y\n1,2\n"), "--columns",
                    "x=inputs.x:f32,y=expected.y:f32")[0], 2, ["name it with --op"],
           "a case without an operation is refused")

    # ---- JSON lines: of operations that assay derives, values are judged first
    right = {"id": "right", "op": "philox", "attributes": {"width": 32},
             "inputs": {"counter": {"dtype": "u32", "data": [0, 0, 0, 0]},
                        "key": {"dtype": "u32", "data": [0, 0]}},
             "expected": {"output": {"dtype": "u32", "bits": ["6627e8d5", "e169c58d", "bc57ac4c",
                                                              "9b00dbd8"]}}}
    seven = {**right, "id": "seven", "attributes": {"rounds": 7}}
    refused = {"id": "refused", "op": "philox", "reject": "three words",
               "inputs": {**right["inputs"], "counter": {"dtype": "u32", "data": [1, 2, 3]}}}
    lines = [right, refused, {**refused, "id": "wrongly", "inputs": right["inputs"]}, seven]
    done, text, cases = imported(write("l.jsonl", "\n".join(map(json.dumps, lines))))
    expect(done, 1, ["case seven: what is stored differs from the reference: output: 4 of 4 "
                     "elements, the first at 0: stored 6627e8d5, the reference gives",
                     "it agrees with rounds=10",
                     "case wrongly: what is stored differs from the reference: it is said to be "
                     "refused (three words), the reference answers",
                     "agrees with 2, differs from 2 and has none of 0"],
           "what is known is judged: two are right, two are not, and exit code 1 says so")
    check("operations:" not in text, "and needs no declaration")
    expect(assay("certify", "--suite", f"./s{serial}.yaml", "--target", "reference"), 1,
           ["differs from 2"], "a target is held to them all the same")
    write("v.safetensors", safetensors(x=("f", range(20)), y=("f", range(20))))
    far = {"dtype": "f32", "shape": [20], "file": "v.safetensors", "tensor": "x"}
    done, text, cases = imported(write("m.jsonl", json.dumps(
        {"id": "m", "op": "acme.f", "inputs": {"x": far}, "expected": {"y": {**far, "tensor": "y"}},
         "tolerance": {"y": {"ulps": 3}}})))
    expect(done, 0, ["1 cases"], "tensors may lie in a file beside the lines")
    check(cases["m"]["expected"]["y"] == {**far, "file": f"s{serial}.safetensors",
                                          "tensor": "m/out/y"}
          and cases["m"]["tolerance"] == {"y": {"ulps": 3}}, "and lie beside the suite then", cases)
    for line, said in [({**seven, "expected": {"output": [1]}}, "must say its dtype"),
                       ({**seven, "extra": 1}, "w.jsonl:1:"), ({"op": "philox"}, "needs an id"),
                       ({**seven, "reject": "x"}, "or both"),
                       ({"id": "x", "op": "acme.f", "reject": "x"}, "its outputs are not known"),
                       ({"id": "x", "op": "acme.f", "expected": {"y": {**far, "shape": [2]}}},
                        "has another type or shape"),
                       ({"id": "x", "op": "acme.f", "expected": {"y": {**far, "file": "../v"}}},
                        "lies beside the file")]:
        expect(imported(write("w.jsonl", json.dumps(line)))[0], 2, [said], f"{said!r}")
    expect(imported(write("w.jsonl", json.dumps(seven) + "\n" + json.dumps(seven)))[0], 2,
           ["two cases are called seven"], "two cases of one name are refused")

    # ---- safetensors: golden vectors are named so
    suite = """suite: mine
version: 1.0.0
specification: {title: Philox}
requirements: {R: {text: a block}}
choices: {others: deviant}
cases:
  - {id: one, covers: [R], op: philox, inputs: {counter: {dtype: u32, data: [1, 2, 3, 4]},
     key: &k {dtype: u32, data: [5, 6]}}}
  - id: two
    covers: [R]
    op: philox
    inputs: {counter: {fill: bits, dtype: u32, shape: [5, 4]}, key: *k}
"""
    write("mine.yaml", suite)
    assay("emit", "--suite", "./mine.yaml", "--write")
    done, text, cases = imported("vectors/mine.safetensors", "--op", "philox")
    expect(done, 0, ["2 cases", "agrees with 2, differs from 0"], "golden vectors are read")
    expect(imported(write("w.safetensors", safetensors(x=("f", [1]))), "--op", "acme.f")[0], 2,
           ["tensor 'x' is not called CASE/in/NAME"], "other names are not guessed at")
    done, text, cases = imported(write("i.safetensors", safetensors(**{
        "in/x": ("f", [1]), "lower/y": ("f", [0]), "upper/y": ("f", [2]), "out/y": ("f", [1])})),
        "--op", "acme.f", "--attributes", '{"axis": [0, -1]}')
    expect(done, 0, ["1 cases"], "one case needs no name")
    check(set(cases["i"]["expected"]["y"]) == {"lower", "upper", "value"}
          and cases["i"]["attributes"] == {"axis": [0, -1]}, "its ends are those of an interval")

    # ---- groups of tests
    tests = {"testGroups": [{"keySize": 16, "tests": [
        {"tcId": 1, "comment": "", "key": "00ff", "msg": "aa", "tag": "0102", "result": "valid"},
        {"tcId": 2, "comment": "bad tag", "key": "00ff", "msg": "", "tag": "01",
         "result": "invalid"},
        {"tcId": 3, "key": "00ff", "msg": "", "tag": "01", "result": "acceptable"}]}]}
    COLUMNS = ("key=inputs.key:u8:hex,msg=inputs.msg:u8:hex,tag=expected.tag:u8:hex,"
               "keySize=attributes.key_size:integer")
    done, text, cases = imported(write("mac.json", json.dumps(tests)), "--op", "acme.mac",
                                 "--columns", COLUMNS)
    expect(done, 0, ["2 cases", "1 cases were left out, the first since test 3 is 'acceptable'"],
           "valid tests are answered, invalid ones refused, others left out and counted")
    check(cases["mac-1"]["expected"]["tag"]["data"] == [1, 2]
          and cases["mac-2"]["reject"] == "bad tag" and "expected" not in cases["mac-2"]
          and cases["mac-2"]["attributes"] == {"key_size": 16}, "a group speaks for its tests")
    expect(imported("mac.json", "--op", "acme.mac")[0], 2, ["--columns says which"],
           "their members have no meaning by themselves")
    expect(imported(write("w.json", json.dumps(tests).replace("00ff", "00f")), "--op", "acme.mac",
                    "--columns", COLUMNS)[0], 2, ["expected bytes, two hexadecimal digits"],
           "half a byte is none")
    expect(assay("import", "t.csv", "--to", "x.yaml"), 2, ["--to FILE and --by WHO are needed"],
           "somebody states them")
    expect(assay("import", "t.txt", "--to", "x.yaml", "--by", "me"), 2, ["expected a file that"],
           "another format is none")

    # ---- what Python reads
    try:
        subprocess.run([PYTHON, "-c", "import numpy, onnx"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        skip("npz and ONNX backend tests", "no numpy and onnx (scripts/setup)")
        finish()
    program = """
import json, os, numpy, onnx
from onnx import helper, numpy_helper, TensorProto as T
numpy.savez("n.npz", **{"a/in/x": numpy.arange(100, dtype="f4"),
                        "a/out/y": numpy.arange(100, dtype="f4") ** 2,
                        "b/in/x": numpy.array([1 + 2j]), "b/out/y": numpy.array([1.0])})
numpy.savez("p.npz", **{"a/in/x": numpy.array([{}], dtype=object)})
x = numpy.array([-1, 0.1, 3e38, numpy.inf], "f4")
node = helper.make_node("Abs", ["x"], ["y"])
graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", T.FLOAT, [4])],
                          [helper.make_tensor_value_info("y", T.FLOAT, [4])])
os.makedirs("onnx/test_abs/test_data_set_0")
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]),
          "onnx/test_abs/model.onnx")
json.dump({"atol": 0.0625, "rtol": 0.5}, open("onnx/test_abs/data.json", "w"))
for name, array in (("input_0", x), ("output_0", abs(x))):
    open(f"onnx/test_abs/test_data_set_0/{name}.pb", "wb").write(
        numpy_helper.from_array(array).SerializeToString())
"""
    subprocess.run([PYTHON, "-c", program], cwd=folder, check=True)
    done, text, cases = imported("n.npz", "--op", "acme.square")
    expect(done, 0, ["1 cases", "1 cases were left out, the first since b: array 'b/in/x'"],
           "an npz file is read; types that assay does not have are left out, and told")
    check(cases["a"]["expected"]["y"]["shape"] == [100], "with its values")
    expect(imported("p.npz", "--op", "acme.f")[0], 2, ["allow_pickle=False"],
           "no pickle is opened")
    done, text, cases = imported("onnx")
    expect(done, 0, ["1 cases"], "backend tests of any operator are read")
    y = cases["abs"]["expected"]["Y"]
    low, high = ([float(v) for v in y[end]["data"]] for end in ("lower", "upper"))
    check(low[0] == 0.4375 and high[0] == 1.5625 and low[3] == high[3] == float("inf")
          and high[2] == 3.4028235e38, "by their own tolerance", y)
    value = Fraction(struct.unpack("<f", struct.pack("<f", 0.1))[0])
    radius = Fraction(1, 16) + value / 2
    ends = [Fraction(struct.unpack("<f", struct.pack("<f", end[1]))[0]) for end in (low, high)]
    check(value - radius <= ends[0] < value - radius + Fraction(1, 10**9)
          and value + radius >= ends[1] > value + radius - Fraction(1, 10**7),
          "whose ends lie within what it says", y)
    assay("export", "--onnx", "backend", "--suite", "onnx.range", "--case", "example-*")
    done, text, cases = imported("backend/onnx.range")
    expect(done, 0, [f"agrees with {len(cases)}, differs from 0"],
           "those that export writes agree with the reference")
finish()
