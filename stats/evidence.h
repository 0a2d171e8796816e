// SPDX-License-Identifier: Apache-2.0
// Evidence that may be looked at at any time: e-values and e-processes.
//
// Under the null an e-process exceeds 1/alpha at any time at all with a chance of at most alpha (Ville 1939), so it may be watched
// every night for ever. Sources: Vovk, Wang, doi:10.1214/20-AOS2020; Shafer, Shen, Vereshchagin, Vovk, doi:10.1214/10-STS347;
// Howard, Ramdas, McAuliffe, Sekhon, doi:10.1214/20-AOS1991. All values are natural logarithms.

#ifndef ASSAY_STATS_EVIDENCE_H
#define ASSAY_STATS_EVIDENCE_H

#include <stdint.h>

#include "stats/test.h"

// log E of `ones` of `n` fair bits, cumulative over all nights: the mixture of likelihood ratios under Beta(1/2, 1/2),
// 2^n B(1/2 + k, 1/2 + n - k) / B(1/2, 1/2). 0 for n = 0.
double evidence_fair(uint64_t ones, uint64_t n);

// log e of a p-value (its logarithm), by the mixture over kappa of kappa p^(kappa - 1): (1 - p + p ln p) / (p (ln p)^2).
double evidence_calibrated(double log_p);

// log of the average of E over the bit positions of a positions or lags row, from its cumulative counts and units; 0 for others.
// Averages of e-processes are e-processes, whatever their dependence.
double evidence_of_counts(const struct test *test, const uint64_t *count, uint64_t units);

#endif
