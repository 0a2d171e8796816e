// SPDX-License-Identifier: Apache-2.0
// Intervals through the equations of a cell, by running error analysis: all but sums with dots.
//
// A stored value is rounded at both ends of its interval, never widened by half an ulp. The blend
// of a GRU is linear in its gate, which therefore counts once; it may be computed in three forms.

#include "ref/op/onednn/rnn_interval.h"

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/small_float.h"

static const double slightly = 1 + 0x1p-20, small = 0x1p-100;

struct rnn_model rnn_model_of(const struct evaluation_model *declared)
{
    const struct evaluation_model *const m = declared ? declared : &evaluation_model_standard;
    const double bf16 = 0x1p-8;
    return (struct rnn_model){
        .declared = m,
        .unit = 0x1p-24,
        .sum_unit = m->accumulator == MODEL_F64 ? 0x1p-53 : 0x1p-24,
        .operands = m->accumulator == MODEL_BF16_PRODUCTS ? 2 * bf16 + bf16 * bf16 : 0,
        .flush = m->flush ? 0x1p-126 : 0};
}

// ---- elements ---------------------------------------------------------------

static ptrdiff_t offset(const struct rnn_plane *plane, size_t time, size_t row, size_t column)
{
    return (ptrdiff_t)time * plane->time_stride + (ptrdiff_t)row * plane->row_stride +
           (ptrdiff_t)column * plane->column_stride;
}

struct interval rnn_interval_at(const struct rnn_plane *plane, size_t time, size_t row,
                                size_t column)
{
    const ptrdiff_t at = offset(plane, time, row, column);
    if (plane->upper)
        return (struct interval){((const double *)plane->data)[at],
                                 ((const double *)plane->upper)[at]};
    const size_t size = dtype_size(plane->dtype);
    return interval_of(num_to_double(
        plane->dtype, element_load((const char *)plane->data + at * (ptrdiff_t)size, size, 0)));
}

struct interval rnn_narrowed_at(const struct rnn_run *run, unsigned variable,
                                const struct rnn_plane *plane, size_t time, size_t row,
                                size_t column)
{
    const struct interval value = rnn_interval_at(plane, time, row, column);
    const enum dtype narrow = rnn_kept_type(run, variable, true);
    return narrow ? interval_hull(value, interval_round(narrow, value)) : value;
}

static void load_numbers(const struct rnn_plane *plane, ptrdiff_t from, size_t count, double *to)
{
    const size_t size = dtype_size(plane->dtype);
    const struct num_elements elements = {plane->dtype,
                                          (const char *)plane->data + from * (ptrdiff_t)size, 0,
                                          plane->column_stride, 0};
    num_elements_load(&elements, 0, 0, 0, count, to);
}

const float *rnn_values_view(const struct rnn_step *step, unsigned variable, size_t row,
                             size_t column, size_t count, float *room)
{
    const struct rnn_plane *const plane =
        &rnn_layer_of_values(step->run, step->layer)->plane[variable];
    const ptrdiff_t from = offset(plane, step->time, row, column);
    double value[RNN_SPAN];
    if (plane->dtype == DTYPE_F32 && plane->column_stride == 1)
        return (const float *)plane->data + from;
    assert(plane->dtype != DTYPE_F64 && count <= RNN_SPAN);
    load_numbers(plane, from, count, value);
    for (size_t i = 0; i < count; i++)
        room[i] = (float)value[i];
    return room;
}

static void load_span(const struct rnn_stretch *at, unsigned variable, double *lower, double *upper)
{
    const struct rnn_plane *const plane = &at->plane[variable];
    const ptrdiff_t from = offset(plane, at->time, at->row, at->column);
    if (plane->upper && plane->column_stride == 1) {
        memcpy(lower, (const double *)plane->data + from, at->count * sizeof(double));
        memcpy(upper, (const double *)plane->upper + from, at->count * sizeof(double));
    } else {
        load_numbers(plane, from, at->count, lower);
        for (size_t i = 0; i < at->count; i++) {
            const bool known = !isnan(lower[i]);
            upper[i] = known ? lower[i] : (double)INFINITY;
            lower[i] = known ? lower[i] : -(double)INFINITY;
        }
    }
    const enum dtype narrow = rnn_kept_type(at->run, variable, at->backward);
    for (size_t i = 0; narrow && i < at->count; i++) {
        const struct interval value = {lower[i], upper[i]};
        const struct interval both = interval_hull(value, interval_round(narrow, value));
        lower[i] = both.lower;
        upper[i] = both.upper;
    }
}

