# SPDX-License-Identifier: Apache-2.0
"""The operators that assay declares, against a second model: each formula of the texts written out
again over exact fractions, with functions to 2,400 bits, rounded where the declaration says so.
ASSAY_SEED repeats a run."""

import json
import os
import random
import secrets
import subprocess
import sys
from fractions import Fraction as F

import mpmath

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
import declared_model as m  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
FLOATS = ("f16", "bf16", "f32", "f64")
ONNX_TYPE = {"f32": 1, "f16": 10, "f64": 11, "bf16": 16}
exp, log, tanh, erf = (m.real(f) for f in (mpmath.exp, mpmath.log, mpmath.tanh, mpmath.erf))


def to(kind, x):
    """x rounded once; what is not finite (None) stays."""
    return None if x is None else m.decode(kind, m.encode(kind, x))


def inner(kind):
    return "f64" if kind == "f64" else "f32"


def single(text):
    """An attribute: a real is a number of f32."""
    return m.decode("f32", m.encode("f32", F(text)))


def root(x):
    return m.root(x)


def drawn(rng, kind, low=-6, high=2):
    if rng.random() < 0.2:
        return F(rng.randint(-16, 16), 8)
    x = F(rng.randint(-(1 << 60), 1 << 60), 1 << 60) * F(2) ** rng.randint(low, high)
    return to(kind, x)


def tensor(kind, shape, values):
    width = m.WIDTH[kind] // 4
    return {"dtype": kind, "shape": shape,
            "bits": [f"{m.encode(kind, x):0{width}x}" for x in values]}


def draw(rng, kind, *shape, low=-6, high=2):
    """A tensor, and its elements."""
    count = 1
    for n in shape:
        count *= n
    values = [drawn(rng, kind, low, high) for _ in range(count)]
    return tensor(kind, list(shape), values), values


def rows_of(values, outer, n, inside):
    """Lists along the middle axis, with the flat places of their elements."""
    for o in range(outer):
        for i in range(inside):
            places = [(o * n + k) * inside + i for k in range(n)]
            yield places, [values[p] for p in places]


# ---- the formulas -------------------------------------------------------------


def softmax_row(row, kind):
    top = max(row)
    e = [to(kind, exp(x - top)) for x in row]
    s = to(kind, sum(e))
    return [x / s for x in e]


def log_softmax_row(row, kind):
    top = max(row)
    d = [to(kind, x - top) for x in row]
    s = to(kind, sum(to(kind, exp(x)) for x in d))
    return [x - log(s) for x in d]


def rows_operator(rng, kind, name):
    shape = [rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 3)]
    axis = rng.randint(-3, 2)
    x, values = draw(rng, kind, *shape, low=-4, high=4)
    a = axis % 3
    outer, inside = 1, 1
    for n in shape[:a]:
        outer *= n
    for n in shape[a + 1:]:
        inside *= n
    expected = [None] * len(values)
    for places, row in rows_of(values, outer, shape[a], inside):
        of = softmax_row if name == "softmax" else log_softmax_row
        for p, y in zip(places, of(row, inner(kind))):
            expected[p] = y
    return {"op": f"onnx.{name}", "attributes": {"axis": axis}, "inputs": {"input": x}}, {
        "output": (kind, shape, expected)}


def gelu_of(v, approximate):
    if approximate == "none":
        return v / 2 * (1 + erf(v / root(F(2))))
    factor = m.real(lambda u: mpmath.sqrt(2 / mpmath.pi) * u)
    return v / 2 * (1 + tanh(factor(v + F("0.044715") * v ** 3)))


def elementwise(rng, kind, name):
    x, values = draw(rng, kind, 6, low=-8, high=5)
    attributes = {}
    if name == "softplus":
        def f(v):
            return max(v, F(0)) + m.UNARY["log1p"](to(inner(kind), exp(-abs(v))))
    elif name == "hard_sigmoid":
        alpha, beta = rng.choice(("0.2", "0.5", "0.1666")), rng.choice(("0.5", "0.25", "0.4"))
        attributes = {"alpha": float(alpha), "beta": float(beta)}

        def f(v):
            return max(F(0), min(F(1), single(alpha) * v + single(beta)))
    else:
        attributes = {"approximate": rng.choice(("none", "tanh"))}

        def f(v):
            return gelu_of(v, attributes["approximate"])
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": {"X": x}}, {
        "Y": (kind, [6], [f(v) for v in values])}


