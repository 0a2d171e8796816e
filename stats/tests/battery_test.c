// SPDX-License-Identifier: Apache-2.0
// The battery as a whole: its sums for any number of threads and ways of reading, and a source without a flaw.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/audit.h"
#include "stats/tally.h"

static void counts_do_not_depend_on_threads_or_on_the_way_of_reading(void **state)
{
    (void)state;
    static struct battery battery;
    assert_int_equal(battery_named("quick", &battery), 1);
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

static void a_perfect_source_is_clean(void **state)
{
    (void)state;
    static struct battery battery;
    static struct audit_options options;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct source source;
        struct diagnostic diagnostic;
        struct audit_result result;
        assert_int_equal(battery_named("quick", &battery), 1);
        battery_limit(&battery, 4 << 20);
        assert_int_equal(source_open_chacha(&source, seed, &diagnostic), 0);
        options = (struct audit_options){.battery = battery};
        assert_int_equal(audit_run(&options, &source, &result, &diagnostic), 0);
        assert_int_equal(result.verdict, AUDIT_CLEAN);
        assert_int_equal(result.ended, 0);
        assert_true(result.blocks >= 16);
        source_close(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_depend_on_threads_or_on_the_way_of_reading),
        cmocka_unit_test(a_perfect_source_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
