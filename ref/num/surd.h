// SPDX-License-Identifier: Apache-2.0
// Sums of square roots of rationals with rational factors, exactly: what decides that such a sum is
// zero, or some other rational, which no enclosure ever shows.
//
// Square roots of rationals of which no two have a rational ratio are linearly independent over the
// rationals (Besicovitch 1940, doi:10.1112/jlms/s1-15.1.3). A sum with one term for each such class
// is therefore zero where it has no term, and rational where its only root is that of 1.

#ifndef ASSAY_REF_NUM_SURD_H
#define ASSAY_REF_NUM_SURD_H

#include <stdbool.h>

#include <gmp.h>

enum { SURD_TERMS_MAX = 8 };

struct surd_term {
    mpq_t times, under; // times * sqrt(under): times is not 0, under is positive
};

// Terms of different classes, the first `count` of those that are initialised. A root that is
// rational is 1.
struct surd {
    struct surd_term term[SURD_TERMS_MAX];
    unsigned count, held;
};

// `x` becomes 0; what it holds is freed.
void surd_init(struct surd *x);
void surd_clear(struct surd *x);

void surd_set(struct surd *to, const struct surd *from);
void surd_set_rational(struct surd *to, mpq_srcptr from);
void surd_set_whole(struct surd *to, long from);

// The rational that `x` is; false where it is none, and `to` is left alone.
bool surd_rational(const struct surd *x, mpq_ptr to);

void surd_negate(struct surd *x);
void surd_swap(struct surd *x, struct surd *y);

// x = x + y, x * y, x / y, sqrt(x). False where that has too many terms or, of a quotient, y is 0
// or has more than two terms; of a root, x is negative or not rational. x is anything then.
bool surd_add(struct surd *x, const struct surd *y);
bool surd_multiply(struct surd *x, const struct surd *y);
bool surd_divide(struct surd *x, const struct surd *y);
bool surd_root(struct surd *x);

// *sign = that of x: -1, 0 or 1. False where x has more than two terms.
bool surd_sign(const struct surd *x, int *sign);

#endif
