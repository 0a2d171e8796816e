// SPDX-License-Identifier: Apache-2.0
// Expressions: a fast estimate, chunk by chunk, and the exact sum of the elements it leaves open.
//
// With u = 2^-53: a factor's value costs at most three roundings, each product one more, so a term
// is off by at most NUM_TERM_ROUNDINGS u of itself; summing n terms in any order adds at most n u
// of the sum A of their magnitudes (Jeannerod and Rump 2013, doi:10.1137/120894488). Neither
// overflow nor underflow hides in it: an overflow is not finite and stays open, and four factors of
// f32 or narrower, being zero or at least 2^-174 each, do not underflow. A product of two of which
// one is f64 may, by less than 2^-1074: allowed for with 2^-1000, which no narrower type sees.

#include "ref/num/product/expression.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/product/certify.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/product/kernel.h"
#include "ref/num/small_float.h"

static const double unit = 0x1p-53, underflow = 0x1p-1000;
static const double inflate = 1 + 0x1p-20; // pays for the roundings in the error bound itself

static bool has_narrow_denominators(const struct num_expression *expression)
{
    for (unsigned i = 0; i < expression->denominators; i++)
        if (expression->denominator[i].dtype == DTYPE_F64)
            return false;
    return true;
}

bool num_expression_is_narrow(const struct num_expression *expression)
{
    for (unsigned t = 0; t < expression->terms; t++)
        for (unsigned f = 0; f < expression->term[t].factors; f++) {
            const struct num_factor *const factor = &expression->term[t].factor[f];
            if (factor->x.dtype == DTYPE_F64 ||
                (factor->form == NUM_DIFFERENCE && factor->y.dtype == DTYPE_F64))
                return false;
        }
    return has_narrow_denominators(expression);
}

static const void *element_at(const struct num_elements *elements, size_t row, size_t column,
                              size_t depth)
{
    const ptrdiff_t place = (ptrdiff_t)row * elements->row_stride +
                            (ptrdiff_t)column * elements->column_stride +
                            (ptrdiff_t)depth * elements->depth_stride;
    return (const char *)elements->data + place * (ptrdiff_t)dtype_size(elements->dtype);
}

void num_elements_load(const struct num_elements *elements, size_t row, size_t column, size_t depth,
                       size_t count, double *to)
{
    const size_t size = dtype_size(elements->dtype);
    const ptrdiff_t stride = elements->column_stride * (ptrdiff_t)size;
    const char *const from = element_at(elements, row, column, depth);
    if (stride == 0) {
        const double value = num_to_double(elements->dtype, element_load(from, size, 0));
        for (size_t i = 0; i < count; i++)
            to[i] = value;
    } else if (elements->dtype == DTYPE_F64 && elements->column_stride == 1) {
        memcpy(to, from, count * sizeof *to);
    } else if (elements->dtype == DTYPE_F32 && elements->column_stride == 1) {
        num_kernel_chosen()->widen(count, (const float *)(const void *)from, to);
    } else if ((elements->dtype == DTYPE_F16 || elements->dtype == DTYPE_BF16) &&
               elements->column_stride == 1) {
        float wide[NUM_CHUNK];
        num_convert_array(DTYPE_F32, wide, elements->dtype, from, count);
        num_kernel_chosen()->widen(count, wide, to);
    } else if (elements->dtype == DTYPE_F32) {
        for (size_t i = 0; i < count; i++) {
            float value;
            memcpy(&value, from + (ptrdiff_t)i * stride, sizeof value);
            to[i] = (double)value;
        }
    } else {
        for (size_t i = 0; i < count; i++)
            to[i] =
                num_to_double(elements->dtype, element_load(from + (ptrdiff_t)i * stride, size, 0));
    }
}

