# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime behind operators of ONNX: one node a model."""

import onnxruntime
from assay_target import Rejected, Unsupported
from onnx_node import make_model
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    NotImplemented,
    RuntimeException,
)

ERRORS = (Fail, InvalidArgument, InvalidGraph, RuntimeException)


def make_session(request):
    model, wanted = make_model(request)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return wanted, onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def supports(request):
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
