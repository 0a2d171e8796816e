# SPDX-License-Identifier: Apache-2.0
"""A step of a request is what the whole request does there: every step of the last layer gives its
part of dst_layer, the last step of every layer gives dst_iter and dst_iter_c, bit for bit; where
matrices are large enough for products of x to be made for several steps at once, too. Backward, the
steps of the first layer give diff_src_layer, the first step of every layer diff_src_iter and
diff_src_iter_c, and all of them together the gradients of parameters. A step that does not exist is
refused.
"""

import random
import sys
from fractions import Fraction

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_model import GATES
from onednn_rnn_numbers import round_fraction
from onednn_rnn_request import Request, evaluate, numbers

DIRECTIONS = ["left2right", "right2left", "bidirectional_concat"]


def disagreement(request):
    """Where steps and the whole differ."""
    whole_document = request.document()
    L, D = request.inputs["weights_layer"].shape[:2]
    T, N = request.inputs["src_layer"].shape[:2]
    places = [(l, d, t) for l in range(L) for d in range(D) for t in range(T)]
    whole, *steps = evaluate(
        [whole_document] + [dict(whole_document, step=list(place)) for place in places]
    )
    wrong = [k for k in [whole] + steps if "outputs" not in k]
    if wrong:
        return f"{request.attributes}: {wrong[0]}"
    at = {place: step["outputs"] for place, step in zip(places, steps)}
    for l in range(L):
        for d in range(D):
            reversed_ = request.attributes["direction"] == "right2left" or d == 1
            last = at[l, d, 0 if reversed_ else T - 1]
            for name in ("dst_iter", "dst_iter_c"):
                if name in whole["outputs"]:
                    bits = whole["outputs"][name]["bits"]
                    size = len(bits) // (L * D)
                    if last[name]["bits"] != bits[(l * D + d) * size:(l * D + d + 1) * size]:
                        return f"{request.attributes}: {name} of layer {l}, direction {d}"
    bits, width = whole["outputs"]["dst_layer"]["bits"], whole["outputs"]["dst_layer"]["shape"][2]
    for d in range(D):
        for t in range(T):
            part = width // D
            expected = [
                bits[(t * N + n) * width + d * part + k] for n in range(N) for k in range(part)
            ]
            if at[L - 1, d, t]["dst_layer"]["bits"] != expected:
                return f"{request.attributes}: dst_layer at time {t}, direction {d}"
    return None


def evaluate_steps(request):
    """The whole's outputs, and those of each step by its place."""
    document = request.document()
    L, D = request.inputs["weights_layer"].shape[:2]
    places = [
        (l, d, t)
        for l in range(L)
        for d in range(D)
        for t in range(request.inputs["src_layer"].shape[0])
    ]
    answers = evaluate([document] + [dict(document, step=list(place)) for place in places])
    return answers[0], dict(zip(places, answers[1:]))


def gradients_disagree(request):
    """Where the steps of a backward request and the whole differ."""
    whole, at = evaluate_steps(request)
    wrong = [k for k in [whole] + list(at.values()) if "outputs" not in k]
    if wrong:
        return f"{request.attributes}: {wrong[0]}"
    L, D = request.inputs["weights_layer"].shape[:2]
    T, N, SLC = request.inputs["src_layer"].shape
    dx = numbers(whole, "diff_src_layer")
    for t in range(T):
        parts = zip(*(numbers(at[0, d, t], "diff_src_layer") for d in range(D)))
        if [round_fraction(sum(k), "f32") for k in parts] != dx[t * N * SLC:(t + 1) * N * SLC]:
            return f"{request.attributes}: diff_src_layer at time {t}"
        for n in range(N if "diff_attention" in whole["outputs"] else 0):
            steps = [numbers(at[l, d, t], "diff_attention")[n] for l in range(L) for d in range(D)]
            value = numbers(whole, "diff_attention")[t * N + n]
            if abs(sum(steps) - value) > (sum(map(abs, steps)) + abs(value)) / 2**24 + Fraction(
                L * D + 1, 2**150
            ):
                return f"{request.attributes}: diff_attention at time {t}"
    for name in whole["outputs"]:
        everything = numbers(whole, name)
        per_cell = len(everything) // (L * D)
        for l in range(L):
            for d in range(D):
                own = everything[(l * D + d) * per_cell:(l * D + d + 1) * per_cell]
                first = T - 1 if d == 1 or request.attributes["direction"] == "right2left" else 0
                if name.startswith("diff_src_iter") and numbers(at[l, d, first], name) != own:
                    return f"{request.attributes}: {name} of layer {l}, direction {d}"
                if not name.startswith("diff_weights") and name != "diff_bias":
                    continue
                overwritten = (
                    request.attributes.get("diff_weights_overwrite") or name not in request.inputs
                )
                initial = (
                    [Fraction(0)] * len(own)
                    if overwritten
                    else request.inputs[name].data[(l * D + d) * per_cell :]
                )
                steps = [numbers(at[l, d, t], name) for t in range(T)]
                for k, value in enumerate(
                    own
                ):  # all were rounded once, none by more than half an ulp
                    together = sum(step[k] for step in steps) - (T - 1) * initial[k]
                    allowed = (
                        sum(abs(step[k]) for step in steps) + abs(value)
                    ) / 2**24 + Fraction(T + 1, 2**150)
                    if abs(together - value) > allowed:
                        return (
                            f"{request.attributes}: {name}[{k}] of layer {l}, "
                            f"direction {d}: {float(together)}, {float(value)}"
                        )
    return None


