# SPDX-License-Identifier: Apache-2.0
"""Cells of one channel, in float64, by the textbook's equations; for tests of onednn.rnn."""

import math

import numpy as np

# What remains after exact products are the roundings of a handful of operations in f32.
CLOSE = 8 * 2.0**-24
LSTM = {"cell": "lstm", "direction": "left2right", "propagation": "forward_inference"}
X, H, C = (0.5, -1.0, 2.0), 0.25, -0.5
W, U, B = (0.5, -0.25, 0.75, 1.0), (0.25, 0.5, -0.5, 0.125), (0.125, 0.25, -0.25, 0.5)


def f32(values, shape):
    return np.array(values, dtype=np.float32).reshape(shape)


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


def lstm(x, h, c):
    """oneDNN's order of gates: i, f, c~, o."""
    z = [w * x + u * h + b for w, u, b in zip(W, U, B)]
    c = sigmoid(z[1]) * c + sigmoid(z[0]) * math.tanh(z[2])
    return sigmoid(z[3]) * math.tanh(c), c


def lbr_gru(x, h):
    """oneDNN's order of gates: u, r, o; the fourth bias is the recurrent one of o."""
    u, r = (sigmoid(W[k] * x + U[k] * h + B[k]) for k in (0, 1))
    return u * h + (1 - u) * math.tanh(W[2] * x + r * (U[2] * h + B[3]) + B[2])


def lstm_inputs():
    return {
        "src_layer": f32(X, (3, 1, 1)),
        "src_iter": f32([H], (1, 1, 1, 1)),
        "src_iter_c": f32([C], (1, 1, 1, 1)),
        "weights_layer": f32(W, (1, 1, 1, 4, 1)),
        "weights_iter": f32(U, (1, 1, 1, 4, 1)),
        "bias": f32(B, (1, 1, 4, 1)),
    }


def lbr_gru_inputs():
    return {
        "src_layer": f32(X, (3, 1, 1)),
        "src_iter": f32([H], (1, 1, 1, 1)),
        "weights_layer": f32(W[:3], (1, 1, 1, 3, 1)),
        "weights_iter": f32(U[:3], (1, 1, 1, 3, 1)),
        "bias": f32(B, (1, 1, 4, 1)),
    }
