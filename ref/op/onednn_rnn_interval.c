// SPDX-License-Identifier: Apache-2.0
// Intervals through the equations of a cell, by running error analysis.
//
// A stored value is rounded at both ends of its interval, never widened by half an ulp. A dot product of n nonzero leaves is off
// by at most n*u of the sum of its magnitudes, in any order (Jeannerod and Rump 2013, doi:10.1137/120894488); where a power of two
// divides every leaf and 2^24 of it exceeds that sum, every partial sum is exact and so is the result. The blend of a GRU is linear
// in its gate, which therefore counts once; it may be computed in three forms.

#include "ref/op/onednn_rnn_interval.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

const struct rnn_model rnn_model_standard = {
    .unit = 0x1p-24, .tanh_ulps = 2, .logistic_ulps = 4, .activation_flush = 0x1p-125, .flush = 0x1p-126};

static const struct rnn_model *const model = &rnn_model_standard;
static const double slightly = 1 + 0x1p-20, small = 0x1p-100;

// ---- elements -------------------------------------------------------------------------------------------------------

struct interval rnn_interval_at(const struct rnn_plane *plane, size_t time, size_t row, size_t column)
{
    const ptrdiff_t at =
        (ptrdiff_t)time * plane->time_stride + (ptrdiff_t)row * plane->row_stride + (ptrdiff_t)column * plane->column_stride;
    if (plane->upper)
        return (struct interval){((const double *)plane->data)[at], ((const double *)plane->upper)[at]};
    const size_t size = dtype_size(plane->dtype);
    return interval_of(num_to_double(plane->dtype, element_load((const char *)plane->data + at * (ptrdiff_t)size, size, 0)));
}

static void put(const struct rnn_plane *plane, size_t time, size_t row, size_t column, struct interval value)
{
    const ptrdiff_t at =
        (ptrdiff_t)time * plane->time_stride + (ptrdiff_t)row * plane->row_stride + (ptrdiff_t)column * plane->column_stride;
    ((double *)plane->data)[at] = value.lower;
    ((double *)plane->upper)[at] = value.upper;
}

// Gates and what the backward pass keeps or multiplies: a library may have stored them in the type of the state.
static bool may_be_narrow(unsigned variable)
{
    switch (variable) {
    case RNN_G0:
    case RNN_G1:
    case RNN_G2:
    case RNN_G3:
    case RNN_W:
    case RNN_DIFF_Z0:
    case RNN_DIFF_Z1:
    case RNN_DIFF_Z2:
    case RNN_DIFF_Z3:
    case RNN_DIFF_W:
    case RNN_DIFF_H:
        return true;
    default:
        return false;
    }
}

struct interval rnn_narrowed_at(const struct rnn_run *run, unsigned variable, const struct rnn_plane *plane, size_t time,
                                size_t row, size_t column)
{
    const struct interval value = rnn_interval_at(plane, time, row, column);
    const enum dtype state = run->problem.state;
    if (!run->problem.backward || state == DTYPE_F32 || !may_be_narrow(variable))
        return value;
    return interval_hull(value, interval_round(state, value));
}

// ---- sums of terms --------------------------------------------------------------------------------------------------

// A factor and the roundings inside it.
static struct interval factor_interval(struct interval x, struct interval y, enum num_form form)
{
    const double square = interval_magnitude(x) * interval_magnitude(x);
    struct interval result;
    switch (form) {
    case NUM_COMPLEMENT:
        result = interval_subtract((struct interval){1, 1}, x);
        break;
    case NUM_LESS_SQUARE:
        result = interval_widen(interval_less_square(x), num_half_ulp(DTYPE_F32, square));
        break;
    case NUM_COMPLEMENT_SQUARE:
        result = interval_widen(interval_complement_square(x), num_half_ulp(DTYPE_F32, square));
        break;
    case NUM_DIFFERENCE:
        result = interval_subtract(x, y);
        break;
    default:
        return x;
    }
    return interval_widen(result, num_half_ulp(DTYPE_F32, interval_magnitude(result)));
}

struct place {
    const struct rnn_run *run;
    const struct rnn_plane *plane;
    size_t time, row, column;
    bool backward; // of an equation of the backward pass
};

