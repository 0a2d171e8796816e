// SPDX-License-Identifier: Apache-2.0
// Tables of cells, sorting, and repeats among spacings, against plain loops and the C library's
// sort.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { WORDS = 1 << 16, CELLS = 1 << 16, KEYS = 1 << 18 };

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// Every pattern over random words, and over equal ones: a cell holds all words of a unit.
static void cells_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static const struct {
        unsigned words, shift, stride;
    } pattern[CELLS_PATTERNS] = {{1, 0, 1},   {1, 16, 1}, {1, 8, 1},  {2, 0, 1},  {2, 24, 1},
                                 {4, 0, 1},   {4, 28, 1}, {8, 0, 1},  {8, 30, 1}, {16, 0, 1},
                                 {16, 31, 1}, {4, 0, 2},  {4, 28, 2}, {2, 12, 4}};
    static uint32_t w[WORDS] __attribute__((aligned(64)));
    static uint64_t count[CELLS], expected[CELLS];
    uint64_t seed = 1;
    for (unsigned equal = 0; equal < 2; equal++) {
        for (size_t i = 0; i < WORDS; i++)
            w[i] = equal ? 0x12345678 : (uint32_t)draw(&seed);
        for (unsigned p = 0; p < CELLS_PATTERNS; p++) {
            const unsigned n = pattern[p].words, stride = pattern[p].stride, bits = 16 / n;
            for (size_t c = 0; c < CELLS; c++)
                count[c] = expected[c] = c;
            for (size_t i = 0; i < WORDS / n;
                 i++) { // cell i: `stride` of them lie between each other
                const size_t first = i / stride * n * stride + i % stride;
                uint32_t at = 0;
                for (unsigned k = 0; k < n; k++)
                    at = at << bits |
                         (w[first + k * stride] >> pattern[p].shift & ((1u << bits) - 1));
                expected[at]++;
            }
            const struct test test = test_cells(p);
            void *const scratch = aligned_alloc(64, test.scratch);
            assert_non_null(scratch);
            test.count(&test, w, &(struct counts){count, NULL, scratch, 0, 0});
            free(scratch);
            assert_memory_equal(count, expected, sizeof count);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Keys of every kind that a source may give: uniform, in few leading digits, equal to a few others,
// counting up.
static void keys_are_sorted_as_by_the_library(void **state)
{
    (void)state;
    uint64_t *const key = malloc(3 * KEYS * sizeof *key), *const spare = key + KEYS,
                    *const expected = spare + KEYS;
    assert_non_null(key);
    uint64_t seed = 5;
    for (size_t n = 1; n <= KEYS; n = n < KEYS ? n * 8 : n + 1)
        for (unsigned kind = 0; kind < 7; kind++) {
            for (size_t i = 0; i < n; i++) {
                const uint64_t x = draw(&seed);
                const uint64_t of_kind[7] = {
                    x,     x >> 14, x & UINT64_C(0xff0000000000ffff), x % 5,
                    n - i, i << 40, x >> 40 << 40 | (x & 1)};
                key[i] = expected[i] = of_kind[kind];
            }
            uint64_t repeats = 0;
            qsort(expected, n, sizeof *expected, by_value);
            sort_u64(key, spare, n, 64);
            assert_memory_equal(key, expected, n * sizeof *key);
            for (size_t i = 1; i < n; i++)
                repeats += key[i] == key[i - 1];
            assert_int_equal(sorted_repeats_u64(key, n), repeats);
        }
    free(key);
}

// Of values some of which come again, those are kept, and few others.
static void values_that_come_again_pass_the_sieve(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    static uint64_t value[MOST], sorted[MOST], spare[MOST];
    static unsigned char table[1 << 17];
    uint64_t seed = 9;
    for (size_t n = 0; n <= MOST; n = n < 50 ? n + 1 : n * 3) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = value[i] = i % 100 == 99 ? value[i - draw(&seed) % i] : draw(&seed) >> 10;
        sort_u64(sorted, spare, n, 64);
        const uint64_t repeats = sorted_repeats_u64(sorted, n);
        const size_t kept = repeats_sieve_u64(value, n, table);
        assert_true(kept <= n && (n < 1000 || kept < n / 8));
        sort_u64(value, spare, kept, 64);
        assert_int_equal(sorted_repeats_u64(value, kept), repeats);
        assert_true(n < 1000 || repeats > n / 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_those_of_a_plain_loop),
        cmocka_unit_test(keys_are_sorted_as_by_the_library),
        cmocka_unit_test(values_that_come_again_pass_the_sieve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
