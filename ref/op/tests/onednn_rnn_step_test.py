# SPDX-License-Identifier: Apache-2.0
"""A step of a request is what the whole request does there: every step of the last layer gives its part of dst_layer, the last
step of every layer gives dst_iter and dst_iter_c, bit for bit; and a step that does not exist is refused.
"""
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_model import GATES
from onednn_rnn_request import Request, evaluate

DIRECTIONS = ["left2right", "right2left", "bidirectional_concat"]


def disagreement(request):
    """Where steps and the whole differ."""
    whole_document = request.document()
    L, D = request.inputs["weights_layer"].shape[:2]
    T, N = request.inputs["src_layer"].shape[:2]
    places = [(l, d, t) for l in range(L) for d in range(D) for t in range(T)]
    whole, *steps = evaluate([whole_document] + [dict(whole_document, step=list(place)) for place in places])
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
            expected = [bits[(t * N + n) * width + d * part + k] for n in range(N) for k in range(part)]
            if at[L - 1, d, t]["dst_layer"]["bits"] != expected:
                return f"{request.attributes}: dst_layer at time {t}, direction {d}"
    return None


def isolated(rng):
    """With a gate, outputs do not depend on the other gates' weights; with any gate they depend on its own."""
    for cell in GATES:
        request = Request(rng, cell, dtype="f32", T=3, N=2, L=1, DHC=4, optional=lambda: True, projection=False)
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
            answers = evaluate([dict(document, step=[0, 0, 0, gate])] + [changed[k] for k in sorted(changed)])
            for which, answer in enumerate(answers[1:]):
                seen = which == gate or (gate, which) == (1, 2) and "gru" in cell  # the reset gate acts through the candidate
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
    document = Request(rng, "lstm", dtype="f32", T=3, N=1, L=1).document()
    backward = Request(rng, "lstm", propagation="backward", T=3, N=1, L=1).document()
    report("an isolated gate is the only one that is seen", isolated(rng))
    bad = [dict(document, step=[0, 0, 3]), dict(document, step=[0, 0, 0, 4]), dict(document, step=[0, 1, 0]), dict(document, step=[1, 0, 0]),
           dict(document, step=[0, 0]), dict(backward, step=[0, 0, 0]),
           {"op": "openvino.range", "attributes": {"output_type": "f32"}, "inputs": {"start": 0, "stop": 3, "step": 1},
            "step": [0, 0, 0]}]
    answers = evaluate(bad)
    report("a step that does not exist is refused", None if all("error" in k for k in answers) else str(answers)[:300])
    finish()


main()
