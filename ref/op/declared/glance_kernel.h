// SPDX-License-Identifier: Apache-2.0
// The loops of the glance. Included once by each file of an instruction set, which includes its
// vectors (ref/num/vector.h) and defines FORM.
//
// An error takes half an ulp twice over for the operation's own rounding, 2^-1000 for what falls
// below the normal numbers, and a factor 1 + 2^-40 for the roundings of the bounds themselves.

#include <math.h>

#include "ref/op/declared/glance_form.h"

#define OWN 0x1p-52
#define LEAST 0x1p-1000
#define WIDER (1 + 0x1p-40)
#define INLINE static inline __attribute__((always_inline))

// Loads errors, or nothing for an exact run.
INLINE vector error_at(const struct glance_run *of, int exact, size_t i)
{
    return exact ? splat(0) : load(of->error + i);
}

INLINE vector own_error(vector value)
{
    return fused(absolute(value), splat(OWN), splat(LEAST));
}

// Whether every lane of a sum of values times 0 is a number: none was infinite or NaN.
INLINE bool all_zero(vector sum)
{
    return ALL((mask)(sum == 0));
}

INLINE bool add(double sign, size_t count, const struct glance_run *x, const struct glance_run *y,
                struct glance_run *to, int exact_x, int exact_y)
{
    vector seen = splat(0);
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i), b = load(y->value + i);
        const vector s = sign < 0 ? a - b : a + b;
        vector e = own_error(s);
        if (!exact_x || !exact_y)
            e = fused(error_at(x, exact_x, i) + error_at(y, exact_y, i), splat(WIDER), e);
        seen = fused(e, splat(0), seen);
        store(to->value + i, s);
        store(to->error + i, e);
    }
    to->bits = 0;
    return all_zero(seen);
}

INLINE bool multiply(size_t count, const struct glance_run *x, const struct glance_run *y,
                     struct glance_run *to, int exact_x, int exact_y)
{
    vector seen = splat(0);
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i), b = load(y->value + i), p = a * b;
        const vector ea = error_at(x, exact_x, i), eb = error_at(y, exact_y, i);
        vector e = own_error(p);
        if (!exact_y)
            e = fused(absolute(a) * eb, splat(WIDER), e);
        if (!exact_x)
            e = fused((absolute(b) + eb) * ea, splat(WIDER), e);
        seen = fused(e, splat(0), seen);
        store(to->value + i, p);
        store(to->error + i, e);
    }
    to->bits = 0;
    return all_zero(seen);
}

// Of exact numbers whose product a double holds.
INLINE bool multiply_exactly(size_t count, const struct glance_run *x, const struct glance_run *y,
                             struct glance_run *to)
{
    vector seen = splat(0);
    for (size_t i = 0; i < count; i += LANES) {
        const vector p = load(x->value + i) * load(y->value + i);
        seen = fused(p, splat(0), seen);
        store(to->value + i, p);
    }
    to->bits = x->bits + y->bits;
    return all_zero(seen);
}

INLINE bool divide(size_t count, const struct glance_run *x, const struct glance_run *y,
                   struct glance_run *to, int exact_x, int exact_y)
{
    vector seen = splat(0);
    mask known = ~(mask){0};
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i), b = load(y->value + i), q = a / b;
        const vector ea = error_at(x, exact_x, i), eb = error_at(y, exact_y, i);
        vector e = own_error(q);
        if (!exact_x || !exact_y) {
            const vector least = absolute(b) - eb;
            known &= (mask)(least > 0);
            e = fused((ea + absolute(q) * eb) / least, splat(WIDER), e);
        }
        // a quotient by an infinity is 0, and its error would not be infinite
        seen += e * 0 + b * 0;
        store(to->value + i, q);
        store(to->error + i, e);
    }
    to->bits = 0;
    return all_zero(seen) && ALL(known);
}

// The four cases of exact operands, each a loop of its own.
#define CASES(call, x, y)                                                                          \
    ((x)->bits ? (y)->bits ? call(1, 1) : call(1, 0) : (y)->bits ? call(0, 1) : call(0, 0))

