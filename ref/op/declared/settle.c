// SPDX-License-Identifier: Apache-2.0
// One element with directed roundings, in growing precision, until both ends round alike (Ziv 1991,
// doi:10.1145/114697.116813).
//
// Every word encloses its exact result between two numbers, given enclosures of its operands. What
// can be represented stays a point, so that ties, zeros and their signs are decided once the
// precision holds them; quotients and roots go to exact sums of roots. MPFR's exponents hold every
// number that doubles lead to.

#include "ref/op/declared/settle.h"

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/mpfr_exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle_span.h"

// ---- leaves -----------------------------------------------------------------

static void leaf(const struct settle *s, const struct plan_value *value, const uint64_t *at,
                 struct span *to)
{
    const size_t size = dtype_size(value->type);
    const uint64_t bits = element_load(value->data, size, movement_stored(value, at));
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
        span_set_double(to, value->number);
    } else if (e->op == WORD_PI) {
        mpfr_const_pi(to->low, MPFR_RNDD);
        mpfr_const_pi(to->high, MPFR_RNDU);
    } else {
        mpfr_strtofr(to->low, e->text, NULL, 0, MPFR_RNDD);
        mpfr_strtofr(to->high, e->text, NULL, 0, MPFR_RNDU);
    }
}

void settle_scalars(struct plan *plan)
{
    mpfr_t x;
    num_mpfr_on_this_thread();
    mpfr_init2(x, 256);
    for (unsigned i = 0; i < plan->live; i++) {
        struct plan_value *const value = &plan->value[i];
        if (value->kind != PLAN_SCALAR || value->exact)
            continue;
        if (plan_op(plan, value) == WORD_PI)
            mpfr_const_pi(x, MPFR_RNDN);
        else
            mpfr_strtofr(x, plan->graph->expression[value->expression].text, NULL, 0, MPFR_RNDN);
        mpfr_sub_d(x, x, value->number, MPFR_RNDN);
        value->rest = mpfr_get_d(x, MPFR_RNDN);
    }
    mpfr_clear(x);
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
        span_negate(&b);
        span_add(s, to, &a, &b);
        break;
    case WORD_ADD:
        span_add(s, to, &a, &b);
        break;
    case WORD_MULTIPLY:
        span_multiply(s, to, &a, &b);
        break;
    case WORD_DIVIDE:
        span_divide(s, to, &a, &b);
        break;
    case WORD_POW:
        span_power(s, to, &a, &b);
        break;
    case WORD_LEAST:
    case WORD_GREATEST:
        span_larger(&a, &b, op == WORD_LEAST);
        mpfr_set(to->low, a.low, MPFR_RNDN);
        mpfr_set(to->high, a.high, MPFR_RNDN);
        break;
    case WORD_AND:
    case WORD_OR: {
        const bool holds[2] = {span_truth(s, &a), span_truth(s, &b)};
        span_set_double(to, op == WORD_AND ? holds[0] && holds[1] : holds[0] || holds[1]);
        break;
    }
    default:
        span_compare(s, op, &a, &b);
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
        const bool holds = span_truth(s, to);
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
        span_negate(to);
        break;
    case WORD_ABS:
        span_absolute(to);
        break;
    case WORD_SQUARE:
        span_absolute(to);
        mpfr_sqr(to->low, to->low, MPFR_RNDD);
        mpfr_sqr(to->high, to->high, MPFR_RNDU);
        break;
    case WORD_NOT:
        span_set_double(to, !span_truth(s, to));
        break;
    case WORD_RSQRT:
        span_reciprocal_root(s, to);
        break;
    case WORD_SIN:
    case WORD_COS:
        span_circular(s, op, to);
        break;
    case WORD_TAN:
        span_tangent(s, to);
        break;
    case WORD_COSH:
        span_absolute(to);
        span_monotone(s, op, to);
        break;
    default:
        span_monotone(s, op, to);
    }
}

