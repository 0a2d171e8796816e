// SPDX-License-Identifier: Apache-2.0
// Generators that were in use, with the defects they are known for, and mistakes that were made in
// writing good ones down.

#include "stats/panel/steps.h"

#include <math.h>

__extension__ typedef unsigned __int128 uint128;

// 32 bits of a 53-bit double below one.
static uint32_t from_real(double u)
{
    u -= floor(u);
    return (uint32_t)(uint64_t)(u * 0x1p32);
}

// ---- of languages and systems -----------------------------------------------
// V8 until 2015: two 16-bit multiply-with-carry, the high half from one alone.
static uint32_t mwc1616(struct state *g)
{
    uint32_t *const s = g->small;
    s[0] = 18030 * (s[0] & 65535) + (s[0] >> 16);
    s[1] = 36969 * (s[1] & 65535) + (s[1] >> 16);
    return (s[0] << 14) + (s[1] & 0x3ffff);
}

static uint32_t kiss_carry(uint32_t s[2])
{
    s[0] = 36969 * (s[0] & 65535) + (s[0] >> 16);
    s[1] = 18000 * (s[1] & 65535) + (s[1] >> 16);
    return (s[0] << 16) + s[1];
}
WORD(mwc_znew_wnew, kiss_carry(g->small))

// A spreadsheet: Wichmann and Hill's three small moduli, summed in doubles; the same with one of
// the three left at zero, as clocks in milliseconds did.
static uint32_t wichmann(struct state *g, uint32_t third)
{
    uint32_t *const s = g->small;
    for (int k = 0; k < 3 && !g->n; k++)
        s[k] = 1 + s[k] % 30000;
    s[0] = s[0] * 171 % 30269;
    s[1] = s[1] * 172 % 30307;
    s[2] = s[2] * third % 30323;
    return from_real(s[0] / 30269.0 + s[1] / 30307.0 + s[2] / 30323.0);
}
WORD(wichmann_hill, wichmann(g, 170))
WORD(wichmann_zero, wichmann(g, 0))

// Every p-th value of minstd, and minstd through a shuffling table (Bays and Durham).
static uint64_t minstd(struct state *g, uint64_t n, uint64_t steps)
{
    if (!n)
        g->x = g->x % 2147483646 + 1;
    for (; steps; steps--)
        g->x = g->x * 16807 % 2147483647;
    return g->x;
}

static uint64_t shuffled(struct state *g, uint64_t value)
{
    const unsigned j = (unsigned)(g->y >> 26) & 31;
    g->y = g->small[j] & 0x7fffffff;
    g->small[j] = (uint32_t)value;
    return g->y;
}
PARTS(minstd_step, 16, minstd(g, n, p) >> 15)
PARTS(minstd_shuffled, 16, shuffled(g, minstd(g, n, 1)) >> 15)

// drand48: a language's doubles of two values, their high and their low bits; read as 16 high bits.
static uint64_t rand48(struct state *g)
{
    return g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
}

static uint64_t java_double(struct state *g)
{
    const uint64_t high = rand48(g) >> 22;
    return (high << 27) + (rand48(g) >> 21);
}
WORD(java_next_double, java_double(g) >> 21)
WORD(java_next_double_low, java_double(g))
PARTS(drand48_top16, 16, rand48(g) >> 32)

// x[n] = x[n - r] + x[n - s], or - x[n - s] in the bits of the mask.
static uint32_t added(struct state *g, unsigned r, unsigned s)
{
    const unsigned at = g->in;
    g->in = (at + 1) % r;
    return g->small[at] += g->small[(at + r - s) % r];
}

static uint32_t subtracted(struct state *g, unsigned r, unsigned s, uint32_t mask)
{
    const unsigned at = g->in;
    g->in = (at + 1) % r;
    return g->small[at] = (g->small[at] - g->small[(at + r - s) % r]) & mask;
}

// random() of C libraries, the lowest bit thrown away; its high 16 bits, and low ones.
PARTS(random_31, 16, added(g, 31, 3) >> 16)
PARTS(random_31_low, 16, added(g, 31, 3) >> 1 & 0xffff)

