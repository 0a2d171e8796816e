# SPDX-License-Identifier: Apache-2.0
"""onnx.range against a model in exact rational arithmetic, over random requests of all types,
stash types and options. Numbers and their roundings are those of openvino_range_test.py, which
share nothing with the program."""

import json
import os
import random
import subprocess
import sys
from fractions import Fraction as F

sys.path.insert(0, "harness/tests")
from openvino_range_test import (INTS, Refused, add, any_bits, ceil_div, count_floating, decode,
                                 encode, finite, into_integer, mul, nearest_bits, number,
                                 part_start, rnd, value, width_of)
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
TYPES = ["f32", "f64", "i16", "i32", "i64", "f16", "bf16"]
STASH = {1: "f32", 10: "f16", 11: "f64", 16: "bf16"}
OPTIONS = {
    "element": ["multiply", "multiply_f64", "fused", "recurrence", "recurrence_f64", "second",
                "second_f64", "recurrence_in_2", "recurrence_in_3", "recurrence_in_32"],
    "count": ["f64", "exact", "type", "span_in_type", "narrow", "f32"],
    "integral_count": ["exact", "f64", "quotient_f64", "f32", "wrapped"],
    "arithmetic": ["own", "f32", "f64", "i32", "i32_saturated"],
    "stash": ["as_asked", "own", "f32"],
    "count_rounding": ["up", "down", "down_plus_one"],
    "count_direction": ["signed", "magnitude"],
    "cast": ["nearest_even", "toward_zero"],
    "bf16_rounding": ["nearest_even", "openvino"],
}
WHOLE = 4096  # elements, of what is computed whole before it is rounded


def accumulator(kind, stash, o):
    if o["arithmetic"] == "f32":
        return "f32"
    if kind in INTS:
        return "f64" if o["arithmetic"] == "f64" else kind
    if o["element"] == "second_f64":
        return "f64"
    if kind in ("f16", "bf16"):
        return {"own": kind, "f32": "f32"}.get(o["stash"], STASH[stash])
    return "f64" if o["element"].endswith("_f64") else kind


def quotient(a, z, s, span, ratio, o):
    """The count where the span is rounded to one type, and its quotient to another."""
    a, z, s = (rnd(x, span) for x in (a, z, s))
    d = rnd(add(z, (not a[0], a[1])), span) if finite(a) and finite(z) else "inf"
    if not finite(d) or finite(s) and not s[1]:
        raise Refused("invalid_argument")
    return count_floating(ratio, number(0), d, s, o["count_rounding"], o["count_direction"])


def count(kind, acc, given, cast, o):
    how = o["count_rounding"], o["count_direction"]
    if acc in INTS:
        a, z, s = (value(x) for x in cast)
        if o["integral_count"] in ("f64", "f32"):
            return count_floating(o["integral_count"], *cast, *how)
        if o["integral_count"] == "quotient_f64":
            return quotient(number(0), rnd(number(z - a), "f64"), cast[2], "f64", "f64", o)
        if o["integral_count"] == "wrapped":
            low = "i32" if o["arithmetic"].startswith("i32") else kind
            a, z = 0, into_integer(low, number(z - a), "toward_zero", "wrap")
        return max(0, ceil_div(F(z - a), s, *how))
    types = {"f64": ("f64", "f64"), "type": (acc, acc), "span_in_type": (acc, "f64"),
             "narrow": (kind, kind), "f32": ("f32", "f32"), "exact": None}[o["count"]]
    if kind in INTS or o["arithmetic"] == "f32":
        types = acc, acc
    if types is None:
        a, z, s = (value(x) for x in cast)
        return max(0, ceil_div(z - a, s, *how))
    return quotient(*(given if o["count"] == "narrow" and types == (kind, kind) else cast),
                    *types, o)


