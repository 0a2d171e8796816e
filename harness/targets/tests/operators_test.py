# SPDX-License-Identifier: Apache-2.0
"""Declared operators by NumPy, PyTorch and JAX: on data of which every partial result can be
represented each call gives the exact numbers, and what a library has no attribute for is said
before it is called."""

import sys
from fractions import Fraction

sys.path[:0] = ["harness/tests", "harness/targets/helper", "harness/python"]
from tap import check, finish, skip  # noqa: E402

try:
    import numpy
    from assay.target import DTYPES, Request, Unsupported, dtype_name
except ImportError as missing:
    skip("declared operators by libraries", missing)
    finish()


def request(op, outputs, attributes=None, **inputs):
    made = Request({"op": op, "attributes": attributes or {}, "outputs": outputs}, "")
    made.inputs = inputs
    made.dtypes = {name: dtype_name(a) for name, a in inputs.items()}
    made.shapes = {name: a.shape for name, a in inputs.items()}
    return made


def f32(*numbers, shape=None):
    array = numpy.array(numbers, numpy.float32)
    return array if shape is None else array.reshape(shape)


A, B = f32(1, 2, 3, 4, 5, 6, shape=(2, 3)), f32(1, -1, 0.5, 2, 4, -8, shape=(3, 2))
PRODUCT = [[float(sum(Fraction(float(A[i, k])) * Fraction(float(B[k, j])) for k in range(3)))
            for j in range(2)] for i in range(2)]
LAYER = {"axis": -1, "epsilon": 0.0, "stash_type": 1}
FOUR = f32(-1, 1, 1, -1, shape=(1, 4))
# What is asked, and what is right: one request for each operator.
EXACT = [
    (request("onnx.mat_mul", ["Y"], A=A, B=B), PRODUCT),
    (request("onnx.gemm", ["Y"], {"alpha": 2.0, "beta": 0.5, "transA": 0, "transB": 0}, A=A, B=B,
             C=f32(2, 4)), [[2 * y + c for y, c in zip(row, (1, 2))] for row in PRODUCT]),
    (request("onnx.softmax", ["output"], {"axis": 0}, input=f32(3, 3, 3, 3)), [0.25] * 4),
    (request("onnx.log_softmax", ["output"], {"axis": -1}, input=f32(7)), [0]),
    (request("onnx.layer_normalization", ["Y", "Mean", "InvStdDev"], LAYER, X=FOUR,
             Scale=f32(1, 2, 3, 4), B=f32(0, 1, 0, 1)), [[-1, 3, 3, -3]]),
    (request("onnx.rms_normalization", ["Y"], LAYER, X=2 * FOUR, scale=f32(1, 2, 3, 4)),
     [[-1, 2, 3, -4]]),
    (request("onnx.gelu", ["Y"], {"approximate": "none"}, X=f32(0, 64)), [0, 64]),
    (request("onnx.gelu", ["Y"], {"approximate": "tanh"}, X=f32(0, 64)), [0, 64]),
    (request("onnx.softplus", ["Y"], X=f32(128, -1e30)), [128, 0]),
    (request("onnx.hard_sigmoid", ["Y"],
             {"alpha": float(numpy.float32(1 / 6)), "beta": 0.5}, X=f32(-9, 0, 9)), [0, 0.5, 1]),
    (request("onnx.reduce_sum", ["reduced"], {"keepdims": 0, "noop_with_empty_axes": 0}, data=A,
             axes=numpy.array([-1])), [6, 15]),
    (request("onnx.reduce_sum", ["reduced"], {"keepdims": 1, "noop_with_empty_axes": 0}, data=A),
     [[21]]),
    (request("onnx.reduce_sum", ["reduced"], {"keepdims": 1, "noop_with_empty_axes": 1}, data=A,
             axes=numpy.array([], numpy.int64)), A.tolist()),
    (request("onnx.cum_sum", ["y"], {"exclusive": 0, "reverse": 0}, x=A, axis=numpy.array(-1)),
     [[1, 3, 6], [4, 9, 15]]),
    (request("onnx.attention", ["Y"], {"is_causal": 1, "scale": 1.0},
             Q=f32(0, 0, shape=(1, 1, 2, 1)), K=f32(5, 7, shape=(1, 1, 2, 1)),
             V=f32(3, 5, shape=(1, 1, 2, 1))), [[[[3], [4]]]]),
    *((request("onnx.attention", [of],
               {"q_num_heads": 2, "kv_num_heads": 1, "is_causal": 1},
               Q=f32(0, 0, 0, 0, shape=(1, 2, 2)), K=f32(5, 7, shape=(1, 2, 1)),
               V=f32(3, 5, shape=(1, 2, 1)), past_key=f32(2, shape=(1, 1, 1, 1)),
               past_value=f32(1, shape=(1, 1, 1, 1))), right)
      for of, right in (("Y", [[[2, 2], [3, 3]]]), ("present_value", [[[[1], [3], [5]]]]))),
]
if "f8e5m2" in DTYPES:
    ROWS = f32(0.5, 4, shape=(2, 1)), f32(1, 2, shape=(1, 2))
    EXACT.append((
        request("torch.scaled_mm", ["out"], {"out_dtype": "f32"}, A=A.astype(DTYPES["f8e4m3"]),
                B=B.astype(DTYPES["f8e5m2"]), scale_a=ROWS[0], scale_b=ROWS[1]),
        [[y * float(ROWS[0][i, 0] * ROWS[1][0, j]) for j, y in enumerate(row)]
         for i, row in enumerate(PRODUCT)]))
