// SPDX-License-Identifier: Apache-2.0
// Counting: the sums are the same for any number of threads, any stops on the way, and sources with and without random access.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tally.h"

// Rows of one test differ in parameters only.
static void one_row_of_each_test(struct battery *battery)
{
    static struct battery all;
    assert_int_equal(battery_named("quick", &all), 1);
    *battery = (struct battery){.name = "one of each"};
    for (unsigned r = 0; r < all.rows; r++) {
        unsigned known = 0;
        while (known < battery->rows && strcmp(battery->row[known].test.name, all.row[r].test.name) != 0)
            known++;
        if (known == battery->rows)
            battery->row[battery->rows++] = all.row[r];
    }
    assert_true(battery->rows > 20);
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
    assert_int_equal(tally_advance(&one, &source, 0, 36, &diagnostic), 0);
    for (unsigned way = 0; way < 3; way++) {
        source.random_access = way != 2;
        assert_int_equal(tally_open(&other, &battery, way + 1, &diagnostic), 0);
        static const uint64_t stop[3][4] = {{4, 12, 16, 36}, {16, 32, 36, 36}, {2, 16, 32, 36}};
        for (unsigned s = 0; s < 4; s++)
            assert_int_equal(tally_advance(&other, &source, 0, stop[way][s], &diagnostic), 0);
        assert_int_equal(other.blocks, 36);
        for (unsigned r = 0; r < battery.rows; r++) {
            assert_memory_equal(one.count[r], other.count[r], battery.row[r].test.counts * sizeof(uint64_t));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_depend_on_threads_or_on_the_way_of_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