static struct interval read(const struct place *at, unsigned variable)
{
    const struct rnn_plane *const plane = &at->plane[variable];
    return at->backward ? rnn_narrowed_at(at->run, variable, plane, at->time, at->row, at->column)
                        : rnn_interval_at(plane, at->time, at->row, at->column);
}

// The product of a term's factors; *flushed bounds what becomes of an intermediate product below the smallest normal number.
static struct interval term_interval(const struct place *at, const struct rnn_term *term, double *flushed)
{
    struct interval product = {1, 1};
    double large = 1;
    for (unsigned f = 0; f < term->factors; f++) {
        const struct rnn_factor *const factor = &term->factor[f];
        const struct interval x = read(at, factor->x), y = factor->form == NUM_DIFFERENCE ? read(at, factor->y) : x;
        const struct interval value = factor_interval(x, y, (enum num_form)factor->form);
        product = f ? interval_multiply(product, value) : value;
        large *= fmax(1, interval_magnitude(value));
    }
    *flushed = term->factors > 1 && interval_magnitude(product) < small ? model->flush * large : 0;
    return term->negative ? interval_negate(product) : product;
}

static bool is_one_product(const struct rnn_equation *equation)
{
    if (equation->terms != 1 || equation->denominators || equation->term[0].factors > 2)
        return false;
    for (unsigned f = 0; f < equation->term[0].factors; f++)
        if (equation->term[0].factor[f].form != NUM_VALUE)
            return false;
    return true;
}

// The value before its last rounding: every earlier rounding of a product or a sum widens it.
static struct interval sum_interval(const struct place *at, const struct rnn_equation *equation)
{
    struct interval sum = {0, 0};
    double error = 0, magnitude = 0;
    for (unsigned t = 0; t < equation->terms; t++) {
        const struct rnn_term *const term = &equation->term[t];
        double flushed;
        const struct interval value = term_interval(at, term, &flushed);
        const double size = interval_magnitude(value);
        const unsigned products = term->factors - 1U, last = equation->terms == 1 && products ? 1 : 0;
        sum = t ? interval_add(sum, value) : value;
        error += (products - last) * num_half_ulp(DTYPE_F32, size) + flushed;
        magnitude += size;
    }
    if (equation->terms > 2)
        error += (equation->terms - 2) * num_half_ulp(DTYPE_F32, magnitude);
    return interval_widen(sum, error * slightly);
}

// The same over denominators, or on the way to an integer: scales may be multiplied or divided by, and zero points taken off
// before or after, so that every term may meet several roundings.
static struct interval scaled_interval(const struct place *at, const struct rnn_equation *equation)
{
    enum { ROUNDINGS = 8 };
    double denominator = 1, magnitude = 0;
    struct interval sum = {0, 0};
    for (unsigned i = 0; i < equation->denominators; i++)
        denominator *= read(at, equation->denominator[i]).lower;
    for (unsigned t = 0; t < equation->terms; t++) {
        double flushed;
        const struct interval value = term_interval(at, &equation->term[t], &flushed);
        sum = interval_add(sum, value);
        magnitude += interval_magnitude(value) + flushed;
    }
    sum = interval_outward(interval_below(sum.lower / denominator), interval_above(sum.upper / denominator));
    return interval_widen(sum, ROUNDINGS * model->unit * slightly * magnitude / denominator + model->flush);
}

// u*a + (1-u)*b: as written, as b + u*(a-b), or as u*a + b - u*b.
static double blend_error(struct interval u, struct interval a, struct interval b)
{
    const double mu = interval_magnitude(u), ma = interval_magnitude(a), mb = interval_magnitude(b);
    const struct interval rest = interval_subtract((struct interval){1, 1}, u), gap = interval_subtract(a, b);
    const double mr = interval_magnitude(rest), mg = interval_magnitude(gap);
    const double ua = num_half_ulp(DTYPE_F32, mu * ma);
    const double written = ua + num_half_ulp(DTYPE_F32, mr) * mb + num_half_ulp(DTYPE_F32, mr * mb);
    const double lerp = num_half_ulp(DTYPE_F32, mg) * mu + num_half_ulp(DTYPE_F32, mu * mg);
    const double expanded = ua + num_half_ulp(DTYPE_F32, mu * mb) + num_half_ulp(DTYPE_F32, mb + mu * ma);
    const double flushed = fmin(mu * ma, mr * mb) < small ? 3 * model->flush : 0;
    return fmax(written, fmax(lerp, expanded)) * slightly + flushed;
}

