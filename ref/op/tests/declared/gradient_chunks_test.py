# SPDX-License-Identifier: Apache-2.0
"""The gradient of a linear recurrence beyond one step: what an algorithm gives that forms all its
tokens at once, in f32, lies in the bounds, for each update rule. Slopes of decays are differences,
and decays two factors or one. What was wrong by a state, an adjoint or a decay does not lie there.
ASSAY_SEED repeats a run."""

import os
import secrets
import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from ask import evaluate  # noqa: E402
from tap import check, finish  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
RULES = ("linear", "gated", "delta", "gated_delta")
SLIPS = ("state_after", "last_state_left_out", "decay_before", "rate_left_out")


def drawn(rng, rule, n, k, v):
    def of(*shape):
        return np.float32(rng.integers(-128, 129, shape)) / np.float32(128)
    return {"query": of(n, k), "key": of(n, k), "value": of(n, v), "past_state": of(k, v),
            "decay": -np.abs(of(n)) * ("gated" in rule),
            "beta": np.abs(of(n)) / 4 + np.float32(0.25),
            "doutput": of(n, v), "dpresent_state": of(k, v)}


def weights(decay, apart):
    """exp of the sum of decays from the start to each token, from one token to each later one, and
    from each to the end."""
    sums = np.cumsum(decay, dtype=np.float32)
    one = np.exp(sums)
    between = np.outer(one, np.exp(-sums)) if apart else np.exp(sums[:, None] - sums)
    return one, np.tril(between), between[-1]


def solved(a, b, back):
    """x of (1 + a) x = b, or of its transpose, token after token."""
    x, a = b.copy(), a.T if back else a
    for t in reversed(range(len(b))) if back else range(len(b)):
        x[t] -= a[t] @ x - a[t, t] * x[t]
    return x


def gradient(t, rule, apart, slip=None):
    """In f32, of tokens that are looked at all at once: written = solution of a triangle."""
    q, k, v, past, g, b, dy, last = (np.asarray(t[key], np.float32) for key in (
        "query", "key", "value", "past_state", "decay", "beta", "doutput", "dpresent_state"))
    n = len(q)
    last = last * np.float32(slip != "last_state_left_out")
    to, between, end = weights(g, apart)
    if slip == "decay_before":
        to, between = to / np.exp(g), np.tril(between) / np.exp(g)[:, None]
    corrected = "delta" in rule
    early = np.tril(between, -1)
    rate = b if corrected else np.ones_like(b)
    found = to[:, None] * (k @ past)
    lookup = rate[:, None] * early * (k @ k.T)  # what earlier tokens wrote, at each key
    written = rate[:, None] * (v - found * np.float32(corrected))
    written = solved(lookup, written, False) if corrected else written
    # back
    seen, scores = between * (dy @ written.T), between * (q @ k.T)
    dq = to[:, None] * (dy @ past.T) + seen @ k
    dw = scores.T @ dy + end[:, None] * (k @ last)
    dw = solved(lookup, dw, True) if corrected else dw
    dv = dw * (1 if slip == "rate_left_out" else rate[:, None])
    dk = seen.T @ q + end[:, None] * (written @ last.T)
    d_past = (to[:, None] * q).T @ dy + to[-1] * last
    x = seen * (q @ k.T)
    slope = x.sum(1) - x.sum(0) + to * np.einsum("tk,kv,tv->t", q, past, dy)
    ends = end * np.einsum("tk,kv,tv->t", k, last, written)
    slope -= ends
    slope[-1] += ends.sum() + to[-1] * np.float32((last * past).sum())
    db = np.zeros_like(b)
    if corrected:
        sent = -rate[:, None] * dw  # to what was found
        within = early * (sent @ written.T)
        dk += within @ k + within.T @ k + to[:, None] * (sent @ past.T)
        d_past += (to[:, None] * k).T @ sent
        y = within * (k @ k.T)
        slope += y.sum(1) - y.sum(0) + to * np.einsum("tk,kv,tv->t", k, past, sent)
        db = (dw * (written / rate[:, None])).sum(1)
    if slip == "state_after":
        dq += (dy @ written.T).diagonal()[:, None] * k
    dg = np.cumsum(slope[::-1], dtype=np.float32)[::-1] * np.float32("gated" in rule)
    assert dg.dtype == np.float32 and len(dg) == n
    return {"query": dq, "key": dk, "value": dv, "past_state": d_past, "decay": dg, "beta": db}


def request(t, rule):
    def tensor(x, *shape):
        return {"dtype": "f32", "shape": shape, "data": [float(e) for e in np.ravel(x)]}
    n = len(t["query"])
    return {"op": "gradient.linear_attention", "attributes": {
        "q_num_heads": 1, "kv_num_heads": 1, "update_rule": rule, "scale": 1}, "inputs": {
            key: tensor(x, *((1, 1) if key.endswith("state") else (1, n)),
                        *(x.shape if key.endswith("state") else x.shape[1:] or (1,)))
            for key, x in t.items()}}


def outside(answer, made):
    """The outputs that have an element beyond its bounds."""
    def numbers(bits):
        return np.array([int(b, 16) for b in bits], np.uint32).view(np.float32)
    found = []
    for key, x in made.items():
        out = answer["outputs"][f"d{key}"]
        low, high = numbers(out["lower"]), numbers(out["upper"])
        if not ((low <= np.ravel(x)) & (np.ravel(x) <= high)).all():
            found.append(key)
    return found


def main():
    print(f"# seed {SEED}")
    rng, drawn_, requests = np.random.default_rng(SEED), [], []
    for _ in range(40 if FULL else 6):
        for rule in RULES:
            n, k, v = (int(rng.integers(2, most)) for most in (9, 4, 3))
            t = drawn(rng, rule, n, k, v)
            drawn_.append((rule, t))
            requests.append(request(t, rule))
    answers, said = evaluate(requests, None, options=["--bounds"])
    check(len(answers) == len(requests) and not said, "all are answered", said)
    for rule in RULES:
        wrong, caught = [], dict.fromkeys(SLIPS, 0)
        for (of, t), answer in zip(drawn_, answers):
            for apart in (False, True):
                if of == rule:
                    wrong += outside(answer, gradient(t, of, apart))
            for slip in SLIPS:
                caught[slip] += of == rule and bool(outside(answer, gradient(t, of, False, slip)))
        check(not wrong, f"{rule}: all tokens at once lie in the bounds", wrong)
        missed = {slip for slip, count in caught.items() if not count}
        missed -= {"linear": {"decay_before", "rate_left_out"}, "gated": {"rate_left_out"},
                   "delta": {"decay_before"}}.get(rule, set())
        check(not missed, f"{rule}: what is wrong does not", missed)
    finish()


if __name__ == "__main__":
    main()
