// SPDX-License-Identifier: Apache-2.0
// One equation of a cell, exact and rounded once: sums go to ref/num's expressions and products,
// functions to its functions.

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/function/function.h"
#include "ref/num/product/expression.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_interval.h"

static struct num_elements elements_of(const struct rnn_plane *plane, size_t time, size_t row)
{
    return (struct num_elements){plane->dtype, rnn_plane_at(plane, time, row), plane->row_stride,
                                 plane->column_stride, 0};
}

// The terms of `equation` with their operands in place.
static void bind_terms(const struct rnn_plane *plane, const struct rnn_equation *equation,
                       size_t time, size_t row, struct num_expression *expression)
{
    expression->terms = equation->terms;
    expression->denominators = equation->denominators;
    for (unsigned t = 0; t < equation->terms; t++) {
        const struct rnn_term *const from = &equation->term[t];
        struct num_term *const to = &expression->term[t];
        to->negative = from->negative;
        to->factors = from->factors;
        for (unsigned f = 0; f < from->factors; f++) {
            to->factor[f].form = (enum num_form)from->factor[f].form;
            to->factor[f].x = elements_of(&plane[from->factor[f].x], time, row);
            if (from->factor[f].form == NUM_DIFFERENCE)
                to->factor[f].y = elements_of(&plane[from->factor[f].y], time, row);
        }
    }
    for (unsigned i = 0; i < equation->denominators; i++)
        expression->denominator[i] = elements_of(&plane[equation->denominator[i]], time, row);
}

static void move_on(struct num_elements *elements, size_t columns)
{
    elements->data = (const char *)elements->data + (ptrdiff_t)columns * elements->column_stride *
                                                        (ptrdiff_t)dtype_size(elements->dtype);
}

// ---- integers otherwise than specified --------------------------------------

static double round_otherwise(unsigned rounding, double value)
{
    enum { EVEN, AWAY, DOWN, UP, ZERO };
    switch (rounding) {
    case AWAY:
        return round(value);
    case DOWN:
        return floor(value);
    case UP:
        return ceil(value);
    case ZERO:
        return trunc(value);
    default:
        return nearbyint(value);
    }
}

// By way of f64, element by element: a choice that deviates need not be fast.
static void quantise_otherwise(const struct rnn_run *run, const struct rnn_plane *plane,
                               const struct rnn_equation *equation, size_t time, size_t first_row,
                               size_t rows)
{
    enum { WRAPS = 1, NEGATIVE_AS_0 };
    const uint16_t *const option = run->problem.request->profile.option;
    const struct rnn_plane *const to = &plane[equation->result];
    // What the gates give: m where it goes on into a projection, else h.
    const bool is_output =
        equation->result == (run->problem.projection ? RNN_M_STORED : RNN_H_STORED);
    const double least = to->dtype == DTYPE_U8 ? 0 : -128, most = least + 255;
    for (size_t row = first_row; row < first_row + rows; row++)
        for (size_t column = 0; column < to->columns; column++) {
            struct num_expression expression;
            double value;
            const struct num_result out = {DTYPE_F64, &value, 1, 1};
            bind_terms(plane, equation, time, row, &expression);
            for (unsigned t = 0; t < expression.terms; t++)
                for (unsigned f = 0; f < expression.term[t].factors; f++) {
                    move_on(&expression.term[t].factor[f].x, column);
                    if (expression.term[t].factor[f].form == NUM_DIFFERENCE)
                        move_on(&expression.term[t].factor[f].y, column);
                }
            for (unsigned d = 0; d < expression.denominators; d++)
                move_on(&expression.denominator[d], column);
            num_expression_round(&expression, 1, 1, 1, &out, NULL);
            value = round_otherwise(option[RNN_INT8_ROUNDING], value);
            if (option[RNN_INT8_OVERFLOW] == WRAPS)
                value -= 256 * floor((value - least) / 256);
            else if (option[RNN_INT8_OVERFLOW] == NEGATIVE_AS_0 && is_output)
                value = fmax(value, 0);
            element_store(rnn_plane_at(to, time, row), 1, column,
                          (uint8_t)(int)fmin(fmax(value, least), most));
        }
}

