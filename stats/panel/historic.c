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

static uint32_t mwc_znew_wnew(struct state *g)
{
    uint32_t *const s = g->small;
    s[0] = 36969 * (s[0] & 65535) + (s[0] >> 16);
    s[1] = 18000 * (s[1] & 65535) + (s[1] >> 16);
    return (s[0] << 16) + s[1];
}

// A spreadsheet: Wichmann and Hill's three small moduli, summed in doubles.
static uint32_t wichmann_hill(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t *const s = g->small;
    if (!n)
        for (int k = 0; k < 3; k++)
            s[k] = 1 + s[k] % 30000;
    s[0] = s[0] * 171 % 30269;
    s[1] = s[1] * 172 % 30307;
    s[2] = s[2] * 170 % 30323;
    return from_real(s[0] / 30269.0 + s[1] / 30307.0 + s[2] / 30323.0);
}

// The same with one of the three left at zero, as clocks in milliseconds did.
static uint32_t wichmann_zero(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t *const s = g->small;
    if (!n)
        for (int k = 0; k < 3; k++)
            s[k] = 1 + s[k] % 30000;
    s[0] = s[0] * 171 % 30269;
    s[1] = s[1] * 172 % 30307;
    return from_real(s[0] / 30269.0 + s[1] / 30307.0);
}

// Every p-th value of minstd, and minstd through a shuffling table (Bays and Durham).
static uint32_t minstd_step(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = 0;
    if (!n)
        g->x = g->x % 2147483646 + 1;
    for (int h = 0; h < 2; h++) {
        for (uint64_t k = 0; k < p; k++)
            g->x = g->x * 16807 % 2147483647;
        w = w << 16 | (uint32_t)(g->x >> 15);
    }
    return w;
}

static uint32_t minstd_shuffled(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = 0;
    if (!n)
        g->x = g->x % 2147483646 + 1;
    for (int h = 0; h < 2; h++) {
        g->x = g->x * 16807 % 2147483647;
        const unsigned j = (unsigned)(g->y >> 26) & 31;
        g->y = g->small[j] & 0x7fffffff;
        g->small[j] = (uint32_t)g->x;
        w = w << 16 | (uint32_t)(g->y >> 15 & 0xffff);
    }
    return w;
}

static uint32_t java_next_double(struct state *g)
{
    g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
    const uint64_t hi = g->x >> 22;
    g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
    return (uint32_t)(((hi << 27) + (g->x >> 21)) >> 21);
}

static uint32_t java_next_double_low(struct state *g)
{
    g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
    const uint64_t hi = g->x >> 22;
    g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
    return (uint32_t)((hi << 27) + (g->x >> 21));
}

// drand48 read as 16 high bits, twice a word.
static uint32_t drand48_top16(struct state *g)
{
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
        w = w << 16 | (uint32_t)(g->x >> 32);
    }
    return w;
}

// random() of C libraries: x[n-3] + x[n-31], the lowest bit thrown away; its high 16 bits, twice a
// word.
static uint32_t random_31(struct state *g)
{
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] += s[(g->in + 28) % 31];
        g->in = (g->in + 1) % 31;
        w = w << 16 | v >> 16;
    }
    return w;
}

static uint32_t random_31_low(struct state *g)
{
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] += s[(g->in + 28) % 31];
        g->in = (g->in + 1) % 31;
        w = w << 16 | (v >> 1 & 0xffff);
    }
    return w;
}

// rand() of a C compiler: 15 bits a call, packed.
static void msvc_rand(struct state *g)
{
    g->x = (uint32_t)(g->x * 214013 + 2531011);
    push(g, g->x >> 16 & 0x7fff, 15);
}

// RND of a BASIC: 24 bits of state; and of a home computer: 75 (x + 1) mod 65537.
static void basic_24(struct state *g)
{
    g->x = (g->x * 0x43fd43fd + 0xc39ec3) & 0xffffff;
    push(g, g->x, 24);
}

static void sinclair(struct state *g)
{
    g->x = (g->x % 65537 + 1) * 75 % 65537;
    push(g, g->x, 16);
}

