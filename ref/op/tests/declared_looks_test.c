// SPDX-License-Identifier: Apache-2.0
// How often each look decides: operators on drawn numbers, counted and printed. In f32 and narrower
// types the first look may leave one element in a thousand open. In f64 it decides what is exact,
// and pairs decide the rest but for one in a thousand, where nothing cancels.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/evaluate.h"
#include "ref/op/request.h"
#include "yaml/declared/operator.h"

// More rows than a band takes at once.
enum { ROWS = 160, COLUMNS = 256 };

static void draw(enum dtype type, void *data)
{
    uint64_t state = 1;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double x = ((double)(state >> 11) * 0x1p-53 - 0.5) * 8;
        element_store(data, dtype_size(type), i, num_from_double(type, x));
    }
}

static void count(const char *name, enum dtype type, uint64_t *elements, uint64_t *pairs,
                  uint64_t *settled)
{
    struct operators operators = {.folder = "yaml/operators"};
    const struct operation *operation = NULL;
    struct diagnostic diagnostic = {.text = ""};
    struct request request;
    assert_int_equal(operators_find(&operators, name, &operation, &diagnostic), ERROR_NONE);
    assert_non_null(operation);
    request_start(&request, operation);
    void *const data = malloc(ROWS * COLUMNS * sizeof(double)), *const output =
                                                                    malloc(ROWS * COLUMNS *
                                                                           sizeof(double));
    struct plan *const plan = malloc(sizeof *plan);
    assert_true(data && output && plan);
    draw(type, data);
    request.input[0] =
        (struct tensor){.dtype = type, .rank = 2, .shape = {ROWS, COLUMNS}, .data = data};
    void *const outputs[OPERATION_OUTPUTS_MAX] = {output};
    struct keep_store store = {0};
    assert_int_equal(plan_make(plan, &request, &diagnostic), ERROR_NONE);
    assert_int_equal(evaluate_nodes(plan, NULL, &store, &diagnostic), ERROR_NONE);
    store.base = aligned_alloc(64, store.used + 64);
    assert_non_null(store.base);
    store.used = 0;
    assert_int_equal(plan_make(plan, &request, &diagnostic), ERROR_NONE);
    assert_int_equal(evaluate_nodes(plan, outputs, &store, &diagnostic), ERROR_NONE);
    *elements = plan->elements;
    *pairs = plan->pairs;
    *settled = plan->settled;
    printf("# %s %s: %llu elements of nodes, %llu decided in pairs, %llu settled by enclosures\n",
           name, dtype_name(type), (unsigned long long)*elements, (unsigned long long)*pairs,
           (unsigned long long)*settled);
    free(store.base);
    free(plan);
    free(data);
    free(output);
    operators_release(&operators);
}

static void the_first_look_decides_nearly_all_of_f32(void **state)
{
    static const char *const names[] = {"onnx.softmax", "onnx.hard_sigmoid"};
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            uint64_t elements = 0, pairs = 0, settled = 0;
            count(names[n], types[t], &elements, &pairs, &settled);
            assert_true(elements >= ROWS * COLUMNS);
            assert_true(settled <= elements / 1000);
        }
}

static void pairs_decide_nearly_all_of_f64_that_is_not_exact(void **state)
{
    static const char *const names[] = {"onnx.softmax", "onnx.log_softmax", "onnx.softplus",
                                        "onnx.hard_sigmoid"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint64_t elements = 0, pairs = 0, settled = 0;
        count(names[n], DTYPE_F64, &elements, &pairs, &settled);
        assert_true(pairs > elements / 3); // a quotient of what is stored needs none
        assert_true(settled <= elements / 1000);
    }
}

static void one_operation_of_stored_f64_needs_no_second_look(void **state)
{
    static const char *const names[] = {"onnx.sqrt"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint64_t elements = 0, pairs = 0, settled = 0;
        count(names[n], DTYPE_F64, &elements, &pairs, &settled);
        assert_true(elements >= ROWS * COLUMNS && pairs == 0 && settled == 0);
    }
}

