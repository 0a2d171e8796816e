# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime and the reference evaluator of onnx draw from a seed, as ref/COUSINS.md says:
the same draws made anew, bit for bit."""

import math
import sys

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    skip("draws of ONNX Runtime and onnx", missing)
    finish()

COUNT = 1000
F32, F64 = TensorProto.FLOAT, TensorProto.DOUBLE


def model(op, **attributes):
    node = helper.make_node(op, [], ["output"], shape=[COUNT], **attributes)
    value = helper.make_tensor_value_info("output", attributes["dtype"], [COUNT])
    graph = helper.make_graph([node], "g", [], [value])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def of_runtime(op, **attributes):
    session = onnxruntime.InferenceSession(model(op, **attributes).SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    return session.run(None, {})[0]


def words(seed):
    """C++'s minstd_rand0: multiplied by 16807 modulo 2^31 - 1, from 0 on."""
    state = int(seed) % 2147483647 or 1
    while True:
        state = state * 16807 % 2147483647
        yield state - 1


def units(seed, real):
    """A word over 2147483646, as an f32; as an f64 two words, the first one low."""
    word, span = words(seed), real(2147483646)
    while True:
        if real is numpy.float32:
            yield real(next(word)) / span
        else:
            low, high = real(next(word)), real(next(word))
            yield (low + high * span) / (span * span)


def uniform(seed, real, low, high):
    unit = units(seed, real)
    return [next(unit) * (real(high) - real(low)) + real(low) for _ in range(COUNT)]


def normal(seed, mean, scale):
    """The polar method: the second of a pair comes first."""
    unit, draws = units(seed, numpy.float64), []
    while len(draws) < COUNT:
        x, y = 2 * next(unit) - 1, 2 * next(unit) - 1
        square = x * x + y * y
        if 0 < square <= 1:
            factor = math.sqrt(-2 * math.log(square) / square)
            draws += [y * factor * scale + mean, x * factor * scale + mean]
    return draws


def same(found, made):
    return numpy.array_equal(found, numpy.array(made, dtype=found.dtype))


for seed in (0.0, 1.0, 2.7, 12345.0):
    for dtype, real in ((F32, numpy.float32), (F64, numpy.float64)):
        found = of_runtime("RandomUniform", dtype=dtype, seed=seed, low=-3.25, high=8.5)
        check(same(found, uniform(seed, real, -3.25, 8.5)),
              f"ONNX Runtime: uniform {real.__name__}, seed {seed}", found[:4])
    found = of_runtime("RandomNormal", dtype=F64, seed=seed, mean=0.5, scale=2.0)
    check(numpy.allclose(found, normal(seed, 0.5, 2), rtol=1e-14, atol=1e-14),
          f"ONNX Runtime: normal float64, seed {seed}", found[:4])
    (found,) = ReferenceEvaluator(
        model("RandomUniform", dtype=F64, seed=seed, low=-3.25, high=8.5)).run(None, {})
    made = numpy.random.RandomState(int(seed)).rand(COUNT) * 11.75 + -3.25
    check(same(found, made), f"onnx {onnx.__version__}: uniform float64, seed {seed}", found[:4])
check(not same(of_runtime("RandomUniform", dtype=F32, seed=1.0), uniform(2, numpy.float32, 0, 1)),
      "another seed gives other draws")
finish()
