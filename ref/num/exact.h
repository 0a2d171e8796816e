// SPDX-License-Identifier: Apache-2.0
// An exact number on its way to a dtype: the one place where numbers become bits.

#ifndef ASSAY_REF_NUM_EXACT_H
#define ASSAY_REF_NUM_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/num/rounding.h"

// What the codes of a float dtype are beside a sign and a magnitude.
enum num_codes {
    NUM_SIGNED,      // both zeros; above the largest number infinity, if any, and NaN
    NUM_ONE_ZERO,    // no -0, whose code is NaN's; no infinity
    NUM_FINITE_ONLY, // both zeros; no infinity, no NaN
    NUM_POWERS       // f8e8m0: no sign and no zero, 2^(code - 127); the last code is NaN
};

// A float dtype: `precision` significant bits (the hidden one too), the exponent of the smallest
// normal number, and the codes of the largest finite number, of infinity (where there is none,
// NaN's) and of NaN (where there is none, what one becomes). The sign of NUM_POWERS is above its
// codes.
struct num_format {
    int precision, exponent_min, exponent_max;
    uint64_t largest, infinity, nan, sign;
    enum num_codes codes;
};

// NULL when dtype is not a float.
const struct num_format *num_format_of(enum dtype dtype);

// The largest magnitude that is no NaN: infinity's code, or the largest number's where there is no
// infinity. 0 when dtype is not a float.
uint64_t num_last_magnitude(enum dtype dtype);

// False when dtype is not a float.
bool num_is_nan(enum dtype dtype, uint64_t bits);

enum num_kind { NUM_FINITE, NUM_INFINITE, NUM_NOT_A_NUMBER };

// FINITE: (-1)^negative * m * 2^exponent with m = significand, or, with `sticky`, some m strictly
// between significand and significand + 1; then significand is at least 2^63.
struct num_exact {
    enum num_kind kind;
    bool negative, sticky;
    int exponent;
    uint64_t significand;
};

struct num_exact num_unpack(enum dtype from, uint64_t bits);
uint64_t num_pack(enum dtype to, struct num_exact value, enum num_rounding rounding,
                  enum num_overflow overflow);

// a + b of doubles rounded to odd; not finite when the sum is not.
double num_sum_to_odd(double a, double b);

#endif
