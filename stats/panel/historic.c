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

// clang-format off: one generator a line
// ---- of languages and systems -----------------------------------------------
// V8 until 2015: two 16-bit multiply-with-carry, the high half from one alone.
EACH(mwc1616, uint32_t *const s = g->small; s[0] = 18030 * (s[0] & 65535) + (s[0] >> 16);
     s[1] = 36969 * (s[1] & 65535) + (s[1] >> 16); w = (s[0] << 14) + (s[1] & 0x3ffff))
EACH(mwc_znew_wnew, uint32_t *const s = g->small; s[0] = 36969 * (s[0] & 65535) + (s[0] >> 16);
     s[1] = 18000 * (s[1] & 65535) + (s[1] >> 16); w = (s[0] << 16) + s[1])
// A spreadsheet: Wichmann and Hill's three small moduli, summed in doubles.
EACH(wichmann_hill, uint32_t *const s = g->small;
     if (!n) for (int k = 0; k < 3; k++) s[k] = 1 + s[k] % 30000; s[0] = s[0] * 171 % 30269;
     s[1] = s[1] * 172 % 30307; s[2] = s[2] * 170 % 30323;
     w = from_real(s[0] / 30269.0 + s[1] / 30307.0 + s[2] / 30323.0))
// The same with one of the three left at zero, as clocks in milliseconds did.
EACH(wichmann_zero, uint32_t *const s = g->small;
     if (!n) for (int k = 0; k < 3; k++) s[k] = 1 + s[k] % 30000; s[0] = s[0] * 171 % 30269;
     s[1] = s[1] * 172 % 30307; w = from_real(s[0] / 30269.0 + s[1] / 30307.0))
// Every p-th value of minstd, and minstd through a shuffling table (Bays and Durham).
EACH(
    minstd_step, w = 0; if (!n) g->x = g->x % 2147483646 + 1; for (int h = 0; h < 2; h++) {
        for (uint64_t k = 0; k < p; k++)
            g->x = g->x * 16807 % 2147483647;
        w = w << 16 | (uint32_t)(g->x >> 15);
    })
EACH(
    minstd_shuffled, w = 0; if (!n) g->x = g->x % 2147483646 + 1; for (int h = 0; h < 2; h++) {
        g->x = g->x * 16807 % 2147483647;
        const unsigned j = (unsigned)(g->y >> 26) & 31;
        g->y = g->small[j] & 0x7fffffff;
        g->small[j] = (uint32_t)g->x;
        w = w << 16 | (uint32_t)(g->y >> 15 & 0xffff);
    })
EACH(java_next_double, g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
     const uint64_t hi = g->x >> 22; g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
     w = (uint32_t)(((hi << 27) + (g->x >> 21)) >> 21))
EACH(java_next_double_low, g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
     const uint64_t hi = g->x >> 22; g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
     w = (uint32_t)((hi << 27) + (g->x >> 21)))
// drand48 read as 16 high bits, twice a word.
EACH(
    drand48_top16, w = 0; for (int h = 0; h < 2; h++) {
        g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu;
        w = w << 16 | (uint32_t)(g->x >> 32);
    })
// random() of C libraries: x[n-3] + x[n-31], the lowest bit thrown away; its high 16 bits, twice a
// word.
EACH(
    random_31, w = 0; for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] += s[(g->in + 28) % 31];
        g->in = (g->in + 1) % 31;
        w = w << 16 | v >> 16;
    })
EACH(
    random_31_low, w = 0; for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] += s[(g->in + 28) % 31];
        g->in = (g->in + 1) % 31;
        w = w << 16 | (v >> 1 & 0xffff);
    })
