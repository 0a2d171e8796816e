// SPDX-License-Identifier: Apache-2.0
// Intervals of many neighbouring elements: the inner loops of bounds, one table for each
// instruction set, the same bits in each.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_SPAN_H
#define ASSAY_REF_OP_ONEDNN_RNN_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/num/product/expression_form.h"

enum { RNN_SPAN = 256 };

// No end is NaN; [-inf, inf] says that the number may be one.
struct rnn_span {
    double lower[RNN_SPAN], upper[RNN_SPAN];
};

// The ends of intervals that lie elsewhere.
struct rnn_ends {
    const double *lower, *upper;
};

// A product of one or two such factors.
struct rnn_product {
    struct rnn_ends factor[2];
    unsigned factors;
    int negative;
};

enum { RNN_PRODUCTS_MAX = 2 };

// A sum of terms on its way: before its last rounding it is within `error` of [lower, upper].
struct rnn_span_sum {
    struct rnn_span value;
    double error[RNN_SPAN], magnitude[RNN_SPAN];
    double least[RNN_SPAN]; // the least rounding error of a product so far
};

// Sums of leaves beside one another, as of a struct rnn_leaves.
struct rnn_leaf_sums {
    double *middle, *magnitude, *radius, *leaves, *bit;
};

// How far such a sum may be off: the roundings of its sums, u; flush, what each of its leaves may
// lose there; the relative error of its operands. From `limit` on, with a rounding `unit` for each
// leaf, a sum of magnitudes may overflow.
struct rnn_leaf_rules {
    double unit, limit, sum_unit, flush, operands;
};

// All of `count` elements: 0 to RNN_SPAN, or any number where plain arrays are given. Roundings are
// those of f32.
struct rnn_span_table {
    // The factor made of x (and y, for NUM_DIFFERENCE), and the roundings inside it, in whichever
    // form it is computed. Neither overlaps `out`.
    void (*factor)(enum num_form form, size_t count, const struct rnn_ends *x,
                   const struct rnn_ends *y, struct rnn_span *out);
    // large[i] = max(1, |value|)
    void (*start)(size_t count, const struct rnn_span *value, double *large);
    // value *= by; large[i] *= max(1, |by|)
    void (*multiply)(size_t count, const struct rnn_ends *by, struct rnn_span *value,
                     double *large);
    void (*negate)(size_t count, struct rnn_span *value);
    // flushed[i] = what becomes of an intermediate product below the smallest normal number;
    // infinite where a `partial` one may overflow
    void (*flush)(size_t count, double flush, bool partial, const struct rnn_span *value,
                  const double *large, double *flushed);
    // One more term, a product of which `inner` partial products were rounded, in any order of its
    // factors, and the `last` one too, or by the sum. `flushed` may be NULL.
    void (*add)(size_t count, unsigned inner, bool last, const struct rnn_span *term,
                const double *flushed, struct rnn_span_sum *sum);
    // The additions between more than two terms.
    void (*add_again)(size_t count, double additions, struct rnn_span_sum *sum);
    void (*close)(size_t count, const struct rnn_span_sum *sum, double *lower, double *upper);
    // All of that at once for a sum of 1 to RNN_PRODUCTS_MAX products, none of which is certainly
    // fused. No factor overlaps the result.
    void (*products)(size_t count, unsigned terms, const struct rnn_product *term, double flush,
                     double *lower, double *upper);
    // u*a + (1-u)*b: as written, as b + u*(a-b), or as u*a + b - u*b.
    void (*blend)(size_t count, double flush, const struct rnn_ends *u, const struct rnn_ends *a,
                  const struct rnn_ends *b, double *lower, double *upper);
    // Whether one is [-inf, inf].
    bool (*any)(size_t count, const double *lower, const double *upper);
    // Each end rounded to f32.
    void (*store_f32)(size_t count, double *lower, double *upper);
    // By ulps of the larger end, and by `absolute`.
    void (*widen)(size_t count, double ulps, double absolute, double *lower, double *upper);
    // How many intervals are not 0, and how many not single numbers.
    void (*tally)(size_t count, const double *lower, const double *upper, size_t *leaves,
                  size_t *wide);
    // middle, magnitude and radius of each interval
    void (*measure)(size_t count, const double *lower, const double *upper, double *middle,
                    double *magnitude, double *radius);
    // to[i] = factor * magnitude + radius
    void (*spread)(size_t count, double factor, const double *magnitude, const double *radius,
                   double *to);
    // The same of intervals, and the distance of the middle from value[i].
    void (*spread_around)(size_t count, double factor, const double *lower, const double *upper,
                          const float *value, double *to);
    // least[i] = min(least[i], the largest power of two that divides x[i])
    // odd[i] = max(odd[i], |x[i]| over that power: an odd integer, or 0)
    void (*low_bits)(size_t count, const double *x, double *least, double *odd);
    // The same of floats, and nonzero[i] += 1 where x[i] is not 0.
    void (*low_bits_f32)(size_t count, const float *x, float *least, float *odd, uint32_t *nonzero);
    // Bit number `bit` of nonzero[i] and bit 0 of wide[i] are set where interval i is not 0, and
    // where it is no single number.
    void (*mark)(size_t count, unsigned bit, const double *lower, const double *upper,
                 uint64_t *nonzero, uint64_t *wide);
    // Operands of a product of widths in f32 (num/product/intervals.h), from above, of intervals
    // and values; away is the radius and the distance of the middle from the value. On the left
    // factor[i] * magnitude + away, and |value|, both 2^-15 larger, as such a sum may be too small;
    // on the right, where `factor` is NULL, magnitude and away.
    void (*widths)(size_t count, const double *factor, const double *lower, const double *upper,
                   const float *value, float *first, float *second);
    // Sums of leaves that are no single numbers, as rnn_close_leaves has them, stored in f32.
    void (*close_leaves)(size_t count, const struct rnn_leaf_rules *rules,
                         const struct rnn_leaf_sums *sums, float *lower, float *upper);
    // middle += that of each interval, radius += its own + factor * its magnitude
    void (*add_leaves)(size_t count, double factor, const double *lower, const double *upper,
                       double *middle, double *radius);
    // The ends of sums of at most `leaves` products, off by `radius` + `more` = their own and
    // factor * the sum of magnitudes, and by `lost`; by anything from `limit` on. Where `middle` is
    // NULL it is `value`, which was rounded to f32.
    void (*close_dots)(size_t count, double factor, double limit, double leaves, double lost,
                       const double *middle, const float *value, const double *radius,
                       const double *more, double *lower, double *upper);
    // The same around values of f32, rounded to it, and stored in f32.
    void (*close_around)(size_t count, double factor, double limit, double leaves, double lost,
                         const float *value, const double *radius, const double *more, float *lower,
                         float *upper);
};

extern const struct rnn_span_table rnn_span_portable;
#if defined(__x86_64__)
extern const struct rnn_span_table rnn_span_avx2, rnn_span_avx512;
#endif

// The table of the instruction set in force.
const struct rnn_span_table *rnn_span_chosen(void);

#endif
