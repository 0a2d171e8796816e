# SPDX-License-Identifier: Apache-2.0
"""Which values of two features of a request are together in no case: OpenVINO's RandomUniform and
Range, DirectML's generator, and the operations of jax.random. pairs.py has the RNN.

A feature is what a request is made of: a type, a seed of one word or two, a rank. RULES says by
name which values cannot stand together; the reference is asked whether they are these and no
others.
"""

import itertools
import json
import os
import struct
from fractions import Fraction

FLOATS = {"f16": (11, 15), "bf16": (8, 127), "f32": (24, 127), "f64": (53, 1023)}
INTEGERS = {f"{sign}{bits}": (sign == "i", bits) for sign in "iu" for bits in (8, 16, 32, 64)}
FLOATS8 = {"f8e4m3": 3, "f8e5m2": 2}  # bits of the fraction
NUMBERS = (*INTEGERS, *FLOATS, *FLOATS8)
SIGNS = ("negative", "zero", "positive")
RANKS = ("0", "1", "2", "more")
COUNTS = ("0", "1", "odd", "even")
SHAPES = {("0", "1"): [], ("1", "0"): [0], ("1", "1"): [1], ("1", "odd"): [7], ("1", "even"): [6],
          ("2", "0"): [3, 0], ("2", "1"): [1, 1], ("2", "odd"): [3, 5], ("2", "even"): [2, 3],
          ("more", "0"): [2, 0, 3], ("more", "1"): [1, 1, 1], ("more", "odd"): [3, 1, 3],
          ("more", "even"): [2, 1, 2, 2]}
KEYS = {"threefry2x32": 2, "threefry4x32": 4, "philox2x32": 1, "philox4x32": 2, "rbg": 4,
        "unsafe_rbg": 4}
TRUTH = ("false", "true")


# ---- values -----------------------------------------------------------------

def number_of_8_bits(code, dtype):
    sign, code, bits = -1.0 if code & 0x80 else 1.0, code & 0x7f, FLOATS8[dtype]
    field, rest = code >> bits, code & (1 << bits) - 1
    if dtype == "f8e4m3" and code == 0x7f or dtype == "f8e5m2" and field == 31:
        return float("nan") if rest else sign * float("inf")
    bias = (1 << 6 - bits) - 1
    return sign * (rest + (field > 0) * 2 ** bits) * 2.0 ** (max(field, 1) - bias - bits)


def number(bits, dtype):
    raw = bytes.fromhex(bits)
    if dtype in FLOATS8:
        return number_of_8_bits(raw[0], dtype)
    if dtype in FLOATS:
        raw += b"\0\0" if dtype == "bf16" else b""
        return struct.unpack({2: ">e", 4: ">f", 8: ">d"}[len(raw)], raw)[0]
    return int.from_bytes(raw, "big", signed=dtype.startswith("i"))


def elements(tensor):
    """Of a case in a manifest, or of a request that was built here."""
    if "bits" in tensor:
        return [number(k, tensor["dtype"]) for k in tensor["bits"]]
    return tensor["data"] if isinstance(tensor["data"], list) else [tensor["data"]]


def sizes_of(tensor):
    if "shape" in tensor:
        return tensor["shape"]
    return [len(tensor["data"])] if isinstance(tensor["data"], list) else []


def scalar(case, name):
    return elements(case["inputs"][name])[0]


def sign(x):
    return SIGNS[(x > 0) - (x < 0) + 1]


def lowered(value):
    return str(value).lower()


