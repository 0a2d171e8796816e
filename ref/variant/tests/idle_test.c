// SPDX-License-Identifier: Apache-2.0
// Options of an operation's own choices that a request cannot tell from the default ones are known
// before anything is computed, and those that it can tell are not taken for such.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ref/base/json.h"
#include "ref/base/tensor.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"

#define LSTM(attributes, inputs)                                                                   \
    "{\"op\": \"onnx.lstm\", \"attributes\": {" attributes "}, \"inputs\": {"                      \
    "\"W\": [[[0.5], [-1.5], [0.75], [1]]], \"R\": [[[1], [-0.5], [0.25], [-2]]], "                \
    "\"initial_h\": [[[0.5]]], \"initial_c\": [[[-0.75]]], " inputs "}}"
#define STEPS "\"X\": [[[0.5]], [[-0.25]]]"
#define NO_STEPS "\"X\": {\"dtype\": \"f32\", \"shape\": [0, 1, 1], \"data\": []}"
#define ACTIVATIONS "\"activations\": [\"Sigmoid\", \"LeakyRelu\", \"Elu\"]"
#define TANH                                                                                       \
    "{\"op\": \"onednn.rnn\", \"attributes\": {\"cell\": \"vanilla_rnn\", \"activation\": "        \
    "\"tanh\"}, \"inputs\": {\"src_layer\": [[[0.5]]], \"weights_layer\": [[[[[0.3]]]]], "         \
    "\"weights_iter\": [[[[[0.7]]]]]}}"
#define INT8                                                                                       \
    "{\"op\": \"onednn.rnn\", \"attributes\": {\"cell\": \"lstm\", \"data_scale\": 100, "          \
    "\"data_shift\": 128, \"weights_scales\": [64]}, \"inputs\": {"                                \
    "\"src_layer\": {\"dtype\": \"u8\", \"shape\": [1, 4, 1], \"data\": [200, 10, 90, 255]}, "     \
    "\"weights_layer\": {\"dtype\": \"i8\", \"shape\": [1, 1, 1, 4, 1], "                          \
    "\"data\": [70, -50, 90, 60]}, \"weights_iter\": {\"dtype\": \"i8\", "                         \
    "\"shape\": [1, 1, 1, 4, 1], \"data\": [10, 20, 30, 40]}}}"

static const struct {
    const char *request, *choice, *option;
    bool idle; // else its outputs are others
} rows[] = {
    {LSTM("", STEPS), "beyond_length", "state", true},
    {LSTM("", STEPS ", \"sequence_lens\": [1]"), "beyond_length", "state", false},
    {LSTM("", NO_STEPS), "beyond_length", "state", true},
    {LSTM("", STEPS), "no_steps", "zero", true},
    {LSTM("", STEPS ", \"sequence_lens\": [0]"), "no_steps", "zero", false},
    {LSTM("", NO_STEPS), "no_steps", "zero", false},
    {LSTM("", STEPS), "parameters", "by_place", true},
    {LSTM(ACTIVATIONS ", \"activation_alpha\": [0.5, 0.25]", STEPS), "parameters", "by_place",
     false},
    {LSTM("", STEPS), "functions", "default_alpha", true},
    {LSTM(ACTIVATIONS ", \"activation_alpha\": [0.5, 0.25]", STEPS), "functions", "default_alpha",
     false},
    {LSTM("", STEPS), "functions", "reversed", false},
    {LSTM("", STEPS), "clipping", "inputs_alone", true},
    {LSTM("\"clip\": 0.125", STEPS), "clipping", "inputs_alone", false},
    {LSTM("", STEPS), "coupling", "input_of_forget", true},
    {LSTM("\"input_forget\": 1", STEPS), "coupling", "input_of_forget", false},
    {TANH, "int8_rounding", "down", true},
    {TANH, "int8_sum", "corrected", true},
    {INT8, "int8_rounding", "up", false},
};

static void read_row(size_t row, struct arena *arena, struct request *request)
{
    static const char *const more[] = {"profile", NULL};
    struct diagnostic diagnostic = {.text = ""};
    struct document_node *root;
    struct document_source *const source = arena_take(arena, sizeof *source);
    *source = (struct document_source){
        .name = "test", .text = rows[row].request, .size = strlen(rows[row].request)};
    if (json_read(source, arena, &root, &diagnostic) ||
        request_read(root, more, NULL, arena, request, &diagnostic))
        fail_msg("row %zu: %s", row, diagnostic.text);
}

static bool gives_the_same(const struct evaluation *a, const struct evaluation *b)
{
    bool same = true;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && same; i++) {
        const struct tensor *const one = &a->tensor[i], *const other = &b->tensor[i];
        size_t bytes = 0;
        same = one->dtype == other->dtype;
        if (same && tensor_present(one))
            same = tensor_same_shape(one, other) && tensor_bytes(one, &bytes) &&
                   !memcmp(one->data, other->data, bytes);
    }
    return same;
}

static void idle_options_are_those_that_change_nothing(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct arena arena = {0};
        struct request request;
        struct evaluation standard, other;
        struct diagnostic diagnostic = {.text = ""};
        unsigned choice, option;
        bool idle = !rows[row].idle;
        read_row(row, &arena, &request);
        assert_int_equal(variant_evaluate(&request, &arena, &standard, &diagnostic), ERROR_NONE);
        assert_true(
            variant_find(request.operation, rows[row].choice, rows[row].option, &choice, &option));
        request.profile.option[choice] = (uint16_t)option;
        assert_int_equal(variant_is_idle(&request, &arena, &idle, &diagnostic), ERROR_NONE);
        assert_int_equal(variant_evaluate(&request, &arena, &other, &diagnostic), ERROR_NONE);
        if (idle != rows[row].idle || idle != gives_the_same(&standard, &other))
            fail_msg("row %zu, %s=%s: idle %d, the same %d", row, rows[row].choice,
                     rows[row].option, idle, gives_the_same(&standard, &other));
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_options_are_those_that_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
