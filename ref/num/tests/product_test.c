// SPDX-License-Identifier: Apache-2.0
// Products and expressions against MPFR with enough bits to be exact, on data made to hurt, by
// every path.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "ref/num/product/product.h"
#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

enum { EXACT_BITS = 2600 };

static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_BF16, DTYPE_F16};

// Kinds of hostile data: plain; 80 orders of magnitude; sums that cancel; subnormals; ties; sparse;
// sums brought beside a tie.
enum { PLAIN, WIDE, CANCELLING, SUBNORMAL, TIES, SPARSE, NEAR_TIE, KINDS, SPREAD };

static double datum(uint64_t *seed, int kind)
{
    const double unit = (double)(int64_t)oracle_random(seed) * 0x1p-63;
    switch (kind) {
    case WIDE:
        return ldexp(unit, (int)(oracle_random(seed) % 132) - 66);
    case SPREAD: // for sums that must stay finite
        return ldexp(unit, (int)(oracle_random(seed) % 80) - 40);
    case SUBNORMAL:
        return ldexp(unit, -120 - (int)(oracle_random(seed) % 30));
    case TIES:
        return (double)((int64_t)oracle_random(seed) >> 60);
    case SPARSE:
        return oracle_random(seed) % 4 ? 0.0 : unit;
    default:
        return unit;
    }
}

struct matrix {
    enum dtype dtype;
    size_t rows, columns;
    unsigned char data[1 << 16];
};

static double at(const struct matrix *m, size_t row, size_t column)
{
    return num_to_double(m->dtype,
                         element_load(m->data, dtype_size(m->dtype), row * m->columns + column));
}

static void put(struct matrix *m, size_t row, size_t column, double value)
{
    element_store(m->data, dtype_size(m->dtype), row * m->columns + column,
                  num_from_double(m->dtype, value));
}

static void fill(struct matrix *m, enum dtype dtype, size_t rows, size_t columns, int kind,
                 uint64_t *seed)
{
    m->dtype = dtype;
    m->rows = rows;
    m->columns = columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            put(m, r, c, datum(seed, kind == WIDE && dtype == DTYPE_F16 ? PLAIN : kind));
}

// Makes the second half of the depth repeat the first with the other sign, a little off now and
// then.
static void cancel(struct matrix *a, struct matrix *b, uint64_t *seed)
{
    const size_t depth = a->columns;
    for (size_t k = 0; k < depth / 2; k++) {
        for (size_t r = 0; r < a->rows; r++)
            put(a, r, depth - 1 - k, -at(a, r, k));
        for (size_t c = 0; c < b->columns; c++)
            put(b, depth - 1 - k, c, oracle_random(seed) % 50 ? at(b, k, c) : at(b, k, c) * 1.01);
    }
}

