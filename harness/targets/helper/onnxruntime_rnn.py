# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's RNN, LSTM and GRU (opset 14) behind onednn.rnn, forward.

ONNX orders the gates of LSTM i, o, f, c (oneDNN: i, f, c, o), its peepholes i, o, f (i, f, o), and
those of GRU z, r, h (u, r, o: the same). Its GRU has both forms. Bias is one for input and one for
recurrence; here the second is zero but for the candidate's in the linear-before-reset form. A node
is one layer; a stack of two directions, which ONNX would feed with both, is two chains of nodes of
one direction each, joined after the last. What the runtime has no kernel for it says when a session
is made.
"""

import numpy
import onnxruntime
from assay.target import Rejected, Unsupported
from onednn_rnn import (
    has_other_state_channels,
    is_left_over,
    refuse_what_is_left_over,
    types_of,
)
from onnx import TensorProto, helper
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    NotImplemented,
    RuntimeException,
)

ERRORS = (Fail, InvalidArgument, InvalidGraph, RuntimeException)
# Of opset 14, which has no bf16 either.
TYPES = {"f16": TensorProto.FLOAT16, "f32": TensorProto.FLOAT}
NODES = {"vanilla_rnn": "RNN", "lstm": "LSTM", "gru": "GRU", "lbr_gru": "GRU"}
GATES = {
    "vanilla_rnn": [0],
    "lstm": [0, 3, 1, 2],
    "gru": [0, 1, 2],
    "lbr_gru": [0, 1, 2],
}  # ONNX's k-th gate is oneDNN's
PEEPHOLES = [0, 2, 1]
DIRECTIONS = {"left2right": ["forward"], "right2left": ["reverse"]}


def supports(request):
    cell, attributes = request.attributes.get("cell"), request.attributes
    if cell not in NODES:
        raise Unsupported(f"ONNX has no {cell}")
    if attributes.get("propagation") == "backward":
        raise Unsupported("inference only")
    if is_left_over(request):
        return  # it is wrong, which its run will say
    if "weights_projection" in request.shapes:
        raise Unsupported("ONNX's LSTM has no projection")
    if has_other_state_channels(request):
        raise Unsupported("ONNX's states have hidden_size channels")
    types = types_of(request)
    if len(types) != 1 or not types <= set(TYPES):
        raise Unsupported("ONNX's RNN operators take one floating type for all tensors")
    try:
        make_session(request, request.shapes, types.pop())
    except NotImplemented as why:
        raise Unsupported(str(why)[:300]) from why
    except ERRORS:
        pass  # the request is wrong, which its run will say


class Chain:
    """Nodes, one a layer, for the directions of the request that stand at `places`."""

    def __init__(self, request, places, ways):
        self.places, self.cell, self.ways = places, request.attributes["cell"], ways
        self.tag = "".join(str(place) for place in places)

    def nodes(self, request, shapes):
        layers, dhc = shapes["weights_layer"][0], shapes["weights_layer"][4]
        attributes = {
            "hidden_size": dhc,
            "direction": "bidirectional" if len(self.ways) == 2 else self.ways[0],
        }
        if self.cell == "lbr_gru":
            attributes["linear_before_reset"] = 1
        if self.cell == "vanilla_rnn":
            name, alpha = request.attributes.get("activation"), float(
                request.attributes.get("alpha", 0)
            )
            word = {
                "tanh": "Tanh",
                "logistic": "Sigmoid",
                "relu": "LeakyRelu" if alpha else "Relu",
                None: None,
            }[name]
            if word:  # else the runtime's own
                attributes["activations"] = [word] * len(self.ways)
            if word == "LeakyRelu":
                attributes["activation_alpha"] = [alpha] * len(self.ways)
        x = "src_layer"
        for layer in range(layers):
            inputs = [x, *(self.name(kind, layer) for kind in ("W", "R"))]
            optional = [
                ("B", "bias"),
                ("lens", None),
                ("h", "src_iter"),
                ("c", "src_iter_c"),
                ("P", "weights_peephole"),
            ]
            for kind, source in optional[:5 if self.cell == "lstm" else 3]:
                inputs.append(self.name(kind, layer) if source in shapes else "")
            outputs = [
                self.name(kind, layer)
                for kind in ("Y", "Yh", "Yc")[: 3 if self.cell == "lstm" else 2]
            ]
            yield helper.make_node(NODES[self.cell], inputs, outputs, **attributes)
            x = self.name("X", layer)
            if layer + 1 < layers:  # [T, 1, N, H] to [T, N, H]
                yield helper.make_node("Squeeze", [self.name("Y", layer), "axis"], [x])

    def name(self, kind, layer):
        return f"{kind}_{self.tag}_{layer}"

    def feeds(self, inputs):
        order = GATES[self.cell]
        for layer in range(inputs["weights_layer"].shape[0]):
            take = {
                name: array[layer, self.places]
                for name, array in inputs.items()
                if name != "src_layer"
            }
            for kind, name in (
                ("W", "weights_layer"),
                ("R", "weights_iter"),
            ):  # [D, I, G, O] to [D, G * O, I]
                array = take[name]
                array = (
                    array[:, :, order, :] if array.shape[2] == len(order) else array
                )  # else for the runtime to refuse
                yield self.name(kind, layer), array.transpose(0, 2, 3, 1).reshape(
                    array.shape[0], -1, array.shape[1]
                )
            if "bias" in take:
                bias = take["bias"][:, order, :]
                recurrent = numpy.zeros_like(bias)
                if self.cell == "lbr_gru":
                    recurrent[:, 2] = take["bias"][:, 3]
                yield self.name("B", layer), numpy.concatenate([bias, recurrent], axis=1).reshape(
                    bias.shape[0], -1
                )
            for kind, name in (("h", "src_iter"), ("c", "src_iter_c")):
                if name in take:
                    yield self.name(kind, layer), take[name]
            if "weights_peephole" in take:
                array = take["weights_peephole"]
                array = (
                    array[:, PEEPHOLES] if array.shape[1] == len(PEEPHOLES) else array
                )  # else for the runtime to refuse
                yield self.name("P", layer), array.reshape(len(self.places), -1)


def make_chains(request, shapes):
    ways = DIRECTIONS.get(request.attributes.get("direction", "left2right"))
    if ways:
        return [Chain(request, [0], ways)]
    if shapes["weights_layer"][0] == 1:
        return [Chain(request, [0, 1], ["forward", "reverse"])]
    return [Chain(request, [0], ["forward"]), Chain(request, [1], ["reverse"])]


def make_session(request, shapes, dtype):
    chains = make_chains(request, shapes)
    nodes = [node for chain in chains for node in chain.nodes(request, shapes)]
    made = {name for node in nodes for name in node.output}
    wanted = [name for node in nodes if node.op_type != "Squeeze" for name in node.output]
    used = {name for node in nodes for name in node.input if name and name != "axis"} - made
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    graph = helper.make_graph(
        nodes,
        "rnn",
        [helper.make_tensor_value_info(name, TYPES[dtype], None) for name in sorted(used)],
        [helper.make_tensor_value_info(name, TYPES[dtype], None) for name in wanted],
        [axis],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return chains, wanted, session


def run(request):
    refuse_what_is_left_over(request)
    try:
        chains, wanted, session = make_session(request, request.shapes, request.dtypes["src_layer"])
        feeds = {"src_layer": request.inputs["src_layer"]}
        for chain in chains:
            feeds.update(
                (name, numpy.ascontiguousarray(array))
                for name, array in chain.feeds(request.inputs)
            )
        found = dict(zip(wanted, session.run(wanted, feeds)))
    except (*ERRORS, IndexError, ValueError) as error:
        raise Rejected(str(error)) from error
    layers = range(request.shapes["weights_layer"][0])
    ys = [y for chain in chains for y in numpy.moveaxis(found[chain.name("Y", layers[-1])], 1, 0)]
    add = request.attributes.get("direction") == "bidirectional_sum"
    answer = {"dst_layer": ys[0] + ys[1] if add else numpy.concatenate(ys, axis=2)}
    for kind, name in (("Yh", "dst_iter"), ("Yc", "dst_iter_c"))[
        : 2 if request.attributes["cell"] == "lstm" else 1
    ]:
        answer[name] = numpy.stack(
            [
                numpy.concatenate([found[chain.name(kind, layer)] for chain in chains])
                for layer in layers
            ]
        )
    return {
        name: array
        for name, array in answer.items()
        if not request.outputs or name in request.outputs
    }
