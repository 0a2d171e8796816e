// SPDX-License-Identifier: Apache-2.0
// One step of one layer in one direction of a request, as a request of its own: stepwise, a target
// starts every step from the states and gradients that the reference reached, so that its errors
// cannot add up over time and layers.
//
// The layers below are run by the reference for their outputs, this layer up to the step before for
// its states. Of a backward request the layers above are run backward for what comes down, and this
// layer backward over the steps after this one for what comes back. What is stored is what is
// handed on: nothing is approximated. A step's gradients of parameters are added to the initial
// ones of the whole request, each step's by itself.

#include <string.h>

#include "ref/num/environment.h"
#include "ref/op/onednn/rnn.h"
#include "ref/op/onednn/rnn_step.h"
#include "ref/op/onednn/rnn_entries.h"

struct place {
    size_t layer, direction, time;
};

// ---- slices of tensors ------------------------------------------------------

static void *at(const struct tensor *tensor, size_t element)
{
    return tensor->data ? (char *)tensor->data + element * dtype_size(tensor->dtype) : NULL;
}

// [L, D, ...] at one layer and direction.
static void take_cell(struct tensor *tensor, const struct place *place)
{
    size_t elements = 1;
    if (!tensor_present(tensor))
        return;
    for (unsigned i = 2; i < tensor->rank; i++)
        elements *= (size_t)tensor->shape[i];
    tensor->data =
        at(tensor, (place->layer * (size_t)tensor->shape[1] + place->direction) * elements);
    tensor->shape[0] = tensor->shape[1] = 1;
}

// [T, N, C] at times [first, first + count).
static void take_times(struct tensor *tensor, size_t first, size_t count)
{
    if (!tensor_present(tensor))
        return;
    tensor->data = at(tensor, first * (size_t)tensor->shape[1] * (size_t)tensor->shape[2]);
    tensor->shape[0] = count;
}

static void take_layer(struct request *request, const struct rnn_problem *p,
                       const struct place *place)
{
    static const enum rnn_input inputs[] = {RNN_SRC_ITER,
                                            RNN_SRC_ITER_C,
                                            RNN_WEIGHTS_LAYER,
                                            RNN_WEIGHTS_ITER,
                                            RNN_WEIGHTS_PEEPHOLE,
                                            RNN_WEIGHTS_PROJECTION,
                                            RNN_BIAS,
                                            RNN_DIFF_DST_ITER,
                                            RNN_DIFF_DST_ITER_C,
                                            RNN_INITIAL_WEIGHTS_LAYER,
                                            RNN_INITIAL_WEIGHTS_ITER,
                                            RNN_INITIAL_WEIGHTS_PEEPHOLE,
                                            RNN_INITIAL_WEIGHTS_PROJECTION,
                                            RNN_INITIAL_BIAS};
    const bool reversed = p->direction == RNN_RIGHT2LEFT || place->direction == 1;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        take_cell(&request->input[inputs[i]], place);
    request->attribute[RNN_DIRECTION].integer = reversed ? RNN_RIGHT2LEFT : RNN_LEFT2RIGHT;
    if (place->layer + 1 < p->layers) // what goes up is stored in the type of src_layer
        request->attribute[RNN_DST_LAYER_TYPE].present = false;
}

// The forward request whose gradients a backward one asks for.
static struct request forward_of(const struct request *request)
{
    struct request forward = *request;
    forward.attribute[RNN_PROPAGATION].integer = RNN_INFERENCE;
    for (enum rnn_input i = RNN_DIFF_DST_LAYER; i <= RNN_INITIAL_BIAS; i++)
        forward.input[i] = (struct tensor){0};
    return forward;
}

// Times of a layer before `time` in the order of its direction, or after it.
struct span {
    size_t first, count;
};

static struct span times_beside(const struct request *layer, const struct rnn_problem *p,
                                size_t time, bool before)
{
    const bool reversed = layer->attribute[RNN_DIRECTION].integer == RNN_RIGHT2LEFT;
    return reversed == before ? (struct span){time + 1, p->times - 1 - time}
                              : (struct span){0, time};
}

static void take_span(struct request *request, struct span span)
{
    take_times(&request->input[RNN_SRC_LAYER], span.first, span.count);
    take_times(&request->input[RNN_ATTENTION], span.first, span.count);
    take_times(&request->input[RNN_DIFF_DST_LAYER], span.first, span.count);
}

// ---- what the reference reached ---------------------------------------------

// Whether some input has a type and a shape alone.
static bool lacks_data(const struct request *request)
{
    for (unsigned i = 0; i < OPERATION_INPUTS_MAX; i++)
        if (tensor_present(&request->input[i]) && !request->input[i].data)
            return true;
    return false;
}

