#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the cases of a suite that pairs_words.py finds missing: rows of matrices, one for each
operation. usage: pairs_words_make.py SUITE REQUIREMENT [FIRST], from the root, to be put at the end
of the suite's file, or of the rows that it has, numbered from FIRST. Cases that are there already
count, so that a second run writes nothing.
"""

import json
import random
import sys

import pairs_words

DRAWN = 400  # assignments among which the one is taken that has most missing pairs


def draw(space, pair, rng):
    """An assignment with that pair, or None where four hundred draws have no such."""
    fixed = dict(pair)
    for _ in range(DRAWN):
        of = {axis: fixed.get(axis) or rng.choice(values) for axis, values in space.axes.items()}
        if not space.rule(of) and pair in space.shows(of):
            return of
    return space.can_stand(pair, rng)


def make_rows(space, rng):
    rows, rest = [], set(space.pairs()) - space.met()
    rest = {pair for pair in sorted(rest) if space.can_stand(pair, rng)}
    while rest:
        looked = rng.sample(sorted(rest), min(40, len(rest)))
        drawn = [draw(space, looked[i % len(looked)], rng) for i in range(DRAWN)]
        meets = [rest & space.shows(of) for of in drawn]
        best = max(range(len(drawn)), key=lambda i: len(meets[i]))
        rows.append(drawn[best])
        rest -= meets[best]
    return rows


def flow(value):
    """As YAML in one line; numbers keep every digit."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, float) and value == int(value) and abs(value) >= 2 ** 60:
        return value.hex()
    quoted = isinstance(value, str) and value[0].isdigit()
    return json.dumps(value) if quoted or not isinstance(value, str) else value


def main():
    rng = random.Random(20)
    for space in pairs_words.SPACES:
        rows = make_rows(space, rng) if space.suite == sys.argv[1] else []
        name = space.op.split(".", 1)[1].replace("_", "-")
        if not rows:
            continue
        print(f"  - id: pairs-{name}-{{r.n}}\n    matrix:\n      r:")
        for number, of in enumerate(rows, int(sys.argv[3]) if sys.argv[3:] else 1):
            request = space.request(of)
            print(f"        - {{n: {number}, a: {flow(request['attributes'])}, "
                  f"i: {flow(request['inputs'])}}}")
        print(f"    covers: [{sys.argv[2]}]\n    op: {space.op}\n    attributes: $r.a\n"
              "    inputs: $r.i")


if __name__ == "__main__":
    main()
