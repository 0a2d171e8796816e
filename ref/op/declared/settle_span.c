// SPDX-License-Identifier: Apache-2.0
// Words on enclosures, with directed roundings. Each encloses its exact result; what can be
// represented stays a point, with the sign that IEEE 754 gives a zero.

#include "ref/op/declared/settle_span.h"

#include <assert.h>

// ---- arithmetic -------------------------------------------------------------

// A sum that is exactly zero is +0 unless both terms are -0, whichever way it is rounded.
static void add_end(mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding)
{
    const bool negative = mpfr_zero_p(a) && mpfr_zero_p(b) && mpfr_signbit(a) && mpfr_signbit(b);
    if (!mpfr_add(to, a, b, rounding) && mpfr_zero_p(to))
        mpfr_set_zero(to, negative ? -1 : 1);
}

// A NaN makes sums, products and quotients a NaN, however little is known of the other operand.
static bool hands_on_nan(struct span *to, const struct span *a, const struct span *b)
{
    if (!span_is_nan(a) && !span_is_nan(b))
        return false;
    mpfr_set_nan(to->low);
    mpfr_set_nan(to->high);
    return true;
}

void span_add(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    if (hands_on_nan(to, a, b))
        return;
    add_end(to->low, a->low, b->low, MPFR_RNDD);
    add_end(to->high, a->high, b->high, MPFR_RNDU);
    if (mpfr_nan_p(to->low) != mpfr_nan_p(to->high) ||
        (mpfr_nan_p(to->low) && !(span_is_point(a) && span_is_point(b))))
        span_set_nothing(s, to);
}

void span_negate(struct span *to)
{
    mpfr_swap(to->low, to->high);
    mpfr_neg(to->low, to->low, MPFR_RNDN);
    mpfr_neg(to->high, to->high, MPFR_RNDN);
}

