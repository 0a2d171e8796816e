// SPDX-License-Identifier: Apache-2.0
// The first look of every elementary function, in double, and for f32 with its rounding test in one
// pass. Included once by each file of an instruction set, which includes its vectors (vector.h) and
// defines FORM.
//
// Only targets of at most f32 come here: where the true value lies beyond f32 on either side, any
// value beyond it will do.

#include "ref/num/function/function_estimate.h"
#include "ref/num/function/function_series.h"

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
static inline __attribute__((always_inline)) struct look look_within(enum num_function function,
                                                                     int still, vector x)
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

static inline __attribute__((always_inline)) struct look look_at(enum num_function function,
                                                                 vector x)
{
    return look_within(function, 0, x);
}

static inline __attribute__((always_inline)) vector argument_at(const struct function_argument *x,
                                                                int single, size_t i)
{
    return fused(single ? load_widened(x->single + i) : load(x->value + i), splat(x->factor),
                 splat(x->shift));
}

// Values; whether they are off by no more than erf_beside_error.
static inline __attribute__((always_inline)) bool values_of(enum num_function function, int single,
                                                            size_t count,
                                                            const struct function_argument *x,
                                                            double addend, double *to)
{
    size_t i = 0;
    bool beside = function == NUM_ERF && count % (ERF_BESIDE * LANES) == 0;
    if (function == NUM_ERF)
        for (; i + ERF_BESIDE * LANES <= count; i += ERF_BESIDE * LANES) {
            vector y[ERF_BESIDE];
            for (size_t v = 0; v < ERF_BESIDE; v++)
                y[v] = argument_at(x, single, i + v * LANES);
            beside &= erf_beside(y);
            for (size_t v = 0; v < ERF_BESIDE; v++)
                store(to + i + v * LANES, y[v] + addend);
        }
    for (; i < count; i += LANES) {
        const vector at = argument_at(x, single, i);
        const vector y =
            function == NUM_EXP ? exp_short_of(at) : look_within(function, 1, at).value;
        store(to + i, y + addend);
    }
    return beside;
}

static inline __attribute__((always_inline)) void value_all(enum num_function function,
                                                            size_t count,
                                                            const struct function_argument *x,
                                                            double addend, double *to,
                                                            struct function_claim *claim)
{
    const struct look look = look_within(function, 1, splat(0));
    const bool beside = x->value ? values_of(function, 0, count, x, addend, to)
                                 : values_of(function, 1, count, x, addend, to);
    *claim = (struct function_claim){beside                ? erf_beside_error
                                     : function == NUM_EXP ? exp_short_error
                                                           : look.relative,
                                     look.additional};
}

static inline __attribute__((always_inline)) void estimate_all(enum num_function function,
                                                               size_t count, const double *x,
                                                               double *value, double *error)
{
    for (size_t i = 0; i < count; i += LANES) {
        const struct look look = look_at(function, load(x + i));
        const vector e = absolute(look.value) * look.relative + look.additional;
        store(value + i, look.value);
        store(error + i, choose(look.valid, e, splat(INFINITY)));
    }
}

// interval_below or interval_above of value -+ error; an infinite or unknown one is `limit`.
static inline __attribute__((always_inline)) void bound_all(enum num_function function, double side,
                                                            double still, double limit,
                                                            size_t count, const double *x,
                                                            double *end)
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
static inline __attribute__((always_inline)) mask round_relative(struct look look, double moved,
                                                                 narrow *rounded)
{
    const double wider = look.relative + 0x1p-52;
    const mask same =
        same_float(look.value * (moved * (1 - wider)), look.value * (moved * (1 + wider)), rounded);
    return same & (look.positive ? look.valid : look.valid & (mask)(look.value != 0));
}

enum { STEP_VECTORS = 2, STEP = STEP_VECTORS * LANES };

static inline __attribute__((always_inline)) size_t round_all(enum num_function function,
                                                              double share, size_t count,
                                                              const float *in, float *out,
                                                              struct function_open *open)
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
        value_all(function, count, x, addend, to, claim);                                          \
        return true

// The words of declared operators.
static bool value(enum num_function function, size_t count, const struct function_argument *x,
                  double addend, double *to, struct function_claim *claim)
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

const struct function_form FORM = {estimate, value, bound, round_f32, pairs, round_f64};
