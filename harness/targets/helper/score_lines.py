# SPDX-License-Identifier: Apache-2.0
"""Tests of others as lines of JSON for `assay score`: what a reader of their form collects. The
folder that a reader is given is read as text, never run."""

import json
import os
import subprocess
import sys

import numpy

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from assay.target import dtype_name  # noqa: E402

EXACT = {"rtol": 0, "atol": 0}


def tensor(array):
    array = numpy.asarray(array)
    data, size = numpy.ascontiguousarray(array).tobytes(), array.dtype.itemsize
    return {"dtype": dtype_name(array), "shape": list(array.shape),
            "bits": [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]}


def commit_of(folder):
    """", commit 0123456789ab, of 2026-01-02" of the folder's checkout; of another folder what its
    VERSION says."""
    done = subprocess.run(["git", "-C", folder, "rev-parse", "--show-prefix", "HEAD"],
                          capture_output=True, text=True, check=False)
    words = done.stdout.split()
    if done.returncode == 0 and len(words) == 1:  # its root, not a folder of another checkout
        date = subprocess.run(["git", "-C", folder, "show", "-s", "--format=%cs", "HEAD"],
                              capture_output=True, text=True, check=True).stdout.strip()
        return f", commit {words[0][:12]}, of {date}"
    path = os.path.join(folder, "VERSION")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            return f", {file.readline().strip()}"
    return ""


class Lines:
    """Collects tests, and counts those that are left out by their reason."""

    def __init__(self, source, operations=()):
        self.source, self.operations, self.tests, self.left = source, list(operations), [], {}

    def leave(self, reason, count=1):
        self.left[reason] = self.left.get(reason, 0) + count

    def add(self, name, operation, attributes, inputs, expected, rounded=False, **tolerance):
        """Arrays by name; `inputs` may hold plain numbers too. `rounded`: the request's attributes
        are not quite the test's."""
        self.tests.append({
            "id": name, "op": operation, "attributes": attributes,
            "inputs": {k: tensor(v) if isinstance(v, numpy.ndarray) else v
                       for k, v in inputs.items()},
            "outputs": list(expected), "expected": {k: tensor(v) for k, v in expected.items()},
            **({"rounded": True} if rounded else {}), **(tolerance or EXACT)})

    def write(self):
        print(json.dumps({"source": self.source, "operations": self.operations,
                          "left_out": self.left}))
        for test in self.tests:
            print(json.dumps(test))
