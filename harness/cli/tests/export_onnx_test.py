# SPDX-License-Identifier: Apache-2.0
"""`assay export --onnx`: what is written is what the package onnx calls a valid model, holds the
tensors of the request and of the reference, and runs in onnx's own runner of backend tests."""

import filecmp
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, "harness/tests")
from tap import check, checked, finish, report, skip

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
SUITES = ("onnx.rnn", "onnx.gru", "onnx.lstm")
DECLARED = sorted({os.path.basename(path)[:-5] for path in glob.glob("yaml/suites/onnx.*.yaml")} -
                  {*SUITES, "onnx.random", "onnx.range"})
# Its schema gives Y the type of scale, and its inference that of X.
CONTRADICTS = re.compile("onnx.rms_normalization/test_rows-(b?f[0-9]+)-(?!\\1/)")


def assay(*words, code=0, given=None):
    done = subprocess.run([ASSAY, *words], capture_output=True, text=True, input=given,
                          check=False)
    if code is not None and done.returncode != code:
        check(False, f"assay {' '.join(words)} ends with {code}", done)
    return done


def test_command(folder):
    at = lambda name: os.path.join(folder, name)
    one = ("--suite", "onnx.lstm", "--case", "clip-half", "--onnx")
    done = assay("export", *one, at("once"))
    check(done.stdout.startswith("1 folders"), "one case, one folder", done)
    done = assay("export", *one, at("once"), code=2)
    check("is there already" in done.stderr, "a folder of a case is not written twice", done)
    assay("export", *one, at("again"))
    same = filecmp.dircmp(at("once"), at("again"))
    names = [os.path.relpath(f, at("once")) for f in glob.glob(at("once/**"), recursive=True)
             if os.path.isfile(f)]
    check(not same.diff_files and len(names) == 18 and all(
        filecmp.cmp(os.path.join(at("once"), n), os.path.join(at("again"), n), shallow=False)
        for n in names), "equal cases give equal bytes", names)
    done = assay("export", *one, at("none"), "--initializers", "W,Q", code=2)
    check("'Q'" in done.stderr and not os.path.exists(at("none")),
          "an unknown initializer is named before anything is written", done)
    done = assay("export", "--suite", "philox", "--onnx", at("none"), code=4)
    check(done.returncode == 4, "a suite without ONNX operators gives none", done)
    for words in ("--onnx x --to x", "", "--to x --initializers W"):
        check(assay("export", *words.split(), code=2).returncode == 2, f"usage: export {words}")
    done = assay("export", *one, "/dev/full/x", code=None)
    check(done.returncode == 3 and "cannot make" in done.stderr, "a folder that cannot be", done)


def bits_of(array):
    """As the vocabulary writes them."""
    size = array.dtype.itemsize
    data = array.tobytes()
    return [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]


def read(base, name):
    return onnx.load_tensor(os.path.join(base, "test_data_set_0", name))


def test_values(folder):
    """Inputs, outputs and ends of one case of each type."""
    for case in ("clip-half", "step-dense-1.1", "step-dense-1.2", "lengths-of-forward"):
        for suite in SUITES:
            base = os.path.join(folder, suite, f"test_{case}")
            shown = assay("show", case, "--suite", suite, "--json").stdout
            answer = json.loads(assay("eval", "--bounds", "-", given=shown).stdout)["outputs"]
            graph = onnx.load(os.path.join(base, "model.onnx")).graph
            wrong = []
            for i, output in enumerate(graph.output):
                for kind, key in (("output", "bits"), ("low", "lower"), ("high", "upper")):
                    tensor = read(base, f"{kind}_{i}.pb")
                    if (bits_of(onnx.numpy_helper.to_array(tensor)) != answer[output.name][key]
                            or list(tensor.dims) != answer[output.name]["shape"]
                            or tensor.name != output.name):
                        wrong.append(f"{kind}_{i}.pb")
            for i, value in enumerate(graph.input):
                tensor = read(base, f"input_{i}.pb")
                kind = value.type.tensor_type
                if (tensor.name, tensor.data_type, list(tensor.dims)) != (
                        value.name, kind.elem_type, [d.dim_value for d in kind.shape.dim]):
                    wrong.append(f"input_{i}.pb")
            report(f"{suite} {case}: the reference's outputs and ends", ", ".join(wrong))


def test_models(folder, count, least, contradict=0):
    paths = sorted(glob.glob(os.path.join(folder, "*/*/model.onnx")))
    wrong, contradicted = [], 0
    for path in paths:
        model = onnx.load(path)
        try:
            onnx.checker.check_model(model, full_check=True)
            onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True,
                                              data_prop=True)
        except Exception as error:  # noqa: BLE001
            if CONTRADICTS.search(path) and "Y has inconsistent type" in str(error):
                onnx.checker.check_model(model)
                contradicted += 1
            else:
                wrong.append(f"{path}: {error}")
    check(len(paths) == count and count > least and not wrong and contradicted == contradict,
          f"all {count} models are valid, with strict inference of shapes; {contradict} to which "
          "onnx's own schema and inference give two types", [contradicted, *wrong[:5]])


