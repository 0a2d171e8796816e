// SPDX-License-Identifier: Apache-2.0
// Requests as the public vocabulary describes them: what is read, and what is refused with which
// message and place.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/base/json.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"

static enum error read_text(const char *text, struct arena *arena, struct request *request,
                            struct diagnostic *diagnostic)
{
    static const char *const more[] = {"profile", NULL};
    const struct document_source source = {.name = "test", .text = text, .size = strlen(text)};
    struct document_source *const kept = arena_take(arena, sizeof *kept);
    *kept = source;
    struct document_node *root;
    assert_int_equal(json_read(kept, arena, &root, diagnostic), ERROR_NONE);
    return request_read(root, more, NULL, arena, request, diagnostic);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct request request;
    struct diagnostic diagnostic;
    assert_int_equal(
        read_text(
            "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f16\"},"
            " \"inputs\": {\"shape\": [2], \"minval\": -1, \"maxval\": [1.5]}}",
            &arena, &request, &diagnostic),
        ERROR_NONE);
    assert_int_equal(request.attribute[0].integer, DTYPE_F16);
    assert_int_equal(request.attribute[1].integer, 0);
    assert_int_equal(request.runs, 1);
    assert_int_equal(request.input[0].dtype, DTYPE_I64);
    assert_int_equal(request.input[1].rank, 0);
    assert_int_equal(element_load(request.input[1].data, 2, 0), 0xbc00); // -1 in binary16
    assert_int_equal(request.input[2].rank, 1);
    assert_int_equal(element_load(request.input[2].data, 2, 0), 0x3e00); // 1.5
    arena_release(&arena);
}

static void seeds_are_64_bits_of_either_sign(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t expected;
    } row[] = {{"-1", UINT64_MAX},
               {"18446744073709551615", UINT64_MAX},
               {"-9223372036854775808", UINT64_C(1) << 63},
               {"7", 7}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena arena = {0};
        struct request request;
        struct diagnostic diagnostic;
        const char *const text = arena_print(
            &arena,
            "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"i32\","
            " \"global_seed\": %s}, \"inputs\": {\"shape\": [], \"minval\": 0, \"maxval\": 1}}",
            row[i].text);
        assert_int_equal(read_text(text, &arena, &request, &diagnostic), ERROR_NONE);
        assert_true((uint64_t)request.attribute[1].integer == row[i].expected);
        arena_release(&arena);
    }
}

static void typed_tensors_keep_their_bits(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct request request;
    struct diagnostic diagnostic;
    assert_int_equal(
        read_text(
            "{\"op\": \"philox\", \"inputs\": {\"counter\": {\"dtype\": \"u64\", \"shape\": [1, 2],"
            " \"bits\": [\"ffffffffffffffff\", \"0000000000000001\"]}, \"key\": {\"dtype\": "
            "\"u64\", \"data\": [5]}}}",
            &arena, &request, &diagnostic),
        ERROR_NONE);
    assert_int_equal(request.input[0].rank, 2);
    assert_true(element_load(request.input[0].data, 8, 0) == UINT64_MAX);
    assert_int_equal(element_load(request.input[0].data, 8, 1), 1);
    assert_int_equal(element_load(request.input[1].data, 8, 0), 5);
    arena_release(&arena);
}

