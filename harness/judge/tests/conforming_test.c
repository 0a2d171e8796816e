// SPDX-License-Identifier: Apache-2.0
// No false accusation: implementations that use the freedoms of the evaluation model, drawn at
// random, over random cases. Without an argument a few of them; `conforming_test 1000` is the whole
// run, `conforming_test 200 800` its last fifth.

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
#include "harness/tests/zoo/path.h"

enum { VARIANTS = 40, CASES = 20, SUPPORTED_MAX = 1024 };

static unsigned long variants = VARIANTS, before;
static struct suite suite;
static const struct suite_case *supported[SUPPORTED_MAX];
static size_t supported_count;

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static struct host *open_variant(unsigned long number)
{
    char text[32];
    struct diagnostic diagnostic = {.text = ""};
    struct host *host = NULL;
    snprintf(text, sizeof text, "%lu", number);
    setenv("ASSAY_ZOO_VARIANT", text, 1);
    const struct host_options options = {.plugin = zoo_path("good_rnn")};
    if (host_open(&options, &host, &diagnostic))
        fail_msg("%s", diagnostic.text);
    return host;
}

// What the variants take of the suite: one of them is asked. They refuse nothing, and are asked
// for nothing that must be refused.
static int find_supported(void **state)
{
    (void)state;
    struct diagnostic diagnostic = {.text = ""};
    struct judge_run run;
    const struct judge_options options = {.quick = true};
    if (suite_read("yaml/suites/onednn.rnn.yaml", &suite, &diagnostic))
        return -1;
    struct host *const host = open_variant(0);
    if (judge_certify(&suite, host, &options, &run, &diagnostic))
        return -1;
    for (size_t i = 0; i < run.result_count && supported_count < SUPPORTED_MAX; i++)
        if (run.result[i].verdict != VERDICT_UNSUPPORTED &&
            suite_case_is_answered(run.result[i].of))
            supported[supported_count++] = run.result[i].of;
    judge_release(&run);
    host_close(host, NULL);
    return supported_count > CASES ? 0 : -1;
}

static void no_conforming_variant_is_accused(void **state)
{
    (void)state;
    size_t verdicts[VERDICT_COUNT] = {0}, failures = 0;
    double used = 0;
    for (unsigned long v = before + 1; v <= before + variants; v++) {
        struct diagnostic diagnostic = {.text = ""};
        struct suite_case chosen[CASES];
        struct suite some = suite;
        struct judge_run run;
        const struct judge_options options = {.quick = v % 8 != 0};
        uint64_t stream = v;
        for (int i = 0; i < CASES; i++)
            chosen[i] = *supported[draw(&stream) % supported_count];
        some.cases = chosen;
        some.case_count = CASES;
        struct host *const host = open_variant(v);
        if (judge_certify(&some, host, &options, &run, &diagnostic))
            fail_msg("variant %lu: %s", v, diagnostic.text);
        for (size_t i = 0; i < run.result_count; i++) {
            const struct judge_result *const result = &run.result[i];
            verdicts[result->verdict]++;
            used = result->radius_used > used ? result->radius_used : used;
            if (!verdict_is_failure(result->verdict))
                continue;
            failures++;
            print_error("variant %lu, %s: %s (%s)\n", v, result->of->id,
                        verdict_name(result->verdict), result->reason ? result->reason : "values");
        }
        judge_release(&run);
        assert_true(host_close(host, NULL));
    }
    print_message("# %lu variants, %zu cases: %zu pass, %zu vacuous, %zu fail; "
                  "%.3f of the radius used at most\n",
                  variants, variants * CASES, verdicts[VERDICT_PASS], verdicts[VERDICT_VACUOUS],
                  failures, used);
    assert_int_equal(failures, 0);
    assert_int_equal(verdicts[VERDICT_PASS] + verdicts[VERDICT_VACUOUS], variants * CASES);
}

static int release(void **state)
{
    (void)state;
    suite_release(&suite);
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker"))
        return host_worker_main(count - 2, arguments + 2);
    if (count > 1)
        variants = strtoul(arguments[1], NULL, 10);
    if (count > 2)
        before = strtoul(arguments[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_conforming_variant_is_accused),
    };
    return cmocka_run_group_tests(tests, find_supported, release);
}
