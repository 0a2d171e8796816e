// SPDX-License-Identifier: Apache-2.0
// The second look: one element of an expression in pairs of doubles.

#ifndef ASSAY_REF_OP_DECLARED_SECOND_H
#define ASSAY_REF_OP_DECLARED_SECOND_H

#include "ref/base/bytes.h"
#include "ref/num/function/pair.h"
#include "ref/op/declared/plan.h"

// A number, off from the pair by at most `error`, which is far less than the number.
struct second {
    struct function_pair pair;
    double error;
};

// Element `at` of `value`; false where pairs do not hold it well.
bool second_estimate(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                     struct second *to);

// The same rounded once to the nearest f64; false where that is not decided. A zero, whose sign is
// not known, is not.
static inline bool second_round(const struct plan *plan, const struct plan_value *value,
                                const uint64_t *at, uint64_t *bits)
{
    struct second x;
    if (!second_estimate(plan, value, at, &x) || x.pair.high == 0)
        return false;
    *bits = double_bits(x.pair.high);
    if (x.error == 0) // a sum or a product of two doubles: the high part is it rounded, ties too
        return true;
    // the sums below are off by at most 2^-105 of the number
    const double e = x.error * (1 + 0x1p-30) + fabs(x.pair.high) * 0x1p-100;
    const double low = x.pair.high + (x.pair.low - e), high = x.pair.high + (x.pair.low + e);
    *bits = double_bits(low);
    return low == high;
}

#endif
