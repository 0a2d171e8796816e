// SPDX-License-Identifier: Apache-2.0
// Correctly rounded functions of f32 beside CORE-MATH's, which are correctly rounded too, and those
// of f64 beside the C library's, which are not. CORE-MATH's are compiled where the user names a
// folder with their source (`make bench CORE_MATH=DIR`), to core-math.so beside this program.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/bench/bench.h"
#include "ref/num/function/function.h"

enum { F64 = 0x100, FUNCTION = 0xff, PATH_SIZE = 4096 };

struct state {
    enum num_function function;
    enum dtype dtype;
    size_t count;
    void *in, *out;
    float (*core_math)(float);
    void *library;
    char peer[96];
};

static void ours(void *context)
{
    struct state *const s = context;
    num_function_array(s->function, s->dtype, s->out, s->dtype, s->in, s->count, NULL);
    bench_use(s->out);
}

static void core_math(void *context)
{
    struct state *const s = context;
    const float *const in = s->in;
    float *const out = s->out;
    for (size_t i = 0; i < s->count; i++)
        out[i] = s->core_math(in[i]);
    bench_use(s->out);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void libm(void *context)
{
    struct state *const s = context;
    const double *const in = s->in;
    double *const out = s->out;
    double (*const function)(double) = s->function == NUM_EXP    ? exp
                                       : s->function == NUM_LOG  ? log
                                       : s->function == NUM_TANH ? tanh
                                                                 : logistic;
    for (size_t i = 0; i < s->count; i++)
        out[i] = function(in[i]);
    bench_use(s->out);
}

// Within [-8, 8): the curved part and some of the flat; positive for a logarithm.
static void fill(struct state *s)
{
    uint64_t seed = 5;
    for (size_t i = 0; i < s->count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double x = (double)(int64_t)seed * 0x1p-60;
        if (s->dtype == DTYPE_F64)
            ((double *)s->in)[i] = s->function == NUM_LOG ? fabs(x) : x;
        else
            ((float *)s->in)[i] = (float)x;
    }
}

static bool find_core_math(struct state *s, char why[BENCH_WHY_SIZE])
{
    char path[PATH_SIZE] = "";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    char *const end = length > 0 ? strrchr(path, '/') : NULL;
    if (end)
        memcpy(end + 1, "core-math.so", sizeof "core-math.so");
    s->library = end ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *const symbol =
        s->library ? dlsym(s->library, s->function == NUM_EXP ? "cr_expf" : "cr_tanhf") : NULL;
    memcpy(&s->core_math, &symbol, sizeof symbol);
    if (!symbol)
        snprintf(why, BENCH_WHY_SIZE,
                 "needs CORE-MATH's source: make bench CORE_MATH=DIR, whose src/binary32 holds it");
    return symbol != NULL;
}

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    if (s->library)
        dlclose(s->library);
    free(s->in);
    free(s->out);
    free(s);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    const bool wide = row->variant & F64;
    const size_t size = wide ? sizeof(double) : sizeof(float);
    struct state *const s = calloc(1, sizeof *s);
    snprintf(why, BENCH_WHY_SIZE, "out of memory");
    if (!s)
        return false;
    *pair = (struct bench_pair){.peer = s->peer,
                                .ours = ours,
                                .theirs = wide ? libm : core_math,
                                .state = s,
                                .work = {.unit = "element",
                                         .units = (double)row->size,
                                         .read = (double)(row->size * size),
                                         .written = (double)(row->size * size)}};
    s->function = (enum num_function)(row->variant & FUNCTION);
    s->dtype = wide ? DTYPE_F64 : DTYPE_F32;
    s->count = row->size;
    s->in = bench_take(row->size * size);
    s->out = bench_take(row->size * size);
    if (!s->in || !s->out || (!wide && !find_core_math(s, why))) {
        stop(pair);
        return false;
    }
    fill(s);
    struct num_path path = {0};
    num_function_array(s->function, s->dtype, s->out, s->dtype, s->in, s->count, &path);
    snprintf(s->peer, sizeof s->peer, "%s; last resort %.1e",
             wide ? "libm, not correctly rounded" : "CORE-MATH",
             (double)path.third / (double)path.elements);
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};

static const struct bench_row rows[] = {
    {"tanh/core-math", "tanh of 2^14 f32 beside CORE-MATH's cr_tanhf", 1 << 14, NUM_TANH, &frame},
    {"exp/core-math", "exp of 2^14 f32 beside CORE-MATH's cr_expf", 1 << 14, NUM_EXP, &frame},
    {"exp/f64-libm", "exp of 2^14 f64 beside the C library's", 1 << 14, NUM_EXP | F64, &frame},
    {"log/f64-libm", "log of 2^14 f64 beside the C library's", 1 << 14, NUM_LOG | F64, &frame},
    {"tanh/f64-libm", "tanh of 2^14 f64 beside the C library's", 1 << 14, NUM_TANH | F64, &frame},
    {"logistic/f64-libm", "logistic of 2^14 f64 beside 1 / (1 + exp(-x)) with the C library's exp",
     1 << 14, NUM_LOGISTIC | F64, &frame},
};

const struct bench_table bench_function_peers = {rows, sizeof rows / sizeof *rows};
