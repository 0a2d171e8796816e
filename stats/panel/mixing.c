// SPDX-License-Identifier: Apache-2.0
// Mixing that is too weak: fewer rounds or steps than their authors give, poor constants, small
// states, hashes of a counter.

#include "stats/panel/panel.h"

__extension__ typedef unsigned __int128 uint128;

struct state {
    uint64_t at, x, key[4];
    uint128 wide;
    uint32_t small[4];
    unsigned rounds;
};

static void start(struct state *g, uint64_t seed, unsigned rounds)
{
    g->rounds = rounds;
    for (unsigned i = 0; i < 4; i++)
        g->key[i] = panel_mix(&seed);
    g->x = panel_mix(&seed) | 1;
    g->wide = (uint128)panel_mix(&seed) << 64 | panel_mix(&seed) | 1;
    for (unsigned i = 0; i < 4; i++)
        g->small[i] = (uint32_t)panel_mix(&seed);
}

#define FIRST UINT64_C(0xbf58476d1ce4e5b9)
PANEL_PAIR(splitmix_half, panel_stirred(panel_stirred(g->x += PANEL_GOLDEN, 30, FIRST), 31, 1))
PANEL_PAIR(splitmix_poor_step,
           panel_stirred(panel_stirred(g->x += UINT64_C(0x100000001), 30, FIRST), 27, 1))
PANEL_PAIR(splitmix_small_constants,
           panel_stirred(panel_stirred(panel_stirred(g->x += PANEL_GOLDEN, 30, 5), 27, 9), 31, 1))
PANEL_PAIR(fmix_unfinished, panel_murmured(g->at++))

static uint64_t fnv_of_counter(struct state *g)
{
    const uint64_t z = g->at++;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int b = 0; b < 8; b++)
        h = (h ^ (z >> 8 * b & 255)) * UINT64_C(0x100000001b3);
    return h;
}

static uint32_t jenkins_of_counter(struct state *g)
{
    const uint32_t w = (uint32_t)g->at++;
    uint32_t h = (uint32_t)g->key[0];
    for (int b = 0; b < 4; b++) {
        h += w >> 8 * b & 255;
        h += h << 10;
        h ^= h >> 6;
    }
    h += h << 3;
    h ^= h >> 11;
    h += h << 15;
    return h;
}

static uint32_t wang_of_counter(struct state *g)
{
    uint32_t w = (uint32_t)g->at++;
    w = (w ^ 61) ^ w >> 16;
    w += w << 3;
    w ^= w >> 4;
    w *= 0x27d4eb2du;
    w ^= w >> 15;
    return w;
}

static uint64_t wyrand_poor(struct state *g)
{
    g->x += UINT64_C(0xa0761d6478bd642f);
    const uint128 m = (uint128)g->x * (g->x ^ 0x55);
    return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

static uint32_t squares_of(uint64_t at, uint64_t key, unsigned rounds)
{
    const uint64_t y = at * key, s = y + key;
    uint64_t x = y;
    for (unsigned r = 0; r < rounds; r++)
        x = panel_rotate64(x * x + (r % 2 ? s : y), 32);
    return (uint32_t)x;
}

PANEL_WORD(squares, squares_of(g->at++, UINT64_C(0x548c9decbce65297), g->rounds))
PANEL_WORD(squares_poor_key, squares_of(g->at++, 3, 4))

static uint32_t xorshift64star(struct state *g)
{
    g->x ^= g->x >> 12;
    g->x ^= g->x << 25;
    g->x ^= g->x >> 27;
    return (uint32_t)(g->x * UINT64_C(0x2545f4914f6cdd1d));
}

static uint64_t xorshift64star_low(struct state *g)
{
    const uint64_t low = xorshift64star(g);
    return low | (uint64_t)xorshift64star(g) << 32;
}

PANEL_PAIR(rotate_and_add, g->x = panel_rotate64(g->x, 13) + PANEL_GOLDEN)

static uint32_t carried(struct state *g)
{
    g->x = (g->x & UINT32_MAX) * UINT64_C(4294957665) + (g->x >> 32);
    return (uint32_t)g->x;
}

static uint64_t carry_32(struct state *g)
{
    const uint64_t low = carried(g);
    return low | (uint64_t)carried(g) << 32;
}

PANEL_PAIR(lehmer128_low, (uint64_t)(g->wide *= UINT64_C(0xda942042e4dd58b5)))
PANEL_PAIR(lcg128_middle, (uint64_t)((g->wide = g->wide * (((uint128)2549297995355413924u << 64) |
                                                           4865540595714422341u) +
                                                1) >>
                                     32))

// A 32-bit state with the output of the PCG family: 16 bits a step, 2^32 steps in all.
static uint32_t pcg_of_32_bits(struct state *g)
{
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        const uint32_t old = g->small[0];
        g->small[0] = old * 747796405u + 2891336453u;
        const uint16_t v = (uint16_t)((old >> 10 ^ old) >> 12);
        const unsigned r = old >> 28;
        w = w << 16 | (uint16_t)(v >> r | v << (16 - r));
    }
    return w;
}

