// SPDX-License-Identifier: Apache-2.0
// Each test that looks at values of words, bytes and fields against the flaw that it is there for.

#include "stats/tests/spoiled.h"

static void a_lattice(uint32_t *w, size_t n, uint64_t first)
{
    uint32_t x = (uint32_t)first * 69069u + 1u;
    for (size_t i = 0; i < n; i++)
        w[i] = x = x * 69069u + 1234567u;
}

static void a_repeated_page(uint32_t *w, size_t n, uint64_t first)
{
    if (first % (1 << 18) == 0)
        memcpy(w + n / 2 + 77, w + 13, 65536);
}

static void a_rare_byte(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if ((w[i] >> 16 & 0xff) == 0xa7 && w[i] % 2)
            w[i] ^= 1u << 20;
}

static void steady_words(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (__builtin_popcount(w[i]) > 22)
            w[i] = ~w[i];
}

// One word in 128: bit 0 makes the number of ones even.
static void words_with_a_parity_bit(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (w[i] >> 25 == 9)
            w[i] ^= (uint32_t)__builtin_parity(w[i]);
}

// After a word whose highest byte is 0xa5 bit 8 is 0 three times in four.
static void a_bit_after_a_byte(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i - 1] >> 24 == 0xa5 && w[i] & 1)
            w[i] &= ~0x100u;
}

static void weights_that_remember(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i] % 8 == 0 && (__builtin_popcount(w[i]) > 16) != (__builtin_popcount(w[i - 1]) > 16))
            w[i] = ~w[i];
}

static void balanced_blocks(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 16)
        for (size_t j = 0; j < 8; j++)
            w[i + 8 + j] = ~w[i + j];
}

static void dealt_like_cards(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) { // a bijection of the position: no value ever twice
        uint32_t x = (uint32_t)(first + i);
        for (int r = 0; r < 4; r++) {
            x ^= x >> 16;
            x *= 0x7feb352du;
            x ^= x >> 15;
            x *= 0x846ca68bu;
        }
        w[i] = x;
    }
}

static void comes_again_soon(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 300; i < n; i++)
        if ((w[i] & 15) == 3)
            w[i] = (w[i] & 0xffff0000u) | (w[i - 20 - (w[i] >> 24)] & 0xffffu);
}

static void a_parity(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++) // the parity of four bits is even nine times of sixteen
        if ((__builtin_popcount(w[i] & 0x1842) & 1) && (w[i] >> 28 & 7) == 0)
            w[i] ^= 0x40;
}

static void rising(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 1 < n; i += 2)
        if (w[i] > w[i + 1] && w[i] % 16 == 0) {
            const uint32_t swap = w[i];
            w[i] = w[i + 1];
            w[i + 1] = swap;
        }
}

// One block of 16 words in 512 is sorted, the largest first.
static void sorted_now_and_then(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 16 <= n; i += 16)
        if (w[i] >> 23 == 77)
            for (size_t j = i + 1; j < i + 16; j++)
                for (size_t k = j; k > i && w[k] > w[k - 1]; k--) {
                    const uint32_t swap = w[k];
                    w[k] = w[k - 1];
                    w[k - 1] = swap;
                }
}

static void missing_nibble(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if ((w[i] & 15) == (w[i - 1] & 15))
            w[i] ^= 1;
}

static void bytes_of_a_lagged_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    unsigned char *const b = (unsigned char *)w;
    uint32_t x[64];
    for (size_t i = 0; i < 4 * n; i++) { // the C library's old rand(): its highest byte
        x[i % 64] = i < 40 ? w[i] : x[(i - 3) % 64] + x[(i - 31) % 64];
        b[i] = (unsigned char)(x[i % 64] >> 24);
    }
}

// x[n] = f(x[n - 1]) - x[n - 2] for a function f that is nobody's.
static void a_hidden_map(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 2; i < n; i++) {
        uint32_t x = w[i - 1] * 0x2c1b3c6du;
        x = (x ^ x >> 12) * 0x297a2d39u;
        w[i] = (x ^ x >> 15) - w[i - 2];
    }
}

// Every hundred words add up to nothing.
static void a_check_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 100 <= n; i += 100) {
        uint32_t sum = 0;
        for (size_t j = 0; j < 99; j++)
            sum += w[i + j];
        w[i + 99] = 0 - sum;
    }
}

// Ten words of a mebibyte are those 30,011 before.
static void a_word_of_a_ring(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 30011; i < n; i++)
        if ((first + i) % 26003 == 0)
            w[i] = w[i - 30011];
}

static const struct flaw flaw[] = {
    {"duplicates", a_repeated_page, 4},
    {"birthdays", a_lattice, 1},
    {"birthdays_wide", a_lattice, 4},
    {"collisions", dealt_like_cards, 4},
    {"bytes", a_rare_byte, 1},
    {"weights", steady_words, 1},
    {"weights", words_with_a_parity_bit, 2},
    {"bits_after_bytes", a_bit_after_a_byte, 4},
    {"weight_tuples", weights_that_remember, 4},
    {"balance", balanced_blocks, 1},
    {"sums", bytes_of_a_lagged_sum, 1},
    {"gaps", comes_again_soon, 1},
    {"cells", a_parity, 1},
    {"orders", rising, 4},
    {"ascents", rising, 4},
    {"ascents", sorted_now_and_then, 1},
    {"coupons", missing_nibble, 4},
    {"poker", missing_nibble, 16},
    {"walk", steady_words, 1},
    {"followers", a_hidden_map, 4},
    {"followers", a_word_of_a_ring, 4},
    {"collisions", a_check_sum, 1},
};

int main(void)
{
    return catch_flaws(flaw, sizeof flaw / sizeof *flaw, 1000);
}