HALVES = f32(-2.5, -1, 0, 2.5)
MAP = f32(*range(1, 10), shape=(1, 1, 3, 3))
ONE = numpy.ones((1, 1, 2, 2), numpy.float32)
SOME = {"A": f32(6, -6, 7), "B": f32(4, 4, -2)}
WHOLE = {name: array.astype(numpy.int64) for name, array in SOME.items()}
BYTES = {"x": numpy.array([[[2, 3]]], numpy.uint8),
         "w": numpy.array([[[1, 2]], [[3, 4]]], numpy.int8)}
ROW = {"data": f32(1, -3, 2, 5, 0, 4, shape=(2, 3)), "axes": numpy.array([1])}
KEPT = {"keepdims": 0, "noop_with_empty_axes": 0}
POOL = {"kernel_shape": [2, 2], "ceil_mode": 0, "count_include_pad": 0}
for name, attributes, inputs, right in [
        ("abs", {}, {"X": HALVES}, [2.5, 1, 0, 2.5]), ("neg", {}, {"X": HALVES}, [2.5, 1, 0, -2.5]),
        ("floor", {}, {"X": HALVES}, [-3, -1, 0, 2]), ("ceil", {}, {"X": HALVES}, [-2, -1, 0, 3]),
        ("round", {}, {"X": HALVES}, [-2, -1, 0, 2]), ("sign", {}, {"X": HALVES}, [-1, -1, 0, 1]),
        ("reciprocal", {}, {"X": f32(4, -0.5)}, [0.25, -2]), ("sqrt", {}, {"X": f32(4, 9)}, [2, 3]),
        ("exp", {}, {"input": f32(0)}, [1]), ("log", {}, {"input": f32(1)}, [0]),
        ("tanh", {}, {"input": f32(0, 50)}, [0, 1]), ("erf", {}, {"input": f32(0, 50)}, [0, 1]),
        ("sin", {}, {"input": f32(0)}, [0]), ("cos", {}, {"input": f32(0)}, [1]),
        *((name, {}, {"input": f32(0)}, [0]) for name in ("tan", "sinh", "asin", "atan", "asinh",
                                                          "atanh")),
        ("cosh", {}, {"input": f32(0)}, [1]), ("acos", {}, {"input": f32(1)}, [0]),
        ("acosh", {}, {"input": f32(1)}, [0]),
        ("is_nan", {}, {"X": f32(numpy.nan, 1)}, [True, False]),
        ("is_inf", {"detect_negative": 0, "detect_positive": 1},
         {"X": f32(numpy.inf, -numpy.inf)}, [True, False]),
        ("add", {}, SOME, [10, -2, 5]), ("sub", {}, SOME, [2, -10, 9]),
        ("mul", {}, SOME, [24, -24, -14]), ("div", {}, SOME, [1.5, -1.5, -3.5]),
        ("div", {}, WHOLE, [1, -1, -3]), ("mod", {"fmod": 1}, SOME, [2, -2, 1]),
        ("mod", {"fmod": 0}, WHOLE, [2, 2, -1]), ("mod", {"fmod": 1}, WHOLE, [2, -2, 1]),
        ("pow", {}, {"X": f32(2, -3), "Y": f32(3, 2)}, [8, 9]),
        ("equal", {}, SOME, [False] * 3), ("less", {}, SOME, [False, True, False]),
        ("greater", {}, SOME, [True, False, True]),
        ("less_or_equal", {}, SOME, [False, True, False]),
        ("greater_or_equal", {}, SOME, [True, False, True]),
        ("where", {}, {"condition": numpy.array([True, False]), "X": f32(1), "Y": f32(2)}, [1, 2]),
        ("clip", {}, {"input": HALVES, "max": f32(1, shape=())}, [-2.5, -1, 0, 1]),
        ("min", {}, {"data_0": f32(1, 5), "data_1": f32(3), "data_2": f32(2)}, [1, 2]),
        ("max", {}, {"data_0": f32(1, 5), "data_1": f32(3), "data_2": f32(2)}, [3, 5]),
        ("sum", {}, {"data_0": f32(1, 5), "data_1": f32(3), "data_2": f32(2)}, [6, 10]),
        ("mean", {}, {"data_0": f32(1, 5), "data_1": f32(3)}, [2, 4]),
        ("sigmoid", {}, {"X": f32(0, 200)}, [0.5, 1]), ("relu", {}, {"X": HALVES}, [0, 0, 0, 2.5]),
        ("leaky_relu", {"alpha": 0.5}, {"X": HALVES}, [-1.25, -0.5, 0, 2.5]),
        ("elu", {"alpha": 0.5}, {"X": f32(-200, 3)}, [-0.5, 3]),
        ("celu", {"alpha": 0.5}, {"X": f32(-200, 3)}, [-0.5, 3]),
        ("thresholded_relu", {"alpha": 1.0}, {"X": f32(1, 2)}, [0, 2]),
        ("shrink", {"lambd": 1.0, "bias": 0.0}, {"input": f32(1, 2)}, [0, 2]),
        ("shrink", {"lambd": 1.0, "bias": 1.0}, {"input": f32(1, 2, -3)}, [0, 1, -2]),
        ("hard_swish", {}, {"X": f32(-4, 4)}, [0, 4]),
        ("swish", {"alpha": 1.0}, {"X": f32(64)}, [64]),
        ("mish", {}, {"X": f32(64)}, [64]), ("softsign", {}, {"input": f32(1, -3)}, [0.5, -0.75]),
        ("p_relu", {}, {"X": f32(-2, 4, shape=(1, 2)), "slope": f32(0.5, 2)}, [[-1, 4]]),
        ("reduce_max", KEPT, ROW, [2, 5]), ("reduce_min", KEPT, ROW, [-3, 0]),
        ("reduce_mean", KEPT, ROW, [0, 3]), ("reduce_prod", KEPT, ROW, [-6, 0]),
        ("reduce_l1", KEPT, ROW, [6, 9]),
        ("reduce_l2", KEPT, {"data": f32(3, 4), "axes": numpy.array([0])}, 5),
        ("reduce_log_sum_exp", KEPT, {"data": f32(7), "axes": numpy.array([0])}, 7),
        ("arg_max", {"axis": 1, "keepdims": 0}, {"data": ROW["data"]}, [2, 0]),
        ("arg_min", {"axis": 1, "keepdims": 1}, {"data": ROW["data"]}, [[1], [1]]),
        ("lp_normalization", {"axis": 0, "p": 1}, {"input": f32(1, -3)}, [0.25, -0.75]),
        ("conv", {"group": 1}, {"X": MAP, "W": ONE}, [[[[12, 16], [24, 28]]]]),
        ("conv", {"group": 1, "strides": [2, 2], "pads": [1, 1, 1, 1]}, {"X": MAP, "W": ONE},
         [[[[1, 5], [11, 28]]]]),
        ("max_pool", POOL, {"X": MAP}, [[[[5, 6], [8, 9]]]]),
        ("average_pool", POOL, {"X": MAP}, [[[[3, 4], [6, 7]]]]),
        ("lp_pool", {**POOL, "p": 2}, {"X": 0 * MAP + 2}, [[[[4, 4], [4, 4]]]]),
        ("global_average_pool", {}, {"X": MAP}, [[[[5]]]]),
        ("global_max_pool", {}, {"X": MAP}, [[[[9]]]]),
        ("global_lp_pool", {"p": 1}, {"X": MAP}, [[[[45]]]]),
        ("lrn", {"size": 1, "alpha": 0.0, "beta": 0.5, "bias": 4.0}, {"X": MAP[:, :, :1]},
         [[[[0.5, 1, 1.5]]]]),
        ("batch_normalization", {"epsilon": 0.0, "momentum": 0.9, "training_mode": 0},
         {"X": f32(1, 5, shape=(1, 1, 2)), "scale": f32(3), "B": f32(1), "input_mean": f32(1),
          "input_var": f32(4)}, [[[1, 7]]]),
        ("instance_normalization", {"epsilon": 0.0},
         {"input": f32(1, 5, shape=(1, 1, 2)), "scale": f32(3), "B": f32(1)}, [[[-2, 4]]]),
        ("group_normalization", {"epsilon": 0.0, "num_groups": 1},
         {"X": f32(1, 5, shape=(1, 2, 1)), "scale": f32(3, 1), "bias": f32(1, 2)}, [[[-2], [3]]]),
        ("hardmax", {"axis": 0}, {"input": f32(1, 5, 5)}, [0, 1, 0]),
        ("reduce_log_sum", KEPT, {"data": f32(0.25, 0.75), "axes": numpy.array([0])}, 0),
        ("reduce_sum_square", KEPT, ROW, [14, 41]),
        ("swiglu", {"alpha": 1.0}, {"A": f32(64), "B": f32(3)}, [192]),
        ("cast", {"to": 6}, {"input": f32(-1.75, 3)}, [-1, 3]),
        ("cast", {"to": 19, "saturate": 0}, {"input": f32(1.1, 70000)}, [1, float("inf")]),
        ("bit_cast", {"to": 6}, {"input": f32(1, -0.0, 2**-149)}, [0x3f800000, -2**31, 1]),
        ("quantize_linear", {"axis": 1}, {"x": f32(2, -2, 1000), "y_scale": f32(0.5, shape=()),
                                          "y_zero_point": numpy.uint8(6)}, [10, 2, 255]),
        ("quantize_linear", {"axis": 0}, {"x": A, "y_scale": f32(1, 0.5), "y_zero_point":
                                          numpy.array([-1, 2], numpy.int8)},
         [[0, 1, 2], [10, 12, 14]]),
        ("dequantize_linear", {"axis": 1}, {
            "x": numpy.array([[1, 2]], numpy.uint8), "x_scale": f32(2, 3),
            "x_zero_point": numpy.array([3, 1], numpy.uint8)}, [[-4, 3]]),
        ("mat_mul_integer", {}, {"A": numpy.array([[1], [2]], numpy.uint8),
                                 "B": numpy.array([[3, -5]], numpy.int8), "a_zero_point":
                                 numpy.array([5, 1], numpy.uint8)}, [[-12, 20], [3, -5]]),
        ("conv_integer", {"group": 1, "pads": [1, 1]}, {**BYTES, "x_zero_point": numpy.uint8(1),
                                                        "w_zero_point": numpy.array([3, 0], "i1")},
         [[[-1, -4, -4], [4, 11, 6]]]),
        ("q_linear_conv", {"group": 1, "pads": [1, 1]},
         {**BYTES, "x_scale": f32(0.5, shape=()), "x_zero_point": numpy.uint8(1),
          "w_scale": f32(0.5, 1), "w_zero_point": numpy.array([3, 0], numpy.int8),
          "y_scale": f32(0.5, shape=()), "y_zero_point": numpy.uint8(128),
          "B": numpy.array([1, -200], numpy.int32)}, [[[128, 126, 126], [0, 0, 0]]])]:
    EXACT.append((request(f"onnx.{name}", ["Y"], attributes, **inputs), right))
