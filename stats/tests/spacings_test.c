// SPDX-License-Identifier: Apache-2.0
// The mean number of repeated spacings: against enumeration, and against what the test counts on a
// cryptographic source.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/law/null.h"
#include "stats/source/source.h"
#include "stats/battery/catalogue.h"

static int ascending(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static unsigned repeats_of(const unsigned *place, unsigned n)
{
    unsigned point[8], gap[8], repeats = 0;
    memcpy(point, place, n * sizeof *point);
    qsort(point, n, sizeof *point, ascending);
    for (unsigned i = 0; i + 1 < n; i++)
        gap[i] = point[i + 1] - point[i];
    qsort(gap, n - 1, sizeof *gap, ascending);
    for (unsigned i = 1; i + 1 < n; i++)
        repeats += gap[i] == gap[i - 1];
    return repeats;
}

static double mean_by_enumeration(unsigned n, unsigned k)
{
    unsigned place[8] = {0};
    double sum = 0, all = 0;
    for (;;) {
        sum += repeats_of(place, n);
        all++;
        unsigned i = 0;
        while (i < n && ++place[i] == k)
            place[i++] = 0;
        if (i == n)
            return sum / all;
    }
}

// The law of places taken ball by ball, every gap length and every term on its own, in logarithms
// of the gamma function.
static double mean_in_full(unsigned n, double k)
{
    double *const taken = calloc(n + 2, sizeof *taken), mean = 0;
    assert_non_null(taken);
    taken[0] = 1;
    for (unsigned ball = 0; ball < n; ball++)
        for (unsigned m = ball + 1; m + 1 > 0; m--) {
            taken[m] = taken[m] * m / k + (m ? taken[m - 1] * (k - m + 1) / k : 0);
            if (!m)
                break;
        }
    for (unsigned m = 1; m <= n; m++) {
        if (taken[m] < 1e-18)
            continue;
        double repeats = n - m > 1 ? n - m - 1 : 0;
        for (double d = 1; d <= k; d++) {
            double gaps = 0, term = 1;
            for (unsigned j = 2; j < m && j * d <= k - (m - j); j++) {
                term = exp(lgamma(m) - lgamma(j + 1.0) - lgamma(m - j) + lgamma(k - j * d + 1) -
                           lgamma(m - j + 1.0) - lgamma(k - j * d - (m - j) + 1) - lgamma(k + 1) +
                           lgamma(m + 1.0) + lgamma(k - m + 1));
                gaps += j % 2 ? -term : term;
                if (term < 1e-17)
                    break;
            }
            repeats += gaps;
            if (fabs(gaps) < 1e-16 * repeats && d > 4)
                break;
        }
        mean += taken[m] * repeats;
    }
    free(taken);
    return mean;
}

static void the_sum_over_gaps_is_that_of_all_outcomes(void **state)
{
    (void)state;
    static const unsigned size[][2] = {{2, 9}, {3, 20}, {4, 12}, {5, 7}, {5, 14}, {6, 6}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        assert_true(fabs(mean_in_full(size[i][0], size[i][1]) -
                         mean_by_enumeration(size[i][0], size[i][1])) < 1e-10);
}

static void the_mean_is_the_sum_over_gaps(void **state)
{
    (void)state;
    static const struct {
        unsigned points;
        double cells;
    } size[] = {{256, 0x1p20}, {256, 0x1p19}, {1024, 0x1p24}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double full = mean_in_full(size[i].points, size[i].cells);
        const double mean = null_spacings_mean(size[i].points, size[i].cells);
        if (fabs(mean / full - 1) >
            1e-8 + 4 * 0x1p-52 * lgamma(size[i].cells)) // the sum is rounded itself
            fail_msg("%u points in %.0f cells: %.12g, expected %.12g", size[i].points,
                     size[i].cells, mean, full);
    }
}

// 10^5 groups of 256 points of 20 bits: repeats are Poisson with a variance a little smaller, and
// the usual mean is far off.
static void what_is_counted_has_the_mean(void **state)
{
    (void)state;
    enum {
        POINTS = 256,
        GROUPS = 100000,
        UNIT = 1 << 16,
        UNITS = (GROUPS * POINTS + UNIT - 1) / UNIT
    };
    const struct birthday_shape shape = {"birthdays", 1, 20, 0, 1, POINTS, UNIT / POINTS, 16};
    const struct test test = test_birthdays(&shape);
    struct source source;
    struct diagnostic diagnostic;
    uint64_t count[1] = {0};
    size_t got;
    uint32_t *const words = malloc(UNIT * sizeof *words);
    void *const scratch = aligned_alloc(64, (test.scratch + 63) / 64 * 64);
    assert_non_null(words);
    assert_non_null(scratch);
    assert_int_equal(source_open_chacha(&source, 20, &diagnostic), 0);
    for (unsigned u = 0; u < UNITS; u++) {
        assert_int_equal(
            source.read(source.context, (uint64_t)u * UNIT, UNIT, words, &got, &diagnostic), 0);
        test.count(&test, words,
                   &(struct counts){.count = count, .scratch = scratch, .unit = u, .block = u});
    }
    source_close(&source);
    free(words);
    free(scratch);
    struct judgement judgement;
    judgement_begin(&judgement, UINT32_MAX);
    test.judge(&(struct totals){&test, count, NULL, UNITS}, &judgement);
    const double usual = (double)POINTS * POINTS * POINTS / 4 / 0x1p20 * (UNITS * (UNIT / POINTS));
    assert_true(judgement_log_p(&judgement) > log(1e-9));
    assert_true(null_poisson_log_two_sided(count[0], usual) < log(1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_over_gaps_is_that_of_all_outcomes),
        cmocka_unit_test(the_mean_is_the_sum_over_gaps),
        cmocka_unit_test(what_is_counted_has_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
