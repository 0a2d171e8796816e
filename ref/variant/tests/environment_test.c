// SPDX-License-Identifier: Apache-2.0
// The bytes of an answer do not depend on the floating-point mode of whoever asks, and the asker
// keeps that mode.

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/json.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { COUNT = 10 };

static void evaluate(const char *text, uint32_t answer[COUNT])
{
    static const char *const more[] = {"profile", NULL};
    struct arena arena = {0};
    struct document_source source = {.name = "test", .text = text, .size = strlen(text)};
    struct document_node *root;
    struct request request;
    struct evaluation evaluation;
    struct diagnostic diagnostic;
    assert_int_equal(json_read(&source, &arena, &root, &diagnostic), ERROR_NONE);
    assert_int_equal(request_read(root, more, NULL, &arena, &request, &diagnostic), ERROR_NONE);
    assert_int_equal(variant_evaluate(&request, &arena, &evaluation, &diagnostic), ERROR_NONE);
    assert_int_equal(evaluation.tensor[0].shape[0], COUNT);
    memcpy(answer, evaluation.tensor[0].data, COUNT * sizeof *answer);
    arena_release(&arena);
}

static const char tenths[] =
    "{\"op\": \"openvino.range\", \"attributes\": {\"output_type\": \"f32\"},"
    " \"inputs\": {\"start\": 0.1, \"stop\": 3, \"step\": 0.3}}";
static const char subnormals[] =
    "{\"op\": \"openvino.range\", \"attributes\": {\"output_type\": \"f32\"},"
    " \"inputs\": {\"start\": 1e-40, \"stop\": 2e-39, \"step\": 2e-40}}";

static void rounding_modes_change_nothing(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint32_t usual[COUNT], other[COUNT];
    evaluate(tenths, usual);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        evaluate(tenths, other);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_memory_equal(usual, other, sizeof usual);
        assert_int_equal(after, modes[i]);
    }
}

static void flushing_subnormals_changes_nothing(void **state)
{
    (void)state;
#if defined(__x86_64__)
    uint32_t usual[COUNT], other[COUNT];
    evaluate(subnormals, usual);
    const unsigned standard = _mm_getcsr();
    _mm_setcsr(standard | 0x8040); // flush to zero, denormals are zero
    evaluate(subnormals, other);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(standard);
    assert_memory_equal(usual, other, sizeof usual);
    assert_int_equal(after & 0x8040, 0x8040);
    assert_int_not_equal(usual[0], 0);
#else
    (void)subnormals;
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_modes_change_nothing),
        cmocka_unit_test(flushing_subnormals_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
