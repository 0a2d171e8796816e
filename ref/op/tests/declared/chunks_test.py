# SPDX-License-Identifier: Apache-2.0
"""Recurrences of more than one step, in chunks. No conforming implementation is accused, of drawn
requests or of the suite's cases, whatever the size of its chunks; and each mistake that is made
with chunks is seen by a case of the suite, also in libraries whose chunks have sizes of their own.
ASSAY_SEED repeats a run, ASSAY_FULL draws more."""

import json
import os
import secrets
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import chunks  # noqa: E402
import fleet  # noqa: E402
from ask import ASSAY, WIDTH, evaluate, tensor  # noqa: E402
from tap import check, finish  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
OP, SUITE = "onnx.linear_attention", "onnx.linear_attention"
RULES = ("linear", "gated", "delta", "gated_delta")


def numbers(of):
    """A tensor of an answer, or of one of its bounds, as f64."""
    return decode(of["dtype"], of["bits"]).reshape(of["shape"])


def decode(kind, bits):
    words = np.array([int(b, 16) for b in bits], np.uint32)
    if kind == "f16":
        return words.astype(np.uint16).view(np.float16).astype(np.float64)
    return (words << 16 if kind == "bf16" else words).view(np.float32).astype(np.float64)


def drawn(rng, rule, kind, steps):
    """A request of general numbers, small keys and decays that leave something of the state."""
    heads, kv, keys, values = (int(rng.integers(1, 3)) for _ in range(4))
    batch, width = int(rng.integers(1, 3)), int(rng.choice((1, keys)))
    x = {"query": rng.normal(size=(batch, steps, heads * kv * keys)),
         "key": rng.normal(size=(batch, steps, kv * keys)) / np.sqrt(keys),
         "value": rng.normal(size=(batch, steps, kv * values))}
    if rule in chunks.GATED:
        x["decay"] = -rng.random((batch, steps, kv * width)) * rng.choice((0, 4 / steps, 1))
    if rule in chunks.DELTA:
        x["beta"] = rng.random((batch, steps, int(rng.choice((1, kv)))))
    x = {k: fleet.store(kind, v) for k, v in x.items()}
    if rng.random() < 0.5:
        x["past_state"] = fleet.store("f32", rng.normal(size=(batch, kv, keys, values)))
    of = {"q_num_heads": heads * kv, "kv_num_heads": kv, "update_rule": rule}
    if rng.random() < 0.5:
        of["scale"] = 0.75
    inputs = {k: tensor("f32" if k == "past_state" else kind, v) for k, v in x.items()}
    return {"op": OP, "attributes": of, "inputs": inputs}, x


def outside(answer, got):
    """How far, as a share of half the interval's width, outputs lie from its middle; NaN is far."""
    worst = 0.0
    for name, y in got.items():
        of = answer["outputs"][name]
        low, high = (decode(of["dtype"], of[end]).reshape(of["shape"])
                     for end in ("lower", "upper"))
        y = fleet.store(of["dtype"], y)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.abs(y - (low / 2 + high / 2)) / (high / 2 - low / 2)
        share = np.where((y == low) & (y == high), 0, np.where(np.isnan(share), np.inf, share))
        share = np.where(np.isinf(low) & np.isinf(high), 0, share)
        worst = max(worst, share.max(initial=0))
    return worst


def computed(rng, kind, request, x, size, wrong=None):
    """One implementation, drawn; of a mistake all else is the plainest there is."""
    way = fleet.Way(rng, kind)
    form, solved = str(rng.choice(chunks.DECAYS)), str(rng.choice(chunks.INVERSES))
    if wrong:
        way.order, way.work, way.fused = "chain", "f32", False
        form, solved = chunks.DECAYS[0], chunks.INVERSES[0]
    with np.errstate(over="ignore", invalid="ignore"):
        y, state = chunks.linear_attention(way, request["attributes"], x, size, form, solved, wrong)
    return dict(zip(("output", "present_state"), (y, state))), f"{size} {form} {solved} {way.order}"


def none_is_accused(rng):
    requests, given, wrong, worst, bounded = [], [], [], 0.0, 0
    for rule in RULES:
        for kind in ("f16", "bf16", "f32"):
            for _ in range(40 if FULL else 4):
                steps = int(rng.choice((2, 3, 4, 5, 7, 8, 9, 12)))
                request, x = drawn(rng, rule, kind, steps)
                requests.append(request)
                given.append((rule, kind, x))
    answers, said = evaluate(requests, options=["--bounds"])
    check(len(answers) == len(requests) and not said, "all drawn requests are answered", said)
    for request, (rule, kind, x), answer in zip(requests, given, answers):
        out = answer["outputs"]["output"]
        bounded += "ff800000" not in out["lower"] and "ff80" not in out["lower"]
        for _ in range(6):
            size = int(rng.choice((1, 2, 3, 4, 5, 8, 64)))
            got, named = computed(rng, kind, request, x, size)
            share = outside(answer, got)
            worst = max(worst, share)
            if share > 1:
                wrong.append(f"seed {SEED}: {rule} {kind} {named}: {share}")
    check(not wrong, f"{len(requests)} drawn requests: no chunks are accused, the worst uses "
          f"{worst:.3f} of its interval", wrong[:5])
    check(bounded > 0.9 * len(requests), f"{bounded} of {len(requests)} drawn requests are bounded")


