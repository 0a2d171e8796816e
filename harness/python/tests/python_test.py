# SPDX-License-Identifier: Apache-2.0
"""The Python package: values, bounds, checks that explain, cases, tensors of other libraries."""

import json
import os
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = ["harness/tests", os.path.abspath("harness/python")]
from tap import check, finish, report, skip  # noqa: E402

PYTHON = sys.executable


def run(text, **more):
    """What a script prints that sees this package."""
    env = {**os.environ, "PYTHONPATH": os.path.abspath("harness/python"), **more}
    return subprocess.run([PYTHON, "-c", text], capture_output=True, text=True, check=False,
                          env=env)


done = run("import sys, assay; print('numpy' in sys.modules, 'subprocess' in sys.modules)")
check(done.stdout.split() == ["False", "False"], "importing the package imports nothing else", done)

import numpy  # noqa: E402

import assay  # noqa: E402
from assay import target as tensors  # noqa: E402

RANGE = {"start": 0, "stop": 5, "step": 2}
I32 = {"output_type": "i32"}


def fails(function, kind, *words):
    """None where it raises `kind` with these words; else what happened."""
    try:
        function()
    except Exception as error:  # noqa: BLE001
        missing = [word for word in words if word not in str(error)]
        return None if isinstance(error, kind) and not missing else f"{type(error)}: {error}"
    return "it was silent"


# ---- values ------------------------------------------------------------------

answer = assay.evaluate("openvino.range", RANGE, I32)
check(answer["output"].tolist() == [0, 2, 4] and answer["output"].dtype == numpy.int32,
      "evaluate gives numpy arrays of the right type", answer)
check((answer.lower["output"] == answer["output"]).all()
      and (answer.upper["output"] == answer["output"]).all(), "whose bits are their bounds")
random = numpy.random.default_rng(7)
CELL = {name: random.standard_normal(shape).astype("f4") for name, shape in
        (("X", (3, 2, 4)), ("W", (1, 20, 4)), ("R", (1, 20, 5)))}
HIDDEN = {"hidden_size": 5}
cell = assay.evaluate("onnx.lstm", CELL, HIDDEN)
width = cell.upper["Y"] - cell.lower["Y"]
check(set(cell) == {"Y", "Y_h", "Y_c"} and (width > 0).all() and width.max() < 1e-4
      and (cell.lower["Y"] <= cell["Y"]).all() and (cell["Y"] <= cell.upper["Y"]).all(),
      "a cell's outputs lie inside their bounds")
bounds = assay.evaluate("onnx.lstm", CELL, HIDDEN, bounds=True)
check((bounds.upper["Y"] == cell.upper["Y"]).all(), "asked for at once or later, the same")
only = assay.evaluate("onnx.lstm", CELL, HIDDEN, outputs=["Y_h"])
check(list(only) == ["Y_h"], "other keys of a request go along")
window = assay.evaluate("openvino.range", {"start": 0, "stop": 10**9, "step": 1}, I32,
                        window=[10**8, 3])
check(window["output"].tolist() == [10**8, 10**8 + 1, 10**8 + 2], "a window, too")
report("a request that breaks a rule is InvalidRequest", fails(
    lambda: assay.evaluate("openvino.range", {**RANGE, "step": 0}, I32), assay.InvalidRequest,
    "step of 0"))
report("so is a misspelt one, with a hint", fails(
    lambda: assay.evaluate("openvino.range", {**RANGE, "stpe": 1}, I32), assay.InvalidRequest,
    "did you mean 'step'"))
TO = {"f8e4m3fnuz": 18, "f8e5m2fnuz": 20, "f8e8m0": 24, "f4e2m1": 23, "i4": 22, "u4": 21, "i2": 26,
      "u2": 25}  # TensorProto.DataType
for name, dtype in tensors.DTYPES.items():
    if name == "bool":
        continue
    given = numpy.array([1], dtype=dtype).reshape(())
    if name in TO:  # OpenVINO's Range has none of these
        got = assay.evaluate("onnx.cast", {"input": given}, {"to": TO[name], "opset": 25})["output"]
        many = numpy.ones(100, dtype)  # as a file
        back = assay.evaluate("onnx.cast", {"input": many}, {"to": 1, "opset": 25})["output"]
        if got.dtype != dtype or got != given or back.tolist() != [1] * 100:
            check(False, f"{name} goes in and comes out", got)
            break
        continue
    got = assay.evaluate("openvino.range", {"start": given, "stop": numpy.array(4, dtype=dtype),
                                            "step": given}, {"output_type": dtype})["output"]
    if got.dtype != dtype or got.astype("f8").tolist() != [1, 2, 3]:
        check(False, f"{name} goes in and comes out", got)
        break
