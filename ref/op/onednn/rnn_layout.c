// SPDX-License-Identifier: Apache-2.0
// Where everything lies: planes of variables, packed operands and scratch, laid out in one
// workspace.
//
// States of neighbouring steps share one buffer of T + 1 slots, so that all of h' (or c') over time
// is again one array; observed ones have their own. Values that only the forward step needs have
// room for one step; what the backward pass reads is kept for all.

#include <assert.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/base/threads.h"
#include "ref/num/product/intervals.h"
#include "ref/num/product/matrix.h"
#include "ref/op/onednn/rnn_engine.h"

void *rnn_take(struct rnn_memory *memory, size_t count, size_t size)
{
    assert(memory->used % 64 == 0);
    size_t bytes, end;
    if (!size_multiply(count, size, &bytes) || !size_round_up(bytes, 64, &bytes) ||
        !size_add(memory->used, bytes, &end)) {
        memory->overflow = true;
        return NULL;
    }
    void *const taken = memory->base ? memory->base + memory->used : NULL;
    memory->used = end;
    return taken;
}

static size_t columns_of(const struct rnn_problem *p, unsigned variable)
{
    switch (variable) {
    case RNN_X:
    case RNN_DIFF_X:
        return p->layer_channels;
    case RNN_H:
    case RNN_DIFF_H_PREV:
        return p->iter_channels;
    case RNN_ACC_R:
    case RNN_H_NEW:
    case RNN_H_STORED:
    case RNN_DIFF_ABOVE:
    case RNN_DIFF_NEXT:
    case RNN_DIFF_H:
        return p->output_channels;
    default:
        return p->hidden_channels;
    }
}

enum dtype rnn_dtype_of(const struct rnn_problem *problem, unsigned variable)
{
    if (variable >= RNN_ACC0 && variable <= RNN_ACC_R)
        return DTYPE_F64;
    switch (variable) {
    case RNN_H:
    case RNN_H_STORED:
    case RNN_S_STORED:
    case RNN_M_STORED:
        return problem->state;
    case RNN_C:
    case RNN_C_STORED:
        return problem->c;
    default:
        return DTYPE_F32;
    }
}

static void take_plane(struct rnn_run *run, struct rnn_memory *memory, struct rnn_layer *layer,
                       unsigned variable, size_t slots)
{
    struct rnn_plane *const plane = &layer->plane[variable];
    const size_t columns = columns_of(&run->problem, variable), batch = run->problem.batch;
    size_t elements;
    plane->dtype = run->bounds ? DTYPE_F64 : rnn_dtype_of(&run->problem, variable);
    plane->columns = columns;
    plane->row_stride = (ptrdiff_t)columns;
    plane->column_stride = 1;
    plane->time_stride = slots > 1 ? (ptrdiff_t)(batch * columns) : 0;
    if (!size_multiply(columns, batch, &elements) || !size_multiply(elements, slots, &elements))
        memory->overflow = true;
    else
        plane->data = rnn_take(memory, elements, dtype_size(plane->dtype));
    plane->upper =
        run->bounds && !memory->overflow ? rnn_take(memory, elements, sizeof(double)) : NULL;
}

static void shift_plane(struct rnn_plane *plane, ptrdiff_t slots)
{
    const ptrdiff_t bytes = slots * plane->time_stride * (ptrdiff_t)dtype_size(plane->dtype);
    if (plane->data)
        plane->data = (char *)plane->data + bytes;
    if (plane->upper)
        plane->upper = (char *)plane->upper + bytes;
}

// `earlier` at time t is what `later` is at the time processed before it.
static void take_states(struct rnn_run *run, struct rnn_memory *memory, struct rnn_layer *layer,
                        unsigned earlier, unsigned later)
{
    if (columns_of(&run->problem, earlier) != columns_of(&run->problem, later)) { // T = 1
        take_plane(run, memory, layer, earlier, 1);
        take_plane(run, memory, layer, later, 1);
        return;
    }
    take_plane(run, memory, layer, earlier, run->problem.times + 1);
    layer->plane[later] = layer->plane[earlier];
    shift_plane(&layer->plane[layer->reversed ? earlier : later], 1);
}

