// SPDX-License-Identifier: Apache-2.0
// Certified matrix products beside OpenBLAS's own, in double and in float, of the same size: with
// the reused operand prepared beforehand, and with everything prepared in every call. The last
// resort beside MPFR.

#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "harness/bench/bench.h"
#include "harness/bench/openblas.h"
#include "ref/num/product/product.h"

enum { DGEMM = 0, SGEMM = 1, UNPREPARED = 2, GROWTH = 4, DDOT = 8 }; // variants: a peer, and flags

struct state {
    size_t rows, depth, columns;
    float *a, *b, *c;
    double *wide_a, *wide_b, *wide_c;
    void *left_buffer, *right_buffer, *work;
    struct num_operand left, right;
    bool prepared;
    struct openblas blas;
    char peer[160];
};

static void prepare_right(struct state *s)
{
    const struct num_view view = {DTYPE_F32, s->b, s->columns, s->depth, 1, (ptrdiff_t)s->columns};
    if (num_operand_prepare(&s->right, &view, s->right_buffer, NULL))
        abort();
}

static void certified(struct state *s, struct num_path *path)
{
    const struct num_view view = {DTYPE_F32, s->a, s->rows, s->depth, (ptrdiff_t)s->depth, 1};
    if (!s->prepared)
        prepare_right(s);
    if (num_operand_prepare(&s->left, &view, s->left_buffer, NULL))
        abort();
    const struct num_sum sum = {
        .rows = s->rows, .columns = s->columns, .products = 1, .product = {{s->left, s->right}}};
    if (num_sum_round(&sum, &(struct num_result){DTYPE_F32, s->c, (ptrdiff_t)s->columns, 1},
                      s->work, path, NULL))
        abort();
    bench_use(s->c);
}

static void ours(void *context)
{
    certified(context, NULL);
}

static void theirs_double(void *context)
{
    struct state *const s = context;
    openblas_dgemm(&s->blas, (int)s->rows, (int)s->depth, (int)s->columns, s->wide_a, s->wide_b,
                   s->wide_c);
    bench_use(s->wide_c);
}

static void theirs_dot(void *context)
{
    struct state *const s = context;
    s->wide_c[0] = s->blas.ddot((int)s->depth, s->wide_a, 1, s->wide_b, 1);
    bench_use(s->wide_c);
}

static void theirs_float(void *context)
{
    struct state *const s = context;
    openblas_sgemm(&s->blas, (int)s->rows, (int)s->depth, (int)s->columns, s->a, s->b, s->c);
    bench_use(s->c);
}

static void fill(float *narrow, double *wide, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        narrow[i] = (float)(int32_t)seed * 0x1p-31f;
        wide[i] = (double)narrow[i];
    }
}

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    void *const parts[] = {s->a,      s->b,      s->c,           s->wide_a,
                           s->wide_b, s->wide_c, s->left_buffer, s->right_buffer,
                           s->work,   s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct state *const s = calloc(1, sizeof *s);
    size_t left, right;
    if (!s || !openblas_find(&s->blas)) {
        snprintf(why, BENCH_WHY_SIZE, "no libopenblas.so.0");
        free(s);
        return false;
    }
    s->rows = row->size >> 32;
    s->depth = row->size >> 16 & 0xffff;
    s->columns = row->size & 0xffff;
    num_operand_bytes(s->rows, s->depth, &left);
    num_operand_bytes(s->columns, s->depth, &right);
    s->a = bench_take(s->rows * s->depth * sizeof *s->a);
    s->b = bench_take(s->depth * s->columns * sizeof *s->b);
    s->c = bench_take(s->rows * s->columns * sizeof *s->c);
    s->wide_a = bench_take(s->rows * s->depth * sizeof *s->wide_a);
    s->wide_b = bench_take(s->depth * s->columns * sizeof *s->wide_b);
    s->wide_c = bench_take(s->rows * s->columns * sizeof *s->wide_c);
    s->left_buffer = bench_take(left);
    s->right_buffer = bench_take(right);
    s->work = bench_take(num_sum_workspace(s->rows, s->columns));
    fill(s->a, s->wide_a, s->rows * s->depth, 1);
    fill(s->b, s->wide_b, s->depth * s->columns, 2);
    s->prepared = !(row->variant & UNPREPARED);
    prepare_right(s);
    struct num_path path = {0};
    certified(s, &path);
    snprintf(s->peer, sizeof s->peer, "OpenBLAS %s; second look %.1e, last resort %.1e",
             row->variant & SGEMM  ? "sgemm"
             : row->variant & DDOT ? "ddot"
                                   : "dgemm",
             (double)path.second / (double)path.elements,
             (double)path.third / (double)path.elements);
    *pair = (struct bench_pair){.peer = s->peer,
                                .ours = ours,
                                .theirs = row->variant & GROWTH  ? NULL
                                          : row->variant & DDOT  ? theirs_dot
                                          : row->variant & SGEMM ? theirs_float
                                                                 : theirs_double,
                                .state = s};
    pair->work.unit = "flop";
    pair->work.units = pair->work.f64 = 2.0 * (double)(s->rows * s->depth * s->columns);
    pair->work.read = sizeof(float) * (double)(s->depth * (s->rows + s->columns));
    return true;
}

