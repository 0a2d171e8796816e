# SPDX-License-Identifier: Apache-2.0
"""Casts, quantization and rotary embedding, as assay has them, against a second model over
exact fractions; floats of 8 and 4 bits are looked up among all their codes. ASSAY_SEED repeats a
run."""

import math
import sys
from fractions import Fraction as F

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
    places_of,
    tensor,
    to,
)
from tap import finish  # noqa: E402

# Bits of the fraction, the bias, the code of the largest number, the sign, and what lies beyond.
OCP = {"f8e4m3": (3, 7, 0x7E, 0x80, 0x7F), "f8e5m2": (2, 15, 0x7B, 0x80, 0x7C)}
NARROW = {**OCP, "f8e4m3fnuz": (3, 8, 0x7F, 0x80, 0x80), "f8e5m2fnuz": (2, 16, 0x7F, 0x80, 0x80),
          "f4e2m1": (1, 1, 7, 8, 7)}
BITS = {"i4": 4, "u4": 4, "i2": 2, "u2": 2}
NUMBER = {"u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "u32": 12,
          "u64": 13, "f8e4m3": 17, "f8e4m3fnuz": 18, "f8e5m2": 19, "f8e5m2fnuz": 20, "u4": 21,
          "i4": 22, "f4e2m1": 23, "f8e8m0": 24, "u2": 25, "i2": 26, **ONNX_TYPE}
SMALL = ("u8", "i8", "u16", "i16", *BITS)
WIDTH = {**m.WIDTH, **BITS}
RANGE = {kind: ((0, (1 << WIDTH[kind]) - 1) if kind[0] == "u" else
                (-1 << (WIDTH[kind] - 1), (1 << (WIDTH[kind] - 1)) - 1))
         for kind in (*SMALL, "i32", "u32", "i64", "u64")}


def decode_narrow(kind, code):
    fraction, bias, _, sign, _ = NARROW[kind]
    exponent, rest = code >> fraction & ((sign >> fraction) - 1), code & ((1 << fraction) - 1)
    whole = rest + (1 << fraction) if exponent else rest
    return (-1 if code & sign else 1) * F(whole) * F(2) ** (max(exponent, 1) - bias - fraction)


def encode_narrow(kind, x, saturate):
    """The code of the nearest, the even one of two; the largest or what stands behind it where x
    rounds beyond."""
    _, _, largest, sign, beyond = NARROW[kind]
    values = [decode_narrow(kind, code) for code in range(largest + 1)]
    values.append(2 * values[-1] - values[-2])  # where the next number would be
    code = min(range(len(values)), key=lambda c: (abs(abs(x) - values[c]), c & 1))
    if code > largest:
        code = largest if saturate else beyond
        if code in (0x80, 0x7F) and not saturate:
            return code  # NaN
    return (sign if x < 0 and (code or "fnuz" not in kind) else 0) | code


def power(x, way, saturate):
    """The code of the power of two, whose rounded logarithm is its own."""
    codes = {F(2) ** (code - 127): code for code in range(255)}
    below = max((p for p in codes if p <= x), default=None)
    above = min((p for p in codes if p >= x), default=None)
    if below is None or above is None:
        return 0xFF if not saturate else 0 if below is None else 0xFE
    return codes[{"up": above, "down": below}.get(
        way, above if above - x <= x - below else below)]


def clamped(kind, x):
    low, high = RANGE[kind]
    return F(min(max(x, low), high))


def element(rng, kind):
    if kind == "bool":
        return F(rng.randrange(2))
    if kind in NARROW:
        return rng.choice((-1, 1)) * decode_narrow(
            kind, rng.randrange(min(0x78, NARROW[kind][2] + 1)))
    if kind == "f8e8m0":
        return F(2) ** rng.randint(-8, 8)
    if kind in FLOATS:
        return drawn(rng, kind, -4, 6)
    low, high = RANGE[kind]
    return F(rng.randint(max(low, -1000), min(high, 1000)))


def held(kind, shape, values):
    """A tensor, of few bits too."""
    if kind not in NARROW and kind not in BITS and kind != "f8e8m0":
        return tensor(kind, shape, values)
    return {"dtype": kind, "shape": shape, "bits": [f"{coded(kind, x):02x}" for x in values]}