static bool is_vector(const struct rnn_run *run, unsigned variable)
{
    const struct rnn_cell *const cell = &run->cell;
    for (unsigned i = 0; i < cell->forward_count; i++)
        for (unsigned d = 0; d < cell->forward[i].dots; d++)
            if (cell->forward[i].dot[d].vector == variable)
                return true;
    for (unsigned i = 0; run->problem.backward && i < cell->backward_count; i++)
        for (unsigned d = 0; d < cell->backward[i].dots; d++)
            if (cell->backward[i].dot[d].vector == variable)
                return true;
    return false;
}

static void lay_out_layer(struct rnn_run *run, struct rnn_memory *memory, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    if (run->observed) {
        take_plane(run, memory, layer, RNN_H, p->times);
        take_plane(run, memory, layer, RNN_H_STORED, p->times);
    } else {
        take_states(run, memory, layer, RNN_H, RNN_H_STORED);
    }
    if (run->cell.carries_c)
        take_states(run, memory, layer, RNN_C, RNN_C_STORED);
    for (unsigned i = 0; i < run->cell.forward_count; i++) {
        const unsigned variable = run->cell.forward[i].result;
        if (variable != RNN_H_STORED && variable != RNN_C_STORED)
            take_plane(run, memory, layer, variable, p->backward ? p->times : 1);
    }
    if (!p->backward)
        return;
    take_states(run, memory, layer, RNN_DIFF_H_PREV, RNN_DIFF_NEXT);
    if (run->cell.carries_c)
        take_states(run, memory, layer, RNN_DIFF_C_PREV, RNN_DIFF_C);
    for (unsigned i = 0; i < run->cell.backward_count; i++) {
        const unsigned variable = run->cell.backward[i].result;
        if (variable != RNN_DIFF_H_PREV && variable != RNN_DIFF_C_PREV)
            take_plane(run, memory, layer, variable, p->times);
    }
}

static void *take_operand(struct rnn_memory *memory, size_t vectors, size_t depth)
{
    size_t bytes = 0;
    memory->overflow = memory->overflow || !num_operand_bytes(vectors, depth, &bytes);
    return rnn_take(memory, bytes, 1);
}

static void *take_upward(struct rnn_memory *memory, size_t vectors, size_t depth)
{
    size_t bytes = 0;
    memory->overflow = memory->overflow || !num_upward_bytes(vectors, depth, &bytes);
    return rnn_take(memory, bytes, 1);
}

