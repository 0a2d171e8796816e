# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's front end for ONNX: nodes that it computes otherwise, one model each. Needs numpy,
onnx and openvino.

Ends with 1 when all of them show it.
"""

import math
import os

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import sys  # noqa: E402

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import openvino  # noqa: E402
from onnx import helper as h  # noqa: E402


def run(operator, opset, inputs, constants=(), kind=None, outputs=1, **attributes):
    value = lambda name: h.make_tensor_value_info(
        name, h.np_dtype_to_tensor_dtype(inputs[name].dtype), inputs[name].shape)
    kind = kind or h.np_dtype_to_tensor_dtype(next(iter(inputs.values())).dtype)
    node = h.make_node(operator, list(inputs), ["y", "s", "z"][:outputs], **attributes)
    graph = h.make_graph([node], "g", [value(name) for name in inputs if name not in constants],
                         [h.make_tensor_value_info("y", kind, None)],
                         [onnx.numpy_helper.from_array(inputs[name], name) for name in constants])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=10)
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU",
                                  {"INFERENCE_PRECISION_HINT": "f32"})
    fed = {name: array for name, array in inputs.items() if name not in constants}
    return compiled(fed)[0]


core, f32 = openvino.Core(), np.float32
nan = f32(math.nan)
rows = {name: np.arange(3, dtype=f32).reshape(1, 1, 3, 1) for name in "QKV"}
shown = {
    "Softplus(-31.5) is below 0": run("Softplus", 1, {"X": np.full(8, -31.5, f32)})[0] < 0,
    "Erf(-0.03) is off by more than 4e-7":
        abs(run("Erf", 13, {"X": np.full(8, -0.02997, f32)})[0] - math.erf(f32(-0.02997))) > 4e-7,
    "Attention with windows of 0 sees all keys":
        run("Attention", 25, rows, left_window_size=0, right_window_size=0)[0, 0, 0, 0] > 0,
    "LogSoftmax of f64 is an f32":
        (lambda y: (y == f32(y)).all())(run("LogSoftmax", 13, {"X": np.array([[1.0, 2, 4]])})),
    "HardSigmoid with alpha 0 takes 0.2":
        run("HardSigmoid", 6, {"X": np.ones(8, f32)}, alpha=0.0)[0] > 0.6,
    "HardSigmoid of NaN is a number": run("HardSigmoid", 6, {"X": np.full(8, nan)})[0] == 1,
    "Exp of NaN is inf": np.isinf(run("Exp", 13, {"X": np.full(8, nan)})[0]),
    "Bernoulli of 0 gives ones": run("Bernoulli", 15, {"X": np.zeros(8, f32)},
                                     dtype=1, seed=1.0).all(),
    "Mod of 6 and inf, with fmod, is NaN": np.isnan(run("Mod", 13, {
        "A": np.full(8, 6, f32), "B": np.full(8, np.inf, f32)}, fmod=1)[0]),
    "Div of 2.5 by 3 is 2.5 * (1 / 3)": run("Div", 14, {
        "A": np.full(8, 2.5, f32), "B": np.full(8, 3, f32)})[0] != f32(2.5) / f32(3),
    "Add of 0 and a constant of 1e-38 is 0": run("Add", 14, {
        "A": np.zeros(8, f32), "B": np.full(8, 1e-38, f32)}, ["B"])[0] == 0,
    "DynamicQuantizeLinear of 2.5 by a scale of 1 and a zero point of 101 is 104, not 103":
        run("DynamicQuantizeLinear", 11, {"x": np.array([-101, 154, 2.5], f32)},
            kind=onnx.TensorProto.UINT8, outputs=3)[2] == 104,
    "LpNormalization of 1e-4, which should be 1, is 0.3": run("LpNormalization", 22, {
        "X": np.full((8, 1), 1e-4, f32)})[0, 0] < 0.5,
    "LRN of even size 2 has one channel in its window": run("LRN", 13, {
        "X": np.ones((1, 3, 1, 1), f32)}, size=2, alpha=2.0)[0, 0, 0, 0] == f32(2) ** f32(-0.75),
    "QuantizeLinear of 0.5 with the zero point 1: 2, not 1": run("QuantizeLinear", 21, {
        "x": np.full(8, 0.5, f32), "s": np.array(1, f32), "z": np.array(1, np.uint8)},
        kind=onnx.TensorProto.UINT8)[0] == 2,
    "ReduceL1 of -1 without axes, noop_with_empty_axes 1, is -1": run("ReduceL1", 18, {
        "X": np.full(8, -1, f32)}, noop_with_empty_axes=1)[0] == -1,
    "Max of 2^32 and 1, of i64, is 1": run("Max", 13, {
        "a": np.full(8, 2**32), "b": np.full(8, 1)})[0] == 1,
    "Max of 4294967295 and 1, of u32, is 1": run("Max", 13, {
        "a": np.full(8, 2**32 - 1, np.uint32), "b": np.full(8, 1, np.uint32)})[0] == 1,
    "Relu of 2^24 + 1, of i32, is 2^24":
        run("Relu", 14, {"X": np.full(8, 2**24 + 1, np.int32)})[0] == 2**24,
    "Cast of NaN to bool is false":
        not run("Cast", 13, {"x": np.full(8, nan)}, kind=onnx.TensorProto.BOOL, to=9)[0],
    "Cast of the NaN 7f800001 to E5M2 is infinity": run("Cast", 19, {
        "x": np.full(8, 0x7f800001, np.uint32).view(f32)}, kind=onnx.TensorProto.FLOAT8E5M2,
        to=19).view(np.uint8)[0] == 0x7c,
}
ends = {"start": 0, "limit": 2**31 - 1, "delta": 2**30}
try:
    count = run("Range", 11, {name: np.array(value) for name, value in ends.items()}).size
except RuntimeError:  # "Can't clone desc if new dims are undefined"
    count = None
shown["Range from 0 to 2^31 - 1 by 2^30, of i64, has not its 2 elements"] = count != 2
for name, seen in shown.items():
    print(f"{name}: {seen}")
sys.exit(1 if all(shown.values()) else 0)