static struct interval blend_interval(const struct place *at, const struct rnn_equation *equation)
{
    const struct interval u = read(at, equation->term[0].factor[0].x);
    struct interval a = read(at, equation->term[0].factor[1].x), b = read(at, equation->term[1].factor[1].x);
    if (equation->terms == 2)
        return interval_widen(interval_blend(u, a, b), blend_error(u, a, b));
    // Quantised: blended as f32, then q().
    const double scale = (double)at->run->problem.scale, shift = (double)at->run->problem.shift;
    a = interval_outward((a.lower - shift) / scale, (a.upper - shift) / scale);
    a = interval_widen(a, 4 * model->unit * interval_magnitude(a));
    struct interval h = interval_round(DTYPE_F32, interval_widen(interval_blend(u, a, b), blend_error(u, a, b)));
    h = interval_multiply(h, (struct interval){scale, scale});
    h = interval_widen(h, num_half_ulp(DTYPE_F32, interval_magnitude(h)));
    h = interval_add(h, (struct interval){shift, shift});
    return interval_widen(h, num_half_ulp(DTYPE_F32, interval_magnitude(h)));
}

// Rounded at both ends, into a type of integers with saturation.
static struct interval store(enum dtype dtype, struct interval value)
{
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT)
        return interval_round(dtype, value);
    const double least = dtype == DTYPE_U8 ? 0 : -128, most = dtype == DTYPE_U8 ? 255 : 127;
    return (struct interval){fmin(fmax(nearbyint(value.lower), least), most), fmin(fmax(nearbyint(value.upper), least), most)};
}

static bool is_scaled(const struct rnn_equation *equation, enum dtype dtype)
{
    return equation->denominators || dtype_kind(dtype) != DTYPE_KIND_FLOAT;
}

void rnn_bound_terms(const struct rnn_run *run, const struct rnn_plane *plane, const struct rnn_equation *equation, size_t time,
                     size_t first_row, size_t rows, enum dtype dtype)
{
    const struct rnn_plane *const to = &plane[equation->result];
    struct place at = {run, plane, time, 0, 0, equation->result >= RNN_DIFF_H};
    for (at.row = first_row; at.row < first_row + rows; at.row++)
        for (at.column = 0; at.column < to->columns; at.column++) {
            struct interval value;
            if (equation->kind == RNN_BLEND)
                value = blend_interval(&at, equation);
            else if (is_scaled(equation, dtype))
                value = scaled_interval(&at, equation);
            else
                value = sum_interval(&at, equation);
            if (is_one_product(equation) && interval_magnitude(value) < small && equation->term[0].factors == 2)
                value = interval_hull(value, interval_widen(value, model->flush));
            put(to, time, at.row, at.column, store(dtype, value));
        }
}

// ---- sums with dots -------------------------------------------------------------------------------------------------

void rnn_add_leaf(struct rnn_leaves *leaves, struct interval left, struct interval right)
{
    const double a = interval_middle(left), b = interval_middle(right), ma = interval_magnitude(left);
    const double mb = interval_magnitude(right);
    leaves->middle += a * b;
    leaves->magnitude += ma * mb;
    leaves->radius += interval_radius(left) * mb + fabs(a) * interval_radius(right);
    leaves->count += ma != 0 && mb != 0;
}

struct interval rnn_close_leaves(const struct rnn_leaves *leaves, double roundings)
{
    const double inflated = 1 + leaves->count * 0x1p-51;
    const double radius =
        num_dot_radius(leaves->count, leaves->count + roundings, model->unit, leaves->count > 0 ? 2 * model->flush : 0,
                       leaves->magnitude * inflated, leaves->radius * inflated);
    return isnan(leaves->middle) || isnan(radius) ? interval_any()
                                                  : interval_outward(leaves->middle - radius, leaves->middle + radius);
}

