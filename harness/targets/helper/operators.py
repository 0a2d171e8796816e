# SPDX-License-Identifier: Apache-2.0
"""Declared operators by libraries of arrays: each library is a table from the operator's name to a
row of element types and a call.

What is said here about a request is said once for all of them: which axes are normalised, what a
library that has no such attribute cannot serve. A call gets the attributes and the inputs as the
library's own arrays, by name, and gives one array or a dictionary of outputs."""

import functools
import struct

import numpy
from assay.target import Rejected, Unsupported

FLOATS = frozenset({"f16", "bf16", "f32", "f64"})
INTEGERS = frozenset({"u32", "u64", "i32", "i64"})
SMALL_INTEGERS = frozenset({"u8", "u16", "i8", "i16"})
NARROW = frozenset({"bf16", "f16"})
SINGLE = NARROW | {"f32"}
# Inputs that say what is to be done, of whatever type.
NOT_DATA = ("axis", "axes", "attn_mask", "nonpad_kv_seqlen", "condition")


# The version of the operator that brought a type: what is refused before it, ONNX refuses, and not
# a library.
SINCE = {("onnx.mat_mul", "bf16"): 13, ("onnx.gemm", "bf16"): 13, ("onnx.softmax", "bf16"): 13,
         ("onnx.log_softmax", "bf16"): 13, ("onnx.cum_sum", "bf16"): 14,
         ("onnx.cum_sum", "f16"): 14, ("onnx.softplus", "bf16"): 22,
         ("onnx.hard_sigmoid", "bf16"): 22, ("onnx.celu", "f64"): 28}
SINCE |= {("onnx.max_pool", kind): 12 for kind in ("i8", "u8")}
SINCE |= {(f"onnx.{name}", "bf16"): 22 for name in (
    "conv", "max_pool", "average_pool", "lp_pool", "global_average_pool", "global_max_pool",
    "global_lp_pool", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh",
    "atanh")} | {("onnx.lrn", "bf16"): 13}
SINCE |= {("onnx.cast_like", kind): since for since, kinds in (
    (19, ("f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")), (21, ("i4", "u4")), (23, ("f4e2m1",)),
    (24, ("f8e8m0",)), (25, ("i2", "u2"))) for kind in kinds}
SINCE |= {(f"onnx.{name}", "bf16"): since for since, names in (
    (13, "abs add arg_max arg_min ceil clip div equal erf exp floor greater hardmax is_nan less "
         "log max mean min mod mul neg pow reciprocal reduce_l1 reduce_l2 reduce_log_sum "
         "reduce_log_sum_exp reduce_max reduce_mean reduce_min reduce_prod reduce_sum "
         "reduce_sum_square relu sigmoid sign sqrt sub sum tanh"),
    (14, "batch_normalization"),
    (16, "greater_or_equal leaky_relu less_or_equal p_relu where"),
    (20, "is_inf"),
    (22, "cos elu hard_swish instance_normalization lp_normalization mish round selu sin softsign "
         "thresholded_relu")) for name in names.split()}
SINCE |= {(f"onnx.{name}", kind): since for since, names, kinds in (
    (9, "greater less mat_mul p_relu", "i8 i16 i32 i64 u8 u16 u32 u64"),
    (12, "clip max min pow", "i8 i16 i32 i64 u8 u16 u32 u64"),
    (14, "add div mul sub", "i8 i16 u8 u16"), (14, "relu", "i8 i16 i32 i64"),
    (11, "equal", "i8 i16 u8 u16 u32 u64 f16 f32 f64"), (20, "is_inf", "f16"),
    (20, "is_inf is_nan", "f8e4m3 f8e5m2 f8e4m3fnuz f8e5m2fnuz"),
    (12, "reduce_max reduce_min", "i8 u8"), (20, "reduce_max reduce_min", "bool"))
    for name in names.split() for kind in kinds.split()}


# Versions before these have other types, and fewer attributes.
LEAST = {"onnx.cast": 19, "onnx.quantize_linear": 21, "onnx.dequantize_linear": 21}
# The version of the operator that brought an attribute, which says something where it is not 0.
BROUGHT = {("onnx.average_pool", "count_include_pad"): 7, ("onnx.average_pool", "ceil_mode"): 10,
           ("onnx.average_pool", "dilations"): 19, ("onnx.lp_pool", "ceil_mode"): 18,
           ("onnx.lp_pool", "dilations"): 18, ("onnx.max_pool", "ceil_mode"): 10,
           ("onnx.max_pool", "dilations"): 10, ("onnx.max_pool", "storage_order"): 8,
           ("onnx.batch_normalization", "training_mode"): 14,
           ("onnx.reduce_l2", "noop_with_empty_axes"): 18,
           ("onnx.reduce_sum", "noop_with_empty_axes"): 13,
           ("onnx.arg_max", "select_last_index"): 12, ("onnx.arg_min", "select_last_index"): 12}


