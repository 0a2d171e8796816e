// SPDX-License-Identifier: Apache-2.0
// From planes to outputs: directions joined, quantised states as they are or dequantised.

#include <string.h>

#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_notation.h"

static void emit_end(void *to, enum dtype dtype, size_t first, size_t row_stride,
                     const struct rnn_plane *plane, const void *data, size_t time, size_t rows)
{
    const size_t size = dtype_size(dtype);
    const ptrdiff_t shift = rnn_plane_at(plane, time, 0) - (char *)plane->data;
    for (size_t r = 0; r < rows; r++)
        num_convert_array(dtype, (char *)to + (first + r * row_stride) * size, plane->dtype,
                          (const char *)data + shift +
                              (ptrdiff_t)r * plane->row_stride *
                                  (ptrdiff_t)dtype_size(plane->dtype),
                          plane->columns);
}

void rnn_emit(const struct rnn_run *run, enum rnn_output output, size_t first, size_t row_stride,
              const struct rnn_plane *plane, size_t time, size_t rows)
{
    if (!run->lower[output])
        return;
    const enum dtype dtype = output == RNN_DST_LAYER    ? run->problem.dst_layer
                             : output == RNN_DST_ITER   ? run->problem.dst_iter
                             : output == RNN_DST_ITER_C ? run->problem.c
                                                        : DTYPE_F32;
    emit_end(run->lower[output], dtype, first, row_stride, plane, plane->data, time, rows);
    if (run->bounds)
        emit_end(run->upper[output], dtype, first, row_stride, plane,
                 plane->upper ? plane->upper : plane->data, time, rows);
}

static struct rnn_plane pair_plane(const struct rnn_run *run, unsigned which, enum dtype dtype,
                                   size_t columns)
{
    return (struct rnn_plane){.dtype = run->bounds ? DTYPE_F64 : dtype,
                              .data = run->pair_buffer[which],
                              .upper = run->pair_buffer_upper[which],
                              .columns = columns,
                              .row_stride = (ptrdiff_t)columns,
                              .column_stride = 1};
}

// ---- the two directions added -----------------------------------------------

enum { RNN_LEFT = RNN_M, RNN_RIGHT = RNN_T, RNN_TOGETHER = RNN_W };

// clang-format off
static const struct rnn_equation
    add = EQ("sum of directions", TOGETHER, SUM(T1(LEFT), T1(RIGHT))),
    add_corrected = EQ("sum of directions", TOGETHER, SUM(T1(LEFT), T1(RIGHT), MINUS_T1(SHIFT)));
// clang-format on

static struct rnn_plane all_times(const struct rnn_run *run, const struct rnn_plane *plane)
{
    struct rnn_plane whole = *plane; // [T][N] as T * N rows
    whole.time_stride = whole.row_stride * (ptrdiff_t)run->problem.batch;
    return whole;
}

static struct rnn_plane add_directions(const struct rnn_run *run, const struct rnn_plane *left,
                                       const struct rnn_plane *right, enum dtype dtype)
{
    const struct rnn_problem *const p = &run->problem;
    const bool corrected = p->quantised && p->request->profile.option[RNN_INT8_SUM];
    struct rnn_plane plane[RNN_VARIABLES] = {{0}};
    plane[RNN_LEFT] = all_times(run, left);
    plane[RNN_RIGHT] = all_times(run, right);
    plane[RNN_SHIFT] = run->layer[0].plane[RNN_SHIFT];
    plane[RNN_TOGETHER] = pair_plane(run, 0, dtype, left->columns);
    rnn_compute_terms(run, plane, corrected ? &add_corrected : &add, 0, 0, p->times * p->batch,
                      dtype);
    return plane[RNN_TOGETHER];
}

void rnn_emit_sum(const struct rnn_run *run, enum rnn_output output, const struct rnn_plane *left,
                  const struct rnn_plane *right)
{
    const struct rnn_plane sum = add_directions(run, left, right, DTYPE_F32);
    rnn_emit(run, output, 0, sum.columns, &sum, 0, run->problem.times * run->problem.batch);
}

// ---- states on their way out ------------------------------------------------

// clang-format off
static const struct rnn_equation
    dequantise = EQ("dequantised", TOGETHER, SUM(T1(LEFT), MINUS_T1(SHIFT)), OVER_1(SCALE)),
    dequantise_sum = EQ("dequantised", TOGETHER, SUM(T1(LEFT), MINUS_T1(SHIFT), MINUS_T1(SHIFT)),
                        OVER_1(SCALE));
// clang-format on

