# SPDX-License-Identifier: Apache-2.0
"""Fills as yaml/README.md describes them, in Python and from nothing but its text: for the tests,
and for whoever wants the inputs of a case without this program."""

import hashlib
import math
import struct
from fractions import Fraction

SIZE = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4,
        "f32": 4,
        "i64": 8, "u64": 8, "f64": 8, "f8e4m3": 1, "f8e5m2": 1, "f8e4m3fnuz": 1,
        "f8e5m2fnuz": 1, "f8e8m0": 1, "f4e2m1": 1, "i4": 1, "u4": 1, "i2": 1, "u2": 1}
BITS = {name: {"4": 4, "2": 2, "f4e2m1": 4}.get(name[1:] if name[0] in "iu" else name, 8 * size)
        for name, size in SIZE.items()}  # of a code, in the low bits of its bytes
FRACTION_BITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52, "f8e4m3": 3, "f8e5m2": 2}
LAST = {"f8e4m3": 0x7E, "f8e5m2": 0x7B}  # codes of the largest numbers of 8 bits
# Bits of the fraction, the bias, and the code of the largest number.
OTHERS = {"f8e4m3fnuz": (3, 8, 0x7F), "f8e5m2fnuz": (2, 16, 0x7F), "f4e2m1": (1, 1, 7)}


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1 = (p1 >> 32) ^ c1 ^ k0, p1 & 0xFFFFFFFF
        c2, c3 = (p0 >> 32) ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def f8_code(dtype, value):
    """The code of an exact value; raises if there is none."""
    fraction, last = FRACTION_BITS[dtype], LAST[dtype]
    if value != value:
        return 0x7F if dtype == "f8e4m3" else 0x7E
    sign = 0x80 * (math.copysign(1, value) < 0)
    if abs(value) == math.inf:
        assert dtype == "f8e5m2", value
        return sign | last + 1
    low = 1 - (2 ** (6 - fraction) - 1) - fraction  # exponent of the smallest number
    for code in range(last + 1):
        field, rest = divmod(code, 2 ** fraction)
        number = (rest + 2 ** fraction * (field > 0)) * Fraction(2) ** (low + max(field, 1) - 1)
        if number == abs(value):
            return sign | code
    raise ValueError((dtype, value))


def other_code(dtype, value):
    """The same for types whose last code is a number, and for powers of two."""
    if dtype == "f8e8m0":
        return 0xFF if value != value else next(
            code for code in range(255) if Fraction(2) ** (code - 127) == value)
    fraction, bias, last = OTHERS[dtype]
    if value != value:
        assert dtype != "f4e2m1"
        return 0x80
    negative = math.copysign(1, value) < 0
    for code in range(last + 1):
        field, rest = divmod(code, 2 ** fraction)
        number = (rest + 2 ** fraction * (field > 0)) * Fraction(2) ** (
            max(field, 1) - bias - fraction)
        if number == abs(value):
            return code + (last + 1) * (negative and (code > 0 or dtype == "f4e2m1"))
    raise ValueError((dtype, value))


def to_bytes(dtype, value):
    """An exact value (int, Fraction or float) as little-endian bytes; raises if it is not exact in
    the dtype.
    """
    if dtype == "bool":
        return bytes([int(value)])
    if dtype[0] in "iu":
        return (int(value) % (1 << BITS[dtype])).to_bytes(SIZE[dtype], "little")
    value = float(value) if not isinstance(value, Fraction) else value
    if dtype in OTHERS or dtype == "f8e8m0":
        return bytes([other_code(dtype, value)])
    if SIZE[dtype] == 1:
        return bytes([f8_code(dtype, value)])
    code = {"f16": "e", "bf16": "f", "f32": "f", "f64": "d"}[dtype]
    data = struct.pack("<" + code, float(value))
    if dtype == "bf16":
        assert value != value or data[:2] == b"\0\0", (dtype, value)
        return data[2:]
    back = struct.unpack("<" + code, data)[0]
    exact = value != value or math.isinf(back) or Fraction(back) == Fraction(value)
    assert exact, (dtype, value)
    return data


def fill(document, suite="", case="", tensor=""):
    """The elements of a fill as little-endian bytes."""
    text = document.get("as", f"{suite}/{case}/{tensor}")
    key = struct.unpack("<2I", hashlib.sha256(text.encode()).digest()[:8])
    kind, dtype, shape = document["fill"], document["dtype"], document["shape"]
    count = 1
    for size in shape:
        count *= size

    def value(index, word):
        if kind == "integers":
            return document["low"] + (word * (document["high"] - document["low"] + 1) >> 32)
        if kind == "grid":
            bits = document["bits"]
            k = (word >> (32 - bits)) - 2 ** (bits - 1)
            return Fraction(k) * Fraction(2) ** (document.get("scale", 0) + 1 - bits)
        sign = -1 if word >> 31 else 1
        if kind == "powers":
            n = document["highest"] - document["lowest"] + 1
            return sign * Fraction(2) ** (document["lowest"] + ((word & 0x7FFFFFFF) * n >> 31))
        if kind == "floats":
            n = document["highest"] - document["lowest"] + 1
            exponent = document["lowest"] + ((word >> 23 & 0xFF) * n >> 8)
            kept = min(FRACTION_BITS[dtype], 23)
            return sign * (1 + Fraction((word & 0x7FFFFF) >> (23 - kept),
                                        2 ** kept)) * Fraction(2) ** exponent
        if kind == "ramp":
            return document["first"] + index * document["step"]
        values = document["values"]
        return values[index % len(values)] if kind == "cycle" else values[word * len(values) >> 32]

    def kept(index):
        if "sparse" not in document:
            return True
        axis, nonzeros = document["sparse"]["axis"], document["sparse"]["count"]
        coordinates = []
        for size in reversed(shape):
            coordinates.insert(0, index % size)
            index //= size
        column = 0
        for i, size in enumerate(shape):
            if i != axis:
                column = column * size + coordinates[i]
        stride = shape[axis] // nonzeros
        return any(coordinates[axis] == (column + k * stride) % shape[axis]
                   for k in range(nonzeros))

    def word_at(place):
        return philox((place // 4 & 0xFFFFFFFF, 0, 0, 0), key)[place % 4]

    out = bytearray()
    for index in range(count):
        word = word_at(index)
        if not kept(index):
            other = document["sparse"].get("else")
            out += bytes(SIZE[dtype]) if other is None else to_bytes(dtype, other)
        elif kind == "bits" and SIZE[dtype] == 8:
            out += struct.pack("<2I", word_at(2 * index), word_at(2 * index + 1))
        elif kind == "bits":
            bits = word & 1 if dtype == "bool" else word & (1 << BITS[dtype]) - 1
            out += bits.to_bytes(4, "little")[: SIZE[dtype]]
        else:
            out += to_bytes(dtype, value(index, word))
    return bytes(out)
