// SPDX-License-Identifier: Apache-2.0
// Evidence that may be looked at at any time: e-values and e-processes.
//
// Under the null an e-process exceeds 1/alpha at any time at all with a chance of at most alpha
// (Ville 1939), so it may be watched every night for ever. Sources: Vovk, Wang,
// doi:10.1214/20-AOS2020; Shafer, Shen, Vereshchagin, Vovk, doi:10.1214/10-STS347; Howard, Ramdas,
// McAuliffe, Sekhon, doi:10.1214/20-AOS1991. All values are natural logarithms.

#ifndef ASSAY_STATS_LAW_EVIDENCE_H
#define ASSAY_STATS_LAW_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

// log E of a count that is Binomial(n, p), cumulative over all nights: the mixture of likelihood
// ratios under Beta(1/2, 1/2) (Krichevsky, Trofimov, doi:10.1109/TIT.1981.1056331). 0 for n = 0.
double evidence_binomial(uint64_t count, uint64_t n, double p);

// log E of a count whose cumulative mean is known, Poisson or binomial: the mixture of e^(mean (1 -
// f)) f^count over factors f of the mean under Gamma(1/2, 1/2).
double evidence_poisson(uint64_t count, double mean);

// log E of a table of cumulative counts against cell probabilities (NULL: equal): the average of
// mixtures under Dirichlet laws that are centred at the null, ever more closely.
double evidence_cells(const uint64_t *count, const double *probability, size_t cells);

// log e of a p-value (its logarithm), by the mixture over kappa of kappa p^(kappa - 1): (1 - p + p
// ln p) / (p (ln p)^2).
double evidence_calibrated(double log_p);

#endif
