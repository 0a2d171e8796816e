# SPDX-License-Identifier: Apache-2.0
"""Which values of two features of an RNN request are together in no case of a suite.

A feature is what a request is made of: a cell, a type, a tensor that is given or absent, a size
below or beyond a bound. Two values can stand together where the reference accepts a request that
has both; it is asked for every completion by the other features that its rules speak of. Of the
features in TRIPLED every three values are looked at.
"""

import itertools
import json
import os
import subprocess

CELLS = {"relu": ("vanilla_rnn", "relu", 0), "leaky": ("vanilla_rnn", "relu", 0.5),
         "tanh": ("vanilla_rnn", "tanh", 0), "logistic": ("vanilla_rnn", "logistic", 0),
         "lstm": ("lstm",), "gru": ("gru",), "lbr_gru": ("lbr_gru",), "augru": ("augru",),
         "lbr_augru": ("lbr_augru",)}
GATES = {"vanilla_rnn": (1, 1), "lstm": (4, 4), "gru": (3, 3), "lbr_gru": (3, 4), "augru": (3, 3),
         "lbr_augru": (3, 4)}
DIRECTIONS = ("left2right", "right2left", "bidirectional_concat", "bidirectional_sum")
QUANTISED = {"u8": (60.5, 100.0), "i8": (55.25, 0.0)}  # scale and shift of the data
GIVEN = ("absent", "given")

# The largest sizes that the suites had before the cases of this array: T, N, DHC.
LARGEST = {"onednn.rnn": (64, 33, 128), "onednn.rnn.backward": (16, 31, 33)}
WIDE = 16  # DHC beyond this is wide
# A DHC beyond all: the golden vectors keep square matrices of this size as digests.
WIDEST = 257

COMMON = {
    "cell": tuple(CELLS),
    "direction": DIRECTIONS,
    "layers": ("1", "2", "3", "beyond"),
    "times": ("0", "1", "some", "beyond"),
    "batch": ("0", "1", "some", "beyond"),
    "width": ("usual", "wide", "beyond"),
    "source": ("fewer", "equal", "more"),  # channels of src_layer beside DHC
    "bias": ("absent", "f32", "narrow"),
    "c": ("none", "f32", "narrow"),
    "peephole": GIVEN,
    "projection": GIVEN,
}
AXES = {
    "onednn.rnn": COMMON | {
        "type": ("f32", "bf16", "f16", "u8", "i8"),
        "propagation": ("forward_inference", "forward_training"),
        "states": ("absent", "data", "f32"),
        "output": ("data", "f32"),  # dst_layer_type
        "scales": ("none", "one", "many"),
        "projection_scales": ("none", "one", "many"),
    },
    "onednn.rnn.backward": COMMON | {
        "type": ("f32", "bf16", "f16"),
        "propagation": ("backward",),
        "states": ("absent", "data"),
        "diff_iter": GIVEN,
        "diff_iter_c": GIVEN,
        "initial": GIVEN,  # diff_weights_layer and the other gradients to add to
        "overwrite": ("false", "true"),
    },
}
# A pair is completed by every cell and type, and by what asks for least of all others: what is
# optional is absent, unless the pair itself needs it. No rule forbids to leave it out.
LEAST = {"direction": "left2right", "layers": "1", "times": "1", "batch": "1", "width": "usual",
         "source": "equal", "bias": "absent", "peephole": "absent", "output": "data",
         "scales": "none", "projection_scales": "none", "diff_iter": "absent", "states": "absent",
         "diff_iter_c": "absent", "initial": "absent", "overwrite": "false",
         "propagation": "forward_inference"}
TRIPLED = {"onednn.rnn": ("cell", "direction", "propagation", "layers", "states", "bias",
                          "peephole", "projection"),
           "onednn.rnn.backward": ()}