def places_of(shape):
    places = [()]
    for n in shape:
        places = [p + (i,) for p in places for i in range(n)]
    return places


def reduction(rng, kind, name, fold=sum, least=0):
    """`fold` is of the list of elements along the axes, of which there are `least` or more."""
    shape = [rng.choice((0, 1, 2, 3)[least:]) for _ in range(rng.randint(0, 3))]
    x, values = draw(rng, kind, *shape)
    asked = rng.choice((None, "empty", "some")) if shape else rng.choice((None, "empty"))
    attributes, inputs = {"keepdims": rng.randrange(2)}, {"data": x}
    axes = set(range(len(shape)))
    if asked != "some" and rng.random() < 0.3:
        attributes["noop_with_empty_axes"] = 1
        axes, attributes["keepdims"] = set(), 1
    if asked == "some":
        axes = {a for a in axes if rng.random() < 0.5} or {0}
    if asked:
        listed = [rng.choice((a, a - len(shape))) for a in sorted(axes)] if asked == "some" else []
        inputs["axes"] = {"dtype": "i64", "shape": [len(listed)], "data": listed}
    terms = {p: [] for p in places_of([1 if a in axes else n for a, n in enumerate(shape)])}
    for place, v in zip(places_of(shape), values):
        terms[tuple(0 if a in axes else i for a, i in enumerate(place))].append(v)
    out = [1 if a in axes else n for a, n in enumerate(shape) if
           a not in axes or attributes["keepdims"]]
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs}, {
        "reduced": (kind, out, [F(fold(x)) for x in terms.values()])}


def cum_sum(rng, kind, _):
    shape = [rng.randint(1, 3), rng.randint(0, 5), rng.randint(1, 2)]
    x, values = draw(rng, kind, *shape)
    exclusive, reverse, axis = rng.randrange(2), rng.randrange(2), rng.randint(-3, 2)
    a = axis % 3
    outer, inside = 1, 1
    for n in shape[:a]:
        outer *= n
    for n in shape[a + 1:]:
        inside *= n
    expected = [None] * len(values)
    for places, row in rows_of(values, outer, shape[a], inside):
        for k, p in enumerate(places):
            expected[p] = (sum(row[k + exclusive:], F(0)) if reverse
                           else sum(row[:k + 1 - exclusive], F(0)))
    return {"op": "onnx.cum_sum", "attributes": {"exclusive": exclusive, "reverse": reverse},
            "inputs": {"x": x, "axis": {"dtype": rng.choice(("i32", "i64")), "shape": [],
                                        "data": [axis]}}}, {"y": (kind, shape, expected)}


def product(a, b, rows, inside, columns):
    return [sum((a[i * inside + k] * b[k * columns + j] for k in range(inside)), F(0))
            for i in range(rows) for j in range(columns)]


def transposed(values, rows, columns):
    return [values[i * columns + j] for j in range(columns) for i in range(rows)]


def gemm(rng, kind, _):
    rows, inside, columns = rng.randint(1, 3), rng.randint(0, 4), rng.randint(1, 3)
    alpha, beta = rng.choice((1, 0.5, -2, 0.1)), rng.choice((1, 0, 2, 0.3))
    a, a_values = draw(rng, kind, rows, inside)
    b, b_values = draw(rng, kind, inside, columns)
    attributes = {"alpha": alpha, "beta": beta}
    if rng.random() < 0.5:
        attributes["transA"] = 1
        a = tensor(kind, [inside, rows], transposed(a_values, rows, inside))
    if rng.random() < 0.5:
        attributes["transB"] = 1
        b = tensor(kind, [columns, inside], transposed(b_values, inside, columns))
    inputs = {"A": a, "B": b}
    added = [F(0)] * (rows * columns)
    shape = rng.choice((None, [], [1], [columns], [rows, 1], [1, columns], [rows, columns]))
    if shape is not None:
        inputs["C"], c = draw(rng, kind, *shape)
        full = [1] * (2 - len(shape)) + shape
        added = [c[(i % full[0]) * full[1] + j % full[1]] for i in range(rows)
                 for j in range(columns)]
    expected = [single(str(alpha)) * p + single(str(beta)) * c for p, c in
                zip(product(a_values, b_values, rows, inside, columns), added)]
    return {"op": "onnx.gemm", "attributes": attributes, "inputs": inputs}, {
        "Y": (kind, [rows, columns], expected)}


