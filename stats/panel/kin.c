// SPDX-License-Identifier: Apache-2.0
// Seeds, keys and trees gone wrong. Those of the first part take `p` words each of the streams of
// seeds 1, 2, 3, ...; those of the second are good streams whose flaw shows only beside another
// seed's (`--streams`, `--kin bit`).

#include "stats/panel/steps.h"

// A key's child.
static uint64_t child(uint64_t key, uint64_t which)
{
    return value(key, which + 1);
}

// Words of xoroshiro128+ from a state of two words, `skip` steps on.
static uint64_t xoroshiro(uint64_t x, uint64_t y, uint64_t skip)
{
    for (; skip; skip--) {
        y ^= x;
        x = panel_rotate64(x, 24) ^ y ^ y << 16;
        y = panel_rotate64(y, 37);
    }
    return x + y;
}

// Word j of the stream of seed s, p words of each seed.
#define WORD_OF_SEED(name, formula)                                                                \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;                        \
        (void)s, (void)j;                                                                          \
        return (uint32_t)(formula);                                                                \
    }

#define MULTIPLIER UINT64_C(6364136223846793005)
#define INCREMENT UINT64_C(1442695040888963407)

// x after so many steps modulo 2^64.
static uint64_t congruence(uint64_t x, uint64_t increment, uint64_t steps)
{
    for (; steps; steps--)
        x = x * MULTIPLIER + increment;
    return x;
}

