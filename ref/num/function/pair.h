// SPDX-License-Identifier: Apache-2.0
// Numbers as the sum of two doubles. The operations and their errors are those of Joldes, Muller
// and Popescu 2017, doi:10.1145/3121432, and hold where nothing overflows or underflows: a sum is
// off by at most 4 * 2^-106 of itself, a product by 8 * 2^-106.

#ifndef ASSAY_REF_NUM_FUNCTION_PAIR_H
#define ASSAY_REF_NUM_FUNCTION_PAIR_H

#include <math.h>

// high + low, and high is that sum rounded.
struct function_pair {
    double high, low;
};

// Exactly a + b (Knuth).
static inline struct function_pair pair_two_sum(double a, double b)
{
    const double s = a + b, of_b = s - a, of_a = s - of_b;
    return (struct function_pair){s, (a - of_a) + (b - of_b)};
}

// The same for |a| >= |b|, or a zero.
static inline struct function_pair pair_fast_two_sum(double a, double b)
{
    const double s = a + b;
    return (struct function_pair){s, b - (s - a)};
}

// Exactly a * b.
static inline struct function_pair pair_two_product(double a, double b)
{
    const double p = a * b;
    return (struct function_pair){p, fma(a, b, -p)};
}

static inline struct function_pair pair_add(struct function_pair a, struct function_pair b)
{
    const struct function_pair s = pair_two_sum(a.high, b.high), t = pair_two_sum(a.low, b.low);
    const struct function_pair v = pair_fast_two_sum(s.high, s.low + t.high);
    return pair_fast_two_sum(v.high, t.low + v.low);
}

static inline struct function_pair pair_multiply(struct function_pair a, struct function_pair b)
{
    const struct function_pair c = pair_two_product(a.high, b.high);
    const double rest = fma(a.low, b.high, fma(a.high, b.low, a.low * b.low));
    return pair_fast_two_sum(c.high, c.low + rest);
}

static inline struct function_pair pair_divide(struct function_pair a, struct function_pair b)
{
    const double quotient = a.high / b.high;
    const struct function_pair back = pair_multiply(b, (struct function_pair){quotient, 0});
    return pair_fast_two_sum(quotient, ((a.high - back.high) + (a.low - back.low)) / b.high);
}

// a * 2^k
static inline struct function_pair pair_scaled(struct function_pair a, int k)
{
    return (struct function_pair){ldexp(a.high, k), ldexp(a.low, k)};
}

static inline struct function_pair pair_negated(struct function_pair a)
{
    return (struct function_pair){-a.high, -a.low};
}

#endif
