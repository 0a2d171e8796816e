// SPDX-License-Identifier: Apache-2.0
// Laws that are known in closed form: linear complexity, rank, residues, collisions.

#include "stats/law/null.h"

#include <assert.h>

#include "stats/law/real.h"

static const double LOG_2 = 0x1.62e42fefa39efp-1;

// The number of sequences of length n and complexity L is 2^(2L - 1) for 0 < L <= n / 2 and 2^(2n -
// 2L) above (Rueppel 1986, chapter 4), so both tails are geometric sums: the lower one is (2^(2L +
// 1) + 1) / 3, the upper one (4^(n - L + 1) - 1) / 3.
double null_linear_complexity_log_lower(uint64_t L, uint64_t n)
{
    if (L >= n)
        return 0;
    if (L <= n / 2)
        return (2 * (double)L + 1 - (double)n) * LOG_2 +
               real_log1p(real_exp(-(2 * (double)L + 1) * LOG_2)) - real_log(3);
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

// P(rank = r) = 2^(-(m - r)^2) prod_{i < r} (1 - 2^(i - m))^2 / (1 - 2^(i - r)) (Kovalenko 1972,
// doi:10.1137/1117013).
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

double null_residue_probability(uint64_t r, uint64_t m, unsigned bits)
{
    assert(bits >= 1 && bits <= 64 && m >= 2 && m <= UINT64_C(1) << 32 && r < m);
    const uint64_t largest = UINT64_MAX >> (64 - bits);
    const double values = r > largest ? 0 : (double)((largest - r) / m + 1);
    return values / ((double)(largest / 2 + 1) * 2);
}

// balls - cells (1 - (1 - 1/cells)^balls), with the cancellation taken out by the series of the
// inner power.
double null_collision_mean(double balls, double cells)
{
    double term = balls * (balls - 1) / (2 * cells), sum = term;
    for (double j = 3; j < 40 && j <= balls; j++) {
        term *= -(balls - j + 1) / (j * cells);
        sum += term;
    }
    return sum;
}

// Given that m places are taken, they are a random subset of the k: then j given ones of the m - 1
// gaps between neighbours are all d with the probability C(k - j d, m - j) / C(k, m) (strike those
// gaps out: a subset of m - j of k - j d places is left). Of N gaps that are d, N - 1 repeat one,
// or none if N = 0; E[N] - P(N > 0) is, by inclusion and exclusion, the sum over j >= 2 of (-1)^j
// C(m - 1, j) times that probability. The sum over all d from 1 on is that over multiples of j: by
// Euler and Maclaurin, from sum over x >= 0 of C(k - x, q) = C(k + 1, q + 1), with terms of the
// order (j m / k)^4 left out. Gaps of 0 are the n - m points that meet another: n - m - 1 repeats,
// or none. The mean over m is that of a parabola: ties are Poisson but for parts of n / k, so their
// variance is their mean. Source: the struck-out gaps are David, Nagaraja, "Order Statistics",
// 2003, 6.4, in whole numbers; the law of spacings of a uniform subset is that of compositions,
// Feller, volume 1, II.5.
static double repeated_gaps(double m, double k)
{
    double sum = 0, first = m / (k - m + 1), ways = m - 1; // C(k, m - j) / C(k, m), C(m - 1, j)
    for (double j = 2; j < 40 && j < m; j++) {
        first *= (m - j + 1) / (k - m + j);
        ways *= (m - j) / j;
        const double q = m - j, slope = -first * q /
                                        k; // of C(k - x, q) / C(k, m) at x = 0, to the order needed
        const double all = first * (k + 1) / (q + 1);
        const double multiples = (all - first / 2 + slope / 12) / j - first / 2 - slope * j / 12;
        const double term = ways * multiples;
        sum += (long)j % 2 ? -term : term;
        if (term < 1e-16 * sum)
            break;
    }
    return sum;
}

double null_spacings_mean(double points, double cells)
{
    const double n = points, k = cells, ties = null_collision_mean(n, k);
    // log P(no two points meet) = sum over i < n of log(1 - i / k)
    const double log_none = -n * (n - 1) / (2 * k) - (n - 1) * n * (2 * n - 1) / (12 * k * k);
    const double some = 1 - real_exp(log_none);
    const double m = n - ties, at = repeated_gaps(m, k);
    const double bend = repeated_gaps(m + 1, k) - 2 * at + repeated_gaps(m - 1, k);
    return at + bend * ties / 2 + (ties - some);
}
