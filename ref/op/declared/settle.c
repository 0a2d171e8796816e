// SPDX-License-Identifier: Apache-2.0
// One element with directed roundings, in growing precision, until both ends round alike (Ziv 1991,
// doi:10.1145/114697.116813).
//
// Every word encloses its exact result between two numbers, given enclosures of its operands. What
// can be represented stays a point, so that ties, zeros and their signs are decided once the
// precision holds them; quotients of rationals go to exact rationals. MPFR's exponents hold every
// number that doubles lead to.

#include "ref/op/declared/settle.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "ref/base/bytes.h"
#include "ref/num/mpfr_exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/movement.h"

struct span {
    mpfr_t low, high;
};

struct settle {
    const struct plan *plan;
    mpfr_prec_t precision;
    bool unknown; // some enclosure says nothing
};

static void span_start(const struct settle *s, struct span *span)
{
    mpfr_inits2(s->precision, span->low, span->high, (mpfr_ptr)0);
}

static void span_end(struct span *span)
{
    mpfr_clears(span->low, span->high, (mpfr_ptr)0);
}

static bool is_point(const struct span *span)
{
    return mpfr_nan_p(span->low) || (mpfr_equal_p(span->low, span->high) &&
                                     mpfr_signbit(span->low) == mpfr_signbit(span->high));
}

static bool is_nan(const struct span *span)
{
    return mpfr_nan_p(span->low) != 0;
}

static void set_double(struct span *to, double number)
{
    mpfr_set_d(to->low, number, MPFR_RNDN);
    mpfr_set(to->high, to->low, MPFR_RNDN);
}

static void set_nothing(struct settle *s, struct span *to)
{
    s->unknown = true;
    set_double(to, 0);
}

// ---- leaves -----------------------------------------------------------------

static void leaf(const struct settle *s, const struct plan_value *value, const uint64_t *at,
                 struct span *to)
{
    const size_t size = dtype_size(value->type);
    const uint64_t bits = element_load(value->data, size, movement_index(value, at));
    if (size == 8 && dtype_kind(value->type) == DTYPE_KIND_SIGNED)
        mpfr_set_sj(to->low, (intmax_t)(int64_t)bits, MPFR_RNDN);
    else if (size == 8 && dtype_kind(value->type) == DTYPE_KIND_UNSIGNED)
        mpfr_set_uj(to->low, (uintmax_t)bits, MPFR_RNDN);
    else
        mpfr_set_d(to->low, num_to_double(value->type, bits), MPFR_RNDN);
    mpfr_set(to->high, to->low, MPFR_RNDN);
    (void)s;
}

static void scalar(const struct settle *s, const struct plan_value *value, struct span *to)
{
    const struct graph_expression *const e = &s->plan->graph->expression[value->expression];
    if (value->exact) {
        set_double(to, value->number);
    } else if (e->op == WORD_PI) {
        mpfr_const_pi(to->low, MPFR_RNDD);
        mpfr_const_pi(to->high, MPFR_RNDU);
    } else {
        mpfr_strtofr(to->low, e->text, NULL, 0, MPFR_RNDD);
        mpfr_strtofr(to->high, e->text, NULL, 0, MPFR_RNDU);
    }
}

// ---- arithmetic -------------------------------------------------------------

// A sum that is exactly zero is +0 unless both terms are -0, whichever way it is rounded.
static void add_end(mpfr_ptr to, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding)
{
    const bool negative = mpfr_zero_p(a) && mpfr_zero_p(b) && mpfr_signbit(a) && mpfr_signbit(b);
    if (!mpfr_add(to, a, b, rounding) && mpfr_zero_p(to))
        mpfr_set_zero(to, negative ? -1 : 1);
}

static void add(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    add_end(to->low, a->low, b->low, MPFR_RNDD);
    add_end(to->high, a->high, b->high, MPFR_RNDU);
    if (mpfr_nan_p(to->low) != mpfr_nan_p(to->high) ||
        (mpfr_nan_p(to->low) && !(is_point(a) && is_point(b))))
        set_nothing(s, to);
}

