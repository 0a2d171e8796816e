// SPDX-License-Identifier: Apache-2.0
// Intervals of sums with dots: matrix products of middles and of widths.
//
// A dot product of n nonzero leaves is off by at most n*u of the sum A of its magnitudes, in any
// order (Jeannerod and Rump 2013, doi:10.1137/120894488); where a power of two divides every leaf
// and 2^24 of it is not below A, every partial sum is exact and so is the result; two leaves whose
// products are exact are rounded once. The leaves' own widths R add up beside it. Where all columns
// of the weights have as many nonzeros, one product gives n*u*A + R, in integers rounded upward.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/num/product/matrix.h"
#include "ref/op/onednn/rnn_interval.h"

static const double slightly = 1 + 0x1p-20, small = 0x1p-100, infinite = (double)INFINITY;

// From this bit on no partial sum of numbers that it divides is subnormal, or flushed.
static const double least_bit = 0x1p-120;

// The one value of a sum of f32 whose leaves are single numbers and multiples of `bit`, and whose
// products are exact: every partial sum is, or there are two leaves. As stored in f32, or wider.
static bool is_one_value(double middle, double magnitude, double leaves, double bit,
                         struct interval *value)
{
    if (bit < least_bit)
        return false;
    *value = interval_of(middle);
    if (magnitude <= 0x1p24 * bit)
        return true;
    const struct interval wide =
        fabs(middle) <= 0x1p53 * bit ? *value : interval_outward(middle, middle);
    *value = interval_hull(interval_round(DTYPE_F32, *value), wide);
    return leaves <= 2;
}

struct rnn_side rnn_side_of(struct interval of)
{
    return (struct rnn_side){.middle = interval_middle(of),
                             .magnitude = interval_magnitude(of),
                             .radius = interval_radius(of),
                             .point = of.lower == of.upper};
}

double rnn_leaf_bit(double bit, double product)
{
    const bool exact = interval_round(DTYPE_F32, interval_of(product)).lower == product;
    return exact ? fmin(bit, num_low_bit(product)) : 0;
}

void rnn_add_leaf(struct rnn_leaves *leaves, const struct rnn_side *left,
                  const struct rnn_side *right)
{
    const double product = left->middle * right->middle;
    leaves->middle += product;
    leaves->magnitude += left->magnitude * right->magnitude;
    leaves->radius += left->radius * right->magnitude + fabs(left->middle) * right->radius;
    leaves->count += left->magnitude != 0 && right->magnitude != 0;
    if (leaves->bit != 0)
        leaves->bit = left->point && right->point ? rnn_leaf_bit(leaves->bit, product) : 0;
}

// Whether partial sums stay finite whose terms' magnitudes add up to this: no sum of f32 exceeds it
// by more than its roundings.
static bool stays_finite(const struct rnn_model *model, double magnitude, double depth)
{
    return model->declared->accumulator == MODEL_F64
               ? magnitude < (double)INFINITY
               : magnitude * (1 + depth * model->unit) < RNN_OVERFLOW;
}

struct rnn_leaf_rules rnn_leaf_rules_of(const struct rnn_model *model)
{
    const bool wide = model->declared->accumulator == MODEL_F64;
    return (struct rnn_leaf_rules){.unit = wide ? 0 : model->unit,
                                   .limit = wide ? infinite : RNN_OVERFLOW,
                                   .sum_unit = model->sum_unit,
                                   .flush = 2 * model->flush,
                                   .operands = model->operands};
}

// What a sum of f32 becomes: with additions in f64 it is rounded to f32 in the end.
static struct interval stored(const struct rnn_model *model, struct interval value)
{
    return model->declared->accumulator == MODEL_F64 ? interval_round(DTYPE_F32, value) : value;
}

struct interval rnn_close_leaves(const struct rnn_model *model, const struct rnn_leaves *leaves,
                                 double roundings)
{
    const double inflated = 1 + leaves->count * 0x1p-51, magnitude = leaves->magnitude * inflated;
    const double flush = leaves->count > 0 ? 2 * model->flush : 0;
    double radius =
        num_dot_radius(leaves->count, leaves->count + roundings, model->sum_unit, flush, magnitude,
                       leaves->radius * inflated + roundings * model->unit * slightly * magnitude);
    radius += model->operands * slightly * magnitude;
    if (isnan(leaves->middle) || isnan(radius) ||
        !stays_finite(model, magnitude, leaves->count + roundings))
        return interval_any();
    struct interval value;
    if (model->operands == 0 && roundings == 0 &&
        is_one_value(leaves->middle, leaves->magnitude, leaves->count, leaves->bit, &value))
        return stored(model, value);
    return stored(model, interval_outward(leaves->middle - radius, leaves->middle + radius));
}

