# SPDX-License-Identifier: Apache-2.0
"""Mutants that declarations call equivalent are: on fresh requests the graph with the mutant in it
gives the bits of the graph as written, each the correctly rounded value. One that is an allowed
option gives the bits of that option for all requests. At a kink of a gradient the mutant gives what
the slope of one side is, and nothing else anywhere. ASSAY_SEED repeats a run."""

import glob
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import yaml

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
import declared_model as m  # noqa: E402
import elementwise_test  # noqa: E402
import gradients_test  # noqa: E402
import operators_test  # noqa: E402
import products_test  # noqa: E402
import quantization_test  # noqa: E402
import windows_test  # noqa: E402
from operators_test import ASSAY, FLOATS, FULL, SEED  # noqa: E402
from tap import check, finish  # noqa: E402

TOTAL = 1000 if FULL else 12
KINK = "at a kink the slope of either side is one"
ALLOWED = re.compile(r"(\w+)=(\w+), which is allowed")
DRAWN = {name: (name, of) for table in (
    elementwise_test, operators_test, products_test, quantization_test, windows_test)
    for name, of in table.OPERATORS.items()}
KINKS = (0, 1, 0.5, -0.5, 2, -2, 3, -3)


def special(rng, request):
    """An element of one float input becomes what draws leave out: an infinity, the largest and the
    least number, -0, NaN."""
    floats = [x for x in request["inputs"].values() if x["dtype"] in FLOATS and x.get("bits")]
    if not floats or rng.random() < 0.7:
        return request
    x = rng.choice(floats)
    precision, _, _ = m.FORMATS[x["dtype"]]
    width = m.WIDTH[x["dtype"]]
    infinity, sign = ((1 << (width - precision)) - 1) << (precision - 1), 1 << (width - 1)
    bits = rng.choice((infinity, infinity - 1, 1, 0)) | rng.choice((0, sign))
    bits = infinity | 1 << (precision - 2) if rng.random() < 0.2 else bits
    x["bits"][rng.randrange(len(x["bits"]))] = f"{bits:0{width // 4}x}"
    return request


def draw(rng, name, declaration):
    """A request of the operator; of a gradient one with elements at kinks."""
    if not name.startswith("gradient."):
        word, of = DRAWN[name.partition(".")[2]]
        while True:
            try:
                return special(rng, of(rng, rng.choice(FLOATS), word)[0])
            except (m.Undefined, AssertionError, ZeroDivisionError):
                pass
    word = name.partition(".")[2]
    given, output, shape, _, *rest = gradients_test.OPERATORS[word](rng)
    drawn, other = (*rest, {}, {})[:2]
    key = next(iter(given))
    share = 0 if "lp_pool" in word else 0.5  # where all is 0 a norm has no slope
    values = [rng.choice(KINKS) if rng.random() < share else x for x in given[key][1]]
    kind = rng.choice(declaration["inputs"][key]["types"])
    seeds = output if isinstance(output, dict) else {output: shape}
    inputs = {**given, key: (given[key][0], values),
              **{name: (s, [gradients_test.element(rng, False) for _ in range(math.prod(s))])
                 for name, s in seeds.items()}}
    attributes = {"elu": {"alpha": 0.5}, "hard_sigmoid": {"alpha": 0.25},
                  "shrink": {"lambd": rng.choice((0.5, -1, 2))}}.get(word, drawn)
    return {"op": name, "attributes": attributes, "inputs": {
        **{k: operators_test.tensor(kind, s, [m.F(x) for x in v])
           for k, (s, v) in inputs.items()}, **other}}


def few(number):
    """A request of Cast to integers of few bits, of what rounding and truncation tell apart."""
    return {"op": "onnx.cast", "attributes": {"to": number, "opset": 25},
            "inputs": {"input": {"dtype": "f32", "shape": [2], "data": [0.75, 2.75]}}}


def evaluate(requests, path, *options):
    done = subprocess.run([ASSAY, "eval", "--operators", path, *options, "-"], text=True,
                          capture_output=True, check=False,
                          input="\n---\n".join(map(json.dumps, requests)))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests), done.stderr
    return answers


def kinked(request):
    """The inputs by which a gradient may have kinks: all floats but what comes in from behind. Of a
    sum some move its sign alone, and the slopes of the rest stay what they are."""
    return [k for k, x in request["inputs"].items()
            if x.get("bits") and x["dtype"] in FLOATS and not re.match("d[A-Z]", k)]


