// SPDX-License-Identifier: Apache-2.0
// Enclosures in MPFR: words on numbers that are known to lie between two others. Private to
// settle*.c, but for ends of functions.

#ifndef ASSAY_REF_OP_DECLARED_SETTLE_SPAN_H
#define ASSAY_REF_OP_DECLARED_SETTLE_SPAN_H

#include <mpfr.h>

#include "ref/op/declared/plan.h"

struct span {
    mpfr_t low, high;
};

struct settle {
    const struct plan *plan;
    mpfr_prec_t precision;
    bool unknown; // some enclosure has no bounds
};

static inline void span_start(const struct settle *s, struct span *span)
{
    mpfr_inits2(s->precision, span->low, span->high, (mpfr_ptr)0);
}

static inline void span_end(struct span *span)
{
    mpfr_clears(span->low, span->high, (mpfr_ptr)0);
}

static inline bool span_is_point(const struct span *span)
{
    return mpfr_nan_p(span->low) || (mpfr_equal_p(span->low, span->high) &&
                                     mpfr_signbit(span->low) == mpfr_signbit(span->high));
}

static inline bool span_is_nan(const struct span *span)
{
    return mpfr_nan_p(span->low) != 0;
}

static inline void span_set_double(struct span *to, double number)
{
    mpfr_set_d(to->low, number, MPFR_RNDN);
    mpfr_set(to->high, to->low, MPFR_RNDN);
}

static inline void span_set_nothing(struct settle *s, struct span *to)
{
    s->unknown = true;
    span_set_double(to, 0);
}

// `to` = the word of the others; where an enclosure has no bounds, `unknown` is set. What changes
// `to` alone begins with its operand there.
void span_add(struct settle *s, struct span *to, const struct span *a, const struct span *b);
void span_negate(struct span *to);
void span_multiply(struct settle *s, struct span *to, const struct span *a, const struct span *b);
void span_divide(struct settle *s, struct span *to, const struct span *a, const struct span *b);
void span_power(struct settle *s, struct span *to, const struct span *a, const struct span *b);
void span_absolute(struct span *to);
void span_larger(struct span *to, const struct span *a, bool least);

// x = the function of x, rounded so; sin, cos and tan of a point.
void span_end_of(enum word_op op, mpfr_ptr x, mpfr_rnd_t rounding);

// Where it grows, or is acos, which falls.
void span_monotone(struct settle *s, enum word_op op, struct span *to);
void span_reciprocal_root(struct settle *s, struct span *to);
void span_circular(struct settle *s, enum word_op op, struct span *to);
void span_tangent(struct settle *s, struct span *to);
void span_compare(struct settle *s, enum word_op op, struct span *to, const struct span *b);
bool span_truth(struct settle *s, const struct span *of);

#endif
