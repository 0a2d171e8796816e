// SPDX-License-Identifier: Apache-2.0
// The product of magnitudes in single precision: never below the exact sum, at most 1 + 2^-9.9
// times it, and the bytes that its definition gives in plain C, whatever the instruction set, the
// number of rows and the place of a slice.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/num/product/matrix.h"

enum { ROWS_MAX = 27, VECTORS = 61, STRIDE = VECTORS + 3, DEPTH_MAX = 300 };

struct fixture {
    float weights[DEPTH_MAX * VECTORS]; // [depth][vector]
    double left[ROWS_MAX * DEPTH_MAX], to[ROWS_MAX * STRIDE];
    struct num_operand right;
    void *buffer, *workspace;
};

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*seed * 0x1p-63;
}

// Magnitudes over ten powers of two and a few zeros.
static struct fixture *make(size_t depth)
{
    struct fixture *const f = calloc(1, sizeof *f);
    struct diagnostic diagnostic;
    uint64_t seed = depth;
    size_t bytes;
    assert_non_null(f);
    for (size_t i = 0; i < depth * VECTORS; i++)
        f->weights[i] = (float)ldexp(draw(&seed), (int)(8 * draw(&seed)));
    for (size_t i = 0; i < ROWS_MAX * depth; i++)
        f->left[i] = i % 17 ? ldexp(fabs(draw(&seed)), (int)(8 * draw(&seed))) : 0;
    assert_true(num_operand_bytes(VECTORS, depth, &bytes));
    f->buffer = malloc(bytes);
    assert_true(num_matrix_workspace(ROWS_MAX, &bytes));
    f->workspace = malloc(bytes);
    const struct num_view view = {DTYPE_F32, f->weights, VECTORS, depth, 1, VECTORS};
    assert_int_equal(num_operand_prepare(&f->right, &view, f->buffer, &diagnostic), ERROR_NONE);
    assert_true(num_operand_is_in_range(&f->right));
    return f;
}

static void release(struct fixture *f)
{
    free(f->buffer);
    free(f->workspace);
    free(f);
}

static void multiply(struct fixture *f, size_t rows, size_t first, size_t vectors)
{
    const struct num_operand right = num_operand_slice(&f->right, first, vectors);
    for (size_t i = 0; i < ROWS_MAX * STRIDE; i++)
        f->to[i] = i % STRIDE < vectors && i / STRIDE < rows ? 0 : 7;
    num_matrix_add_above(rows, f->left, &right, f->to, STRIDE, f->workspace);
}

// Products of 24-bit and 53-bit numbers in two doubles: far more exact than the claim is wide.
static double sum_of(const struct fixture *f, size_t depth, size_t row, size_t vector)
{
    double sum = 0, lost = 0;
    for (size_t k = 0; k < depth; k++) {
        const double a = f->left[row * depth + k],
                     b = fabs((double)f->weights[k * VECTORS + vector]), term = a * b;
        const double next = sum + term, part = next - sum;
        lost += (sum - (next - part)) + (term - part) + fma(a, b, -term);
        sum = next;
    }
    return sum + lost;
}

static void sums_of_magnitudes_are_bounded_closely_from_above(void **state)
{
    (void)state;
    static const size_t depths[] = {1, 3, 255, 256, 257, 300};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct fixture *const f = make(depths[d]);
        multiply(f, ROWS_MAX, 0, VECTORS);
        for (size_t r = 0; r < ROWS_MAX; r++)
            for (size_t v = 0; v < VECTORS; v++) {
                const double exact = sum_of(f, depths[d], r, v), above = f->to[r * STRIDE + v];
                assert_true(above >= exact && above <= exact * (1 + exp2(-9.9)));
            }
        release(f);
    }
}

// Up to 12 bits.
static float shortened(double x)
{
    const float rounded = (float)x;
    int exponent;
    const double significand = frexp((double)rounded, &exponent);
    return (float)ldexp(ceil(significand * 4096), exponent - 12);
}

static double defined(const struct fixture *f, size_t depth, size_t row, size_t vector)
{
    enum { BLOCK = 256 };
    double total = 0;
    for (size_t first = 0; first < depth; first += BLOCK) {
        float sum = 0;
        for (size_t k = first; k < depth && k < first + BLOCK; k++)
            sum += shortened(f->left[row * depth + k] * (1 + (BLOCK + 4) * 0x1p-24)) *
                   shortened(fabs((double)f->weights[k * VECTORS + vector]));
        total += (double)sum;
    }
    return total;
}

static void bytes_are_those_of_the_definition_for_any_rows_and_slice(void **state)
{
    (void)state;
    static double whole[ROWS_MAX * STRIDE];
    struct fixture *const f = make(DEPTH_MAX);
    for (size_t r = 0; r < ROWS_MAX; r++)
        for (size_t v = 0; v < VECTORS; v++)
            whole[r * STRIDE + v] = defined(f, DEPTH_MAX, r, v);
    for (size_t rows = 1; rows <= ROWS_MAX; rows++)
        for (size_t first = 0; first < 18; first += 1 + first % 3)
            for (size_t vectors = 1; first + vectors <= VECTORS; vectors += 1 + vectors / 8 * 5) {
                multiply(f, rows, first, vectors);
                for (size_t j = 0; j < ROWS_MAX * STRIDE; j++) {
                    const bool inside = j % STRIDE < vectors && j / STRIDE < rows;
                    assert_true(f->to[j] == (inside ? whole[j + first] : 7));
                }
            }
    release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_magnitudes_are_bounded_closely_from_above),
        cmocka_unit_test(bytes_are_those_of_the_definition_for_any_rows_and_slice),
    };
    return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
