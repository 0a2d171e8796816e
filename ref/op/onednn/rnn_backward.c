// SPDX-License-Identifier: Apache-2.0
// The backward pass: layers from above, time against each direction's order, then the gradients of
// parameters.
//
// The forward planes of all times are there. A gradient of parameters is one exact sum over time,
// batch and the initial contents, rounded once; the gradient of attention is one over layers,
// directions and channels.

#include <string.h>

#include "ref/base/threads.h"
#include "ref/num/product/expression.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_interval.h"

static char *at(const struct rnn_run *run, enum rnn_input input, size_t element)
{
    const struct tensor *const tensor = &run->problem.request->input[input];
    return (char *)tensor->data + element * dtype_size(tensor->dtype);
}

// ---- what a layer starts from -----------------------------------------------

static void open_diff_above(const struct rnn_run *run, struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    if (layer->index + 1 < p->layers) {
        layer->plane[RNN_DIFF_ABOVE] =
            run->layer[(layer->index + 1) * p->directions + layer->direction].plane[RNN_DIFF_X];
        return;
    }
    const size_t offset = p->direction == RNN_CONCAT ? layer->direction * p->output_channels : 0;
    layer->plane[RNN_DIFF_ABOVE] =
        (struct rnn_plane){.dtype = DTYPE_F32,
                           .data = at(run, RNN_DIFF_DST_LAYER, offset),
                           .columns = p->output_channels,
                           .time_stride = (ptrdiff_t)(p->batch * p->dst_channels),
                           .row_stride = (ptrdiff_t)p->dst_channels,
                           .column_stride = 1};
}

static void load_diff(const struct rnn_run *run, const struct rnn_layer *layer, unsigned variable,
                      enum rnn_input input)
{
    const struct rnn_plane *const to = &layer->plane[variable];
    const size_t place = layer->index * run->problem.directions + layer->direction,
                 elements = run->problem.batch * to->columns;
    char *const data = rnn_plane_at(to, rnn_last_time(run, layer), 0);
    if (rnn_has(&run->problem, input))
        num_convert_array(to->dtype, data, DTYPE_F32, at(run, input, place * elements), elements);
    else
        memset(data, 0, elements * dtype_size(to->dtype));
    if (to->upper)
        memcpy((char *)to->upper + (data - (char *)to->data), data, elements * sizeof(double));
}

// ---- gradients of parameters ------------------------------------------------

// What a gradient is added to: elements of an initial tensor, or zeros.
static struct num_elements initial_elements(const struct rnn_run *run, enum rnn_input input,
                                            size_t first, size_t row_stride)
{
    const bool kept = rnn_has(&run->problem, input) &&
                      !run->problem.request->attribute[RNN_DIFF_WEIGHTS_OVERWRITE].integer;
    if (!kept)
        return (struct num_elements){.dtype = DTYPE_F32, .data = run->zeros};
    return (struct num_elements){DTYPE_F32, at(run, input, first), (ptrdiff_t)row_stride, 1, 0};
}

struct rnn_place rnn_place_of(const struct rnn_run *run, const struct rnn_layer *layer,
                              const struct rnn_gradient *gradient)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t cell = layer->index * p->directions + layer->direction, dhc = p->hidden_channels;
    switch (gradient->kind) {
    case RNN_TOTAL:
        return (struct rnn_place){RNN_INITIAL_BIAS, RNN_DIFF_BIAS,
                                  (cell * p->bias_rows + gradient->gate) * dhc, dhc};
    case RNN_PRODUCT:
        return (struct rnn_place){RNN_INITIAL_WEIGHTS_PEEPHOLE, RNN_DIFF_WEIGHTS_PEEPHOLE,
                                  (cell * 3 + gradient->gate) * dhc, dhc};
    default: {
        static const enum rnn_input initial[] = {
            RNN_INITIAL_WEIGHTS_LAYER, RNN_INITIAL_WEIGHTS_ITER, RNN_INITIAL_WEIGHTS_PROJECTION};
        static const enum rnn_output output[] = {RNN_DIFF_WEIGHTS_LAYER, RNN_DIFF_WEIGHTS_ITER,
                                                 RNN_DIFF_WEIGHTS_PROJECTION};
        const struct rnn_weights *const w = &run->weights[gradient->matrix];
        return (struct rnn_place){initial[gradient->matrix], output[gradient->matrix],
                                  (cell * w->inputs * w->gates + gradient->gate) * w->outputs,
                                  w->gates * w->outputs};
    }
    }
}

