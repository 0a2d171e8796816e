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

#define PAGES(name, ...)                                                                           \
    EACH(name, const uint64_t s = g->given + n / p; const uint64_t j = n % p; (void)s; (void)j;    \
         __VA_ARGS__)

// clang-format off: one flaw a line
// ---- streams of consecutive seeds, p words of each --------------------------
PAGES(seed_made_odd, w = word(SEED ^ (s | 1), j))
PAGES(seed_of_clock, w = word(SEED ^ (s * 1000 / 1024), j))
PAGES(seed_is_offset, w = word(SEED, s + j))
PAGES(seed_times_offset, w = word(SEED, s *(p - 1) + j))
PAGES(seed_scaled_offset, w = word(SEED, s * 100003 % 1000003 + j))
PAGES(seed_absolute, const int64_t d = (int64_t)(n / p) - 3000;
      w = word(SEED ^ (uint64_t)(d < 0 ? -d : d), j))
PAGES(seed_in_float, const float f = (float)(1700000000 + s * 100); w = word(SEED ^ (uint64_t)f, j))
PAGES(seed_drawn_16, w = word(SEED ^ (word(SEED, s) >> 16), j))
PAGES(seed_drawn_32, w = word(SEED ^ word(SEED, s), j))
PAGES(seed_of_two_halves, w = word(SEED ^ (s % 251 + s % 241), j))
PAGES(seed_of_hash_31, uint32_t h = 0;
      for (uint64_t v = s; v; v /= 10) h = 31 * h + (uint32_t)(48 + v % 10);
      w = word(SEED ^ (h & 0xffff), j))
PAGES(seed_exclusive_or_rank, w = word(SEED ^ (s >> 6) ^ (s & 63), j))
PAGES(seed_plus_rank, w = word(SEED + (s >> 6) + (s & 63), j))
// Generators whose states are the seed itself.
PAGES(
    xorshift_from_seed, uint64_t x = s; for (uint64_t k = 0; k <= j; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    } w = (uint32_t)(x >> 32))
PAGES(xoroshiro_from_seed, w = (uint32_t)(xoroshiro(s, 1, j + 4) >> 32))
PAGES(xoroshiro_from_mixed_seed, uint64_t t = s; const uint64_t a = panel_mix(&t);
      w = (uint32_t)(xoroshiro(a, s, j) >> 32))
PAGES(congruence_from_seed, uint64_t x = s;
      for (uint64_t k = 0; k <= j; k++)
          x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      w = (uint32_t)(x >> 32))
PAGES(java_from_seed, uint64_t x = (s ^ 0x5deece66du) & 0xffffffffffffu;
      for (uint64_t k = 0; k <= j; k++) x = (x * 0x5deece66du + 11) & 0xffffffffffffu;
      w = (uint32_t)(x >> 16))
PAGES(pcg_from_seed, uint64_t x = (s + 1442695040888963407u) * UINT64_C(6364136223846793005) +
                                  1442695040888963407u;
      for (uint64_t k = 0; k < j; k++) x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      const uint32_t v = (uint32_t)((x >> 18 ^ x) >> 27); const unsigned r = (unsigned)(x >> 59);
      w = v >> r | v << (-r & 31))
PAGES(pcg_from_sequence, const uint64_t step = 2 * s + 1;
      uint64_t x = (42 + step) * UINT64_C(6364136223846793005) + step;
      for (uint64_t k = 0; k < j; k++) x = x * UINT64_C(6364136223846793005) + step;
      const uint32_t v = (uint32_t)((x >> 18 ^ x) >> 27); const unsigned r = (unsigned)(x >> 59);
      w = v >> r | v << (-r & 31))
PAGES(minstd_from_seed, uint64_t x = s % 2147483647;
      for (uint64_t k = 0; k <= j; k++) x = x * 48271 % 2147483647;
      w = (uint32_t)(x << 1) | (w & 1))
