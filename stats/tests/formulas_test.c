// SPDX-License-Identifier: Apache-2.0
// What tests that look for a formula of words, registers and waves count (copies, formulas,
// triples, tides, displaced repeats), and by which law they judge, against plain loops.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tests/counting.h"

// ---- copies -----------------------------------------------------------------

static void copies_are_judged_by_how_many_bytes_and_halves_are_equal(void **state)
{
    (void)state;
    const struct test test = test_copies();
    struct counted got = counted_by(&test, words);
    const double n = 65536 - 256;
    // Within a word six different pairs of bytes (one of a turn of 8 stands for its mirror image)
    // and five of halves.
    const uint64_t family = 6 + 3 + 16 * 7;
    for (uint32_t i = 0; i < 18 * 7; i++) {
        char text[200];
        test.describe(&test, i, text, sizeof text);
        const unsigned c = i / 7, part = i % 7, lag = c < 2 ? 0 : (c - 2) / 4 + 1,
                       turn = c < 2 ? 8 * c + 8 : (c - 2) % 4 * 8;
        if ((!lag && part == 6) || (c == 1 && (part == 2 || part == 3 || part == 5)))
            continue;
        uint64_t expected = 0;
        for (size_t k = 256; k < 65536; k++)
            for (unsigned b = 0; b < 6; b++) {
                const uint32_t from = words[k - lag],
                               turned = turn ? from >> turn | from << (32 - turn) : from;
                const uint32_t d =
                    (words[k] ^ turned) >> (b < 4 ? 8 * b : 16 * (b - 4)) & (b < 4 ? 0xff : 0xffff);
                expected += (part == 6 ? b < 4 : b == part) && d == 0;
            }
        struct judgement judgement;
        struct bag none = {0};
        judgement_begin(&judgement, i);
        test.judge(&(struct totals){&test, got.count, &none, 1}, &judgement);
        assert_int_equal((uint64_t)judgement.worst[0].observed, expected);
        judged_by(&test, i, 9, family, 9 * (part == 6 ? 4 * n : n),
                  part == 4 || part == 5 ? 0x1p-16 : 0x1p-8);
        char name[60];
        snprintf(name, sizeof name, "that %u bits higher of the ", turn);
        if (part < 6 && !strstr(text, "byte 2") && part == 2)
            fail_msg("%s", text);
        assert_non_null(strstr(text, name));
    }
    release(&got);
}

// ---- formulas ---------------------------------------------------------------

static void formulas_name_what_was_planted(void **state)
{
    (void)state;
    const struct test test = test_formulas(8);
    const uint32_t kept = words[1000];
    static const char *const name[] = {"the sum of those 3 and 7 before",
                                       "the nearer less the farther of those 3 and 7 before",
                                       "the farther less the nearer of those 3 and 7 before",
                                       "the exclusive or of those 3 and 7 before"};
    for (unsigned form = 0; form < 4; form++) {
        const uint32_t near = words[997], far = words[993];
        words[1000] = form == 0   ? near + far
                      : form == 1 ? near - far
                      : form == 2 ? far - near
                                  : near ^ far;
        struct counted got = counted_by(&test, words);
        unsigned found = 0;
        for (uint32_t i = 0; i < test.counts; i++)
            if (got.count[i]) {
                char text[200];
                test.describe(&test, i, text, sizeof text);
                assert_non_null(strstr(text, name[form]));
                found++;
                judged_by(&test, i, 3, 4 * 28, 3 * (65536.0 - 256), 0x1p-32);
            }
        assert_int_equal(found, 1);
        release(&got);
    }
    words[1000] = kept;
}

// ---- triples ----------------------------------------------------------------

static void triples_are_parities_of_three_bits(void **state)
{
    (void)state;
    enum { LAST = 70, BITS = 8192 };
    for (unsigned order = 0; order < 2; order++) {
        const struct test test = test_triples(order, LAST);
        struct counted got = counted_by(&test, words);
        const size_t front = (LAST / 64 + 1) * 64;
        for (unsigned s = 2; s <= LAST; s++)
            for (unsigned r = 1; r < s; r++) {
                uint64_t odd = 0;
                for (size_t i = front; i < front + BITS; i++) {
                    unsigned parity = 0;
                    const size_t at[3] = {i, i - r, i - s};
                    for (unsigned k = 0; k < 3; k++)
                        parity ^= words[at[k] / 32] >> (order ? 31 - at[k] % 32 : at[k] % 32) & 1;
                    odd += parity;
                }
                const uint32_t index = (s - 1) * (s - 2) / 2 + r - 1;
                assert_int_equal(got.count[index], odd);
                char text[200], name[80];
                test.describe(&test, index, text, sizeof text);
                snprintf(name, sizeof name, "the one %u before and the one %u before", r, s);
                assert_non_null(strstr(text, name));
            }
        release(&got);
        judged_by(&test, 9, 11, LAST * (LAST - 1) / 2, 11.0 * BITS, 0.5);
    }
}

