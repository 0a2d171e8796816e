// SPDX-License-Identifier: Apache-2.0
// The inner loops of bounds, written once for the compiler to make vectors of: without branches,
// without calls. Included once by each file of an instruction set, which defines TABLE. The
// arithmetic is that of ref/num/function/interval.h.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ref/op/onednn/rnn_span.h"

static const double slightly = 1 + 0x1p-20, small = 0x1p-100, infinite = (double)INFINITY;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double size_of(double lower, double upper)
{
    return larger(fabs(lower), fabs(upper));
}

static inline double below(double x)
{
    const double y = x - (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074);
    return y == y ? y : -infinite;
}

static inline double above(double x)
{
    const double y = x + (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074);
    return y == y ? y : infinite;
}

// What RN(a + b) leaves out of a + b, exactly (Knuth's two-sum); NaN where it is infinite.
static inline double left_out(double a, double b)
{
    const double sum = a + b, of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

static inline double sum_below(double a, double b)
{
    const double exact = a + b, down = below(exact);
    return left_out(a, b) == 0 ? exact : down;
}

static inline double sum_above(double a, double b)
{
    const double exact = a + b, up = above(exact);
    return left_out(a, b) == 0 ? exact : up;
}

// Half of the f32 ulp at x (a relative 2^-20 above): the power of two alone is left of the number.
// Infinite where the rounding may give an infinity, with which a computation may go on to a NaN.
static inline double half_ulp(double x)
{
    uint64_t bits;
    double power;
    x = fabs(x) * slightly;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&power, &bits, sizeof power);
    return power >= 0x1p128 ? infinite : larger(power, 0x1p-126) * 0x1p-24;
}

// A corner 0 * inf is a NaN, and so the product may be one.
static inline void product(double al, double au, double bl, double bu, double *lower, double *upper)
{
    const double p = al * bl, q = al * bu, r = au * bl, s = au * bu;
    const bool known = (p == p) & (q == q) & (r == r) & (s == s);
    const double least = below(smaller(smaller(p, q), smaller(r, s))),
                 most = above(larger(larger(p, q), larger(r, s)));
    *lower = known ? least : -infinite;
    *upper = known ? most : infinite;
}

static inline void widened(double lower, double upper, double error, double *to_lower,
                           double *to_upper)
{
    const double down = below(lower - error), up = above(upper + error);
    *to_lower = error == 0 ? lower : down;
    *to_upper = error == 0 ? upper : up;
}

#define EACH for (size_t i = 0; i < count; i++)

static void rounded_factor(size_t count, struct rnn_span *out)
{
    EACH
    {
        const double error = half_ulp(size_of(out->lower[i], out->upper[i]));
        out->lower[i] = below(out->lower[i] - error);
        out->upper[i] = above(out->upper[i] + error);
    }
}

// At most the rounding of a product that is `size` in the end, whatever its later factors are: of a
// factor that is multiplied in any order, so that nobody knows the binade of what is rounded.
static inline double relative(double size)
{
    return larger(size * 0x1p-24 * slightly, 0x1p-150);
}

// x - x*x is concave with its maximum 1/4 at 1/2. It may be computed so, x*x rounded, or as
// (1 - x)x, 1 - x rounded.
static void less_square(size_t count, const struct rnn_ends *x, struct rnn_span *out)
{
    EACH
    {
        const double l = x->lower[i], u = x->upper[i], size = size_of(l, u),
                     rest = size_of(below(1 - u), above(1 - l)),
                     form = larger(half_ulp(size * size), half_ulp(rest) * size);
        double at_lower[2], at_upper[2];
        product(l, l, below(1 - l), above(1 - l), &at_lower[0], &at_lower[1]);
        product(u, u, below(1 - u), above(1 - u), &at_upper[0], &at_upper[1]);
        const double top = ((l <= 0.5) & (u >= 0.5)) ? 0.25 : larger(at_lower[1], at_upper[1]);
        const double least = smaller(at_lower[0], at_upper[0]);
        const double error = form * slightly + relative(size_of(least, top) + form);
        out->lower[i] = below(least - error);
        out->upper[i] = above(top + error);
    }
}

