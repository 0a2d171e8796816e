// SPDX-License-Identifier: Apache-2.0
// The few transcendental functions that p-values need, from + - * / and sqrt alone.
//
// IEEE arithmetic without contraction gives these the same bits on every machine, which no libm
// promises; so a p-value, and a verdict that hangs on one, is a function of the integer counts and
// of nothing else. Errors are a few ulp.

#ifndef ASSAY_STATS_LAW_REAL_H
#define ASSAY_STATS_LAW_REAL_H

#define REAL_MINUS_INFINITY (-__builtin_inf())

// log(x); x > 0 and finite and normal. 0 gives minus infinity.
double real_log(double x);

// log(1 + x), x > -1, accurate for small x. -1 gives minus infinity.
double real_log1p(double x);

// e^x; 0 below -745, infinite above 709.8.
double real_exp(double x);

// log(1 - e^x) for x <= 0: the other tail of a probability. 0 gives minus infinity.
double real_log_complement(double x);

// log(e^a + e^b); either may be minus infinity.
double real_log_add(double a, double b);

// log Gamma(x), x > 0.
double real_log_gamma(double x);

// log Gamma(x + 1) minus the leading part of Stirling's formula, (x + 1/2) log x - x + log(2 pi) /
// 2; x > 0.
double real_stirling_error(double x);

// x log(x / m) + m - x without cancellation; x >= 0, m > 0: half the deviance of a Poisson count.
double real_deviance(double x, double m);

// log P(Z >= z) for a standard normal Z, any finite z.
double real_log_normal_upper(double z);

// (1 - Phi(z)) / phi(z) for z >= 0: Mills' ratio.
double real_mills_ratio(double z);

#endif
