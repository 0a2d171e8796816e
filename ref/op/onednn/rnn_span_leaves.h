// SPDX-License-Identifier: Apache-2.0
// The inner loops of bounds of gradients: their operands, and how their sums are closed. Included
// by rnn_span_body.h.

static void close_around(size_t count, double factor, double limit, double leaves, double lost,
                         const float *restrict value, const double *restrict radius,
                         const double *restrict more, float *restrict lower, float *restrict upper)
{
    const double roundings = leaves + 2;
    const struct closing of = {limit, 0x1p-24, lost, 1 + roundings * 0x1p-51,
                               roundings * 0x1p-52 * slightly / factor};
    EACH
    {
        double down, up;
        close_dot(&of, (double)value[i], radius[i] + more[i], &down, &up);
        lower[i] = (float)down;
        upper[i] = (float)up;
    }
}

// In f32 from above: both roundings are within 2^-22 of it, or 2^-149 where it is that small.
static inline float upward(double x)
{
    const double up = x * (1 + 0x1p-22) + 0x1p-149;
    return (float)(x == 0 ? 0 : up);
}

// How far a number of the interval may be from a value.
static inline double away_from(float value, double l, double u)
{
    const double m = middle_of(l, u);
    return radius_of(l, u, m) + fabs(m - (double)value);
}

static void widths(size_t count, const double *factor, const double *restrict lower,
                   const double *restrict upper, const float *restrict value, float *restrict first,
                   float *restrict second)
{
    const double more = 1 + 0x1p-15;
    for (size_t i = 0; factor && i < count; i++) {
        const double size = size_of(lower[i], upper[i]),
                     away = away_from(value[i], lower[i], upper[i]);
        first[i] = upward((factor[i] * size + away) * more);
        second[i] = upward(fabs((double)value[i]) * more);
    }
    for (size_t i = 0; !factor && i < count; i++) {
        first[i] = upward(size_of(lower[i], upper[i]));
        second[i] = upward(away_from(value[i], lower[i], upper[i]));
    }
}

static void mark(size_t count, unsigned bit, const double *restrict lower,
                 const double *restrict upper, uint64_t *restrict nonzero, uint64_t *restrict wide)
{
    EACH
    {
        const uint64_t some = size_of(lower[i], upper[i]) != 0, many = lower[i] != upper[i];
        nonzero[i] |= some << bit;
        wide[i] |= many;
    }
}

static void close_leaves(size_t count, const struct rnn_leaf_rules *rules,
                         const struct rnn_leaf_sums *sums, float *restrict lower,
                         float *restrict upper)
{
    const double unit = rules->unit, limit = rules->limit, sum_unit = rules->sum_unit,
                 flush = rules->flush, operands = rules->operands * slightly;
    const double *const middle = sums->middle, *const magnitude = sums->magnitude,
                        *const radius = sums->radius, *const leaves = sums->leaves;
    EACH
    {
        const double m = middle[i], n = leaves[i], inflated = 1 + n * 0x1p-51,
                     size = magnitude[i] * inflated;
        const double sum = radius[i] * inflated + n * sum_unit * slightly * size +
                           4 * n * (n > 0 ? flush : 0) + (n + 2) * 0x1p-52 * size;
        const double error = (sum == 0 ? 0 : sum * (1 + 0x1p-50)) + operands * size;
        const bool known = (m == m) & (error == error) & (size * (1 + n * unit) < limit);
        const double down = below(m - error), up = above(m + error);
        lower[i] = (float)(known ? down : -infinite);
        upper[i] = (float)(known ? up : infinite);
    }
}