// Evaluates `request` into memory of the arena; where data are lacking, as far as types and shapes
// go.
static enum error evaluate(const struct request *request, struct tensor output[RNN_OUTPUTS],
                           struct arena *arena, struct diagnostic *diagnostic)
{
    struct inference inference = {0};
    void *data[OPERATION_OUTPUTS_MAX] = {NULL}, *workspace = NULL;
    size_t bytes;
    enum error error = onednn_rnn.infer(request, &inference, diagnostic);
    memcpy(output, inference.output, RNN_OUTPUTS * sizeof *output);
    if (error || lacks_data(request))
        return error;
    error = operation_take_workspace(request, &inference, false, arena, &workspace, diagnostic);
    for (unsigned i = 0; i < RNN_OUTPUTS && !error; i++) {
        if (!tensor_present(&output[i]) || !tensor_bytes(&output[i], &bytes))
            continue;
        output[i].data = data[i] = arena_take(arena, bytes);
        if (!data[i])
            error = diagnostic_no_memory(diagnostic);
    }
    struct num_environment environment;
    if (!error)
        error = num_environment_enter(&environment, diagnostic);
    if (error)
        return error;
    error = onednn_rnn.evaluate(request, &inference, data, workspace, diagnostic);
    num_environment_leave(&environment);
    return error;
}

// The output of a layer over all time, as it is stored and goes up.
static enum error run_below(const struct request *whole, const struct rnn_problem *p,
                            const struct place *place, struct tensor *x, struct arena *arena,
                            struct diagnostic *diagnostic)
{
    struct tensor output[RNN_OUTPUTS];
    struct request layer = forward_of(whole);
    layer.input[RNN_SRC_LAYER] = *x;
    take_layer(&layer, p, place);
    const enum error error = evaluate(&layer, output, arena, diagnostic);
    *x = output[RNN_DST_LAYER];
    return error;
}

// The states that `layer`, a whole layer, reaches over the times of `span`, as its src_iter and
// src_iter_c.
static enum error run_states(const struct rnn_problem *p, struct span span, struct request *layer,
                             struct arena *arena, struct diagnostic *diagnostic)
{
    struct tensor output[RNN_OUTPUTS];
    struct request before = forward_of(layer);
    if (span.count == 0)
        return ERROR_NONE;
    take_span(&before, span);
    const enum error error = evaluate(&before, output, arena, diagnostic);
    layer->input[RNN_SRC_ITER] = output[RNN_DST_ITER];
    if (p->cell == RNN_LSTM)
        layer->input[RNN_SRC_ITER_C] = output[RNN_DST_ITER_C];
    return error;
}

// ---- what comes back --------------------------------------------------------

static void drop_initial(struct request *request)
{
    for (enum rnn_input i = RNN_INITIAL_WEIGHTS_LAYER; i <= RNN_INITIAL_BIAS; i++)
        request->input[i] = (struct tensor){0};
}

// The part of diff_dst_layer that one direction sees.
static enum error take_direction(const struct rnn_problem *p, size_t direction, struct tensor *diff,
                                 struct arena *arena, struct diagnostic *diagnostic)
{
    const size_t width = p->output_channels, rows = p->times * p->batch;
    if (p->direction != RNN_CONCAT)
        return ERROR_NONE;
    diff->shape[2] = width;
    if (!diff->data)
        return ERROR_NONE;
    float *const part = arena_take_array(arena, rows * width + 1, sizeof *part);
    if (!part)
        return diagnostic_no_memory(diagnostic);
    for (size_t row = 0; row < rows; row++)
        memcpy(part + row * width, (const float *)diff->data + (row * 2 + direction) * width,
               width * sizeof *part);
    diff->data = part;
    return ERROR_NONE;
}

// What comes down to `place->layer` over all time, x[l] being the input of layer l.
static enum error run_above(const struct request *whole, const struct rnn_problem *p,
                            const struct place *place, const struct tensor *x, struct tensor *diff,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    enum error error = take_direction(p, place->direction, diff, arena, diagnostic);
    for (size_t l = p->layers - 1; l > place->layer && !error; l--) {
        struct tensor output[RNN_OUTPUTS];
        struct request layer = *whole;
        drop_initial(&layer);
        layer.input[RNN_SRC_LAYER] = x[l];
        layer.input[RNN_DIFF_DST_LAYER] = *diff;
        take_layer(&layer, p, &(struct place){l, place->direction, 0});
        error = evaluate(&layer, output, arena, diagnostic);
        *diff = output[RNN_DIFF_SRC_LAYER];
    }
    return error;
}