struct rnn_ends rnn_span_view(const struct rnn_stretch *at, unsigned variable, double *lower,
                              double *upper)
{
    const struct rnn_plane *const plane = &at->plane[variable];
    const ptrdiff_t from = offset(plane, at->time, at->row, at->column);
    if (plane->upper && plane->column_stride == 1 &&
        !rnn_kept_type(at->run, variable, at->backward))
        return (struct rnn_ends){(const double *)plane->data + from,
                                 (const double *)plane->upper + from};
    load_span(at, variable, lower, upper);
    return (struct rnn_ends){lower, upper};
}

// Rounded at both ends, into a type of integers with saturation.
static struct interval store(enum dtype dtype, struct interval value)
{
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT)
        return interval_round(dtype, value);
    const double least = dtype == DTYPE_U8 ? 0 : -128, most = dtype == DTYPE_U8 ? 255 : 127;
    return (struct interval){fmin(fmax(nearbyint(value.lower), least), most),
                             fmin(fmax(nearbyint(value.upper), least), most)};
}

// Rounds what stands in the plane as `dtype`.
static void round_stored(const struct rnn_stretch *at, unsigned variable, enum dtype dtype,
                         double *lower, double *upper)
{
    // A model may let the state recur as it was before its store, and so does a frame.
    const bool framed =
        at->run->problem.frame && (variable == RNN_H_STORED || variable == RNN_C_STORED);
    const bool wide = (framed || (variable == RNN_H_STORED &&
                                  at->run->model.declared->states == MODEL_STATES_WIDE)) &&
                      dtype_size(dtype) == 2;
    if (dtype == DTYPE_F32)
        rnn_span_chosen()->store_f32(at->count, lower, upper);
    for (size_t i = 0; dtype != DTYPE_F32 && i < at->count; i++) {
        const struct interval given = {lower[i], upper[i]}, rounded = store(dtype, given);
        const struct interval kept = wide ? interval_hull(given, rounded) : rounded;
        lower[i] = kept.lower;
        upper[i] = kept.upper;
    }
}

// ---- sums of terms ----------------------------------------------------------

