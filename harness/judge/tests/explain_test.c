// SPDX-License-Identifier: Apache-2.0
// What a wrong implementation does instead is found: where the order of sums is free, by the
// radius.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/judge/run/certify.h"
#include "harness/judge/search/explain.h"
#include "harness/tests/zoo/path.h"
#include "ref/variant/variant.h"

static void a_forgotten_bias_is_named(void **state)
{
    (void)state;
    struct diagnostic diagnostic = {.text = ""};
    struct suite suite;
    struct host *host = NULL;
    struct judge_run run;
    size_t named = 0, failed = 0;
    const struct host_options host_options = {.plugin = zoo_path("ignores_bias")};
    const struct judge_options options = {
        .pattern = "one-dense-*-f32", .explain = judge_explain, .quick = true};
    assert_int_equal(suite_read("yaml/suites/onednn.rnn.yaml", &suite, &diagnostic), ERROR_NONE);
    assert_int_equal(host_open(&host_options, &host, &diagnostic), ERROR_NONE);
    assert_int_equal(judge_certify(&suite, host, &options, &run, &diagnostic), ERROR_NONE);
    for (size_t i = 0; i < run.result_count; i++) {
        const struct judge_result *const result = &run.result[i];
        unsigned choice = 0, option = 0;
        if (result->verdict == VERDICT_UNSUPPORTED)
            continue;
        assert_string_equal(verdict_name(result->verdict), "fail");
        failed++;
        assert_true(variant_find(result->of->operation, "bias", "ignored", &choice, &option));
        named += result->explanation.found && result->explanation.profile.option[choice] == option;
    }
    print_message("# %zu of %zu failures are explained by bias=ignored\n", named, failed);
    assert_true(failed > 5);
    assert_int_equal(named, failed);
    judge_release(&run);
    host_close(host, NULL);
    suite_release(&suite);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker"))
        return host_worker_main(count - 2, arguments + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forgotten_bias_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