// Knuth's subtractive generator with the typing error that a framework kept: lag 21 in place of 31,
// modulo 2^31 - 1.
static uint32_t subtractive_21(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        if (!n && !h)
            for (int k = 0; k < 55; k++)
                s[k] >>= 1;
        int64_t v = (int64_t)s[g->in] - s[(g->in + 21) % 55];
        if (v < 0)
            v += 2147483647;
        s[g->in] = (uint32_t)v;
        g->in = (g->in + 1) % 55;
        w = w << 16 | (uint32_t)v >> 15;
    }
    return w;
}

// ran_array without throwing 909 of 1,009 away: x[n-100] - x[n-37] mod 2^30, 16 high bits.
static uint32_t ran_array_all(struct state *g)
{
    uint32_t w = 0;
    for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] = (s[g->in] - s[(g->in + 63) % 100]) & 0x3fffffff;
        g->in = (g->in + 1) % 100;
        w = w << 16 | v >> 14;
    }
    return w;
}

// Four taps, 256 words: its lowest bit is linear; its high bytes alone.
static uint32_t four_taps_256(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t v = g->small[n & 255] +=
        g->small[(n - 179) & 255] + g->small[(n - 119) & 255] + g->small[(n - 55) & 255];
    return v;
}

static uint32_t four_taps_256_high(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = 0;
    for (int b = 0; b < 4; b++) {
        const uint64_t m = n * 4 + (uint64_t)b;
        const uint32_t v = g->small[m & 255] +=
            g->small[(m - 179) & 255] + g->small[(m - 119) & 255] + g->small[(m - 55) & 255];
        w = w << 8 | v >> 24;
    }
    return w;
}

// Additive generators of two taps, only the high p bits of each value.
static void lagged(struct state *g, unsigned r, unsigned s)
{
    const uint32_t v = g->small[g->in] += g->small[(g->in + r - s) % r];
    g->in = (g->in + 1) % r;
    push(g, v >> (32 - g->p), g->p);
}

static void lagged_17_5_high(struct state *g)
{
    lagged(g, 17, 5);
}

static void lagged_97_33_high(struct state *g)
{
    lagged(g, 97, 33);
}

static void lagged_1279_418_high(struct state *g)
{
    lagged(g, 1279, 418);
}

static void lagged_3217_576_high(struct state *g)
{
    lagged(g, 3217, 576);
}

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
    const uint32_t v = g->small[g->in] = (g->small[g->in] - g->small[(g->in + 64) % 97]) & 0xffffff;
    g->in = (g->in + 1) % 97;
    g->x = (g->x + 16777213 - 7654321) % 16777213;
    push(g, v - g->x, 24);
}

// KISS with a part missing.
static uint32_t kiss_carry(uint32_t s[4])
{
    s[0] = 36969 * (s[0] & 65535) + (s[0] >> 16);
    s[1] = 18000 * (s[1] & 65535) + (s[1] >> 16);
    return (s[0] << 16) + s[1];
}

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
static uint32_t twister_plus_congruence(struct state *g)
{
    g->x = (uint32_t)(g->x * 1664525 + 1013904223);
    return twister(g, 0) + (uint32_t)g->x;
}

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

static uint32_t xorwow_no_sum(struct state *g)
{
    uint32_t *const s = g->small;
    uint32_t t = s[4] ^ s[4] >> 2;
    s[4] = s[3];
    s[3] = s[2];
    s[2] = s[1];
    s[1] = s[0];
    t ^= t << 1 ^ s[0] ^ s[0] << 4;
    s[0] = t;
    return t + 362437u;
}

// xorwow's high 8 bits, four calls a word.
static uint32_t xorwow_bytes(struct state *g)
{
    uint32_t w = good(g);
    uint32_t *const s = g->small;
    w = 0;
    for (int b = 0; b < 4; b++) {
        uint32_t t = s[4] ^ s[4] >> 2;
        s[4] = s[3];
        s[3] = s[2];
        s[2] = s[1];
        s[1] = s[0];
        t ^= t << 1 ^ s[0] ^ s[0] << 4;
        s[0] = t;
        s[5] += 362437u;
        w = w << 8 | (t + s[5]) >> 24;
    }
    return w;
}

