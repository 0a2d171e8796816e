# SPDX-License-Identifier: Apache-2.0
"""Values in formats that Python reads, as JSON lines for `assay import`: an npz file, whose arrays
are named as tensors of safetensors are, or a folder of ONNX backend tests.

usage: foreign.py PATH FOLDER   (writes FOLDER/cases.jsonl, and large tensors beside it)
"""

import json
import os
import re
import sys
from fractions import Fraction

import numpy

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from assay.target import dtype_name, write_tensor  # noqa: E402

ROLES = {"in": "inputs", "out": "value", "lower": "lower", "upper": "upper"}


class LeftOut(Exception):
    """A case that cannot be taken; the text says why."""


class Lines:
    """The file of cases, and tensors in their form."""

    def __init__(self, folder):
        self.folder, self.serial = folder, 0
        self.file = open(os.path.join(folder, "cases.jsonl"), "w", encoding="utf-8")

    def tensor(self, array):
        array = numpy.asarray(array)
        self.serial += 1
        try:
            return write_tensor("t", array, dtype_name(array), self.folder, str(self.serial))
        except TypeError as why:
            raise LeftOut(str(why)) from None

    def put(self, case):
        self.file.write(json.dumps(case) + "\n")


# ---- npz ---------------------------------------------------------------------


def read_npz(path, lines):
    stem = os.path.splitext(os.path.basename(path))[0]
    cases = {}
    with numpy.load(path, allow_pickle=False) as arrays:
        for name in arrays.files:
            match = re.fullmatch(r"(?:(.+)/)?(in|out|lower|upper)/([^/]+)", name)
            if not match:
                sys.exit(f"array '{name}' is not called CASE/in/NAME, CASE/out/NAME, "
                         "CASE/lower/NAME or CASE/upper/NAME")
            case = cases.setdefault(match[1] or stem, {"inputs": {}, "outputs": {}})
            try:
                tensor = lines.tensor(arrays[name])
            except (LeftOut, ValueError) as why:
                case["why"] = f"array '{name}': {why}"
                continue
            if match[2] == "in":
                case["inputs"][match[3]] = tensor
            else:
                case["outputs"].setdefault(match[3], {})[ROLES[match[2]]] = tensor
    for name in sorted(cases):
        case = cases[name]
        if "why" in case:
            lines.put({"left_out": f"{name}: {case['why']}"[:300]})
            continue
        expected = {output: parts["value"] if set(parts) == {"value"} else parts
                    for output, parts in case["outputs"].items()}
        lines.put({"id": name, "inputs": case["inputs"], "expected": expected})


# ---- ONNX backend tests -------------------------------------------------------


def inward(value, radius, up, dtype):
    """The number of `dtype` that is nearest to value + radius, or value - radius, and not beyond
    it: exactly, by fractions."""
    limit = Fraction(float(value)) + (radius if up else -radius)
    largest = dtype.type(float(numpy.finfo(dtype).max))
    try:
        at = dtype.type(float(limit))
    except OverflowError:
        at = largest if up else -largest
    if not numpy.isfinite(at):
        at = largest if up else -largest
    towards = dtype.type(-numpy.inf if up else numpy.inf)
    while (Fraction(float(at)) > limit) if up else (Fraction(float(at)) < limit):
        at = numpy.nextafter(at, towards)
    return at


def interval(array, rtol, atol):
    """What numpy's assert_allclose accepts beside `array`: |x - a| <= atol + rtol |a|, exactly."""
    ends = numpy.array(array), numpy.array(array)
    for index, value in numpy.ndenumerate(array):
        if not numpy.isfinite(value):
            continue
        radius = Fraction(atol) + Fraction(rtol) * abs(Fraction(float(value)))
        for up in (False, True):
            ends[up][index] = inward(value, radius, up, array.dtype)
    return ends


def read_pb(path):
    import onnx

    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    if tensor.data_type == onnx.TensorProto.STRING or not tensor.data_type:
        raise LeftOut("a tensor of strings, or none")
    return onnx.numpy_helper.to_array(tensor)