static void negate(struct span *to)
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
    if (is_point(a) && is_point(b)) {
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

static void multiply(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    corners(s, to, a, b, mpfr_mul);
}

static void divide(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    if (!is_point(b) && mpfr_sgn(b->low) <= 0 && mpfr_sgn(b->high) >= 0)
        set_nothing(s, to);
    else
        corners(s, to, a, b, mpfr_div);
}

static void power(struct settle *s, struct span *to, const struct span *a, const struct span *b)
{
    if (!(is_point(a) && is_point(b)) && !(mpfr_sgn(a->low) > 0))
        set_nothing(s, to);
    else
        corners(s, to, a, b, mpfr_pow);
}

static void absolute(struct span *to)
{
    if (is_nan(to))
        return;
    if (mpfr_signbit(to->low) && mpfr_signbit(to->high)) {
        negate(to);
    } else if (mpfr_signbit(to->low)) {
        mpfr_neg(to->low, to->low, MPFR_RNDN);
        mpfr_max(to->high, to->low, to->high, MPFR_RNDN);
        mpfr_set_zero(to->low, 1);
    }
}

static void larger(struct span *to, const struct span *a, bool least)
{
    if (is_nan(to) || is_nan(a)) {
        mpfr_set_nan(to->low);
        mpfr_set_nan(to->high);
        return;
    }
    (least ? mpfr_min : mpfr_max)(to->low, to->low, a->low, MPFR_RNDN);
    (least ? mpfr_min : mpfr_max)(to->high, to->high, a->high, MPFR_RNDN);
}

// ---- functions --------------------------------------------------------------

static void end_of(enum word_op op, mpfr_ptr x, mpfr_rnd_t rounding)
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
    case WORD_SQRT:
        mpfr_sqrt(x, x, rounding);
        break;
    case WORD_EXP:
        mpfr_exp(x, x, rounding);
        break;
    case WORD_EXPM1:
        mpfr_expm1(x, x, rounding);
        break;
    case WORD_LOG:
        mpfr_log(x, x, rounding);
        break;
    case WORD_LOG1P:
        mpfr_log1p(x, x, rounding);
        break;
    case WORD_TANH:
        mpfr_tanh(x, x, rounding);
        break;
    case WORD_ERF:
        mpfr_erf(x, x, rounding);
        break;
    default:
        assert(op == WORD_LOGISTIC);
        mpfr_neg(x, x, MPFR_RNDN);
        mpfr_exp(x, x, other);
        mpfr_add_ui(x, x, 1, other);
        mpfr_ui_div(x, 1, x, rounding);
    }
}

static void increasing(struct settle *s, enum word_op op, struct span *to)
{
    const bool nan = is_nan(to), point = is_point(to);
    end_of(op, to->low, MPFR_RNDD);
    end_of(op, to->high, MPFR_RNDU);
    if (!nan && !point && (mpfr_nan_p(to->low) || mpfr_nan_p(to->high)))
        set_nothing(s, to); // part of it lies outside the domain
}

// 1 / sqrt(x); of a zero the infinity with its sign, as IEEE 754 has it.
static void reciprocal_root(struct settle *s, struct span *to)
{
    const bool point = is_point(to);
    if (point && mpfr_zero_p(to->low)) {
        const int sign = mpfr_signbit(to->low) ? -1 : 1;
        mpfr_set_inf(to->low, sign);
        mpfr_set_inf(to->high, sign);
        return;
    }
    if (!point && mpfr_sgn(to->low) <= 0) {
        set_nothing(s, to);
        return;
    }
    mpfr_swap(to->low, to->high);
    mpfr_rec_sqrt(to->low, to->low, MPFR_RNDD);
    mpfr_rec_sqrt(to->high, to->high, MPFR_RNDU);
}

// sin and cos move no further than their argument.
static void circular(struct settle *s, enum word_op op, struct span *to)
{
    mpfr_t width, middle;
    if (!is_point(to) && (mpfr_inf_p(to->low) || mpfr_inf_p(to->high))) {
        set_nothing(s, to);
        return;
    }
    mpfr_inits2(s->precision, width, middle, (mpfr_ptr)0);
    mpfr_set(middle, to->low, MPFR_RNDN);
    if (is_point(to))
        mpfr_set_zero(width, 1);
    else
        mpfr_sub(width, to->high, to->low, MPFR_RNDU);
    (op == WORD_SIN ? mpfr_sin : mpfr_cos)(to->low, middle, MPFR_RNDD);
    (op == WORD_SIN ? mpfr_sin : mpfr_cos)(to->high, middle, MPFR_RNDU);
    if (!mpfr_zero_p(width)) {
        mpfr_sub(to->low, to->low, width, MPFR_RNDD);
        mpfr_add(to->high, to->high, width, MPFR_RNDU);
    }
    mpfr_clears(width, middle, (mpfr_ptr)0);
}