static void wrong_requests_are_refused_with_place_and_reason(void **state)
{
    (void)state;
#define UNIFORM                                                                                    \
    "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"i32\"},\n"
    static const struct {
        const char *text;
        enum error error;
        unsigned line, column;
        const char *says;
    } row[] = {
        {"{}", ERROR_INPUT, 1, 1, "needs the key op"},
        {"{\"op\": \"no.such\"}", ERROR_UNSUPPORTED, 1, 8, "no operation 'no.such'"},
        {"{\"op\": \"philox\", \"colour\": 1}", ERROR_INPUT, 1, 18, "unknown key 'colour'"},
        {"{\"op\": \"openvino.random_uniform\"}", ERROR_INVALID_ARGUMENT, 1, 1,
         "output_type is required"},
        {UNIFORM "\"inputs\": {\"shape\": [1], \"minval\": 0}}", ERROR_INVALID_ARGUMENT, 2, 11,
         "maxval is required"},
        {UNIFORM "\"inputs\": {\"shape\": [1], \"minval\": 0.5, \"maxval\": 1}}", ERROR_INPUT, 2,
         36, "minval"},
        {UNIFORM "\"inputs\": {\"shape\": [1], \"minval\": 0, \"maxval\": 2147483648}}",
         ERROR_INPUT, 2, 49, "maxval"},
        {UNIFORM "\"inputs\": {\"shape\": [[1], [2, 3]], \"minval\": 0, \"maxval\": 1}}",
         ERROR_INPUT, 2, 27, "ragged"},
        {UNIFORM
         "\"inputs\": {\"shape\": {\"dtype\": \"i64\", \"bits\": [\"0001\"]}, \"minval\": 0, "
         "\"maxval\": 1}}",
         ERROR_INPUT, 2, 47, "16 lower-case hexadecimal digits"},
        {UNIFORM "\"inputs\": {\"shape\": {\"fill\": \"x\"}, \"minval\": 0, \"maxval\": 1}}",
         ERROR_UNSUPPORTED, 2, 21, "fill"},
        {"{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"u8\"}}",
         ERROR_INVALID_ARGUMENT, 1, 65, "i32, i64, f16, bf16, f32, f64"},
        {UNIFORM "\"runs\": 0, \"inputs\": {\"shape\": [1], \"minval\": 0, \"maxval\": 1}}",
         ERROR_INPUT, 2, 9, "from 1 to"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena arena = {0};
        struct request request;
        struct diagnostic diagnostic = {.text = ""};
        assert_int_equal(read_text(row[i].text, &arena, &request, &diagnostic), row[i].error);
        assert_non_null(strstr(diagnostic.text, row[i].says));
        assert_int_equal(diagnostic.line, row[i].line);
        assert_int_equal(diagnostic.column, row[i].column);
        arena_release(&arena);
    }
}

static enum error evaluate_text(const char *text, struct arena *arena,
                                struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    struct request request;
    const enum error error = read_text(text, arena, &request, diagnostic);
    return error ? error : variant_evaluate(&request, arena, evaluation, diagnostic);
}

static void rules_of_random_uniform_are_enforced(void **state)
{
    (void)state;
#define SEEDED                                                                                     \
    "{\"op\": \"openvino.random_uniform\", "                                                       \
    "\"attributes\": {\"output_type\": \"f32\", \"op_seed\": 3}, \"inputs\": {"
    static const struct {
        const char *text;
        enum error error;
        const char *says;
    } row[] = {
        {SEEDED "\"shape\": [2], \"minval\": 1, \"maxval\": 1}}", ERROR_INVALID_ARGUMENT,
         "less than maxval"},
        {SEEDED "\"shape\": [2], \"minval\": \"nan\", \"maxval\": 1}}", ERROR_INVALID_ARGUMENT,
         "NaN"},
        {SEEDED "\"shape\": [-2], \"minval\": 0, \"maxval\": 1}}", ERROR_INVALID_ARGUMENT,
         "negative"},
        {SEEDED "\"shape\": 2, \"minval\": 0, \"maxval\": 1}}", ERROR_INVALID_ARGUMENT,
         "one dimension"},
        {SEEDED "\"shape\": [2], \"minval\": [0, 0], \"maxval\": 1}}", ERROR_INVALID_ARGUMENT,
         "one element"},
        {SEEDED "\"shape\": {\"dtype\": \"u32\", \"data\": [2]}, \"minval\": 0, \"maxval\": 1}}",
         ERROR_INVALID_ARGUMENT, "i32, i64"},
        {SEEDED "\"shape\": [4294967296, 4294967296], \"minval\": 0, \"maxval\": 1}}",
         ERROR_TOO_LARGE, "elements"},
        {SEEDED "\"shape\": [4294967296], \"minval\": 0, \"maxval\": 1}}", ERROR_TOO_LARGE,
         "window"},
        {SEEDED "\"shape\": [4], \"minval\": 0, \"maxval\": 1}, \"window\": [3, 2]}",
         ERROR_INVALID_ARGUMENT, "beyond"},
        {"{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f32\"},"
         " \"inputs\": {\"shape\": [2], \"minval\": 0, \"maxval\": 1}}",
         ERROR_NONDETERMINISTIC, "both 0"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena arena = {0};
        struct evaluation evaluation;
        struct diagnostic diagnostic = {.text = ""};
        assert_int_equal(evaluate_text(row[i].text, &arena, &evaluation, &diagnostic),
                         row[i].error);
        assert_non_null(strstr(diagnostic.text, row[i].says));
        arena_release(&arena);
    }
}

static void a_window_equals_its_slice_even_far_out(void **state)
{
    (void)state;
    static const char *const types[] = {"f16", "bf16", "f32", "f64", "i32", "i64"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct arena arena = {0};
        struct diagnostic diagnostic;
        struct evaluation whole, part;
        static const char form[] =
            "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"%s\", "
            "\"op_seed\": 3},"
            " \"inputs\": {\"shape\": [5000], \"minval\": 3, \"maxval\": 90}%s}";
        assert_int_equal(
            evaluate_text(arena_print(&arena, form, types[t], ""), &arena, &whole, &diagnostic),
            ERROR_NONE);
        for (unsigned first = 0; first < 5000; first += 997) {
            const char *const window = arena_print(&arena, ", \"window\": [%u, 7]", first);
            assert_int_equal(evaluate_text(arena_print(&arena, form, types[t], window), &arena,
                                           &part, &diagnostic),
                             ERROR_NONE);
            const size_t size = dtype_size(whole.tensor[0].dtype);
            assert_memory_equal((char *)whole.tensor[0].data + first * size, part.tensor[0].data,
                                7 * size);
        }
        arena_release(&arena);
    }
}

// A span of 2^32 has no low word: no option may divide by that.
static void no_profile_divides_by_a_cut_span(void **state)
{
    (void)state;
    static const char *const words[] = {"second_high", "one", "first_high"};
    static const char *const ranges[] = {"modulo", "multiply_high", "modulo_inclusive",
                                         "signed_span"};
    for (size_t w = 0; w < 3; w++)
        for (size_t r = 0; r < 4; r++) {
            struct arena arena = {0};
            struct diagnostic diagnostic;
            struct request request;
            struct evaluation evaluation;
            unsigned choice, option;
            assert_int_equal(
                read_text("{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": "
                          "\"i64\", \"op_seed\": 3},"
                          " \"inputs\": {\"shape\": [9], \"minval\": 0, \"maxval\": 4294967296}}",
                          &arena, &request, &diagnostic),
                ERROR_NONE);
            assert_true(variant_find(request.operation, "i64_words", words[w], &choice, &option));
            request.profile.option[choice] = (uint16_t)option;
            assert_true(
                variant_find(request.operation, "integer_range", ranges[r], &choice, &option));
            request.profile.option[choice] = (uint16_t)option;
            assert_int_equal(variant_evaluate(&request, &arena, &evaluation, &diagnostic),
                             ERROR_NONE);
            arena_release(&arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(seeds_are_64_bits_of_either_sign),
        cmocka_unit_test(typed_tensors_keep_their_bits),
        cmocka_unit_test(wrong_requests_are_refused_with_place_and_reason),
        cmocka_unit_test(rules_of_random_uniform_are_enforced),
        cmocka_unit_test(a_window_equals_its_slice_even_far_out),
        cmocka_unit_test(no_profile_divides_by_a_cut_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
