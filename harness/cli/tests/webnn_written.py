# SPDX-License-Identifier: Apache-2.0
"""Files in the form of WebNN's tests, written anew: its equations in its own layouts, in double."""

import os


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def sigmoid(numpy, z):
    return 1 / (1 + numpy.exp(-z))


def lstm_step(numpy, x, h, c, w, layout):
    """One step of one direction: `w` has weight, recurrentWeight, two biases and peepholeWeight."""
    size = h.shape[1]
    z = x @ w["weight"].T + h @ w["recurrentWeight"].T + w["bias"] + w["recurrentBias"]
    gate = {name: z[:, k * size:(k + 1) * size] for k, name in enumerate(layout)}
    peep = {name: w["peepholeWeight"][k * size:(k + 1) * size] for k, name in enumerate("iof")}
    i = sigmoid(numpy, gate["i"] + peep["i"] * c)
    f = sigmoid(numpy, gate["f"] + peep["f"] * c)
    c = f * c + i * numpy.tanh(gate["g"])
    return sigmoid(numpy, gate["o"] + peep["o"] * c) * numpy.tanh(c), c


def gru_step(numpy, x, h, w, layout, after):
    size = h.shape[1]
    a = dict(zip(layout, numpy.split(x @ w["weight"].T + w["bias"], 3, axis=1), strict=True))
    rows = dict(zip(layout, numpy.split(w["recurrentWeight"], 3), strict=True))
    b = dict(zip(layout, numpy.split(w["recurrentBias"], 3), strict=True))
    z = sigmoid(numpy, a["z"] + h @ rows["z"].T + b["z"])
    r = sigmoid(numpy, a["r"] + h @ rows["r"].T + b["r"])
    n = numpy.tanh(a["n"] + (r * (h @ rows["n"].T + b["n"]) if after
                             else (r * h) @ rows["n"].T + b["n"]))
    assert size == n.shape[1]
    return (1 - z) * n + z * h


def operand(numpy, array):
    array = numpy.asarray(array)
    array = array.astype(numpy.float32) if array.dtype.kind == "f" else array
    big = "n" if array.dtype == numpy.int64 else ""
    shown = ", ".join(f"{v!r}{big}" for v in array.reshape(-1).tolist())
    return (f"{{'data': [{shown}], // values\n"
            f"  'descriptor': {{shape: {list(array.shape)}, dataType: '{array.dtype}'}}, }}")


def js_test(numpy, name, operands, plain, options, outputs):
    inputs = ",\n".join(f"'{k}': {operand(numpy, v)}" for k, v in operands.items())
    own = {"input", "weight", "recurrentWeight", "hiddenState", "cellState", "filter", "scale",
           "zeroPoint"}
    arguments = [f"{{'{k}': '{k}'}}" for k in operands if k in own]
    arguments += [f"{{'{k}': {v}}}" for k, v in plain.items()]
    options = {**{k: f"'{k}'" for k in operands if k not in own}, **options}
    arguments.append("{'options': {" + ", ".join(f"'{k}': {v}" for k, v in options.items()) + "}}")
    names = ", ".join(f"'{k}'" for k in outputs)
    expected = ",\n".join(f"'{k}': {operand(numpy, v)}" for k, v in outputs.items())
    return (f"{{'name': 'it\\'s a test', 'graph': {{'inputs': {{{inputs}}},\n"
            f"'operators': [{{'name': '{name}', 'arguments': [{', '.join(arguments)}],\n"
            f"'outputs': [{names}]}}], 'expectedOutputs': {{{expected}}}}}}},\n")


def js_file(folder, stem, tests, ulp):
    write(folder, f"webnn/conformance_tests/{stem}.https.any.js",
          f"'use strict';\nconst tolerance = (resources) => {{\n"
          f"  const toleranceValueDict = {{float32: {ulp}, int8: {ulp}, int64: 0}};\n"
          f"  return {{metricType: 'ULP', value: toleranceValueDict['float32']}};\n}};\n\n"
          f"const someTests = [\n{''.join(tests)}];\n\nif (navigator.ml) {{ run(someTests); }}\n")


def weights_of(numpy, random, gates, directions, inputs, size, peepholes):
    shapes = {"weight": (gates * size, inputs), "recurrentWeight": (gates * size, size),
              "bias": (gates * size,), "recurrentBias": (gates * size,)}
    if peepholes:
        shapes["peepholeWeight"] = (3 * size,)
    return {name: random.uniform(-1, 1, (directions, *shape)).astype(numpy.float32)
            for name, shape in shapes.items()}


def sequence(numpy, step, x, h, c, w, direction):
    """All steps of the directions: last states, and the outputs [steps, directions, ...]."""
    every, last = numpy.zeros((len(x), *h.shape)), []
    for d, backward in enumerate({"forward": [0], "backward": [1], "both": [0, 1]}[direction]):
        now = h[d].astype(float), c[d].astype(float)
        part = {name: value[d].astype(float) for name, value in w.items()}
        for t in reversed(range(len(x))) if backward else range(len(x)):
            now = step(x[t].astype(float), *now, part)
            every[t, d] = now[0]
        last.append(now)
    return numpy.stack([n[0] for n in last]), numpy.stack([n[1] for n in last]), every


