# SPDX-License-Identifier: Apache-2.0
"""Numbers of any type, for implementations that the tests hold against suites: one rounding an
operation, integers that wrap or saturate, and the bits of a value."""

import hashlib
import math
import struct
from fractions import Fraction

FLOATS = {"f16": (11, -14, 15, ">e"), "bf16": (8, -126, 127, ">f"), "f32": (24, -126, 127, ">f"),
          "f64": (53, -1022, 1023, ">d")}
# Of 8 bits, and what lies beyond them; with an s: the largest number.
FLOATS8 = {"f8e4m3": (4, -6, 8, math.nan), "f8e5m2": (3, -14, 15, math.inf),
           "f8e4m3s": (4, -6, 8, 448.0), "f8e5m2s": (3, -14, 15, 57344.0)}


def is_float(kind):
    return kind in FLOATS or kind in FLOATS8


def width(kind):
    return int(kind[1:])


def rounded(x, kind, tie="even"):
    """A fraction or a float as a float of `kind`; a zero that is a float keeps its sign."""
    if isinstance(x, float) and x in (math.inf, -math.inf) and kind in FLOATS8:
        return math.copysign(FLOATS8[kind][3], x)
    if isinstance(x, float) and (x == 0 or not math.isfinite(x)):
        return x
    if kind == "f64" and tie == "even" and isinstance(x, float):
        return x
    exact, (precision, low, high, _) = Fraction(x), (FLOATS8 if kind in FLOATS8 else FLOATS)[kind]
    if not exact:
        return 0.0
    top, bottom = abs(exact).numerator, exact.denominator
    e = top.bit_length() - bottom.bit_length()
    e -= Fraction(2) ** e > abs(exact)
    unit = Fraction(2) ** (max(e, low) - precision + 1)
    units, rest = divmod(abs(exact), unit)
    half = 2 * rest
    up = {"even": half > unit or half == unit and units % 2, "away": half >= unit,
          "cut": False, "up": rest > 0}[tie]
    value = (units + bool(up)) * unit
    sign = -1.0 if exact < 0 else 1.0
    if kind in FLOATS8:
        largest = FLOATS8[kind[:6] + "s"][3]
        return sign * (FLOATS8[kind][3] if value > largest else float(value))
    return sign * (math.inf if value >= Fraction(2) ** (high + 1) else float(value))


def wrapped(x, kind):
    x &= (1 << width(kind)) - 1
    return x - (x >> width(kind) - 1 << width(kind)) if kind[0] == "i" else x


def saturated(x, kind):
    ends = (-1 << width(kind) - 1, (1 << width(kind) - 1) - 1) if kind[0] == "i" else (
        0, (1 << width(kind)) - 1)
    return min(max(x, ends[0]), ends[1])


def to_integer(x, how="zero"):
    return {"zero": math.trunc, "down": math.floor, "up": math.ceil, "nearest": round,
            "away": lambda y: int(math.copysign(math.floor(abs(y) + Fraction(1, 2)), y))}[how](x)


def to_bits(x, kind):
    if not is_float(kind):
        return f"{x & (1 << width(kind)) - 1:0{width(kind) // 4}x}"
    x = math.nan if x != x else x  # processors give 0 times infinity either sign
    if kind in FLOATS8:
        return f"{bits_of_8(x, kind):02x}"
    return struct.pack(FLOATS[kind][3], x).hex()[:4 if kind == "bf16" else None]


def bits_of_8(x, kind):
    precision, low, _, _ = FLOATS8[kind]
    sign, unit = 0x80 * (math.copysign(1, x) < 0), low - precision + 1
    if not math.isfinite(x):
        return 0x7f if kind[:6] == "f8e4m3" else 0x7e if x != x else sign | 0x7c
    field = max(math.frexp(x)[1] - 1, low) - low if x else 0
    return sign | int(abs(x) / 2.0 ** (unit + field)) + (field << precision - 1)


def digest(bits):
    """What a golden manifest keeps of a tensor whose elements have these bits."""
    return hashlib.sha256(b"".join(bytes.fromhex(k)[::-1] for k in bits)).hexdigest()


def added(a, b, kind, tie="even"):
    if a == 0 and b == 0 and isinstance(a, float) and isinstance(b, float):
        return a + b
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    if kind == "f64" and tie == "even":
        return a + b
    x = Fraction(a) + Fraction(b)
    return rounded(x, kind, tie) if x else 0.0


def multiplied(a, b, kind, tie="even"):
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return float(a) * float(b)
    if kind == "f64" and tie == "even":
        return a * b
    return rounded(Fraction(a) * Fraction(b), kind, tie)