// The columns of a sum, one row at a time.
struct columns {
    size_t count;
    double *middle, *magnitude, *radius, *leaves, *bit;
    bool exact;      // every leaf so far is a single number
    double products; // the least number of roundings of a leaf's own: 0 when every product is exact
};

// One leaf for each column from a row's element and a row of weights.
static void add_weighted(struct columns *to, struct interval x, const double *weight, ptrdiff_t stride)
{
    const double middle = interval_middle(x), magnitude = interval_magnitude(x), radius = interval_radius(x);
    if (magnitude == 0)
        return;
    for (size_t c = 0; c < to->count; c++) {
        const double w = weight[(ptrdiff_t)c * stride], size = fabs(w);
        to->middle[c] += middle * w;
        to->magnitude[c] += magnitude * size;
        to->radius[c] += radius * size;
        to->leaves[c] += w != 0;
    }
}

static void add_dot(const struct rnn_step *step, const struct rnn_dot *dot, size_t row, struct columns *to)
{
    const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
    const struct num_operand *const values = dot->transposed ? &weights->backward[dot->gate] : &weights->forward;
    const double *const first =
        values->values + (dot->transposed ? 0 : (ptrdiff_t)(dot->gate * weights->outputs) * values->vector_stride);
    const struct rnn_plane *const plane = &step->layer->plane[dot->vector];
    double bit = INFINITY;
    for (size_t i = 0; i < plane->columns; i++) {
        const struct interval x = dot->transposed ? rnn_narrowed_at(step->run, dot->vector, plane, step->time, row, i)
                                                  : rnn_interval_at(plane, step->time, row, i);
        to->exact = to->exact && x.lower == x.upper;
        if (to->exact)
            bit = fmin(bit, num_low_bit(x.lower));
        add_weighted(to, x, first + (ptrdiff_t)i * values->depth_stride, values->vector_stride);
    }
    const double *const bits =
        dot->transposed ? weights->row_bit + dot->gate * weights->inputs : weights->column_bit + dot->gate * weights->outputs;
    for (size_t c = 0; c < to->count && to->exact; c++)
        to->bit[c] = fmin(to->bit[c], bit * bits[c]);
    if (step->run->problem.state == DTYPE_F32 || dot->transposed)
        to->products = 1;
}

static void add_term(const struct rnn_step *step, const struct rnn_term *term, size_t row, bool backward, struct columns *to)
{
    struct place at = {step->run, step->layer->plane, step->time, row, 0, backward};
    for (size_t c = 0; c < to->count; c++) {
        double flushed;
        at.column = c;
        const struct interval value = term_interval(&at, term, &flushed);
        to->middle[c] += interval_middle(value);
        to->magnitude[c] += interval_magnitude(value);
        to->radius[c] += interval_radius(value) + flushed;
        to->leaves[c] += interval_magnitude(value) != 0;
        to->exact = to->exact && value.lower == value.upper;
        to->bit[c] = fmin(to->bit[c], num_low_bit(value.lower));
    }
    if (term->factors > 1)
        to->products = 1;
}

// A sum of integers is exact: only the width of its leaves counts.
static struct interval close_column(const struct columns *from, size_t c, bool integers)
{
    const double middle = from->middle[c], magnitude = from->magnitude[c], count = from->leaves[c];
    if (integers || (from->exact && magnitude <= 0x1p24 * from->bit[c] && from->bit[c] >= 0x1p-120))
        return interval_widen(interval_of(middle), integers ? from->radius[c] : 0);
    const double inflated = 1 + (count + 2) * 0x1p-51;
    const double depth = count - (from->products > 0 ? 0 : 1);
    const double radius = num_dot_radius(count, depth > 0 ? depth : 0, model->unit, magnitude < small ? 2 * model->flush : 0,
                                         magnitude * inflated, from->radius[c] * inflated);
    return isnan(middle) || isnan(radius) ? interval_any() : interval_outward(middle - radius, middle + radius);
}

