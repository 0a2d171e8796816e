// SPDX-License-Identifier: Apache-2.0
// The portable form of Philox: every width from one piece of code. The SIMD forms of philox4x32
// stand beside it (philox_avx2.c, philox_avx512.c) and give the same words.

#include "ref/rng/philox.h"

const struct philox_form philox2x32 = {2, 32, {0xD256D193}, {0x9E3779B9}};
const struct philox_form philox4x32 = {4, 32, {0xD2511F53, 0xCD9E8D57}, {0x9E3779B9, 0xBB67AE85}};
const struct philox_form philox2x64 = {2, 64, {0xD2B74407B1CE6E93}, {0x9E3779B97F4A7C15}};
const struct philox_form philox4x64 = {
    4, 64, {0xD2E7470EE14C6C93, 0xCA5A826395121157}, {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B}};

__extension__ typedef unsigned __int128 uint128;

struct product {
    uint64_t high, low;
};

static uint64_t word_mask(const struct philox_form *form)
{
    return form->width == 64 ? UINT64_MAX : (UINT64_C(1) << form->width) - 1;
}

static struct product multiply(const struct philox_form *form, uint64_t a, uint64_t b)
{
    const uint128 p = (uint128)a * b;
    return (struct product){(uint64_t)(p >> form->width), (uint64_t)p & word_mask(form)};
}

// Each pair (even, odd) of counter words feeds the *other* pair: its product's high half is mixed
// there with that pair's odd word and key word, and its low half replaces the odd word. With two
// words the pair feeds itself.
static struct philox_counter one_round(const struct philox_form *form, struct philox_counter c,
                                       struct philox_key key)
{
    const unsigned pairs = form->words / 2;
    struct philox_counter next = {{0}};
    for (unsigned to = 0; to < pairs; to++) {
        const unsigned from = pairs - 1 - to;
        const struct product p = multiply(form, form->multiplier[from], c.word[2 * from]);
        next.word[2 * to] = p.high ^ c.word[2 * to + 1] ^ key.word[to];
        next.word[2 * to + 1] = p.low;
    }
    return next;
}

struct philox_counter philox_block(const struct philox_form *form, struct philox_counter counter,
                                   struct philox_key key, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        counter = one_round(form, counter, key);
        for (unsigned k = 0; k < form->words / 2; k++)
            key.word[k] = (key.word[k] + form->weyl[k]) & word_mask(form);
    }
    return counter;
}

struct philox_counter philox_advance(const struct philox_form *form, struct philox_counter counter,
                                     uint64_t blocks)
{
    uint128 carry = blocks;
    for (unsigned i = 0; i < form->words && carry != 0; i++) {
        const uint128 sum = carry + counter.word[i];
        counter.word[i] = (uint64_t)sum & word_mask(form);
        carry = sum >> form->width;
    }
    return counter;
}
