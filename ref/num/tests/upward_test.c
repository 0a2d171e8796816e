// SPDX-License-Identifier: Apache-2.0
// The product of magnitudes in integers: never below the exact sum, within the units that the
// header states, and the bytes that its definition gives in plain C, whatever the instruction set,
// the number of rows and the place of a slice.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/num/product/upward.h"

enum { ROWS_MAX = 27, VECTORS = 61, STRIDE = VECTORS + 3, DEPTH_MAX = 300, BLOCK = 256 };

struct fixture {
    float weights[DEPTH_MAX * VECTORS]; // [depth][vector]
    double left[ROWS_MAX * DEPTH_MAX], to[ROWS_MAX * STRIDE];
    struct num_operand operand;
    struct num_upward right;
    void *buffer, *left_buffer, *right_buffer;
};

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*seed * 0x1p-63;
}

static bool make_right(struct fixture *f, size_t vectors, size_t depth)
{
    struct diagnostic diagnostic;
    const struct num_view view = {DTYPE_F32, f->weights, vectors, depth, 1, VECTORS};
    assert_int_equal(num_operand_prepare(&f->operand, &view, f->buffer, &diagnostic), ERROR_NONE);
    return num_upward_right(&f->right, &f->operand, f->right_buffer);
}

static struct fixture *take(void)
{
    struct fixture *const f = calloc(1, sizeof *f);
    size_t bytes;
    assert_non_null(f);
    assert_true(num_operand_bytes(VECTORS, DEPTH_MAX, &bytes));
    f->buffer = malloc(bytes);
    assert_true(num_upward_bytes(ROWS_MAX, DEPTH_MAX, &bytes));
    f->left_buffer = malloc(bytes);
    assert_true(num_upward_bytes(VECTORS, DEPTH_MAX, &bytes));
    f->right_buffer = malloc(bytes);
    return f;
}

// Magnitudes over some powers of two and a few zeros; a row and a vector of zeros.
static struct fixture *make(size_t depth)
{
    struct fixture *const f = take();
    uint64_t seed = depth;
    for (size_t i = 0; i < depth * VECTORS; i++)
        f->weights[i] =
            i % VECTORS == 5 ? 0 : (float)ldexp(draw(&seed), -(int)(4 * fabs(draw(&seed))));
    for (size_t i = 0; i < ROWS_MAX * depth; i++)
        f->left[i] = i % 17 && i / depth != 4
                         ? ldexp(fabs(draw(&seed)), (int)(i / depth) - (int)(4 * fabs(draw(&seed))))
                         : 0;
    assert_true(make_right(f, VECTORS, depth));
    return f;
}

static void release(struct fixture *f)
{
    free(f->buffer);
    free(f->left_buffer);
    free(f->right_buffer);
    free(f);
}

static void multiply(struct fixture *f, size_t rows, size_t depth, size_t first, size_t vectors)
{
    struct num_upward left;
    assert_true(num_upward_left(&left, rows, depth, f->left, f->left_buffer));
    for (size_t i = 0; i < ROWS_MAX * STRIDE; i++)
        f->to[i] = i % STRIDE < vectors && i / STRIDE < rows ? 0 : 7;
    num_upward_add(&left, &f->right, first, vectors, f->to, STRIDE);
}

static double weight_of(const struct fixture *f, size_t k, size_t vector)
{
    return fabs((double)f->weights[k * VECTORS + vector]);
}

// The largest of the block that k lies in.
static double largest_of(const double *number, size_t apart, size_t depth, size_t k)
{
    double largest = 0;
    for (size_t i = k / BLOCK * BLOCK; i < depth && i < (k / BLOCK + 1) * BLOCK; i++)
        largest = fmax(largest, fabs(number[i * apart]));
    return largest;
}

// Products of 24-bit and 53-bit numbers in two doubles: far more exact than the claim is wide.
// `most`: the sum where each number is 2^-10 of the largest of its block larger.
static double sum_of(const struct fixture *f, size_t depth, size_t row, size_t vector, double *most)
{
    double sum = 0, lost = 0, column[DEPTH_MAX];
    *most = 0;
    for (size_t k = 0; k < depth; k++)
        column[k] = weight_of(f, k, vector);
    for (size_t k = 0; k < depth; k++) {
        const double a = f->left[row * depth + k], b = column[k], term = a * b;
        const double next = sum + term, part = next - sum;
        lost += (sum - (next - part)) + (term - part) + fma(a, b, -term);
        sum = next;
        if (a != 0 && b != 0)
            *most += (a + 0x1p-10 * largest_of(f->left + row * depth, 1, depth, k)) *
                     (b + 0x1p-10 * largest_of(column, 1, depth, k)) * (1 + 0x1p-40);
    }
    return sum + lost;
}

static void sums_of_magnitudes_are_bounded_closely_from_above(void **state)
{
    (void)state;
    static const size_t depths[] = {1, 2, 3, 255, 256, 257, 300};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct fixture *const f = make(depths[d]);
        multiply(f, ROWS_MAX, depths[d], 0, VECTORS);
        for (size_t r = 0; r < ROWS_MAX; r++)
            for (size_t v = 0; v < VECTORS; v++) {
                double most;
                const double exact = sum_of(f, depths[d], r, v, &most),
                             above = f->to[r * STRIDE + v];
                assert_true(above >= exact && above <= most);
            }
        release(f);
    }
}