# In triples these values count as one.
COARSE = {("layers", "2"): "more", ("layers", "3"): "more", ("layers", "beyond"): "more",
          ("bias", "f32"): "given", ("bias", "narrow"): "given", ("states", "data"): "given",
          ("states", "f32"): "given", ("direction", "bidirectional_concat"): "two",
          ("direction", "bidirectional_sum"): "two", ("cell", "leaky"): "relu",
          ("cell", "logistic"): "tanh"}
FINE = {("layers", "more"): "2", ("bias", "given"): "f32", ("states", "given"): "data",
        ("direction", "two"): "bidirectional_concat"}


def size_class(size, largest):
    return str(size) if size < 2 else "some" if size <= largest else "beyond"


def features(suite, request):
    """The value of each feature of a request of that suite."""
    attributes, inputs = request.get("attributes", {}), request["inputs"]
    largest = LARGEST[suite]
    kind = inputs["src_layer"]["dtype"]
    times, batch, source = inputs["src_layer"]["shape"]
    layers, _, _, _, width = inputs["weights_layer"]["shape"]
    cell = attributes["cell"]
    if cell == "vanilla_rnn":
        cell = attributes["activation"]
        cell = "leaky" if cell == "relu" and float(attributes.get("alpha", 0)) else cell
    of = {
        "cell": cell,
        "type": kind,
        "direction": attributes.get("direction", DIRECTIONS[0]),
        "propagation": attributes.get("propagation", "forward_inference"),
        "layers": str(layers) if layers < 4 else "beyond",
        "times": size_class(times, largest[0]),
        "batch": size_class(batch, largest[1]),
        "width": "usual" if width <= WIDE else "wide" if width <= largest[2] else "beyond",
        "source": ("fewer", "equal", "more")[(source > width) - (source < width) + 1],
        "bias": ("absent" if "bias" not in inputs else
                 "f32" if inputs["bias"]["dtype"] == "f32" else "narrow"),
        "states": ("absent" if "src_iter" not in inputs else
                   "data" if inputs["src_iter"]["dtype"] == kind else "f32"),
        "peephole": GIVEN["weights_peephole" in inputs],
        "projection": GIVEN["weights_projection" in inputs],
        "output": "data" if attributes.get("dst_layer_type", kind) == kind else "f32",
        "diff_iter": GIVEN["diff_dst_iter" in inputs],
        "diff_iter_c": GIVEN["diff_dst_iter_c" in inputs],
        "initial": GIVEN["diff_weights_layer" in inputs],
        "overwrite": str(attributes.get("diff_weights_overwrite", "false")).lower(),
    }
    c = attributes.get("dst_iter_c_type", inputs.get("src_iter_c", {"dtype": "f32"})["dtype"])
    told = cell == "lstm" or "src_iter_c" in inputs or "dst_iter_c_type" in attributes
    of["c"] = "none" if not told else "f32" if c == "f32" else "narrow"
    for name in ("scales", "projection_scales"):
        key = "weights_" + name if name == "scales" else name
        given = attributes.get(key)
        mask = int(attributes.get(key + "_mask", 0))
        of[name] = "many" if mask else "none" if given is None else "one"
    return {axis: of[axis] for axis in AXES[suite]}


def sizes(suite, of):
    """T, N, L, D, SLC, SIC, DHC, DIC of a request that has these values."""
    largest = LARGEST[suite]
    times, batch = ({"0": 0, "1": 1, "some": some, "beyond": most + 1}[of[axis]]
                    for axis, some, most in (("times", 2, largest[0]), ("batch", 3, largest[1])))
    layers = 4 if of["layers"] == "beyond" else int(of["layers"])
    width = {"usual": 3, "wide": WIDE + 1, "beyond": WIDEST}[of["width"]]
    source = {"fewer": 2, "equal": width, "more": width + 2}[of["source"]]
    out = width if of["projection"] == "absent" else source if layers > 1 else 2
    directions = 1 + of["direction"].startswith("bidirectional")
    return times, batch, layers, directions, source, out, width, out


