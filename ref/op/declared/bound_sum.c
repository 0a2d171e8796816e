// SPDX-License-Identifier: Apache-2.0
// Intervals of sums and products of many, whatever the order: ref/PROOFS.md, "Declared operators".

#include <limits.h>
#include <math.h>

#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/bound.h"

// ---- accumulators -----------------------------------------------------------

static struct bound_adding adding_in(enum dtype type, const struct evaluation_model *model)
{
    const bool cuts = model->additions == MODEL_TRUNCATED;
    const double u = num_ulp(type, 1) / 2;
    return (struct bound_adding){.type = type,
                                 .u = cuts ? 2 * u : u,
                                 .whole = cuts ? 0.5 / u : 1 / u,
                                 .largest = num_to_double(type, num_last_magnitude(type) - 1),
                                 .roundings = cuts ? 2 : 1,
                                 .nearest = !cuts};
}

static enum dtype accumulator_of(const struct bounding *b, bool narrow)
{
    static const enum dtype types[] = {[MODEL_F32] = DTYPE_F32,
                                       [MODEL_F64] = DTYPE_F64,
                                       [MODEL_BF16_PRODUCTS] = DTYPE_F32,
                                       [MODEL_F16] = DTYPE_F16,
                                       [MODEL_BF16] = DTYPE_BF16};
    const enum dtype type = types[b->model->accumulator];
    if (b->type == DTYPE_F64)
        return DTYPE_F64;
    return (type == DTYPE_F16 || type == DTYPE_BF16) && !(narrow && b->narrow) ? DTYPE_F32 : type;
}

void bound_choose_adding(struct bounding *b, bool narrow)
{
    const struct model_dot *const dot = &model_dots[b->model->dot];
    b->sum = adding_in(accumulator_of(b, narrow), b->model);
    b->dot =
        !dot->accumulator || b->type == DTYPE_F64 ? b->sum : adding_in(dot->accumulator, b->model);
    if (dot->imprecise) { // 13 bits behind the leading one, cut off
        b->dot.u = 0x1p-13;
        b->dot.whole = 0x1p13;
        b->dot.roundings = 2;
        b->dot.nearest = false;
    }
}

// ---- products of two tensors ------------------------------------------------

// The nearest number of `bits` bits below (`round` is floor) or above (ceil); beyond f32 infinite.
static double to_bits(double x, unsigned bits, double (*round)(double))
{
    if (x == 0 || !isfinite(x))
        return x;
    const double unit = fmax(ldexp(1, ilogb(x) - (int)bits + 1), ldexp(0x1p-125, -(int)bits)),
                 kept = round(x / unit) * unit;
    return fabs(kept) < 0x1p128 ? kept : copysign((double)INFINITY, kept);
}

struct interval bound_factor(const struct bounding *b, enum dtype type, struct interval x)
{
    const struct model_dot *const dot = &model_dots[b->model->dot];
    const enum dtype to = b->model->accumulator == MODEL_BF16_PRODUCTS ? DTYPE_BF16 : dot->operands;
    if (type != DTYPE_F32 || bound_is_nan(x) || interval_is_any(x))
        return x;
    if (dot->bits && dot->products == 1) // the other bits are rounded or cut off
        return (struct interval){to_bits(x.lower, dot->bits, floor),
                                 to_bits(x.upper, dot->bits, ceil)};
    return to ? interval_hull(x, interval_round(to, x)) : x;
}

// A number in components, rounded or cut off.
struct split {
    unsigned count;  // of components that may not be 0, at most 3
    double after[3]; // the largest share that 1, 2, 3 of them leave
    double lost;     // of components below the least normal number
};

static struct split split_of(struct interval x, unsigned bits)
{
    const bool point = bound_is_point(x);
    const double low = point && x.lower != 0 ? num_low_bit(x.lower) : 0;
    const int digits = low > 0 ? ilogb(x.lower) - ilogb(low) + 1 : point ? 0 : INT_MAX;
    struct split to = {.count = 1, .lost = digits && low < 0x1p-126 ? 0x1p-125 : 0};
    for (int i = 0; i < 3; i++) {
        const int held = (i + 1) * (int)bits;
        to.after[i] = digits > held ? ldexp(1, 1 - held) : 0;
        to.count += i < 2 && digits > held;
    }
    return to;
}

