// SPDX-License-Identifier: Apache-2.0
// Each test that looks at frames, lanes, rows, far words and sums of sums against the flaw that it
// is there for.

#include "stats/tests/spoiled.h"

// The last of 47 words is a sum of the others, bit by bit.
static void a_check_word(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 46; i < n; i++)
        if ((first + i) % 47 == 46) {
            uint32_t sum = 0;
            for (size_t j = 1; j <= 46; j++)
                sum = (sum << 1 | sum >> 31) ^ w[i - j];
            w[i] = sum;
        }
}

// Frames of 29 words that begin at word 12: the last byte is a cyclic check of the rest.
static void a_check_byte_of_frames_begun_late(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 28; i < n; i++)
        if ((first + i) % 29 == 11) {
            uint32_t check = 0;
            for (size_t bit = 0; bit < 29 * 32 - 8; bit++) {
                const uint32_t in = w[i - 28 + bit / 32] >> bit % 32 & 1;
                check = (check << 1 & 0xff) ^ ((check >> 7 ^ in) & 1 ? 0x1d : 0);
            }
            w[i] = (w[i] & 0xffffff) | check << 24;
        }
}

enum { REGISTER_BITS = 1 << 16 };

// Bit 0 of each of 4,096 threads obeys x^89 + x^38 + 1.
static void threads_of_short_registers(uint32_t *w, size_t n, uint64_t first)
{
    static unsigned char bit[REGISTER_BITS];
    for (size_t i = 0; i < REGISTER_BITS; i++)
        bit[i] = i < 89 ? i * i % 7 % 2 : bit[i - 89] ^ bit[i - 51];
    for (size_t i = 0; i < n; i++) {
        const uint64_t thread = (first + i) % 4096, step = (first + i) / 4096;
        w[i] = (w[i] & ~1u) | bit[thread * 7 + step];
    }
}

static void one_word_of_a_buffer(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 4096 == 700)
            w[i] |= 1u << 21;
}

static void sums_of_sums(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 239; i < n; i++)
        w[i] = 2 * w[i - 1] - w[i - 2] + w[i - 239] + w[i] % 3;
}

// High bits of a polynomial of degree 7.
static void a_polynomial(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t y = 0;
        for (unsigned k = 0; k < 8; k++)
            y = y * (first + i) + UINT64_C(0x9e3779b97f4a7c15) * (2 * k + 1);
        w[i] = (uint32_t)(y >> 32);
    }
}

// A hundred streams of one multiplicative recurrence modulo 2^64, each from a state of its own;
// high halves.
static void congruential_threads(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = ((first + i) % 100 + 1) * UINT64_C(0xbf58476d1ce4e5b9),
                 a = UINT64_C(6364136223846793005);
        x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb) | 1;
        for (uint64_t steps = (first + i) / 100; steps; steps >>= 1, a *= a)
            if (steps & 1)
                x *= a;
        w[i] = (uint32_t)(x >> 32);
    }
}

static void one_word_of_a_row(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 1000 == 700)
            w[i] &= ~(1u << 21);
}

static void a_bit_of_a_far_word(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 5003; i < n; i++)
        w[i] = (w[i] & ~(1u << 13)) | (w[i - 5003] & 1u << 5) << 8;
}

// The last of 128 words of 64 bits makes their sum 0.
static void words_that_check_each_other(uint32_t *w, size_t n, uint64_t first)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        sum = (first + i) % 256 ? sum : 0;
        if ((first + i) % 256 == 254) {
            w[i] = (uint32_t)(0 - sum);
            w[i + 1] = (uint32_t)((0 - sum) >> 32);
        }
        sum += w[i] | (uint64_t)w[i + 1] << 32;
    }
}

// Bit 3 of every second word sticks for 40 of them.
static void a_bit_that_sticks(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 2 && (first + i) % 16384 < 80)
            w[i] |= 1u << 3;
}

// Tiles of 2^18 words, of which each begins with the last block of the one before.
static void tiles_that_overlap(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t tile = (first + i + 4) >> 18, place = (first + i + 4) & ((1 << 18) - 1);
        if (place < 8 && tile)
            w[i] = (uint32_t)((tile << 2 | place % 4) * UINT64_C(0x9e3779b97f4a7c15) >> 29);
    }
}

static const struct flaw flaw[] = {
    {"frames", a_check_word, 4},          {"far_lanes", threads_of_short_registers, 4},
    {"places", one_word_of_a_buffer, 16}, {"bends", sums_of_sums, 1},
    {"differences", a_polynomial, 1},     {"birthdays_apart", congruential_threads, 4},
    {"heads", tiles_that_overlap, 4},     {"rhythms", one_word_of_a_row, 4},
    {"echoes", a_bit_of_a_far_word, 4},   {"frame_checks", words_that_check_each_other, 4},
    {"spells", a_bit_that_sticks, 4},     {"frames", a_check_byte_of_frames_begun_late, 4},
};

int main(void)
{
    return catch_flaws(flaw, sizeof flaw / sizeof *flaw, 4000);
}