class Attributes:
    """The attributes of a request by name; None where one is absent."""

    def __init__(self, values):
        self._values = values

    def __getattr__(self, name):
        return self._values.get(name)


class Row:
    """`call(attributes, **inputs)` for these element types; `only(attributes, shapes, types)` says
    why a request is not served, or nothing. Of the types in `stepwise` the library rounds every
    partial result to 16 bits, which no evaluation model declares. Outputs beside the first come
    for `beside`, by name."""

    def __init__(self, call, types=FLOATS, only=None, stepwise=(), beside=None):
        self.call, self.types, self.only, self.stepwise = call, types, only, stepwise
        self.beside = {} if beside is None else beside


def as_f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def shape_of(shapes, name):
    """That of X or W, which quantized operators call x and w."""
    return shapes.get(name) or shapes[name.lower()]


def normalized_shape(shape, axis):
    """The sizes from `axis` on."""
    return tuple(shape[axis:])


def softmax_axis(attributes):
    """The last one where none is given, from version 13 on."""
    return -1 if attributes.axis is None else attributes.axis


def tokens(attributes, query, key, value, decay, beta):
    """What each token of linear attention brings, the tokens first: arrays of shape [tokens, batch,
    heads, size], None for what is not there."""
    of_beta = None if beta is None else beta.shape[2]
    shared = attributes.kv_num_heads
    return [None if x is None else x.reshape(*x.shape[:2], heads, -1).swapaxes(0, 1)
            for x, heads in ((query, attributes.q_num_heads), (key, shared), (value, shared),
                             (decay, shared), (beta, of_beta))]


@functools.cache
def token_step(np, rule, scale, size):
    """One token of linear attention by what a library calls einsum and exp, in the type of its
    arrays: (state before, what the token brings) to (state after, what its queries read). The
    state is [batch, heads, size of keys, size of values]; consecutive queries share a head."""
    gated, corrected = "gated" in rule, "delta" in rule

    def step(state, brought):
        q, k, v, g, b = brought
        if gated:
            state = np.exp(g)[..., None] * state
        if corrected:
            v = b * (v - np.einsum("bhkv,bhk->bhv", state, k))
        state = state + np.einsum("bhk,bhv->bhkv", k, v)
        grouped = q.reshape(q.shape[0], k.shape[1], -1, size)
        return state, (scale or size**-0.5) * np.einsum("bgrk,bgkv->bgrv", grouped, state)
    return step


# ---- what libraries without an attribute leave out ----------------------------------------------


def one_axis(attributes, _shapes, _types):
    if (attributes.opset or 13) < 13:
        return "a softmax goes over one axis, not all from it on"
    return None


def sum_of_two(attributes, shapes, _types):
    if "C" not in shapes and (attributes.opset or 13) < 11:
        return "no versions of operators"
    return None


def sums_inclusive(attributes, shapes, _types):
    if shapes["axis"]:
        return "an axis is a number"
    return "sums hold their own element" if attributes.exclusive else None


def sums_as_written(attributes, shapes, types):
    if attributes.reverse:
        return "sums start with the first element"
    return sums_inclusive(attributes, shapes, types)


def forms_none_and_tanh(attributes, _shapes, _types):
    return None if attributes.approximate in ("none", "tanh") else "approximate is yes or no"


def slope_of_a_sixth(attributes, _shapes, _types):
    if attributes.alpha != as_f32(1 / 6) or attributes.beta != 0.5:
        return "alpha is 1/6 and beta 1/2"
    return None


def normalizes_whole_axes(attributes, shapes, types):
    """Layer and RMS normalisation by sizes in place of an axis, and one type for all."""
    x, rank = shapes["X"], len(shapes["X"])
    if not -rank <= attributes.axis < rank:
        return "the sizes of the normalised axes are given, not an axis"
    for name in ("Scale", "scale", "B"):
        if name in shapes and shapes[name] != normalized_shape(x, attributes.axis):
            return f"{name} has the shape of the normalised axes"
    if len(set(types.values())) > 1:
        return "all inputs have one type"
    return None


def attention_kept(attributes, shapes, types):
    """softmax(scale Q K^T + mask) V with keys and values of the past, and nothing else that ONNX's
    operator has; heads may lie in the last axis."""
    if "dqk_matmul_output" in shapes:
        return "scores are no output"
    if "nonpad_kv_seqlen" in shapes:
        return "no nonpad_kv_seqlen"
    for name in ("left_window_size", "right_window_size"):
        if getattr(attributes, name) not in (None, -1):
            return f"no {name}"
    if attributes.softcap:
        return "no softcap"
    if attributes.softmax_precision:
        return "the type of the softmax is the library's choice"
    if len({types[name] for name in ("Q", "K", "V")}) > 1:
        return "Q, K and V have one type"
    if "attn_mask" in shapes:
        mask, queries, keys = shapes["attn_mask"], shapes["Q"][-2], shapes["K"][-2]
        keys += shapes["past_key"][2] if "past_key" in shapes else 0
        if attributes.is_causal:
            return "a mask or is_causal, not both"
        if len(mask) < 2 or tuple(mask[-2:]) != (queries, keys):
            return "a mask has a row for each query and a column for each key"
        if types["attn_mask"] not in ("bool", types["Q"]):
            return "a mask is bool or of Q's type"
    return None