def write_operators(folder, numpy):
    x = numpy.array([[-0.5, 1.5], [2.25, -3]], numpy.float32)
    # 1 or 2 ulp off, which is what the file allows.
    js_file(folder, "abs", [js_test(numpy, "abs", {"input": x}, {}, {},
                                    {"y": numpy.abs(x) * numpy.float32(1 + 2**-23)}),
                            js_test(numpy, "abs", {"input": x}, {"unheard": 1}, {}, {"y": x})], 2)
    leaky = js_test(numpy, "leakyRelu", {"input": x}, {}, {"alpha": 0.25},
                    {"y": numpy.where(x < 0, x / 4, x)})
    write(folder, "webnn/conformance_tests/leaky_relu.https.any.js",
          f"const leakyTests = [\n{leaky}];\n")
    write(folder, "webnn/conformance_tests/reduce_sum.https.any.js",
          "const tolerance = (graphResources) => {\n  return {\n    metricType: 'ULP',\n"
          "    value: getReducedElementCount(graphResources) * 2 + 1,\n  };\n};\n"
          "const sumTests = [\n" + js_test(numpy, "reduceSum", {"input": x}, {}, {"axes": "[1]"},
                                           {"y": x.sum(axis=1)}) + "];\n")
    js_file(folder, "identity", [js_test(numpy, "identity", {"input": x}, {}, {}, {"y": x})], 2)


def write_windows(folder, numpy, random):
    """Convolution and pools with the channels last, and with what ceil is asked by."""
    x, kernel, bias = (random.uniform(-1, 1, s).astype(numpy.float32)
                       for s in ((1, 4, 4, 3), (2, 2, 2, 3), (2,)))
    wide = numpy.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0))).astype(float)
    y = [[[float(numpy.sum(wide[0, 2 * i:2 * i + 2, j:j + 2] * kernel[o]) + bias[o])
           for o in (0, 1)] for j in range(4)] for i in range(2)]
    js_file(folder, "conv2d", [js_test(
        numpy, "conv2d", {"input": x, "filter": kernel, "bias": bias}, {},
        {"padding": "[1, 0, 0, 1]", "strides": "[2, 1]", "inputLayout": "'nhwc'",
         "filterLayout": "'ohwi'"}, {"y": numpy.array([y])})], 0)
    squares = x.astype(float)[:, :, :, :1] ** 2
    blocks = squares.reshape(1, 2, 2, 2, 2, 1).sum(axis=(2, 4))
    pools = [("averagePool2d", x, {"layout": "'nhwc'", "windowDimensions": "[2, 2]",
                                   "strides": "[2, 2]"},
              x.astype(float).reshape(1, 2, 2, 2, 2, 3).mean(axis=(2, 4))),
             ("l2Pool2d", x[:, :, :, :1], {"layout": "'nhwc'", "windowDimensions": "[2, 2]",
                                           "strides": "[2, 2]"}, numpy.sqrt(blocks)),
             ("maxPool2d", x[:, :, :, :2].transpose(0, 3, 1, 2), {
                 "windowDimensions": "[3, 3]", "strides": "[2, 2]", "outputSizes": "[2, 2]"},
              numpy.array([[[[x[0, 2 * i:2 * i + 3, 2 * j:2 * j + 3, c].max() for j in (0, 1)]
                             for i in (0, 1)] for c in (0, 1)]]))]
    js_file(folder, "pooling", [js_test(numpy, name, {"input": of}, {}, options, {"y": y})
                                for name, of, options, y in pools], 0)
    centred = x - x.astype(float).mean(axis=(1, 2), keepdims=True)
    js_file(folder, "instance_normalization", [js_test(
        numpy, "instanceNormalization", {"input": x}, {}, {"layout": "'nhwc'"},
        {"y": centred / numpy.sqrt((centred ** 2).mean(axis=(1, 2), keepdims=True) + 1e-5)})], 0)


def write_casts(folder, numpy):
    x = numpy.array([0.5, -2.75, 3.5, 9], numpy.float32)
    i8 = lambda *of: numpy.array(of, numpy.int8)  # noqa: E731
    js_file(folder, "cast", [js_test(numpy, "cast", {"input": x}, {"type": "'int8'"}, {},
                                     {"y": i8(0, -2, 3, 9)})], 0)
    # Blocks of two; the last is off by one, which is what the file allows.
    js_file(folder, "quantizeLinear", [js_test(
        numpy, "quantizeLinear", {"input": x, "scale": numpy.array([0.5, 2], numpy.float32),
                                  "zeroPoint": i8(1, -1)}, {}, {}, {"y": i8(2, -5, 1, 4)})], 1)
    js_file(folder, "arg_min_max", [js_test(numpy, "argMax", {"input": x}, {"axis": 0}, {},
                                            {"y": numpy.array(3, numpy.int64)})], 0)
