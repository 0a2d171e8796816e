# SPDX-License-Identifier: Apache-2.0
"""Wrong implementations of RandomUniform (TensorFlow's alignment) and of DirectML's generator
before the golden vectors: an implementation of our own, equal to them while it is right, with each
mistake of a table and with pairs of them, drawn by ASSAY_SEED. A case kills a mistake by other
bits; none may survive.
"""

import json
import math
import os
import sys

sys.path.insert(0, "harness/tests")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import SEED, drawn_pairs, implementation, survivors  # noqa: E402
from fleet_numbers import FLOATS, digest, rounded, to_bits  # noqa: E402
from pairs_words import elements, product, scalar  # noqa: E402
from tap import finish, report  # noqa: E402

WORD, MOST = 0xffffffff, 3000  # elements of a case that is looked at
PAIRS = 100
# What an implementation does; a mistake is other values of some of these, for some cases.
RIGHT = {"rounds": 10, "m0": 0xD2511F53, "m1": 0xCD9E8D57, "w0": 0x9E3779B9, "w1": 0xBB67AE85,
         "key": (0, 1), "counter": (0, 1, 2, 3), "lanes": (0, 1, 2, 3), "first": 0,
         "seed_bits": 64, "op_bits": 64, "group_bits": 64, "fraction": {}, "shift": 0,
         "low_half": False, "halves": False, "span": 0, "minimum": True, "fused": False,
         "truncates": False, "signed": False, "clamps": False, "beyond": math.inf,
         "carry": 4, "advance": "blocks", "state_key": True, "restart": math.inf}


# ---- the generator --------------------------------------------------------------

def block(counter, key, p):
    c, k = [counter[i] for i in p["counter"]], [key[i] for i in p["key"]]
    for _ in range(p["rounds"]):
        a, b = p["m0"] * c[0], p["m1"] * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [(k[0] + p["w0"]) & WORD, (k[1] + p["w1"]) & WORD]
    return [c[i] for i in p["lanes"]]


def words_of(x):
    return [x & WORD, x >> 32 & WORD]


def value(words, kind, low, high, p):
    if kind[0] == "i":
        drawn = words[0]
        if kind == "i64" and not p["low_half"]:
            drawn |= words[1] << 32
            drawn = (drawn & WORD) << 32 | drawn >> 32 if p["halves"] else drawn
        if p["signed"]:
            drawn -= drawn >> int(kind[1:]) - 1 << int(kind[1:])
        span = max(high - low + p["span"], 1)
        return drawn % span + (low if p["minimum"] else 0)
    tie = "cut" if p["truncates"] else "even"
    bits = p["fraction"].get(kind, FLOATS[kind][0] - 1)
    drawn = words[0] >> p["shift"]
    if kind == "f64":
        drawn = words[1] << 32 | words[0] if p["halves"] else words[0] << 32 | words[1]
        drawn = words[0] << 20 if p["low_half"] else drawn
    x = (drawn & (1 << bits) - 1) / 2.0 ** bits
    span = rounded(high - low, kind)
    result = x * span if p["fused"] else rounded(x * span, kind, tie)
    result = rounded(result + (low if p["minimum"] else 0), kind, tie)
    return min(result, high - abs(high) / 1024) if p["clamps"] else result


