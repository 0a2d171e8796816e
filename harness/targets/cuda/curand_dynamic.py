# SPDX-License-Identifier: Apache-2.0
"""How many subsequences of cuRAND's Philox take turns under each ordering: 65,536 under those whose
array is documented, under dynamic ordering as many as the device runs best.

usage: curand_dynamic.py [--stand-in] [DIR]

Draws 2^22 words twice, finds where the first subsequence goes on, and holds every word against
the generator under that number of turns. The stand-in is a generator on the processor, which has
no dynamic ordering. Prints a table, and writes it to DIR/orderings.md. Needs NumPy and libcurand
(ASSAY_CURAND, else that of the wheels or of the system); on a device libcudart (ASSAY_CUDART).
"""

import argparse
import ctypes
import os
import sys

import numpy
from native import Refused, call, cuda_runtime, library

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "..", "yaml", "tests"))
from fill import philox  # noqa: E402

PHILOX4_32_10, SEED, COUNT = 161, 20261124, 1 << 22
ORDERINGS = {"best": 100, "default": 101, "legacy": 103, "dynamic": 104}
KEY = SEED & 0xFFFFFFFF, SEED >> 32


def draw(curand, cudart, ordering):
    """COUNT words, on the processor where there is no cudart."""
    generator, words = ctypes.c_void_p(), numpy.zeros(COUNT, numpy.uint32)
    size, here = ctypes.c_size_t(words.nbytes), ctypes.c_void_p(words.ctypes.data)
    there = ctypes.c_void_p(here.value)
    if cudart:
        call(cudart, "cudaMalloc", ctypes.byref(there), size)
    call(curand, "curandCreateGenerator" + ("" if cudart else "Host"), ctypes.byref(generator),
         PHILOX4_32_10)
    try:
        call(curand, "curandSetGeneratorOrdering", generator, ordering)
        call(curand, "curandSetPseudoRandomGeneratorSeed", generator, ctypes.c_ulonglong(SEED))
        call(curand, "curandGenerate", generator, there, ctypes.c_size_t(COUNT))
        if cudart:
            call(cudart, "cudaMemcpy", here, there, size, 2)
    finally:
        curand.curandDestroyGenerator(generator)
        if cudart:
            cudart.cudaFree(there)
    return words


def turns(words):
    """How many subsequences take turns of four words each; None where they do not."""
    second = numpy.array(philox((1, 0, 0, 0), KEY), numpy.uint32)
    blocks = words[:len(words) // 4 * 4].reshape(-1, 4)
    found = numpy.flatnonzero((blocks == second).all(1))
    if len(found) != 1:
        return None
    count = int(found[0])
    place = numpy.arange(len(blocks), dtype=numpy.uint64)
    nothing = numpy.zeros_like(place)
    right = philox((place // count, nothing, place % count, nothing), KEY)
    return count if all((blocks[:, i] == right[i]).all() for i in range(4)) else None


def table(curand, cudart):
    yield "| ordering | subsequences that take turns | words that differ when drawn again |"
    yield "|---|---|---|"
    for name, ordering in ORDERINGS.items():
        try:
            words = draw(curand, cudart, ordering)
            again = int((words != draw(curand, cudart, ordering)).sum())
        except Refused as why:
            yield f"| {name} | refused: {why} | - |"
            continue
        yield f"| {name} | {turns(words) or 'no such number'} | {again} |"


def main():
    parser = argparse.ArgumentParser(prog="curand_dynamic.py")
    parser.add_argument("--stand-in", action="store_true", help="on the processor")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="where orderings.md goes")
    given = parser.parse_args()
    try:
        curand = library("ASSAY_CURAND", "libcurand.so.10")
        cudart = None if given.stand_in else cuda_runtime()
    except Refused as why:
        print(f"curand_dynamic.py: {why}", file=sys.stderr)
        return 3
    version = ctypes.c_int()
    call(curand, "curandGetVersion", ctypes.byref(version))
    where = "a device" if cudart else "the processor, as a stand-in"
    lines = [f"cuRAND {version.value}, PHILOX4_32_10, {COUNT} words on {where}:", "",
             *table(curand, cudart)]
    print("\n".join(lines), flush=True)
    if given.folder:
        with open(os.path.join(given.folder, "orderings.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
