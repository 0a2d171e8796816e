// SPDX-License-Identifier: Apache-2.0
// Elementary functions as sums of two doubles, on vectors (vector.h): the first look for results of
// f64. ref/PROOFS.md, "Functions in f64", has the proof of its error.
//
// Whatever multiplies exactly is cut by its bits before, so that nothing stands on a fused
// multiply-add. Private to function_kernel.h.

#include "ref/num/function/function_table.h"

// high + low, and high is that sum rounded where nothing else is said.
struct vectors {
    vector high, low;
};

// Exactly a + b for |a| >= |b|, or a zero.
static inline struct vectors fast_sum(vector a, vector b)
{
    const vector s = a + b;
    return (struct vectors){s, b - (s - a)};
}

// Exactly a + b.
static inline struct vectors two_sum(vector a, vector b)
{
    const vector s = a + b, of_b = s - a, of_a = s - of_b;
    return (struct vectors){s, (a - of_a) + (b - of_b)};
}

// x without its last bits.
static inline vector leading(vector x, int dropped)
{
    return (vector)((words)x & UINT64_MAX << dropped);
}

static inline struct vectors pairs_at(const double (*table)[2], words piece)
{
    const double *const number = (const double *)table;
    return (struct vectors){(vector)LOOK_UP(number, piece * 2),
                            (vector)LOOK_UP(number + 1, piece * 2)};
}

// n / d with |d| >= 1: a quotient of 26 bits, and what it leaves divided once more.
static inline struct vectors quotient(struct vectors n, struct vectors d)
{
    const vector inverse = 1 / d.high;
    const vector q = leading(n.high * inverse, 27), cut = leading(d.high, 27);
    const vector left = fused(-q, (d.high - cut) + d.low, n.high - q * cut) + n.low;
    return fast_sum(q, left * inverse);
}

// ---- exp ----------------------------------------------------------------------------------------

// exp(x) = 2^k power (1 + first + rest). `first` has 20 bits; `whole` is k, where a double has its
// exponent.
struct wide_exp {
    words whole;
    struct vectors power;
    vector first, rest;
};

// x = n ln 2 / 128 + r, |r| <= 0.002708, r = r1 + r2 with r1 of 26 bits. |x| <= 708.
static inline struct wide_exp wide_exp_of(vector x)
{
    const vector shifted = fused(x, splat(128 * log2_e), splat(shifter)), n = shifted - shifter;
    const vector u = fused(n, splat(-0x1.62e42fefcp-8), x), v = n * -0x1.c610ca86c3899p-44;
    const vector r1 = leading(u - v, 27), r2 = (u - r1) - v, r = r1 + r2, z = r * r;
    const vector half_square = r1 * (0.5 * r1), first = leading(r1 + half_square, 33);
    // (exp(r) - 1 - r - r^2 / 2) / r^3
    const vector p0 = fused(r, splat(1.0 / 24), splat(1.0 / 6)),
                 p2 = fused(r, splat(1.0 / 720), splat(1.0 / 120));
    const vector p = fused(z, fused(z, splat(1.0 / 5040), p2), p0);
    const vector rest = (fused(r2, 0.5 * (r1 + r), r2) + z * r * p) + ((r1 - first) + half_square);
    const words bits = (words)shifted;
    return (struct wide_exp){(bits & ~UINT64_C(127)) << 45, pairs_at(function_power, bits & 127),
                             first, rest};
}

// power (1 + first + rest) + `more`, where |power + more| is 0 or at least |power (first + rest)|.
static inline struct vectors wide_grown(struct wide_exp e, struct vectors start)
{
    const struct vectors sum = fast_sum(start.high, e.power.high * e.first);
    const vector small = fused(e.power.low, e.first + e.rest, e.power.low);
    return fast_sum(sum.high, (sum.low + start.low) + fused(e.power.high, e.rest, small));
}

static inline struct vectors wide_exp_value(struct wide_exp e)
{
    return wide_grown(e, (struct vectors){e.power.high, splat(0)});
}

static inline vector power_of_two(words whole)
{
    return (vector)(whole + UINT64_C(0x3ff0000000000000));
}

// 2^-k (exp(x) - 1)
static inline struct vectors wide_expm1_value(struct wide_exp e)
{
    return wide_grown(e, two_sum(e.power.high, -power_of_two(-e.whole)));
}