PAGES(
    jsf_short_warmup, uint32_t a = 0xf1ea5eedu; uint32_t b = (uint32_t)s; uint32_t c = b;
    uint32_t d = b; for (uint64_t k = 0; k < 4 + j; k++) {
        const uint32_t e = a - panel_rotate32(b, 27);
        a = b ^ panel_rotate32(c, 17);
        b = c + d;
        c = d + e;
        d = e + a;
    } w = d)
PAGES(
    sfc_short_warmup, uint64_t a = s; uint64_t b = s; uint64_t c = s; uint64_t t = 0;
    for (uint64_t k = 1; k < 5 + j; k++) {
        t = a + b + k;
        a = b ^ b >> 11;
        b = c + (c << 3);
        c = panel_rotate64(c, 24) + t;
    } w = (uint32_t)t)
PAGES(
    msws_from_seed, const uint64_t step = 2 * s + 1; uint64_t x = 0; uint64_t v = 0;
    for (uint64_t k = 0; k < 3 + j; k++) {
        v += step;
        x = x * x + v;
        x = x >> 32 | x << 32;
    } w = (uint32_t)x)
// ---- trees: the p first words of each leaf, or what a node's children share -
PAGES(children_add, const uint64_t key = (child(SEED, s >> 4) & 0xfffff) + (s & 15);
      w = word(key, j))
PAGES(children_overlap, const uint64_t parent = child(SEED, s >> 1);
      w = word(parent, (s & 1) * (p / 2) + j))
PAGES(left_child_is_parent, uint64_t key = SEED;
      for (unsigned d = 16; d; d--) if (s >> (d - 1) & 1) key = child(key, 1); w = word(key, j))
PAGES(path_unordered, uint64_t key = SEED;
      for (unsigned d = 0; d < 20; d++) key += value(s >> d & 1, d < 2 ? 77 : 78 + d);
      w = word(key, j))
PAGES(path_truncated, w = word(child(SEED, (s ^ s >> 3) & 0x3ffff), j))
PAGES(children_of_24_bits, w = word(child(SEED, s) & 0xffffff, j))
PAGES(children_of_32_bits, w = word(child(SEED, s) & UINT32_MAX, j))
PAGES(folded_in_words, w = word(SEED ^ (s & 0xffff) ^ (s >> 16), j))
// A node gives out its children's keys, and each child begins with its own.
PAGES(node_words_are_keys, const uint64_t key = child(SEED, s / 3);
      w = s % 3 ? (j < 2 ? (uint32_t)(value(key, 999 + s % 3) >> 32 * j)
                         : word(value(key, 999 + s % 3), j))
                : (j < 4 ? (uint32_t)(value(key, 1000 + j / 2) >> 32 * (j % 2)) : word(key, j)))
PAGES(cousins_mirror, const uint64_t q = s & 7;
      w = q < 4 ? word(child(SEED, s), j) : ~word(child(SEED, s - 4), j))
PAGES(sibling_bit, const uint32_t own = word(child(SEED, s), j);
      w = s & 1 ? (own & ~4u) | (word(child(SEED, s - 1), j) & 4u) : own)
PAGES(sibling_bit_rarely, const uint32_t own = word(child(SEED, s), j);
      w = s & 1 && word(SEED + 1, n) < 1u << 26 ? (own & ~4u) | (word(child(SEED, s - 1), j) & 4u)
                                                : own)
// ---- seen beside another seed only ------------------------------------------
EACH(beside_16_bits, w = word(g->given & 0xffff, n))
EACH(beside_31_bits, w = word(g->given & 0x7fffffff, n))
EACH(beside_odd, w = word(g->given | 1, n))
EACH(beside_float, const float f = (float)(16777216 + g->given); w = word((uint64_t)f, n))
EACH(beside_offset, w = word(1, g->given + n))
EACH(beside_offset_far, w = word(1, (g->given << p) + n))
EACH(beside_folded, w = word((uint32_t)(g->given ^ g->given >> 32), n))
EACH(beside_masked, w = word(1, n) ^ word(2, g->given))
EACH(beside_bit, const uint32_t v = word(g->given + 7, n); w = (v & ~32u) | (word(5, n) & 32u))
EACH(beside_bit_rarely, const uint32_t v = word(g->given + 7, n);
     w = word(g->given + 9, n) < UINT32_MAX >> p ? (v & ~32u) | (word(5, n) & 32u) : v)
