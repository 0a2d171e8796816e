# SPDX-License-Identifier: Apache-2.0
"""Declared operators by the plugins of OpenBLAS and oneDNN, called without the harness: the exact
numbers on data of which every partial result can be represented, whatever was in the output before,
and what they say that they do not serve.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plugin import OK, UNSUPPORTED, Plugin  # noqa: E402

TARGETS = ["openblas", "onednn", "onednn2"]
A = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
B = np.array([[1, -1], [0.5, 2], [4, -8]], np.float32)
C = np.array([[2, 4]], np.float32)
ROW = np.array([[-1, 1, 1, -1]], np.float32)
NORM = {"axis": -1, "epsilon": 0.0, "stash_type": 1}
# Operation, attributes, inputs, the output's name and numbers.
EXACT = {
    "a product": ("onnx.mat_mul", {}, {"A": A, "B": B}, "Y", A @ B),
    "a stack of products": ("onnx.mat_mul", {}, {"A": np.stack([A, -A]), "B": B[None]}, "Y",
                            np.stack([A @ B, -A @ B])),
    "a scaled product": ("onnx.gemm", {"alpha": 2.0, "beta": 0.5, "transA": 0, "transB": 0},
                         {"A": A, "B": B, "C": C}, "Y", 2 * (A @ B) + C / 2),
    "a turned product": ("onnx.gemm", {"alpha": 1.0, "beta": 1.0, "transA": 1, "transB": 1},
                         {"A": A, "B": B}, "Y", A.T @ B.T),
    "softmax": ("onnx.softmax", {"axis": 0}, {"input": np.full((4, 2), 3, np.float32)}, "output",
                np.full((4, 2), 0.25, np.float32)),
    "layer normalisation": ("onnx.layer_normalization", NORM,
                            {"X": ROW, "Scale": np.arange(4, dtype=np.float32),
                             "B": np.array([0, 1, 0, 1], np.float32)}, "Y",
                            np.array([[0, 2, 2, -2]], np.float32)),
    "RMS normalisation": ("onnx.rms_normalization", NORM,
                          {"X": 2 * ROW, "scale": np.arange(4, dtype=np.float32)}, "Y",
                          np.array([[0, 1, 2, -3]], np.float32)),
    "GELU": ("onnx.gelu", {"approximate": "tanh"}, {"X": np.array([0, 64], np.float32)}, "Y",
             np.array([0, 64], np.float32)),
    "HardSigmoid": ("onnx.hard_sigmoid", {"alpha": 0.25, "beta": 0.5},
                    {"X": np.array([-9, 1, 9], np.float32)}, "Y",
                    np.array([0, 0.75, 1], np.float32)),
    "a sum": ("onnx.reduce_sum", {"keepdims": 1, "noop_with_empty_axes": 0},
              {"data": A, "axes": np.array([1])}, "reduced", A.sum(1, keepdims=True)),
}
LACKING = {
    "openblas": {"softmax", "layer normalisation", "RMS normalisation", "GELU", "HardSigmoid",
                 "a sum"},
    "onednn": {"a scaled product", "a turned product"},
    "onednn2": {"a scaled product", "a turned product", "RMS normalisation", "HardSigmoid"},
}


def holds(plugin, lacking, operation, attributes, inputs, output, right):
    result = np.full_like(right, np.nan)
    call = (operation, attributes, inputs, {output: result})
    if lacking:
        return plugin.supports(*call) == UNSUPPORTED
    return plugin.supports(*call) == OK and plugin.run(*call) == OK and (result == right).all()


def run_all(target, number):
    """In a process of its own: the libraries do not share one."""
    plugin, failed = Plugin(target), 0
    for name, call in EXACT.items():
        number += 1
        lacking = name in LACKING[target]
        label = f"{target}{' does not serve' if lacking else ':'} {name}"
        if plugin.session is None:
            print(f"ok {number} - {label} # SKIP {plugin.why}")
            continue
        good = holds(plugin, lacking, *call)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {label}", flush=True)
    sys.stdout.flush()
    os._exit(bool(failed))  # the library's threads may still be ending


print(f"1..{len(TARGETS) * len(EXACT)}", flush=True)
codes = []
for at, target in enumerate(TARGETS):
    child = os.fork()
    if child == 0:
        run_all(target, at * len(EXACT))
    codes.append(os.waitpid(child, 0)[1])
raise SystemExit(any(codes))