static inline struct vectors times(struct vectors x, vector power)
{
    return (struct vectors){x.high * power, x.low * power};
}

// -E / (2 + E) with E = exp(-2|x|) - 1; tanh(30) is 1 - 2^-85.
static inline struct vectors wide_tanh_of(vector x)
{
    const struct wide_exp e = wide_exp_of(2 * minus_absolute(x, 30));
    const struct vectors m = times(wide_expm1_value(e), power_of_two(e.whole));
    struct vectors d = fast_sum(splat(2), m.high);
    d.low += m.low;
    const struct vectors y = quotient(m, d);
    const words sign = ~(words)x & UINT64_C(0x8000000000000000);
    return (struct vectors){(vector)((words)y.high ^ sign), (vector)((words)y.low ^ sign)};
}

// 1 / (1 + e) or e / (1 + e) with e = exp(-|x|), the latter without its power of two, *whole.
static inline struct vectors wide_logistic_of(vector x, words *whole)
{
    const struct wide_exp e = wide_exp_of(minus_absolute(x, 708));
    const struct vectors m = wide_exp_value(e), scaled = times(m, power_of_two(e.whole));
    const mask below = (mask)(x < 0);
    struct vectors d = fast_sum(splat(1), scaled.high);
    d.low += scaled.low;
    *whole = e.whole & (words)below;
    const struct vectors n = {choose(below, m.high, splat(1)), choose(below, m.low, splat(0))};
    return quotient(n, d);
}

// ---- log ----------------------------------------------------------------------------------------

// log(x) = begin + log(1 + a + b)
struct wide_log {
    struct vectors begin;
    vector a, b;
};

// x, positive, finite and normal, is 2^k m, and 1 + a + b is m c for the c of the piece of m. Both
// products with c are exact.
static inline struct wide_log wide_log_reduced(vector x)
{
    const uint64_t least = function_pieces_begin, one = UINT64_C(0x3ff0000000000000);
    const words biased = ((words)x + (one - least)) >> 52; // k + 1023
    const words piece = (((words)x - least) >> 45) & 127;
    const vector m = (vector)((words)x - ((biased - 1023) << 52)), cut = leading(m, 13);
    const vector k = (vector)(biased + UINT64_C(0x4338000000000000)) - (shifter + 1023);
    const vector c = (vector)LOOK_UP(function_reciprocal, piece);
    const struct vectors log_c = pairs_at(function_logarithm, piece);
    return (struct wide_log){
        {fused(k, splat(ln2_high), log_c.high), fused(k, splat(ln2_low), log_c.low)},
        cut * c - 1,
        (m - cut) * c};
}

static inline struct vectors wide_log_value(struct wide_log x)
{
    const vector r1 = leading(x.a + x.b, 27), r2 = (x.a - r1) + x.b, r = r1 + r2, z = r * r;
    const struct vectors first = fast_sum(r1, r1 * (-0.5 * r1));
    // (log(1 + r) - r + r^2 / 2) / r^3
    const vector p0 = fused(r, splat(-1.0 / 4), splat(1.0 / 3)),
                 p2 = fused(r, splat(-1.0 / 6), splat(1.0 / 5)),
                 p4 = fused(r, splat(-1.0 / 8), splat(1.0 / 7));
    const vector p = fused(z, fused(z, fused(z, splat(1.0 / 9), p4), p2), p0);
    const vector rest = (first.low + fused(-r2, 0.5 * (r1 + r), r2)) + z * r * p;
    const struct vectors sum = fast_sum(x.begin.high, first.high);
    return fast_sum(sum.high, sum.low + (rest + x.begin.low));
}

static inline struct vectors wide_log_of(vector x)
{
    return wide_log_value(wide_log_reduced(x));
}

// log(u + beyond) for u = 1 + x rounded and what that lost; near 1 it is x by which m c exceeds 1.
static inline struct vectors wide_log1p_of(vector x)
{
    const struct vectors u = two_sum(splat(1), x);
    const mask near = (mask)(absolute(x) <= 0x1p-9);
    struct wide_log reduced = wide_log_reduced(u.high);
    reduced.b = choose(near, splat(0), reduced.b + u.low / u.high * (1 + reduced.a));
    reduced.a = choose(near, x, reduced.a);
    return wide_log_value(reduced);
}

