# SPDX-License-Identifier: Apache-2.0
"""Which attributes of a request become attributes of a node: those that hold more than the default,
and those that a version does not have, so that whoever runs the model can refuse them; and the
nodes that a declaration lists."""

import sys

sys.path[:0] = ["harness/tests", "harness/python", "harness/targets/helper"]
from tap import check, finish, skip  # noqa: E402

try:
    import onnx
    from assay.target import Request, Unsupported
    from onnx_node import make_model
except ImportError as missing:
    skip("requests as models of one node", missing)
    finish()


def attributes(op, names, given):
    inputs = {name: {"dtype": "f32", "shape": shape} for name, shape in names.items()}
    model, _, _ = make_model(Request({"op": op, "attributes": given, "inputs": inputs}, ""))
    return {a.name: onnx.helper.get_attribute_value(a) for a in model.graph.node[0].attribute}


qkv = {name: [1, 1, 2, 4] for name in "QKV"}
ends = {name: [] for name in ("start", "limit", "delta")}
for op, names, given, wanted, what in (
        ("onnx.attention", qkv, {"opset": 25, "left_window_size": -1, "softcap": 0}, {},
         "defaults are left out"),
        ("onnx.attention", qkv, {"opset": 23, "left_window_size": -1}, {},
         "and those of later versions"),
        ("onnx.attention", qkv, {"opset": 25, "left_window_size": 0}, {"left_window_size": 0},
         "0 where the default is -1 is handed over"),
        ("onnx.attention", qkv, {"opset": 23, "left_window_size": 2}, {"left_window_size": 2},
         "what a version does not have is handed over, to be refused"),
        ("onnx.cast", {"input": [3]}, {"opset": 18, "to": 1, "saturate": 0},
         {"to": 1, "saturate": 0}, "0 too, where the later default is 1"),
        ("onnx.range", ends, {"opset": 11, "stash_type": 1}, {},
         "a later default cannot be told from what is not given"),
        ("onnx.gelu", {"X": [3]}, {"approximate": "none"}, {}, "words are compared"),
        ("onnx.gelu", {"X": [3]}, {"approximate": "tanh"}, {"approximate": b"tanh"},
         "another word is handed over")):
    found = attributes(op, names, given)
    check(found == wanted, f"{op} {given}: {what}", str(found))
pooled = {"op": "onnx.max_pool", "attributes": {"opset": 1, "kernel_shape": [2]},
          "inputs": {"X": {"dtype": "f32", "shape": [1, 1, 4]}}}
for outputs, right in ((["Y"], True), (["Y", "Indices"], False)):
    try:
        served = bool(make_model(Request(pooled | {"outputs": outputs}, "")))
    except Unsupported:
        served = False
    check(served == right, f"MaxPool-1 gives {outputs}: {right}")
listed = {"op": "onnx.chain", "attributes": {"opset": 20, "approximate": "tanh"}, "outputs": ["Y"],
          "inputs": {name: {"dtype": "f32", "shape": [2, 2]} for name in "AB"},
          "onnx": [{"node": "MatMul", "inputs": ["A", "B"], "outputs": ["P"], "attributes": []},
                   {"node": "Gelu", "inputs": ["P"], "outputs": ["Y"],
                    "attributes": ["approximate"]}]}
model, wanted, fed = make_model(Request(listed, ""))
onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
nodes = [(n.op_type, list(n.input), list(n.output), [a.name for a in n.attribute])
         for n in model.graph.node]
check(nodes == [("MatMul", ["A", "B"], ["P"], []), ("Gelu", ["P"], ["Y"], ["approximate"])]
      and (wanted, fed) == (["Y"], ["A", "B"]), "the nodes that a declaration lists are a model",
      str(nodes))
finish()
