// SPDX-License-Identifier: Apache-2.0
// Each test that looks for a rule behind the words (sums of earlier ones, registers, waves, packed
// fields, remainders) against the flaw that it is there for.

#include "stats/tests/spoiled.h"

static uint32_t hashed(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

// The high bytes of x[n] = x[n - 1279] + x[n - 418]: too far apart for lists of short lags.
static void high_bytes_of_a_far_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    uint32_t x[2048];
    for (size_t i = 0; i < 4 * n; i++) {
        x[i % 2048] = i < 1279 ? w[i] : x[(i - 1279) % 2048] + x[(i - 418) % 2048];
        ((unsigned char *)w)[i] = (unsigned char)(x[i % 2048] >> 24);
    }
}

// The majority of three shift registers of 521, 607 and 521 bits, which the word gives out from its
// highest bit on.
static void a_majority_of_registers(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    unsigned char x[3][1024];
    for (unsigned r = 0; r < 3; r++)
        for (unsigned i = 0; i < 1024; i++)
            x[r][i] = w[32 * r + i / 32] >> i % 32 & 1;
    for (size_t i = 1024; i < 32 * n; i++) {
        const unsigned a = x[0][i % 1024] = x[0][(i - 521) % 1024] ^ x[0][(i - 168) % 1024];
        const unsigned b = x[1][i % 1024] = x[1][(i - 607) % 1024] ^ x[1][(i - 273) % 1024];
        const unsigned c = x[2][i % 1024] = x[2][(i - 521) % 1024] ^ x[2][(i - 32) % 1024];
        const uint32_t bit = 1u << (31 - i % 32), majority = (a & b) | (b & c) | (a & c);
        w[i / 32] = majority ? w[i / 32] | bit : w[i / 32] & ~bit;
    }
}

// For 500 of every 1,000 words bits 21 and 22 are ones a little too often.
static void a_square_wave(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 1000 < 500 && (w[i] & 15) == 0)
            w[i] |= 0x600000u;
}

// Bytes of seven bits, of which 127 is drawn again once.
static void bytes_of_seven_bits(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    const uint64_t mask = 127;
    for (size_t bit = 0; bit + 7 <= 32 * n; bit += 7) {
        uint64_t pair = w[bit / 32] | (uint64_t)(bit / 32 + 1 < n ? w[bit / 32 + 1] : 0) << 32;
        if ((pair >> bit % 32 & mask) != mask)
            continue;
        pair &= ~(mask << bit % 32) | (uint64_t)(bit * 2654435761u >> 20 & mask) << bit % 32;
        w[bit / 32] = (uint32_t)pair;
        if (bit / 32 + 1 < n)
            w[bit / 32 + 1] = (uint32_t)(pair >> 32);
    }
}

static const uint64_t PAGE = 1 << 16;

// The second quarter of a mebibyte is the first, displaced by 5 bits.
static void a_page_displaced(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n && first + i < 2 * PAGE; i++) {
        const uint64_t at = first + i;
        w[i] = at < PAGE ? hashed(at) : hashed(at - PAGE) >> 5 | hashed(at - PAGE + 1) << 27;
    }
}

// The second quarter of a mebibyte is the first, displaced by three bytes, in words that are filled
// from the top.
static void a_page_displaced_downwards(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n && first + i < 2 * PAGE; i++) {
        const uint64_t at = first + i;
        w[i] = at < PAGE ? hashed(at) : hashed(at - PAGE) << 24 | hashed(at - PAGE + 1) >> 8;
    }
}

// One word in 16,384 is the sum of the words 3 and 5 before it.
static void a_sum_now_and_then(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 5; i < n; i++)
        if (w[i] >> 18 == 77)
            w[i] = w[i - 3] + w[i - 5];
}

// One word in 1,024 is made a multiple of a hundred.
static void round_numbers(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (w[i] >> 22 == 77)
            w[i] -= w[i] % 100;
}

// Every tenth word is the difference of the words 30,011 and 51,001 before it.
static void a_far_difference(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 51001; i < n; i++)
        if (w[i] % 10 == 7)
            w[i] = w[i - 51001] - w[i - 30011];
}

// One word in 4,096 is the sum of the word before and of the one 30,011 before it.
static void a_child_of_two(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 30011; i < n; i++)
        if (w[i] % 4096 == 7)
            w[i] = w[i - 1] + w[i - 30011];
}

// In one word of 300 a byte is the one two bytes higher in the word before it.
static void a_byte_copied(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if ((w[i] >> 8) % 300 == 7)
            w[i] = (w[i] & ~255u) | (w[i - 1] >> 16 & 255);
}

// Four words in 256 have the four highest pairs of bits in some order.
static void strata(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 4 <= n; i += 4)
        if (w[i] >> 26 == 9)
            for (uint32_t j = 1; j < 4; j++)
                w[i + j] = (w[i + j] & 0x3fffffffu) | ((w[i] >> 30) + j) << 30;
}

// 23 bits of a 24-bit fraction times 3 * 2^22: a third of the values comes twice as often as the
// others.
static uint64_t scaled_fraction(uint64_t at)
{
    for (uint64_t k = 8 * at;; k++) {
        const uint64_t v = (uint64_t)(hashed(k) >> 8) * 12582913 >> 24;
        if (v < 1 << 23)
            return v;
    }
}

static void scaled_fractions(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bit = 32 * (first + i);
        uint64_t field = bit / 23, bits = scaled_fraction(field) >> bit % 23;
        for (unsigned held = 23 - (unsigned)(bit % 23); held < 32; held += 23)
            bits |= scaled_fraction(++field) << held;
        w[i] = (uint32_t)bits;
    }
}

// Words above 2^32 - 2^17 are missing.
static void an_end_missing(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (w[i] >> 17 == 0x7fff)
            w[i] ^= 0x40000000u;
}

static const struct flaw flaw[] = {
    {"relations", high_bytes_of_a_far_sum, 1},
    {"triples", a_majority_of_registers, 1},
    {"tides", a_square_wave, 16},
    {"fields", bytes_of_seven_bits, 1},
    {"duplicates", a_page_displaced, 1},
    {"duplicates", a_page_displaced_downwards, 1},
    {"edges", an_end_missing, 16},
    {"formulas", a_sum_now_and_then, 4},
    {"residues", round_numbers, 4},
    {"origins", a_far_difference, 4},
    {"descent", a_child_of_two, 4},
    {"copies", a_byte_copied, 4},
    {"poker", strata, 16},
    {"fields_wide", scaled_fractions, 32},
};

static void every_test_catches_its_flaw(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof flaw / sizeof *flaw; f++)
        test_catches_flaw(&flaw[f], 2000 + f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_test_catches_its_flaw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
