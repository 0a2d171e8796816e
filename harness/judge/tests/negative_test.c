// SPDX-License-Identifier: Apache-2.0
// The call of a case that must be refused looks like any other: it asks for outputs, those that the
// nearest valid request has, and takes the declaration of its operation along.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/judge/run/trial.h"
#include "ref/op/declared/graph.h"
#include "ref/variant/variant.h"

static const char *const suites[] = {"cousins",
                                     "directml.random_generator",
                                     "jax.random",
                                     "onednn.rnn",
                                     "onnx.activations",
                                     "onnx.attention",
                                     "onnx.convolution",
                                     "onnx.cum_sum",
                                     "onnx.elementwise",
                                     "onnx.gelu",
                                     "onnx.gemm",
                                     "onnx.layer_normalization",
                                     "onnx.log_softmax",
                                     "onnx.mat_mul",
                                     "onnx.normalization",
                                     "onnx.quantization",
                                     "onnx.reduce_sum",
                                     "onnx.reductions",
                                     "onnx.rms_normalization",
                                     "onnx.rotary_embedding",
                                     "onnx.softmax",
                                     "onnx.softplus",
                                     "openvino.random_uniform",
                                     "openvino.range",
                                     "philox",
                                     "threefry",
                                     "torch.random",
                                     "torch.scaled_mm"};

// What is wrong with the request, and what a request without that gives.
static const struct row {
    const char *suite, *id, *outputs;
} rows[] = {
    {"philox", "refuse-counter-type-f32", "output u64[4]"},
    {"philox", "refuse-words-three", "output u32[4]"},
    {"philox", "refuse-key-short", "output u32[2,2]"},
    // No request can be made of these.
    {"philox", "refuse-rounds-negative", "output u32[2]"},
    {"openvino.range", "refused-missing-step", "output i32[1]"},
    {"openvino.range", "refused-output-bool", "output i8[4]"},
    {"openvino.random_uniform", "refuse-f16-equal", "output f16[4]"},
    {"openvino.random_uniform", "undefined-nan-f32-maxval", "output f32[4]"},
    {"openvino.random_uniform", "refuse-size-minus-1", "output f32[1]"},
    {"onednn.rnn", "peephole-of-gru", "dst_layer f32[2,2,3] dst_iter f32[1,1,2,3]"},
    {"onednn.rnn", "gates-of-another-cell", "dst_layer f32[2,3,5] dst_iter f32[1,1,3,5]"},
    {"onednn.rnn", "int8-scale-of-zero",
     "dst_layer u8[2,2,3] dst_iter u8[1,1,2,3] dst_iter_c f32[1,1,2,3]"},
    {"onednn.rnn", "slope-of-gru", "dst_layer f32[2,2,3] dst_iter f32[1,1,2,3]"},
    {"onednn.rnn", "undefined-size-no-layers-gru", "dst_layer f32[2,2,3] dst_iter f32[1,1,2,3]"},
    {"directml.random_generator", "refuse-no-state", "output u32[4]"},
    {"onnx.gelu", "refuse-approximate", "Y f32[1]"},
};

static const char *describe(const struct host_request *call, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < call->output_count && at < size; i++) {
        char tensor[128];
        at += (size_t)snprintf(text + at, size - at, "%s%s %s", i ? " " : "", call->outputs[i].name,
                               tensor_describe(&call->outputs[i].tensor, tensor, sizeof tensor));
    }
    return text;
}

static void read_suite(const char *name, struct suite *suite)
{
    char path[256];
    struct diagnostic diagnostic = {.text = ""};
    snprintf(path, sizeof path, "yaml/suites/%s.yaml", name);
    if (suite_read(path, suite, &diagnostic))
        fail_msg("%s: %s", path, diagnostic.text);
}

// Makes the trial as a run does: for the question, and with what that found for the run.
static void make(const struct suite *suite, const struct suite_case *of,
                 const struct inference *nearest, struct trial *trial)
{
    const struct host_description description = {.name = "any"};
    struct diagnostic diagnostic = {.text = ""};
    if (nearest ? trial_make_again(suite, of, &description, nearest, trial, &diagnostic)
                : trial_make(suite, of, &description, true, trial, &diagnostic))
        fail_msg("%s: %s", of->id, diagnostic.text);
}

static void every_call_asks_for_outputs(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
        struct suite suite;
        read_suite(suites[s], &suite);
        for (size_t i = 0; i < suite.case_count; i++) {
            const struct suite_case *const of = &suite.cases[i];
            if (suite_case_is_answered(of))
                continue;
            char asked[512], run[512];
            struct trial trial;
            make(&suite, of, NULL, &trial);
            if (!trial.call.output_count)
                fail_msg("%s asks for nothing", of->id);
            if (!trial.call.declaration != !declared_is(of->operation))
                fail_msg("%s has the declaration of another operation", of->id);
            describe(&trial.call, asked, sizeof asked);
            const struct inference nearest = *trial.nearest;
            trial_release(&trial);
            make(&suite, of, &nearest, &trial);
            assert_ptr_equal(trial.nearest, &nearest);
            assert_string_equal(asked, describe(&trial.call, run, sizeof run));
            for (size_t o = 0; o < trial.call.output_count; o++)
                assert_true(operation_output(of->operation, trial.call.outputs[o].name) >= 0);
            trial_release(&trial);
            count++;
        }
        suite_release(&suite);
    }
    print_message("# %zu cases\n", count);
    assert_true(count > 300);
}

static void outputs_are_those_of_the_nearest_valid_request(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct suite suite;
        struct trial trial;
        char text[512];
        read_suite(rows[r].suite, &suite);
        const struct suite_case *const of = suite_find_case(&suite, rows[r].id);
        if (!of)
            fail_msg("%s has no %s", rows[r].suite, rows[r].id);
        make(&suite, of, NULL, &trial);
        if (strcmp(describe(&trial.call, text, sizeof text), rows[r].outputs) != 0) {
            print_error("%s: %s; expected %s\n", of->id, text, rows[r].outputs);
            wrong++;
        }
        trial_release(&trial);
        suite_release(&suite);
    }
    assert_int_equal(wrong, 0);
}

// A search that tries requests in vain wants no message.
static void what_a_declared_operator_refuses_needs_no_message(void **state)
{
    (void)state;
    struct suite suite;
    struct arena arena = {0};
    struct request request;
    struct inference inference;
    struct diagnostic diagnostic = {.text = ""};
    read_suite("onnx.elementwise", &suite);
    const struct suite_case *const of = suite_find_case(&suite, "do-not-fit-add");
    assert_non_null(of);
    if (suite_case_request(&suite, of, &arena, &request, &diagnostic))
        fail_msg("%s", diagnostic.text);
    assert_int_not_equal(variant_infer(&request, &inference, NULL), ERROR_NONE);
    arena_release(&arena);
    suite_release(&suite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_asks_for_outputs),
        cmocka_unit_test(outputs_are_those_of_the_nearest_valid_request),
        cmocka_unit_test(what_a_declared_operator_refuses_needs_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