const double *rnn_span_term(const struct rnn_stretch *at, const struct rnn_term *term,
                            struct rnn_span *value, double *flushed)
{
    const struct rnn_span_table *const span = rnn_span_chosen();
    double large[RNN_SPAN];
    struct rnn_span room[2], made;
    for (unsigned f = 0; f < term->factors; f++) {
        const struct rnn_factor *const factor = &term->factor[f];
        struct rnn_ends x = rnn_span_view(at, factor->x, room[0].lower, room[0].upper), y = x;
        if (factor->form == NUM_DIFFERENCE)
            y = rnn_span_view(at, factor->y, room[1].lower, room[1].upper);
        if (f == 0 || factor->form != NUM_VALUE)
            span->factor((enum num_form)factor->form, at->count, &x, &y, f ? &made : value);
        if (f > 0 && factor->form != NUM_VALUE)
            x = (struct rnn_ends){made.lower, made.upper};
        if (f == 0)
            span->start(at->count, value, large);
        else
            span->multiply(at->count, &x, value, large);
    }
    if (term->negative)
        span->negate(at->count, value);
    if (term->factors > 1)
        span->flush(at->count, fmax(at->run->model.flush, 0x1p-149), term->factors > 2, value,
                    large, flushed);
    return term->factors > 1 ? flushed : NULL;
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
static void sum_terms(const struct rnn_stretch *at, const struct rnn_equation *equation,
                      double *lower, double *upper)
{
    const struct rnn_span_table *const span = rnn_span_chosen();
    struct rnn_span_sum sum;
    struct rnn_span term;
    double flushed[RNN_SPAN];
    memset(&sum, 0, sizeof sum);
    for (size_t i = 0; i < at->count; i++)
        sum.least[i] = (double)INFINITY;
    for (unsigned t = 0; t < equation->terms; t++) {
        const unsigned factors = equation->term[t].factors;
        const double *const lost = rnn_span_term(at, &equation->term[t], &term, flushed);
        span->add(at->count, factors > 2 ? factors - 2U : 0, equation->terms > 1 && factors > 1,
                  &term, lost, &sum);
        if (t == 0)
            sum.value = term;
    }
    // One of the products is not rounded before it is added to.
    const bool fused = at->run->model.declared->fused == MODEL_FUSED_ALWAYS && equation->terms > 1;
    for (size_t i = 0; fused && i < at->count; i++)
        sum.error[i] -= sum.least[i];
    if (equation->terms > 2)
        span->add_again(at->count, equation->terms - 2, &sum);
    span->close(at->count, &sum, lower, upper);
    for (size_t i = 0; is_one_product(equation) && equation->term[0].factors == 2 && i < at->count;
         i++)
        if (fmax(fabs(lower[i]), fabs(upper[i])) < small) {
            lower[i] = interval_below(lower[i] - at->run->model.flush);
            upper[i] = interval_above(upper[i] + at->run->model.flush);
        }
}

// Whether a sum is one of products that the inner loops do at once.
static bool is_products(const struct rnn_stretch *at, const struct rnn_equation *equation)
{
    const bool fused = at->run->model.declared->fused == MODEL_FUSED_ALWAYS && equation->terms > 1;
    bool plain = equation->terms >= 1 && equation->terms <= RNN_PRODUCTS_MAX && !fused;
    for (unsigned t = 0; plain && t < equation->terms; t++) {
        plain = equation->term[t].factors <= 2;
        for (unsigned f = 0; plain && f < equation->term[t].factors; f++) {
            const struct rnn_factor *const factor = &equation->term[t].factor[f];
            plain = factor->form == NUM_VALUE && factor->x != equation->result;
        }
    }
    return plain;
}

static void sum_products(const struct rnn_stretch *at, const struct rnn_equation *equation,
                         double *lower, double *upper)
{
    struct rnn_product product[RNN_PRODUCTS_MAX];
    struct rnn_span room[RNN_PRODUCTS_MAX][2];
    for (unsigned t = 0; t < equation->terms; t++) {
        product[t].factors = equation->term[t].factors;
        product[t].negative = equation->term[t].negative;
        for (unsigned f = 0; f < product[t].factors; f++)
            product[t].factor[f] = rnn_span_view(at, equation->term[t].factor[f].x,
                                                 room[t][f].lower, room[t][f].upper);
    }
    rnn_span_chosen()->products(at->count, equation->terms, product, at->run->model.flush, lower,
                                upper);
}

// On the way to an integer, without denominators: where all operands are single numbers and a power
// of two divides every term of which no sum has more than 24 bits, every way to add them is exact.
// `value` is then the sum, else NaN.
static void exact_terms(const struct rnn_stretch *at, const struct rnn_equation *equation,
                        double *value)
{
    double bit[RNN_SPAN], magnitude[RNN_SPAN];
    for (size_t i = 0; i < at->count; i++) {
        value[i] = equation->denominators ? (double)NAN : 0;
        bit[i] = (double)INFINITY;
        magnitude[i] = 0;
    }
    for (unsigned t = 0; t < equation->terms && !equation->denominators; t++) {
        const struct rnn_term *const term = &equation->term[t];
        double product[RNN_SPAN];
        for (size_t i = 0; i < at->count; i++)
            product[i] = term->factors > 2 ? (double)NAN : term->negative ? -1 : 1;
        for (unsigned f = 0; f < term->factors; f++) {
            double lower[RNN_SPAN], upper[RNN_SPAN];
            load_span(at, term->factor[f].x, lower, upper);
            for (size_t i = 0; i < at->count; i++)
                product[i] *= lower[i] == upper[i] && term->factor[f].form == NUM_VALUE
                                  ? lower[i]
                                  : (double)NAN;
        }
        for (size_t i = 0; i < at->count; i++) {
            value[i] += product[i];
            bit[i] = product[i] != 0 && !isnan(product[i]) ? fmin(bit[i], num_low_bit(product[i]))
                                                           : bit[i];
            magnitude[i] += fabs(product[i]);
        }
    }
    for (size_t i = 0; i < at->count; i++)
        if (!(magnitude[i] <= 0x1p24 * bit[i]) || at->run->model.operands != 0)
            value[i] = (double)NAN;
}

// The same over denominators, or on the way to an integer: scales may be multiplied or divided by,
// and zero points taken off before or after, so that every term may meet several roundings.
static void scaled_terms(const struct rnn_stretch *at, const struct rnn_equation *equation,
                         double *lower, double *upper)
{
    enum { ROUNDINGS = 8 };
    double denominator[RNN_SPAN], magnitude[RNN_SPAN], flushed[RNN_SPAN], exact[RNN_SPAN];
    struct rnn_span term;
    exact_terms(at, equation, exact);
    for (size_t i = 0; i < at->count; i++) {
        denominator[i] = 1;
        magnitude[i] = lower[i] = upper[i] = 0;
    }
    for (unsigned d = 0; d < equation->denominators; d++) {
        struct rnn_span room;
        const struct rnn_ends divisor =
            rnn_span_view(at, equation->denominator[d], room.lower, room.upper);
        for (size_t i = 0; i < at->count; i++)
            denominator[i] *= divisor.lower[i];
    }
    for (unsigned t = 0; t < equation->terms; t++) {
        const double *const lost = rnn_span_term(at, &equation->term[t], &term, flushed);
        for (size_t i = 0; i < at->count; i++) {
            const struct interval value = {term.lower[i], term.upper[i]};
            const struct interval sum = interval_add((struct interval){lower[i], upper[i]}, value);
            lower[i] = sum.lower;
            upper[i] = sum.upper;
            magnitude[i] += interval_magnitude(value) + (lost ? lost[i] : 0);
        }
    }
    for (size_t i = 0; i < at->count; i++) {
        struct interval sum = interval_outward(interval_below(lower[i] / denominator[i]),
                                               interval_above(upper[i] / denominator[i]));
        // Scales whose product leaves the range of f32: of them nothing is known.
        const bool known = denominator[i] >= 0x1p-126 && denominator[i] < RNN_OVERFLOW;
        sum = interval_widen(sum, known ? ROUNDINGS * at->run->model.unit * slightly *
                                                  magnitude[i] / denominator[i] +
                                              at->run->model.flush
                                        : (double)INFINITY);
        lower[i] = isnan(exact[i]) ? sum.lower : exact[i];
        upper[i] = isnan(exact[i]) ? sum.upper : exact[i];
    }
}

static void blend_terms(const struct rnn_stretch *at, const struct rnn_equation *equation,
                        double *lower, double *upper)
{
    const struct rnn_span_table *const span = rnn_span_chosen();
    const struct rnn_model *const model = &at->run->model;
    const double scale = (double)at->run->problem.scale, shift = (double)at->run->problem.shift;
    struct rnn_span room[3];
    const struct rnn_ends u =
        rnn_span_view(at, equation->term[0].factor[0].x, room[0].lower, room[0].upper);
    struct rnn_ends a =
        rnn_span_view(at, equation->term[0].factor[1].x, room[1].lower, room[1].upper);
    const struct rnn_ends b =
        rnn_span_view(at, equation->term[1].factor[1].x, room[2].lower, room[2].upper);
    if (equation->terms == 2) {
        span->blend(at->count, model->flush, &u, &a, &b, lower, upper);
        return;
    }
    // Quantised: blended as f32, then q().
    for (size_t i = 0; i < at->count; i++) {
        struct interval h =
            interval_outward((a.lower[i] - shift) / scale, (a.upper[i] - shift) / scale);
        h = interval_widen(h, 4 * model->unit * interval_magnitude(h));
        room[1].lower[i] = h.lower;
        room[1].upper[i] = h.upper;
    }
    a = (struct rnn_ends){room[1].lower, room[1].upper};
    span->blend(at->count, model->flush, &u, &a, &b, lower, upper);
    span->store_f32(at->count, lower, upper);
    for (size_t i = 0; i < at->count; i++) {
        struct interval h = interval_multiply((struct interval){lower[i], upper[i]},
                                              (struct interval){scale, scale});
        h = interval_widen(h, num_half_ulp(DTYPE_F32, interval_magnitude(h)));
        h = interval_add(h, (struct interval){shift, shift});
        h = interval_widen(h, num_half_ulp(DTYPE_F32, interval_magnitude(h)));
        lower[i] = h.lower;
        upper[i] = h.upper;
    }
}

// An equation without dots on a stretch of a row.
static void bound_terms(const struct rnn_stretch *at, const struct rnn_equation *equation,
                        enum dtype dtype, double *lower, double *upper)
{
    if (equation->kind == RNN_BLEND)
        blend_terms(at, equation, lower, upper);
    else if (equation->denominators || dtype_kind(dtype) != DTYPE_KIND_FLOAT)
        scaled_terms(at, equation, lower, upper);
    else if (is_products(at, equation))
        sum_products(at, equation, lower, upper);
    else
        sum_terms(at, equation, lower, upper);
    round_stored(at, equation->result, dtype, lower, upper);
}

void rnn_bound_terms(const struct rnn_run *run, const struct rnn_plane *plane,
                     const struct rnn_equation *equation, size_t time, size_t first_row,
                     size_t rows, enum dtype dtype)
{
    assert(!equation->dots && plane[equation->result].upper);
    const size_t columns = plane[equation->result].columns;
    struct rnn_stretch at = {run, plane, time, 0, 0, 0, equation->result >= RNN_DIFF_H};
    const struct rnn_plane *const to = &plane[equation->result];
    for (at.row = first_row; at.row < first_row + rows; at.row++)
        for (at.column = 0; at.column < columns; at.column += at.count) {
            at.count = columns - at.column < RNN_SPAN ? columns - at.column : RNN_SPAN;
            const ptrdiff_t place = offset(to, time, at.row, at.column);
            bound_terms(&at, equation, dtype, (double *)to->data + place,
                        (double *)to->upper + place);
        }
}

// ---- activations ------------------------------------------------------------

// Below 0 the product with alpha is rounded; a V-shape has its least value at 0.
static struct interval rectified(double alpha, double flush, struct interval z)
{
    if (z.lower > 0)
        return z;
    const double ends[2] = {fmin(z.lower, 0) * alpha, fmin(z.upper, 0) * alpha}; // exact in double
    if (isnan(ends[0]) || isnan(ends[1]) || interval_is_any(z))                  // 0 * inf
        return interval_any();
    struct interval slope = interval_round(
        DTYPE_F32, (struct interval){fmin(ends[0], ends[1]), fmax(ends[0], ends[1])});
    if (interval_magnitude(slope) < small && interval_magnitude(slope) > 0)
        slope = interval_widen(slope, flush);
    if (z.upper <= 0)
        return slope;
    return interval_hull(slope, (struct interval){0, z.upper});
}

static struct interval slope_of(double alpha, struct interval z)
{
    return (struct interval){z.lower > 0 ? 1 : (z.upper > 0 ? fmin(1, alpha) : alpha),
                             z.upper > 0 ? (z.lower > 0 ? 1 : fmax(1, alpha)) : alpha};
}

// tanh or logistic of at most RNN_SPAN intervals; out may be in. That of a NaN is a NaN.
static void apply(const struct evaluation_model *model, bool is_tanh, size_t count,
                  const double *z_lower, const double *z_upper, double *lower, double *upper)
{
    const double infinite = (double)INFINITY;
    bool any[RNN_SPAN] = {false};
    const bool some = rnn_span_chosen()->any(count, z_lower, z_upper);
    for (size_t i = 0; some && i < count; i++)
        any[i] = interval_is_any((struct interval){z_lower[i], z_upper[i]});
    interval_function_array(is_tanh ? NUM_TANH : NUM_LOGISTIC, z_lower, z_upper, count, lower,
                            upper);
    rnn_span_chosen()->widen(count, is_tanh ? model->tanh_ulps : model->logistic_ulps,
                             model->activation_absolute, lower, upper);
    for (size_t i = 0; some && i < count; i++) {
        lower[i] = any[i] ? -infinite : lower[i];
        upper[i] = any[i] ? infinite : upper[i];
    }
}

void rnn_bound_elementary(const struct evaluation_model *model, bool is_tanh, size_t count,
                          const struct rnn_ends *z, double *lower, double *upper)
{
    for (size_t first = 0; first < count; first += RNN_SPAN) {
        const size_t rest = count - first;
        apply(model, is_tanh, rest < RNN_SPAN ? rest : RNN_SPAN, z->lower + first, z->upper + first,
              lower + first, upper + first);
    }
}

static void activate(const struct rnn_stretch *at, const struct rnn_equation *equation,
                     const struct rnn_ends *z, double *lower, double *upper)
{
    assert(equation->kind != RNN_APPLY_FUNCTION);
    const struct evaluation_model *const model = at->run->model.declared;
    const double alpha = (double)at->run->problem.alpha;
    if (equation->kind == RNN_APPLY_TANH || equation->kind == RNN_APPLY_LOGISTIC) {
        rnn_bound_elementary(model, equation->kind == RNN_APPLY_TANH, at->count, z, lower, upper);
        return;
    }
    for (size_t i = 0; i < at->count; i++) {
        const struct interval x = {z->lower[i], z->upper[i]};
        const struct interval y = equation->kind == RNN_APPLY_RELU
                                      ? rectified(alpha, at->run->model.flush, x)
                                      : slope_of(alpha, x);
        lower[i] = y.lower;
        upper[i] = y.upper;
    }
}

static void bound_activation(const struct rnn_step *step, const struct rnn_equation *equation)
{
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    struct rnn_stretch at = {step->run, step->layer->plane, step->time, 0, 0, to->columns, false};
    for (at.row = step->first_row; at.row < step->first_row + step->rows; at.row++) {
        const ptrdiff_t place = offset(to, at.time, at.row, 0);
        double *const lower = (double *)to->data + place;
        double *const upper = (double *)to->upper + place;
        const struct rnn_ends z = rnn_span_view(&at, equation->argument, lower, upper);
        if (equation->kind == RNN_APPLY_FUNCTION)
            rnn_bound_function(step, equation, to->columns, &z, lower, upper);
        else
            activate(&at, equation, &z, lower, upper);
    }
}

void rnn_bound_equation(const struct rnn_step *step, const struct rnn_equation *equation)
{
    step->scratch->packed[equation->result] = false;
    if (equation->kind != RNN_SUM && equation->kind != RNN_BLEND)
        bound_activation(step, equation);
    else if (equation->dots)
        rnn_bound_dots(step, equation);
    else
        rnn_bound_terms(step->run, step->layer->plane, equation, step->time, step->first_row,
                        step->rows, rnn_dtype_of(&step->run->problem, equation->result));
}

// ---- what a backward pass makes anew ----------------------------------------

// The interval of a forward equation's result where a backward pass makes it of what it kept, in
// place of the interval that has held it so far, which it includes: as it was, as it is made, and
// that rounded to the type in which it enters a product.
static void remake(const struct rnn_stretch *at, const struct rnn_equation *equation)
{
    const struct rnn_plane *const to = &at->plane[equation->result];
    const ptrdiff_t place = offset(to, at->time, at->row, at->column);
    double *const lower = (double *)to->data + place, *const upper = (double *)to->upper + place;
    struct rnn_span made, room;
    if (equation->kind == RNN_SUM) {
        bound_terms(at, equation, DTYPE_F32, made.lower, made.upper);
    } else {
        const struct rnn_ends z = rnn_span_view(at, equation->argument, room.lower, room.upper);
        activate(at, equation, &z, made.lower, made.upper);
    }
    const enum dtype dtype = rnn_dtype_of(&at->run->problem, equation->result);
    for (size_t i = 0; i < at->count; i++) {
        // cppcheck-suppress uninitvar ; either branch fills the first at->count of both
        const struct interval value = {made.lower[i], made.upper[i]};
        const struct interval any =
            interval_hull(interval_hull((struct interval){lower[i], upper[i]}, value),
                          interval_round(dtype, value));
        lower[i] = any.lower;
        upper[i] = any.upper;
    }
}

void rnn_bound_remade(const struct rnn_run *run, const struct rnn_layer *layer)
{
    struct rnn_stretch at = {run, layer->plane, 0, 0, 0, 0, true};
    if (dtype_size(run->problem.state) != 2)
        return;
    for (unsigned e = 0; e < run->cell.forward_count; e++) {
        const struct rnn_equation *const equation = &run->cell.forward[e];
        const size_t columns = layer->plane[equation->result].columns;
        if (!rnn_is_remade(equation->result))
            continue;
        for (at.time = 0; at.time < run->problem.times; at.time++)
            for (at.row = 0; at.row < run->problem.batch; at.row++)
                for (at.column = 0; at.column < columns; at.column += at.count) {
                    at.count = columns - at.column < RNN_SPAN ? columns - at.column : RNN_SPAN;
                    remake(&at, equation);
                }
    }
}
