// SPDX-License-Identifier: Apache-2.0
// The first look of every elementary function, in double, and for f32 with its rounding test in one
// pass. Included once by each file of an instruction set, which includes its vectors (vector.h) and
// defines FORM.
//
// Only targets of at most f32 come here: where the true value lies beyond f32 on either side, any
// value beyond it will do.

#include "ref/num/function/function_estimate.h"
#include "ref/num/function/function_series.h"
#include "ref/num/round_step.h"

static inline mask normal(vector x)
{
    return (mask)((x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023));
}

#include "ref/num/function/function_wide.h"

// |value - truth| <= |value| * relative + additional where `valid` is set; elsewhere the reductions
// do not hold, and another look decides. A NaN stays one in the value.
struct look {
    vector value;
    mask valid;
    double relative, additional;
    int positive; // whether no valid value is zero
};

// `still`: whether no argument is beyond 700, where exp stops.
INLINE struct look look_within(enum num_function function, int still, vector x)
{
    struct look look = {x, ~(mask){0}, 0x1p-46, 0, 0};
    switch (function) {
    case NUM_EXP:
        look.value = exp_of(still ? x : clamped(x, 700));
        look.positive = 1;
        break;
    case NUM_EXPM1:
        look.value = expm1_of(still ? x : clamped(x, 700));
        break;
    case NUM_LOG:
        look.valid = normal(x);
        look.value = log_of(x);
        break;
    case NUM_LOG1P:
        look.valid = normal(1 + x);
        look.value = log1p_of(x);
        break;
    case NUM_TANH:
        look.value = tanh_of(x);
        break;
    case NUM_LOGISTIC:
        look.value = logistic_of(x);
        look.positive = 1;
        break;
    case NUM_ERF_INV:
    case NUM_NORMAL_QUANTILE:
        look.valid = (mask)(absolute(x) < 1);
        look.relative = 0x1p-44;
        look.value = erf_inv_of(x);
        if (function == NUM_NORMAL_QUANTILE)
            look.value *= 0x1.6a09e667f3bcdp+0;
        break;
    case NUM_SIN:
    case NUM_COS:
        look.valid = (mask)(absolute(x) <= 0x1p20);
        look.additional = 0x1p-90;
        look.value = sin_of(x, function == NUM_COS);
        break;
    case NUM_ERF:
        look.relative = 0x1p-47;
        look.value = erf_of(x);
        break;
    case NUM_EXPONENTIAL:
        look.valid = normal(1 - x);
        look.value = -log1p_of(-x);
        break;
    case NUM_GUMBEL:
    case NUM_GUMBEL_HIGH: {
        const vector inner = function == NUM_GUMBEL ? -log_of(x) : -log1p_of(-x);
        look.valid = normal(function == NUM_GUMBEL ? x : 1 - x) & normal(inner);
        look.additional = 0x1p-45;
        look.value = -log_of(inner);
        break;
    }
    case NUM_FUNCTION_COUNT:
        break;
    }
    return look;
}

INLINE struct look look_at(enum num_function function, vector x)
{
    return look_within(function, 0, x);
}

INLINE vector argument_at(const struct function_argument *x, int single, size_t i)
{
    return fused(single ? load_widened(x->single + i) : load(x->value + i), splat(x->factor),
                 splat(x->shift));
}

enum { GROUP = ERF_BESIDE * LANES };

// Asks for `vectors` vectors of floats of the next run, which mostly follows this one.
INLINE void ahead(const float *single, size_t i, size_t count, size_t vectors)
{
    const uintptr_t at = (uintptr_t)single + (i + count) * sizeof(float);
    for (size_t line = 0; line < vectors * LANES * sizeof(float); line += 64)
        __builtin_prefetch((const void *)(at + line));
}

// The function of ERF_BESIDE vectors in place; `near`: none is beyond 3.
INLINE void values_beside(enum num_function function, int near, vector *x)
{
    if (function == NUM_ERF && near)
        erf_near_beside(x);
    else if (function == NUM_ERF)
        erf_beside(x);
    else
        for (int v = 0; v < ERF_BESIDE; v++)
            x[v] = function == NUM_EXP ? exp_short_of(x[v]) : look_within(function, 1, x[v]).value;
}