// ---- conditions -------------------------------------------------------------

static void compare(struct settle *s, enum word_op op, struct span *to, const struct span *b)
{
    const bool nan = is_nan(to) || is_nan(b), strict = op == WORD_LESS;
    bool holds = false, fails = false;
    if (nan) {
        set_double(to, op == WORD_NOT_EQUAL);
        return;
    }
    if (op == WORD_EQUAL || op == WORD_NOT_EQUAL) {
        holds = mpfr_equal_p(to->low, to->high) && mpfr_equal_p(b->low, b->high) &&
                mpfr_equal_p(to->low, b->low);
        fails = mpfr_less_p(to->high, b->low) || mpfr_less_p(b->high, to->low);
        s->unknown = s->unknown || !(holds || fails);
        set_double(to, holds == (op == WORD_EQUAL));
        return;
    }
    holds = strict ? mpfr_less_p(to->high, b->low) : mpfr_lessequal_p(to->high, b->low);
    fails = strict ? mpfr_lessequal_p(b->high, to->low) : mpfr_less_p(b->high, to->low);
    s->unknown = s->unknown || !(holds || fails);
    set_double(to, holds);
}

static bool truth(struct settle *s, const struct span *of)
{
    const bool zero = mpfr_zero_p(of->low) && mpfr_zero_p(of->high);
    if (!is_nan(of) && !zero && mpfr_sgn(of->low) <= 0 && mpfr_sgn(of->high) >= 0)
        s->unknown = true;
    return !zero;
}

// ---- expressions ------------------------------------------------------------

static void element(struct settle *s, const struct plan_value *value, const uint64_t *at,
                    struct span *to);

static void aligned(struct settle *s, const struct plan_value *value, unsigned operand,
                    const uint64_t *at, struct span *to)
{
    const struct plan_value *const of = plan_operand(s->plan, value, operand);
    uint64_t place[GRAPH_RANK_MAX];
    movement_align(of, value->rank, at, place);
    element(s, of, place, to);
}

static void of_two(struct settle *s, const struct plan_value *value, const uint64_t *at,
                   struct span *to)
{
    const enum word_op op = plan_op(s->plan, value);
    struct span a, b;
    span_start(s, &a);
    span_start(s, &b);
    aligned(s, value, 0, at, &a);
    aligned(s, value, 1, at, &b);
    switch (op) {
    case WORD_SUBTRACT:
        negate(&b);
        add(s, to, &a, &b);
        break;
    case WORD_ADD:
        add(s, to, &a, &b);
        break;
    case WORD_MULTIPLY:
        multiply(s, to, &a, &b);
        break;
    case WORD_DIVIDE:
        divide(s, to, &a, &b);
        break;
    case WORD_POW:
        power(s, to, &a, &b);
        break;
    case WORD_LEAST:
    case WORD_GREATEST:
        larger(&a, &b, op == WORD_LEAST);
        mpfr_set(to->low, a.low, MPFR_RNDN);
        mpfr_set(to->high, a.high, MPFR_RNDN);
        break;
    case WORD_AND:
        set_double(to, truth(s, &a) & truth(s, &b));
        break;
    case WORD_OR:
        set_double(to, truth(s, &a) | truth(s, &b));
        break;
    default:
        compare(s, op, &a, &b);
        mpfr_set(to->low, a.low, MPFR_RNDN);
        mpfr_set(to->high, a.high, MPFR_RNDN);
    }
    span_end(&a);
    span_end(&b);
}