def coded(kind, x):
    """The code of a number that the type has, or of a whole number in its lowest bits."""
    if kind == "f8e8m0":
        return power(x, "down", True)
    return encode_narrow(kind, x, True) if kind in NARROW else (
        int(x) % (1 << BITS[kind]) if kind in BITS else m.encode(kind, x))


def cast(rng, _, name):
    kinds = (*FLOATS, *NARROW, *RANGE, "bool", "f8e8m0")
    source, target = rng.choice(kinds), rng.choice(kinds)
    values = [element(rng, source) for _ in range(7)]
    attributes = {"to": NUMBER[target], "opset": 25}
    saturate = rng.randrange(2)
    if target == "f8e8m0":
        values = [abs(x) or F(1) for x in values]
        if source[0] == "i":
            values = [min(x, RANGE[source][1]) for x in values]
        attributes.update(saturate=saturate, round_mode=rng.choice(("up", "down", "nearest")))
        expected = [power(x, attributes["round_mode"], saturate) for x in values]
    elif target in NARROW:
        attributes["saturate"] = saturate
        expected = [encode_narrow(target, x, saturate) for x in values]
    elif target == "bool":
        expected = [int(x != 0) for x in values]
    elif target in FLOATS:
        expected = [m.encode(target, x) for x in values]
    else:
        low, high = RANGE[target]
        values = [x if source in RANGE or source == "bool" or low <= x <= high else F(1)
                  for x in values]
        cut = round if target in BITS else math.trunc
        expected = [coded(target, F(cut(x))) for x in values]
    return {"op": f"onnx.{name}", "attributes": attributes,
            "inputs": {"input": held(source, [7], values)}}, {"output": (target, [7], expected)}


def cast_like(rng, kind, name):
    """The type is that of a second tensor, whose shape and numbers do not count."""
    request, outputs = cast(rng, kind, name)
    target, shape = outputs["output"][0], rng.choice(([], [0], [2]))
    del request["attributes"]["to"]
    request["inputs"]["target_type"] = held(target, shape, [F(1)] * len(places_of(shape)))
    return request, outputs


