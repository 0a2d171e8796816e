# SPDX-License-Identifier: Apache-2.0
"""Right and wrong implementations of Range before its suite. An implementation of our own takes
every freedom that the suite allows, and is then equal to the reference; with each mistake of a
table, and with pairs of them over freedoms drawn by ASSAY_SEED, no allowed profile explains what
it gives for all cases together. ASSAY_FULL=1 draws 5,000 pairs.
"""

import itertools
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

sys.path.insert(0, "harness/tests")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import FULL, SEED, drawn_pairs, implementation, names  # noqa: E402
from fleet_numbers import (FLOATS, FLOATS8, added, digest, is_float, multiplied,  # noqa: E402
                           rounded, saturated, to_bits, to_integer, wrapped)
from pairs_words import elements  # noqa: E402
from tap import finish, report  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
SUITE, MOST = "openvino.range", 3000  # elements of a case that is looked at
PAIRS = 5000 if FULL else 100
FREEDOMS = {
    "element": ("multiply", "multiply_f64", "fused", "recurrence", "recurrence_f64",
                "recurrence_in_1"),
    "count": ("f64", "exact", "accumulate_type"), "cast_first": ("integral", "never"),
    "integer_overflow": ("wrap", "saturate"), "integral_count": ("exact", "f64"),
    "accumulate": ("wider", "output_type"), "f8_overflow": ("infinite", "saturate")}
# What an implementation does beside its freedoms; a mistake is another value of some of these.
RIGHT = {"more": 0, "floor": False, "slack": 0, "inclusive": False, "count_bits": 64,
         "magnitude": False, "at_least": 0, "at_most": math.inf, "forward": False,
         "count_type": None, "input": {}, "through": None, "index_bits": 64, "first_index": 0,
         "index_type": None, "step_type": None, "start_type": None, "product_type": None,
         "tie": "even", "flush": None, "finite": None, "zero": None, "last": None, "form": None,
         "cut": "zero", "integer_type": None, "wraps_at": None, "beyond": math.inf, "block": 0,
         "via": None, "stride": None}


# ---- Range ----------------------------------------------------------------------

class Refused(Exception):
    pass


def divided(span, step, kind):
    """(stop - start) / step of floats in `kind`, an operation a rounding."""
    if not math.isfinite(span):
        raise Refused
    return rounded(Fraction(span) / Fraction(step), kind) if span else 0.0


def number_of_elements(start, stop, step, kind, p):
    if p["magnitude"]:
        start, stop, step = 0, abs(stop - start), abs(step)
    if p["forward"]:
        step = abs(step)
    kind = p["count_type"] or kind
    if kind is None:
        quotient = (Fraction(stop) - Fraction(start)) / Fraction(step)
    else:
        a, b, c = (rounded(Fraction(k), kind) for k in (start, stop, step))
        if not all(map(math.isfinite, (a, b, c))) or not c:
            raise Refused
        span = rounded(Fraction(b) - Fraction(a), kind) if a != b else 0.0
        quotient = divided(span, c, kind)
        if not math.isfinite(quotient):
            raise Refused
    whole = quotient == math.floor(quotient)
    count = math.floor(quotient) if p["floor"] else math.ceil(quotient - Fraction(p["slack"]))
    count += p["more"] + (p["inclusive"] and whole and quotient > 0)
    if p["count_bits"] < 64 and count > 0:
        count &= (1 << p["count_bits"]) - 1
    count = min(max(count, p["at_least"]), p["at_most"])
    if count > 1 << 53:
        raise Refused
    return max(count, 0)


def received(case, name, p):
    """An input as the implementation reads it: its value, exact."""
    tensor = case["inputs"][name]
    kind, x = tensor["dtype"], elements(tensor)[0]
    other = p["input"].get(kind)
    if other == "zero" or other == "normal" and abs(x) < 2.0 ** (FLOATS | FLOATS8)[kind][1]:
        return Fraction(0), kind
    other = None if other == "normal" else other
    if other and is_float(other):
        x = rounded(x, other)
    elif other:
        x = wrapped(to_integer(Fraction(x)), other)
    if isinstance(x, float) and not math.isfinite(x):
        raise Refused
    return x, kind


