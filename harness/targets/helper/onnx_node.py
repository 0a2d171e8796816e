# SPDX-License-Identifier: Apache-2.0
"""A request of an ONNX operator as a model of one node, for whatever runs ONNX models."""

from assay_target import Unsupported
from onnx import TensorProto, helper

OPERATORS = {"onnx.rnn": "RNN", "onnx.gru": "GRU", "onnx.lstm": "LSTM"}
TYPES = {
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "f32": TensorProto.FLOAT,
    "f64": TensorProto.DOUBLE,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
}
INPUTS = ["X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"]
OUTPUTS = ["Y", "Y_h", "Y_c"]


def attributes_of(request):
    """Those of the node: `hidden_size`, which the text leaves open and some require, is always
    there."""
    attributes = {k: v for k, v in request.attributes.items() if k != "opset"}
    if request.attributes.get("opset", 22) < 14 and not attributes.get("layout"):
        attributes.pop("layout", None)
    for name in ("clip", "activation_alpha", "activation_beta"):  # 1 is no float to ONNX
        if name in attributes:
            given = attributes[name]
            attributes[name] = list(map(float, given)) if isinstance(given, list) else float(given)
    if len(request.shapes.get("R", ())) == 3:
        attributes.setdefault("hidden_size", request.shapes["R"][2])
    return attributes


def make_model(request):
    """The model, and the names of its outputs."""
    count = 8 if request.op == "onnx.lstm" else 6
    inputs = [name if name in request.shapes else "" for name in INPUTS[:count]]
    outputs = OUTPUTS[: 3 if request.op == "onnx.lstm" else 2]
    wanted = [name for name in outputs if not request.outputs or name in request.outputs]
    unknown = sorted(set(request.dtypes.values()) - set(TYPES))
    if unknown:
        raise Unsupported(f"this target hands over no {unknown[0]}")
    node = helper.make_node(
        OPERATORS[request.op],
        inputs,
        [name if name in wanted else "" for name in outputs],
        **attributes_of(request),
    )
    value = lambda name, dtype, shape: helper.make_tensor_value_info(name, TYPES[dtype], shape)
    graph = helper.make_graph(
        [node],
        "node",
        [value(name, request.dtypes[name], request.shapes[name]) for name in inputs if name],
        [value(name, request.dtypes["X"], None) for name in wanted],
    )
    opset = helper.make_opsetid("", request.attributes.get("opset", 22))
    return helper.make_model(graph, opset_imports=[opset], ir_version=10), wanted
