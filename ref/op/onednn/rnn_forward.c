// SPDX-License-Identifier: Apache-2.0
// The forward pass: layers from below, directions side by side, time in each direction's own order.
//
// Two directions are two independent stacks that meet after the last layer only. dst_layer[t] is
// the output computed at input time t in either direction; dst_iter is the state after the last
// step processed.

#include <string.h>

#include "ref/base/threads.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_interval.h"
#include "ref/op/onednn/rnn_notation.h"

// ---- inputs of a layer ------------------------------------------------------

static char *at(const struct rnn_run *run, enum rnn_input input, size_t element)
{
    const struct tensor *const tensor = &run->problem.request->input[input];
    return (char *)tensor->data + element * dtype_size(tensor->dtype);
}

// A row for all times and rows of the batch.
static void set_row(struct rnn_plane *plane, enum dtype dtype, void *data, size_t columns,
                    bool one_for_all)
{
    *plane = (struct rnn_plane){
        .dtype = dtype, .data = data, .columns = columns, .column_stride = !one_for_all};
}

static void open_parameters(const struct rnn_run *run, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t place = layer->index * p->directions + layer->direction, dhc = p->hidden_channels;
    for (size_t g = 0; g < p->bias_rows; g++) {
        const bool given = rnn_has(p, RNN_BIAS);
        set_row(&layer->plane[RNN_B0 + g], given ? p->request->input[RNN_BIAS].dtype : DTYPE_F32,
                given ? at(run, RNN_BIAS, (place * p->bias_rows + g) * dhc) : run->zeros, dhc,
                false);
    }
    for (size_t g = 0; g < 3 && p->peephole; g++)
        set_row(&layer->plane[RNN_P0 + g], p->request->input[RNN_WEIGHTS_PEEPHOLE].dtype,
                at(run, RNN_WEIGHTS_PEEPHOLE, (place * 3 + g) * dhc), dhc, false);
    if (run->cell.attention)
        layer->plane[RNN_A] = (struct rnn_plane){.dtype = p->request->input[RNN_ATTENTION].dtype,
                                                 .data = at(run, RNN_ATTENTION, 0),
                                                 .columns = 1,
                                                 .time_stride = (ptrdiff_t)p->batch,
                                                 .row_stride = 1};
}

// Scales, and the sums of the weights that the zero point asks for.
static void open_quantisation(const struct rnn_run *run, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t place = layer->index * p->directions + layer->direction, dhc = p->hidden_channels,
                 dic = p->output_channels;
    const bool many = p->request->attribute[RNN_WEIGHTS_SCALES_MASK].integer != 0;
    set_row(&layer->plane[RNN_SCALE], DTYPE_F32, (void *)(uintptr_t)&p->scale, dhc, true);
    set_row(&layer->plane[RNN_SHIFT], DTYPE_F32, (void *)(uintptr_t)&p->shift, dhc, true);
    set_row(&layer->plane[RNN_SCALE_R], DTYPE_F32, run->scales[1], dic,
            p->request->attribute[RNN_PROJECTION_SCALES_MASK].integer == 0);
    const struct {
        enum rnn_input input;
        size_t inputs;
    } parts[] = {{RNN_WEIGHTS_LAYER, p->layer_channels}, {RNN_WEIGHTS_ITER, p->iter_channels}};
    for (size_t g = 0; g < p->gates; g++) {
        set_row(&layer->plane[RNN_SCALE_0 + g], DTYPE_F32, run->scales[0] + (many ? g * dhc : 0),
                dhc, !many);
        set_row(&layer->plane[RNN_COLUMN_0 + g], DTYPE_I32, run->column_sums[g], dhc, false);
        memset(run->column_sums[g], 0, dhc * sizeof(int32_t));
        for (size_t part = 0; part < 2; part++) {
            const int8_t *const weights = (const int8_t *)at(
                run, parts[part].input, place * parts[part].inputs * p->gates * dhc);
            for (size_t i = 0; i < parts[part].inputs; i++)
                for (size_t o = 0; o < dhc; o++)
                    run->column_sums[g][o] += weights[(i * p->gates + g) * dhc + o];
        }
    }
    if (!p->projection)
        return;
    int32_t *const sums = run->column_sums[RNN_GATES_MAX];
    const int8_t *const weights =
        (const int8_t *)at(run, RNN_WEIGHTS_PROJECTION, place * dhc * dic);
    set_row(&layer->plane[RNN_COLUMN_R], DTYPE_I32, sums, dic, false);
    memset(sums, 0, dic * sizeof *sums);
    for (size_t i = 0; i < dhc; i++)
        for (size_t o = 0; o < dic; o++)
            sums[o] += weights[i * dic + o];
}

