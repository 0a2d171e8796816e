# SPDX-License-Identifier: Apache-2.0
"""The plugins of oneDNN, called without the harness: values of the textbook's equations in float64,
and what they must refuse.

No bound of the reference is used, only cells of one channel (cells.py).
"""

import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cells import C, CLOSE, H, LSTM, X, f32, lstm, lstm_inputs  # noqa: E402
from plugin import OK, REJECTED, UNSUPPORTED, Plugin, padded  # noqa: E402

TARGETS = ["onednn", "onednn_plain", "onednn_serial", "onednn2", "onednn2_plain"]
tests = []


def test(function):
    tests.append(function)
    return function


def poisoned(shape):
    return np.full(shape, np.nan, dtype=np.float32)


@test
def a_lstm_of_one_channel_follows_its_equations(plugin):
    inputs = lstm_inputs()
    outputs = {
        "dst_layer": poisoned((3, 1, 1)),
        "dst_iter": poisoned((1, 1, 1, 1)),
        "dst_iter_c": poisoned((1, 1, 1, 1)),
    }
    status = plugin.run("onednn.rnn", LSTM, inputs, outputs)
    h, state, expected = H, C, []
    for x in X:
        h, state = lstm(x, h, state)
        expected.append(h)
    return (
        status == OK
        and np.allclose(outputs["dst_layer"].ravel(), expected, rtol=0, atol=CLOSE)
        and abs(outputs["dst_iter"].item() - h) < CLOSE
        and abs(outputs["dst_iter_c"].item() - state) < CLOSE
    )


@test
def from_right_to_left_time_runs_backward_and_stays_in_its_place(plugin):
    outputs = {
        "dst_layer": poisoned((3, 1, 1)),
        "dst_iter": poisoned((1, 1, 1, 1)),
        "dst_iter_c": poisoned((1, 1, 1, 1)),
    }
    status = plugin.run("onednn.rnn", {**LSTM, "direction": "right2left"}, lstm_inputs(), outputs)
    h, state = lstm(X[2], H, C)
    return status == OK and abs(outputs["dst_layer"][2].item() - h) < CLOSE


def same_when_padded(plugin, cell, more):
    rng = np.random.default_rng(1)
    shapes = {
        "src_layer": (2, 3, 5),
        "src_iter": (1, 1, 3, 7),
        "weights_layer": (1, 1, 5, 3, 7),
        "weights_iter": (1, 1, 7, 3, 7),
        "bias": (1, 1, 3, 7),
        **more,
    }
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    results = []
    for form in (np.asarray, padded):
        outputs = {"dst_layer": form(poisoned((2, 3, 7))), "dst_iter": form(poisoned((1, 1, 3, 7)))}
        status = plugin.run(
            "onednn.rnn", {**LSTM, "cell": cell}, {n: form(v) for n, v in inputs.items()}, outputs
        )
        results.append((status, outputs))
    beyond = results[1][1]["dst_layer"].base[..., 7:]
    return (
        results[0][0] == results[1][0] == OK
        and np.isfinite(results[0][1]["dst_layer"]).all()
        and np.all(beyond == 77)
        and all(
            np.allclose(results[0][1][name], results[1][1][name], rtol=0, atol=64 * 2.0**-24)
            for name in results[0][1]
        )
    )


@test
def strides_change_no_value_and_padding_is_left_alone(plugin):
    return same_when_padded(plugin, "gru", {}) and same_when_padded(
        plugin, "augru", {"attention": (2, 3, 1)}
    )


@test
def gradients_of_a_vanilla_cell_follow_the_chain_rule_and_add(plugin):
    x, h, w, u, b, d = 0.5, -0.25, 0.75, 0.5, 0.125, 2.0
    attributes = {
        "cell": "vanilla_rnn",
        "activation": "tanh",
        "direction": "left2right",
        "propagation": "backward",
    }
    inputs = {
        "src_layer": f32([x], (1, 1, 1)),
        "src_iter": f32([h], (1, 1, 1, 1)),
        "weights_layer": f32([w], (1, 1, 1, 1, 1)),
        "weights_iter": f32([u], (1, 1, 1, 1, 1)),
        "bias": f32([b], (1, 1, 1, 1)),
        "diff_dst_layer": f32([d], (1, 1, 1)),
        "diff_weights_layer": f32([4.0], (1, 1, 1, 1, 1)),
    }
    outputs = {
        name: poisoned(shape)
        for name, shape in {
            "diff_src_layer": (1, 1, 1),
            "diff_src_iter": (1, 1, 1, 1),
            "diff_weights_layer": (1, 1, 1, 1, 1),
            "diff_weights_iter": (1, 1, 1, 1, 1),
            "diff_bias": (1, 1, 1, 1),
        }.items()
    }
    status = plugin.run("onednn.rnn", attributes, inputs, outputs)
    dz = d * (1 - math.tanh(w * x + u * h + b) ** 2)
    expected = {
        "diff_src_layer": w * dz,
        "diff_src_iter": u * dz,
        "diff_weights_layer": 4.0 + x * dz,
        "diff_weights_iter": h * dz,
        "diff_bias": dz,
    }
    return status == OK and all(
        abs(outputs[n].item() - value) < 8 * CLOSE for n, value in expected.items()
    )


