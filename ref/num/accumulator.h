// SPDX-License-Identifier: Apache-2.0
// An exact sum: a fixed-point number wide enough for every product that this room forms.
//
// After Kulisch, "Computer arithmetic and validity" (2008), with carries kept in the upper halves
// of the words until the end.

#ifndef ASSAY_REF_NUM_ACCUMULATOR_H
#define ASSAY_REF_NUM_ACCUMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/num/exact.h"

// Bits from 2^ACCUMULATOR_LOWEST on: the product of two least subnormal doubles is 2^-2148, of
// eight least subnormal floats 2^-1192; the largest, of two doubles, is below 2^2048. The top words
// hold carries.
enum { ACCUMULATOR_LOWEST = -2176, ACCUMULATOR_WORDS = 136, ACCUMULATOR_FACTORS_MAX = 8 };

struct num_accumulator {
    int64_t word[ACCUMULATOR_WORDS]; // sum of word[i] * 2^(32 i + ACCUMULATOR_LOWEST)
    uint32_t additions;              // since the carries were last spread
    int first, last;                 // words outside [first, last] are zero
    bool not_a_number, positive_infinity, negative_infinity;
    bool any, only_negative_zeros; // of the terms so far
};

void num_accumulator_clear(struct num_accumulator *sum);

// Adds +- the exact product of `count` (1 to ACCUMULATOR_FACTORS_MAX) factors: any number of values
// of at most 24 significant bits with exponents of f32, or at most two doubles.
void num_accumulator_add_product(struct num_accumulator *sum, bool negative, unsigned count,
                                 const double *factor);

// The same for `count` products a[i * stride] * b[i * stride].
void num_accumulator_add_dot(struct num_accumulator *sum, const float *a, const float *b,
                             size_t stride, size_t count);

// The sum so far, normalised, with its sign and 64 leading bits; `sum` may be added to further.
struct num_exact num_accumulator_value(struct num_accumulator *sum);

#endif
