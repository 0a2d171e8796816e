// SPDX-License-Identifier: Apache-2.0
// Loops over the words of openvino.random_uniform, a vector at a time. An including file includes
// philox's form for its vectors, says how many BYTES they have, and defines store_past_caches, for
// an aligned place.

#include <immintrin.h>
#include <string.h>

#include "ref/op/openvino/random_uniform_forms.h"

enum { LANES = BYTES / 4, PAIRS = BYTES / 8 };

__extension__ typedef uint32_t word_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef int32_t int_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef float float_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef uint64_t pair_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef double double_lanes __attribute__((vector_size(BYTES)));

static inline word_lanes load(const uint32_t *from)
{
    word_lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

// Writes VALUE, made of the vector of words `x`, for all of them: `count` elements of `each` words.
// The last ones are made of a vector that is filled up with zeros.
#define FOR_ALL(each, VALUE)                                                                       \
    const bool past = streamed && (uintptr_t)data % BYTES == 0;                                    \
    const size_t words = (each)*count;                                                             \
    size_t i = 0;                                                                                  \
    for (; i + LANES <= words; i += LANES) {                                                       \
        const word_lanes x = load(word + i), value = (word_lanes)(VALUE);                          \
        if (past)                                                                                  \
            store_past_caches((uint32_t *)(void *)data + i, value);                                \
        else                                                                                       \
            memcpy((uint32_t *)(void *)data + i, &value, sizeof value);                            \
    }                                                                                              \
    if (i < words) {                                                                               \
        word_lanes x = {0};                                                                        \
        memcpy(&x, word + i, (words - i) * sizeof *word);                                          \
        const word_lanes value = (word_lanes)(VALUE);                                              \
        memcpy((uint32_t *)(void *)data + i, &value, (words - i) * sizeof *word);                  \
    }

// Blocks of philox whose words become values at `data` by `way`; says how many.
#define DRAWN(drawn, data, way, how)                                                               \
    wide_blocks((drawn)->stream, (drawn)->counter, (drawn)->blocks, (data),                        \
                (drawn)->streamed && (uintptr_t)(data) % BYTES == 0, (way), (how))

// way_NAME for wide_blocks: VALUE, made of the vector of words `x` by `TYPE how`.
#define WAY(NAME, TYPE, VALUE)                                                                     \
    static inline unsigned char *give_##NAME(const void *context, const wide kept[2],              \
                                             unsigned char *out, int streaming)                    \
    {                                                                                              \
        const TYPE how = *(const TYPE *)context;                                                   \
        word_lanes x = (word_lanes)wide_first(kept[0], kept[1]);                                   \
        wide_put(out, (wide)(VALUE), streaming);                                                   \
        x = (word_lanes)wide_second(kept[0], kept[1]);                                             \
        wide_put(out + BYTES, (wide)(VALUE), streaming);                                           \
        return out + 2 * BYTES;                                                                    \
    }                                                                                              \
    static const struct wide_way way_##NAME = {wide_take_words, give_##NAME};
