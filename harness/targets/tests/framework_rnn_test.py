# SPDX-License-Identifier: Apache-2.0
"""The RNNs of PyTorch and ONNX Runtime under oneDNN's names.

Gates, biases, directions, layers and gradients come out in their places.
"""

import math
import os
import sys

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[0:0] = [FOLDER, os.path.join(FOLDER, "..", "helper"),
                 os.path.join(FOLDER, "..", "..", "python")]
from assay.target import Rejected, Unsupported  # noqa: E402
from cells import (
    C,
    CLOSE,
    H,
    LSTM,
    X,
    f32,
    lbr_gru,
    lbr_gru_inputs,
    lstm,
    lstm_inputs,
)  # noqa: E402

tests = []


class Request:
    op, window, outputs = "onednn.rnn", None, []

    def __init__(self, attributes, inputs):
        self.attributes, self.inputs = attributes, inputs
        self.shapes = {name: array.shape for name, array in inputs.items()}
        self.dtypes = {name: "f32" for name in inputs}


def test(function):
    tests.append(function)
    return function


def close(array, values):
    return np.allclose(np.ravel(array), values, rtol=0, atol=CLOSE)


def raises(kind, call, *arguments):
    try:
        call(*arguments)
    except kind:
        return True
    return False


@test
def a_lstm_has_its_gates_in_their_places(library):
    answer = library.run(Request(LSTM, lstm_inputs()))
    h, c, expected = H, C, []
    for x in X:
        h, c = lstm(x, h, c)
        expected.append(h)
    return (
        close(answer["dst_layer"], expected)
        and close(answer["dst_iter"], h)
        and close(answer["dst_iter_c"], c)
    )


@test
def a_gru_has_its_gates_and_its_fourth_bias_in_their_places(library):
    answer = library.run(Request({**LSTM, "cell": "lbr_gru"}, lbr_gru_inputs()))
    h, expected = H, []
    for x in X:
        h = lbr_gru(x, h)
        expected.append(h)
    return close(answer["dst_layer"], expected) and close(answer["dst_iter"], h)


@test
def from_right_to_left_an_output_stays_at_its_time(library):
    answer = library.run(Request({**LSTM, "direction": "right2left"}, lstm_inputs()))
    h, c = lstm(X[2], H, C)
    return close(answer["dst_layer"][2], h) and close(answer["dst_iter"], answer["dst_layer"][0])


@test
def two_directions_are_two_stacks_also_in_the_second_layer(library):
    rng = np.random.default_rng(5)
    inputs = {
        "src_layer": (3, 2, 4),
        "src_iter": (2, 2, 2, 4),
        "weights_layer": (2, 2, 4, 3, 4),
        "weights_iter": (2, 2, 4, 3, 4),
        "bias": (2, 2, 4, 4),
    }
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in inputs.items()}
    both = library.run(Request({"cell": "lbr_gru", "direction": "bidirectional_concat"}, inputs))
    good = True
    for place, direction in enumerate(("left2right", "right2left")):
        alone = {
            name: array if name == "src_layer" else array[:, place : place + 1]
            for name, array in inputs.items()
        }
        one = library.run(Request({"cell": "lbr_gru", "direction": direction}, alone))
        good = good and np.allclose(
            both["dst_layer"][..., 4 * place : 4 * place + 4], one["dst_layer"], rtol=0, atol=CLOSE
        )
        good = good and np.allclose(
            both["dst_iter"][:, place], one["dst_iter"][:, 0], rtol=0, atol=CLOSE
        )
    total = library.run(Request({"cell": "lbr_gru", "direction": "bidirectional_sum"}, inputs))[
        "dst_layer"
    ]
    return good and np.allclose(
        total, both["dst_layer"][..., :4] + both["dst_layer"][..., 4:], rtol=0, atol=CLOSE
    )


@test
def weights_of_another_cell_are_refused(library):
    inputs = {**lstm_inputs(), "weights_iter": f32([1.0] * 3, (1, 1, 1, 3, 1))}
    return raises(Rejected, library.run, Request(LSTM, inputs))