// Output 0 of rows [first, first + rows), as a request of its own.
static void evaluate(const struct operation *operation, enum dtype type, uint64_t first,
                     uint64_t rows, void *data, void *output)
{
    struct diagnostic diagnostic = {.text = ""};
    struct request request;
    struct inference inference;
    size_t size = 0;
    void *outputs[OPERATION_OUTPUTS_MAX] = {(char *)output + first * COLUMNS * dtype_size(type)};
    request_start(&request, operation);
    request.outputs = 1;
    request.input[0] = (struct tensor){.dtype = type,
                                       .rank = 2,
                                       .shape = {rows, COLUMNS},
                                       .data = (char *)data + first * COLUMNS * dtype_size(type)};
    request.input[1] = (struct tensor){.dtype = type, .rank = 1, .shape = {COLUMNS}, .data = data};
    if (operation->input_count == 1)
        request.input[1] = (struct tensor){.dtype = DTYPE_NONE};
    assert_int_equal(operation->infer(&request, &inference, &diagnostic), ERROR_NONE);
    assert_int_equal(operation->workspace_size(&request, &inference, false, &size, &diagnostic),
                     ERROR_NONE);
    void *const workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    for (unsigned i = 1; i < OPERATION_OUTPUTS_MAX; i++)
        outputs[i] = malloc(ROWS * COLUMNS * sizeof(double));
    assert_non_null(workspace);
    assert_int_equal(operation->evaluate(&request, &inference, outputs, workspace, &diagnostic),
                     ERROR_NONE);
    for (unsigned i = 1; i < OPERATION_OUTPUTS_MAX; i++)
        free(outputs[i]);
    free(workspace);
}

static void rows_alone_are_what_they_are_among_others(void **state)
{
    static const char *const names[] = {"onnx.softmax", "onnx.layer_normalization",
                                        "onnx.rms_normalization", "onnx.log_softmax"};
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_F64};
    static double data[ROWS * COLUMNS], whole[ROWS * COLUMNS], alone[ROWS * COLUMNS];
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            struct operators operators = {.folder = "yaml/operators"};
            const struct operation *operation = NULL;
            struct diagnostic diagnostic = {.text = ""};
            assert_int_equal(operators_find(&operators, names[n], &operation, &diagnostic),
                             ERROR_NONE);
            draw(types[t], data);
            if (types[t] == DTYPE_F32) // a run of which a glance does not know
                element_store(data, sizeof(float), 9 * COLUMNS + 5, 0x7f800000);
            evaluate(operation, types[t], 0, ROWS, data, whole);
            for (uint64_t row = 0; row < ROWS; row++)
                evaluate(operation, types[t], row, 1, data, alone);
            assert_memory_equal(whole, alone, ROWS * COLUMNS * dtype_size(types[t]));
            operators_release(&operators);
        }
}

// Among others an element is glanced at, alone it is one number, of which a look says what it is.
static void elements_alone_are_what_they_are_among_others(void **state)
{
    static const char *const names[] = {"onnx.gelu", "onnx.hard_sigmoid", "onnx.softplus",
                                        "onnx.swish"};
    static double data[ROWS * COLUMNS], whole[ROWS * COLUMNS];
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct operators operators = {.folder = "yaml/operators"};
        const struct operation *operation = NULL;
        struct diagnostic diagnostic = {.text = ""};
        struct request request;
        struct inference inference;
        size_t size = 0;
        assert_int_equal(operators_find(&operators, names[n], &operation, &diagnostic), ERROR_NONE);
        draw(DTYPE_F32, data);
        element_store(data, sizeof(float), 9 * COLUMNS + 5, 0x7fc00000);
        element_store(data, sizeof(float), 11 * COLUMNS + 5, 0xff800000);
        evaluate(operation, DTYPE_F32, 0, ROWS, data, whole);
        request_start(&request, operation);
        request.input[0] = (struct tensor){.dtype = DTYPE_F32, .rank = 1, .shape = {1}};
        assert_int_equal(operation->infer(&request, &inference, &diagnostic), ERROR_NONE);
        assert_int_equal(operation->workspace_size(&request, &inference, false, &size, &diagnostic),
                         ERROR_NONE);
        void *const workspace = aligned_alloc(64, (size + 63) / 64 * 64);
        for (uint64_t i = 0; i < ROWS * COLUMNS; i += 7) {
            float alone;
            void *outputs[OPERATION_OUTPUTS_MAX] = {&alone};
            request.input[0].data = (float *)(void *)data + i;
            assert_int_equal(
                operation->evaluate(&request, &inference, outputs, workspace, &diagnostic),
                ERROR_NONE);
            assert_memory_equal((float *)(void *)whole + i, &alone, sizeof alone);
        }
        free(workspace);
        operators_release(&operators);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_decides_nearly_all_of_f32),
        cmocka_unit_test(pairs_decide_nearly_all_of_f64_that_is_not_exact),
        cmocka_unit_test(one_operation_of_stored_f64_needs_no_second_look),
        cmocka_unit_test(rows_alone_are_what_they_are_among_others),
        cmocka_unit_test(elements_alone_are_what_they_are_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