static void exact_element(mpfr_t sum, const struct matrix *a, const struct matrix *b,
                          const struct matrix *bias, size_t row, size_t column)
{
    mpfr_t x, y;
    mpfr_inits2(53, x, y, (mpfr_ptr)0);
    mpfr_set_d(sum, at(bias, 0, column), MPFR_RNDN);
    for (size_t k = 0; k < a->columns; k++) {
        mpfr_set_d(x, at(a, row, k), MPFR_RNDN);
        mpfr_set_d(y, at(b, k, column), MPFR_RNDN);
        mpfr_t product;
        mpfr_init2(product, 106);
        mpfr_mul(product, x, y, MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
        mpfr_clear(product);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

// Makes the last terms of row 0 close the distance to the next midpoint of `to`, each as far as one
// number can: the sum ends on the tie, or beside it by any share down to 2^-120.
static void approach_ties(struct matrix *a, struct matrix *b, const struct matrix *bias,
                          enum dtype to, uint64_t *seed)
{
    const size_t depth = a->columns, closing = 1 + oracle_random(seed) % 5;
    mpfr_t sum, rest;
    mpfr_inits2(EXACT_BITS, sum, rest, (mpfr_ptr)0);
    for (size_t c = 0; c < b->columns; c++) {
        for (size_t k = depth - closing; k < depth; k++) {
            put(a, 0, k, 1);
            put(b, k, c, 0);
        }
        exact_element(sum, a, b, bias, 0, c);
        const uint64_t near = num_from_double(to, oracle_round(to, sum, MPFR_RNDN));
        const double middle = (num_to_double(to, near) + num_to_double(to, near + 1)) / 2;
        for (size_t k = depth - closing; k < depth; k++) {
            mpfr_d_sub(rest, middle, sum, MPFR_RNDN);
            put(b, k, c, oracle_round(b->dtype, rest, MPFR_RNDN));
            exact_element(sum, a, b, bias, 0, c);
        }
    }
    mpfr_clears(sum, rest, (mpfr_ptr)0);
}

static struct num_operand prepared(const struct matrix *m, bool columns_are_vectors)
{
    const struct num_view view = {.dtype = m->dtype,
                                  .data = m->data,
                                  .vectors = columns_are_vectors ? m->columns : m->rows,
                                  .depth = columns_are_vectors ? m->rows : m->columns,
                                  .vector_stride = columns_are_vectors ? 1 : (ptrdiff_t)m->columns,
                                  .depth_stride = columns_are_vectors ? (ptrdiff_t)m->columns : 1};
    struct num_operand operand;
    size_t bytes;
    assert_true(num_operand_bytes(view.vectors, view.depth, &bytes));
    assert_int_equal(num_operand_prepare(&operand, &view, malloc(bytes), NULL), ERROR_NONE);
    return operand;
}

static void release(const struct num_operand *operand)
{
    free((void *)(uintptr_t)operand->values);
}

static struct num_expression bias_leaf(const struct matrix *bias)
{
    return (struct num_expression){
        .terms = 1,
        .term = {{.factors = 1,
                  .factor = {{.form = NUM_VALUE, .x = {bias->dtype, bias->data, 0, 1, 0}}}}}};
}

static void round_sum(const struct num_operand *a, const struct num_operand *b,
                      const struct num_expression *leaf, enum dtype to, void *out,
                      struct num_path *path)
{
    struct num_sum sum = {.rows = a->vectors,
                          .columns = b->vectors,
                          .products = 1,
                          .product = {{*a, *b}},
                          .leaf = leaf};
    const struct num_result result = {to, out, (ptrdiff_t)b->vectors, 1};
    void *const work = malloc(num_sum_workspace(sum.rows, sum.columns));
    assert_int_equal(num_sum_round(&sum, &result, work, path, NULL), ERROR_NONE);
    free(work);
}

// Each of the ways must give MPFR's bits. The oracle has no sign of zero; that has its own test.
static void hostile_products_equal_the_exact_sum_rounded_once(void **state)
{
    (void)state;
    static struct matrix a, b, bias;
    static const size_t depths[] = {1, 2, 3, 7, 31, 64, 65, 66, 67, 257};
    uint64_t seed = 11;
    mpfr_t exact;
    mpfr_init2(exact, EXACT_BITS);
    struct num_path ways[] = {
        {0}, {.exact = true}, {.perturbation = {0.5, 0.5}}, {.perturbation = {-0.5, -0.5}}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
                const size_t rows = 5, columns = 9, depth = depths[k];
                const enum dtype to = kind == TIES && d ? DTYPE_F32 : dtypes[d];
                const int within =
                    kind == NEAR_TIE && depth % 2 && dtypes[d] != DTYPE_F16 ? SPREAD : kind;
                fill(&a, dtypes[d], rows, depth, within, &seed);
                fill(&b, dtypes[d], depth, columns, within, &seed);
                fill(&bias, d == 1 ? DTYPE_F32 : dtypes[d], 1, columns, kind, &seed);
                if (kind == CANCELLING)
                    cancel(&a, &b, &seed);
                if (kind == NEAR_TIE &&
                    depth > 30) { // what remains of large terms that cancel, and little beside it
                    for (size_t j = 0; j < depth / 2; j++)
                        put(&a, 0, j, at(&a, 0, j) * 4096);
                    cancel(&a, &b, &seed);
                    approach_ties(&a, &b, &bias, to, &seed);
                }
                const struct num_operand left = prepared(&a, false), right = prepared(&b, true);
                const struct num_expression leaf = bias_leaf(&bias);
                for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
                    uint64_t out[45];
                    round_sum(&left, &right, &leaf, to, out, &ways[way]);
                    for (size_t i = 0; i < rows * columns; i++) {
                        exact_element(exact, &a, &b, &bias, i / columns, i % columns);
                        const double expected = oracle_round(to, exact, MPFR_RNDN);
                        const double got = num_to_double(to, element_load(out, dtype_size(to), i));
                        if (got != expected)
                            fail_msg(
                                "%s kind %d depth %zu way %zu element %zu: got %a, expected %a",
                                dtype_name(dtypes[d]), kind, depth, way, i, got, expected);
                    }
                }
                release(&left);
                release(&right);
            }
    mpfr_clear(exact);
}

static void a_fast_look_outside_its_bound_is_caught(void **state)
{
    (void)state;
    static struct matrix a, b, bias;
    uint64_t seed = 13;
    fill(&a, DTYPE_F32, 60, 200, PLAIN, &seed);
    fill(&b, DTYPE_F32, 200, 60, PLAIN, &seed);
    fill(&bias, DTYPE_F32, 1, 60, PLAIN, &seed);
    const struct num_operand left = prepared(&a, false), right = prepared(&b, true);
    const struct num_expression leaf = bias_leaf(&bias);
    static float honest[3600], moved[3600];
    round_sum(&left, &right, &leaf, DTYPE_F32, honest, NULL);
    struct num_path outside = {.perturbation = {0x1p16, 0}};
    round_sum(&left, &right, &leaf, DTYPE_F32, moved, &outside);
    assert_memory_not_equal(honest, moved, sizeof honest);
    struct num_path exact = {.exact = true};
    round_sum(&left, &right, &leaf, DTYPE_F32, moved, &exact);
    assert_memory_equal(honest, moved, sizeof honest);
    assert_int_equal(exact.third, 3600);
    release(&left);
    release(&right);
}

static void strides_transposes_and_slices_see_the_same_numbers(void **state)
{
    (void)state;
    static struct matrix a, b, bt, bias;
    uint64_t seed = 17;
    fill(&a, DTYPE_F32, 40, 30, PLAIN, &seed);
    fill(&b, DTYPE_F32, 30, 50, PLAIN, &seed);
    fill(&bias, DTYPE_F32, 1, 50, PLAIN, &seed);
    bt.dtype = DTYPE_F32, bt.rows = 50, bt.columns = 30;
    for (size_t r = 0; r < 30; r++)
        for (size_t c = 0; c < 50; c++)
            put(&bt, c, r, at(&b, r, c));
    const struct num_operand left = prepared(&a, false), right = prepared(&b, true),
                             turned = prepared(&bt, false);
    const struct num_expression leaf = bias_leaf(&bias);
    static float plain[2000], other[2000];
    round_sum(&left, &right, &leaf, DTYPE_F32, plain, NULL);
    round_sum(&left, &turned, &leaf, DTYPE_F32, other, NULL);
    assert_memory_equal(plain, other, sizeof plain);
    const struct num_operand below = num_operand_slice(&left, 20, 20);
    round_sum(&below, &right, &leaf, DTYPE_F32, other, NULL);
    assert_memory_equal(plain + 1000, other, 1000 * sizeof *plain);
    // Column by column into a transposed result, reading every other row backwards.
    const struct num_view backwards = {DTYPE_F32, (float *)(void *)a.data + 38 * 30, 20, 30, -60,
                                       1};
    struct num_operand every_other;
    size_t bytes;
    assert_true(num_operand_bytes(20, 30, &bytes));
    assert_int_equal(num_operand_prepare(&every_other, &backwards, malloc(bytes), NULL),
                     ERROR_NONE);
    struct num_sum sum = {
        .rows = 20, .columns = 50, .products = 1, .product = {{every_other, right}}, .leaf = &leaf};
    const struct num_result result = {DTYPE_F32, other, 1, 20};
    void *const work = malloc(num_sum_workspace(20, 50));
    assert_int_equal(num_sum_round(&sum, &result, work, NULL, NULL), ERROR_NONE);
    for (size_t r = 0; r < 20; r++)
        for (size_t c = 0; c < 50; c++)
            assert_true(other[c * 20 + r] == plain[(38 - 2 * r) * 50 + c]);
    struct diagnostic diagnostic;
    sum.rows = 21;
    assert_int_equal(num_sum_round(&sum, &result, work, NULL, &diagnostic), ERROR_INVALID_ARGUMENT);
    free(work);
    release(&left);
    release(&right);
    release(&turned);
    release(&every_other);
}

static void bytes_multiply_to_exact_integers(void **state)
{
    (void)state;
    enum { ROWS = 3, DEPTH = 700, COLUMNS = 5 };
    static uint8_t a[ROWS][DEPTH];
    static int8_t b[DEPTH][COLUMNS];
    uint64_t seed = 19;
    for (size_t k = 0; k < DEPTH; k++) {
        for (size_t r = 0; r < ROWS; r++)
            a[r][k] = r == 2 ? 255 : (uint8_t)oracle_random(&seed);
        for (size_t c = 0; c < COLUMNS; c++)
            b[k][c] = c == 4 ? -128 : c == 3 ? 0 : (int8_t)oracle_random(&seed);
    }
    static double left_buffer[NUM_PANEL * DEPTH + ROWS], right_buffer[NUM_PANEL * DEPTH + COLUMNS];
    struct num_sum sum = {.rows = ROWS, .columns = COLUMNS, .products = 1};
    const struct num_view left = {DTYPE_U8, a, ROWS, DEPTH, DEPTH, 1},
                          right = {DTYPE_I8, b, COLUMNS, DEPTH, 1, COLUMNS};
    assert_int_equal(num_operand_prepare(&sum.product[0].left, &left, left_buffer, NULL),
                     ERROR_NONE);
    assert_int_equal(num_operand_prepare(&sum.product[0].right, &right, right_buffer, NULL),
                     ERROR_NONE);
    int32_t out[ROWS][COLUMNS];
    void *const work = malloc(num_sum_workspace(ROWS, COLUMNS));
    struct num_path path = {0};
    assert_int_equal(
        num_sum_round(&sum, &(struct num_result){DTYPE_I32, out, COLUMNS, 1}, work, &path, NULL),
        ERROR_NONE);
    free(work);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            int32_t expected = 0;
            for (size_t k = 0; k < DEPTH; k++)
                expected += a[r][k] * b[k][c];
            assert_int_equal(out[r][c], expected);
        }
    assert_int_equal(path.second, 0);
}

// Rows and columns around the widths of registers and panels, slices that begin anywhere, depths
// around a block.
static void slices_of_any_place_and_size_multiply_the_same_numbers(void **state)
{
    (void)state;
    enum { VECTORS = 40, DEPTH_MAX = 600 };
    static int8_t a[VECTORS][DEPTH_MAX], b[DEPTH_MAX][VECTORS];
    static double left[VECTORS * (DEPTH_MAX + 1)], right[VECTORS * (DEPTH_MAX + 1)];
    static const size_t depths[] = {1, 5, 255, 256, 257, DEPTH_MAX};
    uint64_t seed = 23;
    for (size_t i = 0; i < VECTORS * DEPTH_MAX; i++) {
        a[i / DEPTH_MAX][i % DEPTH_MAX] = (int8_t)oracle_random(&seed);
        b[i / VECTORS][i % VECTORS] = (int8_t)oracle_random(&seed);
    }
    void *const work = malloc(num_sum_workspace(VECTORS, VECTORS));
    for (size_t n = 0; n < 600; n++) {
        const size_t depth = depths[n % 6], rows = 1 + n % 30,
                     row = oracle_random(&seed) % (VECTORS - rows + 1);
        const size_t columns = 1 + oracle_random(&seed) % 30,
                     column = oracle_random(&seed) % (VECTORS - columns + 1);
        const struct num_view av = {DTYPE_I8, a, VECTORS, depth, DEPTH_MAX, 1},
                              bv = {DTYPE_I8, b, VECTORS, depth, 1, VECTORS};
        struct num_operand whole[2];
        assert_int_equal(num_operand_prepare(&whole[0], &av, left, NULL), ERROR_NONE);
        assert_int_equal(num_operand_prepare(&whole[1], &bv, right, NULL), ERROR_NONE);
        const struct num_operand part =
            num_operand_slice(&whole[1], column, VECTORS - column); // a slice of a slice
        const struct num_sum sum = {.rows = rows,
                                    .columns = columns,
                                    .products = 1,
                                    .product = {{num_operand_slice(&whole[0], row, rows),
                                                 num_operand_slice(&part, 0, columns)}}};
        static int32_t out[VECTORS][VECTORS];
        assert_int_equal(
            num_sum_round(&sum, &(struct num_result){DTYPE_I32, out, VECTORS, 1}, work, NULL, NULL),
            ERROR_NONE);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++) {
                int32_t expected = 0;
                for (size_t k = 0; k < depth; k++)
                    expected += a[row + r][k] * b[k][column + c];
                assert_int_equal(out[r][c], expected);
            }
    }
    free(work);
}

