// SPDX-License-Identifier: Apache-2.0
// Nothing left out: every f32 through tanh, logistic, exp, log1p and to every narrower float, every
// f16 and bf16 through every function, and ten million hostile dot products. usage: exhaustive
// [STRIDE] (1: all; N: every Nth f32, a Nth of the dot products)
//
// The second opinion on f32 functions is the C library in double, which shares no code with ours;
// where its value lies so near a tie that its own error could matter, MPFR decides. Conversions are
// held against rint on scaled doubles, dot products against MPFR sums wide enough to be exact.
// Exits 1 when anything is wrong.

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ref/base/threads.h"
#include "ref/num/product/product.h"
#include "ref/num/tests/function_oracle.h"

enum { BLOCK = 1 << 14, SHOWN = 10 };

// What all pieces of one sweep share.
struct sweep {
    const char *name;
    enum num_function function;
    enum dtype dtype;
    uint64_t stride;
    pthread_mutex_t lock;
    uint64_t checked, asked, wrong; // values; of those, how many needed MPFR; mistakes
    struct num_path path;
    const double *value; // of each code of a narrow dtype
};

static void report(struct sweep *sweep, uint64_t in, uint64_t got)
{
    pthread_mutex_lock(&sweep->lock);
    if (sweep->wrong++ < SHOWN)
        printf("  WRONG %s: %" PRIx64 " gave %" PRIx64 "\n", sweep->name, in, got);
    pthread_mutex_unlock(&sweep->lock);
}

static void count(struct sweep *sweep, uint64_t checked, uint64_t asked,
                  const struct num_path *path)
{
    pthread_mutex_lock(&sweep->lock);
    sweep->checked += checked;
    sweep->asked += asked;
    sweep->path.elements += path->elements;
    sweep->path.second += path->second;
    sweep->path.third += path->third;
    pthread_mutex_unlock(&sweep->lock);
}

// ---- functions of every f32 -------------------------------------------------

static double opinion(enum num_function function, double x)
{
    switch (function) {
    case NUM_EXP:
        return exp(x);
    case NUM_LOG1P:
        return log1p(x);
    case NUM_TANH:
        return tanh(x);
    default:
        return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
    }
}

// The C library's functions are good to 2 ulp of double, the quotient to a few more: 2^-48 is
// generous.
static bool agrees(enum num_function function, uint32_t in, uint32_t got, uint64_t *asked)
{
    const double x = (double)float_from_bits(in), y = opinion(function, x);
    if (isnan(y) || isinf(y)) // an infinity of the C library is a pole, or far beyond f32
        return got == (isnan(y) ? 0x7fc00000 : y > 0 ? 0x7f800000 : 0xff800000);
    const float low = (float)(y - fabs(y) * 0x1p-48), high = (float)(y + fabs(y) * 0x1p-48);
    if (low == high && float_bits(low) == got)
        return true;
    ++*asked;
    return oracle_agrees(function, DTYPE_F32, got, DTYPE_F32, in);
}

static enum error check_function(void *context, uint64_t first, uint64_t total,
                                 struct diagnostic *diagnostic)
{
    struct sweep *const sweep = context;
    struct num_path path = {0};
    uint64_t asked = 0;
    (void)diagnostic;
    for (uint64_t at = first; at < first + total; at += BLOCK) {
        static _Thread_local uint32_t in[BLOCK], out[BLOCK];
        const size_t length = first + total - at < BLOCK ? (size_t)(first + total - at) : BLOCK;
        for (size_t i = 0; i < length; i++)
            in[i] = (uint32_t)((at + i) * sweep->stride);
        num_function_array(sweep->function, DTYPE_F32, out, DTYPE_F32, in, length, &path);
        for (size_t i = 0; i < length; i++)
            if (!agrees(sweep->function, in[i], out[i], &asked))
                report(sweep, in[i], out[i]);
    }
    count(sweep, total, asked, &path);
    mpfr_free_cache();
    return ERROR_NONE;
}

// ---- functions of every f16 and bf16 ----------------------------------------

static enum error check_small_function(void *context, uint64_t first, uint64_t total,
                                       struct diagnostic *diagnostic)
{
    struct sweep *const sweep = context;
    struct num_path path = {0};
    (void)diagnostic;
    for (uint64_t in = first; in < first + total; in++) {
        const uint64_t got =
            num_function_round(sweep->function, sweep->dtype, sweep->dtype, in, &path);
        if (!oracle_agrees(sweep->function, sweep->dtype, got, sweep->dtype, in))
            report(sweep, in, got);
    }
    count(sweep, total, total, &path);
    mpfr_free_cache();
    return ERROR_NONE;
}

// ---- conversions of every f32 -----------------------------------------------

