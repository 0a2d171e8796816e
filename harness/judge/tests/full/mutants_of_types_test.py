# SPDX-License-Identifier: Apache-2.0
"""Every deviant option that a type can express is killed by cases of that type alone.

What a type can express is asked of the reference: an option does when it changes any bit of any
output of requests that have every tensor, layer, direction and row that the type may have. The
options are those that the suite lists, which are generated."""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
SUITE = "onednn.rnn"
GATES = {"vanilla_rnn": 1, "lstm": 4, "gru": 3, "lbr_gru": 3, "augru": 3, "lbr_augru": 3}
FLOATS = [(cell, False) for cell in GATES] + [("lstm", True)]
# Type of the data, cells with and without projection, cases of the type. How many options each can
# express at least: a little fewer than were there when this was written (chance data miss one or
# two: 215, 215, 140, 123).
TYPES = [("bf16", FLOATS, "*bf16*", 200), ("f16", FLOATS, "*[!b]f16*", 200),
         ("u8", [("lstm", False), ("lstm", True), ("gru", False)], "int8-*", 130),
         ("i8", [("lstm", False), ("lstm", True)], "int8-*", 115)]
rng = random.Random(7)


def tensor(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    low, high = {"u8": (0, 120), "i8": (-60, 60)}.get(dtype, (-96, 96))
    data = [rng.randint(low, high) for _ in range(count)]
    return {"dtype": dtype, "shape": shape, "data": data if dtype in ("u8", "i8")
            else [(n or 1) / 64 for n in data]}


def request(cell, projection, dtype):
    """Two steps, rows, layers and directions, three channels, and all that the cell may have."""
    quantised, gates, channels = dtype in ("u8", "i8"), GATES[cell], 3
    weights, out = "i8" if quantised else dtype, 2 if projection else channels
    attributes = {"cell": cell, "direction": "bidirectional_concat"}
    inputs = {"src_layer": tensor([2, 2, out], dtype), "src_iter": tensor([2, 2, 2, out], dtype),
              "weights_layer": tensor([2, 2, out, gates, channels], weights),
              "weights_iter": tensor([2, 2, out, gates, channels], weights),
              "bias": tensor([2, 2, gates + cell.startswith("lbr"), channels], "f32")}
    if cell == "vanilla_rnn":
        attributes["activation"] = "tanh"
    if cell == "lstm":
        inputs["src_iter_c"] = tensor([2, 2, 2, channels], "f32")
    if cell == "lstm" and not quantised:
        inputs["weights_peephole"] = tensor([2, 2, 3, channels], "f32")
    if "augru" in cell:
        inputs["attention"] = tensor([2, 2, 1], dtype)
    if quantised:
        attributes.update(data_scale=60.0, data_shift=40.0 if dtype == "u8" else 0.0,
                          weights_scales_mask=24,
                          weights_scales=[30.0 + k for k in range(gates * channels)])
    if projection:
        inputs["weights_projection"] = tensor([2, 2, channels, out], weights)
    if projection and quantised:
        attributes.update(projection_scales_mask=8, projection_scales=[40.0, 41.0])
    return {"op": "onednn.rnn", "attributes": attributes, "inputs": inputs}


def lines(*arguments, **more):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False,
                          **more).stdout.splitlines()


def evaluate(requests):
    return [json.loads(line).get("outputs")
            for line in lines("eval", "-", input=json.dumps({"cases": requests}))]


def expressible(dtype, cells, options):
    rng.seed(dtype)  # the same whatever goes before
    plain = [request(cell, projection, dtype) for cell, projection in cells]
    expected = evaluate(plain)
    if None in expected:
        return set()
    found = evaluate([dict(one, profile={choice: option}) for choice, option in options
                      for one in plain])
    return {f"{choice}={option}" for k, (choice, option) in enumerate(options)
            if found[k * len(plain):(k + 1) * len(plain)] != expected}


def main():
    rows = [json.loads(line) for line in lines("list", "choices", "--suite", SUITE, "--json")]
    options = [(row["choice"], row["option"]) for row in rows if row["class"] == "deviant"]
    killed = {}
    for dtype, cells, pattern, least in TYPES:
        if pattern not in killed:
            said = lines("mutants", "--suite", SUITE, "--case", pattern)
            survivors = {line.split()[1] for line in said if line.strip().startswith("SURVIVED")}
            killed[pattern] = {f"{choice}={option}" for choice,
                               option in options} - survivors if said else set()
        can = expressible(dtype, cells, options)
        check(len(can) >= least and can <= killed[pattern],
              f"{dtype}: {len(can)} options can be expressed, each is killed by {pattern}",
              sorted(can - killed[pattern]))
    finish()


main()
