// SPDX-License-Identifier: Apache-2.0
// Tails of the binomial, Poisson and chi-square laws in the logarithm.

#include "stats/law/null.h"

#include <assert.h>
#include <math.h>

#include "stats/law/real.h"

static const double LOG_2 = 0x1.62e42fefa39efp-1, LOG_2PI = 0x1.d67f1c864beb5p0;
static const double SUMMED_VARIANCE = 4e4;

static double at_most_one(double log_p)
{
    return log_p > 0 ? 0 : log_p;
}

static double twice_the_smaller(double a, double b)
{
    return at_most_one(LOG_2 + (a < b ? a : b));
}

double null_binomial_log_mass(uint64_t k, uint64_t n, double p)
{
    assert(p > 0 && p < 1);
    if (k > n)
        return REAL_MINUS_INFINITY;
    const double N = (double)n, K = (double)k, q = 1 - p;
    if (k == 0)
        return N * real_log1p(-p);
    if (k == n)
        return N * real_log(p);
    return real_stirling_error(N) - real_stirling_error(K) - real_stirling_error(N - K) -
           real_deviance(K, N * p) - real_deviance(N - K, N * q) +
           0.5 * (real_log(N / (K * (N - K))) - LOG_2PI);
}

// A lattice law around a saddle point: `r` is the signed root of twice the exponent, `u` the
// lattice-corrected slope, `bend` the limit of 1/u - 1/r at the mean (minus a sixth of the
// skewness).
struct saddle {
    double r, u, bend;
};

// The upper tail, phi(r) (R(r) + 1/u - 1/r) for r > 0 with Mills' ratio R; the lower one is that of
// the mirrored law.
static double saddle_log_upper(struct saddle s);

static double saddle_log_lower(struct saddle s)
{
    return saddle_log_upper((struct saddle){-s.r, -s.u, -s.bend});
}

static double saddle_log_upper(struct saddle s)
{
    if (s.r < 0)
        return real_log_complement(saddle_log_lower(s));
    const double bend = s.r < 1e-5 ? s.bend : 1 / s.u - 1 / s.r;
    return at_most_one(real_log(real_mills_ratio(s.r) + bend) - 0.5 * (s.r * s.r + LOG_2PI));
}

static struct saddle saddle_at(double exponent, double theta, double deviation, double bend)
{
    const double root = sqrt(2 * (exponent > 0 ? exponent : 0));
    const double sinh_half = theta < 1e-4 && theta > -1e-4
                                 ? theta / 2 * (1 + theta * theta / 24)
                                 : 0.5 * (real_exp(theta / 2) - real_exp(-theta / 2));
    return (struct saddle){theta < 0 ? -root : root, 2 * sinh_half * deviation, bend};
}

static struct saddle binomial_saddle(double x, double n, double p)
{
    const double mean = n * p, rest = n * (1 - p), away = x - mean;
    return saddle_at(real_deviance(x, mean) + real_deviance(n - x, rest),
                     real_log1p(away / mean) - real_log1p(-away / rest), sqrt(x * (n - x) / n),
                     (2 * p - 1) / (6 * sqrt(mean * (1 - p))));
}

static struct saddle poisson_saddle(double x, double mean)
{
    return saddle_at(real_deviance(x, mean), real_log1p((x - mean) / mean), sqrt(x),
                     -1 / (6 * sqrt(mean)));
}

double null_binomial_log_upper(uint64_t k, uint64_t n, double p)
{
    assert(p > 0 && p < 1);
    if (k == 0)
        return 0;
    if (k > n)
        return REAL_MINUS_INFINITY;
    const double N = (double)n, K = (double)k;
    if (N * p * (1 - p) > SUMMED_VARIANCE && k < n)
        return saddle_log_upper(binomial_saddle(K - 0.5, N, p));
    if (K < N * p)
        return real_log_complement(null_binomial_log_lower(k - 1, n, p));
    double term = 1, sum = 1;
    for (double j = K; j < N && term > sum * 1e-18; j++) {
        term *= (N - j) / (j + 1) * (p / (1 - p));
        sum += term;
    }
    return at_most_one(null_binomial_log_mass(k, n, p) + real_log(sum));
}

