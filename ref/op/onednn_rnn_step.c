// SPDX-License-Identifier: Apache-2.0
// One step of one layer in one direction of a forward request, as a request of its own: stepwise, a target starts every step from
// the states that the reference reached, so that its errors cannot add up over time and layers.
//
// The layers below are run by the reference for their outputs, this layer up to the step before for its states. What is stored is
// what is fed on: nothing is approximated. Where a gate is asked for, the others are saturated: their weights and peepholes are 0
// and their biases large, so that a wrong output is that gate's.

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/environment.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn_rnn_cell.h"

struct place {
    size_t layer, direction, time;
};

// ---- slices of tensors ----------------------------------------------------------------------------------------------

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
    tensor->data = at(tensor, (place->layer * (size_t)tensor->shape[1] + place->direction) * elements);
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

static void take_layer(struct request *request, const struct rnn_problem *p, const struct place *place)
{
    static const enum rnn_input inputs[] = {RNN_SRC_ITER,         RNN_SRC_ITER_C,         RNN_WEIGHTS_LAYER, RNN_WEIGHTS_ITER,
                                            RNN_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PROJECTION, RNN_BIAS};
    const bool reversed = p->direction == RNN_RIGHT2LEFT || place->direction == 1;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        take_cell(&request->input[inputs[i]], place);
    request->attribute[RNN_DIRECTION].integer = reversed ? RNN_RIGHT2LEFT : RNN_LEFT2RIGHT;
}

// ---- what the reference reached -------------------------------------------------------------------------------------

// Evaluates `request` into memory of the arena.
static enum error evaluate(const struct request *request, struct tensor output[RNN_OUTPUTS], struct arena *arena,
                           struct diagnostic *diagnostic)
{
    struct inference inference = {0};
    void *data[OPERATION_OUTPUTS_MAX] = {NULL};
    size_t size = 0, bytes;
    enum error error = onednn_rnn.infer(request, &inference, diagnostic);
    if (!error)
        error = onednn_rnn.workspace_size(request, &inference, false, &size, diagnostic);
    void *const workspace = error ? NULL : arena_take(arena, size);
    for (unsigned i = 0; i < RNN_OUTPUTS && !error; i++) {
        output[i] = inference.output[i];
        if (!tensor_present(&output[i]) || !tensor_bytes(&output[i], &bytes))
            continue;
        output[i].data = data[i] = arena_take(arena, bytes);
        if (!data[i])
            error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    }
    if (!error && !workspace)
        error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory for %zu bytes of workspace", size);
    struct num_environment environment;
    if (error)
        return error;
    if (!num_environment_enter(&environment))
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "the processor refuses to round to nearest with subnormals");
    error = onednn_rnn.evaluate(request, &inference, data, workspace, diagnostic);
    num_environment_leave(&environment);
    return error;
}

// The output of a layer over all time, as it is stored and goes up.
static enum error run_below(const struct request *whole, const struct rnn_problem *p, const struct place *place,
                            struct tensor *x, struct arena *arena, struct diagnostic *diagnostic)
{
    struct tensor output[RNN_OUTPUTS];
    struct request layer = *whole;
    layer.input[RNN_SRC_LAYER] = *x;
    layer.attribute[RNN_DST_LAYER_TYPE].present = false;
    take_layer(&layer, p, place);
    const enum error error = evaluate(&layer, output, arena, diagnostic);
    *x = output[RNN_DST_LAYER];
    return error;
}

// The states before `place->time`, as src_iter and src_iter_c of `step`, which holds the whole layer.
static enum error run_before(const struct rnn_problem *p, const struct place *place, struct request *step, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    const bool reversed = step->attribute[RNN_DIRECTION].integer == RNN_RIGHT2LEFT;
    const size_t first = reversed ? place->time + 1 : 0, count = reversed ? p->times - 1 - place->time : place->time;
    struct tensor output[RNN_OUTPUTS];
    struct request before = *step;
    if (count == 0)
        return ERROR_NONE;
    take_times(&before.input[RNN_SRC_LAYER], first, count);
    take_times(&before.input[RNN_ATTENTION], first, count);
    const enum error error = evaluate(&before, output, arena, diagnostic);
    step->input[RNN_SRC_ITER] = output[RNN_DST_ITER];
    if (p->cell == RNN_LSTM)
        step->input[RNN_SRC_ITER_C] = output[RNN_DST_ITER_C];
    return error;
}

// ---- one gate -------------------------------------------------------------------------------------------------------

struct gates {
    const char *name[RNN_GATES_MAX];
    int beside[RNN_GATES_MAX];
    double saturated[RNN_GATES_MAX];
};

// The reset gate acts through the candidate alone, which stays beside it, and the candidate only as far as the update gate is shut.
// Where all gates are saturated, sums may be off by a little and nothing shows.
static const struct gates *gates_of(enum rnn_cell_kind cell)
{
    static const struct gates one = {{"the only one"}, {-1}, {0}},
                              lstm = {{"i", "f", "c", "o"}, {-1, -1, -1, -1}, {32, 32, 32, 32}},
                              gru = {{"u", "r", "o"}, {-1, 2, -1}, {-32, 32, 32}};
    return cell == RNN_VANILLA ? &one : cell == RNN_LSTM ? &lstm : &gru;
}