def uniform(case, p):
    a, kind = case["attributes"], case["attributes"]["output_type"]
    if a.get("alignment", "tensorflow") != "tensorflow":
        return None
    low, high = scalar(case, "minval"), scalar(case, "maxval")
    if kind in FLOATS and not (math.isfinite(low) and math.isfinite(high) and
                              abs(high - low) < 1e30 and max(abs(low), abs(high)) > 1e-4):
        return None  # not of ends of the range
    count, wide = product(elements(case["inputs"]["shape"])), 2 if kind[1:] == "64" else 1
    key = words_of(a.get("global_seed", 0) & (1 << p["seed_bits"]) - 1)
    op = words_of(a.get("op_seed", 0) & (1 << p["op_bits"]) - 1)
    drawn = []
    for n in range((count * wide + 3) // 4):
        group = (n + p["first"]) % (1 << p["group_bits"]) if n < p["restart"] else 0
        drawn += block(words_of(group) + op, key, p)
    values = [value(drawn[i * wide:i * wide + wide], kind, low, high, p) for i in range(count)]
    return {"output": [to_bits(x if i < p["beyond"] else 0, kind) for i, x in enumerate(values)]}


def directml(case, p):
    a, state = case["attributes"], elements(case["inputs"]["input_state"])
    count, whole = product(a["output_sizes"]), sum(k << 32 * i for i, k in enumerate(state[:4]))

    def after(blocks):
        mask = (1 << 32 * p["carry"]) - 1
        total = whole & ~mask | whole + blocks & mask
        return [total >> 32 * i & WORD for i in range(4)]

    drawn, blocks = [], (count + 3) // 4
    for n in range(blocks):
        drawn += block(after(n + p["first"]), state[4:], p)
    result = {"output": [to_bits(k if i < p["beyond"] else 0, "i32")
                         for i, k in enumerate(drawn[:count])]}
    if str(a.get("output_state", "false")).lower() == "true":
        steps = {"blocks": blocks, "elements": count, "whole": count // 4, "none": 0,
                 "one more": blocks + 1}[p["advance"]]
        result["output_state"] = [to_bits(k, "i32") for k in after(steps) + (
            state[4:] if p["state_key"] else [0, 0])]
    return result


# ---- mistakes -------------------------------------------------------------------

def of(**wanted):
    """Cases with these attributes."""
    return lambda case: all(case["attributes"].get(k) == v for k, v in wanted.items())


GENERATOR = [
    ("nine rounds", {"rounds": 9}), ("eleven rounds", {"rounds": 11}),
    ("seven rounds", {"rounds": 7}), ("multipliers exchanged", {"m0": 0xCD9E8D57,
                                                                "m1": 0xD2511F53}),
    ("a multiplier off by 2", {"m0": 0xD2511F51}), ("a Weyl constant off by 1", {"w1": 0xBB67AE86}),
    ("key not updated", {"w0": 0, "w1": 0}), ("second key word not updated", {"w1": 0}),
    ("key words exchanged", {"key": (1, 0)}), ("first key word twice", {"key": (0, 0)}),
    ("counter reversed", {"counter": (3, 2, 1, 0)}),
    ("counter halves exchanged", {"counter": (2, 3, 0, 1)}),
    ("counter words exchanged in pairs", {"counter": (1, 0, 3, 2)}),
    ("words reversed", {"lanes": (3, 2, 1, 0)}), ("last words exchanged", {"lanes": (0, 1, 3, 2)}),
    ("first words exchanged", {"lanes": (1, 0, 2, 3)}), ("counter from one", {"first": 1}),
    ("nothing beyond 8 elements", {"beyond": 8}),
    ("nothing beyond 1,000 elements", {"beyond": 1000}),
]
UNIFORM = GENERATOR + [
    ("global_seed of 32 bits", {"seed_bits": 32}), ("op_seed of 32 bits", {"op_bits": 32}),
    ("op_seed of 31 bits", {"op_bits": 31}), ("groups of 6 bits", {"group_bits": 6}),
    ("words start again after 64 groups", {"restart": 64}),
    ("f32 of 22 bits", {"fraction": {"f32": 22}}), ("f32 of 24 bits", {"fraction": {"f32": 24}}),
    ("f16 of 11 bits", {"fraction": {"f16": 11}}), ("bf16 of 8 bits", {"fraction": {"bf16": 8}}),
    ("f64 of 53 bits", {"fraction": {"f64": 53}}), ("f64 of 51 bits", {"fraction": {"f64": 51}}),
    ("f32 of high bits", {"shift": 9}, of(output_type="f32")),
    ("f16 of high bits", {"shift": 22}, of(output_type="f16")),
    ("bf16 of high bits", {"shift": 25}, of(output_type="bf16")),
    ("f64 of one word", {"low_half": True}, of(output_type="f64")),
    ("f64 halves exchanged", {"halves": True}, of(output_type="f64")),
    ("i64 of one word", {"low_half": True}, of(output_type="i64")),
    ("i64 halves exchanged", {"halves": True}, of(output_type="i64")),
    ("i32 with maxval", {"span": 1}, of(output_type="i32")),
    ("i64 with maxval", {"span": 1}, of(output_type="i64")),
    ("i32 one short", {"span": -1}, of(output_type="i32")),
    ("i32 drawn signed", {"signed": True}, of(output_type="i32")),
    ("i64 drawn signed", {"signed": True}, of(output_type="i64")),
] + [(f"{kind} without minval", {"minimum": False}, of(output_type=kind))
     for kind in (*FLOATS, "i32", "i64")] + [
    (f"{kind} truncated", {"truncates": True}, of(output_type=kind))
    for kind in ("f32", "f16", "bf16")] + [
    (f"{kind} fused", {"fused": True}, of(output_type=kind)) for kind in ("f32", "f16", "bf16")] + [
    (f"{kind} kept below maxval", {"clamps": True}, of(output_type=kind)) for kind in FLOATS]
DIRECTML = GENERATOR + [
    ("carry of 32 bits", {"carry": 1}), ("carry of 64 bits", {"carry": 2}),
    ("carry of 96 bits", {"carry": 3}), ("state by elements", {"advance": "elements"}),
    ("state by whole blocks", {"advance": "whole"}), ("state not advanced", {"advance": "none"}),
    ("state one further", {"advance": "one more"}), ("state without key", {"state_key": False}),
    ("counter from one at level 3.1", {"first": 1}, of(feature_level="3.1")),
]


def read(suite, op, compute):
    """Cases that keep all their bits and that our implementation knows."""
    with open(f"vectors/golden/{suite}.jsonl") as manifest:
        next(manifest)
        for case in map(json.loads, manifest):
            outputs = case.get("outputs", {})
            small = all(isinstance(t, dict) and "sha256" in t and product(t["shape"]) <= MOST
                        for t in outputs.values()) and "window" not in case
            ours = case["op"] == op and "output" in outputs and small
            if ours and compute(case, RIGHT) is not None:
                yield case


def differs(case, outputs):
    """Whether some output is another than the kept one, of which there is a digest."""
    return any(digest(bits) != case["outputs"][name]["sha256"]
               for name, bits in outputs.items() if name in case["outputs"])


def main():
    for suite, compute, table in (("openvino.random_uniform", uniform, UNIFORM),
                                  ("directml.random_generator", directml, DIRECTML)):
        cases = sorted(read(suite, suite, compute),
                       key=lambda case: product(case["outputs"]["output"]["shape"]))
        wrong = [case["id"] for case in cases if differs(case, compute(case, RIGHT))]
        report(f"{suite}: ours equals the golden vectors in {len(cases)} cases",
               ", ".join(wrong[:20]) or None)

        def kills(mistakes, case):
            p = implementation(RIGHT, mistakes, case)
            return p != RIGHT and differs(case, compute(case, p))
        left = survivors([[mistake] for mistake in table], cases, kills)
        report(f"{suite}: of {len(table)} mistakes {len(left)} survive", ", ".join(left) or None)
        left = survivors(drawn_pairs(table, PAIRS), cases, kills)
        report(f"{suite}: of {PAIRS} pairs of them {len(left)} survive",
               ", ".join(left[:20]) or None)
    print(f"# seed {SEED}: {PAIRS} pairs of mistakes in each suite")
    finish()


if __name__ == "__main__":
    main()