// One term in double, where num_expression_estimate adds all.
static void estimate_term(const struct num_term *of, size_t row, size_t column, size_t depth,
                          size_t count, double *term)
{
    const struct num_kernel *const kernel = num_kernel_chosen();
    double x[NUM_CHUNK], y[NUM_CHUNK];
    const bool plain = of->factor[0].form == NUM_VALUE && !of->negative;
    if (plain)
        num_elements_load(&of->factor[0].x, row, column, depth, count, term);
    for (size_t i = 0; !plain && i < count; i++)
        term[i] = of->negative ? -1 : 1;
    for (unsigned f = plain; f < of->factors; f++) {
        const struct num_factor *const factor = &of->factor[f];
        num_elements_load(&factor->x, row, column, depth, count, x);
        if (factor->form == NUM_DIFFERENCE)
            num_elements_load(&factor->y, row, column, depth, count, y);
        kernel->multiply(factor->form, count, x, y, term);
    }
}

void num_expression_estimate(const struct num_expression *expression, size_t row, size_t column,
                             size_t depth, size_t count, double *value, double *magnitude)
{
    double term[NUM_CHUNK];
    for (unsigned t = 0; t < expression->terms; t++) {
        estimate_term(&expression->term[t], row, column, depth, count, term);
        num_kernel_chosen()->add_term(count, term, value, magnitude);
    }
}

// Divides value[] and error[] by the denominators. The product of at most three is off by two
// roundings, the quotient by one more.
static void divide(const struct num_expression *expression, size_t row, size_t column, size_t count,
                   double *value, double *error)
{
    double divisor[NUM_CHUNK], factor[NUM_CHUNK];
    num_elements_load(&expression->denominator[0], row, column, 0, count, divisor);
    for (unsigned d = 1; d < expression->denominators; d++) {
        num_elements_load(&expression->denominator[d], row, column, 0, count, factor);
        for (size_t i = 0; i < count; i++)
            divisor[i] *= factor[i];
    }
    for (size_t i = 0; i < count; i++) {
        value[i] /= divisor[i];
        error[i] = (error[i] / fabs(divisor[i]) + 4 * unit * fabs(value[i])) * inflate;
    }
}

