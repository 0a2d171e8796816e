// SPDX-License-Identifier: Apache-2.0
// The second look: elementary functions as the sum of two doubles, for results of f64;
// ref/PROOFS.md, "Functions in f64", has the proof of its error.

#include <math.h>

#include "ref/num/function/function_estimate.h"
#include "ref/num/function/pair.h"

static const struct function_pair one = {1, 0};

// 1 / n!, whose residue is exact in one fused operation.
static struct function_pair reciprocal_factorial(int n)
{
    double factorial = 1;
    for (int i = 2; i <= n; i++)
        factorial *= i;
    const double high = 1 / factorial;
    return (struct function_pair){high, fma(-high, factorial, 1) / factorial};
}

enum { PAIRED = 7, LAST = 20 }; // terms r^n / n!: as pairs to the first, in double to the second

// exp(x) = 2^k (1 + p): gives p and *k. |x| <= 700. ln 2 in two parts of 42 bits, whose products
// are exact.
static struct function_pair expm1_reduced(double x, int *k)
{
    const double multiple = rint(x * 0x1.71547652b82fep+0);
    const struct function_pair r =
        pair_two_sum(x - multiple * 0x1.62e42fefa3800p-1, -(multiple * 0x1.ef35793c76800p-45));
    double tail = 0;
    for (int n = LAST; n > PAIRED + 1; n--)
        tail = (1 + tail) * r.high / n;
    struct function_pair q = {(1 + tail) / 40320, 0};
    for (int n = PAIRED; n >= 2; n--)
        q = pair_add(pair_multiply(q, r), reciprocal_factorial(n));
    *k = (int)multiple;
    return pair_add(r, pair_multiply(pair_multiply(r, r), q));
}

// exp(x) - 1 = 2^k (p + 1 - 2^-k)
static struct function_pair expm1_of(double x, int *k)
{
    const struct function_pair p = expm1_reduced(x, k);
    return *k ? pair_add(p, pair_two_sum(1, -ldexp(1, -*k))) : p;
}

// log(u) = start + log(u exp(-start)) = start + log(1 + d), which is start + d but for d*d / 2.
// False when the start is not good to 44 bits, or zero.
static bool log_of(struct function_pair u, double start, struct function_pair *result)
{
    int k;
    const struct function_pair p = expm1_reduced(-start, &k), v = pair_scaled(u, k);
    const struct function_pair d = pair_add(pair_multiply(p, v), pair_two_sum(v.high - 1, v.low));
    *result = pair_add((struct function_pair){start, 0}, d);
    return fabs(d.high) < 0x1p-44 * fabs(start);
}

bool function_second_estimate(enum num_function function, double x, struct function_pair *y, int *k)
{
    const double a = fabs(x);
    struct function_pair inner;
    *k = 0;
    if (!(a >= 0x1p-200 && a <= 0x1p900))
        return false;
    switch (function) {
    case NUM_EXP:
        if (a > 700)
            return false;
        *y = pair_add(expm1_reduced(x, k), one);
        return true;
    case NUM_EXPM1:
        if (a > 700)
            return false;
        *y = expm1_of(x, k);
        return true;
    case NUM_TANH:
        if (a > 20)
            return false;
        inner = expm1_of(-2 * a, k);
        inner = pair_scaled(inner, *k);
        *k = 0;
        *y = pair_divide(x < 0 ? inner : pair_negated(inner),
                         pair_add(inner, (struct function_pair){2, 0}));
        return true;
    case NUM_LOGISTIC:
        if (a > 700)
            return false;
        inner = pair_add(expm1_reduced(-a, k), one);
        *y = pair_divide(x < 0 ? inner : one, pair_add(one, pair_scaled(inner, *k)));
        *k = x < 0 ? *k : 0;
        return true;
    case NUM_LOG:
        return x > 0 && log_of((struct function_pair){x, 0}, log(x), y);
    case NUM_LOG1P:
        return x > -1 && log_of(pair_two_sum(1, x), log1p(x), y);
    case NUM_EXPONENTIAL:
        if (!(x < 1 && log_of(pair_two_sum(1, -x), log1p(-x), y)))
            return false;
        *y = pair_negated(*y);
        return true;
    default:
        return false;
    }
}

bool function_second(enum num_function function, double x, double share, double *result)
{
    struct function_pair y;
    int k;
    if (!function_second_estimate(function, x, &y, &k))
        return false;
    y = pair_two_sum(y.high, y.low + share * FUNCTION_SECOND_ERROR * y.high);
    const double e = (FUNCTION_SECOND_ERROR + 0x1p-100) * fabs(y.high), low = y.high + (y.low - e),
                 high = y.high + (y.low + e);
    *result = ldexp(low, k);
    return low == high && fabs(*result) >= 0x1p-1000;
}