// ---- the sum ----------------------------------------------------------------

// The rows of a step and all columns of a result: sums over the leaves so far, rows `stride` apart.
// Where `merged`, radius holds factor * magnitude + radius, and magnitude, leaves and bit are not
// used. Where `around`, the middles are those of values, rounded to f32, and `common` of `line` is
// more of the radius in every row unless `shared` is false.
struct sums {
    const struct rnn_model *model;
    size_t rows, columns, stride;
    struct rnn_lines line;
    double products; // roundings of a leaf's own: 0 when every product is exact
    bool merged, integers;
    bool around; // where merged alone
    bool shared; // where around alone
    double factor;
};

static struct num_operand right_of(const struct rnn_weights *weights, const struct rnn_dot *dot)
{
    return dot->transposed ? weights->backward[dot->gate]
                           : num_operand_slice(&weights->forward, dot->gate * weights->outputs,
                                               weights->outputs);
}

static const struct rnn_upward *upward_of(const struct rnn_weights *weights,
                                          const struct rnn_dot *dot)
{
    return dot->transposed ? &weights->backward_upward[dot->gate] : &weights->forward_upward;
}

static bool is_rounded_up(struct rnn_packed *left, size_t rows, size_t depth)
{
    if (!left->rounded)
        left->upward.usable = num_upward_left(&left->upward.magnitudes, rows, depth, left->spread,
                                              left->upward.buffer);
    left->rounded = true;
    return left->upward.usable;
}

static void add_merged(const struct rnn_step *step, const struct rnn_dot *dot, struct sums *sums)
{
    const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
    struct rnn_packed *const left = rnn_pack_spread(step, dot, sums->factor, sums->around);
    const struct num_operand right = right_of(weights, dot);
    if (!sums->around)
        num_matrix_add(sums->rows, left->middle, &right, false, sums->line.middle, sums->stride,
                       step->scratch->sum);
    const struct rnn_upward *const upward = upward_of(weights, dot);
    if (upward->usable && is_rounded_up(left, sums->rows, right.depth))
        num_upward_add(&left->upward.magnitudes, &upward->magnitudes,
                       dot->transposed ? 0 : dot->gate * weights->outputs, right.vectors,
                       sums->line.radius, sums->stride);
    else
        num_matrix_add(sums->rows, left->spread, &right, true, sums->line.radius, sums->stride,
                       step->scratch->sum);
}

// Whether all rows are zeros, and all weights finite: the first state of most sequences.
static bool adds_nothing(const struct rnn_packed *left, size_t rows,
                         const struct rnn_upward *weights)
{
    bool nothing = weights->usable;
    for (size_t r = 0; r < rows; r++)
        nothing = nothing && left->leaves[r] == 0;
    return nothing;
}

static void add_dot(const struct rnn_step *step, const struct rnn_dot *dot, struct sums *sums)
{
    const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
    struct rnn_packed *const left = rnn_pack_measured(step, dot->vector, dot->transposed);
    const size_t outputs = dot->transposed ? weights->inputs : weights->outputs;
    const double *const bit =
        (dot->transposed ? weights->row_bit : weights->column_bit) + dot->gate * outputs;
    const double *const odd =
        (dot->transposed ? weights->row_odd : weights->column_odd) + dot->gate * outputs;
    const double *const leaves =
        (dot->transposed ? weights->row_leaves : weights->column_leaves) + dot->gate * outputs;
    void *const workspace = step->scratch->sum;
    const struct num_operand right = right_of(weights, dot);
    rnn_look_at_bits(left, sums->rows, right.depth);
    const bool nothing = adds_nothing(left, sums->rows, upward_of(weights, dot));
    if (!nothing)
        num_matrix_add(sums->rows, left->middle, &right, false, sums->line.middle, sums->stride,
                       workspace);
    if (!nothing && !sums->integers)
        num_matrix_add(sums->rows, left->magnitude, &right, true, sums->line.magnitude,
                       sums->stride, workspace);
    if (left->width)
        num_matrix_add(sums->rows, left->radius, &right, true, sums->line.radius, sums->stride,
                       workspace);
    for (size_t r = 0; r < sums->rows; r++)
        for (size_t c = 0; c < sums->columns; c++) {
            const size_t i = r * sums->stride + c;
            const double common = left->bit[r] * bit[c], most = left->odd[r] * odd[c];
            sums->line.odd[i] = most > sums->line.odd[i] ? most : sums->line.odd[i];
            sums->line.leaves[i] += leaves[c] < left->leaves[r] ? leaves[c] : left->leaves[r];
            sums->line.bit[i] = left->bit[r] == 0            ? 0
                                : common < sums->line.bit[i] ? common
                                                             : sums->line.bit[i];
        }
}

