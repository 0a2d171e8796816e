# SPDX-License-Identifier: Apache-2.0
"""The operators that TOSA's conformance tests have, for `assay score`: none of them has an
operation here, which the head of the lines says. usage: tosa_tests.py FOLDER (where the package
tosa-tools is unpacked or installed)

The package brings no tests but a generator of them; which operators it makes tests for says
conformance/cts-config_vVERSION.json."""

import glob
import json
import os
import sys

from score_lines import Lines, commit_of

OPERATIONS = ["onnx.gru", "onnx.lstm", "onnx.range", "onnx.rnn", "philox", "threefry"]


def version_of(folder):
    found = glob.glob(os.path.join(folder, "tosa_tools-*.dist-info"))
    return (f" of tosa-tools {os.path.basename(found[0])[11:-10]}" if len(found) == 1
            else commit_of(folder))


def main(folder):
    paths = sorted(glob.glob(os.path.join(folder, "conformance", "cts-config_v*.json")))
    if not paths:
        raise SystemExit(f"{folder}: no conformance/cts-config_v*.json")
    with open(paths[-1], encoding="utf-8") as file:
        operators = [name for name in json.load(file) if not name.startswith("$")]
    lines = Lines(f"TOSA's conformance tests{version_of(folder)}", OPERATIONS)
    lines.leave("operators that have no operation here", len(operators))
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
