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
#include <glob.h>
#include <math.h>

#include "harness/judge/run/trial.h"

static void compare_tensors(const char *id, const struct host_tensor *a, size_t a_count,
                            const struct host_tensor *b, size_t b_count)
{
    if (a_count != b_count)
        print_message("%s: asked about %zu tensors, given %zu", id, a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].tensor.dtype != b[i].tensor.dtype ||
            !tensor_same_shape(&a[i].tensor, &b[i].tensor))
            print_message("%s: tensor '%s' is not the one that was asked about", id, b[i].name);
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

// How many tensors of a suite begin so many bytes past a multiple of 64, by their elements' size.
enum { SIZE_MAX_BYTES = 8 };
struct offsets {
    unsigned of[SIZE_MAX_BYTES + 1][HOST_BORDER];
};

static void count_offset(struct offsets *offsets, const struct host_tensor *tensor,
                         const struct host_conditions *conditions, size_t number)
{
    const size_t element = dtype_size(tensor->tensor.dtype),
                 offset = host_offset(conditions->place, number, element);
    assert_true(element <= SIZE_MAX_BYTES && offset < HOST_BORDER && offset % element == 0);
    offsets->of[element][offset]++;
}

static void count_offsets(const struct suite *suite, size_t i, struct offsets *inputs,
                          struct offsets *outputs)
{
    const struct host_description description = {.feed_count = 1};
    struct conditions_plan plan;
    struct diagnostic diagnostic;
    struct trial trial;
    conditions_make_plan(&description, CONDITIONS_ROWS_MAX, &plan);
    if (!trial_make(suite, &suite->cases[i], &description, true, &trial, &diagnostic) &&
        !trial.windows) {
        trial_plan(&trial, &description, &plan, i, suite->case_count);
        for (size_t u = 0; u < trial.unit_count; u++) {
            const struct host_conditions *const conditions = &trial.unit[u].conditions;
            if (conditions->guard != HOST_GUARD_INSIDE)
                continue;
            for (size_t k = 0; k < trial.call.output_count; k++)
                count_offset(outputs, &trial.call.outputs[k], conditions, k);
            for (size_t k = 0; k < trial.call.input_count; k++)
                count_offset(inputs, &trial.call.inputs[k], conditions,
                             trial.call.output_count + k);
        }
    }
    trial_release(&trial);
}

// All offsets come where a suite has so many tensors of a size that offsets drawn at random would
// miss one less often than once in a thousand times (n offsets are all there after n (ln n + c)
// draws but for a chance of e^-c); where it has fewer, those that are missing are told.
static void expect_all(const char *suite, const char *kind, const struct offsets *offsets)
{
    for (size_t element = 1; element <= SIZE_MAX_BYTES; element *= 2) {
        unsigned all = 0, missing = 0;
        const double of = (double)(HOST_BORDER / element), enough = of * log(of * 1000);
        for (size_t at = 0; at < HOST_BORDER; at += element) {
            all += offsets->of[element][at];
            missing += !offsets->of[element][at];
        }
        if (all && missing)
            print_message("# %s: of %u %s with elements of %zu bytes none begins at %u of %zu "
                          "offsets\n",
                          suite, all, kind, element, missing, HOST_BORDER / element);
        assert_true(!missing || all < enough);
    }
}

static void every_offset_comes_over_a_suite(void **state)
{
    (void)state;
    glob_t paths;
    assert_int_equal(glob("yaml/suites/*.yaml", 0, NULL, &paths), 0);
    for (size_t k = 0; k < paths.gl_pathc; k++) {
        static struct offsets inputs, outputs;
        struct suite suite;
        struct diagnostic diagnostic;
        memset(&inputs, 0, sizeof inputs);
        memset(&outputs, 0, sizeof outputs);
        assert_int_equal(suite_read(paths.gl_pathv[k], &suite, &diagnostic), ERROR_NONE);
        for (size_t i = 0; i < suite.case_count; i++)
            count_offsets(&suite, i, &inputs, &outputs);
        expect_all(suite.name, "inputs", &inputs);
        expect_all(suite.name, "outputs", &outputs);
        suite_release(&suite);
    }
    globfree(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_call_is_the_one_that_was_asked_about),
                                       cmocka_unit_test(every_offset_comes_over_a_suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