// rand() of a C compiler: 15 bits a call, packed.
BITS(msvc_rand, 15, (g->x = (uint32_t)(g->x * 214013 + 2531011)) >> 16 & 0x7fff)

// RND of a BASIC: 24 bits of state; and of a home computer: 75 (x + 1) mod 65537.
BITS(basic_24, 24, g->x = (g->x * 0x43fd43fd + 0xc39ec3) & 0xffffff)

static void sinclair(struct state *g)
{
    g->x = (g->x % 65537 + 1) * 75 % 65537;
    push(g, g->x, 16);
}

// Knuth's subtractive generator with the typing error that a framework kept: lag 21 in place of 31,
// modulo 2^31 - 1.
static uint32_t knuth_21(struct state *g, uint64_t n)
{
    uint32_t *const s = g->small;
    for (int k = 0; k < 55 && !n; k++)
        s[k] >>= 1;
    int64_t v = (int64_t)s[g->in] - s[(g->in + 21) % 55];
    if (v < 0)
        v += 2147483647;
    s[g->in] = (uint32_t)v;
    g->in = (g->in + 1) % 55;
    return (uint32_t)v;
}
PARTS(subtractive_21, 16, knuth_21(g, n) >> 15)

// ran_array without throwing 909 of 1,009 away: 16 high bits.
PARTS(ran_array_all, 16, subtracted(g, 100, 37, 0x3fffffff) >> 14)

// Four taps, 256 words: its lowest bit is linear; its high bytes alone.
static uint32_t four_taps(uint32_t s[256], uint64_t n)
{
    return s[n & 255] += s[(n - 179) & 255] + s[(n - 119) & 255] + s[(n - 55) & 255];
}
WORD(four_taps_256, four_taps(g->small, n))
PARTS(four_taps_256_high, 8, four_taps(g->small, n) >> 24)

// Additive generators of two taps, only the high p bits of each value.
BITS(lagged_17_5_high, g->p, added(g, 17, 5) >> (32 - g->p))
BITS(lagged_97_33_high, g->p, added(g, 97, 33) >> (32 - g->p))
BITS(lagged_1279_418_high, g->p, added(g, 1279, 418) >> (32 - g->p))
BITS(lagged_3217_576_high, g->p, added(g, 3217, 576) >> (32 - g->p))

// ranlux: subtract with borrow, p values in all for 24 that are used.
static void ranlux(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    if (!n && !g->held)
        for (int k = 0; k < 24; k++)
            g->small[k] &= 0xffffff;
    for (uint64_t k = g->out == 24 ? p - 23 : 1; k; k--) {
        const int32_t v =
            (int32_t)g->small[(g->in + 14) % 24] - (int32_t)g->small[g->in] - (int32_t)(g->x & 1);
        g->x = v < 0;
        g->small[g->in] = (uint32_t)v & 0xffffff;
        g->in = (g->in + 1) % 24;
    }
    g->out = g->out % 24 + 1;
    push(g, g->small[(g->in + 23) % 24], 24);
}

// ranmar: lags 97 and 33, minus an arithmetic sequence modulo 2^24 - 3.
static void ranmar(struct state *g)
{
    const uint64_t n = g->n;
    if (!n && !g->held) {
        g->x = 362436;
        for (int k = 0; k < 97; k++)
            g->small[k] &= 0xffffff;
    }
    g->x = (g->x + 16777213 - 7654321) % 16777213;
    push(g, subtracted(g, 97, 33, 0xffffff) - g->x, 24);
}

// KISS with a part missing.
static uint32_t kiss_shift(uint32_t s[4])
{
    s[2] ^= s[2] << 17;
    s[2] ^= s[2] >> 13;
    return s[2] ^= s[2] << 5;
}

static uint32_t kiss_congruence(uint32_t s[4])
{
    return s[3] = 69069 * s[3] + 1234567;
}

