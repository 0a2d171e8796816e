// SPDX-License-Identifier: Apache-2.0
// philox4x32 in vectors of 256 bits.

#include "ref/rng/philox_wide_avx2.h"

size_t philox_blocks_avx2(const struct philox_stream *stream, const uint32_t counter[4],
                          size_t blocks, uint32_t *out, int streaming)
{
    return wide_blocks(stream, counter, blocks, out, streaming, wide_way_words, NULL);
}