// Integers again: the first product of each of several sums begun ahead, the second as ever, over
// more rows and columns than go together; and floats, bit for bit as without.
static void products_begun_ahead_change_no_sum(void **state)
{
    (void)state;
    enum { SUMS = 3, ROWS = 67, COLUMNS = 531, DEPTH = 259, STRIDE = COLUMNS + 3 };
    static int8_t a[SUMS * ROWS][DEPTH], b[DEPTH][COLUMNS];
    static float af[SUMS * ROWS][DEPTH], bf[DEPTH][COLUMNS];
    static int32_t out[ROWS][COLUMNS];
    static float outf[2][ROWS][COLUMNS];
    uint64_t seed = 31;
    for (size_t i = 0; i < SUMS * ROWS * DEPTH; i++) {
        a[i / DEPTH][i % DEPTH] = (int8_t)oracle_random(&seed);
        af[i / DEPTH][i % DEPTH] = (float)oracle_random(&seed) * 0x1p-64f;
    }
    for (size_t i = 0; i < DEPTH * COLUMNS; i++) {
        b[i / COLUMNS][i % COLUMNS] = (int8_t)oracle_random(&seed);
        bf[i / COLUMNS][i % COLUMNS] = (float)(int64_t)oracle_random(&seed) * 0x1p-63f;
    }
    size_t numbers, bytes;
    assert_true(num_begin_numbers(ROWS, SUMS, &numbers));
    double *const workspace = malloc(numbers * sizeof *workspace), *const begun =
                                                                       malloc(SUMS * ROWS * STRIDE *
                                                                              sizeof *begun);
    void *const work = malloc(num_sum_workspace(ROWS, COLUMNS));
    for (int floats = 0; floats < 2; floats++) {
        const enum dtype dtype = floats ? DTYPE_F32 : DTYPE_I8;
        const struct num_view av = {dtype, floats ? (void *)af : a, SUMS * ROWS, DEPTH, DEPTH, 1};
        const struct num_view bv = {dtype, floats ? (void *)bf : b, COLUMNS, DEPTH, 1, COLUMNS};
        struct num_operand left, right, part[SUMS];
        assert_true(num_operand_bytes(SUMS * ROWS, DEPTH, &bytes));
        assert_int_equal(num_operand_prepare(&left, &av, malloc(bytes), NULL), ERROR_NONE);
        assert_true(num_operand_bytes(COLUMNS, DEPTH, &bytes));
        assert_int_equal(num_operand_prepare(&right, &bv, malloc(bytes), NULL), ERROR_NONE);
        for (size_t i = 0; i < SUMS; i++)
            part[i] = num_operand_slice(&left, i * ROWS, ROWS);
        num_product_begin(part, SUMS, &right, begun, STRIDE, workspace);
        for (size_t i = 0; i < SUMS; i++) {
            struct num_sum sum = {.rows = ROWS,
                                  .columns = COLUMNS,
                                  .products = 2,
                                  .product = {{part[i], right}, {part[0], right}},
                                  .begun = begun + i * ROWS * STRIDE,
                                  .begun_stride = STRIDE};
            const struct num_result result = {floats ? DTYPE_F32 : DTYPE_I32,
                                              floats ? (void *)outf[0] : out, COLUMNS, 1};
            assert_int_equal(num_sum_round(&sum, &result, work, NULL, NULL), ERROR_NONE);
            sum.begun = NULL;
            if (floats)
                num_sum_round(&sum, &(struct num_result){DTYPE_F32, outf[1], COLUMNS, 1}, work,
                              NULL, NULL);
            assert_memory_equal(outf[0], outf[1], sizeof outf[0]);
            for (size_t r = 0; !floats && r < ROWS; r++)
                for (size_t c = 0; c < COLUMNS; c++) {
                    int32_t expected = 0;
                    for (size_t k = 0; k < DEPTH; k++)
                        expected += (a[i * ROWS + r][k] + a[r][k]) * b[k][c];
                    assert_int_equal(out[r][c], expected);
                }
        }
        release(&left);
        release(&right);
    }
    free(workspace);
    free(begun);
    free(work);
}