// Elements [first, first + count) of the sums.
static void add_leaves(const struct rnn_span *value, const double *lost, size_t first, size_t count,
                       struct sums *sums)
{
    double middle[RNN_SPAN] = {0}, magnitude[RNN_SPAN], radius[RNN_SPAN], least[RNN_SPAN];
    for (size_t i = 0; lost && i < count; i++)
        sums->line.radius[first + i] += lost[i];
    if (sums->merged) {
        double *const to =
            sums->around ? middle : sums->line.middle + first; // values have them already
        rnn_span_chosen()->add_leaves(count, sums->factor, value->lower, value->upper, to,
                                      sums->line.radius + first);
        return;
    }
    rnn_span_chosen()->measure(count, value->lower, value->upper, middle, magnitude, radius);
    for (size_t i = 0; i < count; i++)
        least[i] = infinite;
    rnn_span_chosen()->low_bits(count, value->lower, least, sums->line.odd + first);
    for (size_t i = 0; i < count; i++) {
        const double bit = radius[i] != 0 ? 0 : least[i];
        sums->line.middle[first + i] += middle[i];
        sums->line.radius[first + i] += radius[i];
        sums->line.magnitude[first + i] += magnitude[i];
        sums->line.leaves[first + i] += magnitude[i] != 0;
        sums->line.bit[first + i] =
            bit < sums->line.bit[first + i] ? bit : sums->line.bit[first + i];
    }
}

// Whether a term is the same in every row.
static bool is_common(const struct rnn_plane *plane, const struct rnn_term *term)
{
    bool common = true;
    for (unsigned f = 0; f < term->factors; f++)
        common =
            common && plane[term->factor[f].x].row_stride == 0 &&
            (term->factor[f].form != NUM_DIFFERENCE || plane[term->factor[f].y].row_stride == 0);
    return common;
}

static void add_term(const struct rnn_step *step, const struct rnn_term *term, bool backward,
                     struct sums *sums)
{
    struct rnn_stretch at = {step->run, step->layer->plane, step->time, 0, 0, 0, backward};
    const bool common = is_common(step->layer->plane, term);
    const double *lost = NULL;
    double flushed[RNN_SPAN];
    struct rnn_span value;
    for (; at.column < sums->columns; at.column += at.count) {
        at.count = sums->columns - at.column < RNN_SPAN ? sums->columns - at.column : RNN_SPAN;
        for (size_t r = 0; r < sums->rows; r++) {
            at.row = step->first_row + r;
            if (r == 0 || !common)
                lost = rnn_span_term(&at, term, &value, flushed);
            add_leaves(&value, lost, r * sums->stride + at.column, at.count, sums);
        }
    }
}

// A term that is the same in every row, as one row of radii: values have its middles already.
static void add_common_term(const struct rnn_step *step, const struct rnn_term *term, bool backward,
                            const struct sums *sums)
{
    struct sums row = *sums;
    row.rows = 1;
    row.line.radius = sums->line.common;
    memset(row.line.radius, 0, row.columns * sizeof *row.line.radius);
    add_term(step, term, backward, &row);
}

