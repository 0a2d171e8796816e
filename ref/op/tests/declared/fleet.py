# SPDX-License-Identifier: Apache-2.0
"""Conforming implementations of declared operators, drawn: the algorithms that libraries use, in
f32 (f64 for data of f64) or wider, sums in many orders and blocks, fused or not, functions off by
what the standard model admits. Numbers are kept in f64 and rounded by hand."""

import mpmath
import numpy as np

ULPS = {"exp": 4, "exp2": 4, "log": 4, "log2": 4, "log1p": 4, "tanh": 2, "logistic": 4, "erf": 4,
        "erfc": 4, "rsqrt": 2}
EXACT = {"exp": (0, 1), "exp2": (0, 1), "log": (1, 0), "log2": (1, 0), "log1p": (0, 0),
         "tanh": (0, 0), "erf": (0, 0)}
REAL = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log1p": np.log1p,
        "tanh": np.tanh, "logistic": lambda z: 1 / (1 + np.exp(-z)),
        "rsqrt": lambda z: 1 / np.sqrt(z)}


def each(function):
    """mpmath's, for what NumPy has not."""
    def of(x):
        with mpmath.workdps(40):
            out = [np.longdouble(mpmath.nstr(function(mpmath.mpf(float(v))), 30))
                   for v in np.ravel(x)]
        return np.array(out, np.longdouble).reshape(np.shape(x))
    return of


REAL["erf"], REAL["erfc"] = each(mpmath.erf), each(mpmath.erfc)


def bf16(x):
    m, e = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(m, 8)), e - 8)


STORE = {"f16": lambda x: x.astype(np.float16), "bf16": bf16,
         "f32": lambda x: x.astype(np.float32), "f64": lambda x: x}


def store(kind, x):
    with np.errstate(over="ignore"):
        return np.asarray(STORE[kind](np.asarray(x, np.float64)), np.float64)