// ---- streams of consecutive seeds, p words of each --------------------------
WORD_OF_SEED(seed_made_odd, word(g->seed ^ (s | 1), j))
WORD_OF_SEED(seed_of_clock, word(g->seed ^ (s * 1000 / 1024), j))
WORD_OF_SEED(seed_is_offset, word(g->seed, s + j))
WORD_OF_SEED(seed_times_offset, word(g->seed, (p - 1) * s + j))
WORD_OF_SEED(seed_scaled_offset, word(g->seed, s * 100003 % 1000003 + j))
WORD_OF_SEED(seed_absolute, word(g->seed ^ (n / p < 3000 ? 3000 - n / p : n / p - 3000), j))
WORD_OF_SEED(seed_in_float, word(g->seed ^ (uint64_t)(float)(1700000000 + s * 100), j))
WORD_OF_SEED(seed_drawn_16, word(g->seed ^ (word(g->seed, s) >> 16), j))
WORD_OF_SEED(seed_drawn_32, word(g->seed ^ word(g->seed, s), j))
WORD_OF_SEED(seed_of_two_halves, word(g->seed ^ (s % 251 + s % 241), j))
static uint32_t seed_of_hash_31(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint32_t h = 0;
    for (uint64_t v = s; v; v /= 10)
        h = 31 * h + (uint32_t)(48 + v % 10);
    return word(g->seed ^ (h & 0xffff), j);
}
WORD_OF_SEED(seed_exclusive_or_rank, word(g->seed ^ (s >> 6) ^ (s & 63), j))
WORD_OF_SEED(seed_plus_rank, word(g->seed + (s >> 6) + (s & 63), j))
// Generators whose states are the seed itself.
static uint32_t xorshift_from_seed(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t x = s;
    for (uint64_t k = 0; k <= j; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return (uint32_t)(x >> 32);
}
WORD_OF_SEED(xoroshiro_from_seed, (uint32_t)(xoroshiro(s, 1, j + 4) >> 32))
static uint32_t xoroshiro_from_mixed_seed(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t t = s;
    const uint64_t a = panel_mix(&t);
    return (uint32_t)(xoroshiro(a, s, j) >> 32);
}

WORD_OF_SEED(congruence_from_seed, congruence(s, INCREMENT, j + 1) >> 32)
WORD_OF_SEED(pcg_from_seed, panel_pcg32(congruence(s + INCREMENT, INCREMENT, j + 1)))
WORD_OF_SEED(pcg_from_sequence, panel_pcg32(congruence(43 + 2 * s, 2 * s + 1, j + 1)))

static uint32_t java_from_seed(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t x = (s ^ 0x5deece66du) & 0xffffffffffffu;
    for (uint64_t k = 0; k <= j; k++)
        x = (x * 0x5deece66du + 11) & 0xffffffffffffu;
    return (uint32_t)(x >> 16);
}

static uint32_t minstd_from_seed(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    const uint32_t w = good(g);
    uint64_t x = s % 2147483647;
    for (uint64_t k = 0; k <= j; k++)
        x = x * 48271 % 2147483647;
    return (uint32_t)(x << 1) | (w & 1);
}

static uint32_t jsf_short_warmup(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint32_t a = 0xf1ea5eedu, b = (uint32_t)s, c = b, d = b;
    for (uint64_t k = 0; k < 4 + j; k++) {
        const uint32_t e = a - panel_rotate32(b, 27);
        a = b ^ panel_rotate32(c, 17);
        b = c + d;
        c = d + e;
        d = e + a;
    }
    return d;
}

static uint32_t sfc_short_warmup(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t a = s, b = s, c = s, t = 0;
    for (uint64_t k = 1; k < 5 + j; k++) {
        t = a + b + k;
        a = b ^ b >> 11;
        b = c + (c << 3);
        c = panel_rotate64(c, 24) + t;
    }
    return (uint32_t)t;
}

static uint32_t msws_from_seed(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t x = 0;
    for (uint64_t k = 1; k <= 3 + j; k++)
        x = panel_rotate64(x * x + k * (2 * s + 1), 32);
    return (uint32_t)x;
}

// ---- trees: the p first words of each leaf, or what a node's children share -
WORD_OF_SEED(children_add, word((child(g->seed, s >> 4) & 0xfffff) + (s & 15), j))
WORD_OF_SEED(children_overlap, word(child(g->seed, s >> 1), (s & 1) * (p / 2) + j))

static uint32_t left_child_is_parent(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t key = g->seed;
    for (unsigned d = 16; d; d--)
        if (s >> (d - 1) & 1)
            key = child(key, 1);
    return word(key, j);
}

static uint32_t path_unordered(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p;
    uint64_t key = g->seed;
    for (unsigned d = 0; d < 20; d++)
        key += value(s >> d & 1, d < 2 ? 77 : 78 + d);
    return word(key, j);
}
WORD_OF_SEED(path_truncated, word(child(g->seed, (s ^ s >> 3) & 0x3ffff), j))
WORD_OF_SEED(children_of_24_bits, word(child(g->seed, s) & 0xffffff, j))
WORD_OF_SEED(children_of_32_bits, word(child(g->seed, s) & UINT32_MAX, j))
WORD_OF_SEED(folded_in_words, word(g->seed ^ (s & 0xffff) ^ (s >> 16), j))
// A node gives out its children's keys, and each child begins with its own.
static uint32_t node_words_are_keys(struct state *g)
{
    const uint64_t n = g->n, p = g->p, s = g->given + n / p, j = n % p, key = child(g->seed, s / 3);
    return s % 3 ? (j < 2 ? (uint32_t)(value(key, 999 + s % 3) >> 32 * j)
                          : word(value(key, 999 + s % 3), j))
                 : (j < 4 ? (uint32_t)(value(key, 1000 + j / 2) >> 32 * (j % 2)) : word(key, j));
}

WORD_OF_SEED(cousins_mirror,
             (s & 7) < 4 ? word(child(g->seed, s), j) : ~word(child(g->seed, s - 4), j))

// The word of a with the bits of the mask from b.
static uint32_t joined(uint32_t a, uint32_t b, uint32_t mask)
{
    return (a & ~mask) | (b & mask);
}

static uint32_t of_sibling(const struct state *g, uint64_t s, uint64_t j, bool shared)
{
    return joined(word(child(g->seed, s), j), word(child(g->seed, s - shared), j), 4);
}
WORD_OF_SEED(sibling_bit, of_sibling(g, s, j, s & 1))
WORD_OF_SEED(sibling_bit_rarely, of_sibling(g, s, j, s & 1 && word(g->seed + 1, n) < 1u << 26))

// ---- seen beside another seed only ------------------------------------------
WORD(beside_16_bits, word(g->given & 0xffff, n))
WORD(beside_31_bits, word(g->given & 0x7fffffff, n))
WORD(beside_odd, word(g->given | 1, n))
WORD(beside_float, word((uint64_t)(float)(16777216 + g->given), n))
WORD(beside_offset, word(1, g->given + n))
WORD(beside_offset_far, word(1, (g->given << p) + n))
WORD(beside_folded, word((uint32_t)(g->given ^ g->given >> 32), n))
WORD(beside_masked, word(1, n) ^ word(2, g->given))
WORD(beside_bit, joined(word(g->given + 7, n), word(5, n), 32))
WORD(beside_bit_rarely,
     joined(word(g->given + 7, n), word(5, n), word(g->given + 9, n) < UINT32_MAX >> p ? 32 : 0))
WORD(beside_congruence, (g->x = congruence(n ? g->x : g->given, INCREMENT, 1)) >> 32)
WORD(beside_first_alike, n < 65536 ? word(5, n) : word(g->given + 7, n))
WORD(beside_later_alike, n >> 20 == 3 ? word(5, n) : word(g->given + 7, n))
WORD(beside_mirrored, g->given & 1 ? word(g->given, n) : ~word(g->given - 1, n))
WORD(beside_rotated, panel_rotate32(word(1, n), 1 + (unsigned)(g->given % 31)))
WORD(beside_times, word(1, n) * (uint32_t)(2 * g->given + 1))

#define PANEL_LIST "stats/roster/kin.inc"
#include "stats/panel/plugin.h"