def moved(request, key, up):
    """The request with an input's elements moved by one unit in the last place."""
    x, (precision, _, _) = request["inputs"][key], m.FORMATS[request["inputs"][key]["dtype"]]
    sign, to = 1 << (m.WIDTH[x["dtype"]] - 1), []
    for text in x["bits"]:
        bits = int(text, 16)
        if not bits & ~sign:
            to.append(1 if up else sign | 1)
        else:
            to.append(bits + 1 if bool(bits & sign) != up else bits - 1)
    return {**request, "inputs": {**request["inputs"], key: {
        **x, "bits": [f"{b:0{m.WIDTH[x['dtype']] // 4}x}" for b in to]}}}


def is_of_a_side(kind, bits, at, sides):
    """Whether the value lies in the interval of the request moved up, or down."""
    value = m.decode(kind, int(bits, 16))
    return any(m.decode(kind, int(side["lower"][at], 16)) <= value
               <= m.decode(kind, int(side["upper"][at], 16)) for side in sides)


def differs(levels, request, written, mutant, sides):
    """What of the outputs is not the same; where the level is bound a zero may have either sign."""
    if "outputs" not in written or "outputs" not in mutant:
        same = written.get("error", {}).get("code") == mutant.get("error", {}).get("code")
        return None if same else f"{written} and {mutant}"
    for name, a in written["outputs"].items():
        b = mutant["outputs"][name]
        if (a["dtype"], a["shape"]) != (b["dtype"], b["shape"]):
            return f"{name}: {a} and {b}"
        zero = 1 << (m.WIDTH.get(a["dtype"], 8) - 1)
        for i, (x, y) in enumerate(zip(a["bits"], b["bits"])):
            if x == y or levels[name] == "bound" and a["dtype"] in FLOATS and not (
                    (int(x, 16) | int(y, 16)) & ~zero):
                continue
            if not sides or not is_of_a_side(a["dtype"], y, i, [s["outputs"][name] for s in sides]):
                return f"{name}[{i}]: {a['dtype']} {x} and {y}"
    return None


def profile_of(declaration, why):
    """The profile whose bits the mutant has: that as written, or the allowed one of the reason."""
    found = ALLOWED.fullmatch(why)
    if not found:
        return {}
    choice, option = found.groups()
    assert option in declaration["choices"][choice]["allowed"], why
    return {"profile": {choice: option}}


def compare(path, declaration, entry, why, requests):
    """A list of what is wrong, and how many requests have values."""
    choice, option = entry.split(".")
    levels = {k: v["level"] for k, v in declaration["outputs"].items()}
    profile = profile_of(declaration, why)
    written = evaluate([{**r, **profile} for r in requests], path)
    mutant = evaluate([{**r, "profile": {choice: option}} for r in requests], path)
    sides = [None] * len(requests)
    if why == KINK:
        moves = [[moved(r, key, up) for key in kinked(r) for up in (False, True)]
                 for r in requests]
        answers = iter(evaluate([one for each in moves for one in each], path, "--bounds"))
        sides = [[next(answers) for _ in each] for each in moves]
    wrong = []
    for request, a, b, s in zip(requests, written, mutant, sides):
        found = differs(levels, request, a, b, s)
        if found:
            wrong.append(f"seed {SEED}: {found}; {json.dumps(request)[:600]}")
    return wrong, sum("outputs" in a for a in written)


def main():
    print(f"# seed {SEED}")
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(glob.glob("yaml/operators/*.yaml")):
            with open(source, encoding="utf-8") as file:
                text = file.read()
            declaration = yaml.safe_load(text)
            if "equivalent" not in declaration:
                continue
            name, path = declaration["operator"], os.path.join(folder, os.path.basename(source))
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"^equivalent:\n( .*\n)+", "", text, flags=re.M))
            rng = random.Random(f"{SEED} {name}")
            requests = [draw(rng, name, declaration) for _ in range(TOTAL)]
            for entry, why in declaration["equivalent"].items():
                wrong, held = compare(path, declaration, entry, why, requests)
                check(not wrong and held >= TOTAL * 3 // 4,
                      f"{name}: {entry} is equivalent on {held} requests", wrong[:3] or held)
            if name == "onnx.elu":
                wrong, _ = compare(path, declaration, "mutant_Y.without_alpha", "", requests)
                check(wrong, "a mutant that is not equivalent is told")
            if name == "onnx.cast":
                wrong, _ = compare(path, declaration, "mutant_output.and_6",
                                   "few_bits=toward_zero, which is allowed",
                                   [few(number) for number in (21, 22, 25, 26)])
                check(len(wrong) == 2, "and one that is an allowed option for some types only",
                      wrong)
    finish()


if __name__ == "__main__":
    main()