class Way:
    """How one implementation computes."""

    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind
        self.work = "f64" if kind == "f64" or rng.random() < 0.15 else "f32"
        self.fused, self.lean = rng.random() < 0.5, rng.choice((-1, 0, 1))
        self.order = rng.choice(("chain", "reversed", "pairs", "blocks", "lanes", "shuffled"))
        self.size = int(rng.choice((2, 4, 8, 16)))
        self.named = []  # the choices that were made, for messages

    def pick(self, *names):
        self.named.append(str(self.rng.choice(names)))
        return self.named[-1]

    def round(self, x):
        return store(self.work, x)

    def add(self, a, b):
        return self.round(a + b)

    def mul(self, a, b):
        return self.round(a * b)

    def div(self, a, b):
        return self.round(a / b)

    def fma(self, a, b, c):
        return self.round(a * b + c) if self.fused else self.add(self.mul(a, b), c)

    def function(self, name, x):
        """Off by what is admitted; exact where C has it exact."""
        y = np.asarray(REAL[name](np.asarray(x, np.longdouble)), np.longdouble)
        digits = 53 if self.kind == "f64" else 24
        unit = np.ldexp(np.longdouble(1), np.maximum(np.frexp(y)[1], -125) - digits)
        sign = self.lean or self.rng.choice((-1, 1), np.shape(y))
        share = 1 if self.rng.random() < 0.5 else self.rng.random(np.shape(y))
        got = self.round(np.asarray(y + sign * share * (ULPS[name] - 0.75) * unit, np.float64))
        got = np.where(np.isfinite(y), got, np.asarray(y, np.float64))
        if name in EXACT:
            got = np.where(x == EXACT[name][0], EXACT[name][1], got)
        return np.where(np.isneginf(x) & (name in ("exp", "exp2")), 0.0, got)

    def chain(self, terms):
        s = terms[0]
        for t in terms[1:]:
            s = self.add(s, t)
        return s

    def pairs(self, terms):
        while len(terms) > 1:
            rest = terms[len(terms) // 2 * 2:]
            terms = np.concatenate([self.add(terms[:-1:2], terms[1::2])[:len(terms) // 2], rest])
        return terms[0]

    def sum(self, terms):
        """Over axis 0."""
        if not len(terms):
            return np.zeros(terms.shape[1:])
        terms = self.round(terms) if not self.fused else terms
        n, k = len(terms), self.size
        if self.order == "chain":
            s = self.chain(terms)
        elif self.order == "reversed":
            s = self.chain(terms[::-1])
        elif self.order == "pairs":
            s = self.pairs(terms)
        elif self.order == "shuffled":
            s = self.chain(terms[self.rng.permutation(n)])
        elif self.order == "blocks":
            s = self.chain(np.array([self.chain(terms[i:i + k]) for i in range(0, n, k)]))
        else:
            s = self.pairs(np.array([self.chain(terms[i::k]) for i in range(min(k, n))]))
        return self.round(s)

    def sum_last(self, x):
        return self.sum(np.moveaxis(x, -1, 0))[..., None]

    def matmul(self, a, b):
        return self.sum(np.moveaxis(a[..., :, :, None] * b[..., None, :, :], -2, 0))


# ---- products and sums ----------------------------------------------------------


def mat_mul(way, x, _):
    return way.matmul(x["A"], x["B"])


def gemm(way, x, of):
    a, b, c = x["A"], x["B"], x["C"]
    alpha, beta = np.float64(np.float32(of["alpha"])), np.float64(np.float32(of["beta"]))
    bias = way.mul(beta, c)
    how = way.pick("last", "folded", "first", "fused")
    if how == "last":
        return way.add(way.mul(alpha, way.matmul(a, b)), bias)
    if how == "fused":
        return way.fma(alpha, way.matmul(a, b), bias)
    a = way.mul(alpha, a)
    if how == "folded":
        return way.add(way.matmul(a, b), bias)
    terms = np.moveaxis(a[..., :, :, None] * b[..., None, :, :], -2, 0)
    return way.sum(np.concatenate([np.broadcast_to(bias, terms.shape[1:])[None], terms]))


def reduce_sum(way, x, _):
    return way.sum_last(x["data"])


def cum_sum(way, x, _):
    x, n = np.moveaxis(x["x"], -1, 0), x["x"].shape[-1]
    how = way.pick("sequence", "scan", "chunks", "each")
    if how == "each":
        y = [way.sum(x[:k + 1]) for k in range(n)]
    elif how == "scan":  # Hillis and Steele
        y, step = way.round(x), 1
        while step < n:
            y = np.concatenate([y[:step], way.add(y[step:], y[:-step])])
            step *= 2
    else:
        size = n if how == "sequence" else way.size
        y, before = [], None
        for i in range(0, n, size):
            s = None
            for t in x[i:i + size]:
                s = way.round(t) if s is None else way.add(s, t)
                y.append(s if before is None else way.add(before, s))
            before = y[-1]
    return np.moveaxis(np.array(y), 0, -1)


# ---- softmax --------------------------------------------------------------------


def exponentials(way, x):
    """exp(x - m), m and their sum, over the last axis."""
    log2e = way.round(np.float64(1.4426950408889634))
    with np.errstate(invalid="ignore"):
        m = x.max(-1, keepdims=True)
        how = way.pick("exp", "exp2", "exp2-difference", "exp2-fused", "online", "online-exp2")
        if how == "exp":
            e = way.function("exp", way.add(x, -m))
        elif how == "exp2":
            e = way.function("exp2", way.add(way.mul(x, log2e), -way.mul(m, log2e)))
        elif how == "exp2-difference":
            e = way.function("exp2", way.mul(way.add(x, -m), log2e))
        elif how == "exp2-fused":
            e = way.function("exp2", way.round(x * log2e - way.mul(m, log2e)))
        else:
            return online(way, x, m, how == "online-exp2")
    return e, m, way.sum_last(e)


def online(way, x, m, base_two):
    """Running maxima in 8 lanes, merged at the end."""
    log2e = way.round(np.float64(1.4426950408889634))

    def power(d):
        d = np.where(np.isnan(d), -np.inf, d)
        return way.function("exp2", way.mul(d, log2e)) if base_two else way.function("exp", d)

    lanes = min(8, x.shape[-1])
    top = np.full((*x.shape[:-1], lanes), -np.inf)
    total = np.zeros_like(top)
    for i in range(0, x.shape[-1], lanes):
        part = x[..., i:i + lanes]
        n = part.shape[-1]
        new = np.maximum(top[..., :n], part)
        scale = power(way.add(top[..., :n], -new))
        total[..., :n] = way.add(way.mul(total[..., :n], scale), power(way.add(part, -new)))
        top[..., :n] = new
    s = way.sum_last(way.mul(total, power(way.add(top, -m))))
    return power(way.add(x, -m)), m, s


def quotient(way, a, b):
    return way.div(a, b) if way.pick("divided", "reciprocal") == "divided" else \
        way.mul(a, way.div(1.0, b))


def softmax(way, x, _):
    e, _, s = exponentials(way, x["input"])
    return quotient(way, e, s)


def log_softmax(way, x, _):
    x = x["input"]
    _, m, s = exponentials(way, x)
    log = way.function("log", s) if way.pick("log", "log2") == "log" else \
        way.mul(way.function("log2", s), way.round(np.float64(0.6931471805599453)))
    if way.pick("difference", "joined") == "joined":
        return way.add(x, -way.add(m, log))
    return way.add(way.add(x, -m), -log)


def attention(way, x, _):
    q, k, v = x["Q"], x["K"].swapaxes(-1, -2), x["V"]
    n = q.shape[-1]
    how = way.pick("both", "product", "query")
    factor = way.round(way.div(1.0, way.round(np.sqrt(np.float64(n)))))
    if how == "both":
        root = way.round(np.sqrt(np.longdouble(1) / np.sqrt(np.longdouble(n))).astype(np.float64))
        s = way.matmul(way.mul(q, root), way.mul(k, root))
    elif how == "product":
        s = way.mul(way.matmul(q, k), factor)
    else:
        s = way.matmul(way.mul(q, factor), k)
    e, _, total = exponentials(way, s)
    if way.pick("first", "last") == "first":
        return way.matmul(quotient(way, e, total), v)
    return quotient(way, way.matmul(e, v), total)


# ---- normalisation --------------------------------------------------------------


def mean_of(way, x):
    n = x.shape[-1]
    how = way.pick("divided", "reciprocal")
    s = way.sum_last(x)
    return way.div(s, n) if how == "divided" else way.mul(s, way.round(np.float64(1) / n))


def moments(way, x):
    n = x.shape[-1]
    how = way.pick("two", "two", "one", "welford", "parts")
    if how == "welford":
        mean, square = np.zeros((*x.shape[:-1], 1)), np.zeros((*x.shape[:-1], 1))
        for i in range(n):
            d = way.add(x[..., i:i + 1], -mean)
            mean = way.add(mean, way.div(d, i + 1))
            square = way.add(square, way.mul(d, way.add(x[..., i:i + 1], -mean)))
        return mean, way.div(square, n)
    if how == "parts":
        mean = way.sum_last(way.div(x, n))
        d = way.add(x, -mean)
        return mean, mean_of(way, way.mul(d, d))
    mean = mean_of(way, x)
    if how == "one":
        square = mean_of(way, way.mul(x, x))
        return mean, np.maximum(way.add(square, -way.mul(mean, mean)), 0)
    d = way.add(x, -mean)
    return mean, mean_of(way, way.mul(d, d))


def inverse(way, v):
    return way.function("rsqrt", v) if way.pick("rsqrt", "root") == "rsqrt" else \
        way.div(1.0, way.round(np.sqrt(v)))


def layer_normalization(way, x, of):
    x, scale, bias = x["X"], x["Scale"], x["B"]
    mean, variance = moments(way, x)
    inv = inverse(way, way.add(variance, np.float64(np.float32(of["epsilon"]))))
    how = way.pick("difference", "shifted", "scaled")
    if how == "shifted":
        normal = way.fma(x, inv, -way.mul(mean, inv))
        return way.fma(normal, scale, bias)
    d = way.add(x, -mean)
    if how == "scaled":
        return way.fma(d, way.mul(inv, scale), bias)
    return way.fma(way.mul(d, inv), scale, bias)


def rms_normalization(way, x, of):
    x, scale = x["X"], x["scale"]
    square = way.add(mean_of(way, way.mul(x, x)), np.float64(np.float32(of["epsilon"])))
    how = way.pick("quotient", "inverse", "scaled-first", "scaled-inverse")
    if how == "quotient":
        return way.mul(way.div(x, way.round(np.sqrt(square))), scale)
    inv = inverse(way, square)
    if how == "inverse":
        return way.mul(way.mul(x, inv), scale)
    return way.mul(way.mul(x, scale), inv) if how == "scaled-first" else \
        way.mul(x, way.mul(inv, scale))


# ---- element by element -----------------------------------------------------------


def gelu(way, x, of):
    x = x["X"]
    half = way.mul(x, 0.5)
    if of["approximate"] == "none":
        how = way.pick("divided", "multiplied", "erfc", "outer")
        z = way.div(x, way.round(np.sqrt(np.float64(2)))) if how == "divided" else \
            way.mul(x, way.round(np.sqrt(np.float64(0.5))))
        if how == "erfc":
            return way.mul(half, way.function("erfc", -z))
        phi = way.add(1.0, way.function("erf", z))
        return way.mul(x, way.mul(0.5, phi)) if how == "outer" else way.mul(half, phi)
    c = way.round(np.float64(0.7978845608028654))
    a = way.round(np.float64(0.044715))
    how = way.pick("written", "cubed", "factored", "constants")
    square = way.mul(x, x)
    if how == "written":
        z = way.mul(c, way.add(x, way.mul(way.mul(way.mul(a, x), x), x)))
    elif how == "cubed":
        z = way.mul(c, way.fma(a, way.mul(square, x), x))
    elif how == "factored":
        z = way.mul(way.mul(c, x), way.fma(a, square, 1.0))
    else:
        z = way.mul(x, way.fma(way.mul(c, a), square, c))
    how = way.pick("tanh", "logistic", "exp")
    if how == "logistic":
        return way.mul(x, way.function("logistic", way.mul(2.0, z)))
    if how == "exp":
        with np.errstate(over="ignore"):
            e = way.function("exp", way.mul(2.0, z))
        t = way.add(1.0, -way.div(2.0, way.add(e, 1.0)))
    else:
        t = way.function("tanh", z)
    return way.mul(half, way.add(1.0, t))


def softplus(way, x, _):
    x = x["X"]
    if way.pick("exp", "exp2") == "exp":
        e = way.function("exp", -np.abs(x))
    else:
        e = way.function("exp2", way.mul(-np.abs(x), way.round(np.float64(1.4426950408889634))))
    how = way.pick("log1p", "log", "log2")
    log = way.function("log1p", e) if how == "log1p" else \
        way.function("log", way.add(1.0, e)) if how == "log" else \
        way.mul(way.function("log2", way.add(1.0, e)), way.round(np.float64(0.6931471805599453)))
    return way.add(np.maximum(x, 0), log)


def hard_sigmoid(way, x, of):
    alpha, beta = np.float64(np.float32(of["alpha"])), np.float64(np.float32(of["beta"]))
    return np.clip(way.fma(alpha, x["X"], beta), 0, 1)


# ---- chains of nodes --------------------------------------------------------------


def kept(way, x):
    """What lies between two nodes: stored in the type of the tensors, or not."""
    return store(way.kind, x) if way.pick("stored", "wide") == "stored" else x


def with_bias(way, a, b, c):
    """A product and what is added to it, afterwards or as the first term of each sum."""
    if way.pick("added", "joined") == "added":
        return way.add(kept(way, way.matmul(a, b)), c)
    terms = np.moveaxis(a[..., :, :, None] * b[..., None, :, :], -2, 0)
    return way.sum(np.concatenate([np.broadcast_to(c, terms.shape[1:])[None], terms]))


def matmul_bias_gelu(way, x, of):
    return gelu(way, {"X": kept(way, with_bias(way, x["A"], x["B"], x["C"]))}, of)


def gemm_relu(way, x, of):
    return np.maximum(kept(way, gemm(way, x, of)), 0)


def scaled_attention(way, x, _):
    if way.pick("product", "query") == "product":
        z = way.mul(kept(way, way.matmul(x["Q"], x["K"])), x["scale"])
    else:
        z = way.matmul(way.mul(x["Q"], x["scale"]), x["K"])
    e, _, total = exponentials(way, kept(way, z))
    if way.pick("first", "last") == "first":
        return way.matmul(kept(way, quotient(way, e, total)), x["V"])
    return quotient(way, way.matmul(e, x["V"]), total)


OPERATORS = {f.__name__: f for f in (
    matmul_bias_gelu, gemm_relu, scaled_attention, mat_mul, gemm, reduce_sum, cum_sum, softmax,
    log_softmax, attention, layer_normalization, rms_normalization, gelu, softplus, hard_sigmoid)}
