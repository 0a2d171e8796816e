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

// The sum for row `i` (of the left operand) and column `o`.
static struct interval sum_of(const struct rnn_run *run, const struct rnn_layer *layer,
                              const struct rnn_gradient *gradient, size_t i, size_t o,
                              struct interval initial)
{
    const struct rnn_plane *const left = &layer->plane[gradient->left],
                                  *const right = &layer->plane[gradient->right];
    const struct interval one = {1, 1};
    struct rnn_leaves leaves = {.bit = (double)INFINITY};
    for (size_t t = 0; t < run->problem.times; t++)
        for (size_t n = 0; n < run->problem.batch; n++) {
            const struct interval b = rnn_narrowed_at(run, gradient->right, right, t, n, o);
            rnn_add_leaf(&leaves,
                         gradient->kind == RNN_TOTAL
                             ? one
                             : rnn_narrowed_at(run, gradient->left, left, t, n, i),
                         b);
        }
    rnn_add_leaf(&leaves, one, initial);
    return rnn_close_leaves(&run->model, &leaves, 0);
}

void rnn_bound_gradients(const struct rnn_run *run, const struct rnn_layer *layer)
{
    for (unsigned g = 0; g < run->cell.gradient_count; g++) {
        const struct rnn_gradient *const gradient = &run->cell.gradient[g];
        const struct rnn_place place = rnn_place_of(run, layer, gradient);
        const size_t rows = gradient->kind == RNN_OUTER ? layer->plane[gradient->left].columns : 1;
        const size_t columns = layer->plane[gradient->right].columns;
        for (size_t i = 0; i < rows && run->lower[place.output]; i++)
            for (size_t o = 0; o < columns; o++) {
                const size_t at = place.first + i * place.row_stride + o;
                put(run, place.output, at,
                    sum_of(run, layer, gradient, gradient->kind == RNN_PRODUCT ? o : i, o,
                           initial_at(run, place.initial, at)));
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
                    rnn_add_leaf(&leaves, gap, interval_multiply(diff, attention_factor(run, u)));
                    if (interval_magnitude(gap) * interval_magnitude(diff) >= RNN_OVERFLOW)
                        leaves.radius = (double)INFINITY; // u comes last
                }
            put(run, RNN_DIFF_ATTENTION, t * p->batch + n,
                rnn_close_leaves(&run->model, &leaves, run->cell.attention_slope ? 3 : 2));
        }
}