WORD(kiss_no_shift, kiss_carry(g->small) ^ kiss_congruence(g->small))
WORD(kiss_no_congruence, kiss_carry(g->small) + kiss_shift(g->small))
WORD(kiss_no_carry, kiss_congruence(g->small) + kiss_shift(g->small))
// Mersenne Twister: doubles, the other branch taken (a scripting language), tempering left out, a
// state of almost all zeros.
static uint32_t twister(struct state *g, uint64_t how)
{
    uint32_t *const s = g->small;
    if (g->n == 0 && g->in == 0) {
        if (how == 3)
            memset(s, 0, sizeof g->small), s[300] = 1;
        g->in = 624;
    }
    if (g->in == 624) {
        for (unsigned k = 0; k < 624; k++) {
            const uint32_t u = s[k], v = s[(k + 1) % 624],
                           y = (u & 0x80000000u) | (v & 0x7fffffffu);
            s[k] = s[(k + 397) % 624] ^ y >> 1 ^ ((how == 1 ? u : v) & 1 ? 0x9908b0dfu : 0);
        }
        g->in = 0;
    }
    uint32_t w = s[g->in++];
    if (how == 2)
        return w;
    w ^= w >> 11, w ^= w << 7 & 0x9d2c5680u, w ^= w << 15 & 0xefc60000u;
    return w ^ w >> 18;
}
static uint32_t twister_doubles(struct state *g)
{
    const uint64_t a = twister(g, 0) >> 5, b = twister(g, 0) >> 6;
    return (uint32_t)((a << 26 | b) >> 13);
}

WORD(twister_other_branch, twister(g, 1))
WORD(twister_untempered, twister(g, 2))
WORD(twister_of_zeros, twister(g, 3))
// Two twisters' words multiplied, one odd: 32-bit products.
WORD(twister_products, (twister(g, 0) | 1) * twister(g, 0))
WORD(twister_plus_congruence, twister(g, 0) + (g->x = (uint32_t)(g->x * 1664525 + 1013904223)))

static uint32_t tiny_twister(struct state *g)
{
    uint32_t *const s = g->small;
    uint32_t x = (s[0] & 0x7fffffff) ^ s[1] ^ s[2];
    uint32_t y = s[3];
    x ^= x << 1;
    y ^= y >> 1 ^ x;
    s[0] = s[1];
    s[1] = s[2];
    s[2] = x ^ y << 10;
    s[3] = y;
    if (y & 1)
        s[1] ^= 0x8f7011eeu, s[2] ^= 0xfc78ff1fu;
    const uint32_t t = s[0] + (s[2] >> 8);
    return s[3] ^ t ^ (t & 1 ? 0x3793fdffu : 0);
}

// The xorshift family with shifts that do not reach the full period, under a multiplication that
// hides linearity.
static uint32_t xorshift_star_poor(struct state *g)
{
    g->x ^= g->x >> 13;
    g->x ^= g->x << 7;
    g->x ^= g->x >> 21;
    return (uint32_t)(g->x * UINT64_C(2685821657736338717) >> 32);
}

static uint32_t xorshift_star_32(struct state *g)
{
    uint32_t s = (uint32_t)g->x;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    g->x = s;
    return s * 1597334677u;
}

static uint32_t xorwow(uint32_t s[5])
{
    const uint32_t t = s[4] ^ s[4] >> 2;
    memmove(s + 1, s, 4 * sizeof *s);
    return s[0] = t ^ t << 1 ^ s[1] ^ s[1] << 4;
}
WORD(xorwow_no_sum, xorwow(g->small) + 362437u)
// Its high 8 bits, four calls a word.
PARTS(xorwow_bytes, 8, (xorwow(g->small) + (g->small[5] += 362437u)) >> 24)

// PCG32 written down wrongly: no rotation; the low bits; the wrong shift; an even increment and a
// multiplier of small order.
static uint64_t pcg_step(struct state *g, uint64_t multiplier)
{
    const uint64_t old = g->x;
    g->x = old * multiplier + 1442695040888963407u;
    return old;
}

#define PCG(name, step, value, turn)                                                               \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        const uint64_t old = (step);                                                               \
        return panel_turn32((uint32_t)(value), turn);                                              \
    }