def model(kind, stash, given, profile):
    """The number of elements, and the bits of element i; or Refused."""
    o = {name: options[0] for name, options in OPTIONS.items()} | profile
    if kind == "bf16" and o["bf16_rounding"] == "openvino":
        n, wide = model("f32", stash, given, profile)
        return n, lambda i: wide(i) + ((wide(i) & 0x10000) >> 1) >> 16
    acc = accumulator(kind, stash, o)
    if not all(map(finite, given)):
        raise Refused("invalid_argument")
    if acc in INTS:
        low = "i32" if o["arithmetic"].startswith("i32") else kind
        ends = ["saturate" if i and o["arithmetic"] == "i32_saturated" else "wrap"
                for i in range(3)]
        cast = [number(into_integer(low, x, "toward_zero", end))
                for x, end in zip(given, ends)]
    else:
        cast = [rnd(x, acc) for x in given]
    if not all(map(finite, cast)) or not cast[2][1]:
        raise Refused("invalid_argument")
    n = count(kind, acc, given, cast, o)
    if n > 2 ** 53:
        raise Refused("too_large")
    start, delta = cast[0], cast[2]
    mask = (1 << width_of(kind)) - 1
    if acc in INTS:
        whole = lambda i: number(value(start) + i * value(delta))
        return n, lambda i: into_integer(low if kind == "i64" else kind, whole(i), "toward_zero",
                                         "wrap") & mask
    if o["element"].startswith("second"):
        second = rnd(add(start, delta), acc)
        delta = rnd(add(second, (not start[0], start[1])), acc)

    def element(i):
        index = rnd(number(i), acc)
        product = mul(index, delta)
        at = rnd(add(product if o["element"] == "fused" else rnd(product, acc), start), acc)
        if o["element"].startswith("recurrence"):
            first, at = 0, start
            if "_in_" in o["element"]:
                first = part_start(n, int(o["element"].removeprefix("recurrence_in_")), i)
                at = rnd(add(rnd(mul(rnd(number(first), acc), delta), acc), start), acc)
            for _ in range(i - first):
                at = rnd(add(at, delta), acc)
        if kind in INTS:
            return into_integer(kind, at, "toward_zero", "wrap") & mask if finite(at) else 0
        return encode(kind, rnd(at, kind, o["cast"] if kind != acc else "nearest_even"))
    return n, element


def draw(rng, profiled):
    kind = rng.choice(TYPES)
    bits = [any_bits(rng, kind) for _ in range(3)]
    start, _, delta = (decode(kind, b) for b in bits)
    if rng.random() < 0.85 and finite(start) and finite(delta):
        steps = rng.randint(0, 40 if rng.random() < 0.7 else 1 << rng.randint(1, 54))
        nudge = rng.choice([0, 0, 1, -1, F(1, 3)]) * F(1, rng.choice([1, 10 ** 9]))
        bits[1] = nearest_bits(kind, value(start) + (steps + nudge) * value(delta))
    stash = rng.choice([1, 1, 10, 11, 16])
    profile = {name: rng.choice(OPTIONS[name])
               for name in (rng.sample(sorted(OPTIONS), rng.randint(1, 3)) if profiled else [])}
    names = ("start", "limit", "delta")
    digits = width_of(kind) // 4
    request = {"op": "onnx.range", "attributes": {"stash_type": stash}, "profile": profile,
               "inputs": {name: {"dtype": kind, "shape": [], "bits": [f"{b:0{digits}x}"]}
                          for name, b in zip(names, bits)}}
    try:
        if "bf16_rounding" in profile:  # a window is one of the asked type's elements
            given = [decode(kind, b) for b in bits]
            counts = [model(kind, stash, given, {**profile, "bf16_rounding": rounding})[0]
                      for rounding in OPTIONS["bf16_rounding"]]
            if counts[0] != counts[1] or counts[0] > WHOLE:
                del profile["bf16_rounding"]
        n, element = model(kind, stash, [decode(kind, b) for b in bits], profile)
    except Refused as refusal:
        return request, {"error": str(refusal)}
    last = min(n, 60 if profile.get("element", "").startswith("recurrence") else n)
    first = 0 if last <= 24 else rng.randint(0, last - 9)
    last = min(last, first + 24)
    request["window"] = [first, last - first]
    return request, {"shape": [n], "bits": [f"{element(i):0{digits}x}" for i in range(first, last)]}


def is_right(expected, answer):
    if "error" in expected or "error" in answer:
        return answer.get("error", {}).get("code") == expected.get("error")
    got = answer["outputs"]["output"]
    return got["shape"] == expected["shape"] and got["bits"] == expected["bits"]


def compare(name, rng, total, profiled):
    cases = [draw(rng, profiled) for _ in range(total)]
    text = "\n---\n".join(json.dumps(request) for request, _ in cases)
    done = subprocess.run([ASSAY, "eval", "-"], input=text, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [f"{json.dumps(request)}\n  expected {expected}\n  got      {answer}"
             for (request, expected), answer in zip(cases, answers)
             if not is_right(expected, answer)]
    answered = sum("shape" in expected for _, expected in cases)
    check(not wrong and len(answers) == total and answered > total / 2,
          f"{name}: {total} requests, {answered} answered", wrong[:5] + [done.stderr[:500]])


def main():
    rng = random.Random(20261123)
    compare("the default profile equals the model", rng, 3000, False)
    compare("every option equals the model", rng, 4000, True)
    finish()


main()
