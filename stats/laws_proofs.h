// SPDX-License-Identifier: Apache-2.0
// Conversions from words to values, proved word by word or draw by draw.

#ifndef ASSAY_STATS_LAWS_PROOFS_H
#define ASSAY_STATS_LAWS_PROOFS_H

#include <stdbool.h>

#include "stats/laws.h"

// The one-word conversions to floats of the mapping table (`all`: over 2^32 words), and JAX's uniform, bernoulli and randint.
// *broken is raised by those that do not hold.
enum error laws_proofs_check(unsigned threads, bool all, law_report report, void *context, unsigned *broken,
                             struct diagnostic *diagnostic);

#endif
