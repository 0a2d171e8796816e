# SPDX-License-Identifier: Apache-2.0
"""A request of an ONNX operator as a model of one node, for whatever runs ONNX models."""

from assay_target import Unsupported
from onnx import TensorProto, helper

OPERATORS = {
    "onnx.bernoulli": "Bernoulli",
    "onnx.gru": "GRU",
    "onnx.lstm": "LSTM",
    "onnx.multinomial": "Multinomial",
    "onnx.random_normal": "RandomNormal",
    "onnx.random_normal_like": "RandomNormalLike",
    "onnx.random_uniform": "RandomUniform",
    "onnx.random_uniform_like": "RandomUniformLike",
    "onnx.range": "Range",
    "onnx.rnn": "RNN",
}
TYPES = {
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "f32": TensorProto.FLOAT,
    "f64": TensorProto.DOUBLE,
    "i8": TensorProto.INT8,
    "i16": TensorProto.INT16,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "u8": TensorProto.UINT8,
    "u16": TensorProto.UINT16,
    "u32": TensorProto.UINT32,
    "u64": TensorProto.UINT64,
    "bool": TensorProto.BOOL,
}
RNN = ["X", "W", "R", "B", "sequence_lens", "initial_h"]
INPUTS = {  # of others: input
    "onnx.gru": RNN,
    "onnx.lstm": [*RNN, "initial_c", "P"],
    "onnx.random_normal": [],
    "onnx.random_uniform": [],
    "onnx.range": ["start", "limit", "delta"],
    "onnx.rnn": RNN,
}
FLOATS = ("clip", "activation_alpha", "activation_beta", "low", "high", "mean", "scale", "seed")
OUTPUTS = {"onnx.gru": ["Y", "Y_h"], "onnx.lstm": ["Y", "Y_h", "Y_c"], "onnx.rnn": ["Y", "Y_h"]}
OPSETS = {"onnx.range": 27}  # where a request names none: the newest; 22 elsewhere


def opset_of(request):
    return request.attributes.get("opset", OPSETS.get(request.op, 22))


def attributes_of(request):
    """Those of the node: `hidden_size`, which the text leaves open and some require, is always
    there."""
    attributes = {k: v for k, v in request.attributes.items() if k != "opset"}
    if request.attributes.get("opset", 22) < 14 and not attributes.get("layout"):
        attributes.pop("layout", None)
    for name in FLOATS:  # 1 is no float to ONNX
        if name in attributes:
            given = attributes[name]
            attributes[name] = list(map(float, given)) if isinstance(given, list) else float(given)
    if len(request.shapes.get("R", ())) == 3:
        attributes.setdefault("hidden_size", request.shapes["R"][2])
    return attributes


def output_type(request):
    """As the node's attribute has it, else by its definition."""
    if "dtype" in request.attributes:
        return request.attributes["dtype"]
    if request.op == "onnx.multinomial":
        return TensorProto.INT32
    return TYPES[next(iter(request.dtypes.values()), "f32")]


def make_model(request):
    """The model, and the names of its outputs."""
    spelled = INPUTS.get(request.op, ["input"])
    inputs = [name if name in request.shapes else "" for name in spelled]
    outputs = OUTPUTS.get(request.op, ["output"])
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
    graph = helper.make_graph(
        [node],
        "node",
        [
            helper.make_tensor_value_info(name, TYPES[request.dtypes[name]], request.shapes[name])
            for name in inputs if name
        ],
        [helper.make_tensor_value_info(name, output_type(request), None) for name in wanted],
    )
    opset = helper.make_opsetid("", opset_of(request))
    return helper.make_model(graph, opset_imports=[opset], ir_version=10), wanted