else:
    check(True, f"{len(tensors.DTYPES) - 1} types go in and come out, also as attributes")
big = numpy.array(5, dtype=">i4")
check(assay.evaluate("openvino.range", {"start": 0, "stop": big, "step": 2}, I32)["output"].tolist()
      == [0, 2, 4], "bytes in the other order are the same numbers")

# ---- checks ------------------------------------------------------------------

check(assay.check("openvino.range", RANGE, numpy.array([0, 2, 4], "i4"), I32) is None
      and assay.check("onnx.lstm", CELL, dict(cell), HIDDEN) is None,
      "what is right is passed in silence")
report("what is wrong says which element", fails(
    lambda: assay.check("openvino.range", RANGE, numpy.array([0, 2, 5], "i4"), I32),
    AssertionError, "1 of 3 elements differ, first output[2]", "expected 00000004 (4)",
    "got      00000005 (5)"))
report("and what it equals instead", fails(
    lambda: assay.check("openvino.range", RANGE, numpy.array([0, 2], "i4"), I32), assay.Mismatch,
    "i32[2], where i32[3] is asked for", "count_rounding=down"))
off = {**cell, "Y": cell["Y"] + 2 * width}
report("outside of its bounds, with the bounds", fails(
    lambda: assay.check("onnx.lstm", CELL, off, HIDDEN), assay.Mismatch, "admissible from"))
report("another type is no right answer", fails(
    lambda: assay.check("openvino.range", RANGE, numpy.array([0, 2, 4], "i8"), I32),
    assay.Mismatch, "i64[3], where i32[3]"))
report("what must be refused and is answered", fails(
    lambda: assay.check("openvino.range", {**RANGE, "step": 0}, numpy.zeros(1, "i4"), I32),
    assay.Mismatch, "must be refused"))


def refuse():
    raise ZeroDivisionError("no step")


check(assay.check("openvino.range", {**RANGE, "step": 0}, refuse, I32,
                  refusals=ZeroDivisionError) is None, "a named error is a refusal")
report("of a valid request it is wrong", fails(
    lambda: assay.check("openvino.range", RANGE, refuse, I32, refusals=ZeroDivisionError),
    assay.Mismatch, "refused: ZeroDivisionError: no step"))
report("an error that is not named goes through", fails(
    lambda: assay.check("openvino.range", {**RANGE, "step": 0}, refuse, I32, refusals=KeyError),
    ZeroDivisionError))
report("what is left to chance is no silence", fails(
    lambda: assay.check("openvino.random_uniform", {"shape": [2], "minval": 0, "maxval": 1},
                        numpy.full(2, 0.5, "f4"), {"output_type": "f32"}), assay.Error, "chance"))
report("neither is a missing output", fails(
    lambda: assay.check("onnx.lstm", CELL, {"Z": cell["Y"]}, HIDDEN), assay.InvalidRequest,
    "no output 'Z'"))

child = os.fork()
if not child:
    fine = assay.evaluate("openvino.range", RANGE, I32)["output"].tolist() == [0, 2, 4]
    os._exit(0 if fine else 1)
check(os.waitpid(child, 0)[1] == 0
      and assay.evaluate("openvino.range", RANGE, I32)["output"].tolist() == [0, 2, 4],
      "a forked process asks a program of its own")

# ---- tensors of others -------------------------------------------------------

report("complex numbers have no type here", fails(
    lambda: assay.check("openvino.range", RANGE, numpy.zeros(3, "c8"), I32), TypeError,
    "complex64"))
report("bytes without a type are not guessed", fails(
    lambda: tensors.dtype_name(numpy.zeros(2, "V2")), TypeError, "ml_dtypes"))
WITHOUT = """
import sys
sys.modules['ml_dtypes'] = None
import assay
try:
    assay.evaluate('openvino.range', {'start': 0, 'stop': 2, 'step': 1}, {'output_type': 'bf16'})
except TypeError as why:
    print(why)
from assay.target import DTYPES, ask, Target
asked = {'op': 'x', 'inputs': {'a': {'dtype': 'bf16', 'shape': []}}}
print('bf16' in DTYPES, ask(Target(), asked, '.'))
"""
done = run(WITHOUT)
check("bf16 needs the Python package ml_dtypes" in done.stdout and "False" in done.stdout
      and "'unsupported': \"no bf16" in done.stdout,
      "without ml_dtypes bf16 is an error, and of a target unsupported", done)
