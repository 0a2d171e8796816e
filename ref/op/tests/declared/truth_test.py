# SPDX-License-Identifier: Apache-2.0
"""Of every case of the suites of declared operators: the golden value and the value of the graph in
real numbers, as the same inputs in f64 give it, rounded once to the output's type, lie in every
interval. Twelve operators have a case in every type whose elements are one number in every form."""

import json
import os
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from ask import ASSAY, evaluate, tensor  # noqa: E402
from tap import check, finish  # noqa: E402

FORMATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
WORDS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
EXACT = [f"onnx.{name}" for name in (
    "mat_mul", "gemm", "softmax", "log_softmax", "layer_normalization", "rms_normalization",
    "gelu", "hard_sigmoid", "softplus", "reduce_sum", "cum_sum", "attention")]
# What is written in f32 stays so in f64: these nodes have no real value to be had in this way.
FLOATS_OF_8 = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
TYPED = ("onnx.layer_normalization",)


def declared_suites():
    for name in sorted(os.listdir("vectors/golden")):
        if name.endswith(".jsonl"):
            with open(f"vectors/golden/{name}", encoding="utf-8") as file:
                if "operators" in json.loads(file.readline()):
                    yield name[:-len(".jsonl")]


def stored_tensors(path):
    """Of a safetensors file, by name: dtype's size and bytes."""
    with open(path, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    return {k: data[v["data_offsets"][0]:v["data_offsets"][1]] for k, v in head.items()
            if k != "__metadata__"}


def request_of(line, stored):
    inputs = {}
    for name, of in line.get("inputs", {}).items():
        if "bits" not in of:
            count = int(np.prod(of["shape"], dtype=np.int64))
            data = stored[f"{line['id']}/in/{name}"]
            size = len(data) // max(count, 1)
            of = dict(of, bits=[data[i:i + size][::-1].hex()
                                for i in range(0, len(data), max(size, 1))])
        inputs[name] = {k: of[k] for k in ("dtype", "shape", "bits")}
    return {"op": line["op"], "attributes": line.get("attributes", {}), "inputs": inputs,
            "outputs": list(line["outputs"])}


def numbers(kind, words):
    bits = np.array([int(w, 16) for w in words], np.uint64)
    if kind in FLOATS_OF_8:
        return bits.astype(np.uint8).view(FLOATS_OF_8[kind]).astype(np.float64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return bits.astype(WORDS[kind]).view(FORMATS[kind]).astype(np.float64)


def rounded(kind, x):
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "bf16":
            m, e = np.frexp(x)
            x = np.ldexp(np.rint(np.ldexp(m, 8)), e - 8)
            return np.where(np.abs(x) >= 2.0 ** 128, np.copysign(np.inf, x), x)
        return x.astype(FORMATS[kind]).astype(np.float64)


def widened(request):
    inputs = {}
    for name, of in request["inputs"].items():
        inputs[name] = of
        if of["dtype"] in ("f16", "bf16", "f32", *FLOATS_OF_8):
            x = numbers(of["dtype"], of["bits"]).reshape(of["shape"])
            inputs[name] = tensor("f64", x)
    attributes = {k: v for k, v in request["attributes"].items()
                  if k not in ("algorithm", "result_type")}
    return dict(request, inputs=inputs, attributes=attributes)


def inside(x, low, high):
    return (np.isnan(low) & np.isnan(x)) | (np.isneginf(low) & np.isposinf(high)) | (
        (x >= low) & (x <= high))


def is_exact(outputs):
    """Whether every interval is one number."""
    return all(numbers(of["dtype"], of["lower"]).tolist() ==
               numbers(of["dtype"], of["upper"]).tolist() for of in outputs)


def judge(line, answer, wide, counts, wrong):
    bounded = [of for of in answer.get("outputs", {}).values()
               if "lower" in of and of["dtype"] in WORDS and of["bits"]]
    if bounded and line["id"].startswith(("exact", "zero")) and is_exact(bounded):
        counts["exact"].add((line["op"], bounded[0]["dtype"]))
    for name, of in answer.get("outputs", {}).items():
        if "lower" not in of or of["dtype"] not in WORDS or not of["bits"]:
            continue
        kind = of["dtype"]
        golden, low, high = (numbers(kind, of[k]) for k in ("bits", "lower", "upper"))
        counts["golden"] += 1
        if not inside(golden, low, high).all():
            wrong.append(f"{line['id']} of {line['op']}, {name}: the golden value")
        real = wide.get("outputs", {}).get(name)
        if not real or real["dtype"] != "f64" or kind == "f64" or line["op"] in TYPED:
            continue
        counts["real"] += 1
        x = rounded(kind, numbers("f64", real["bits"]))
        if not inside(x, low, high).all():
            i = int(np.argmin(inside(x, low, high)))
            wrong.append(f"{line['id']} of {line['op']}, {name}: the real value, element {i}: "
                         f"{x[i]!r} of [{low[i]!r}, {high[i]!r}]")


def main():
    suites = list(declared_suites())
    counts, wrong = {"golden": 0, "real": 0, "exact": set()}, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ASSAY, "export", "--suite", ",".join(suites), "--to", folder], check=True,
                       stdout=subprocess.DEVNULL)
        for suite in suites:
            stored = stored_tensors(f"{folder}/{suite}.safetensors")
            with open(f"{folder}/{suite}.jsonl", encoding="utf-8") as file:
                lines = [r for r in map(json.loads, file) if "outputs" in r and "id" in r]
            requests = [request_of(line, stored) for line in lines]
            answers, stderr = evaluate(requests, options=["--bounds"])
            wide, _ = evaluate([widened(r) for r in requests])
            if len(answers) != len(lines) or len(wide) != len(lines):
                wrong.append(f"{suite}: {len(answers)} answers for {len(lines)} cases: {stderr}")
            for line, answer, real in zip(lines, answers, wide):
                judge(line, answer, real, counts, wrong)
    check(not wrong and counts["real"] > 300,
          f"of {len(suites)} suites {counts['golden']} golden outputs and {counts['real']} real "
          "ones lie in their intervals", wrong[:20] + [len(wrong)])
    missing = [(op, t) for op in EXACT for t in WORDS if (op, t) not in counts["exact"]]
    check(not missing, f"{len(EXACT)} operators have exact cases in {len(WORDS)} types", missing)
    finish()


main()