// ---- any of them --------------------------------------------------------------------------------

// 2^k (high + low), off by at most |high| relative + min(|high|, FUNCTION_NEAR) near where `valid`
// is set; `whole` is k, where a double has its exponent. `near` and k are not there together.
struct wide {
    struct vectors value;
    words whole;
    mask valid;
    double relative, near;
};

#define FUNCTION_NEAR 0x1p-8

static inline __attribute__((always_inline)) struct wide wide_at(enum num_function function,
                                                                 vector x)
{
    struct wide y = {{x, x}, {0}, (mask)(x <= 708), 0x1p-74, 0};
    struct wide_exp e;
    switch (function) {
    case NUM_EXP:
        y.valid &= (mask)(x >= -708);
        e = wide_exp_of(x);
        y.value = wide_exp_value(e);
        y.whole = e.whole;
        break;
    case NUM_EXPM1:
        e = wide_exp_of((vector)GREATER(splat(-60), x));
        y.value = times(wide_expm1_value(e), power_of_two(e.whole));
        y.near = 0x1p-67;
        break;
    case NUM_TANH:
        y.valid = (mask)(absolute(x) <= (double)INFINITY);
        y.value = wide_tanh_of(x);
        y.relative = 0x1p-73;
        y.near = 0x1p-67;
        break;
    case NUM_LOGISTIC:
        y.valid = (mask)(x >= -708);
        y.value = wide_logistic_of(x, &y.whole);
        y.relative = 0x1p-73;
        break;
    case NUM_LOG:
        y.valid = normal(x);
        y.value = wide_log_of(x);
        y.near = 0x1p-66;
        break;
    case NUM_LOG1P:
        y.valid = normal(1 + x);
        y.value = wide_log1p_of(x);
        y.near = 0x1p-66;
        break;
    case NUM_EXPONENTIAL:
        y.valid = normal(1 - x);
        y.value = wide_log1p_of(-x);
        y.value = (struct vectors){-y.value.high, -y.value.low};
        y.near = 0x1p-66;
        break;
    default:
        y.valid = (mask){0};
    }
    y.valid &= (mask)(absolute(y.value.high) >= 0x1p-900);
    return y;
}

// What a valid value is off by, before it is multiplied by its power of two.
static inline vector wide_error(const struct wide *y)
{
    const vector size = absolute(y->value.high);
    const vector least = -(vector)GREATER(splat(-FUNCTION_NEAR), -size);
    return y->near == 0 ? size * y->relative : size * y->relative + least * y->near;
}

static inline __attribute__((always_inline)) void pairs_all(enum num_function function,
                                                            size_t count, const double *x,
                                                            double *high, double *low,
                                                            double *error)
{
    for (size_t i = 0; i < count; i += LANES) {
        const struct wide y = wide_at(function, load(x + i));
        const vector scaled = (vector)((words)y.value.high + y.whole);
        const mask valid = y.valid & (mask)(absolute(scaled) >= 0x1p-900);
        store(high + i, scaled);
        store(low + i, y.value.low * power_of_two(y.whole));
        store(error + i,
              choose(valid, wide_error(&y) * power_of_two(y.whole), splat((double)INFINITY)));
    }
}

// The rounding test, on pairs moved by `share` of their error: both ends, wider by what their sums
// may be off.
static inline __attribute__((always_inline)) void round_f64_all(enum num_function function,
                                                                double share, size_t count,
                                                                const double *in, double *out,
                                                                struct function_open *open)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vector x = load(in + i);
        const struct wide y = wide_at(function, x);
        const vector error = wide_error(&y), low = y.value.low + error * share;
        const vector e = error + absolute(y.value.high) * 0x1p-100;
        const vector below = y.value.high + (low - e), above = y.value.high + (low + e);
        const mask closed = y.valid & (mask)(below == above);
        store(out + i, (vector)((words)below + y.whole));
        for (size_t lane = 0; !ALL(closed) && lane < LANES; lane++) {
            open->index[open->count] = (uint16_t)(i + lane);
            open->operand[open->count] = x[lane];
            open->count += !closed[lane] && i + lane < count;
        }
    }
}