static enum error open_weights(struct rnn_run *run, const struct rnn_layer *layer,
                               enum rnn_matrix matrix, bool backward, struct diagnostic *diagnostic)
{
    static const enum rnn_input inputs[] = {RNN_WEIGHTS_LAYER, RNN_WEIGHTS_ITER,
                                            RNN_WEIGHTS_PROJECTION};
    struct rnn_weights *const w = &run->weights[matrix];
    const size_t place = layer->index * run->problem.directions + layer->direction,
                 width = w->gates * w->outputs;
    w->dtype = run->problem.request->input[inputs[matrix]].dtype;
    w->data = at(run, inputs[matrix], place * w->inputs * width);
    const bool by_output = run->problem.frame != NULL;
    const struct num_view all = {w->dtype,
                                 w->data,
                                 width,
                                 w->inputs,
                                 by_output ? (ptrdiff_t)w->inputs : 1,
                                 by_output ? 1 : (ptrdiff_t)width};
    enum error error = ERROR_NONE;
    if (run->values)
        w->forward = run->values->weights[matrix].forward;
    else if (!backward)
        error = num_operand_prepare(&w->forward, &all, w->forward_buffer, diagnostic);
    for (size_t g = 0; backward && run->values && g < w->gates; g++)
        w->backward[g] = run->values->weights[matrix].backward[g];
    for (size_t g = 0; backward && !run->values && g < w->gates && !error; g++) {
        const struct num_view view = {
            w->dtype,         (const char *)w->data + g * w->outputs * dtype_size(w->dtype),
            w->inputs,        w->outputs,
            (ptrdiff_t)width, 1};
        error = num_operand_prepare(&w->backward[g], &view, w->backward_buffer[g], diagnostic);
    }
    if (!error && run->bounds)
        rnn_bound_open_weights(w, backward);
    return error;
}

static void open_x(const struct rnn_run *run, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    if (layer->index > 0) {
        const struct rnn_wiring *const wiring = &run->cell.wiring;
        const size_t direction = wiring->crossed ? 1 - layer->direction : layer->direction;
        layer->plane[RNN_X] = run->layer[(layer->index - 1) * p->directions + direction]
                                  .plane[wiring->up ? wiring->up : RNN_H_STORED];
        return;
    }
    layer->plane[RNN_X] =
        (struct rnn_plane){.dtype = p->request->input[RNN_SRC_LAYER].dtype,
                           .data = at(run, RNN_SRC_LAYER, 0),
                           .columns = p->layer_channels,
                           .time_stride = (ptrdiff_t)(p->batch * p->layer_channels),
                           .row_stride = (ptrdiff_t)p->layer_channels,
                           .column_stride = 1};
}

// What is made ready side by side: each matrix, then x for the forward pass of values.
struct opening {
    struct rnn_run *run;
    const struct rnn_layer *layer;
    bool backward;
};