// rand() of a C compiler: 15 bits a call, packed.
BITS(msvc_rand, g->x = (uint32_t)(g->x * 214013 + 2531011); push(g, g->x >> 16 & 0x7fff, 15))
// RND of a BASIC: 24 bits of state; and of a home computer: 75 (x + 1) mod 65537.
BITS(basic_24, g->x = (g->x * 0x43fd43fd + 0xc39ec3) & 0xffffff; push(g, g->x, 24))
BITS(sinclair, g->x = (g->x % 65537 + 1) * 75 % 65537; push(g, g->x, 16))
// Knuth's subtractive generator with the typing error that a framework kept: lag 21 in place of 31,
// modulo 2^31 - 1.
EACH(
    subtractive_21, w = 0; for (int h = 0; h < 2; h++) {
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
    })
// ran_array without throwing 909 of 1,009 away: x[n-100] - x[n-37] mod 2^30, 16 high bits.
EACH(
    ran_array_all, w = 0; for (int h = 0; h < 2; h++) {
        uint32_t *const s = g->small;
        const uint32_t v = s[g->in] = (s[g->in] - s[(g->in + 63) % 100]) & 0x3fffffff;
        g->in = (g->in + 1) % 100;
        w = w << 16 | v >> 14;
    })
// Four taps, 256 words: its lowest bit is linear; its high bytes alone.
EACH(four_taps_256,
     const uint32_t v = g->small[n & 255] +=
     g->small[(n - 179) & 255] + g->small[(n - 119) & 255] + g->small[(n - 55) & 255];
     w = v)
EACH(
    four_taps_256_high, w = 0; for (int b = 0; b < 4; b++) {
        const uint64_t m = n * 4 + (uint64_t)b;
        const uint32_t v = g->small[m & 255] +=
            g->small[(m - 179) & 255] + g->small[(m - 119) & 255] + g->small[(m - 55) & 255];
        w = w << 8 | v >> 24;
    })
// Additive generators of two taps, only the high p bits of each value.
#define LAGGED(name, R, S)                                                                         \
    BITS(name, const uint32_t v = g->small[g->in] += g->small[(g->in + (R) - (S)) % (R)];          \
         g->in = (g->in + 1) % (R); push(g, v >> (32 - p), (unsigned)p))
LAGGED(lagged_17_5_high, 17, 5)
LAGGED(lagged_97_33_high, 97, 33)
LAGGED(lagged_1279_418_high, 1279, 418)
LAGGED(lagged_3217_576_high, 3217, 576)
// ranlux: subtract with borrow, p values in all for 24 that are used.
BITS(
    ranlux, if (!n && !g->held) for (int k = 0; k < 24; k++) g->small[k] &= 0xffffff;
    for (uint64_t k = g->out == 24 ? p - 23 : 1; k; k--) {
        const int32_t v =
            (int32_t)g->small[(g->in + 14) % 24] - (int32_t)g->small[g->in] - (int32_t)(g->x & 1);
        g->x = v < 0;
        g->small[g->in] = (uint32_t)v & 0xffffff;
        g->in = (g->in + 1) % 24;
    } g->out = g->out % 24 + 1;
    push(g, g->small[(g->in + 23) % 24], 24))
// ranmar: lags 97 and 33, minus an arithmetic sequence modulo 2^24 - 3.
BITS(
    ranmar,
    if (!n && !g->held) {
        g->x = 362436;
        for (int k = 0; k < 97; k++)
            g->small[k] &= 0xffffff;
    } const uint32_t v = g->small[g->in] = (g->small[g->in] - g->small[(g->in + 64) % 97]) &
                                           0xffffff;
    g->in = (g->in + 1) % 97; g->x = (g->x + 16777213 - 7654321) % 16777213; push(g, v - g->x, 24))
// KISS with a part missing.
#define KISS_MWC                                                                                   \
    (s[0] = 36969 * (s[0] & 65535) + (s[0] >> 16), s[1] = 18000 * (s[1] & 65535) + (s[1] >> 16),   \
     (s[0] << 16) + s[1])