// `rows` rows of `plane` at `time` as elements of `dtype`, with `shifts` zero points in them.
static void emit_state(const struct rnn_run *run, enum rnn_output output, enum dtype dtype,
                       unsigned shifts, size_t first, size_t row_stride,
                       const struct rnn_plane *plane, size_t time, size_t rows)
{
    if (!run->problem.quantised || dtype == run->problem.state) {
        rnn_emit(run, output, first, row_stride, plane, time, rows);
        return;
    }
    struct rnn_plane planes[RNN_VARIABLES] = {{0}};
    const ptrdiff_t shift = rnn_plane_at(plane, time, 0) - (char *)plane->data;
    planes[RNN_LEFT] = *plane;
    planes[RNN_LEFT].data = (char *)plane->data + shift;
    planes[RNN_LEFT].upper = plane->upper ? (char *)plane->upper + shift : NULL;
    planes[RNN_SHIFT] = run->layer[0].plane[RNN_SHIFT];
    planes[RNN_SCALE] = run->layer[0].plane[RNN_SCALE];
    planes[RNN_TOGETHER] = pair_plane(run, 1, dtype, plane->columns);
    rnn_compute_terms(run, planes, shifts == 2 ? &dequantise_sum : &dequantise, 0, 0, rows, dtype);
    rnn_emit(run, output, first, row_stride, &planes[RNN_TOGETHER], 0, rows);
}

static void write_dst_layer(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    const struct rnn_layer *const top = &run->layer[(p->layers - 1) * p->directions];
    const size_t rows = p->times * p->batch;
    if (p->direction == RNN_SUM_DIRECTIONS) {
        const struct rnn_plane sum =
            add_directions(run, &top[0].plane[RNN_H_STORED], &top[1].plane[RNN_H_STORED], p->state);
        const bool corrected = p->request->profile.option[RNN_INT8_SUM] != 0;
        emit_state(run, RNN_DST_LAYER, p->dst_layer, corrected ? 1 : 2, 0, p->output_channels, &sum,
                   0, rows);
        return;
    }
    for (size_t d = 0; d < p->directions; d++) {
        const struct rnn_plane h = all_times(run, &top[d].plane[RNN_H_STORED]);
        emit_state(run, RNN_DST_LAYER, p->dst_layer, 1, d * p->output_channels, p->dst_channels, &h,
                   0, rows);
    }
}

// ---- in a frame -------------------------------------------------------------

static void clear_row(const struct rnn_run *run, enum rnn_output output, size_t first,
                      const struct rnn_plane *plane)
{
    const size_t size = dtype_size(run->problem.state);
    for (unsigned end = 0; end <= (run->bounds ? 1U : 0U); end++) {
        char *const to = end ? run->upper[output] : run->lower[output];
        if (to)
            memset(to + first * size, 0, plane->columns * size);
    }
}

// Rows of `plane` at `time` as slot `slot` of `slots` in each row of an output; outside of [0,
// length) of the frame's lengths cleared.
static void write_framed(const struct rnn_run *run, enum rnn_output output, size_t slot,
                         size_t slots, const struct rnn_plane *plane, size_t time,
                         bool (*is_cleared)(const struct rnn_frame *frame, size_t time, size_t row))
{
    const struct rnn_problem *const p = &run->problem;
    const size_t columns = plane->columns,
                 stride = p->frame->batch_first ? slots * columns : columns,
                 first = p->frame->batch_first ? slot * columns : slot * p->batch * columns;
    rnn_emit(run, output, first, stride, plane, time, p->batch);
    for (size_t row = 0; p->frame->lengths && row < p->batch; row++)
        if (is_cleared(p->frame, time, row))
            clear_row(run, output, first + row * stride, plane);
}

static bool is_beyond(const struct rnn_frame *frame, size_t time, size_t row)
{
    return !frame->held && time >= (size_t)frame->lengths[row];
}

static bool has_no_steps(const struct rnn_frame *frame, size_t time, size_t row)
{
    (void)time;
    return frame->cleared && frame->lengths[row] == 0;
}

static void write_frame(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    for (size_t d = 0; d < p->directions; d++) {
        const struct rnn_layer *const layer = &run->layer[d];
        const struct rnn_plane *const h = &layer->plane[RNN_H_STORED];
        const size_t last = rnn_last_time(run, layer);
        for (size_t t = 0; t < p->times; t++)
            write_framed(run, RNN_DST_LAYER, t * p->directions + d, p->times * p->directions, h, t,
                         is_beyond);
        write_framed(run, RNN_DST_ITER, d, p->directions, h, last, has_no_steps);
        if (run->cell.carries_c)
            write_framed(run, RNN_DST_ITER_C, d, p->directions, &layer->plane[RNN_C_STORED], last,
                         has_no_steps);
    }
}

void rnn_write_forward(struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    if (p->frame) {
        write_frame(run);
        return;
    }
    if (run->lower[RNN_DST_LAYER])
        write_dst_layer(run);
    for (size_t i = 0; i < p->layers * p->directions; i++) {
        const struct rnn_layer *const layer = &run->layer[i];
        const size_t time = rnn_last_time(run, layer);
        emit_state(run, RNN_DST_ITER, p->dst_iter, 1, i * p->batch * p->output_channels,
                   p->output_channels, &layer->plane[RNN_H_STORED], time, p->batch);
        if (run->observed)
            rnn_write_observed(run, layer);
        if (run->cell.carries_c)
            rnn_emit(run, RNN_DST_ITER_C, i * p->batch * p->hidden_channels, p->hidden_channels,
                     &layer->plane[RNN_C_STORED], time, p->batch);
    }
}
