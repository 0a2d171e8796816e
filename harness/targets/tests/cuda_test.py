# SPDX-License-Identifier: Apache-2.0
"""The rows of harness/targets/cuda without a GPU and without PyTorch: what they name is there, the
records that are kept are judged as their table says, cuRAND's device API and the runner through
CuPy give what the host API gives.

The device API is its header, compiled for the processor. CuPy is a stand-in of ours that calls
cuRAND's host generators. Both are skipped where nvidia-curand is not installed."""

import glob
import os
import shutil
import subprocess
import sys

sys.path[:0] = ["harness/tests", "harness/targets/cuda"]
from rows import ROWS, requests_folder  # noqa: E402
from tap import check, expect, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY, FOLDER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "test-cuda")
CUDA, KEPT = "harness/targets/cuda", "harness/targets/cuda/stand-in"
CURAND = glob.glob(os.path.join(os.path.dirname(os.path.dirname(sys.executable)),
                                "lib/python3*/site-packages/nvidia/*/lib/libcurand.so.10"))

CUPY = """
import numpy
from types import SimpleNamespace
__version__ = "stand-in"
zeros = lambda count, dtype: Array(count, dtype)
asnumpy = lambda array: array.held
class Array:
    def __init__(self, count, dtype):
        self.held, self.size = numpy.zeros(count, dtype), count
        self.data = SimpleNamespace(ptr=self.held.ctypes.data)
"""
CUPY_CUDA = """
import ctypes, os
from types import ModuleType, SimpleNamespace
runtime = SimpleNamespace(getDeviceProperties=lambda _: {"name": b"stand-in"})
library = ctypes.CDLL(os.environ["ASSAY_CURAND"])
def call(name, *arguments):
    if getattr(library, name)(*arguments):
        raise RuntimeError(name)
def create(kind):
    made = ctypes.c_void_p()
    call("curandCreateGeneratorHost", ctypes.byref(made), kind)
    return made
def fill(name, kind=None):
    return lambda generator, to, count, *law: call(
        name, generator, ctypes.c_void_p(to), ctypes.c_size_t(count), *map(kind or int, law))
wide = ctypes.c_ulonglong
curand = SimpleNamespace(
    getVersion=lambda: 0, createGenerator=create,
    destroyGenerator=lambda g: call("curandDestroyGenerator", g),
    setGeneratorOrdering=lambda g, to: call("curandSetGeneratorOrdering", g, to),
    setPseudoRandomGeneratorSeed=lambda g, to: call("curandSetPseudoRandomGeneratorSeed", g,
                                                    wide(to)),
    setGeneratorOffset=lambda g, to: call("curandSetGeneratorOffset", g, wide(to)),
    generate=fill("curandGenerate"), generateUniform=fill("curandGenerateUniform"),
    generateUniformDouble=fill("curandGenerateUniformDouble"),
    generateNormal=fill("curandGenerateNormal", ctypes.c_float),
    generateNormalDouble=fill("curandGenerateNormalDouble", ctypes.c_double))
"""


def python(program, *arguments, **environment):
    return subprocess.run([sys.executable, os.path.join(CUDA, program), *arguments],
                          capture_output=True, text=True, env=os.environ | environment)


def rows_are_whole():
    for row in ROWS:
        settings = (row.device, row.stand_in)
        runs = any(isinstance(one, dict) for one in settings)
        place = row.place.partition(":")[0]
        where = place.replace("targets/", "../").replace(".so", ".c")
        if runs != bool(row.suites) or (runs and not os.path.exists(os.path.join(CUDA, where))):
            return f"{row.name}: suites {row.suites}, {place}"
        if not all(isinstance(one, dict) or len(one) > 20 for one in settings):
            return f"{row.name}: no reason"
        for suite in row.suites:
            if not os.path.exists(f"yaml/suites/{suite}.yaml"):
                return f"{row.name}: {suite}"
    return None


def columns(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip("| \n").split(" | ") for line in file.readlines()[2:]]