static void lay_out_weights(struct rnn_run *run, struct rnn_memory *memory, enum rnn_matrix matrix,
                            size_t inputs, size_t gates, size_t outputs)
{
    struct rnn_weights *const weights = &run->weights[matrix];
    weights->inputs = inputs;
    weights->gates = gates;
    weights->outputs = outputs;
    if (!run->values)
        weights->forward_buffer = take_operand(memory, gates * outputs, inputs);
    for (size_t g = 0; run->problem.backward && !run->values && g < gates; g++)
        weights->backward_buffer[g] = take_operand(memory, inputs, outputs);
    if (!run->bounds)
        return;
    if (inputs * outputs >= (run->values ? RNN_VALUES_WORTHWHILE : RNN_INTEGERS_WORTHWHILE)) {
        weights->forward_upward.buffer = take_upward(memory, gates * outputs, inputs);
        for (size_t g = 0; run->problem.backward && g < gates; g++)
            weights->backward_upward[g].buffer = take_upward(memory, inputs, outputs);
    }
    weights->column_bit = rnn_take(memory, gates * outputs, sizeof(double));
    weights->row_bit = rnn_take(memory, gates * inputs, sizeof(double));
    weights->column_odd = rnn_take(memory, gates * outputs, sizeof(double));
    weights->row_odd = rnn_take(memory, gates * inputs, sizeof(double));
    weights->column_leaves = rnn_take(memory, gates * outputs, sizeof(double));
    weights->row_leaves = rnn_take(memory, gates * inputs, sizeof(double));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// How many threads are worth their start: each gets rows of the batch.
static void choose_chunks(struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    enum { WORTHWHILE = 1 << 22 };
    const double work = (double)p->times * (double)p->batch * (double)p->hidden_channels *
                        (double)p->gates * (double)(p->layer_channels + p->iter_channels);
    const unsigned threads = work < WORTHWHILE ? 1 : threads_available();
    const size_t most = p->batch < RNN_CHUNKS_MAX ? p->batch : RNN_CHUNKS_MAX;
    run->chunks = threads < most ? threads : (unsigned)most;
    run->chunk_rows = (p->batch + run->chunks - 1) / run->chunks;
}

static void lay_out_bounds(const struct rnn_run *run, struct rnn_memory *memory,
                           struct rnn_scratch *scratch, size_t widest)
{
    const size_t rows = run->chunk_rows;
    double **const lines[] = {&scratch->lines.middle, &scratch->lines.magnitude,
                              &scratch->lines.radius, &scratch->lines.leaves,
                              &scratch->lines.bit,    &scratch->lines.odd};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        *lines[i] = rnn_take(memory, rows * (widest + RNN_LINE_PADDING), sizeof(double));
    scratch->lines.common = rnn_take(memory, widest, sizeof(double));
    for (unsigned v = RNN_X; v < RNN_VARIABLES; v++) {
        struct rnn_packed *const packed = &scratch->bound_left[v];
        double **const wide[] = {&packed->middle, &packed->magnitude, &packed->radius,
                                 &packed->spread};
        double **const narrow[] = {&packed->bit, &packed->odd, &packed->leaves, &packed->largest};
        if (!is_vector(run, v))
            continue;
        for (unsigned i = 0; i < sizeof wide / sizeof *wide; i++)
            *wide[i] = rnn_take(memory, rows * columns_of(&run->problem, v), sizeof(double));
        for (unsigned i = 0; i < sizeof narrow / sizeof *narrow; i++)
            *narrow[i] = rnn_take(memory, rows, sizeof(double));
        packed->upward.buffer = take_upward(memory, rows, columns_of(&run->problem, v));
    }
}

static void lay_out_gradient_room(const struct rnn_problem *p, struct rnn_memory *memory,
                                  struct rnn_gradient_room *room, size_t widest)
{
    const size_t numbers = p->times * p->batch,
                 depth = numbers < RNN_GRADIENT_DEPTH ? numbers : RNN_GRADIENT_DEPTH,
                 side = widest < RNN_GRADIENT_SIDE ? widest : RNN_GRADIENT_SIDE;
    double **const operands[] = {&room->left, &room->right};
    double **const sums[] = {&room->middle, &room->magnitude, &room->radius, &room->leaves,
                             &room->bit};
    room->stride = (side + NUM_WIDTH_PANEL - 1) / NUM_WIDTH_PANEL * NUM_WIDTH_PANEL;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        *operands[i] = rnn_take(memory, room->stride / NUM_PANEL * depth,
                                NUM_INTERVAL_NUMBERS * sizeof(double));
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] = rnn_take(memory, room->stride * room->stride, sizeof(double));
}

// Where weights are too many to stay in a cache close to the processor.
static void lay_out_ahead(const struct rnn_run *run, struct rnn_memory *memory,
                          struct rnn_scratch *scratch)
{
    enum { WORTHWHILE = 1 << 16 };
    const struct rnn_problem *const p = &run->problem;
    size_t numbers;
    if (run->bounds || p->times < 2 || p->layer_channels * p->hidden_channels < WORTHWHILE)
        return;
    if (!num_begin_numbers(run->chunk_rows, RNN_AHEAD, &numbers))
        memory->overflow = true;
    scratch->ahead_workspace = rnn_take(memory, numbers, sizeof(double));
    for (size_t g = 0; g < p->gates; g++) {
        scratch->ahead[g].stride = p->hidden_channels + RNN_LINE_PADDING;
        scratch->ahead[g].sums = rnn_take(
            memory, RNN_AHEAD * run->chunk_rows * scratch->ahead[g].stride, sizeof(double));
    }
}

static void lay_out_scratch(struct rnn_run *run, struct rnn_memory *memory)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t widest = larger(larger(p->layer_channels, p->iter_channels),
                                 larger(p->hidden_channels, p->output_channels));
    for (unsigned c = 0; c < run->chunks; c++) {
        struct rnn_scratch *const scratch = &run->scratch[c];
        memset(scratch, 0, sizeof *scratch);
        // Rows of gradients are columns of what they are the product of.
        size_t workspace = num_sum_workspace(
            p->backward ? larger(run->chunk_rows, widest) : run->chunk_rows, widest);
        if (run->bounds && !num_matrix_workspace(run->chunk_rows, &workspace))
            memory->overflow = true;
        scratch->sum = rnn_take(memory, workspace, 1);
        lay_out_ahead(run, memory, scratch);
        if (run->bounds)
            lay_out_bounds(run, memory, scratch, widest);
        if (run->bounds && p->backward)
            lay_out_gradient_room(p, memory, &scratch->gradients, widest);
        for (unsigned v = RNN_H; v < RNN_VARIABLES && !run->bounds; v++)
            scratch->left_buffer[v] =
                is_vector(run, v) ? take_operand(memory, run->chunk_rows, columns_of(p, v)) : NULL;
    }
}

