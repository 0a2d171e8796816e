# SPDX-License-Identifier: Apache-2.0
"""Every form of an operator is the same real function as its nodes, under every reading: both are
evaluated in 400 bits, by an evaluator of its own, on drawn data, and agree to 200. One form has a
number of f32 in place of a quotient: what is made of it is off by one rounding to f32 at most."""

import ast
import copy
import glob
import itertools
import os
import secrets
import sys

import mpmath
import numpy as np
import yaml

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from tap import check, finish  # noqa: E402
from windows import flat, seen_by, windows  # noqa: E402

SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
mpmath.mp.prec = 400
MP = mpmath.mpf


class Absent:
    """An input or attribute that is not given, and all that is made of it."""

    def __bool__(self):
        return False


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "lt", "le",
              "gt", "ge"):
    setattr(Absent, f"__{_name}__", lambda self, *_: self)
ABSENT = Absent()


def each(function):
    return np.frompyfunc(function, 1, 1)


def axes_of(x, axes):
    if axes is None:
        return tuple(range(np.ndim(x)))
    return tuple(int(a) for a in flat(axes))


def over(function):
    return lambda x, axes=None: function(np.asarray(x, object), axis=axes_of(x, axes),
                                         keepdims=True)


def guarded(function):
    return lambda *a: ABSENT if any(v is ABSENT for v in a) else function(*a)


