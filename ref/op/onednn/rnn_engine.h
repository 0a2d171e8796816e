// SPDX-License-Identifier: Apache-2.0
// The driver over layers, directions and time: one for all cells, forward and backward, for values
// and for intervals.
//
// Planes hold the variables of a cell for one layer and direction. What an equation computes is the
// business of rnn_node.c (exact, rounded once) or rnn_interval.c (admissible intervals); where its
// operands lie is decided here.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_ENGINE_H
#define ASSAY_REF_OP_ONEDNN_RNN_ENGINE_H

#include "ref/num/product/product.h"
#include "ref/num/product/upward.h"
#include "ref/op/model.h"
#include "ref/op/onednn/rnn_cell.h"

// Elements [time][row][column]; strides in elements. `upper`: NULL, and `data` are values; else
// both are f64, the ends of intervals, laid out alike.
struct rnn_plane {
    enum dtype dtype;
    void *data, *upper;
    size_t columns;
    ptrdiff_t time_stride, row_stride, column_stride;
};

// Magnitudes rounded up for the products of widths, where the matrix is large (buffer not NULL) and
// that is close enough.
struct rnn_upward {
    struct num_upward magnitudes;
    void *buffer;
    bool usable;
};

// A matrix of parameters in both orientations, all gates.
struct rnn_weights {
    size_t inputs, gates, outputs; // [inputs][gates][outputs]
    enum dtype dtype;
    const void *data;
    struct num_operand forward;                 // gates * outputs vectors of `inputs`
    struct num_operand backward[RNN_GATES_MAX]; // each `inputs` vectors of `outputs`
    void *forward_buffer, *backward_buffer[RNN_GATES_MAX];
    // With `bounds`: of each [gate][output], and of each [gate][input], the least bit, the largest
    // odd part and how many numbers are not 0; and how many where that is the same for all, else
    // -1.
    double *column_bit, *row_bit, *column_odd, *row_odd, *column_leaves, *row_leaves;
    double column_uniform, row_uniform;
    struct rnn_upward forward_upward, backward_upward[RNN_GATES_MAX];
};

// One layer in one direction.
struct rnn_layer {
    size_t index, direction;
    bool reversed;
    struct rnn_plane plane[RNN_VARIABLES];
};

// Rows of intervals as operands of products, [row][column]. Of each row the least bit (0: not all
// are single numbers), the largest odd part where they are, how many are not 0, and the largest
// magnitude.
struct rnn_packed {
    double *middle, *magnitude, *radius, *bit, *odd, *leaves, *largest;
    size_t width; // rows that are not all single numbers
    double *
        spread; // factor * magnitude + radius, or the distance from `values`; where factor is not 0
    struct rnn_upward upward; // of that, where it is `rounded`
    double factor;
    bool measured;        // whether there are middles, magnitudes and radii
    bool around, rounded; // from values
};

// Sums beside one another for the dots of a step, [row][column], rows RNN_LINE_PADDING numbers
// longer than they need be, so that they do not all fall into one set of the cache. Over the leaves
// of each: their middle, magnitude and radius, how many are not 0, the least bit and the largest
// odd part; and what all rows have in common.
struct rnn_lines {
    double *middle, *magnitude, *radius, *leaves, *bit, *odd, *common;
};

// Gradients of parameters are summed in tiles of so many rows and columns, over so many times and
// rows of the batch at once.
enum { RNN_GRADIENT_SIDE = 128, RNN_GRADIENT_DEPTH = 128 };

// Room for one: its operands (num/product/intervals.h), and sums over leaves as in rnn_lines,
// [row][column], rows `stride` apart.
struct rnn_gradient_room {
    size_t stride;
    double *left, *right, *middle, *magnitude, *radius, *leaves, *bit;
};

// How bounds are derived; made from what the target declares.
struct rnn_model {
    const struct evaluation_model *declared;
    double unit;     // of f32 operations
    double sum_unit; // of the additions of a dot product
    double operands; // relative error of a product whose operands were rounded first
    double flush;    // results below may become 0
};

// Integers save time where a matrix has so many numbers, and where values go along with a backward
// pass; elsewhere bounds need not be a hair wider.
enum { RNN_INTEGERS_WORTHWHILE = 1 << 16, RNN_VALUES_WORTHWHILE = 1 << 14 };

// How many steps the products of x run ahead of the recurrence: weights that are streamed once
// serve all of them.
enum { RNN_AHEAD = 4, RNN_LINE_PADDING = 8 };

// Products of x and the weights of a gate at the times from `first` on, in the order of the steps.
struct rnn_ahead {
    double *sums; // [step][row][stride]; NULL where they are not made ahead
    size_t first, count, stride;
};

// What one thread needs to do rows of a step.
struct rnn_scratch {
    void *left_buffer[RNN_VARIABLES]; // for the vectors of dots, packed; NULL where a variable is
                                      // none
    struct num_operand left[RNN_VARIABLES]; // packed for the step at hand where `packed`
    bool packed[RNN_VARIABLES];
    void *sum; // workspace of num_sum_round, or of num_matrix_add
    struct rnn_ahead ahead[RNN_GATES_MAX];
    double *ahead_workspace;
    // With `bounds`:
    struct rnn_packed bound_left[RNN_VARIABLES];
    struct rnn_lines lines;
    struct rnn_gradient_room gradients;
};

enum { RNN_CHUNKS_MAX = 64, RNN_ATTENTION_OPERANDS = 4 };

