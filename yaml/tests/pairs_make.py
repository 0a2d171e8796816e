# SPDX-License-Identifier: Apache-2.0
"""Writes cases in which the pairs and triples of values that a suite misses are together.

    pairs_make.py [--build build] SUITE    the rows of a matrix, in YAML

Greedy: each row is, of some hundred drawn ones that the reference accepts, the one that meets most
of what is missing for its size. What is drawn depends on nothing but the suite.
"""

import argparse
import math
import random
import sys

import pairs

LOOKED_AT, DRAWN = 48, 480  # tuples and requests that each row is chosen from
PREFIX = "pairs-"  # of the ids of the cases that this writes
FREE_ELEMENTS = 400  # that cost as much as a row itself


def repair(suite, of, fixed):
    """Makes values stand together as far as nothing fixed speaks against it."""
    quantised = of["type"] in pairs.QUANTISED

    def put(axis, value):
        if axis in of and axis not in fixed:
            of[axis] = value

    if of["cell"] != "lstm" and any(fixed.get(axis, "absent") not in ("absent", "none") for axis in
                                    ("c", "peephole", "projection", "diff_iter_c")):
        put("cell", "lstm")
    if of["cell"] != "lstm":
        for axis, value in (("c", "none"), ("peephole", "absent"), ("projection", "absent"),
                            ("diff_iter_c", "absent"), ("projection_scales", "none")):
            put(axis, value)
    elif of["c"] == "none":
        put("c", "f32")
    if quantised:
        put("peephole", "absent")
        put("propagation", "forward_inference")
        put("bias", "f32" if of["bias"] == "narrow" else of["bias"])
        put("c", "f32" if of["c"] == "narrow" else of["c"])
        if of["scales"] == "none":
            put("scales", "one")
    else:
        for axis, value in (("scales", "none"), ("projection_scales", "none"), ("output", "data")):
            put(axis, value)
        put("states", "data" if of["states"] == "f32" else of["states"])
        if of["type"] == "f32":
            put("bias", "f32" if of["bias"] == "narrow" else of["bias"])
            put("c", "f32" if of["c"] == "narrow" else of["c"])
    if of["projection"] == "absent":
        put("projection_scales", "none")
    if of["layers"] != "1" and of["projection"] == "absent":
        put("source", "equal")


def draw(suite, item, rng):
    """A request with these values and others by chance."""
    fixed = pairs.fine(item)
    of = {axis: rng.choice([v for v in values if axis not in ("times", "batch") or v != "0"])
          for axis, values in pairs.AXES[suite].items()}
    if rng.random() < 0.9:
        of |= {"width": "usual"}
    of |= fixed
    repair(suite, of, fixed)
    return of


def cost(suite, of):
    """Elements that the golden vectors keep: more than 65,536 in one tensor are digests. Then what
    counts is that they are computed with. A gradient is as large as what it is the gradient of.
    """
    t, n, layers, d, _, sic, dhc, dic = pairs.sizes(suite, of)
    kept = [math.prod(tensor["shape"]) for tensor in pairs.build(suite, of)["inputs"].values()]
    if of["propagation"] == "backward":
        kept *= 2
    else:
        kept += [t * n * dic * d, layers * d * n * (sic + dhc)]
    return sum(size if size <= 65536 else size * max(1, t * n) / 64 for size in kept)


def make_rows(suite, build):
    """Rows, the fewest that greed finds, and what no request can have."""
    reference = pairs.Reference(suite, build)
    missing = pairs.wanted(suite) - pairs.met(suite, left_out=PREFIX)
    rest = pairs.can_stand(reference, missing)
    refused, rows, rng = len(missing) - len(rest), [], random.Random(suite)
    while rest:
        looked = rng.sample(sorted(rest), min(LOOKED_AT, len(rest)))
        drawn = [draw(suite, looked[i % len(looked)], rng) for i in range(DRAWN)]
        reference.ask(drawn)
        best, most, meets = None, 0, set()
        for of in drawn:
            fresh = rest.intersection(pairs.tuples(suite, of)) if reference.accepts(of) else ()
            worth = len(fresh) / (1 + cost(suite, of) / FREE_ELEMENTS)
            if worth > most:
                best, most, meets = of, worth, fresh
        if best:
            rows.append(best)
            rest -= meets
    return rows, refused


