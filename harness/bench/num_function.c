// SPDX-License-Identifier: Apache-2.0
// Correctly rounded tanh and logistic over 2^24 f32 beside the C library in double and float, and
// beside SLEEF in double where it and AVX2 are there. Conversions beside bare F16C instructions.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/bench/bench.h"
#include "harness/bench/num_peers.h"
#include "ref/base/isa.h"
#include "ref/num/function/function.h"
#include "ref/num/small_float.h"

enum { TANH = NUM_TANH, LOGISTIC = NUM_LOGISTIC };
enum { LIBM_DOUBLE = 0x100, LIBM_FLOAT = 0x200, SLEEF = 0x300, MPFR = 0x400, LIBM_TANH = 0x500 };
enum { PEER = 0xf00, FUNCTION = 0xff };

struct state {
    enum num_function function;
    size_t count;
    float *in, *out;
    uint16_t *half;
    const struct bench_sleef *sleef;
    char peer[96];
};

static void ours(void *context)
{
    struct state *const s = context;
    num_function_array(s->function, DTYPE_F32, s->out, DTYPE_F32, s->in, s->count, NULL);
    bench_use(s->out);
}

static void libm_tanh(void *context)
{
    struct state *const s = context;
    for (size_t i = 0; i < s->count; i++)
        s->out[i] = (float)tanh((double)s->in[i]);
    bench_use(s->out);
}

static void libm_double(void *context)
{
    struct state *const s = context;
    if (s->function == NUM_TANH)
        libm_tanh(s);
    else
        for (size_t i = 0; i < s->count; i++)
            s->out[i] = (float)(1 / (1 + exp(-(double)s->in[i])));
    bench_use(s->out);
}

static void libm_float(void *context)
{
    struct state *const s = context;
    if (s->function == NUM_TANH)
        for (size_t i = 0; i < s->count; i++)
            s->out[i] = tanhf(s->in[i]);
    else
        for (size_t i = 0; i < s->count; i++)
            s->out[i] = 1 / (1 + expf(-s->in[i]));
    bench_use(s->out);
}

// f64, with `in` and `out` as half as many doubles; by the last resort alone, and as ever.
static void in_f64(struct state *s, bool exact)
{
    struct num_path path = {.exact = exact};
    num_function_array(s->function, DTYPE_F64, s->out, DTYPE_F64, s->in, s->count / 2, &path);
    bench_use(s->out);
}

static void ours_in_f64(void *context)
{
    in_f64(context, false);
}

static void mpfr_in_f64(void *context)
{
    in_f64(context, true);
}

#if defined(__x86_64__)
static void sleef(void *context)
{
    struct state *const s = context;
    bench_sleef_evaluate(s->sleef, s->function == NUM_TANH, s->count, s->in, s->out);
    bench_use(s->out);
}
#endif

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    free(s->in);
    free(s->out);
    free(s->half);
    free(s);
}

static struct state *take(size_t count)
{
    struct state *const s = bench_take(sizeof *s);
    s->count = count;
    s->in = bench_take(count * sizeof *s->in);
    s->out = bench_take(count * sizeof *s->out);
    s->half = bench_take(count * sizeof *s->half);
    uint32_t seed = 5;
    for (size_t i = 0; i < count; i++) { // within [-8, 8): the curved part and some of the flat
        seed = seed * 1664525 + 1013904223;
        s->in[i] = (float)(int32_t)seed * 0x1p-28f;
    }
    return s;
}

// `count` elements, of `read` bytes that are read and `written` that are written.
static struct bench_work moves(double count, double read, double written)
{
    return (struct bench_work){
        .unit = "element", .units = count, .read = read * count, .written = written * count};
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct state *const s = take((size_t)row->size);
    struct num_path path = {0};
    s->function = (enum num_function)(row->variant & FUNCTION);
    *pair = (struct bench_pair){
        .bytes = s->count * sizeof *s->out, .ours = ours, .theirs = libm_double, .state = s};
    pair->work = moves((double)s->count, 4, 4);
    const char *name = "libm in double";
    if ((row->variant & PEER) == LIBM_FLOAT) {
        pair->theirs = libm_float;
        name = "libm in float";
    } else if ((row->variant & PEER) == LIBM_TANH) {
        pair->theirs = libm_tanh;
        name = "libm's tanh in double";
    } else if ((row->variant & PEER) == MPFR) {
        double *const in = (void *)s->in;
        for (size_t i = s->count / 2; i-- > 0;)
            in[i] = (double)i * 0x1p-9 - 4 + 0x1p-40 / 3;
        *pair = (struct bench_pair){
            .peer = "MPFR, one by one", .ours = ours_in_f64, .theirs = mpfr_in_f64, .state = s};
        pair->work = moves((double)s->count / 2, 8, 8);
        return true;
    } else if ((row->variant & PEER) == SLEEF) {
#if defined(__x86_64__)
        s->sleef = isa_available(ISA_AVX2) ? bench_sleef_load() : NULL;
        pair->theirs = sleef;
        name = "SLEEF in double, AVX2";
#endif
        if (!s->sleef) {
            snprintf(why, BENCH_WHY_SIZE, "needs AVX2 and libsleef.so.3 (libsleef3)");
            stop(pair);
            return false;
        }
    }
    num_function_array(s->function, DTYPE_F32, s->out, DTYPE_F32, s->in, s->count, &path);
    snprintf(s->peer, sizeof s->peer, "%s; last resort %.1e", name,
             (double)path.third / (double)path.elements);
    pair->peer = s->peer;
    return true;
}

// ---- conversions ------------------------------------------------------------

enum { TO_F16, FROM_F16, TO_BF16, TO_F8E4M3, TO_F8E5M2 };

