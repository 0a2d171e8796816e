# SPDX-License-Identifier: Apache-2.0
"""The declared operators of ONNX against the schemas of the package onnx: each version that ONNX
has is declared, or listed here as one that is not; inputs, types, attributes and defaults of the
newest one are those of its schema, but for what is listed; and what is required lets through, of
the types of an earlier version, those of its schema."""

import ast
import glob
import os
import re
import struct
import sys

sys.path[:0] = ["harness/tests", "harness/python", "harness/targets/helper"]
from tap import check, finish, skip  # noqa: E402

try:
    import onnx
    import yaml
    from onnx_node import OPERATORS, TYPES, names_now
except ImportError as missing:
    skip("declared operators against the schemas of onnx", missing)
    finish()

# Versions that are not declared: those of opsets before 7, and of the others those that mean
# something else or nothing certain, as is said.
MISSING = {name: versions for versions, names in (
    ([1], "and global_lp_pool hard_sigmoid lp_pool or xor"),
    ([1], "equal greater less pow"),
    ([1, 6], "add div gemm mul p_relu sub"),
    ([1], "abs ceil clip elu exp floor instance_normalization leaky_relu log neg reciprocal relu "
          "selu sigmoid sqrt tanh"),
    ([1, 6], "max mean min sum"),                   # 6 does not broadcast
    ([1, 6], "batch_normalization"),
    ([1], "cast"),                                  # `to` is a string
    ([18], "group_normalization"),
) for name in names.split()}
# The last opset that is declared, where the newest schema holds beyond it.
ENDS = {"attention": 25}
# Types of the newest schema that an input does not have here.
FEW = "i8 i16 u8 u16"
WIDE = "i32 i64 u32 u64"
EIGHT = "f8e4m3 f8e5m2 f8e4m3fnuz f8e5m2fnuz"
TYPES_LEFT_OUT = {
    "attention.attn_mask": f"{FEW} {WIDE}",         # added to floats as what, is not said
    **{f"gemm.{name}": WIDE for name in "ABC"},     # alpha and beta are reals
    "reduce_l2.data": WIDE, "reduce_mean.data": WIDE,   # roots and quotients of integers
    "shrink.input": f"{FEW} {WIDE}",                # lambd and bias are reals
    **{f"q_linear_mat_mul.{name}": EIGHT            # integers alone are added up in 32 bits
       for name in ("a", "a_zero_point", "b", "b_zero_point", "y_zero_point")},
    "quantize_linear.x": "i32", "quantize_linear.y_scale": "i32",   # quotients of integers
}
NEWEST = onnx.defs.onnx_opset_version()
NAMES = {f"tensor({onnx.helper.tensor_dtype_to_string(number).split('.')[-1].lower()})": name
         for name, number in TYPES.items()}
HISTORY = {}
for one in onnx.defs.get_all_schemas_with_history():
    if not one.domain:
        HISTORY.setdefault(one.name, {})[one.since_version] = one


def spelled(kind):
    """A kind, its range and its default of `[required] KIND [LEAST..MOST] [= DEFAULT]`, or of the
    mapping that says the same."""
    if isinstance(kind, dict):
        return kind
    found = re.fullmatch(r"(required )?(\w+)(?: (-?\d+)?\.\.(-?\d+)?)?(?: = (.*))?", kind)
    return {"kind": found[2], "minimum": found[3] and int(found[3]),
            "maximum": found[4] and int(found[4]), "default": found[5] and yaml.safe_load(found[5])}


def types_of(inputs, name):
    """The types of a declared input, by way of the input that has the same."""
    given = inputs[name]
    if isinstance(given, dict):
        given = given.get("types") or given["type"]
    if isinstance(given, list):
        return set(given)
    word = given.removeprefix("optional ").strip("[]")
    return types_of(inputs, word) if word in inputs else set(re.split(", *", word))


def default_of(attribute):
    value = onnx.helper.get_attribute_value(attribute.default_value)
    return value.decode() if isinstance(value, bytes) else value


def same(declared, wanted):
    if isinstance(wanted, float):
        return struct.pack("f", declared) == struct.pack("f", wanted)
    return declared == wanted