def integral(start, stop, step, kind, indices, p):
    """The elements of an integral output, from exact inputs."""
    cut = p["cut"]
    given = start, stop, step
    start, stop, step = (to_integer(Fraction(k), cut) for k in given)
    if not step:
        raise Refused
    if p["through"]:
        start, stop, step = (wrapped(k, p["through"]) for k in (start, stop, step))
    if p["cast_first"] == "never":
        count = number_of_elements(*given, {"f64": "f64", "exact": None, "accumulate_type": "f64"}[
            p["count"]], p)
    else:
        count = number_of_elements(start, stop, step,
                                   {"exact": None, "f64": "f64"}[p["integral_count"]], p)
    if p["form"] == "second":
        step = to_integer(Fraction(given[0]) + Fraction(given[2])) - start
    if p["form"] == "fractions":
        start, step = Fraction(given[0]), Fraction(given[2])
    result = []
    for i in indices(count):
        at = index(i, count, p)
        x = start + at * step
        if p["via"]:
            x = to_integer(Fraction(rounded(Fraction(x), p["via"])))
        x = to_integer(Fraction(x), cut)
        if p["integer_type"]:
            x = wrapped(x, p["integer_type"])
        x = (saturated if p["integer_overflow"] == "saturate" else wrapped)(x, kind)
        result.append(x if i < p["beyond"] else 0)
    return count, result


def index(i, count, p):
    i += p["first_index"]
    if p["index_bits"] < 64:
        i &= (1 << p["index_bits"]) - 1
        i -= i >> p["index_bits"] - 1 << p["index_bits"]
    if p["stride"] == "from_end":
        i = count - 1 - i
    return rounded(i, p["index_type"]) if p["index_type"] else i


def accumulator(kind, p):
    if p["element"].endswith("_f64"):
        return "f64"
    return kind if p["accumulate"] == "output_type" or kind == "f64" else "f32"