// Rows [first, first + count) of the gradient of a matrix, or the one row of a bias.
static enum error round_rows(const struct rnn_run *run, const struct rnn_layer *layer,
                             const struct rnn_gradient *gradient, size_t first, size_t count,
                             void *workspace, struct diagnostic *diagnostic)
{
    const struct rnn_place place = rnn_place_of(run, layer, gradient);
    const size_t begin = place.first + first * place.row_stride;
    const struct num_operand *const left = &run->gradient_operand[gradient->left],
                                    *const right = &run->gradient_operand[gradient->right];
    struct num_expression leaf = {.terms = 1,
                                  .term = {{.factors = 1, .factor = {{.form = NUM_VALUE}}}}};
    leaf.term[0].factor[0].x = initial_elements(run, place.initial, begin, place.row_stride);
    const struct num_sum sum = {.rows = count,
                                .columns = right->vectors,
                                .products = 1,
                                .product = {{num_operand_slice(left, first, count), *right}},
                                .leaf = &leaf};
    const struct num_result out = {DTYPE_F32, (float *)run->lower[place.output] + begin,
                                   (ptrdiff_t)place.row_stride, 1};
    return num_sum_round(&sum, &out, workspace, NULL, diagnostic);
}

// Sums of products element by element: the initial contents are one more row, times 1.
static void round_product(const struct rnn_run *run, const struct rnn_layer *layer,
                          const struct rnn_gradient *gradient)
{
    const struct rnn_place place = rnn_place_of(run, layer, gradient);
    const struct rnn_plane *const left = &layer->plane[gradient->left],
                                  *const right = &layer->plane[gradient->right];
    const size_t rows = run->problem.times * run->problem.batch, columns = right->columns;
    float *const a = run->gradient_buffer[0], *const b = run->gradient_buffer[1];
    num_convert_array(DTYPE_F32, a, left->dtype, left->data, rows * columns);
    num_convert_array(DTYPE_F32, b, right->dtype, right->data, rows * columns);
    const struct num_elements initial =
        initial_elements(run, place.initial, place.first, place.row_stride);
    for (size_t c = 0; c < columns; c++) {
        a[rows * columns + c] = 1;
        b[rows * columns + c] = ((const float *)initial.data)[initial.column_stride ? c : 0];
    }
    const struct num_elements x = {DTYPE_F32, a, 0, 1, (ptrdiff_t)columns},
                              y = {DTYPE_F32, b, 0, 1, (ptrdiff_t)columns};
    const struct num_expression products = {
        .terms = 1,
        .term = {
            {.factors = 2, .factor = {{.form = NUM_VALUE, .x = x}, {.form = NUM_VALUE, .x = y}}}}};
    const struct num_result out = {DTYPE_F32, (float *)run->lower[place.output] + place.first, 0,
                                   1};
    num_expression_round(&products, 1, columns, rows + 1, &out, NULL);
}

struct gradients {
    struct rnn_run *run;
    const struct rnn_layer *layer;
};

// A variable over all times and rows as an operand of gradients; of a bias the left one is a row of
// ones, in the place of no variable.
static enum error pack_variable(void *context, uint64_t variable, uint64_t count,
                                struct diagnostic *diagnostic)
{
    static const float one = 1;
    const struct gradients *const of = context;
    struct rnn_run *const run = of->run;
    void *const buffer = run->gradient_operand_buffer[variable];
    const struct rnn_plane ones = {
        .dtype = DTYPE_F32, .data = (void *)(uintptr_t)&one, .columns = 1};
    const struct rnn_plane *const plane =
        variable == RNN_NOTHING ? &ones : &of->layer->plane[variable];
    const struct num_view view = {
        plane->dtype,     plane->data, plane->columns, run->problem.times * run->problem.batch, 1,
        plane->row_stride};
    (void)count; // 1
    return buffer ? num_operand_prepare(&run->gradient_operand[variable], &view, buffer, diagnostic)
                  : ERROR_NONE;
}

