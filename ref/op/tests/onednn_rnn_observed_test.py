# SPDX-License-Identifier: Apache-2.0
"""Bounds from observed states: an implementation's own dst_layer is h' of its next step, exactly.

They hold every conforming implementation (`ASSAY_PAIRS` pairs, 240), its gradients and the
dst_layer that these were made from, stay near rounding over long dense sequences where the bounds
of a whole sequence say nothing, and blame the step that went wrong and no later one.
`ASSAY_PROPAGATIONS` as in the test of bounds.
"""

import collections
import os
import random
import sys
from fractions import Fraction

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_conforming import Implementation, outside, random_request
from onednn_rnn_request import Request, evaluate, numbers, to_bits

PAIRS = int(os.environ.get("ASSAY_PAIRS", "240"))
PROPAGATIONS = os.environ.get("ASSAY_PROPAGATIONS", "forward_inference backward").split()


def observable_request(rng, types=("f32", "f32", "bf16", "f16")):
    """One layer, directions apart."""
    while True:
        request = random_request(rng, types=types, propagations=PROPAGATIONS)
        if (
            request.inputs["weights_layer"].shape[0] == 1
            and request.attributes["direction"] != "bidirectional_sum"
        ):
            return request


def observed(request, tensor):
    dtype = request.types["src_layer"]
    return {
        "dst_layer": {
            "dtype": dtype,
            "shape": tensor.shape,
            "bits": [to_bits(Fraction(float(k)), dtype) for k in tensor.data],
        }
    }


def conforming(rng):
    """Every implementation by the bounds that its own states give, and how much of them it used."""
    used, tried = collections.Counter(), 0
    while tried < PAIRS:
        runs = []
        for _ in range(min(PAIRS - tried, 120)):
            request = observable_request(rng)
            implementation = Implementation(request, rng, {})
            outputs = implementation.run()
            seen = type(implementation.seen)(
                implementation.seen.shape, [k.value for k in implementation.seen.data]
            )
            document = dict(request.document(), observed=observed(request, seen))
            if request.attributes["propagation"] == "backward":
                outputs = dict(outputs, dst_layer=implementation.seen)
                document["outputs"] = sorted(outputs)
            runs.append((request, outputs, document))
        for (request, outputs, _), answer in zip(runs, evaluate([r[2] for r in runs], "--bounds")):
            if "error" in answer:
                return f"{request.attributes}: {answer['error']}"
            for name, tensor in outputs.items():
                failure, share = outside(answer, name, [k.value for k in tensor.data])
                used.update(int(1000 * k) for k in share)
                if failure:
                    return f"{request.attributes} {sorted(request.types.items())}: {failure}"
        tried += len(runs)
    shares = sorted(used.elements())
    print(
        f"# {tried} pairs, {len(shares)} elements used of the radius: "
        + " ".join(
            f"{100 * p:g} % {shares[min(int(p * len(shares)), len(shares) - 1)] / 1000:.3f}"
            for p in (0.5, 0.9, 0.99, 1)
        )
    )
    return None


def plain_outputs(request):
    """The reference's answer, and its dst_layer as if observed."""
    answer = evaluate([request.document()], "--bounds")[0]
    return answer, {
        "dst_layer": {k: answer["outputs"]["dst_layer"][k] for k in ("dtype", "shape", "bits")}
    }


def of_forward_half(rng):
    """The dst_layer that a backward request may ask for is that of the forward one, and asking
    changes no gradient."""
    for cell in ("lstm", "augru", "vanilla_rnn"):
        for direction in ("right2left", "bidirectional_concat", "bidirectional_sum"):
            request = Request(
                rng,
                cell,
                direction,
                "backward",
                dtype=rng.choice(["f32", "bf16"]),
                T=3,
                N=2,
                L=2,
                DHC=3,
            )
            document = request.document()
            forward = dict(
                document,
                attributes=dict(document["attributes"], propagation="forward_training"),
                inputs={k: v for k, v in document["inputs"].items() if not k.startswith("diff_")},
            )
            gradients, halves = evaluate([document, forward])
            both = evaluate([dict(document, outputs=["dst_layer", *gradients["outputs"]])])[0][
                "outputs"
            ]
            if (
                both != dict(gradients["outputs"], dst_layer=halves["outputs"]["dst_layer"])
                or "dst_layer" in gradients["outputs"]
            ):
                return (
                    f"{request.attributes}: {both.get('dst_layer')}, "
                    f"forward {halves['outputs']['dst_layer']}"
                )
    return None


