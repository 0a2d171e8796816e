// SPDX-License-Identifier: Apache-2.0
// A good generator (xoshiro256++) with one thing wrong: bits, values, repeats, dependence,
// conversions, seeding.

#include "stats/panel/panel.h"

struct spoiled {
    uint64_t s[4], other[4];
    uint64_t at; // words given out
    uint64_t seed;
    uint32_t recent[8192];
    unsigned parameter;
};

static void seed_with(uint64_t s[4], uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        s[i] = panel_mix(&seed);
}

static void start(void *state, uint64_t seed, unsigned parameter)
{
    struct spoiled *const g = state;
    seed_with(g->s, seed);
    seed_with(g->other, seed + 77);
    g->seed = seed;
    g->parameter = parameter;
    for (unsigned i = 0; i < 8192; i++)
        g->recent[i] = (uint32_t)panel_mix(&seed);
}

static uint64_t step(uint64_t s[4])
{
    const uint64_t x = panel_rotate64(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
    s[3] = panel_rotate64(s[3], 45);
    return x;
}

static uint32_t word(struct spoiled *g)
{
    return (uint32_t)(step(g->s) >> 32);
}

// A chance of `numerator` / 2^32, from a stream of its own.
static int sometimes(struct spoiled *g, uint32_t numerator)
{
    return (uint32_t)(step(g->other) >> 32) < numerator;
}

// One word after another; `g->at` counts them.
#define EACH(name, expression)                                                                     \
    static void name(void *state, uint32_t *to, size_t count)                                      \
    {                                                                                              \
        struct spoiled *const g = state;                                                           \
        for (size_t i = 0; i < count; i++, g->at++) {                                              \
            uint32_t w = word(g);                                                                  \
            expression;                                                                            \
            to[i] = w;                                                                             \
            g->recent[g->at & 8191] = w;                                                           \
        }                                                                                          \
    }
#define BACK(n) g->recent[(g->at - (n)) & 8191]

// clang-format off: one flaw a line
// ---- bits and values --------------------------------------------------------
EACH(stuck_bit, w |= 1u << g->parameter)
EACH(stuck_bit_rarely, if (g->at % g->parameter == 0) w |= 1u << 7)
EACH(biased_bit, if (sometimes(g, g->parameter)) w |= 1u << 5) // P(1) = 1/2 + parameter / 2^33
EACH(biased_all,
     w |= (uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other) &
          (uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other) &
          (uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other))
EACH(two_bits_equal, if (sometimes(g, g->parameter)) w = (w & ~(1u << 20)) | (w >> 3 & 1) << 20)
EACH(halves_equal, if (sometimes(g, g->parameter)) w = (w & 0xffff0000u) | w >> 16)
EACH(missing_byte, while ((w & 255) == 0x5a) w = word(g))
EACH(missing_word, while (w >> 16 == 0x1234) w = word(g))
EACH(never_zero, if (w >> 12 == 0) w |= 0x80000000u)
EACH(bits_31, w >>= 1)
EACH(bits_31_shifted, w &= ~1u)
EACH(low_byte_is_high, w = (w & ~255u) | w >> 24)
EACH(heavy_words, if (__builtin_popcount(w) < 11) w = ~w)
EACH(byte_floor, if (g->at % 256 == 0) w = (w & 0xffff00ffu))
EACH(heavy_hitter, if (sometimes(g, g->parameter)) w = 0xdeadbeefu)
EACH(zeros_rarely, if (g->at % g->parameter == g->parameter - 1) w = 0)
// ---- dependence -------------------------------------------------------------
EACH(echo,
     if (sometimes(g, 1u << 22)) w = BACK(g->parameter)) // one word in 1,024 copies an old one
EACH(echo_bit, if (sometimes(g, 1u << 27)) w = (w & ~1u) | (BACK(g->parameter) & 1))
EACH(echo_turned, if (sometimes(g, 1u << 27)) w = (w & ~(1u << 9)) | (BACK(g->parameter) >> 26 & 1)
                                                                         << 9)
EACH(echo_complement, if (sometimes(g, 1u << 22)) w = ~BACK(g->parameter))
EACH(sum_of_two, if (sometimes(g, 1u << 28)) w = BACK(1) + BACK(2))
EACH(exclusive_or_of_two, if (sometimes(g, 1u << 28)) w = BACK(3) ^ BACK(7))
EACH(weight_memory, if (sometimes(g, 1u << 26) &&
                        (__builtin_popcount(w) > 16) != (__builtin_popcount(BACK(1)) > 16)) w = ~w)
EACH(rising, if (w < BACK(1) && sometimes(g, 1u << 27)) w = word(g))
EACH(top_byte_near, if (sometimes(g, 1u << 27)) w = (w & 0xffffffu) | (BACK(1) & 0xff000000u))
EACH(no_repeats_nearby,
     for (unsigned k = 1; k <= 16; k++) if (w >> 24 == BACK(k) >> 24) w ^= 0x80000000u)
EACH(stutter, if (sometimes(g, g->parameter)) w = BACK(1))
EACH(parity_of_words, if (g->at % 4 == 3) w = (w & ~1u) | ((BACK(1) ^ BACK(2) ^ BACK(3)) & 1))
EACH(carry_of_bits,
     if (g->at % 8 == 7) w = (w & ~2u) | ((BACK(1) >> 9 ^ BACK(4) >> 17 ^ BACK(6) >> 30) & 1) << 1)
// ---- time -------------------------------------------------------------------
EACH(drift, if (sometimes(g, (uint32_t)(g->at >> 2))) w |= 16) // worse the longer it runs
EACH(alternating, {
    const uint32_t b = 1u << 11;
    if (sometimes(g, 1u << 24))
        w = g->at >> 12 & 1 ? w | b : w & ~b;
})
EACH(breathing, {
    if ((g->at >> 10 & 1) ? __builtin_popcount(w) > 22 : __builtin_popcount(w) < 10)
        w = ~w;
})
EACH(dies_after, if (g->at > (UINT64_C(1) << g->parameter)) w = 0x55555555u)

// ---- repeats ----------------------------------------------------------------
static uint32_t hashed(uint64_t seed, uint64_t at)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + at;
    return (uint32_t)(panel_mix(&x) >> 32);
}

