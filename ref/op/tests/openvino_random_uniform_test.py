# SPDX-License-Identifier: Apache-2.0
"""openvino.random_uniform against OpenVINO's own evaluation of the operation (the node's
`evaluate`, not the CPU plugin)."""

import json
import os
import random
import subprocess

try:
    import numpy as np
    import openvino as ov
    from openvino import opset13
except ImportError as missing:
    print(f"1..1\nok 1 - random requests equal OpenVINO core # SKIP {missing}")
    raise SystemExit

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
SEEDS = [1, 80, 150, 2**31, 2**32 - 1, 2**32 + 7, 2**40 + 3, 2**63 - 1]


def core(request):
    """Outputs of request["runs"] runs of one node, each as a list of hexadecimal elements."""
    a, i = request["attributes"], request["inputs"]
    inputs = [np.array(i["shape"], np.int64)] + [
        np.array(i[k], TYPES[a["output_type"]]) for k in ("minval", "maxval")
    ]
    node = opset13.random_uniform(
        *map(opset13.constant, inputs),
        a["output_type"],
        a["global_seed"],
        a["op_seed"],
        a["alignment"],
    )
    runs = []
    for _ in range(request["runs"]):
        out = ov.Tensor(getattr(ov.Type, a["output_type"]), ov.Shape(i["shape"]))
        assert node.evaluate([out], [ov.Tensor(x) for x in inputs])
        values = np.array(out.data).reshape(-1)
        runs.append(
            [f"{int(x):0{2 * values.itemsize}x}" for x in values.view(f"u{values.itemsize}")]
        )
    return runs


def random_request(rng):
    name = rng.choice(sorted(TYPES))
    if name[0] == "i":
        low = rng.randint(-1000, 1000)
        high = low + rng.choice(
            [1, 2, 5, 100, 2**31 - 2000] + ([2**32 + 9, 2**62] if name == "i64" else [])
        )
    else:
        low = float(TYPES[name](rng.uniform(-5, 5)))
        high = float(TYPES[name](low + rng.choice([0.125, 1, 3, 10])))
    return {
        "op": "openvino.random_uniform",
        "attributes": {
            "output_type": name,
            "global_seed": rng.choice(SEEDS),
            "op_seed": rng.choice([0] + SEEDS),
            "alignment": rng.choice(["tensorflow", "pytorch"]),
        },
        "inputs": {"shape": [rng.randint(1, 5), rng.randint(1, 9)], "minval": low, "maxval": high},
        "runs": rng.randint(1, 3),
        "profile": {"state": "skip_256_groups"},
    }


rng = random.Random(20110101)
requests = [random_request(rng) for _ in range(1000)]
answers = subprocess.run(
    [ASSAY, "eval", "-"], input=json.dumps({"cases": requests}), capture_output=True, text=True
)
wrong = []
for request, line in zip(requests, answers.stdout.splitlines(), strict=True):
    output = json.loads(line).get("outputs", {}).get("output", line)
    got = (
        [run["bits"] for run in (output if isinstance(output, list) else [output])]
        if output != line
        else line
    )
    if got != core(request):
        wrong.append((request, got))
print("1..1")
for request, got in wrong[:5]:
    print("#", request, got)
print(
    f"{'not ok' if wrong else 'ok'} 1 - {len(requests)} random "
    f"requests equal OpenVINO core, {len(wrong)} differ"
)
raise SystemExit(bool(wrong))
