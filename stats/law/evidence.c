// SPDX-License-Identifier: Apache-2.0
// E-values.

#include "stats/law/evidence.h"

#include <assert.h>

#include "stats/law/real.h"

static const double LOG_PI = 1.1447298858494002, LOG_2PI = 1.8378770664093453;

// log Gamma(x + 1/2) - (x log x - x + log(2 pi) / 2)
static double half_stirling_error(double x)
{
    if (x < 15) // at 0 the limit of x log x is 0
        return real_log_gamma(x + 0.5) - ((x > 0 ? x * real_log(x) : 0) - x + LOG_2PI / 2);
    const double t = 1 / (x * x);
    return (-1.0 / 24 + t * (7.0 / 2880 + t * (-31.0 / 40320 + t * (127.0 / 215040)))) / x;
}

// log Gamma(k + 1/2) + log Gamma(n - k + 1/2) - log Gamma(n + 1) - log pi - k log p - (n - k) log(1
// - p), with the large parts, which cancel, taken together as deviances.
double evidence_binomial(uint64_t count, uint64_t n, double p)
{
    assert(p > 0 && p < 1);
    if (!n)
        return 0;
    const double k = (double)count, N = (double)n;
    return real_deviance(k, N * p) + real_deviance(N - k, N * (1 - p)) +
           0.5 * (LOG_2PI - real_log(N)) - LOG_PI + half_stirling_error(k) +
           half_stirling_error(N - k) - real_stirling_error(N);
}

// With M = mean + 1/2: log Gamma(k + 1/2) - log Gamma(1/2) - (k + 1/2) log M + mean - log(2) / 2,
// likewise.
double evidence_poisson(uint64_t count, double mean)
{
    assert(mean >= 0);
    const double k = (double)count, M = mean + 0.5;
    return real_deviance(k, M) - 0.5 * real_log(M) - 0.5 + half_stirling_error(k);
}

// log Gamma(x + c) - log Gamma(x) - c log x, with the large parts taken together.
static double log_rising(double x, double c)
{
    return real_deviance(x + c, x) - 0.5 * real_log1p(c / x) + real_stirling_error(x + c) -
           real_stirling_error(x);
}

// log of the mixture under Dirichlet(weight * probability): the multinomial coefficient cancels,
// and so do powers of the weight.
static double cells_mixture(const uint64_t *count, const double *probability, size_t cells,
                            double n, double weight)
{
    double sum = -log_rising(weight, n);
    for (size_t i = 0; i < cells; i++) {
        const double p = probability ? probability[i] : 1.0 / (double)cells;
        if (count[i] && p > 0)
            sum += log_rising(weight * p, (double)count[i]);
        else if (count[i])
            return -REAL_MINUS_INFINITY; // what cannot happen has happened
    }
    return sum;
}

double evidence_cells(const uint64_t *count, const double *probability, size_t cells)
{
    assert(cells > 0);
    enum { WEIGHTS = 6 };
    double n = 0, sum = REAL_MINUS_INFINITY, weight = (double)cells / 2;
    for (size_t i = 0; i < cells; i++)
        n += (double)count[i];
    for (unsigned w = 0; w < WEIGHTS; w++, weight *= 32)
        sum = real_log_add(sum, cells_mixture(count, probability, cells, n, weight));
    return n > 0 ? sum - real_log(WEIGHTS) : 0;
}

double evidence_calibrated(double log_p)
{
    if (log_p > -1e-3) // the limit at p = 1
        return -0.6931471805599453;
    if (log_p < -700)
        return -log_p - 2 * real_log(-log_p);
    const double p = real_exp(log_p);
    return real_log(1 - p + p * log_p) - log_p - 2 * real_log(-log_p);
}
