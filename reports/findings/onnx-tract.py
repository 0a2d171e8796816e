# SPDX-License-Identifier: Apache-2.0
"""tract: a recurrent node with direction reverse goes forward. Needs numpy, onnx and tract.

Ends with 1 when it does.
"""

import sys
import tempfile

import numpy as np
import onnx
import onnx.reference
import tract
from onnx import TensorProto
from onnx import helper as h

shapes = {"X": [2, 1, 1], "W": [1, 1, 1], "R": [1, 1, 1]}
node = h.make_node("RNN", list(shapes), ["Y"], hidden_size=1, direction="reverse")
inputs = [h.make_tensor_value_info(name, TensorProto.FLOAT, shape)
          for name, shape in shapes.items()]
output = h.make_tensor_value_info("Y", TensorProto.FLOAT, [2, 1, 1, 1])
graph = h.make_graph([node], "g", inputs, [output])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 14)], ir_version=8)
data = [np.array(values, np.float32).reshape(shape)
        for values, shape in zip(([1, 0], [1], [1]), shapes.values())]
with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
    onnx.save(model, file.name)
    runnable = tract.onnx().load(file.name).into_model().into_runnable()
got = runnable.run(data)[0].to_numpy().ravel()
wanted = onnx.reference.ReferenceEvaluator(model).run(None, dict(zip(shapes, data)))[0].ravel()
print(f"tract {got}, onnx.reference {wanted}")
sys.exit(0 if np.array_equal(got, wanted) else 1)