INLINE void values_at(enum num_function function, int single, int near, size_t vectors,
                      const struct function_argument *x, size_t i, double addend, double *to)
{
    vector y[ERF_BESIDE];
    for (size_t v = 0; v < ERF_BESIDE; v++)
        y[v] = argument_at(x, single, i + (v < vectors ? v * LANES : 0));
    values_beside(function, near, y);
    for (size_t v = 0; v < vectors; v++)
        store(to + i + v * LANES, y[v] + addend);
}

// What is left over after whole groups is a group with one vector in all places.
INLINE void values_of(enum num_function function, int single, int near, size_t count,
                      const struct function_argument *x, double addend, double *to)
{
    const struct function_argument of = *x; // which no store can change
    size_t i = 0;
    for (; function == NUM_ERF && i + GROUP <= count; i += GROUP) {
        if (single)
            ahead(of.single, i, count, ERF_BESIDE);
        values_at(function, single, near, ERF_BESIDE, &of, i, addend, to);
    }
    for (; i < count; i += LANES)
        values_at(function, single, near, 1, &of, i, addend, to);
}

INLINE void value_all(enum num_function function, size_t count, const struct function_argument *x,
                      double addend, double *to)
{
    const int near = function == NUM_ERF && x->largest <= 3;
    if (x->value && near)
        values_of(function, 0, 1, count, x, addend, to);
    else if (x->value)
        values_of(function, 0, 0, count, x, addend, to);
    else if (near)
        values_of(function, 1, 1, count, x, addend, to);
    else
        values_of(function, 1, 0, count, x, addend, to);
}

// ---- products that are rounded ----------------------------------------------

// What (function + addend) rounded may be: at least it times `low`, less `apart`, at most it times
// `high`, plus `apart`; all of these times the factor of the floats.
struct product_off {
    vector low, high, apart;
};

// A product on its way: groups of vectors, and what stays open.
struct rounding {
    struct function_product of;
    struct product_off off;
    size_t count, opened;
    float *to;
    uint16_t *open;
};

INLINE struct product_off product_off(const struct function_product *of, double relative,
                                      double absolute)
{
    const double times = of->single ? of->times : 1, wider = of->relative + relative;
    return (struct product_off){splat(times * (1 - wider)), splat(times * (1 + wider)),
                                splat(times * (of->absolute + absolute) * (1 + 0x1p-20))};
}

INLINE vector times_at(const struct rounding *r, int times_single, size_t i)
{
    return times_single ? load_widened(r->of.single + i) : load(r->of.value + i);
}

INLINE vector product_low(const struct product_off *off, vector y, vector times)
{
    return fused(y, off->low, -off->apart) * times;
}

INLINE vector product_high(const struct product_off *off, vector y, vector times)
{
    return fused(y, off->high, off->apart) * times;
}

// Both ends of function + addend times `times`, which have the same bits where nothing is open.
INLINE narrow_mask product_ends(const struct product_off *off, vector y, vector times, float *to)
{
    const narrow low = (narrow)NARROW(product_low(off, y, times)),
                 high = (narrow)NARROW(product_high(off, y, times));
    memcpy(to, &low, sizeof low);
    return (narrow_mask)low ^ (narrow_mask)high;
}

// A group where some end differs, number by number.
INLINE void note_group(struct rounding *r, int times_single, const vector *y, size_t i)
{
    const struct product_off off = product_off(&r->of, 0, 0);
    for (size_t v = 0; v < ERF_BESIDE; v++) {
        const vector times = times_at(r, times_single, i + v * LANES);
        r->opened +=
            round_note_ends(product_low(&off, y[v], times), product_high(&off, y[v], times),
                            i + v * LANES, r->count, r->to, r->open + r->opened);
    }
}

INLINE void round_group(struct rounding *r, int times_single, const vector *y, size_t i)
{
    narrow_mask differ = {0};
    for (size_t v = 0; v < ERF_BESIDE; v++)
        differ |= product_ends(&r->off, y[v], times_at(r, times_single, i + v * LANES),
                               r->to + i + v * LANES);
    if (ANY_BITS(differ))
        note_group(r, times_single, y, i);
}

// What the short way leaves open, by the long one.
static void note_erf(struct rounding *r, int single, int times_single, size_t i)
{
    vector y[ERF_BESIDE];
    for (size_t v = 0; v < ERF_BESIDE; v++)
        y[v] = argument_at(&r->of.x, single, i + v * LANES);
    erf_near_beside(y);
    for (size_t v = 0; v < ERF_BESIDE; v++)
        y[v] += r->of.addend;
    note_group(r, times_single, y, i);
}

