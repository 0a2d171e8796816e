# SPDX-License-Identifier: Apache-2.0
"""Asks `assay eval`, with an operator of one's own where there is one."""

import json
import os
import subprocess
import tempfile

import numpy as np

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")


def evaluate(requests, operator=None, environment=None, options=()):
    """Its answers, and what it says beside them."""
    with tempfile.TemporaryDirectory() as work:
        arguments = []
        if operator:
            name = operator.split("operator: ", 1)[1].split("\n", 1)[0]
            path = f"{work}/{name}.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(operator)
            arguments = ["--operators", path]
        done = subprocess.run([ASSAY, "eval", *options, *arguments, "-"],
                              input="\n---\n".join(json.dumps(r) for r in requests),
                              capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


WIDTH = {"f16": 4, "bf16": 4, "f32": 8, "f64": 16}


def tensor(kind, x):
    """An array of f64, whose elements `kind` holds, as a tensor of a request."""
    x = np.asarray(x, np.float64)
    if kind == "bf16":
        words = x.astype(np.float32).view(np.uint32) >> 16
    else:
        words = x.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).view(
            {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}[kind])
    return {"dtype": kind, "shape": list(x.shape),
            "bits": [f"{int(w):0{WIDTH[kind]}x}" for w in words.ravel()]}
