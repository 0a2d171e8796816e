// SPDX-License-Identifier: Apache-2.0
// Intervals of sums and products of many, whatever the order: ref/PROOFS.md, "Declared operators".

#include "ref/num/small_float.h"
#include "ref/op/declared/bound.h"

// ---- sums -------------------------------------------------------------------

void bound_sum_start(struct bound_sum *sum)
{
    *sum = (struct bound_sum){.unit = (double)INFINITY, .least = (double)INFINITY, .points = true};
}

void bound_sum_add(const struct bounding *b, struct bound_sum *sum, struct interval term)
{
    sum->nan = sum->nan || bound_is_nan(term);
    sum->any = sum->any || interval_is_any(term);
    if (sum->nan || sum->any || (term.lower == 0 && term.upper == 0))
        return;
    // A term that the accumulator does not hold may be rounded to it before it is added.
    term = interval_hull(term, interval_round(b->accumulator, term));
    sum->points = sum->points && bound_is_point(term);
    const double magnitude = interval_magnitude(term),
                 unit = bound_is_point(term) ? num_low_bit(term.lower) : 0;
    sum->terms++;
    sum->low += term.lower;
    sum->high += term.upper;
    sum->magnitude += magnitude;
    sum->unit = unit < sum->unit ? unit : sum->unit;
    sum->least = magnitude < sum->least ? magnitude : sum->least;
}

struct interval bound_sum_end(const struct bounding *b, const struct bound_sum *sum)
{
    const bool wide = b->accumulator == DTYPE_F64;
    const double u = wide ? 0x1p-53 : 0x1p-24, whole = wide ? 0x1p53 : 0x1p24,
                 largest = wide ? 0x1p1023 : 0x1p127;
    if (sum->nan)
        return bound_nan();
    if (sum->any)
        return interval_any();
    if (sum->points && isinf(sum->magnitude)) // infinities among the terms
        return isnan(sum->low) ? bound_nan() : interval_of(sum->low);
    if (!(sum->magnitude < largest)) // a partial sum may overflow
        return interval_any();
    // Every partial sum is a multiple of the unit that the accumulator holds.
    if (sum->points && sum->magnitude <= whole * sum->unit &&
        sum->unit >= bound_least_normal(b->type))
        return interval_of(sum->low);
    if (sum->terms <= 1)
        return (struct interval){sum->low, sum->high};
    const double flush = b->model->flush && sum->least < 0x1p-100 ? 0x1p-126 : 0,
                 radius = num_dot_radius(sum->terms, sum->terms - 1, u, flush, sum->magnitude, 0) +
                          sum->terms * (wide ? 0x1p-1074 : 0x1p-149);
    return interval_outward(sum->low - radius, sum->high + radius);
}

// ---- products ---------------------------------------------------------------

void bound_product_start(struct bound_product *product)
{
    *product =
        (struct bound_product){.range = {1, 1}, .most = 1, .least = 1, .odd = 1, .points = true};
}

void bound_product_add(const struct bounding *b, struct bound_product *product,
                       struct interval factor)
{
    struct bounding wide = *b;
    wide.type = DTYPE_F64;
    const bool known = !bound_is_nan(factor) && !interval_is_any(factor);
    if (known) // it may be multiplied by 1 first
        factor = bound_operation(b, factor);
    const struct interval operand[2] = {product->range, factor};
    product->range = bound_word(&wide, WORD_MULTIPLY, operand);
    if (!known || (factor.lower == 1 && factor.upper == 1))
        return;
    const double magnitude = interval_magnitude(factor), u = num_ulp(b->type, 1) / 2,
                 nearest = factor.lower > 0   ? factor.lower
                           : factor.upper < 0 ? -factor.upper
                                              : 0;
    if (++product->factors > 1)
        product->error = interval_above(product->error + u * (1 + product->error));
    product->most = interval_above(product->most * fmax(1, magnitude));
    product->least *= fmin(1, nearest);
    product->points = product->points && bound_is_point(factor);
    product->odd *= magnitude / num_low_bit(magnitude);
}

struct interval bound_product_end(const struct bounding *b, const struct bound_product *product)
{
    const struct interval range = product->range;
    const double smallest = num_ulp(b->type, 0), normal = smallest / num_ulp(b->type, 1),
                 error = product->error, most = product->most * (1 + error);
    if (bound_is_nan(range) || product->factors <= 2)
        return bound_operation(b, range);
    if (interval_is_any(range) || !isfinite(num_half_ulp(b->type, most))) // it may overflow
        return interval_any();
    if (range.lower == 0 && range.upper == 0)
        return range;
    // Every partial product is normal and has no more digits than the type.
    if (product->points && product->odd < 2 / num_ulp(b->type, 1) && product->least >= normal)
        return range;
    const double tiny = b->model->flush ? fmax(bound_least_normal(b->type), smallest) : smallest,
                 lost = product->least * (1 - error) >= 2 * normal
                            ? 0
                            : 4 * product->factors * tiny * most,
                 radius = (interval_magnitude(range) * error + lost) * (1 + 0x1p-50);
    return bound_operation(b, interval_outward(range.lower - radius, range.upper + radius));
}