static enum error open_part(void *context, uint64_t part, uint64_t count,
                            struct diagnostic *diagnostic)
{
    const struct opening *const opening = context;
    struct rnn_run *const run = opening->run;
    const struct rnn_problem *const p = &run->problem;
    const struct rnn_plane *const x = &opening->layer->plane[RNN_X];
    (void)count; // 1
    if (part < RNN_MATRICES)
        return part != RNN_MATRIX_PROJECTION || p->projection
                   ? open_weights(run, opening->layer, (enum rnn_matrix)part, opening->backward,
                                  diagnostic)
                   : ERROR_NONE;
    if (run->bounds || opening->backward)
        return ERROR_NONE;
    const struct num_view view = {x->dtype,   x->data,       p->times * p->batch,
                                  x->columns, x->row_stride, 1};
    return num_operand_prepare(&run->x, &view, run->x_buffer, diagnostic);
}

enum error rnn_open_layer(struct rnn_run *run, struct rnn_layer *layer, bool backward,
                          struct diagnostic *diagnostic)
{
    struct opening opening = {run, layer, backward};
    if (!backward)
        open_x(run, layer);
    const enum error error =
        threads_run(run->chunks, RNN_MATRICES + 1, 1, open_part, &opening, diagnostic);
    if (error || backward)
        return error;
    open_parameters(run, layer);
    if (run->problem.quantised)
        open_quantisation(run, layer);
    return ERROR_NONE;
}

// ---- states before the first step -------------------------------------------

// Copies rows of numbers of `dtype` into a plane at `time`; `from` NULL: zeros.
static void load_rows(const struct rnn_run *run, const struct rnn_plane *to, size_t time,
                      enum dtype dtype, const void *from)
{
    const size_t elements = run->problem.batch * to->columns;
    char *const data = rnn_plane_at(to, time, 0);
    if (!from)
        memset(data, 0, elements * dtype_size(to->dtype));
    else
        num_convert_array(to->dtype, data, dtype, from, elements);
    if (to->upper)
        memcpy((char *)to->upper + (data - (char *)to->data), data, elements * sizeof(double));
}

// src_iter as quantised data: as it is, or q(src_iter), or q(0).
static void quantise_state(const struct rnn_run *run, struct rnn_layer *layer, const void *from)
{
    static const struct rnn_equation quantise = EQ("q(src_iter)", H, SUM(T2(M, SCALE), T1(SHIFT)));
    const struct rnn_plane kept = layer->plane[RNN_M];
    const size_t columns = run->problem.iter_channels;
    layer->plane[RNN_M] = (struct rnn_plane){.dtype = DTYPE_F32,
                                             .data = from ? (void *)(uintptr_t)from : run->zeros,
                                             .columns = columns,
                                             .row_stride = from ? (ptrdiff_t)columns : 0,
                                             .column_stride = 1};
    rnn_compute_terms(run, layer->plane, &quantise, rnn_first_time(run, layer), 0,
                      run->problem.batch, run->problem.state);
    layer->plane[RNN_M] = kept;
}

static void load_states(const struct rnn_run *run, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t place = (layer->index * p->directions + layer->direction) * p->batch,
                 time = rnn_first_time(run, layer);
    const enum dtype dtype = p->request->input[RNN_SRC_ITER].dtype;
    const void *const h =
        rnn_has(p, RNN_SRC_ITER) ? at(run, RNN_SRC_ITER, place * p->iter_channels) : NULL;
    if (p->quantised && dtype != p->state)
        quantise_state(run, layer, h);
    else
        load_rows(run, &layer->plane[RNN_H], time, dtype, h);
    if (run->observed)
        rnn_load_observed(run, layer);
    if (run->cell.carries_c)
        load_rows(run, &layer->plane[RNN_C], time, p->request->input[RNN_SRC_ITER_C].dtype,
                  rnn_has(p, RNN_SRC_ITER_C) ? at(run, RNN_SRC_ITER_C, place * p->hidden_channels)
                                             : NULL);
}

// ---- steps ------------------------------------------------------------------

struct steps {
    struct rnn_run *run;
    const struct rnn_layer *layer;
    bool backward;
};