static bool sum_word(double sign, size_t count, const struct glance_run *x,
                     const struct glance_run *y, struct glance_run *to)
{
#define PLUS(ex, ey) add(1, count, x, y, to, ex, ey)
#define MINUS(ex, ey) add(-1, count, x, y, to, ex, ey)
    return sign > 0 ? CASES(PLUS, x, y) : CASES(MINUS, x, y);
}

static bool product_word(size_t count, const struct glance_run *x, const struct glance_run *y,
                         struct glance_run *to)
{
#define TIMES(ex, ey) multiply(count, x, y, to, ex, ey)
    if (x->bits && y->bits && x->bits + y->bits <= GLANCE_BITS)
        return multiply_exactly(count, x, y, to);
    return CASES(TIMES, x, y);
}

static bool quotient_word(size_t count, const struct glance_run *x, const struct glance_run *y,
                          struct glance_run *to)
{
#define OVER(ex, ey) divide(count, x, y, to, ex, ey)
    return CASES(OVER, x, y);
}

// -x or |x|: what was exact stays so.
static bool sign_word(bool negate, size_t count, const struct glance_run *x, struct glance_run *to)
{
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i);
        store(to->value + i, negate ? -a : absolute(a));
        if (!x->bits)
            store(to->error + i, load(x->error + i));
    }
    to->bits = x->bits;
    return true;
}

// The larger one, times `sign` before and after: of zeros +0 where either is.
static bool extreme_word(double sign, size_t count, const struct glance_run *x,
                         const struct glance_run *y, struct glance_run *to)
{
    const int exact = x->bits && y->bits;
    vector seen = splat(0);
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i) * sign, b = load(y->value + i) * sign;
        const vector m =
            choose((mask)(a > b), a, choose((mask)(b > a), b, choose((mask)(a == 0), a + b, a)));
        seen += a * 0 + b * 0;
        store(to->value + i, m * sign);
        if (exact)
            continue;
        const vector ea = error_at(x, x->bits != 0, i), eb = error_at(y, y->bits != 0, i);
        const mask apart = (mask)(absolute(a - b) * (1 - 0x1p-50) > (ea + eb) * WIDER);
        const vector wider = choose((mask)(ea > eb), ea, eb);
        const vector e = choose(apart, choose((mask)(a > b), ea, eb), wider);
        seen = fused(e, splat(0), seen);
        store(to->error + i, e);
    }
    to->bits = !exact ? 0 : x->bits > y->bits ? x->bits : y->bits;
    return all_zero(seen);
}

// 1 where it holds and 0 elsewhere, of exact operands.
static bool condition_word(enum word_op op, size_t count, const struct glance_run *x,
                           const struct glance_run *y, struct glance_run *to)
{
    if (!x->bits || (y && !y->bits))
        return false;
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(x->value + i), b = y ? load(y->value + i) : a;
        const mask p = (mask)(a != 0), q = (mask)(b != 0);
        const mask holds = op == WORD_LESS         ? (mask)(a < b)
                           : op == WORD_LESS_EQUAL ? (mask)(a <= b)
                           : op == WORD_EQUAL      ? (mask)(a == b)
                           : op == WORD_NOT_EQUAL  ? (mask)(a != b)
                           : op == WORD_AND        ? p & q
                           : op == WORD_OR         ? p | q
                                                   : ~p;
        store(to->value + i, choose(holds, splat(1), splat(0)));
    }
    to->bits = 1;
    return true;
}

static bool select_word(size_t count, const struct glance_run *of, struct glance_run *to)
{
    const int exact = of[1].bits && of[2].bits;
    if (!of[0].bits)
        return false;
    for (size_t i = 0; i < count; i += LANES) {
        const mask holds = (mask)(load(of[0].value + i) != 0);
        store(to->value + i, choose(holds, load(of[1].value + i), load(of[2].value + i)));
        if (!exact)
            store(to->error + i, choose(holds, error_at(&of[1], of[1].bits != 0, i),
                                        error_at(&of[2], of[2].bits != 0, i)));
    }
    to->bits = !exact ? 0 : of[1].bits > of[2].bits ? of[1].bits : of[2].bits;
    return true;
}

