# SPDX-License-Identifier: Apache-2.0
"""`assay score`: which known mistakes tests of others notice is what evaluating each of them and
comparing by NumPy's rule says; a test that the reference fails notices nothing, and what it expects
is told; distances in ULP, integers of 64 bits and suites without a test count; the page shows it.
"""

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
            name = r"`?([^\s`]+)`?"
            for row in re.findall(rf"^\| `(\w+=\S+)` \| {name} \| {name} \|$",
                                  file.read(), re.MULTILINE):
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


def philox(words, **more):
    """Philox4x64 of counter 0, whose first word is `words`."""
    zero = ["0" * 16]
    return {"op": "philox", "id": "sixty-four", "attributes": {"words": 4, "width": 64},
            "inputs": {"counter": {"dtype": "u64", "shape": [4], "bits": zero * 4},
                       "key": {"dtype": "u64", "shape": [2], "bits": zero * 2}},
            "expected": {"output": {"dtype": "u64", "shape": [4], "bits": [
                words, "db20fe9d672d0fdc", "d7e772cee186176b", "7e68b68aec7ba23b"]}}, **more}


def test_tolerances(folder):
    near = {"rtol": 0, "atol": 0}
    for bits, tolerance, held in (("16554d9eca36314c", near, 1), ("16554d9eca36314d", near, 0),
                                  ("16554d9eca36314d", {"ulp": 0}, 0),
                                  ("16554d9eca36314d", {"ulp": 1}, 1),
                                  ("16554d9eca36314d", {"rtol": 1e-15, "atol": 0}, 1)):
        done, _ = score(folder, SOURCE, json.dumps(philox(bits, **tolerance)), suite="philox")
        check(f"philox: {held} of 1 tests held" in done.stdout,
              f"u64 {bits} by {tolerance}: {held}", done)
    one = {"op": "jax.uniform", "id": "u", "attributes": {"shape": [1]},
           "inputs": {"key": {"dtype": "u32", "shape": [2], "data": [0, 1]}}}
    right = json.loads(run("eval", "-", given=json.dumps(one)).stdout)["outputs"]["output"]
    for away, ulp, held in ((2, 2, 1), (2, 1, 0), (-1, 1, 1), (-1, 0, 0)):
        moved = {**right, "bits": [f"{int(right['bits'][0], 16) + away:08x}"]}
        done, _ = score(folder, SOURCE, json.dumps({**one, "expected": {"output": moved},
                                                    "ulp": ulp}), suite="jax.random")
        check(f"{held} of 1 tests held" in done.stdout, f"f32 {away} away by {ulp} ulp: {held}",
              done)


def read_page(folder):
    with open(os.path.join(folder, "page.md")) as file:
        return file.read()


def test_expected(folder):
    """What is expected wrongly stands in the table, with what is right."""
    wrong = request([0.25, -0.5, 0.75, 1.0], [0.5, 0.125, -0.25, 0.75])
    wrong["expected"]["Y_h"]["bits"][0] = "3f800000"
    done, _ = score(folder, SOURCE, json.dumps(wrong))
    check("onnx.lstm: 1 tests expect what no right" in done.stdout and re.search(
        r"\| `one` \| fails by its own tolerance \| `Y_h`\[0\], 1 of 1 \| `3f800000` \(1.0\) \|"
        r" `\w{8}` \([-\d.e]+\) to `\w{8}` \([-\d.e]+\) \|", read_page(folder)),
        "an expected value that is wrong is told, with its place and the bounds", done)
    loose = request([0.25, -0.5, 0.75, 1.0], [0.5, 0.125, -0.25, 0.75])
    bits = loose["expected"]["Y_h"]["bits"]
    bits[0] = f"{int(bits[0], 16) + 4096:08x}"
    done, _ = score(folder, SOURCE, json.dumps(loose))
    check("1 of 1 tests held" in done.stdout and "| passes by its own tolerance | `Y_h`[0]"
          in read_page(folder), "one outside of the bounds is told where the test passes", done)
    done, _ = score(folder, SOURCE, json.dumps({**loose, "rounded": True}))
    check("1 of 1 tests held" in done.stdout and "by its own tolerance" not in read_page(folder),
          "where attributes are rounded the bounds say nothing", done)
    narrow = {"op": "onnx.exp", "id": "narrow",
              "inputs": {"input": {"dtype": "f32", "shape": [1], "data": [1.5]}}}
    answer = json.loads(run("eval", "-", "--bounds", given=json.dumps(narrow)).stdout)
    ends = answer["outputs"]["output"]
    narrow.update(ulp=0, expected={"output": {"dtype": "f32", "shape": [1],
                                              "bits": ends["upper"]}})
    done, _ = score(folder, SOURCE, json.dumps(narrow), suite="onnx.activations")
    check("onnx.exp: 0 of 1 tests held" in done.stdout and "what no right" not in done.stdout
          and "| 1 | 0 |" in read_page(folder) and "narrower than the bound" in read_page(folder),
          "a right value beside what is expected: the tolerance is too narrow", read_page(folder))
    for change, words in (({"attributes": {"hidden_size": 2}}, "the request is refused: "),
                          ({"expected": {"Y": {"dtype": "f32", "shape": [1], "data": [0]}}},
                           "an output has another type or shape")):
        done, _ = score(folder, SOURCE, json.dumps({**wrong, **change}))
        check("0 of 1 tests held" in done.stdout and words in read_page(folder), words, done)
    fused = {"op": "jax.uniform", "id": "fused", "attributes": {"shape": [64]},
             "inputs": {"key": {"dtype": "u32", "shape": [2], "data": [0, 1]},
                        "minval": 0.1, "maxval": 0.7}, "profile": {"rounding": "fused"}}
    answer = json.loads(run("eval", "-", given=json.dumps(fused)).stdout)["outputs"]
    del fused["profile"]
    done, _ = score(folder, SOURCE, json.dumps({**fused, "expected": answer, "rtol": 0, "atol": 0}),
                    suite="jax.random")
    check("; right under `rounding=fused`" in read_page(folder),
          "what another reading allows is told as that", done)