// Every output a permutation of a 32-bit state: no value comes twice.
static uint32_t pcg_rxs_32(struct state *g)
{
    const uint32_t old = g->small[0];
    g->small[0] = old * 747796405u + 2891336453u;
    const uint32_t w = (old >> ((old >> 28) + 4) ^ old) * 277803737u;
    return w ^ w >> 22;
}

// Jenkins' small generator with bytes for words: a state of 32 bits.
static uint32_t jsf_of_bytes(struct state *g)
{
    uint32_t w = 0;
    for (int b = 0; b < 4; b++) {
        uint32_t *const s = g->small;
        const uint8_t e = (uint8_t)(s[0] - (uint8_t)((uint8_t)s[1] << 1 | (uint8_t)s[1] >> 7));
        s[0] = (uint8_t)(s[1] ^ (uint8_t)((uint8_t)s[2] << 4 | (uint8_t)s[2] >> 4));
        s[1] = (uint8_t)(s[2] + s[3]);
        s[2] = (uint8_t)(s[3] + e);
        s[3] = (uint8_t)(e + s[0]);
        w = w << 8 | s[3];
    }
    return w;
}

// Two generators added: their low bits stay what they were.
static uint32_t lcg_plus_xorshift(struct state *g)
{
    uint32_t *const s = g->small;
    s[0] = s[0] * 69069u + 1234567u;
    s[1] ^= s[1] << 13;
    s[1] ^= s[1] >> 17;
    s[1] ^= s[1] << 5;
    return s[0] + s[1];
}

static uint32_t two_small_moduli(struct state *g)
{
    uint32_t w = 0, *const s = g->small;
    for (int h = 0; h < 2; h++) {
        s[0] = (uint32_t)((uint64_t)s[0] % 2147483563u * 40014u % 2147483563u);
        s[1] = (uint32_t)((uint64_t)s[1] % 2147483399u * 40692u % 2147483399u);
        const uint64_t v = ((uint64_t)s[0] + 2147483399u - s[1]) % 2147483562u;
        w = w << 16 | (uint32_t)(v * 65536 / 2147483562u);
    }
    return w;
}

