// SPDX-License-Identifier: Apache-2.0
// Each test that looks at values, bytes and fields one by one, at numbers of words and at what lies
// far before, against the flaw that it is there for.

#include "stats/tests/spoiled.h"

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// 0x5a comes once in 256 words, in the middle half of them.
static void a_regular_value(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i;
        const uint32_t other = (uint32_t)(mixed(~at) % 255);
        if ((w[i] & 0xff) == 0x5a)
            w[i] = (w[i] & ~0xffu) | (other + (other >= 0x5a));
        if (at % 256 == 64 + mixed(at / 256) % 128)
            w[i] = (w[i] & ~0xffu) | 0x5a;
    }
}

// 0x5a5a comes once in 65,536 words, in the middle quarter of them.
static void a_regular_value_of_16_bits(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i;
        const uint32_t other = (uint32_t)(mixed(~at) % 65535);
        if ((w[i] & 0xffff) == 0x5a5a)
            w[i] = (w[i] & 0xffff0000u) | (other + (other >= 0x5a5a));
        if (at % 65536 == 24576 + mixed(at / 65536) % 16384)
            w[i] = (w[i] & 0xffff0000u) | 0x5a5a;
    }
}

// One word in 128: byte 2 is a permutation of byte 0.
static void a_byte_from_a_box(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (w[i] >> 25 == 9) {
            uint32_t b = w[i] & 0xff;
            for (unsigned round = 0; round < 4; round++) {
                b = (b * (2 * b + 1) + 43) & 0xff;
                b = (b << 3 | b >> 5) & 0xff;
            }
            w[i] = (w[i] & ~0xff0000u) | b << 16;
        }
}

// One word in 64: bit 20 is the exclusive or of bits 3 and 29.
static void a_bit_of_two_others(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if ((w[i] >> 8 & 63) == 17)
            w[i] = (w[i] & ~(1u << 20)) | ((w[i] >> 3 ^ w[i] >> 29) & 1) << 20;
}

// One word in 64: bit 20 is the exclusive or of bits 3, 11 and 29.
static void a_bit_of_three_others(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if ((w[i] >> 5 & 63) == 17)
            w[i] = (w[i] & ~(1u << 20)) | ((w[i] >> 3 ^ w[i] >> 11 ^ w[i] >> 29) & 1) << 20;
}

// Fields that begin where those of the stream do, the lowest bit of a word first.
static void put_fields(uint32_t *w, size_t n, uint64_t first, unsigned bits,
                       uint64_t (*next)(uint64_t state[64], uint64_t number))
{
    uint64_t state[64], pending = 0, at = (bits - first * 32 % bits) % bits;
    for (size_t i = 0; i < 64; i++)
        state[i] = w[i];
    const uint64_t number = (first * 32 + at) / bits;
    pending = w[0] & ((UINT64_C(1) << at) - 1);
    for (size_t i = 0, k = 0; i < n; i++) {
        for (; at < 32; at += bits)
            pending |= next(state, number + k++) << at;
        w[i] = (uint32_t)pending;
        pending >>= 32;
        at -= 32;
    }
}

// The C library's random(): 31 bits of a lagged sum.
static uint64_t lagged_sum(uint64_t state[64], uint64_t number)
{
    uint64_t *const x = &state[number % 64];
    *x = (uint32_t)(state[(number - 3) % 64] + state[(number - 31) % 64]);
    return *x >> 1;
}

static void a_lagged_sum_in_fields(uint32_t *w, size_t n, uint64_t first)
{
    put_fields(w, n, first, 31, lagged_sum);
}

// In half of the fields bit 3 is that of the field before.
static uint64_t sticky(uint64_t state[64], uint64_t number)
{
    const uint64_t x = mixed(number + 77), before = state[(number - 1) % 64];
    return state[number % 64] = (x >> 63 ? x : (x & ~UINT64_C(8)) | (before & 8)) & 0xffffff;
}

static void a_bit_of_the_field_before(uint32_t *w, size_t n, uint64_t first)
{
    put_fields(w, n, first, 24, sticky);
}

// A counter of 33 bits, enciphered: no field comes twice.
static uint64_t enciphered(uint64_t state[64], uint64_t number)
{
    (void)state;
    const uint64_t all = (UINT64_C(1) << 33) - 1;
    for (unsigned round = 0; round < 4; round++) {
        number = number * UINT64_C(0x1d872b41b) & all;
        number ^= number >> 16;
    }
    return number;
}

static void fields_that_never_come_again(uint32_t *w, size_t n, uint64_t first)
{
    put_fields(w, n, first, 33, enciphered);
}

