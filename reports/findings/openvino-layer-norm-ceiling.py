# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: below oneDNN's ceiling LayerNormalization of 9 channels ends the process. Needs numpy,
onnx, openvino and a processor with AVX-512.

Ends with 1 when the process dies, with 3 where the processor has no AVX-512.
"""

import os
import subprocess
import sys

CHILD = """
import numpy as np, openvino
from onnx import helper as h
shapes = {"X": [4, 9], "Scale": [9]}
graph = h.make_graph([h.make_node("LayerNormalization", list(shapes), ["y"])], "g",
                     [h.make_tensor_value_info(n, 1, s) for n, s in shapes.items()],
                     [h.make_tensor_value_info("y", 1, None)])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=10)
core = openvino.Core()
compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
compiled({n: np.ones(s, np.float32) for n, s in shapes.items()})
"""
with open("/proc/cpuinfo", encoding="ascii") as file:
    if "avx512f" not in file.read():
        sys.exit(3)
codes = [subprocess.run([sys.executable, "-c", CHILD], check=False, timeout=60,
                        env={**os.environ, "ONEDNN_MAX_CPU_ISA": isa}).returncode
         for isa in ("DEFAULT", "AVX2")]
print(f"without a ceiling {codes[0]}, with AVX2 {codes[1]}")
sys.exit(1 if codes[0] == 0 and codes[1] < 0 else 0)