// ---- the last resort --------------------------------------------------------

enum { LONG_DOT = 1024, EXACT_BITS = 600 };

struct dot {
    float a[LONG_DOT], b[LONG_DOT], c;
    void *left, *right;
    struct num_sum sum;
    void *work;
};

static void exact_ours(void *context)
{
    struct dot *const d = context;
    if (num_sum_round(&d->sum, &(struct num_result){DTYPE_F32, &d->c, 1, 1}, d->work,
                      &(struct num_path){.exact = true}, NULL))
        abort();
    bench_use(&d->c);
}

static void exact_mpfr(void *context)
{
    struct dot *const d = context;
    mpfr_t sum, product;
    mpfr_init2(sum, EXACT_BITS);
    mpfr_init2(product, 53);
    mpfr_set_zero(sum, 1);
    for (size_t k = 0; k < LONG_DOT; k++) {
        mpfr_set_flt(product, d->a[k], MPFR_RNDN);
        mpfr_mul_d(product, product, (double)d->b[k], MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
    }
    d->c = mpfr_get_flt(sum, MPFR_RNDN);
    mpfr_clears(sum, product, (mpfr_ptr)0);
    bench_use(&d->c);
}

static void exact_stop(struct bench_pair *pair)
{
    struct dot *const d = pair->state;
    free(d->left);
    free(d->right);
    free(d->work);
    free(pair->state);
}

static bool exact_start(const struct bench_row *row, struct bench_pair *pair,
                        char why[BENCH_WHY_SIZE])
{
    struct dot *const d = bench_take(sizeof *d);
    double ignored[LONG_DOT];
    size_t bytes = 0;
    (void)row;
    (void)why;
    fill(d->a, ignored, LONG_DOT, 3);
    fill(d->b, ignored, LONG_DOT, 4);
    d->sum = (struct num_sum){.rows = 1, .columns = 1, .products = 1};
    const struct num_view a = {DTYPE_F32, d->a, 1, LONG_DOT, 0, 1},
                          b = {DTYPE_F32, d->b, 1, LONG_DOT, 0, 1};
    num_operand_bytes(1, LONG_DOT, &bytes);
    d->left = bench_take(bytes);
    d->right = bench_take(bytes);
    if (num_operand_prepare(&d->sum.product[0].left, &a, d->left, NULL) ||
        num_operand_prepare(&d->sum.product[0].right, &b, d->right, NULL))
        abort();
    d->work = bench_take(num_sum_workspace(1, 1));
    *pair = (struct bench_pair){
        .peer = "MPFR, 600 bits", .ours = exact_ours, .theirs = exact_mpfr, .state = d};
    pair->work = (struct bench_work){.unit = "flop", .units = 2 * LONG_DOT};
    return true;
}

#define SIZE(rows, depth, columns) ((uint64_t)(rows) << 32 | (uint64_t)(depth) << 16 | (columns))
#define LARGE SIZE(64, 1024, 2048)
#define SMALL SIZE(32, 512, 2048)
#define GROWING(n)                                                                                 \
    {                                                                                              \
        "growth/product-side/" #n, "its growth", SIZE(n, n, n), DGEMM | UNPREPARED | GROWTH,       \
            &frame                                                                                 \
    }

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame exact_frame = {
    .start = exact_start, .stop = exact_stop, .processor = true};

static const struct bench_row rows[] = {
    {"product/64x1024x2048", "certified f32 product, right operand prepared, beside dgemm", LARGE,
     DGEMM, &frame},
    {"product/32x512x2048", "the same, smaller", SMALL, DGEMM, &frame},
    {"product/64x1024x2048-whole", "certified f32 product, all prepared in each call, beside dgemm",
     LARGE, DGEMM | UNPREPARED, &frame},
    {"product/32x512x2048-whole", "the same, smaller", SMALL, DGEMM | UNPREPARED, &frame},
    {"product/64x1024x2048-sgemm", "certified f32 product, right operand prepared, beside sgemm",
     LARGE, SGEMM, &frame},
    {"product/32x512x2048-sgemm", "the same, smaller", SMALL, SGEMM, &frame},
    {"product/dot-32768", "certified f32 dot product, all prepared in each call, beside ddot",
     SIZE(1, 32768, 1), UNPREPARED | DDOT, &frame},
    {"product/exact-1024",
     "the last resort for one element of depth 1024 (at most 5 us), beside MPFR", 0, 0,
     &exact_frame},
    GROWING(128),
    GROWING(256),
    GROWING(512),
    GROWING(1024),
};

const struct bench_table bench_num_product = {rows, sizeof rows / sizeof *rows};