// PCG32 written down wrongly: no rotation; the low bits; the wrong shift; an even increment and a
// multiplier of small order.
static uint64_t pcg_step(struct state *g)
{
    const uint64_t old = g->x;
    g->x = old * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return old;
}

static uint32_t pcg_no_rotation(struct state *g)
{
    const uint64_t old = pcg_step(g);
    return (uint32_t)((old >> 18 ^ old) >> 27);
}

static uint32_t pcg_low_half(struct state *g)
{
    const uint64_t old = pcg_step(g);
    const uint32_t v = (uint32_t)(old >> 18 ^ old);
    return panel_turn32(v, old >> 59);
}

static uint32_t pcg_no_shift(struct state *g)
{
    const uint64_t old = pcg_step(g);
    const uint32_t v = (uint32_t)(old >> 27);
    return panel_turn32(v, old >> 59);
}

static uint32_t pcg_rotation_of_low(struct state *g)
{
    const uint64_t old = pcg_step(g);
    const uint32_t v = (uint32_t)((old >> 18 ^ old) >> 27);
    return panel_turn32(v, old);
}

static uint32_t pcg_poor_multiplier(struct state *g)
{
    const uint64_t old = g->x;
    g->x = old * 0x100000005u + 1442695040888963407u;
    const uint32_t v = (uint32_t)((old >> 18 ^ old) >> 27);
    return panel_turn32(v, old >> 59);
}

static uint32_t pcg_of_48_bits(struct state *g)
{
    g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
    const uint64_t old = g->x;
    const uint32_t v = (uint32_t)((old >> 13 ^ old) >> 11);
    return panel_turn32(v, old >> 43);
}

// splitmix64 with a step of p zero bits below, with the step 1, without its first mixing; 32 bits
// of state.
static uint32_t splitmix_even_step(struct state *g)
{
    const uint64_t p = g->p;
    g->x += UINT64_C(0x9e3779b97f4a7c15) << p;
    uint64_t z = g->x;
    return (uint32_t)(panel_mixed(z) >> 32);
}

