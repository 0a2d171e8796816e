// SPDX-License-Identifier: Apache-2.0
// Congruential generators and other sums: each flawed in its low bits, in its lattice, or in both.

#include "stats/panel/panel.h"

__extension__ typedef unsigned __int128 uint128;

struct state {
    uint64_t x, carry, n; // n: steps made
    uint64_t prime;       // in 1 to 2^31 - 2
    uint128 wide;
    uint32_t lag[4096];
    uint64_t stream[1024];
};

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    (void)parameter;
    g->x = panel_mix(&seed) | 1;
    g->prime = g->x % 2147483646 + 1;
    g->wide = (uint128)panel_mix(&seed) << 64 | panel_mix(&seed) | 1;
    for (unsigned i = 0; i < 4096; i++)
        g->lag[i] = (uint32_t)panel_mix(&seed);
    for (unsigned i = 0; i < 1024; i++)
        g->stream[i] = i;
}

// ---- congruential -----------------------------------------------------------

// The multiplier and the increment of Knuth's MMIX.
static uint64_t mmix(uint64_t *x)
{
    return *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

static uint64_t low_bits(uint64_t x, unsigned bits)
{
    return x & ((UINT64_C(1) << bits) - 1);
}

static uint32_t lehmer32(struct state *g)
{
    return (uint32_t)(g->x = (uint32_t)(g->x * 69069 + 1)) >> 16;
}

static uint32_t lcg32_halves(struct state *g)
{
    const uint32_t high = lehmer32(g);
    return high << 16 | lehmer32(g);
}

PANEL_WORD(randu, (g->x = low_bits(g->x * 65539, 31)) << 1)
PANEL_WORD(lcg32, g->x = (uint32_t)(g->x * 1664525 + 1013904223))
PANEL_WORD(lcg64_low, mmix(&g->x))
PANEL_WORD(lcg64_high, mmix(&g->x) >> 32)
PANEL_WORD(mcg64_high, (g->x = g->x * UINT64_C(0xf1357aea2e62a9c5)) >> 32)
PANEL_WORD(lcg40, (g->x = low_bits(g->x * 1099087573 + 1, 40)) >> 8)
PANEL_WORD(lcg48, (g->x = low_bits(g->x * UINT64_C(0x5deece66d) + 11, 48)) >> 16)
PANEL_WORD(lcg128_low,
           (g->wide = g->wide * (((uint128)2549297995355413924u << 64) + 4865540595714422341u) +
                      1) >>
               32)
// 1,024 streams with seeds 0 to 1,023.
PANEL_WORD(lcg64_streams, mmix(&g->stream[g->n++ & 1023]) >> 32)

PANEL_WORD(minstd, g->prime = g->prime * 48271 % 2147483647)

static uint32_t minstd_padded(struct state *g)
{
    g->prime = g->prime * 16807 % 2147483647;
    return (uint32_t)g->prime << 1 | (uint32_t)(g->prime >> 30);
}

static uint32_t inversive(struct state *g)
{
    uint64_t inverse = 1, base = g->prime, e = 2147483645;
    for (; e; e >>= 1, base = base * base % 2147483647)
        if (e & 1)
            inverse = inverse * base % 2147483647;
    g->prime = (inverse * 1288490188 + 1) % 2147483647;
    return (uint32_t)g->prime << 1;
}

static uint32_t lcg61(struct state *g)
{
    const uint64_t m = (UINT64_C(1) << 61) - 1;
    const uint128 p = (uint128)(g->x & m) * 437799614237992725u;
    const uint64_t r = (uint64_t)(p & m) + (uint64_t)(p >> 61);
    g->x = r >= m ? r - m : r;
    return (uint32_t)(g->x >> 29);
}

// rand() of the C standard's example, 15 bits a call.
static uint32_t ansi_packed(struct state *g)
{
    uint32_t out = 0;
    for (int i = 0; i < 4; i++) {
        g->x = (uint32_t)(g->x * 1103515245 + 12345);
        out = out << 8 | (g->x >> 16 & 255);
    }
    return out;
}

static uint32_t wichmann_2(struct state *g)
{
    const uint64_t a = g->prime % 30269 * 171 % 30269, b = g->prime / 30269 % 30307 * 172 % 30307;
    g->prime = a + 30269 * b;
    return (uint32_t)((a << 32) / 30269 + (b << 32) / 30307);
}

// ---- counters ---------------------------------------------------------------

static uint32_t counter64(struct state *g)
{
    const uint64_t n = g->n++;
    return (uint32_t)(n % 2 ? n / 2 >> 32 : n / 2);
}

PANEL_WORD(counter, g->n++)
PANEL_WORD(counter_bytes, ++g->n * 0x01010101u + 0x00408001u)
PANEL_WORD(gray, (++g->n, g->n ^ g->n >> 1))
PANEL_WORD(weyl, g->x = (uint32_t)(g->x + 0x9e3779b9))
PANEL_WORD(weyl64_high, (g->x += PANEL_GOLDEN) >> 32)
PANEL_WORD(weyl_squared, (g->x += UINT64_C(0xb5ad4eceda1ce2a9), g->x * g->x) >> 32)

// ---- sums and products of earlier words -------------------------------------

static uint32_t back(const struct state *g, unsigned distance)
{
    return g->lag[(g->n - distance) & 4095];
}

static uint32_t push(struct state *g, uint64_t x)
{
    return g->lag[g->n++ & 4095] = (uint32_t)x;
}

// Subtract with borrow.
static uint32_t borrow(struct state *g, unsigned r, unsigned q)
{
    const uint64_t d = (uint64_t)back(g, q) - back(g, r) - g->carry;
    g->carry = d >> 63;
    return push(g, d);
}

PANEL_WORD(fibonacci_55, push(g, back(g, 55) + back(g, 24)))
PANEL_WORD(fibonacci_607, push(g, back(g, 607) + back(g, 273)))
PANEL_WORD(fibonacci_xor_250, push(g, back(g, 250) ^ back(g, 103)))
// Products of odd numbers, the constant last bit kept.
PANEL_WORD(fibonacci_times_17, push(g, (back(g, 17) | 1) * (back(g, 5) | 1)))
PANEL_WORD(borrow_24, borrow(g, 24, 10))
PANEL_WORD(borrow_43, borrow(g, 43, 22))

static uint32_t acorn_4(struct state *g)
{
    for (unsigned i = 1; i < 5; i++)
        g->lag[i] = (g->lag[i] + g->lag[i - 1]) & 0x3fffffff;
    return g->lag[4] << 2;
}

// Two multiply-with-carry halves of 16 bits.
static uint32_t carry_16(struct state *g)
{
    g->x = 36969 * (g->x & 65535) + (g->x >> 16 & 65535);
    g->carry = 18000 * (g->carry & 65535) + (g->carry >> 16) + (g->carry == 0);
    return (uint32_t)(g->x << 16) + (uint32_t)(g->carry & 65535);
}

// ---- squares ----------------------------------------------------------------

PANEL_WORD(middle_square, g->x = (uint32_t)((g->x & 0xffffffff) * (g->x & 0xffffffff) >> 16))

static uint32_t quadratic(struct state *g)
{
    g->x = g->x * (g->x + 1);
    if (g->x < 4)
        g->x = g->wide & 0xffffffff;
    return (uint32_t)(g->x = (uint32_t)g->x | 2);
}

#define PANEL_LIST "stats/roster/congruential.inc"
#include "stats/panel/plugin.h"
