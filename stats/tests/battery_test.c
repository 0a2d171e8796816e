// SPDX-License-Identifier: Apache-2.0
// The whole battery on a source without a flaw.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/audit/audit.h"

// For ThreadSanitizer, which makes a word fifty times slower, the first stage of the first source
// is enough.
#ifdef __SANITIZE_THREAD__
enum { SEEDS = 1, BYTES = 1 << 20 };
#else
enum { SEEDS = 2, BYTES = 4 << 20 };
#endif

static void a_perfect_source_is_clean(void **state)
{
    (void)state;
    static struct battery battery;
    static struct audit_options options;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct source source;
        struct diagnostic diagnostic;
        struct audit_result result;
        assert_int_equal(battery_named("quick", &battery), 1);
        battery_limit(&battery, BYTES);
        assert_int_equal(source_open_chacha(&source, seed, &diagnostic), 0);
        options = (struct audit_options){.battery = battery};
        assert_int_equal(audit_run(&options, &source, &result, &diagnostic), 0);
        assert_int_equal(result.verdict, AUDIT_CLEAN);
        assert_int_equal(result.ended, 0);
        assert_true(result.blocks >= BYTES >> (BATTERY_BLOCK_LOG2 + 2));
        source_close(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_source_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