// Takes `next` into `to`, the sum, product, least or largest so far; `place` is for argmax.
static void reduce(struct settle *s, enum word_op op, struct span *to, struct span *next,
                   struct span *scratch)
{
    switch (op) {
    case WORD_SUM:
    case WORD_MEAN:
        span_add(s, scratch, to, next);
        break;
    case WORD_PRODUCT:
        span_multiply(s, scratch, to, next);
        break;
    default:
        span_larger(to, next, op == WORD_MIN);
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
    span_set_double(to, words_of_none(op));
    span_start(s, &next);
    span_start(s, &scratch);
    bool more = body->count > 0;
    while (more) {
        element(s, body, place, count ? &next : to);
        if (count && op == WORD_ARGMAX) {
            const bool nan = span_is_nan(&next) && !span_is_nan(to),
                       above = nan || mpfr_greater_p(next.low, to->high);
            if (!above && !span_is_nan(to) && !mpfr_lessequal_p(next.high, to->low))
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
        span_set_double(to, (double)best);
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
    span_set_double(to, 0);
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
    span_set_double(to, 0);
    span_start(s, &a);
    span_start(s, &b);
    span_start(s, &term);
    span_start(s, &scratch);
    while (more) {
        settle_product_places(s->plan, value, index, place);
        element(s, plan_operand(s->plan, value, last - 1), place[0], &a);
        element(s, plan_operand(s->plan, value, last), place[1], &b);
        span_multiply(s, first ? to : &term, &a, &b);
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
    if (value->narrow) {
        span_set_double(to, value->value[movement_index(value, at)]);
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
            span_set_double(to, source.number);
    }
    }
}

// ---- rounding ---------------------------------------------------------------

static bool wraps(enum dtype type, enum num_overflow overflow)
{
    return overflow == NUM_WRAP && dtype_kind(type) != DTYPE_KIND_FLOAT;
}

static uint64_t pack(enum dtype type, enum num_overflow overflow, mpfr_srcptr x)
{
    if (wraps(type, overflow) && mpfr_number_p(x)) {
        mpz_t whole;
        mpz_init(whole);
        mpfr_get_z(whole, x, MPFR_RNDN);
        const uint64_t bits = settle_wrap(type, whole);
        mpz_clear(whole);
        return bits;
    }
    if (mpfr_nan_p(x))
        return num_pack(type, (struct num_exact){.kind = NUM_NOT_A_NUMBER}, NUM_NEAREST_EVEN,
                        overflow);
    if (mpfr_inf_p(x))
        return num_pack(type,
                        (struct num_exact){.kind = NUM_INFINITE, .negative = mpfr_signbit(x) != 0},
                        NUM_NEAREST_EVEN, overflow);
    return num_pack(type, num_exact_of_mpfr(x, false), NUM_NEAREST_EVEN, overflow);
}

// Bits that both ends have are those of all between them: not so where a type wraps round.
static bool is_narrow(struct span *span)
{
    if (!mpfr_number_p(span->low) || !mpfr_number_p(span->high))
        return mpfr_nan_p(span->low) || mpfr_equal_p(span->low, span->high);
    mpfr_t width;
    mpfr_init2(width, 64);
    mpfr_sub(width, span->high, span->low, MPFR_RNDU);
    const bool narrow = mpfr_cmp_ui(width, 1) < 0;
    mpfr_clear(width);
    return narrow;
}

enum error settle_round(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        enum dtype type, enum num_overflow overflow, uint64_t *bits,
                        bool *rationally, struct diagnostic *diagnostic)
{
    num_mpfr_on_this_thread();
    for (mpfr_prec_t precision = 128; precision <= SETTLE_BITS_MAX; precision *= 4) {
        struct settle s = {plan, precision, false};
        struct span span;
        span_start(&s, &span);
        element(&s, value, at, &span);
        *bits = pack(type, overflow, span.low);
        const bool decided = !s.unknown && *bits == pack(type, overflow, span.high) &&
                             (!wraps(type, overflow) || is_narrow(&span));
        span_end(&span);
        *rationally =
            !decided && precision == 512 && settle_rational(plan, value, at, type, overflow, bits);
        if (decided || *rationally)
            return ERROR_NONE;
    }
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                           "an element cannot be decided with %d bits: it is too near to a tie, or "
                           "to equality in a comparison",
                           SETTLE_BITS_MAX);
}
