// SPDX-License-Identifier: Apache-2.0
// What a target is asked about is what it is then given: making a case to ask, without its large
// inputs, gives the same call.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "harness/judge/run/trial.h"

static void compare_tensors(const char *id, const struct host_tensor *a, size_t a_count,
                            const struct host_tensor *b, size_t b_count)
{
    if (a_count != b_count)
        fail_msg("%s: asked about %zu tensors, given %zu", id, a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].tensor.dtype != b[i].tensor.dtype ||
            !tensor_same_shape(&a[i].tensor, &b[i].tensor))
            fail_msg("%s: tensor '%s' is not the one that was asked about", id, b[i].name);
}

static void compare_trials(const struct suite *suite, const struct suite_case *of)
{
    const struct host_description description = {.capabilities = ASSAY_CAPABILITY_WINDOW};
    struct diagnostic diagnostic;
    struct trial asked, given;
    assert_int_equal(trial_make(suite, of, &description, true, &asked, &diagnostic),
                     trial_make(suite, of, &description, false, &given, &diagnostic));
    const struct host_request *const a = &asked.call, *const b = &given.call;
    compare_tensors(of->id, a->inputs, a->input_count, b->inputs, b->input_count);
    compare_tensors(of->id, a->outputs, a->output_count, b->outputs, b->output_count);
    assert_int_equal(a->attribute_count, b->attribute_count);
    for (size_t i = 0; i < a->attribute_count; i++)
        assert_string_equal(a->attributes[i].name, b->attributes[i].name);
    assert_memory_equal(asked.inference.level, given.inference.level, sizeof asked.inference.level);
    assert_int_equal(asked.bytes, given.bytes);
    assert_int_equal(asked.runs, given.runs);
    trial_release(&asked);
    trial_release(&given);
}

static void every_case(const char *path, size_t most)
{
    struct suite suite;
    struct diagnostic diagnostic;
    size_t steps = 0;
    assert_int_equal(suite_read(path, &suite, &diagnostic), ERROR_NONE);
    for (size_t i = 0; i < suite.case_count; i++) {
        struct suite_case of = suite.cases[i];
        compare_trials(&suite, &of);
        struct arena arena = {0};
        struct request request;
        struct operation_steps of_case;
        if (!of.reject && of.operation->stepping && steps < most && i % 5 == 0 &&
            !suite_case_request(&suite, &of, &arena, &request, &diagnostic) &&
            !of.operation->stepping->describe(&request, &of_case, &diagnostic)) {
            const int64_t last[OPERATION_STEP] = {(int64_t)of_case.layers - 1,
                                                  (int64_t)of_case.directions - 1,
                                                  (int64_t)of_case.times / 2, -1};
            of.step = last;
            compare_trials(&suite, &of);
            steps++;
        }
        arena_release(&arena);
    }
    assert_true(most == 0 || steps > 20);
    suite_release(&suite);
}

static void the_call_is_the_one_that_was_asked_about(void **state)
{
    (void)state;
    every_case("yaml/suites/onednn.rnn.yaml", 60);
    every_case("yaml/suites/onednn.rnn.backward.yaml", 60);
    every_case("yaml/suites/openvino.range.yaml", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_call_is_the_one_that_was_asked_about)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