def test_attributes(folder):
    for case in ("mixed-parameters", "clip-half", "coupled-drawn-2.0"):
        shown = json.loads(assay("show", case, "--suite", "onnx.lstm", "--json").stdout)
        asked = {k: v for k, v in shown["attributes"].items() if k not in ("opset", "layout")}
        model = onnx.load(os.path.join(folder, "onnx.lstm", f"test_{case}", "model.onnx"))
        (node,) = model.graph.node
        found = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        found = {k: [x.decode() for x in v] if k == "activations" else
                 v.decode() if isinstance(v, bytes) else v for k, v in found.items()}
        same = {name: numpy.array_equal(numpy.array(value, dtype="f4"), numpy.float32(found[name]))
                if name not in ("activations", "direction") else value == found[name]
                for name, value in asked.items() if name in found}
        left = set(asked) - set(found)
        check(all(same.values()) and len(same) > 1 and left <= {"direction"}
              and model.opset_import[0].version == shown["attributes"].get("opset", 22),
              f"{case}: attributes and opset are those of the request", [asked, found])


def run_tests(backend, folder, suite, include):
    """How many tests ran and which failed, by onnx's runner."""
    from onnx.backend.test.loader import load_model_tests
    from onnx.backend.test.runner import Runner
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner = Runner(backend)
        for case in load_model_tests(folder, suite):
            runner._add_model_test(case, suite)
        runner.include(include)
        tests = runner.test_cases[f"OnnxBackend{suite}ModelTest"]
        loaded = unittest.defaultTestLoader.loadTestsFromTestCase(tests)
        result = unittest.TextTestRunner(stream=io.StringIO()).run(loaded)
    return (result.testsRun - len(result.skipped),
            [f"{t.id()}: {e.strip().splitlines()[-1]}" for t, e in result.failures + result.errors])


def test_runner(folder, constant):
    onnxruntime.set_default_logger_severity(4)
    include = r"test_(step-dense-1.0|direction-(forward|bidirectional)-0|size-31.[023])_cpu"
    for suite in SUITES:
        ran, failed = run_tests(onnxruntime.backend, folder, suite, include)
        check(ran == 6 and not failed, f"{suite}: onnxruntime passes 6 in onnx's runner",
              [str(ran), *failed])
    ran, failed = run_tests(onnxruntime.backend, constant, "onnx.lstm", include)
    check(ran == 6 and not failed, "the same with weights as initializers", failed)
    path = os.path.join(folder, "onnx.lstm/test_step-dense-1.0")
    output = os.path.join(path, "test_data_set_0/output_1.pb")
    array = numpy.array(onnx.numpy_helper.to_array(onnx.load_tensor(output)))
    with open(os.path.join(path, "data.json")) as file:
        atol = json.load(file)["atol"]
    check(0 < atol < 1e-5, "the tolerance is that of rounding", atol)
    array.reshape(-1)[0] += 4 * atol
    onnx.save_tensor(onnx.numpy_helper.from_array(array, "Y_h"), output)
    ran, failed = run_tests(onnxruntime.backend, folder, "onnx.lstm", "test_step-dense-1.0_cpu")
    check(ran == 1 and len(failed) == 1, "an output off by more than the interval fails", failed)


def test_listed(folder):
    """An operator is a model of the nodes that its declaration lists."""
    path = os.path.join(folder, "onnx.fused", "test_gelu-f16-tanh", "model.onnx")
    nodes = [(n.op_type, *n.input, *n.output, *(a.name for a in n.attribute))
             for n in onnx.load(path).graph.node]
    check(nodes == [("MatMul", "A", "B", "product"), ("Add", "product", "C", "sum"),
                    ("Gelu", "sum", "Y", "approximate")], "nodes that a declaration lists", nodes)
    ran, failed = run_tests(onnxruntime.backend, folder, "onnx.fused", r"f32|exact")
    check(ran == 10 and not failed, "onnxruntime passes 10 such models in onnx's runner",
          [str(ran), *failed])


def test_initializers(folder):
    graph = onnx.load(os.path.join(folder, "onnx.lstm/test_clip-half/model.onnx")).graph
    check([v.name for v in graph.input] == ["X", "initial_h", "initial_c"]
          and [t.name for t in graph.initializer] == ["W", "R", "B", "P"],
          "initializers are no inputs", graph)
    files = os.listdir(os.path.join(folder, "onnx.lstm/test_clip-half/test_data_set_0"))
    check(len([f for f in files if f.startswith("input")]) == 3, "nor are they files", files)


with tempfile.TemporaryDirectory() as work:
    test_command(work)
    try:
        import numpy
        import onnx
        import onnx.numpy_helper
        import onnxruntime
        import onnxruntime.backend
    except ImportError as missing:
        skip("what onnx says of the models", missing)
        finish()
    every, weights = os.path.join(work, "every"), os.path.join(work, "weights")
    said = assay("export", "--onnx", every, "--suite", ",".join(SUITES)).stdout
    assay("export", "--onnx", weights, "--suite", "onnx.lstm", "--initializers", "W,R,B,P")
    checked("models")(lambda: test_models(every, int(said.split()[0]), 400))
    declared = os.path.join(work, "declared")
    said = assay("export", "--onnx", declared, "--suite", ",".join(DECLARED)).stdout
    checked("declared")(lambda: test_models(declared, int(said.split()[0]), 500, 12))
    check("0 of operators without an attribute opset" in said,
          "every declared operator says of which opset it is", [said])
    checked("listed")(lambda: test_listed(declared))
    checked("values")(lambda: test_values(every))
    checked("attributes")(lambda: test_attributes(every))
    checked("initializers")(lambda: test_initializers(weights))
    checked("runner")(lambda: test_runner(every, weights))
finish()