// x to the grid of the format by scaling and rint, as a value; beyond the largest number infinity,
// or NaN.
static double to_grid(enum dtype dtype, double x)
{
    static const struct {
        int precision, exponent_min;
        double largest, beyond;
    } formats[DTYPE_COUNT] = {[DTYPE_F16] = {11, -14, 65504, INFINITY},
                              [DTYPE_BF16] = {8, -126, 0x1.fep127, INFINITY},
                              [DTYPE_F8E4M3] = {4, -6, 448, NAN},
                              [DTYPE_F8E5M2] = {3, -14, 57344, INFINITY}};
    const int field = (int)(double_bits(x) >> 52 & 0x7ff) - 1023;
    const int exponent =
        (field < formats[dtype].exponent_min ? formats[dtype].exponent_min : field) -
        formats[dtype].precision + 1;
    const double up = double_from_bits((uint64_t)(1023 - exponent) << 52),
                 down = double_from_bits((uint64_t)(1023 + exponent) << 52);
    const double scaled = x * up; // adding 2^52 and taking it away again is rint
    const double rounded =
        (fabs(scaled) < 0x1p51 ? copysign((fabs(scaled) + 0x1p52) - 0x1p52, x) : scaled) * down;
    return fabs(rounded) > formats[dtype].largest ? copysign(formats[dtype].beyond, x) : rounded;
}

static enum error check_conversion(void *context, uint64_t first, uint64_t total,
                                   struct diagnostic *diagnostic)
{
    struct sweep *const sweep = context;
    const size_t size = dtype_size(sweep->dtype);
    const struct num_path path = {0};
    (void)diagnostic;
    for (uint64_t at = first; at < first + total; at += BLOCK) {
        static _Thread_local uint32_t in[BLOCK];
        static _Thread_local uint16_t out[BLOCK];
        const size_t length = first + total - at < BLOCK ? (size_t)(first + total - at) : BLOCK;
        for (size_t i = 0; i < length; i++)
            in[i] = (uint32_t)((at + i) * sweep->stride);
        num_convert_array(sweep->dtype, out, DTYPE_F32, in, length);
        for (size_t i = 0; i < length; i++) {
            const uint64_t got = element_load(out, size, i);
            if (!oracle_same(sweep->value[got],
                             to_grid(sweep->dtype, (double)float_from_bits(in[i]))))
                report(sweep, in[i], got);
        }
    }
    count(sweep, total, 0, &path);
    return ERROR_NONE;
}

// ---- hostile dot products ---------------------------------------------------

enum { SIDE = 8, DEPTH_MAX = 48, EXACT_BITS = 1200 };

static float hostile(uint64_t *seed, unsigned kind)
{
    const double unit = (double)(int64_t)oracle_random(seed) * 0x1p-63;
    switch (kind) {
    case 0:
        return (float)unit;
    case 1: // eighty orders of magnitude
        return (float)ldexp(unit, (int)(oracle_random(seed) % 132) - 66);
    case 2: // small integers: ties
        return (float)((int64_t)oracle_random(seed) >> 60);
    case 3: // subnormals
        return (float)ldexp(unit, -120 - (int)(oracle_random(seed) % 30));
    default: // powers of two and their neighbours: ties through cancellation
        return (float)ldexp(1 + (double)((int)(oracle_random(seed) % 3) - 1) * 0x1p-23,
                            (int)(oracle_random(seed) % 50) - 25);
    }
}

// Later terms repeat earlier ones with the other sign, now and then a bit off.
static void cancel(float a[SIDE][DEPTH_MAX], float b[SIDE][DEPTH_MAX], size_t depth, uint64_t *seed)
{
    for (size_t k = 0; k < depth / 2; k++)
        for (size_t i = 0; i < SIDE; i++) {
            const uint64_t off = oracle_random(seed) % 8;
            a[i][depth - 1 - k] = -a[i][k];
            b[i][depth - 1 - k] = off ? b[i][k] : float_from_bits(float_bits(b[i][k]) ^ 1);
        }
}

