// SPDX-License-Identifier: Apache-2.0
// Each test that looks at bits against the flaw that it is there for.

#include "stats/tests/spoiled.h"

__extension__ typedef unsigned __int128 uint128;

static void one_bit_stuck(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 8)
        w[i] |= 1u << 13;
}

static void sometimes_the_word_before(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i] % 64 == 5)
            w[i] = w[i - 1];
}

static void turned_copy(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 2; i < n; i++)
        if (w[i] >> 29 == 0)
            w[i] = (w[i] & ~1u) | (w[i - 2] >> 9 & 1);
}

static void a_short_register(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 89; i < n; i++) // bit 0 obeys x^89 + x^38 + 1
        w[i] = (w[i] & ~1u) | ((w[i - 89] ^ w[i - 38]) & 1);
}

static void dependent_rows(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 2048)
        for (size_t j = 0; j < 8; j++)
            w[i + 800 + j] = w[i + 400 + j] ^ w[i + 160 + j];
}

// 3,000 words of a counter in every mebibyte.
static void a_short_counter(uint32_t *w, size_t n, uint64_t first)
{
    if (first % (1 << 18) == 0)
        for (size_t i = 1000; i < 4000 && i < n; i++)
            w[i] = (uint32_t)i * 4;
}

// Every 131st word follows a register of 32 bits.
static void a_poor_lane(uint32_t *w, size_t n, uint64_t first)
{
    uint32_t x = (uint32_t)first + 12345u;
    for (size_t i = 0; i < n; i += 131) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        w[i] = x;
    }
}

static void an_echo_from_far(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 40009; i < n; i++)
        if (w[i] >> 29 == 3)
            w[i] = (w[i] & ~1u) | (w[i - 40009] & 1);
}

// The first words of a block are those of the block 2^18 words before with one bit turned over.
static void heads_alike(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 65536 < 64) {
            uint64_t x = ((first + i) % (1 << 18)) * UINT64_C(0x9e3779b97f4a7c15);
            x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            w[i] = (uint32_t)(x >> 32) ^ (uint32_t)((first + i) >> 18 & 1);
        }
}

// Sixteen ones never follow each other.
static void no_long_run_of_ones(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0, run = 0; i < 32 * n; i++) {
        run = w[i / 32] >> i % 32 & 1 ? run + 1 : 0;
        if (run == 16) {
            w[i / 32] &= ~(1u << i % 32);
            run = 0;
        }
    }
}

// Words of 64 bits, multiplied with carry at a lag of three by a number that nobody knows.
static void multiplied_with_carry(uint32_t *w, size_t n, uint64_t first)
{
    uint64_t x[3] = {first + 1, 77, 99}, carry = 5;
    for (size_t i = 0; i + 1 < n; i += 2) {
        const uint128 product = (uint128)UINT64_C(0xfebd1234567890ab) * x[i / 2 % 3] + carry;
        x[i / 2 % 3] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
        w[i] = (uint32_t)product;
        w[i + 1] = (uint32_t)((uint64_t)product >> 32);
    }
}

// Digits of k / q from the highest on.
static void digits_of_a_fraction(uint32_t *w, size_t n, uint64_t first)
{
    const uint64_t q = UINT64_C(0xfffffffb12345677);
    uint64_t rest = first + 12345;
    for (size_t i = 0; i < n; i++) {
        const uint128 product = (uint128)rest << 32;
        w[i] = (uint32_t)(product / q);
        rest = (uint64_t)(product % q);
    }
}

static const struct flaw flaw[] = {
    {"fractions", multiplied_with_carry, 1},
    {"fractions", digits_of_a_fraction, 1},
    {"bit_runs", no_long_run_of_ones, 4},
    {"positions", one_bit_stuck, 1},
    {"lags", sometimes_the_word_before, 1},
    {"turns_across", turned_copy, 1},
    {"linear", a_short_register, 1},
    {"linear_short", a_short_register, 1},
    {"rank", dependent_rows, 4},
    {"bursts", a_short_counter, 1},
    {"lanes", a_poor_lane, 1},
    {"bit_lags", an_echo_from_far, 4},
    {"heads", heads_alike, 4},
};

int main(void)
{
    return catch_flaws(flaw, sizeof flaw / sizeof *flaw, 1000);
}
