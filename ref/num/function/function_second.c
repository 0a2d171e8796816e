// SPDX-License-Identifier: Apache-2.0
// The second look: elementary functions as the sum of two doubles, for results of f64;
// ref/PROOFS.md, "Functions in f64", has the proof of its error.
//
// The operations on pairs and their errors are those of Joldes, Muller and Popescu 2017,
// doi:10.1145/3121432.

#include <math.h>

#include "ref/num/function/function_estimate.h"

static struct function_pair two_sum(double a, double b)
{
    const double s = a + b, of_b = s - a, of_a = s - of_b;
    return (struct function_pair){s, (a - of_a) + (b - of_b)};
}

// |a| >= |b|, or a is zero.
static struct function_pair fast_two_sum(double a, double b)
{
    const double s = a + b;
    return (struct function_pair){s, b - (s - a)};
}

static struct function_pair two_product(double a, double b)
{
    const double p = a * b;
    return (struct function_pair){p, fma(a, b, -p)};
}

static struct function_pair add(struct function_pair a, struct function_pair b)
{
    const struct function_pair s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
    const struct function_pair v = fast_two_sum(s.high, s.low + t.high);
    return fast_two_sum(v.high, t.low + v.low);
}

static struct function_pair multiply(struct function_pair a, struct function_pair b)
{
    const struct function_pair c = two_product(a.high, b.high);
    return fast_two_sum(c.high, c.low + fma(a.low, b.high, fma(a.high, b.low, a.low * b.low)));
}

static struct function_pair divide(struct function_pair a, struct function_pair b)
{
    const double quotient = a.high / b.high;
    const struct function_pair back = multiply(b, (struct function_pair){quotient, 0});
    return fast_two_sum(quotient, ((a.high - back.high) + (a.low - back.low)) / b.high);
}

static struct function_pair scaled(struct function_pair a, int k)
{
    return (struct function_pair){ldexp(a.high, k), ldexp(a.low, k)};
}

static struct function_pair negated(struct function_pair a)
{
    return (struct function_pair){-a.high, -a.low};
}

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
        two_sum(x - multiple * 0x1.62e42fefa3800p-1, -(multiple * 0x1.ef35793c76800p-45));
    double tail = 0;
    for (int n = LAST; n > PAIRED + 1; n--)
        tail = (1 + tail) * r.high / n;
    struct function_pair q = {(1 + tail) / 40320, 0};
    for (int n = PAIRED; n >= 2; n--)
        q = add(multiply(q, r), reciprocal_factorial(n));
    *k = (int)multiple;
    return add(r, multiply(multiply(r, r), q));
}

// exp(x) - 1 = 2^k (p + 1 - 2^-k)
static struct function_pair expm1_of(double x, int *k)
{
    const struct function_pair p = expm1_reduced(x, k);
    return *k ? add(p, two_sum(1, -ldexp(1, -*k))) : p;
}

// log(u) = start + log(u exp(-start)) = start + log(1 + d), which is start + d but for d*d / 2.
// False when the start is not good to 44 bits, or zero.
static bool log_of(struct function_pair u, double start, struct function_pair *result)
{
    int k;
    const struct function_pair p = expm1_reduced(-start, &k), v = scaled(u, k);
    const struct function_pair d = add(multiply(p, v), two_sum(v.high - 1, v.low));
    *result = add((struct function_pair){start, 0}, d);
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
        *y = add(expm1_reduced(x, k), one);
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
        inner = scaled(inner, *k);
        *k = 0;
        *y = divide(x < 0 ? inner : negated(inner), add(inner, (struct function_pair){2, 0}));
        return true;
    case NUM_LOGISTIC:
        if (a > 700)
            return false;
        inner = add(expm1_reduced(-a, k), one);
        *y = divide(x < 0 ? inner : one, add(one, scaled(inner, *k)));
        *k = x < 0 ? *k : 0;
        return true;
    case NUM_LOG:
        return x > 0 && log_of((struct function_pair){x, 0}, log(x), y);
    case NUM_LOG1P:
        return x > -1 && log_of(two_sum(1, x), log1p(x), y);
    case NUM_EXPONENTIAL:
        if (!(x < 1 && log_of(two_sum(1, -x), log1p(-x), y)))
            return false;
        *y = negated(*y);
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
    y = two_sum(y.high, y.low + share * FUNCTION_SECOND_ERROR * y.high);
    const double e = (FUNCTION_SECOND_ERROR + 0x1p-100) * fabs(y.high), low = y.high + (y.low - e),
                 high = y.high + (y.low + e);
    *result = ldexp(low, k);
    return low == high && fabs(*result) >= 0x1p-1000;
}
