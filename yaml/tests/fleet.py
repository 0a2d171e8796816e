# SPDX-License-Identifier: Apache-2.0
"""Tables of mistakes before the cases of a suite. A mistake is (name, changes) or (name, changes,
where): other values of what a right implementation does, for all cases or for some."""

import itertools
import os
import random
import secrets

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))


def implementation(right, mistakes, case):
    """What a right implementation does with these mistakes where they concern the case."""
    result = dict(right)
    for _, changes, *where in mistakes:
        if not where or where[0](case):
            result |= changes
    return result


def names(mistakes):
    return " with ".join(name for name, *_ in mistakes)


def drawn_pairs(table, count, rng=None):
    """Pairs of mistakes that do not change the same thing."""
    pairs = [pair for pair in itertools.combinations(table, 2)
             if not pair[0][1].keys() & pair[1][1].keys()]
    return (rng or random.Random(SEED)).sample(pairs, count)


def survivors(wrongs, cases, kills):
    """Names of those sets of mistakes that kills(mistakes, case) says of no case. Cases that killed
    last are tried first."""
    left, killers = [], []
    for mistakes in wrongs:
        for case in itertools.chain(list(killers), cases):
            if kills(mistakes, case):
                killers = [case] + [k for k in killers if k is not case][:7]
                break
        else:
            left.append(names(mistakes))
    return left
