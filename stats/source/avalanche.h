// SPDX-License-Identifier: Apache-2.0
// Avalanche of a block function: one bit of its input is turned over, and every bit of the output
// should turn with one half. So it should when two words of the input are changed together (in the
// same bits, by opposite amounts, or exchanged: a function that joins seed and stream, or counter
// and key, before it mixes them does not notice), and when a part of it is complemented.
//
// Counted over random inputs, for each change: the bits of the output's difference, neighbouring
// bits of it exclusive-ored, and words of it exclusive-ored in pairs. Null: each count is
// Binomial(n, 1/2), exactly, for a random function. Source: Webster, Tavares, CRYPTO '85,
// doi:10.1007/3-540-39799-X_41; Castro et al., doi:10.1016/j.matcom.2004.09.001.

#ifndef ASSAY_STATS_SOURCE_AVALANCHE_H
#define ASSAY_STATS_SOURCE_AVALANCHE_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/error.h"
#include "stats/battery/frame.h"
#include "stats/source/structure.h"

// Judges 2^log2_inputs random inputs (12 or more) drawn from ChaCha20 under `seed`.
enum error avalanche_run(const struct block_function *block, const void *context,
                         unsigned log2_inputs, uint64_t seed, unsigned threads, uint32_t only,
                         struct judgement *judgement, struct diagnostic *diagnostic);

void avalanche_describe(const struct block_function *block, uint32_t index, char *text,
                        size_t size);

#endif
