# SPDX-License-Identifier: Apache-2.0
"""openvino.range against a model in exact rational arithmetic, over random requests of all type
mixtures.

The model knows numbers as (sign, fraction) and rounds only where the specification has a node; it
shares nothing with the program. Requests go through `assay eval`. TAP on standard output.
"""

import json
import os
import random
import subprocess
import sys
from fractions import Fraction as F

BUILD = os.environ.get("BUILD", "build")
FLOATS = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
    "f8e4m3": (4, -6, 8),
    "f8e5m2": (3, -14, 15),
}
LARGEST = {
    kind: (2 - F(2) ** (1 - precision)) * F(2) ** most
    for kind, (precision, _, most) in FLOATS.items()
} | {"f8e4m3": F(448)}  # the code of 480 is its NaN
INTS = {f"{s}{w}": (s == "i", w) for s in "iu" for w in (8, 16, 32, 64)}
TYPES = [*FLOATS, *INTS]
NAN, INF, NINF = "nan", "inf", "-inf"


class Refused(Exception):
    """The request has no answer; the argument is the code expected."""


# ---- numbers: NAN, INF, NINF or (negative, magnitude) ------------------------

def number(x):
    return (x < 0, abs(F(x)))


def value(n):
    return -n[1] if n[0] else n[1]


def finite(n):
    return not isinstance(n, str)


def negative(n):
    return n == NINF if isinstance(n, str) else n[0]


def whole(magnitude, rounding, minus=False):
    low = magnitude.numerator // magnitude.denominator
    rest = magnitude - low
    if rounding == "nearest_even":
        return low + (rest > F(1, 2) or (rest == F(1, 2) and low % 2 == 1))
    return low + (1 if rounding == "down" and minus and rest else 0)


def log2_floor(m):
    e = m.numerator.bit_length() - m.denominator.bit_length()
    while m < F(2) ** e:
        e -= 1
    while m >= F(2) ** (e + 1):
        e += 1
    return e


def rnd(n, kind, rounding="nearest_even", saturate=False):
    """One rounding of an exact number to a float type."""
    if n in (INF, NINF):
        if saturate:
            return (negative(n), LARGEST[kind])
        return NAN if kind == "f8e4m3" else n
    if not finite(n) or not n[1]:
        return n
    precision, least, _ = FLOATS[kind]
    ulp = F(2) ** (max(log2_floor(n[1]), least) - precision + 1)
    m = whole(n[1] / ulp, rounding) * ulp
    if m > LARGEST[kind]:
        if saturate or rounding != "nearest_even":
            return (n[0], LARGEST[kind])
        return rnd(NINF if n[0] else INF, kind)
    return (n[0], m)


def mul(a, b):
    if NAN in (a, b):
        return NAN
    minus = negative(a) != negative(b)
    if finite(a) and finite(b):
        return (minus, a[1] * b[1])
    if (finite(a) and not a[1]) or (finite(b) and not b[1]):
        return NAN
    return NINF if minus else INF


def add(a, b):
    if NAN in (a, b) or (not finite(a) and not finite(b) and a != b):
        return NAN
    if not finite(a) or not finite(b):
        return a if not finite(a) else b
    if not a[1] and not b[1]:
        return (a[0] and b[0], F(0))
    return number(value(a) + value(b))


def decode(kind, bits):
    if kind in INTS:
        signed, width = INTS[kind]
        return number(bits - (1 << width) if signed and bits >> (width - 1) else bits)
    precision, least, _ = FLOATS[kind]
    width = width_of(kind)
    minus, rest = bool(bits >> (width - 1)), bits & ((1 << (width - 1)) - 1)
    field, fraction = rest >> (precision - 1), rest & ((1 << (precision - 1)) - 1)
    if kind == "f8e4m3" and rest == 0x7F:
        return NAN
    if field == (1 << (width - precision)) - 1 and kind != "f8e4m3":
        return NAN if fraction else NINF if minus else INF
    if field:
        fraction |= 1 << (precision - 1)
        field -= 1
    return (minus, fraction * F(2) ** (least - precision + 1 + field))