def mat_mul(rng, kind, _):
    batch, rows, inside, columns = (rng.randint(1, 3) for _ in range(4))
    a, a_values = draw(rng, kind, batch, rows, inside)
    b, b_values = draw(rng, kind, inside, columns)
    expected = product(a_values, b_values, batch * rows, inside, columns)
    return {"op": "onnx.mat_mul", "inputs": {"A": a, "B": b}}, {
        "Y": (kind, [batch, rows, columns], expected)}


def normalization(rng, kind, name):
    outer, n, inside = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 2)
    axis = rng.choice((1, 2, -1, -2))
    count = n * inside if axis in (1, -2) else inside
    x, values = draw(rng, kind, outer, n, inside, low=-2, high=4)
    stash = rng.choice(("f32", "bf16"))
    epsilon = single("0.001")
    attributes = {"axis": axis, "epsilon": 0.001, "stash_type": ONNX_TYPE[stash]}
    layer = name == "layer_normalization"
    scale_kind = kind if layer else rng.choice(FLOATS)
    scale, scales = draw(rng, scale_kind, inside)
    inputs = {"X": x, "Scale" if layer else "scale": scale}
    shifts = [F(0)] * inside
    if layer and rng.random() < 0.6:
        inputs["B"], shifts = draw(rng, kind, inside)
    y, means, deviations = [], [], []
    for first in range(0, len(values), count):
        row = [to(stash, v) for v in values[first:first + count]]
        mean = to(stash, sum(row) / count) if layer else F(0)
        centred = [to(stash, v - mean) for v in row]
        variance = to(stash, sum(v * v for v in centred) / count)
        if layer:
            inverse = to(stash, 1 / root(variance + epsilon))
            normalized = [to(kind, v * inverse) for v in centred]
            means.append(mean)
            deviations.append(inverse)
        else:
            spread = to(stash, root(variance + epsilon))
            normalized = [to(kind, v / spread) for v in centred]
        y += [v * scales[i % inside] + shifts[i % inside] for i, v in enumerate(normalized)]
    shape = [outer, n, inside]
    small = [outer, 1, 1] if axis in (1, -2) else [outer, n, 1]
    outputs = {"Y": (scale_kind, shape, y)}
    if layer:
        outputs.update(Mean=(stash, small, means), InvStdDev=(stash, small, deviations))
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs}, outputs


