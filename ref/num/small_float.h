// SPDX-License-Identifier: Apache-2.0
// Numbers of every dtype as bits, and conversions that round once.
//
// f16, f32 and f64 are IEEE 754's binary16, 32 and 64; bf16 is the upper half of binary32; f8e4m3
// and f8e5m2 are the OCP 8-bit formats (OFP8, revision 1.0): e4m3 has no infinity, its one NaN a
// sign is 0x7f, its largest number 448. f8e4m3fnuz and f8e5m2fnuz (arXiv:2206.02915) have a bias
// that is larger by 1, no infinity, no -0, and one NaN, 0x80. f8e8m0 and f4e2m1 are the scale and
// the element of OCP's MX formats (revision 1.0). f8e8m0: 2^-127 to 2^127, and NaN, 0xff; ties go
// to the larger power; what lies above 0 and below 2^-127 becomes that; 0 is NaN, or 2^-127 where
// it saturates; what is negative is NaN. f4e2m1: up to 6, where all that is larger stays; it has no
// NaN: one becomes 6.
// Another NaN that these functions give is the positive quiet one without a payload (7f, 7e, 7e00,
// 7fc0, 7fc00000, 7ff8000000000000), whatever NaN came in.
// Subnormals are kept. Nothing here depends on the rounding mode of the processor except where a
// comment says so; num_environment_enter (environment.h) makes sure of that mode.

#ifndef ASSAY_REF_NUM_SMALL_FLOAT_H
#define ASSAY_REF_NUM_SMALL_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/num/rounding.h"

// `bits` of dtype `from` as a number of dtype `to`. Between integers and floats in any direction; a
// float becomes an integer by `rounding`, a NaN becomes 0. Bool: 1 for anything but zero (NaN is
// 1).
uint64_t num_convert(enum dtype to, enum dtype from, uint64_t bits, enum num_rounding rounding,
                     enum num_overflow overflow);

// `value` rounded once, to nearest even, to a float dtype.
uint64_t num_from_double(enum dtype to, double value);

// The number itself: exact for bool, every float dtype and integers up to 32 bits; 64-bit integers
// are rounded to nearest even.
double num_to_double(enum dtype from, uint64_t bits);

// num_convert to nearest even with NUM_IEEE, for `count` dense elements in native byte order. The
// arrays may be one and the same when both dtypes have one size, and must not overlap otherwise.
void num_convert_array(enum dtype to, void *out, enum dtype from, const void *in, size_t count);

// ---- one node, one rounding ---------------------------------------------------
// The exact value on the stored operands, rounded once to nearest even to the same float dtype.
// Infinities, NaN and signed zeros as IEEE 754 has them; f8e4m3 has a NaN in place of infinities.

uint64_t num_add(enum dtype dtype, uint64_t a, uint64_t b);
uint64_t num_subtract(enum dtype dtype, uint64_t a, uint64_t b);
uint64_t num_multiply(enum dtype dtype, uint64_t a, uint64_t b);
uint64_t num_fma(enum dtype dtype, uint64_t a, uint64_t b, uint64_t c); // a * b + c

// The sign flipped; a NaN stays the canonical one, which f8e8m0, without a sign, has for all.
uint64_t num_negate(enum dtype dtype, uint64_t a);

// False when either is NaN; -0 and +0 are equal.
bool num_less(enum dtype dtype, uint64_t a, uint64_t b);

#endif