#define KISS_SHIFT (s[2] ^= s[2] << 17, s[2] ^= s[2] >> 13, s[2] ^= s[2] << 5)
#define KISS_CONG (s[3] = 69069 * s[3] + 1234567)
EACH(kiss_no_shift, uint32_t *const s = g->small; w = KISS_MWC ^ KISS_CONG)
EACH(kiss_no_congruence, uint32_t *const s = g->small; w = KISS_MWC + KISS_SHIFT)
EACH(kiss_no_carry, uint32_t *const s = g->small; w = KISS_CONG + KISS_SHIFT)
// Mersenne Twister: doubles, the other branch taken (a scripting language), tempering left out, a
// state of almost all zeros.
static uint32_t twister(struct steps *g, uint64_t how)
{
    uint32_t *const s = g->small;
    if (g->at == 0 && g->in == 0) {
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
EACH(twister_doubles, const uint64_t a = twister(g, 0) >> 5; const uint64_t b = twister(g, 0) >> 6;
     w = (uint32_t)((a << 26 | b) >> 13))
EACH(twister_other_branch, w = twister(g, 1))
EACH(twister_untempered, w = twister(g, 2))
EACH(twister_of_zeros, w = twister(g, 3))
// Two twisters' words multiplied, one odd: 32-bit products.
EACH(twister_products, w = (twister(g, 0) | 1) * twister(g, 0))
EACH(twister_plus_congruence, g->x = (uint32_t)(g->x * 1664525 + 1013904223);
     w = twister(g, 0) + (uint32_t)g->x)
EACH(tiny_twister, uint32_t *const s = g->small; uint32_t x = (s[0] & 0x7fffffff) ^ s[1] ^ s[2];
     uint32_t y = s[3]; x ^= x << 1; y ^= y >> 1 ^ x; s[0] = s[1]; s[1] = s[2]; s[2] = x ^ y << 10;
     s[3] = y; if (y & 1) s[1] ^= 0x8f7011eeu, s[2] ^= 0xfc78ff1fu;
     const uint32_t t = s[0] + (s[2] >> 8); w = s[3] ^ t ^ (t & 1 ? 0x3793fdffu : 0))
// The xorshift family with shifts that do not reach the full period, under a multiplication that
// hides linearity.
EACH(xorshift_star_poor, g->x ^= g->x >> 13; g->x ^= g->x << 7; g->x ^= g->x >> 21;
     w = (uint32_t)(g->x * UINT64_C(2685821657736338717) >> 32))
EACH(xorshift_star_32, uint32_t s = (uint32_t)g->x; s ^= s << 13; s ^= s >> 17; s ^= s << 5;
     g->x = s; w = s * 1597334677u)
EACH(xorwow_no_sum, uint32_t *const s = g->small; uint32_t t = s[4] ^ s[4] >> 2; s[4] = s[3];
     s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; t ^= t << 1 ^ s[0] ^ s[0] << 4; s[0] = t;
     w = t + 362437u)
// xorwow's high 8 bits, four calls a word.
EACH(
    xorwow_bytes, uint32_t *const s = g->small; w = 0; for (int b = 0; b < 4; b++) {
        uint32_t t = s[4] ^ s[4] >> 2;
        s[4] = s[3];
        s[3] = s[2];
        s[2] = s[1];
        s[1] = s[0];
        t ^= t << 1 ^ s[0] ^ s[0] << 4;
        s[0] = t;
        s[5] += 362437u;
        w = w << 8 | (t + s[5]) >> 24;
    })
// PCG32 written down wrongly: no rotation; the low bits; the wrong shift; an even increment and a
// multiplier of small order.
#define PCG_STEP                                                                                   \
    const uint64_t old = g->x;                                                                     \
    g->x = old * UINT64_C(6364136223846793005) + 1442695040888963407u
EACH(pcg_no_rotation, PCG_STEP; w = (uint32_t)((old >> 18 ^ old) >> 27))
EACH(pcg_low_half, PCG_STEP; const uint32_t v = (uint32_t)(old >> 18 ^ old);
     const unsigned r = (unsigned)(old >> 59); w = v >> r | v << (-r & 31))
EACH(pcg_no_shift, PCG_STEP; const uint32_t v = (uint32_t)(old >> 27);
     const unsigned r = (unsigned)(old >> 59); w = v >> r | v << (-r & 31))
EACH(pcg_rotation_of_low, PCG_STEP; const uint32_t v = (uint32_t)((old >> 18 ^ old) >> 27);
     const unsigned r = (unsigned)old & 31; w = v >> r | v << (-r & 31))
EACH(pcg_poor_multiplier, const uint64_t old = g->x;
     g->x = old * 0x100000005u + 1442695040888963407u;
     const uint32_t v = (uint32_t)((old >> 18 ^ old) >> 27);
     const unsigned r = (unsigned)(old >> 59); w = v >> r | v << (-r & 31))
EACH(pcg_of_48_bits, g->x = (g->x * 0x5deece66du + 11) & 0xffffffffffffu; const uint64_t old = g->x;
     const uint32_t v = (uint32_t)((old >> 13 ^ old) >> 11);
     const unsigned r = (unsigned)(old >> 43); w = v >> r | v << (-r & 31))
// splitmix64 with a step of p zero bits below, with the step 1, without its first mixing; 32 bits
// of state.
EACH(splitmix_even_step, g->x += UINT64_C(0x9e3779b97f4a7c15) << p; uint64_t z = g->x;
     z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
     z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb); w = (uint32_t)((z ^ z >> 31) >> 32))
EACH(splitmix_murmur_1, uint64_t z = n; z = (z ^ z >> 33) * UINT64_C(0xff51afd7ed558ccd);
     z = (z ^ z >> 33) * UINT64_C(0xc4ceb9fe1a85ec53); w = (uint32_t)(z ^ z >> 33))
EACH(splitmix_second_alone, g->x += UINT64_C(0x9e3779b97f4a7c15); uint64_t z = g->x;
     z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb); w = (uint32_t)((z ^ z >> 31) >> 32))
