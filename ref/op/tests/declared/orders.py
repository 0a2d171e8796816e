# SPDX-License-Identifier: Apache-2.0
"""Numbers kept in so many significant bits, and orders in which terms are added up along their
first axis; `add` adds two arrays and rounds."""

import numpy as np


def cut(x, bits):
    """x with so many significant bits, the others cut off."""
    m, e = np.frexp(x)
    return np.ldexp(np.trunc(np.ldexp(m, bits)), e - bits)


def near(x, bits):
    """x rounded to so many significant bits, ties to even."""
    m, e = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(m, bits)), e - bits)


def chain(terms, add):
    s = np.zeros(terms.shape[1:], terms.dtype)
    for t in terms:
        s = add(s, t)
    return s


def pairs(terms, add):
    while len(terms) > 1:
        if len(terms) % 2:
            terms = np.concatenate([terms, np.zeros((1, *terms.shape[1:]), terms.dtype)])
        terms = add(terms[::2], terms[1::2])
    return terms[0]


def blocks(terms, add, size):
    return chain(np.array([chain(terms[k:k + size], add) for k in range(0, len(terms), size)]),
                 add)


def lanes(terms, add, count):
    return pairs(np.array([chain(terms[k::count], add) for k in range(min(count, len(terms)))]),
                 add)


def shuffled(terms, add, seed):
    return pairs(terms[np.random.default_rng(seed).permutation(len(terms))], add)