def encode(kind, n):
    precision, least, _ = FLOATS[kind]
    width = width_of(kind)
    if n == NAN and kind == "f8e4m3":
        return 0x7F
    special = ((1 << (width - precision)) - 1) << (precision - 1)
    if n == NAN:
        return special | 1 << (precision - 2)
    if not finite(n):
        return special | (negative(n) << (width - 1))
    sign = int(n[0]) << (width - 1)
    if not n[1]:
        return sign
    e = max(log2_floor(n[1]), least)
    units = n[1] / F(2) ** (e - precision + 1)
    assert units.denominator == 1
    return sign | (((e - least) << (precision - 1)) + int(units))


def into_integer(kind, n, rounding, overflow):
    """An exact finite number, rounded and brought into an integer type."""
    signed, width = INTS[kind]
    v = whole(n[1], rounding, n[0]) * (-1 if n[0] else 1)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if overflow == "saturate":
        return max(low, min(high, v))
    return (v - low) % (1 << width) + low


# ---- the operation -----------------------------------------------------------

DEFAULTS = {
    "element": "multiply",
    "count": "f64",
    "cast_first": "integral",
    "integer_overflow": "wrap",
    "float_to_integer": "toward_zero",
    "integral_count": "exact",
    "integer_element": "integers",
    "accumulate": "wider",
    "count_rounding": "up",
    "count_direction": "signed",
    "f8_overflow": "infinite",
}


def ceil_div(d, s, how, direction):
    q = abs(d / s) if direction == "magnitude" else d / s
    low = q.numerator // q.denominator
    return low + (1 if how == "down_plus_one" else (q != low) if how == "up" else 0)


def count_floating(kind, a, z, s, how, direction):
    a, z, s = (rnd(x, kind) for x in (a, z, s))
    if not (finite(a) and finite(z) and finite(s)) or not s[1]:
        if not finite(add(z, a)) or not finite(z) or not finite(a) or (finite(s) and not s[1]):
            raise Refused("invalid_argument")
    d = rnd(add(z, (not a[0], a[1])), kind)
    if not finite(d):
        raise Refused("invalid_argument")
    if not finite(s):
        q = (d[0] != negative(s), F(0))
    else:
        q = rnd(number(value(d) / value(s)), kind)
    if not finite(q):
        if negative(q) and direction == "signed":
            return 0
        raise Refused("too_large")
    return max(0, ceil_div(value(q), F(1), how, direction))