// Where one of `shares` begins; what is multiplied together is not cut up.
static size_t begin_of(size_t rows, uint64_t share, unsigned shares)
{
    enum { TOGETHER = 16 };
    return share == shares ? rows : rows * share / shares / TOGETHER * TOGETHER;
}

// A thread's share of the rows of all matrices and biases.
static enum error round_share(void *context, uint64_t share, uint64_t count,
                              struct diagnostic *diagnostic)
{
    const struct gradients *const of = context;
    const struct rnn_run *const run = of->run;
    size_t all = 0, begins = 0;
    for (unsigned i = 0; i < run->cell.gradient_count; i++)
        all += run->gradient_operand[run->cell.gradient[i].left].vectors;
    const size_t from = begin_of(all, share, run->chunks),
                 to = begin_of(all, share + 1, run->chunks);
    enum error error = ERROR_NONE;
    (void)count; // 1
    for (unsigned i = 0; i < run->cell.gradient_count && !error; i++) {
        const struct rnn_gradient *const gradient = &run->cell.gradient[i];
        const size_t rows = run->gradient_operand[gradient->left].vectors, ends = begins + rows;
        const size_t first = from > begins ? from - begins : 0,
                     last = to < ends ? (to > begins ? to - begins : 0) : rows;
        if (gradient->kind != RNN_PRODUCT && first < last &&
            run->lower[rnn_place_of(run, of->layer, gradient).output])
            error = round_rows(run, of->layer, gradient, first, last - first,
                               run->scratch[share].sum, diagnostic);
        begins = ends;
    }
    return error;
}

static enum error write_gradients(struct rnn_run *run, const struct rnn_layer *layer,
                                  struct diagnostic *diagnostic)
{
    struct gradients gradients = {run, layer};
    if (run->bounds)
        return rnn_bound_gradients(run, layer, diagnostic);
    for (unsigned i = 0; i < run->cell.gradient_count; i++)
        if (run->cell.gradient[i].kind == RNN_PRODUCT &&
            run->lower[rnn_place_of(run, layer, &run->cell.gradient[i]).output])
            round_product(run, layer, &run->cell.gradient[i]);
    const enum error error =
        threads_run(run->chunks, RNN_VARIABLES, 1, pack_variable, &gradients, diagnostic);
    return error ? error
                 : threads_run(run->chunks, run->chunks, 1, round_share, &gradients, diagnostic);
}

// ---- attention --------------------------------------------------------------

// d_attention = -sum over layers, directions and channels of (h' - o)*dH*u.
static const uint8_t attention_operands[RNN_ATTENTION_OPERANDS] = {RNN_H, RNN_G2, RNN_DIFF_H,
                                                                   RNN_G0};

static void gather_attention(const struct rnn_run *run, const struct rnn_layer *layer)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t dhc = p->hidden_channels, cells = p->layers * p->directions;
    const size_t place = layer->index * p->directions + layer->direction;
    for (unsigned i = 0; i < RNN_ATTENTION_OPERANDS; i++) {
        const struct rnn_plane *const plane = &layer->plane[attention_operands[i]];
        for (size_t row = 0; row < p->times * p->batch; row++)
            num_convert_array(DTYPE_F32, run->attention_buffer[i] + (row * cells + place) * dhc,
                              plane->dtype, rnn_plane_at(plane, 0, row), dhc);
    }
}

