# SPDX-License-Identifier: Apache-2.0
"""onnx: RMSNormalization states for Y the type of scale, and infers that of X. Needs onnx.

Ends with 1 when the two differ.
"""

import sys

import onnx
from onnx import TensorProto
from onnx import helper as h

schema = onnx.defs.get_schema("RMSNormalization")
stated = {formal.name: formal.type_str for formal in [*schema.inputs, *schema.outputs]}
graph = h.make_graph([h.make_node("RMSNormalization", ["X", "scale"], ["Y"])], "g",
                     [h.make_tensor_value_info("X", TensorProto.FLOAT, [2, 3]),
                      h.make_tensor_value_info("scale", TensorProto.DOUBLE, [3])],
                     [onnx.ValueInfoProto(name="Y")])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 23)], ir_version=10)
inferred = onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.elem_type
name = TensorProto.DataType.Name(inferred)
print(f"stated {stated}; inferred for X of f32 and scale of f64: {name}")
sys.exit(1 if stated["Y"] == stated["scale"] != stated["X"] and name == "FLOAT" else 0)