static bool word(enum word_op op, size_t count, const struct glance_run *operand,
                 struct glance_run *to)
{
    const struct glance_run *const x = &operand[0], *const y = &operand[1];
    switch (op) {
    case WORD_ADD:
        return sum_word(1, count, x, y, to);
    case WORD_SUBTRACT:
        return sum_word(-1, count, x, y, to);
    case WORD_MULTIPLY:
        return product_word(count, x, y, to);
    case WORD_SQUARE:
        return product_word(count, x, x, to);
    case WORD_DIVIDE:
        return quotient_word(count, x, y, to);
    case WORD_NEGATE:
    case WORD_ABS:
        return sign_word(op == WORD_NEGATE, count, x, to);
    case WORD_LEAST:
    case WORD_GREATEST:
        return extreme_word(op == WORD_LEAST ? -1 : 1, count, x, y, to);
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
    case WORD_AND:
    case WORD_OR:
        return condition_word(op, count, x, y, to);
    case WORD_NOT:
        return condition_word(op, count, x, NULL, to);
    case WORD_SELECT:
        return select_word(count, operand, to);
    default:
        return false;
    }
}

// ---- single operations ------------------------------------------------------

INLINE bool single_of(enum word_op op, size_t count, const struct glance_run *operand,
                      struct glance_run *to)
{
    vector seen = splat(0);
    mask known = ~(mask){0};
    for (size_t i = 0; i < count; i += LANES) {
        const vector a = load(operand[0].value + i), b = load(operand[1].value + i);
        const vector y = op == WORD_ADD ? a + b : op == WORD_SUBTRACT ? a - b : a / b;
        if (op == WORD_DIVIDE) {
            known &= (mask)(absolute(y) >= 0x1p-126);
            seen = fused(b, splat(0), seen);
        }
        seen = fused(y, splat(0), seen);
        store(to->value + i, y);
    }
    to->bits = GLANCE_BITS;
    return all_zero(seen) && ALL(known);
}

static bool single(enum word_op op, size_t count, const struct glance_run *operand,
                   struct glance_run *to)
{
    return op == WORD_ADD        ? single_of(WORD_ADD, count, operand, to)
           : op == WORD_SUBTRACT ? single_of(WORD_SUBTRACT, count, operand, to)
                                 : single_of(WORD_DIVIDE, count, operand, to);
}

static bool narrow_all(size_t count, const double *of, float *to)
{
    mask numbers = ~(mask){0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const vector x = load(of + i);
        const narrow y = (narrow)NARROW(x);
        numbers &= (mask)(x >= 0) | (mask)(x < 0);
        memcpy(to + i, &y, sizeof y);
    }
    bool known = ALL(numbers);
    for (; i < count; i++) {
        known = known && !isnan(of[i]);
        to[i] = (float)of[i];
    }
    return known;
}

// ---- functions --------------------------------------------------------------

// How much of the argument's error goes into the value: exp and its like have the slope of their
// value, or of that and 1, nowhere more than 1 + 2 e times it for e up to 2^-8; the others at most
// 1.2.
INLINE bool widen_by(int grows, int exact, size_t count, const struct glance_run *of,
                     struct glance_run *to)
{
    const double still = 690;
    mask known = ~(mask){0};
    for (size_t i = 0; i < count; i += LANES) {
        const vector x = load(of->value + i), ex = error_at(of, exact, i);
        vector e = load(to->error + i) + LEAST;
        known &= (mask)(absolute(x) <= still) & (mask)(e < (double)INFINITY);
        if (!exact) {
            known &= (mask)(ex <= 0x1p-8);
            const vector slope =
                grows ? (absolute(load(to->value + i)) + (grows > 1)) * (1 + 2 * ex) : splat(1.2);
            e = fused(ex * slope, splat(WIDER), e * WIDER);
        }
        store(to->error + i, e);
    }
    to->bits = 0;
    return ALL(known);
}