// More vectors, and numbers in a vector, than are read at a time.
static void long_operands_are_packed_whole(void **state)
{
    (void)state;
    enum { LONG = 1300 };
    static int8_t a[3][LONG], b[LONG];
    static double left[LONG * NUM_PANEL], right[LONG * NUM_PANEL];
    uint64_t seed = 29;
    int32_t dots[3] = {0}, out[3][LONG];
    for (size_t i = 0; i < LONG; i++)
        b[i] = (int8_t)oracle_random(&seed);
    for (size_t i = 0; i < 3 * LONG; i++) {
        a[i / LONG][i % LONG] = (int8_t)oracle_random(&seed);
        dots[i / LONG] += a[i / LONG][i % LONG] * b[i % LONG];
    }
    void *const work = malloc(num_sum_workspace(3, LONG));
    const struct num_view rows = {DTYPE_I8, a, 3, LONG, LONG, 1},
                          column = {DTYPE_I8, b, 1, LONG, 0, 1};
    const struct num_view threes = {DTYPE_I8, a, 3, 1, LONG, 1},
                          line = {DTYPE_I8, b, LONG, 1, 1, LONG};
    struct num_sum sum = {.rows = 3, .columns = 1, .products = 1};
    assert_int_equal(num_operand_prepare(&sum.product[0].left, &rows, left, NULL), ERROR_NONE);
    assert_int_equal(num_operand_prepare(&sum.product[0].right, &column, right, NULL), ERROR_NONE);
    assert_int_equal(
        num_sum_round(&sum, &(struct num_result){DTYPE_I32, out, 1, 1}, work, NULL, NULL),
        ERROR_NONE);
    assert_memory_equal(out, dots, sizeof dots);
    sum.columns = LONG; // the outer product of the first column and the line
    assert_int_equal(num_operand_prepare(&sum.product[0].left, &threes, left, NULL), ERROR_NONE);
    assert_int_equal(num_operand_prepare(&sum.product[0].right, &line, right, NULL), ERROR_NONE);
    assert_int_equal(
        num_sum_round(&sum, &(struct num_result){DTYPE_I32, out, LONG, 1}, work, NULL, NULL),
        ERROR_NONE);
    for (size_t i = 0; i < 3 * LONG; i++)
        assert_int_equal(out[i / LONG][i % LONG], a[i / LONG][0] * b[i % LONG]);
    free(work);
}