def kept_are_judged():
    """Of suites that are about generators: others follow as their bounds do."""
    place = os.path.join(FOLDER, "kept")
    shutil.copytree(KEPT, place)
    for name in os.listdir(place):
        if not name.startswith(("curand", "torch-draws")):
            path = os.path.join(place, name)
            shutil.rmtree(path) if os.path.isdir(path) else None
    done = python("judge_rows.py", "--assay", ASSAY, place)
    told = [row for row in columns(os.path.join(KEPT, "verdicts.md"))
            if os.path.exists(os.path.join(place, row[0], row[1], "record.jsonl"))]
    check(done.returncode == 0 and len(told) > 3 and
          columns(os.path.join(place, "verdicts.md")) == told,
          "the records that are kept are judged as their table says", done)


def recorded(name, **environment):
    """A row as a stand-in, with what it needs exported; its line, and the verdicts."""
    [row] = [row for row in ROWS if row.name == name]
    requests, records = os.path.join(FOLDER, "requests"), os.path.join(FOLDER, name)
    wanted = os.path.join(requests, requests_folder(row, "cousins"))
    os.makedirs(requests, exist_ok=True)
    if not os.path.exists(wanted):
        subprocess.run([ASSAY, "export", "--suite", "cousins", "--case", row.case, "--requests",
                        wanted], capture_output=True, check=True)
    done = python("record_rows.py", "--stand-in", "--only", name, "--build", BUILD, requests,
                  records, **environment)
    return done, python("judge_rows.py", "--assay", ASSAY, records)


def cupy_agrees(row):
    """The runner through CuPy, on a module of that name that calls the host generators."""
    place = os.path.join(FOLDER, "modules")
    os.makedirs(os.path.join(place, "cupy"), exist_ok=True)
    for name, text in (("__init__", CUPY), ("cuda", CUPY_CUDA)):
        with open(os.path.join(place, "cupy", name + ".py"), "w") as file:
            file.write(text)
    requests = os.path.join(FOLDER, "requests", requests_folder(row, "cousins"))
    record = os.path.join(FOLDER, "cupy")
    done = subprocess.run([sys.executable, "harness/python/assay/record.py",
                           f"{CUDA}/cupy_curand.py", requests, record], capture_output=True,
                          text=True, env=os.environ | {"PYTHONPATH": place,
                                                       "ASSAY_CURAND": CURAND[0]})
    judged = subprocess.run([ASSAY, "certify", "--recorded", record, "--suite", "cousins",
                             "--known", "harness/targets/known.yaml"], capture_output=True,
                            text=True) if done.returncode == 0 else done
    expect(judged, 1, ["27 of 278 cases", "all 2 failures: offset_of_f64=words"],
           "the runner through CuPy gives what the host API gives, doubles at an offset too")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    wrong = rows_are_whole()
    check(not wrong, "each row has its module, its suites and its reasons", wrong)
    kept_are_judged()
    if not CURAND:
        skip("cuRAND's device API and the runner through CuPy", "nvidia-curand is not installed")
        return finish()
    done, judged = recorded("curand-host-api")
    expect(done, 0, ["| curand-host-api | yes |"], "the host API is recorded by assay-runner")
    check(judged.returncode == 0, "and right but for what is listed", judged)
    if not shutil.which(os.environ.get("CXX", "c++")):
        skip("cuRAND's device API", "there is no C++ compiler")
    else:
        done, judged = recorded("curand-device-api")
        if "not compiled" in done.stdout and "cuda_runtime" in done.stdout:
            skip("cuRAND's device API", "there are no headers of CUDA")
        else:
            expect(done, 0, ["| curand-device-api | yes |"], "the device API is recorded")
            expect(judged, 0, ["| curand-device-api | cousins | 23 | 0 | 0 |"],
                   "and right, doubles at an offset too")
    cupy_agrees([row for row in ROWS if row.name == "curand-host-api"][0])
    finish()


main()
