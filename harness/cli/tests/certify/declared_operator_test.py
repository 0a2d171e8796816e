# SPDX-License-Identifier: Apache-2.0
"""An operator and a suite in a folder of one's own: vectors, the reference as a target, a right and
a wrong program, what explains the wrong one, its smallest case, mutants, records, and what other
commands make of it; and declarations that cannot be read, with their places.

TAP on standard output.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")

OPERATOR = """operator: acme.centre
attributes:
  axis: {kind: integer, default: -1}
inputs:
  X: {types: [f32], shape: [...]}
outputs:
  Y: {type: X, shape: X, level: bound}
nodes:
  m: mean(X, axis)
  Y: (X - m) * 0.5
equivalent:
  mutant_Y.without_factor_2: "a reason of this test"
"""
SUITE = """suite: acme.own
version: 1.0.0
specification: {title: our own text}
operators: [./acme.centre.yaml]
requirements: {C: {text: "half the distance from the mean"}}
cases:
  - id: small
    covers: [C]
    op: acme.centre
    inputs: {X: {dtype: f32, shape: [2, 3], data: [1.1, 2.3, 4.7, 0.1, 8.9, -3.3]}}
  - id: column
    covers: [C]
    op: acme.centre
    attributes: {axis: 0}
    inputs: {X: {dtype: f32, shape: [2, 1], data: [1, 4]}}
"""
PROGRAM = """
def run(request):
    x, axis = request["inputs"]["X"], request["attributes"].get("axis", -1)
    rows, columns = x["shape"]
    values = [struct.unpack(">f", bytes.fromhex(b))[0] for b in x["bits"]]
    lines = [values[r * columns:(r + 1) * columns] for r in range(rows)]
    if axis == 0:
        lines = list(zip(*lines))
    lines = [[%s for v in line] for line in lines]
    if axis == 0:
        lines = list(zip(*lines))
    bits = [struct.pack(">f", v).hex() for line in lines for v in line]
    return {"outputs": {"Y": {"dtype": "f32", "shape": x["shape"], "bits": bits}}}
