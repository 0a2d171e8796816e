# SPDX-License-Identifier: Apache-2.0
"""A request of an ONNX operator as a model, for whatever runs ONNX models: of one node, or of those
that the operator's declaration lists. What an operator is called and how its inputs, outputs and
attributes follow each other is what the schemas of the package onnx say, so that a new operator
needs nothing here."""

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


def default_of(known):
    """What holds where the attribute is not there; None where nothing does."""
    if not known or not known.default_value.type:
        return None
    default = helper.get_attribute_value(known.default_value)
    return default.decode() if isinstance(default, bytes) else default


def attributes_of(request, schema, given):
    """Those of the node, among those `given`. Defaults are left out, since a runtime may be older
    than an attribute, and so is what this version does not have, where it holds its later default,
    or 0 where there is none. `hidden_size`, which the text leaves open and some require, is always
    there."""
    newest = onnx.defs.get_schema(schema.name).attributes
    attributes = {}
    for name, value in given.items():
        known = schema.attributes.get(name)
        default = default_of(known or newest.get(name))
        value = value_of(known.type, value) if known else value
        if name == "opset" or value == default or not (known or value or default):
            continue
        attributes[name] = value
    if "hidden_size" in schema.attributes and len(request.shapes.get("R", ())) == 3:
        attributes.setdefault("hidden_size", request.shapes["R"][2])
    return attributes


def without_last(names):
    """Without the empty names at the end."""
    while names and not names[-1]:
        names.pop()
    return names


def is_served(request):
    """Whether there is a model of it."""
    return request.op in OPERATORS or bool(request.onnx)


def version_of(request):
    newest = onnx.defs.onnx_opset_version()
    if not is_served(request):
        raise Unsupported(f"the package onnx {onnx.__version__} has no {request.op}")
    version = request.attributes.get("opset")
    if version is None:
        version = onnx.defs.get_schema(OPERATORS[request.op]).since_version
    if version > newest:
        raise Unsupported(f"the package onnx {onnx.__version__} has no opset {version}")
    unknown = sorted(set(request.dtypes.values()) - set(TYPES))
    if unknown:
        raise Unsupported(f"this target hands over no {unknown[0]}")
    return version


def nodes_listed(request, version):
    """The nodes that the declaration lists, and the names of the inputs and wanted outputs."""
    nodes = []
    for one in request.onnx:
        given = {name: request.attributes[name] for name in one["attributes"]
                 if name in request.attributes}
        schema = onnx.defs.get_schema(one["node"], version, "")
        nodes.append(helper.make_node(one["node"], one["inputs"], one["outputs"],
                                      **attributes_of(request, schema, given)))
    return nodes, list(request.shapes), request.outputs or request.onnx[-1]["outputs"]


def names_now(schema):
    """The names of the inputs; of one that has another name by now, that one."""
    newest = [formal.name for formal in onnx.defs.get_schema(schema.name).inputs]
    return [newest[i] if i < len(newest) and formal.name not in newest else formal.name
            for i, formal in enumerate(schema.inputs)]


def one_node(request, version):
    """The node of the operator's name, and the names of the inputs and wanted outputs."""
    operator = OPERATORS[request.op]
    schema = onnx.defs.get_schema(operator, version, "")
    names = names_now(schema)
    if names and schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
        names = names[:-1] + [name for name in request.shapes if name not in names[:-1]]
    inputs = without_last([name if name in request.shapes else "" for name in names])
    spelled = [formal.name for formal in schema.outputs]
    later = [name for name in request.outputs if name not in spelled]
    if later:
        raise Unsupported(f"{operator} of opset {version} has no output {later[0]}")
    wanted = [name for name in spelled if not request.outputs or name in request.outputs]
    outputs = without_last([name if name in wanted else "" for name in spelled])
    node = helper.make_node(operator, inputs, outputs,
                            **attributes_of(request, schema, request.attributes))
    return [node], [name for name in inputs if name], wanted


def make_model(request, constants=False):
    """The model, the names of its outputs and those of its inputs. With `constants` all inputs but
    the first are constants of the model, and the request has data."""
    version = version_of(request)
    nodes, fed, wanted = (nodes_listed if request.onnx else one_node)(request, version)
    kept = fed[1:] if constants else []
    fed = fed[:1] if constants else fed
    tensors = [numpy_helper.from_array(request.inputs[name], name) for name in kept]
    graph = helper.make_graph(
        nodes, "node",
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