typedef int operation_of_two(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// The least and the largest of the four corners, for what is monotone in each operand.
static void corners(struct settle *s, struct span *to, const struct span *a, const struct span *b,
                    operation_of_two *of)
{
    if (span_is_point(a) && span_is_point(b)) {
        of(to->low, a->low, b->low, MPFR_RNDD);
        of(to->high, a->low, b->low, MPFR_RNDU);
        return;
    }
    mpfr_t corner;
    mpfr_init2(corner, s->precision);
    for (unsigned i = 0; i < 4; i++) {
        const mpfr_srcptr x = i & 1 ? a->high : a->low, y = i & 2 ? b->high : b->low;
        of(corner, x, y, MPFR_RNDD);
        s->unknown = s->unknown || mpfr_nan_p(corner);
        i ? mpfr_min(to->low, to->low, corner, MPFR_RNDD) : mpfr_set(to->low, corner, MPFR_RNDD);
        of(corner, x, y, MPFR_RNDU);
        i ? mpfr_max(to->high, to->high, corner, MPFR_RNDU) : mpfr_set(to->high, corner, MPFR_RNDU);
    }
    mpfr_clear(corner);
}

void span_multiply(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    if (!hands_on_nan(to, a, b))
        corners(s, to, a, b, mpfr_mul);
}

void span_divide(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    if (hands_on_nan(to, a, b))
        return;
    if (!span_is_point(b) && mpfr_sgn(b->low) <= 0 && mpfr_sgn(b->high) >= 0)
        span_set_nothing(s, to);
    else
        corners(s, to, a, b, mpfr_div);
}

void span_power(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    const bool zero = span_is_point(a) && mpfr_zero_p(a->low) && !mpfr_signbit(a->low);
    if (zero && mpfr_sgn(b->low) > 0)
        span_set_double(to, 0);
    else if (!(span_is_point(a) && span_is_point(b)) && !(mpfr_sgn(a->low) > 0))
        span_set_nothing(s, to);
    else
        corners(s, to, a, b, mpfr_pow);
}

void span_absolute(struct span *to)
{
    if (span_is_nan(to))
        return;
    if (mpfr_signbit(to->low) && mpfr_signbit(to->high)) {
        span_negate(to);
    } else if (mpfr_signbit(to->low)) {
        mpfr_neg(to->low, to->low, MPFR_RNDN);
        mpfr_max(to->high, to->low, to->high, MPFR_RNDN);
        mpfr_set_zero(to->low, 1);
    }
}

void span_larger(struct span *to, const struct span *a, bool least)
{
    if (span_is_nan(to) || span_is_nan(a)) {
        mpfr_set_nan(to->low);
        mpfr_set_nan(to->high);
        return;
    }
    (least ? mpfr_min : mpfr_max)(to->low, to->low, a->low, MPFR_RNDN);
    (least ? mpfr_min : mpfr_max)(to->high, to->high, a->high, MPFR_RNDN);
}

// ---- functions --------------------------------------------------------------

typedef int function_of_one(mpfr_t, mpfr_srcptr, mpfr_rnd_t);

static function_of_one *const functions[WORD_COUNT] = {
    [WORD_SQRT] = mpfr_sqrt,   [WORD_RSQRT] = mpfr_rec_sqrt, [WORD_EXP] = mpfr_exp,
    [WORD_EXPM1] = mpfr_expm1, [WORD_LOG] = mpfr_log,        [WORD_LOG1P] = mpfr_log1p,
    [WORD_TANH] = mpfr_tanh,   [WORD_ERF] = mpfr_erf,        [WORD_SIN] = mpfr_sin,
    [WORD_COS] = mpfr_cos,     [WORD_TAN] = mpfr_tan,        [WORD_SINH] = mpfr_sinh,
    [WORD_COSH] = mpfr_cosh,   [WORD_ASIN] = mpfr_asin,      [WORD_ACOS] = mpfr_acos,
    [WORD_ATAN] = mpfr_atan,   [WORD_ASINH] = mpfr_asinh,    [WORD_ACOSH] = mpfr_acosh,
    [WORD_ATANH] = mpfr_atanh,
};

void span_end_of(enum word_op op, mpfr_ptr x, mpfr_rnd_t rounding)
{
    const mpfr_rnd_t other = rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    switch (op) {
    case WORD_SIGN:
        if (!mpfr_nan_p(x))
            mpfr_set_si(x, mpfr_sgn(x), MPFR_RNDN);
        break;
    case WORD_FLOOR:
        mpfr_floor(x, x);
        break;
    case WORD_CEIL:
        mpfr_ceil(x, x);
        break;
    case WORD_TRUNC:
        mpfr_trunc(x, x);
        break;
    case WORD_ROUND_EVEN:
        mpfr_roundeven(x, x);
        break;
    case WORD_LOGISTIC:
        mpfr_neg(x, x, MPFR_RNDN);
        mpfr_exp(x, x, other);
        mpfr_add_ui(x, x, 1, other);
        mpfr_ui_div(x, 1, x, rounding);
        break;
    default:
        assert(functions[op]);
        functions[op](x, x, rounding);
    }
}

void span_monotone(struct settle *s, enum word_op op, struct span *to)
{
    const bool nan = span_is_nan(to), point = span_is_point(to);
    if (op == WORD_ACOS)
        mpfr_swap(to->low, to->high);
    span_end_of(op, to->low, MPFR_RNDD);
    span_end_of(op, to->high, MPFR_RNDU);
    if (!nan && !point && (mpfr_nan_p(to->low) || mpfr_nan_p(to->high)))
        span_set_nothing(s, to); // part of it lies outside the domain
}

// 1 / sqrt(x); of a zero the infinity with its sign, as IEEE 754 has it.
void span_reciprocal_root(struct settle *s, struct span *to)
{
    const bool point = span_is_point(to);
    if (point && mpfr_zero_p(to->low)) {
        const int sign = mpfr_signbit(to->low) ? -1 : 1;
        mpfr_set_inf(to->low, sign);
        mpfr_set_inf(to->high, sign);
        return;
    }
    if (!point && mpfr_sgn(to->low) <= 0) {
        span_set_nothing(s, to);
        return;
    }
    mpfr_swap(to->low, to->high);
    mpfr_rec_sqrt(to->low, to->low, MPFR_RNDD);
    mpfr_rec_sqrt(to->high, to->high, MPFR_RNDU);
}

// sin and cos move no further than their argument.
void span_circular(struct settle *s, enum word_op op, struct span *to)
{
    mpfr_t width, middle;
    if (!span_is_point(to) && (mpfr_inf_p(to->low) || mpfr_inf_p(to->high))) {
        span_set_nothing(s, to);
        return;
    }
    mpfr_inits2(s->precision, width, middle, (mpfr_ptr)0);
    mpfr_set(middle, to->low, MPFR_RNDN);
    if (span_is_point(to))
        mpfr_set_zero(width, 1);
    else
        mpfr_sub(width, to->high, to->low, MPFR_RNDU);
    functions[op](to->low, middle, MPFR_RNDD);
    functions[op](to->high, middle, MPFR_RNDU);
    if (!mpfr_zero_p(width)) {
        mpfr_sub(to->low, to->low, width, MPFR_RNDD);
        mpfr_add(to->high, to->high, width, MPFR_RNDU);
    }
    mpfr_clears(width, middle, (mpfr_ptr)0);
}

// tan grows between its poles. Over less than 3, which is below pi, there is one at most; if there
// is, the tangent of the high end is the lesser one, by at least 0.14 of the larger magnitude.
void span_tangent(struct settle *s, struct span *to)
{
    if (!span_is_point(to)) {
        mpfr_t width;
        mpfr_init2(width, s->precision);
        mpfr_sub(width, to->high, to->low, MPFR_RNDU);
        const bool wide = !(mpfr_cmp_ui(width, 3) < 0);
        mpfr_clear(width);
        if (wide) {
            span_set_nothing(s, to);
            return;
        }
    }
    span_end_of(WORD_TAN, to->low, MPFR_RNDD);
    span_end_of(WORD_TAN, to->high, MPFR_RNDU);
    if (mpfr_greater_p(to->low, to->high))
        span_set_nothing(s, to);
}

// ---- conditions -------------------------------------------------------------

void span_compare(struct settle *s, enum word_op op, struct span *to, const struct span *b)
{
    const bool nan = span_is_nan(to) || span_is_nan(b), strict = op == WORD_LESS;
    bool holds = false, fails = false;
    if (nan) {
        span_set_double(to, op == WORD_NOT_EQUAL);
        return;
    }
    if (op == WORD_EQUAL || op == WORD_NOT_EQUAL) {
        holds = mpfr_equal_p(to->low, to->high) && mpfr_equal_p(b->low, b->high) &&
                mpfr_equal_p(to->low, b->low);
        fails = mpfr_less_p(to->high, b->low) || mpfr_less_p(b->high, to->low);
        s->unknown = s->unknown || !(holds || fails);
        span_set_double(to, holds == (op == WORD_EQUAL));
        return;
    }
    holds = strict ? mpfr_less_p(to->high, b->low) : mpfr_lessequal_p(to->high, b->low);
    fails = strict ? mpfr_lessequal_p(b->high, to->low) : mpfr_less_p(b->high, to->low);
    s->unknown = s->unknown || !(holds || fails);
    span_set_double(to, holds);
}

bool span_truth(struct settle *s, const struct span *of)
{
    const bool zero = mpfr_zero_p(of->low) && mpfr_zero_p(of->high);
    if (!span_is_nan(of) && !zero && mpfr_sgn(of->low) <= 0 && mpfr_sgn(of->high) >= 0)
        s->unknown = true;
    return !zero;
}