def split(x, axis, parts):
    axis, parts, s = int(axis), int(parts), np.shape(x)
    return np.reshape(x, (*s[:axis], parts, s[axis] // parts, *s[axis + 1:]))


def join(x, axis):
    axis, s = int(axis), np.shape(x)
    return np.reshape(x, (*s[:axis], s[axis] * s[axis + 1], *s[axis + 2:]))


def iota(shape, axis):
    return np.frompyfunc(MP, 1, 1)(np.indices([int(n) for n in shape])[int(axis)].astype(object))


def broadcast_axes(x, to):
    """Those of x along which `to` was broadcast."""
    shape = (1,) * (np.ndim(x) - np.ndim(to)) + np.shape(to)
    return [axis for axis, n in enumerate(shape) if n != np.shape(x)[axis]]


def dot_general(left_batch, right_batch, left_summed, right_summed, x, y):
    """Batches, what x has besides, what y has."""
    lists = [[int(i) for i in flat(of)] for of in (left_batch, right_batch, left_summed,
                                                   right_summed)]
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    names = [[None] * np.ndim(x), [None] * np.ndim(y)]
    for left, right in zip(lists[0] + lists[2], lists[1] + lists[3]):
        names[0][left] = names[1][right] = next(letters)
    free = [[i for i, letter in enumerate(of) if letter is None] for of in names]
    for of, places in zip(names, free):
        for i in places:
            of[i] = next(letters)
    out = [names[0][i] for i in lists[0]] + [
        of[i] for of, places in zip(names, free) for i in places]
    return np.einsum(f"{''.join(names[0])},{''.join(names[1])}->{''.join(out)}", x, y)


def size_of(x, axes):
    sizes = [np.shape(x)[int(axis)] for axis in flat(axes)]
    return sizes if isinstance(axes, list) else sizes[0]


def number(x):
    return MP(int(x)) if isinstance(x, (bool, np.bool_)) else x


def power(z):
    """Of a masked logit, less a maximum that may be masked, too: 0."""
    return MP(0) if z == mpmath.ninf or mpmath.isnan(z) else mpmath.exp(z)


WORDS = {
    "pi": MP(mpmath.pi), "inf": mpmath.inf, "roundoff": MP(2) ** -24,
    "within": lambda x, share: x, "exp": each(power), "log": each(mpmath.log),
    "log1p": each(mpmath.log1p), "expm1": each(mpmath.expm1), "broadcast_axes": broadcast_axes,
    "broadcast": lambda x, s: np.broadcast_to(x, [int(n) for n in flat(s)]),
    "erf": each(mpmath.erf), "tanh": each(mpmath.tanh), "tan": each(mpmath.tan),
    **{name: each(getattr(mpmath, name)) for name in ("cos", "sinh", "cosh", "asinh", "acosh")},
    "logistic": each(lambda z: 1 / (1 + mpmath.exp(-z))), "sqrt": each(mpmath.sqrt),
    "pow": np.frompyfunc(mpmath.power, 2, 1),
    "rsqrt": each(lambda z: 1 / mpmath.sqrt(z)), "abs": each(abs), "sign": each(mpmath.sign),
    "square": lambda x: x * x, "sum": over(np.sum), "mean": lambda x, a=None: over(np.sum)(x, a) /
    MP(int(np.prod([np.shape(x)[i] for i in axes_of(x, a)]))),
    "max": over(np.max), "min": over(np.min), "product": over(np.prod),
    "larger": np.frompyfunc(max, 2, 1),
    "lesser": np.frompyfunc(min, 2, 1), "matmul": np.matmul,
    "transpose": lambda x, a=None: np.transpose(x, a and [int(i) for i in flat(a)]),
    "einsum": lambda text, x, y: np.einsum(text, x, y), "split": split, "join": join,
    "select": np.frompyfunc(lambda c, a, b: number(a if c else b), 3, 1),
    "present": lambda x: x is not ABSENT,
    "rank": np.ndim, "size": size_of, "shape": np.shape,
    "range": lambda a, b: list(range(int(a), int(b))), "div": lambda a, b: MP(int(a) // int(b)),
    "type": lambda x: "f32", "iota": iota,
    "reshape": lambda x, s: np.reshape(x, [int(n) for n in flat(s)]),
    "squeeze": lambda x, axes: np.squeeze(x, axes_of(x, axes)),
    "unsqueeze": lambda x, axes: np.expand_dims(x, axes_of(x, axes)),
    "windows": windows, "seen_by": seen_by,
    "round_even": each(mpmath.nint), "floor": each(mpmath.floor),
    "gather": lambda x, places, axis: np.take(x, np.asarray(places).astype(int), int(axis)),
    "choose": lambda n, *of: of[int(n)], "mod": lambda a, b: a - b * mpmath.floor(a / b),
    "pad": lambda x, *of_nothing: x, "concat": lambda axis, *x: np.concatenate(x, int(axis)),
    "slice": lambda x, axis, start, end: np.take(x, range(int(start), int(end)), int(axis)),
    "dot_general": dot_general, "count": lambda of: len(flat(of)),
    "item": lambda of, at: [flat(of)[int(i)] for i in flat(at)] if isinstance(at, list) else (
        flat(of)[int(at)]),
    "places": lambda of, what: [flat(of).index(i) for i in flat(what)],
    "others": lambda of, end: [i for i in range(int(end)) if i not in flat(of)],
    "step": lambda x: x[0], "steps": lambda x: x[None],  # of a scan of one step
    "AND": np.logical_and, "OR": np.logical_or,
    "NOT": np.logical_not,
}


class Names(ast.NodeTransformer):
    """Numbers become exact; `if`, `and`, `or` and `not` are those of arrays."""

    def __init__(self, scanned):
        self.scanned = scanned  # nodes of a scan, which have no axis of steps

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            return node
        return ast.Call(ast.Name("word_MP", ast.Load()), [ast.Constant(str(node.value))], [])

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        word, values = "AND" if isinstance(node.op, ast.And) else "OR", node.values
        out = values[0]
        for v in values[1:]:
            out = ast.Call(ast.Name("word_" + word, ast.Load()), [out, v], [])
        return out

    def visit_Call(self, node):
        """A branch that is not taken is not looked at; one step has none before it."""
        word = node.func.id
        if word == "before":
            return self.visit(node.args[1])
        if word == "step" and getattr(node.args[0], "id", None) in self.scanned:
            return node.args[0]
        if word in ("max", "min") and len(node.args) == 2 and \
                isinstance(node.args[0], ast.Constant) | isinstance(
                    node.args[1], (ast.Constant, ast.BinOp)):
            word = {"max": "larger", "min": "lesser"}[word]
        node.args = [self.visit(a) for a in node.args]
        node.func = ast.Name("word_" + word, ast.Load())  # a node may have the name of a word
        return ast.IfExp(*node.args) if word == "IF" else node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("word_NOT", ast.Load()), [node.operand], []) \
            if isinstance(node.op, ast.Not) else node


class Expanded(ast.NodeTransformer):
    """Puts what stands under `let` in place of its names, and arguments in place of parameters."""

    def __init__(self, parts):
        self.parts = parts

    def visit_Name(self, node):
        return copy.deepcopy(self.parts[node.id][1]) if node.id in self.parts else node

    def visit_Call(self, node):
        arguments = [self.visit(x) for x in node.args]
        if node.func.id not in self.parts:
            return ast.Call(node.func, arguments, [])
        parameters, tree = self.parts[node.func.id]
        return Expanded({p: ((), x) for p, x in zip(parameters, arguments)}).visit(
            copy.deepcopy(tree))


def parsed(text):
    return ast.parse(str(text).replace("if(", "IF("), mode="eval").body


def standard(of):
    """The default of an attribute, a mapping or one text."""
    if isinstance(of, dict):
        return of.get("default")
    return yaml.safe_load(of.partition("= ")[2] or "null")


def in_line(nodes):
    """Those of a scan, too, in their order."""
    out = {}
    for name, of in nodes.items():
        out.update(in_line(of["nodes"]) if name in ("scan", "reverse_scan") else
                   {name: of["is"] if isinstance(of, dict) else of})
    return out


def evaluate(declaration, option, given):
    """All nodes, with those of the form in place."""
    names = {("word_" if callable(v) else "") + k:
             v if k == "present" or not callable(v) else guarded(v)
             for k, v in {**WORDS, "MP": MP}.items()}
    names.update(dict.fromkeys(declaration["inputs"], ABSENT))
    for name, of in (declaration.get("attributes") or {}).items():
        default = standard(of)
        names[name] = ABSENT if default is None else \
            MP(default) if isinstance(default, (int, float)) else default
    names.update(given)
    for name, of in declaration["inputs"].items():
        sizes = of.get("shape") if isinstance(of, dict) else None
        if isinstance(sizes, list) and "..." not in sizes and names[name] is not ABSENT:
            named = dict(zip(map(str, sizes), np.shape(names[name])))
            names.update({k: n for k, n in named.items() if k not in declaration["inputs"]})
    parts = {}
    for key, text in (declaration.get("let") or {}).items():
        of = parsed(key)
        named = of.func if isinstance(of, ast.Call) else of
        parts[named.id] = ([x.id for x in of.args] if named is not of else (),
                           Expanded(parts).visit(parsed(text)))
    nodes = {**in_line(declaration["nodes"]), **option}
    scanned = {*declaration["nodes"].get("scan", {"nodes": ()})["nodes"]}
    for name, text in nodes.items():
        tree = ast.Expression(Names(scanned).visit(Expanded(parts).visit(parsed(text))))
        names[name] = eval(compile(ast.fix_missing_locations(tree), name, "eval"),
                           {"__builtins__": {}}, names)
    return names


# A form with a number of f32: the output that is made of it, before others that jump with it.
ROUNDED = {("onnx.dynamic_quantize_linear", "share"): "y_scale"}
CHANNELS = ["onnx.batch_normalization", "onnx.group_normalization", "onnx.global_average_pool",
            "onnx.instance_normalization", "gradient.batch_normalization",
            "gradient.group_normalization", "gradient.instance_normalization"]


def array(rng, *shape):
    """No element is 0, 1 or -1: some divide by x, 1 - x or 1 + x."""
    x = np.round(rng.normal(size=shape), 3)
    x = np.where(x == 0, 0.001, np.where(abs(x) == 1, x * 0.999, x))
    return np.frompyfunc(MP, 1, 1)(x.astype(object))


def whole(rng, *shape):
    return np.frompyfunc(MP, 1, 1)(np.asarray(rng.integers(0, 100, shape)).astype(object))


def drawn_quantized(rng, name, n):
    if name == "onnx.quantize_linear":  # by blocks of two
        blocks = n // 2 + 1
        return {"x": array(rng, 2, n + 1), "y_scale": abs(array(rng, 2, blocks)),
                "y_zero_point": whole(rng, 2, blocks), "block_size": MP(2)}
    if name == "onnx.dynamic_quantize_linear":
        return {"x": array(rng, 2, n + 1)}
    if name == "onnx.q_linear_conv":
        by_map = {"w_scale": abs(array(rng, 4)), "w_zero_point": whole(rng, 4), "B": whole(rng, 4)}
        return {"x": whole(rng, 2, 4, 5), "w": whole(rng, 4, 2, 3), "group": MP(2), **by_map,
                "x_scale": abs(array(rng)), "x_zero_point": whole(rng), "y_scale":
                abs(array(rng)), "y_zero_point": whole(rng)}
    scales = {f"{of}_scale": abs(array(rng, 1)) for of in "aby"}
    points = {f"{of}_zero_point": whole(rng, 1) for of in "aby"}
    return {"a": whole(rng, 3, n), "b": whole(rng, n, 2), **scales, **points}


def drawn_attention(rng, name, n, heads):
    if name == "gradient.attention":
        kept = {"key": n, "value": 2}
        return {"Q": array(rng, 1, 2, 4 * n), "K": array(rng, 1, 3, 2 * n),
                "V": array(rng, 1, 3, 4), "is_causal": MP(int(rng.integers(0, 2))),
                "dY": array(rng, 1, 2, 8), "softcap": MP(int(rng.integers(0, 2))),
                "q_num_heads": MP(4), "kv_num_heads": MP(2),
                **{f"past_{of}": array(rng, 1, 2, heads, d) for of, d in kept.items()},
                "dqk_matmul_output": array(rng, 1, 4, 2, 3 + heads),
                "qk_matmul_output_mode": MP(int(rng.integers(0, 4))),
                **{f"dpresent_{of}": array(rng, 1, 2, 3 + heads, d) for of, d in kept.items()}}
    if name == "onnx.attention":
        return {"Q": array(rng, 1, 2 * heads, 2, n), "K": array(rng, 1, heads, 3, n),
                "V": array(rng, 1, heads, 3, 2), "is_causal": MP(int(rng.integers(0, 2))),
                "softcap": MP(int(rng.integers(0, 2)))}
    if name.endswith(".linear_attention"):
        rule = str(rng.choice(("linear", "gated", "delta", "gated_delta")))
        return {"query": array(rng, 2, 1, 4 * n), "key": array(rng, 2, 1, 2 * n),
                "value": array(rng, 2, 1, 6), "past_state": array(rng, 2, 2, n, 3),
                "doutput": array(rng, 2, 1, 12), "dpresent_state": array(rng, 2, 2, n, 3),
                "decay": array(rng, 2, 1, 2 * int(rng.choice((1, n)))),
                "beta": array(rng, 2, 1, heads), "q_num_heads": MP(4), "kv_num_heads": MP(2),
                "update_rule": rule}
    return {"Q": array(rng, 2, n), "K": array(rng, n, 3), "V": array(rng, 3, 2),
            "scale": array(rng), "dY": array(rng, 2, 2)}


def drawn(rng, name):
    n, heads = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    if name in ("onnx.quantize_linear", "onnx.dynamic_quantize_linear", "onnx.q_linear_mat_mul",
                "onnx.q_linear_conv"):
        return drawn_quantized(rng, name, n)
    if name.endswith("attention"):
        return drawn_attention(rng, name, n, heads)
    if name == "gradient.convolution":
        groups = str(rng.choice(("feature", "batch")))
        return {**{f"{of}_dimension": i for i, of in enumerate((
            "input_batch", "input_feature"))}, "kernel_output_feature_dimension": 0,
            "kernel_input_feature_dimension": 1, "output_batch_dimension": 0,
            "output_feature_dimension": 1, **{f"{of}_spatial_dimensions": [2] for of in (
                "input", "kernel", "output")}, f"{groups}_group_count": MP(2),
            "lhs": array(rng, 2 if groups == "batch" else 1, 4 if groups == "feature" else 2, 5),
            "rhs": array(rng, 4, 2, n), "dresult": array(rng, 1, 4, 6 - n)}
    if name.endswith((".gemm", "gemm_relu", "matmul_bias_gelu")):
        return {"A": array(rng, 3, n), "B": array(rng, n, 2), "C": array(rng, 3, 2),
                "dY": array(rng, 3, 2), "alpha": MP("0.7"), "beta": MP("1.3")}
    if name == "torch.scaled_mm":
        return {"A": array(rng, 3, n), "B": array(rng, n, 2), "scale_a": array(rng, 3, 1),
                "scale_b": array(rng, 1, 2)}
    if name == "gradient.lrn":
        return {"X": array(rng, 2, 4, n), "dY": array(rng, 2, 4, n), "size": MP(3)}
    if name.endswith("conv_batch_normalization"):
        per = {k: array(rng, 4) for k in ("bias", "scale", "B", "input_mean")}
        return {"X": array(rng, 1, 4, 3, n + 1), "W": array(rng, 4, 2, 2, 2), "group": MP(2),
                "input_var": abs(array(rng, 4)), "dY": array(rng, 1, 4, 2, n), **per}
    if name == "gradient.conv_relu":
        return {"X": array(rng, 1, 4, 3, n + 1), "W": array(rng, 4, 2, 2, 2), "group": MP(2),
                "B": array(rng, 4), "dY": array(rng, 1, 4, 2, n)}
    if name in CHANNELS:
        per = {k: array(rng, 4) for k in ("scale", "B", "bias", "input_mean")}
        x = array(rng, 2, 4, 2, n)
        return {"X": x, "input": x, "input_var": abs(array(rng, 4)), "num_groups": MP(2),
                "dY": array(rng, *x.shape), "doutput": array(rng, *x.shape),
                "training_mode": MP(int(rng.integers(0, 2))), **per}
    if name.endswith(("conv", "_pool")) and ".global" not in name:
        steps, many = int(rng.integers(1, 3)), name.endswith("conv")
        kernel = {"W": array(rng, 4, 2, 3), "B": array(rng, 4)} if many else {"kernel_shape": [3]}
        return {"X": array(rng, 2, 4, 5), "dY": array(rng, 2, 4, 5 if steps == 1 else 3),
                "strides": [steps], "pads": [1, 1], "group": MP(2),
                "p": MP(int(rng.integers(1, 4))), **kernel}
    if name.startswith("gradient.global"):
        return {"X": array(rng, 2, 3, n), "dY": array(rng, 2, 3, 1),
                "p": MP(int(rng.integers(1, 4)))}
    x = array(rng, 2, n + 1)
    if name == "gradient.acosh":
        x = 1 + abs(x)
    slopes = {f"d{output}": array(rng, 2, n + 1) for output in ("Y", "C", "output", "mean")}
    names = dict.fromkeys(("A", "X", "data", "data_0", "input"), x)
    return {**slopes, "dreduced": array(rng, 1, 1), **names, "data_1": x + 1, "p": MP(2),
            "Scale": array(rng, n + 1), "scale": array(rng, n + 1),
            "B": array(rng, n + 1), "approximate": str(rng.choice(("none", "tanh")))}


def readings(declaration):
    """What is written, and what each allowed option puts in place of it."""
    return [{}] + [option for choice in (declaration.get("choices") or {}).values()
                   for option in choice.get("allowed", {}).values()]


def differs(name, declaration, reading, option, given, outputs=None):
    """Of the outputs: the largest difference, as a share of the largest value."""
    base, other = evaluate(declaration, reading, given), evaluate(declaration, option, given)
    worst = None
    for output in outputs or declaration["outputs"]:
        a, b = base[output], other[output]
        if a is ABSENT or name == "onnx.attention" and output != "Y":
            continue
        scale = max(abs(v) for v in np.ravel(a)) or MP(1)
        off = [abs(u - v) / scale for u, v in zip(np.ravel(a), np.ravel(b))]
        worst = max([worst or MP(0), *off])
    assert worst is not None, f"{name}: no output was compared"
    return worst


def main():
    print(f"# seed {SEED}")
    rng, wrong, count = np.random.default_rng(SEED), [], 0
    for path in sorted(glob.glob("yaml/operators/*.yaml")):
        with open(path, encoding="utf-8") as file:
            declaration = yaml.safe_load(file)
        for form, option in (declaration.get("forms") or {}).items():
            count += 1
            name = declaration["operator"]
            if declaration["operator"].endswith("gelu"):
                given = [dict(drawn(rng, name), approximate=w) for w in ("none", "tanh")]
            else:
                given = [drawn(rng, name) for _ in range(3)]
            rounded = ROUNDED.get((name, form))
            for g, reading in itertools.product(given, readings(declaration)):
                worst = differs(name, declaration, reading, {**reading, **option}, g,
                                rounded and [rounded])
                if worst > MP(2) ** (-24 if rounded else -200):
                    wrong.append(f"seed {SEED}: {name}, {form}: {mpmath.nstr(worst, 5)}")
    check(not wrong and count >= 95, f"{count} forms are the real functions of their nodes", wrong)
    with open("yaml/operators/onnx.layer_normalization.yaml", encoding="utf-8") as file:
        declaration = yaml.safe_load(file)
    worst = differs("onnx.layer_normalization", declaration, {},
                    declaration["choices"]["variance"]["deviant"]["uncentred"],
                    drawn(rng, "onnx.layer_normalization"))
    check(worst > MP(2) ** -200, "a mistake is none", str(worst))
    finish()


main()