// Three groups on their way: steps of one, and between them the rounding of the one before, at
// `last`, and the start of the `next` one, vector by vector: none waits for another.
INLINE narrow_mask erf_round_step(const struct rounding *r, int single, int times_single,
                                  const struct erf_start *now, const vector *y, size_t last,
                                  size_t next, struct erf_start *to, struct erf_chains *chains)
{
    narrow_mask differ = {0};
#pragma GCC unroll 32
    for (int step = 0; step < erf_steps(ERF_SHORT); step++) {
        const size_t v = (size_t)step / 2 * LANES;
        erf_step(ERF_SHORT, step, now, chains);
        if (step < 2 * ERF_BESIDE && step % 2 == 0)
            differ |= product_ends(&r->off, y[step / 2], times_at(r, times_single, last + v),
                                   r->to + last + v);
        if (step < 2 * ERF_BESIDE && step % 2 == 1)
            erf_begin(ERF_SHORT, argument_at(&r->of.x, single, next + v), &to[step / 2]);
    }
    return differ;
}

INLINE void erf_product(struct rounding *r, int single, int times_single)
{
    struct rounding own = *r; // which no store can change
    own.of.x.factor *= erf_short_scale;
    const vector addend = splat(own.of.addend);
    struct erf_start now[ERF_BESIDE], next[ERF_BESIDE];
    struct erf_chains chains;
    vector y[ERF_BESIDE] = {{0}};
    size_t last = 0;
    for (size_t v = 0; v < ERF_BESIDE; v++)
        erf_begin(ERF_SHORT, argument_at(&own.of.x, single, v * LANES), &next[v]);
    for (size_t i = 0; i < own.count; last = i, i += GROUP) {
        if (single)
            ahead(own.of.x.single, i, own.count, ERF_BESIDE);
        for (size_t v = 0; v < ERF_BESIDE; v++)
            now[v] = next[v];
        const narrow_mask differ =
            erf_round_step(&own, single, times_single, now, y, last,
                           i + GROUP < own.count ? i + GROUP : i, next, &chains);
        if (i && ANY_BITS(differ)) // before the first group there is none, whose place is taken
            note_erf(r, single, times_single, last);
        y[0] = fused(now[0].x, erf_end(ERF_SHORT, &now[0], &chains.a), addend);
        y[1] = fused(now[1].x, erf_end(ERF_SHORT, &now[1], &chains.b), addend);
        y[2] = fused(now[2].x, erf_end(ERF_SHORT, &now[2], &chains.c), addend);
        y[3] = fused(now[3].x, erf_end(ERF_SHORT, &now[3], &chains.d), addend);
    }
    narrow_mask differ = {0};
    for (size_t v = 0; v < ERF_BESIDE; v++)
        differ |= product_ends(&own.off, y[v], times_at(&own, times_single, last + v * LANES),
                               own.to + last + v * LANES);
    if (ANY_BITS(differ))
        note_erf(r, single, times_single, last);
}

// (function + addend) times a float or a double, rounded.
INLINE size_t product_of(enum num_function function, int single, int times_single, size_t count,
                         const struct function_product *of, float *to, uint16_t *open)
{
    const int erf = function == NUM_ERF;
    struct rounding r = {.of = *of, .count = count, .to = to, .open = open};
    r.off = product_off(of, erf ? erf_short_relative : 0, erf ? erf_short_absolute : 0);
    if (erf)
        erf_product(&r, single, times_single);
    for (size_t i = 0; i < count && !erf; i += GROUP) {
        vector y[ERF_BESIDE];
        for (size_t v = 0; v < ERF_BESIDE; v++)
            y[v] = argument_at(&r.of.x, single, i + v * LANES);
        values_beside(function, 1, y);
        for (size_t v = 0; v < ERF_BESIDE; v++)
            y[v] += r.of.addend;
        round_group(&r, times_single, y, i);
    }
    return r.opened;
}

#define PRODUCT_OF(function, single, times) product_of(function, single, times, count, of, to, open)
#define PRODUCT(function)                                                                          \
    case function:                                                                                 \
        return of->x.value  ? of->single ? PRODUCT_OF(function, 0, 1) : PRODUCT_OF(function, 0, 0) \
                : of->single ? PRODUCT_OF(function, 1, 1)                                          \
                            : PRODUCT_OF(function, 1, 0)