static uint64_t threefry4x32(struct state *g)
{
    static const unsigned char t[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                          {6, 20},  {17, 11}, {25, 10}, {18, 20}};
    if (g->at % 2 == 0) {
        const uint32_t *const k = g->small;
        const uint32_t all[5] = {k[0], k[1], k[2], k[3], k[0] ^ k[1] ^ k[2] ^ k[3] ^ 0x1bd11bdau};
        uint32_t x[4] = {(uint32_t)(g->at / 2) + k[0], k[1], k[2], k[3]};
        for (unsigned r = 0; r < g->rounds; r++) {
            const int o = r % 2 ? 3 : 1, p = r % 2 ? 1 : 3;
            x[0] += x[o], x[o] = panel_rotate32(x[o], t[r % 8][0]) ^ x[0];
            x[2] += x[p], x[p] = panel_rotate32(x[p], t[r % 8][1]) ^ x[2];
            if (r % 4 == 3) {
                const unsigned s = r / 4 + 1;
                for (unsigned j = 0; j < 4; j++)
                    x[j] += all[(s + j) % 5] + (j == 3 ? s : 0);
            }
        }
        memcpy(g->key, x, sizeof x);
    }
    return g->key[g->at++ % 2];
}

static uint64_t philox2x64(struct state *g)
{
    uint64_t k = UINT64_C(0x123456789abcdef);
    if (g->at % 2 == 0) {
        uint64_t a = g->at / 2, b = 0;
        for (unsigned r = 0; r < g->rounds; r++) {
            const uint128 m = (uint128)UINT64_C(0xd2b74407b1ce6e93) * a;
            a = (uint64_t)(m >> 64) ^ k ^ b;
            b = (uint64_t)m;
            k += UINT64_C(0x9e3779b97f4a7c15);
        }
        g->key[0] = a, g->key[1] = b;
    }
    return g->key[g->at++ % 2];
}

static uint64_t siphash(struct state *g)
{
    const uint64_t z = g->at++;
    uint64_t v0 = g->key[2] ^ UINT64_C(0x736f6d6570736575),
             v1 = g->key[3] ^ UINT64_C(0x646f72616e646f6d),
             v2 = g->key[2] ^ UINT64_C(0x6c7967656e657261),
             v3 = g->key[3] ^ UINT64_C(0x7465646279746573);
    v3 ^= z;
    for (unsigned r = 0; r < g->rounds; r++) {
        v0 += v1, v1 = panel_rotate64(v1, 13) ^ v0, v0 = panel_rotate64(v0, 32);
        v2 += v3, v3 = panel_rotate64(v3, 16) ^ v2;
        v0 += v3, v3 = panel_rotate64(v3, 21) ^ v0;
        v2 += v1, v1 = panel_rotate64(v1, 17) ^ v2, v2 = panel_rotate64(v2, 32);
        if (r == 0)
            v0 ^= z;
    }
    return v0 ^ v1 ^ v2 ^ v3;
}

// Philox4x32 with the first multiplier as given, the high products or, with shift 0, the low ones
// in their place, and a key, which is next to none.
static uint32_t philox(struct state *g, uint64_t first, unsigned shift, unsigned rounds, bool keyed)
{
    if (g->at % 4 == 0) {
        uint32_t c[4] = {(uint32_t)g->at / 4, 0, 0, 0};
        for (unsigned r = 0; r < rounds; r++) {
            const uint64_t p = first * c[0], q = (uint64_t)0xcd9e8d57u * c[2];
            const uint32_t a = (uint32_t)(q >> shift) ^ c[1] ^ (keyed ? (uint32_t)g->key[0] : 0),
                           b = (uint32_t)(p >> shift) ^ c[3] ^ (keyed ? r : 0);
            c[1] = (uint32_t)q, c[3] = (uint32_t)p, c[0] = a, c[2] = b;
        }
        memcpy(g->small, c, sizeof c);
    }
    return g->small[g->at++ % 4];
}

// The key schedule forgotten: every round uses the same key (weak for some keys only), or none.
PANEL_WORD(philox_same_key, philox(g, 0xd2511f53u, 32, g->rounds, false))
// One multiplier mistyped as an even number: bits are lost in every round.
PANEL_WORD(philox_even_multiplier, philox(g, 0xd2511f50u, 32, 10, true))
PANEL_WORD(philox_low_products, philox(g, 0xd2511f53u, 0, 10, true))

#define PANEL_LIST "stats/roster/mixing.inc"
#include "stats/panel/plugin.h"
