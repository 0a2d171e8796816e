// SPDX-License-Identifier: Apache-2.0
// Admissible intervals of a frame's activations: the range of the exact function, widened by what
// an implementation in f32 may lose on its way through the formula, in whichever form the formula
// is written (ref/RNN.md, "Activations of a frame").
//
// tanh, and the tanh in an activation, are off by the model's tanh_ulps; logistic, and what is made
// of e^x and log, by its logistic_ulps. A product and a sum are rounded; comparisons are exact.

#include <math.h>

#include "ref/op/onednn/rnn_interval.h"

static const double slightly = 1 + 0x1p-20, smallest_normal = 0x1p-126;

static double ulps_of(double ulps, double magnitude)
{
    return 2 * ulps * num_half_ulp(DTYPE_F32, magnitude);
}

// A product of f32, rounded, or flushed.
static struct interval product(const struct rnn_model *model, float by, struct interval x)
{
    const struct interval y =
        interval_round(DTYPE_F32, interval_multiply(interval_of((double)by), x));
    const bool small =
        interval_magnitude(y) < 2 * smallest_normal && by != 0 && interval_magnitude(x) > 0;
    return small ? interval_widen(y, model->flush) : y;
}

// alpha x + beta: the product rounded first, or not.
static struct interval affine(const struct rnn_model *model, const struct num_activation *f,
                              struct interval x)
{
    const struct interval exact = num_activation_range(f, x),
                          rounded = interval_add(product(model, f->alpha, x),
                                                 interval_of((double)f->beta));
    switch (model->declared->fused) {
    case MODEL_FUSED_ALWAYS:
        return interval_round(DTYPE_F32, exact);
    case MODEL_FUSED_NEVER:
        return interval_round(DTYPE_F32, rounded);
    default:
        return interval_round(DTYPE_F32, interval_hull(exact, rounded));
    }
}

static struct interval hard_sigmoid(const struct rnn_model *model, const struct num_activation *f,
                                    struct interval x)
{
    const struct num_activation line = {NUM_ACTIVATION_AFFINE, f->alpha, f->beta};
    const struct interval y = affine(model, &line, x);
    return interval_is_any(y)
               ? y
               : (struct interval){fmin(fmax(y.lower, 0), 1), fmin(fmax(y.upper, 0), 1)};
}

static struct interval scaled_tanh(const struct rnn_model *model, const struct num_activation *f,
                                   struct interval x)
{
    struct interval y = product(model, f->beta, x);
    if (interval_is_any(y))
        return y;
    const struct rnn_ends ends = {&y.lower, &y.upper};
    rnn_bound_elementary(model->declared, true, 1, &ends, &y.lower, &y.upper);
    return product(model, f->alpha, y);
}

// e^x - 1 by itself, or of a computed e^x.
static struct interval elu(const struct rnn_model *model, const struct num_activation *f,
                           struct interval x)
{
    const struct evaluation_model *const declared = model->declared;
    const struct interval low = {x.lower, fmin(x.upper, 0)};
    if (x.lower >= 0)
        return x;
    const struct num_activation unscaled = {NUM_ACTIVATION_ELU, 1, 0};
    const struct interval y = num_activation_range(&unscaled, low);
    const double size = interval_magnitude(y), own = ulps_of(declared->logistic_ulps, size),
                 of_power = ulps_of(declared->logistic_ulps, interval_above(1 + y.upper)) +
                            num_half_ulp(DTYPE_F32, size);
    const struct interval below =
        product(model, f->alpha,
                interval_widen(y, fmax(own, of_power) * slightly + declared->activation_absolute));
    return x.upper > 0 ? interval_hull(below, (struct interval){0, x.upper}) : below;
}

// 1 + |x| is rounded, and the quotient.
static struct interval softsign(const struct num_activation *f, struct interval x)
{
    const struct interval y = num_activation_range(f, x);
    return interval_round(DTYPE_F32, interval_widen(y, 0x1p-24 * slightly * interval_magnitude(y)));
}

// A relative error of 1 + e^x is an absolute one of its logarithm: e^x has the model's error, the
// sum is rounded; the logarithm has the model's error, and what is added to it for large x is
// rounded.
static struct interval softplus(const struct rnn_model *model, const struct num_activation *f,
                                struct interval x)
{
    const double ulps = model->declared->logistic_ulps;
    const struct interval y = num_activation_range(f, x);
    const double size = interval_magnitude(y);
    return interval_widen(
        y,
        ((ulps + 0.5) * 0x1p-23 + ulps_of(ulps, size) + num_half_ulp(DTYPE_F32, size)) * slightly +
            model->declared->activation_absolute);
}

static struct interval bound(const struct rnn_model *model, const struct num_activation *f,
                             struct interval x)
{
    struct interval y;
    switch (f->kind) {
    case NUM_ACTIVATION_AFFINE:
        return affine(model, f, x);
    case NUM_ACTIVATION_LEAKY_RELU:
        y = product(model, f->alpha, (struct interval){x.lower, fmin(x.upper, 0)});
        return x.lower >= 0 ? x
               : x.upper > 0 && !interval_is_any(y)
                   ? interval_hull(y, (struct interval){0, x.upper})
                   : y;
    case NUM_ACTIVATION_SCALED_TANH:
        return scaled_tanh(model, f, x);
    case NUM_ACTIVATION_HARD_SIGMOID:
        return hard_sigmoid(model, f, x);
    case NUM_ACTIVATION_ELU:
        return elu(model, f, x);
    case NUM_ACTIVATION_SOFTSIGN:
        return softsign(f, x);
    case NUM_ACTIVATION_SOFTPLUS:
        return softplus(model, f, x);
    default: // comparisons
        return num_activation_range(f, x);
    }
}

void rnn_bound_function(const struct rnn_step *step, const struct rnn_equation *equation,
                        size_t count, const struct rnn_ends *z, double *lower, double *upper)
{
    const struct rnn_model *const model = &step->run->model;
    const struct rnn_frame *const frame = step->run->problem.frame;
    const struct num_activation *const f =
        &frame->function[step->layer->direction][equation->function];
    const double least = (double)frame->least[equation->function],
                 most = (double)frame->most[equation->function];
    const bool is_tanh = f->kind == NUM_ACTIVATION_TANH;
    for (size_t i = 0; i < count; i++) {
        const struct interval x = {z->lower[i], z->upper[i]};
        const bool any = interval_is_any(x);
        lower[i] = any ? x.lower : fmin(fmax(x.lower, least), most);
        upper[i] = any ? x.upper : fmin(fmax(x.upper, least), most);
    }
    if (is_tanh || f->kind == NUM_ACTIVATION_SIGMOID) {
        const struct rnn_ends ends = {lower, upper};
        rnn_bound_elementary(model->declared, is_tanh, count, &ends, lower, upper);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct interval x = {lower[i], upper[i]},
                              y = interval_is_any(x) ? x : bound(model, f, x);
        lower[i] = y.lower;
        upper[i] = y.upper;
    }
}
