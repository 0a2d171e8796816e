// SPDX-License-Identifier: Apache-2.0
// Declared operators, as the reference evaluates them, beside libraries: products beside OpenBLAS,
// the others beside PyTorch (NumPy where that is absent; the row names it, and how many elements of
// nodes each look decided). Reading a declaration stands beside 1 ms.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness/bench/bench.h"
#include "harness/bench/openblas.h"
#include "harness/bench/python_peer.h"
#include "ref/op/request.h"
#include "yaml/declared/operator.h"

enum { INPUTS_MAX = 3, NAME_SIZE = 128 };

enum work { DGEMM, SGEMM, SOFTMAX, LAYER, GELU, GELU_TANH, ATTENTION };

static const struct {
    const char *operator, * peer;
    unsigned inputs, rank;
    uint64_t shape[4];
} works[] = {
    [DGEMM] = {"onnx.mat_mul", "", 2, 2, {512, 512}},
    [SGEMM] = {"onnx.mat_mul", "", 2, 2, {512, 512}},
    [SOFTMAX] = {"onnx.softmax", "softmax", 1, 2, {1024, 1024}},
    [LAYER] = {"onnx.layer_normalization", "layer_normalization", 3, 2, {1024, 1024}},
    [GELU] = {"onnx.gelu", "gelu", 1, 2, {1024, 1024}},
    [GELU_TANH] = {"onnx.gelu", "gelu_tanh", 1, 2, {1024, 1024}},
    [ATTENTION] = {"onnx.attention", "attention", 3, 4, {1, 8, 512, 64}},
};

struct state {
    struct operators operators;
    struct request request;
    struct inference inference;
    void *data[OPERATION_OUTPUTS_MAX], *workspace;
    float *input[INPUTS_MAX];
    struct python_peer peer;
    struct openblas blas;
    double *wide[3];
    char name[NAME_SIZE];
};

static void ours(void *context)
{
    struct state *const s = context;
    struct diagnostic diagnostic;
    if (s->request.operation->evaluate(&s->request, &s->inference, s->data, s->workspace,
                                       &diagnostic))
        abort();
    bench_use(s->data[0]);
}

static void theirs(void *context)
{
    python_peer_call(&((struct state *)context)->peer);
}

static void theirs_double(void *context)
{
    struct state *const s = context;
    openblas_dgemm(&s->blas, 512, 512, 512, s->wide[0], s->wide[1], s->wide[2]);
    bench_use(s->wide[2]);
}

static void theirs_float(void *context)
{
    struct state *const s = context;
    openblas_sgemm(&s->blas, 512, 512, 512, s->input[0], s->input[1], s->data[0]);
    bench_use(s->data[0]);
}

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    python_peer_stop(&s->peer);
    for (size_t i = 0; i < INPUTS_MAX; i++) {
        free(s->input[i]);
        free(s->wide[i]);
    }
    for (size_t i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        free(s->data[i]);
    free(s->workspace);
    operators_release(&s->operators);
    free(s);
}

static void fill(float *to, double *wide, uint64_t count, uint32_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        to[i] = (float)(int32_t)seed * 0x1p-29f;
        if (wide)
            wide[i] = (double)to[i];
    }
}

// The request, its inputs, and room for what is made.
static bool take_request(struct state *s, enum work work, struct diagnostic *diagnostic)
{
    size_t size = 0;
    const struct operation *operation = NULL;
    s->operators.folder = "yaml/operators";
    if (operators_find(&s->operators, works[work].operator, & operation, diagnostic) || !operation)
        return false;
    request_start(&s->request, operation);
    s->request.outputs = 1;
    for (unsigned i = 0; i < works[work].inputs; i++) {
        struct tensor *const to = &s->request.input[i];
        const unsigned from = work == LAYER && i > 0 ? works[work].rank - 1 : 0;
        uint64_t count = 1;
        *to = (struct tensor){.dtype = DTYPE_F32, .rank = works[work].rank - from};
        for (unsigned d = 0; d < to->rank; d++)
            count *= to->shape[d] = works[work].shape[from + d];
        to->data = s->input[i] = bench_take(count * sizeof(float));
        if (work <= SGEMM)
            s->wide[i] = bench_take(count * sizeof(double));
        if (!to->data || (work <= SGEMM && !s->wide[i]))
            return false;
        fill(s->input[i], s->wide[i], count, i + 1);
    }
    if (work <= SGEMM)
        s->wide[2] = bench_take(works[work].shape[0] * works[work].shape[1] * sizeof(double));
    if (work == GELU_TANH)
        s->request.attribute[operation_attribute(operation, "approximate")] =
            (struct attribute_value){.present = true, .integer = 1};
    if (operation->infer(&s->request, &s->inference, diagnostic) ||
        operation->workspace_size(&s->request, &s->inference, false, &size, diagnostic))
        return false;
    s->workspace = bench_take(size);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        const struct tensor *const out = &s->inference.output[i];
        uint64_t count = dtype_size(out->dtype);
        for (unsigned d = 0; d < out->rank; d++)
            count *= out->shape[d];
        s->data[i] = out->dtype ? bench_take(count) : NULL;
    }
    return s->workspace && s->data[0];
}

