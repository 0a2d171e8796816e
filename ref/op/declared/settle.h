// SPDX-License-Identifier: Apache-2.0
// The last resort: one element of an expression, enclosed with as many bits as its rounding needs.

#ifndef ASSAY_REF_OP_DECLARED_SETTLE_H
#define ASSAY_REF_OP_DECLARED_SETTLE_H

#include <gmp.h>

#include "ref/num/rounding.h"
#include "ref/op/declared/plan.h"

// The most bits: an element that they do not decide is an error that says so, never a guess.
enum { SETTLE_BITS_MAX = 8192 };

// Element `at` of `value`, rounded once to nearest even to `type`; *rationally says what decided
// it. ERROR_UNSUPPORTED where it cannot be decided: a number so near to a tie, or a comparison of
// equal ones that are not rational.
enum error settle_round(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        enum dtype type, enum num_overflow overflow, uint64_t *bits,
                        bool *rationally, struct diagnostic *diagnostic);

// The same where it is rational, by exact sums of square roots: false where it is not seen to be,
// an operand is infinite or NaN, or a divisor is zero.
bool settle_rational(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                     enum dtype type, enum num_overflow overflow, uint64_t *bits);

// The low bits of a whole number, as many as `type` has.
uint64_t settle_wrap(enum dtype type, mpz_srcptr whole);

// Sets what decimals and pi have beside the double nearest to them, to nearest.
void settle_scalars(struct plan *plan);

// The next place in a box, the last axis first, among the axes that `moves` names; false after the
// last, when all of them are 0 again.
static inline bool settle_next(unsigned rank, const uint64_t *size, const int64_t *moves,
                               uint64_t *at)
{
    for (unsigned i = rank; i-- > 0;) {
        if (!moves[i])
            continue;
        if (++at[i] < size[i])
            return true;
        at[i] = 0;
    }
    return false;
}

// The places of both operands of a product, for letters `index`.
void settle_product_places(const struct plan *plan, const struct plan_value *value,
                           const uint64_t *index, uint64_t (*at)[GRAPH_RANK_MAX]);

#endif