double null_binomial_log_lower(uint64_t k, uint64_t n, double p)
{
    assert(p > 0 && p < 1);
    if (k >= n)
        return 0;
    const double N = (double)n, K = (double)k;
    if (N * p * (1 - p) > SUMMED_VARIANCE && k > 0)
        return saddle_log_lower(binomial_saddle(K + 0.5, N, p));
    if (K > N * p)
        return real_log_complement(null_binomial_log_upper(k + 1, n, p));
    double term = 1, sum = 1;
    for (double j = K; j > 0 && term > sum * 1e-18; j--) {
        term *= j / (N - j + 1) * ((1 - p) / p);
        sum += term;
    }
    return at_most_one(null_binomial_log_mass(k, n, p) + real_log(sum));
}

double null_binomial_log_two_sided(uint64_t k, uint64_t n, double p)
{
    return twice_the_smaller(null_binomial_log_lower(k, n, p), null_binomial_log_upper(k, n, p));
}

static double poisson_log_mass(double k, double mean)
{
    if (k <= 0)
        return -mean;
    return -real_stirling_error(k) - real_deviance(k, mean) - 0.5 * (LOG_2PI + real_log(k));
}

double null_poisson_log_upper(uint64_t k, double mean)
{
    assert(mean > 0);
    if (k == 0)
        return 0;
    const double K = (double)k;
    if (mean > SUMMED_VARIANCE)
        return saddle_log_upper(poisson_saddle(K - 0.5, mean));
    if (K < mean)
        return real_log_complement(null_poisson_log_lower(k - 1, mean));
    double term = 1, sum = 1;
    for (double j = K + 1; term > sum * 1e-18; j++) {
        term *= mean / j;
        sum += term;
    }
    return at_most_one(poisson_log_mass(K, mean) + real_log(sum));
}

double null_poisson_log_lower(uint64_t k, double mean)
{
    assert(mean > 0);
    const double K = (double)k;
    if (mean > SUMMED_VARIANCE)
        return saddle_log_lower(poisson_saddle(K + 0.5, mean));
    if (K > mean)
        return real_log_complement(null_poisson_log_upper(k + 1, mean));
    double term = 1, sum = 1;
    for (double j = K; j > 0 && term > sum * 1e-18; j--) {
        term *= j / mean;
        sum += term;
    }
    return at_most_one(poisson_log_mass(K, mean) + real_log(sum));
}

double null_poisson_log_two_sided(uint64_t k, double mean)
{
    return twice_the_smaller(null_poisson_log_lower(k, mean), null_poisson_log_upper(k, mean));
}

// log of x^a e^-x / Gamma(a + 1)
static double gamma_log_front(double a, double x)
{
    return -real_stirling_error(a) - real_deviance(a, x) - 0.5 * (LOG_2PI + real_log(a));
}

// log P(a, x), the regularised incomplete gamma function, by its series; x < a + 1.
static double gamma_log_lower(double a, double x)
{
    double term = 1, sum = 1;
    for (double j = a + 1; term > sum * 1e-17; j++) {
        term *= x / j;
        sum += term;
    }
    return at_most_one(gamma_log_front(a, x) + real_log(sum));
}

// log Q(a, x) by Legendre's continued fraction (Lentz's evaluation); x >= a + 1.
static double gamma_log_upper(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (double i = 1; i < 1e7; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (d == 0)
            d = 1e-300;
        c = b + an / c;
        if (c == 0)
            c = 1e-300;
        d = 1 / d;
        const double change = d * c;
        h *= change;
        if (change - 1 < 1e-16 && change - 1 > -1e-16)
            break;
    }
    return at_most_one(gamma_log_front(a, x) + real_log(a) + real_log(h));
}

double null_chi_square_log_upper(double x, double df)
{
    assert(df > 0 && df <= 0x1p25);
    if (x <= 0)
        return 0;
    return x / 2 < df / 2 + 1 ? real_log_complement(gamma_log_lower(df / 2, x / 2))
                              : gamma_log_upper(df / 2, x / 2);
}

double null_chi_square_log_lower(double x, double df)
{
    assert(df > 0 && df <= 0x1p25);
    if (x <= 0)
        return REAL_MINUS_INFINITY;
    return x / 2 < df / 2 + 1 ? gamma_log_lower(df / 2, x / 2)
                              : real_log_complement(gamma_log_upper(df / 2, x / 2));
}