static bool widen(enum num_function function, size_t count, const struct glance_run *of,
                  struct glance_run *to)
{
    const int grows = function == NUM_EXP || function == NUM_LOGISTIC ? 1
                      : function == NUM_EXPM1                         ? 2
                                                                      : 0;
    if (of->bits)
        return widen_by(0, 1, count, of, to);
    if (function == NUM_LOG || function == NUM_LOG1P)
        return false;
    return grows == 1   ? widen_by(1, 0, count, of, to)
           : grows == 2 ? widen_by(2, 0, count, of, to)
                        : widen_by(0, 0, count, of, to);
}

static void spread(double number, size_t count, double *to)
{
    for (size_t i = 0; i < count; i += LANES)
        store(to + i, splat(number));
}

// ---- reductions -------------------------------------------------------------

enum { SUMS = GLANCE_STEP / LANES };

// GLANCE_STEP partial sums of at most 8 terms each, then a tree over them: GLANCE_DEPTH additions.
INLINE void sum_run(int exact, size_t count, const struct glance_run *of, struct glance_sum *to)
{
    vector value[SUMS] = {{0}}, magnitude[SUMS] = {{0}}, error = splat(0);
    const size_t whole = count / GLANCE_STEP * GLANCE_STEP;
    double total[GLANCE_STEP], size[GLANCE_STEP], off = 0;
    for (size_t i = 0; i < whole; i += GLANCE_STEP)
        for (size_t s = 0; s < SUMS; s++) {
            const vector x = load(of->value + i + s * LANES);
            value[s] += x;
            magnitude[s] += absolute(x);
            if (!exact)
                error += load(of->error + i + s * LANES);
        }
    for (size_t s = 0; s < SUMS; s++) {
        store(total + s * LANES, value[s]);
        store(size + s * LANES, magnitude[s]);
    }
    for (size_t i = whole; i < count; i++) {
        total[i - whole] += of->value[i];
        size[i - whole] += fabs(of->value[i]);
        off += exact ? 0 : of->error[i];
    }
    for (size_t half = GLANCE_STEP / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) {
            total[i] += total[i + half];
            size[i] += size[i + half];
        }
    for (size_t lane = 0; lane < LANES && !exact; lane++)
        off += error[lane];
    to->value += total[0];
    to->magnitude += size[0];
    to->error += off;
}

static void sum(size_t count, const struct glance_run *of, struct glance_sum *to)
{
    if (of->bits)
        sum_run(1, count, of, to);
    else
        sum_run(0, count, of, to);
}

static bool extreme(double sign, size_t count, const double *of, double *to)
{
    vector most[2] = {splat(-(double)INFINITY), splat(-(double)INFINITY)};
    const size_t whole = count / (2 * LANES) * (2 * LANES);
    double lanes[LANES], best = -(double)INFINITY;
    mask numbers = ~(mask){0};
    for (size_t i = 0; i < whole; i += 2 * LANES)
        for (size_t s = 0; s < 2; s++) {
            const vector x = load(of + i + s * LANES) * sign;
            numbers &= (mask)(x >= 0) | (mask)(x < 0);
            most[s] = (vector)GREATER(x, most[s]);
        }
    store(lanes, (vector)GREATER(most[0], most[1]));
    bool known = ALL(numbers);
    for (size_t i = whole; i < count; i++) {
        known = known && !isnan(of[i]);
        best = of[i] * sign > best ? of[i] * sign : best;
    }
    for (size_t i = 0; i < LANES; i++)
        best = lanes[i] > best ? lanes[i] : best;
    *to = best * sign;
    return known && best != 0;
}

const struct glance_form FORM = {word, single, narrow_all, widen, spread, sum, extreme};
