// SPDX-License-Identifier: Apache-2.0
// An allowed option conforms wherever it is used, at every level and size, and one profile holds
// for a suite: the reference under each option that a suite allows, over all its cases; and under
// it for half of them, which is not one profile.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/judge/run/certify.h"
#include "harness/judge/run/trial.h"
#include "harness/tests/zoo/path.h"

// Larger outputs are asked for under the first option of a suite alone.
enum { LARGE_BYTES = 1 << 20, HALVES = 16, WHOLE = -1 };

static struct host *open_target(const char *choice, const char *option, int half)
{
    char text[256];
    struct diagnostic diagnostic = {.text = ""};
    struct host *host = NULL;
    snprintf(text, sizeof text, "%s=%s", choice, option);
    setenv("ASSAY_ZOO_OPTION", text, 1);
    unsetenv("ASSAY_ZOO_HALF");
    if (half != WHOLE) {
        snprintf(text, sizeof text, "%d", half);
        setenv("ASSAY_ZOO_HALF", text, 1);
    }
    const struct host_options options = {.plugin = zoo_path("other_option")};
    if (host_open(&options, &host, &diagnostic))
        fail_msg("%s", diagnostic.text);
    return host;
}

// The suite without its large cases. `cases` has room for all.
static struct suite without_large(const struct suite *suite, struct suite_case *cases)
{
    struct suite small = *suite;
    small.cases = cases;
    small.case_count = 0;
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct host_description description = {.capabilities = ASSAY_CAPABILITY_WINDOW};
        struct diagnostic diagnostic;
        struct trial trial;
        uint64_t bytes = 0;
        const enum error error =
            trial_make(suite, &suite->cases[i], &description, true, &trial, &diagnostic);
        for (size_t o = 0; o < trial.call.output_count && !error; o++)
            bytes += trial_output_count(&trial, o);
        if (!error && !trial.windows && bytes <= LARGE_BYTES)
            cases[small.case_count++] = suite->cases[i];
        trial_release(&trial);
    }
    return small;
}

// How many cases fail under the option although it is allowed there, which are named where none
// should. `differing` gets the suite of those that it makes a difference to, without large ones, in
// `cases`, which has room for all.
static size_t count_failures(const struct suite *suite, size_t choice, size_t option, int half,
                             struct suite *differing, struct suite_case *cases)
{
    struct diagnostic diagnostic = {.text = ""};
    const struct judge_options options = {.quick = true};
    const char *const name = suite->choice[choice].name, *const value =
                                                             suite->choice[choice].option[option];
    struct host *const host = open_target(name, value, half);
    struct judge_run run;
    size_t failures = 0;
    *differing = *suite;
    differing->cases = cases;
    differing->case_count = 0;
    if (judge_certify(suite, host, &options, &run, &diagnostic))
        fail_msg("%s=%s: %s", name, value, diagnostic.text);
    for (size_t i = 0; i < run.result_count; i++) {
        const struct judge_result *const result = &run.result[i];
        if (result->valued && !result->by_default && !result->windowed &&
            result->bytes <= LARGE_BYTES)
            cases[differing->case_count++] = *result->of;
        if (!verdict_is_failure(result->verdict) ||
            suite_classify(suite, result->of, name, value) != SUITE_ALLOWED)
            continue;
        failures++;
        if (half == WHOLE && failures <= 3)
            print_error("%s=%s, %s: %s (%s)\n", name, value, result->of->id,
                        verdict_name(result->verdict), result->reason ? result->reason : "values");
    }
    judge_release(&run);
    assert_true(host_close(host, NULL));
    return failures;
}

static bool is_allowed(const struct suite *suite, size_t choice, size_t option)
{
    const char *const name = suite->choice[choice].name, *const value =
                                                             suite->choice[choice].option[option];
    for (size_t i = 0; i < suite->case_count; i++)
        if (suite_classify(suite, &suite->cases[i], name, value) == SUITE_ALLOWED)
            return true;
    return false;
}

static void allowed_options_conform_and_do_not_mix(void **state)
{
    const char *const path = *state;
    struct suite suite;
    struct diagnostic diagnostic = {.text = ""};
    if (suite_read(path, &suite, &diagnostic))
        fail_msg("%s:%u: %s", path, diagnostic.line, diagnostic.text);
    struct suite_case *const cases = calloc(3 * suite.case_count, sizeof *cases);
    assert_non_null(cases);
    const struct suite small = without_large(&suite, cases);
    size_t allowed = 0, failures = 0, mixed = 0;
    for (size_t c = 0; c < suite.choice_count; c++)
        for (size_t o = 1; o < suite.choice[c].count; o++) {
            struct suite differing, some;
            size_t failing = 0;
            if (!is_allowed(&suite, c, o))
                continue;
            failures += count_failures(allowed ? &small : &suite, c, o, WHOLE, &differing,
                                       cases + suite.case_count);
            const bool mixes = differing.case_count > 1;
            for (int half = 0; half < HALVES && !failing && mixes; half++)
                failing =
                    count_failures(&differing, c, o, half, &some, cases + 2 * suite.case_count);
            if (mixes && !failing) {
                mixed++;
                print_error("%s=%s in half of %zu cases conforms\n", suite.choice[c].name,
                            suite.choice[c].option[o], differing.case_count);
            }
            allowed++;
        }
    print_message("# %s: %zu cases, %zu allowed options\n", suite.name, suite.case_count, allowed);
    assert_true(allowed > 0);
    assert_int_equal(failures, 0);
    assert_int_equal(mixed, 0);
    free(cases);
    suite_release(&suite);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker"))
        return host_worker_main(count - 2, arguments + 2);
#define OF(name)                                                                                   \
    {                                                                                              \
        "allowed options conform and do not mix: " name, allowed_options_conform_and_do_not_mix,   \
            NULL, NULL, (void *)(uintptr_t) "yaml/suites/" name ".yaml"                            \
    }
    const struct CMUnitTest tests[] = {
        OF("cousins"),
        OF("jax.random"),
        OF("onednn.rnn"),
        OF("onednn.rnn.backward"),
        OF("openvino.random_uniform"),
        OF("openvino.range"),
        OF("torch.random"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
