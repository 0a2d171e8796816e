# SPDX-License-Identifier: Apache-2.0
"""Cells of 16-bit data each of whose operations stores its result, against a model in NumPy that
rounds by its own conversions."""

import json
import os
import subprocess
import sys

import ml_dtypes
import numpy

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
STEPS, ROWS, CHANNELS, GATES = 3, 2, 5, {"vanilla_rnn": 1, "lstm": 4, "lbr_gru": 3}
TYPES = {"f16": numpy.float16, "bf16": ml_dtypes.bfloat16}


def forward(cell, dtype, given):
    def op(exact):
        return numpy.float32(exact).astype(dtype).astype(numpy.float64)

    def logistic(z):
        return op(1 / (1 + numpy.exp(-z)))

    x, h, w, u, b = (given[name].astype(numpy.float64) for name in (
        "src_layer", "src_iter", "weights_layer", "weights_iter", "bias"))
    h, w, u, b = h[0, 0], w[0, 0], u[0, 0], b[0, 0]
    c = given["src_iter_c"].astype(numpy.float64)[0, 0] if cell == "lstm" else None
    for step in x:
        mine = [op(step @ w[:, g] + b[g]) for g in range(GATES[cell])]
        other = [op(h @ u[:, g]) for g in range(GATES[cell])]
        z = [op(p + q) for p, q in zip(mine, other)]
        if cell == "vanilla_rnn":
            h = op(numpy.tanh(z[0]))
        elif cell == "lstm":
            i, f, o = (logistic(z[g]) for g in (0, 1, 3))
            c = op(op(f * c) + op(i * op(numpy.tanh(z[2]))))
            h = op(o * op(numpy.tanh(c)))
        else:
            update, reset = logistic(z[0]), logistic(z[1])
            new = op(numpy.tanh(op(mine[2] + op(reset * op(h @ u[:, 2] + b[3])))))
            h = op(op(op(h - new) * update) + new)
    return h.astype(dtype)


def tensor(array, name):
    return {"dtype": name, "shape": list(array.shape),
            "bits": [f"{bits:04x}" for bits in array.view(numpy.uint16).ravel().tolist()]}


generator = numpy.random.default_rng(7)
for cell in GATES:
    for name, dtype in TYPES.items():
        gates = GATES[cell]
        shapes = {"src_layer": (STEPS, ROWS, CHANNELS), "src_iter": (1, 1, ROWS, CHANNELS),
                  "weights_layer": (1, 1, CHANNELS, gates, CHANNELS),
                  "weights_iter": (1, 1, CHANNELS, gates, CHANNELS),
                  "bias": (1, 1, gates + (cell == "lbr_gru"), CHANNELS)}
        if cell == "lstm":
            shapes["src_iter_c"] = (1, 1, ROWS, CHANNELS)
        given = {key: generator.uniform(-1, 1, shape).astype(dtype)
                 for key, shape in shapes.items()}
        found = {}
        for option in "as_specified", "each_stored":
            request = {"op": "onednn.rnn", "attributes": {"cell": cell}, "outputs": ["dst_iter"],
                       "inputs": {key: tensor(array, name) for key, array in given.items()},
                       "profile": {"operations": option}}
            if cell == "vanilla_rnn":
                request["attributes"]["activation"] = "tanh"
            done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(request),
                                  capture_output=True, text=True, check=False)
            output = json.loads(done.stdout).get("outputs", {}).get("dst_iter", {})
            found[option] = output.get("bits", done.stdout)
        expected = tensor(forward(cell, dtype, given), name)["bits"]
        check(found["each_stored"] == expected, f"{cell} of {name}: each operation is stored",
              f"{found} {expected}")
        check(found["as_specified"] != expected, f"{cell} of {name}: as specified it is another",
              str(found))
finish()
