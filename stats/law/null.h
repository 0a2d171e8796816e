// SPDX-License-Identifier: Apache-2.0
// Null distributions: how the counts of a perfect source are distributed.
//
// Everything is a natural logarithm of a probability, so that tails far below 1e-300 keep their
// digits. Tails are inclusive: `upper` is P(X >= k), `lower` is P(X <= k). Built on
// stats/law/real.h: the same bits on every machine.

#ifndef ASSAY_STATS_LAW_NULL_H
#define ASSAY_STATS_LAW_NULL_H

#include <stddef.h>
#include <stdint.h>

// Binomial(n, p), 0 < p < 1. Exact summation up to a variance of 4e4 (relative error below 1e-11);
// above it the saddle-point formula of Lugannani and Rice with the lattice correction of Daniels
// (doi:10.2307/1403261), relative error below 1e-4.
double null_binomial_log_upper(uint64_t k, uint64_t n, double p);
double null_binomial_log_lower(uint64_t k, uint64_t n, double p);
double null_binomial_log_mass(uint64_t k, uint64_t n, double p);

// min(1, 2 min(lower, upper)): the p-value of a count that may be wrong either way.
double null_binomial_log_two_sided(uint64_t k, uint64_t n, double p);

// Poisson(mean), by the same methods.
double null_poisson_log_upper(uint64_t k, double mean);
double null_poisson_log_lower(uint64_t k, double mean);
double null_poisson_log_two_sided(uint64_t k, double mean);

// Chi-square with `df` degrees of freedom, 0 < df <= 2^25: P(X >= x) and P(X <= x).
double null_chi_square_log_upper(double x, double df);
double null_chi_square_log_lower(double x, double df);

struct null_cells {
    double statistic; // Pearson's for 256 cells or more; below that the deviance G^2 with Williams'
                      // correction
    double df;        // cells after pooling, less one
    double log_p;     // two-sided from 64 degrees of freedom (too even is as wrong as too uneven),
                      // upper tail below
    size_t worst;     // first cell of the pool that contributes most
};

// A table of `cells` integer counts against probabilities (summing to 1): neighbours are pooled, in
// order, until each pool expects at least `least` (25 is usual). Fewer than two pools: log_p is 0.
// G^2 is 2n times the relative entropy, the exact exponent of the tail (Sanov), where Pearson's
// form raises false alarms in small tables; Williams' factor (doi:10.2307/2335092) restores its
// mean. Two pools are judged exactly, as a binomial count. Of three and more the law is asymptotic.
// By enumeration of all outcomes (3 to 6 cells that expect 25, also beside much larger ones) a
// p-value comes at most 1.08 times as often as it says down to 1e-5, 1.5 times down to 1e-9, 2.8
// times down to 1e-15; less often in larger tables (by Fourier inversion of the exact law: G^2 of 8
// to 255 cells 1.2 times, Pearson's of 256 cells 1.7 times at 1e-15). So a p-value below 2^-16 has
// a factor of 3 in it (the fold is flat: 2^-16 where three times p is above it), and is then none
// too small.
struct null_cells null_cells_test(const uint64_t *count, const double *probability, size_t cells,
                                  double least);

// The same for equal probabilities.
struct null_cells null_uniform_test(const uint64_t *count, size_t cells, double least);

// Linear complexity L of n independent fair bits: how many of the 2^n sequences have it is
// Rueppel's 1 (L = 0), 2^min(2n - 2L, 2L - 1) otherwise. P(complexity <= L) and P(complexity >= L),
// exact.
double null_linear_complexity_log_lower(uint64_t L, uint64_t n);
double null_linear_complexity_log_upper(uint64_t L, uint64_t n);

// P(rank = m - deficiency) of a random m x m matrix over GF(2), exact.
double null_rank_probability(unsigned m, unsigned deficiency);

// P(x mod m = r) of x uniform below 2^bits: of these values floor(2^bits / m) or one more leave r <
// m. Exact but for the rounding; bits from 1 to 64, m from 2 to 2^32.
double null_residue_probability(uint64_t r, uint64_t m, unsigned bits);

// The mean number of collisions of `balls` in `cells` equally likely cells (balls minus occupied).
// The number is a sum of independent events, so it is held against the Poisson law of this mean,
// which is wider. Proof: if P_n(x) is the generating function of the cells that n balls occupy,
// P_{n+1} = x P_n + x (1 - x) P_n' / cells = x (1 - x)^(cells + 1) / cells d/dx [(1 - x)^-cells
// P_n]; by Rolle, all roots of P_{n+1} are real and at most 0 if those of P_n are (n < cells), so
// P_n is a product of (1 - p_i + p_i x). Then E f^X <= e^(mean (f - 1)) for every f >= 0, which is
// what evidence needs, also of sums over units; and P(X >= k) for k >= mean + 1, P(X <= k) for k <=
// mean - 1 are at most the binomial's (Hoeffding, doi:10.1214/aoms/1177728178), and so Poisson's
// (Anderson, Samuels 1967).
double null_collision_mean(double balls, double cells);

// The mean number of repeated spacings (spacings between sorted neighbours, less the distinct
// values among them) of `points` points that are independent and uniform among `cells` places,
// points^2 <= cells / 8: a spacing for each two neighbours, 0 for equal points. Relative error
// below 1e-8 for 256 points and more; the usual points^3 / (4 cells) is off by about -3 / points -
// 2 points^2 / (9 cells).
//
// It is held against the Poisson law of this mean, which is wider, by 29/36 points^2 / cells of the
// variance. Derivation, with n, k for points and cells, u = f - 1: gaps of length d are independent
// Poisson counts of mean l = n^2/k e^(-n d / k), under the condition that they are n and sum to k.
// Without it, log E f^X is the sum over d of log(1 + (e^(f l) - 1) / f) - l = u l^2 / 2 + u (u - 1)
// l^3 / 6 + ..., the mean and u^2 n^5 / (18 k^2); the condition takes (u c)' V^-1 (u c) / 2 = 5/32
// u^2 n^5 / k^2 away, where c = (n^3 / 2k, n^2 / 4) are the covariances of X with number and sum,
// and V = (n, k; k, 2 k^2 / n) is the variance of these. So log E f^X - mean u = -29/288 u^2 n^5 /
// k^2 (1 + O(f n^2 / k)) < 0 for every f. poisson_bound_test holds this against all outcomes of few
// points and, at the sizes that are used, against the saddle point of the exact generating function
// up to f = 512.
double null_spacings_mean(double points, double cells);

#endif
