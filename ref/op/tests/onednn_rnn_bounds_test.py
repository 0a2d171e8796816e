# SPDX-License-Identifier: Apache-2.0
"""Bounds of onednn.rnn hold every conforming implementation, and are tight.

`ASSAY_PAIRS` sets how many pairs of an implementation and a case are tried (300),
`ASSAY_DECLARED_PAIRS` how many for each declared model (a fifth of it), `ASSAY_PROPAGATIONS` which
of forward_inference and backward.
"""

import collections
import itertools
import os
import random
import sys
from fractions import Fraction

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_conforming import DIRECTIONS, Implementation, f32, outside, random_request
from onednn_rnn_model import GATES, Model, Tensor
from onednn_rnn_numbers import Doubles
from onednn_rnn_request import Request, draw, evaluate, numbers

PAIRS = int(os.environ.get("ASSAY_PAIRS", "300"))
DECLARED_PAIRS = int(os.environ.get("ASSAY_DECLARED_PAIRS", str(max(PAIRS // 5, 24))))
PROPAGATIONS = os.environ.get("ASSAY_PROPAGATIONS", "forward_inference backward").split()


def implementations(rng, pairs, model, **options):
    """The first failure, and how many elements used how many thousandths of their radius."""
    used, done = collections.Counter(), 0
    while done < pairs:
        cases = [random_request(rng, **options) for _ in range(min(pairs - done + 5, 600) // 6)]
        documents = [dict(r.document(), model=model) if model else r.document() for r in cases]
        for request, answer in zip(cases, evaluate(documents, "--bounds")):
            for _ in range(6):
                outputs = Implementation(request, rng, model).run()
                for name, tensor in outputs.items():
                    failure, share = outside(answer, name, [k.value for k in tensor.data])
                    used.update(int(1000 * k) for k in share)
                    if failure:
                        return (
                            f"{model} {request.attributes} "
                            f"{sorted(request.types.items())}: {failure}",
                            used,
                        )
        before, done = done, done + 6 * len(cases)
        if done // 5000 > before // 5000:
            print(f"# {done} pairs inside: {shares(used)}", flush=True)
    return None, used


def quantile(used, part):
    """The share of the radius below which `part` of the elements stay."""
    left = part * sum(used.values())
    for share in sorted(used):
        left -= used[share]
        if left <= 0:
            return share / 1000
    return 1.0


def shares(used):
    return f"{sum(used.values())} elements used " + " ".join(
        f"{100 * part:g} % {quantile(used, part):.3f}"
        for part in (0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1)
    )


def reference_itself(rng):
    """The reference's own bits, and the model in binary64 without any rounding of f32, lie
    inside."""
    for cell, direction, propagation in itertools.product(
        GATES, DIRECTIONS, ("forward_inference", "backward")
    ):
        request = Request(
            rng,
            cell,
            direction,
            propagation,
            "f32",
            T=5,
            N=2,
            L=2,
            DHC=17,
            DIC=9,
            SLC=9,
            projection=cell == "lstm" and direction == "left2right",
        )
        answer = evaluate([request.document()], "--bounds")[0]
        inputs = {n: Tensor(t.shape, [float(k) for k in t.data]) for n, t in request.inputs.items()}
        outputs = Model(request.attributes, inputs, request.types, Doubles).run()
        for name, tensor in outputs.items():
            for kind, values in (
                ("the reference", numbers(answer, name)),
                ("binary64", [f32(k) for k in tensor.data]),
            ):
                failure, _ = outside(answer, name, values)
                if failure:
                    return f"{request.attributes}, {kind}: {failure}"
    return None


def exact_grid(rng):
    """relu on a grid of few bits: sums are exact in any order, so one value alone is admitted."""
    for dtype in ("f32", "bf16"):
        request = Request(
            rng,
            "vanilla_rnn",
            dtype=dtype,
            activation="relu",
            T=1,
            N=3,
            L=1,
            SLC=40,
            DHC=40,
            SIC=40,
            optional=lambda: True,
        )
        request.attributes["alpha"] = 0.5
        for name, tensor in request.inputs.items():
            tensor.data = [Fraction(round(k * 8), 8) for k in draw(rng, tensor.shape, "f32").data]
        out = evaluate([request.document()], "--bounds")[0]["outputs"]["dst_layer"]
        if out["lower"] != out["upper"] or out["lower"] != out["bits"]:
            return f"{dtype}: " + str(
                [k for k in zip(out["bits"], out["lower"], out["upper"]) if len(set(k)) > 1][:3]
            )
    return None


def exact_pairs(rng):
    """Sums of two exact products, wherever these stand: one rounding to nearest, and no other
    value. What is stored in 16 bits may be rounded once more, or not."""
    for dtype in ("f32", "bf16", "f16"):
        size, bits = 24, {"f32": 12, "bf16": 8, "f16": 11}[dtype]
        request = Request(
            rng,
            "vanilla_rnn",
            propagation="backward",
            dtype=dtype,
            activation="relu",
            T=1,
            N=2,
            L=1,
            SLC=size,
            DHC=size,
            SIC=size,
            optional=lambda: False,
        )
        request.attributes["alpha"] = 1.0
        exact = lambda low: Fraction(
            rng.choice([-1, 1]) * (2 * rng.randrange(2 ** (bits - 2), 2 ** (bits - 1)) + 1)
        ) * Fraction(2) ** rng.randint(low, low + 8)
        for name in ("src_layer", "diff_dst_layer"):
            request.inputs[name].data = [exact(-14) for _ in request.inputs[name].data]
        for name in ("weights_layer", "weights_iter"):
            weights = request.inputs[name]
            weights.data = [Fraction(0)] * len(weights.data)
            for o in range(size if name == "weights_layer" else 0):
                for i in rng.sample(range(size), 2):
                    weights[0, 0, i, 0, o] = exact(-20)
        request.attributes.pop("diff_weights_overwrite", None)
        for name in [name for name in request.inputs if name.startswith("diff_weights")]:
            del request.inputs[name]
        forward = dict(request.document())
        forward["attributes"] = dict(request.attributes, propagation="forward_inference")
        forward["inputs"] = {
            name: t for name, t in forward["inputs"].items() if not name.startswith("diff")
        }
        for answer, name in zip(
            evaluate([forward, request.document()], "--bounds"), ("dst_layer", "diff_weights_layer")
        ):
            out = answer["outputs"][name]
            single = [low == high for low, high in zip(out["lower"], out["upper"])]
            if not all(single) if out["dtype"] == "f32" else sum(single) < 0.9 * len(single):
                return f"{dtype} {name}: {sum(single)} of {len(single)} admit one value"
            failure, _ = outside(answer, name, numbers(answer, name))
            if failure:
                return f"{dtype}: {failure}"
    return None


def quantised(rng):
    """The reference's own integers lie inside, under both allowed readings; most elements admit
    one value alone."""
    alone = total = 0
    for dtype, cell, direction in (
        [("u8", "lstm", d) for d in DIRECTIONS]
        + [("u8", "gru", d) for d in DIRECTIONS]
        + [("i8", "lstm", d) for d in DIRECTIONS]
    ):
        request = Request(
            rng, cell, direction, dtype=dtype, T=3, N=2, DHC=9, SLC=9, projection=False
        )
        request.profile, folded = {}, dict(request.document(), profile={"int8_bias": "folded"})
        plain, other = evaluate([request.document(), folded], "--bounds")
        for name in plain["outputs"]:
            for answer in (plain, other):
                failure, _ = outside(plain, name, numbers(answer, name))
                if failure:
                    return f"{request.attributes}: {failure}"
            if plain["outputs"][name]["dtype"] in ("u8", "i8"):
                pairs = list(zip(numbers(plain, name, "lower"), numbers(plain, name, "upper")))
                alone, total = alone + sum(low == high for low, high in pairs), total + len(pairs)
    return None if alone > 0.9 * total else f"only {alone} of {total} elements admit one value"


def declared_models(rng):
    """Implementations of each model inside the bounds of that model; and some of each wider one
    outside the standard bounds."""
    wider = [
        {"tanh_ulps": 40, "logistic_ulps": 40},
        {"activation_absolute": 1e-5},
        {"accumulator": "bf16_products"},
        {"gates": "state"},
        {"states": "wide"},
    ]
    for model in wider + [{"accumulator": "f64"}, {"fused": "always"}, {"fused": "never"}]:
        types = ("bf16", "f16") if {"gates", "states"} & set(model) else ("f32", "bf16")
        failure, _ = implementations(rng, DECLARED_PAIRS, model, types=types)
        report(f"implementations that declare {model} lie inside its bounds", failure)
    for model in [m for m in wider if "states" not in m]:
        types = ("bf16",) if "gates" in model else ("f32",)
        outside_standard = False
        for _ in range(12):
            request = random_request(rng, types=types, propagations=("forward_inference",))
            answer = evaluate([request.document()], "--bounds")[0]
            outputs = Implementation(request, rng, model).run()
            outside_standard = outside_standard or any(
                outside(answer, name, [k.value for k in tensor.data])[0]
                for name, tensor in outputs.items()
            )
        report(
            f"{model} is seen by the standard bounds",
            None if outside_standard else "nothing left them",
        )
    widths = {}
    request = Request(
        rng,
        "lstm",
        "left2right",
        "forward_inference",
        "f32",
        T=2,
        N=2,
        L=1,
        SLC=40,
        DHC=40,
        projection=False,
    )
    for name, model in (
        ("standard", {}),
        ("f64", {"accumulator": "f64"}),
        ("fused", {"fused": "always"}),
    ):
        answer = evaluate([dict(request.document(), model=model)], "--bounds")[0]
        widths[name] = sum(high - low for low, high in zip(numbers(answer, "dst_iter_c", "lower"),
                                                           numbers(answer, "dst_iter_c", "upper")))
    failure = (
        None
        if widths["f64"] < widths["fused"] < widths["standard"]
        else str({k: float(v) for k, v in widths.items()})
    )
    report("a declared f64 accumulator is held to narrower bounds, and so is fusing", failure)
    bad = [{"accumulator": "f8"}, {"tanh_ulps": -1}, {"tanh": 1}, {"flush": 2}]
    answers = evaluate([dict(request.document(), model=m) for m in bad])
    report(
        "a model that cannot be read is refused",
        None if all("error" in a for a in answers) else str(answers)[:200],
    )
    others = [{"accumulator": "f16"}, {"dot": "bf16_bf16_f32_x3"}, {"additions": "truncated"},
              {"intermediates": "narrow"}]
    answers = evaluate([dict(request.document(), model=m) for m in others], "--bounds")
    report(
        "bounds under what only declared operators know are refused",
        None if all("declared operators" in str(a) for a in answers) else str(answers)[:200],
    )


def upward(pairs):
    """How much larger than the sum of the products of these magnitudes, 256 at most, one of rounded
    integers may be (ref/num/product/upward.h)."""
    left, right = (max(side) / 2**10 for side in zip(*pairs))
    return sum(left * b + a * right + left * right for a, b in pairs)


SIZE = 256


def linear(rng):
    """Large sums and nothing else: h is z. The first step has exact operands and no recurrent
    ones, the second one intervals."""
    request = Request(
        rng,
        "vanilla_rnn",
        "left2right",
        "forward_inference",
        T=2,
        N=2,
        L=1,
        SLC=SIZE,
        DHC=SIZE,
        scale=0.05,
        activation="relu",
        optional=lambda: True,
    )
    request.attributes["alpha"] = 1.0
    del request.inputs["src_iter"], request.types["src_iter"]
    for i in range(SIZE):  # column 0: h is next to nothing there
        for name in ("weights_layer", "weights_iter"):
            weights = request.inputs[name].data
            weights[i * SIZE] = (weights[i * SIZE] or 1) / 2**70
    request.inputs["bias"].data[0] = Fraction(1, 2**70)
    return request


def bounds_with(request, factor):
    """Bounds where the recurrent weights of the first channel are `factor` times themselves; what
    that adds to any result but the first is far below its last digit."""
    weights = request.inputs["weights_iter"].data
    kept = weights[1:SIZE]
    weights[1:SIZE] = [factor * weight for weight in kept]
    answer = evaluate([request.document()], "--bounds")[0]
    weights[1:SIZE] = kept
    return [
        list(zip(*(numbers(answer, name, key) for key in ("bits", "lower", "upper"))))
        for name in answer["outputs"]
    ]


def too_wide(wide, narrow, radius):
    """Ends are rounded to f32 twice: by half an ulp of the larger end each."""
    (_, lower, upper), (_, narrow_lower, narrow_upper) = wide, narrow
    if lower > narrow_lower or upper < narrow_upper:
        return (
            f"[{float(lower)}, {float(upper)}] does not hold "
            f"[{float(narrow_lower)}, {float(narrow_upper)}]"
        )
    ulp = max(abs(lower), abs(upper)) / 2 ** 23
    if upper - lower > 2 * radius((narrow_upper - narrow_lower + ulp) / 2) + ulp:
        return (
            f"[{float(lower)}, {float(upper)}] is too wide for "
            f"[{float(narrow_lower)}, {float(narrow_upper)}]"
        )
    return None


def widths(request, states, row, column):
    """The magnitudes whose products are summed in the second step: what the left side holds, of the
    interval of each state, and the weights, both of x and of h."""
    factor = Fraction(2 * SIZE + 1, 2**24) * (1 + Fraction(1, 2**20))
    x = request.inputs["src_layer"].data[(2 + row) * SIZE : (3 + row) * SIZE]
    left = [
        factor * max(abs(lower), abs(upper)) + (upper - lower) / 2
        + abs(value - (lower + upper) / 2)
        for value, lower, upper in states[row * SIZE : (row + 1) * SIZE]
    ]
    weights = [
        [abs(weight) for weight in request.inputs[name].data[column::SIZE]]
        for name in ("weights_layer", "weights_iter")
    ]
    return [
        list(zip([factor * abs(number) for number in x], weights[0])),
        list(zip(left, weights[1])),
    ]


def integers(rng):
    """Large sums of magnitudes are rounded upward in integers, unless a weight is so large that the
    others would be next to nothing beside it: a radius is then as much narrower."""
    request, wider = linear(rng), 0
    wides, narrows = bounds_with(request, 1)[0], bounds_with(request, 2**10)[0]
    for k, (wide, narrow) in enumerate(zip(wides, narrows)):
        row, column = divmod(k % (2 * SIZE), SIZE)
        if k < 2 * SIZE:
            failure = None if wide == narrow else "the first step differs"
        elif column:
            more = upward(widths(request, wides, row, column)[1])
            failure = too_wide(wide, narrow, lambda radius: radius + more)
        if failure:
            return failure
        wider += wide != narrow
    return None if wider > SIZE else f"only {wider} ends differ"


def instruction_sets(rng):
    """Bounds of large sums are the same bits whether the machine multiplies and adds in one step
    or in two."""
    request, answers = linear(rng), []
    chosen = os.environ.get("ASSAY_ISA", "")
    for isa in ("scalar", chosen):
        os.environ["ASSAY_ISA"] = isa
        answers += evaluate([request.document()], "--bounds")
    return None if answers[0] == answers[1] else "instruction sets differ"


def around_values(rng):
    """Values serve as middles, unless columns differ in how many weights are not 0: a radius
    then lacks the way from the middles."""
    request, wider, size = linear(rng), 0, SIZE
    weights = request.inputs["weights_iter"].data
    wides = bounds_with(request, 1)
    weights[0] = Fraction(0)
    narrows = bounds_with(request, 1)
    states = wides[0][:2 * size]  # of the first step
    for k, (wide, narrow) in enumerate(zip(wides[0], narrows[0])):
        row, column = divmod(k % (2 * size), size)
        away = (
            sum(
                abs(weights[i * size + column] * (value - (lower + upper) / 2))
                for i, (value, lower, upper) in enumerate(states[row * size : (row + 1) * size])
            )
            + abs(wide[0]) / 2**24
        )
        if k < 2 * size:
            failure = None if wide == narrow else "the first step differs"
        elif column:  # the first one has a leaf less
            more = away + sum(map(upward, widths(request, states, row, column)))
            failure = too_wide(wide, narrow, lambda radius: radius + more)
        if failure:
            return failure
        wider += wide != narrow
    return None if wider else "no end differs"


def gradients_around_values(rng):
    """Bounds of a single step do not depend on what was observed, but then have no values beside
    them: gradients' bounds around values hold those, and are at most 2 % wider."""
    for cell in ("gru", "lbr_gru") if PAIRS >= 2000 else ("gru",):
        request = Request(rng, cell, "left2right", "backward", "f32", T=1, N=260, L=1, SLC=128,
                          DHC=128, scale=0.08)
        steps = Request(rng, cell, "left2right", "forward_training", "f32", T=1, N=1)
        steps.attributes = {k: v for k, v in request.attributes.items() if "diff" not in k}
        steps.attributes["propagation"] = "forward_training"
        steps.inputs = {k: v for k, v in request.inputs.items() if "diff" not in k}
        steps.types = request.types
        state = evaluate([steps.document()])[0]["outputs"]["dst_layer"]
        document = request.document()
        narrow = evaluate([dict(document, observed={"dst_layer": state})], "--bounds")[0]
        wide = evaluate([document], "--bounds")[0]
        wider = 0
        for name in wide["outputs"]:
            ends = [numbers(a, name, k) for a in (narrow, wide) for k in ("lower", "upper")]
            for low, high, below, above in zip(*ends):
                ulp = max(abs(low), abs(high)) / 2**23
                if not below <= low <= high <= above:
                    return f"{cell} {name}: [{below}, {above}] does not hold [{low}, {high}]"
                if above - below > (high - low) * Fraction(102, 100) + 2 * ulp:
                    return f"{cell} {name}: {float(above - below)} for {float(high - low)}"
                wider += above - below > high - low
        if not wider:
            return f"{cell}: no end differs"
    return None


def large(rng):
    """Conforming implementations of sums so large that values serve as middles; the values are
    those without bounds."""
    cells = sorted(GATES) if PAIRS >= 2000 else ["vanilla_rnn"]  # the others take a minute each
    for cell, dtype in itertools.product(cells, ("f32", "bf16") if PAIRS >= 2000 else ("f32",)):
        request = Request(
            rng,
            cell,
            "left2right",
            "forward_inference",
            dtype,
            T=3,
            N=1,
            L=1,
            SLC=256,
            DHC=256,
            scale=0.08,
            projection=False,
        )
        plain, answer = (
            evaluate([request.document()])[0],
            evaluate([request.document()], "--bounds")[0],
        )
        outputs = Implementation(request, rng, {}).run()
        for name, tensor in outputs.items():
            failure, _ = outside(answer, name, [k.value for k in tensor.data])
            if failure or numbers(plain, name) != numbers(answer, name):
                return f"{request.attributes} {dtype}: {failure or 'other values'}"
    return None


def main():
    rng = random.Random(9)
    report("the reference and binary64 lie inside, every cell and direction", reference_itself(rng))
    report("exact data admit one value", exact_grid(rng))
    report("sums of two exact products admit one value", exact_pairs(rng))
    report("quantised outputs admit their own integers", quantised(rng))
    report("sums in integers widen a radius by no more than they may", integers(rng))
    report("large sums have the same bounds on every instruction set", instruction_sets(rng))
    report("values as middles widen a radius by no more than they may", around_values(rng))
    report("gradients around values hold those without", gradients_around_values(rng))
    report("implementations of large sums lie inside", large(rng))
    declared_models(rng)
    failure, used = implementations(rng, PAIRS, {}, propagations=PROPAGATIONS)
    report(f"{PAIRS} pairs of a random conforming implementation and a case lie inside", failure)
    print(f"# of the radius, {shares(used)}")
    finish()


main()