// What comes back to `step`, which holds the whole layer, from the steps after `time`: its
// diff_dst_iter and diff_dst_iter_c.
static enum error run_after(const struct rnn_problem *p, size_t time, struct request *step,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    const struct span span = times_beside(step, p, time, false),
                      before = times_beside(step, p, time, true);
    struct tensor output[RNN_OUTPUTS];
    struct request after = *step;
    if (span.count == 0)
        return ERROR_NONE;
    drop_initial(&after);
    enum error error =
        run_states(p, (struct span){before.first < time ? before.first : time, before.count + 1},
                   &after, arena, diagnostic);
    take_span(&after, span);
    if (!error)
        error = evaluate(&after, output, arena, diagnostic);
    if (error)
        return error;
    step->input[RNN_DIFF_DST_ITER] = output[RNN_DIFF_SRC_ITER];
    if (p->cell == RNN_LSTM)
        step->input[RNN_DIFF_DST_ITER_C] = output[RNN_DIFF_SRC_ITER_C];
    return ERROR_NONE;
}

// ---- the step ---------------------------------------------------------------

static enum error check_place(const struct rnn_problem *p, const int64_t where[OPERATION_STEP],
                              struct place *place, struct diagnostic *diagnostic)
{
    const size_t sizes[3] = {p->layers, p->directions, p->times};
    static const char *const names[3] = {"layer", "direction", "time"};
    size_t *const to[3] = {&place->layer, &place->direction, &place->time};
    for (unsigned i = 0; i < 3; i++) {
        if (where[i] < 0 || (uint64_t)where[i] >= sizes[i])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%s %lld of a step does not exist: the request has %zu",
                                   names[i], (long long)where[i], sizes[i]);
        *to[i] = (size_t)where[i];
    }
    if (where[3] >= (int64_t)p->gates)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "gate %lld of a step does not exist: the cell has %zu",
                               (long long)where[3], p->gates);
    return ERROR_NONE;
}

enum error rnn_describe_steps(const struct request *request, struct operation_steps *steps,
                              struct diagnostic *diagnostic)
{
    struct rnn_problem p;
    const enum error error = rnn_problem_read(request, &p, diagnostic);
    if (error)
        return error;
    if (!p.times || !p.batch)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "steps are those of a request with time and batch");
    const struct rnn_step_gates *const gates = rnn_step_gates_of(p.cell);
    *steps = (struct operation_steps){.layers = p.layers,
                                      .directions = p.directions,
                                      .times = p.times,
                                      .gates = p.gates,
                                      .backward = p.backward,
                                      .reversed = {p.direction == RNN_RIGHT2LEFT, true},
                                      .gate = gates->name,
                                      .beside = gates->beside};
    return ERROR_NONE;
}

// The inputs of layers from the first to `last`, as the reference reaches them; x has room for all
// layers.
static enum error run_inputs(const struct request *request, const struct rnn_problem *p,
                             const struct place *place, size_t last, struct tensor *x,
                             struct arena *arena, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    x[0] = request->input[RNN_SRC_LAYER];
    for (size_t l = 0; l < last && !error; l++) {
        x[l + 1] = x[l];
        error = run_below(request, p, &(struct place){l, place->direction, 0}, &x[l + 1], arena,
                          diagnostic);
    }
    return error;
}

enum error rnn_take_step(struct request *request, const int64_t where[OPERATION_STEP],
                         struct arena *arena, struct diagnostic *diagnostic)
{
    struct rnn_problem p;
    struct place place;
    struct request step = *request;
    enum error error = rnn_problem_read(request, &p, diagnostic);
    if (!error)
        error = check_place(&p, where, &place, diagnostic);
    if (error)
        return error;
    struct tensor *const x = arena_take_array(arena, p.layers, sizeof *x);
    if (!x)
        return diagnostic_no_memory(diagnostic);
    if (!error)
        error = run_inputs(request, &p, &place, p.backward ? p.layers - 1 : place.layer, x, arena,
                           diagnostic);
    if (!error && p.backward)
        error =
            run_above(request, &p, &place, x, &step.input[RNN_DIFF_DST_LAYER], arena, diagnostic);
    step.input[RNN_SRC_LAYER] = x[place.layer];
    take_layer(&step, &p, &place);
    if (!error && p.backward)
        error = run_after(&p, place.time, &step, arena, diagnostic);
    if (!error)
        error = run_states(&p, times_beside(&step, &p, place.time, true), &step, arena, diagnostic);
    take_span(&step, (struct span){place.time, 1});
    if (!error && where[3] >= 0)
        error = rnn_isolate_gate(&step, &p, (size_t)where[3], arena, diagnostic);
    if (!error)
        *request = step;
    return error;
}