static void elementwise(struct settle *s, const struct plan_value *value, const uint64_t *at,
                        struct span *to)
{
    const enum word_op op = plan_op(s->plan, value);
    if (op == WORD_WITHIN) {
        aligned(s, value, 0, at, to);
        return;
    }
    if (op == WORD_SELECT) {
        aligned(s, value, 0, at, to);
        const bool holds = truth(s, to);
        aligned(s, value, holds ? 1 : 2, at, to);
        return;
    }
    if (plan_operands(s->plan, value) == 2) {
        of_two(s, value, at, to);
        return;
    }
    aligned(s, value, 0, at, to);
    switch (op) {
    case WORD_NEGATE:
        negate(to);
        break;
    case WORD_ABS:
        absolute(to);
        break;
    case WORD_SQUARE:
        absolute(to);
        mpfr_sqr(to->low, to->low, MPFR_RNDD);
        mpfr_sqr(to->high, to->high, MPFR_RNDU);
        break;
    case WORD_NOT:
        set_double(to, !truth(s, to));
        break;
    case WORD_RSQRT:
        reciprocal_root(s, to);
        break;
    case WORD_SIN:
    case WORD_COS:
        circular(s, op, to);
        break;
    default:
        increasing(s, op, to);
    }
}

// Takes `next` into `to`, the sum, product, least or largest so far; `place` is for argmax.
static void reduce(struct settle *s, enum word_op op, struct span *to, struct span *next,
                   struct span *scratch)
{
    switch (op) {
    case WORD_SUM:
    case WORD_MEAN:
        add(s, scratch, to, next);
        break;
    case WORD_PRODUCT:
        multiply(s, scratch, to, next);
        break;
    default:
        larger(to, next, op == WORD_MIN);
        return;
    }
    mpfr_swap(to->low, scratch->low);
    mpfr_swap(to->high, scratch->high);
}

static void mean_of(struct settle *s, struct span *to, uint64_t count)
{
    (void)s;
    mpfr_div_ui(to->low, to->low, (unsigned long)count, MPFR_RNDD);
    mpfr_div_ui(to->high, to->high, (unsigned long)count, MPFR_RNDU);
}

static void reduction(struct settle *s, const struct plan_value *value, const uint64_t *at,
                      struct span *to)
{
    const enum word_op op = plan_op(s->plan, value);
    const struct plan_value *const body = plan_operand(s->plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX], count = 0, best = 0;
    struct span next, scratch;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    set_double(to, op == WORD_PRODUCT);
    span_start(s, &next);
    span_start(s, &scratch);
    bool more = body->count > 0;
    while (more) {
        element(s, body, place, count ? &next : to);
        if (count && op == WORD_ARGMAX) {
            const bool nan = is_nan(&next) && !is_nan(to),
                       above = nan || mpfr_greater_p(next.low, to->high);
            if (!above && !is_nan(to) && !mpfr_lessequal_p(next.high, to->low))
                s->unknown = true;
            if (above) {
                best = count;
                mpfr_swap(to->low, next.low);
                mpfr_swap(to->high, next.high);
            }
        } else if (count) {
            reduce(s, op, to, &next, &scratch);
        }
        count++;
        more = settle_next(value->rank, body->size, value->own, place);
    }
    if (op == WORD_ARGMAX)
        set_double(to, (double)best);
    if (op == WORD_MEAN)
        mean_of(s, to, count);
    span_end(&next);
    span_end(&scratch);
}

static void cumulative(struct settle *s, const struct plan_value *value, const uint64_t *at,
                       struct span *to)
{
    const struct plan_value *const body = plan_operand(s->plan, value, 0);
    const int64_t axis = value->own[0], exclusive = value->own[1], reverse = value->own[2];
    uint64_t place[GRAPH_RANK_MAX];
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    const uint64_t first = reverse ? at[axis] + (exclusive != 0) : 0,
                   end = reverse ? body->size[axis] : at[axis] + (exclusive == 0);
    struct span next, scratch;
    set_double(to, 0);
    span_start(s, &next);
    span_start(s, &scratch);
    for (uint64_t i = first; i < end; i++) {
        place[axis] = i;
        element(s, body, place, i == first ? to : &next);
        if (i != first)
            reduce(s, WORD_SUM, to, &next, &scratch);
    }
    span_end(&next);
    span_end(&scratch);
}

void settle_product_places(const struct plan *plan, const struct plan_value *value,
                           const uint64_t *index, uint64_t (*at)[GRAPH_RANK_MAX])
{
    const struct plan_product *const product = &plan->product[value->own[0]];
    for (unsigned side = 0; side < 2; side++) {
        const struct plan_value *const of =
            plan_operand(plan, value, plan_operands(plan, value) - 2 + side);
        for (unsigned i = 0; i < of->rank; i++) {
            const int letter = product->axis[side][i];
            at[side][i] = letter < 0 ? 0 : index[letter];
        }
    }
}