EACH(splitmix32, g->x = (uint32_t)(g->x + 0x9e3779b9u); uint32_t z = (uint32_t)g->x;
     z = (z ^ z >> 16) * 0x85ebca6bu; z = (z ^ z >> 13) * 0xc2b2ae35u; w = z ^ z >> 16)
// Middle-square Weyl sequences whose step is small (p bits) or even.
EACH(msws_small_step, g->y += 2 * p + 1; g->x = g->x * g->x + g->y; g->x = g->x >> 32 | g->x << 32;
     w = (uint32_t)g->x)
EACH(msws_no_step, g->x = g->x * g->x + UINT64_C(0xb5ad4eceda1ce2a9);
     g->x = g->x >> 32 | g->x << 32; w = (uint32_t)g->x)
// ---- hashes and formulae of graphics ----------------------------------------
EACH(shader_sine, const float f = sinf((float)n * 12.9898f) * 43758.5453f;
     w = (uint32_t)((f - floorf(f)) * 65536.0f) << 16 | w >> 16)
EACH(hugo_noise, uint32_t x = (uint32_t)n; x = x << 13 ^ x;
     w = x * (x * x * 15731 + 789221) + 1376312589)
EACH(murmur2_of_counter, uint32_t k = (uint32_t)n * 0x5bd1e995u; k ^= k >> 24; k *= 0x5bd1e995u;
     uint32_t h = (747796405u ^ 4) * 0x5bd1e995u ^ k; h ^= h >> 13; h *= 0x5bd1e995u;
     w = h ^ h >> 15)
EACH(djb2_of_digits, char t[24]; snprintf(t, sizeof t, "%08llu", (unsigned long long)n);
     uint32_t h = 5381; for (const char *c = t; *c; c++) h = h * 33 + (unsigned char)*c; w = h)
EACH(pcg_hash_once, const uint32_t s = (uint32_t)n * 747796405u + 2891336453u;
     const uint32_t v = (s >> ((s >> 28) + 4) ^ s) * 277803737u; w = v >> 22 ^ v)
EACH(xxhash_no_avalanche, uint32_t h = (uint32_t)n * 0xc2b2ae3du + 0x165667b1u + 4;
     h = (h << 17 | h >> 15) * 0x27d4eb2fu; w = h)