static uint32_t one_element_by(const float *a, const float *b, size_t depth, const float *leaf,
                               struct num_path *path)
{
    static double left[64], right[64];
    struct num_sum sum = {.rows = 1, .columns = 1, .products = 1};
    const struct num_view av = {DTYPE_F32, a, 1, depth, (ptrdiff_t)depth, 1},
                          bv = {DTYPE_F32, b, 1, depth, (ptrdiff_t)depth, 1};
    assert_int_equal(num_operand_prepare(&sum.product[0].left, &av, left, NULL), ERROR_NONE);
    assert_int_equal(num_operand_prepare(&sum.product[0].right, &bv, right, NULL), ERROR_NONE);
    const struct num_expression bias = {
        .terms = 1,
        .term = {{.factors = 1, .factor = {{.form = NUM_VALUE, .x = {DTYPE_F32, leaf, 0, 0, 0}}}}}};
    sum.leaf = leaf ? &bias : NULL;
    uint32_t out = 0;
    void *const work = malloc(num_sum_workspace(1, 1));
    assert_int_equal(
        num_sum_round(&sum, &(struct num_result){DTYPE_F32, &out, 1, 1}, work, path, NULL),
        ERROR_NONE);
    free(work);
    return out;
}

static uint32_t one_element(const float *a, const float *b, size_t depth, const float *leaf)
{
    return one_element_by(a, b, depth, leaf, NULL);
}