// [L, D, rows, G, DHC], or [L, D, G, DHC]: every gate but `gate` and `other` becomes its number of `values`. A row beyond the
// `count` gates, u' of a bias, is the last one's.
static enum error keep_gate(struct tensor *tensor, unsigned axis, size_t gate, size_t other, size_t count, const double *values,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    size_t bytes, inner = 1;
    if (!tensor_present(tensor) || !tensor->data || !tensor_bytes(tensor, &bytes))
        return ERROR_NONE;
    const size_t size = dtype_size(tensor->dtype), rows = (size_t)tensor->shape[axis];
    char *const data = arena_take(arena, bytes);
    if (!data)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    memcpy(data, tensor->data, bytes);
    for (unsigned i = axis + 1; i < tensor->rank; i++)
        inner *= (size_t)tensor->shape[i];
    for (size_t i = 0; i < bytes / size; i++) {
        const size_t row = i / inner % rows, of = row < count ? row : count - 1;
        if (of != gate && of != other)
            element_store(data, size, i, num_from_double(tensor->dtype, values[row]));
    }
    tensor->data = data;
    return ERROR_NONE;
}

static enum error isolate(struct request *step, const struct rnn_problem *p, size_t gate, struct arena *arena,
                          struct diagnostic *diagnostic)
{
    static const size_t peephole[] = {0, 1, 3, 2}; // the row of each gate; the candidate has none
    static const double zeros[RNN_GATES_MAX] = {0};
    const struct gates *const gates = gates_of(p->cell);
    const size_t other = gates->beside[gate] < 0 ? gate : (size_t)gates->beside[gate];
    enum error error = keep_gate(&step->input[RNN_WEIGHTS_LAYER], 3, gate, other, p->gates, zeros, arena, diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_WEIGHTS_ITER], 3, gate, other, p->gates, zeros, arena, diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_WEIGHTS_PEEPHOLE], 2, peephole[gate], peephole[gate], 3, zeros, arena, diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_BIAS], 2, gate, other, p->gates, gates->saturated, arena, diagnostic);
    return error;
}

// ---- the step -------------------------------------------------------------------------------------------------------

static enum error check_place(const struct rnn_problem *p, const int64_t where[OPERATION_STEP], struct place *place,
                              struct diagnostic *diagnostic)
{
    const size_t sizes[3] = {p->layers, p->directions, p->times};
    static const char *const names[3] = {"layer", "direction", "time"};
    size_t *const to[3] = {&place->layer, &place->direction, &place->time};
    if (p->backward)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "a step is of a forward request");
    for (unsigned i = 0; i < 3; i++) {
        if (where[i] < 0 || (uint64_t)where[i] >= sizes[i])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s %lld of a step does not exist: the request has %zu",
                                   names[i], (long long)where[i], sizes[i]);
        *to[i] = (size_t)where[i];
    }
    if (where[3] >= (int64_t)p->gates)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "gate %lld of a step does not exist: the cell has %zu",
                               (long long)where[3], p->gates);
    return ERROR_NONE;
}

enum error rnn_describe_steps(const struct request *request, struct operation_steps *steps, struct diagnostic *diagnostic)
{
    struct rnn_problem p;
    const enum error error = rnn_problem_read(request, &p, diagnostic);
    if (error)
        return error;
    if (p.backward || !p.times || !p.batch)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "steps are those of a forward request with time and batch");
    const struct gates *const gates = gates_of(p.cell);
    *steps = (struct operation_steps){.layers = p.layers,
                                      .directions = p.directions,
                                      .times = p.times,
                                      .gates = p.gates,
                                      .reversed = {p.direction == RNN_RIGHT2LEFT, true},
                                      .gate = gates->name,
                                      .beside = gates->beside};
    return ERROR_NONE;
}

enum error rnn_take_step(struct request *request, const int64_t where[OPERATION_STEP], struct arena *arena,
                         struct diagnostic *diagnostic)
{
    struct rnn_problem p;
    struct place place;
    struct request step = *request;
    enum error error = rnn_problem_read(request, &p, diagnostic);
    if (!error)
        error = check_place(&p, where, &place, diagnostic);
    if (error)
        return error;
    const bool shapes_only = !request->input[RNN_SRC_LAYER].data;
    struct tensor x = request->input[RNN_SRC_LAYER];
    for (size_t l = 0; l < place.layer && !error && !shapes_only; l++)
        error = run_below(request, &p, &(struct place){l, place.direction, 0}, &x, arena, diagnostic);
    if (place.layer > 0 && shapes_only)
        x.shape[2] = p.output_channels;
    step.input[RNN_SRC_LAYER] = x;
    take_layer(&step, &p, &place);
    if (!error && !shapes_only)
        error = run_before(&p, &place, &step, arena, diagnostic);
    take_times(&step.input[RNN_SRC_LAYER], place.time, 1);
    take_times(&step.input[RNN_ATTENTION], place.time, 1);
    if (place.layer + 1 < p.layers) // what goes up is stored in the type of src_layer
        step.attribute[RNN_DST_LAYER_TYPE].present = false;
    if (!error && where[3] >= 0)
        error = isolate(&step, &p, (size_t)where[3], arena, diagnostic);
    if (!error)
        *request = step;
    return error;
}