void num_result_store(const struct num_result *out, size_t row, size_t column, size_t count,
                      const void *rounded)
{
    const size_t size = dtype_size(out->dtype);
    const ptrdiff_t stride = out->column_stride * (ptrdiff_t)size;
    char *const to = (char *)out->data + (ptrdiff_t)row * out->row_stride * (ptrdiff_t)size +
                     (ptrdiff_t)column * stride;
    if (out->column_stride == 1) {
        memcpy(to, rounded, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(to + (ptrdiff_t)i * stride, (const char *)rounded + i * size, size);
}

// Zeros among the open elements: sums of magnitude 0, whose sign double finds as well, for none of
// their products underflows and -0 stays only where every term is -0. What is left of `open` comes
// first in it.
static size_t settle_zeros(const struct num_expression *expression, size_t row, size_t column,
                           size_t depth, const double *magnitude, enum dtype to, void *rounded,
                           uint16_t *open, size_t opened)
{
    size_t left = 0;
    for (size_t i = 0; i < opened; i++) {
        if (magnitude[open[i]] != 0 || expression->denominators || depth == 0) {
            open[left++] = open[i];
            continue;
        }
        double zero = -0.0, ignored = 0;
        for (size_t d = 0; d < depth; d++)
            num_expression_estimate(expression, row, column + open[i], d, 1, &zero, &ignored);
        element_store(rounded, dtype_size(to), open[i], num_from_double(to, zero));
    }
    return left;
}

static double plus(double a, double b, bool *rounded)
{
    const double sum = a + b, part = sum - a;
    *rounded = *rounded || (a - (sum - part)) + (b - part) != 0;
    return sum;
}

static double times(double a, double b, bool *rounded)
{
    const double product = a * b;
    *rounded = *rounded || fma(a, b, -product) != 0;
    return product;
}

static double factor_of(const struct num_factor *factor, size_t row, size_t column, size_t depth,
                        bool *rounded)
{
    double x, y = 0;
    num_elements_load(&factor->x, row, column, depth, 1, &x);
    switch (factor->form) {
    case NUM_VALUE:
        break;
    case NUM_COMPLEMENT:
        return plus(1, -x, rounded);
    case NUM_LESS_SQUARE:
        return times(x, plus(1, -x, rounded), rounded);
    case NUM_COMPLEMENT_SQUARE:
        return times(plus(1, -x, rounded), plus(1, x, rounded), rounded);
    case NUM_DIFFERENCE:
        num_elements_load(&factor->y, row, column, depth, 1, &y);
        return plus(x, -y, rounded);
    }
    return x;
}

// An element that double computes without rounding once, as ties of short numbers are: one rounding
// to the result is left. False where there was any.
static bool settle_exact(const struct num_expression *expression, size_t row, size_t column,
                         size_t depth, enum dtype to, uint64_t *bits)
{
    bool rounded = expression->denominators || depth == 0;
    double sum = -0.0; // to which any first term can be added without loss of its sign
    for (size_t d = 0; d < depth && !rounded; d++)
        for (unsigned t = 0; t < expression->terms && !rounded; t++) {
            double term = expression->term[t].negative ? -1 : 1;
            for (unsigned f = 0; f < expression->term[t].factors; f++)
                term =
                    times(term, factor_of(&expression->term[t].factor[f], row, column, d, &rounded),
                          &rounded);
            sum = plus(sum, term, &rounded);
        }
    *bits = rounded ? 0 : num_convert(to, DTYPE_F64, double_bits(sum), NUM_NEAREST_EVEN, NUM_IEEE);
    return !rounded;
}

// Whether double holds the sum so well that rounding it again to f32 is rounding it once: one
// product of two numbers of at most 24 bits is exact; one addition of two of them is rounded to 53
// >= 2 * 24 + 2 bits (Figueroa 1995, doi:10.1145/221332.221334).
static bool is_rounded_by_double(const struct num_expression *expression, size_t depth,
                                 enum dtype to)
{
    const unsigned narrow = DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F16);
    if (to != DTYPE_F32 || depth != 1 || expression->denominators || expression->terms > 2 ||
        expression->terms == 0)
        return false;
    for (unsigned t = 0; t < expression->terms; t++) {
        const struct num_term *const term = &expression->term[t];
        if (term->factors + expression->terms > 3)
            return false;
        for (unsigned f = 0; f < term->factors; f++)
            if (term->factor[f].form != NUM_VALUE || !(narrow & DTYPE_BIT(term->factor[f].x.dtype)))
                return false;
    }
    return true;
}

static void round_by_double(const struct num_expression *expression, size_t row, size_t column,
                            size_t count, float *rounded)
{
    double value[NUM_CHUNK], term[NUM_CHUNK];
    const struct num_term *const first = &expression->term[0];
    const struct num_elements *const x = &first->factor[0].x;
    if (expression->terms == 1 && first->factors == 1 && !first->negative &&
        x->dtype == DTYPE_F32 && x->column_stride == 1) {
        num_convert_array(DTYPE_F32, rounded, DTYPE_F32, element_at(x, row, column, 0), count);
        return;
    }
    estimate_term(first, row, column, 0, count, value);
    for (unsigned t = 1; t < expression->terms; t++) {
        estimate_term(&expression->term[t], row, column, 0, count, term);
        num_kernel_chosen()->add_scaled(count, 1, term, value);
    }
    num_convert_array(DTYPE_F32, rounded, DTYPE_F64, value, count);
}

// The fast look at one chunk: rounded results in `rounded`, the indexes of open ones in `open`.
static size_t look(const struct num_expression *expression, size_t row, size_t column, size_t depth,
                   size_t count, bool narrow, enum dtype to, const struct num_path *path,
                   void *rounded, uint16_t *open)
{
    double value[NUM_CHUNK], magnitude[NUM_CHUNK], error[NUM_CHUNK];
    memset(value, 0, count * sizeof *value);
    memset(magnitude, 0, count * sizeof *magnitude);
    memset(error, 0, count * sizeof *error);
    for (size_t d = 0; d < depth; d++)
        num_expression_estimate(expression, row, column, d, count, value, magnitude);
    const double roundings = NUM_TERM_ROUNDINGS + (double)depth * expression->terms;
    num_kernel_chosen()->add_scaled(count, roundings * unit * inflate, magnitude, error);
    for (size_t i = 0; !narrow && i < count; i++)
        error[i] += roundings * underflow;
    if (expression->denominators)
        divide(expression, row, column, count, value, error);
    if (path && path->perturbation[0] != 0)
        for (size_t i = 0; i < count; i++)
            value[i] += path->perturbation[0] * error[i];
    const size_t opened = num_certify(to, count, value, error, rounded, open);
    return narrow
               ? settle_zeros(expression, row, column, depth, magnitude, to, rounded, open, opened)
               : opened;
}

static void round_chunk(const struct num_expression *expression, size_t row, size_t column,
                        size_t depth, size_t count, bool fast, bool narrow,
                        const struct num_result *out, struct num_path *path)
{
    uint64_t rounded[NUM_CHUNK];
    uint16_t open[NUM_CHUNK];
    size_t opened = count;
    if (fast && is_rounded_by_double(expression, depth, out->dtype)) {
        round_by_double(expression, row, column, count, (float *)(void *)rounded);
        opened = 0;
    } else if (fast)
        opened =
            look(expression, row, column, depth, count, narrow, out->dtype, path, rounded, open);
    else
        for (size_t i = 0; i < count; i++)
            open[i] = (uint16_t)i;
    // An operand may live where its own result goes, so open elements are settled before anything
    // is stored.
    for (size_t i = 0; i < opened; i++) {
        uint64_t bits;
        const bool settled =
            fast && narrow &&
            settle_exact(expression, row, column + open[i], depth, out->dtype, &bits);
        if (!settled)
            bits = num_expression_exact(expression, row, column + open[i], depth, out->dtype);
        element_store(rounded, dtype_size(out->dtype), open[i], bits);
        if (path)
            path->third += !settled;
    }
    num_result_store(out, row, column, count, rounded);
    if (path) {
        path->elements += count;
        path->second += opened;
    }
}

// The same expression with rows for columns.
static struct num_elements transposed_elements(struct num_elements e)
{
    return (struct num_elements){e.dtype, e.data, e.column_stride, e.row_stride, e.depth_stride};
}

static struct num_expression transposed(const struct num_expression *expression)
{
    struct num_expression result = *expression;
    for (unsigned t = 0; t < result.terms; t++)
        for (unsigned f = 0; f < result.term[t].factors; f++) {
            struct num_factor *const factor = &result.term[t].factor[f];
            factor->x = transposed_elements(factor->x);
            factor->y = transposed_elements(factor->y);
        }
    for (unsigned i = 0; i < result.denominators; i++)
        result.denominator[i] = transposed_elements(result.denominator[i]);
    return result;
}

void num_expression_round(const struct num_expression *expression, size_t rows, size_t columns,
                          size_t depth, const struct num_result *out, struct num_path *path)
{
    assert(expression->terms <= NUM_TERMS_MAX);
    assert(expression->denominators <= NUM_DENOMINATORS_MAX);
    if (columns < rows && columns < NUM_CHUNK / 8) { // chunks run along columns: make them long
        const struct num_expression turned = transposed(expression);
        const struct num_result turned_out = {out->dtype, out->data, out->column_stride,
                                              out->row_stride};
        if (columns > 0)
            num_expression_round(&turned, columns, rows, depth, &turned_out, path);
        return;
    }
    const bool fast =
        !(path && path->exact) && out->dtype != DTYPE_F64 && has_narrow_denominators(expression);
    const bool narrow = num_expression_is_narrow(expression);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column += NUM_CHUNK) {
            const size_t count = columns - column < NUM_CHUNK ? columns - column : NUM_CHUNK;
            round_chunk(expression, row, column, depth, count, fast, narrow, out, path);
        }
}
