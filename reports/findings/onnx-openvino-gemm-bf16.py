# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's front end for ONNX: Gemm of bf16 with alpha and constant weights. Needs numpy,
ml_dtypes, onnx, openvino and a processor with AVX-512 for bf16.

Ends with 1 when alpha * B is rounded to bf16 before the product, with 3 where the processor has no
AVX-512 for bf16.
"""

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "DEFAULT"

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import openvino  # noqa: E402
from onnx import helper as h  # noqa: E402

with open("/proc/cpuinfo", encoding="ascii") as file:
    if "avx512_bf16" not in file.read():
        sys.exit(3)
bf16, kind = ml_dtypes.bfloat16, onnx.TensorProto.BFLOAT16
alpha, a, b = 1.25, bf16(1 + 19 / 128), bf16(1 + 51 / 128)


def product(constant):
    """1.25 * a * b by a model whose B is an input, or a constant."""
    value = lambda name: h.make_tensor_value_info(name, kind, [1, 1])
    weights = h.make_tensor("B", kind, [1, 1], np.array([[b]]).tobytes(), raw=True)
    graph = h.make_graph([h.make_node("Gemm", ["A", "B"], ["Y"], alpha=alpha)], "g",
                         [value("A")] + ([] if constant else [value("B")]), [value("Y")],
                         [weights] if constant else [])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=10)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU",
                                  {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    for port in compiled.inputs:
        tensor = openvino.Tensor(openvino.Type.bf16, [1, 1])
        tensor.data.reshape(-1).view(np.uint8)[:] = np.array(
            [a if "A" in port.names else b]).view(np.uint8)
        request.set_tensor(port, tensor)
    request.infer()
    return float(np.array(request.get_output_tensor(0).data).view(bf16).reshape(()))


exact = alpha * float(a) * float(b)
stored = float(a) * float(bf16(alpha * float(b)))
print("openvino", openvino.__version__)
print(f"exact {exact}, nearest bf16 {float(bf16(exact))}")
print(f"with alpha * B in bf16 {stored}, nearest bf16 {float(bf16(stored))}")
found = {"an input": product(False), "a constant": product(True)}
for name, got in found.items():
    print(f"with B as {name}: {got}")
wrong = float(bf16(exact)) != float(bf16(stored)) == found["a constant"]
sys.exit(1 if wrong else 0)
