// SPDX-License-Identifier: Apache-2.0
// E-values.

#include "stats/evidence.h"

#include "stats/kernel.h"
#include "stats/real.h"
#include "stats/tests.h"

static const double LOG_PI = 1.1447298858494002, LOG_2PI = 1.8378770664093453;

// log Gamma(x + 1/2) - (x log x - x + log(2 pi) / 2)
static double half_stirling_error(double x)
{
    if (x < 15) // at 0 the limit of x log x is 0
        return real_log_gamma(x + 0.5) - ((x > 0 ? x * real_log(x) : 0) - x + LOG_2PI / 2);
    const double t = 1 / (x * x);
    return (-1.0 / 24 + t * (7.0 / 2880 + t * (-31.0 / 40320 + t * (127.0 / 215040)))) / x;
}

// n log 2 + log Gamma(k + 1/2) + log Gamma(n - k + 1/2) - log Gamma(n + 1) - log pi, with the large parts, which cancel, taken
// together as deviances.
double evidence_fair(uint64_t ones, uint64_t n)
{
    if (!n)
        return 0;
    const double k = (double)ones, N = (double)n;
    return real_deviance(k, N / 2) + real_deviance(N - k, N / 2) + 0.5 * (LOG_2PI - real_log(N)) - LOG_PI +
           half_stirling_error(k) + half_stirling_error(N - k) - real_stirling_error(N);
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

static double average(double sum, unsigned terms)
{
    return sum - real_log(terms);
}

// Counts stand as a positions row (256 positions) or as configurations of 256 positions and two events.
double evidence_of_counts(const struct test *test, const uint64_t *count, uint64_t units)
{
    const unsigned slots = test_lag_slots(test);
    double sum = REAL_MINUS_INFINITY;
    unsigned terms = 0;
    for (unsigned c = 0; c < (slots ? test->counts / slots : 0); c++) {
        const uint64_t words = test_lag_words(test, c, units);
        for (unsigned period = 32; period <= KERNEL_POSITIONS; period *= 8)
            for (unsigned position = 0; position < period; position++) {
                uint64_t ones = 0;
                for (unsigned at = position; at < KERNEL_POSITIONS; at += period)
                    ones += count[(size_t)c * slots + at];
                sum = real_log_add(sum, evidence_fair(ones, words * 32 / period));
                terms++;
            }
    }
    return terms ? average(sum, terms) : 0;
}