def part_start(count, parts, i):
    """Where the part of element i starts, if sizes differ by at most one, larger ones first."""
    starts = [sum(count // parts + (k < count % parts) for k in range(p)) for p in range(parts)]
    return max(start for start in starts if start <= i)


def wrap(x):
    return (int(x) + 2 ** 31) % 2 ** 32 - 2 ** 31


def model(out, given, profile):
    """(count, element function) of a request, or Refused."""
    o = {**DEFAULTS, **profile}
    if not all(finite(x) for x in given):
        raise Refused("invalid_argument")
    integral = out in INTS
    saturate = o["f8_overflow"] == "saturate" and out[:2] == "f8"
    if o["cast_first"].startswith("always"):
        if integral:
            cast = [
                number(into_integer(out, x, o["float_to_integer"], o["integer_overflow"]))
                for x in given
            ]
        else:
            cast = [
                rnd(x, out, "toward_zero" if o["cast_first"].endswith("zero") else "nearest_even",
                    saturate)
                for x in given
            ]
    elif integral:
        cast = [
            number(whole(x[1], o["float_to_integer"], x[0]) * (-1 if x[0] else 1)) for x in given
        ]
    else:
        cast = list(given)
    if not all(finite(x) for x in cast) or not cast[2][1]:
        raise Refused("invalid_argument")
    uncast = integral and (o["cast_first"] == "never" or o["integer_element"] != "integers")
    counted = given if uncast else cast
    kind = o["integral_count"] if integral and not uncast else o["count"]
    if kind == "exact":
        a, z, s = (value(x) for x in counted)
        n = max(0, ceil_div(z - a, s, o["count_rounding"], o["count_direction"]))
    elif kind == "i32":
        a, z, s = (value(x) for x in counted)
        n = max(0, ceil_div(F(wrap(z - a)), s, o["count_rounding"], o["count_direction"]))
    else:
        n = count_floating(kind, *counted, o["count_rounding"], o["count_direction"])
    if n > 2 ** 53:
        raise Refused("too_large")
    if integral and o["integer_element"] == "integers":
        a, s = value(cast[0]), value(cast[2])
        return n, lambda i: into_integer(
            out, number(a + i * s), "toward_zero", o["integer_overflow"]
        )
    base = given if integral else cast
    if integral:
        acc = "f32" if o["integer_element"] == "from_f32" else "f64"
    elif o["element"].endswith("f64"):
        acc = "f64"
    elif o["element"].startswith("in_registers"):
        acc = "f64" if out in ("f32", "f64") else "f32"
    elif o["accumulate"] == "output_type":
        acc = out
    else:
        acc = "f64" if out == "f64" and o["accumulate"] == "wider" else "f32"

    def into(x, kind=acc):
        return rnd(x, kind, saturate=saturate and kind == out)
    a, s = (into(rnd(base[k], "f64")) for k in (0, 2))

    def element(i):
        if o["element"].startswith("recurrence"):
            first = part_start(n, int(o["element"][14:]), i) if "_in_" in o["element"] else None
            v = a
            if first is not None:
                v = into(add(into(mul(into(number(first)), s)), a))
            for _ in range(first or 0, i):
                v = into(add(v, s))
        elif o["element"].startswith("in_registers") and not integral:
            lanes = int(o["element"][16:]) * 8 // width_of(out)
            lane = i % lanes if i < n - n % (2 * lanes) else 0
            v = into(add(mul(into(number(i - lane)), s), a))
            if i < n - n % (2 * lanes):
                v = into(add(mul(into(number(lane)), s), into(v, out)))
        elif o["element"] == "fused":
            v = into(add(mul(into(number(i)), s), a))
        else:
            v = into(add(into(mul(into(number(i)), s)), a))
        if not integral:
            return into(v, out)
        if not finite(v):
            if v == NAN:
                return 0
            signed, width = INTS[out]
            low, high = (
                (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
            )
            saturates = o["integer_element"] == "from_f32" or o["integer_overflow"] == "saturate"
            return (low if v == NINF else high) if saturates else 0
        if o["integer_element"] == "from_f32":
            return into_integer(out, v, "nearest_even", "saturate")
        return into_integer(out, v, o["float_to_integer"], o["integer_overflow"])
    return n, element


# ---- requests ----------------------------------------------------------------

def width_of(kind):
    return INTS[kind][1] if kind in INTS else 16 if kind == "bf16" else int(kind[1:].split("e")[0])


def nearest_bits(kind, x):
    """Bits of `kind` near the exact number x."""
    if kind in INTS:
        return into_integer(kind, number(x), "nearest_even", "saturate") & (
            (1 << width_of(kind)) - 1
        )
    return encode(kind, rnd(number(x), kind))


def any_bits(rng, kind):
    style = rng.random()
    if style < 0.25:
        return rng.getrandbits(width_of(kind))
    if style < 0.5:
        return nearest_bits(kind, F(rng.randint(-50, 50), rng.choice([1, 1, 2, 3, 10])))
    if style < 0.65 and kind in INTS:
        return (rng.choice([0, -1, 1 << (width_of(kind) - 1)]) + rng.randint(-3, 3)) & (
            (1 << width_of(kind)) - 1
        )
    if style < 0.7:
        return nearest_bits(kind, 0) | (
            kind in FLOATS and rng.getrandbits(1) << (width_of(kind) - 1)
        )
    return nearest_bits(kind, F(rng.getrandbits(53) - 2 ** 52) * F(2) ** rng.randint(-80, 40))


def random_request(rng):
    out = rng.choice(TYPES)
    kinds = [rng.choice(TYPES) for _ in range(3)]
    if rng.random() < 0.3:
        kinds = [kinds[0]] * 3
    bits = [any_bits(rng, kinds[0]), 0, any_bits(rng, kinds[2])]
    start, step = (decode(kinds[k], bits[k]) for k in (0, 2))
    if rng.random() < 0.85 and finite(start) and finite(step):
        steps = rng.choice(
            [rng.randint(0, 40), rng.randint(0, 40), rng.randint(0, 1 << rng.randint(1, 54))]
        )
        stop = (
            value(start)
            + steps * value(step)
            + rng.choice([0, 0, 1, -1, F(1, 3)]) * value(step) * F(1, rng.choice([1, 10**9]))
        )
        bits[1] = nearest_bits(kinds[1], stop)
        if rng.random() < 0.2:
            bits[1] = (bits[1] + rng.choice([-1, 1])) & ((1 << width_of(kinds[1])) - 1)
    else:
        bits[1] = any_bits(rng, kinds[1])
    return out, kinds, bits


OPTIONS = {
    "element": ["multiply", "multiply_f64", "fused", "recurrence", "recurrence_f64", 
                "recurrence_in_1", "recurrence_in_2", "recurrence_in_3", "in_registers_of_32",
                "in_registers_of_64"],
    "count": ["f64", "f32", "exact"],
    "cast_first": ["integral", "never", "always", "always_toward_zero"],
    "integer_overflow": ["wrap", "saturate"],
    "float_to_integer": ["toward_zero", "down", "nearest_even"],
    "integral_count": ["exact", "f64", "f32", "i32"],
    "integer_element": ["integers", "from_f32", "from_f64"],
    "accumulate": ["wider", "output_type", "f32"],
    "count_rounding": ["up", "down", "down_plus_one"],
    "count_direction": ["signed", "magnitude"],
    "f8_overflow": ["infinite", "saturate"],
}


def random_profile(rng):
    return {
        name: rng.choice(OPTIONS[name]) for name in rng.sample(sorted(OPTIONS), rng.randint(1, 4))
    }


def prepare(rng, serial, profiled):
    out, kinds, bits = random_request(rng)
    profile = random_profile(rng) if profiled else {}
    request = {
        "id": str(serial),
        "op": "openvino.range",
        "attributes": {"output_type": out},
        "inputs": {
            name: {"dtype": k, "shape": [], "bits": [format(b, f"0{width_of(k) // 4}x")]}
            for name, k, b in zip(("start", "stop", "step"), kinds, bits)
        },
    }
    if profile:
        request["profile"] = profile
    try:
        count, element = model(out, [decode(k, b) for k, b in zip(kinds, bits)], profile)
    except Refused as refusal:
        return request, {"error": str(refusal)}
    slow = profile.get("element", "").startswith("recurrence")
    first, last = 0, count
    if count > 24 or rng.random() < 0.1:
        first = rng.randint(0, min(count, 200) if slow else count)
        if rng.random() < 0.3 and not slow:
            first = max(0, count - rng.randint(0, 9))
        last = min(count, first + rng.randint(0, 9))
        request["window"] = [first, last - first]
    digits = width_of(out) // 4
    got = [element(i) for i in range(first, last)]
    got = [(encode(out, v) if out in FLOATS else v & ((1 << width_of(out)) - 1)) for v in got]
    return request, {"shape": [count], "bits": [format(b, f"0{digits}x") for b in got]}


def refusal_is_right(request, expected, answer):
    if "error" not in expected or "error" not in answer:
        return False
    # Without a window a large count is refused too.
    return (
        answer["error"]["code"] == expected["error"]
        or answer["error"]["code"] == "too_large" == expected["error"]
    )


def compare(name, serial, rng, total, profiled):
    cases = [prepare(rng, i, profiled) for i in range(total)]
    text = "\n---\n".join(json.dumps(request) for request, _ in cases)
    done = subprocess.run(
        [os.path.join(BUILD, "assay"), "eval", "-"], input=text, capture_output=True, text=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong, refused = [], 0
    if len(answers) != total:
        wrong.append(f"{len(answers)} answers to {total} requests: {done.stderr[:500]}")
    for (request, expected), answer in zip(cases, answers):
        if "error" in expected or "error" in answer:
            refused += 1
            right = refusal_is_right(request, expected, answer)
        else:
            got = answer["outputs"]["output"]
            right = got["shape"] == expected["shape"] and got["bits"] == expected["bits"]
        if not right:
            wrong.append(f"{json.dumps(request)}\n#   expected {expected}\n#   got      {answer}")
    mixtures = {
        (
            r["attributes"]["output_type"],
            *(r["inputs"][k]["dtype"] for k in ("start", "stop", "step")),
        )
        for r, _ in cases
    }
    print(
        f"{'not ok' if wrong else 'ok'} {serial} - {name}: {total} "
        f"requests, {len(mixtures)} type mixtures, {refused} refused"
    )
    for line in wrong[:5]:
        print("#", line)
    return not wrong


def main():
    rng = random.Random(20261121)
    print("1..2")
    fine = compare("the default profile equals the model", 1, rng, 10000, False)
    fine &= compare("every option equals the model", 2, rng, 6000, True)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
