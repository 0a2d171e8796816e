# SPDX-License-Identifier: Apache-2.0
"""Convolution, pooling and normalization over channels, as assay declares them, against a second
model: each formula of the texts over exact fractions, place by place. ASSAY_SEED repeats a run."""

import math
import sys
from fractions import Fraction as F

import mpmath

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
import declared_model as m  # noqa: E402
from operators_test import (  # noqa: E402
    FLOATS,
    FULL,
    ONNX_TYPE,
    SEED,
    against_model,
    draw,
    drawn,
    inner,
    places_of,
    single,
    tensor,
    to,
)
from tap import finish  # noqa: E402

EPSILON = single("0.001")


def held(shape, values):
    return dict(zip(places_of(shape), values))


class Windows:
    """What a window sees along each axis of `sizes`, with attributes drawn."""

    def __init__(self, rng, sizes, pooling):
        axes, self.rng, self.sizes = len(sizes), rng, sizes
        self.kernel = [rng.randint(1, 3) for _ in sizes]
        self.stride = [rng.randint(1, 3) for _ in sizes]
        self.dilation = [rng.randint(1, 2) for _ in sizes]
        self.attributes = {}
        self.ceil = pooling and rng.random() < 0.3
        if pooling:
            self.attributes["kernel_shape"] = self.kernel
            if self.ceil:
                self.attributes["ceil_mode"] = 1
        for name, given in (("strides", self.stride), ("dilations", self.dilation)):
            if rng.random() < 0.6:
                self.attributes[name] = given
            else:
                given[:] = [1] * axes
        spans = [(k - 1) * d for k, d in zip(self.kernel, self.dilation)]
        rule = rng.choice((None, "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
        self.before, after = [0] * axes, [0] * axes
        if rule:
            self.attributes["auto_pad"] = rule
        if rule and rule.startswith("SAME"):
            for i, n in enumerate(sizes):
                missing = max((-(-n // self.stride[i]) - 1) * self.stride[i] + spans[i] + 1 - n, 0)
                less, more = missing // 2, missing - missing // 2
                self.before[i], after[i] = (less, more) if rule == "SAME_UPPER" else (more, less)
        elif rule != "VALID" and rng.random() < 0.6:
            self.before = [rng.randint(0, min(1, s)) for s in spans]
            after = [rng.randint(0, min(1, s)) for s in spans]
            self.attributes["pads"] = self.before + after
        self.after, self.places = after, []
        for i, n in enumerate(sizes):
            rest = n + self.before[i] + after[i] - spans[i] - 1
            if rest < 0:
                raise m.Undefined
            count = (-(-rest // self.stride[i]) if self.ceil else rest // self.stride[i]) + 1
            while self.ceil and (count - 1) * self.stride[i] >= n + self.before[i]:
                count -= 1
            self.places.append(count)

    def seen(self, place):
        """(place in the kernel, place in the input) for what a window sees; None is padding."""
        for k in places_of(self.kernel):
            at = tuple(p * s + i * d - b for p, s, i, d, b in
                       zip(place, self.stride, k, self.dilation, self.before))
            yield k, at if all(0 <= a < n for a, n in zip(at, self.sizes)) else None


def sizes_of(rng, most):
    return [rng.randint(1, 5) for _ in range(rng.randint(1, most))]


def conv(rng, kind, name):
    sizes = sizes_of(rng, 2)
    w = Windows(rng, sizes, False)
    batch, group, channels, maps = (rng.randint(1, 2) for _ in range(4))
    x_shape, w_shape = [batch, group * channels, *sizes], [group * maps, channels, *w.kernel]
    x, values = draw(rng, kind, *x_shape, low=-3, high=1)
    weights, kernel = draw(rng, kind, *w_shape, low=-3, high=1)
    inputs, bias = {"X": x, "W": weights}, [F(0)] * (group * maps)
    if rng.random() < 0.5:
        inputs["B"], bias = draw(rng, kind, group * maps)
    if group > 1 or rng.random() < 0.3:
        w.attributes["group"] = group
    if rng.random() < 0.3:
        w.attributes["kernel_shape"] = w.kernel
    values, kernel = held(x_shape, values), held(w_shape, kernel)
    shape = [batch, group * maps, *w.places]
    expected = []
    for n, o, *place in places_of(shape):
        first = o // maps * channels
        expected.append(bias[o] + sum(
            (values[(n, first + c, *at)] * kernel[(o, c, *k)]
             for k, at in w.seen(place) if at for c in range(channels)), F(0)))
    return {"op": f"onnx.{name}", "attributes": w.attributes, "inputs": inputs}, {
        "Y": (kind, shape, expected)}


def convolved(rng, kind, name):
    """Of the fused chains: in two dimensions and with a bias. The sum is stored between nodes."""
    request, outputs = conv(rng, kind, name)
    given, (_, shape, values) = request["attributes"], outputs["Y"]
    given.pop("kernel_shape", None)
    if len(shape) != 4 or "B" not in request["inputs"] or (
            given.pop("auto_pad", "NOTSET") != "NOTSET"):
        raise m.Undefined
    return request, held(shape, [to(kind, v) for v in values]), shape


def conv_relu(rng, kind, name):
    request, sums, shape = convolved(rng, kind, name)
    return request, {"Y": (kind, shape, [max(v, F(0)) for v in sums.values()])}


def conv_batch_normalization(rng, kind, name):
    request, sums, shape = convolved(rng, kind, name)
    if "dilations" in request["attributes"]:
        raise m.Undefined
    inputs, maps = request["inputs"], shape[1]
    inputs["bias"] = inputs.pop("B")
    (inputs["scale"], scales), (inputs["B"], shifts) = channel_values(rng, kind, maps)
    inputs["input_mean"], means = draw(rng, kind, maps, low=-2, high=1)
    variances = [abs(drawn(rng, kind)) for _ in range(maps)]
    inputs["input_var"] = tensor(kind, [maps], variances)
    request["attributes"]["epsilon"] = 0.001
    return request, {"Y": (kind, shape, [
        (v - means[p[1]]) / m.root(variances[p[1]] + EPSILON) * scales[p[1]] + shifts[p[1]]
        for p, v in sums.items()])}


def norm_of(row, p):
    total = sum((abs(x) ** p for x in row), F(0))
    if p == 1 or not total:
        return total
    return m.root(total) if p == 2 else m.real(lambda x: mpmath.power(x, mpmath.mpf(1) / p))(total)


def pooled(rng, kind, name, attributes, row, padding):
    """`row` is what a window sees, `padding` how much of it lies outside."""
    if name.endswith("max_pool"):
        return max(row)
    if name.endswith("lp_pool"):
        return norm_of(row, attributes.get("p", 2))
    count = len(row) + (padding if attributes.get("count_include_pad") else 0)
    return sum(row) / count


def index_of(at, shape, columns):
    """The place `at` (batch, channel, ...) counted by rows, or by columns of a channel."""
    sizes, inner, index = shape[2:], list(at[2:]), 0
    for n, i in zip(*((sizes[::-1], inner[::-1]) if columns else (sizes, inner))):
        index = index * n + i
    return (at[0] * shape[1] + at[1]) * math.prod(sizes) + index


def pool(rng, kind, name):
    sizes = sizes_of(rng, 3)
    w = Windows(rng, sizes, True)
    if name == "lp_pool" and rng.random() < 0.6:
        w.attributes["p"] = rng.randint(1, 3)
    if name == "average_pool" and not w.ceil and rng.random() < 0.5:
        w.attributes["count_include_pad"] = 1
    shape = [rng.randint(1, 2), rng.randint(1, 2)]
    x, values = draw(rng, kind, *shape, *sizes, low=-3, high=1)
    if name == "max_pool" and rng.random() < 0.5:
        w.attributes["storage_order"] = rng.randrange(2)
    values = held(shape + sizes, values)
    expected, indices = [], []
    for n, c, *place in places_of(shape + w.places):
        seen = [at for _, at in w.seen(place)]
        row = [values[(n, c, *at)] for at in seen if at]
        if not row:
            raise m.Undefined
        expected.append(F(pooled(rng, kind, name, w.attributes, row, seen.count(None))))
        indices.append(index_of(next((n, c, *at) for at in seen if at and values[(n, c, *at)] ==
                                     max(row)), shape + sizes, w.attributes.get("storage_order")))
    outputs = {"Y": (kind, shape + w.places, expected)}
    if name == "max_pool":
        outputs["Indices"] = "i64", shape + w.places, indices
    return {"op": f"onnx.{name}", "attributes": w.attributes, "inputs": {"X": x}}, outputs


def global_pool(rng, kind, name):
    sizes = sizes_of(rng, 3)
    shape = [rng.randint(1, 2), rng.randint(1, 2)]
    x, values = draw(rng, kind, *shape, *sizes, low=-3, high=1)
    attributes = {"p": rng.randint(1, 3)} if name == "global_lp_pool" else {}
    size = math.prod(sizes)
    expected = [F(pooled(rng, kind, name, attributes, values[i:i + size], 0))
                for i in range(0, len(values), size)]
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": {"X": x}}, {
        "Y": (kind, shape + [1] * len(sizes), expected)}


def lrn(rng, kind, name):
    shape = [rng.randint(1, 2), rng.randint(1, 4), *sizes_of(rng, 2)]
    size = rng.randint(1, 5)
    attributes = {"size": size, "alpha": 0.25, "beta": 0.5, "bias": 2.0}
    x, listed = draw(rng, kind, *shape, low=-2, high=1)
    values, expected = held(shape, listed), []
    for n, c, *place in places_of(shape):
        near = range(max(0, c - (size - 1) // 2), min(shape[1], c + size // 2 + 1))
        squares = to(inner(kind), sum(values[(n, i, *place)] ** 2 for i in near))
        expected.append(values[(n, c, *place)] / m.root(2 + squares / 4 / size))
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": {"X": x}}, {
        "Y": (kind, shape, expected)}


def moments(kind, row):
    mean = to(kind, sum(row) / len(row))
    return mean, to(kind, sum((to("f64", x) - mean) ** 2 for x in row) / len(row))


def channel_values(rng, kind, channels):
    """Tensors of scale and shift, and their elements."""
    return [draw(rng, kind, channels, low=-2, high=1) for _ in range(2)]


def normalized(rng, kind, name):
    """Batch and instance normalization: each channel, of all instances or of one."""
    sizes = sizes_of(rng, 3)
    batch, channels = rng.randint(1, 3), rng.randint(1, 3)
    shape = [batch, channels, *sizes]
    x, listed = draw(rng, kind, *shape, low=-2, high=2)
    values = held(shape, listed)
    (scale, scales), (shift, shifts) = channel_values(rng, kind, channels)
    attributes, wide = {"epsilon": 0.001}, inner(kind)
    outputs, statistics = {}, {}
    if name == "instance_normalization":
        inputs = {"input": x, "scale": scale, "B": shift}
        for n, c in places_of([batch, channels]):
            statistics[n, c] = moments(wide, [v for p, v in values.items() if p[:2] == (n, c)])
    else:
        training = rng.randrange(2)
        attributes.update(training_mode=training, momentum=0.75)
        mean, means = draw(rng, kind, channels, low=-2, high=1)
        variances = [abs(drawn(rng, kind)) for _ in range(channels)]
        inputs = {"X": x, "scale": scale, "B": shift, "input_mean": mean,
                  "input_var": tensor(kind, [channels], variances)}
        for c in range(channels):
            of_batch = moments(wide, [v for p, v in values.items() if p[1] == c])
            for n in range(batch):
                statistics[n, c] = of_batch if training else (means[c], variances[c])
        if training:
            outputs = {f"running_{key}": (kind, [channels], [
                given[c] * F(3, 4) + statistics[0, c][i] / 4 for c in range(channels)])
                for i, (key, given) in enumerate((("mean", means), ("var", variances)))}
    y = [(v - statistics[p[:2]][0]) / m.root(statistics[p[:2]][1] + EPSILON) * scales[p[1]] +
         shifts[p[1]] for p, v in values.items()]
    outputs["output" if name == "instance_normalization" else "Y"] = (kind, shape, y)
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs,
            "outputs": list(outputs)}, outputs


def group_normalization(rng, kind, name):
    sizes = sizes_of(rng, 3)
    batch, groups, each = (rng.randint(1, 2) for _ in range(3))
    shape = [batch, groups * each, *sizes]
    x, values = draw(rng, kind, *shape, low=-2, high=2)
    (scale, scales), (shift, shifts) = channel_values(rng, kind, groups * each)
    stash = rng.choice(("f32", "bf16"))
    size = each * math.prod(sizes)
    y = []
    for first in range(0, len(values), size):
        row = [to(stash, v) for v in values[first:first + size]]
        mean = to(stash, sum(row) / size)
        centred = [to(stash, v - mean) for v in row]
        variance = to(stash, sum(v * v for v in centred) / size)
        inverse = to(stash, 1 / m.root(variance + EPSILON))
        for i, v in enumerate(centred):
            c = (first + i) // math.prod(sizes) % (groups * each)
            y.append(to(kind, v * inverse) * scales[c] + shifts[c])
    return {"op": f"onnx.{name}", "attributes": {
        "epsilon": 0.001, "num_groups": groups, "stash_type": ONNX_TYPE[stash]},
        "inputs": {"X": x, "scale": scale, "bias": shift}}, {"Y": (kind, shape, y)}


OPERATORS = {
    "conv": conv, "conv_relu": conv_relu,
    "conv_batch_normalization": conv_batch_normalization,
    "average_pool": pool, "max_pool": pool, "lp_pool": pool,
    "global_average_pool": global_pool, "global_max_pool": global_pool,
    "global_lp_pool": global_pool, "lrn": lrn, "batch_normalization": normalized,
    "instance_normalization": normalized, "group_normalization": group_normalization,
}


def main():
    print(f"# seed {SEED}")
    assert set(FLOATS) == set(ONNX_TYPE)
    for name in OPERATORS:
        against_model(SEED, name, 200 if FULL else 15, OPERATORS)
    finish()


if __name__ == "__main__":
    main()
