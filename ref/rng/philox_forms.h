// SPDX-License-Identifier: Apache-2.0
// What the driver of a philox stream asks of an instruction set's form. Private to ref/rng.

#ifndef ASSAY_REF_RNG_PHILOX_FORMS_H
#define ASSAY_REF_RNG_PHILOX_FORMS_H

#include <stddef.h>
#include <stdint.h>

#include "ref/rng/philox.h"

struct philox_stream;

enum { PHILOX_WIDE_ROUNDS = 16 }; // more, and fewer than 2, are left to the portable form

// Writes as many whole blocks as it likes of the `blocks` that follow `counter`, whose word 0 does
// not wrap among them, and says how many: the driver does the rest. With `streaming`, `out` is
// aligned to 64 bytes and the stores bypass the cache; the driver fences.
typedef size_t philox_blocks(const struct philox_stream *stream, const uint32_t counter[4],
                             size_t blocks, uint32_t *out, int streaming);

philox_blocks philox_blocks_avx2, philox_blocks_avx512, philox_blocks_neon;

#endif