// ---- tides ------------------------------------------------------------------

static void tides_are_the_power_of_waves(void **state)
{
    (void)state;
    enum { POINTS = 4096, LOG2 = 2, POINT = 1 << LOG2 };
    const struct test test = test_tides(LOG2);
    struct counted got = counted_by(&test, words);
    const size_t unit = (size_t)1 << test.unit_log2, stretches = unit / POINT / POINTS;
    static const unsigned wave[] = {1, 2, 3, 100, 777, 1024, 2047};
    for (unsigned k = 0; k < sizeof wave / sizeof *wave; k++) {
        double power = 0;
        for (size_t stretch = 0; stretch < stretches; stretch++) {
            double c = 0, s = 0;
            for (size_t i = 0; i < POINTS; i++) {
                double sum = 0;
                for (size_t j = 0; j < POINT; j++)
                    sum += __builtin_popcount(words[(stretch * POINTS + i) * POINT + j]) - 16.0;
                const double angle = 6.283185307179586 * (double)(i * wave[k] % POINTS) / POINTS;
                c += sum * cos(angle);
                s += sum * sin(angle);
            }
            power += (c * c + s * s) / (8.0 * POINT * POINTS);
        }
        // Each stretch is rounded down to 1/256.
        assert_true(fabs((double)got.count[wave[k]] / 256 - power) <=
                    (double)stretches / 256 + 1e-6);
    }
    release(&got);
}

// The power of T stretches exceeds T y at most as often as the sum of T exponential variables, and
// as Chernoff's bound of that allows: log p = T (1 - y + ln y).
static void tides_are_judged_by_the_exponential_bound(void **state)
{
    (void)state;
    const struct test test = test_tides(2);
    const uint64_t units = 16;
    const double stretches = (double)(units << test.unit_log2) / 4 / 4096;
    uint64_t *const count = calloc(test.counts, sizeof *count);
    for (unsigned k = 0; k < 30; k++) {
        const double y = 0.7 + 0.1 * k;
        struct judgement judgement;
        struct bag none = {0};
        memset(count, 0, test.counts * sizeof *count);
        count[55] = (uint64_t)(y * stretches * 256);
        judgement_begin(&judgement, 55);
        test.judge(&(struct totals){&test, count, &none, units}, &judgement);
        const double z = (double)count[55] / 256 / stretches,
                     bound = z > 1 ? stretches * (1 - z + log(z)) : 0;
        assert_int_equal(judgement.kept, 1);
        assert_true(fabs(judgement.worst[0].log_p - bound) <= 1e-9 * (1 - bound));
    }
    free(count);
}

// ---- repeats ----------------------------------------------------------------

// Words whose highest byte is the same: displaced upwards by a byte they are those displaced
// downwards by three bytes, a word before.
static void windows_displaced_upwards_and_downwards_are_not_compared(void **state)
{
    (void)state;
    uint32_t *const w = malloc(65536 * sizeof *w);
    for (size_t i = 0; i < 65536; i++)
        w[i] = words[i] >> 8 | 0x5a000000u;
    const struct test test = test_duplicates(10, 4, 1);
    struct counted got = counted_by(&test, w);
    sort_bag(&got.bag);
    assert_true(got.bag.count > 1000);
    for (size_t i = 1; i < got.bag.count; i++)
        assert_true(got.bag.item[i] != got.bag.item[i - 1]);
    release(&got);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_judged_by_how_many_bytes_and_halves_are_equal),
        cmocka_unit_test(formulas_name_what_was_planted),
        cmocka_unit_test(triples_are_parities_of_three_bits),
        cmocka_unit_test(tides_are_the_power_of_waves),
        cmocka_unit_test(tides_are_judged_by_the_exponential_bound),
        cmocka_unit_test(windows_displaced_upwards_and_downwards_are_not_compared),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
