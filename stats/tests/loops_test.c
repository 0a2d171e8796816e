// SPDX-License-Identifier: Apache-2.0
// What the battery's tests stand on: the source they are calibrated on, linear complexity, sorting, correlation, the commonest value.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/correlate.h"
#include "stats/linear.h"
#include "stats/sort.h"
#include "stats/source.h"
#include "stats/test.h"

enum { WORDS = 1 << 16 };

static uint32_t *chacha_words(uint64_t seed, size_t words)
{
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    uint32_t *const to = aligned_alloc(64, words * 4);
    assert_non_null(to);
    assert_int_equal(source_open_chacha(&source, seed, &diagnostic), 0);
    assert_int_equal(source.read(source.context, 0, words, to, &got, &diagnostic), 0);
    assert_int_equal(got, words);
    source_close(&source);
    return to;
}

// RFC 8439, appendix A.1: key stream of the zero key, blocks 0 and 1 (the nonce is zero).
static void chacha_is_the_published_key_stream(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(0, WORDS);
    assert_int_equal(w[0], 0xade0b876);
    assert_int_equal(w[15], 0x8665eeb2);
    assert_int_equal(w[16], 0xbee7079f);
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    uint32_t block[16];
    assert_int_equal(source_open_chacha(&source, 0, &diagnostic), 0);
    assert_int_equal(source.read(source.context, 16, 16, block, &got, &diagnostic), 0);
    assert_memory_equal(block, w + 16, sizeof block);
    source_close(&source);
    free(w);
}

// Berlekamp and Massey's algorithm as their papers state it, one bit a byte.
static size_t complexity_by_the_book(const unsigned char *s, size_t n)
{
    unsigned char c[512] = {1}, b[512] = {1}, t[512];
    size_t L = 0, m = 1;
    for (size_t i = 0; i < n; i++) {
        unsigned d = 0;
        for (size_t j = 0; j <= L; j++)
            d ^= c[j] & s[i - j];
        if (!d) {
            m++;
            continue;
        }
        memcpy(t, c, sizeof t);
        for (size_t j = 0; j + m < sizeof c; j++)
            c[j + m] ^= b[j];
        if (2 * L <= i) {
            L = i + 1 - L;
            memcpy(b, t, sizeof b);
            m = 1;
        } else {
            m++;
        }
    }
    return L;
}

static void linear_complexity_is_that_of_the_textbook(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(3, WORDS);
    uint64_t scratch[128];
    assert_true(linear_scratch(300) <= sizeof scratch);
    for (size_t trial = 0; trial < 400; trial++) {
        const size_t n = 1 + trial % 300;
        uint64_t bits[5] = {0};
        unsigned char bytes[320] = {0};
        for (size_t i = 0; i < n; i++) {
            unsigned bit = w[trial * 10 + i / 32] >> i % 32 & 1;
            if (trial % 3 == 0 && i >= 17) // a short register
                bit = bytes[i - 17] ^ bytes[i - 3];
            if (trial % 7 == 0)
                bit = i + 1 == n; // the longest jump
            bytes[i] = (unsigned char)bit;
            bits[i / 64] |= (uint64_t)bit << i % 64;
        }
        assert_int_equal(linear_complexity(bits, n, scratch), complexity_by_the_book(bytes, n));
    }
    free(w);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sorting_sorts(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(4, WORDS);
    for (size_t n = 1; n <= WORDS / 4; n = n * 3 + 1) {
        uint64_t *const a = malloc(n * 8), *const b = malloc(n * 8), *const spare = malloc(n * 8);
        uint32_t *const c = malloc(n * 4), *const spare32 = malloc(n * 4);
        for (size_t i = 0; i < n; i++) {
            a[i] = b[i] = (w[2 * i] | (uint64_t)w[2 * i + 1] << 32) >> (n % 2 ? 0 : 50);
            c[i] = (uint32_t)a[i];
        }
        qsort(b, n, 8, ascending);
        sort_u64(a, spare, n, 64);
        assert_memory_equal(a, b, n * 8);
        for (size_t i = 0; i < n; i++)
            b[i] = c[i];
        qsort(b, n, 8, ascending);
        sort_u32(c, spare32, n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(c[i], b[i]);
        free(a), free(b), free(spare), free(c), free(spare32);
    }
    free(w);
}

static void correlation_counts_as_a_plain_loop(void **state)
{
    (void)state;
    enum { LOG2_MOST = 12 };
    uint32_t *const w = chacha_words(6, WORDS), together[1 << LOG2_MOST];
    void *const scratch = aligned_alloc(64, correlate_scratch(LOG2_MOST));
    assert_non_null(scratch);
    for (unsigned log2 = 6; log2 <= LOG2_MOST; log2++)
        for (unsigned dense = 0; dense < 2; dense++) {
            const size_t n = (size_t)1 << log2, from = n / 2 + 5, lags = n / 2 + 3;
            uint64_t bit[1 << (LOG2_MOST - 6)];
            for (size_t i = 0; i < n / 64; i++)
                bit[i] = dense ? UINT64_MAX : w[2 * i] | (uint64_t)w[2 * i + 1] << 32;
            correlate_bits(bit, log2, from, lags, together, scratch);
            for (size_t k = 1; k <= lags; k++) {
                uint32_t expected = 0;
                for (size_t i = from; i < n; i++)
                    expected += (bit[i / 64] >> i % 64 & 1) && (bit[(i - k) / 64] >> (i - k) % 64 & 1);
                assert_int_equal(together[k], expected);
            }
        }
    free(scratch);
    free(w);
}

static void the_commonest_value_of_a_bag_is_found(void **state)
{
    (void)state;
    static const uint64_t value[] = {7, 3, 9, 3, 7, 1000, 7, 9, 3}; // 3 and 7 alike: the smaller
    struct bag bag = {0};
    uint32_t index = 0;
    assert_int_equal(bag_commonest(&bag, 12, UINT32_MAX, &index), 0);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        bag_add(&bag, value[i]);
    assert_int_equal(bag_commonest(&bag, 12, UINT32_MAX, &index), 3);
    assert_int_equal(index, 3);
    assert_int_equal(bag_commonest(&bag, 12, 9, &index), 2);
    assert_int_equal(index, 9);
    assert_int_equal(bag_commonest(&bag, 12, 1000, &index), 1);
    assert_int_equal(bag_commonest(&bag, 12, 8, &index), 0);
    assert_int_equal(index, 8);
    bag_release(&bag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha_is_the_published_key_stream),
        cmocka_unit_test(linear_complexity_is_that_of_the_textbook),
        cmocka_unit_test(sorting_sorts),
        cmocka_unit_test(correlation_counts_as_a_plain_loop),
        cmocka_unit_test(the_commonest_value_of_a_bag_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
