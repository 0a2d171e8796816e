# SPDX-License-Identifier: Apache-2.0
"""A request of an ONNX operator as a model of one node, for whatever runs ONNX models. What an
operator is called and how its inputs, outputs and attributes follow each other is what the schemas
of the package onnx say, so that a new operator needs nothing here."""

import re

import onnx
from assay.target import Unsupported
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    "bool": TensorProto.BOOL,
    "i8": TensorProto.INT8, "i16": TensorProto.INT16,
    "i32": TensorProto.INT32, "i64": TensorProto.INT64,
    "u8": TensorProto.UINT8, "u16": TensorProto.UINT16,
    "u32": TensorProto.UINT32, "u64": TensorProto.UINT64,
    "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
    "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE,
    "f8e4m3": TensorProto.FLOAT8E4M3FN, "f8e5m2": TensorProto.FLOAT8E5M2,
    "f8e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ, "f8e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
    "f8e8m0": TensorProto.FLOAT8E8M0, "f4e2m1": TensorProto.FLOAT4E2M1,
    "i4": TensorProto.INT4, "u4": TensorProto.UINT4,
    "i2": TensorProto.INT2, "u2": TensorProto.UINT2,
}
# The version of the format that a type came with, where that is after 10.
CAME_WITH = {"f4e2m1": 11, "f8e8m0": 12, "i2": 13, "u2": 13}
KINDS = onnx.defs.OpSchema.AttrType


def name_of(operator):
    """onnx.random_uniform_like of RandomUniformLike, onnx.lstm of LSTM, onnx.lp_pool of LpPool."""
    return "onnx." + re.sub(r"(?<=.)([A-Z][a-z0-9])", r"_\1", operator).lower()


OPERATORS = {name_of(schema.name): schema.name for schema in onnx.defs.get_all_schemas()
             if schema.domain == ""}


def value_of(kind, value):
    """The value of an attribute in the type that the schema wants: 1 is no float to ONNX."""
    if kind == KINDS.FLOAT:
        return float(value)
    if kind == KINDS.FLOATS:
        return [float(v) for v in (value if isinstance(value, list) else [value])]
    if kind == KINDS.INT:
        return TYPES[value] if value in TYPES else int(value)
    if kind in (KINDS.INTS, KINDS.STRINGS) and not isinstance(value, list):
        return [value]
    return value


def is_default(known, value):
    """Whether the attribute holds what holds where it is not there."""
    if not known.default_value.type:
        return False
    default = helper.get_attribute_value(known.default_value)
    default = default.decode() if isinstance(default, bytes) else default
    return value_of(known.type, value) == default


def attributes_of(request, schema):
    """Those of the node. Defaults are left out, since a runtime may be older than an attribute, and
    so is what this version does not have, where it holds nothing: 0, -1 or a word by default.
    `hidden_size`, which the text leaves open and some require, is always there."""
    newest = onnx.defs.get_schema(schema.name).attributes
    attributes = {}
    for name, value in request.attributes.items():
        known = schema.attributes.get(name)
        later = newest.get(name)
        nothing = not value or ((value == -1 or isinstance(value, str)) and later
                                and is_default(later, value))
        if name == "opset" or (is_default(known, value) if known else nothing):
            continue
        attributes[name] = value_of(known.type, value) if known else value
    if "hidden_size" in schema.attributes and len(request.shapes.get("R", ())) == 3:
        attributes.setdefault("hidden_size", request.shapes["R"][2])
    return attributes


def without_last(names):
    """Without the empty names at the end."""
    while names and not names[-1]:
        names.pop()
    return names


def make_model(request, constants=False):
    """The model, the names of its outputs and those of its inputs. With `constants` all inputs but
    the first are constants of the model, and the request has data."""
    operator = OPERATORS.get(request.op)
    if not operator:
        raise Unsupported(f"the package onnx {onnx.__version__} has no {request.op}")
    version = request.attributes.get("opset", onnx.defs.get_schema(operator).since_version)
    if version > onnx.defs.onnx_opset_version():
        raise Unsupported(f"the package onnx {onnx.__version__} has no opset {version}")
    schema = onnx.defs.get_schema(operator, version, "")
    unknown = sorted(set(request.dtypes.values()) - set(TYPES))
    if unknown:
        raise Unsupported(f"this target hands over no {unknown[0]}")
    names = [formal.name for formal in schema.inputs]
    if names and schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
        names = names[:-1] + [name for name in request.shapes if name not in names[:-1]]
    inputs = without_last([name if name in request.shapes else "" for name in names])
    spelled = [formal.name for formal in schema.outputs]
    wanted = [name for name in spelled if not request.outputs or name in request.outputs]
    outputs = without_last([name if name in wanted else "" for name in spelled])
    node = helper.make_node(operator, inputs, outputs, **attributes_of(request, schema))
    fed = [name for name in inputs if name]
    kept = fed[1:] if constants else []
    fed = fed[:1] if constants else fed
    tensors = [numpy_helper.from_array(request.inputs[name], name) for name in kept]
    graph = helper.make_graph(
        [node], "node",
        [helper.make_tensor_value_info(name, TYPES[request.dtypes[name]], request.shapes[name])
         for name in fed],
        [onnx.ValueInfoProto(name=name) for name in wanted], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)],
                              ir_version=10, producer_name="assay")
    types = {TYPES[kind] for kind in request.dtypes.values()}
    types |= {request.attributes.get(name) for name in ("to", "output_dtype")}
    model.ir_version = max([10, *(version for kind, version in CAME_WITH.items()
                                  if TYPES[kind] in types)])
    try:  # the types of outputs
        model = onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError:
        pass  # the request is wrong, which whoever runs the model says
    for output in model.graph.output:
        if not output.type.tensor_type.elem_type:
            first = next(iter(request.dtypes.values()), "f32")
            output.type.tensor_type.elem_type = TYPES[first]
        else:  # what a node gives, it says itself
            output.type.tensor_type.ClearField("shape")
    return model, wanted, fed
