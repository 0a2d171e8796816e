# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: recurrent operators as ONNX has them and behind onednn.rnn, and Range, whose
tensors all have one of five types."""

import onnxruntime
import onnxruntime_rnn
from assay.target import Rejected, Target, Unsupported
from onnx import TensorProto, helper
from onnx_backend import OnnxRuntime as Models
from onnx_node import OPERATORS, is_served
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    RuntimeException,
)

TYPES = {
    "i16": TensorProto.INT16,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "f32": TensorProto.FLOAT,
    "f64": TensorProto.DOUBLE,
}
INPUTS = ("start", "stop", "step")


class OnnxRuntime(Target):
    model = Models.model
    name = "onnxruntime"
    version = onnxruntime.__version__
    operations = ("openvino.range", "onednn.rnn", *OPERATORS)

    def __init__(self):
        self.models = Models("")
        self.sessions = {}  # by type: a model is the same for all ranges of one type

    def supports(self, request):
        if request.op not in self.operations and not is_served(request):
            raise Unsupported(f"this target has no {request.op}")
        if request.window:
            raise Unsupported("no windows")
        if request.op == "onednn.rnn":
            onnxruntime_rnn.supports(request)
        elif is_served(request):
            self.models.supports(request)
        else:
            self.supports_range(request)

    @staticmethod
    def supports_range(request):
        if set(request.shapes) != set(INPUTS) or any(request.shapes.values()):
            raise Unsupported("Range takes three scalars")
        name = request.attributes.get("output_type")
        if name not in TYPES:
            raise Unsupported(f"Range is not defined for {name}")
        if any(dtype != name for dtype in request.dtypes.values()):
            raise Unsupported("Range takes its inputs in the type of its output")

    def session(self, name):
        if name not in self.sessions:
            node = helper.make_node("Range", list(INPUTS), ["output"])
            inputs = [helper.make_tensor_value_info(text, TYPES[name], []) for text in INPUTS]
            outputs = [helper.make_tensor_value_info("output", TYPES[name], ["n"])]
            graph = helper.make_graph([node], "range", inputs, outputs)
            model = helper.make_model(
                graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8
            )
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            self.sessions[name] = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                               providers=["CPUExecutionProvider"])
        return self.sessions[name]

    def run(self, request):
        if request.op == "onednn.rnn":
            return onnxruntime_rnn.run(request)
        if is_served(request):
            return self.models.run(request)
        try:
            (output,) = self.session(request.attributes["output_type"]).run(
                None, {name: request.inputs[name] for name in INPUTS}
            )
        except (Fail, InvalidArgument, RuntimeException) as error:
            raise Rejected(str(error)) from error
        return {"output": output}