static void write_attention(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t depth = p->layers * p->directions * p->hidden_channels;
    struct num_elements operand[RNN_ATTENTION_OPERANDS];
    for (unsigned i = 0; i < RNN_ATTENTION_OPERANDS; i++)
        operand[i] =
            (struct num_elements){DTYPE_F32, run->attention_buffer[i], (ptrdiff_t)depth, 0, 1};
    const struct num_expression sum = {
        .terms = 1,
        .term = {{.negative = true,
                  .factors = run->cell.attention_slope ? 4 : 3,
                  .factor = {{NUM_DIFFERENCE, operand[0], operand[1]},
                             {.form = NUM_VALUE, .x = operand[2]},
                             {.form = NUM_VALUE, .x = operand[3]},
                             {.form = NUM_LESS_SQUARE, .x = operand[3]}}}}};
    const struct num_result out = {DTYPE_F32, run->lower[RNN_DIFF_ATTENTION], 1, 1};
    num_expression_round(&sum, p->times * p->batch, 1, depth, &out, NULL);
}

// ---- the pass ---------------------------------------------------------------

static void write_diff_src(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    const struct rnn_plane *const dx = &run->layer[0].plane[RNN_DIFF_X];
    if (p->directions == 2) {
        rnn_emit_sum(run, RNN_DIFF_SRC_LAYER, dx, &run->layer[1].plane[RNN_DIFF_X]);
    } else {
        for (size_t t = 0; t < p->times; t++)
            rnn_emit(run, RNN_DIFF_SRC_LAYER, t * p->batch * p->layer_channels, p->layer_channels,
                     dx, t, p->batch);
    }
    for (size_t i = 0; i < p->layers * p->directions; i++) {
        const struct rnn_layer *const layer = &run->layer[i];
        const size_t time = rnn_first_time(run, layer);
        rnn_emit(run, RNN_DIFF_SRC_ITER, i * p->batch * p->iter_channels, p->iter_channels,
                 &layer->plane[RNN_DIFF_H_PREV], time, p->batch);
        if (run->cell.carries_c)
            rnn_emit(run, RNN_DIFF_SRC_ITER_C, i * p->batch * p->hidden_channels,
                     p->hidden_channels, &layer->plane[RNN_DIFF_C_PREV], time, p->batch);
    }
}

// The run of values that goes along comes first, here and below.
static enum error start_layer(struct rnn_run *run, size_t i, struct diagnostic *diagnostic)
{
    struct rnn_layer *const layer = &run->layer[i];
    enum error error = run->values ? start_layer(run->values, i, diagnostic) : ERROR_NONE;
    if (!error)
        error = rnn_open_layer(run, layer, true, diagnostic);
    if (error)
        return error;
    if (run->bounds)
        rnn_bound_remade(run, layer);
    open_diff_above(run, layer);
    load_diff(run, layer, RNN_DIFF_NEXT, RNN_DIFF_DST_ITER);
    if (run->cell.carries_c)
        load_diff(run, layer, RNN_DIFF_C, RNN_DIFF_DST_ITER_C);
    return ERROR_NONE;
}

static enum error finish_layer(struct rnn_run *run, size_t i, struct diagnostic *diagnostic)
{
    enum error error = run->values ? finish_layer(run->values, i, diagnostic) : ERROR_NONE;
    if (!error)
        error = write_gradients(run, &run->layer[i], diagnostic);
    if (!error && run->cell.attention && !run->bounds)
        gather_attention(run, &run->layer[i]);
    return error;
}

static void finish_pass(const struct rnn_run *run)
{
    if (run->values)
        finish_pass(run->values);
    if (run->cell.attention && run->bounds)
        rnn_bound_attention(run);
    else if (run->cell.attention && run->lower[RNN_DIFF_ATTENTION])
        write_attention(run);
    write_diff_src(run);
}

enum error rnn_run_backward(struct rnn_run *run, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = run->problem.layers * run->problem.directions; i-- > 0 && !error;) {
        error = start_layer(run, i, diagnostic);
        if (!error)
            error = rnn_run_steps(run, &run->layer[i], true, diagnostic);
        if (!error)
            error = finish_layer(run, i, diagnostic);
    }
    if (!error)
        finish_pass(run);
    return error;
}