// The bounds of the short erf are those of 1 + erf.
static bool has_product(size_t count, const struct function_product *of)
{
    return count % GROUP == 0 && ((of->function == NUM_ERF && of->x.largest <= 3 &&
                                   of->x.shift == 0 && of->addend == 1) ||
                                  of->function == NUM_TANH || of->function == NUM_LOGISTIC);
}

static size_t product(size_t count, const struct function_product *of, float *to, uint16_t *open)
{
    switch (of->function) {
        PRODUCT(NUM_TANH);
        PRODUCT(NUM_LOGISTIC);
        PRODUCT(NUM_ERF);
    default:
        return 0;
    }
}

INLINE void estimate_all(enum num_function function, size_t count, const double *x, double *value,
                         double *error)
{
    for (size_t i = 0; i < count; i += LANES) {
        const struct look look = look_at(function, load(x + i));
        const vector e = absolute(look.value) * look.relative + look.additional;
        store(value + i, look.value);
        store(error + i, choose(look.valid, e, splat(INFINITY)));
    }
}

// interval_below or interval_above of value -+ error; an infinite or unknown one is `limit`.
INLINE void bound_all(enum num_function function, double side, double still, double limit,
                      size_t count, const double *x, double *end)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vector given = load(x + i);
        const vector in = side < 0 ? choose((mask)(given < still), given, splat(still))
                                   : choose((mask)(given > -still), given, splat(-still));
        const struct look look = look_at(function, in);
        const vector error =
            choose(look.valid, absolute(look.value) * look.relative + look.additional,
                   splat((double)INFINITY));
        const vector near = side < 0 ? look.value - error : look.value + error;
        const vector step = absolute(near) * 0x1.0000000000001p-53 + 0x1p-1074;
        const vector moved = side < 0 ? near - step : near + step;
        const mask beyond = (mask)(side < 0 ? moved < limit : moved > limit);
        const mask known = (mask)(absolute(in) <= still) &
                           (mask)(absolute(moved) <= 0x1.fffffffffffffp1023) & ~beyond;
        store(end + i, choose(known, moved, splat(limit)));
    }
}

// The rounding test of certify.h where the error is all relative and what is valid is finite, on
// the value times `moved`: factors for both ends, wider by what the products may be off. A zero
// stays open, because its sign may be lost.
INLINE mask round_relative(struct look look, double moved, narrow *rounded)
{
    const double wider = look.relative + 0x1p-52;
    const mask same =
        same_float(look.value * (moved * (1 - wider)), look.value * (moved * (1 + wider)), rounded);
    return same & (look.positive ? look.valid : look.valid & (mask)(look.value != 0));
}

enum { STEP_VECTORS = 2, STEP = STEP_VECTORS * LANES };

INLINE size_t round_all(enum num_function function, double share, size_t count, const float *in,
                        float *out, struct function_open *open)
{
    const double moved = 1 + share * look_at(function, splat(0)).relative;
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        narrow rounded[STEP_VECTORS];
        mask closed[STEP_VECTORS], both = ~(mask){0};
        for (size_t v = 0; v < STEP_VECTORS; v++) {
            closed[v] = round_relative(look_at(function, load_widened(in + i + v * LANES)), moved,
                                       &rounded[v]);
            both &= closed[v];
        }
        if (!ALL(both))
            for (size_t lane = 0; lane < STEP; lane++) {
                open->index[open->count] = (uint16_t)(i + lane);
                open->operand[open->count] = (double)in[i + lane];
                open->count += !closed[lane / LANES][lane % LANES];
            }
        memcpy(out + i, rounded,
               sizeof rounded); // after the last look at `in`, which may be the same array
    }
    return i;
}

// A loop for each function: with the function known, its constants stay in registers.
#define ESTIMATE(function)                                                                         \
    case function:                                                                                 \
        estimate_all(function, count, x, value, error);                                            \
        break

