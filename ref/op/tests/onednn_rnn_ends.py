# SPDX-License-Identifier: Apache-2.0
"""Elements as floats, infinities and NaN among them, and the verdict on one: for the tests of this
folder."""

import math
import struct


def number(bits, dtype):
    raw = bytes.fromhex(bits)
    if dtype == "f16":
        return struct.unpack(">e", raw)[0]
    if dtype in ("u8", "i8"):
        return float(int.from_bytes(raw, "big", signed=dtype == "i8"))
    return struct.unpack(">f", raw + b"\0\0" if dtype == "bf16" else raw)[0]


def numbers_of(answer, name, key="bits"):
    tensor = answer["outputs"][name]
    return [number(k, tensor["dtype"]) for k in tensor[key]]


def outside(lower, upper, got):
    """A NaN lies in [-inf, inf] alone, or where the ends are NaN."""
    if math.isnan(lower) or math.isnan(upper):
        return not math.isnan(got)
    if math.isnan(got):
        return (lower, upper) != (-math.inf, math.inf)
    return not lower <= got <= upper


def first_outside(answer, given):
    """The first element of the outputs `given`, name -> floats, that is outside its interval."""
    for name, values in given.items():
        lower, upper = (numbers_of(answer, name, key) for key in ("lower", "upper"))
        assert len(lower) == len(values)
        for k, row in enumerate(zip(lower, upper, values)):
            if outside(*row):
                return f"{name}[{k}] is {row[2]!r}, admitted are {row[0]!r} to {row[1]!r}"
    return None