static void zeros_infinities_and_overflow_are_those_of_exact_arithmetic(void **state)
{
    (void)state;
    const float inf = INFINITY, huge = 0x1.fffffep127f, zero = 0, minus_zero = -0.0f;
    const uint32_t nan = 0x7fc00000, plus = 0x7f800000, minus = 0xff800000;
    assert_int_equal(one_element((float[]){inf, 1}, (float[]){2, 3}, 2, NULL), plus);
    assert_int_equal(one_element((float[]){inf, 1}, (float[]){0, 3}, 2, NULL), nan);
    assert_int_equal(one_element((float[]){inf, 1}, (float[]){1, -inf}, 2, NULL), nan);
    assert_int_equal(one_element((float[]){1, 2}, (float[]){1, 1}, 2, (float[]){-inf}), minus);
    assert_int_equal(one_element((float[]){-NAN, 2}, (float[]){1, 1}, 2, NULL), nan);
    assert_int_equal(one_element((float[]){huge, huge}, (float[]){huge, -huge}, 2, (float[]){1.5f}),
                     float_bits(1.5f));
    assert_int_equal(one_element((float[]){huge, huge}, (float[]){2, -1}, 2, NULL),
                     float_bits(huge));
    assert_int_equal(one_element((float[]){huge, huge}, (float[]){1, 1}, 2, NULL), plus);
    assert_int_equal(
        one_element((float[]){huge, huge}, (float[]){-1, 0x1p-25f}, 2, (float[]){-huge}), minus);
    assert_int_equal(one_element((float[]){1, 1}, (float[]){1, -1}, 2, (float[]){minus_zero}), 0);
    assert_int_equal(
        one_element((float[]){-1, 1}, (float[]){0, minus_zero}, 2, (float[]){minus_zero}),
        0x80000000);
    assert_int_equal(one_element((float[]){-1, 1}, (float[]){0, minus_zero}, 2, NULL), 0x80000000);
    assert_int_equal(one_element((float[]){-1, 1}, (float[]){0, zero}, 2, NULL), 0);
    assert_int_equal(one_element((float[]){-0x1p-80f}, (float[]){0x1p-80f}, 1, NULL),
                     0x80000000); // underflows
    assert_int_equal(one_element(NULL, NULL, 0, NULL), 0);
    assert_int_equal(one_element(NULL, NULL, 0, (float[]){minus_zero}), 0x80000000);
}

