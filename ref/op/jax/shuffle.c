// SPDX-License-Identifier: Apache-2.0
// Each round splits the key, draws one u32 for every element and sorts each lane by it. Equal words
// keep their order, which is why the sort is stable: a radix sort, byte by byte, with insertion for
// short lanes.

#include "ref/op/jax/shuffle.h"

#include "ref/base/size.h"

__extension__ typedef unsigned __int128 uint128;

enum { DIGITS = 256, INSERTION_MAX = 48 };

// The least r with count^3 <= (2^32 - 1)^r.
unsigned jax_shuffle_rounds(uint64_t count)
{
    const uint128 cube = (uint128)count * count * count;
    unsigned rounds = 0;
    for (uint128 reach = 1; count > 1 && reach < cube; reach *= UINT32_MAX)
        rounds++;
    return rounds;
}

struct item {
    uint32_t key, source;
};

static void insert_in_order(struct item *item, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const struct item moved = item[i];
        uint64_t at = i;
        for (; at > 0 && item[at - 1].key > moved.key; at--)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

// Four passes, so that the result is back in `item`.
static void sort_stably(struct item *item, struct item *other, uint64_t count)
{
    if (count <= INSERTION_MAX) {
        insert_in_order(item, count);
        return;
    }
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint64_t start[DIGITS + 1] = {0};
        for (uint64_t i = 0; i < count; i++)
            start[(item[i].key >> shift) % DIGITS + 1]++;
        for (unsigned digit = 0; digit < DIGITS; digit++)
            start[digit + 1] += start[digit];
        for (uint64_t i = 0; i < count; i++)
            other[start[(item[i].key >> shift) % DIGITS]++] = item[i];
        struct item *const swapped = item;
        item = other;
        other = swapped;
    }
}

bool jax_shuffle_workspace(struct jax_lanes lanes, size_t *size)
{
    size_t count, lane;
    return size_multiply(lanes.outer, lanes.length, &count) &&
           size_multiply(count, lanes.inner, &count) && count <= UINT32_MAX &&
           size_multiply(count, 2 * sizeof(uint32_t), size) &&
           size_multiply(lanes.length, 2 * sizeof(struct item), &lane) &&
           size_add(*size, lane, size);
}

const uint32_t *jax_shuffle(const struct jax_key *key, struct jax_lanes lanes, void *workspace)
{
    const uint64_t count = lanes.outer * lanes.length * lanes.inner;
    uint32_t *const source = workspace, *const word = source + count;
    struct item *const item = (struct item *)(void *)(word + count);
    struct item *const other = item + lanes.length;
    for (uint64_t i = 0; i < count; i++)
        source[i] = (uint32_t)i;
    struct jax_key current = *key;
    for (unsigned rounds = jax_shuffle_rounds(count); rounds > 0; rounds--) {
        const struct jax_key drawn = jax_split(&current, 2, 1);
        current = jax_split(&current, 2, 0);
        jax_bits(&drawn, 32, count, 0, (size_t)count, word);
        for (uint64_t lane = 0; lane < lanes.outer * lanes.inner; lane++) {
            const uint64_t base =
                lane / lanes.inner * lanes.length * lanes.inner + lane % lanes.inner;
            for (uint64_t i = 0; i < lanes.length; i++)
                item[i] =
                    (struct item){word[base + i * lanes.inner], source[base + i * lanes.inner]};
            sort_stably(item, other, lanes.length);
            for (uint64_t i = 0; i < lanes.length; i++)
                source[base + i * lanes.inner] = item[i].source;
        }
    }
    return source;
}