# Two tokens, two queries that share a state; of the second key exp(-200) leaves nothing.
TOKENS = {"query": f32(1, 0, 0, 1, 1, 1, 2, -1, shape=(1, 2, 4)),
          "key": f32(1, 2, 1, 1, shape=(1, 2, 2)), "value": f32(6, 3, shape=(1, 2, 1)),
          "past_state": f32(4, 8, shape=(1, 1, 2, 1)),
          "decay": f32(0, -200, 0, 0, shape=(1, 2, 2)), "beta": f32(0.5, 0.25, shape=(1, 2, 1))}
SHARED = {"q_num_heads": 2, "kv_num_heads": 1, "scale": 2.0}
BEGUN = {name: TOKENS[name] for name in ("query", "key", "value")}
for rule, inputs, output, state in [
        ("gated_delta", TOKENS, [[[10, 4], [10, 14]]], [[[[4], [1]]]]),
        ("gated", TOKENS, [[[20, 24], [56, 22]]], [[[[13], [15]]]]),
        ("delta", TOKENS, [[[-6, -12], [-6, 6]]], [[[[0], [-3]]]]),
        ("linear", BEGUN, [[[12, 24], [48, 6]]], [[[[9], [15]]]])]:
    for of, right in (("output", output), ("present_state", state)):
        EXACT.append((request("onnx.linear_attention", [of], {**SHARED, "update_rule": rule},
                              **inputs), right))