// What is left out of a product, as a share of it, and how many products of components remain:
// three lack that of both second components and those of what two leave; six lack those of a second
// with a third, and of both thirds; nine lack those of what three leave.
static double leave_out(const struct split *x, const struct split *y, unsigned products,
                        double *parts)
{
    // Products of components i and j are made up to this i + j, of as many of each as `last` + 1.
    const unsigned order = products == 3 ? 3 : products == 6 ? 4 : 6, last = products == 3 ? 1 : 2;
    const double p = x->after[last], q = y->after[last], ends = p + q + p * q;
    *parts = 0;
    for (unsigned i = 1; i <= x->count; i++)
        for (unsigned j = 1; j <= y->count; j++)
            *parts += i <= last + 1 && j <= last + 1 && i + j <= order;
    return products == 3   ? x->after[0] * y->after[0] + ends
           : products == 6 ? x->after[0] * y->after[1] + x->after[1] * y->after[0] +
                                 x->after[1] * y->after[1] + ends
                           : ends;
}

struct interval bound_term(const struct bounding *b, struct interval x, struct interval y,
                           double *parts)
{
    const struct model_dot *const dot = &model_dots[b->model->dot];
    const struct interval operand[2] = {x, y};
    struct bounding exact = *b;
    exact.type = DTYPE_F64; // the sum knows how its terms may be rounded
    const struct interval term = bound_word(&exact, WORD_MULTIPLY, operand);
    *parts = 1;
    if (dot->products == 1 || b->type == DTYPE_F64 || bound_is_nan(term) || interval_is_any(term))
        return term;
    const double p = interval_magnitude(x), q = interval_magnitude(y),
                 most = ldexp(2 - ldexp(1, -(int)dot->bits), 127);
    *parts = dot->products;
    if (!isfinite(p) || !isfinite(q))
        return term;
    if (fmax(p, q) >= most)
        return interval_any(); // the first component may be infinite, and what is left, too
    const struct split of[2] = {split_of(x, dot->bits), split_of(y, dot->bits)};
    const double share = leave_out(&of[0], &of[1], dot->products, parts),
                 lost = of[0].lost * q + of[1].lost * p + of[0].lost * of[1].lost,
                 out = share * p * q + lost;
    return out > 0 ? interval_widen(term, interval_above(out)) : term;
}

// ---- sums -------------------------------------------------------------------

void bound_sum_start(struct bound_sum *sum, const struct bound_adding *adding)
{
    *sum = (struct bound_sum){.adding = adding, .unit = (double)INFINITY, .points = true};
}

static void add_end(double *sum, double *rest, double term)
{
    *rest = interval_left_out(*sum, term);
    *sum += term;
}

void bound_sum_add(struct bound_sum *sum, struct interval term)
{
    bound_sum_add_parts(sum, term, 1);
}

// A term that is known and not 0.
static inline void add_known(struct bound_sum *sum, struct interval term, double parts)
{
    // A term that the accumulator does not hold may be rounded to it before it is added.
    term = interval_hull(term, interval_round(sum->adding->type, term));
    sum->points = sum->points && bound_is_point(term);
    const double magnitude = interval_magnitude(term) * (parts > 1 ? 1.02 : 1),
                 unit = bound_is_point(term) ? num_low_bit(term.lower) : 0;
    sum->open = sum->open || (isinf(magnitude) && !bound_is_point(term));
    sum->terms += parts;
    add_end(&sum->low, &sum->rest_low, term.lower);
    add_end(&sum->high, &sum->rest_high, term.upper);
    sum->magnitude += magnitude;
    sum->finite += isfinite(magnitude) ? magnitude : 0;
    sum->unit = unit < sum->unit ? unit : sum->unit;
}

