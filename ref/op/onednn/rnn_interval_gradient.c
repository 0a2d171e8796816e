// SPDX-License-Identifier: Apache-2.0
// Intervals of the gradients of parameters: sums over time and batch in any order, with intervals
// on both sides.

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_interval.h"

// Element `at` of what a gradient is added to.
static struct interval initial_at(const struct rnn_run *run, enum rnn_input input, size_t at)
{
    const struct tensor *const tensor = &run->problem.request->input[input];
    const bool kept = tensor_present(tensor) &&
                      !run->problem.request->attribute[RNN_DIFF_WEIGHTS_OVERWRITE].integer;
    return interval_of(kept ? num_to_double(DTYPE_F32, element_load(tensor->data, 4, at)) : 0);
}

static void put(const struct rnn_run *run, enum rnn_output output, size_t at, struct interval value)
{
    const struct interval stored = interval_round(DTYPE_F32, value);
    ((float *)run->lower[output])[at] = (float)stored.lower;
    ((float *)run->upper[output])[at] = (float)stored.upper;
}

// Rows of the left operand and columns of the right one whose sums are made together, so that an
// operand is narrowed once for a side of them.
enum { SIDE = 16 };

static const struct rnn_side one = {.middle = 1, .magnitude = 1, .point = true};

struct tile {
    size_t row, rows, column, columns;
};

static size_t side_of(size_t first, size_t count)
{
    return count - first < SIDE ? count - first : SIDE;
}

static void add_terms(const struct rnn_run *run, const struct rnn_layer *layer,
                      const struct rnn_gradient *gradient, const struct tile *tile,
                      struct rnn_leaves leaves[SIDE][SIDE])
{
    const struct rnn_plane *const left = &layer->plane[gradient->left],
                                  *const right = &layer->plane[gradient->right];
    const bool product = gradient->kind == RNN_PRODUCT; // column by column
    const size_t first = product ? tile->column : tile->row,
                 count = product ? tile->columns : tile->rows;
    struct rnn_side a[SIDE] = {one}, b[SIDE];
    for (size_t t = 0; t < run->problem.times; t++)
        for (size_t n = 0; n < run->problem.batch; n++) {
            for (size_t i = 0; gradient->kind != RNN_TOTAL && i < count; i++)
                a[i] = rnn_side_of(rnn_narrowed_at(run, gradient->left, left, t, n, first + i));
            for (size_t o = 0; o < tile->columns; o++)
                b[o] = rnn_side_of(
                    rnn_narrowed_at(run, gradient->right, right, t, n, tile->column + o));
            for (size_t i = 0; i < tile->rows; i++)
                for (size_t o = 0; o < tile->columns; o++)
                    rnn_add_leaf(&leaves[i][o], &a[product ? o : i], &b[o]);
        }
}

static void bound_tile(const struct rnn_run *run, const struct rnn_layer *layer,
                       const struct rnn_gradient *gradient, const struct tile *tile)
{
    struct rnn_leaves leaves[SIDE][SIDE];
    const struct rnn_place place = rnn_place_of(run, layer, gradient);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t o = 0; o < tile->columns; o++)
            leaves[i][o] = (struct rnn_leaves){.bit = (double)INFINITY};
    add_terms(run, layer, gradient, tile, leaves);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t o = 0; o < tile->columns; o++) {
            const size_t at = place.first + (tile->row + i) * place.row_stride + tile->column + o;
            const struct rnn_side initial = rnn_side_of(initial_at(run, place.initial, at));
            rnn_add_leaf(&leaves[i][o], &one, &initial);
            put(run, place.output, at, rnn_close_leaves(&run->model, &leaves[i][o], 0));
        }
}

void rnn_bound_gradients(const struct rnn_run *run, const struct rnn_layer *layer)
{
    for (unsigned g = 0; g < run->cell.gradient_count; g++) {
        const struct rnn_gradient *const gradient = &run->cell.gradient[g];
        const size_t rows = gradient->kind == RNN_OUTER ? layer->plane[gradient->left].columns : 1;
        const size_t columns = layer->plane[gradient->right].columns;
        if (!run->lower[rnn_place_of(run, layer, gradient).output])
            continue;
        for (size_t i = 0; i < rows; i += SIDE)
            for (size_t o = 0; o < columns; o += SIDE) {
                const struct tile tile = {i, side_of(i, rows), o, side_of(o, columns)};
                bound_tile(run, layer, gradient, &tile);
            }
    }
}

// u, or u times u - u*u, whose product and difference are rounded.
static struct interval attention_factor(const struct rnn_run *run, struct interval u)
{
    if (!run->cell.attention_slope)
        return u;
    const struct interval rest = interval_subtract((struct interval){1, 1}, u);
    const double half_ulp = num_half_ulp(DTYPE_F32, interval_magnitude(u));
    return interval_multiply(u, interval_widen(interval_multiply(u, rest), 2 * half_ulp));
}

void rnn_bound_attention(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    for (size_t t = 0; t < p->times && run->lower[RNN_DIFF_ATTENTION]; t++)
        for (size_t n = 0; n < p->batch; n++) {
            struct rnn_leaves leaves = {.bit = (double)INFINITY};
            for (size_t i = 0; i < p->layers * p->directions; i++)
                for (size_t o = 0; o < p->hidden_channels; o++) {
                    const struct rnn_plane *const plane = run->layer[i].plane;
                    struct interval gap =
                        interval_subtract(rnn_narrowed_at(run, RNN_G2, &plane[RNN_G2], t, n, o),
                                          rnn_interval_at(&plane[RNN_H], t, n, o));
                    gap = interval_widen(gap, num_half_ulp(DTYPE_F32, interval_magnitude(gap)));
                    const struct interval u = rnn_narrowed_at(run, RNN_G0, &plane[RNN_G0], t, n, o);
                    const struct interval diff =
                        rnn_narrowed_at(run, RNN_DIFF_H, &plane[RNN_DIFF_H], t, n, o);
                    const struct rnn_side left = rnn_side_of(gap),
                                          right = rnn_side_of(
                                              interval_multiply(diff, attention_factor(run, u)));
                    rnn_add_leaf(&leaves, &left, &right);
                    if (interval_magnitude(gap) * interval_magnitude(diff) >= RNN_OVERFLOW)
                        leaves.radius = (double)INFINITY; // u comes last
                }
            put(run, RNN_DIFF_ATTENTION, t * p->batch + n,
                rnn_close_leaves(&run->model, &leaves, run->cell.attention_slope ? 3 : 2));
        }
}
