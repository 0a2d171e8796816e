// SPDX-License-Identifier: Apache-2.0
// Conversions from words to values, proved word by word or draw by draw.

#ifndef ASSAY_STATS_CONVERSIONS_LAWS_PROOFS_H
#define ASSAY_STATS_CONVERSIONS_LAWS_PROOFS_H

#include <stdbool.h>

#include "stats/conversions/laws.h"

// Everything that is proved: laws_words_check, then JAX's uniform, bernoulli and randint draw by
// draw. *broken is raised by those that do not hold.
enum error laws_proofs_check(unsigned threads, bool all, law_report report, void *context,
                             unsigned *broken, struct diagnostic *diagnostic);

// The conversions from words to floats and integers of OpenVINO, JAX and the mapping table: by 2^22
// to 2^25 words, `all`: by all 2^32; those of two words by structure.
enum error laws_words_check(unsigned threads, bool all, law_report report, void *context,
                            unsigned *broken, struct diagnostic *diagnostic);

#endif
