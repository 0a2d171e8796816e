// SPDX-License-Identifier: Apache-2.0
// The vector form of philox4x32 for any width of vector: an instruction set's file says what a
// vector is and includes this.
//
// Every counter word stands in the low half of a 64-bit lane, because the 32 x 32 -> 64 bit
// multiplication reads only low halves: the low half of a product is then the next odd word as it
// lies, whatever is above it.
//
// The first round's word 0 is multiplied by adding: it counts up. Word 2 starts as a constant, so
// that half of the first two rounds is one as well.
//
// The including file defines WIDE_BYTES, WIDE_SETS (vectors in flight), and on `wide`
// wide_multiply, wide_xor3, wide_stream, wide_first and wide_second (the low and the high lanes of
// 128-bit halves, interleaved), and wide_last: of the halves of lanes, exchanged, the low ones
// xor b xor c.

#include <stdint.h>
#include <string.h>

#include "ref/rng/philox_forms.h"
#include "ref/rng/philox_stream.h"

enum { WIDE_LANES = WIDE_BYTES / 8, WIDE_GROUP = WIDE_LANES * WIDE_SETS };

static inline wide wide_all(uint64_t value)
{
    return value - (wide){0};
}

static inline void wide_put(unsigned char *out, wide value, int streaming)
{
    if (streaming)
        wide_stream((uint32_t *)(void *)out, value);
    else
        memcpy(out, &value, sizeof value);
}

// The products of the last round, whose low halves are words 3 and 1, and what is to be added to
// their upper halves for words 2 and 0.
struct wide_round {
    wide p, q, b, d, subkey[2];
};

// What becomes of words: `take` keeps of a last round what `give` makes into the next output, whose
// end it returns.
struct wide_way {
    void (*take)(const void *how, const struct wide_round *last, wide kept[2]);
    unsigned char *(*give)(const void *how, const wide kept[2], unsigned char *out, int streaming);
};

// Words 0 and 1, and words 2 and 3, which wide_first and wide_second bring into their order.
static inline void wide_take_words(const void *how, const struct wide_round *last, wide kept[2])
{
    (void)how;
    kept[0] = wide_last(last->q, last->b, last->subkey[0]);
    kept[1] = wide_last(last->p, last->d, last->subkey[1]);
}

static inline unsigned char *wide_give_words(const void *how, const wide kept[2],
                                             unsigned char *out, int streaming)
{
    (void)how;
    wide_put(out, wide_first(kept[0], kept[1]), streaming);
    wide_put(out + WIDE_BYTES, wide_second(kept[0], kept[1]), streaming);
    return out + 2 * WIDE_BYTES;
}

static const struct wide_way wide_way_words = {wide_take_words, wide_give_words};

// Lanes 2i and 2i + 1 hold counters i and i + lanes / 2, so that the interleaving of the four
// words, which works within 128-bit halves, leaves the first half of the counters in one pair of
// vectors' low quads and the second half in the other.
static inline wide wide_counter_offsets(void)
{
    uint64_t lane[WIDE_LANES];
    for (unsigned i = 0; i < WIDE_LANES / 2; i++) {
        lane[2 * i] = i;
        lane[2 * i + 1] = i + WIDE_LANES / 2;
    }
    wide offsets;
    memcpy(&offsets, lane, sizeof offsets);
    return offsets;
}

static inline __attribute__((always_inline)) void wide_run(const struct philox_stream *stream,
                                                           const uint32_t counter[4], size_t blocks,
                                                           unsigned rounds, unsigned char *out,
                                                           int streaming, struct wide_way way,
                                                           const void *how)
{
    wide subkey[PHILOX_WIDE_ROUNDS][2];
    for (unsigned r = 0; r < rounds; r++) {
        subkey[r][0] = wide_all(stream->key[0] + r * UINT32_C(0x9E3779B9));
        subkey[r][1] = wide_all(stream->key[1] + r * UINT32_C(0xBB67AE85));
    }
    const wide m0 = wide_all(0xD2511F53), m1 = wide_all(0xCD9E8D57);
    const wide fixed_q = wide_multiply(m1, wide_all(counter[2])), fixed3 = wide_all(counter[3]),
               fixed_a = wide_xor3(fixed_q >> 32, wide_all(counter[1]), subkey[0][0]),
               step = wide_multiply(m0, wide_all(WIDE_LANES));
    wide next = wide_multiply(m0, wide_all(counter[0]) + wide_counter_offsets());
    for (size_t done = 0; done < blocks; done += WIDE_GROUP) {
        wide a[WIDE_SETS], b[WIDE_SETS], c[WIDE_SETS], d[WIDE_SETS];
        for (unsigned s = 0; s < WIDE_SETS; s++) {
            a[s] = fixed_a, b[s] = fixed_q;
            c[s] = wide_xor3(next >> 32, fixed3, subkey[0][1]), d[s] = next;
            next += step;
        }
        for (unsigned r = 1; r + 1 < rounds; r++)
            for (unsigned s = 0; s < WIDE_SETS; s++) {
                const wide p = wide_multiply(m0, a[s]), q = wide_multiply(m1, c[s]);
                a[s] = wide_xor3(q >> 32, b[s], subkey[r][0]);
                c[s] = wide_xor3(p >> 32, d[s], subkey[r][1]);
                b[s] = q, d[s] = p;
            }
        wide kept[WIDE_SETS][2];
        for (unsigned s = 0; s < WIDE_SETS; s++) {
            const struct wide_round last = {wide_multiply(m0, a[s]),
                                            wide_multiply(m1, c[s]),
                                            b[s],
                                            d[s],
                                            {subkey[rounds - 1][0], subkey[rounds - 1][1]}};
            way.take(how, &last, kept[s]);
        }
        for (unsigned s = 0; s < WIDE_SETS; s++)
            out = way.give(how, kept[s], out, streaming);
    }
}

// As philox_blocks, with what comes of the words by `way` at `out`. The published number of rounds
// gets code of its own, in which the compiler knows it; in vectors of 512 bits also without
// streaming, which is slower in shorter ones, where the compiler has 16 registers.
static inline __attribute__((always_inline)) size_t wide_blocks(const struct philox_stream *stream,
                                                                const uint32_t counter[4],
                                                                size_t blocks, void *out,
                                                                int streaming, struct wide_way way,
                                                                const void *how)
{
    const size_t whole = blocks / WIDE_GROUP * WIDE_GROUP;
    if (stream->rounds < 2 || stream->rounds > PHILOX_WIDE_ROUNDS)
        return 0;
    if (stream->rounds == PHILOX_ROUNDS && WIDE_BYTES == 64 && !streaming)
        wide_run(stream, counter, whole, PHILOX_ROUNDS, out, 0, way, how);
    else if (stream->rounds == PHILOX_ROUNDS)
        wide_run(stream, counter, whole, PHILOX_ROUNDS, out, streaming, way, how);
    else
        wide_run(stream, counter, whole, stream->rounds, out, streaming, way, how);
    return whole;
}