BITS = {"f32": 20, "bf16": 8, "f16": 11, "u8": "~", "i8": "~"}
WEIGHTS = "lowest: -2, highest: -2, sparse: {axis: 2, count: 2}"
FLOATS = {
    "src_layer": "{fill: grid, dtype: $r.t, shape: [$r.T, $r.N, $r.S], bits: $r.x}",
    "src_iter": "{fill: grid, dtype: $r.s, shape: [$r.L, $r.D, $r.N, $r.I], bits: $r.x}",
    "src_iter_c": "{fill: grid, dtype: $r.k, shape: [$r.L, $r.D, $r.N, $r.C], bits: 8}",
    "attention": "{fill: grid, dtype: $r.u, shape: [$r.T, $r.N, 1], bits: 8}",
    "weights_layer": "{fill: floats, dtype: $r.t, shape: [$r.L, $r.D, $r.S, $r.G, $r.C], "
                     f"{WEIGHTS}}}",
    "weights_iter": "{fill: floats, dtype: $r.t, shape: [$r.L, $r.D, $r.I, $r.G, $r.C], "
                    f"{WEIGHTS}}}",
    "weights_peephole": "{fill: grid, dtype: $r.h, shape: [$r.L, $r.D, 3, $r.C], bits: 20}",
    "weights_projection": "{fill: floats, dtype: $r.j, shape: [$r.L, $r.D, $r.C, $r.I], "
                          f"{WEIGHTS}}}",
    "bias": "{fill: grid, dtype: $r.b, shape: [$r.L, $r.D, $r.B, $r.C], bits: 8}",
}
INTEGERS = "{{fill: integers, dtype: {}, shape: [{}], low: {}, high: {}}}".format
FORMS = {
    "float": ({"cell": "$r.c", "activation": "$r.a", "alpha": "$r.e", "direction": "$r.d",
               "propagation": "$r.p", "dst_iter_c_type": "$r.K"}, FLOATS),
    "int8": ({"cell": "$r.c", "direction": "$r.d", "data_scale": "$r.f", "data_shift": "$r.z",
              "dst_layer_type": "$r.o", "weights_scales": "$r.w", "weights_scales_mask": "$r.W",
              "projection_scales": "$r.q", "projection_scales_mask": "$r.Q"},
             FLOATS | {
                 "src_layer": "{fill: bits, dtype: $r.t, shape: [$r.T, $r.N, $r.S]}",
                 "src_iter": INTEGERS("$r.s", "$r.L, $r.D, $r.N, $r.I", "$r.l", "$r.m"),
                 "weights_layer": INTEGERS("i8", "$r.L, $r.D, $r.S, $r.G, $r.C", -50, 50),
                 "weights_iter": INTEGERS("i8", "$r.L, $r.D, $r.I, $r.G, $r.C", -50, 50),
                 "weights_projection": INTEGERS("$r.j", "$r.L, $r.D, $r.C, $r.I", -50, 50)}),
    "backward": ({"cell": "$r.c", "activation": "$r.a", "alpha": "$r.e", "direction": "$r.d",
                  "propagation": "backward", "dst_iter_c_type": "$r.K",
                  "diff_weights_overwrite": "$r.v"},
                 FLOATS | {
                     "diff_dst_layer": "{fill: grid, dtype: f32, shape: [$r.T, $r.N, $r.O], "
                                       "bits: 20}",
                     "diff_dst_iter": "{fill: grid, dtype: $r.i, shape: [$r.L, $r.D, $r.N, $r.I], "
                                      "bits: 20}",
                     "diff_dst_iter_c": "{fill: grid, dtype: $r.n, shape: [$r.L, $r.D, $r.N, $r.C],"
                                        " bits: 20}"} | {
                     "diff_" + name: f"{{fill: grid, dtype: {given}, shape: [$r.L, $r.D, {rest}], "
                                     "bits: 20}"
                     for name, given, rest in (
                         ("weights_layer", "$r.g", "$r.S, $r.G, $r.C"),
                         ("weights_iter", "$r.g", "$r.I, $r.G, $r.C"),
                         ("weights_peephole", "$r.H", "3, $r.C"),
                         ("weights_projection", "$r.J", "$r.C, $r.I"),
                         ("bias", "$r.y", "$r.B, $r.C"))
                 }),
}