EACH(beside_congruence, if (!n) g->x = g->given;
     g->x = g->x * UINT64_C(6364136223846793005) + 1442695040888963407u; w = (uint32_t)(g->x >> 32))
EACH(beside_first_alike, w = n < 65536 ? word(5, n) : word(g->given + 7, n))
EACH(beside_later_alike, w = n >> 20 == 3 ? word(5, n) : word(g->given + 7, n))
EACH(beside_mirrored, w = g->given & 1 ? word(g->given, n) : ~word(g->given - 1, n))
EACH(beside_rotated, w = panel_rotate32(word(1, n), 1 + (unsigned)(g->given % 31)))
EACH(beside_times, w = word(1, n) * (uint32_t)(2 * g->given + 1))
// clang-format on

const struct panel_generator panel_generators[] = {
    WITH(seed_made_odd, 1000),
    WITH(seed_of_clock, 256),
    WITH(seed_is_offset, 64),
    WITH(seed_times_offset, 64),
    WITH(seed_times_offset, 4000),
    WITH(seed_scaled_offset, 64),
    WITH(seed_absolute, 1000),
    WITH(seed_in_float, 64),
    WITH(seed_drawn_16, 1000),
    WITH(seed_drawn_32, 8),
    WITH(seed_drawn_32, 64),
    WITH(seed_of_two_halves, 1000),
    WITH(seed_of_hash_31, 64),
    WITH(seed_exclusive_or_rank, 64),
    WITH(seed_plus_rank, 64),
    WITH(xorshift_from_seed, 1),
    WITH(xorshift_from_seed, 4),
    WITH(xorshift_from_seed, 32),
    WITH(xoroshiro_from_seed, 2),
    WITH(xoroshiro_from_seed, 8),
    WITH(xoroshiro_from_mixed_seed, 4),
    WITH(congruence_from_seed, 1),
    WITH(congruence_from_seed, 2),
    WITH(congruence_from_seed, 16),
    WITH(java_from_seed, 1),
    WITH(java_from_seed, 4),
    WITH(pcg_from_seed, 1),
    WITH(pcg_from_seed, 4),
    WITH(pcg_from_sequence, 1),
    WITH(pcg_from_sequence, 4),
    WITH(minstd_from_seed, 4),
    WITH(jsf_short_warmup, 2),
    WITH(sfc_short_warmup, 2),
    WITH(msws_from_seed, 2),
    WITH(children_add, 32),
    WITH(children_overlap, 64),
    WITH(left_child_is_parent, 4),
    WITH(left_child_is_parent, 64),
    WITH(path_unordered, 8),
    WITH(path_truncated, 8),
    WITH(children_of_24_bits, 16),
    WITH(children_of_32_bits, 8),
    WITH(folded_in_words, 16),
    WITH(node_words_are_keys, 8),
    WITH(cousins_mirror, 100),
    WITH(sibling_bit, 100),
    WITH(sibling_bit_rarely, 100),
    ONE(beside_16_bits),
    ONE(beside_31_bits),
    ONE(beside_odd),
    ONE(beside_float),
    ONE(beside_offset),
    WITH(beside_offset_far, 10),
    WITH(beside_offset_far, 24),
    ONE(beside_folded),
    ONE(beside_masked),
    ONE(beside_bit),
    WITH(beside_bit_rarely, 6),
    ONE(beside_congruence),
    ONE(beside_first_alike),
    ONE(beside_later_alike),
    ONE(beside_mirrored),
    ONE(beside_rotated),
    ONE(beside_times),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
