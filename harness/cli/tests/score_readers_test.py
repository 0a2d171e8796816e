# SPDX-License-Identifier: Apache-2.0
"""Readers of foreign tests: small files in the form of each suite, written here, become tests that
the reference passes. What WebNN's must expect says its own equations in its own layouts, computed
here in double; the others' values come from `assay eval` of a request written out here. A reader
that mistakes a layout, a key or a word's order gives tests that do not hold."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

sys.path[:0] = ["harness/tests", "harness/cli/tests"]
from tap import check, finish, skip
from webnn_written import (gru_step, js_file, js_test, lstm_step, sequence, weights_of, write,
                           write_casts, write_operators, write_windows)

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
PYTHON = os.path.join(BUILD, "venv/bin/python")
HELPER = "harness/targets/helper"
OPERATIONS = os.path.join(tempfile.mkdtemp(), "operations")


def read(name, *words):
    if name in ("webnn", "stablehlo", "tosa"):
        words = (*words, OPERATIONS)
    return subprocess.run([PYTHON, os.path.join(HELPER, f"{name}_tests.py"), *words],
                          capture_output=True, text=True, check=False)


def holds(folder, done, name, tests, what, suite=None):
    """Whether the reader's tests of a suite or of an operator of `suite` are that many and all
    hold."""
    path = os.path.join(folder, "held.jsonl")
    with open(path, "w") as file:
        file.write(done.stdout)
    scored = subprocess.run([ASSAY, "score", path, "--suite", suite or name],
                            capture_output=True, text=True, check=False)
    check(done.returncode == 0 and f"{name}: {tests} of {tests} tests held" in scored.stdout,
          what, f"{done.stderr} {scored.stdout} {scored.stderr}")
    return json.loads(done.stdout.splitlines()[0]) if done.stdout else {}


def evaluate(**request):
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(request), capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout)["outputs"]


# ---- WebNN ----------------------------------------------------------------------------------


def test_webnn(folder):
    try:
        import numpy
    except ImportError:
        skip("WebNN's form", "numpy is not installed")
        return
    write(folder, "webnn/resources/utils.js",
          "const operatorToleranceDict = {\n  leakyRelu: {float32: 1, float16: 2},\n};\n"
          "const getInstanceNormPrecisionTolerance = (graphResources) => {\n"
          "  const toleranceValueDict = {float32: 840, float16: 8400};\n};\n")
    if read("webnn", folder).stderr.find("No module named 'json5'") >= 0:
        skip("WebNN's form", "json5 is not installed")
        return
    random = numpy.random.default_rng(7)
    tests = {"lstm": [], "gru": [], "lstm_cell": [], "gru_cell": []}
    for direction, layout in (("both", "ifgo"), ("backward", "iofg")):
        d = 2 if direction == "both" else 1
        w = weights_of(numpy, random, 4, d, 2, 3, True)
        x, h, c = (random.uniform(-1, 1, s).astype(numpy.float32)
                   for s in ((3, 2, 2), (d, 2, 3), (d, 2, 3)))
        hidden, cell, every = sequence(
            numpy, lambda x, h, c, w, layout=layout: lstm_step(numpy, x, h, c, w, layout), x, h, c,
            w, direction)
        tests["lstm"].append(js_test(
            numpy, "lstm", {"input": x, **w, "initialHiddenState": h, "initialCellState": c},
            {"steps": 3, "hiddenSize": 3},
            {"direction": f"'{direction}'", "layout": f"'{layout}'", "returnSequence": "true"},
            {"h": hidden, "c": cell, "y": every}))
        part = {name: value[0] for name, value in w.items()}
        hidden, cell = lstm_step(numpy, x[0].astype(float), h[0], c[0], part, layout)
        tests["lstm_cell"].append(js_test(
            numpy, "lstmCell", {"input": x[0], **part, "hiddenState": h[0], "cellState": c[0]},
            {"hiddenSize": 3}, {"layout": f"'{layout}'"}, {"h": hidden, "c": cell}))
    for direction, layout, after in (("both", "rzn", True), ("backward", "zrn", False)):
        d = 2 if direction == "both" else 1
        w = weights_of(numpy, random, 3, d, 2, 3, False)
        x, h = (random.uniform(-1, 1, s).astype(numpy.float32) for s in ((3, 2, 2), (d, 2, 3)))
        options = {"layout": f"'{layout}'", **({} if after else {"resetAfter": "false"})}
        step = (lambda x, h, c, w, layout=layout, after=after:
                (gru_step(numpy, x, h, w, layout, after), c))
        hidden, _, every = sequence(numpy, step, x, h, h, w, direction)
        tests["gru"].append(js_test(
            numpy, "gru", {"input": x, **w, "initialHiddenState": h},
            {"steps": 3, "hiddenSize": 3}, {"direction": f"'{direction}'", **options},
            {"h": hidden, "y": every}))
        part = {name: value[0] for name, value in w.items()}
        hidden = gru_step(numpy, x[0].astype(float), h[0], part, layout, after)
        tests["gru_cell"].append(js_test(
            numpy, "gruCell", {"input": x[0], **part, "hiddenState": h[0]}, {"hiddenSize": 3},
            options, {"h": hidden}))
    tests["gru"].append(tests["gru"][0].replace("'name': 'gru'", "'name': 'gru', 'more': 1")
                        .replace("{'steps': 3}", "{'steps': 3}, {'unheard': 1}"))
    for stem, of in tests.items():
        js_file(folder, stem, of, 64)
    write_operators(folder, numpy)
    write_windows(folder, numpy, random)
    write_casts(folder, numpy)
    done = read("webnn", folder)
    for name, suite in (("conv", "convolution"), ("average_pool", "convolution"),
                        ("lp_pool", "convolution"), ("max_pool", "convolution"),
                        ("instance_normalization", "normalization"), ("cast", "quantization"),
                        ("quantize_linear", "quantization"), ("arg_max", "reductions")):
        holds(folder, done, f"onnx.{name}", 1, f"one of onnx.{name}", f"onnx.{suite}")
    head = holds(folder, done, "onnx.lstm", 4, "WebNN's lstm and lstmCell in both layouts")
    holds(folder, done, "onnx.gru", 4, "WebNN's gru and gruCell in both layouts")
    holds(folder, done, "onnx.abs", 1, "an operator with a tolerance of its own file",
          "onnx.elementwise")
    holds(folder, done, "onnx.leaky_relu", 1, "one with that of utils.js, and an option",
          "onnx.activations")
    holds(folder, done, "onnx.reduce_sum", 1, "a reduction, with steps for each element")
    check(head.get("left_out") == {"gru: tests with unheard": 1, "identity: no operation here": 1,
                                   "abs: tests with unheard": 1},
          "what is left out is counted with its reason", str(head))


# ---- random numbers -------------------------------------------------------------------------


def test_random123(folder):
    key = {"dtype": "u32", "shape": [2], "data": [5, 6]}
    rows = ["# name rounds counter key answer", "ars4x32 10 00 00"]
    for name, rounds, words in (("threefry2x32", 13, 2), ("philox4x32", 7, 4)):
        counter = {"dtype": "u32", "shape": [words], "data": list(range(1, words + 1))}
        answer = evaluate(op=name[:-4], attributes={"rounds": rounds},
                          inputs={"counter": counter, "key": key})["output"]["bits"]
        rows.append(" ".join([name, str(rounds), *(f"{w:08x}" for w in (*counter["data"], 5, 6)),
                              *answer]))
    write(folder, "tests/kat_vectors", "\n".join(rows) + "\n")
    write(folder, "VERSION", "of our own\n")
    done = read("random123", folder)
    holds(folder, done, "philox", 1, "a known answer of Philox")
    head = holds(folder, done, "threefry", 1, "a known answer of Threefry")
    check(head.get("source", "").endswith(", of our own") and sum(head["left_out"].values()) == 1,
          "the version stands in the source, and what is left out is counted", str(head))


def test_packages(folder):
    for name, suite, tests in (("numpy", "cousins", 2), ("numpy", "jax.random", 2),
                               ("randomgen", "philox", 4), ("randomgen", "threefry", 4)):
        done = read("numpy", name)
        if "No module named" in done.stderr:
            skip(f"the tests of {name}", done.stderr.strip().splitlines()[-1])
            continue
        holds(folder, done, suite, tests, f"what the package {name} expects of {suite}")


def jax_bits(seed, impl, dtype, count):
    words = [seed >> 32, seed & 0xffffffff] * (2 if impl == "rbg" else 1)
    bits = evaluate(op="jax.bits",
                    attributes={"impl": impl, "partitionable": False, "shape": [count],
                                "dtype": dtype},
                    inputs={"key": {"dtype": "u32", "shape": [len(words)], "data": words}})
    return [int(word, 16) for word in bits["bits"]["bits"]]


def test_jax(folder):
    table = {impl: jax_bits(zlib.adler32(f"bits{impl}".encode()), impl, "u32", 3)
             for impl in ("threefry2x32", "rbg")}
    rows = "".join(f'  RandomValuesCase("bits", "{impl}", (3,), np.uint32, {{}},\n'
                   f"    np.array({words}, dtype='uint32')),\n" for impl, words in table.items())
    hashed = evaluate(op="threefry", inputs={
        "counter": {"dtype": "u32", "shape": [2], "data": [3, 4]},
        "key": {"dtype": "u32", "shape": [2], "data": [1, 2]}})["output"]["bits"]
    text = f"""\
