# SPDX-License-Identifier: Apache-2.0
"""cuRAND's device API for record.py: compiles device_api.cu and calls it.

With nvcc it computes on a device. With ASSAY_CUDA_STAND_IN=1 a C++ compiler makes the same file for
the processor; the headers of CUDA and cuRAND must be there all the same (CUDA's own, or those of
the wheels nvidia-cuda-runtime and nvidia-curand).
"""

import atexit
import ctypes
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
from assay.target import Rejected, Unsupported
from driver import with_driver

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"curand.philox_bits": 0, "curand.philox_uniform": 1, "curand.philox_normal": 2}
STAND_IN = os.environ.get("ASSAY_CUDA_STAND_IN") == "1"


def include_folders():
    homes = [os.environ.get("CUDA_HOME", "/usr/local/cuda"), "/usr/local/cuda"]
    wheels = [found for path in sys.path for found in glob.glob(f"{path}/nvidia/*/include")]
    return [folder for folder in [*wheels, *(os.path.join(home, "include") for home in homes)]
            if os.path.isdir(folder)]


def compile_it():
    homes = [os.path.join(home, "bin") for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda")
             if home]
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(homes))
    compiler = os.environ.get("CXX", "c++") if STAND_IN else nvcc
    if not compiler:
        raise ImportError("there is no nvcc (CUDA_HOME says where CUDA lies)")
    folder = tempfile.mkdtemp(prefix="device-api.")
    atexit.register(shutil.rmtree, folder, True)
    library = os.path.join(folder, "device_api.so")
    options = ["-x", "c++", "-fPIC", "-ffp-contract=off"] if STAND_IN else \
        ["-arch=native", "-Xcompiler", "-fPIC"]
    includes = [word for one in include_folders() for word in ("-I", one)]
    done = subprocess.run([compiler, "-O2", "-shared", *options, *includes, "-o", library,
                           os.path.join(HERE, "device_api.cu")], capture_output=True, text=True)
    if done.returncode:
        raise ImportError(f"device_api.cu was not compiled: {done.stderr.strip()[-300:]}")
    return ctypes.CDLL(library)


LIBRARY = compile_it()
LIBRARY.device_api_draw.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64,
                                    ctypes.c_uint64, ctypes.c_void_p]
WHERE, HEADERS = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
LIBRARY.device_api_describe(WHERE, HEADERS, ctypes.c_size_t(256))

NAME = "curand_device_api"
VERSION = f"{HEADERS.value.decode()} (its headers), on a {'processor' if STAND_IN else 'device'}"
MACHINE = {} if STAND_IN else {"processor": with_driver(WHERE.value.decode())}


def supports(request):
    if request.window:
        raise Unsupported("no windows")
    for name, dtype in request.dtypes.items():
        if dtype != "u64" or request.shapes[name]:
            raise Unsupported(f"a kernel takes one {name} of 64 bits")
    if request.attributes.get("ordering", "default") != "default":
        raise Unsupported("the device API has no orderings")


def draw(request):
    dtype = {"u32": numpy.uint32, "f32": numpy.float32, "f64": numpy.float64}[
        request.attributes["dtype"]]
    out = numpy.zeros(request.attributes["count"], dtype)
    offset = int(request.inputs["offset"]) if "offset" in request.inputs else 0
    if offset + len(out) >= 2**64:
        raise Rejected("the kernel's elements are numbered by 64 bits")
    error = LIBRARY.device_api_draw(KINDS[request.op], dtype == numpy.float64,
                                    int(request.inputs["seed"]), offset, len(out),
                                    out.ctypes.data)
    if error:
        raise RuntimeError(f"CUDA: error {error}")
    return out


curand_philox_bits = curand_philox_uniform = curand_philox_normal = draw