struct rnn_run {
    struct rnn_problem problem;
    struct rnn_cell cell;
    bool bounds, observed; // observed: h' is the request's
    struct rnn_run
        *values; // with `bounds`: the run of values that goes along step by step, or NULL
    struct rnn_model model;  // with `bounds`
    struct rnn_layer *layer; // [L][D]
    struct rnn_weights weights[RNN_MATRICES];
    void *x_buffer; // src_layer, or the output of the layer below, packed
    struct num_operand x;
    int32_t *column_sums[RNN_GATES_MAX + 1]; // of quantised weights: each gate, then the projection
    float *scales[2];                        // weights_scales, projection_scales
    void *zeros;                             // a row of zeros of any type
    void *pair_buffer[2],
        *pair_buffer_upper[2]; // results of both directions together, and on their way out
    void *gradient_operand_buffer[RNN_VARIABLES]; // of variables that are no operand NULL
    struct num_operand gradient_operand[RNN_VARIABLES];
    float *gradient_buffer[2]; // [T * N + 1, DHC]: operands of the peephole's gradient
    float *attention_buffer[RNN_ATTENTION_OPERANDS]; // [T * N, L * D * DHC]: operands of
                                                     // attention's gradient
    unsigned chunks;
    size_t chunk_rows;
    void *place[RNN_OUTPUTS]; // where a run of values that goes along puts them, as its `lower`
    void *const
        *lower; // where outputs go; with `bounds`, the lower ends, and the upper ones in `upper`
    void *const *upper;
    struct rnn_scratch scratch[RNN_CHUNKS_MAX]; // the first `chunks`; the others, most of the
                                                // struct, are never touched
};

// Rows [first_row, first_row + rows) of one step.
struct rnn_step {
    const struct rnn_run *run;
    const struct rnn_layer *layer;
    struct rnn_scratch *scratch;
    size_t time, first_row, rows;
};

// Memory handed out from the workspace; `base` NULL: only counted.
struct rnn_memory {
    unsigned char *base;
    size_t used;
    bool overflow;
};

void *rnn_take(struct rnn_memory *memory, size_t count, size_t size);

// Lays out everything that `run` points to. Needs its problem, cell and `bounds`.
void rnn_lay_out(struct rnn_run *run, struct rnn_memory *memory);

// All layers, in both directions, through all time: fills the planes of every layer.
enum error rnn_run_forward(struct rnn_run *run, struct diagnostic *diagnostic);

// The same from the last layer and step to the first, after rnn_run_forward; writes the gradients.
enum error rnn_run_backward(struct rnn_run *run, struct diagnostic *diagnostic);

// With `observed`: all states h' of `layer` but the first; dst_iter, where it has the type of
// dst_layer.
void rnn_load_observed(const struct rnn_run *run, const struct rnn_layer *layer);
void rnn_write_observed(const struct rnn_run *run, const struct rnn_layer *layer);

// Writes dst_layer, dst_iter and dst_iter_c, as far as they are wanted.
void rnn_write_forward(struct rnn_run *run);

// Points the planes of `layer` at its inputs and makes its weights ready: all for the forward pass,
// then those of the other orientation for `backward`.
enum error rnn_open_layer(struct rnn_run *run, struct rnn_layer *layer, bool backward,
                          struct diagnostic *diagnostic);

// The steps of `layer` in the order of `backward` or its opposite, in chunks of rows on all
// threads.
enum error rnn_run_steps(struct rnn_run *run, const struct rnn_layer *layer, bool backward,
                         struct diagnostic *diagnostic);

// One equation on the rows of a step: `run->bounds` says in which arithmetic.
enum error rnn_compute(const struct rnn_step *step, const struct rnn_equation *equation,
                       struct diagnostic *diagnostic);

// The type in which a variable is stored.
enum dtype rnn_dtype_of(const struct rnn_problem *problem, unsigned variable);

// Where the gradient of gate `gate` of a tensor [L, D, rows, gates, columns] lies, and what it is
// added to.
struct rnn_place {
    enum rnn_input initial;
    enum rnn_output output;
    size_t first, row_stride;
};
struct rnn_place rnn_place_of(const struct rnn_run *run, const struct rnn_layer *layer,
                              const struct rnn_gradient *gradient);

// An equation without dots, on planes: rows [first_row, first_row + rows) at `time`, into
// plane[equation->result]. The result is stored as `dtype`, whatever type the plane has where
// intervals are computed.
void rnn_compute_terms(const struct rnn_run *run, const struct rnn_plane *plane,
                       const struct rnn_equation *equation, size_t time, size_t first_row,
                       size_t rows, enum dtype dtype);

// Writes rows [0, rows) of `plane` at `time` to output `output`, from element `first` on, a row
// each `row_stride` elements.
void rnn_emit(const struct rnn_run *run, enum rnn_output output, size_t first, size_t row_stride,
              const struct rnn_plane *plane, size_t time, size_t rows);

// The result of two directions: `equation` on both planes over all time, into output `output`.
void rnn_emit_sum(const struct rnn_run *run, enum rnn_output output, const struct rnn_plane *left,
                  const struct rnn_plane *right);

// The same layer of the run of values, or NULL.
static inline const struct rnn_layer *rnn_layer_of_values(const struct rnn_run *run,
                                                          const struct rnn_layer *layer)
{
    return run->values ? &run->values->layer[layer - run->layer] : NULL;
}

// The first and the last time that `layer` processes going forward.
static inline size_t rnn_first_time(const struct rnn_run *run, const struct rnn_layer *layer)
{
    return layer->reversed ? run->problem.times - 1 : 0;
}
static inline size_t rnn_last_time(const struct rnn_run *run, const struct rnn_layer *layer)
{
    return layer->reversed ? 0 : run->problem.times - 1;
}

static inline char *rnn_plane_at(const struct rnn_plane *plane, size_t time, size_t row)
{
    return (char *)plane->data +
           ((ptrdiff_t)time * plane->time_stride + (ptrdiff_t)row * plane->row_stride) *
               (ptrdiff_t)dtype_size(plane->dtype);
}

#endif