_CASES = [
{rows}  RandomValuesCase("beta", "rbg", (1,), np.float32, {{'a': 1}}, np.array([0.5])),
]
class Test:
  def testHash(self):
    expected = {tuple(f"0x{word}" for word in hashed)}
    result = lowered.threefry_2x32(np.uint32([1, 2]), np.uint32([3, 4]))
    self.assertEqual(expected, result_to_hex(result))
  def testBits(self, make_key):
    seed = 1234567890123
    got = random.bits(make_key(seed), (4,), 'uint16')
    self.assertArraysEqual(got, np.array({jax_bits(1234567890123, "threefry2x32", "u16", 4)},
                                         dtype='uint16'))
  def testRandomDistributionValues(self, case):
    if config.enable_x64.value and case.on_x64 == 1:
      self.skipTest("")
    if not config.enable_x64.value SKIPS:
      self.skipTest("")
"""
    for skips, tests, left in (("and case.on_x64 == 2", 3, "rows of beta"),
                               ("", 3, "rows of beta")):
        write(folder, "tests/random_test.py", text.replace(" SKIPS", f" {skips}".rstrip()))
        done = read("jax", folder)
        head = holds(folder, done, "jax.random", tests, f"JAX's rows and assertions: '{skips}'")
        check(any(left in reason for reason in head["left_out"]), "other rows are counted",
              str(head))
        holds(folder, done, "threefry", 1, "JAX's assertion of a hash")
    never = text.replace(" SKIPS", "").replace(" and case.on_x64 == 1", "")
    write(folder, "tests/random_test.py", never)
    head = holds(folder, read("jax", folder), "jax.random", 1, "a table that is never compared")
    check(list(head["left_out"].values()) == [3], "its rows are left out, and counted", str(head))
    holds(folder, read("jax", folder, "--skipped"), "jax.random", 3, "what it would notice")


MLIR = """module {
  func.func public @main() -> tensor<%(count)dxui64> {
    %%0 = call @inputs() : () -> tensor<4xui32>
    %%1:2 = call @expected() : () -> (tensor<4xui32>, tensor<%(count)dxui64>)
    %%2 = stablehlo.reshape %%0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %%3 = stablehlo.bitcast_convert %%2 : (tensor<2x2xui32>) -> tensor<2xui64>
    %%s, %%w = stablehlo.rng_bit_generator %%3, algorithm =  THREE_FRY : %(from)s -> (%(types)s)
    stablehlo.custom_call @check.expect_eq(%%w, %%1#1) {side = true} : (%(two)s) -> ()
    return %%w : tensor<%(count)dxui64>
  }
  func.func private @inputs() -> (tensor<4xui32>) {
    %%c = stablehlo.constant dense<[1, 2, 4294967295, 3]> : tensor<4xui32>
    return %%c : tensor<4xui32>
  }
  func.func private @expected() -> (tensor<4xui32>, tensor<%(count)dxui64>) {
    %%c = stablehlo.constant dense<0> : tensor<4xui32>
    %%d = stablehlo.constant dense<"0x%(hex)s"> : tensor<%(count)dxui64>
    return %%c, %%d : tensor<4xui32>, tensor<%(count)dxui64>
  }
}
"""
CALL = """module {
  func.func public @main() -> tensor<%(type)s> {
    %%0 = call @expected() : () -> tensor<%(type)s>
    %%c = stablehlo.constant dense<[7, 8]> : tensor<2xui32>
    %%a = stablehlo.constant dense<%(low)s> : tensor<%(of)s>
    %%b = stablehlo.constant dense<%(high)s> : tensor<%(of)s>
    %%1 = call @%(call)s(%%c, %%a, %%b) : %(signature)s
    stablehlo.custom_call @check.%(check)s(%%1, %%0) : (tensor<%(type)s>, tensor<%(type)s>) -> ()
    return %%1 : tensor<%(type)s>
  }
  func.func private @expected() -> tensor<%(type)s> {
    %%c = stablehlo.constant dense<%(values)s> : tensor<%(type)s>
    return %%c : tensor<%(type)s>
  }
}
"""


INTERPRETED = """func.func @add_f32() {
  %0 = stablehlo.constant dense<[0x7F800000, 1.5]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  check.expect_almost_eq_const %2, dense<[0x7F800000,
                                          3.50005]> : tensor<2xf32>
  func.return
}

func.func @add_i64() {
  %0 = stablehlo.constant dense<2> : tensor<2xi64>
  %1 = stablehlo.add %0, %0 : tensor<2xi64>
  check.expect_eq_const %1, dense<[4, 4]> : tensor<2xi64>
  func.return
}

func.func @xor_i64() {
  %0 = stablehlo.constant dense<2> : tensor<2xi64>
  %1 = stablehlo.xor %0, %0 : tensor<2xi64>
  check.expect_eq_const %1, dense<[0, 0]> : tensor<2xi64>
  func.return
}
"""
COMPARED = """module {
  func.func public @main() -> tensor<i1> {
    %0 = stablehlo.constant dense<1.5> : tensor<f32>
    %1 = stablehlo.constant dense<2.5> : tensor<f32>
    %2 = stablehlo.constant dense<true> : tensor<i1>
    %3 = stablehlo.compare  LT, %0, %1,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.custom_call @check.expect_eq(%3, %2) {side = true} : (tensor<i1>, tensor<i1>) -> ()
    return %3 : tensor<i1>
  }
}
"""
MATH = """module @acosh_float32 {
  func.func private @samples() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func public @main() {
    %0 = call @samples() : () -> tensor<2xf32>
    %1 = "chlo.acosh"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.constant dense<[0.0, 1.316958]> : tensor<2xf32>
    check.expect_close %1, %2, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    func.return
  }
}
"""
MORE = """func.func @reduce_region() {
  %input = stablehlo.constant dense<[[0, 1, 2]]> : tensor<1x3xi64>
  %start = stablehlo.constant dense<0> : tensor<i64>
  %result = "stablehlo.reduce"(%input, %start) ({
    ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
      %0 = stablehlo.add %arg0, %arg1 : tensor<i64>
      stablehlo.return %0 : tensor<i64>
  }) {
    dimensions = array<i64: 1>
  } : (tensor<1x3xi64>, tensor<i64>) -> tensor<1xi64>
  check.expect_eq_const %result, dense<[3]> : tensor<1xi64>
  func.return
}
func.func @reduce_short() {
  %0 = stablehlo.constant dense<[[1.0, 4.0], [5.0, -2.0]]> : tensor<2x2xf32>
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across
    dimensions = [0] : tensor<2xf32>
  check.expect_eq_const %2, dense<[5.0, 4.0]> : tensor<2xf32>
  func.return
}
func.func @reduce_from_three() {
  %0 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<3.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : tensor<f32>
  check.expect_eq_const %2, dense<8.0> : tensor<f32>
  func.return
}
func.func @convert() {
  %0 = stablehlo.constant dense<[-1.75, 3.0]> : tensor<2xf32>
  %1 = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xi8>
  check.expect_eq_const %1, dense<[-1, 3]> : tensor<2xi8>
  func.return
}
func.func @clamp() {
  %0 = stablehlo.constant dense<[-3, 5, 20]> : tensor<3xi64>
  %1 = stablehlo.constant dense<0> : tensor<i64>
  %2 = stablehlo.constant dense<7> : tensor<i64>
  %3 = stablehlo.clamp %1, %0, %2 : (tensor<i64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  check.expect_eq_const %3, dense<[0, 5, 7]> : tensor<3xi64>
  func.return
}
func.func @dot_general() {
  %0 = stablehlo.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi64>
  %1 = stablehlo.constant dense<[[[1, 10], [5, 7]]]> : tensor<1x2x2xi64>
  %2 = stablehlo.dot_general %0, %1,
    batching_dims = [0] x [0],
    contracting_dims = [2] x [1]
    : (tensor<1x2x2xi64>, tensor<1x2x2xi64>) -> tensor<1x2x2xi64>
  check.expect_eq_const %2, dense<[[[11, 24], [23, 58]]]> : tensor<1x2x2xi64>
  func.return
}
func.func @convolution() {
  %0 = stablehlo.constant dense<[[[1], [2], [4], [8]]]> : tensor<1x4x1xi64>
  %1 = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi64>
  %2 = stablehlo.convolution(%0, %1)
    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {
      stride = [2],
      pad = [[1, 1]]
    } {
      batch_group_count = 1 : i64,
      feature_group_count = 1 : i64
    }
  : (tensor<1x4x1xi64>, tensor<2x1x1xi64>) -> tensor<1x3x1xi64>
  check.expect_eq_const %2, dense<[[[10], [42], [8]]]> : tensor<1x3x1xi64>
  func.return
}
"""
ALONG = """module {
  func.func public @main() -> tensor<ui64> {
    %0 = stablehlo.constant dense<[1.0, 7.0, 7.0]> : tensor<3xf32>
    %1 = stablehlo.constant dense<1> : tensor<ui64>
    %2 = call @argmax(%0) : (tensor<3xf32>) -> tensor<ui64>
    stablehlo.custom_call @check.expect_eq(%2, %1) {side = true} : () -> ()
    %3 = stablehlo.constant dense<[1.0, 8.0, 15.0]> : tensor<3xf32>
    %4 = call @cumsum(%0) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%4, %3) {side = true} : () -> ()
    return %2 : tensor<ui64>
  }
  func.func private @argmax(%arg0: tensor<3xf32>) -> tensor<ui64> {
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %d) across dimensions = [0]
    return %1#1 : tensor<ui64>
  }
  func.func private @cumsum(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{
        padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    }) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
"""


def test_stablehlo(folder):
    data = "stablehlo/testdata"
    counters = [[0xffffffff, 3], [0, 4], [1, 4]]
    words = evaluate(op="threefry", inputs={
        "counter": {"dtype": "u32", "shape": [3, 2], "data": counters},
        "key": {"dtype": "u32", "shape": [2], "data": [1, 2]}})["output"]["bits"]
    text = "".join(bytes.fromhex(word)[::-1].hex() for word in words)
    write(folder, f"{data}/words.mlir", MLIR % {
        "count": 3, "hex": text.upper(), "from": "(tensor<2xui64>)",
        "types": "tensor<2xui64>, tensor<3xui64>", "two": "tensor<3xui64>, tensor<3xui64>"})
    key = {"dtype": "u32", "shape": [2], "data": [7, 8]}
    drawn = evaluate(op="jax.randint",
                     attributes={"partitionable": False, "shape": [4], "dtype": "i32", "x64": True},
                     inputs={"key": key, "minval": -9, "maxval": 9})["output"]["bits"]
    values = [int.from_bytes(bytes.fromhex(word), "big", signed=True) for word in drawn]
    signature = "(tensor<2xui32>, tensor<i64>, tensor<i64>) -> tensor<4xi%d>"
    whole = {"type": "4xi32", "of": "i64", "low": -9, "high": 9, "call": "_randint",
             "check": "expect_eq", "values": values, "signature": signature % 32}
    write(folder, f"{data}/integers.mlir", CALL % whole)
    write(folder, f"{data}/narrow.mlir", CALL % {
        **whole, "type": "4xi8", "signature": signature % 8})
    write(folder, f"{data}/further.mlir", (CALL % whole).replace(
        "    stablehlo.custom_call @check.expect_eq(%1,",
        "    %9 = stablehlo.add %1, %1 : tensor<4xi32>\n"
        "    stablehlo.custom_call @check.expect_eq(%9,"))
    write(folder, "stablehlo/tests/interpret/abs.mlir", "func.func @abs() {\n}\n")
    write(folder, "stablehlo/tests/interpret/add.mlir", INTERPRETED)
    write(folder, f"{data}/compare.mlir", COMPARED)
    write(folder, f"{data}/along.mlir", ALONG)
    write(folder, "stablehlo/tests/interpret/more.mlir", MORE)
    write(folder, "stablehlo/tests/math/acosh_float32.mlir", MATH)
    done = read("stablehlo", folder)
    holds(folder, done, "threefry", 1, "StableHLO's words of rng_bit_generator")
    head = holds(folder, done, "jax.random", 1, "StableHLO's call of _randint")
    for name, tests, what in (("onnx.add", 2, "two functions, one with a list on two lines"),
                              ("onnx.less", 1, "a comparison of scalars"),
                              ("onnx.xor", 0, "of integers there is none")):
        holds(folder, done, name, tests, f"StableHLO's operations: {what}", "onnx.elementwise")
    for name, suite in (("onnx.reduce_sum", "onnx.reduce_sum"), ("onnx.cast", "onnx.quantization"),
                        ("onnx.reduce_max", "onnx.reductions"), ("onnx.clip", "onnx.elementwise"),
                        ("onnx.arg_max", "onnx.reductions"), ("onnx.cum_sum", "onnx.cum_sum"),
                        ("onnx.acosh", "onnx.activations"),
                        ("stablehlo.dot_general", "stablehlo.dot_general"),
                        ("stablehlo.convolution", "stablehlo.convolution")):
        holds(folder, done, name, 1, f"StableHLO's {name}", suite)
    reasons = sorted(re.split(r"[,:]", reason)[0] for reason in head["left_out"])
    check(reasons == ["programs of operations that have none here",
                      "programs of randint of 8 or 16 bits as JAX drew it before "
                      "jax_safer_randint",
                      "programs that go on behind a call of jax.random"],
          "programs that are left out are counted with their reason", str(head))


def tosa_test(folder, name, operator, mode, kind, inputs, answer):
    import numpy

    os.makedirs(os.path.join(folder, name))
    for i, array in enumerate(inputs):
        numpy.save(os.path.join(folder, name, f"input-{i}.npy"), array)
    numpy.save(os.path.join(folder, name, "ref-result-0.npy"), answer)
    held = {"mode": mode, "data_type": kind, "ulp_info": {"ulp": 0.5}}
    write(folder, f"{name}/desc.json", json.dumps({
        "ifm_file": [f"input-{i}.npy" for i in range(len(inputs))],
        "meta": {"compliance": {"tensors": {"result-0": held}}},
        "test_details": {"operator": operator}}))


def test_tosa(folder):
    if not importlib.util.find_spec("numpy"):
        skip("TOSA's tests", "numpy is not installed")
        return
    import numpy

    x, f32, f64 = numpy.array([[1, -2, 4], [-8, 0.5, 3]]), numpy.float32, numpy.float64
    tosa_test(folder, "abs_2x3_f32", "ABS", "EXACT", "FP32", [x.astype(f32)], abs(x).astype(f64))
    tosa_test(folder, "abs_0_f32", "ABS", "EXACT", "FP32", [f32(-3)], f64(3))
    tosa_test(folder, "add_2x3_f16", "ADD", "ULP", "FP16", [x.astype("f2"), f32([1]).astype("f2")],
              x + 1)
    tosa_test(folder, "reduce_max_2x3_f32_axis1_modeP", "REDUCE_MAX", "EXACT", "FP32",
              [x.astype(f32)], f64([[4], [3]]))
    tosa_test(folder, "argmax_2x3_f32_outi32_axis0_modeP", "ARGMAX", "EXACT", "INT32",
              [x.astype(f32)], numpy.array([0, 1, 0], numpy.int32))
    tosa_test(folder, "cast_2x3_i8_outf16", "CAST", "EXACT", "FP16",
              [numpy.array([1, -2], numpy.int8)], f64([1, -2]))
    windows = numpy.arange(6.0).reshape(1, 2, 3, 1)  # channels last; a column of padding left
    tosa_test(folder, "max_pool2d_1x2x3x1_f32_st11_kern22_pad0010_modeP", "MAX_POOL2D", "EXACT",
              "FP32", [windows.astype(f32)], f64([3, 4, 5]).reshape(1, 1, 3, 1))
    tosa_test(folder, "cast_2_f32_outi8", "CAST", "EXACT", "INT8", [f32([0.5])], numpy.int8([0]))
    tosa_test(folder, "exp_0_f32", "EXP", "ABS_ERROR", "FP32", [f32(0)], f64(1))
    tosa_test(folder, "abs_bound", "ABS", "ABS_ERROR", "FP32", [f32(0)], f64(0))
    done = read("tosa", folder)
    for name, suite, tests in (
            ("onnx.abs", "onnx.elementwise", 2), ("onnx.add", "onnx.elementwise", 1),
            ("onnx.reduce_max", "onnx.reductions", 1), ("onnx.arg_max", "onnx.reductions", 1),
            ("onnx.cast", "onnx.quantization", 1), ("onnx.max_pool", "onnx.convolution", 1)):
        head = holds(folder, done, name, tests, f"TOSA's {name}", suite)
    check(sorted(head.get("left_out", {}).values()) == [1, 1, 1],
          "what TOSA has otherwise, or holds to bounds, is counted", f"{head}")


def test_refused(folder):
    for name in ("webnn", "stablehlo", "jax", "random123", "tosa"):
        done = read(name, os.path.join(folder, "nowhere"))
        check(done.returncode != 0 and not done.stdout, f"{name}: a folder that is not there",
              done)
    write(folder, "webnn/conformance_tests/gru.https.any.js", "const x = 1;\n")
    write(folder, "webnn/resources/utils.js", "const operatorToleranceDict = {};\n")
    done = read("webnn", folder)
    check(done.returncode != 0 and ("no list of tests" in done.stderr or "json5" in done.stderr),
          "WebNN: a file without a list", done)


with open(OPERATIONS, "w") as file:
    for kind in ("onnx.*", "stablehlo.*"):
        file.write(subprocess.run([ASSAY, "list", "operations", kind, "--json"],
                                  capture_output=True, text=True, check=True).stdout)
if importlib.util.find_spec("numpy") or os.path.exists(PYTHON):
    for test in (test_webnn, test_random123, test_packages, test_jax, test_stablehlo, test_tosa,
                 test_refused):
        with tempfile.TemporaryDirectory() as work:
            test(work)
else:
    skip("readers", "there is no Python environment of the targets")
finish()