SEEDS = {"doutput": f32(1, 0, 0, 2, shape=(1, 2, 2)), "dpresent_state":
         f32(1, 3, shape=(1, 1, 2, 1))}
for name, attributes, inputs, right in [  # those of the outputs come last
        ("linear_attention", {**SHARED, "update_rule": "gated_delta"}, TOKENS | SEEDS,
         {"dquery": [[[10, 4, 0, 0], [0, 0, 16, 4]]], "dkey": [[[3, -3], [-19, -3]]],
          "dvalue": [[[1.5], [2]]], "dpast_state": [[[[7.5], [0]]]],
          "ddecay": [[[30, 0], [35, -6]]], "dbeta": [[[6], [-32]]]}),
        ("linear_attention", {**SHARED, "update_rule": "linear"}, TOKENS | SEEDS,
         {"dvalue": [[[9], [8]]], "ddecay": [[[0, 0], [0, 0]]], "dbeta": [[[0], [0]]]}),
        ("mul", {}, {"A": f32(2, 3), "B": f32(5), "dC": f32(1, 10)}, {"dA": [5, 50], "dB": [32]}),
        ("mat_mul", {}, {"A": A, "B": B[:, :1], "dY": f32(1, 2, shape=(2, 1))},
         {"dA": [[1, 0.5, 4], [2, 1, 8]], "dB": [[9], [12], [15]]}),
        ("gemm", {"alpha": 2.0, "beta": 0.5, "transA": 1, "transB": 0},
         {"A": f32(3, shape=(1, 1)), "B": f32(5, shape=(1, 1)), "C": f32(1), "dY":
          f32(7, shape=(1, 1))}, {"dA": [[70]], "dB": [[42]], "dC": [3.5]}),
        ("softmax", {"axis": -1}, {"input": f32(3, 3), "doutput": f32(1, 3)},
         {"dinput": [-0.5, 0.5]}),
        ("log_softmax", {"axis": 0}, {"input": f32(8), "doutput": f32(5)}, {"dinput": [0]}),
        ("conv", {"group": 1}, {"X": MAP, "W": ONE, "B": f32(0), "dY": f32(1, 0, 0, 2, shape=(
            1, 1, 2, 2))}, {"dX": [[[[1, 1, 0], [1, 3, 2], [0, 2, 2]]]],
                            "dW": [[[[11, 14], [20, 23]]]], "dB": [3]}),
        ("max_pool", POOL, {"X": MAP, "dY": f32(1, 2, 3, 4, shape=(1, 1, 2, 2))},
         {"dX": [[[[0, 0, 0], [0, 1, 2], [0, 3, 4]]]]}),
        ("average_pool", POOL, {"X": MAP, "dY": f32(4, 8, 0, 0, shape=(1, 1, 2, 2))},
         {"dX": [[[[1, 3, 2], [1, 3, 2], [0, 0, 0]]]]}),
        ("lp_pool", {**POOL, "p": 2}, {"X": 0 * MAP + 2, "dY": f32(4, 8, 0, 0, shape=(
            1, 1, 2, 2))}, {"dX": [[[[2, 6, 4], [2, 6, 4], [0, 0, 0]]]]}),
        ("global_average_pool", {}, {"X": 0 * MAP, "dY": f32(9, shape=(1, 1, 1, 1))},
         {"dX": [[[[1] * 3] * 3]]}),
        ("global_max_pool", {}, {"X": MAP, "dY": f32(2, shape=(1, 1, 1, 1))},
         {"dX": [[[[0] * 3, [0] * 3, [0, 0, 2]]]]}),
        ("global_lp_pool", {"p": 1}, {"X": MAP, "dY": f32(2, shape=(1, 1, 1, 1))},
         {"dX": [[[[2] * 3] * 3]]}),
        ("relu", {}, {"X": HALVES, "dY": f32(1, 2, 3, 4)}, {"dX": [0, 0, 0, 4]}),
        ("layer_normalization", LAYER, {"X": FOUR, "Scale": f32(1, 1, 1, 1), "B": f32(0, 0, 0, 0),
                                        "dY": f32(2, 2, 2, 2, shape=(1, 4))},
         {"dX": [[0] * 4], "dScale": [-2, 2, 2, -2], "dB": [2] * 4})]:
    EXACT += [(request(f"gradient.{name}", [of, *(set(right) - {of})], attributes, **inputs), those)
              for of, those in right.items()]