static void lay_out_gradients(struct rnn_run *run, struct rnn_memory *memory)
{
    bool taken[RNN_VARIABLES] = {false};
    const struct rnn_problem *const p = &run->problem;
    const size_t rows = p->times * p->batch;
    for (unsigned i = 0; i < run->cell.gradient_count; i++) {
        const struct rnn_gradient *const gradient = &run->cell.gradient[i];
        const uint8_t operands[] = {gradient->left, gradient->right};
        for (unsigned o = 0; o < 2 && gradient->kind != RNN_PRODUCT && !run->bounds; o++) {
            void **const buffer = &run->gradient_operand_buffer[operands[o]];
            if (!taken[operands[o]])
                *buffer = take_operand(
                    memory, operands[o] == RNN_NOTHING ? 1 : columns_of(p, operands[o]), rows);
            taken[operands[o]] = true;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        run->gradient_buffer[i] = rnn_take(memory, rows + 1, p->hidden_channels * sizeof(float));
    for (unsigned i = 0; i < RNN_ATTENTION_OPERANDS && run->cell.attention; i++)
        run->attention_buffer[i] =
            rnn_take(memory, rows, p->layers * p->directions * p->hidden_channels * sizeof(float));
}

void rnn_lay_out(struct rnn_run *run, struct rnn_memory *memory)
{
    const struct rnn_problem *const p = &run->problem;
    choose_chunks(run);
    run->layer = rnn_take(memory, p->layers * p->directions, sizeof *run->layer);
    struct rnn_layer counted = {0}; // stands in for every layer while memory is only counted
    for (size_t i = 0; i < p->layers * p->directions && !memory->overflow; i++) {
        struct rnn_layer *const layer = run->layer ? &run->layer[i] : &counted;
        memset(layer, 0, sizeof *layer);
        layer->index = i / p->directions;
        layer->direction = i % p->directions;
        layer->reversed =
            p->direction == RNN_RIGHT2LEFT || (layer->direction == 1 && !run->cell.wiring.one_way);
        lay_out_layer(run, memory, layer);
    }
    lay_out_weights(run, memory, RNN_MATRIX_LAYER, p->layer_channels, p->gates, p->hidden_channels);
    lay_out_weights(run, memory, RNN_MATRIX_ITER, p->iter_channels, p->gates, p->hidden_channels);
    if (p->projection)
        lay_out_weights(run, memory, RNN_MATRIX_PROJECTION, p->hidden_channels, 1,
                        p->output_channels);
    if (!run->bounds)
        run->x_buffer = take_operand(memory, p->times * p->batch, p->layer_channels);
    for (unsigned i = 0; i <= RNN_GATES_MAX && p->quantised; i++)
        run->column_sums[i] =
            rnn_take(memory, larger(p->hidden_channels, p->output_channels), sizeof(int32_t));
    for (unsigned i = 0; i < 2 && p->quantised; i++)
        run->scales[i] = rnn_take(memory, larger(p->gates * p->hidden_channels, p->output_channels),
                                  sizeof(float));
    const size_t zeros = larger(p->iter_channels, larger(p->hidden_channels, p->output_channels));
    run->zeros = rnn_take(memory, zeros, sizeof(double));
    if (run->zeros)
        memset(run->zeros, 0, zeros * sizeof(double));
    for (unsigned i = 0; i < 2; i++) {
        const size_t elements = p->times * p->batch * larger(p->output_channels, p->layer_channels);
        run->pair_buffer[i] = rnn_take(memory, elements, sizeof(double));
        run->pair_buffer_upper[i] = run->bounds ? rnn_take(memory, elements, sizeof(double)) : NULL;
    }
    lay_out_scratch(run, memory);
    if (p->backward)
        lay_out_gradients(run, memory);
}
