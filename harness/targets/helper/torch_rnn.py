# SPDX-License-Identifier: Apache-2.0
"""PyTorch's RNN, LSTM and GRU behind onednn.rnn, and its autograd behind the backward form.

PyTorch's LSTM has the gates of oneDNN in the same order (i, f, c~, o). Its GRU is the
linear-before-reset form with gates r, z, n (oneDNN: u, r, o), whose fourth bias is the recurrent
one of n. A second bidirectional layer sees both directions of the first, and there is no direction
from right to left alone: such stacks are modules of one direction, with time reversed before and
after. Gradients of parameters add to what their `grad` holds, which is the request's initial
gradient.
"""

import numpy
import torch
from assay.target import Rejected, Unsupported
from onednn_rnn import (
    has_other_state_channels,
    is_left_over,
    refuse_what_is_left_over,
    types_of,
)
from torch_arrays import DEVICE, to_numpy, to_torch

FLOATS = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
MODULES = {"vanilla_rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "lbr_gru": torch.nn.GRU}
# PyTorch's k-th gate is which one of oneDNN's.
GATES = {"vanilla_rnn": [0], "lstm": [0, 1, 2, 3], "lbr_gru": [1, 0, 2]}
FORWARD, REVERSE = 0, 1


def supports(request):
    cell, attributes = request.attributes.get("cell"), request.attributes
    if cell not in MODULES:
        raise Unsupported(f"PyTorch has no {cell}")
    if is_left_over(request):
        return  # it is wrong, which its run will say
    if "weights_peephole" in request.shapes:
        raise Unsupported("PyTorch's LSTM has no peephole")
    projection = request.shapes.get("weights_projection")
    if projection and len(projection) == 4 and projection[3] >= projection[2]:
        raise Unsupported(
            "PyTorch's LSTM projects to fewer channels alone: "
            "proj_size has to be smaller than hidden_size"
        )
    if cell == "vanilla_rnn" and (
        attributes.get("activation") == "logistic" or attributes.get("alpha", 0)
    ):
        raise Unsupported("PyTorch's RNN has tanh, and relu without a slope")
    if has_other_state_channels(request):
        raise Unsupported("PyTorch's states have the channels of its output")
    types = types_of(request)
    if len(types) != 1 or not types <= set(FLOATS):
        raise Unsupported("PyTorch's RNN modules take one floating type for all tensors")
    if attributes.get("propagation") == "backward" and types != {"f32"}:
        raise Unsupported("autograd gives gradients in the type of their tensors")


class Stack:
    """A module and its directions of the request: [FORWARD], [REVERSE], or both in one layer."""

    def __init__(self, request, directions):
        self.cell, self.directions = request.attributes["cell"], directions
        self.initial = (
            request.inputs if not request.attributes.get("diff_weights_overwrite") else {}
        )
        weights, inputs = request.inputs["weights_layer"], request.inputs
        self.layers, _, slc, gates, dhc = weights.shape
        # Without an activation the module has its own.
        more = (
            {"nonlinearity": request.attributes["activation"]}
            if "activation" in request.attributes
            else {}
        )
        if "weights_projection" in inputs:
            more["proj_size"] = inputs["weights_projection"].shape[3]
        self.has_bias = "bias" in inputs
        dtype = to_torch(weights).dtype
        self.module = MODULES[self.cell](
            slc,
            dhc,
            self.layers,
            bias=self.has_bias,
            bidirectional=len(directions) == 2,
            dtype=dtype,
            device=DEVICE,
            **more,
        )
        state, initial = {}, {}
        for layer in range(self.layers):
            for place, direction in enumerate(directions):
                for name, source, put in self.parameters():
                    name = f"{name}_l{layer}{'_reverse' if place else ''}"
                    state[name] = to_torch(put(inputs[source][layer, direction]))
                    if "diff_" + source in self.initial:
                        initial[name] = to_torch(
                            put(self.initial["diff_" + source][layer, direction])
                        )
        self.module.load_state_dict(state)  # which refuses shapes that do not fit
        for name, parameter in self.module.named_parameters():
            parameter.grad = initial.get(name)

    def parameters(self):
        """Of each parameter of a layer and direction: name in PyTorch, name in oneDNN, form."""
        def matrix(array):  # [I, G, O] -> [G * O, I]
            return self.ordered(array.swapaxes(0, 1)).transpose(0, 2, 1).reshape(-1, array.shape[0])

        yield "weight_ih", "weights_layer", matrix
        yield "weight_hh", "weights_iter", matrix
        if hasattr(self.module, "proj_size") and self.module.proj_size:
            yield "weight_hr", "weights_projection", lambda array: array.T
        if self.has_bias:
            yield "bias_ih", "bias", lambda array: self.ordered(array).reshape(-1)
            yield "bias_hh", "bias", self.recurrent_bias

    def ordered(self, array):
        """Gates, the first axis, in PyTorch's order; of another cell as they are, to be refused."""
        order, biases = GATES[self.cell], len(GATES[self.cell]) + (self.cell == "lbr_gru")
        return array[order] if len(array) in (len(order), biases) else array

    def recurrent_bias(self, array):
        result = numpy.zeros((len(GATES[self.cell]),) + array.shape[1:], array.dtype)
        if self.cell == "lbr_gru":
            result[2] = array[3]
        return result.reshape(-1)

    def run(self, x, states):
        """(y, h, c or None): y [T, N, channels of this stack], states [layers, directions of this
        stack, N, channels]."""
        flat = [
            None if state is None else state[:, self.directions].flatten(0, 1).contiguous()
            for state in states
        ]
        hidden = (
            None
            if all(state is None for state in flat)
            else tuple(flat) if self.cell == "lstm" else flat[0]
        )
        reverse = self.directions == [REVERSE]
        y, last = self.module(x.flip(0) if reverse else x, hidden)
        last = last if self.cell == "lstm" else (last,)
        shaped = [state.unflatten(0, (self.layers, len(self.directions))) for state in last]
        return (y.flip(0) if reverse else y), shaped

    def gradients(self, source):
        """[layers, directions of this stack, ...] in oneDNN's order."""
        order = numpy.argsort(GATES[self.cell])
        gates = len(order)

        def take(name, layer, place):
            return to_numpy(
                getattr(self.module, f"{name}_l{layer}{'_reverse' if place else ''}").grad
            )

        def one(layer, place):
            if source == "weights_projection":
                return take("weight_hr", layer, place).T
            if source == "bias":
                bias = take("bias_ih", layer, place).reshape(gates, -1)[order]
                recurrent = take("bias_hh", layer, place).reshape(gates, -1)
                return numpy.concatenate([bias, recurrent[2:]]) if self.cell == "lbr_gru" else bias
            matrix = take(
                {"weights_layer": "weight_ih", "weights_iter": "weight_hh"}[source], layer, place
            )
            return matrix.reshape(gates, -1, matrix.shape[1])[order].transpose(2, 0, 1)

        return numpy.stack(
            [
                numpy.stack([one(layer, place) for place in range(len(self.directions))])
                for layer in range(self.layers)
            ]
        )


def make_stacks(request):
    direction, layers = (
        request.attributes.get("direction", "left2right"),
        request.shapes["weights_layer"][0],
    )
    if not direction.startswith("bidirectional"):
        # One direction: its parameters stand at 0 whichever way time runs.
        stack = Stack(request, [FORWARD])
        return [stack], direction == "right2left"
    if layers == 1:
        return [Stack(request, [FORWARD, REVERSE])], False
    return [Stack(request, [FORWARD]), Stack(request, [REVERSE])], False


def forward(request, x, states):
    stacks, reverse = make_stacks(request)
    results = [stack.run(x.flip(0) if reverse else x, states) for stack in stacks]
    ys = [
        half
        for y, _ in results
        for half in (y.chunk(2, dim=2) if len(stacks[0].directions) == 2 else (y,))
    ]
    ys = [y.flip(0) for y in ys] if reverse else ys
    if request.attributes.get("direction") == "bidirectional_sum":
        y = ys[0] + ys[1]
    else:
        y = torch.cat(ys, dim=2)
    last = [
        torch.cat([states[k] for _, states in results], dim=1) for k in range(len(results[0][1]))
    ]
    return stacks, dict(zip(("dst_layer", "dst_iter", "dst_iter_c"), [y, *last]))


def run(request):
    refuse_what_is_left_over(request)
    backward = request.attributes.get("propagation") == "backward"
    names = ["src_iter", "src_iter_c"][:2 if request.attributes["cell"] == "lstm" else 1]
    leaves = {
        name: to_torch(request.inputs[name]).requires_grad_(backward)
        for name in ["src_layer", *names]
        if name in request.inputs
    }
    try:
        with torch.set_grad_enabled(
            request.attributes.get("propagation", "forward_inference") != "forward_inference"
        ):
            stacks, results = forward(
                request, leaves["src_layer"], [leaves.get(name) for name in names]
            )
    except (RuntimeError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise Rejected(str(error)) from error
    if not backward:
        return {
            name: to_numpy(results[name])
            for name in results
            if not request.outputs or name in request.outputs
        }
    heads = [(result, to_torch(request.inputs["diff_" + name])) for name, result in results.items()
             if "diff_" + name in request.inputs]
    torch.autograd.backward([head for head, _ in heads], [gradient for _, gradient in heads])
    answer = {"diff_" + name: to_numpy(leaf.grad) for name, leaf in leaves.items()}
    if "dst_layer" in request.outputs:
        answer["dst_layer"] = to_numpy(results["dst_layer"])
    for source in ("weights_layer", "weights_iter", "weights_projection", "bias"):
        if source in request.inputs:
            answer["diff_" + source] = numpy.concatenate(
                [stack.gradients(source) for stack in stacks], axis=1
            )
    return answer