// 1 - x*x is concave with its maximum 1 at 0; (1 - x)(1 + x) keeps its relative precision near 1.
// An implementation may compute either: x*x is rounded, or 1 - x and 1 + x are.
static void complement_square(size_t count, const struct rnn_ends *x, struct rnn_span *out)
{
    EACH
    {
        const double l = x->lower[i], u = x->upper[i], size = size_of(l, u),
                     minus = size_of(below(1 - u), above(1 - l)),
                     plus = size_of(below(1 + l), above(1 + u)),
                     form = larger(half_ulp(size * size),
                                   half_ulp(minus) * plus + half_ulp(plus) * minus);
        double at_lower[2], at_upper[2];
        product(below(1 - l), above(1 - l), below(1 + l), above(1 + l), &at_lower[0], &at_lower[1]);
        product(below(1 - u), above(1 - u), below(1 + u), above(1 + u), &at_upper[0], &at_upper[1]);
        const double top = ((l <= 0) & (u >= 0)) ? 1 : larger(at_lower[1], at_upper[1]);
        const double least = smaller(at_lower[0], at_upper[0]);
        const double error = form * slightly + relative(size_of(least, top) + form);
        out->lower[i] = below(least - error);
        out->upper[i] = above(top + error);
    }
}

static void complement(size_t count, const struct rnn_ends *x, struct rnn_span *out)
{
    EACH
    {
        const double lower = below(1 - x->upper[i]), upper = above(1 - x->lower[i]);
        out->lower[i] = lower;
        out->upper[i] = upper;
    }
}

static void factor(enum num_form form, size_t count, const struct rnn_ends *x,
                   const struct rnn_ends *y, struct rnn_span *out)
{
    switch (form) {
    case NUM_VALUE:
        memcpy(out->lower, x->lower, count * sizeof(double));
        memcpy(out->upper, x->upper, count * sizeof(double));
        return;
    case NUM_COMPLEMENT:
        complement(count, x, out);
        break;
    case NUM_LESS_SQUARE:
        less_square(count, x, out);
        return;
    case NUM_COMPLEMENT_SQUARE:
        complement_square(count, x, out);
        return;
    case NUM_DIFFERENCE:
        EACH
        {
            const double lower = below(x->lower[i] - y->upper[i]),
                         upper = above(x->upper[i] - y->lower[i]);
            out->lower[i] = lower;
            out->upper[i] = upper;
        }
        break;
    }
    rounded_factor(count, out);
}

static void start(size_t count, const struct rnn_span *value, double *large)
{
    EACH large[i] = larger(1, size_of(value->lower[i], value->upper[i]));
}

static void multiply(size_t count, const struct rnn_ends *by, struct rnn_span *value, double *large)
{
    EACH
    {
        double lower, upper;
        product(value->lower[i], value->upper[i], by->lower[i], by->upper[i], &lower, &upper);
        value->lower[i] = lower;
        value->upper[i] = upper;
        large[i] *= larger(1, size_of(by->lower[i], by->upper[i]));
    }
}

static void negate(size_t count, struct rnn_span *value)
{
    EACH
    {
        const double lower = -value->upper[i];
        value->upper[i] = -value->lower[i];
        value->lower[i] = lower;
    }
}

// Of more than two factors a partial product may be infinite where the whole is not.
static void flush_small(size_t count, double flush, bool partial, const struct rnn_span *value,
                        const double *large, double *flushed)
{
    // Of plain arrays and numbers, or gcc makes no vectors of the loop.
    const double *const lower = value->lower, *const upper = value->upper;
    const double beyond = partial ? infinite : 0;
    EACH
    {
        const double amount = flush * large[i],
                     lost = size_of(lower[i], upper[i]) < small ? amount : 0;
        const double whole = half_ulp(large[i]) == infinite ? beyond : 0;
        flushed[i] = larger(whole, lost);
    }
}