def build(suite, of):
    """A request that has these values; one that cannot be is refused by the reference."""
    t, n, layers, d, slc, sic, dhc, dic = sizes(suite, of)
    cell, *activation = CELLS[of["cell"]]
    gates, rows = GATES[cell]
    kind = of["type"]
    quantised = kind in QUANTISED
    narrow = kind if kind in ("bf16", "f16") else "bf16"
    weights = "i8" if quantised else kind
    attributes = {"cell": cell, "direction": of["direction"], "propagation": of["propagation"]}
    if activation:
        attributes |= {"activation": activation[0], "alpha": activation[1]}
    inputs = {"src_layer": (kind, t, n, slc),
              "weights_layer": (weights, layers, d, slc, gates, dhc),
              "weights_iter": (weights, layers, d, sic, gates, dhc)}
    c = {"none": None, "f32": "f32", "narrow": narrow}[of["c"]]
    if of["states"] != "absent":
        inputs["src_iter"] = (kind if of["states"] == "data" else "f32", layers, d, n, sic)
        if c:
            inputs["src_iter_c"] = (c, layers, d, n, dhc)
    if c and (c != "f32" or cell != "lstm"):
        attributes["dst_iter_c_type"] = c
    if cell in ("augru", "lbr_augru"):
        inputs["attention"] = (kind, t, n, 1)
    if of["bias"] != "absent":
        inputs["bias"] = ("f32" if of["bias"] == "f32" else narrow, layers, d, rows, dhc)
    if of["peephole"] == "given":
        inputs["weights_peephole"] = ("f32", layers, d, 3, dhc)
    if of["projection"] == "given":
        inputs["weights_projection"] = (weights, layers, d, dhc, dic)
    if of.get("output") == "f32":
        attributes["dst_layer_type"] = "f32"
    if quantised:
        attributes |= {"data_scale": QUANTISED[kind][0], "data_shift": QUANTISED[kind][1]}
    for name, count, mask in (("scales", gates * dhc, 24), ("projection_scales", dic, 8)):
        key = "weights_" + name if name == "scales" else name
        if of.get(name, "none") != "none":
            attributes[key] = [90.5 + i % 40 for i in range(count if of[name] == "many" else 1)]
            attributes[key + "_mask"] = mask if of[name] == "many" else 0
    if of["propagation"] == "backward":
        width = dic * 2 if of["direction"] == "bidirectional_concat" else dic
        inputs["diff_dst_layer"] = ("f32", t, n, width)
        if of["diff_iter"] == "given":
            inputs["diff_dst_iter"] = ("f32", layers, d, n, dic)
        if of["diff_iter_c"] == "given":
            inputs["diff_dst_iter_c"] = ("f32", layers, d, n, dhc)
        for name in ("weights_layer", "weights_iter", "weights_peephole", "weights_projection",
                     "bias"):
            if of["initial"] == "given" and name in inputs:
                inputs["diff_" + name] = ("f32", *inputs[name][1:])
        attributes["diff_weights_overwrite"] = of["overwrite"] == "true"
    return {"op": "onednn.rnn", "attributes": attributes,
            "inputs": {name: {"dtype": dtype, "shape": shape}
                       for name, (dtype, *shape) in inputs.items()}}


def small(of):
    """The same request with sizes that cost nothing: the rules do not know them."""
    return of | {axis: "1" for axis in ("times", "batch") if of[axis] in ("some", "beyond")} | (
        {"layers": "2"} if of["layers"] in ("3", "beyond") else {}) | {"width": "usual"}