void bound_sum_add_parts(struct bound_sum *sum, struct interval term, double parts)
{
    sum->nan = sum->nan || bound_is_nan(term);
    sum->any = sum->any || interval_is_any(term);
    if (!sum->nan && !sum->any && !(term.lower == 0 && term.upper == 0))
        add_known(sum, term, parts);
}

// The product of two factors that are not 0 and not beyond 2^490, as bound_term has it.
static inline struct interval product_of(struct interval x, struct interval y)
{
    const double p = x.lower * y.lower;
    if (bound_is_point(x) && bound_is_point(y)) {
        const bool exact = fabs(p) > 0x1p-900 && interval_product_left_out(x.lower, y.lower) == 0;
        return exact ? (struct interval){p, p}
                     : (struct interval){interval_below(p), interval_above(p)};
    }
    const double q = x.lower * y.upper, r = x.upper * y.lower, s = x.upper * y.upper,
                 least = interval_least(interval_least(p, q), interval_least(r, s)),
                 most = interval_most(interval_most(p, q), interval_most(r, s));
    return (struct interval){interval_below(least), interval_above(most)};
}

void bound_sum_add_run(struct bound_sum *sum, const struct bound_run *run)
{
    for (uint64_t i = 0; i < run->count && !sum->nan && !sum->any; i++) {
        const ptrdiff_t at[2] = {(ptrdiff_t)i * run->stride[0], (ptrdiff_t)i * run->stride[1]};
        const struct interval x = {run->low[0][at[0]], run->high[0][at[0]]},
                              y = {run->low[1][at[1]], run->high[1][at[1]]};
        if ((x.lower == 0 && x.upper == 0) || (y.lower == 0 && y.upper == 0))
            continue;
        struct interval term = product_of(x, y);
        if (run->flush && term.lower < 0x1p-1022 && term.upper > -0x1p-1022)
            term = interval_hull(term, interval_of(0));
        add_known(sum, run->negative ? interval_negate(term) : term, 1);
    }
}

// Two numbers that an accumulator holds meet in one addition, rounded to nearest, or kept wider.
static struct interval sum_of_two(const struct bounding *b, const struct bound_sum *sum)
{
    if (sum->rest_low == 0)
        return interval_hull(interval_of(sum->low),
                             interval_round(sum->adding->type, interval_of(sum->low)));
    if (b->type == DTYPE_F64)
        return interval_of(sum->low);
    const struct interval exact = interval_outward(sum->low, sum->low);
    return interval_hull(exact, interval_round(sum->adding->type, exact));
}

struct interval bound_sum_end(const struct bounding *b, const struct bound_sum *sum)
{
    const struct bound_adding *const adding = sum->adding;
    const double least = bound_least_normal(b->type), tiny = num_ulp(adding->type, 0),
                 flush = b->model->flush   ? fmax(least, tiny)
                         : adding->nearest ? 0
                                           : tiny,
                 roundings = sum->terms * adding->roundings,
                 share = adding->nearest ? fmax(0, roundings - 1) * adding->u
                                         : expm1(roundings * adding->u * (1 + 0x1p-40));
    if (sum->nan)
        return bound_nan();
    if (sum->any || !(sum->finite * (1 + share) * (1 + 0x1p-20) < adding->largest))
        return interval_any(); // a partial sum may overflow
    if (isinf(sum->magnitude)) // infinities among the terms
        return sum->open ? interval_any() : isnan(sum->low) ? bound_nan() : interval_of(sum->low);
    // Partial sums are multiples of the unit: never subnormal, and exact up to `whole` of it.
    const bool plain = sum->points && sum->unit >= fmax(least, tiny);
    if (plain && sum->magnitude <= adding->whole * sum->unit)
        return interval_of(sum->low);
    if (roundings <= 1)
        return (struct interval){sum->low, sum->high};
    if (roundings == 2 && plain && adding->nearest)
        return sum_of_two(b, sum);
    const double radius = num_dot_radius(roundings, 1, share, flush, sum->magnitude, 0);
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