void rnn_compute_terms(const struct rnn_run *run, const struct rnn_plane *plane,
                       const struct rnn_equation *equation, size_t time, size_t first_row,
                       size_t rows, enum dtype dtype)
{
    if (run->bounds) {
        rnn_bound_terms(run, plane, equation, time, first_row, rows, dtype);
        return;
    }
    const struct rnn_plane *const to = &plane[equation->result];
    const struct num_result out = {to->dtype, rnn_plane_at(to, time, first_row), to->row_stride,
                                   to->column_stride};
    const uint16_t *const option = run->problem.request->profile.option;
    struct num_expression expression;
    if ((to->dtype == DTYPE_U8 || to->dtype == DTYPE_I8) &&
        (option[RNN_INT8_ROUNDING] || option[RNN_INT8_OVERFLOW])) {
        quantise_otherwise(run, plane, equation, time, first_row, rows);
        return;
    }
    bind_terms(plane, equation, time, first_row, &expression);
    num_expression_round(&expression, rows, to->columns, 1, &out, NULL);
}

// The rows of a variable packed for products: x once for the layer, others once for the step.
static enum error left_of(const struct rnn_step *step, uint8_t variable, struct num_operand *left,
                          struct diagnostic *diagnostic)
{
    if (variable == RNN_X) {
        *left = num_operand_slice(
            &step->run->x, step->time * step->run->problem.batch + step->first_row, step->rows);
        return ERROR_NONE;
    }
    struct rnn_scratch *const scratch = step->scratch;
    enum error error = ERROR_NONE;
    if (!scratch->packed[variable]) {
        const struct rnn_plane *const plane = &step->layer->plane[variable];
        const struct num_view view = {
            plane->dtype,      rnn_plane_at(plane, step->time, step->first_row),
            step->rows,        plane->columns,
            plane->row_stride, plane->column_stride};
        error = num_operand_prepare(&scratch->left[variable], &view, scratch->left_buffer[variable],
                                    diagnostic);
        scratch->packed[variable] = true;
    }
    *left = scratch->left[variable];
    return error;
}

// The product of x with one gate's weights at this step, out of those made ahead; NULL where there
// are none.
static const double *take_ahead(const struct rnn_step *step, const struct rnn_dot *dot,
                                const struct num_operand *right)
{
    struct rnn_ahead *const ahead = &step->scratch->ahead[dot->gate];
    const bool reversed = step->layer->reversed;
    if (dot->vector != RNN_X || dot->matrix != RNN_MATRIX_LAYER || dot->transposed || !ahead->sums)
        return NULL;
    size_t place = reversed ? ahead->first - step->time : step->time - ahead->first;
    if (place >= ahead->count) {
        const struct rnn_problem *const p = &step->run->problem;
        const size_t left_over = reversed ? step->time + 1 : p->times - step->time;
        struct num_operand left[RNN_AHEAD];
        ahead->first = step->time;
        ahead->count = left_over < RNN_AHEAD ? left_over : RNN_AHEAD;
        for (size_t i = 0; i < ahead->count; i++) {
            const size_t time = reversed ? step->time - i : step->time + i;
            left[i] =
                num_operand_slice(&step->run->x, time * p->batch + step->first_row, step->rows);
        }
        num_product_begin(left, ahead->count, right, ahead->sums, ahead->stride,
                          step->scratch->ahead_workspace);
        place = 0;
    }
    return ahead->sums + place * step->rows * ahead->stride;
}

// Two products at a time are added with saturation to 16 bits, as vpmaddubsw (Intel SDM vol. 2C)
// does; i8 data are made u8 for it by adding 128, whose products are exact and taken off again.
static int32_t add_in_pairs(const struct rnn_plane *from, const unsigned char *vector,
                            const struct rnn_weights *weights, size_t first)
{
    const size_t stride = weights->gates * weights->outputs;
    const int8_t *const column = (const int8_t *)weights->data + first;
    const int offset = from->dtype == DTYPE_I8 ? 128 : 0;
    int32_t total = 0;
    for (size_t i = 0; i < weights->inputs; i += 2) {
        int32_t pair = 0;
        for (size_t k = i; k < i + 2 && k < weights->inputs; k++) {
            const int32_t weight = column[k * stride];
            pair += ((offset ? (signed char)vector[k] : vector[k]) + offset) * weight;
            total -= offset * weight;
        }
        total += pair < INT16_MIN ? INT16_MIN : pair > INT16_MAX ? INT16_MAX : pair;
    }
    return total;
}

// The exact sums of integers, otherwise.
static void sum_in_pairs(const struct rnn_step *step, const struct rnn_equation *equation)
{
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    for (size_t row = step->first_row; row < step->first_row + step->rows; row++)
        for (size_t column = 0; column < to->columns; column++) {
            int32_t total = 0;
            for (unsigned i = 0; i < equation->dots; i++) {
                const struct rnn_dot *const dot = &equation->dot[i];
                const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
                const struct rnn_plane *const from = &step->layer->plane[dot->vector];
                total +=
                    add_in_pairs(from, (const unsigned char *)rnn_plane_at(from, step->time, row),
                                 weights, dot->gate * weights->outputs + column);
            }
            element_store(rnn_plane_at(to, step->time, row), dtype_size(to->dtype), column,
                          num_from_double(to->dtype, total));
        }
}

