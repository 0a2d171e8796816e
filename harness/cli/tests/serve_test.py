# SPDX-License-Identifier: Apache-2.0
"""`assay serve`: what it says of outputs is what certify says of a target that gives them.

The reference's own outputs pass, of cases of every suite; one bit more or less does not, and the
element is named. A faulty plugin's failures are explained alike by both.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
PER_SUITE = 12
generator = random.Random(24)


def serve(lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([ASSAY, "serve"], input=text, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), done.stderr
    return answers


EXPONENT = {"f16": 0x7c00, "bf16": 0x7f80, "f32": 0x7f800000, "f64": 0x7ff << 52,
            "f8e4m3": 0x78, "f8e5m2": 0x7c}


def finite(output):
    """Elements whose lowest bit means something: one NaN is as good as another."""
    mask = EXPONENT.get(output["dtype"])
    return [i for i, bits in enumerate(output["bits"])
            if mask is None or int(bits, 16) & mask != mask]


def flipped(outputs):
    """The outputs with the lowest bit of one element turned, and which one."""
    name = generator.choice([name for name in outputs if finite(outputs[name])])
    bits = list(outputs[name]["bits"])
    at = generator.choice(finite(outputs[name]))
    low = f"{int(bits[at][-1], 16) ^ 1:x}"
    bits[at] = bits[at][:-1] + low
    return {**outputs, name: {**outputs[name], "bits": bits}}, name


# ---- every suite -------------------------------------------------------------

suites = [json.loads(line)["suite"] for line in
          subprocess.run([ASSAY, "list", "suites", "--json"], capture_output=True, text=True,
                         check=True).stdout.splitlines()]
listed = serve([{"cases": suite} for suite in suites])
chosen = []
for suite, answer in zip(suites, listed):
    valued = [one["id"] for one in answer["cases"] if one["kind"] == "values"]
    chosen += [(suite, id) for id in generator.sample(valued, min(PER_SUITE, len(valued)))]
requests = [answer["request"] for answer in serve([{"case": id, "suite": suite}
                                                   for suite, id in chosen])]
evaluated = serve([{"eval": request} for request in requests])
lines, kept, bits = [], [], []
for (suite, id), request, answer in zip(chosen, requests, evaluated):
    outputs = answer.get("outputs")
    if outputs is None or "window" in request or "model" in request or not all(
            isinstance(output, dict) for output in outputs.values()):
        continue  # windows and several runs are not judged here
    kept.append((suite, id, request, outputs))
    lines.append({"check": id, "outputs": outputs, "suite": suite})
answers = serve(lines)
wrong = [(one[:2], answer) for one, answer in zip(kept, answers)
         if answer.get("verdict") not in ("pass", "vacuous")
         and answer.get("error", {}).get("code") not in ("unsupported", "too_large")]
passed = sum(answer.get("verdict") == "pass" for answer in answers)
check(not wrong and passed > 8 * len(suites),
      f"the reference's own outputs pass, {passed} of {len(kept)} cases of {len(suites)} suites",
      wrong[:3])

# A bit of an output at level bits is never free.
ends = serve([{"eval": request, "bounds": True} for _, _, request, _ in kept])
exact = [one for one, answer, end in zip(kept, answers, ends)
         if answer.get("verdict") == "pass" and not one[0].startswith(("onednn", "onnx", "jax"))
         and all("lower" not in output for output in end["outputs"].values())
         and any(finite(output) for output in one[3].values())
         and all(output["dtype"] != "bool" for output in one[3].values())]
turned = [(*one, *flipped(one[3])) for one in exact]
answers = serve([{"check": id if i % 2 else request, "outputs": outputs, "suite": suite}
                 for i, (suite, id, request, _, outputs, _) in enumerate(turned)])
missed = [(one[:2], answer) for one, answer in zip(turned, answers)
          if answer.get("verdict") != "fail" or answer["wrong"] != 1
          or f"{one[5]}" not in answer["text"]]
check(not missed and len(turned) > 40, f"one bit turned is seen, {len(turned)} cases", missed[:3])

# ---- beside certify ----------------------------------------------------------

with tempfile.TemporaryDirectory() as folder:
    results = os.path.join(folder, "results.jsonl")
    subprocess.run([ASSAY, "certify", "--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite",
                    "philox", "--case", "published-*", "--quick", "--quiet", "--out", results],
                   capture_output=True, check=False)
    with open(results) as file:
        records = [json.loads(line) for line in file]
failing = [record for record in records if record.get("verdict") == "fail"]
requests = [answer["request"] for answer in serve([{"case": record["case"], "suite": "philox"}
                                                   for record in failing])]
nine = serve([{"eval": {**request, "profile": {"rounds": "9"}}} for request in requests])
answers = serve([{"check": request, "outputs": answer["outputs"]}
                 for request, answer in zip(requests, nine)])
differ = []
for record, answer in zip(failing, answers):
    text, first = answer["text"], record["outputs"][0]
    if not (answer["verdict"] == record["verdict"] and record["explained"]["text"] in text
            and f"{first['wrong']} of {first['compared']} elements differ" in text
            and first["elements"][0]["got"] in text):
        differ.append((record, answer))
check(failing and not differ,
      f"nine rounds: {len(failing)} failures are told as certify tells them",
      differ[:2])

# ---- readings, refusals, errors ----------------------------------------------

RANGE = {"op": "openvino.range", "attributes": {"output_type": "i32"},
         "inputs": {"start": 0, "stop": 5, "step": 2}}
ZERO = {**RANGE, "inputs": {**RANGE["inputs"], "step": 0}}


def tensor(*values):
    return {"output": {"dtype": "i32", "shape": [len(values)], "data": list(values)}}


short, refused, invalid, answered, both, no_such, other = serve([
    {"check": RANGE, "outputs": tensor(0, 2)},
    {"check": RANGE, "refused": "why"},
    {"check": ZERO, "refused": "step is zero"},
    {"check": ZERO, "outputs": tensor(0)},
    {"check": RANGE},
    {"check": RANGE, "outputs": {"outputs": tensor(0)["output"]}},
    {"check": {"op": "openvino.random_uniform", "attributes": {"output_type": "f32"},
               "inputs": {"shape": [2], "minval": 0, "maxval": 1}},
     "outputs": {"output": {"dtype": "f32", "shape": [2], "data": [0.5, 0.5]}}},
])
check(short["verdict"] == "fail" and "i32[2], where i32[3]" in short["text"]
      and "count_rounding=down" in short["text"], "another shape is explained, too", short)
check(refused["verdict"] == "fail" and "refused: why" in refused["text"],
      "a valid request must not be refused", refused)
check(invalid["verdict"] == "rejected" and answered["verdict"] == "accepted",
      "an invalid one must be", (invalid, answered))
check("not both" in both["error"]["message"] and "no output" in no_such["error"]["message"],
      "a line that says too little is an error", (both, no_such))
check(other["error"]["code"] == "unsupported" and "chance" in other["error"]["message"],
      "values left to chance are not judged here", other)
WIDE = {"op": "openvino.range", "attributes": {"output_type": "f32"},
        "inputs": {"start": {"dtype": "f64", "shape": [], "data": [0.1]},
                   "stop": {"dtype": "f64", "shape": [], "data": [9]},
                   "step": {"dtype": "f64", "shape": [], "data": [0.1]}}}
rows = [json.loads(line) for line in
        subprocess.run([ASSAY, "list", "choices", "--suite", "openvino.range", "--json"],
                       capture_output=True, text=True, check=True).stdout.splitlines()]
free = [(row["choice"], row["option"]) for row in rows if row["class"] == "allowed"]
plain = serve([{"eval": WIDE}])[0]["outputs"]
other = [(pair, answer["outputs"]) for pair, answer in
         zip(free, serve([{"eval": {**WIDE, "profile": {pair[0]: pair[1]}}} for pair in free]))
         if answer.get("outputs", plain) != plain]
answers = serve([{"check": WIDE, "outputs": outputs} for _, outputs in other])
check(other and all(answer["verdict"] == "pass" and f"{name}=" in answer["profile"]
                    and answer["wrong"] == 0
                    for ((name, _), _), answer in zip(other, answers)),
      f"what another reading that the suite allows gives passes, {len(other)} of them",
      answers or free)
done = subprocess.run([ASSAY, "serve"], input="nonsense\n[]\n{\"x\": 1}\n", capture_output=True,
                      text=True, check=False)
check(done.returncode == 0 and done.stdout.count('"invalid_argument"') == 3,
      "what is no line is answered by an error, and the next line is read", done)
finish()