// ---- chaos, automata, low discrepancy ---------------------------------------
EACH(logistic_map, if (!n) g->real[0] = 0.3141592 + 1e-9 * (double)(g->given % 1000);
     for (uint64_t k = 0; k < p; k++) g->real[0] = 3.99999 * g->real[0] * (1 - g->real[0]);
     w = (uint32_t)(g->real[0] * 0x1p48))
EACH(logistic_straightened, if (!n) g->real[0] = 0.3141592 + 1e-9 * (double)(g->given % 1000);
     for (uint64_t k = 0; k < p; k++) g->real[0] = 4 * g->real[0] * (1 - g->real[0]);
     if (g->real[0] <= 0 || g->real[0] >= 1) g->real[0] = 0.271828;
     w = from_real(2 / 3.14159265358979323846 * asin(sqrt(g->real[0]))))
// Rule 30 on a ring of 64 cells, one cell of each row; and p rows for a bit.
EACH(
    rule_30, w = 0; for (int b = 0; b < 32; b++) {
        for (uint64_t k = 0; k < p; k++)
            g->x = panel_rotate64(g->x, 1) ^ (g->x | panel_rotate64(g->x, 63));
        w = w << 1 | (g->x >> 32 & 1);
    })
EACH(sobol, const uint32_t c = (uint32_t)__builtin_ctzll(~n); if (n == 0) g->x = 0;
     w = (uint32_t)g->x ^ g->small[0]; g->x ^= UINT64_C(1) << (31 - c % 32))
EACH(golden_bytes, w = 0;
     for (int b = 0; b < 4; b++)
         w = w << 8 | (uint32_t)((n * 4 + (uint64_t)b) * UINT64_C(0x9e3779b97f4a7c15) >> 56))
// ---- shift registers, combined ----------------------------------------------
// Geffe's: one register chooses between two others, of 89, 127 and 521 bits. It agrees with each of
// the two three times in four.
static unsigned feedback(uint32_t *ring, unsigned at, unsigned long_lag, unsigned short_lag)
{
    return ring[at % 1024] = ring[(at - long_lag) % 1024] ^ ring[(at - short_lag) % 1024];
}
EACH(
    geffe, w = 0; uint32_t *const s = g->small; for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 89, 38);
        const unsigned y = feedback(s + 1024, g->in, 127, 63);
        const unsigned z = feedback(s + 2048, g->in, 521, 32);
        w |= ((x & y) ^ (~x & 1 & z)) << b;
    })
// Three registers, the majority.
EACH(
    majority_of_registers, w = 0; uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 521, 168);
        const unsigned y = feedback(s + 1024, g->in, 607, 273);
        const unsigned z = feedback(s + 2048, g->in, 521, 32);
        w |= ((x & y) | (y & z) | (x & z)) << b;
    })
// The shrinking generator: bits of one register where another has a one.
EACH(
    shrinking, w = 0; uint32_t *const s = g->small; for (unsigned b = 0; b < 32; g->in++) {
        if (!g->in)
            for (int k = 0; k < 3072; k++)
                s[k] &= 1;
        const unsigned x = feedback(s, g->in, 89, 38);
        const unsigned y = feedback(s + 1024, g->in, 127, 63);
        if (x)
            w |= y << b++;
    })
// A register of 1,279 bits, of which now and then a bit is wrong (p in 256).
EACH(
    noisy_register, w = 0; uint32_t *const s = g->small;
    for (unsigned b = 0; b < 32; b++, g->in++) {
        if (!g->in)
            for (int k = 0; k < 4096; k++)
                s[k] &= 1;
        const unsigned x = s[g->in % 2048] = s[(g->in - 521) % 2048] ^ s[(g->in - 168) % 2048];
        w |= (x ^ ((draw(g) >> 56) < p)) << b;
    })
