# SPDX-License-Identifier: Apache-2.0
"""Histograms and maps of results, against the same things counted here with NumPy and exact
fractions from what the target gave.

The target is the reference with elements spoilt in a known way; what is expected, and the
intervals, `assay eval --bounds` says."""

import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")

TARGET = '''
import json, subprocess, sys
sys.path.insert(0, HELPER)
import numpy
from assay.target import DTYPES, serve


class Spoilt:
    name, version, operations = "spoilt", "1", ["onednn.rnn", "openvino.random_uniform"]

    def supports(self, request):
        pass

    def run(self, request):
        out = right(request)
        for name, array in out.items():
            spoil(name, array)
        return out


def right(request):
    def tensor(name):
        array, dtype = request.inputs[name], request.dtypes[name]
        data, size = numpy.ascontiguousarray(array).tobytes(), array.dtype.itemsize
        bits = [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]
        return {"dtype": dtype, "shape": list(array.shape), "bits": bits}
    inputs = {name: tensor(name) for name in request.inputs}
    document = {"op": request.op, "attributes": request.attributes, "inputs": inputs}
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(document), capture_output=True,
                          text=True)
    answer = json.loads(done.stdout)
    out = {}
    for name, o in answer["outputs"].items():
        dtype = DTYPES[o["dtype"]]
        data = b"".join(int(b, 16).to_bytes(dtype.itemsize, "little") for b in o["bits"])
        out[name] = numpy.frombuffer(data, dtype=dtype).reshape(o["shape"]).copy()
    return out


def spoil(name, array):
    flat = array.reshape(-1)
    for i in range(flat.size):
        if i % 7 == 2 and i > flat.size // 3:
            flat[i] = numpy.nextafter(flat[i], numpy.float32(2))
        elif i % 7 == 3 and i > flat.size // 2:
            flat[i] = flat[i] + numpy.float32(0.25)
        elif i == flat.size - 1:
            flat[i] = numpy.nan


serve(Spoilt())
'''


def values(tensor, key="bits"):
    return numpy.array([int(b, 16) for b in tensor[key]], dtype=numpy.uint32).view(numpy.float32)


def spoil(array):
    space = {"numpy": numpy}
    exec(TARGET[TARGET.index("def spoil"):TARGET.index("serve(Spoilt")], space)
    space["spoil"]("", array)
    return array


def ulp_edge(expected, got):
    """The lower edge of the bin: 0, 0.5 for less than one, else a power of two; infinity is 2^33,
    the last."""
    if expected == got or (numpy.isnan(expected) and numpy.isnan(got)):
        return 0
    if not (numpy.isfinite(expected) and numpy.isfinite(got)):
        return 2.0**33
    unit = Fraction(float(numpy.spacing(abs(expected))))
    apart = abs(Fraction(float(got)) - Fraction(float(expected))) / unit
    edge = 0.5
    while apart >= 2 * edge or (edge == 0.5 and apart >= 1):
        edge *= 2
    return min(edge, 2.0**33)


def radius_bin(lower, upper, got):
    if numpy.isnan(got):
        return 10
    low, high, at = Fraction(float(lower)), Fraction(float(upper)), Fraction(float(got))
    if not low <= at <= high:
        return 10
    return 0 if low == high else min(9, int(abs(at - (low + high) / 2) / ((high - low) / 2) * 10))


def histogram(record, key):
    return {e: c for e, c in zip(record[key]["edges"], record[key]["counts"]) if c}


with tempfile.TemporaryDirectory() as folder:
    script, out = os.path.join(folder, "spoilt.py"), os.path.join(folder, "results.jsonl")
    with open(script, "w") as file:
        helper = repr(os.path.abspath("harness/python"))
        file.write(TARGET.replace("HELPER", helper).replace("ASSAY", repr(ASSAY)))
    for suite, case in (("openvino.random_uniform", "size-f32-5"),
                        ("onednn.rnn", "long-vanilla-tanh-16"),
                        ("onednn.rnn", "one-sweep-vanilla-tanh-f32")):
        subprocess.run([ASSAY, "certify", "--exec", f"{sys.executable} {script}", "--suite", suite,
                        "--case", case, "--quick", "--mode", "sequence", "--quiet", "--no-explain",
                        "--out", out], capture_output=True, check=False)
        record = [json.loads(line) for line in open(out)][1]
        check(record["verdict"] == "fail" and record["outputs"],
              f"{case}: the spoilt reference fails", record)
        request = subprocess.run([ASSAY, "show", case, "--suite", suite, "--json"],
                                 capture_output=True, text=True, check=True).stdout
        answer = json.loads(subprocess.run([ASSAY, "eval", "--bounds", "-"], input=request,
                                           capture_output=True, text=True, check=True).stdout)
        for output in record["outputs"]:
            tensor = answer["outputs"][output["name"]]
            expected, got = values(tensor), spoil(values(tensor).copy())
            count = {}
            for e, g in zip(expected, got):
                count[ulp_edge(e, g)] = count.get(ulp_edge(e, g), 0) + 1
            check(histogram(output, "ulp") == count,
                  f"{case}, {output['name']}: errors in ulp are counted right",
                  (output["ulp"], count))
            wrong = expected.view(numpy.uint32) != got.view(numpy.uint32)
            if "lower" in tensor:
                bins = [radius_bin(*x) for x in zip(values(tensor, "lower"),
                                                    values(tensor, "upper"), got)]
                count = {i / 10: bins.count(i) for i in range(11) if bins.count(i)}
                found = {round(e, 6): c for e, c in histogram(output, "radius").items()}
                # Where an element lies between two bins to the last bit, the double next to it may
                # fall on the other side.
                moved = sum(abs(found.get(i / 10, 0) - count.get(i / 10, 0)) for i in range(11))
                check(moved <= 2 and found.get(1.0, 0) == count.get(1.0, 0),
                      f"{case}, {output['name']}: the used radius is counted right", (found, count))
                wrong = numpy.array(bins) == 10
            shape = output["shape"]
            down = next((d for d in range(len(shape) - 1) if shape[d] > 1), max(len(shape) - 2, 0))
            rows, columns = (shape[down] if len(shape) > 1 else 1), shape[-1]
            if wrong.all() or (columns < 2 if rows > 1 else columns < 16):
                check("map" not in output,
                      f"{case}, {output['name']}: no map where there is nothing to see")
                continue
            cells = numpy.zeros((min(rows, 64), min(columns, 64)), dtype=int)
            for index in numpy.argwhere(wrong.reshape(shape)):
                cells[index[down] * cells.shape[0] // rows if len(shape) > 1 else 0,
                      index[-1] * cells.shape[1] // columns] += 1
            check(output["map"]["cells"] == cells.reshape(-1).tolist()
                  and output["wrong"] == wrong.sum(),
                  f"{case}, {output['name']}: wrong elements stand where they are",
                  (output["map"], cells))
            check(output["map"]["row_name"] == ("row" if down else "time"
                                                if output["name"] == "dst_layer"
                                                else "first index"),
                  f"{case}, {output['name']}: and the map says over what")
    subprocess.run([ASSAY, "certify", "--target", "reference", "--suite", "onednn.rnn", "--case",
                    "one-sweep-vanilla-tanh-f32", "--quick", "--quiet", "--out", out],
                   capture_output=True, check=True)
    record = [json.loads(line) for line in open(out)][1]
    check(record["verdict"] == "pass" and all("radius" in o and "ulp" not in o
                                              and o["elements"] == [] for o in record["outputs"]),
          "of what passes the used radius is told", record)
finish()
