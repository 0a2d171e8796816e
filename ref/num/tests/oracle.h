// SPDX-License-Identifier: Apache-2.0
// What MPFR says: the other opinion in the tests of this room. Formats are told to MPFR as a
// precision and a range of exponents; nothing of ref/num is used but the table's numbers being
// checked elsewhere.

#ifndef ASSAY_REF_NUM_TESTS_ORACLE_H
#define ASSAY_REF_NUM_TESTS_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpfr.h>

#include "ref/base/bytes.h"
#include "ref/base/dtype.h"

// Precision and exponents as MPFR counts them: numbers 0.1xxx * 2^e, and the smallest e of a
// subnormal.
struct oracle_format {
    int precision, emin, emax;
};

static inline struct oracle_format oracle_format_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_F16:
        return (struct oracle_format){11, -23, 16};
    case DTYPE_BF16:
        return (struct oracle_format){8, -132, 128};
    case DTYPE_F32:
        return (struct oracle_format){24, -148, 128};
    case DTYPE_F8E4M3:
        return (struct oracle_format){4, -8, 9};
    case DTYPE_F8E5M2:
        return (struct oracle_format){3, -15, 16};
    default:
        return (struct oracle_format){53, -1073, 1024};
    }
}

// `x` rounded to the format of `dtype`, as the double of that value. f8e4m3: NaN where the result
// exceeds 448.
static inline double oracle_round(enum dtype dtype, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    const struct oracle_format f = oracle_format_of(dtype);
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, f.precision);
    int ternary = mpfr_set(y, x, rounding);
    mpfr_set_emin(f.emin);
    mpfr_set_emax(f.emax);
    ternary = mpfr_check_range(y, ternary, rounding);
    mpfr_subnormalize(y, ternary, rounding);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    const double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return dtype == DTYPE_F8E4M3 && fabs(result) > 448 ? (double)NAN : result;
}

static inline bool oracle_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || double_bits(a) == double_bits(b);
}

// A small generator for test data: Marsaglia's xorshift64* is enough here.
static inline uint64_t oracle_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

#endif
