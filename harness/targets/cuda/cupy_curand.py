# SPDX-License-Identifier: Apache-2.0
"""cuRAND's host API through CuPy (cupy.cuda.curand), PHILOX4_32_10, for record.py."""

import cupy
import numpy
from assay.target import Unsupported
from cupy.cuda import curand
from driver import with_driver

NAME = "cupy_curand"
VERSION = f"CuPy {cupy.__version__}, cuRAND {curand.getVersion()}"
MACHINE = {"processor": with_driver(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())}

PHILOX4_32_10 = 161
ORDERINGS = {"best": 100, "default": 101, "legacy": 103}
CALLS = {("bits", "u32"): curand.generate,
         ("uniform", "f32"): curand.generateUniform,
         ("uniform", "f64"): curand.generateUniformDouble,
         ("normal", "f32"): lambda *to: curand.generateNormal(*to, 0.0, 1.0),
         ("normal", "f64"): lambda *to: curand.generateNormalDouble(*to, 0.0, 1.0)}


def supports(request):
    if request.window:
        raise Unsupported("no windows")
    for name, dtype in request.dtypes.items():
        if dtype != "u64" or request.shapes[name]:
            raise Unsupported(f"a call takes one {name} of 64 bits")


def draw(request):
    name = request.attributes["dtype"]
    out = cupy.zeros(request.attributes["count"],
                     {"u32": numpy.uint32, "f32": numpy.float32, "f64": numpy.float64}[name])
    generator = curand.createGenerator(PHILOX4_32_10)
    try:
        curand.setGeneratorOrdering(generator,
                                    ORDERINGS[request.attributes.get("ordering", "default")])
        curand.setPseudoRandomGeneratorSeed(generator, int(request.inputs["seed"]))
        curand.setGeneratorOffset(generator, int(request.inputs.get("offset", 0)))
        if out.size:
            CALLS[request.op.rpartition("_")[2], name](generator, out.data.ptr, out.size)
    finally:
        curand.destroyGenerator(generator)
    return cupy.asnumpy(out)


curand_philox_bits = curand_philox_uniform = curand_philox_normal = draw