static void contraction(struct settle *s, const struct plan_value *value, const uint64_t *at,
                        struct span *to)
{
    const struct plan_product *const product = &s->plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(s->plan, value) - 1;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    struct span a, b, term, scratch;
    bool more = true, first = true;
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = kept; i < product->letters; i++) {
        moves[i] = 1;
        more = more && product->size[i] > 0;
    }
    set_double(to, 0);
    span_start(s, &a);
    span_start(s, &b);
    span_start(s, &term);
    span_start(s, &scratch);
    while (more) {
        settle_product_places(s->plan, value, index, place);
        element(s, plan_operand(s->plan, value, last - 1), place[0], &a);
        element(s, plan_operand(s->plan, value, last), place[1], &b);
        multiply(s, first ? to : &term, &a, &b);
        if (!first)
            reduce(s, WORD_SUM, to, &term, &scratch);
        first = false;
        more = settle_next(product->letters, product->size, moves, index);
    }
    span_end(&a);
    span_end(&b);
    span_end(&term);
    span_end(&scratch);
}

static void element(struct settle *s, const struct plan_value *value, const uint64_t *at,
                    struct span *to)
{
    if (value->kind == PLAN_SCALAR) {
        scalar(s, value, to);
        return;
    }
    if (value->kind == PLAN_STORED) {
        leaf(s, value, at, to);
        return;
    }
    switch (words_row(plan_op(s->plan, value))->class) {
    case CLASS_ELEMENTWISE:
        elementwise(s, value, at, to);
        break;
    case CLASS_REDUCTION:
        reduction(s, value, at, to);
        break;
    case CLASS_SCAN:
        cumulative(s, value, at, to);
        break;
    case CLASS_PRODUCT:
        contraction(s, value, at, to);
        break;
    default: {
        struct movement_source source;
        movement_find(s->plan, value, at, &source);
        if (source.operand)
            element(s, source.operand, source.at, to);
        else
            set_double(to, source.number);
    }
    }
}

// ---- rounding ---------------------------------------------------------------

static uint64_t pack(enum dtype type, enum num_overflow overflow, mpfr_srcptr x)
{
    if (mpfr_nan_p(x))
        return num_pack(type, (struct num_exact){.kind = NUM_NOT_A_NUMBER}, NUM_NEAREST_EVEN,
                        overflow);
    if (mpfr_inf_p(x))
        return num_pack(type,
                        (struct num_exact){.kind = NUM_INFINITE, .negative = mpfr_signbit(x) != 0},
                        NUM_NEAREST_EVEN, overflow);
    return num_pack(type, num_exact_of_mpfr(x, false), NUM_NEAREST_EVEN, overflow);
}

enum error settle_round(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        enum dtype type, enum num_overflow overflow, uint64_t *bits,
                        struct diagnostic *diagnostic)
{
    const bool rational = settle_is_rational(plan, value);
    num_mpfr_on_this_thread();
    for (mpfr_prec_t precision = 128; precision <= SETTLE_BITS_MAX; precision *= 4) {
        struct settle s = {plan, precision, false};
        struct span span;
        span_start(&s, &span);
        element(&s, value, at, &span);
        *bits = pack(type, overflow, span.low);
        const bool decided = !s.unknown && *bits == pack(type, overflow, span.high);
        span_end(&span);
        if (decided ||
            (precision > 128 && rational && settle_rational(plan, value, at, type, overflow, bits)))
            return ERROR_NONE;
    }
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                           "an element cannot be decided with %d bits: it is too near to a tie, or "
                           "to equality in a comparison",
                           SETTLE_BITS_MAX);
}

void settle_enclose(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                    double *lower, double *upper)
{
    struct settle s = {plan, 256, false};
    struct span span;
    num_mpfr_on_this_thread();
    span_start(&s, &span);
    element(&s, value, at, &span);
    *lower = s.unknown ? -(double)INFINITY : mpfr_get_d(span.low, MPFR_RNDD);
    *upper = s.unknown ? (double)INFINITY : mpfr_get_d(span.high, MPFR_RNDU);
    span_end(&span);
}
