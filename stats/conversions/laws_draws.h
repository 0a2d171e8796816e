// SPDX-License-Identifier: Apache-2.0
// Draws of the reference's distributions against the exact law of their discrete output.

#ifndef ASSAY_STATS_CONVERSIONS_LAWS_DRAWS_H
#define ASSAY_STATS_CONVERSIONS_LAWS_DRAWS_H

#include <stdint.h>

#include "stats/conversions/laws.h"

// Checks every one on the draws of the reference (`drawer` NULL) or of another; `others` laws are
// checked beside them (the chance of a false alarm is shared). *broken is raised.
enum error laws_draws_check(const struct law_drawer *drawer, unsigned others, law_report report,
                            void *context, unsigned *broken, struct diagnostic *diagnostic);
unsigned laws_draws_count(void);

// The chances of 0 ... span - 1 when JAX makes a number below `span` of two draws of `width` bits
// (up to 64; span squared below 2^53), exact but for rounding.
void law_of_two_draws(unsigned width, uint32_t span, double *probability);

#endif