// A counter that wraps after 2^parameter words.
EACH(wraps, w = hashed(g->seed, g->at &((UINT64_C(1) << g->parameter) - 1)))
// A period that is no power of two, in words.
EACH(period, w = hashed(g->seed, g->at % g->parameter))
// Every 2^20 words a page of 16,384 words comes twice.
EACH(page_twice, {
    const uint64_t in = g->at & 0xfffff;
    w = hashed(g->seed, in >= 700000 && in < 716384 ? g->at - 300000 : g->at);
})
// Once only, 2^22 words apart.
EACH(page_once, w = hashed(g->seed, g->at >= 5000001 && g->at < 5500001 ? g->at - 4200000 : g->at))
// The counter is stored in 16 bits where it is carried over: blocks of 4 words repeat out of order.
EACH(narrow_counter,
     w = hashed(g->seed, (g->at & ~UINT64_C(0x3fffc)) ^ (g->at >> 18 << 2 & 0x3fffc) ^ (g->at & 3)))
// Seeded again every 4,096 words from 2^parameter seeds.
static void reseeded(void *state, uint32_t *to, size_t count)
{
    struct spoiled *const g = state;
    for (size_t i = 0; i < count; i++, g->at++) {
        if (g->at % 4096 == 0)
            seed_with(g->s, step(g->other) >> (64 - g->parameter));
        to[i] = word(g);
    }
}
// Streams of 256 words from seeds s, s + 1, ... whose states are the raw seed and constants: weak
// seeding.
static void raw_seeds(void *state, uint32_t *to, size_t count)
{
    struct spoiled *const g = state;
    for (size_t i = 0; i < count; i++, g->at++) {
        if (g->at % 16 == 0) {
            g->s[0] = g->at / 16;
            g->s[1] = g->s[2] = 0;
            g->s[3] = 1;
        }
        to[i] = word(g);
    }
}
// Two streams in turn, the second one the first delayed by `parameter` words.
EACH(overlapping, w = hashed(g->seed, g->at / 2 + (g->at & 1) * g->parameter))
// A bijection of a 32-bit counter: no value comes twice.
EACH(permuted_counter, {
    uint32_t x = (uint32_t)g->at;
    for (int r = 0; r < 3; r++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
    }
    w = x;
})
EACH(one_multiply, {
    uint32_t x = (uint32_t)g->at;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    w = x;
})

// ---- numbers made of words Four ---------------------------------------------
// bytes, each a word modulo 251 spread over 256.
EACH(modulo_bytes, w = 0;
     for (int b = 0; b < 4; b++) w = w << 8 | (uint32_t)((uint64_t)(word(g) % 251) * 256 / 251))
// Numbers below 3 * 2^30 by remainder, two bits of each.
EACH(modulo_wide, w = 0;
     for (int b = 0; b < 16; b++)
         w = w << 2 | (uint32_t)(word(g) % 0xc0000000u * UINT64_C(4) / 0xc0000000u))