// A sum of zeros, or one that cancels without an error, is +0 where a term is positive.
static void zeros_want_the_exact_sum_only_where_all_terms_are_negative(void **state)
{
    (void)state;
    const float zero = 0, minus_zero = -0.0f;
    struct num_path path = {.elements = 0};
    assert_int_equal(one_element_by((float[]){-1, 1}, (float[]){0, minus_zero}, 2, &zero, &path),
                     0);
    assert_int_equal(one_element_by((float[]){3, 1}, (float[]){1, -1}, 2, (float[]){-2}, &path), 0);
    assert_int_equal(path.second, 2);
    assert_int_equal(path.third, 0);
    assert_int_equal(
        one_element_by((float[]){-1, 1}, (float[]){0, minus_zero}, 2, &minus_zero, &path),
        0x80000000);
    assert_int_equal(path.third, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_products_equal_the_exact_sum_rounded_once),
        cmocka_unit_test(a_fast_look_outside_its_bound_is_caught),
        cmocka_unit_test(strides_transposes_and_slices_see_the_same_numbers),
        cmocka_unit_test(bytes_multiply_to_exact_integers),
        cmocka_unit_test(products_begun_ahead_change_no_sum),
        cmocka_unit_test(long_operands_are_packed_whole),
        cmocka_unit_test(slices_of_any_place_and_size_multiply_the_same_numbers),
        cmocka_unit_test(zeros_infinities_and_overflow_are_those_of_exact_arithmetic),
        cmocka_unit_test(zeros_want_the_exact_sum_only_where_all_terms_are_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