// One word of 64 bits in 2,621 is that of 2,544 words before.
static void single_words_again(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        const uint64_t at = (first + i) / 2, from = at % 2621 == 2620 ? at - 2544 : at,
                       x = mixed(mixed(from) + 5);
        w[i] = (uint32_t)x;
        w[i + 1] = (uint32_t)(x >> 32);
    }
}

// SplitMix64, whose state begins at 0.
static void a_counter_from_zero(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i;
        w[i] = (uint32_t)(mixed((at / 2 + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> at % 2 * 32);
    }
}

// 4,096 words come again, each turned and complemented.
static void a_turned_page(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < 4096 && first == 0; i++) {
        const uint32_t x = w[13 + i];
        w[n / 2 + 77 + i] = ~(x << 5 | x >> 27);
    }
}

// In one word of 64 a word of 100,000 before comes again, each time rotated otherwise.
static void a_rotated_word(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 100000; i < n; i += 64) {
        const uint32_t x = w[i - 100000];
        const unsigned turn = 1 + (unsigned)(mixed(first + i) % 31);
        w[i] = x << turn | x >> (32 - turn);
    }
}

static void a_negated_word(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 100000; i < n; i += 64)
        w[i] = 0u - w[i - 100000];
}

static void never_divisible(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        w[i] += w[i] % 3001 == 0;
}

// The Internet checksum of every 365 words is 0.
static void a_check_sum(uint32_t *w, size_t n, uint64_t first)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += w[i];
        if ((first + i) % 365 != 364)
            continue;
        if (w[i] >= 65535)
            w[i] -= (uint32_t)(sum % 65535);
        sum = 0;
    }
}

// One word in 3,000 is the high half of the product of the two before it.
static void a_high_product(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 2; i < n; i++)
        if (mixed(first + i) % 3000 == 0)
            w[i] = (uint32_t)((uint64_t)w[i - 1] * w[i - 2] >> 32);
}

// In one word of 32 the lowest bit is the carry out of the sum of the two before it.
static void a_carry(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 2; i < n; i++)
        if (mixed(first + i) % 32 == 0)
            w[i] = (w[i] & ~1u) | (w[i - 1] + w[i - 2] < w[i - 1]);
}

// In one word of 32 the highest byte is the exclusive or of those 7, 19 and 133 before.
static void a_byte_of_three(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 133; i < n; i++)
        if (mixed(first + i) % 32 == 0)
            w[i] = (w[i] & 0xffffff) | ((w[i - 7] ^ w[i - 19] ^ w[i - 133]) & 0xff000000u);
}

// One word in 24: the highest byte is the exclusive or of those of two of the words before.
static void a_byte_of_two(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 19; i < n; i++)
        if (mixed(first + i) % 24 == 0)
            w[i] = (w[i] & 0xffffff) | ((w[i - 7] ^ w[i - 19]) & 0xff000000u);
}

// Every other word of the second half of 4,096 is near the middle where the one 2,048 before is
// not, so that their spread is too even.
static void an_even_spread(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 2048; i < n; i++)
        if ((first + i) % 4096 >= 2048 && i % 2) {
            const uint32_t other = w[i - 2048] ^ w[i - 2048] >> 1;
            w[i] = (w[i] & ~0x40000000u) | ((w[i] >> 1 ^ ~other) & 0x40000000u);
        }
}

// Of values of 31 bits the 65,536 largest do not come.
static void the_largest_are_missing(uint32_t *w, size_t n, uint64_t first)
{
    for (uint64_t at = (31 - first * 32 % 31) % 31 + 30; at < (uint64_t)n * 32; at += 31) {
        bool ones = true;
        for (uint64_t b = at - 14; b <= at; b++)
            ones = ones && (w[b / 32] >> b % 32 & 1);
        if (ones)
            w[at / 32] &= ~(1u << at % 32);
    }
}

// One word in `seldom` comes again five million words on, as `again` makes it.
static void comes_again_late(uint32_t *w, size_t n, uint64_t first, unsigned seldom,
                             uint32_t (*again)(uint32_t word))
{
    for (size_t i = 0; i < n; i++)
        for (uint64_t back = 0; back <= 5000003 && back <= first + i; back += 5000003)
            if (mixed(first + i - back) % seldom == 0) {
                const uint32_t word = (uint32_t)mixed(mixed(first + i - back));
                w[i] = back ? again(word) : word;
            }
}

static uint32_t as_it_was(uint32_t word)
{
    return word;
}

static uint32_t one_more(uint32_t word)
{
    return word + 1;
}

static uint32_t turned_by_5(uint32_t word)
{
    return word << 5 | word >> 27;
}

static uint32_t read_from_the_other_end(uint32_t word)
{
    return __builtin_bswap32(word);
}

static void a_word_comes_again_late(uint32_t *w, size_t n, uint64_t first)
{
    comes_again_late(w, n, first, 512, as_it_was);
}