// Copies a variable of one row over another at `time`.
static void copy_row(const struct rnn_plane *from, const struct rnn_plane *to, size_t time,
                     size_t row)
{
    const size_t bytes = to->columns * dtype_size(to->dtype);
    char *const at = rnn_plane_at(to, time, row);
    const char *const source = rnn_plane_at(from, time, row);
    memcpy(at, source, bytes);
    if (to->upper)
        memcpy((char *)to->upper + (at - (char *)to->data),
               (const char *)from->upper + (source - (const char *)from->data), bytes);
}

// A row whose sequence has no such time keeps its states.
static void pass_ended(const struct rnn_step *step)
{
    const struct rnn_frame *const frame = step->run->problem.frame;
    const struct rnn_plane *const plane = step->layer->plane;
    for (size_t row = step->first_row; row < step->first_row + step->rows; row++) {
        if (step->time < (size_t)frame->lengths[row])
            continue;
        copy_row(&plane[RNN_H], &plane[RNN_H_STORED], step->time, row);
        if (step->run->cell.carries_c)
            copy_row(&plane[RNN_C], &plane[RNN_C_STORED], step->time, row);
    }
}

// Step number k of some rows.
static enum error run_step(const struct steps *steps, size_t k, size_t first, size_t count,
                           struct diagnostic *diagnostic)
{
    struct rnn_run *const run = steps->run;
    const struct rnn_equation *const equations =
        steps->backward ? run->cell.backward : run->cell.forward;
    const unsigned equation_count =
        steps->backward ? run->cell.backward_count : run->cell.forward_count;
    const size_t time = steps->layer->reversed != steps->backward ? run->problem.times - 1 - k : k;
    const struct rnn_step step = {run,  steps->layer, &run->scratch[first / run->chunk_rows],
                                  time, first,        count};
    enum error error = ERROR_NONE;
    memset(step.scratch->packed, 0, sizeof step.scratch->packed);
    for (unsigned g = 0; k == 0 && g < RNN_GATES_MAX; g++)
        step.scratch->ahead[g].count = 0;
    for (unsigned i = 0; i < equation_count && !error; i++)
        error = rnn_compute(&step, &equations[i], diagnostic);
    if (run->problem.frame && run->problem.frame->lengths && !error)
        pass_ended(&step);
    return error;
}

static enum error run_chunk(void *context, uint64_t first, uint64_t count,
                            struct diagnostic *diagnostic)
{
    const struct steps *const steps = context;
    const struct rnn_run *const run = steps->run;
    const struct steps values = {run->values, rnn_layer_of_values(run, steps->layer),
                                 steps->backward};
    enum error error = ERROR_NONE;
    for (size_t k = 0; k < run->problem.times && !error; k++) {
        if (run->values)
            error = run_step(&values, k, (size_t)first, (size_t)count, diagnostic);
        if (!error)
            error = run_step(steps, k, (size_t)first, (size_t)count, diagnostic);
    }
    return error;
}

enum error rnn_run_steps(struct rnn_run *run, const struct rnn_layer *layer, bool backward,
                         struct diagnostic *diagnostic)
{
    struct steps steps = {run, layer, backward};
    return threads_run(run->chunks, run->problem.batch, run->chunk_rows, run_chunk, &steps,
                       diagnostic);
}

static enum error start_layer(struct rnn_run *run, size_t i, struct diagnostic *diagnostic)
{
    enum error error = run->values ? start_layer(run->values, i, diagnostic) : ERROR_NONE;
    if (!error)
        error = rnn_open_layer(run, &run->layer[i], false, diagnostic);
    if (!error)
        load_states(run, &run->layer[i]);
    return error;
}

enum error rnn_run_forward(struct rnn_run *run, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->problem.layers * run->problem.directions && !error; i++) {
        error = start_layer(run, i, diagnostic);
        if (!error)
            error = rnn_run_steps(run, &run->layer[i], false, diagnostic);
    }
    return error;
}