@test
def what_an_adapter_would_drop_is_refused_in_words(library):
    inputs, two = lstm_inputs(), f32([1.0] * 2, (2, 1, 1, 1))
    wrong = [
        Request(LSTM, {**inputs, "attention": f32([0.5] * 3, (3, 1, 1))}),
        Request({**LSTM, "activation": "tanh"}, inputs),
        Request({**LSTM, "data_scale": 2.0, "data_shift": 0.0}, inputs),
        Request(LSTM, {**inputs, "diff_dst_layer": f32([1.0] * 3, (3, 1, 1))}),
        Request(LSTM, {**inputs, "src_iter": two, "src_iter_c": two}),
        Request(LSTM, {**inputs, "weights_iter": f32([1.0] * 8, (2, 1, 1, 4, 1))}),
        Request(
            {**LSTM, "cell": "lbr_gru"}, {**lbr_gru_inputs(), "src_iter_c": f32([C], (1, 1, 1, 1))}
        ),
    ]
    for request in wrong:
        library.supports(request)  # it is wrong, not unsupported
    return all(raises(Rejected, library.run, request) for request in wrong)


@test
def what_the_library_lacks_is_declared(library):
    attention = Request({**LSTM, "cell": "augru"}, lstm_inputs())
    mixed = Request({**LSTM, "dst_iter_c_type": "f16"}, lstm_inputs())
    library.supports(Request(LSTM, lstm_inputs()))
    return raises(Unsupported, library.supports, attention) and raises(
        Unsupported, library.supports, mixed
    )


@test
def gradients_follow_differences_and_add_to_what_is_there(library):
    """(loss(w + d) - loss(w - d)) / 2d of a GRU of one channel, in float64.

    For d = 1e-4 its own error is below 1e-9.
    """
    inputs = lbr_gru_inputs()
    backward = Request({"cell": "lbr_gru", "direction": "left2right", "propagation": "backward"},
                       {**inputs, "diff_dst_layer": f32([1.0, 2.0, -1.0], (3, 1, 1)),
                        "diff_bias": f32([0.0, 0.0, 0.0, 4.0], (1, 1, 4, 1))})
    if raises(Unsupported, library.supports, backward):
        return True
    import cells  # its numbers are moved below

    def loss():
        h, total = H, 0.0
        for x, d in zip(X, (1.0, 2.0, -1.0)):
            h = lbr_gru(x, h)
            total += d * h
        return total

    answer, good, step = library.run(backward), True, 1e-4
    for name, numbers, added in (
        ("weights_layer", "W", [0] * 3),
        ("weights_iter", "U", [0] * 3),
        ("bias", "B", [0, 0, 0, 4.0]),
    ):
        kept = getattr(cells, numbers)
        for k, initial in enumerate(added):
            losses = []
            for sign in (1, -1):
                setattr(cells, numbers, kept[:k] + (kept[k] + sign * step,) + kept[k + 1:])
                losses.append(loss())
            setattr(cells, numbers, kept)
            got = np.ravel(answer["diff_" + name])[k]
            good = good and math.isclose(
                got, initial + (losses[0] - losses[1]) / (2 * step), rel_tol=0, abs_tol=1e-6
            )
    return good


LIBRARIES = ["torch_rnn", "onnxruntime_rnn"]
print(f"1..{len(LIBRARIES) * len(tests)}")
number, failed = 0, False
for module in LIBRARIES:
    try:
        library, why = __import__(module), None
    except ImportError as missing:
        library, why = None, missing
    for function in tests:
        number += 1
        name = f"{module}: {function.__name__.replace('_', ' ')}"
        good = library is None or function(library)
        failed = failed or not good
        print(
            f"{'ok' if good else 'not ok'} {number} - {name}{f' # SKIP {why}' if why else ''}",
            flush=True,
        )
raise SystemExit(failed)