if "bf16" in tensors.DTYPES:
    half = assay.evaluate("openvino.range", RANGE, {"output_type": "bf16"})["output"]
    check(str(half.dtype) == "bfloat16" and half.astype("f4").tolist() == [0, 2, 4]
          and assay.check("openvino.range", RANGE, half, {"output_type": "bf16"}) is None,
          "with it bf16 is bf16")
    report("and its bits as whole numbers are not", fails(
        lambda: assay.check("openvino.range", RANGE, half.view("u2"), {"output_type": "bf16"}),
        assay.Mismatch, "u16[3], where bf16[3]"))
else:
    skip("with it bf16 is bf16", "ml_dtypes is not installed (scripts/setup)")


class Lent:
    """A tensor of a library that NumPy does not know, by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


source = numpy.arange(6, dtype="f4")
lent = tensors.as_array(Lent(source))
check(numpy.shares_memory(lent, source), "a tensor that is lent by DLPack is not copied")
for module, make in (("torch", lambda torch: torch.arange(0, 5, 2, dtype=torch.bfloat16)),
                     ("jax", lambda jax: jax.numpy.arange(0, 5, 2, dtype="bfloat16"))):
    name = f"bf16 of {module}"
    try:
        given = make(__import__(module))
    except ImportError:
        skip(name, f"{module} is not installed (scripts/setup all)")
        continue
    check(assay.check("openvino.range", RANGE, given, {"output_type": "bf16"}) is None, name)

# ---- tolerances --------------------------------------------------------------


def least(dtype, value):
    """The number of the type below."""
    return float(numpy.nextafter(numpy.asarray(value, dtype), numpy.asarray(0, dtype)))


for dtype in ("f2", "f4"):
    given = {name: array.astype(dtype) for name, array in CELL.items()}
    reference = assay.evaluate("onnx.lstm", given, HIDDEN)
    found = assay.tolerance("onnx.lstm", given, HIDDEN, rtol=1e-4)
    held = []
    for name, one in found.items():
        value = reference[name]
        ends = (reference.lower[name], reference.upper[name])
        for end in ends:
            held += [numpy.allclose(end, value, rtol=0, atol=one.atol),
                     numpy.allclose(end, value, rtol=one.rtol, atol=0),
                     numpy.allclose(end, value, rtol=1e-4, atol=one.beside),
                     numpy.allclose(end.astype("f8"), value.astype("f8"), rtol=0, atol=one.atol),
                     numpy.allclose(end.astype("f8"), value.astype("f8"), rtol=one.rtol, atol=0),
                     bool((abs(end.astype("f8") - value) <= one.each).all())]
        held += [numpy.allclose(*ends, rtol=0, atol=one.between),
                 numpy.allclose(*ends[::-1], rtol=0, atol=one.between)]
    check(all(held) and len(found) == 3,
          f"{dtype}: both ends of every interval meet the derived tolerances", (held, found))
    # Where readings differ the tolerance is wider than the default's interval.
    single = assay.tolerance("onnx.lstm", given, HIDDEN, profile={})
    check(all(single[name].atol <= one.atol for name, one in found.items()),
          f"{dtype}: one reading asks for no wider one")
    value, one = reference["Y"], single["Y"]
    check(not all(numpy.allclose(end, value, rtol=0, atol=least(dtype, one.atol))
                  for end in (reference.lower["Y"], reference.upper["Y"])),
          f"{dtype}: the next smaller atol is not met", one)
exact = assay.tolerance("philox", {"counter": numpy.zeros(4, "u4"), "key": numpy.zeros(2, "u4")})
check(exact["output"].atol == exact["output"].rtol == 0, "of determined bits it is 0")
free = assay.tolerance("openvino.range", {"start": 0.1, "stop": 5, "step": 0.1},
                       {"output_type": "f32"})["output"]
other = [assay.evaluate("openvino.range", {"start": 0.1, "stop": 5, "step": 0.1},
                        {"output_type": "f32"}, profile={"element": element})["output"]
         for element in ("multiply_f64", "fused", "recurrence")]
plain = assay.evaluate("openvino.range", {"start": 0.1, "stop": 5, "step": 0.1},
                       {"output_type": "f32"})["output"]
check(0 < free.atol < 1e-5 and all(numpy.allclose(one, plain, rtol=0, atol=free.atol)
                                   and numpy.allclose(one, plain, rtol=free.rtol, atol=0)
                                   for one in other),
      "where readings are allowed, all of them meet it", free)
crossing = assay.tolerance("openvino.range", {"start": -0.3, "stop": 0.35, "step": 0.1},
                           {"output_type": "f32"})["output"]
check(crossing.rtol == float("inf") and crossing.atol < 1e-6,
      "beside a zero no rtol is enough", crossing)
with tempfile.TemporaryDirectory() as folder:
    request = json.dumps({"id": "cell", "op": "openvino.range",
                          "attributes": {"output_type": "f32"},
                          "inputs": {"start": 0.1, "stop": 5, "step": 0.1}})
    done = subprocess.run([assay.program(), "tolerance", "--rtol", "1e-7", "--out",
                           f"{folder}/arrays.safetensors", "-"], input=request, text=True,
                          capture_output=True, check=False)
    printed = json.loads(done.stdout)["outputs"]["output"]
    from safetensors.numpy import load_file

    arrays = load_file(f"{folder}/arrays.safetensors")
    check(printed["atol"] == free.atol and printed["rtol"] == free.rtol
          and 0 < printed["beside"]["atol"] < free.atol
          and (arrays["cell/output/atol"] == free.each).all()
          and (arrays["cell/output/value"] == plain).all(),
          "the command says the same, and writes the arrays", done)
    done = subprocess.run([assay.program(), "tolerance", "--rtol", "-1", "-"], input=request,
                          text=True, capture_output=True, check=False)
    check(done.returncode == 2 and "a number of at least 0" in done.stderr,
          "a wrong rtol is refused", done)

# ---- cases -------------------------------------------------------------------

listed = assay.cases("openvino.range")
example = next(case for case in listed if case.id == "example-1")
check(len(listed) > 1000 and example.__name__ == "example-1"
      and example.attributes == {"output_type": "i32"} and example.inputs["stop"] == 23,
      "the cases of a suite have names, attributes and inputs")
wrong = []
for case in assay.cases("openvino.range", "example-*"):
    given = assay.evaluate(case.op, case.inputs, case.attributes)
    try:
        case.check(dict(given))
    except assay.Mismatch as error:
        wrong.append((case, error))
check(not wrong, "the reference passes the examples", wrong)
negative = next(case for case in listed if case.kind == "reject")
report("a case that must be refused says so", fails(
    lambda: negative.check(lambda: numpy.zeros(1)), assay.Mismatch, "must be refused"))
check(negative.check(refuse, refusals=ZeroDivisionError) is None, "and passes when it is")
report("there is no such suite", fails(lambda: assay.cases("openvino.rang"), assay.Error,
                                       "did you mean"))

# ---- the program -------------------------------------------------------------

answers = []
threads = [threading.Thread(target=lambda i=i: answers.append(
    (i, assay.evaluate("openvino.range", {"start": i, "stop": i + 2, "step": 1}, I32)["output"]
     .tolist()))) for i in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check(len(answers) == 16 and all(got == [i, i + 1] for i, got in answers),
      "threads take turns, and each gets its own answer")
done = run("import assay; assay.version()", ASSAY_PROGRAM="/nowhere", PATH="/nowhere",
           BUILD="nowhere")
check("ASSAY_PROGRAM names it" in done.stderr, "a missing program is told", done)
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/stops.py", "w") as file:
        file.write(f"#!{PYTHON}\n")
    os.chmod(f"{folder}/stops.py", 0o755)
    done = run("import assay; assay.evaluate('openvino.range', {})",
               ASSAY_PROGRAM=f"{folder}/stops.py")
check("has ended" in done.stderr, "so is one that ends", done)
done = subprocess.run([PYTHON, "-m", "assay", "eval", "-"], input="op: openvino.range\n"
                      "attributes: {output_type: i32}\ninputs: {start: 0, stop: 1, step: 1}\n",
                      capture_output=True, text=True, check=False,
                      env={**os.environ, "PYTHONPATH": os.path.abspath("harness/python")})
check(done.returncode == 0 and json.loads(done.stdout)["outputs"]["output"]["bits"] == ["00000000"],
      "python -m assay is the command", done)

try:
    import mypy  # noqa: F401
except ImportError:
    skip("mypy finds no fault in its types", "mypy is not installed (scripts/setup)")
else:
    done = subprocess.run([PYTHON, "-m", "mypy", "--strict", "--cache-dir",
                           os.path.join(os.environ.get("BUILD", "build"), "mypy"),
                           "harness/python/assay"], capture_output=True, text=True, check=False)
    check(done.returncode == 0, "mypy finds no fault in its types", done)
finish()
