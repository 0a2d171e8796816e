// SPDX-License-Identifier: Apache-2.0
// Observed states: the dst_layer that an implementation gave is what its own next step read,
// exactly. Taken as h', it keeps the errors of one step out of the intervals of the next; c' stays
// an interval.
//
// Sound where dst_layer shows the state that recurs: one layer, directions apart, stored in the
// type in which it recurs, by a model that feeds back what it stores. dst_iter is then dst_layer
// after the last step, bit for bit.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_entries.h"

static bool is_observable(const struct rnn_problem *p)
{
    const struct evaluation_model *const model = p->request->model;
    const bool wide = model && model->states == MODEL_STATES_WIDE && dtype_size(p->state) == 2;
    return p->layers == 1 && p->direction != RNN_SUM_DIRECTIONS && p->dst_layer == p->state &&
           !wide && p->times && p->batch;
}

int rnn_observable(const struct request *request)
{
    struct rnn_problem problem;
    struct diagnostic ignored;
    return !rnn_problem_read(request, &problem, &ignored) && is_observable(&problem) ? RNN_DST_LAYER
                                                                                     : -1;
}

enum error rnn_check_observed(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct tensor *const observed = &p->request->observed;
    if (!tensor_present(observed))
        return ERROR_NONE;
    if (!is_observable(p))
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "dst_layer of this request does not show the state that recurs: that takes one "
            "layer, no sum of "
            "directions, and a state that is stored in the type of dst_layer");
    if (observed->dtype != p->dst_layer || observed->rank != 3 || observed->shape[0] != p->times ||
        observed->shape[1] != p->batch || observed->shape[2] != p->dst_channels || !observed->data)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "the observed dst_layer is not %s[%zu, %zu, %zu]",
                               dtype_name(p->dst_layer), p->times, p->batch, p->dst_channels);
    return ERROR_NONE;
}

// Where the rows of one direction at `time` lie in the observed dst_layer, and how many bytes
// apart.
static const char *observed_at(const struct rnn_run *run, const struct rnn_layer *layer,
                               size_t time, size_t *stride)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t size = dtype_size(p->dst_layer);
    *stride = p->dst_channels * size;
    return (const char *)p->request->observed.data + time * p->batch * *stride +
           layer->direction * p->output_channels * size;
}

void rnn_load_observed(const struct rnn_run *run, const struct rnn_layer *layer)
{
    assert(run->observed);
    const struct rnn_plane *const h = &layer->plane[RNN_H];
    const size_t times = run->problem.times, columns = h->columns;
    for (size_t k = 1; k < times; k++) {
        size_t stride;
        const size_t time = layer->reversed ? times - 1 - k : k;
        const char *from = observed_at(run, layer, layer->reversed ? time + 1 : time - 1, &stride);
        for (size_t n = 0; n < run->problem.batch; n++, from += stride) {
            void *const to = rnn_plane_at(h, time, n);
            num_convert_array(h->dtype, to, run->problem.dst_layer, from, columns);
            if (!h->upper)
                continue;
            double *const lower = to, *const upper =
                                          (double *)h->upper + (lower - (double *)h->data);
            memcpy(upper, lower, columns * sizeof *upper);
            for (size_t i = 0; i < columns; i++) // what comes after a NaN may be anything
                if (isnan(lower[i])) {
                    lower[i] = -(double)INFINITY;
                    upper[i] = (double)INFINITY;
                }
        }
    }
}

void rnn_write_observed(const struct rnn_run *run, const struct rnn_layer *layer)
{
    assert(run->observed);
    const struct rnn_problem *const p = &run->problem;
    if (p->dst_iter != p->dst_layer)
        return;
    size_t stride;
    const size_t row = p->output_channels * dtype_size(p->dst_iter),
                 last = layer->reversed ? 0 : p->times - 1;
    const char *const from = observed_at(run, layer, last, &stride);
    for (unsigned end = 0; end <= (run->bounds ? 1U : 0U); end++) {
        char *const to = end ? run->upper[RNN_DST_ITER] : run->lower[RNN_DST_ITER];
        for (size_t n = 0; to && n < p->batch; n++)
            memcpy(to + (layer->direction * p->batch + n) * row, from + n * stride, row);
    }
}