// Sixteen bits of a float in [0, 1) with 12 bits of precision near 1.
EACH(
    float_words, w = 0; for (int h = 0; h < 2; h++) {
        const float f = (float)(word(g) >> 8) * 0x1p-24f;
        w = w << 16 | (uint32_t)(f * 65535.0f);
    })
// Rounded to the nearest instead of down: 0 comes half as often, and 65,536 wraps to 0.
EACH(
    float_rounded, w = 0; for (int h = 0; h < 2; h++) {
        uint32_t v = (uint32_t)((float)word(g) * 0x1p-24f + 0.5f);
        w = w << 16 | (v > 255 ? 255 : v) << 8 | (word(g) & 255);
    })
// Bernoulli bits of p = 1/2 + 2^-12.
EACH(threshold_off, w = 0; for (int b = 0; b < 32; b++) w = w << 1 | ((word(g) & 4095) < 2049))
// A deck of 16 nibbles, shuffled by exchanging each place with any other: some orders are favoured.
EACH(
    naive_shuffle, if (g->at % 2 == 0) {
        unsigned char deck[16];
        for (unsigned k = 0; k < 16; k++)
            deck[k] = (unsigned char)k;
        for (unsigned k = 0; k < 16; k++) {
            const unsigned j = word(g) & 15;
            const unsigned char t = deck[k];
            deck[k] = deck[j];
            deck[j] = t;
        }
        g->other[0] = 0;
        for (unsigned k = 0; k < 16; k++)
            g->other[0] = g->other[0] << 4 | deck[k];
    } w = (uint32_t)(g->at % 2 ? g->other[0] >> 32 : g->other[0]))
// Bytes of an honest shuffle of 256: each value once in 64 words.
EACH(
    decks,
    if (g->at % 64 == 0) {
        unsigned char *const deck = (unsigned char *)g->recent + 16384;
        for (unsigned k = 0; k < 256; k++)
            deck[k] = (unsigned char)k;
        for (unsigned k = 255; k > 0; k--) {
            const unsigned j = (unsigned)(((uint64_t)word(g) * (k + 1)) >> 32);
            const unsigned char t = deck[k];
            deck[k] = deck[j];
            deck[j] = t;
        }
    } memcpy(&w, (unsigned char *)g->recent + 16384 + g->at % 64 * 4, 4);
    g->recent[8191] = 0)
// Hexadecimal digits as text.
EACH(text, {
    static const char digit[] = "0123456789abcdef";
    uint32_t t = 0;
    for (int b = 0; b < 4; b++) {
        t = t << 8 | (unsigned char)digit[w & 15];
        w >>= 4;
    }
    w = t;
})
// Sums of two uniforms: a triangle.
EACH(triangle, w = (w >> 1) + (word(g) >> 1))
// Samples averaged with their neighbour in the top byte.
EACH(smoothed, w = (w & 0xffffffu) | (((w >> 25) + (BACK(1) >> 25)) << 24))
// clang-format on

// Sorted within groups of four, now and then.
static void sorted_groups(void *state, uint32_t *to, size_t count)
{
    struct spoiled *const g = state;
    for (size_t i = 0; i < count; i++)
        to[i] = word(g);
    for (size_t i = 0; i < count; i += 4)
        if (sometimes(g, 1u << 27))
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3 - a; b++)
                    if (to[i + (size_t)b] > to[i + (size_t)b + 1]) {
                        const uint32_t t = to[i + (size_t)b];
                        to[i + (size_t)b] = to[i + (size_t)b + 1];
                        to[i + (size_t)b + 1] = t;
                    }
}
// Blocks of 1,024 words with exactly as many ones as zeros.
static void balanced(void *state, uint32_t *to, size_t count)
{
    struct spoiled *const g = state;
    for (size_t i = 0; i < count; i++)
        to[i] = word(g);
    for (size_t i = 0; i < count; i += 1024) {
        int excess = -16384;
        for (size_t j = 0; j < 1024; j++)
            excess += __builtin_popcount(to[i + j]);
        while (excess) {
            const uint32_t r = word(g);
            uint32_t *const w = &to[i + (r & 1023)];
            const uint32_t bit = 1u << (r >> 10 & 31);
            if (excess > 0 && *w & bit)
                *w ^= bit, excess--;
            else if (excess < 0 && !(*w & bit))
                *w ^= bit, excess++;
        }
    }
}
// RC4 under fresh keys: the first 16 bytes of each (the second byte is zero twice too often).
static void rc4_starts(void *state, uint32_t *to, size_t count)
{
    struct spoiled *const g = state;
    unsigned char *const out = (unsigned char *)to;
    for (size_t i = 0; i < count * 4; i += 16) {
        unsigned char box[256], key[16];
        for (unsigned k = 0; k < 16; k += 8) {
            const uint64_t x = step(g->s);
            memcpy(key + k, &x, 8);
        }
        for (unsigned k = 0; k < 256; k++)
            box[k] = (unsigned char)k;
        for (unsigned k = 0, j = 0; k < 256; k++) {
            j = (j + box[k] + key[k % 16]) & 255;
            const unsigned char t = box[k];
            box[k] = box[j], box[j] = t;
        }
        for (unsigned k = 0, a = 0, b = 0; k < 16; k++) {
            a = (a + 1) & 255, b = (b + box[a]) & 255;
            const unsigned char t = box[a];
            box[a] = box[b], box[b] = t;
            out[i + k] = box[(box[a] + box[b]) & 255];
        }
    }
}

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, start, name, 0                                                                      \
    }