static void add(size_t count, unsigned inner, bool last, const struct rnn_span *term,
                const double *flushed, struct rnn_span_sum *sum)
{
    const double *const lower = term->lower, *const upper = term->upper;
    const double many = inner, more = last ? infinite : 0;
    EACH
    {
        const double size = size_of(lower[i], upper[i]), rounding = smaller(half_ulp(size), more),
                     within = many * relative(size);
        sum->value.lower[i] = below(sum->value.lower[i] + lower[i]);
        sum->value.upper[i] = above(sum->value.upper[i] + upper[i]);
        sum->error[i] += (many > 0 ? within : 0) + rounding;
        sum->magnitude[i] += size;
        sum->least[i] = smaller(sum->least[i], rounding);
    }
    for (size_t i = 0; flushed && i < count; i++)
        sum->error[i] += flushed[i];
}

static void add_again(size_t count, double additions, struct rnn_span_sum *sum)
{
    EACH sum->error[i] += additions * half_ulp(sum->magnitude[i]);
}

static void close_sum(size_t count, const struct rnn_span_sum *sum, double *restrict to_lower,
                      double *restrict to_upper)
{
    EACH
    {
        double lower, upper;
        widened(sum->value.lower[i], sum->value.upper[i], sum->error[i] * slightly, &lower, &upper);
        to_lower[i] = lower;
        to_upper[i] = upper;
    }
}

// What start, multiply, negate, flush, add and close do one after another; a last product, which is
// all, is rounded by its store.
static inline __attribute__((always_inline)) void add_products(
    size_t count, unsigned terms, const unsigned *factors, const struct rnn_product *term,
    double flush, double *restrict to_lower, double *restrict to_upper)
{
    const double *const first_lower[] = {term[0].factor[0].lower,
                                         terms > 1 ? term[1].factor[0].lower : NULL};
    const double *const first_upper[] = {term[0].factor[0].upper,
                                         terms > 1 ? term[1].factor[0].upper : NULL};
    const double *const other_lower[] = {term[0].factor[1].lower,
                                         terms > 1 ? term[1].factor[1].lower : NULL};
    const double *const other_upper[] = {term[0].factor[1].upper,
                                         terms > 1 ? term[1].factor[1].upper : NULL};
    const int negative[] = {term[0].negative, terms > 1 ? term[1].negative : 0};
    EACH
    {
        double sum_lower = 0, sum_upper = 0, error = 0, lower, upper;
        for (unsigned t = 0; t < terms; t++) {
            const double al = first_lower[t][i], au = first_upper[t][i];
            double l = al, u = au, flushed = 0;
            if (factors[t] > 1) {
                const double bl = other_lower[t][i], bu = other_upper[t][i];
                product(al, au, bl, bu, &l, &u);
                const double amount =
                    flush * (larger(1, size_of(al, au)) * larger(1, size_of(bl, bu)));
                flushed = size_of(l, u) < small ? amount : 0;
            }
            const double down = negative[t] ? -u : l, up = negative[t] ? -l : u;
            sum_lower = t ? sum_below(sum_lower, down) : down;
            sum_upper = t ? sum_above(sum_upper, up) : up;
            error += terms > 1 && factors[t] > 1 ? half_ulp(size_of(l, u)) : 0;
            error += flushed;
        }
        widened(sum_lower, sum_upper, error * slightly, &lower, &upper);
        const bool tiny = terms == 1 && factors[0] > 1 && size_of(lower, upper) < small;
        to_lower[i] = tiny ? below(lower - flush) : lower;
        to_upper[i] = tiny ? above(upper + flush) : upper;
    }
}

// A loop for each shape, so that there are no branches in it.
static void products(size_t count, unsigned terms, const struct rnn_product *term, double flush,
                     double *lower, double *upper)
{
#define SHAPE(many, ...)                                                                           \
    add_products(count, many, (const unsigned[]){__VA_ARGS__}, term, flush, lower, upper)
    const bool first = term[0].factors > 1, second = terms > 1 && term[1].factors > 1;
    if (terms == 1 && !first)
        SHAPE(1, 1);
    else if (terms == 1)
        SHAPE(1, 2);
    else if (!first && !second)
        SHAPE(2, 1, 1);
    else if (first && !second)
        SHAPE(2, 2, 1);
    else if (!first)
        SHAPE(2, 1, 2);
    else
        SHAPE(2, 2, 2);
#undef SHAPE
}

