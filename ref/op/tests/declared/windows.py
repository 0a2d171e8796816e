# SPDX-License-Identifier: Apache-2.0
"""Windows and their reverse as the language of declared operators has them, once more: for arrays
of NumPy, of whatever elements."""

import numpy as np


def flat(axes):
    """A list in a list is part of it."""
    return [n for a in axes for n in flat(a)] if isinstance(axes, (list, tuple)) else [axes]


def places(length, size, stride, dilation, pads, ceil):
    """Of each place of a window what it sees, None beyond: of pads (before, after) or a rule."""
    reach = (size - 1) * dilation
    if isinstance(pads, str):
        missing = 0 if pads == "VALID" else max(
            ((length + stride - 1) // stride - 1) * stride + reach + 1 - length, 0)
        before = (missing + (pads == "SAME_LOWER")) // 2
        pads = before, missing - before
    rest = length + sum(pads) - reach - 1
    count = (rest + (stride - 1 if ceil else 0)) // stride + 1
    count -= bool(ceil) and (count - 1) * stride >= length + pads[0]
    return [[i if 0 <= i < length else None for i in range(
        p * stride - pads[0], p * stride - pads[0] + reach + 1, dilation)] for p in range(count)]


def seen_along(lengths, sizes, strides, dilations, pads, ceil):
    """For each axis what `places` gives."""
    n, sizes = len(flat(sizes)), [int(i) for i in flat(sizes)]
    strides, dilations = ([int(i) for i in (flat(of) * n)[:n]] for of in (strides, dilations))
    if not isinstance(pads, str):
        pads = [int(i) for i in (flat(pads) * 2 * n)[:2 * n]]
    return [places(int(lengths[i]), sizes[i], strides[i], dilations[i], pads if isinstance(
        pads, str) else (pads[i], pads[n + i]), int(ceil)) for i in range(n)]


def windows(x, sizes, strides, dilations, pads, value=0, ceil=0):
    n = len(flat(sizes))
    lead, lengths = np.shape(x)[:-n], np.shape(x)[-n:]
    seen = seen_along(lengths, sizes, strides, dilations, pads, ceil)
    out = np.full((*lead, *(len(s) for s in seen), *(len(s[0]) for s in seen)), value, object)
    for at in np.ndindex(*out.shape[len(lead):]):
        place = tuple(s[p][k] for s, p, k in zip(seen, at[:n], at[n:]))
        if None not in place:
            out[(..., *at)] = np.asarray(x, object)[(..., *place)]
    return out


def seen_by(g, shape, sizes, strides, dilations, pads, ceil=0):
    n = len(flat(sizes))
    lengths = [int(i) for i in flat(list(shape))[-n:]]
    lead, seen = np.shape(g)[:-2 * n], seen_along(lengths, sizes, strides, dilations, pads, ceil)
    out = np.full((*lead, *lengths, *(len(s[0]) for s in seen)), 0, object)
    for at in np.ndindex(*(len(s) for s in seen), *out.shape[len(lead) + n:]):
        place = tuple(s[p][k] for s, p, k in zip(seen, at[:n], at[n:]))
        if None not in place:
            inside = tuple(0 if size == 1 else k for size, k in zip(np.shape(g)[-n:], at[n:]))
            out[(..., *place, *at[n:])] = np.asarray(g, object)[(..., *at[:n], *inside)]
    return out
