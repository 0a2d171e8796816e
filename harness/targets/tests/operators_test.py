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
]
if "f8e5m2" in DTYPES:
    ROWS = f32(0.5, 4, shape=(2, 1)), f32(1, 2, shape=(1, 2))
    EXACT.append((
        request("torch.scaled_mm", ["out"], {"out_dtype": "f32"}, A=A.astype(DTYPES["f8e4m3"]),
                B=B.astype(DTYPES["f8e5m2"]), scale_a=ROWS[0], scale_b=ROWS[1]),
        [[y * float(ROWS[0][i, 0] * ROWS[1][0, j]) for j, y in enumerate(row)]
         for i, row in enumerate(PRODUCT)]))
# What no library here has an attribute for.
REFUSED = [
    request("onnx.hard_sigmoid", ["Y"], {"alpha": 0.2, "beta": 0.5}, X=f32(1)),
    request("onnx.cum_sum", ["y"], {"exclusive": 1, "reverse": 0}, x=A, axis=numpy.array(0)),
    request("onnx.cum_sum", ["y"], {"exclusive": 0, "reverse": 0}, x=A, axis=numpy.array([0])),
    request("onnx.layer_normalization", ["Y"], {**LAYER, "axis": 2}, X=A, Scale=f32(1, 1, 1)),
    request("onnx.layer_normalization", ["Y"], LAYER, X=A, Scale=f32(1)),
    request("onnx.layer_normalization", ["Y"], {**LAYER, "stash_type": 16}, X=A,
            Scale=f32(1, 1, 1)),
    request("onnx.attention", ["Y"], {"left_window_size": 0}, Q=f32(1, shape=(1, 1, 1, 1)),
            K=f32(1, shape=(1, 1, 1, 1)), V=f32(1, shape=(1, 1, 1, 1))),
    request("onnx.attention", ["Y", "present_key"], {}, Q=f32(1, shape=(1, 1, 1, 1)),
            K=f32(1, shape=(1, 1, 1, 1)), V=f32(1, shape=(1, 1, 1, 1))),
]


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
        if asked.op in operators:
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