static bool start_peer(struct state *s, enum work work, char why[BENCH_WHY_SIZE])
{
    char size[4][24];
    const char *arguments[7] = {"harness/bench/declared_peer.py", works[work].peer};
    if (work <= SGEMM) {
        if (openblas_find(&s->blas))
            return true;
        snprintf(why, BENCH_WHY_SIZE, "no libopenblas.so.0");
        return false;
    }
    for (unsigned d = 0; d < works[work].rank; d++) {
        snprintf(size[d], sizeof size[d], "%llu", (unsigned long long)works[work].shape[d]);
        arguments[2 + d] = size[d];
    }
    return python_peer_start(&s->peer, arguments, "PyTorch or NumPy", why);
}

// The least of products in double and of elements read and written.
static struct bench_work work_of(enum work work)
{
    const uint64_t *const n = works[work].shape;
    if (work <= SGEMM) {
        const double flops = 2.0 * (double)(n[0] * n[0] * n[0]);
        return (struct bench_work){.unit = "flop", .units = flops, .f64 = flops};
    }
    if (work == ATTENTION) { // queries by keys, weights by values
        const double flops = 4.0 * (double)(n[1] * n[2] * n[2] * n[3]);
        return (struct bench_work){.unit = "flop", .units = flops, .f64 = flops};
    }
    const double count = (double)(n[0] * n[1]);
    return (struct bench_work){
        .unit = "element", .units = count, .read = 4 * count, .written = 4 * count};
}

// The peer's name, and which shares of the elements of nodes were left to later looks.
static void name_looks(struct state *s, const char *peer)
{
    struct operation_looks looks = {0};
    s->request.looks = &looks;
    ours(s);
    s->request.looks = NULL;
    const double all = looks.elements ? (double)looks.elements : 1;
    snprintf(s->name, sizeof s->name, "%.40s; of %.3g looked at, in pairs %.1e, enclosed %.1e",
             peer, (double)looks.elements, (double)looks.pairs / all,
             (double)(looks.enclosed + looks.rational) / all);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    const enum work work = (enum work)row->variant;
    struct diagnostic diagnostic = {.text = "out of memory"};
    struct state *const s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, BENCH_WHY_SIZE, "out of memory");
        return false;
    }
    *pair = (struct bench_pair){.peer = s->name,
                                .ours = ours,
                                .theirs = work == SGEMM   ? theirs_float
                                          : work == DGEMM ? theirs_double
                                                          : theirs,
                                .state = s};
    pair->work = work_of(work);
    const bool taken = take_request(s, work, &diagnostic);
    if (!taken)
        snprintf(why, BENCH_WHY_SIZE, "%.200s", diagnostic.text);
    if (taken && start_peer(s, work, why)) {
        pair->process = s->peer.child;
        name_looks(s, work == SGEMM   ? "OpenBLAS sgemm"
                      : work == DGEMM ? "OpenBLAS dgemm"
                                      : s->peer.name);
        return true;
    }
    stop(pair);
    return false;
}

// ---- reading ----------------------------------------------------------------

static void read_all(void *context)
{
    struct operators operators = {.folder = "yaml/operators"};
    struct diagnostic diagnostic;
    (void)context;
    if (operators_add_folder(&operators, &diagnostic))
        abort();
    operators_release(&operators);
}

static void wait_for(void *context)
{
    const unsigned count = *(const unsigned *)context;
    struct timespec begin, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
           (long)count * 1000000);
}

static bool read_start(const struct bench_row *row, struct bench_pair *pair,
                       char why[BENCH_WHY_SIZE])
{
    static unsigned count;
    struct operators operators = {.folder = "yaml/operators"};
    struct diagnostic diagnostic;
    (void)row;
    if (operators_add_folder(&operators, &diagnostic)) {
        snprintf(why, BENCH_WHY_SIZE, "%.200s", diagnostic.text);
        return false;
    }
    count = operators.count;
    operators_release(&operators);
    *pair = (struct bench_pair){
        .peer = "1 ms for each", .ours = read_all, .theirs = wait_for, .state = &count};
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame read_frame = {.start = read_start, .processor = true};

static const struct bench_row rows[] = {
    {"declared/mat_mul-512", "onnx.mat_mul of f32, 512 x 512, beside sgemm", 0, SGEMM, &frame},
    {"declared/mat_mul-512-dgemm", "the same, beside dgemm", 0, DGEMM, &frame},
    {"declared/softmax-1024", "onnx.softmax of f32, 1024 x 1024", 0, SOFTMAX, &frame},
    {"declared/layer_norm-1024", "onnx.layer_normalization of f32, 1024 x 1024", 0, LAYER, &frame},
    {"declared/gelu-1024", "onnx.gelu of f32, 1024 x 1024", 0, GELU, &frame},
    {"declared/gelu_tanh-1024", "its tanh form", 0, GELU_TANH, &frame},
    {"declared/attention-8x512x64", "onnx.attention of f32, 8 heads, 512 x 64", 0, ATTENTION,
     &frame},
    {"declared/read", "all declarations that assay comes with, read", 0, 0, &read_frame},
};

const struct bench_table bench_declared = {rows, sizeof rows / sizeof *rows};
