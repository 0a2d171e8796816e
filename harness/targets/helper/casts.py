# SPDX-License-Identifier: Apache-2.0
"""What ONNX's casts and quantization ask for, for libraries whose element types have names of
their own."""

import numpy
from assay.target import DTYPES, PART_OF_BYTE
from operators import FLOATS, INTEGERS, SMALL_INTEGERS

# By ONNX's number of the type.
ONNX_TYPES = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "bool",
              10: "f16", 11: "f64", 12: "u32", 13: "u64", 16: "bf16", 17: "f8e4m3",
              18: "f8e4m3fnuz", 19: "f8e5m2", 20: "f8e5m2fnuz", 21: "u4", 22: "i4", 23: "f4e2m1",
              24: "f8e8m0", 25: "u2", 26: "i2"}
OF_8_BITS = frozenset({"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"})
OF_FEW_BITS = frozenset({"i4", "u4", "i2", "u2"})
USUAL = FLOATS | INTEGERS | SMALL_INTEGERS | {"bool"}


def casts_to(types, saturated=()):
    """Casts to these types. Of 8-bit floats those of `saturated` give the largest number for what
    is beyond it, the others never do; casts to powers of two give the nearest, or NaN."""
    def only(attributes, _shapes, given):
        to = given.get("target_type") or ONNX_TYPES[attributes.to]
        saturate = 1 if attributes.saturate is None else attributes.saturate
        if to not in types:
            return f"no casts to {to}"
        if to in OF_8_BITS and saturate != int(to in saturated):
            return f"casts to {to} {'always' if to in saturated else 'never'} saturate"
        if to == "f8e8m0" and (saturate != 0 or attributes.round_mode != "nearest"):
            return "casts to powers of two give the nearest, and do not saturate"
        return None
    return only


def width_of(name):
    return PART_OF_BYTE.get(name) or 8 * numpy.dtype(DTYPES[name]).itemsize


def bits_of(types):
    """The bits of each element as one of another of these types: a view of a tensor as one of
    narrower or wider elements is something else."""
    def only(attributes, _shapes, given):
        to = ONNX_TYPES.get(attributes.to)
        if to not in types:
            return f"no bits as {to or 'that type'}"
        return None if width_of(to) == width_of(given["input"]) else "elements of as many bits"
    return only


def type_of_output(attributes, y_zero_point, name_of):
    """The type that QuantizeLinear gives."""
    if attributes.output_dtype:
        return ONNX_TYPES[attributes.output_dtype]
    return "u8" if y_zero_point is None else name_of(y_zero_point)
