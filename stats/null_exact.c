// SPDX-License-Identifier: Apache-2.0
// Laws that are known in closed form: linear complexity, rank, collisions.

#include "stats/null.h"

#include "stats/real.h"

static const double LOG_2 = 0x1.62e42fefa39efp-1;

// The number of sequences of length n and complexity L is 2^(2L - 1) for 0 < L <= n / 2 and 2^(2n - 2L) above (Rueppel 1986,
// chapter 4), so both tails are geometric sums: the lower one is (2^(2L + 1) + 1) / 3, the upper one (4^(n - L + 1) - 1) / 3.
double null_linear_complexity_log_lower(uint64_t L, uint64_t n)
{
    if (L >= n)
        return 0;
    if (L <= n / 2)
        return (2 * (double)L + 1 - (double)n) * LOG_2 + real_log1p(real_exp(-(2 * (double)L + 1) * LOG_2)) - real_log(3);
    return real_log_complement(null_linear_complexity_log_upper(L + 1, n));
}

double null_linear_complexity_log_upper(uint64_t L, uint64_t n)
{
    if (L == 0)
        return 0;
    if (L > n)
        return REAL_MINUS_INFINITY;
    if (L <= n / 2)
        return real_log_complement(null_linear_complexity_log_lower(L - 1, n));
    const double exponent = 2 * (double)(n - L + 1);
    return (exponent - (double)n) * LOG_2 + real_log_complement(-exponent * LOG_2) - real_log(3);
}

// P(rank = r) = 2^(-(m - r)^2) prod_{i < r} (1 - 2^(i - m))^2 / (1 - 2^(i - r)) (Kovalenko 1972, doi:10.1137/1117013).
double null_rank_probability(unsigned m, unsigned deficiency)
{
    if (deficiency > m)
        return 0;
    const unsigned rank = m - deficiency;
    double log_p = -LOG_2 * (double)deficiency * (double)deficiency;
    for (unsigned i = 0; i < rank; i++) {
        const double a = real_log1p(-real_exp(LOG_2 * ((double)i - (double)m)));
        log_p += 2 * a - real_log1p(-real_exp(LOG_2 * ((double)i - (double)rank)));
    }
    return real_exp(log_p);
}

// balls - cells (1 - (1 - 1/cells)^balls), with the cancellation taken out by the series of the inner power.
double null_collision_mean(double balls, double cells)
{
    double term = balls * (balls - 1) / (2 * cells), sum = term;
    for (double j = 3; j < 40 && j <= balls; j++) {
        term *= -(balls - j + 1) / (j * cells);
        sum += term;
    }
    return sum;
}
