// SPDX-License-Identifier: Apache-2.0
// philox4x32 in vectors of 128 bits, for AArch64.

#include <arm_neon.h>
#include <string.h>

#include "ref/rng/philox_forms.h"

#define WIDE_BYTES 16
#define WIDE_SETS 4
typedef uint64_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_multiply(wide a, wide b)
{
    return (wide)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}

static inline wide wide_xor3(wide a, wide b, wide c)
{
    return a ^ (b ^ c);
}

static inline wide wide_last(wide a, wide b, wide c)
{
    const wide low = UINT32_MAX - (wide){0};
    return (a << 32 | a >> 32) ^ ((b ^ c) & low);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)vzip1q_u64((uint64x2_t)a, (uint64x2_t)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)vzip2q_u64((uint64x2_t)a, (uint64x2_t)b);
}

// An ordinary store: compilers offer none for AArch64 that bypasses the caches. It needs no fence.
static inline void wide_stream(uint32_t *out, wide value)
{
    memcpy(out, &value, sizeof value);
}

#include "ref/rng/philox_wide.h"

size_t philox_blocks_neon(const struct philox_stream *stream, const uint32_t counter[4],
                          size_t blocks, uint32_t *out, int streaming)
{
    return wide_blocks(stream, counter, blocks, out, streaming, wide_way_words, NULL);
}