// The least power of two of which the largest number of a block is less than 4095.
static double unit_of(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    const double unit = ldexp(1, exponent - 12);
    return largest / unit < 4095 ? unit : 2 * unit;
}

static double defined(const struct fixture *f, size_t depth, size_t row, size_t vector)
{
    double total = 0, column[DEPTH_MAX];
    for (size_t k = 0; k < depth; k++)
        column[k] = weight_of(f, k, vector);
    for (size_t first = 0; first < depth; first += BLOCK) {
        const double left = unit_of(largest_of(f->left + row * depth, 1, depth, first)),
                     right = unit_of(largest_of(column, 1, depth, first));
        uint64_t sum = 0;
        for (size_t k = first; k < depth && k < first + BLOCK; k++)
            sum +=
                (uint64_t)ceil(f->left[row * depth + k] / left) * (uint64_t)ceil(column[k] / right);
        total += (double)sum * (left * right);
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
                multiply(f, rows, DEPTH_MAX, first, vectors);
                for (size_t j = 0; j < ROWS_MAX * STRIDE; j++) {
                    const bool inside = j % STRIDE < vectors && j / STRIDE < rows;
                    assert_true(f->to[j] == (inside ? whole[j + first] : 7));
                }
            }
    release(f);
}

// All integers the largest there are: the sum needs all 32 bits.
static void the_largest_integers_do_not_overflow(void **state)
{
    (void)state;
    struct fixture *const f = take();
    const float largest = 4094.5F / 4096, tiny = 0x1p-149F;
    for (size_t k = 0; k < BLOCK; k++) {
        f->left[k] = (double)largest;
        for (size_t v = 0; v < VECTORS; v++)
            f->weights[k * VECTORS + v] = v ? largest : nextafterf(1, 0);
    }
    assert_true(make_right(f, VECTORS, BLOCK));
    multiply(f, 1, BLOCK, 0, VECTORS);
    for (size_t v = 1; v < VECTORS; v++)
        assert_true(f->to[v] == BLOCK * 4095.0 * 4095 * 0x1p-24);
    assert_true(f->to[0] == BLOCK * 4095.0 * 2048 * 0x1p-23);
    // What is far below the unit makes 1 of it, on both sides; not where it is 0.
    for (size_t k = 0; k < BLOCK; k++)
        f->left[k] *= 0x1p100;
    f->left[7] = 0x1p-1074;
    f->left[8] = 0;
    f->weights[9 * VECTORS + 1] = tiny;
    assert_true(make_right(f, VECTORS, BLOCK));
    multiply(f, 1, BLOCK, 0, VECTORS);
    assert_true(f->to[2] == ((BLOCK - 2) * 4095.0 * 4095 + 4095) * 0x1p76);
    assert_true(f->to[1] == ((BLOCK - 3) * 4095.0 * 4095 + 2 * 4095) * 0x1p76);
    // Just below a power of two, an integer would be 4096.
    for (size_t k = 0; k < BLOCK; k++)
        f->left[k] = 1 - 0x1p-53;
    multiply(f, 1, BLOCK, 0, VECTORS);
    assert_true(f->to[0] == BLOCK);
    release(f);
}

// One number of many that are as large as it on average, or far below.
static bool left_takes(struct fixture *f, double others, double one)
{
    struct num_upward left;
    for (size_t k = 0; k < DEPTH_MAX; k++)
        f->left[k] = k == 100 ? one : others;
    return num_upward_left(&left, 1, DEPTH_MAX, f->left, f->left_buffer);
}

static bool right_takes(struct fixture *f, double others, double one)
{
    for (size_t k = 0; k < DEPTH_MAX * VECTORS; k++)
        f->weights[k] = (float)(k == 100 * VECTORS + 60 ? one : others);
    return make_right(f, VECTORS, DEPTH_MAX);
}

static void what_would_be_too_coarse_is_refused(void **state)
{
    (void)state;
    static const struct {
        double others, one;
        bool right, left;
    } cases[] = {{1, 1, true, true},
                 {1, 0, true, true},
                 {0, 0, true, true},
                 {0, 1, true, true},
                 {1, 16, true, true},
                 {1, 100, false, false},
                 {0x1p-100, 0x1p-100, true, true},
                 {1, (double)INFINITY, false, false},
                 {1, (double)NAN, false, false},
                 {1, -(double)NAN, false, false},
                 {0x1p-510, 0x1p-510, true, false}, // 0 as a float
                 {0x1p510, 0x1p510, false, false}};
    struct fixture *const f = take();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(left_takes(f, cases[i].others, cases[i].one), cases[i].left);
        assert_int_equal(right_takes(f, cases[i].others, cases[i].one), cases[i].right);
    }
    release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_magnitudes_are_bounded_closely_from_above),
        cmocka_unit_test(bytes_are_those_of_the_definition_for_any_rows_and_slice),
        cmocka_unit_test(the_largest_integers_do_not_overflow),
        cmocka_unit_test(what_would_be_too_coarse_is_refused),
    };
    return cmocka_run_group_tests_name("upward", tests, NULL, NULL);
}