static uint32_t splitmix_murmur_1(struct state *g)
{
    const uint64_t n = g->n;
    uint64_t z = n;
    z = (z ^ z >> 33) * UINT64_C(0xff51afd7ed558ccd);
    z = (z ^ z >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(z ^ z >> 33);
}

static uint32_t splitmix_second_alone(struct state *g)
{
    g->x += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = g->x;
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static uint32_t splitmix32(struct state *g)
{
    g->x = (uint32_t)(g->x + 0x9e3779b9u);
    uint32_t z = (uint32_t)g->x;
    z = (z ^ z >> 16) * 0x85ebca6bu;
    z = (z ^ z >> 13) * 0xc2b2ae35u;
    return z ^ z >> 16;
}

// Middle-square Weyl sequences whose step is small (p bits) or even.
static uint32_t msws_small_step(struct state *g)
{
    const uint64_t p = g->p;
    g->y += 2 * p + 1;
    g->x = g->x * g->x + g->y;
    g->x = g->x >> 32 | g->x << 32;
    return (uint32_t)g->x;
}

static uint32_t msws_no_step(struct state *g)
{
    g->x = g->x * g->x + UINT64_C(0xb5ad4eceda1ce2a9);
    g->x = g->x >> 32 | g->x << 32;
    return (uint32_t)g->x;
}

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

static uint32_t xxhash_no_avalanche(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t h = (uint32_t)n * 0xc2b2ae3du + 0x165667b1u + 4;
    h = (h << 17 | h >> 15) * 0x27d4eb2fu;
    return h;
}

// ---- chaos, automata, low discrepancy ---------------------------------------
static uint32_t logistic_map(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    if (!n)
        g->real[0] = 0.3141592 + 1e-9 * (double)(g->given % 1000);
    for (uint64_t k = 0; k < p; k++)
        g->real[0] = 3.99999 * g->real[0] * (1 - g->real[0]);
    return (uint32_t)(g->real[0] * 0x1p48);
}

static uint32_t logistic_straightened(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    if (!n)
        g->real[0] = 0.3141592 + 1e-9 * (double)(g->given % 1000);
    for (uint64_t k = 0; k < p; k++)
        g->real[0] = 4 * g->real[0] * (1 - g->real[0]);
    if (g->real[0] <= 0 || g->real[0] >= 1)
        g->real[0] = 0.271828;
    return from_real(2 / 3.14159265358979323846 * asin(sqrt(g->real[0])));
}

// Rule 30 on a ring of 64 cells, one cell of each row; and p rows for a bit.
static uint32_t rule_30(struct state *g)
{
    const uint64_t p = g->p;
    uint32_t w = 0;
    for (int b = 0; b < 32; b++) {
        for (uint64_t k = 0; k < p; k++)
            g->x = panel_rotate64(g->x, 1) ^ (g->x | panel_rotate64(g->x, 63));
        w = w << 1 | (g->x >> 32 & 1);
    }
    return w;
}

static uint32_t sobol(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = good(g);
    const uint32_t c = (uint32_t)__builtin_ctzll(~n);
    if (n == 0)
        g->x = 0;
    w = (uint32_t)g->x ^ g->small[0];
    g->x ^= UINT64_C(1) << (31 - c % 32);
    return w;
}

static uint32_t golden_bytes(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = 0;
    for (int b = 0; b < 4; b++)
        w = w << 8 | (uint32_t)((n * 4 + (uint64_t)b) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    return w;
}

// ---- shift registers, combined ----------------------------------------------
// Geffe's: one register chooses between two others, of 89, 127 and 521 bits. It agrees with each of
// the two three times in four.
static unsigned feedback(uint32_t *ring, unsigned at, unsigned long_lag, unsigned short_lag)
{
    return ring[at % 1024] = ring[(at - long_lag) % 1024] ^ ring[(at - short_lag) % 1024];
}
static uint32_t geffe(struct state *g)
{
    uint32_t w = 0;
    uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 89, 38);
        const unsigned y = feedback(s + 1024, g->in, 127, 63);
        const unsigned z = feedback(s + 2048, g->in, 521, 32);
        w |= ((x & y) ^ (~x & 1 & z)) << b;
    }
    return w;
}

// Three registers, the majority.
static uint32_t majority_of_registers(struct state *g)
{
    uint32_t w = 0;
    uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 521, 168);
        const unsigned y = feedback(s + 1024, g->in, 607, 273);
        const unsigned z = feedback(s + 2048, g->in, 521, 32);
        w |= ((x & y) | (y & z) | (x & z)) << b;
    }
    return w;
}

// The shrinking generator: bits of one register where another has a one.
static uint32_t shrinking(struct state *g)
{
    uint32_t w = 0;
    uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 89, 38);
        const unsigned y = feedback(s + 1024, g->in, 127, 63);
        if (x)
            w |= y << b++;
    }
    return w;
}

// A register of 1,279 bits, of which now and then a bit is wrong (p in 256).
static uint32_t noisy_register(struct state *g)
{
    const uint64_t p = g->p;
    uint32_t w = 0;
    uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 4096; k++)
                s[k] &= 1;
        const unsigned x = s[g->in % 2048] = s[(g->in - 521) % 2048] ^ s[(g->in - 168) % 2048];
        w |= (x ^ ((draw(g) >> 56) < p)) << b;
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
static uint32_t blum_blum_shub(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = good(g);
    if (!n)
        g->x = g->x % 4611685975477714963u;
    w = 0;
    for (int b = 0; b < 32; b++) {
        g->x = (uint64_t)((uint128)g->x * g->x % 4611685975477714963u);
        w = w << 1 | (g->x & 1);
    }
    return w;
}

#define PANEL_LIST "stats/roster/historic.inc"
#include "stats/panel/plugin.h"