static void bound_sum(const struct rnn_step *step, const struct rnn_equation *equation)
{
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    const bool integers = equation->result >= RNN_ACC0 && equation->result <= RNN_ACC_R;
    double *const lines = step->scratch->lines;
    for (size_t row = step->first_row; row < step->first_row + step->rows; row++) {
        const size_t n = to->columns;
        struct columns columns = {n, lines, lines + n, lines + 2 * n, lines + 3 * n, lines + 4 * n, true, 0};
        memset(lines, 0, RNN_LINES * n * sizeof *lines);
        for (size_t c = 0; c < n; c++)
            columns.bit[c] = INFINITY;
        for (unsigned i = 0; i < equation->dots; i++)
            add_dot(step, &equation->dot[i], row, &columns);
        for (unsigned i = 0; i < equation->terms; i++)
            add_term(step, &equation->term[i], row, equation->result >= RNN_DIFF_H, &columns);
        for (size_t c = 0; c < n; c++)
            put(to, step->time, row, c, close_column(&columns, c, integers));
    }
}

// ---- activations ----------------------------------------------------------------------------------------------------

static struct interval activation(enum num_function function, double ulps, struct interval z)
{
    const struct interval exact = interval_function(function, z);
    return interval_widen(exact, ulps * num_ulp(DTYPE_F32, interval_magnitude(exact) * slightly) + model->activation_flush);
}

// Below 0 the product with alpha is rounded; a V-shape has its least value at 0.
static struct interval rectified(double alpha, struct interval z)
{
    const double ends[2] = {fmin(z.lower, 0) * alpha, fmin(z.upper, 0) * alpha}; // exact in double
    struct interval slope = interval_round(DTYPE_F32, (struct interval){fmin(ends[0], ends[1]), fmax(ends[0], ends[1])});
    if (interval_magnitude(slope) < small && interval_magnitude(slope) > 0)
        slope = interval_widen(slope, model->flush);
    if (z.upper <= 0)
        return slope;
    const struct interval above = {fmax(z.lower, 0), z.upper};
    return z.lower > 0 ? above : interval_hull(slope, above);
}

static void bound_activation(const struct rnn_step *step, const struct rnn_equation *equation)
{
    const struct rnn_plane *const from = &step->layer->plane[equation->argument];
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    const double alpha = (double)step->run->problem.alpha;
    for (size_t row = step->first_row; row < step->first_row + step->rows; row++)
        for (size_t c = 0; c < to->columns; c++) {
            const struct interval z = rnn_interval_at(from, step->time, row, c);
            struct interval y;
            if (equation->kind == RNN_APPLY_TANH)
                y = activation(NUM_TANH, model->tanh_ulps, z);
            else if (equation->kind == RNN_APPLY_LOGISTIC)
                y = activation(NUM_LOGISTIC, model->logistic_ulps, z);
            else if (equation->kind == RNN_APPLY_RELU)
                y = rectified(alpha, z);
            else
                y = (struct interval){z.lower > 0 ? 1 : (z.upper > 0 ? fmin(1, alpha) : alpha),
                                      z.upper > 0 ? (z.lower > 0 ? 1 : fmax(1, alpha)) : alpha};
            put(to, step->time, row, c, y);
        }
}

void rnn_bound_equation(const struct rnn_step *step, const struct rnn_equation *equation)
{
    if (equation->kind != RNN_SUM && equation->kind != RNN_BLEND)
        bound_activation(step, equation);
    else if (equation->dots)
        bound_sum(step, equation);
    else
        rnn_bound_terms(step->run, step->layer->plane, equation, step->time, step->first_row, step->rows,
                        rnn_dtype_of(&step->run->problem, equation->result));
}

// ---- weights --------------------------------------------------------------------------------------------------------

void rnn_bound_open_weights(struct rnn_weights *weights)
{
    const size_t size = dtype_size(weights->dtype), width = weights->gates * weights->outputs;
    for (size_t i = 0; i < width; i++)
        weights->column_bit[i] = INFINITY;
    for (size_t i = 0; i < weights->gates * weights->inputs; i++)
        weights->row_bit[i] = INFINITY;
    for (size_t i = 0; i < weights->inputs; i++)
        for (size_t c = 0; c < width; c++) {
            const double bit = num_low_bit(num_to_double(weights->dtype, element_load(weights->data, size, i * width + c)));
            double *const row = &weights->row_bit[c / weights->outputs * weights->inputs + i];
            weights->column_bit[c] = fmin(weights->column_bit[c], bit);
            *row = fmin(*row, bit);
        }
}
