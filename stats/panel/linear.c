// SPDX-License-Identifier: Apache-2.0
// Generators that are linear over GF(2), wholly or in their lowest bits.

#include "stats/panel/panel.h"

struct state {
    uint64_t s[32], n; // n: words given, by those that count them
    uint64_t mt64[312];
    uint32_t mt[624];
};

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    (void)parameter;
    for (unsigned i = 0; i < 32; i++)
        g->s[i] = panel_mix(&seed) | 256;
    g->mt[0] = (uint32_t)panel_mix(&seed);
    for (unsigned i = 1; i < 624; i++)
        g->mt[i] = 1812433253u * (g->mt[i - 1] ^ g->mt[i - 1] >> 30) + i;
    g->mt64[0] = panel_mix(&seed);
    for (unsigned i = 1; i < 312; i++)
        g->mt64[i] = UINT64_C(6364136223846793005) * (g->mt64[i - 1] ^ g->mt64[i - 1] >> 62) + i;
}

// ---- of the family of the Mersenne Twister ----------------------------------

// The words of `mt`, made anew once all n have been given, the first time after `first` of them.
static uint32_t twist32(struct state *g, unsigned n, unsigned m, uint32_t matrix, unsigned first)
{
    uint32_t *const x = g->mt;
    if (g->n >= first && (g->n - first) % n == 0)
        for (unsigned i = 0; i < n; i++) {
            const uint32_t y = (x[i] & 0x80000000u) | (x[(i + 1) % n] & 0x7fffffffu);
            x[i] = x[(i + m) % n] ^ y >> 1 ^ (y & 1 ? matrix : 0);
        }
    uint32_t y = x[g->n++ % n];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint64_t mt19937_64(struct state *g)
{
    uint64_t *const x = g->mt64;
    if (g->n % 312 == 0)
        for (unsigned i = 0; i < 312; i++) {
            const uint64_t y =
                (x[i] & UINT64_C(0xffffffff80000000)) | (x[(i + 1) % 312] & 0x7fffffffu);
            x[i] = x[(i + 156) % 312] ^ y >> 1 ^ (y & 1 ? UINT64_C(0xb5026f5aa96619e9) : 0);
        }
    uint64_t y = x[g->n++ % 312];
    y ^= y >> 29 & UINT64_C(0x5555555555555555);
    y ^= y << 17 & UINT64_C(0x71d67fffeda60000);
    y ^= y << 37 & UINT64_C(0xfff7eee000000000);
    return y ^ y >> 43;
}

PANEL_WORD(mt19937, twist32(g, 624, 397, 0x9908b0dfu, 0))
PANEL_WORD(tt800, twist32(g, 25, 7, 0x8ebfd028u, 25))

// ---- shifts and exclusive ors -----------------------------------------------

static uint32_t xorshift32(struct state *g)
{
    uint32_t x = (uint32_t)g->s[0];
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return (uint32_t)(g->s[0] = x);
}

static uint64_t xorshift64(struct state *g)
{
    uint64_t *const s = g->s;
    s[0] ^= s[0] << 13;
    s[0] ^= s[0] >> 7;
    return s[0] ^= s[0] << 17;
}

PANEL_PAIR(xorshift64_reversed, __builtin_bswap64(xorshift64(g)))

// The oldest of four words, which all move on by one; the newest is s[0], to be made of it.
static uint32_t oldest(uint64_t s[4])
{
    const uint32_t t = (uint32_t)s[3];
    s[3] = s[2], s[2] = s[1], s[1] = s[0];
    return t;
}

static uint32_t xorshift128(struct state *g)
{
    const uint32_t w = (uint32_t)g->s[0];
    uint32_t t = oldest(g->s);
    t ^= t << 11;
    return (uint32_t)(g->s[0] = t ^ t >> 8 ^ w ^ w >> 19);
}

static uint32_t xorwow(struct state *g)
{
    const uint32_t w = (uint32_t)g->s[0];
    uint32_t t = oldest(g->s);
    t ^= t >> 2;
    g->s[0] = t ^ t << 1 ^ w ^ w << 4;
    return (uint32_t)(g->s[0] + (g->s[4] += 362437));
}

static uint64_t xorshift128plus(struct state *g)
{
    uint64_t *const s = g->s, a = s[0];
    const uint64_t b = s[1];
    s[0] = b;
    a ^= a << 23;
    s[1] = a ^ b ^ a >> 17 ^ b >> 26;
    return s[1] + b;
}

static uint64_t xorshift1024plus(struct state *g)
{
    uint64_t *const s = g->s;
    const uint64_t a = s[g->n++ & 15];
    uint64_t *const b = &s[g->n & 15];
    *b ^= *b << 31;
    *b = *b ^ a ^ *b >> 11 ^ a >> 30;
    return *b + a;
}

static uint64_t xoroshiro128plus(struct state *g)
{
    uint64_t *const s = g->s;
    const uint64_t a = s[0], b = s[1] ^ s[0], sum = s[0] + s[1];
    s[0] = panel_rotate64(a, 24) ^ b ^ b << 16;
    s[1] = panel_rotate64(b, 37);
    return sum;
}

PANEL_WORD(xoroshiro128plus_high, xoroshiro128plus(g) >> 32)

PANEL_PAIR(xoshiro256plus, panel_xoshiro256(g->s, g->s[0] + g->s[3]))

static uint32_t xoshiro128plus(struct state *g)
{
    uint64_t *const s = g->s;
    const uint32_t sum = (uint32_t)(s[0] + s[3]), t = (uint32_t)s[1] << 9;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
    s[3] = panel_rotate32((uint32_t)s[3], 11);
    return sum;
}

// ---- registers with feedback ------------------------------------------------

static uint32_t taus(uint64_t *s, unsigned a, unsigned b, unsigned c, uint32_t mask)
{
    const uint32_t x = (uint32_t)*s;
    return (uint32_t)(*s = (x & mask) << c ^ (uint32_t)((x << a) ^ x) >> b);
}

PANEL_WORD(taus88, taus(&g->s[0], 13, 19, 12, 4294967294u) ^ taus(&g->s[1], 2, 25, 4, 4294967288u) ^
                       taus(&g->s[2], 3, 11, 17, 4294967280u))
PANEL_WORD(lfsr113, taus(&g->s[0], 6, 13, 18, 4294967294u) ^ taus(&g->s[1], 2, 27, 2, 4294967288u) ^
                        taus(&g->s[2], 13, 21, 7, 4294967280u) ^
                        taus(&g->s[3], 3, 12, 13, 4294967168u))

// One step a bit.
static uint32_t lfsr64_bits(struct state *g)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++) {
        out = out << 1 | (uint32_t)(g->s[0] & 1);
        g->s[0] = g->s[0] >> 1 ^ (g->s[0] & 1 ? UINT64_C(0xd800000000000000) : 0);
    }
    return out;
}

PANEL_WORD(lfsr32_words, g->s[0] = (uint32_t)g->s[0] >> 1 ^ (g->s[0] & 1 ? 0xa3000000u : 0))

static uint32_t well512(struct state *g)
{
    uint64_t *const s = g->s, *const at = &s[-g->n & 15];
    const uint32_t a = (uint32_t)*at, c = (uint32_t)s[(13 - g->n) & 15];
    const uint32_t b = a ^ c ^ a << 16 ^ c << 15;
    uint32_t e = (uint32_t)s[(9 - g->n) & 15];
    e ^= e >> 11;
    const uint32_t mixed = b ^ e, d = mixed ^ ((mixed << 5) & 0xda442d24u);
    *at = mixed;
    uint64_t *const before = &s[-++g->n & 15];
    const uint32_t old = (uint32_t)*before;
    return (uint32_t)(*before = old ^ b ^ d ^ old << 2 ^ b << 18 ^ e << 28);
}

// Of a counter.
static uint32_t crc32(struct state *g)
{
    uint32_t x = (uint32_t)g->s[1]++;
    for (int i = 0; i < 32; i++)
        x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
    return x;
}

#define PANEL_LIST "stats/roster/linear.inc"
#include "stats/panel/plugin.h"