# What no library here has an attribute for.
REFUSED = [
    request("onnx.mod", ["C"], {"fmod": 0}, **SOME),
    request("onnx.add", ["C"], {}, A=f32(1), B=numpy.array([1])),
    request("onnx.clip", ["output"], {}, input=f32(1, 2), max=f32(1, 2)),
    request("onnx.is_inf", ["Y"], {"detect_negative": 0, "detect_positive": 0}, X=f32(1)),
    request("onnx.reduce_max", ["reduced"], KEPT, data=f32(shape=(0,))),
    request("onnx.arg_max", ["reduced"], {"select_last_index": 1, "axis": 0}, data=f32(1)),
    request("onnx.selu", ["Y"], {"alpha": 1.0, "gamma": 1.0}, X=f32(1)),
    request("onnx.swish", ["Y"], {"alpha": 2.0}, X=f32(1)),
    request("onnx.shrink", ["output"], {"lambd": 1.0, "bias": 0.5}, input=f32(1)),
    request("onnx.p_relu", ["Y"], {}, X=MAP, slope=f32(1, 2, 3)),
    request("onnx.conv", ["Y"], {"group": 1, "kernel_shape": [1, 1]}, X=MAP, W=ONE),
    request("onnx.conv_integer", ["y"], {"group": 1, "kernel_shape": [3]}, **BYTES),
    request("onnx.max_pool", ["Y"], {**POOL, "ceil_mode": 1, "auto_pad": "SAME_LOWER"}, X=MAP),
    request("onnx.average_pool", ["Y"], {**POOL, "pads": [1, 0, 0, 0]}, X=MAP),
    request("onnx.lp_pool", ["Y"], {**POOL, "p": 3}, X=MAP),
    request("onnx.average_pool", ["Y"], {**POOL, "opset": 6, "count_include_pad": 1}, X=MAP),
    request("onnx.lrn", ["Y"], {"size": 2}, X=MAP),
    request("onnx.group_normalization", ["Y"], {"num_groups": 1, "stash_type": 16}, X=MAP,
            scale=f32(1), bias=f32(1)),
    request("onnx.batch_normalization", ["Y", "running_mean"], {}, X=MAP, scale=f32(1), B=f32(1),
            input_mean=f32(1), input_var=f32(1)),
    request("onnx.cast", ["output"], {"to": 20, "saturate": 1}, input=f32(1)),
    request("onnx.cast", ["output"], {"to": 24, "saturate": 1, "round_mode": "up"}, input=f32(1)),
    request("onnx.bit_cast", ["output"], {"to": 14}, input=f32(1)),
    request("onnx.bit_cast", ["output"], {"to": 2}, input=f32(1)),
    request("onnx.quantize_linear", ["y"], {"axis": 0, "precision": 10}, x=f32(1),
            y_scale=f32(1)),
    request("onnx.hard_sigmoid", ["Y"], {"alpha": 0.2, "beta": 0.5}, X=f32(1)),
    request("onnx.cum_sum", ["y"], {"exclusive": 1, "reverse": 0}, x=A, axis=numpy.array(0)),
    request("onnx.cum_sum", ["y"], {"exclusive": 0, "reverse": 0}, x=A, axis=numpy.array([0])),
    request("onnx.layer_normalization", ["Y"], {**LAYER, "axis": 2}, X=A, Scale=f32(1, 1, 1)),
    request("onnx.layer_normalization", ["Y"], LAYER, X=A, Scale=f32(1)),
    request("onnx.layer_normalization", ["Y"], {**LAYER, "stash_type": 16}, X=A,
            Scale=f32(1, 1, 1)),
    request("onnx.attention", ["Y"], {"left_window_size": 0}, Q=f32(1, shape=(1, 1, 1, 1)),
            K=f32(1, shape=(1, 1, 1, 1)), V=f32(1, shape=(1, 1, 1, 1))),
    request("onnx.linear_attention", ["output"], {**SHARED, "update_rule": "linear"},
            **{name: array.astype(numpy.float64) for name, array in BEGUN.items()}),
    request("onnx.attention", ["Y", "qk_matmul_output"], {}, Q=f32(1, shape=(1, 1, 1, 1)),
            K=f32(1, shape=(1, 1, 1, 1)), V=f32(1, shape=(1, 1, 1, 1))),
]


