# SPDX-License-Identifier: Apache-2.0
"""Small types against ml_dtypes and NumPy: every code to f32, and, of floats, every f32 near a tie,
with many others, from f32.

The room's objects are linked into a shared library that ctypes calls. TAP on standard output.
"""

import ctypes
import glob
import os
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")

try:
    import ml_dtypes
    import numpy as np
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed (scripts/setup)")
    sys.exit(0)

# Names of ref/base/dtype.h with their numbers there, whose type is the same, and bits of a code.
F32 = 12
TYPES = {
    "f16": (10, np.float16, 16),
    "bf16": (11, ml_dtypes.bfloat16, 16),
    "f8e4m3": (14, ml_dtypes.float8_e4m3fn, 8),
    "f8e5m2": (15, ml_dtypes.float8_e5m2, 8),
    "f8e4m3fnuz": (16, ml_dtypes.float8_e4m3fnuz, 8),
    "f8e5m2fnuz": (17, ml_dtypes.float8_e5m2fnuz, 8),
    "f8e8m0": (18, ml_dtypes.float8_e8m0fnu, 8),
    "f4e2m1": (19, ml_dtypes.float4_e2m1fn, 4),
}
INTEGERS = {
    "i4": (20, ml_dtypes.int4, 4),
    "u4": (21, ml_dtypes.uint4, 4),
    "i2": (22, ml_dtypes.int2, 2),
    "u2": (23, ml_dtypes.uint2, 2),
}


def room():
    """The objects of ref/num and ref/base as a loaded library."""
    library = f"{BUILD}/tests/ref_num.so"
    objects = [name for room in ("num", "base")
               for name in glob.glob(f"{BUILD}/obj/ref/{room}/**/*.o", recursive=True)
               if "/tests/" not in name]
    os.makedirs(f"{BUILD}/tests", exist_ok=True)
    libraries = "-lyajl -lcrypto -lsqlite3 -lmpfr -lgmp -ldl -lm -lpthread".split()
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o", library, *objects, *libraries],
                   check=True)
    return ctypes.CDLL(os.path.abspath(library))


NUM = room()
NUM.dtype_name.restype = ctypes.c_char_p


def convert(to, frm, source, width):
    result = np.empty(len(source), width)
    NUM.num_convert_array(
        to,
        result.ctypes.data_as(ctypes.c_void_p),
        frm,
        source.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(source)),
    )
    return result


def same(ours, theirs, of_nan=False):
    """Equal bits, or NaN both (their payloads and signs travel, ours do not), or made of a NaN in a
    type that has none.
    """
    nan = np.isnan(theirs.astype(np.float32)) | of_nan
    bits = theirs.view(ours.dtype)
    return bool(np.array_equal(ours[~nan], bits[~nan])), nan


def check(number, name, passed, detail=""):
    print(
        f"{'ok' if passed else 'not ok'} {number} - "
        f"{name}{' # ' + detail if detail and not passed else ''}"
    )
    return passed


def main():
    tests = 2 * len(TYPES) + len(INTEGERS)
    numbers = iter(range(1, 1 + tests))
    print(f"1..{tests}")
    passed = True
    rng = np.random.default_rng(1)
    for name, (code, theirs, bits) in (TYPES | INTEGERS).items():
        assert NUM.dtype_name(code).decode() == name
        assert NUM.dtype_bits(code) == bits
        unsigned = np.uint16 if bits == 16 else np.uint8
        codes = np.arange(1 << bits, dtype=np.uint32).astype(unsigned)
        wide = convert(F32, code, codes, np.uint32)
        equal, _ = same(wide, codes.view(theirs).astype(np.float32))
        passed &= check(next(numbers), f"every code of {name} is the same f32", equal)
        if name in INTEGERS:
            continue
        # Values, midpoints of neighbours, and the f32 on either side of both; then f32 of any bits.
        with np.errstate(all="ignore"):
            finite = codes.view(theirs).astype(np.float64)
        finite = np.sort(finite[np.isfinite(finite)])
        middle = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
        near = np.concatenate([finite.astype(np.float32), middle])
        bits = np.concatenate(
            [near.view(np.uint32) + np.uint32(d) for d in (0, 1, 2, 0xFFFFFFFF, 0xFFFFFFFE)]
            + [rng.integers(0, 1 << 32, 1 << 21, dtype=np.uint32)]
        )
        ours = convert(code, F32, bits, unsigned)
        with np.errstate(all="ignore"):
            single = bits.view(np.float32)
            expected = single.astype(theirs)
            if name == "f8e8m0":  # ml_dtypes 0.6 rounds these up, though 2^-127 is nearer
                low = (single > 2.0 ** -127) & (single < 1.5 * 2.0 ** -127)
                expected[low] = 2.0 ** -127
            equal, nan = same(ours, expected, np.isnan(single))
        canonical = np.unique(ours[nan])
        passed &= check(
            next(numbers),
            f"f32 becomes the same {name}, {len(bits)} numbers",
            equal and len(canonical) <= 1,
            f"NaN codes {canonical}",
        )
    return 0 if passed else 1


sys.exit(main())
