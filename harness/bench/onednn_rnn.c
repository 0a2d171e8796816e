// SPDX-License-Identifier: Apache-2.0
// onednn.rnn beside oneDNN and beside plain loops in double: one layer of 50 steps, 32 rows and 512
// channels in f32. Values with bounds beside values alone, and two threads beside one.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/onednn.h"
#include "ref/op/onednn/rnn.h"
#include "ref/op/onednn/rnn_problem.h"
#include "ref/op/request.h"

enum { TIMES = 50, BATCH = 32, CHANNELS = 512, GATES_MAX = 4 };
// Variants: a peer, and flags.
enum { ONEDNN = 1, PLAIN, BOUNDS, THREADS, PEERS = 7, GRU = 8, TRAINING = 16 };

enum buffer { X, W, U, B, DIFF_Y, INPUTS };

struct state {
    struct request request;
    struct inference inference;
    float *input[INPUTS];
    void *output[RNN_OUTPUTS], *lower[RNN_OUTPUTS], *upper[RNN_OUTPUTS];
    void *workspace;
    struct bench_onednn *peer;
    double *wide[INPUTS], *z, *h, *c;
    size_t gates;
};

// ---- our side ---------------------------------------------------------------

static void evaluate(void *context)
{
    struct state *const s = context;
    struct diagnostic diagnostic;
    // A whole call: rules, weights made ready, and elements.
    if (s->request.operation->infer(&s->request, &s->inference, &diagnostic) ||
        s->request.operation->evaluate(&s->request, &s->inference, s->output, s->workspace,
                                       &diagnostic))
        abort();
    bench_use(s->output[RNN_DST_LAYER]);
}

static void evaluate_bounded(void *context)
{
    struct state *const s = context;
    struct diagnostic diagnostic;
    if (s->request.operation->infer(&s->request, &s->inference, &diagnostic) ||
        s->request.operation->evaluate_bounds(&s->request, &s->inference, s->output, s->lower,
                                              s->upper, s->workspace, &diagnostic))
        abort();
    bench_use(s->output[RNN_DST_LAYER]);
}

static void evaluate_on_two(void *context)
{
    setenv("ASSAY_THREADS", "2", 1);
    evaluate(context);
}

static void evaluate_on_one(void *context)
{
    setenv("ASSAY_THREADS", "1", 1);
    evaluate(context);
}

// ---- the peers --------------------------------------------------------------

static void onednn(void *context)
{
    bench_onednn_run(((struct state *)context)->peer);
}

// z += x . W for rows of `columns`, as a compiler makes of it what it can: weights are read along
// their rows.
static void add_product(const double *x, const double *weights, double *z, size_t columns)
{
    for (size_t n = 0; n < BATCH; n++)
        for (size_t i = 0; i < CHANNELS; i++)
            for (size_t o = 0; o < columns; o++)
                z[n * columns + o] += x[n * CHANNELS + i] * weights[i * columns + o];
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void lstm_plainly(void *context)
{
    struct state *const s = context;
    enum { COLUMNS = 4 * CHANNELS };
    memset(s->h, 0, BATCH * CHANNELS * sizeof *s->h);
    memset(s->c, 0, BATCH * CHANNELS * sizeof *s->c);
    for (size_t t = 0; t < TIMES; t++) {
        for (size_t n = 0; n < BATCH; n++)
            memcpy(s->z + n * COLUMNS, s->wide[B], COLUMNS * sizeof *s->z);
        add_product(s->wide[X] + t * BATCH * CHANNELS, s->wide[W], s->z, COLUMNS);
        add_product(s->h, s->wide[U], s->z, COLUMNS);
        for (size_t n = 0; n < BATCH; n++)
            for (size_t o = 0; o < CHANNELS; o++) {
                const double *const z = s->z + n * COLUMNS + o;
                double *const c = s->c + n * CHANNELS + o;
                *c = logistic(z[CHANNELS]) * *c + logistic(z[0]) * tanh(z[2 * CHANNELS]);
                s->h[n * CHANNELS + o] = logistic(z[3 * CHANNELS]) * tanh(*c);
            }
        bench_use(s->h);
    }
}

// ---- starting ---------------------------------------------------------------

static void fill(float *narrow, double *wide, size_t count, float scale, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        narrow[i] = (float)(int32_t)seed * 0x1p-31f * scale;
        wide[i] = (double)narrow[i];
    }
}

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    for (size_t i = 0; i < INPUTS; i++) {
        free(s->input[i]);
        free(s->wide[i]);
    }
    for (size_t i = 0; i < RNN_OUTPUTS; i++) {
        free(s->output[i]);
        free(s->lower[i]);
        free(s->upper[i]);
    }
    free(s->workspace);
    free(s->z);
    free(s->h);
    free(s->c);
    if (s->peer)
        bench_onednn_close(s->peer);
    free(s);
    unsetenv("ASSAY_THREADS");
}

static void make_inputs(struct state *s)
{
    const size_t weights = CHANNELS * s->gates * CHANNELS, values = TIMES * BATCH * CHANNELS;
    const size_t count[INPUTS] = {values, weights, weights, s->gates * CHANNELS, values};
    for (uint32_t i = 0; i < INPUTS; i++) {
        s->input[i] = bench_take(count[i] * sizeof(float));
        s->wide[i] = bench_take(count[i] * sizeof(double));
        fill(s->input[i], s->wide[i], count[i], i == W || i == U ? 0x1p-4f : 1, i + 1);
    }
    s->z = bench_take(BATCH * GATES_MAX * CHANNELS * sizeof *s->z);
    s->h = bench_take(BATCH * CHANNELS * sizeof *s->h);
    s->c = bench_take(BATCH * CHANNELS * sizeof *s->c);
}