// A sum of integers is exact: only the width of its leaves counts.
static struct interval close_element(const struct sums *from, size_t i)
{
    const struct rnn_model *const model = from->model;
    const double middle = from->line.middle[i], count = from->line.leaves[i],
                 bit = from->line.bit[i];
    const bool exact = bit >= least_bit && from->line.odd[i] <= 0x1p24; // every product
    const double depth = fmax(0, count - (from->products > 0 && !exact ? 0 : 1));
    const double inflated = 1 + (count + 2) * 0x1p-51, magnitude = from->line.magnitude[i];
    struct interval value;
    if (!from->integers && !stays_finite(model, magnitude, count))
        return interval_any();
    if (from->integers)
        return interval_widen(interval_of(middle), from->line.radius[i]);
    if ((exact || magnitude <= 0x1p24 * bit) && model->operands == 0 &&
        is_one_value(middle, magnitude, count, bit, &value))
        return stored(model, value);
    double radius =
        num_dot_radius(count, depth, model->sum_unit, magnitude < small ? 2 * model->flush : 0,
                       magnitude * inflated, from->line.radius[i] * inflated);
    radius += model->operands * slightly * inflated * magnitude;
    if (isnan(middle) || isnan(radius))
        return interval_any();
    return stored(model, interval_outward(middle - radius, middle + radius));
}

// A row of sums that are off by `lost` besides.
static void close_row(const struct sums *from, size_t row, double lost, double *lower,
                      double *upper)
{
    for (size_t i = 0; i < from->columns; i++) {
        const struct interval value =
            interval_widen(close_element(from, row * from->stride + i), lost);
        lower[i] = value.lower;
        upper[i] = value.upper;
    }
}

// The same of `leaves` leaves, where one product served both widths. Middles are the sums of the
// run of values, or those at hand.
static void close_merged_row(const struct rnn_step *step, unsigned result, const struct sums *from,
                             size_t row, double leaves, double lost, double *lower, double *upper)
{
    static const double nothing[RNN_SPAN];
    const double least = from->around ? 0x1p-149 : 0;
    const double besides = lost + least + 8 * leaves * from->model->flush;
    // of factor * the sum of magnitudes: see stays_finite
    const double limit = from->model->declared->accumulator == MODEL_F64
                             ? (double)INFINITY
                             : RNN_OVERFLOW * from->factor / (1 + from->factor);
    for (size_t column = 0, count; column < from->columns; column += count) {
        const size_t first = row * from->stride + column;
        const double *const more = from->shared ? from->line.common + column : nothing;
        float room[RNN_SPAN];
        count = from->columns - column < RNN_SPAN ? from->columns - column : RNN_SPAN;
        const float *const value =
            from->around ? rnn_values_view(step, result, step->first_row + row, column, count, room)
                         : NULL;
        rnn_span_chosen()->close_dots(count, from->factor, limit, leaves, besides,
                                      from->around ? NULL : from->line.middle + first, value,
                                      from->line.radius + first, more, lower + column,
                                      upper + column);
    }
    for (size_t i = 0; from->model->declared->accumulator == MODEL_F64 && i < from->columns; i++) {
        const struct interval value = stored(from->model, (struct interval){lower[i], upper[i]});
        lower[i] = value.lower;
        upper[i] = value.upper;
    }
}

// An operand of f32 below 2^-126 becomes a bf16 with an absolute error.
static double lost_operands(const struct rnn_step *step, const struct rnn_equation *equation,
                            size_t row)
{
    double lost = 0;
    for (unsigned d = 0; d < equation->dots && step->run->model.operands > 0; d++) {
        const struct rnn_dot *const dot = &equation->dot[d];
        const struct rnn_packed *const left = &step->scratch->bound_left[dot->vector];
        const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
        const double weight =
            dot->transposed ? weights->backward[dot->gate].largest : weights->forward.largest;
        lost += left->leaves[row] * 0x1p-133 * (left->largest[row] + weight + 1);
    }
    return lost;
}

static double common_leaves(const struct rnn_step *step, const struct rnn_dot *dot)
{
    const struct rnn_weights *const weights = &step->run->weights[dot->matrix];
    return dot->transposed ? weights->row_uniform : weights->column_uniform;
}

// At most so many leaves of a row are not 0, in every column.
static double leaves_of_row(const struct rnn_step *step, const struct rnn_equation *equation,
                            size_t row)
{
    double leaves = equation->terms;
    for (unsigned d = 0; d < equation->dots; d++)
        leaves += fmin(common_leaves(step, &equation->dot[d]),
                       step->scratch->bound_left[equation->dot[d].vector].leaves[row]);
    return leaves;
}