def test_nothing(folder):
    head = {"source": "nobody", "operations": ["philox", "onnx.lstm"],
            "left_out": {"tests | of others": 3}}
    path, page = os.path.join(folder, "tests.jsonl"), os.path.join(folder, "page.md")
    with open(path, "w") as file:
        print(json.dumps(head), file=file)
    done = run("score", path, "--out", page)
    text = read_page(folder)
    check(done.returncode == 4 and "| `philox` | 0 | 0 | 0 of " in text
          and "| `onnx.lstm` | 0 | 0 | 0 of " in text and "| 3 | tests \\| of others |" in text,
          "no test of an operation here: exit code 4, and a table that says so", f"{done} {text}")


def test_page(folder):
    """The results file is of the published form, and the page shows survivors and flaws."""
    lines = [request([0.25] * 4, [0.5] * 4), request([0.25] * 4, [0.5] * 4)]
    lines[1]["id"] = "<b>wrong</b>"
    lines[1]["expected"]["Y_h"]["bits"][0] = "3f800000"
    path = os.path.join(folder, "tests.jsonl")
    results, html = os.path.join(folder, "results.jsonl"), os.path.join(folder, "report.html")
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in (SOURCE, *map(json.dumps, lines)))
    done = run("score", path, "--suite", "onnx.lstm", "--records", results)
    shown = run("report", "--html", html, results)
    with open(html) as file:
        text = file.read()
    check(done.returncode == 1 and shown.returncode in (0, 4) and 'id="scores"' in text
          and "<code>gates=ifco</code>" in text and "&lt;b&gt;wrong&lt;/b&gt;" in text
          and "<b>wrong" not in text, "the page shows what survives and what is expected wrongly",
          f"{done} {shown}")
    try:
        import jsonschema
    except ImportError:
        skip("the schema", "jsonschema is not installed")
        return
    with open("reports/results.schema.json") as file:
        schema = json.load(file)
    with open(results) as file:
        for line in file:
            jsonschema.validate(json.loads(line), schema)
    check(True, "each line of the results is of the schema's form")


def test_refusals(folder):
    good = request([0.25] * 4, [0.5] * 4)
    for lines, words in (
            ([json.dumps(good)], "expected a line with 'source'"),
            ([SOURCE], "expected a line with 'source'"),
            ([SOURCE, json.dumps({**good, "rtol": -1})],
             "a test needs 'ulp', or 'rtol', a number from 0"),
            ([SOURCE, json.dumps({k: v for k, v in good.items() if k != "atol"})],
             "or 'atol'"),
            ([SOURCE, json.dumps({**good, "expected": {"Z": good["expected"]["Y"]}})],
             "has no output 'Z'"),
            ([SOURCE, json.dumps({**good, "more": 1})], "more"), ([SOURCE, "{"], "tests.jsonl"),
            ([SOURCE, json.dumps({**good, "ulp": 1})], "not both"),
            ([SOURCE, json.dumps({**good, "expected": {}})], "'expected' names no output"),
            ([SOURCE, json.dumps({**good, "rounded": 1})], "'rounded' must be true"),
            (["[]"], "mapping"),
            ([json.dumps({"source": "x", "operations": ["nothing"]})], "no operation 'nothing'"),
            ([json.dumps({"source": "x", "left_out": {"a": -1}})], "a count"),
            ([json.dumps({"source": "x", "more": 1})], "more")):
        done, _ = score(folder, *lines)
        check(done.returncode == 2 and words in done.stderr, f"refused: {words}", done)
    check(run("score", os.path.join(folder, "nothing")).returncode == 2, "a file that is not there")


def test_backend(folder):
    """The package's own tests: each option evaluated here, and compared by NumPy's rule."""
    known = os.path.join(folder, "operations")
    with open(known, "w") as file:
        file.write(run("list", "operations", "onnx.rnn", "--json").stdout)
    done = subprocess.run([PYTHON, "harness/targets/helper/onnx_tests.py", known],
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


def test_kept():
    """The README's table is that of the pages, and what it says of orders is what they say."""
    sys.path.insert(0, "harness/targets/helper")
    from score_table import BEGIN, END, table
    with open("reports/scores/README.md") as file:
        text = file.read()
    check(text.split(BEGIN)[1].split(END)[0] == f"\n{table('reports/scores')}\n",
          "the table of reports/scores is that of its pages")
    for name in ("onnx-backend", "webnn"):
        with open(f"reports/scores/{name}.md") as file:
            lstm = file.read().split("\n## onnx.lstm\n")[1].split("\n## ")[0]
        rows = dict(re.findall(r"^\| `(\w+=\S+)` \| (\S+) \|", lstm, re.MULTILINE))
        orders = [[rows[n] for n in rows if n.startswith(key)] for key in ("gates=", "peepholes=")]
        check(orders == [["-"] * 23, ["-"] * 5] and rows["initial_h=ignored"] == "-",
              f"{name}: no wrong order of an LSTM's gates or peepholes is noticed", orders)


with tempfile.TemporaryDirectory() as work:
    test_kept()
    test_small(work)
    test_tolerances(work)
    test_expected(work)
    test_nothing(work)
    test_page(work)
    test_refusals(work)
    test_backend(work)
finish()