#define STEP pcg_step(g, UINT64_C(6364136223846793005))
PCG(pcg_no_rotation, STEP, (old >> 18 ^ old) >> 27, 0)
PCG(pcg_low_half, STEP, old >> 18 ^ old, old >> 59)
PCG(pcg_no_shift, STEP, old >> 27, old >> 59)
PCG(pcg_rotation_of_low, STEP, (old >> 18 ^ old) >> 27, old)
PCG(pcg_poor_multiplier, pcg_step(g, 0x100000005u), (old >> 18 ^ old) >> 27, old >> 59)
PCG(pcg_of_48_bits, rand48(g), (old >> 13 ^ old) >> 11, old >> 43)

// splitmix64 with a step of p zero bits below, with the step 1, without its first mixing; 32 bits
// of state.
WORD(splitmix_even_step, panel_mixed(g->x += PANEL_GOLDEN << p) >> 32)
WORD(splitmix_murmur_1, panel_stirred(panel_murmured(n), 33, 1))
WORD(splitmix_second_alone,
     panel_stirred(panel_stirred(g->x += PANEL_GOLDEN, 27, UINT64_C(0x94d049bb133111eb)), 31, 1) >>
         32)
static uint32_t splitmix32(struct state *g)
{
    g->x = (uint32_t)(g->x + 0x9e3779b9u);
    uint32_t z = (uint32_t)g->x;
    z = (z ^ z >> 16) * 0x85ebca6bu;
    z = (z ^ z >> 13) * 0xc2b2ae35u;
    return z ^ z >> 16;
}

// Middle-square Weyl sequences whose step is small (p bits) or even.
static uint32_t msws(struct state *g, uint64_t step)
{
    g->x = panel_rotate64(g->x * g->x + step, 32);
    return (uint32_t)g->x;
}
WORD(msws_small_step, msws(g, g->y += 2 * p + 1))
WORD(msws_no_step, msws(g, UINT64_C(0xb5ad4eceda1ce2a9)))

// ---- hashes and formulae of graphics ----------------------------------------
static uint32_t shader_sine(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t w = good(g);
    const float f = sinf((float)n * 12.9898f) * 43758.5453f;
    return (uint32_t)((f - floorf(f)) * 65536.0f) << 16 | w >> 16;
}

static uint32_t hugo_noise(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t x = (uint32_t)n;
    x = x << 13 ^ x;
    return x * (x * x * 15731 + 789221) + 1376312589;
}

static uint32_t murmur2_of_counter(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t k = (uint32_t)n * 0x5bd1e995u;
    k ^= k >> 24;
    k *= 0x5bd1e995u;
    uint32_t h = (747796405u ^ 4) * 0x5bd1e995u ^ k;
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    return h ^ h >> 15;
}

static uint32_t djb2_of_digits(struct state *g)
{
    const uint64_t n = g->n;
    char t[24];
    snprintf(t, sizeof t, "%08llu", (unsigned long long)n);
    uint32_t h = 5381;
    for (const char *c = t; *c; c++)
        h = h * 33 + (unsigned char)*c;
    return h;
}

static uint32_t pcg_hash_once(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t s = (uint32_t)n * 747796405u + 2891336453u;
    const uint32_t v = (s >> ((s >> 28) + 4) ^ s) * 277803737u;
    return v >> 22 ^ v;
}

WORD(xxhash_no_avalanche,
     panel_rotate32((uint32_t)n * 0xc2b2ae3du + 0x165667b1u + 4, 17) * 0x27d4eb2fu)

// ---- chaos, automata, low discrepancy ---------------------------------------
static double logistic(struct state *g, double r)
{
    if (!g->n)
        g->real[0] = 0.3141592 + 1e-9 * (double)(g->given % 1000);
    for (unsigned k = 0; k < g->p; k++)
        g->real[0] = r * g->real[0] * (1 - g->real[0]);
    return g->real[0];
}
WORD(logistic_map, logistic(g, 3.99999) * 0x1p48)

static uint32_t logistic_straightened(struct state *g)
{
    const double x = logistic(g, 4);
    if (x <= 0 || x >= 1)
        g->real[0] = 0.271828;
    return from_real(2 / 3.14159265358979323846 * asin(sqrt(g->real[0])));
}

