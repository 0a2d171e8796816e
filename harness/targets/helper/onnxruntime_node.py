# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime behind operators of ONNX: one node a model."""

import onnxruntime
from assay_target import Rejected, Unsupported
from onnx import TensorProto
from onnx_node import OPERATORS, make_model, output_type
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    NotImplemented,
    RuntimeException,
)

DRAWING = {name for name in OPERATORS if "random" in name} | {"onnx.bernoulli", "onnx.multinomial"}
ERRORS = (Fail, InvalidArgument, InvalidGraph, RuntimeException)


kept = {}  # of models that draw without a seed: runs of one session differ


def make_session(request):
    model, wanted = make_model(request)
    key = model.SerializeToString()
    if key in kept:
        return wanted, kept[key]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(key, options, providers=["CPUExecutionProvider"])
    if request.op in DRAWING and "seed" not in request.attributes:
        kept[key] = session
    return wanted, session


def supports(request):
    if request.op in DRAWING and output_type(request) == TensorProto.BFLOAT16:
        raise Unsupported("NumPy's arrays, as the library gives them, hold no bf16")
    try:
        make_session(request)
    except NotImplemented as why:
        raise Unsupported(str(why)[:300]) from why
    except (*ERRORS, ValueError, TypeError) as why:
        if "layout == 1" in str(why) or "official support" in str(why):
            raise Unsupported(str(why)[:300]) from why
        # else the request is wrong, which its run will say


def run(request):
    try:
        wanted, session = make_session(request)
        return dict(zip(wanted, session.run(wanted, dict(request.inputs))))
    except (*ERRORS, ValueError, TypeError) as error:
        raise Rejected(str(error)) from error