static void to_f16(void *context)
{
    struct state *const s = context;
    num_convert_array(DTYPE_F16, s->half, DTYPE_F32, s->in, s->count);
    bench_use(s->half);
}

static void from_f16(void *context)
{
    struct state *const s = context;
    num_convert_array(DTYPE_F32, s->out, DTYPE_F16, s->half, s->count);
    bench_use(s->out);
}

static void to_bf16(void *context)
{
    struct state *const s = context;
    num_convert_array(DTYPE_BF16, s->half, DTYPE_F32, s->in, s->count);
    bench_use(s->half);
}

static void to_f8e4m3(void *context)
{
    struct state *const s = context;
    num_convert_array(DTYPE_F8E4M3, s->half, DTYPE_F32, s->in, s->count);
    bench_use(s->half);
}

static void to_f8e5m2(void *context)
{
    struct state *const s = context;
    num_convert_array(DTYPE_F8E5M2, s->half, DTYPE_F32, s->in, s->count);
    bench_use(s->half);
}

#if defined(__x86_64__)
static void bare_to_f16(void *context)
{
    struct state *const s = context;
    bench_f16c_narrow(s->count, s->in, s->half);
    bench_use(s->half);
}

static void bare_from_f16(void *context)
{
    struct state *const s = context;
    bench_f16c_widen(s->count, s->half, s->out);
    bench_use(s->out);
}
#endif

// To 8 bits eight vectors take, with AVX2, 48 instructions: eight fused products; four shifts and
// four blends into halves, four packings of halves and four shuffles into order; twelve for signs
// and rounding; a look for what is rare, of eight maxima, two comparisons and a test in two. They
// take 15.1 cycles, without the look for ties 13.4. With AVX-512 four take 20: four fused products,
// two permutations into halves and two that pack them, one with their signs and one in order; two
// without signs, two roundings; a look for what is rare, of three maxima, two comparisons and a
// test. Measured on Zen 4, products, roundings, comparisons and, beside a product, permutations
// share two of the four pipes and issue once a cycle. All of them without dependences take 10.2
// cycles, as they stand 15.1, without the look for ties 12.7; of 0.9 of F16C there are 13.4 left
// for four vectors.
static bool start_conversion(const struct bench_row *row, struct bench_pair *pair,
                             char why[BENCH_WHY_SIZE])
{
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2)) {
        struct state *const s = take((size_t)row->size);
        const double count = (double)row->size;
        *pair = (struct bench_pair){.peer = "bare F16C",
                                    .bytes = 2 * row->size,
                                    .ours = to_f16,
                                    .theirs = bare_to_f16,
                                    .state = s,
                                    .work = moves(count, 4, 2)};
        if (row->variant == FROM_F16) {
            to_f16(s);
            pair->bytes = 4 * row->size;
            pair->ours = from_f16;
            pair->theirs = bare_from_f16;
            pair->work = moves(count, 2, 4);
        } else if (row->variant != TO_F16) {
            pair->peer = "bare F16C to f16";
            pair->ours = row->variant == TO_BF16     ? to_bf16
                         : row->variant == TO_F8E4M3 ? to_f8e4m3
                                                     : to_f8e5m2;
            if (row->variant != TO_BF16)
                pair->work.instructions = bench_instructions(4 * count, 6, 5);
        }
        return true;
    }
#endif
    (void)row;
    (void)pair;
    snprintf(why, BENCH_WHY_SIZE, "needs F16C");
    return false;
}

#define ALL (1 << 24)

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame conversion_frame = {
    .start = start_conversion, .stop = stop, .processor = true};

static const struct bench_row rows[] = {
    {"tanh/libm-double", "tanh of 2^24 f32 beside the C library's double tanh", ALL,
     TANH | LIBM_DOUBLE, &frame},
    {"tanh/libm-float", "beside its float tanh (not correctly rounded)", ALL, TANH | LIBM_FLOAT,
     &frame},
    {"tanh/sleef", "beside SLEEF's double tanh", ALL, TANH | SLEEF, &frame},
    {"logistic/libm-tanh", "logistic of 2^24 f32 beside the C library's double tanh", ALL,
     LOGISTIC | LIBM_TANH, &frame},
    {"logistic/libm-double", "beside 1 / (1 + exp(-x)) with its double exp", ALL,
     LOGISTIC | LIBM_DOUBLE, &frame},
    {"logistic/libm-float", "beside its float exp (not correctly rounded)", ALL,
     LOGISTIC | LIBM_FLOAT, &frame},
    {"logistic/sleef", "beside SLEEF's double exp", ALL, LOGISTIC | SLEEF, &frame},
    {"logistic/f64-mpfr", "logistic of 2^12 f64 beside MPFR alone, both correctly rounded", 1 << 13,
     LOGISTIC | MPFR, &frame},
    {"convert/f32-f16", "2^14 f32 to f16, NaN made canonical, beside bare F16C", 1 << 14, TO_F16,
     &conversion_frame},
    {"convert/f16-f32", "2^14 f16 to f32, likewise", 1 << 14, FROM_F16, &conversion_frame},
    {"convert/f32-bf16", "2^14 f32 to bf16 beside F16C to f16", 1 << 14, TO_BF16,
     &conversion_frame},
    {"convert/f32-f8e4m3", "2^14 f32 to f8e4m3, likewise", 1 << 14, TO_F8E4M3, &conversion_frame},
    {"convert/f32-f8e5m2", "2^14 f32 to f8e5m2, likewise", 1 << 14, TO_F8E5M2, &conversion_frame},
};

const struct bench_table bench_num_function = {rows, sizeof rows / sizeof *rows};
