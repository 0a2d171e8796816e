# SPDX-License-Identifier: Apache-2.0
"""`assay score`: which known mistakes tests of others notice is what evaluating each of them and
comparing by NumPy's rule says; a test that the reference fails notices nothing."""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
PYTHON = os.path.join(BUILD, "venv/bin/python")
SOURCE = json.dumps({"source": "the tests of nobody"})


def run(*words, given=None):
    return subprocess.run([ASSAY, *words], capture_output=True, text=True, input=given,
                          check=False)


def values(tensor):
    return [struct.unpack(">f", bytes.fromhex(bits))[0] for bits in tensor["bits"]]


def request(weights, recurrent):
    full = lambda *shape, of: {"dtype": "f32", "shape": list(shape), "data": of}
    one = {"op": "onnx.lstm", "id": "one", "attributes": {"hidden_size": 1},
           "inputs": {"X": full(2, 1, 1, of=[0.5, -0.25]), "W": full(1, 4, 1, of=weights),
                      "R": full(1, 4, 1, of=recurrent)}}
    answer = json.loads(run("eval", "-", given=json.dumps(one)).stdout)
    return {**one, "expected": answer["outputs"], "rtol": 1e-3, "atol": 1e-7}


def score(folder, *lines, suite="onnx.lstm"):
    """What is printed, and per option which test notices it, and which case of ours."""
    path, page = os.path.join(folder, "tests.jsonl"), os.path.join(folder, "page.md")
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    done = run("score", path, "--suite", suite, "--out", page)
    rows = {}
    if done.returncode < 2:
        with open(page) as file:
            for row in re.findall(r"^\| `([a-zA-Z_]+=\S+)` \| (\S+) \| (\S+) \|$", file.read(),
                                  re.MULTILINE):
                rows[row[0]] = row[1:]
    return done, rows


def test_small(folder):
    equal = json.dumps(request([0.25] * 4, [0.5] * 4))
    apart = json.dumps(request([0.25, -0.5, 0.75, 1.0], [0.5, 0.125, -0.25, 0.75]))
    done, rows = score(folder, SOURCE, equal)
    orders = [name for name in rows if name.startswith("gates=")]
    check(done.returncode == 1 and len(orders) == 23 and all(rows[n][0] == "-" for n in orders),
          "equal weights: all 23 wrong orders of gates go unnoticed", done)
    check(all(rows[n][1] != "-" for n in rows), "cases of ours notice every option", rows)
    done, rows = score(folder, SOURCE, apart)
    check(all(rows[n][0] == "one" for n in orders), "weights apart: all 23 are noticed", rows)
    wrong = json.loads(apart)
    wrong["expected"]["Y_h"]["bits"][0] = "3f800000"
    done, rows = score(folder, SOURCE, json.dumps(wrong))
    check("0 of 1 tests held; they notice 0 of" in done.stdout,
          "a test that the reference fails notices nothing", done)


def test_refusals(folder):
    good = request([0.25] * 4, [0.5] * 4)
    for lines, words in (
            ([json.dumps(good)], "expected a line with 'source'"),
            ([SOURCE], "expected a line with 'source'"),
            ([SOURCE, json.dumps({**good, "rtol": -1})], "a test needs 'rtol', a number from 0"),
            ([SOURCE, json.dumps({k: v for k, v in good.items() if k != "atol"})],
             "a test needs 'atol'"),
            ([SOURCE, json.dumps({**good, "expected": {"Z": good["expected"]["Y"]}})],
             "has no output 'Z'"),
            ([SOURCE, json.dumps({**good, "more": 1})], "more"), ([SOURCE, "{"], "tests.jsonl")):
        done, _ = score(folder, *lines)
        check(done.returncode == 2 and words in done.stderr, f"refused: {words}", done)
    check(run("score", os.path.join(folder, "nothing")).returncode == 2, "a file that is not there")


def test_backend(folder):
    """The package's own tests: each option evaluated here, and compared by NumPy's rule."""
    done = subprocess.run([PYTHON, "harness/targets/helper/onnx_tests.py", "onnx.rnn"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        skip("the backend tests of onnx", done.stderr.strip().splitlines()[-1:])
        return
    lines = done.stdout.splitlines()
    tests = [json.loads(line) for line in lines[1:]]
    choices = [json.loads(line) for line in
               run("list", "choices", "--suite", "onnx.rnn", "--json").stdout.splitlines()]
    deviant = [c for c in choices if c["class"] == "deviant"]
    asked = [{**{k: test[k] for k in ("op", "attributes", "inputs", "outputs")},
              "profile": {c["choice"]: c["option"]}} for c in deviant for test in tests]
    answers = iter(run("eval", "-", given="\n---\n".join(map(json.dumps, asked)))
                   .stdout.splitlines())
    expected = {}
    for c in deviant:
        first = "-"
        for test in tests:
            answer = json.loads(next(answers)).get("outputs")
            near = answer and all(
                answer[name]["shape"] == right["shape"]
                and all(abs(a - b) <= test["atol"] + test["rtol"] * abs(b)
                        for a, b in zip(values(answer[name]), values(right), strict=True))
                for name, right in test["expected"].items())
            if first == "-" and not near:
                first = test["id"]
        expected[f"{c['choice']}={c['option']}"] = first
    done, rows = score(folder, *lines, suite="onnx.rnn")
    differ = [f"{n}: {rows.get(n)} {e}" for n, e in expected.items()
              if rows.get(n, ("?",))[0] != e]
    check(len(tests) == 6 and len(rows) == len(expected) and not differ,
          f"{len(expected)} options of onnx.rnn: noticed by the same of onnx's 6 tests", differ)
    check("6 of 6 tests held" in done.stdout, "all of them hold for the reference", done)


with tempfile.TemporaryDirectory() as work:
    test_small(work)
    test_refusals(work)
    test_backend(work)
finish()
