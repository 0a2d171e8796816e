// SPDX-License-Identifier: Apache-2.0
// Rows of intervals as the left side of products: what they are made of, their middles and widths,
// and what one product for both widths multiplies. Each is made once for a step, when it is asked
// for: most steps need only the last.

#include <math.h>

#include "ref/op/onednn/rnn_interval.h"

static const double infinite = (double)INFINITY;

// Elements of row `r` of the step from `column` on.
static struct rnn_stretch part_of(const struct rnn_step *step, bool transposed, size_t r,
                                  size_t column, size_t depth)
{
    const size_t rest = depth - column, count = rest < RNN_SPAN ? rest : RNN_SPAN;
    return (struct rnn_stretch){
        step->run, step->layer->plane, step->time, step->first_row + r, column, count, transposed};
}

static double largest_of(const struct rnn_ends *of, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(fabs(of->lower[i]), fabs(of->upper[i])));
    return largest;
}

// What a product for both widths multiplies of a part where the middles are those of values. No
// number of an interval is farther from a value than the radius and the middle's distance from it.
static void spread_part(const struct rnn_step *step, unsigned variable,
                        const struct rnn_stretch *at, const struct rnn_ends *from, double factor,
                        double *to)
{
    float room[RNN_SPAN];
    const float *const value =
        rnn_values_view(step, variable, at->row, at->column, at->count, room);
    rnn_span_chosen()->spread_around(at->count, factor, from->lower, from->upper, value, to);
}

struct rnn_packed *rnn_pack(const struct rnn_step *step, uint8_t variable, bool transposed,
                            double around)
{
    struct rnn_scratch *const scratch = step->scratch;
    struct rnn_packed *const packed = &scratch->bound_left[variable];
    const size_t depth = step->layer->plane[variable].columns;
    if (scratch->packed[variable])
        return packed;
    scratch->packed[variable] = true;
    struct rnn_span room;
    packed->measured = packed->rounded = false;
    packed->width = 0;
    packed->factor = around;
    packed->around = around != 0;
    for (size_t r = 0; r < step->rows; r++) {
        size_t wide = 0, leaves, many;
        packed->leaves[r] = packed->largest[r] = 0;
        for (size_t column = 0; column < depth; column += RNN_SPAN) {
            const struct rnn_stretch at = part_of(step, transposed, r, column, depth);
            const struct rnn_ends from = rnn_span_view(&at, variable, room.lower, room.upper);
            rnn_span_chosen()->tally(at.count, from.lower, from.upper, &leaves, &many);
            packed->leaves[r] += (double)leaves;
            wide += many;
            if (step->run->model.operands > 0)
                packed->largest[r] = fmax(packed->largest[r], largest_of(&from, at.count));
            if (around != 0)
                spread_part(step, variable, &at, &from, around,
                            packed->spread + r * depth + column);
        }
        packed->bit[r] = wide ? 0 : infinite;
        packed->odd[r] = 0;
        packed->width += wide != 0;
    }
    return packed;
}

struct rnn_packed *rnn_pack_measured(const struct rnn_step *step, uint8_t variable, bool transposed)
{
    struct rnn_packed *const packed = rnn_pack(step, variable, transposed, 0);
    const size_t depth = step->layer->plane[variable].columns;
    struct rnn_span room;
    for (size_t r = 0; r < step->rows && !packed->measured; r++) {
        for (size_t column = 0; column < depth; column += RNN_SPAN) {
            const struct rnn_stretch at = part_of(step, transposed, r, column, depth);
            const struct rnn_ends from = rnn_span_view(&at, variable, room.lower, room.upper);
            const size_t first = r * depth + column;
            rnn_span_chosen()->measure(at.count, from.lower, from.upper, packed->middle + first,
                                       packed->magnitude + first, packed->radius + first);
        }
    }
    packed->measured = true;
    return packed;
}

void rnn_look_at_bits(struct rnn_packed *packed, size_t rows, size_t depth)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t column = 0, count; packed->bit[r] != 0 && column < depth; column += count) {
            double least[RNN_SPAN], odd[RNN_SPAN] = {0};
            count = depth - column < RNN_SPAN ? depth - column : RNN_SPAN;
            for (size_t i = 0; i < count; i++)
                least[i] = infinite;
            rnn_span_chosen()->low_bits(count, packed->middle + r * depth + column, least, odd);
            for (size_t i = 0; i < count; i++) {
                packed->bit[r] = least[i] < packed->bit[r] ? least[i] : packed->bit[r];
                packed->odd[r] = odd[i] > packed->odd[r] ? odd[i] : packed->odd[r];
            }
        }
}

struct rnn_packed *rnn_pack_spread(const struct rnn_step *step, const struct rnn_dot *dot,
                                   double factor, bool around)
{
    const size_t depth = step->layer->plane[dot->vector].columns;
    struct rnn_packed *const left = around ? rnn_pack(step, dot->vector, dot->transposed, factor)
                                           : rnn_pack_measured(step, dot->vector, dot->transposed);
    struct rnn_span room;
    if (left->factor == factor && left->around == around)
        return left;
    left->factor = factor;
    left->around = around;
    left->rounded = false;
    if (!around)
        rnn_span_chosen()->spread(step->rows * depth, factor, left->magnitude, left->radius,
                                  left->spread);
    for (size_t r = 0; r < step->rows && around; r++)
        for (size_t column = 0; column < depth; column += RNN_SPAN) {
            const struct rnn_stretch at = part_of(step, dot->transposed, r, column, depth);
            const struct rnn_ends from = rnn_span_view(&at, dot->vector, room.lower, room.upper);
            spread_part(step, dot->vector, &at, &from, factor, left->spread + r * depth + column);
        }
    return left;
}