"""
RIGHT, WRONG = "(v - sum(line) / len(line)) / 2", "(v - sum(line)) / 2"

LISTED = ("  opset: integer 14..14 = 14\nonnx: [{node: Relu, inputs: [%s], outputs: [%s], "
          "attributes: [%s]}]\ninputs:\n")
BROKEN = [
    ("  Y: (X - m) * 0.5", "  Y: (X - q) * 0.5", "input, attribute, node or size 'q'", 10, 11),
    ("  m: mean(X, axis)", "  m: maen(X, axis)", "did you mean 'mean'?", 9, 6),
    ("  m: mean(X, axis)", "  m: mean(X, axis", "expected ',' or ')'", 9, 18),
    ("  m: mean(X, axis)", "  m: mean(X, X)", "known before anything is computed", 9, 6),
    ("kind: integer", "kind: integral", "kind is one of", 3, 16),
    ("type: X, shape: X, level: bound", "type: Z, shape: X, level: bound", "'Z' is no type", 7, 13),
    ("level: bound", "level: exact", "an output has level", 7, 33),
    ("operator: acme.centre", "operator: acme.edge", "must stand in a file", 1, 1),
    ("  Y: (X - m) * 0.5", "  Z: (X - m) * 0.5", "no node gives the output Y", 9, 3),
    ("mutant_Y.without_factor_2", "mutant_Y.nothing", "no derived mutant", 12, 3),
    ("shape: [...]", "shape: [..., ...]", "may stand once", 5, 28),
    ("  m: mean(X, axis)", "  X: mean(X, axis)", "the name X is taken", 9, 3),
    ("inputs:\n", "  x: {kind: real, name: axis}\ninputs:\n", "the name axis is taken", 4, 25),
    ("inputs:\n", "  x: {kind: real, name: s}\n  y: {kind: real, name: s}\ninputs:\n",
     "there is an attribute s already", 5, 25),
    ("outputs:\n", "let: {axis: 1 + 1}\noutputs:\n", "the name axis is taken", 6, 7),
    ("outputs:\n", "let: {a: m + 1}\noutputs:\n", "nothing uses a", 6, 7),
    ("inputs:\n", "onnx: [{node: Relu, outputs: [Y]}]\ninputs:\n", "need an attribute opset", 4, 7),
    ("inputs:\n", LISTED % ("Q", "Y", "axis"), "Q is no input", 5, 30),
    ("inputs:\n", LISTED % ("X", "X", "axis"), "the name X is taken", 5, 44),
    ("inputs:\n", LISTED % ("X", "Y", "opset"), "no attribute of the operator besides", 5, 61),
    ("inputs:\n", LISTED % ("X", "Y", ""), "no node of ONNX has the attribute axis", 5, 7),
    ("inputs:\n", LISTED % ("", "Y", "axis"), "no node of ONNX takes X", 5, 7),
    ("inputs:\n", LISTED % ("X", "Y, Z", "axis"), "no node of ONNX takes Z", 5, 47),
    ("inputs:\n", LISTED % ("X", "Z", "axis"), "gives the output Y", 5, 7),
    ("inputs:\n", LISTED.replace("node:", "nod:") % ("X", "Y", "axis"), "'nod'", 5, 9),
]


def run(work, *arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=work)


def certify(work, *target):
    done = run(work, "certify", *target, "--suite", "./acme.own.yaml")
    return done.returncode, done.stdout + done.stderr


def elsewhere(work):
    """What reads or writes requests beside `certify` finds the operator too, or says that it does
    not take it."""
    own, request = ("--suite", "./acme.own.yaml"), {
        "op": "acme.centre", "inputs": {"X": {"dtype": "f32", "shape": [1, 3],
                                              "data": [8, 16, 24]}}}
    run(work, "export", "--requests", "requests", *own)
    with open(f"{work}/requests/requests.jsonl") as lines:
        asked = [line for line in map(json.loads, lines) if line["record"] == "request"]
    check(len(asked) == 2 and all(line.get("declaration") == OPERATOR for line in asked),
          "exported requests hold the declaration", asked)
    subprocess.run([f"{BUILD}/assay-runner", f"{BUILD}/targets/reference.so", "requests", "there"],
                   capture_output=True, cwd=work)
    code, said = certify(work, "--recorded", "there")
    check(code == 0 and "2 of 2 cases" in said, "a runner answers them, and is judged", [said])
    run(work, "record", "--target", "reference", "--to", "here", *own)
    code, said = certify(work, "--recorded", "here")
    check(code == 0 and "2 of 2 cases" in said, "a record is judged", [said])
    with open(f"{work}/tests.jsonl", "w") as file:
        for line in ({"source": "this test", "operations": ["onnx.softmax", "acme.centre"]},
                     {**request, "rtol": 0, "atol": 0,
                      "expected": {"Y": {"dtype": "f32", "shape": [1, 3], "data": [-4, 0, 4]}}}):
            file.write(json.dumps(line) + "\n")
    done = run(work, "score", "tests.jsonl", *own, "--operators", "acme.centre.yaml")
    check("acme.centre: 1 of 1 tests held; they notice" in done.stdout,
          "tests of others are scored", [done.stdout, done.stderr])
    # The mean of two is exact; that of three may be a product by 1/3.
    two = {**request, "inputs": {"X": {"dtype": "f32", "shape": [1, 2], "data": [2, 10]}}}
    asked = [json.dumps({"tolerance": one, "suite": own[1]}) for one in (two, request)]
    done = subprocess.run([ASSAY, "serve"], input="\n".join(asked), capture_output=True, text=True,
                          cwd=work)
    exact, third = (json.loads(line).get("outputs", {}).get("Y", {}) for line in
                    done.stdout.splitlines())
    check(exact.get("atol") == 0 and 0 < third.get("atol", 0) < 2**-20 and
          third.get("unbounded") == 0, "serve derives tolerances by the suite that has it",
          [done.stdout])
    asked = [json.dumps({"eval": request, **more}) for more in ({"suite": own[1]}, {})]
    done = subprocess.run([ASSAY, "serve"], input="\n".join(asked), capture_output=True, text=True,
                          cwd=work)
    given, none = map(json.loads, done.stdout.splitlines())
    check(given.get("outputs", {}).get("Y", {}).get("bits") == ["c0800000", "00000000", "40800000"]
          and none["error"]["code"] == "unsupported", "and evaluates it", [done.stdout])
    listed, all_ = (run(work, "list", "operations", "acme.*", *words) for words in (own, ()))
    check(listed.stdout.startswith("acme.centre ") and all_.returncode == 4,
          "its operation is listed with the suite", [listed.stdout, all_.stdout])
    done = run(work, "new-target", "mine", "--language", "python", "--operation", "acme.centre",
               "--operators", "acme.centre.yaml")
    with open(f"{work}/mine/mine.py") as file:
        check('attributes.get("axis")  # a whole number; -1 by default' in file.read(),
              "a skeleton knows its attributes", [done.stdout, done.stderr])
    with open(f"{work}/softmax.json", "w") as file:
        json.dump({"op": "onnx.softmax", "inputs": {"input": request["inputs"]["X"]}}, file)
    done = run(work, "stream", "softmax.json")
    check(done.returncode == 2 and "computes onnx.softmax only as a whole" in done.stderr,
          "stream says that it takes none", [done.stdout, done.stderr])
    for name, text in (("onnx.centre", OPERATOR), ("onnx.own", SUITE)):
        with open(f"{work}/{name}.yaml", "w") as file:
            file.write(text.replace("acme", "onnx"))
    done = run(work, "export", "--onnx", "none", "--suite", "./onnx.own.yaml")
    check(done.returncode == 4 and "of operators without an attribute opset" in done.stdout,
          "no model is made where none says of which opset", [done.stdout, done.stderr])
    done = run(work, "export", "--onnx", "models", "--suite", "onnx.attention", "--case",
               "*f16*")
    check(done.returncode == 0 and os.listdir(f"{work}/models/onnx.attention"),
          "models are made where the operator says", [done.stdout, done.stderr])


def certified(work):
    """A certificate speaks of the declaration too: another one may ask for less."""
    key, own = f"{work}/key.pem", ("--suite", "./acme.own.yaml")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True,
                   capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", f"{work}/public.pem"],
                   check=True)
    with open(f"{work}/acme.centre.yaml", "a") as file:
        file.write("# a word more\n")
    code, said = certify(work, "--target", "reference")
    check(code == 2 and "made with another declaration of acme.centre" in said,
          "vectors are not those of a declaration that was changed", [said])
    done = run(work, "emit", *own)
    again = run(work, "emit", *own, "--write")
    check(done.returncode == 1 and "made with another declaration of acme.centre" in done.stdout and
          again.returncode == 0 and certify(work, "--target", "reference")[0] == 0,
          "emit says so, and makes them anew", [done.stdout, again.stdout, again.stderr])
    code, said = certify(work, "--recorded", "here")
    check(code == 0 and "2 of 2 cases" in said, "answers from before that are judged as ever",
          [said])
    run(work, "certify", "--target", "reference", *own, "--sign", key, "--out", "signed.jsonl")
    verify = ("verify", *own, "--key", "public.pem", "signed.certificate.jsonl")
    done = run(work, *verify)
    check(done.returncode == 0 and "unchanged yaml/operators/acme.centre.yaml" in done.stdout,
          "a certificate names the declaration", [done.stdout, done.stderr])
    with open(f"{work}/acme.centre.yaml", "w") as file:
        file.write(OPERATOR.replace("level: bound}", "level: bound}\n# another\n"))
    done = run(work, *verify)
    check(done.returncode == 1 and "CHANGED   yaml/operators/acme.centre.yaml" in done.stdout,
          "and does not hold with another", [done.stdout, done.stderr])


def broken(work):
    wrong = []
    request = f"{work}/request.yaml"
    with open(request, "w") as file:
        file.write("op: acme.centre\ninputs: {X: {dtype: f32, shape: [1], data: [1]}}\n")
    for old, new, text, line, column in BROKEN:
        assert old in OPERATOR
        os.makedirs(f"{work}/broken", exist_ok=True)
        path = f"{work}/broken/acme.centre.yaml"
        with open(path, "w") as file:
            file.write(OPERATOR.replace(old, new))
        done = run(work, "eval", "--operators", path, request)
        if (done.returncode != 2 or text not in done.stderr or
                f"acme.centre.yaml:{line}:{column}:" not in done.stderr):
            wrong.append(f"{new!r}: {done.returncode} {done.stderr}")
    check(not wrong, f"{len(BROKEN)} mistakes are told with file, line and column", wrong)


def main():
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("acme.centre.yaml", OPERATOR), ("acme.own.yaml", SUITE)):
            with open(f"{work}/{name}", "w") as file:
                file.write(text)
        done = run(work, "emit", "--suite", "./acme.own.yaml", "--write")
        check(done.returncode == 0 and "2 new" in done.stdout, "its vectors are written",
              [done.stdout, done.stderr])
        code, said = certify(work, "--target", "reference")
        check(code == 0 and "2 of 2 cases" in said, "the reference conforms as a target", [said])
        done = run(work, "explain", "--target", "reference", "--suite", "./acme.own.yaml")
        check(done.returncode == 0 and "rounded 11 elements of nodes: 11 decided by the first "
              "look, 0 in pairs, 0 by enclosures, 0 by rationals" in done.stdout,
              "explain counts what each look decided", [done.stdout, done.stderr])
        right = write(f"{work}/right.py", ["acme.centre"], PROGRAM % RIGHT)
        code, said = certify(work, "--exec", right)
        check(code == 0 and "2 of 2 cases" in said, "a right program conforms", [said])
        wrong = write(f"{work}/wrong.py", ["acme.centre"], PROGRAM % WRONG)
        code, said = certify(work, "--exec", wrong)
        check(code == 1 and "mutant_m=mean_as_sum" in said,
              "a program that forgets to divide is explained by a derived mutant", [said])
        done = run(work, "minimize", "small", "--exec", wrong, "--suite", "./acme.own.yaml",
                   "--yaml", "minimal.yaml")
        again = run(work, "certify", "--exec", wrong, "--suite", "./minimal.yaml")
        check(os.path.exists(f"{work}/minimal.yaml") and again.returncode == 1 and
              "mean_as_sum" in again.stdout, "its smallest case is a suite of its own",
              [done.stdout, done.stderr, again.stdout, again.stderr])
        done = run(work, "mutants", "--suite", "./acme.own.yaml")
        check(done.returncode == 0 and "killed (100 %); 1 beside them inside the bound" in
              done.stdout and "inside    mutant_m=accumulator_f32" in done.stdout,
              "its mutants are killed, but for one that is inside the bound",
              [done.stdout[-600:], done.stderr])
        done = run(work, "list", "choices", "--suite", "./acme.own.yaml")
        check("without_m" in done.stdout and "without_factor_2" not in done.stdout,
              "what is called equivalent is no mutant", [done.stdout])
        elsewhere(work)
        broken(work)
        certified(work)
    finish()


main()