def shaped_like(first, second):
    """Where a library broadcasts the two to each other, and the text only the second."""
    def only(_attributes, shapes, _types):
        x, y = shapes[first], shapes[second]
        aligned = (1,) * (len(x) - len(y)) + y
        if len(y) > len(x) or any(n not in (1, size) for n, size in zip(aligned, x)):
            return "arrays are broadcast to each other"
        return None
    return only


def heads_apart(x, count):
    """(batch, length, heads * size) as (batch, heads, length, size)."""
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], count, -1).swapaxes(1, 2)


def attention_with_past(one, join, only=attention_kept):
    """`one` attends, with heads apart; `join` puts arrays one after the other along an axis. Gives
    also the keys and values that are kept, after those of the past."""
    def call(attributes, Q, K, V, attn_mask=None, past_key=None, past_value=None):
        q, k, v = (heads_apart(x, count) for x, count in (
            (Q, attributes.q_num_heads), (K, attributes.kv_num_heads),
            (V, attributes.kv_num_heads)))
        if past_key is not None:
            k, v = join([past_key, k], 2), join([past_value, v], 2)
        y = one(attributes, q, k, v, attn_mask, k.shape[2] - K.shape[-2])
        if Q.ndim == 3:
            y = y.swapaxes(1, 2).reshape(*Q.shape[:2], -1)
        return {"Y": y, "present_key": k, "present_value": v}
    return Row(call, only=only, beside={"present_key": FLOATS, "present_value": FLOATS})


def past_of(attributes, inputs):
    """Inputs with a past; where none is given it has no keys."""
    def none(name):
        return heads_apart(inputs[name], attributes.kv_num_heads)[:, :, :0]
    return {"past_key": none("K"), "past_value": none("V"), **inputs}


# ---- the table of a library ---------------------------------------------------------------------


class Operators:
    """`rows` by the operator's name; `take` makes the library's array of NumPy's, `give` the
    reverse; `refusals` are exceptions that mean that the library refuses a request."""

    def __init__(self, library, rows, take, give, refusals):
        self.library, self.rows, self.take, self.give = library, rows, take, give
        self.refusals = refusals

    def __contains__(self, name):
        return name in self.rows

    def supports(self, request):
        row = self.rows[request.op]
        if request.window:
            raise Unsupported("no windows")
        floats = [t for name, t in request.dtypes.items()
                  if name not in NOT_DATA]
        missing = sorted(set(floats) - set(row.types))
        if missing:
            raise Unsupported(f"{self.library} has no such operation for {missing[0]}")
        rounded = sorted(set(floats) & set(row.stepwise))
        if rounded:
            raise Unsupported(f"{self.library} rounds each step to {rounded[0]}: "
                              "no model declares that")
        needed = [LEAST.get(request.op, 0)]
        needed += [SINCE.get((request.op, kind), 0) for kind in floats]
        needed += [BROUGHT.get((request.op, name), 0)
                   for name, value in request.attributes.items() if value]
        if any(request.attributes.get("opset", since) < since for since in needed):
            raise Unsupported(f"{self.library} knows no versions of operators")
        if row.only:
            shapes = dict(request.shapes)
            if "axes" in request.attributes:  # which later versions have as an input
                shapes["axes"] = (len(request.attributes["axes"]),)
            why = row.only(Attributes(request.attributes), shapes, request.dtypes)
            if why:
                raise Unsupported(f"{self.library}: {why}")
        for name in request.outputs[1:]:
            if not set(floats) <= set(row.beside.get(name, ())):
                raise Unsupported(f"{self.library} does not give {name} for {floats[0]}")

    def run(self, request):
        given = dict(request.inputs)
        if "axes" in request.attributes:
            given["axes"] = numpy.array(request.attributes["axes"], numpy.int64)
        inputs = {name: self.take(array) for name, array in given.items()}
        try:
            found = self.rows[request.op].call(Attributes(request.attributes), **inputs)
        except self.refusals as why:
            raise Rejected(f"{type(why).__name__}: {why}") from why
        if not isinstance(found, dict):
            found = {request.outputs[0]: found}
        return {name: self.give(array) for name, array in found.items()
                if name in request.outputs}
