// SPDX-License-Identifier: Apache-2.0
// What tests that look for relations between words count (lags of a bit, sums and differences of
// earlier words, descent), and by which law they judge, against plain loops and searches.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tests/counting.h"

// ---- lags of a bit ----------------------------------------------------------

static void lags_of_a_bit_are_counted_as_by_a_plain_loop(void **state)
{
    (void)state;
    enum { LAGS = 150, FROM = 192 }; // whole words of 64 bits
    for (unsigned bit = 0; bit < 32; bit += 31) {
        const struct test test = test_bit_lags(bit, LAGS);
        struct counted got = counted_by(&test, words);
        for (size_t lag = 1; lag <= LAGS; lag++) {
            uint64_t expected = 0;
            for (size_t i = FROM; i < 1 << 19; i++)
                expected += (words[i] ^ words[i - lag]) >> bit & 1;
            assert_int_equal(got.count[lag - 1], expected);
        }
        release(&got);
        judged_by(&test, 7, 3, LAGS, 3.0 * ((1 << 19) - FROM), 0.5);
    }
}

// ---- relations --------------------------------------------------------------

// Values of which the one at n is a known sum: x[n] = s1 x[n - 5] + s2 x[n - 9], whose high bits
// are given out.
static void relations_are_those_that_trying_all_finds(void **state)
{
    (void)state;
    enum { LAGS = 24 };
    static const int form[][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    static const unsigned bits_of[] = {4, 8, 16, 32};
    uint32_t *const w = malloc(65536 * sizeof *w);
    for (unsigned b = 0; b < 4; b++)
        for (unsigned f = 0; f < 4; f++) {
            const unsigned bits = bits_of[b], parts = 32 / bits, places = bits == 4 ? 32 : 9;
            const uint32_t near = bits > 8 ? 1u << (bits - 8) : 1;
            const uint64_t range = UINT64_C(1) << bits;
            uint32_t x[4096];
            memset(w, 0, 65536 * sizeof *w);
            for (unsigned i = 0; i < 4096; i++) {
                x[i] = i < 9 ? words[i]
                             : (uint32_t)(form[f][0] * (int64_t)x[i - 5] +
                                          form[f][1] * (int64_t)x[i - 9]);
                w[i / parts] |= x[i] >> (32 - bits) << i % parts * bits;
            }
            const struct test test = test_relations(bits, LAGS);
            struct counted got = counted_by(&test, w);
            uint64_t expected[512];
            size_t count = 0;
            for (uint64_t r = 1; r <= LAGS; r++)
                for (uint64_t s = 1; s <= LAGS; s++)
                    for (unsigned signs = 0; signs < 3; signs++) { // x + + , x - -, x + -
                        if (signs == 2 ? s == r : s <= r)
                            continue;
                        int all = 1;
                        for (unsigned k = 0; k < places; k++) {
                            const unsigned n = LAGS + 56 * k;
                            const int64_t a = x[n - r] >> (32 - bits), c = x[n - s] >> (32 - bits),
                                          v = x[n] >> (32 - bits);
                            const uint64_t sum =
                                (uint64_t)(v + (signs == 1 ? -a : a) + (signs == 0 ? c : -c)) %
                                range;
                            all = all && (sum <= near || sum >= range - near);
                        }
                        if (all)
                            expected[count++] = (r << 13 | s) * 3 + signs;
                    }
            qsort(expected, count, sizeof *expected, by_value);
            sort_bag(&got.bag);
            // Of three values that sum to nothing the hidden bits may carry two: too much for the
            // tolerance.
            assert_true(count > 0 || f == 1);
            assert_int_equal(got.bag.count, count);
            assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
            release(&got);
        }
    free(w);
}

static void relations_are_judged_by_the_share_of_values_that_meet_them(void **state)
{
    (void)state;
    for (unsigned bits = 4; bits <= 8; bits *= 2) {
        uint64_t met = 0, all = 0;
        for (unsigned a = 0; a < 1u << bits; a += 3)
            for (unsigned b = 0; b < 1u << bits; b += 5)
                for (unsigned x = 0; x < 1u << bits; x++, all++) {
                    const unsigned sum = (x + a - b) % (1u << bits);
                    met += sum <= 1 || sum + 1 == 1u << bits;
                }
        const double one = (double)met / (double)all;
        const struct test test = test_relations(bits, 100);
        judged_by(&test, 3 * (2 << 13 | 1), 7, UINT64_C(2) * 100 * 99, 7,
                  pow(one, bits == 4 ? 32 : 9));
    }
}

// ---- origins ----------------------------------------------------------------

static int word_order(const void *a, const void *b)
{
    const uint32_t x = words[*(const uint32_t *)a], y = words[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static void origins_are_those_that_a_search_finds(void **state)
{
    (void)state;
    enum { REACH = 65536, SAMPLES = 8 };
    static uint32_t place[REACH];
    // Three words that are made of others, one of each form, at places that are looked at.
    const size_t made[3] = {REACH + 8192 + 37, REACH + 3 * 8192 + 111 % 64,
                            REACH + 7 * 8192 + 259 % 64};
    const uint32_t kept[3] = {words[made[0]], words[made[1]], words[made[2]]};
    words[made[0]] = words[made[0] - 60000] ^ words[made[0] - 41];
    words[made[1]] = words[made[1] - 65536] + words[made[1] - 1];
    words[made[2]] = words[made[2] - 65536] - words[made[2] - 300];
    for (unsigned form = 0; form < 3; form++) {
        const struct test test = test_origins(form);
        struct counted got = counted_by(&test, words);
        uint64_t expected[64 * SAMPLES];
        size_t count = 0;
        for (size_t k = 0; k < SAMPLES; k++) {
            const size_t n = REACH + k * 8192 + k * 37 % 64;
            for (uint32_t i = 0; i < REACH; i++)
                place[i] = (uint32_t)n - 1 - i;
            qsort(place, REACH, sizeof *place, word_order);
            for (uint64_t r = 1; r <= REACH; r++) {
                const uint32_t a = words[n - r], wanted = form == 0   ? words[n] ^ a
                                                          : form == 1 ? words[n] - a
                                                                      : a - words[n];
                size_t low = 0, high = REACH;
                while (low < high) {
                    const size_t middle = (low + high) / 2;
                    if (words[place[middle]] < wanted)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (; low < REACH && words[place[low]] == wanted; low++) {
                    const uint64_t s = n - place[low];
                    if (form == 2 ? s != r : s > r)
                        expected[count++] = (r - 1) << 16 | (s - 1);
                }
            }
        }
        assert_true(count > 0);
        assert_int_equal(got.bag.count, count);
        qsort(expected, count, sizeof *expected, by_value);
        sort_bag(&got.bag);
        assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
        release(&got);
        judged_by(&test, 1, 5, (uint64_t)REACH * (REACH - 1) / (form == 2 ? 1 : 2), 5 * SAMPLES,
                  0x1p-32);
    }
    for (unsigned k = 0; k < 3; k++)
        words[made[k]] = kept[k];
}

// ---- descent ----------------------------------------------------------------

static void descent_is_what_a_search_finds(void **state)
{
    (void)state;
    enum { REACH = 65536 };
    const struct test test = test_descent();
    uint32_t *const w = malloc(2 * REACH * sizeof *w);
    memcpy(w, words, 2 * REACH * sizeof *w);
    w[70000] = w[69996] ^ w[70000 - REACH];
    w[80000] = w[79999] + w[79998];
    w[90000] = w[89997] - w[50000];
    w[131071] = w[131071 - 65536] - w[131069];
    w[100000] = 2 * w[99998]; // made of one word, not of two
    struct counted got = counted_by(&test, w);
    // All earlier words, sorted with their places.
    uint64_t *const sorted = malloc(2 * REACH * sizeof *sorted), expected[1000];
    for (uint64_t i = 0; i < 2 * REACH; i++)
        sorted[i] = (uint64_t)w[i] << 32 | i;
    qsort(sorted, 2 * REACH, sizeof *sorted, by_value);
    size_t count = 0;
    for (uint64_t n = REACH; n < 2 * REACH; n++)
        for (uint64_t r = 1; r <= 4; r++)
            for (uint64_t form = 0; form < 4; form++) {
                const uint32_t x = w[n], a = w[n - r],
                               b = form == 0   ? x ^ a
                                   : form == 1 ? x - a
                                   : form == 2 ? a - x
                                               : x + a;
                size_t low = 0, high = 2 * REACH;
                while (low < high) {
                    const size_t middle = (low + high) / 2;
                    if (sorted[middle] >> 32 < b)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (; low < 2 * REACH && sorted[low] >> 32 == b; low++) {
                    const uint64_t at = sorted[low] & UINT32_MAX;
                    if (at < n - r && n - at <= REACH)
                        expected[count++] = (form * 4 + r - 1) << 16 | (n - at - 1);
                }
            }
    qsort(expected, count, sizeof *expected, by_value);
    sort_bag(&got.bag);
    assert_true(count >= 4);
    assert_int_equal(got.bag.count, count);
    assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
    static const char *const name[] = {"the exclusive or of those 4 and 65536 before",
                                       "the sum of those 1 and 2 before",
                                       "the nearer less the farther of those 3 and 40000 before",
                                       "the farther less the nearer of those 2 and 65536 before"};
    for (unsigned k = 0; k < 4; k++) {
        unsigned met = 0;
        for (size_t i = 0; i < count; i++) {
            char text[200];
            test.describe(&test, (uint32_t)expected[i], text, sizeof text);
            met += strstr(text, name[k]) != NULL;
        }
        assert_int_equal(met, 1);
    }
    free(sorted);
    free(w);
    release(&got);
    judged_by(&test, 1, 5, 4 * (UINT64_C(65535) + 65534 + 65533 + 65532), 5 * 65536.0, 0x1p-32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lags_of_a_bit_are_counted_as_by_a_plain_loop),
        cmocka_unit_test(relations_are_those_that_trying_all_finds),
        cmocka_unit_test(relations_are_judged_by_the_share_of_values_that_meet_them),
        cmocka_unit_test(origins_are_those_that_a_search_finds),
        cmocka_unit_test(descent_is_what_a_search_finds),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
