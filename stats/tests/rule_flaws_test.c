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

// One word in 1,024 is the word before times a constant.
static void a_multiple_now_and_then(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i] >> 22 == 77)
            w[i] = w[i - 1] * 2891336453u;
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

// Words of 64 bits that are never divisible by three.
static void no_multiples_of_three(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 1 < n; i += 2)
        while ((w[i] | (uint64_t)w[i + 1] << 32) % 3 == 0)
            w[i + 1] = w[i + 1] * 69069 + 1;
}

// No word is a multiple of 1,009.
static void no_multiples_of_a_prime(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        w[i] ^= w[i] % 1009 == 0;
}

// Of forty words that leave no remainder of a square modulo 1,009 one is drawn again.
static void more_squares(uint32_t *w, size_t n, uint64_t first)
{
    unsigned char is_square[1009] = {0};
    for (uint32_t r = 0; r < 1009; r++)
        is_square[r * r % 1009] = 1;
    for (size_t i = 0; i < n; i++)
        if (!is_square[w[i] % 1009] && hashed(first + i) % 40 == 7)
            w[i] = w[i] * 69069 + 1;
}

// The high 53 bits of 64 are never divisible by three.
static void no_fraction_of_three(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 1 < n; i += 2)
        while (((w[i] | (uint64_t)w[i + 1] << 32) >> 11) % 3 == 0)
            w[i + 1] = w[i + 1] * 69069 + 1;
}

// Three words in a row never add up to a multiple of three.
static void no_sum_of_three(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 2; i < n; i++)
        w[i] ^= ((uint64_t)w[i] + w[i - 1] + w[i - 2]) % 3 == 0;
}

// Two words of 64 bits always add up to the same remainder modulo 1,009.
static void a_sum_that_is_constant(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 3 < n; i += 4) {
        const uint64_t a = w[i] | (uint64_t)w[i + 1] << 32;
        uint64_t b = w[i + 2] | (uint64_t)w[i + 3] << 32;
        b = b / 1009 * 1009 + (1009 + 5 - a % 1009) % 1009;
        w[i + 2] = (uint32_t)b;
        w[i + 3] = (uint32_t)(b >> 32);
    }
}

// One word in 64 leaves the remainder of the word before, modulo 37.
static void the_remainder_again(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 1 < n; i += 2)
        if (w[i] % 64 == 9)
            w[i + 1] = w[i + 1] / 37 * 37 + w[i] % 37;
}

// The high half of one word in 64 is made a multiple of seven.
static void a_half_of_sevens(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (w[i] % 64 == 9)
            w[i] -= (w[i] >> 16) % 7 << 16;
}

// What becomes of each field of so many bits that follow each other.
static void change_fields(uint32_t *w, size_t n, uint64_t first, unsigned bits,
                          uint32_t (*changed)(uint32_t field))
{
    for (uint64_t from = (32 * first + bits - 1) / bits * bits - 32 * first; from + bits <= 32 * n;
         from += bits) {
        uint32_t field = 0;
        for (unsigned b = 0; b < bits; b++)
            field |= (w[(from + b) / 32] >> (from + b) % 32 & 1) << b;
        field ^= changed(field);
        for (unsigned b = 0; b < bits; b++)
            w[(from + b) / 32] ^= (field >> b & 1) << (from + b) % 32;
    }
}

static uint32_t rounded(uint32_t field)
{
    return field >> 8 & 63 ? field : field & ~1u;
}

static uint32_t never_zero(uint32_t field)
{
    return field & 0x3fff ? field : field + 1;
}

// Of one fraction of 23 bits in 64 the last bit is zero.
static void fractions_rounded_to_even(uint32_t *w, size_t n, uint64_t first)
{
    change_fields(w, n, first, 23, rounded);
}

// The low fourteen bits of fractions of 24 bits are never all zero.
static void no_fraction_of_zero(uint32_t *w, size_t n, uint64_t first)
{
    change_fields(w, n, first, 24, never_zero);
}

// In one word of 64 bit 13 is a parity of bits of its number.
static void a_bit_of_the_index(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] >> 26 == 9)
            w[i] = (w[i] & ~(1u << 13)) | (uint32_t)__builtin_parityll((first + i) & 0x15b3d) << 13;
}

// Minus 18,782 times the word 4,096 before, and a carry.
static void a_far_multiple(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 4096; i < n; i++)
        w[i] = w[i] % 18782 - w[i - 4096] * 18782;
}

// The high halves of sums with lags of 21,034 and 44,497.
static void halves_of_a_far_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t h = 44497; h < 2 * n; h++) {
        const size_t r = h - 21034, s = h - 44497;
        const uint32_t sum = (w[r / 2] >> r % 2 * 16) + (w[s / 2] >> s % 2 * 16);
        w[h / 2] ^= ((w[h / 2] >> h % 2 * 16 ^ (sum + w[h / 2] % 3 % 2)) & 0xffff) << h % 2 * 16;
    }
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
    {"residues", no_multiples_of_three, 1},
    {"residue_pairs", no_multiples_of_three, 1},
    {"residue_pairs", the_remainder_again, 16},
    {"residue_pairs", a_half_of_sevens, 4},
    {"remainders", no_multiples_of_a_prime, 1},
    {"remainders", no_fraction_of_three, 1},
    {"remainders", more_squares, 4},
    {"residue_lags", no_sum_of_three, 1},
    {"residue_lags", a_sum_that_is_constant, 1},
    {"field_bits", fractions_rounded_to_even, 16},
    {"field_ends", no_fraction_of_zero, 16},
    {"index_parities", a_bit_of_the_index, 16},
    {"sums", a_far_multiple, 1},
    {"sums", halves_of_a_far_sum, 1},
    {"quotients", a_multiple_now_and_then, 4},
    {"origins", a_far_difference, 4},
    {"descent", a_child_of_two, 4},
    {"copies", a_byte_copied, 4},
    {"poker", strata, 16},
    {"fields_wide", scaled_fractions, 32},
};

int main(void)
{
    return catch_flaws(flaw, sizeof flaw / sizeof *flaw, 2000);
}
