# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: Cast to floats of 8 and 16 bits and to integers of 4 and 2. Needs numpy, onnx
and onnxruntime.

Ends with 1 when all of these casts give other numbers than the text of Cast has.
"""

import ctypes
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto as T
from onnx import helper as h


def codes(to, x, opset=25, **attributes):
    """The bytes of Cast(x), as the runtime holds them."""
    given = h.np_dtype_to_tensor_dtype(x.dtype)
    node = h.make_node("Cast", ["x"], ["y"], to=to, **attributes)
    graph = h.make_graph([node], "g", [h.make_tensor_value_info("x", given, x.shape)],
                         [h.make_tensor_value_info("y", to, x.shape)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=13)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (y,) = session.run_with_ort_values(["y"], {"x": onnxruntime.OrtValue.ortvalue_from_numpy(x)})
    return list(ctypes.string_at(y.data_ptr(), y.tensor_size_in_bytes()))


f32 = lambda *values: np.array(values, np.float32)
seen = {
    "E4M3FN of 479, 480, 495, 496 without saturate, all NaN":
        (codes(T.FLOAT8E4M3FN, f32(479, 480, 495, 496), saturate=0), [0x7f] * 4),
    "E5M2 of 61440, 65504, 65536 without saturate, all infinity":
        (codes(T.FLOAT8E5M2, f32(61440, 65504, 65536), saturate=0), [0x7c] * 3),
    "UINT4 of 0.5 and 2.5, 0 and 2": (codes(T.UINT4, f32(0.5, 2.5)), [0x20]),
    "E8M0 of 1 + 2^-52, upward 2": (codes(T.FLOAT8E8M0, np.array([1 + 2.0**-52])), [0x80]),
    "FLOAT16 of 1 + 2^-11 + 2^-52, the middle and more, 1 + 2^-10":
        (codes(T.FLOAT16, np.array([1 + 2.0**-11 + 2.0**-52])), [0x01, 0x3c]),
    "BFLOAT16 of 1 + 2^-8 + 2^-52, the middle and more, 1 + 2^-7":
        (codes(T.BFLOAT16, np.array([1 + 2.0**-8 + 2.0**-52])), [0x81, 0x3f]),
    "BFLOAT16 of 2^30 + 2^22 + 1, the middle and more, 2^30 + 2^23":
        (codes(T.BFLOAT16, np.array([2**30 + 2**22 + 1])), [0x81, 0x4e]),
}
for what, (got, right) in seen.items():
    print(f"{what}: {' '.join(f'{b:02x}' for b in got)}, right is "
          f"{' '.join(f'{b:02x}' for b in right)}")
sys.exit(1 if all(got != right for got, right in seen.values()) else 0)
