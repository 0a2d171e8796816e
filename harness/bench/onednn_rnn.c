// SPDX-License-Identifier: Apache-2.0
// onednn.rnn beside oneDNN and beside plain loops in double: one layer of 50 steps, 32 rows and 512
// channels in f32. Values with bounds beside values alone, and two threads beside one.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/onednn.h"
#include "ref/base/processors.h"
#include "ref/op/onednn/rnn.h"
#include "ref/op/onednn/rnn_problem.h"
#include "ref/op/request.h"

enum { BATCH = 32, GATES_MAX = 4 };
// Variants: a peer, and flags.
enum {
    ONEDNN = 1,
    PLAIN,
    BOUNDS,
    THREADS,
    GROWTH,
    COPIES,
    BOUNDED_COPIES,
    PEERS = 7,
    GRU = 8,
    TRAINING = 16
};

enum buffer { X, W, U, B, DIFF_Y, INPUTS };

struct state {
    struct request request;
    struct inference inference;
    float *input[INPUTS];
    void *output[RNN_OUTPUTS], *lower[RNN_OUTPUTS], *upper[RNN_OUTPUTS];
    void *workspace;
    struct bench_onednn *peer;
    double *wide[INPUTS], *z, *h, *c;
    size_t gates, times, channels;
    struct state *twin; // the same once more, for a copy at the same time
    bool bounded;
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

// Twice the work, one after the other, each on two threads.
static void evaluate_twice(void *context)
{
    struct state *const s = context;
    setenv("ASSAY_THREADS", "2", 1);
    for (int i = 0; i < 2; i++)
        if (s->bounded)
            evaluate_bounded(s);
        else
            evaluate(s);
}

// ---- the peers --------------------------------------------------------------

static void onednn(void *context)
{
    bench_onednn_run(((struct state *)context)->peer);
}

static void run_copy(void *context)
{
    struct state *const s = context;
    if (s->bounded)
        evaluate_bounded(s);
    else
        evaluate(s);
}

// Twice the work at once, each on one thread: two copies that share nothing but the machine.
static void evaluate_copies(void *context)
{
    struct state *const s = context;
    setenv("ASSAY_THREADS", "1", 1);
    bench_at_once(run_copy, s, s->twin);
}

// z += x . W for rows of `columns`, as a compiler makes of it what it can: weights are read along
// their rows.
static void add_product(const double *x, const double *weights, double *z, size_t depth,
                        size_t columns)
{
    for (size_t n = 0; n < BATCH; n++)
        for (size_t i = 0; i < depth; i++)
            for (size_t o = 0; o < columns; o++)
                z[n * columns + o] += x[n * depth + i] * weights[i * columns + o];
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void lstm_plainly(void *context)
{
    struct state *const s = context;
    const size_t channels = s->channels, columns = 4 * channels;
    memset(s->h, 0, BATCH * channels * sizeof *s->h);
    memset(s->c, 0, BATCH * channels * sizeof *s->c);
    for (size_t t = 0; t < s->times; t++) {
        for (size_t n = 0; n < BATCH; n++)
            memcpy(s->z + n * columns, s->wide[B], columns * sizeof *s->z);
        add_product(s->wide[X] + t * BATCH * channels, s->wide[W], s->z, channels, columns);
        add_product(s->h, s->wide[U], s->z, channels, columns);
        for (size_t n = 0; n < BATCH; n++)
            for (size_t o = 0; o < channels; o++) {
                const double *const z = s->z + n * columns + o;
                double *const c = s->c + n * channels + o;
                *c = logistic(z[channels]) * *c + logistic(z[0]) * tanh(z[2 * channels]);
                s->h[n * channels + o] = logistic(z[3 * channels]) * tanh(*c);
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

static void release(struct state *s)
{
    if (!s)
        return;
    release(s->twin);
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
}

static void stop(struct bench_pair *pair)
{
    release(pair->state);
    unsetenv("ASSAY_THREADS");
}

static void make_inputs(struct state *s)
{
    const size_t weights = s->channels * s->gates * s->channels,
                 values = s->times * BATCH * s->channels;
    const size_t count[INPUTS] = {values, weights, weights, s->gates * s->channels, values};
    for (uint32_t i = 0; i < INPUTS; i++) {
        s->input[i] = bench_take(count[i] * sizeof(float));
        s->wide[i] = bench_take(count[i] * sizeof(double));
        fill(s->input[i], s->wide[i], count[i], i == W || i == U ? 0x1p-4f : 1, i + 1);
    }
    s->z = bench_take(BATCH * GATES_MAX * s->channels * sizeof *s->z);
    s->h = bench_take(BATCH * s->channels * sizeof *s->h);
    s->c = bench_take(BATCH * s->channels * sizeof *s->c);
}

static void make_request(struct state *s, int variant)
{
    struct request *const r = &s->request;
    request_start(r, &onednn_rnn);
    r->attribute[RNN_CELL] =
        (struct attribute_value){.present = true, .integer = variant & GRU ? RNN_GRU : RNN_LSTM};
    r->attribute[RNN_PROPAGATION] = (struct attribute_value){
        .present = true, .integer = variant & TRAINING ? RNN_BACKWARD : RNN_INFERENCE};
    const struct tensor x = {.dtype = DTYPE_F32,
                             .rank = 3,
                             .shape = {s->times, BATCH, s->channels},
                             .data = s->input[X]};
    const struct tensor w = {.dtype = DTYPE_F32,
                             .rank = 5,
                             .shape = {1, 1, s->channels, s->gates, s->channels},
                             .data = s->input[W]};
    r->input[RNN_SRC_LAYER] = x;
    r->input[RNN_WEIGHTS_LAYER] = r->input[RNN_WEIGHTS_ITER] = w;
    r->input[RNN_WEIGHTS_ITER].data = s->input[U];
    r->input[RNN_BIAS] = (struct tensor){
        .dtype = DTYPE_F32, .rank = 4, .shape = {1, 1, s->gates, s->channels}, .data = s->input[B]};
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

// Two products of a row of channels with the weights of each gate, in each step; a training pair
// makes three of each, of which one goes forward; bounds make one more of widths, in integers that
// are multiplied in pairs, at the pace of floats. What bounds of gradients ask for is not counted.
static void count_work(const struct state *s, int variant, struct bench_work *work)
{
    const double forward = 4.0 * (double)(s->times * BATCH * s->channels * s->gates * s->channels);
    work->unit = "flop";
    work->units = variant & TRAINING ? 3 * forward : forward;
    const int peer = variant & PEERS;
    if (peer == COPIES || peer == BOUNDED_COPIES)
        work->units *= 2;
    else if (peer != THREADS)
        work->f64 = work->units; // the limits are those of one core
    if (peer == BOUNDS)
        work->f32 = forward / 2;
}

// All that a row's work needs; NULL where the reference refuses the request.
static struct state *make_state(const struct bench_row *row)
{
    const int peer = row->variant & PEERS;
    struct state *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->gates = row->variant & GRU ? 3 : 4;
    s->times = row->size >> 32;
    s->channels = row->size & UINT32_MAX;
    s->bounded = peer == BOUNDS || peer == BOUNDED_COPIES;
    make_inputs(s);
    make_request(s, row->variant);
    if (make_outputs(s, s->bounded))
        return s;
    release(s);
    return NULL;
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    const int peer = row->variant & PEERS;
    struct state *const s = make_state(row);
    if (!s) {
        snprintf(why, BENCH_WHY_SIZE, "the reference refuses the request");
        return false;
    }
    *pair = (struct bench_pair){.ours = evaluate, .state = s};
    count_work(s, row->variant, &pair->work);
    if (peer == THREADS || peer == COPIES || peer == BOUNDED_COPIES) {
        s->twin = make_state(row);
        if (!s->twin || processors_usable() < 2) {
            snprintf(why, BENCH_WHY_SIZE, "needs two processors");
            stop(pair);
            return false;
        }
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
    case GROWTH:
        return true;
    case COPIES:
    case BOUNDED_COPIES:
        pair->peer = "two copies side by side";
        pair->ours = evaluate_twice;
        pair->theirs = evaluate_copies;
        return true;
    default:
        pair->peer = "one thread";
        pair->ours = evaluate_on_two;
        pair->theirs = evaluate_on_one;
        pair->copies = evaluate_copies;
        pair->copied = 2;
        return true;
    }
}

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame threads_frame = {.start = start, .stop = stop, .threads = true};

#define SIZE(times, channels) ((uint64_t)(times) << 32 | (channels))
#define LAYER SIZE(50, 512)
#define SMALL_LAYER SIZE(8, 128)
#define GROWING(name, times, channels, variant)                                                    \
    {                                                                                              \
        name, "its growth", SIZE(times, channels), GROWTH | (variant), &frame                      \
    }

static const struct bench_row rows[] = {
    {"rnn/lstm", "LSTM forward beside oneDNN in f32", LAYER, ONEDNN, &frame},
    {"rnn/gru", "GRU forward beside oneDNN in f32", LAYER, ONEDNN | GRU, &frame},
    {"rnn/lstm-training", "LSTM forward and backward beside oneDNN's training pair in f32", LAYER,
     ONEDNN | TRAINING, &frame},
    {"rnn/lstm-plain", "LSTM forward beside plain loops in double", LAYER, PLAIN, &frame},
    {"rnn/lstm-bounds", "LSTM forward: values with bounds beside values alone", LAYER, BOUNDS,
     &frame},
    {"rnn/gru-bounds", "GRU forward: values with bounds beside values alone", LAYER, BOUNDS | GRU,
     &frame},
    {"rnn/lstm-training-bounds", "a small LSTM forward and backward: values with bounds",
     SMALL_LAYER, BOUNDS | TRAINING, &frame},
    {"rnn/lstm-threads", "LSTM forward on two threads beside one", LAYER, THREADS, &threads_frame},
    {"copies/lstm", "LSTM forward on two threads, twice, beside two copies at once", LAYER, COPIES,
     &threads_frame},
    {"copies/gru", "the same for GRU", LAYER, COPIES | GRU, &threads_frame},
    {"copies/lstm-training", "the same for LSTM forward and backward", LAYER, COPIES | TRAINING,
     &threads_frame},
    {"copies/lstm-bounds", "the same for LSTM forward with bounds", LAYER, BOUNDED_COPIES,
     &threads_frame},
    GROWING("growth/lstm-steps/8", 8, 128, 0),
    GROWING("growth/lstm-steps/32", 32, 128, 0),
    GROWING("growth/lstm-steps/128", 128, 128, 0),
    GROWING("growth/lstm-steps/512", 512, 128, 0),
    GROWING("growth/gru-steps/8", 8, 128, GRU),
    GROWING("growth/gru-steps/32", 32, 128, GRU),
    GROWING("growth/gru-steps/128", 128, 128, GRU),
    GROWING("growth/gru-steps/512", 512, 128, GRU),
    GROWING("growth/lstm-channels/64", 8, 64, 0),
    GROWING("growth/lstm-channels/128", 8, 128, 0),
    GROWING("growth/lstm-channels/256", 8, 256, 0),
    GROWING("growth/lstm-channels/512", 8, 512, 0),
    GROWING("growth/lstm-channels/1024", 8, 1024, 0),
    GROWING("growth/gru-channels/64", 8, 64, GRU),
    GROWING("growth/gru-channels/128", 8, 128, GRU),
    GROWING("growth/gru-channels/256", 8, 256, GRU),
    GROWING("growth/gru-channels/512", 8, 512, GRU),
    GROWING("growth/gru-channels/1024", 8, 1024, GRU),
};

const struct bench_table bench_onednn_rnn = {rows, sizeof rows / sizeof *rows};