def isolated_gradients(rng):
    """With a gate, what goes down and back depends on that gate's weights alone; the other gates'
    gradients are the initial ones."""
    for cell in GATES:
        request = Request(
            rng,
            cell,
            propagation="backward",
            dtype="f32",
            T=1,
            N=2,
            L=1,
            DHC=4,
            optional=lambda: True,
            projection=False,
            activation="tanh",
        )
        request.attributes["diff_weights_overwrite"] = True
        for gate in range(GATES[cell]):
            answers = []
            for which in [None] + list(range(GATES[cell])):
                document = dict(request.document(), step=[0, 0, 0, gate])
                tensor = document["inputs"]["weights_iter"]
                for i in range(len(tensor["bits"])):
                    if i // 4 % GATES[cell] == which:
                        tensor["bits"][i] = "3f000000"
                answers.append(document)
            answers = evaluate(answers)
            if any("error" in k for k in answers):
                return f"{cell}, gate {gate}: {answers}"
            for which, answer in enumerate(answers[1:]):
                seen = which == gate or (gate, which) == (1, 2) and "gru" in cell
                down = [
                    [a["outputs"][k]["bits"] for k in ("diff_src_layer", "diff_src_iter")]
                    for a in (answers[0], answer)
                ]
                if (down[0] != down[1]) != seen:
                    return f"{cell}, gate {gate} isolated: weights of gate {which} changed"
            bias = numbers(answers[0], "diff_bias")
            for which in range(GATES[cell]):
                left = max(abs(k) for k in bias[which * 4:which * 4 + 4])
                kept = which == gate or (gate, which) == (1, 2) and "gru" in cell
                if (left > 1e-10) != kept:
                    return (
                        f"{cell}, gate {gate} isolated: gradient {float(left):.2g} of gate {which}"
                    )
    return None


def isolated(rng):
    """With a gate, outputs do not depend on the other gates' weights; with any gate they depend on
    its own."""
    for cell in GATES:
        request = Request(
            rng, cell, dtype="f32", T=3, N=2, L=1, DHC=4, optional=lambda: True, projection=False
        )
        document = request.document()
        for gate in range(GATES[cell]):
            changed = {}
            for which in range(GATES[cell]):
                other = request.document()
                tensor = other["inputs"]["weights_layer"]
                for i in range(len(tensor["bits"])):
                    if i // 4 % GATES[cell] == which:
                        tensor["bits"][i] = "3f000000"
                changed[which] = dict(other, step=[0, 0, 0, gate])
            answers = evaluate(
                [dict(document, step=[0, 0, 0, gate])] + [changed[k] for k in sorted(changed)]
            )
            for which, answer in enumerate(answers[1:]):
                seen = (
                    which == gate or (gate, which) == (1, 2) and "gru" in cell
                )  # the reset gate acts through the candidate
                if (answer["outputs"] != answers[0]["outputs"]) != seen:
                    return f"{cell}, gate {gate} isolated: weights of gate {which} changed"
    return None


def main():
    rng = random.Random(12)
    for cell in GATES:
        failure = None
        for direction in DIRECTIONS:
            for dtype in ("f32", "bf16") + (("u8",) if cell in ("lstm", "gru") else ()):
                request = Request(rng, cell, direction, dtype=dtype, T=4, N=2, L=2, DHC=5, DIC=3,
                                  projection=cell == "lstm" and direction == "right2left")
                request.profile = {}
                failure = failure or disagreement(request)
        report(f"{cell}: steps give what the whole gives", failure)
    failure = None
    for cell, direction in (("gru", "right2left"), ("vanilla_rnn", "left2right")):
        request = Request(
            rng, cell, direction, T=6, N=5, L=1, SLC=2048, DHC=32, scale=0.1, activation="tanh"
        )
        failure = failure or disagreement(request)
    report(
        "where products of x run ahead of the recurrence, steps give what the whole gives", failure
    )
    document = Request(rng, "lstm", dtype="f32", T=3, N=1, L=1).document()
    backward = Request(rng, "lstm", propagation="backward", T=3, N=1, L=1).document()
    report("an isolated gate is the only one that is seen", isolated(rng))
    for cell in GATES:
        failure = None
        for direction in DIRECTIONS + ["bidirectional_sum"]:
            for dtype in ("f32", "bf16", "f16"):
                request = Request(
                    rng,
                    cell,
                    direction,
                    "backward",
                    dtype,
                    T=4,
                    N=2,
                    L=2,
                    DHC=5,
                    DIC=3,
                    projection=cell == "lstm" and direction == "right2left",
                )
                failure = failure or gradients_disagree(request)
        report(f"{cell}: steps give the gradients that the whole gives", failure)
    report(
        "going backward too an isolated gate is the only one that is seen", isolated_gradients(rng)
    )
    bad = [
        dict(document, step=[0, 0, 3]),
        dict(document, step=[0, 0, 0, 4]),
        dict(document, step=[0, 1, 0]),
        dict(document, step=[1, 0, 0]),
        dict(document, step=[0, 0]),
        dict(backward, step=[0, 0, 3]),
        dict(backward, step=[0, 0, 0, 4]),
        {
            "op": "openvino.range",
            "attributes": {"output_type": "f32"},
            "inputs": {"start": 0, "stop": 3, "step": 1},
            "step": [0, 0, 0],
        },
    ]
    answers = evaluate(bad)
    report(
        "a step that does not exist is refused",
        None if all("error" in k for k in answers) else str(answers)[:300],
    )
    finish()


main()