def versions(op, attributes, history):
    ends = spelled(attributes["opset"])
    least, most = ends["minimum"], ends["maximum"]
    held = {max((v for v in history if v <= opset), default=0) for opset in range(least, most + 1)}
    missing = [v for v in sorted(history) if v not in held]
    check(missing == MISSING.get(op, []), f"{op}: versions that are not declared are those listed",
          f"{missing}, and {MISSING.get(op, [])} are listed")
    check(most == ENDS.get(op, NEWEST), f"{op}: is declared up to opset {ENDS.get(op, NEWEST)}",
          f"{most}")


def newest(op, declaration, schema):
    inputs, attributes = declaration["inputs"], declaration["attributes"]
    for formal in schema.inputs:
        name = formal.name if formal.name in inputs else formal.name + "_0"
        check(name in inputs, f"{op} has the input {formal.name}")
        if name not in inputs:
            continue
        wanted = {NAMES[kind] for kind in formal.types if kind in NAMES}
        found = types_of(inputs, name)
        left = TYPES_LEFT_OUT.get(f"{op}.{formal.name}", "").split()
        check(found <= wanted, f"{op}.{formal.name}: no type but those of ONNX",
              str(sorted(found - wanted)))
        check(sorted(wanted - found) == sorted(left), f"{op}.{formal.name}: the types of ONNX",
              f"{sorted(wanted - found)} are not there")
    left = sorted(set(schema.attributes) - set(attributes))
    check(not left, f"{op}: the attributes of ONNX", f"{left} are not there")
    for name, kind in attributes.items():
        if name == "opset":
            continue
        if "name" in spelled(kind):
            check(any(kind["name"] in one.attributes for one in HISTORY[schema.name].values()),
                  f"{op}: earlier versions have the attribute {kind['name']}")
            continue
        check(name in schema.attributes, f"{op}: ONNX has the attribute {name}")
        known = schema.attributes.get(name)
        default = spelled(kind).get("default")
        if known and known.default_value.type and default is not None:
            check(same(default, default_of(known)), f"{op}.{name}: its default is that of ONNX",
                  f"{default}, and {default_of(known)}")


# What they require of types is said of their attributes, too, or by names of their own.
OF_MORE_THAN_TYPES = "cast cast_like quantize_linear dequantize_linear".split()


def let_through(declaration, opset, types):
    """Whether all holds that is required of the opset and of types alone."""
    given = declaration.get("require", [])
    for one in given if isinstance(given, list) else [given]:
        text = one["that"] if isinstance(one, dict) else one
        tree = ast.parse(re.sub(r"\bif\(", "if_(", text.strip()), mode="eval")
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if names <= {"opset", "type", *types} and not eval(         # pylint: disable=eval-used
                compile(tree, text, "eval"), {"__builtins__": {}},
                {"opset": opset, "type": types.get, **{name: name for name in types}}):
            return False
    return True


def earlier(op, declaration, schema, opset):
    """Each type of each input at an opset, beside types of the others that the schema has."""
    inputs = declaration["inputs"]
    formals = {name if name in inputs else name + "_0": formal
               for name, formal in zip(names_now(schema), schema.inputs)}
    if not set(formals) <= set(inputs):
        return
    allowed = {name: {NAMES[kind] for kind in formal.types if kind in NAMES}
               for name, formal in formals.items()}
    for name, formal in formals.items():
        left = set(TYPES_LEFT_OUT.get(f"{op}.{formal.name}", "").split())
        for kind in sorted(types_of(inputs, name) - left):
            types = {one: kind if other.type_str == formal.type_str else
                     "f32" if "f32" in allowed[one] else min(allowed[one])
                     for one, other in formals.items()}
            check(let_through(declaration, opset, types) == (kind in allowed[name]),
                  f"{op} of opset {opset}: {name} is {kind} where the schema of it says so")


for path in sorted(glob.glob("yaml/operators/onnx.*.yaml")):
    with open(path, encoding="utf-8") as file:
        declaration = yaml.safe_load(file)
    op = declaration["operator"]
    check(f"{op}.yaml" == os.path.basename(path), f"{op} has the name of its file")
    if "onnx" in declaration:
        continue
    history = HISTORY[OPERATORS[op]]
    versions(op.removeprefix("onnx."), declaration["attributes"], history)
    newest(op.removeprefix("onnx."), declaration, history[max(history)])
    first = spelled(declaration["attributes"]["opset"])["minimum"]
    for since in sorted(history):
        until = min([v for v in history if v > since], default=NEWEST + 1)
        if until > first and op.removeprefix("onnx.") not in OF_MORE_THAN_TYPES:
            earlier(op.removeprefix("onnx."), declaration, history[since], max(first, since))
finish()