@test
def another_operation_and_a_missing_bias_are_declared(plugin):
    inputs = lstm_inputs()
    outputs = {"dst_layer": poisoned((3, 1, 1))}
    other = plugin.supports("philox", {}, {}, {})
    whole = plugin.supports("onednn.rnn", LSTM, inputs, outputs)
    del inputs["bias"]
    return (other, whole, plugin.supports("onednn.rnn", LSTM, inputs, outputs)) == (
        UNSUPPORTED,
        OK,
        UNSUPPORTED,
    )


@test
def channels_that_do_not_fit_are_refused_not_run(plugin):
    inputs = {**lstm_inputs(), "weights_iter": f32([1.0] * 8, (1, 1, 2, 4, 1))}
    return plugin.run("onednn.rnn", LSTM, inputs, {}) == REJECTED and plugin.why != ""


@test
def what_no_call_has_a_place_for_is_refused_in_words(plugin):
    gru = {
        name: array[:, :, :, :3] if name.startswith("weights") else array
        for name, array in lstm_inputs().items()
    }
    gru = {**gru, "bias": gru["bias"][:, :, :3]}
    state_c, attention = gru.pop("src_iter_c"), f32([0.5] * 3, (3, 1, 1))
    cases = [
        ("attention", LSTM, {**lstm_inputs(), "attention": attention}),
        ("src_iter_c", {**LSTM, "cell": "gru"}, {**gru, "src_iter_c": state_c}),
        (
            "weights_peephole",
            {**LSTM, "cell": "gru"},
            {**gru, "weights_peephole": f32([1.0] * 3, (1, 1, 3, 1))},
        ),
        ("diff_dst_layer", LSTM, {**lstm_inputs(), "diff_dst_layer": attention}),
        ("activation", {**LSTM, "activation": "tanh"}, lstm_inputs()),
        ("dst_iter_c", {**LSTM, "cell": "gru", "dst_iter_c_type": "f32"}, gru),
        ("data_shift", {**LSTM, "data_scale": 60.0}, lstm_inputs()),
        ("weights_scales", {**LSTM, "weights_scales_mask": 24}, lstm_inputs()),
    ]
    for word, attributes, inputs in cases:
        inputs = {name: np.ascontiguousarray(array) for name, array in inputs.items()}
        if plugin.supports("onednn.rnn", attributes, inputs, {}) != OK:
            return False
        if plugin.run("onednn.rnn", attributes, inputs, {}) != REJECTED or word not in plugin.why:
            print("#", word, plugin.why)
            return False
    return True


@test
def an_execution_that_is_refused_is_a_refusal(plugin):
    inputs = {
        name: array[:, :, :, :3] if name.startswith("weights") else array
        for name, array in lstm_inputs().items()
    }
    inputs = {
        name: np.ascontiguousarray(array) for name, array in inputs.items() if name != "src_iter_c"
    }
    inputs["bias"] = np.ascontiguousarray(inputs["bias"][:, :, :3])
    return (
        plugin.run("onednn.rnn", {**LSTM, "cell": "augru"}, inputs, {}) == REJECTED
        and "when it runs" in plugin.why
    )


@test
def both_thread_counts_serve(plugin):
    results = []
    for threads in (1, 2):
        outputs = {"dst_layer": poisoned((3, 1, 1))}
        results.append(
            (
                plugin.run("onednn.rnn", LSTM, lstm_inputs(), outputs, threads=threads),
                outputs["dst_layer"].tobytes(),
            )
        )
    return results[0][0] == results[1][0] == OK and results[0] == results[1]


def run_all(target):
    """In a process of its own: the libraries do not share one."""
    number = TARGETS.index(target) * len(tests)
    try:
        plugin = Plugin(target)
    except OSError as error:
        plugin = None
        why = str(error)
    failed = 0
    for function in tests:
        number += 1
        name = f"{target}: {function.__name__.replace('_', ' ')}"
        if not plugin or plugin.session is None:
            print(f"ok {number} - {name} # SKIP {plugin.why if plugin else why}")
            continue
        good = function(plugin)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
    sys.stdout.flush()
    os._exit(bool(failed))  # the library's threads may still be ending


print(f"1..{len(TARGETS) * len(tests)}", flush=True)
codes = []
for target in TARGETS:
    child = os.fork()
    if child == 0:
        run_all(target)
    codes.append(os.waitpid(child, 0)[1])
raise SystemExit(any(codes))
