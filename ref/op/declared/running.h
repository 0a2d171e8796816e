// SPDX-License-Identifier: Apache-2.0
// A sum so far. It carries what each addition leaves out (Knuth) and adds it at the end, so that
// its error is that of the operands and a second order of the roundings; a sum that double holds is
// exact, with its sign.

#ifndef ASSAY_REF_OP_DECLARED_RUNNING_H
#define ASSAY_REF_OP_DECLARED_RUNNING_H

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/look.h"

// A sum so far: value + rest, off by at most error + 2^-53 * turned.
struct running {
    double *value, *rest, *error, *turned;
    double *count;     // of terms
    enum dtype narrow; // a sum in double is rounded to it after each term; NONE: nothing is lost
};

static inline void running_start(const struct running *sum, uint64_t i)
{
    sum->value[i] = sum->rest[i] = sum->error[i] = sum->turned[i] = sum->count[i] = 0;
}

static inline void running_add(const struct running *sum, ptrdiff_t i, double value, double error)
{
    if (sum->narrow) {
        const double so_far = sum->count[i] == 0 ? value : sum->value[i] + value;
        sum->value[i] =
            num_to_double(sum->narrow, num_convert(sum->narrow, DTYPE_F64, double_bits(so_far),
                                                   NUM_NEAREST_EVEN, NUM_IEEE));
    } else if (sum->count[i] == 0) { // a first -0 stays one
        sum->value[i] = value;
        sum->error[i] = error;
    } else {
        double rest;
        sum->value[i] = look_sum(sum->value[i], value, &rest);
        sum->rest[i] += rest;
        sum->turned[i] += fabs(sum->rest[i]);
        sum->error[i] += error;
    }
    sum->count[i]++;
}

// The estimate and its error, in place of value and error. What is not finite is left to the last
// resort.
static inline void running_finish(const struct running *sum, uint64_t i, bool mean)
{
    double rest, value = look_sum(sum->value[i], sum->rest[i], &rest);
    const double n = sum->count[i];
    if (sum->rest[i] == 0) { // the sum of a zero and a zero would lose its sign
        value = sum->value[i];
        rest = 0;
    }
    double error =
        (sum->error[i] * (1 + n * 0x1p-52) + sum->turned[i] * 0x1p-52 + fabs(rest)) * (1 + 0x1p-40);
    if (mean && n > 0) {
        const double quotient = value / n, left = fma(-quotient, n, value);
        error = (error + fabs(left)) / n * (1 + 0x1p-40) + (left != 0 ? 0x1p-1070 : 0);
        value = quotient;
    }
    sum->value[i] = value;
    sum->error[i] = isfinite(value) && error >= 0 && !(mean && n == 0) ? error : (double)INFINITY;
    if (sum->narrow)
        sum->error[i] = 0;
}

#endif