def row_of(suite, of, number):
    """The letters that a form puts in, of one request."""
    request = pairs.build(suite, of)
    attributes, inputs = request["attributes"], request["inputs"]
    t, n, layers, d, slc, sic, dhc, dic = pairs.sizes(suite, of)
    gates, rows = pairs.GATES[attributes["cell"]]

    def given(name):
        return inputs[name]["dtype"] if name in inputs else "~"

    state = given("src_iter")
    low, high = {"u8": (0, 255), "i8": (-128, 127), "f32": (-1, 1)}.get(state, ("~", "~"))
    scales = {key: attributes.get(key, "~") for key in ("weights_scales", "projection_scales")}
    return {"name": f"{of['cell']}-{of['type']}-{number}", "c": attributes["cell"],
            "a": attributes.get("activation", "~"), "e": attributes.get("alpha", "~"),
            "d": of["direction"], "p": of["propagation"], "t": of["type"], "x": BITS[of["type"]],
            "T": t, "N": n, "L": layers, "D": d, "S": slc, "I": sic, "C": dhc, "G": gates,
            "B": rows, "O": dic * (2 if of["direction"] == "bidirectional_concat" else 1),
            "s": state, "l": low, "m": high, "k": given("src_iter_c"), "b": given("bias"),
            "K": attributes.get("dst_iter_c_type", "~"), "u": given("attention"),
            "h": given("weights_peephole"), "j": given("weights_projection"),
            "f": attributes.get("data_scale", "~"), "z": attributes.get("data_shift", "~"),
            "o": attributes.get("dst_layer_type", "~"), "w": scales["weights_scales"],
            "W": attributes.get("weights_scales_mask", "~"), "q": scales["projection_scales"],
            "Q": attributes.get("projection_scales_mask", "~"), "i": given("diff_dst_iter"),
            "n": given("diff_dst_iter_c"), "g": given("diff_weights_layer"),
            "H": given("diff_weights_peephole"), "J": given("diff_weights_projection"),
            "y": given("diff_bias"), "v": of.get("overwrite", "~")}


def write_form(name, rows):
    """One case whose matrix holds these rows."""
    attributes, inputs = FORMS[name]
    body = "\n".join(
        [f"    attributes: {{{', '.join(f'{k}: {v}' for k, v in attributes.items())}}}",
         "    inputs:"] + [f"      {k}: {v}" for k, v in inputs.items()])
    print(f"  - id: {PREFIX}{{r.name}}\n    matrix:\n      r:")
    for row in rows:
        used = {k: v for k, v in row.items() if k == "name" or f"$r.{k}" in body}
        print(f"        - {{{', '.join(f'{k}: {v}' for k, v in used.items())}}}")
    print(f"    covers: [RN-PAIRS]\n    op: onednn.rnn\n{body}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("suite", choices=pairs.AXES)
    options = parser.parse_args()
    rows, refused = make_rows(options.suite, options.build)
    print(f"{len(rows)} rows; {refused} tuples cannot stand", file=sys.stderr)
    forms = {}
    for number, of in enumerate(rows, 1):
        name = ("backward" if of["propagation"] == "backward" else
                "int8" if of["type"] in pairs.QUANTISED else "float")
        forms.setdefault(name, []).append(row_of(options.suite, of, number))
    for name in FORMS:
        if name in forms:
            write_form(name, forms[name])


if __name__ == "__main__":
    main()
