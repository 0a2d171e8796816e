# SPDX-License-Identifier: Apache-2.0
"""The runners of harness/targets/cuda without a GPU: cuRAND's device API and the runner through
CuPy give what the host API gives, and cuBLAS is asked for the products that are meant.

The device API is its header, compiled for the processor. CuPy is a stand-in of ours that calls
cuRAND's host generators, both skipped where nvidia-curand is not installed; cuBLAS is a library of
ours of the same functions."""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = ["harness/tests", "harness/targets/cuda"]
from rows import ROWS, requests_folder  # noqa: E402
from tap import check, expect, finish, skip  # noqa: E402

try:
    import numpy  # noqa: F401
except ImportError as missing:
    skip("runners of a GPU", missing)
    finish()

BUILD = os.environ.get("BUILD", "build")
ASSAY, FOLDER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "test-cuda-runners")
CUDA = "harness/targets/cuda"
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

# What the rows of cuBLAS call of it and of CUDA's runtime; operands lie column by column.
CUBLAS = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int cudaMalloc(void **to, size_t size) { return !(*to = malloc(size)); }
int cudaFree(void *at) { free(at); return 0; }
int cudaMemcpy(void *to, const void *from, size_t size, int way)
{ memcpy(to, from, size); return way != 1 && way != 2; }
int cudaDeviceGetAttribute(int *to, int which, int device) { *to = which; return device; }
int cublasCreate_v2(void **handle) { *handle = handle; return 0; }
int cublasGetVersion_v2(void *handle, int *to) { *to = 1; return !handle; }
static double at(const void *x, int type, long i)
{
    float wide;
    uint32_t bits;
    switch (type) {
    case 0: return ((const float *)x)[i];
    case 1: return ((const double *)x)[i];
    case 2: return ((const _Float16 *)x)[i];
    case 3: return ((const int8_t *)x)[i];
    default:
        bits = (uint32_t)((const uint16_t *)x)[i] << 16;
        memcpy(&wide, &bits, 4);
        return wide;
    }
}
static void put(void *x, int type, long i, double value)
{
    float wide = (float)value;
    uint32_t bits;
    switch (type) {
    case 0: ((float *)x)[i] = wide; break;
    case 1: ((double *)x)[i] = value; break;
    case 2: ((_Float16 *)x)[i] = (_Float16)wide; break;
    case 10: ((int32_t *)x)[i] = (int32_t)value; break;
    default:
        memcpy(&bits, &wide, 4);
        ((uint16_t *)x)[i] = (uint16_t)(wide != wide ? 0x7fc0 :
                                        (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}
int cublasGemmEx(void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha,
                 const void *A, int a, int lda, const void *B, int b, int ldb, const void *beta,
                 void *C, int c, int ldc, int compute, int algorithm)
{
    const int wide = compute == 70, whole = compute == 72;
    if (!handle || turn_a || turn_b || algorithm != -1 || (wide != (a == 1)) ||
        (whole && (lda % 4 || ldb % 4 || *(const int32_t *)alpha != 1)))
        return 7;
    if (!whole && (wide ? *(const double *)alpha : *(const float *)alpha) != 1)
        return 7;
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long l = 0; l < k; l++) {
                sum += at(A, a, i + l * lda) * at(B, b, l + j * ldb);
                if (!wide && !whole)
                    sum = (float)sum;
            }
            put(C, c, i + j * ldc, sum);
        }
    return !beta;
}
"""


def python(program, *arguments, **environment):
    return subprocess.run([sys.executable, os.path.join(CUDA, program), *arguments],
                          capture_output=True, text=True, env=os.environ | environment)


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


def nvcc_compiles():
    nvcc, name = shutil.which("nvcc"), "nvcc compiles the device API"
    if not nvcc or "ASSAY_FULL" not in os.environ:
        return skip(name, "ASSAY_FULL=1 does it" if nvcc else "there is no nvcc")
    done = subprocess.run([nvcc, "-O2", "-shared", "-Xcompiler", "-fPIC", "-o",
                           os.path.join(FOLDER, "device_api.so"), f"{CUDA}/device_api.cu"],
                          capture_output=True, text=True)
    return check(done.returncode == 0, name, done)


def cublas_multiplies():
    """The rows of cuBLAS, on a library of the same calls that multiplies on the processor."""
    compiler, stub = shutil.which(os.environ.get("CC", "cc")), os.path.join(FOLDER, "cublas.so")
    if not compiler:
        return skip("cuBLAS's rows", "there is no C compiler")
    source = os.path.join(FOLDER, "cublas.c")
    with open(source, "w") as file:
        file.write(CUBLAS)
    subprocess.run([compiler, "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", stub, source],
                   check=True)
    wanted = {"mat_mul": ("onnx.mat_mul", "*"), "integer": ("onnx.quantization", "matmul-*")}
    for name, (suite, case) in wanted.items():
        subprocess.run([ASSAY, "export", "--suite", suite, "--case", case, "--requests",
                        os.path.join(FOLDER, name)], capture_output=True, check=True)
    for kind, name, least in (("Products", "mat_mul", 36), ("ProductsTf32", "mat_mul", 26),
                              ("ProductsNarrow", "mat_mul", 12), ("ProductsI8", "integer", 9)):
        record = os.path.join(FOLDER, kind)
        done = subprocess.run(
            [sys.executable, "harness/python/assay/record.py", f"{CUDA}/cublas_products.py:{kind}",
             os.path.join(FOLDER, name), record], capture_output=True, text=True,
            env=os.environ | {"ASSAY_CUBLAS": stub, "ASSAY_CUDART": stub})
        judged = subprocess.run([ASSAY, "certify", "--recorded", record, "--suite",
                                 wanted[name][0]], capture_output=True,
                                text=True) if done.returncode == 0 else done
        passed = re.search(r"(\d+) of \d+ cases", judged.stdout)
        check(judged.returncode == 0 and passed and int(passed[1]) >= least,
              f"cuBLAS's row {kind} asks for what is meant", judged)
    return None


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    cublas_multiplies()
    nvcc_compiles()
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
    return finish()


main()