static double exact_dot(const float *a, const float *b, size_t depth, mpfr_t sum, mpfr_t product)
{
    mpfr_set_zero(sum, 1);
    for (size_t k = 0; k < depth; k++) {
        mpfr_set_flt(product, a[k], MPFR_RNDN);
        mpfr_mul_d(product, product, (double)b[k], MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
    }
    return oracle_round(DTYPE_F32, sum, MPFR_RNDN);
}

static enum error check_dots(void *context, uint64_t first, uint64_t total,
                             struct diagnostic *diagnostic)
{
    struct sweep *const sweep = context;
    struct num_path path = {0};
    static _Thread_local float a[SIDE][DEPTH_MAX], b[SIDE][DEPTH_MAX], out[SIDE][SIDE];
    static _Thread_local double left[SIDE * (DEPTH_MAX + 1)], right[SIDE * (DEPTH_MAX + 1)];
    void *const work = malloc(num_sum_workspace(SIDE, SIDE));
    mpfr_t sum, product;
    mpfr_init2(sum, EXACT_BITS);
    mpfr_init2(product, 64);
    for (uint64_t n = first; n < first + total; n++) {
        uint64_t seed = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
        const size_t depth = 1 + oracle_random(&seed) % DEPTH_MAX;
        for (size_t k = 0; k < depth; k++)
            for (size_t i = 0; i < SIDE; i++) {
                a[i][k] = hostile(&seed, (unsigned)(n % 5));
                b[i][k] = hostile(&seed, (unsigned)(n % 5));
            }
        if (n / 5 % 2)
            cancel(a, b, depth, &seed);
        struct num_sum s = {.rows = SIDE, .columns = SIDE, .products = 1};
        const struct num_view av = {DTYPE_F32, a, SIDE, depth, DEPTH_MAX, 1},
                              bv = {DTYPE_F32, b, SIDE, depth, DEPTH_MAX, 1};
        if (num_operand_prepare(&s.product[0].left, &av, left, diagnostic) ||
            num_operand_prepare(&s.product[0].right, &bv, right, diagnostic) ||
            num_sum_round(&s, &(struct num_result){DTYPE_F32, out, SIDE, 1}, work, &path,
                          diagnostic))
            return diagnostic->error;
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            const double expected = exact_dot(a[i / SIDE], b[i % SIDE], depth, sum, product);
            if ((double)out[i / SIDE][i % SIDE] != expected)
                report(sweep, n * SIDE * SIDE + i, float_bits(out[i / SIDE][i % SIDE]));
        }
    }
    count(sweep, total * SIDE * SIDE, total * SIDE * SIDE, &path);
    mpfr_clears(sum, product, (mpfr_ptr)0);
    mpfr_free_cache();
    free(work);
    return ERROR_NONE;
}

// ---- all of it --------------------------------------------------------------

static uint64_t all_checked, all_wrong;

static void run(struct sweep sweep, uint64_t total, threads_job job)
{
    struct diagnostic diagnostic;
    struct timespec before, after;
    pthread_mutex_init(&sweep.lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (threads_run(0, total, 1 << 12, job, &sweep, &diagnostic)) {
        printf("%s: %s\n", sweep.name, diagnostic.text);
        sweep.wrong++;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    const double seconds =
        (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    printf("%-24s %-5s %11" PRIu64 " checked %10" PRIu64 " wrong %10" PRIu64
           " by MPFR  second look %8.1e  last resort %8.1e %7.1f s\n",
           sweep.name, dtype_name(sweep.dtype), sweep.checked, sweep.wrong, sweep.asked,
           sweep.path.elements ? (double)sweep.path.second / (double)sweep.path.elements : 0,
           sweep.path.elements ? (double)sweep.path.third / (double)sweep.path.elements : 0,
           seconds);
    fflush(stdout);
    all_checked += sweep.checked;
    all_wrong += sweep.wrong;
}

int main(int argc, char **argv)
{
    const uint64_t stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                   all = (UINT64_C(1) << 32) / (stride ? stride : 1);
    static const enum num_function functions[] = {NUM_TANH, NUM_LOGISTIC, NUM_EXP, NUM_LOG1P};
    static const enum dtype narrow[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2};
    if (argc > 2 || stride == 0) {
        fprintf(stderr, "usage: exhaustive [STRIDE]\n");
        return 2;
    }
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++)
        for (size_t d = 0; d < 2; d++)
            run((struct sweep){.name = function_name(f), .function = f, .dtype = narrow[d]},
                1 << 16, check_small_function);
    run((struct sweep){.name = "hostile dot products", .dtype = DTYPE_F32},
        (10000000 / (SIDE * SIDE) + 1) / stride, check_dots);
    for (size_t d = 0; d < sizeof narrow / sizeof *narrow; d++) {
        static double value[1 << 16];
        for (uint64_t code = 0; code < UINT64_C(1) << (8 * dtype_size(narrow[d])); code++)
            value[code] =
                num_to_double(narrow[d], code); // checked code by code in small_float_test
        run(
            (struct sweep){
                .name = "from f32", .dtype = narrow[d], .stride = stride, .value = value},
            all, check_conversion);
    }
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        run((struct sweep){.name = function_name(functions[f]),
                           .function = functions[f],
                           .dtype = DTYPE_F32,
                           .stride = stride},
            all, check_function);
    printf("exhaustive: %" PRIu64 " results checked, %" PRIu64 " wrong\n", all_checked, all_wrong);
    return all_wrong != 0;
}