def radii(answer, name):
    lower, upper = numbers(answer, name, "lower"), numbers(answer, name, "upper")
    return sorted(float(u - l) / 2 for l, u in zip(lower, upper))


def sharp(rng):
    """Dense weights, 16 steps: the median radius stays that of one step."""
    for cell in ("lstm", "gru", "lbr_gru", "vanilla_rnn"):
        for direction in ("left2right", "right2left", "bidirectional_concat"):
            request = Request(
                rng,
                cell,
                direction,
                dtype="f32",
                T=16,
                N=1,
                L=1,
                DHC=24,
                SLC=24,
                scale=0.4,
                projection=False,
                optional=lambda: True,
                activation="tanh",
            )
            answer, seen = plain_outputs(request)
            narrow = evaluate([dict(request.document(), observed=seen)], "--bounds")[0]
            whole, step = (
                radii(a, "dst_layer")[len(radii(a, "dst_layer")) // 2] for a in (answer, narrow)
            )
            if not (step < 2e-5 and whole > 50 * step):
                return (
                    f"{cell} {direction}: median radius {step:.1e} "
                    f"observed, {whole:.1e} over the sequence"
                )
            if narrow["outputs"]["dst_layer"]["bits"] != answer["outputs"]["dst_layer"]["bits"]:
                return f"{cell} {direction}: the reference is not what it is from its own states"
    return None


def blamed(rng):
    """One element of one step moved: that step is outside, and the one after it holds its own
    against the moved state."""
    for direction, after in (("left2right", 1), ("right2left", -1)):
        request = Request(
            rng,
            "gru",
            direction,
            dtype="f32",
            T=8,
            N=1,
            L=1,
            DHC=12,
            SLC=12,
            scale=0.4,
            optional=lambda: True,
        )  # h is all of its state
        _, seen = plain_outputs(request)
        moved = dict(seen["dst_layer"], bits=list(seen["dst_layer"]["bits"]))
        value = Fraction(numbers({"outputs": seen}, "dst_layer")[4 * 12 + 5]) + Fraction(1, 100)
        moved["bits"][4 * 12 + 5] = to_bits(value, "f32")
        document = dict(request.document(), observed={"dst_layer": moved})
        answer = evaluate([document], "--bounds")[0]
        lower, upper = numbers(answer, "dst_layer", "lower"), numbers(answer, "dst_layer", "upper")
        wrong = [
            k
            for k, v in enumerate(numbers({"outputs": {"dst_layer": moved}}, "dst_layer"))
            if not lower[k] <= v <= upper[k]
        ]
        if 4 * 12 + 5 not in wrong or {k // 12 for k in wrong} != {4, 4 + after}:
            # the step after read the moved state and gave the old one's result
            return f"{direction}: elements {wrong}"
        last = answer["outputs"]["dst_iter"]
        end = moved["bits"][-12:] if after == 1 else moved["bits"][:12]
        if last["lower"] != end or last["upper"] != end:
            return f"{direction}: dst_iter is not held to the last step of dst_layer"
    return None


def refused(rng):
    """Where dst_layer does not show the state that recurs, it cannot be taken as observed."""
    requests = [Request(rng, "lstm", "left2right", L=2, T=2, projection=False),
                Request(rng, "gru", "bidirectional_sum", L=1, T=2),
                Request(rng, "gru", "left2right", dtype="u8", L=1, T=2)]
    requests[2].attributes["dst_layer_type"] = "f32"
    right = Request(rng, "gru", "left2right", dtype="bf16", L=1, T=2, N=2, DHC=3)
    documents = [dict(r.document(), observed=plain_outputs(r)[1]) for r in requests]
    _, seen = plain_outputs(right)
    documents.append(
        dict(right.document(), observed={"dst_layer": dict(seen["dst_layer"], dtype="f16")})
    )
    documents.append(dict(right.document(), observed={"dst_iter": seen["dst_layer"]}))
    documents.append(dict(right.document(), observed=seen, model={"states": "wide"}))
    answers = evaluate(documents, "--bounds")
    taken = [k for k, answer in enumerate(answers) if "error" not in answer]
    return f"taken: {taken}" if taken else None


def main():
    rng = random.Random(11)
    report(
        f"{PAIRS} pairs of an implementation and a case lie inside the bounds of their own states",
        conforming(rng),
    )
    report("over long dense sequences the radius is that of a step", sharp(rng))
    report(
        "the step that went wrong is outside, and dst_iter is dst_layer's last step", blamed(rng)
    )
    report(
        "gradients may be asked for with the dst_layer that they were made from",
        of_forward_half(rng),
    )
    report("what does not show its states is refused", refused(rng))
    finish()


main()