static enum error round_sum(const struct rnn_step *step, const struct rnn_equation *equation,
                            struct diagnostic *diagnostic)
{
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    const struct num_result out = {to->dtype, rnn_plane_at(to, step->time, step->first_row),
                                   to->row_stride, to->column_stride};
    struct num_expression leaf;
    struct num_sum sum = {.rows = step->rows, .columns = to->columns, .products = equation->dots};
    if (equation->terms) {
        bind_terms(step->layer->plane, equation, step->time, step->first_row, &leaf);
        sum.leaf = &leaf;
    }
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < equation->dots && !error; i++) {
        const struct rnn_dot *const dot = &equation->dot[i];
        const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
        sum.product[i].right =
            dot->transposed ? weights->backward[dot->gate]
                            : num_operand_slice(&weights->forward, dot->gate * weights->outputs,
                                                weights->outputs);
        error = left_of(step, dot->vector, &sum.product[i].left, diagnostic);
    }
    if (!error) {
        sum.begun = take_ahead(step, &equation->dot[0], &sum.product[0].right);
        sum.begun_stride = step->scratch->ahead[equation->dot[0].gate].stride;
    }
    return error ? error : num_sum_round(&sum, &out, step->scratch->sum, NULL, diagnostic);
}

// Of one row: positive arguments are kept (or have slope 1), others are multiplied by alpha (or
// have slope alpha).
static void rectify(enum rnn_kind kind, float alpha, const float *argument, float *result,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float below = kind == RNN_APPLY_RELU
                                ? float_from_bits((uint32_t)num_multiply(
                                      DTYPE_F32, float_bits(alpha), float_bits(argument[i])))
                                : alpha;
        result[i] = argument[i] > 0 ? (kind == RNN_APPLY_RELU ? argument[i] : 1) : below;
    }
}

// The frame's activation of one row: the argument brought into its range, which leaves a NaN.
static void activate(const struct rnn_step *step, const struct rnn_equation *equation,
                     const float *argument, float *result, size_t count)
{
    const struct rnn_frame *const frame = step->run->problem.frame;
    const float least = frame->least[equation->function], most = frame->most[equation->function];
    for (size_t i = 0; i < count; i++)
        result[i] = argument[i] < least ? least : argument[i] > most ? most : argument[i];
    num_activation_array(&frame->function[step->layer->direction][equation->function], result,
                         result, count, NULL);
}

static void apply(const struct rnn_step *step, const struct rnn_equation *equation)
{
    const struct rnn_plane *const from = &step->layer->plane[equation->argument];
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    for (size_t row = step->first_row; row < step->first_row + step->rows; row++) {
        const void *const in = rnn_plane_at(from, step->time, row);
        void *const out = rnn_plane_at(to, step->time, row);
        if (equation->kind == RNN_APPLY_LOGISTIC || equation->kind == RNN_APPLY_TANH)
            num_function_array(equation->kind == RNN_APPLY_TANH ? NUM_TANH : NUM_LOGISTIC,
                               to->dtype, out, from->dtype, in, to->columns, NULL);
        else if (equation->kind == RNN_APPLY_FUNCTION)
            activate(step, equation, in, out, to->columns);
        else
            rectify((enum rnn_kind)equation->kind, step->run->problem.alpha, in, out, to->columns);
    }
}

enum error rnn_compute(const struct rnn_step *step, const struct rnn_equation *equation,
                       struct diagnostic *diagnostic)
{
    if (step->run->bounds) {
        rnn_bound_equation(step, equation);
        return ERROR_NONE;
    }
    step->scratch->packed[equation->result] = false;
    if (equation->kind != RNN_SUM && equation->kind != RNN_BLEND) {
        apply(step, equation);
        return ERROR_NONE;
    }
    if (equation->dots && step->run->problem.quantised &&
        step->run->problem.request->profile.option[RNN_INT8_PRODUCTS]) {
        sum_in_pairs(step, equation);
        return ERROR_NONE;
    }
    if (equation->dots)
        return round_sum(step, equation, diagnostic);
    rnn_compute_terms(step->run, step->layer->plane, equation, step->time, step->first_row,
                      step->rows, DTYPE_NONE);
    return ERROR_NONE;
}
