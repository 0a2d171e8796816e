// SPDX-License-Identifier: Apache-2.0
// Operands of products hold the source's numbers, zeros beyond them, and norms that no vector's
// exceeds: along and across the vectors, with and without gaps, in sizes around panels and chunks.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/num/product/operand.h"
#include "ref/num/small_float.h"

enum { GAP = 3 };

static double number_at(const struct num_view *view, size_t v, size_t k)
{
    const ptrdiff_t at = (ptrdiff_t)v * view->vector_stride + (ptrdiff_t)k * view->depth_stride;
    const size_t size = dtype_size(view->dtype);
    return num_to_double(view->dtype,
                         element_load((const char *)view->data + at * (ptrdiff_t)size, size, 0));
}

static void check(const struct num_view *view)
{
    struct num_operand operand;
    size_t bytes;
    assert_true(num_operand_bytes(view->vectors, view->depth, &bytes));
    void *const buffer = malloc(bytes + 1);
    assert_non_null(buffer);
    memset(buffer, 0xff, bytes);
    assert_int_equal(num_operand_prepare(&operand, view, buffer, NULL), ERROR_NONE);
    for (size_t v = 0; v < (view->vectors + NUM_PANEL - 1) / NUM_PANEL * NUM_PANEL; v++) {
        const float *const number = num_operand_vector(&operand, v);
        long double squares = 0;
        for (size_t k = 0; k < view->depth; k++) {
            const double want = v < view->vectors ? number_at(view, v, k) : 0;
            assert_true((double)number[k * NUM_PANEL] == want);
            squares += (long double)want * (long double)want;
        }
        if (v >= view->vectors)
            continue;
        assert_true((long double)operand.norm[v] * (long double)operand.norm[v] >= squares);
        assert_true((double)operand.norm[v] <= (double)sqrtl(squares) * (1 + 0x1p-19));
    }
    free(buffer);
}

static void numbers_are_kept_and_norms_lie_above(void **state)
{
    static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F8E5M2, DTYPE_I8};
    static const size_t sizes[] = {0, 1, 3, 4, 7, 8, 9, 15, 17, 511, 513};
    enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 514 + GAP };
    (void)state;
    uint8_t *const data = malloc((size_t)MOST * MOST * 2 * sizeof(float));
    assert_non_null(data);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const size_t size = dtype_size(dtypes[d]);
        uint32_t seed = 7;
        for (size_t i = 0; i < (size_t)MOST * MOST * 2; i++) {
            seed = seed * 1664525 + 1013904223;
            const double x = dtypes[d] == DTYPE_I8 ? (double)(seed >> 24) - 128
                                                   : ((double)(seed >> 8) - 0x1p23) * 0x1p-20;
            element_store(data, size, i, num_from_double(dtypes[d], x));
        }
        for (size_t i = 0; i < SIZES * SIZES; i++) {
            const size_t vectors = sizes[i / SIZES], depth = sizes[i % SIZES];
            if (vectors * depth > 20000)
                continue;
            const ptrdiff_t along = (ptrdiff_t)depth + GAP, across = (ptrdiff_t)vectors + GAP;
            check(&(struct num_view){dtypes[d], data, vectors, depth, along, 1});
            check(&(struct num_view){dtypes[d], data, vectors, depth, 1, across});
            check(&(struct num_view){dtypes[d], data, vectors, depth, 2 * along, 2});
            check(&(struct num_view){dtypes[d], data, vectors, depth, 0, 1});
        }
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_kept_and_norms_lie_above),
    };
    return cmocka_run_group_tests_name("operand", tests, NULL, NULL);
}