def attribute(attribute):
    import onnx

    value = onnx.helper.get_attribute_value(attribute)
    if attribute.type in (onnx.AttributeProto.TENSOR, onnx.AttributeProto.GRAPH,
                          onnx.AttributeProto.SPARSE_TENSOR, onnx.AttributeProto.TENSORS,
                          onnx.AttributeProto.GRAPHS):
        raise LeftOut(f"attribute {attribute.name} is no number and no word")
    if isinstance(value, bytes):
        return value.decode()
    if attribute.type == onnx.AttributeProto.FLOAT:
        return float(value)
    return [v.decode() if isinstance(v, bytes) else v for v in value] \
        if not isinstance(value, (int, float)) else value


def formals(schema, names, which):
    """The names that the schema has for a node's inputs or outputs, those that are there; where it
    takes any number of them they are NAME_0, NAME_1 and so on."""
    import onnx

    formal = [f.name for f in getattr(schema, which)]
    if formal and getattr(schema, which)[-1].option == \
            onnx.defs.OpSchema.FormalParameterOption.Variadic:
        name = formal.pop().removesuffix("_0")
        formal += [f"{name}_{i}" for i in range(len(names) - len(formal))]
    return [(label, name) for label, name in zip(formal, names, strict=False) if name]


def expected_of(folder, index, array, said, lines):
    ends = [os.path.join(folder, f"{word}_{index}.pb") for word in ("low", "high")]
    value = lines.tensor(array)
    if all(map(os.path.exists, ends)):
        low, high = (lines.tensor(read_pb(end)) for end in ends)
    elif array.dtype.kind == "f" and ("atol" in said or "rtol" in said):
        low, high = map(lines.tensor,
                        interval(array, said.get("rtol", 0), said.get("atol", 0)))
    else:
        return value
    return {"lower": low, "upper": high, "value": value}


def read_set(folder, name, model, said, lines):
    import onnx
    from onnx_node import name_of

    nodes, graph = model.graph.node, model.graph
    if len(nodes) != 1 or nodes[0].domain:
        raise LeftOut("a model of other than one node of ONNX")
    version = next(o.version for o in model.opset_import if not o.domain)
    schema = onnx.defs.get_schema(nodes[0].op_type, version, "")
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
    for i, value in enumerate(v for v in graph.input if v.name not in tensors):
        tensors[value.name] = read_pb(os.path.join(folder, f"input_{i}.pb"))
    places = {value.name: i for i, value in enumerate(graph.output)}
    outputs = [(label, places[n]) for label, n in formals(schema, nodes[0].output, "outputs")
               if n in places]
    return {
        "id": name, "op": name_of(nodes[0].op_type),
        "attributes": {**{a.name: attribute(a) for a in nodes[0].attribute}, "opset": version},
        "inputs": {label: lines.tensor(tensors[n])
                   for label, n in formals(schema, nodes[0].input, "inputs")},
        "expected": {label: expected_of(folder, i, read_pb(os.path.join(folder, f"output_{i}.pb")),
                                        said, lines) for label, i in outputs},
    }


def read_test(folder, lines):
    import onnx

    name = re.sub(r"^test_", "", os.path.basename(os.path.abspath(folder)))
    model = onnx.load(os.path.join(folder, "model.onnx"))
    said = {}
    if os.path.exists(os.path.join(folder, "data.json")):
        with open(os.path.join(folder, "data.json"), encoding="utf-8") as file:
            said = json.load(file)
    sets = sorted(s for s in os.listdir(folder) if s.startswith("test_data_set_"))
    for data in sets:
        of = name if len(sets) == 1 else f"{name}-{data[len('test_data_set_'):]}"
        try:
            lines.put(read_set(os.path.join(folder, data), of, model, said, lines))
        except LeftOut as why:
            lines.put({"left_out": f"{of}: {why}"[:300]})


def read_tests(folder, lines):
    if os.path.exists(os.path.join(folder, "model.onnx")):
        return read_test(folder, lines)
    tests = [os.path.join(folder, test) for test in sorted(os.listdir(folder))]
    tests = [test for test in tests if os.path.exists(os.path.join(test, "model.onnx"))]
    if not tests:
        sys.exit(f"{folder} holds no model.onnx, nor folders with one")
    for test in tests:
        read_test(test, lines)


def main(path, folder):
    lines = Lines(folder)
    if os.path.isdir(path):
        sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
        read_tests(path, lines)
    else:
        read_npz(path, lines)
    lines.file.close()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # noqa: BLE001
        sys.exit(f"{type(error).__name__}: {error}")