# But these: JAX broadcasts a slope, and each side of windows has a padding of its own.
BUT = {("jax", "onnx.p_relu", None), ("jax", "onnx.average_pool", None)}


def supported(operators, asked):
    try:
        operators.supports(asked)
    except Unsupported:
        return False
    return True


def hold(operators):
    served = 0
    for asked, right in EXACT:
        if asked.op in operators:
            served += 1
            check(supported(operators, asked), f"{operators.library} serves {asked.op}")
            got = numpy.asarray(operators.run(asked)[asked.outputs[0]]).tolist()
            check(got == right, f"{operators.library} {asked.op}", f"{got} where {right} is right")
    check(served >= 4, f"{operators.library} serves some")
    for asked in REFUSED:
        if asked.op in operators and (
                operators.library, asked.op, asked.attributes.get("opset")) not in BUT:
            check(not supported(operators, asked), f"{operators.library} does not serve this "
                  f"{asked.op}: {asked.attributes}")


for module, name in (("numpy_operators", "NUMPY"), ("torch_operators", "TORCH"),
                     ("jax_operators", "JAX")):
    try:
        hold(getattr(__import__(module), name))
    except ImportError as missing:
        skip(f"declared operators of {name}", missing)

try:
    import torch_operators
except ImportError as missing:
    skip("products of 8 bits with zeros around them", missing)
else:
    torch_operators.ON_CUDA = True  # where sizes must be multiples of 16
    for asked, right in EXACT:
        if asked.op == "torch.scaled_mm":
            asked.attributes["out_dtype"] = "bf16"
            got = torch_operators.TORCH.run(asked)["out"].astype(numpy.float32).tolist()
            check(got == right, "zeros around operands of 8 bits change nothing",
                  f"{got} where {right} is right")
finish()