static void make_request(struct state *s, int variant)
{
    struct request *const r = &s->request;
    request_start(r, &onednn_rnn);
    r->attribute[RNN_CELL] =
        (struct attribute_value){.present = true, .integer = variant & GRU ? RNN_GRU : RNN_LSTM};
    r->attribute[RNN_PROPAGATION] = (struct attribute_value){
        .present = true, .integer = variant & TRAINING ? RNN_BACKWARD : RNN_INFERENCE};
    const struct tensor x = {
        .dtype = DTYPE_F32, .rank = 3, .shape = {TIMES, BATCH, CHANNELS}, .data = s->input[X]};
    const struct tensor w = {.dtype = DTYPE_F32,
                             .rank = 5,
                             .shape = {1, 1, CHANNELS, s->gates, CHANNELS},
                             .data = s->input[W]};
    r->input[RNN_SRC_LAYER] = x;
    r->input[RNN_WEIGHTS_LAYER] = r->input[RNN_WEIGHTS_ITER] = w;
    r->input[RNN_WEIGHTS_ITER].data = s->input[U];
    r->input[RNN_BIAS] = (struct tensor){
        .dtype = DTYPE_F32, .rank = 4, .shape = {1, 1, s->gates, CHANNELS}, .data = s->input[B]};
    if (variant & TRAINING) {
        r->attribute[RNN_DIFF_WEIGHTS_OVERWRITE] =
            (struct attribute_value){.present = true, .integer = true};
        r->input[RNN_DIFF_DST_LAYER] = x;
        r->input[RNN_DIFF_DST_LAYER].data = s->input[DIFF_Y];
    }
}

static bool make_outputs(struct state *s, bool bounds)
{
    struct diagnostic diagnostic;
    size_t size[2] = {0, 0}, bytes;
    setenv("ASSAY_THREADS", "2", 1); // memory for as many as any row asks for
    if (s->request.operation->infer(&s->request, &s->inference, &diagnostic))
        return false;
    for (int i = 0; i <= bounds; i++)
        if (s->request.operation->workspace_size(&s->request, &s->inference, i, &size[i],
                                                 &diagnostic))
            return false;
    setenv("ASSAY_THREADS", "1", 1);
    s->workspace = bench_take(size[0] > size[1] ? size[0] : size[1]);
    for (size_t i = 0; i < RNN_OUTPUTS; i++)
        if (s->inference.output[i].dtype != DTYPE_NONE &&
            tensor_bytes(&s->inference.output[i], &bytes)) {
            s->output[i] = bench_take(bytes);
            s->lower[i] = bench_take(bytes);
            s->upper[i] = bench_take(bytes);
        }
    return true;
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct state *const s = calloc(1, sizeof *s);
    const int peer = row->variant & PEERS;
    if (!s)
        return false;
    *pair = (struct bench_pair){.ours = evaluate, .state = s};
    s->gates = row->variant & GRU ? 3 : 4;
    make_inputs(s);
    make_request(s, row->variant);
    if (!make_outputs(s, peer == BOUNDS)) {
        snprintf(why, BENCH_WHY_SIZE, "the reference refuses the request");
        stop(pair);
        return false;
    }
    switch (peer) {
    case ONEDNN:
        s->peer = bench_onednn_open(&s->request, why);
        if (!s->peer) {
            stop(pair);
            return false;
        }
        pair->peer = bench_onednn_name(s->peer);
        pair->theirs = onednn;
        return true;
    case PLAIN:
        pair->peer = "plain loops in double";
        pair->theirs = lstm_plainly;
        return true;
    case BOUNDS:
        pair->peer = "the values alone";
        pair->ours = evaluate_bounded;
        pair->theirs = evaluate;
        return true;
    default:
        pair->peer = "one thread";
        pair->ours = evaluate_on_two;
        pair->theirs = evaluate_on_one;
        return true;
    }
}

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame threads_frame = {.start = start, .stop = stop, .threads = true};

static const struct bench_row rows[] = {
    {"rnn/lstm", "LSTM forward beside oneDNN in f32", 1 / 3.5, 0, ONEDNN, &frame},
    {"rnn/gru", "GRU forward beside oneDNN in f32", 1 / 3.0, 0, ONEDNN | GRU, &frame},
    {"rnn/lstm-training", "LSTM forward and backward beside oneDNN's training pair in f32", 1 / 3.2,
     0, ONEDNN | TRAINING, &frame},
    {"rnn/lstm-plain", "LSTM forward beside plain loops in double", 6, 0, PLAIN, &frame},
    {"rnn/lstm-bounds", "LSTM forward: values with bounds beside values alone", 1 / 2.0, 0, BOUNDS,
     &frame},
    {"rnn/gru-bounds", "GRU forward: values with bounds beside values alone", 1 / 2.0, 0,
     BOUNDS | GRU, &frame},
    {"rnn/lstm-threads", "LSTM forward on two threads beside one", 1.8, 0, THREADS, &threads_frame},
};

const struct bench_table bench_onednn_rnn = {rows, sizeof rows / sizeof *rows};