static inline void blend_end(double u, double al, double au, double bl, double bu, double *lower,
                             double *upper)
{
    double p[2], q[2];
    product(u, u, al, au, &p[0], &p[1]);
    product(below(1 - u), above(1 - u), bl, bu, &q[0], &q[1]);
    *lower = below(p[0] + q[0]);
    *upper = above(p[1] + q[1]);
}

static void blend(size_t count, double flush, const struct rnn_ends *u, const struct rnn_ends *a,
                  const struct rnn_ends *b, double *restrict to_lower, double *restrict to_upper)
{
    EACH
    {
        const double ul = u->lower[i], uu = u->upper[i], al = a->lower[i], au = a->upper[i],
                     bl = b->lower[i], bu = b->upper[i];
        const double mu = size_of(ul, uu), ma = size_of(al, au), mb = size_of(bl, bu);
        const double mr = size_of(below(1 - uu), above(1 - ul)),
                     mg = size_of(below(al - bu), above(au - bl));
        const double ua = half_ulp(mu * ma);
        const double written = ua + half_ulp(mr) * mb + half_ulp(mr * mb);
        const double lerp = half_ulp(mg) * mu + half_ulp(mu * mg);
        const double expanded = ua + half_ulp(mu * mb) + half_ulp(mb + mu * ma);
        const double flushed = smaller(mu * ma, mr * mb) < small ? 3 * flush : 0;
        const bool known = written + lerp + expanded < infinite; // none a NaN
        const double error =
            known ? larger(written, larger(lerp, expanded)) * slightly + flushed : infinite;
        double l[2], r[2], lower, upper;
        blend_end(ul, al, au, bl, bu, &l[0], &l[1]);
        blend_end(uu, al, au, bl, bu, &r[0], &r[1]);
        widened(smaller(l[0], r[0]), larger(l[1], r[1]), error, &lower, &upper);
        to_lower[i] = lower;
        to_upper[i] = upper;
    }
}

static bool any(size_t count, const double *lower, const double *upper)
{
    int64_t some = 0;
    EACH some |= (lower[i] == -infinite) & (upper[i] == infinite);
    return some != 0;
}

static void store_f32(size_t count, double *lower, double *upper)
{
    EACH lower[i] = (double)(float)lower[i];
    EACH upper[i] = (double)(float)upper[i];
}

static void widen(size_t count, double ulps, double absolute, double *restrict lower,
                  double *restrict upper)
{
    EACH
    {
        const double ulp = 2 * half_ulp(size_of(lower[i], upper[i]));
        double down, up;
        widened(lower[i], upper[i], ulps * ulp + absolute, &down, &up);
        lower[i] = down;
        upper[i] = up;
    }
}

static void tally(size_t count, const double *restrict lower, const double *restrict upper,
                  size_t *leaves, size_t *wide)
{
    int64_t zeros = 0, single = 0;
    EACH
    {
        zeros += (lower[i] == 0) & (upper[i] == 0);
        single += upper[i] - lower[i] == 0; // no infinity is
    }
    *leaves = count - (size_t)zeros;
    *wide = count - (size_t)single;
}

static inline double middle_of(double lower, double upper)
{
    const double half = lower * 0.5 + upper * 0.5;
    return lower == upper ? lower : half;
}

static inline double radius_of(double lower, double upper, double middle)
{
    const double radius = larger(upper - middle, middle - lower), up = above(radius);
    return radius == 0 ? 0 : up;
}

static void measure(size_t count, const double *restrict lower, const double *restrict upper,
                    double *restrict middle, double *restrict magnitude, double *restrict radius)
{
    EACH
    {
        const double l = lower[i], u = upper[i], m = middle_of(l, u);
        middle[i] = m;
        magnitude[i] = size_of(l, u);
        radius[i] = radius_of(l, u, m);
    }
}

static void spread(size_t count, double factor, const double *restrict magnitude,
                   const double *restrict radius, double *restrict to)
{
    EACH to[i] = factor * magnitude[i] + radius[i];
}

static void spread_around(size_t count, double factor, const double *restrict lower,
                          const double *restrict upper, const float *restrict value,
                          double *restrict to)
{
    EACH
    {
        const double l = lower[i], u = upper[i], m = middle_of(l, u);
        to[i] = factor * size_of(l, u) + radius_of(l, u, m) + fabs(m - (double)value[i]);
    }
}

