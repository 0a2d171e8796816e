# SPDX-License-Identifier: Apache-2.0
"""Wrong implementations of jax.random over threefry2x32 before its suite: an implementation of our
own, equal to the golden vectors while it is right, with each mistake of a table and with pairs of
them, drawn by ASSAY_SEED. A case kills a mistake by bits that no allowed rounding gives; none may
survive. ASSAY_FULL=1 draws 5,000 pairs.
"""

import json
import math
import os
import sys
from fractions import Fraction

sys.path.insert(0, "harness/tests")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import FULL, SEED, drawn_pairs, implementation, survivors  # noqa: E402
from fleet_numbers import (FLOATS, added, digest, multiplied, rounded,  # noqa: E402
                           to_bits, wrapped)
from pairs_words import elements, product  # noqa: E402
from tap import finish, report  # noqa: E402

SUITE, WORD, MOST = "jax.random", 0xffffffff, 3000  # elements of a case that is looked at
PAIRS = 5000 if FULL else 150
# What an implementation does; a mistake is other values of some of these, for some cases.
RIGHT = {
    # The generator
    "rounds": 20, "rotations": (13, 15, 26, 6, 17, 29, 16, 24), "parity": 0x1BD11BDA,
    "key_order": (0, 1), "injects": True, "injected": True, "first_key": True, "schedule": 0,
    "counter": (0, 1), "lanes": (0, 1), "high": True,
    # Words
    "origin": 0, "wraps_at": None, "fold": "xor", "wide": (0, 1), "narrow": "low",
    "narrow_first": "low", "odd": "zero", "halves": True, "beyond": math.inf, "column": False,
    "form": None,
    # Keys
    "key_words": (0, 1), "sign": 32, "seed_bits": 64, "high_kept": False, "fold_high": False,
    "fold_bits": 32, "next": 0,
    # Numbers
    "mantissa": {}, "low_bits": False, "draws": {}, "kept": True, "offset": True, "scaled": True,
    "fused": None, "span": 0, "multiplies": True, "low_draw": True, "high_draw": True,
    "one_key": False, "turned": False, "signed": False, "own_width": False, "clips": True,
    "empty": "minimum", "whole": True, "at_most": False, "second": True, "second_scale": 0,
    "wide_shape": False, "in_f32": False, "sides": (-1, 1),
    # Orders
    "sorts": 0, "descending": False, "stable": True, "by_signed": False, "subkey": 1,
    "one_order": False, "by_length": False, "from_end": False, "replaces": None, "axis": None,
}


# ---- the generator --------------------------------------------------------------

def threefry(key, counter, p):
    k = [key[i] for i in p["key_order"]]
    k.append(k[0] ^ k[1] ^ p["parity"])
    x = [counter[i] for i in p["counter"]]
    if p["first_key"]:
        x = [(x[0] + k[0]) & WORD, (x[1] + k[1]) & WORD]
    for r in range(p["rounds"]):
        by = p["rotations"][r % len(p["rotations"])]
        x[0] = (x[0] + x[1]) & WORD
        x[1] = (x[1] << by | x[1] >> 32 - by) & WORD
        x[1] ^= x[0]
        if r % 4 == 3 and p["injects"]:
            s = r // 4 + 1 + p["schedule"]
            x[0] = (x[0] + k[s % 3]) & WORD
            x[1] = (x[1] + k[(s + 1) % 3] + (s if p["injected"] else 0)) & WORD
    return [x[i] for i in p["lanes"]]


def block(key, index, p):
    """Of a counter of 64 bits."""
    index += p["origin"]
    if p["wraps_at"]:
        index %= p["wraps_at"]
    return threefry(key, (index >> 32 if p["high"] else 0, index & WORD), p)


def hashed(key, count, p):
    """The original form: the counters 0 to count - 1, hashed in two halves."""
    odd = count % 2
    counters = list(range(count)) + ([{"zero": 0, "next": count, "last": count - 1}[p["odd"]]]
                                     if odd else [])
    half = len(counters) // 2
    pairs = zip(counters[:half], counters[half:]) if p["halves"] else (
        zip(counters[::2], counters[1::2]))
    blocks = [threefry(key, pair, p) for pair in pairs]
    words = [a for a, _ in blocks] + [b for _, b in blocks]
    return words[:count]


def is_partitionable(a, p):
    return p["form"] if p["form"] is not None else a.get("partitionable", True)