// Whether what a sum adds to its dots are single numbers, the same for values.
static bool adds_numbers(const struct rnn_step *step, const struct rnn_equation *equation)
{
    bool numbers = true;
    for (unsigned t = 0; t < equation->terms; t++) {
        const struct rnn_factor *const factor = &equation->term[t].factor[0];
        numbers = numbers && equation->term[t].factors == 1 && factor->form == NUM_VALUE &&
                  !step->layer->plane[factor->x].upper;
    }
    return numbers;
}

// Whether all columns have as many leaves and no row is made of single numbers: then one product
// serves both widths.
static void plan(const struct rnn_step *step, const struct rnn_equation *equation,
                 struct sums *sums)
{
    double leaves = equation->terms;
    bool uniform = !sums->integers, wide = false;
    for (unsigned d = 0; d < equation->dots; d++) {
        const double many = common_leaves(step, &equation->dot[d]);
        uniform = uniform && many >= 0;
        leaves += many;
    }
    const double depth = leaves - (sums->products > 0 ? 0 : 1);
    const bool around =
        uniform && step->run->values && depth >= RNN_AROUND_LEAVES && adds_numbers(step, equation);
    sums->factor = depth * sums->model->sum_unit * slightly + sums->model->operands * slightly;
    for (unsigned d = 0; d < equation->dots; d++) {
        const struct rnn_dot *const dot = &equation->dot[d];
        const struct rnn_packed *const left =
            rnn_pack(step, dot->vector, dot->transposed, around ? sums->factor : 0);
        wide = wide || (common_leaves(step, dot) != 0 && left->width == step->rows);
    }
    sums->merged = uniform && wide && depth >= 1;
    sums->around = sums->merged && around;
}

// Empty sums, in the lines that are used.
static void start_sums(const struct sums *sums)
{
    const size_t elements = sums->rows * sums->stride, bytes = elements * sizeof(double);
    memset(sums->line.radius, 0, bytes);
    if (!sums->around)
        memset(sums->line.middle, 0, bytes);
    if (sums->merged)
        return;
    memset(sums->line.magnitude, 0, bytes);
    memset(sums->line.leaves, 0, bytes);
    memset(sums->line.odd, 0, bytes);
    for (size_t i = 0; i < elements; i++)
        sums->line.bit[i] = infinite;
}

void rnn_bound_dots(const struct rnn_step *step, const struct rnn_equation *equation)
{
    assert(equation->dots && step->layer->plane[equation->result].upper);
    const struct rnn_run *const run = step->run;
    const struct rnn_plane *const to = &step->layer->plane[equation->result];
    const size_t stride = to->columns + RNN_LINE_PADDING;
    const bool backward = equation->result >= RNN_DIFF_H;
    struct sums sums = {.model = &run->model,
                        .rows = step->rows,
                        .columns = to->columns,
                        .stride = stride,
                        .line = step->scratch->lines,
                        .integers = equation->result >= RNN_ACC0 && equation->result <= RNN_ACC_R};
    for (unsigned i = 0; i < equation->dots; i++)
        if (run->problem.state == DTYPE_F32 || equation->dot[i].transposed ||
            equation->dot[i].vector == RNN_S)
            sums.products = 1;
    for (unsigned i = 0; i < equation->terms; i++)
        if (equation->term[i].factors > 1)
            sums.products = 1;
    plan(step, equation, &sums);
    start_sums(&sums);
    for (unsigned i = 0; i < equation->dots; i++)
        (sums.merged ? add_merged : add_dot)(step, &equation->dot[i], &sums);
    sums.shared =
        sums.around && equation->terms == 1 && is_common(step->layer->plane, &equation->term[0]);
    if (sums.shared)
        add_common_term(step, &equation->term[0], backward, &sums);
    for (unsigned i = 0; i < equation->terms && !sums.shared; i++)
        add_term(step, &equation->term[i], backward, &sums);
    for (size_t r = 0; r < step->rows; r++) {
        const double lost = lost_operands(step, equation, r);
        const ptrdiff_t first = (ptrdiff_t)step->time * to->time_stride +
                                (ptrdiff_t)(step->first_row + r) * to->row_stride;
        double *const lower = (double *)to->data + first;
        double *const upper = (double *)to->upper + first;
        if (sums.merged)
            close_merged_row(step, equation->result, &sums, r, leaves_of_row(step, equation, r),
                             lost, lower, upper);
        else
            close_row(&sums, r, lost, lower, upper);
    }
}
