// SPDX-License-Identifier: Apache-2.0
// A suite kills the deviant options that its cases exercise and names a case that does; what no
// case exercises survives. One that mixes allowed options from case to case is killed.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/judge/search/mutants.h"
#include "ref/base/file.h"

static const char head[] =
    "suite: small\n"
    "version: 1.0.0\n"
    "specification: {title: Philox}\n"
    "requirements:\n"
    "  P-BLOCK: {text: a block is a function of counter and key}\n"
    "choices:\n"
    "  key_schedule: {default: weyl, deviant: [constant, swapped_constants]}\n"
    "  multipliers: {default: published, deviant: [swapped]}\n"
    "  word_order: {default: ascending, %s: [descending]}\n"
    "  rounds: {default: asked, allowed: [\"10\"], deviant: [\"7\", \"8\", \"9\", \"11\"]}\n"
    "cases:\n"
    "  - id: only\n"
    "    covers: [P-BLOCK]\n"
    "    op: philox\n"
    "    attributes: {width: 32, rounds: %d}\n"
    "    inputs: {counter: [1, 2, 3, 4], key: [5, 6]}\n";

static void run_with(const char *class, int rounds, struct suite *suite, struct mutants *mutants)
{
    char folder[] = "/tmp/assay-mutants-test-XXXXXX", path[64], text[2048];
    struct diagnostic diagnostic = {.text = ""};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/small.yaml", folder);
    const int size = snprintf(text, sizeof text, head, class, rounds);
    assert_int_equal(file_replace_with(path, text, (size_t)size, &diagnostic), ERROR_NONE);
    const enum error error = suite_read(path, suite, &diagnostic);
    unlink(path);
    rmdir(folder);
    if (error)
        fail_msg("%u: %s", diagnostic.line, diagnostic.text);
    assert_int_equal(mutants_run(suite, NULL, true, mutants, &diagnostic), ERROR_NONE);
}

static size_t kills_of(const struct mutants *mutants, const char *option)
{
    for (size_t i = 0; i < mutants->count; i++)
        if (!strcmp(
                mutants->suite->choice[mutants->mutant[i].choice].option[mutants->mutant[i].option],
                option))
            return mutants->mutant[i].kills;
    fail_msg("there is no mutant %s", option);
    return 0;
}

static void ten_rounds_kill_every_mutant(void **state)
{
    (void)state;
    struct suite suite;
    struct mutants mutants;
    run_with("deviant", 10, &suite, &mutants);
    assert_int_equal(mutants.count, 8);
    assert_int_equal(mutants_survivors(&mutants), 0);
    assert_string_equal(mutants.mutant[0].killer[0]->id, "only");
    mutants_release(&mutants);
    suite_release(&suite);
}

static void one_round_never_sees_the_key_schedule(void **state)
{
    (void)state;
    struct suite suite;
    struct mutants mutants;
    run_with("deviant", 1, &suite, &mutants);
    assert_int_equal(kills_of(&mutants, "constant"), 0);
    assert_int_equal(kills_of(&mutants, "swapped_constants"), 0);
    assert_int_equal(kills_of(&mutants, "swapped"), 1);
    assert_int_equal(mutants_survivors(&mutants), 2);
    mutants_release(&mutants);
    suite_release(&suite);
}

static void an_allowed_option_is_no_mutant(void **state)
{
    (void)state;
    struct suite suite;
    struct mutants mutants;
    run_with("allowed", 10, &suite, &mutants);
    assert_int_equal(mutants.count, 7);
    mutants_release(&mutants);
    suite_release(&suite);
}

// Truncation is allowed for integers of few bits; this mutant truncates to 4 bits and rounds to 2.
static size_t kills_of_a_mixture(const char *pattern)
{
    struct suite suite;
    struct mutants mutants;
    struct diagnostic diagnostic = {.text = ""};
    size_t kills = SIZE_MAX;
    if (suite_read("yaml/suites/onnx.quantization.yaml", &suite, &diagnostic) ||
        mutants_run(&suite, pattern, false, &mutants, &diagnostic))
        fail_msg("%s", diagnostic.text);
    for (size_t i = 0; i < mutants.count; i++) {
        const struct suite_choice *const choice = &suite.choice[mutants.mutant[i].choice];
        if (!strcmp(choice->name, "mutant_output") &&
            !strcmp(choice->option[mutants.mutant[i].option], "and_6"))
            kills = mutants.mutant[i].kills;
    }
    mutants_release(&mutants);
    suite_release(&suite);
    return kills;
}

static void a_mixture_of_allowed_options_is_killed_by_two_cases(void **state)
{
    (void)state;
    assert_int_equal(kills_of_a_mixture("cast-few-[iu]4"), 0);
    assert_int_equal(kills_of_a_mixture("cast-few-[iu]2"), 0);
    assert_int_equal(kills_of_a_mixture("cast-few-*"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_rounds_kill_every_mutant),
        cmocka_unit_test(one_round_never_sees_the_key_schedule),
        cmocka_unit_test(an_allowed_option_is_no_mutant),
        cmocka_unit_test(a_mixture_of_allowed_options_is_killed_by_two_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