def attention(rng, kind, _):
    batch, kv_heads, group = rng.randint(1, 2), rng.randint(1, 2), rng.randint(1, 2)
    queries, new, past = rng.randint(1, 3), rng.randint(1, 4), rng.choice((0, 0, 1, 2))
    size, v_size = rng.randint(1, 4), rng.randint(1, 3)
    heads, keys = kv_heads * group, new + past
    flat = rng.random() < 0.4
    attributes, inputs = {}, {}

    def put(name, count, length, width):
        """Values by [batch][head][place][element], whichever way they are laid."""
        _, values = draw(rng, kind, batch * count * length * width, low=-3, high=1)
        of = {p: v for p, v in zip(places_of([batch, count, length, width]), values)}
        if flat and not name.startswith("past"):
            laid = [of[b, h, i, d] for b in range(batch) for i in range(length)
                    for h in range(count) for d in range(width)]
            inputs[name] = tensor(kind, [batch, length, count * width], laid)
        else:
            inputs[name] = tensor(kind, [batch, count, length, width], values)
        return of
    q, k, v = (put("Q", heads, queries, size), put("K", kv_heads, new, size),
               put("V", kv_heads, new, v_size))
    if past:
        pk, pv = put("past_key", kv_heads, past, size), put("past_value", kv_heads, past, v_size)
        for old, fresh, width in ((pk, k, size), (pv, v, v_size)):
            joined = {(b, h, j + past, d): x for (b, h, j, d), x in fresh.items()}
            joined.update(old)
            fresh.clear()
            fresh.update(joined)
    if flat:
        attributes.update(q_num_heads=heads, kv_num_heads=kv_heads)
    attributes["is_causal"] = rng.randrange(2)
    factor = root(root(F(1, size)) if size in (1, 4) else m.real(mpmath.sqrt)(F(1, size)))
    if rng.random() < 0.3:
        attributes["scale"], factor = 0.25, F(1, 2)
    cap = rng.choice((0, 0, 2))
    if cap:
        attributes["softcap"] = cap
    if rng.random() < 0.3:
        attributes["left_window_size"] = rng.randint(0, 2)
    if rng.random() < 0.3:
        attributes["right_window_size"] = rng.randint(0, 2)
    precision = kind
    if rng.random() < 0.5:
        precision = rng.choice(FLOATS)
        attributes["softmax_precision"] = ONNX_TYPE[precision]
    offset, filled = [past] * batch, [keys] * batch
    if not past and rng.random() < 0.3:
        filled = [rng.randint(0, keys) for _ in range(batch)]
        offset = [n - queries for n in filled]
        inputs["nonpad_kv_seqlen"] = {"dtype": "i64", "shape": [batch], "data": filled}
    columns = rng.choice((keys, keys, max(2, keys - 1)))
    columns = min(columns, keys)
    mask = rng.choice((None, "bool", kind)) if columns == keys or columns > 1 else None
    allowed, bias = {}, {}
    if mask == "bool":
        bits = [rng.random() < 0.6 for _ in range(queries * columns)]
        inputs["attn_mask"] = {"dtype": "bool", "shape": [queries, columns],
                               "bits": [f"{b:02x}" for b in bits]}
        allowed = dict(zip(places_of([queries, columns]), bits))
    elif mask:
        inputs["attn_mask"], values = draw(rng, kind, queries, columns)
        bias = dict(zip(places_of([queries, columns]), values))
    left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    raw, y = {}, {}
    for b, h, i in places_of([batch, heads, queries]):
        logits = {}
        for j in range(keys):
            s = to(kind, sum(to(kind, q[b, h, i, d] * factor) *
                             to(kind, k[b, h // group, j, d] * factor) for d in range(size)))
            raw[b, h, i, j] = s
            if cap:
                s = to(kind, cap * tanh(s / cap))
            place = i + offset[b]
            if (mask and j >= columns or not allowed.get((i, j), True) or j >= filled[b] or
                    attributes["is_causal"] and j > place or 0 <= left < place - j or
                    0 <= right < j - place):
                continue
            logits[j] = to(precision, to(kind, s + bias.get((i, j), 0)))
        weights = {}
        if logits:
            top = max(logits.values())
            e = {j: to(precision, exp(s - top)) for j, s in logits.items()}
            total = to(precision, sum(e.values()))
            weights = {j: to(kind, to(precision, x / total)) for j, x in e.items()}
        for d in range(v_size):
            y[b, h, i, d] = to(kind, sum((w * v[b, h // group, j, d] for j, w in weights.items()),
                                         F(0)))
    if flat:
        shape = [batch, queries, heads * v_size]
        laid = [y[b, h, i, d] for b in range(batch) for i in range(queries)
                for h in range(heads) for d in range(v_size)]
    else:
        shape, laid = [batch, heads, queries, v_size], list(y.values())
    return {"op": "onnx.attention", "attributes": attributes, "inputs": inputs}, {
        "Y": (kind, shape, laid), "qk_matmul_output": (kind, [batch, heads, queries, keys],
                                                       list(raw.values())),
        "present_key": (kind, [batch, kv_heads, keys, size],
                        [k[p] for p in places_of([batch, kv_heads, keys, size])])}


def linear_attention(rng, kind, _):
    if kind == "f64":
        raise m.Undefined
    batch, steps, kv_heads, group = (rng.randint(1, 2) for _ in range(4))
    size, v_size, heads = rng.choice((1, 2, 4)), rng.randint(1, 2), kv_heads * group
    rule = rng.choice(("linear", "gated", "delta", "gated_delta"))
    attributes = {"q_num_heads": heads, "kv_num_heads": kv_heads, "update_rule": rule}
    factor = root(F(1, size))
    if rng.random() < 0.3:
        attributes["scale"], factor = 0.75, F(3, 4)
    inputs = {}

    def put(name, count, width):
        shape = [batch, steps, count, width]
        inputs[name], values = draw(rng, kind, *shape, low=-3, high=1)
        inputs[name]["shape"] = [batch, steps, count * width]
        return dict(zip(places_of(shape), values))
    q, k, v = put("query", heads, size), put("key", kv_heads, size), put("value", kv_heads, v_size)
    gates = rng.choice((1, size))
    g = put("decay", kv_heads, gates) if "gated" in rule else None
    rates = rng.choice((1, kv_heads))
    b = put("beta", rates, 1) if "delta" in rule else None
    cells, state_kind = places_of([batch, kv_heads, size, v_size]), kind
    state = dict.fromkeys(cells, F(0))
    if rng.random() < 0.6:
        state_kind = rng.choice(("f16", "bf16", "f32"))
        inputs["past_state"], values = draw(rng, state_kind, batch, kv_heads, size, v_size, low=-3)
        state = dict(zip(cells, values))
    y = {}
    for t in range(steps):
        if g:
            state = {(n, h, i, j): to("f32", exp(g[n, t, h, i % gates]) * x)
                     for (n, h, i, j), x in state.items()}
        new = {}
        for n, h, j in places_of([batch, kv_heads, v_size]):
            new[n, h, j] = v[n, t, h, j]
            if b:
                found = to("f32", sum(state[n, h, i, j] * k[n, t, h, i] for i in range(size)))
                new[n, h, j] = to("f32", b[n, t, h % rates, 0] * (v[n, t, h, j] - found))
        state = {(n, h, i, j): to("f32", x + k[n, t, h, i] * new[n, h, j])
                 for (n, h, i, j), x in state.items()}
        for n, h, j in places_of([batch, heads, v_size]):
            y[n, t, h, j] = to(kind, factor * sum(q[n, t, h, i] * state[n, h // group, i, j]
                                                  for i in range(size)))
    return {"op": "onnx.linear_attention", "attributes": attributes, "inputs": inputs}, {
        "output": (kind, [batch, steps, heads * v_size],
                   [y[p] for p in places_of([batch, steps, heads, v_size])]),
        "present_state": (state_kind, [batch, kv_heads, size, v_size], [state[p] for p in cells])}


def swiglu(rng, kind, _):
    count, alpha = rng.randint(0, 6), rng.choice((None, "1", "0.5", "1.702"))
    (a, gates), (b, linear) = draw(rng, kind, count), draw(rng, kind, count)
    factor = single(alpha or "1")
    y = [to(kind, to(kind, g * m.real(m.sigmoid)(factor * g)) * x) for g, x in zip(gates, linear)]
    return {"op": "onnx.swiglu", "attributes": {"alpha": float(alpha)} if alpha else {},
            "inputs": {"A": a, "B": b}}, {"Y": (kind, [count], y)}


def matmul_bias_gelu(rng, kind, _):
    rows, inside, columns = (rng.randint(1, 3) for _ in range(3))
    approximate = rng.choice(("none", "tanh"))
    (a, left), (b, right) = draw(rng, kind, rows, inside), draw(rng, kind, inside, columns)
    c, added = draw(rng, kind, columns)
    y = [gelu_of(to(kind, to(kind, p) + added[i % columns]), approximate)
         for i, p in enumerate(product(left, right, rows, inside, columns))]
    return {"op": "onnx.matmul_bias_gelu", "attributes": {"approximate": approximate},
            "inputs": {"A": a, "B": b, "C": c}}, {
                "Y": (kind, [rows, columns], [to(kind, v) for v in y])}


def gemm_relu(rng, kind, name):
    request, outputs = gemm(rng, kind, name)
    if "C" not in request["inputs"]:
        raise m.Undefined
    kind, shape, values = outputs["Y"]
    return {**request, "op": "onnx.gemm_relu"}, {
        "Y": (kind, shape, [max(to(kind, v), F(0)) for v in values])}


def scaled_attention(rng, kind, _):
    rows, size, keys, width = (rng.randint(1, 3) for _ in range(4))
    (q, queries), (k, columns) = draw(rng, kind, rows, size), draw(rng, kind, size, keys)
    (v, values), (scale, (factor,)) = draw(rng, kind, keys, width), draw(rng, kind)
    scores = product(queries, columns, rows, size, keys)
    scaled = [to(kind, to(kind, s) * factor) for s in scores]
    weights = [to(kind, w) for i in range(0, rows * keys, keys)
               for w in softmax_row(scaled[i:i + keys], inner(kind))]
    return {"op": "onnx.scaled_attention", "attributes": {},
            "inputs": {"Q": q, "K": k, "V": v, "scale": scale}}, {
                "Y": (kind, [rows, width], product(weights, values, rows, keys, width))}


OPERATORS = {"matmul_bias_gelu": matmul_bias_gelu, "gemm_relu": gemm_relu,
             "scaled_attention": scaled_attention, "mat_mul": mat_mul, "gemm": gemm,
             "softmax": rows_operator, "log_softmax": rows_operator, "hard_sigmoid": elementwise,
             "softplus": elementwise, "gelu": elementwise, "reduce_sum": reduction,
             "cum_sum": cum_sum,
             "layer_normalization": normalization, "rms_normalization": normalization,
             "attention": attention, "linear_attention": linear_attention, "swiglu": swiglu}


def evaluate(requests):
    done = subprocess.run([ASSAY, "eval", "-"], capture_output=True, text=True, check=False,
                          input="\n---\n".join(json.dumps(r) for r in requests))
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def differs(outputs, answer, encode=m.encode):
    """What is not as the model has it; zeros may have either sign, which the model lacks."""
    if "outputs" not in answer:
        return str(answer)
    for name, (kind, shape, values) in outputs.items():
        got = answer["outputs"][name]
        zero = 1 << (m.WIDTH[kind] - 1) if kind in FLOATS else 0x80 if kind[:2] == "f8" else 0
        bits = [int(g, 16) for g in got["bits"]]
        expected = [encode(kind, x) for x in values]
        if got["shape"] != shape or got["dtype"] != kind or len(bits) != len(expected) or any(
                e != b and (not zero or (e | b) & ~zero) for e, b in zip(expected, bits)):
            return f"{name}: expected {kind} {shape} {[f'{e:x}' for e in expected]}, got {got}"
    return None


def against_model(seed, name, total, operators=None, encode=m.encode):
    """`total` drawn requests of one operator; `operators` names who draws and what is expected."""
    rng, drawn_ = random.Random(f"{seed} {name}"), []
    while len(drawn_) < total:
        kind = rng.choice(FLOATS)
        try:
            drawn_.append((operators or OPERATORS)[name](rng, kind, name))
        except (m.Undefined, AssertionError, ZeroDivisionError):  # what overflows is for the suites
            continue
    answers, stderr = evaluate([request for request, _ in drawn_])
    wrong = [] if len(answers) == len(drawn_) else [stderr]
    for (request, outputs), answer in zip(drawn_, answers):
        why = differs(outputs, answer, encode)
        if why:
            wrong += [f"seed {seed}: {why}", f"attributes: {request.get('attributes')}",
                      *(f"{of}: {json.dumps(x)}" for of, x in request["inputs"].items())]
    check(not wrong, f"{name}: {total} drawn requests equal the model", wrong[:20])


def masked_bounds():
    """Keys that are masked leave the bounds of the others as narrow as if they were absent."""
    def ends(keys, mask):
        data = [0.5, -1.25, 2.0][:keys]
        request = {"op": "onnx.attention", "outputs": ["Y"], "inputs": {
            "Q": {"dtype": "f32", "shape": [1, 1, 1, 1], "data": [0.75]},
            "K": {"dtype": "f32", "shape": [1, 1, keys, 1], "data": data},
            "V": {"dtype": "f32", "shape": [1, 1, keys, 1], "data": data}}}
        if mask:
            request["inputs"]["attn_mask"] = {"dtype": "bool", "shape": [1, keys], "data": mask}
        done = subprocess.run([ASSAY, "eval", "--bounds", "-"], capture_output=True, text=True,
                              check=False, input=json.dumps(request))
        y = json.loads(done.stdout)["outputs"]["Y"]
        return [m.decode("f32", int(y[end][0], 16)) for end in ("lower", "bits", "upper")]
    low, value, high = ends(3, [True, True, False])
    alone = ends(2, None)
    check(value == alone[1] and low < value < high and
          high - low <= 2 * (alone[2] - alone[0]), "masked keys do not widen a bound",
          [str((low, value, high)), str(alone)])


def main():
    print(f"# seed {SEED}")
    for name in OPERATORS:
        against_model(SEED, name, 1000 if FULL else 25)
    masked_bounds()
    finish()


if __name__ == "__main__":
    main()