def bits(key, width, shape, a, p, wanted=None):
    """The words of an array, or of the elements `wanted` of it."""
    count = product(shape)
    wanted = range(count) if wanted is None else wanted
    if not is_partitionable(a, p):
        return [k if i < p["beyond"] else 0 for i, k in zip(wanted, original(
            key, width, count, p))] if len(wanted) == count else None
    result = []
    for i in wanted:
        if p["column"] and len(shape) == 2:
            i = i % shape[1] * shape[0] + i // shape[1]
        first, second = block(key, i, p)
        if width == 64:
            pair = first, second
            value = pair[p["wide"][0]] << 32 | pair[p["wide"][1]]
        else:
            value = {"xor": first ^ second, "first": first, "second": second,
                     "sum": first + second & WORD}[p["fold"]]
            value = value >> 32 - width if p["narrow"] == "high" else value & (1 << width) - 1
        result.append(value if i < p["beyond"] else 0)
    return result


def original(key, width, count, p):
    words = hashed(key, -(-width * count // 32), p)
    if width == 64:
        halves = words[:count], words[count:]
        return [a << 32 | b for a, b in zip(halves[p["wide"][0]], halves[p["wide"][1]])]
    if width == 32:
        return words
    places = range(0, 32, width)
    places = places if p["narrow_first"] == "low" else reversed(places)
    places = list(places)
    return [k >> at & (1 << width) - 1 for k in words for at in places][:count]


# ---- keys -----------------------------------------------------------------------

def split(key, count, a, p):
    if is_partitionable(a, p):
        return [block(key, i, p) for i in range(count)]
    words = hashed(key, 2 * count, p)
    return [words[2 * i:2 * i + 2] for i in range(count)]


def in_order(key, p):
    return [key[i] for i in p["key_words"]]


def key_of(case, p):
    a, seed = case.get("attributes", {}), elements(case["inputs"]["seed"])[0]
    dtype = case["inputs"]["seed"]["dtype"]
    seed &= (1 << p["seed_bits"]) - 1 if p["seed_bits"] < 64 else (1 << 64) - 1
    wide = dtype[1:] == "64"
    high = seed >> 32 if wide and (a.get("x64", False) or p["high_kept"]) or (
        p["sign"] == 64 and not wide) else 0
    return {"key": [to_bits(k, "u32") for k in in_order([high, seed & WORD], p)]}


def split_of(case, p):
    a, key = case.get("attributes", {}), elements(case["inputs"]["key"])
    count = product(a.get("shape", [2]))
    if "window" in case:
        first, many = case["window"]  # in words
        if not is_partitionable(a, p):
            return None
        words = [w for i in range(first // 2, (first + many + 1) // 2 + 1)
                 for w in in_order(block(key, i, p), p)][first % 2:][:many]
    else:
        words = [w for each in split(key, count, a, p) for w in in_order(each, p)]
    return {"keys": [to_bits(k, "u32") for k in words]}


def fold_in(case, p):
    key, data = elements(case["inputs"]["key"]), elements(case["inputs"]["data"])[0]
    data &= (1 << p["fold_bits"]) - 1
    counter = (data, 0) if p["fold_high"] else (0, data)
    return {"key": [to_bits(k, "u32") for k in in_order(threefry(key, counter, p), p)]}


# ---- numbers --------------------------------------------------------------------

def uniform(key, kind, shape, low, high, a, p):
    drawn = p["draws"].get(kind, {"f16": 16, "bf16": 8, "f32": 32, "f64": 64}[kind])
    places = p["mantissa"].get(kind, FLOATS[kind][0] - 1)
    drawn_bits = bits(key, drawn, shape, a, p)
    span = rounded(Fraction(high) - Fraction(low), kind) if p["scaled"] is True else high
    for k in drawn_bits:
        places = min(places, drawn)
        u = (k & (1 << places) - 1 if p["low_bits"] else k >> drawn - places) / 2.0 ** places
        if p["fused"]:
            x = Fraction(u) * Fraction(span) + Fraction(low)
            x = rounded(x, kind) if x else 0.0
        else:
            x = multiplied(u, span, kind)
            x = added(x, low, kind) if p["offset"] else x
        yield max(low, x) if p["kept"] else x


def uniform_of(case, p):
    a, inputs = case.get("attributes", {}), case["inputs"]
    kind = a.get("dtype", "f32")
    low, high = (elements(inputs[k])[0] if k in inputs else v
                 for k, v in (("minval", 0.0), ("maxval", 1.0)))
    if not (math.isfinite(low) and math.isfinite(high) and
            math.isfinite(rounded(Fraction(high) - Fraction(low), kind))):
        return None
    return {"output": [to_bits(x, kind) for x in uniform(
        elements(inputs["key"]), kind, a.get("shape", []), low, high, a, p)]}


def randint(key, kind, shape, low, high, a, p):
    size, signed = int(kind[1:]), kind[0] == "i"
    width = max(size, 32) if not p["own_width"] else size
    most = (1 << size - signed) - 1
    least, room = -most - 1 if signed else 0, width > size
    over = not room and high > most
    if p["clips"]:
        low, high = (min(max(k, least), most + (room and k is high)) for k in (low, high))
    low, high = wrapped(low, f"i{width + 32}"), wrapped(high, f"i{width + 32}")
    mask = (1 << width) - 1
    span = (high - low + (over and p["whole"]) + p["span"]) & mask if high > low else 1
    if high <= low and p["empty"] == "maximum":
        low = high

    def remainder(x, n):
        if p["signed"]:
            x -= x >> width - 1 << width
            return int(math.fmod(x, n)) if n else x
        return x % n if n else x
    keys = [key, key] if p["one_key"] else split(key, 2, a, p)
    if p["turned"]:
        keys.reverse()
    half = remainder(1 << width // 2, span)
    multiplier = remainder(half * half & mask, span) if p["multiplies"] else 1
    for h, l in zip(*(bits(k, width, shape, a, p) for k in keys)):
        x = remainder(h, span) * multiplier if p["high_draw"] else 0
        x += remainder(l, span) if p["low_draw"] else 0
        yield wrapped(low + remainder(x & mask, span), kind)


def randint_of(case, p):
    a, inputs = case.get("attributes", {}), case["inputs"]
    kind = a.get("dtype", "i32")
    return {"output": [to_bits(x, kind) for x in randint(
        elements(inputs["key"]), kind, a.get("shape", []), elements(inputs["minval"])[0],
        elements(inputs["maxval"])[0], a, p)]}


def coins(key, kind, shape, chance, mode, a, p):
    work = "f32" if p["in_f32"] else kind
    plain = p | {"kept": True, "fused": None, "offset": True, "scaled": True}
    if mode == "low" or not p["second"]:
        draws = uniform(key, work, shape, 0.0, 1.0, a, plain)
        return [u <= chance if p["at_most"] else u < chance for u in draws]
    draws = list(uniform(key, work, [2, *shape], 0.0, 1.0, a, plain))
    count = len(draws) // 2
    pairs = zip(draws[::2], draws[1::2]) if p["wide_shape"] else zip(draws[:count], draws[count:])
    scale = 2.0 ** (1 - FLOATS[work][0] + p["second_scale"])
    return [v * scale < added(chance, -u, work) for u, v in pairs]


def bernoulli_of(case, p):
    a, inputs = case.get("attributes", {}), case["inputs"]
    tensor = inputs.get("p", {"dtype": "f32", "bits": ["3f000000"]})
    chance = elements(tensor)
    if len(chance) != 1 or not math.isfinite(chance[0]):
        return None
    return {"output": [to_bits(int(x), "u8") for x in coins(
        elements(inputs["key"]), tensor["dtype"], a.get("shape", []), chance[0],
        a.get("mode", "low"), a, p)]}


def rademacher_of(case, p):
    a = case.get("attributes", {})
    kind = a.get("dtype", "i32")
    thrown = coins(elements(case["inputs"]["key"]), "f64" if kind[1:] == "64" else "f32",
                   a.get("shape", []), 0.5, "low", a, p)
    sides = p["sides"] if kind[0] == "i" else [float(k) for k in p["sides"]]
    return {"output": [to_bits(sides[k], kind) for k in thrown]}


# ---- orders ---------------------------------------------------------------------

def shuffled(key, outer, length, inner, a, p):
    """For each lane the order of its elements; a lane is of `outer` times `inner`."""
    lanes = outer * inner
    count, rounds = lanes * length, 0
    measure = length if p["by_length"] else count
    while measure and (1 << 32) ** 0 * WORD ** rounds < max(1, measure) ** 3:
        rounds += 1
    orders = [list(range(length)) for _ in range(lanes)]
    for _ in range(max(0, rounds + p["sorts"])):
        keys = split(key, 2, a, p)
        key, sub = keys[1 - p["subkey"]], keys[p["subkey"]]
        words = bits(sub, 32, [count], a, p)
        for lane in range(lanes):
            at = lane // inner * length * inner + lane % inner
            value = [words[at + i * inner] for i in range(length)]
            if p["by_signed"]:
                value = [wrapped(k, "i32") for k in value]
            order = sorted(range(length), key=lambda i: (
                -value[i] if p["descending"] else value[i], i if p["stable"] else -i))
            orders[lane] = [orders[lane][i] for i in order]
    return orders


def lanes_of(shape, axis):
    axis %= len(shape)
    return product(shape[:axis]), shape[axis], product(shape[axis + 1:])


def permuted(key, array, shape, axis, independent, a, p):
    outer, length, inner = lanes_of(shape, axis)
    if independent or len(shape) == 1:
        orders = shuffled(key, outer, length, inner, a, p)
    else:
        orders = shuffled(key, 1, length, 1, a, p) * (outer * inner)
    result = [None] * len(array)
    for lane, order in enumerate(orders):
        at = lane // inner * length * inner + lane % inner
        for i, source in enumerate(order):
            result[at + i * inner] = array[at + source * inner]
    return result


def array_of(tensor):
    """The bits of an array; a long one is known only where it counts from 0."""
    if "bits" in tensor:
        return tensor["bits"]
    kind = tensor["dtype"]
    ramp = [to_bits(i if kind not in FLOATS else float(i), kind)
            for i in range(min(product(tensor["shape"]), MOST))]
    return ramp if digest(ramp) == tensor["sha256"] else None


def permutation_of(case, p):
    a, x, key = (case.get("attributes", {}), case["inputs"]["x"], elements(case["inputs"]["key"]))
    if not x["shape"]:
        count = elements(x)[0]
        if count > MOST:
            return None
        array, shape = [to_bits(i, "i32") for i in range(count)], [count]
    else:
        array, shape = array_of(x), x["shape"]
    if array is None:
        return None
    axis = p["axis"] if p["axis"] is not None else a.get("axis", 0)
    independent = a.get("independent", False) and not p["one_order"]
    return {"output": permuted(key, array, shape, axis if x["shape"] else 0, independent, a, p)}


def choice_of(case, p):
    a, x, key = (case.get("attributes", {}), case["inputs"]["a"], elements(case["inputs"]["key"]))
    drawn = product(a.get("shape", []))
    replaces = p["replaces"] if p["replaces"] is not None else a.get("replace", True)
    axis = p["axis"] if p["axis"] is not None else a.get("axis", 0)
    whole = not x["shape"]
    shape = x["shape"] or [elements(x)[0]]
    array = [to_bits(i, "i32") for i in range(shape[0])] if whole else array_of(x)
    if array is None or len(array) > MOST:
        return None
    outer, length, inner = lanes_of(shape, axis if not whole else 0)
    if replaces:
        kind = "i64" if x["dtype"][1:] == "64" and not whole else "i32"
        rows = list(randint(key, kind, a.get("shape", []), 0, length, a, p)) if drawn else []
    else:
        order = shuffled(key, 1, length, 1, a, p)[0]
        rows = order[length - drawn:] if p["from_end"] else order[:drawn]
    if any(row < 0 or row >= length for row in rows):
        return {"output": []}
    return {"output": [array[(o * length + row) * inner + i]
                       for o in range(outer) for row in rows for i in range(inner)]}


def bits_of(case, p):
    a, key = case.get("attributes", {}), elements(case["inputs"]["key"])
    kind, wanted = a.get("dtype", "u32"), None
    if "window" in case:
        wanted = range(case["window"][0], sum(case["window"]))
    words = bits(key, int(kind[1:]), a.get("shape", []), a, p, wanted)
    return None if words is None else {"bits": [to_bits(k, kind) for k in words]}


OPERATIONS = {"jax.key": key_of, "jax.split": split_of, "jax.fold_in": fold_in,
              "jax.bits": bits_of, "jax.uniform": uniform_of, "jax.randint": randint_of,
              "jax.bernoulli": bernoulli_of, "jax.rademacher": rademacher_of,
              "jax.permutation": permutation_of, "jax.choice": choice_of}


# ---- mistakes -------------------------------------------------------------------

def of(*operations, **wanted):
    """Cases of these operations with these attributes."""
    names = ["jax." + k for k in operations]
    return lambda case: (not names or case["op"] in names) and all(
        case.get("attributes", {}).get(k) == v for k, v in wanted.items())


ROTATIONS = RIGHT["rotations"]
MISTAKES = [
    ("12 rounds", {"rounds": 12}), ("16 rounds", {"rounds": 16}), ("19 rounds", {"rounds": 19}),
    ("24 rounds", {"rounds": 24}), ("a rotation of 14", {"rotations": (14, *ROTATIONS[1:])}),
    ("a rotation of 23", {"rotations": (*ROTATIONS[:7], 23)}),
    ("rotations of four rounds", {"rotations": ROTATIONS[:4]}),
    ("rotations of halves exchanged", {"rotations": ROTATIONS[4:] + ROTATIONS[:4]}),
    ("another parity", {"parity": 0x1BD11BDB}), ("no parity", {"parity": 0}),
    ("key words exchanged", {"key_order": (1, 0)}), ("first key word twice", {"key_order": (0, 0)}),
    ("no keys between rounds", {"injects": False}), ("keys without number", {"injected": False}),
    ("no key at first", {"first_key": False}), ("key schedule one later", {"schedule": 1}),
    ("counter words exchanged", {"counter": (1, 0)}), ("words exchanged", {"lanes": (1, 0)}),
    ("counter of 32 bits", {"high": False}), ("counter from one", {"origin": 1}),
    ("counter of 8 bits", {"wraps_at": 256}), ("counter of 6 bits", {"wraps_at": 64}),
    ("nothing beyond 8", {"beyond": 8}), ("nothing beyond 64", {"beyond": 64}),
    ("columns before rows", {"column": True}),
    ("always partitionable", {"form": True}), ("never partitionable", {"form": False}),
    ("the first word", {"fold": "first"}), ("the second word", {"fold": "second"}),
    ("words added", {"fold": "sum"}), ("halves of 64 bits exchanged", {"wide": (1, 0)}),
    ("64 bits of one word", {"wide": (0, 0)}), ("narrow from the top", {"narrow": "high"}),
    ("narrow from the top, original", {"narrow_first": "high"}),
    ("odd counters padded by the next", {"odd": "next"}),
    ("odd counters padded by the last", {"odd": "last"}),
    ("counters in pairs", {"halves": False}), ("keys low word first", {"key_words": (1, 0)}),
    ("seeds extended to 64 bits", {"sign": 64}), ("seeds of 31 bits", {"seed_bits": 31}),
    ("seeds of 32 bits", {"seed_bits": 32}), ("seeds of 63 bits", {"seed_bits": 63}),
    ("high word without x64", {"high_kept": True}),
    ("folded as the high word", {"fold_high": True}),
    ("folded in 31 bits", {"fold_bits": 31}), ("folded in 16 bits", {"fold_bits": 16}),
    ("folded in 8 bits", {"fold_bits": 8}), ("mantissa of low bits", {"low_bits": True}),
    ("bf16 of 16 bits", {"draws": {"bf16": 16}}), ("f16 of 32 bits", {"draws": {"f16": 32}}),
    ("bf16 of 32 bits", {"draws": {"bf16": 32}}), ("f64 of 32 bits", {"draws": {"f64": 32}}),
    ("may lie below minval", {"kept": False}, of("uniform")),
    ("no minval", {"offset": False}, of("uniform")),
    ("maxval for the span", {"scaled": "high"}, of("uniform")),
    ("maxval included", {"span": 1}), ("maxval left out twice", {"span": -1}),
    ("no multiplier", {"multiplies": False}), ("no high draw", {"high_draw": False}),
    ("no low draw", {"low_draw": False}), ("one key for both draws", {"one_key": True},
                                           of("randint", "choice")),
    ("draws exchanged", {"turned": True}), ("signed remainders", {"signed": True}),
    ("drawn in the own width", {"own_width": True}), ("bounds not cut", {"clips": False}),
    ("an empty range gives maxval", {"empty": "maximum"}),
    ("a whole range one short", {"whole": False}), ("u up to p", {"at_most": True}),
    ("one draw in mode high", {"second": False}), ("second draw coarser", {"second_scale": 1}),
    ("second draw finer", {"second_scale": -1}), ("second draws in pairs", {"wide_shape": True}),
    ("coins in f32", {"in_f32": True}), ("sides exchanged", {"sides": (1, -1)}),
    ("sides 0 and 1", {"sides": (0, 1)}), ("one sort less", {"sorts": -1}),
    ("one sort more", {"sorts": 1}), ("sorted down", {"descending": True}),
    ("sorts that turn equals", {"stable": False}), ("sorted as signed", {"by_signed": True}),
    ("subkey and key exchanged", {"subkey": 0}), ("one order for all lanes", {"one_order": True}),
    ("sorts by the length", {"by_length": True}), ("the last of the order", {"from_end": True}),
    ("always replaced", {"replaces": True}), ("never replaced", {"replaces": False},
                                              lambda case: fits_without(case)),
    ("axis 0", {"axis": 0}),
] + [(f"{kind} of {FLOATS[kind][0] - 1 + by} bits", {"mantissa": {kind: FLOATS[kind][0] - 1 + by}})
     for kind in FLOATS for by in (-1, 1) if (kind, by) != ("bf16", 2)] + [
    (f"counter from one in {k}", {"origin": 1}, of(k)) for k in ("bits", "split", "uniform")] + [
    (f"12 rounds in {k}", {"rounds": 12}, of(k)) for k in (
        "key", "split", "fold_in", "bits", "uniform", "randint", "bernoulli", "rademacher",
        "permutation", "choice") if k != "key"] + [
    (f"never partitionable in {k}", {"form": False}, of(k)) for k in (
        "split", "bits", "uniform", "randint", "bernoulli", "rademacher", "permutation", "choice")]


def fits_without(case):
    a, x = case.get("attributes", {}), case["inputs"].get("a")
    if case["op"] != "jax.choice":
        return False
    length = x["shape"][a.get("axis", 0)] if x["shape"] else elements(x)[0]
    return product(a.get("shape", [])) <= length


# ---- cases ----------------------------------------------------------------------

def cases_of_suite():
    """Cases that keep all their bits and that our implementation knows."""
    with open(f"vectors/golden/{SUITE}.jsonl") as manifest:
        next(manifest)
        for case in map(json.loads, manifest):
            compute, outputs = OPERATIONS.get(case["op"]), case.get("outputs", {})
            threefry2x32 = case.get("attributes", {}).get("impl", "threefry2x32") == "threefry2x32"
            small = outputs and all(
                isinstance(t, dict) and "sha256" in t and
                ("window" in t or product(t["shape"]) <= MOST) for t in outputs.values())
            if compute and threefry2x32 and small and compute(case, RIGHT) is not None:
                yield case


def differs(case, outputs):
    """Whether some output is another than the kept one, of which there is a digest."""
    return outputs is None or any(digest(given) != case["outputs"][name]["sha256"]
                                  for name, given in outputs.items())


fused = {}


def allowed(case, outputs):
    """Whether the outputs of a uniform draw are those of the other rounding."""
    if case["op"] != "jax.uniform":
        return False
    if case["id"] not in fused:
        fused[case["id"]] = uniform_of(case, RIGHT | {"fused": True})
    return outputs == fused[case["id"]]


def kills(mistakes, case):
    p = implementation(RIGHT, mistakes, case)
    if p == RIGHT:
        return False
    outputs = OPERATIONS[case["op"]](case, p)
    return differs(case, outputs) and not allowed(case, outputs)


def main():
    cases = sorted(cases_of_suite(), key=lambda case: sum(
        product(t["shape"]) if "window" not in t else 64 for t in case["outputs"].values()))
    wrong = [case["id"] for case in cases
             if differs(case, OPERATIONS[case["op"]](case, RIGHT))]
    report(f"ours equals the golden vectors in {len(cases)} cases", ", ".join(wrong[:30]) or None)
    left = survivors([[mistake] for mistake in MISTAKES], cases, kills)
    report(f"of {len(MISTAKES)} mistakes {len(left)} survive", ", ".join(left) or None)
    left = survivors(drawn_pairs(MISTAKES, PAIRS), cases, kills)
    report(f"of {PAIRS} pairs of them {len(left)} survive", ", ".join(left[:20]) or None)
    print(f"# seed {SEED}: {PAIRS} pairs")
    finish()


if __name__ == "__main__":
    main()