def granularity(rng, shape):
    """Attributes, the shape of the scales, and which of them an element has."""
    way = rng.choice(("one", "axis", "block"))
    if way == "one":
        return {}, [], lambda place: ()
    axis = rng.randint(-len(shape), len(shape) - 1)
    a = axis % len(shape)
    if way == "axis":
        return {"axis": axis}, [shape[a]], lambda place: (place[a],)
    size = rng.randint(1, 3)
    blocks = shape[:a] + [-(-shape[a] // size)] + shape[a + 1:]
    return {"axis": axis, "block_size": size}, blocks, lambda place: (
        place[:a] + (place[a] // size,) + place[a + 1:])


def scales_of(rng, kind, shape):
    return {p: to(kind, F(rng.randint(1, 255), 64)) for p in places_of(shape)}


def quantize(rng, _, name):
    kind, target = rng.choice(("f16", "bf16", "f32")), rng.choice((*SMALL, *NARROW))
    shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
    attributes, s_shape, of = granularity(rng, shape)
    attributes["opset"] = 25
    in_powers = rng.random() < 0.3  # of two, which want a type of their own to divide in
    scales = ({p: element(rng, "f8e8m0") for p in places_of(s_shape)} if in_powers else
              scales_of(rng, kind, s_shape))
    x, values = draw(rng, kind, *shape, low=-2, high=7)
    inputs = {"x": x, "y_scale": held("f8e8m0" if in_powers else kind, s_shape,
                                      list(scales.values()))}
    if in_powers or rng.random() < 0.2:
        kind = rng.choice(("f16", "bf16", "f32"))
        attributes["precision"] = NUMBER[kind]
    zeros, saturate = dict.fromkeys(scales, F(0)), 1
    if target in NARROW:
        saturate = attributes["saturate"] = rng.randrange(2)
        attributes["output_dtype"] = NUMBER[target]
    elif target != "u8" or rng.random() < 0.5:
        zeros = {p: element(rng, target) for p in scales}
        inputs["y_zero_point"] = held(target, s_shape, list(zeros.values()))
    expected = []
    for place, v in zip(places_of(shape), values):
        q = to(kind, v / scales[of(place)])
        expected.append(encode_narrow(target, q, saturate) if target in NARROW else
                        coded(target, clamped(target, round(q) + zeros[of(place)])))
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs}, {
        "y": (target, shape, expected)}


def dequantize(rng, _, name):
    kind, source = rng.choice(("f16", "bf16", "f32")), rng.choice((*SMALL, "i32", *NARROW))
    shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
    attributes, s_shape, of = granularity(rng, shape)
    attributes["opset"] = 25
    in_powers = rng.random() < 0.3
    scales = ({p: element(rng, "f8e8m0") for p in places_of(s_shape)} if in_powers else
              scales_of(rng, kind, s_shape))
    if in_powers:
        attributes["output_dtype"] = NUMBER[kind]
    values = [element(rng, source) for _ in places_of(shape)]
    inputs = {"x": held(source, shape, values),
              "x_scale": held("f8e8m0" if in_powers else kind, s_shape, list(scales.values()))}
    zeros = dict.fromkeys(scales, F(0))
    if source in SMALL and rng.random() < 0.6:
        zeros = {p: element(rng, source) for p in scales}
        inputs["x_zero_point"] = held(source, s_shape, list(zeros.values()))
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs}, {
        "y": (kind, shape, [m.encode(kind, (v - zeros[of(p)]) * scales[of(p)])
                            for p, v in zip(places_of(shape), values)])}


def dynamic(rng, _, name):
    x, values = draw(rng, "f32", rng.randint(1, 9), low=-3, high=3)
    low, high = min(0, *values, 0), max(0, *values, 0)
    scale = to("f32", F(high - low) / 255)
    zero = F(round(min(max(-low / scale, 0), 255)))
    return {"op": f"onnx.{name}", "inputs": {"x": x}}, {
        "y": ("u8", [len(values)], [int(clamped("u8", round(v / scale) + zero)) for v in values]),
        "y_scale": ("f32", [], [m.encode("f32", scale)]),
        "y_zero_point": ("u8", [], [int(zero)])}


def product(rng, _, name):
    """Of matrices of bytes: as it is, or quantized."""
    left, right = rng.choice(("u8", "i8")), rng.choice(("u8", "i8"))
    rows, depth, columns = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 3)
    a = {p: element(rng, left) for p in places_of([rows, depth])}
    b = {p: element(rng, right) for p in places_of([depth, columns])}
    by_row, by_column = rng.random() < 0.5, rng.random() < 0.5
    a_zero = [element(rng, left) for _ in range(rows if by_row else 1)]
    b_zero = [element(rng, right) for _ in range(columns if by_column else 1)]
    sums = {(i, j): sum((a[i, k] - a_zero[i % len(a_zero)]) * (b[k, j] - b_zero[j % len(b_zero)])
                        for k in range(depth)) for i, j in places_of([rows, columns])}
    given = {"a": tensor(left, [rows, depth], list(a.values())),
             "b": tensor(right, [depth, columns], list(b.values())),
             "a_zero_point": tensor(left, [rows] if by_row else [], a_zero),
             "b_zero_point": tensor(right, [columns] if by_column else [], b_zero)}
    if name == "mat_mul_integer":
        given = {key.upper() if len(key) == 1 else key: value for key, value in given.items()}
        return {"op": f"onnx.{name}", "inputs": given}, {
            "Y": ("i32", [rows, columns], [m.encode("i32", x) for x in sums.values()])}
    a_scale = list(scales_of(rng, "f32", [len(a_zero)]).values())
    b_scale = list(scales_of(rng, "f32", [len(b_zero)]).values())
    y_scale, target = F(rng.randint(200, 900)), rng.choice(("u8", "i8"))
    zero = element(rng, target)
    given.update(a_scale=tensor("f32", [rows] if by_row else [], a_scale),
                 b_scale=tensor("f32", [columns] if by_column else [], b_scale),
                 y_scale=tensor("f32", [], [y_scale]), y_zero_point=tensor(target, [], [zero]))
    y = [to("f32", x * a_scale[i % len(a_scale)] * b_scale[j % len(b_scale)] / y_scale)
         for (i, j), x in sums.items()]
    return {"op": f"onnx.{name}", "inputs": given}, {
        "y": (target, [rows, columns], [m.encode(target, clamped(target, round(v) + zero))
                                        for v in y])}


def windows_of(rng, size, kernel):
    """What the attributes say of one axis, and for each place of the output where in x each element
    of the kernel lies."""
    stride, dilation = rng.randint(1, 3), rng.randint(1, 2)
    reach = (kernel - 1) * dilation + 1
    rule = rng.choice(("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
    before, after = (rng.randint(0, 2), rng.randint(0, 2)) if rule == "NOTSET" else (0, 0)
    if rule.startswith("SAME"):
        more = max((-(-size // stride) - 1) * stride + reach - size, 0)
        before, after = (more // 2, more - more // 2)[::1 if rule == "SAME_UPPER" else -1]
    assert size + before + after >= reach
    places = range(-before, size + after - reach + 1, stride)
    return stride, dilation, rule, before, after, [
        [at + k * dilation for k in range(kernel)] for at in places]


def convolution(rng, _, name):
    """Of bytes along one axis or two, of which the second has a kernel of 1: as it is, or
    quantized."""
    left, right, group = rng.choice(("u8", "i8")), rng.choice(("u8", "i8")), rng.randint(1, 2)
    batch, channels, maps = rng.randint(1, 2), group * rng.randint(1, 2), group * rng.randint(1, 2)
    size, kernel, flat = rng.randint(1, 6), rng.randint(1, 3), rng.random() < 0.5
    stride, dilation, rule, before, after, seen = windows_of(rng, size, kernel)
    each = channels // group
    x = {p: element(rng, left) for p in places_of([batch, channels, size])}
    w = {p: element(rng, right) for p in places_of([maps, each, kernel])}
    by_map = rng.random() < 0.5
    x_zero, w_zero = element(rng, left), [element(rng, right) for _ in range(maps if by_map else 1)]
    y_places = places_of([batch, maps, len(seen)])
    sums = {(n, f, i): sum((x[n, f // (maps // group) * each + c, at] - x_zero)
                           * (w[f, c, k] - w_zero[f % len(w_zero)]) for c in range(each)
                           for k, at in enumerate(seen[i]) if 0 <= at < size)
            for n, f, i in y_places}
    end = [] if flat else [1]
    pads = [before, after] if flat else [before, 0, after, 0]
    attributes = {"group": group, "strides": [stride, *end], "dilations": [dilation, *end],
                  "auto_pad": rule, **({"pads": pads} if rule == "NOTSET" else {})}
    shape = [batch, maps, len(seen), *end]
    given = {"x": tensor(left, [batch, channels, size, *end], list(x.values())),
             "w": tensor(right, [maps, each, kernel, *end], list(w.values())),
             "x_zero_point": tensor(left, [], [x_zero]),
             "w_zero_point": tensor(right, [maps] if by_map else [], w_zero)}
    if name == "conv_integer":
        return {"op": f"onnx.{name}", "attributes": attributes, "inputs": given}, {
            "y": ("i32", shape, [m.encode("i32", v) for v in sums.values()])}
    x_scale, y_scale = scales_of(rng, "f32", [1])[0,], F(rng.randint(200, 900))
    w_scale = list(scales_of(rng, "f32", [len(w_zero)]).values())
    target = rng.choice(("u8", "i8"))
    zero, bias = element(rng, target), [rng.randint(-30000, 30000) for _ in range(maps)]
    given.update(x_scale=tensor("f32", [], [x_scale]), y_scale=tensor("f32", [], [y_scale]),
                 w_scale=tensor("f32", [maps] if by_map else [], w_scale),
                 y_zero_point=tensor(target, [], [zero]))
    if rng.random() < 0.5:
        given["B"] = {"dtype": "i32", "shape": [maps], "data": bias}
        sums = {(n, f, i): v + bias[f] for (n, f, i), v in sums.items()}
    y = [to("f32", v * x_scale * w_scale[f % len(w_scale)] / y_scale)
         for (_, f, _), v in sums.items()]
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": given}, {
        "y": (target, shape, [m.encode(target, clamped(target, round(v) + zero)) for v in y])}


def bits_as(rng, _, name):
    """Bits of any kind, as another type of as many."""
    bits = rng.choice((2, 4, 8, 16, 32, 64))
    kinds = {2: ["i2", "u2"], 4: ["i4", "u4", "f4e2m1"], 8: ["i8", "u8", *NARROW, "f8e8m0"],
             16: ["i16", "u16", "f16", "bf16"], 32: ["i32", "u32", "f32"],
             64: ["i64", "u64", "f64"]}[bits]
    kinds = [kind for kind in kinds if bits == 4 or kind != "f4e2m1"]
    one, other, count = rng.choice(kinds), rng.choice(kinds), rng.randint(0, 9)
    codes = [rng.getrandbits(bits) | (rng.choice((0, (1 << bits) - (1 << bits // 2))))
             for _ in range(count)]
    width = max(2, bits // 4)
    return {"op": f"onnx.{name}", "attributes": {"to": NUMBER[other]}, "inputs": {
        "input": {"dtype": one, "shape": [count], "bits": [f"{x:0{width}x}" for x in codes]}}}, {
        "output": (other, [count], codes)}


def scaled(rng, _, name):
    """A product of 8-bit floats, in f32, scaled as a whole or by rows and columns."""
    left, right, target = (rng.choice(kinds) for kinds in ((*OCP,), (*OCP,),
                                                           ("f16", "bf16", "f32")))
    rows, depth, columns = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 3)
    a = {p: element(rng, left) for p in places_of([rows, depth])}
    b = {p: element(rng, right) for p in places_of([depth, columns])}
    of_a, of_b = ([rows, 1], [1, columns]) if rng.random() < 0.5 else ([], [])
    a_scale = list(scales_of(rng, "f32", of_a).values())
    b_scale = list(scales_of(rng, "f32", of_b).values())
    out = [m.encode(target, to("f32", a_scale[i % len(a_scale)] * b_scale[j % len(b_scale)] *
                               sum(a[i, k] * b[k, j] for k in range(depth))))
           for i, j in places_of([rows, columns])]
    return {"op": f"torch.{name}", "attributes": {"out_dtype": target}, "inputs": {
        "A": held(left, [rows, depth], list(a.values())),
        "B": held(right, [depth, columns], list(b.values())),
        "scale_a": tensor("f32", of_a, a_scale), "scale_b": tensor("f32", of_b, b_scale)}}, {
        "out": (target, [rows, columns], out)}


def rotary(rng, _, name):
    kind = rng.choice(("f16", "bf16", "f32"))
    batch, heads, length, half = (rng.randint(1, 3) for _ in range(4))
    size = 2 * half + rng.choice((0, 0, 1, 2))
    attributes = {"interleaved": rng.randrange(2)}
    if size != 2 * half:
        attributes["rotary_embedding_dim"] = 2 * half
    places = places_of([batch, heads, length, size])
    x = {p: drawn(rng, kind, -2, 1) for p in places}
    flat = rng.random() < 0.5
    if flat:
        attributes["num_heads"] = heads

    def laid(of):
        if not flat:
            return [batch, heads, length, size], [of[p] for p in places]
        return [batch, length, heads * size], [
            of[b, h, i, d] for b, i, h, d in places_of([batch, length, heads, size])]
    inputs = {"X": tensor(kind, *laid(x))}
    shape = [batch, length, half]
    if rng.random() < 0.5:
        ids = [rng.randrange(4) for _ in range(batch * length)]
        inputs["position_ids"] = {"dtype": "i64", "shape": [batch, length], "data": ids}
        shape = [4, half]
    caches = []
    for key in ("cos_cache", "sin_cache"):
        inputs[key], values = draw(rng, kind, *shape, low=-2, high=0)
        of = dict(zip(places_of(shape), values))
        caches.append(of if len(shape) == 3 else {
            (b, i, k): of[ids[b * length + i], k] for b, i, k in places_of([batch, length, half])})
    y = dict(x)
    for b, h, i, k in places_of([batch, heads, length, half]):
        one, two = (2 * k, 2 * k + 1) if attributes["interleaved"] else (k, k + half)
        c, s = (cache[b, i, k] for cache in caches)
        first, second = x[b, h, i, one], x[b, h, i, two]
        y[b, h, i, one], y[b, h, i, two] = c * first - s * second, s * first + c * second
    shape, values = laid(y)
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": inputs}, {
        "Y": (kind, shape, [m.encode(kind, v) for v in values])}


OPERATORS = {"cast": cast, "cast_like": cast_like,
             "quantize_linear": quantize, "dequantize_linear": dequantize,
             "dynamic_quantize_linear": dynamic, "mat_mul_integer": product,
             "q_linear_mat_mul": product, "conv_integer": convolution,
             "q_linear_conv": convolution, "bit_cast": bits_as, "scaled_mm": scaled,
             "rotary_embedding": rotary}


def main():
    print(f"# seed {SEED}")
    for name in OPERATORS:
        against_model(SEED, name, 500 if FULL else 40, OPERATORS, encode=lambda _, bits: bits)
    finish()


if __name__ == "__main__":
    main()
