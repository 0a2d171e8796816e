// SPDX-License-Identifier: Apache-2.0
// Far lags of a source with random access: a stretch of the stream against the stretches whose
// positions differ in one bit, which for a counter-based source is the avalanche of its counter as
// streams use it, and a wrap of the counter at any power of two.
//
// Counted for each lag 2^b words: the bits of x[i] ^ x[i + 2^b] for positions i without bit b,
// neighbouring bits of that exclusive-ored, and words that are equal. Null: Binomial(n, 1/2),
// Binomial(n, 2^-32), exactly: no pair is met twice. Source: as stats/battery/relations/lags.c and
// stats/source/avalanche.h.

#ifndef ASSAY_STATS_SOURCE_FAR_H
#define ASSAY_STATS_SOURCE_FAR_H

#include "stats/source/source.h"
#include "stats/battery/frame.h"

enum { FAR_LAG_FIRST = 1, FAR_LAG_LAST = 62 }; // b

// Looks at 2^log2_words words (17 to 22) from word `first` on, a multiple of 2^log2_words * 2. Lags
// beyond the source's reach are left out. ERROR_INVALID_ARGUMENT without random access.
enum error far_run(const struct source *source, uint64_t first, unsigned log2_words,
                   unsigned threads, uint32_t only, struct judgement *judgement,
                   struct diagnostic *diagnostic);

void far_describe(uint32_t index, char *text, size_t size);

#endif
