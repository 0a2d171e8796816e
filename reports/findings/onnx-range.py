# SPDX-License-Identifier: Apache-2.0
"""onnx: Range of its evaluator, and the size that shape inference gives it. Needs numpy and onnx.

Ends with 1 when both show it.
"""

import sys

import numpy as np
import onnx
from onnx import helper as h
from onnx.reference import ReferenceEvaluator


def model(dtype, **values):
    tensors = [onnx.numpy_helper.from_array(np.array(value, dtype), name)
               for name, value in values.items()]
    kind = h.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = h.make_graph([h.make_node("Range", list(values), ["y"])], "g", [],
                         [h.make_tensor_value_info("y", kind, None)], tensors)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 11)], ir_version=10)


def inferred(made):
    told = onnx.shape_inference.infer_shapes(made, data_prop=True)
    return [d.dim_value for d in told.graph.output[0].type.tensor_type.shape.dim]


tenths = ReferenceEvaluator(model(np.float64, start=1, limit=6, delta=0.1)).run(None, {})[0]
shown = {
    "1 + 9 * 0.1 is 1.9000000000000008": tenths[9] != 1 + 9 * 0.1,
    "from -2^31 to 2^31 - 1 by 858993459, 5 elements: 0 are inferred":
        inferred(model(np.int32, start=-2**31, limit=2**31 - 1, delta=858993459)) == [0],
}
for name, seen in shown.items():
    print(f"{name}: {seen}")
sys.exit(1 if all(shown.values()) else 0)