def other_models(rng):
    """Where operands of products may be rounded, a decay leaves nothing certain."""
    request, _ = drawn(rng, "gated_delta", "f32", 4)
    request["inputs"]["decay"]["bits"] = ["bf000000"] * len(request["inputs"]["decay"]["bits"])
    answers, _ = evaluate([{**request, "model": {"accumulator": "bf16_products"}}, request],
                          options=["--bounds"])
    open_, held = (a["outputs"]["output"]["lower"] for a in answers)
    check(set(open_) == {"ff800000"} and "ff800000" not in held,
          "bounds in chunks are those of plain additions alone", [open_[:3], held[:3]])


def exported():
    """(request, inputs as f64) of the suite's cases of more than one step, by their ids."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([ASSAY, "export", "--to", work, "--suite", SUITE], check=True,
                       capture_output=True)
        with open(f"{work}/{SUITE}.jsonl", encoding="utf-8") as file:
            cases = [json.loads(line) for line in file]
        with open(f"{work}/{SUITE}.safetensors", "rb") as file:
            data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    head, out = json.loads(data[8:start]), {}
    for case in cases:
        if "reject" in case or case["inputs"]["key"]["shape"][1] < 2:
            continue
        for of in case["inputs"].values():
            if "tensor" in of:
                first, end = head[of.pop("tensor")]["data_offsets"]
                width = WIDTH[of["dtype"]] // 2
                part = data[start + first:start + end]
                of.pop("file")
                of["bits"] = [part[i:i + width][::-1].hex() for i in range(0, len(part), width)]
        request = {name: case[name] for name in ("op", "attributes", "inputs")}
        out[case["id"]] = request, {name: numbers(of) for name, of in case["inputs"].items()}
    return out


def conforming(rng, cases, answers):
    wrong, worst, count = [], 0.0, 0
    for (name, (request, x)), answer in zip(cases.items(), answers):
        steps = x["key"].shape[1]
        kind = request["inputs"]["query"]["dtype"]
        sizes = {1, 2, 3, 16, 32, 63, 64, 65, steps - 1, steps, steps + 1}
        chosen = rng.choice(sorted(sizes), 3 if steps > 32 and not FULL else 8, replace=False)
        for size in chosen:
            got, named = computed(rng, kind, request, x, int(size))
            share = outside(answer, got)
            worst, count = max(worst, share), count + 1
            if share > 1:
                wrong.append(f"seed {SEED}: {name} {named}: {share}")
    check(not wrong, f"{count} implementations in chunks pass the suite's cases; the worst uses "
          f"{worst:.3f} of an interval", wrong[:9])


def mistakes(rng, cases, answers):
    """Of libraries with chunks as large as chunk_size says, and of 16, 32 and 64 tokens."""
    alive, seen = [], 0
    for wrong, rules in chunks.MISTAKES.items():
        for rule in rules:
            for size in (0, 16, 32, 64):
                killed = []
                for (name, (request, x)), answer in zip(cases.items(), answers):
                    of, kind = request["attributes"], request["inputs"]["query"]["dtype"]
                    if of["update_rule"] != rule:
                        continue
                    got, _ = computed(rng, kind, request, x, size or of["chunk_size"], wrong)
                    if outside(answer, got) > 1:
                        killed.append(name)
                        if not FULL:
                            break
                seen += 1
                print(f"# {rule}, {wrong}, {size or 'as chunk_size'}: {' '.join(killed) or '-'}")
                if not killed:
                    alive.append(f"{rule}, {wrong}, chunks of {size or 'chunk_size'}")
    check(not alive, f"{seen} mistakes with chunks are each seen by a case of the suite", alive)


def main():
    print(f"# seed {SEED}")
    rng = np.random.default_rng(SEED)
    none_is_accused(rng)
    other_models(rng)
    cases = exported()
    answers, said = evaluate([request for request, _ in cases.values()], options=["--bounds"])
    check(len(answers) == len(cases) > 10 and not said, f"{len(cases)} cases have many steps", said)
    conforming(rng, cases, answers)
    mistakes(rng, cases, answers)
    finish()


main()