// Clearing the lowest bit of the significand takes away what it stands for; without one the number
// is a power of two itself.
static void low_bits(size_t count, const double *x, double *least, double *odd)
{
    EACH
    {
        uint64_t bits, rest;
        double cleared;
        memcpy(&bits, &x[i], sizeof bits);
        rest = bits & (bits - 1);
        rest = bits & UINT64_C(0x000fffffffffffff) ? rest : 0;
        memcpy(&cleared, &rest, sizeof cleared);
        const double bit = fabs(x[i] - cleared);
        least[i] = smaller(least[i], x[i] == 0 ? infinite : bit);
        odd[i] = larger(odd[i], x[i] == 0 ? 0 : fabs(x[i]) / bit);
    }
}

// A subnormal float is a double like any other, and what divides it is a float.
static void low_bits_f32(size_t count, const float *restrict x, float *restrict least,
                         float *restrict odd, uint32_t *restrict nonzero)
{
    const float most = (float)INFINITY;
    EACH
    {
        uint32_t bits, rest;
        float cleared;
        memcpy(&bits, &x[i], sizeof bits);
        rest = bits & (bits - 1);
        rest = bits & UINT32_C(0x007fffff) ? rest : 0;
        memcpy(&cleared, &rest, sizeof cleared);
        const float bit = fabsf(x[i] - cleared), part = fabsf(x[i]) / bit,
                    low = x[i] == 0 ? most : bit, high = x[i] == 0 ? 0 : part;
        least[i] = least[i] < low ? least[i] : low;
        odd[i] = odd[i] > high ? odd[i] : high;
        nonzero[i] += x[i] != 0;
    }
}

static void add_leaves(size_t count, double factor, const double *restrict lower,
                       const double *restrict upper, double *restrict middle,
                       double *restrict radius)
{
    EACH
    {
        const double l = lower[i], u = upper[i], m = middle_of(l, u);
        middle[i] += m;
        radius[i] += radius_of(l, u, m) + factor * size_of(l, u);
    }
}

// What all sums of a row have in common.
struct closing {
    double limit, rounded, lost, inflated, share;
};

static inline void close_dot(const struct closing *of, double middle, double radius, double *lower,
                             double *upper)
{
    const double total = radius * of->inflated,
                 all = total + of->share * total + of->rounded * fabs(middle) + of->lost,
                 error = total < of->limit ? all : infinite;
    *lower = below(middle - error);
    *upper = above(middle + error);
}

// What a computation in double leaves out as well: each of its roundings costs 2^-53 of the sum of
// magnitudes.
static void close_dots(size_t count, double factor, double limit, double leaves, double lost,
                       const double *restrict middle, const float *restrict value,
                       const double *restrict radius, const double *restrict more,
                       double *restrict lower, double *restrict upper)
{
    const double roundings = leaves + 2;
    const struct closing of = {limit, value ? 0x1p-24 : 0, lost, 1 + roundings * 0x1p-51,
                               roundings * 0x1p-52 * slightly / factor};
    if (value)
        EACH close_dot(&of, (double)value[i], radius[i] + more[i], &lower[i], &upper[i]);
    else
        EACH close_dot(&of, middle[i], radius[i] + more[i], &lower[i], &upper[i]);
}

#include "ref/op/onednn/rnn_span_leaves.h"

const struct rnn_span_table TABLE = {
    .factor = factor,
    .start = start,
    .multiply = multiply,
    .negate = negate,
    .flush = flush_small,
    .add = add,
    .add_again = add_again,
    .close = close_sum,
    .products = products,
    .blend = blend,
    .any = any,
    .store_f32 = store_f32,
    .widen = widen,
    .tally = tally,
    .measure = measure,
    .spread = spread,
    .spread_around = spread_around,
    .low_bits = low_bits,
    .low_bits_f32 = low_bits_f32,
    .mark = mark,
    .widths = widths,
    .close_leaves = close_leaves,
    .add_leaves = add_leaves,
    .close_dots = close_dots,
    .close_around = close_around,
};