class Reference:
    """Says which requests the reference accepts; each is asked for once."""

    def __init__(self, suite, build_folder):
        self.suite, self.tool = suite, os.path.join(build_folder, "assay")
        self.known = {}

    def key(self, of):
        return tuple(small(of)[axis] for axis in AXES[self.suite])

    def ask(self, assignments):
        """Has the reference look at all of these at once."""
        cases, keys = [], []
        for of in assignments:
            key = self.key(of)
            if key in self.known:
                continue
            request = build(self.suite, small(of))
            if features(self.suite, request) != small(of):
                self.known[key] = False  # there is no way to say it
                continue
            self.known[key] = None
            keys.append(key)
            cases.append(request | {"id": str(len(cases)), "inputs": {
                name: tensor | {"fill": "cycle", "values": [0], "as": "pairs"}
                for name, tensor in request["inputs"].items()}})
        if not cases:
            return
        run = subprocess.run([self.tool, "eval", "-"], input=json.dumps({"cases": cases}),
                             capture_output=True, text=True)
        answer = run.stdout.splitlines()
        assert len(answer) == len(cases), f"one answer for each request, not {run.stderr[:300]}"
        for key, line in zip(keys, answer):
            self.known[key] = "outputs" in json.loads(line)

    def accepts(self, of):
        return self.known[self.key(of)]


def tuples(suite, of):
    """The pairs and triples of values that a request shows together. Of one without time or batch
    nothing is seen but that.
    """
    empty = [axis for axis in ("times", "batch") if of[axis] == "0"]
    for a, b in itertools.combinations(of, 2):
        if not empty or a in empty or b in empty:
            yield (a, of[a]), (b, of[b])
    if not empty:
        for axes in itertools.combinations(TRIPLED[suite], 3):
            yield tuple((axis, COARSE.get((axis, of[axis]), of[axis])) for axis in axes)


def wanted(suite):
    """Every pair, and every triple of the features in TRIPLED."""
    axes = AXES[suite]
    result = set()
    for a, b in itertools.combinations(axes, 2):
        result |= set(itertools.product([(a, v) for v in axes[a]], [(b, v) for v in axes[b]]))
    for chosen in itertools.combinations(TRIPLED[suite], 3):
        values = [sorted({(axis, COARSE.get((axis, v), v)) for v in axes[axis]}) for axis in chosen]
        result |= set(itertools.product(*values))
    return result


def met(suite, folder="vectors/golden", left_out="-"):
    """What some case of the suite has that computes the whole of a request; `left_out` is how the
    ids of others begin.
    """
    result = set()
    with open(os.path.join(folder, suite + ".jsonl")) as manifest:
        next(manifest)
        for line in manifest:
            case = json.loads(line)
            if ("reject" not in case and "step" not in case and case["op"] == "onednn.rnn" and
                    not case["id"].startswith(left_out)):
                of = features(suite, case)
                if all(of[axis] in values for axis, values in AXES[suite].items()):
                    result |= set(tuples(suite, of))
    return result


def fine(item):
    """The values of a tuple in the words of the axes."""
    return {axis: FINE.get((axis, value), value) for axis, value in item}


def completions(suite, item):
    """Requests with these values, one for each cell and type."""
    fixed, axes = fine(item), AXES[suite]
    for cell, kind in itertools.product(axes["cell"], axes["type"]):
        of = {axis: LEAST.get(axis) for axis in axes} | {"cell": cell, "type": kind}
        of["propagation"] = axes["propagation"][0]
        of |= fixed
        needed = (of.get("projection_scales", "none") != "none" or
                  (of["layers"] != "1" and of["source"] != "equal"))
        yield of | {"c": fixed.get("c", "f32" if of["cell"] == "lstm" else "none"),
                    "projection": fixed.get("projection", GIVEN[needed])}


def can_stand(reference, items):
    """Those of `items` for which the reference accepts a completion."""
    refused, result = set(), set()
    for item in sorted(items, key=lambda item: (len(item), item)):
        if any(pair in refused for pair in itertools.combinations(item, 2)):
            continue
        asked = list(completions(reference.suite, item))
        reference.ask(asked)
        if any(reference.accepts(of) for of in asked):
            result.add(item)
        else:
            refused.add(item)
    return result
