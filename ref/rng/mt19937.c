// SPDX-License-Identifier: Apache-2.0
// mt19937: a state of 624 words is made anew as a whole, then tempered word by word.

#include "ref/rng/mt19937.h"

#include <assert.h>

enum { MIDDLE = 397 };

void mt19937_seed(struct mt19937 *generator, uint32_t seed)
{
    generator->state[0] = seed;
    for (uint32_t i = 1; i < MT19937_WORDS; i++) {
        const uint32_t before = generator->state[i - 1];
        generator->state[i] = UINT32_C(1812433253) * (before ^ before >> 30) + i;
    }
    generator->used = MT19937_WORDS;
}

static void renew(struct mt19937 *generator)
{
    uint32_t *const state = generator->state;
    for (unsigned i = 0; i < MT19937_WORDS; i++) {
        const uint32_t joined =
            (state[i] & 0x80000000) | (state[(i + 1) % MT19937_WORDS] & 0x7fffffff);
        state[i] =
            state[(i + MIDDLE) % MT19937_WORDS] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0df : 0);
    }
    generator->used = 0;
}

static uint32_t temper(uint32_t word)
{
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680;
    word ^= word << 15 & 0xefc60000;
    return word ^ word >> 18;
}

void mt19937_fill(struct mt19937 *generator, uint32_t *out, size_t count)
{
    assert(generator->used <= MT19937_WORDS);
    while (count) {
        if (generator->used == MT19937_WORDS)
            renew(generator);
        const size_t left = MT19937_WORDS - generator->used, take = count < left ? count : left;
        for (size_t i = 0; i < take; i++)
            out[i] = temper(generator->state[generator->used + i]);
        generator->used += (unsigned)take;
        out += take;
        count -= take;
    }
}

void mt19937_skip(struct mt19937 *generator, uint64_t count)
{
    assert(generator->used <= MT19937_WORDS);
    while (count) {
        if (generator->used == MT19937_WORDS)
            renew(generator);
        const uint64_t left = MT19937_WORDS - generator->used, take = count < left ? count : left;
        generator->used += (unsigned)take;
        count -= take;
    }
}
