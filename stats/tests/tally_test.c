// SPDX-License-Identifier: Apache-2.0
// Counting: the sums are the same for any number of threads, any stops on the way, and sources with
// and without random access.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/audit/tally.h"
#include "stats/battery/catalogue.h"

enum { ALL_BLOCKS = 36 };

// Rows of one test differ in parameters only.
static void one_row_of_each_test(struct battery *battery)
{
    static struct battery all;
    assert_int_equal(battery_named("quick", &all), 1);
    *battery = (struct battery){.name = "one of each"};
    for (unsigned r = 0; r < all.rows; r++) {
        unsigned known = 0;
        while (known < battery->rows &&
               strcmp(battery->row[known].test.name, all.row[r].test.name) != 0)
            known++;
        if (known == battery->rows)
            battery->row[battery->rows++] = all.row[r];
    }
    assert_true(battery->rows > 20);
    // ThreadSanitizer makes a word fifty times slower: for it each test sees one of its units, now
    // here, now there.
#ifdef __SANITIZE_THREAD__
    for (unsigned r = 0; r < battery->rows; r++) {
        const uint64_t unit = UINT64_C(1) << (battery->row[r].test.unit_log2 - BATTERY_BLOCK_LOG2);
        battery->row[r].from = unit * (r % (ALL_BLOCKS / unit));
        battery->row[r].blocks = unit;
    }
#endif
}

static void counts_do_not_depend_on_threads_or_on_the_way_of_reading(void **state)
{
    (void)state;
    static struct battery battery;
    one_row_of_each_test(&battery);
    struct source source;
    struct diagnostic diagnostic;
    assert_int_equal(source_open_chacha(&source, 5, &diagnostic), 0);
    static struct tally one, other;
    assert_int_equal(tally_open(&one, &battery, 1, &diagnostic), 0);
    assert_int_equal(tally_advance(&one, &source, 0, ALL_BLOCKS, &diagnostic), 0);
    for (unsigned way = 0; way < 3; way++) {
        source.random_access = way != 2;
        assert_int_equal(tally_open(&other, &battery, way + 1, &diagnostic), 0);
        static const uint64_t stop[3][4] = {
            {4, 12, 16, ALL_BLOCKS}, {16, 32, ALL_BLOCKS, ALL_BLOCKS}, {2, 16, 32, ALL_BLOCKS}};
        for (unsigned s = 0; s < 4; s++)
            assert_int_equal(tally_advance(&other, &source, 0, stop[way][s], &diagnostic), 0);
        assert_int_equal(other.blocks, ALL_BLOCKS);
        for (unsigned r = 0; r < battery.rows; r++) {
            assert_memory_equal(one.count[r], other.count[r],
                                battery.row[r].test.counts * sizeof(uint64_t));
            struct judgement a, b;
            assert_int_equal(tally_judge(&one, r, UINT32_MAX, &a, &diagnostic), 0);
            assert_int_equal(tally_judge(&other, r, UINT32_MAX, &b, &diagnostic), 0);
            assert_memory_equal(&a.worst[0], &b.worst[0], sizeof a.worst[0]);
        }
        tally_close(&other);
    }
    tally_close(&one);
    source_close(&source);
}

// Fields follow each other from the first bit of the source, wherever a tally begins: a repeat, or
// a night.
static void fields_lie_where_the_source_has_them(void **state)
{
    (void)state;
    enum { ORIGIN = 5, COUNTED = 4, BLOCK = 1 << BATTERY_BLOCK_LOG2 };
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    uint32_t *const words = aligned_alloc(64, (size_t)(ORIGIN + COUNTED) * BLOCK * sizeof *words);
    assert_non_null(words);
    assert_int_equal(source_open_chacha(&source, 8, &diagnostic), 0);
    assert_int_equal(source.read(source.context, 0, (size_t)(ORIGIN + COUNTED) * BLOCK, words, &got,
                                 &diagnostic),
                     0);
    for (unsigned bits = 9; bits <= 15; bits++)
        for (unsigned order = 0; order < 2; order++) {
            static struct battery battery;
            battery =
                (struct battery){.rows = 1, .row = {{test_fields(bits, order), 0, COUNTED, 1}}};
            struct tally tally;
            assert_int_equal(tally_open(&tally, &battery, 1, &diagnostic), 0);
            assert_int_equal(tally_advance(&tally, &source, ORIGIN, COUNTED, &diagnostic), 0);
            static uint64_t expected[1 << 15];
            memset(expected, 0, sizeof expected);
            for (uint64_t unit = ORIGIN; unit < ORIGIN + COUNTED; unit++) {
                const uint64_t start = unit * BLOCK * 32, first = (start + bits - 1) / bits,
                               fields = (BLOCK * 32 - bits + 1) / bits;
                for (uint64_t f = first; f < first + fields; f++) {
                    uint32_t value = 0;
                    for (unsigned b = 0; b < bits; b++) {
                        const uint64_t at = f * bits + b, place = order ? 31 - at % 32 : at % 32;
                        value |= (words[at / 32] >> place & 1) << (order ? bits - 1 - b : b);
                    }
                    expected[value]++;
                }
            }
            assert_memory_equal(tally.count[0], expected, (sizeof *expected) << bits);
            tally_close(&tally);
        }
    source_close(&source);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_depend_on_threads_or_on_the_way_of_reading),
        cmocka_unit_test(fields_lie_where_the_source_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