static void estimate(enum num_function function, size_t count, const double *x, double *value,
                     double *error)
{
    switch (function) {
        ESTIMATE(NUM_EXP);
        ESTIMATE(NUM_EXPM1);
        ESTIMATE(NUM_LOG);
        ESTIMATE(NUM_LOG1P);
        ESTIMATE(NUM_TANH);
        ESTIMATE(NUM_LOGISTIC);
        ESTIMATE(NUM_ERF_INV);
        ESTIMATE(NUM_SIN);
        ESTIMATE(NUM_COS);
        ESTIMATE(NUM_ERF);
        ESTIMATE(NUM_NORMAL_QUANTILE);
        ESTIMATE(NUM_EXPONENTIAL);
        ESTIMATE(NUM_GUMBEL);
        ESTIMATE(NUM_GUMBEL_HIGH);
    case NUM_FUNCTION_COUNT:
        break;
    }
}

#define VALUE(function)                                                                            \
    case function:                                                                                 \
        value_all(function, count, x, addend, to);                                                 \
        return true

// The words of declared operators.
static bool value(enum num_function function, size_t count, const struct function_argument *x,
                  double addend, double *to)
{
    switch (function) {
        VALUE(NUM_EXP);
        VALUE(NUM_EXPM1);
        VALUE(NUM_LOG);
        VALUE(NUM_LOG1P);
        VALUE(NUM_TANH);
        VALUE(NUM_LOGISTIC);
        VALUE(NUM_SIN);
        VALUE(NUM_COS);
        VALUE(NUM_ERF);
    default:
        return false;
    }
}

static struct function_claim claim(enum num_function function, double largest)
{
    const struct look look = look_within(function, 1, splat(0));
    return (struct function_claim){function == NUM_ERF && largest <= 3 ? erf_long_error
                                   : function == NUM_EXP               ? exp_short_error
                                                                       : look.relative,
                                   look.additional};
}

#define BOUND(function)                                                                            \
    case function:                                                                                 \
        bound_all(function, side, still, limit, count, x, end);                                    \
        break

static void bound(enum num_function function, double side, double still, double limit, size_t count,
                  const double *x, double *end)
{
    switch (function) {
        BOUND(NUM_EXP);
        BOUND(NUM_EXPM1);
        BOUND(NUM_LOG);
        BOUND(NUM_LOG1P);
        BOUND(NUM_TANH);
        BOUND(NUM_LOGISTIC);
        BOUND(NUM_ERF_INV);
        BOUND(NUM_NORMAL_QUANTILE);
        BOUND(NUM_EXPONENTIAL);
        BOUND(NUM_GUMBEL);
    default:
        break;
    }
}

#define ROUND(function)                                                                            \
    case function:                                                                                 \
        return round_all(function, share, count, in, out, open)

// Those whose error is all relative, and whose arithmetic is short enough for the rounding test to
// matter.
static size_t round_f32(enum num_function function, double share, size_t count, const float *in,
                        float *out, struct function_open *open)
{
    switch (function) {
        ROUND(NUM_EXP);
        ROUND(NUM_EXPM1);
        ROUND(NUM_LOG);
        ROUND(NUM_LOG1P);
        ROUND(NUM_TANH);
        ROUND(NUM_LOGISTIC);
    default:
        return 0;
    }
}

#define PAIRS(function)                                                                            \
    case function:                                                                                 \
        pairs_all(function, count, x, high, low, error);                                           \
        return true

static bool pairs(enum num_function function, size_t count, const double *x, double *high,
                  double *low, double *error)
{
    switch (function) {
        PAIRS(NUM_EXP);
        PAIRS(NUM_EXPM1);
        PAIRS(NUM_LOG);
        PAIRS(NUM_LOG1P);
        PAIRS(NUM_TANH);
        PAIRS(NUM_LOGISTIC);
        PAIRS(NUM_EXPONENTIAL);
    default:
        return false;
    }
}

#define ROUND_WIDE(function)                                                                       \
    case function:                                                                                 \
        round_f64_all(function, share, count, in, out, open);                                      \
        return true

static bool round_f64(enum num_function function, double share, size_t count, const double *in,
                      double *out, struct function_open *open)
{
    switch (function) {
        ROUND_WIDE(NUM_EXP);
        ROUND_WIDE(NUM_EXPM1);
        ROUND_WIDE(NUM_LOG);
        ROUND_WIDE(NUM_LOG1P);
        ROUND_WIDE(NUM_TANH);
        ROUND_WIDE(NUM_LOGISTIC);
        ROUND_WIDE(NUM_EXPONENTIAL);
    default:
        return false;
    }
}

const struct function_form FORM = {estimate, value,     claim, has_product, product,
                                   bound,    round_f32, pairs, round_f64};
