// SPDX-License-Identifier: Apache-2.0
// A range of a stream is a ragged head, whole blocks, and a ragged tail. The blocks are cut where
// counter word 0 wraps, so that a vector form never sees a carry.

#include "ref/rng/philox_stream.h"

#include <assert.h>
#include <string.h>

#include "ref/rng/philox_forms.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Outputs of this size would push all else out of a core's caches, and gain nothing from being in
// them.
enum { STREAMING_WORDS = 1 << 21, STREAMING_ALIGNMENT = 64 };

static void advance(const struct philox_stream *stream, uint64_t blocks, uint32_t counter[4])
{
    memcpy(counter, stream->counter, sizeof stream->counter);
    for (unsigned i = 0; i < stream->carry_words; i++) {
        // blocks stays below 2^62, so that neither this sum nor the carry is lost
        const uint64_t sum = blocks + counter[i];
        counter[i] = (uint32_t)sum;
        blocks = sum >> 32;
    }
}

static void scalar_block(const struct philox_stream *stream, const uint32_t counter[4],
                         uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t k0 = stream->key[0], k1 = stream->key[1];
    for (unsigned r = 0; r < stream->rounds; r++) {
        const uint64_t p = UINT64_C(0xD2511F53) * a, q = UINT64_C(0xCD9E8D57) * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        b = (uint32_t)q, d = (uint32_t)p;
        k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

static size_t scalar_blocks(const struct philox_stream *stream, const uint32_t counter[4],
                            size_t blocks, uint32_t *out, int streaming)
{
    (void)streaming;
    uint32_t at[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (size_t i = 0; i < blocks; i++, at[0]++)
        scalar_block(stream, at, out + 4 * i);
    return blocks;
}

static philox_blocks *form_of(enum isa isa)
{
    return ISA_FORM(isa, philox_blocks, scalar_blocks);
}

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

// Words [word, word + count) of one block.
static void part_of_block(const struct philox_stream *stream, uint64_t block, unsigned word,
                          size_t count, uint32_t *out)
{
    uint32_t counter[4], words[4];
    advance(stream, block, counter);
    scalar_block(stream, counter, words);
    memcpy(out, words + word, count * sizeof *out);
}

// Blocks of 16 bytes to go before `out` is aligned for streaming; SIZE_MAX when it never will be.
static size_t blocks_to_alignment(const uint32_t *out)
{
    const size_t bytes =
        (STREAMING_ALIGNMENT - (uintptr_t)out % STREAMING_ALIGNMENT) % STREAMING_ALIGNMENT;
    return bytes % 16 ? SIZE_MAX : bytes / 16;
}

static void whole_blocks(philox_blocks *form, const struct philox_stream *stream, uint64_t block,
                         size_t count, uint32_t *out, int streaming)
{
    while (count) {
        uint32_t counter[4];
        advance(stream, block, counter);
        const size_t before_wrap = smaller((UINT64_C(1) << 32) - counter[0], count);
        const size_t skew = streaming ? blocks_to_alignment(out) : 0;
        size_t done = 0;
        if (skew == 0)
            done = form(stream, counter, before_wrap, out, streaming);
        counter[0] += (uint32_t)done;
        done += scalar_blocks(stream, counter, smaller(skew ? skew : SIZE_MAX, before_wrap - done),
                              out + 4 * done, 0);
        block += done, count -= done, out += 4 * done;
    }
}

void philox_fill_u32_with(enum isa isa, const struct philox_stream *stream, uint64_t first_word,
                          size_t count, uint32_t *out)
{
    assert(stream->carry_words >= 1 && stream->carry_words <= 4);
    philox_blocks *const form = form_of(isa_available(isa) ? isa : ISA_SCALAR);
    uint64_t block = first_word / 4;
    const unsigned ragged = first_word % 4;
    if (ragged && count) {
        const size_t head = smaller(4 - ragged, count);
        part_of_block(stream, block++, ragged, head, out);
        out += head, count -= head;
    }
    const int streaming = count >= STREAMING_WORDS && blocks_to_alignment(out) != SIZE_MAX;
    whole_blocks(form, stream, block, count / 4, out, streaming);
#if defined(__x86_64__)
    if (streaming)
        _mm_sfence();
#endif
    if (count % 4)
        part_of_block(stream, block + count / 4, 0, count % 4, out + count / 4 * 4);
}

void philox_fill_u32(const struct philox_stream *stream, uint64_t first_word, size_t count,
                     uint32_t *out)
{
    philox_fill_u32_with(isa_chosen(), stream, first_word, count, out);
}