// Rule 30 on a ring of 64 cells, one cell of each row; and p rows for a bit.
static uint64_t rule_30_rows(struct state *g, uint64_t rows)
{
    for (; rows; rows--)
        g->x = panel_rotate64(g->x, 1) ^ (g->x | panel_rotate64(g->x, 63));
    return g->x;
}
PARTS(rule_30, 1, rule_30_rows(g, p) >> 32 & 1)

static uint32_t sobol(struct state *g)
{
    if (g->n == 0)
        g->x = 0;
    const uint32_t w = (uint32_t)g->x ^ g->small[0];
    g->x ^= UINT64_C(1) << (31 - __builtin_ctzll(~g->n) % 32);
    return w;
}
PARTS(golden_bytes, 8, n *PANEL_GOLDEN >> 56)

// ---- shift registers, combined ----------------------------------------------
static unsigned feedback(uint32_t *ring, unsigned at, const unsigned lag[2])
{
    return ring[at % 1024] = ring[(at - lag[0]) % 1024] ^ ring[(at - lag[1]) % 1024];
}

static void begin_with_bits(struct state *g)
{
    for (int k = 0; k < 4096 && !g->in; k++)
        g->small[k] &= 1;
}

// Bits of three registers, joined: bit x + 2 y + 4 z of `truth`.
static uint32_t registers(struct state *g, const unsigned lag[3][2], unsigned truth)
{
    uint32_t w = 0;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        unsigned at = 0;
        begin_with_bits(g);
        for (unsigned r = 0; r < 3; r++)
            at |= feedback(g->small + 1024 * r, g->in, lag[r]) << r;
        w |= (truth >> at & 1) << b;
    }
    return w;
}

// Geffe's: one register chooses between two others, with each of which it agrees three times in
// four; and the majority of three.
static const unsigned geffe_lags[3][2] = {{89, 38}, {127, 63}, {521, 32}};
static const unsigned majority_lags[3][2] = {{521, 168}, {607, 273}, {521, 32}};
WORD(geffe, registers(g, geffe_lags, 0xd8))
WORD(majority_of_registers, registers(g, majority_lags, 0xe8))

// The shrinking generator: bits of one register where another has a one.
static uint32_t shrinking(struct state *g)
{
    uint32_t w = 0;
    for (unsigned b = 0; b < 32; g->in++) {
        begin_with_bits(g);
        const unsigned x = feedback(g->small, g->in, geffe_lags[0]),
                       y = feedback(g->small + 1024, g->in, geffe_lags[1]);
        if (x)
            w |= y << b++;
    }
    return w;
}

// A register of 1,279 bits, of which now and then a bit is wrong (p in 256).
static uint32_t noisy_register(struct state *g)
{
    uint32_t w = 0, *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        begin_with_bits(g);
        const unsigned x = s[g->in % 2048] = s[(g->in - 521) % 2048] ^ s[(g->in - 168) % 2048];
        w |= (x ^ ((draw(g) >> 56) < g->p)) << b;
    }
    return w;
}

// RC4 with p bits a byte.
static void rc4(struct state *g)
{
    const uint64_t p = g->p;
    uint32_t *const s = g->small;
    const unsigned m = (1u << p) - 1;
    if (!g->out) {
        g->out = 1;
        for (unsigned k = 0; k <= m; k++)
            s[k] = k;
        for (unsigned k = m; k; k--) {
            const unsigned j = (unsigned)(draw(g) % (k + 1)), t = s[k];
            s[k] = s[j], s[j] = t;
        }
    }
    g->in = (g->in + 1) & m;
    const unsigned t = s[g->in];
    g->x = (g->x + t) & m;
    s[g->in] = s[g->x];
    s[g->x] = t;
    push(g, s[(s[g->in] + t) & m], g->p);
}

// x^2 modulo a product of two 31-bit primes, its lowest bit.
static uint64_t squared(struct state *g, uint64_t n)
{
    const uint64_t modulus = 4611685975477714963u;
    if (!n)
        g->x %= modulus;
    return g->x = (uint64_t)((uint128)g->x * g->x % modulus);
}
PARTS(blum_blum_shub, 1, squared(g, n) & 1)

#define PANEL_LIST "stats/roster/historic.inc"
#include "stats/panel/plugin.h"
