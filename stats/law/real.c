// SPDX-License-Identifier: Apache-2.0
// Elementary functions from basic arithmetic. Series and reductions are the textbook ones; the
// saddle-point pieces (Stirling's error, deviance) follow C. Loader, "Fast and accurate computation
// of binomial probabilities", 2000.

#include "stats/law/real.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "ref/base/bytes.h"

_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic rounds to double");

static const double LN2_HIGH = 0x1.62e42fefa38p-1,
                    LN2_LOW = 0x1.ef35793c7673p-45; // the high part times 2^11 is exact
static const double HALF_LOG_2PI = 0x1.d67f1c864beb5p-1;

// 2 atanh(s) for |s| <= 0.18: s^2 <= 0.0324, so twelve terms leave less than 2^-60 of the first.
static double log_ratio(double s)
{
    const double t = s * s;
    double sum = 0;
    for (int k = 25; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * t;
    return 2 * (s + s * sum);
}

double real_log(double x)
{
    if (x <= 0)
        return REAL_MINUS_INFINITY;
    const uint64_t bits = double_bits(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = double_from_bits((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (m > 0x1.6a09e667f3bcdp0) {
        m *= 0.5;
        exponent++;
    }
    return exponent * LN2_HIGH + (exponent * LN2_LOW + log_ratio((m - 1) / (m + 1)));
}

double real_log1p(double x)
{
    return x > -0.25 && x < 0.25 ? log_ratio(x / (2 + x)) : real_log(1 + x);
}

double real_exp(double x)
{
    if (x < -745)
        return 0;
    if (x > 709.8)
        return (double)INFINITY;
    const double k = floor(x * 0x1.71547652b82fep0 + 0.5);
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 0;
    for (int n = 16; n >= 1; n--)
        sum = (sum + 1) * r / n;
    return ldexp(1 + sum, (int)k);
}

double real_log_complement(double x)
{
    if (x >= 0)
        return REAL_MINUS_INFINITY;
    if (x < -0.6931471805599453)
        return real_log1p(-real_exp(x));
    double sum = 0; // 1 - e^x = -x (1 + x/2 + x^2/6 + ...)
    for (int n = 18; n >= 2; n--)
        sum = (sum + 1) * x / n;
    return real_log(-x) + real_log1p(sum);
}

double real_log_add(double a, double b)
{
    const double high = a > b ? a : b, low = a > b ? b : a;
    if (low - high < -745 || low == REAL_MINUS_INFINITY)
        return high;
    return high + real_log1p(real_exp(low - high));
}

// The asymptotic series, for x >= 15: the first term left out is below 1e-17.
static double stirling_series(double x)
{
    static const double c[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                               1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    const double t = 1 / (x * x);
    double sum = 0;
    for (int k = 6; k >= 0; k--)
        sum = sum * t + c[k];
    return sum / x;
}

double real_log_gamma(double x)
{
    double product = 1;
    while (x < 15) {
        product *= x;
        x += 1;
    }
    return (x - 0.5) * real_log(x) - x + HALF_LOG_2PI + stirling_series(x) - real_log(product);
}

double real_stirling_error(double x)
{
    if (x >= 15)
        return stirling_series(x);
    return real_log_gamma(x + 1) - ((x + 0.5) * real_log(x) - x + HALF_LOG_2PI);
}

double real_deviance(double x, double m)
{
    if (x <= 0)
        return m;
    const double v = (x - m) / (x + m);
    if (v > 0.1 || v < -0.1)
        return x * real_log(x / m) + (m - x);
    const double t = v * v;
    double sum = 0;
    for (int k = 19; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * t;
    return (x - m) * v + 2 * x * v * sum;
}

double real_mills_ratio(double z)
{
    if (z < 2.5) {
        double term = z, sum = z;
        for (int k = 3; term > sum * 1e-18 && k < 400; k += 2) {
            term *= z * z / k;
            sum += term;
        }
        return 0x1.40d931ff62706p0 * real_exp(z * z / 2) - sum; // sqrt(pi / 2)
    }
    double tail = z; // Laplace's continued fraction from the far end
    for (int k = 120; k >= 1; k--)
        tail = z + k / tail;
    return 1 / tail;
}

double real_log_normal_upper(double z)
{
    if (z < 0)
        return real_log_complement(real_log_normal_upper(-z));
    return real_log(real_mills_ratio(z)) - z * z / 2 - HALF_LOG_2PI;
}