// RC4 with p bits a byte.
BITS(
    rc4, uint32_t *const s = g->small; const unsigned m = (1u << p) - 1; if (!g->out) {
        g->out = 1;
        for (unsigned k = 0; k <= m; k++)
            s[k] = k;
        for (unsigned k = m; k; k--) {
            const unsigned j = (unsigned)(draw(g) % (k + 1)), t = s[k];
            s[k] = s[j], s[j] = t;
        }
    } g->in = (g->in + 1) & m;
    const unsigned t = s[g->in]; g->x = (g->x + t) & m; s[g->in] = s[g->x]; s[g->x] = t;
    push(g, s[(s[g->in] + t) & m], (unsigned)p))
// x^2 modulo a product of two 31-bit primes, its lowest bit.
EACH(
    blum_blum_shub, if (!n) g->x = g->x % 4611685975477714963u; w = 0;
    for (int b = 0; b < 32; b++) {
        g->x = (uint64_t)((uint128)g->x * g->x % 4611685975477714963u);
        w = w << 1 | (g->x & 1);
    })
// clang-format on

const struct panel_generator panel_generators[] = {
    ONE(mwc1616),
    ONE(mwc_znew_wnew),
    ONE(wichmann_hill),
    ONE(wichmann_zero),
    WITH(minstd_step, 2),
    WITH(minstd_step, 1000),
    ONE(minstd_shuffled),
    ONE(java_next_double),
    ONE(java_next_double_low),
    ONE(drand48_top16),
    ONE(random_31),
    ONE(random_31_low),
    ONE(msvc_rand),
    ONE(basic_24),
    ONE(sinclair),
    ONE(subtractive_21),
    ONE(ran_array_all),
    ONE(four_taps_256),
    ONE(four_taps_256_high),
    WITH(lagged_17_5_high, 16),
    WITH(lagged_17_5_high, 4),
    WITH(lagged_97_33_high, 8),
    WITH(lagged_1279_418_high, 16),
    WITH(lagged_1279_418_high, 8),
    WITH(lagged_1279_418_high, 4),
    WITH(lagged_3217_576_high, 8),
    WITH(ranlux, 24),
    WITH(ranlux, 48),
    WITH(ranlux, 97),
    ONE(ranmar),
    ONE(kiss_no_shift),
    ONE(kiss_no_congruence),
    ONE(kiss_no_carry),
    ONE(twister_doubles),
    ONE(twister_other_branch),
    ONE(twister_untempered),
    ONE(twister_of_zeros),
    ONE(twister_products),
    ONE(twister_plus_congruence),
    ONE(tiny_twister),
    ONE(xorshift_star_poor),
    ONE(xorshift_star_32),
    ONE(xorwow_no_sum),
    ONE(xorwow_bytes),
    ONE(pcg_no_rotation),
    ONE(pcg_low_half),
    ONE(pcg_no_shift),
    ONE(pcg_rotation_of_low),
    ONE(pcg_poor_multiplier),
    ONE(pcg_of_48_bits),
    WITH(splitmix_even_step, 40),
    WITH(splitmix_even_step, 36),
    ONE(splitmix_murmur_1),
    ONE(splitmix_second_alone),
    ONE(splitmix32),
    WITH(msws_small_step, 0),
    WITH(msws_small_step, 1000),
    ONE(msws_no_step),
    ONE(shader_sine),
    ONE(hugo_noise),
    ONE(murmur2_of_counter),
    ONE(djb2_of_digits),
    ONE(pcg_hash_once),
    ONE(xxhash_no_avalanche),
    WITH(logistic_map, 1),
    WITH(logistic_map, 3),
    WITH(logistic_straightened, 1),
    WITH(logistic_straightened, 8),
    WITH(rule_30, 1),
    WITH(rule_30, 3),
    ONE(sobol),
    ONE(golden_bytes),
    ONE(geffe),
    ONE(majority_of_registers),
    ONE(shrinking),
    WITH(noisy_register, 32),
    WITH(noisy_register, 112),
    WITH(rc4, 4),
    WITH(rc4, 5),
    WITH(rc4, 6),
    WITH(rc4, 8),
    ONE(blum_blum_shub),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