def product(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


def shape_features(sizes):
    count = product(sizes)
    return {"rank": str(len(sizes)) if len(sizes) < 3 else "more",
            "count": str(count) if count < 2 else "odd" if count % 2 else "even"}


def shape_rule(of):
    return "a scalar has one element" if of["rank"] == "0" and of["count"] != "1" else None


def typed(dtype, data, shape=None):
    shape = {} if shape is None else {"shape": shape}
    return {"dtype": dtype, **shape, "data": data}


class Space:
    """One operation: its features, which of them cannot stand together, and a request that has
    given ones."""

    def __init__(self, suite, op, axes, features, build, rule=lambda of: None):
        self.suite, self.op, self.axes = suite, op, axes
        self.features, self.build, self.rule = features, build, rule

    def request(self, of):
        attributes, inputs = self.build(of)
        attributes = {k: v for k, v in attributes.items() if v is not None}
        return {"op": self.op, "attributes": attributes, "inputs": inputs}

    def pairs(self):
        for a, b in itertools.combinations(self.axes, 2):
            for x, y in itertools.product(self.axes[a], self.axes[b]):
                yield (a, x), (b, y)

    def shows(self, of):
        """Pairs that a case with this assignment holds a target to. An empty answer is right
        whatever becomes of all but its emptiness."""
        empty = of.get("count") == "0"
        return {pair for pair in itertools.combinations([(axis, of[axis]) for axis in self.axes], 2)
                if not empty or ("count", "0") in pair}

    def can_stand(self, pair, rng):
        """An assignment that shows this pair and that no rule forbids, None where there is
        none."""
        fixed = dict(pair)
        for _ in range(400):
            of = {axis: fixed.get(axis) or rng.choice(values) for axis, values in self.axes.items()}
            if not self.rule(of) and pair in self.shows(of):
                return of
        free = [axis for axis in self.axes if axis not in fixed]
        for values in itertools.product(*(self.axes[axis] for axis in free)):
            of = fixed | dict(zip(free, values))
            if not self.rule(of) and pair in self.shows(of):
                return of
        return None

    def met(self, folder="vectors/golden", left_out="-"):
        """Pairs that some case which has an answer shows."""
        result = set()
        with open(os.path.join(folder, self.suite + ".jsonl")) as manifest:
            next(manifest)
            for line in manifest:
                case = json.loads(line)
                if (case["op"] == self.op and not {"reject", "survive", "level"} & case.keys() and
                        not case["id"].startswith(left_out)):
                    result |= self.shows(self.features(case))
        return result


# ---- openvino.random_uniform --------------------------------------------------

UNIFORM_TYPES = ("f32", "f16", "bf16", "f64", "i32", "i64")


def most(dtype):
    """The largest power of two of the type; of integers a quarter of their range."""
    return 2.0 ** FLOATS[dtype][1] if dtype in FLOATS else 2 ** (INTEGERS[dtype][1] - 2)


def width(dtype, low, high):
    size = Fraction(high) - Fraction(low)
    if size >= Fraction(most(dtype)) / 2:
        return "wide"
    if size == 1:
        return "one"
    power = size.numerator & (size.numerator - 1) == 0 == size.denominator & (size.denominator - 1)
    return "power" if power else "other"


def seed_class(seed):
    return "0" if seed == 0 else "word" if 0 < seed < 2 ** 32 else "words"


def uniform_features(case):
    a, inputs = case.get("attributes", {}), case["inputs"]
    low, high = (scalar(case, name) for name in ("minval", "maxval"))
    shape = inputs["shape"]
    finite = abs(low) != float("inf") != abs(high)
    return shape_features(elements(shape)) | {
        "type": a["output_type"], "alignment": a.get("alignment", "tensorflow"),
        "global_seed": seed_class(a.get("global_seed", 0)),
        "op_seed": seed_class(a.get("op_seed", 0)), "shape_type": shape["dtype"],
        "low": sign(low), "high": sign(high),
        "width": width(a["output_type"], low, high) if finite else "infinite",
        "bounds": "lists" if sizes_of(inputs["minval"]) else "scalars"}


def uniform_rule(of):
    if SIGNS.index(of["low"]) > SIGNS.index(of["high"]) or of["low"] == of["high"] == "zero":
        return "minval is below maxval"
    if of["global_seed"] == of["op_seed"] == "0":
        return "two seeds of 0 ask for chance"
    if (of["type"] in INTEGERS and of["width"] == "one" and
            (of["low"], of["high"]) == ("negative", "positive")):
        return "no integer lies between -1 and 1 but 0"
    return shape_rule(of)


def uniform_build(of):
    kind = of["type"]
    whole = kind in INTEGERS
    size = {"one": 1, "power": 8, "other": 11, "wide": most(kind)}[of["width"]]
    low = {("negative", "negative"): -size - 1, ("negative", "zero"): -size,
           ("positive", "positive"): 1 if whole else size,
           ("negative", "positive"): -size // 2 if whole or size > 1 else -0.5}.get(
               (of["low"], of["high"]), 0)
    if not whole and of["width"] == "wide":  # numbers that all floats hold
        low = {"negative": -size, "zero": 0.0, "positive": size / 2}[of["low"]]
        if of["low"] == "negative":
            size *= {"negative": 0.5, "zero": 1, "positive": 1.5}[of["high"]]
    value = (lambda x: int(x)) if whole else float
    seeds = {"0": 0, "word": 77, "words": 2 ** 40 + 77}
    shape = SHAPES.get((of["rank"], of["count"]), [])
    bound = (lambda x: [value(x)]) if of["bounds"] == "lists" else value
    return ({"output_type": kind, "global_seed": seeds[of["global_seed"]],
             "op_seed": seeds[of["op_seed"]] * 3,
             "alignment": None if of["alignment"] == "tensorflow" else of["alignment"]},
            {"shape": typed(of["shape_type"], shape), "minval": typed(kind, bound(low)),
             "maxval": typed(kind, bound(low + size))})


# ---- openvino.range -------------------------------------------------------------

def range_features(case):
    start, stop, step = (scalar(case, name) for name in ("start", "stop", "step"))
    output = case["outputs"]["output"]["shape"][0] if "outputs" in case else 1000
    return {"type": case["attributes"]["output_type"],
            "start_type": case["inputs"]["start"]["dtype"],
            "stop_type": case["inputs"]["stop"]["dtype"],
            "step_type": case["inputs"]["step"]["dtype"],
            "start": sign(start), "step": "up" if step > 0 else "down",
            "stride": "one" if abs(step) == 1 else "more" if abs(step) > 1 else "less",
            "count": str(output) if output < 2 else "some" if output <= 16 else "many"}


def range_rule(of):
    start, stop = range_ends(of)
    if start < 0 and of["start_type"][0] == "u" or stop < 0 and of["stop_type"][0] == "u":
        return "an unsigned number is not negative"
    if of["step"] == "down" and of["step_type"][0] == "u":
        return "an unsigned step goes up"
    if of["stride"] == "less" and (of["step_type"] in INTEGERS or of["type"] in INTEGERS):
        return "an integral step is at least 1"
    if stop != int(stop) and of["stop_type"] in INTEGERS:
        return "an integral stop is whole"
    return None


def is_short(x):
    """Whether three bits hold the significand, as those of f8e5m2 do."""
    top = abs(Fraction(x)).numerator
    return not top or top // (top & -top) < 8


def range_ends(of):
    """Start and stop; every type that has their sign holds them, whole ones all that do."""
    start = {"negative": -2, "zero": 0, "positive": 2}[of["start"]]
    counts = {"0": (0,), "1": (1,), "some": range(6, 17), "many": range(20, 99)}[of["count"]]
    stops = [start + range_step(of) * count for count in counts]
    return start, next(stop for stop in stops
                       if is_short(stop) and (len(stops) == 1 or stop == int(stop)))


def range_step(of):
    size = {"one": 1, "more": 3, "less": 0.5}[of["stride"]]
    return -size if of["step"] == "down" else size


def range_build(of):
    start, stop = range_ends(of)
    value = lambda x, kind: int(x) if kind in INTEGERS else float(x)
    inputs = {"start": start, "stop": stop, "step": range_step(of)}
    return ({"output_type": of["type"]},
            {name: typed(of[name + "_type"], value(x, of[name + "_type"]))
             for name, x in inputs.items()})


# ---- directml.random_generator --------------------------------------------------

COUNTERS = {"zero": [0, 0, 0, 0], "small": [5, 6, 7, 8],
            "carry 1": [0xffffffff, 1, 2, 3], "carry 2": [0xffffffff, 0xffffffff, 2, 3],
            "carry 3": [0xffffffff, 0xffffffff, 0xffffffff, 3], "wraps": [0xffffffff] * 4}
DIRECTML_COUNTS = {"1": 1, "2": 2, "3": 3, "4": 4, "more, 0 left": 8, "more, 1 left": 9,
                   "more, 2 left": 10, "more, 3 left": 11}


def directml_features(case):
    a, state = case["attributes"], case["inputs"]["input_state"]
    words = elements(state)
    carry = next((i for i, k in enumerate(words[:4]) if k != 0xffffffff), 4)
    if words[0] >= 0xffff0000 and not carry:
        carry = 1
    count = product(a["output_sizes"])
    rank = lambda sizes: str(len(sizes)) if len(sizes) < 5 else "more"
    level = a.get("feature_level")
    return {"state_rank": rank(sizes_of(state)), "rank": rank(a["output_sizes"]),
            "state": lowered(a.get("output_state", "false")),
            "state_sizes": "given" if "output_state_sizes" in a else "absent",
            "level": "absent" if level is None else "3" if level[0] == "3" else "more",
            "type": "given" if "output_type" in a else "absent",
            "generator": "given" if "type" in a else "absent",
            "count": str(count) if count < 5 else f"more, {count % 4} left",
            "counter": (f"carry {carry}" if carry in (1, 2, 3) else "wraps" if carry == 4 else
                        "small" if any(words[:4]) else "zero"),
            "key": "zero" if not any(words[4:]) else "low" if not words[5] else "both"}


def directml_rule(of):
    if of["level"] == "3" and not of["rank"] == of["state_rank"] == "4":
        return "below level 4.0 there are four dimensions"
    if of["state_sizes"] == "given" and of["state"] == "false":
        return "output_state_sizes without output_state"
    return None


def directml_build(of):
    rank = {"more": 6}
    sizes = lambda name: rank.get(of[name]) or int(of[name])
    state_shape = [1] * (sizes("state_rank") - 1) + [6]
    key = {"zero": [0, 0], "low": [9, 0], "both": [9, 0x80000001]}[of["key"]]
    given = lambda axis, value: value if of[axis] == "given" else None
    return ({"type": given("generator", "philox_4x32_10"), "output_type": given("type", "u32"),
             "output_sizes": [1] * (sizes("rank") - 1) + [DIRECTML_COUNTS[of["count"]]],
             "output_state": of["state"] == "true" or None,
             "output_state_sizes": given("state_sizes", state_shape),
             "feature_level": {"absent": None, "3": "3.1", "more": "5.0"}[of["level"]]},
            {"input_state": typed("u32", COUNTERS[of["counter"]] + key, state_shape)})


# ---- jax ------------------------------------------------------------------------

DRAWN = {"impl": tuple(KEYS), "partitionable": TRUTH, "rank": RANKS, "count": COUNTS}


def key_of(impl):
    return typed("u32", [3, 4, 5, 6][:KEYS[impl]])


def drawn_features(case, more):
    a = case.get("attributes", {})
    of = {"impl": a.get("impl", "threefry2x32"),
          "partitionable": lowered(a.get("partitionable", True))}
    return of | shape_features(a.get("shape", [])) | more(a, case)


def drawn_build(of, attributes, inputs):
    return ({"impl": of["impl"], "partitionable": of["partitionable"] == "true",
             "shape": SHAPES.get((of.get("rank"), of.get("count")))} | attributes,
            {"key": key_of(of["impl"])} | inputs)


def drawn(op, more, features, build=lambda of: ({}, {}), rule=lambda of: None, base=DRAWN):
    return Space("jax.random", op, base | more, lambda case: drawn_features(case, features),
                 lambda of: drawn_build(of, *build(of)),
                 lambda of: (shape_rule(of) if "rank" in of else None) or rule(of))


def simple(op, types, standard, **more):
    """An operation that draws numbers of a type, and has these words besides."""
    return drawn(op, {"dtype": types} | {axis: values for axis, (values, _) in more.items()},
                 lambda a, case: {"dtype": a.get("dtype", standard)} | {
                     axis: a.get(axis, default) for axis, (_, default) in more.items()},
                 lambda of: ({axis: of[axis] for axis in ("dtype", *more)}, {}))


BOUNDS = ("none", "minval", "maxval", "both")


def jax_uniform_features(a, case):
    given = [name for name in ("minval", "maxval") if name in case["inputs"]]
    return {"dtype": a.get("dtype", "f32"),
            "bounds": "both" if len(given) == 2 else given[0] if given else "none"}


def jax_uniform_build(of):
    values = {"minval": -1.5, "maxval": 2.5}
    return {"dtype": of["dtype"]}, {name: typed(of["dtype"], value)
                                    for name, value in values.items() if of["bounds"] in
                                    (name, "both")}


def probability(p):
    return "0" if p <= 0 else "1" if p >= 1 else "half" if p == 0.5 else "other"


def bernoulli_build(of):
    p = {"0": 0.0, "1": 1.0, "half": 0.5, "other": 0.3125}[of["p"]]
    return {"mode": of["mode"], "p_dtype": of["dtype"]}, {"p": typed(of["dtype"], p)}



def randint_features(a, case):
    low, high = scalar(case, "minval"), scalar(case, "maxval")
    span = high - low
    return {"dtype": a.get("dtype", "i32"), "x64": lowered(a.get("x64", False)),
            "low_type": case["inputs"]["minval"]["dtype"],
            "high_type": case["inputs"]["maxval"]["dtype"], "low": sign(low),
            "span": "empty" if span <= 0 else "other" if span & (span - 1) else "power"}


def randint_rule(of):
    if of["dtype"][1:] == "64" and of["x64"] == "false":
        return "64-bit integers need x64"
    if of["low"] == "negative" and of["low_type"][0] == "u":
        return "an unsigned number is not negative"
    low, high = randint_ends(of)
    if high < 0 and of["high_type"][0] == "u":
        return "an unsigned number is not negative"
    return None


def randint_ends(of):
    size = {"empty": 0, "power": 16, "other": 100}[of["span"]]
    low = {"negative": -10, "zero": 0, "positive": 5}[of["low"]]
    return low, low + size


def randint_build(of):
    low, high = randint_ends(of)
    return ({"dtype": of["dtype"], "x64": of["x64"] == "true"},
            {"minval": typed(of["low_type"], low), "maxval": typed(of["high_type"], high)})


AXIS = ("first", "last", "middle")
POPULATIONS = {"number": None, "0": [0], "1": [7], "2": [3, 4], "3": [2, 3, 4]}


def axis_features(a, population):
    """How a population of numbers 0 to n, or of an array's rows, is drawn from."""
    shape = sizes_of(population)
    axis = int(a.get("axis", 0)) % max(len(shape), 1)
    of = "number" if not shape else "0" if 0 in shape else str(min(len(shape), 3))
    return {"of": of, "of_type": population["dtype"],
            "axis": "first" if axis == 0 else "last" if axis == len(shape) - 1 else "middle"}


def axis_rule(of):
    if of["axis"] == "last" and of["of"] not in ("2", "3"):
        return "what has one dimension has one axis"
    if of["axis"] == "middle" and of["of"] != "3":
        return "a middle axis is of three or more dimensions"
    if of["of"] == "number" and of["of_type"] != "i32":
        return "a number of elements is an i32"
    return None


def population_of(of, name):
    shape, kind = POPULATIONS[of["of"]], of["of_type"]
    if shape is None:
        return {"axis": None}, {name: typed("i32", 9)}
    data = [float(k) if kind in FLOATS else k for k in range(product(shape))]
    axis = {"first": 0, "last": len(shape) - 1, "middle": 1}[of["axis"]]
    return {"axis": axis}, {name: typed(kind, data, shape)}


POPULATION = {"of": tuple(POPULATIONS), "of_type": ("i32", "f32", "u8", "f64"), "axis": AXIS}


def permutation_build(of):
    attributes, inputs = population_of(of, "x")
    return attributes | {"independent": of["independent"] == "true", "shape": None}, inputs


def choice_build(of):
    attributes, inputs = population_of(of, "a")
    small = {"odd": [3, 1], "even": [2, 1]}
    shape = SHAPES.get((of["rank"], of["count"]), [])
    if of["count"] in small:
        value, one = small[of["count"]]
        shape = [value] + [one] * (len(shape) - 1)
    return attributes | {"replace": of["replace"] == "true", "shape": shape}, inputs


def choice_rule(of):
    length = choice_length(of)
    draws = {"0": 0, "1": 1, "odd": 3, "even": 2}[of["count"]]
    if draws and not length:
        return "there is nothing to choose from"
    if of["replace"] == "false" and draws > length:
        return "fewer elements than draws without replacement"
    return axis_rule(of)


def choice_length(of):
    shape = POPULATIONS[of["of"]]
    if shape is None:
        return 9
    return shape[{"first": 0, "last": -1, "middle": 1 % len(shape)}[of["axis"]]]


INTEGER_CLASSES = {"zero": 0, "small": 42, "most": None, "negative": -7}


def integer_features(name):
    def features(case):
        a, x, kind = case.get("attributes", {}), scalar(case, name), case["inputs"][name]["dtype"]
        top = 2 ** (INTEGERS[kind][1] - INTEGERS[kind][0]) - 1
        of = {"impl": a.get("impl", "threefry2x32"), "type": kind,
              "value": ("zero" if x == 0 else "negative" if x < 0 else "most" if x == top else
                        "small")}
        return of | ({"x64": lowered(a.get("x64", False))} if name == "seed" else {})
    return features


def integer_build(name):
    def build(of):
        signed, bits = INTEGERS[of["type"]]
        value = INTEGER_CLASSES[of["value"]]
        value = 2 ** (bits - signed) - 1 if value is None else value
        attributes = {"x64": of["x64"] == "true"} if name == "seed" else {}
        inputs = {name: typed(of["type"], value)}
        return {"impl": of["impl"]} | attributes, (
            inputs if name == "seed" else {"key": key_of(of["impl"])} | inputs)
    return build


def integer_rule(of):
    if of["value"] == "negative" and of["type"][0] == "u":
        return "an unsigned number is not negative"
    return None


def sketch_features(case):
    a = case["attributes"]
    count, first = int(a["count"]), int(a.get("first", 1))
    return {"hash": a.get("hash", "threefry4x64"), "count": str(count) if count < 2 else "more",
            "first": str(first) if first < 2 else "far" if first > 10 ** 6 else "more"}


def sketch_build(of):
    wide = of["hash"] == "threefry4x64"
    return ({"hash": of["hash"], "count": {"0": 0, "1": 1, "more": 3}[of["count"]],
             "first": {"0": 0, "1": 1, "more": 5, "far": 2 ** 31 - 8}[of["first"]]},
            {"key": typed("u64" if wide else "u32", [1, 2, 3, 4] if wide else [1, 2])})


MODES = (("low", "high"), "low")
SPACES = [
    Space("openvino.random_uniform", "openvino.random_uniform",
          {"type": UNIFORM_TYPES, "alignment": ("tensorflow", "pytorch"),
           "global_seed": ("0", "word", "words"), "op_seed": ("0", "word", "words"), "rank": RANKS,
           "count": COUNTS, "shape_type": ("i32", "i64"), "low": SIGNS, "high": SIGNS,
           "width": ("one", "power", "other", "wide"), "bounds": ("scalars", "lists")},
          uniform_features, uniform_build, uniform_rule),
    Space("openvino.range", "openvino.range",
          {"type": NUMBERS, "start_type": NUMBERS, "stop_type": NUMBERS, "step_type": NUMBERS,
           "start": SIGNS, "step": ("up", "down"), "stride": ("one", "more", "less"),
           "count": ("0", "1", "some", "many")}, range_features, range_build, range_rule),
    Space("directml.random_generator", "directml.random_generator",
          {"state_rank": ("1", "2", "3", "4", "more"), "rank": ("1", "2", "3", "4", "more"),
           "state": TRUTH, "state_sizes": ("absent", "given"), "level": ("absent", "3", "more"),
           "type": ("absent", "given"), "generator": ("absent", "given"),
           "count": tuple(DIRECTML_COUNTS), "counter": tuple(COUNTERS),
           "key": ("zero", "low", "both")}, directml_features, directml_build, directml_rule),
    simple("jax.bits", ("u8", "u16", "u32", "u64"), "u32"),
    drawn("jax.uniform", {"dtype": tuple(FLOATS), "bounds": BOUNDS}, jax_uniform_features,
          jax_uniform_build),
    simple("jax.normal", tuple(FLOATS), "f32"),
    simple("jax.exponential", tuple(FLOATS), "f32"),
    simple("jax.gumbel", tuple(FLOATS), "f32", mode=MODES),
    simple("jax.rademacher", ("i8", "i16", "i32", "i64", *FLOATS), "i32"),
    drawn("jax.bernoulli", {"dtype": tuple(FLOATS), "mode": ("low", "high"),
                            "p": ("0", "half", "other", "1")},
          lambda a, case: {"dtype": a.get("p_dtype", "f32"), "mode": a.get("mode", "low"),
                           "p": probability(scalar(case, "p"))}, bernoulli_build),
    drawn("jax.randint", {"dtype": tuple(INTEGERS), "x64": TRUTH, "low_type": tuple(INTEGERS),
                          "high_type": tuple(INTEGERS), "low": SIGNS,
                          "span": ("empty", "power", "other")},
          randint_features, randint_build, randint_rule),
    drawn("jax.permutation", {"independent": TRUTH} | POPULATION,
          lambda a, case: {"independent": lowered(a.get("independent", False))} | axis_features(
              a, case["inputs"]["x"]), permutation_build, axis_rule,
          {axis: DRAWN[axis] for axis in ("impl", "partitionable")}),
    drawn("jax.choice", {"replace": TRUTH} | POPULATION,
          lambda a, case: {"replace": lowered(a.get("replace", True))} | axis_features(
              a, case["inputs"]["a"]), choice_build, choice_rule),
    drawn("jax.split", {}, lambda a, case: {} if "shape" in a else shape_features([2])),
    Space("jax.random", "jax.fold_in",
          {"impl": tuple(KEYS), "type": tuple(INTEGERS), "value": tuple(INTEGER_CLASSES)},
          integer_features("data"), integer_build("data"), integer_rule),
    Space("jax.random", "jax.key",
          {"impl": tuple(KEYS), "type": tuple(INTEGERS), "value": tuple(INTEGER_CLASSES),
           "x64": TRUTH}, integer_features("seed"), integer_build("seed"), integer_rule),
    Space("jax.random", "jep263.draw_samples",
          {"hash": ("threefry2x32", "threefry4x64"), "count": ("0", "1", "more"),
           "first": ("0", "1", "more", "far")}, sketch_features, sketch_build),
]