#define WITH(name, n)                                                                              \
    {                                                                                              \
#name "_" #n, start, name, n                                                               \
    }
const struct panel_generator panel_generators[] = {
    WITH(stuck_bit, 0),
    WITH(stuck_bit, 31),
    WITH(stuck_bit, 17),
    WITH(stuck_bit_rarely, 64),
    WITH(stuck_bit_rarely, 1000),
    WITH(stuck_bit_rarely, 4099),
    WITH(biased_bit, 858993),
    WITH(biased_bit, 8589934),
    ONE(biased_all),
    WITH(two_bits_equal, 8388608),
    WITH(two_bits_equal, 1048576),
    WITH(halves_equal, 65536),
    WITH(halves_equal, 1048576),
    ONE(missing_byte),
    ONE(missing_word),
    ONE(never_zero),
    ONE(bits_31),
    ONE(bits_31_shifted),
    ONE(low_byte_is_high),
    ONE(heavy_words),
    ONE(byte_floor),
    WITH(heavy_hitter, 65536),
    WITH(heavy_hitter, 4096),
    WITH(zeros_rarely, 10007),
    WITH(zeros_rarely, 1000003),
    WITH(echo, 1),
    WITH(echo, 2),
    WITH(echo, 17),
    WITH(echo, 331),
    WITH(echo, 1000),
    WITH(echo, 5003),
    WITH(echo_bit, 1),
    WITH(echo_bit, 37),
    WITH(echo_bit, 331),
    WITH(echo_bit, 4096),
    WITH(echo_turned, 1),
    WITH(echo_turned, 3),
    WITH(echo_turned, 7),
    WITH(echo_complement, 1),
    WITH(echo_complement, 777),
    ONE(sum_of_two),
    ONE(exclusive_or_of_two),
    ONE(weight_memory),
    ONE(rising),
    ONE(top_byte_near),
    ONE(no_repeats_nearby),
    WITH(stutter, 65536),
    WITH(stutter, 4096),
    ONE(parity_of_words),
    ONE(carry_of_bits),
    ONE(drift),
    ONE(alternating),
    ONE(breathing),
    WITH(dies_after, 22),
    WITH(dies_after, 27),
    WITH(wraps, 8),
    WITH(wraps, 12),
    WITH(wraps, 16),
    WITH(wraps, 18),
    WITH(wraps, 20),
    WITH(wraps, 22),
    WITH(wraps, 24),
    WITH(wraps, 26),
    WITH(wraps, 28),
    WITH(wraps, 30),
    WITH(wraps, 32),
    WITH(period, 100),
    WITH(period, 1001),
    WITH(period, 12345),
    WITH(period, 99991),
    WITH(period, 1000003),
    WITH(period, 33333331),
    ONE(page_twice),
    ONE(page_once),
    ONE(narrow_counter),
    WITH(reseeded, 8),
    WITH(reseeded, 16),
    WITH(reseeded, 20),
    WITH(reseeded, 32),
    ONE(raw_seeds),
    WITH(overlapping, 1),
    WITH(overlapping, 1000),
    WITH(overlapping, 100003),
    ONE(permuted_counter),
    ONE(one_multiply),
    ONE(modulo_bytes),
    ONE(modulo_wide),
    ONE(float_words),
    ONE(float_rounded),
    ONE(threshold_off),
    ONE(naive_shuffle),
    ONE(decks),
    ONE(text),
    ONE(triangle),
    ONE(smoothed),
    ONE(sorted_groups),
    ONE(balanced),
    ONE(rc4_starts),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