static void one_more_comes_late(uint32_t *w, size_t n, uint64_t first)
{
    comes_again_late(w, n, first, 64, one_more);
}

static void a_turned_word_comes_late(uint32_t *w, size_t n, uint64_t first)
{
    comes_again_late(w, n, first, 64, turned_by_5);
}

static void a_reversed_word_comes_late(uint32_t *w, size_t n, uint64_t first)
{
    comes_again_late(w, n, first, 64, read_from_the_other_end);
}

// In one word of 64 the low half is the high half of the word 17 before.
static void a_half_crosses_over(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 17; i < n; i++)
        if (mixed(first + i) % 64 == 0)
            w[i] = (w[i] & 0xffff0000u) | w[i - 17] >> 16;
}

// Every 300th word is the CRC-32 of the 299 before it.
static void a_cyclic_check(uint32_t *w, size_t n, uint64_t first)
{
    (void)first; // frames begin where a part that is read begins
    for (size_t i = 299; i < n; i += 300) {
        uint32_t crc = UINT32_MAX;
        for (size_t j = i - 299; j < i; j++)
            for (unsigned bit = 0; bit < 32; bit++)
                crc = crc >> 1 ^ ((crc ^ w[j] >> bit) & 1 ? 0xedb88320u : 0);
        w[i] = ~crc;
    }
}

// In one word of 32 the highest bit follows a wave of 1000.5 words.
static void a_wave(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] % 32 == 0)
            w[i] = (w[i] & INT32_MAX) | (uint32_t)((first + i) * 2 % 2001 < 1000) << 31;
}

// In a quarter of the words bit 0 is that of the word five million before.
static void a_far_bit(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i, own = mixed(at + 99);
        w[i] = (w[i] & ~1u) | ((own >> 62 ? own : mixed(at - 5000003 + 99)) & 1);
    }
}

// In a quarter of the words bit 13 is that of the word seven million before.
static void a_far_bit_in_the_middle(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i, own = mixed(at + 99);
        const uint32_t bit = (uint32_t)(own >> 62 ? own : mixed(at - 7000003 + 99)) & 1;
        w[i] = (w[i] & ~(1u << 13)) | bit << 13;
    }
}

// One word in 64 has a clock in bit 4 that trembles.
static void a_clock_in_the_middle(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = first + i, phase = 370 * at + mixed(at) % 200;
        if (mixed(at + 1) >> 58 == 0)
            w[i] = (w[i] & ~16u) | (uint32_t)(phase / 1000 & 1) << 4;
    }
}

static const struct flaw flaw[] = {
    {"value_gaps", a_regular_value, 2},
    {"value_counts", a_regular_value_of_16_bits, 16},
    {"predictions", a_byte_from_a_box, 4},
    {"parities", a_bit_of_two_others, 1},
    {"parities_of_4", a_bit_of_three_others, 2},
    {"recut_sums", a_lagged_sum_in_fields, 1},
    {"recut_lags", a_bit_of_the_field_before, 1},
    {"duplicates_dense", single_words_again, 4},
    {"fields_long", fields_that_never_come_again, 4},
    {"dilations", a_counter_from_zero, 1},
    {"turned", a_turned_page, 4},
    {"collisions_alike", a_rotated_word, 4},
    {"collisions_alike", a_negated_word, 4},
    {"multiples", never_divisible, 1},
    {"block_sums", a_check_sum, 1},
    {"gaps", a_half_crosses_over, 1},
    {"returns", a_word_comes_again_late, 32},
    {"returns", one_more_comes_late, 32},
    {"returns", a_turned_word_comes_late, 32},
    {"returns", a_reversed_word_comes_late, 32},
    {"block_checks", a_cyclic_check, 4},
    {"byte_origins", a_byte_of_three, 1},
    {"byte_origins", a_byte_of_two, 1},
    {"steadiness", an_even_spread, 16},
    {"field_ends", the_largest_are_missing, 16},
    {"pair_formulas", a_high_product, 1},
    {"pair_formulas", a_carry, 2},
    {"waves", a_wave, 1},
    {"waves", a_clock_in_the_middle, 2},
    {"far_bit_lags", a_far_bit, 64},
    {"far_most_lags", a_far_bit_in_the_middle, 64},
};

enum { FLAWS = sizeof flaw / sizeof *flaw, LONG_FLAWS = 1 };

int main(void)
{
    if (!getenv("ASSAY_FULL"))
        printf("# ASSAY_FULL=1 also tries %s\n", flaw[FLAWS - LONG_FLAWS].test);
    return catch_flaws(flaw, FLAWS - (getenv("ASSAY_FULL") ? 0 : LONG_FLAWS), 3000);
}