def steps(start, stop, step, count, wanted, work, p):
    """The elements of a floating output in the type in which they are computed."""
    tie = p["tie"] if p["tie"] in ("even", "away", "cut") else "even"
    form, element = p["form"], p["element"]
    if form == "stop":  # from the far end
        for i in wanted:
            yield added(stop, multiplied(float(i - count), step, work), work)
        return
    if form == "spread":  # as a line of `count` points
        for i in wanted:
            part = divided(added(stop, -start, work), float(count), work)
            yield added(start, multiplied(float(i), part, work), work)
        return
    if element.startswith("recurrence"):
        x = start if element != "recurrence_in_1" else added(start, multiplied(0.0, step, work),
                                                             work)
        block, at = p["block"], 0
        for i in range(wanted[-1] + 1 if wanted else 0):
            if i >= wanted[0]:
                yield x
            at += 1
            x = added(x, step, work, tie)
            if block and at % block == 0:
                x = added(start, multiplied(float(at), step, work), work)
        return
    wide = multiplied(float(p["block"]), step, work)
    for i in wanted:
        at = index(i, count, p)
        if p["block"]:  # lanes over a base that is added up
            base = added(start, multiplied(float(i // p["block"]), wide, work), work)
            yield added(base, multiplied(float(i % p["block"]), step, work), work)
            continue
        at = float(at) if work == "f64" else rounded(at, work)
        if element == "fused":
            if not all(map(math.isfinite, (at, step, start))):
                yield start + at * step
                continue
            x = Fraction(at) * Fraction(step) + Fraction(start)
            yield rounded(x, work, tie) if x else at * step + start
            continue
        product = multiplied(at, step, work, tie)
        if p["product_type"] and math.isfinite(product):
            product = rounded(product, p["product_type"])
        yield added(start, product, work, tie)


def floating(start, stop, step, kind, indices, p):
    if kind in FLOATS8 and p["f8_overflow"] == "saturate":
        kind += "s"
    if p["form"] == "whole":
        start, stop, step = (float(to_integer(Fraction(k))) for k in (start, stop, step))
    if p["form"] in ("always", "always_toward_zero"):
        tie = "cut" if p["form"].endswith("zero") else "even"
        start, stop, step = (rounded(k, kind, tie) for k in (start, stop, step))
    if not all(isinstance(k, int) or math.isfinite(k) for k in (start, stop, step)) or not step:
        raise Refused
    narrow = {"f64": "f64", "exact": None, "accumulate_type": "f64" if kind == "f64" else "f32"}
    if not rounded(step, kind):
        raise Refused
    count = number_of_elements(start, stop, step, narrow[p["count"]], p)
    work = p["integer_type"] or accumulator(kind, p)
    first, far, by = (rounded(rounded(k, "f64"), work) for k in (start, stop, step))
    first = rounded(first, p["start_type"]) if p["start_type"] else first
    by = rounded(by, p["step_type"]) if p["step_type"] else by
    wanted, result = indices(count), []
    for i, x in zip(wanted, steps(first, far, by, count, wanted, work, p)):
        if p["via"]:
            x = rounded(x, p["via"])
        x = rounded(x, kind, p["tie"])
        if p["flush"] and abs(x) < 2.0 ** (FLOATS | FLOATS8)[kind][1]:
            x = math.copysign(0.0, x)
        if p["finite"] and math.isinf(x):
            x = math.copysign((2 - 2.0 ** (1 - FLOATS[kind][0])) * 2.0 ** FLOATS[kind][2], x)
        if p["zero"] and x == 0:
            x = {"plus": 0.0, "minus": -0.0}[p["zero"]]
        if p["last"] == "clamped" and by > 0 and x >= far:
            x = rounded(far - by, kind)
        result.append(x if i < p["beyond"] else 0.0)
    return count, result


def compute(case, p):
    """The bits of the output, its number of elements before them; None for a refusal."""
    kind, window = case["attributes"]["output_type"], case.get("window")

    def indices(count):
        if window:
            return range(window[0], min(window[0] + window[1], count))
        return range(min(count, MOST + 1))
    try:
        (start, _), (stop, _), (step, _) = (received(case, k, p) for k in ("start", "stop", "step"))
        count, values = (floating if is_float(kind) else integral)(start, stop, step, kind,
                                                                   indices, p)
    except (Refused, ZeroDivisionError):
        return None
    return count, tuple(to_bits(x, kind) for x in values)


# ---- freedoms -------------------------------------------------------------------

def freedoms_of(case):
    """Those that can change what a case gives; `count` is one for all of them."""
    kind = case["attributes"]["output_type"]
    if not is_float(kind):
        return "count", "cast_first", "integer_overflow", "integral_count"
    return ("count", "element", "accumulate") + (("f8_overflow",) if kind in FLOATS8 else ())


def profiles(freedoms):
    return [dict(zip(freedoms, k)) for k in itertools.product(*(FREEDOMS[k] for k in freedoms))]


def too_long(case, profile):
    """Whether a recurrence would have to walk to a far window."""
    return is_float(case["attributes"]["output_type"]) and (
        profile["element"].startswith("recurrence") and case.get("window", [0])[0] > MOST)


answers = {}


def allowed(case, profile):
    own = tuple(profile[k] for k in freedoms_of(case))
    key = case["id"], own
    if key not in answers:
        answers[key] = compute(case, RIGHT | profile)
    return answers[key]


killers = []
NARROW = ("f32", "f16", "bf16", "f8e4m3", "f8e5m2")  # floats that are accumulated in f32


def idle(mistake, profile):
    """Whether a mistake changes nothing over these freedoms: a fused product has no rounding of its
    own, what is computed in eight bits is not changed by a rounding to them or to a wider type,
    what is accumulated in f32 may be read as f32 for one output type, what wraps goes through a
    type of its width unchanged, and what saturates already does. Where stop is a number of f32, no
    element before it that is computed in f64 is infinite in f32."""
    name, changes, *_ = mistake
    if profile["cast_first"] == "never" and changes.get("through", "")[1:] == name.split()[0][1:]:
        return True
    if (profile["count"] == "accumulate_type" and "f32" in changes.get("input", {}).values()
            and name.rpartition(" for ")[2] in NARROW):
        return True
    if "product_type" in changes and profile["element"] == "fused":
        return True
    if (name == "f32 without infinities" and profile["element"] == "multiply_f64"
            and profile["count"] == "accumulate_type"):
        return True
    if changes.get("f8_overflow") == profile["f8_overflow"]:
        return True
    kind, roundings = name.split()[0], {"start_type", "step_type", "product_type", "via"}
    types = {changes[k] for k in roundings & changes.keys()}
    return (kind in FLOATS8 and accumulator(kind, profile) == kind and len(types) > 0
            and types <= {kind, "f16", "bf16"})


def drawn_freedoms(pair, rng):
    """Freedoms over which at least one of the pair changes something."""
    while True:
        base = {k: rng.choice(v) for k, v in FREEDOMS.items()} | {
            "integer_overflow": "wrap", "element": rng.choice(FREEDOMS["element"][:3])}
        if not all(idle(mistake, base) for mistake in pair):
            return base


# ---- mistakes -------------------------------------------------------------------

def of(*kinds):
    """Cases with these output types."""
    return lambda case: case["attributes"]["output_type"] in kinds


def read(name):
    """Cases whose inputs have this type."""
    return lambda case: any(t["dtype"] == name for t in case["inputs"].values())


def read_for(name, to):
    """Those of them with this output type."""
    return lambda case: case["attributes"]["output_type"] == to and read(name)(case)


def shows(name, other, to):
    """Whether an input read as `other` may give what no allowed profile gives: a floating output is
    computed from inputs that were rounded to f64."""
    if name in ("i64", "u64") and other == "f64" and is_float(to):
        return False
    if to in INTEGERS:  # fractions are cut off first, and what is below one is 0
        return not (is_float(name) and other in ("i32", "normal"))
    if other != "normal" or name == to:
        return True
    if to == "f64":
        return name not in ("f32", "bf16")
    largest, least = (FLOATS | FLOATS8)[name][1], (FLOATS | FLOATS8)[to]
    return 2.0 ** largest > 2.0 ** (least[1] - least[0])


FLOATING = (*FLOATS, "f8e4m3", "f8e5m2")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
MISREAD = (
    ("u8", "i8"), ("i8", "u8"), ("u16", "i16"), ("i16", "u16"), ("u32", "i32"), ("i32", "u32"),
    ("u64", "i64"), ("i64", "u64"), ("i64", "i32"), ("u64", "u32"), ("i32", "i16"), ("i16", "i8"),
    ("i64", "f64"), ("u64", "f64"), ("i32", "f32"), ("u32", "f32"), ("i64", "f32"), ("u64", "f32"),
    ("i16", "f16"), ("i32", "f16"), ("f64", "f32"), ("f32", "bf16"), ("f32", "f16"),
    ("f16", "bf16"), ("bf16", "f16"), ("f64", "i32"), ("f32", "i32"), ("f16", "i32"),
    ("bf16", "i32"), ("f8e4m3", "f8e5m2"), ("f8e5m2", "f8e4m3"), ("f8e4m3", "i32"),
    ("f8e5m2", "i32"))
MISTAKES = [
    ("one more", {"more": 1}), ("one less", {"more": -1}), ("at least one", {"at_least": 1}),
    ("count cut down", {"floor": True}), ("stop included", {"inclusive": True}),
    ("count by magnitudes", {"magnitude": True}), ("steps are positive", {"forward": True}),
    ("count less 1e-6", {"slack": 1e-6}), ("count less 1e-12", {"slack": 1e-12}),
    ("count and 1e-12", {"slack": -1e-12}), ("count of 8 bits", {"count_bits": 8}),
    ("count of 16 bits", {"count_bits": 16}), ("at most 1,000", {"at_most": 1000}),
    ("nothing beyond 8", {"beyond": 8}), ("nothing beyond 64", {"beyond": 64}),
    ("nothing beyond 1,024", {"beyond": 1024}),
    ("f64 counted in f32", {"count_type": "f32"}, of("f64")),
    ("integers counted in f32", {"count_type": "f32"}, of(*INTEGERS)),
    ("f16 counted in f16", {"count_type": "f16"}, of("f16")),
    ("bf16 counted in bf16", {"count_type": "bf16"}, of("bf16")),
    ("index of 8 bits", {"index_bits": 8}), ("index of 16 bits", {"index_bits": 16}),
    ("index of 32 bits", {"index_bits": 32}), ("index of f16", {"index_type": "f16"}),
    ("index of bf16", {"index_type": "bf16"}), ("index from one", {"first_index": 1}),
    ("index of f32, f64", {"index_type": "f32"}, of("f64")),
    ("index of f32, integers", {"index_type": "f32"}, of("i32", "u32", "i64", "u64")),
    ("backwards", {"stride": "from_end"}), ("from stop", {"form": "stop"}, of(*FLOATING)),
    ("as a line", {"form": "spread"}, of(*FLOATING)), ("lanes of 8", {"block": 8}, of(*FLOATING)),
    ("lanes of 16", {"block": 16}, of(*FLOATING)),
    ("recurrence anew every 64", {"element": "recurrence", "block": 64}, of(*FLOATING)),
    ("recurrence anew every 1,024", {"element": "recurrence", "block": 1024}, of("f32", "f64")),
    ("whole numbers alone", {"form": "whole"}, of(*FLOATING)),
    ("cast before the count", {"form": "always"}, of(*FLOATING)),
    ("cast toward zero", {"form": "always_toward_zero"}, of(*FLOATING)),
    ("step of the second element", {"form": "second"}, of(*INTEGERS)),
    ("integers from fractions", {"form": "fractions"}, of(*INTEGERS)),
    ("integers cut down", {"cut": "down"}, of(*INTEGERS)),
    ("integers cut up", {"cut": "up"}, of(*INTEGERS)),
    ("integers to nearest", {"cut": "nearest"}, of(*INTEGERS)),
    ("integers to nearest away", {"cut": "away"}, of(*INTEGERS)),
    ("i64 from f64", {"via": "f64"}, of("i64")), ("u64 from f64", {"via": "f64"}, of("u64")),
    ("i32 from f32", {"via": "f32"}, of("i32")), ("u32 from f32", {"via": "f32"}, of("u32")),
    ("i64 from f32", {"via": "f32"}, of("i64")), ("u64 through i64", {"through": "i64"}, of("u64")),
    ("i64 through i32", {"through": "i32"}, of("i64")),
    ("u32 through i32", {"through": "i32"}, of("u32")),
    ("i64 elements of i32", {"integer_type": "i32"}, of("i64")),
    ("u64 elements of u32", {"integer_type": "u32"}, of("u64")),
    ("i16 elements of i8", {"integer_type": "i8"}, of("i16")),
    ("u16 elements of u8", {"integer_type": "u8"}, of("u16")),
    ("u32 elements of u16", {"integer_type": "u16"}, of("u32")),
    ("i8 saturated, i16 not", {"integer_overflow": "saturate"}, of("i8")),
    ("u64 saturated alone", {"integer_overflow": "saturate"}, of("u64")),
    ("floats kept below stop", {"last": "clamped"}, of(*FLOATING)),
    ("f64 in f32", {"integer_type": "f32"}, of("f64")),
    ("f32 in f16", {"integer_type": "f16"}, of("f32")),
    ("f32 in bf16", {"integer_type": "bf16"}, of("f32")),
    ("f16 in bf16", {"integer_type": "bf16"}, of("f16")),
    ("bf16 in f16", {"integer_type": "f16"}, of("bf16")),
    ("f64 through f32", {"via": "f32"}, of("f64")),
    ("f32 through bf16", {"via": "bf16"}, of("f32")),
    ("f16 through bf16", {"via": "bf16"}, of("f16")),
    ("bf16 through f16", {"via": "f16"}, of("bf16")),
    ("f32 with a step of f16", {"step_type": "f16"}, of("f32")),
    ("f64 with a step of f32", {"step_type": "f32"}, of("f64")),
    ("f64 with a start of f32", {"start_type": "f32"}, of("f64")),
    ("f32 with a start of bf16", {"start_type": "bf16"}, of("f32")),
    ("f32 with products of f16", {"product_type": "f16"}, of("f32")),
    ("f32 with products of bf16", {"product_type": "bf16"}, of("f32")),
    ("f64 with products of f32", {"product_type": "f32"}, of("f64")),
    ("f8e4m3 through f8e5m2", {"via": "f8e5m2"}, of("f8e4m3")),
    ("f8e5m2 through f8e4m3", {"via": "f8e4m3"}, of("f8e5m2")),
    ("f8e4m3 through f16", {"via": "f16"}, of("f8e4m3")),
    ("f8e5m2 through f16", {"via": "f16"}, of("f8e5m2")),
    ("f8e5m2 through bf16", {"via": "bf16"}, of("f8e5m2")),
    ("f8e4m3 through bf16", {"via": "bf16"}, of("f8e4m3")),
    ("8 bits counted in f16", {"count_type": "f16"}, of("f8e4m3", "f8e5m2")),
    ("8 bits counted in bf16", {"count_type": "bf16"}, of("f8e4m3", "f8e5m2")),
    ("f8e4m3 with a step of its own", {"step_type": "f8e4m3"}, of("f8e4m3")),
    ("f8e5m2 with a step of its own", {"step_type": "f8e5m2"}, of("f8e5m2")),
    ("f8e4m3 with a start of its own", {"start_type": "f8e4m3"}, of("f8e4m3")),
    ("f8e5m2 with a start of its own", {"start_type": "f8e5m2"}, of("f8e5m2")),
    ("f8e4m3 with products of its own", {"product_type": "f8e4m3"}, of("f8e4m3")),
    ("f8e5m2 with products of its own", {"product_type": "f8e5m2"}, of("f8e5m2")),
    ("f8e4m3 in bf16", {"integer_type": "bf16"}, of("f8e4m3")),
    ("f8e5m2 in bf16", {"integer_type": "bf16"}, of("f8e5m2")),
    ("f8e4m3 in f16", {"integer_type": "f16"}, of("f8e4m3")),
    ("f8e5m2 in f16", {"integer_type": "f16"}, of("f8e5m2")),
    ("f8e4m3 saturated, f8e5m2 not", {"f8_overflow": "saturate"}, of("f8e4m3")),
    ("f8e5m2 saturated, f8e4m3 not", {"f8_overflow": "saturate"}, of("f8e5m2")),
] + [(f"{kind} {what}", changes, of(kind)) for kind in FLOATING for what, changes in (
    ("truncated", {"tie": "cut"}), ("without subnormals", {"flush": True}),
    ("with zeros of sign +", {"zero": "plus"}), ("with zeros of sign -", {"zero": "minus"}))] + [
    (f"{kind} to nearest away", {"tie": "away"}, of(kind))
    for kind in ("f16", "bf16", "f8e4m3", "f8e5m2")] + [
    (f"{kind} without infinities", {"finite": True}, of(kind)) for kind in ("f16", "bf16", "f32")
] + [(f"{kind} read as {other}", {"input": {kind: other}}, read(kind)) for kind, other in (
    *MISREAD, ("u64", "zero"))] + [
    (f"{kind} read as {other} for {to}", {"input": {kind: other}}, read_for(kind, to))
    for kind, other in (*MISREAD, *((kind, "normal") for kind in FLOATING))
    for to in (*FLOATING, *INTEGERS) if shows(kind, other, to)]


def surviving(mistakes, cases, base):
    """Whether some allowed profile explains this implementation in all of its cases."""
    left = {}
    for case in itertools.chain(list(killers), cases):
        p, freedoms = implementation(RIGHT | base, mistakes, case), freedoms_of(case)
        if too_long(case, p):
            continue
        given = allowed(case, base) if p == RIGHT | base else compute(case, p)
        left[freedoms] = [k for k in left.get(freedoms) or profiles(freedoms)
                          if too_long(case, k) or allowed(case, k) == given]
        counts = [{k["count"] for k in each} for each in left.values()]
        if not set.intersection(*counts):
            killers.insert(0, case)
            del killers[8:]
            return False
    return True


# ---- cases ----------------------------------------------------------------------

def cases_of_suite():
    """Cases with answers that are short enough to be looked at whole."""
    with open(f"vectors/golden/{SUITE}.jsonl") as manifest:
        next(manifest)
        for case in map(json.loads, manifest):
            output = case.get("outputs", {}).get("output")
            if output and (output["shape"][0] <= MOST or "window" in case):
                yield case


def as_kept(case):
    """What the golden manifest says of our answer: whether it is the same."""
    count, bits = compute(case, RIGHT | {k: v[0] for k, v in FREEDOMS.items()})
    kept = case["outputs"]["output"]
    return ("window" in case or kept["shape"] == [count]) and digest(bits) == kept["sha256"]


def drawn_differences(cases, rng):
    """Cases in which ours, under profiles drawn for each, five for each output of 8 bits, differs
    from the reference."""
    requests, ours = [], []
    for case in cases + 4 * [k for k in cases if k["attributes"]["output_type"] in FLOATS8]:
        profile = {k: rng.choice(v) for k, v in FREEDOMS.items()}
        if too_long(case, profile):
            continue
        request = {"op": case["op"], "attributes": case["attributes"], "profile": profile,
                   "inputs": {k: {"dtype": t["dtype"], "shape": [], "bits": t["bits"]}
                              for k, t in case["inputs"].items()}}
        requests.append(request | ({"window": case["window"]} if "window" in case else {}))
        ours.append((case["id"], profile, allowed(case, profile)))
    done = subprocess.run([ASSAY, "eval", "-"], text=True, capture_output=True,
                          input="\n---\n".join(map(json.dumps, requests)))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(ours), done.stderr
    for (name, profile, answer), line in zip(ours, lines):
        bits = line.get("outputs", {}).get("output", {}).get("bits")
        if (tuple(bits) if bits is not None else None) != (answer and answer[1]):
            yield f"{name} under {profile}: {answer and answer[1][:4]}, reference {str(line)[:200]}"


def main():
    rng = random.Random(SEED)
    cases = sorted(cases_of_suite(), key=lambda case: case["outputs"]["output"]["shape"][0])
    wrong = [case["id"] for case in cases if not as_kept(case)]
    report(f"ours equals the golden vectors in {len(cases)} cases", ", ".join(wrong[:20]) or None)
    wrong = list(drawn_differences(cases, rng))
    report(f"ours equals the reference under profiles drawn for {len(cases)} cases",
           "\n".join(wrong[:20]) or None)
    default = {k: v[0] for k, v in FREEDOMS.items()}
    left = [mistake[0] for mistake in MISTAKES if surviving([mistake], cases, default)]
    report(f"of {len(MISTAKES)} mistakes {len(left)} survive", ", ".join(left) or None)
    left = []
    for pair in drawn_pairs(MISTAKES, PAIRS, rng):
        base = drawn_freedoms(pair, rng)
        if surviving(pair, cases, base):
            left.append(f"{names(pair)} over {base}")
    report(f"of {PAIRS} pairs of them {len(left)} survive", "\n".join(left[:20]) or None)
    print(f"# seed {SEED}: profiles and pairs")
    finish()


if __name__ == "__main__":
    main()
