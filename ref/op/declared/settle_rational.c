// SPDX-License-Identifier: Apache-2.0
// One element exactly, of sums, products and quotients of rationals and of their square roots: what
// decides a quotient that is a tie, and a zero or a number of finitely many bits, which directed
// roundings never show. Other functions are rational at one place: exp and cos at 0, log at 1.

#include "ref/op/declared/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/num/surd.h"
#include "ref/op/declared/movement.h"

enum { DECIMAL_EXPONENT_MAX = 4096 };

static bool element(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                    struct surd *to);

// A decimal such as 1.25e-3, exactly.
static bool decimal(const char *text, mpq_t to)
{
    char digits[512];
    size_t used = 0;
    long exponent = 0;
    bool point = false;
    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || used + 1 >= sizeof digits)
            return false;
        digits[used++] = *text;
        exponent -= point;
    }
    digits[used] = '\0';
    if (*text)
        exponent += strtol(text + 1, NULL, 10);
    if (exponent < -DECIMAL_EXPONENT_MAX || exponent > DECIMAL_EXPONENT_MAX || !used)
        return false;
    mpz_set_str(mpq_numref(to), digits, 10);
    mpz_set_ui(mpq_denref(to), 1);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
    if (exponent < 0)
        mpz_set(mpq_denref(to), power);
    else
        mpz_mul(mpq_numref(to), mpq_numref(to), power);
    mpz_clear(power);
    mpq_canonicalize(to);
    return true;
}

static bool leaf(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                 mpq_t to)
{
    if (value->kind == PLAN_SCALAR && !value->exact)
        return plan_op(plan, value) != WORD_PI &&
               decimal(plan->graph->expression[value->expression].text, to);
    double number = value->number;
    if (value->kind == PLAN_STORED) {
        const size_t size = dtype_size(value->type);
        const uint64_t bits = element_load(value->data, size, movement_stored(value, at));
        const struct num_exact exact = num_unpack(value->type, bits);
        if (size == 8 && dtype_kind(value->type) != DTYPE_KIND_FLOAT) {
            mpq_set_ui(to, (unsigned long)exact.significand, 1);
            exact.exponent >= 0 ? mpq_mul_2exp(to, to, (mp_bitcnt_t)exact.exponent)
                                : mpq_div_2exp(to, to, (mp_bitcnt_t)-exact.exponent);
            if (exact.negative)
                mpq_neg(to, to);
            return true;
        }
        number = num_to_double(value->type, bits);
    }
    if (!isfinite(number))
        return false;
    mpq_set_d(to, number);
    return true;
}

static bool aligned(const struct plan *plan, const struct plan_value *value, unsigned operand,
                    const uint64_t *at, struct surd *to)
{
    const struct plan_value *const of = plan_operand(plan, value, operand);
    uint64_t place[GRAPH_RANK_MAX];
    movement_align(of, value->rank, at, place);
    return element(plan, of, place, to);
}

// floor, ceil, trunc and round_even of a rational.
static void whole(enum word_op op, mpq_t x)
{
    mpz_t rest;
    mpz_init(rest);
    if (op == WORD_ROUND_EVEN) {
        mpz_mul_2exp(rest, mpq_denref(x), 1);
        mpz_mul_2exp(mpq_numref(x), mpq_numref(x), 1);
        mpz_add(mpq_numref(x), mpq_numref(x), mpq_denref(x));
        const bool tie = mpz_divisible_p(mpq_numref(x), rest);
        mpz_fdiv_q(mpq_numref(x), mpq_numref(x), rest);
        if (tie && mpz_odd_p(mpq_numref(x)))
            mpz_sub_ui(mpq_numref(x), mpq_numref(x), 1);
    } else {
        (op == WORD_FLOOR  ? mpz_fdiv_q
         : op == WORD_CEIL ? mpz_cdiv_q
                           : mpz_tdiv_q)(mpq_numref(x), mpq_numref(x), mpq_denref(x));
    }
    mpz_set_ui(mpq_denref(x), 1);
    mpz_clear(rest);
}

// Whether both have an order, and which.
static bool ordered(const struct surd *x, const struct surd *y, int *order)
{
    struct surd difference;
    surd_init(&difference);
    surd_set(&difference, y);
    surd_negate(&difference);
    const bool known = surd_add(&difference, x) && surd_sign(&difference, order);
    surd_clear(&difference);
    return known;
}

// A comparison, or the lesser or larger one.
static bool compare(enum word_op op, struct surd *to, struct surd *with)
{
    int order;
    if (!ordered(to, with, &order))
        return false;
    switch (op) {
    case WORD_LEAST:
    case WORD_MIN:
        if (order > 0)
            surd_swap(to, with);
        return true;
    case WORD_GREATEST:
    case WORD_MAX:
        if (order < 0)
            surd_swap(to, with);
        return true;
    case WORD_LESS:
    case WORD_LESS_EQUAL:
        surd_set_whole(to, order < 0 || (order == 0 && op == WORD_LESS_EQUAL));
        return true;
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
        surd_set_whole(to, (order == 0) == (op == WORD_EQUAL));
        return true;
    default:
        return false;
    }
}

static bool combine(enum word_op op, struct surd *to, struct surd *with)
{
    switch (op) {
    case WORD_SUBTRACT:
        surd_negate(with);
        return surd_add(to, with);
    case WORD_ADD:
    case WORD_SUM:
    case WORD_MEAN:
        return surd_add(to, with);
    case WORD_MULTIPLY:
    case WORD_PRODUCT:
        return surd_multiply(to, with);
    case WORD_DIVIDE:
        return surd_divide(to, with);
    case WORD_AND:
        surd_set_whole(to, to->count && with->count);
        return true;
    case WORD_OR:
        surd_set_whole(to, to->count || with->count);
        return true;
    default:
        return compare(op, to, with);
    }
}

static bool squared(struct surd *x)
{
    struct surd same;
    surd_init(&same);
    surd_set(&same, x);
    const bool known = surd_multiply(x, &same);
    surd_clear(&same);
    return known;
}

static bool inverted(struct surd *x)
{
    struct surd one;
    surd_init(&one);
    surd_set_whole(&one, 1);
    const bool known = surd_divide(&one, x);
    surd_swap(x, &one);
    surd_clear(&one);
    return known;
}

// floor and the like of a rational; a function where it is one: what it is at 0, or 1.
static bool of_rational(enum word_op op, struct surd *x)
{
    mpq_t number;
    mpq_init(number);
    bool known = surd_rational(x, number);
    switch (op) {
    case WORD_FLOOR:
    case WORD_CEIL:
    case WORD_TRUNC:
    case WORD_ROUND_EVEN:
        if (known)
            whole(op, number);
        surd_set_rational(x, number);
        break;
    case WORD_EXP:
    case WORD_COS:
        known = known && !mpq_sgn(number);
        surd_set_whole(x, 1);
        break;
    case WORD_LOG:
        known = known && !mpq_cmp_ui(number, 1, 1);
        surd_set_whole(x, 0);
        break;
    case WORD_EXPM1:
    case WORD_LOG1P:
    case WORD_TANH:
    case WORD_ERF:
    case WORD_SIN:
        known = known && !mpq_sgn(number);
        break;
    case WORD_LOGISTIC:
        known = known && !mpq_sgn(number);
        mpq_set_ui(number, 1, 2);
        surd_set_rational(x, number);
        break;
    default:
        known = false;
    }
    mpq_clear(number);
    return known;
}

static bool alone(enum word_op op, struct surd *x)
{
    int sign = 0;
    switch (op) {
    case WORD_NEGATE:
        surd_negate(x);
        return true;
    case WORD_ABS:
    case WORD_SIGN:
        if (!surd_sign(x, &sign))
            return false;
        if (op == WORD_SIGN)
            surd_set_whole(x, sign);
        else if (sign < 0)
            surd_negate(x);
        return true;
    case WORD_SQUARE:
        return squared(x);
    case WORD_NOT:
        surd_set_whole(x, !x->count);
        return true;
    case WORD_SQRT:
        return surd_root(x);
    case WORD_RSQRT:
        return surd_root(x) && inverted(x);
    default:
        return of_rational(op, x);
    }
}

static bool elementwise(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        struct surd *to)
{
    const enum word_op op = plan_op(plan, value);
    if (!aligned(plan, value, 0, at, to))
        return false;
    if (op == WORD_WITHIN)
        return true;
    if (op == WORD_SELECT)
        return aligned(plan, value, to->count ? 1 : 2, at, to);
    if (plan_operands(plan, value) == 1)
        return alone(op, to);
    struct surd other;
    surd_init(&other);
    const bool known = aligned(plan, value, 1, at, &other) && combine(op, to, &other);
    surd_clear(&other);
    return known;
}

static bool reduction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                      struct surd *to)
{
    const enum word_op op = plan_op(plan, value);
    const struct plan_value *const body = plan_operand(plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX], count = 0, best = 0;
    struct surd next;
    bool known = true, more = body->count > 0;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    if (!more && !isfinite(words_of_none(op)))
        return false;
    surd_set_whole(to, more ? 0 : (long)words_of_none(op));
    surd_init(&next);
    while (more && known) {
        known = element(plan, body, place, &next);
        if (known && !count) {
            surd_swap(to, &next);
        } else if (known && op != WORD_ARGMAX) {
            known = combine(op, to, &next);
        } else if (known) {
            int order;
            known = ordered(&next, to, &order);
            if (known && order > 0) {
                best = count;
                surd_swap(to, &next);
            }
        }
        count++;
        more = settle_next(value->rank, body->size, value->own, place);
    }
    if (op == WORD_ARGMAX)
        surd_set_whole(to, (long)best);
    if (op == WORD_MEAN && count) {
        surd_set_whole(&next, (long)count);
        known = surd_divide(to, &next) && known;
    }
    surd_clear(&next);
    return known && (op != WORD_MEAN || count);
}

static bool cumulative(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                       struct surd *to)
{
    const int64_t axis = value->own[0], exclusive = value->own[1], reverse = value->own[2];
    const struct plan_value *const body = plan_operand(plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX];
    struct surd next;
    bool known = true;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    const uint64_t first = reverse ? at[axis] + (exclusive != 0) : 0,
                   end = reverse ? body->size[axis] : at[axis] + (exclusive == 0);
    surd_set_whole(to, 0);
    surd_init(&next);
    for (uint64_t i = first; i < end && known; i++) {
        place[axis] = i;
        known = element(plan, body, place, &next) && combine(WORD_SUM, to, &next);
    }
    surd_clear(&next);
    return known;
}

static bool contraction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        struct surd *to)
{
    const struct plan_product *const product = &plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(plan, value) - 1;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    bool more = true, known = true;
    struct surd a, b;
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = kept; i < product->letters; i++) {
        moves[i] = 1;
        more = more && product->size[i] > 0;
    }
    surd_set_whole(to, 0);
    surd_init(&a);
    surd_init(&b);
    while (more && known) {
        settle_product_places(plan, value, index, place);
        known = element(plan, plan_operand(plan, value, last - 1), place[0], &a) &&
                element(plan, plan_operand(plan, value, last), place[1], &b) &&
                surd_multiply(&a, &b) && surd_add(to, &a);
        more = settle_next(product->letters, product->size, moves, index);
    }
    surd_clear(&a);
    surd_clear(&b);
    return known;
}

static bool set_double(struct surd *to, double number)
{
    if (!isfinite(number))
        return false;
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, number);
    surd_set_rational(to, exact);
    mpq_clear(exact);
    return true;
}

static bool element(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                    struct surd *to)
{
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED) {
        mpq_t number;
        mpq_init(number);
        const bool known = leaf(plan, value, at, number);
        surd_set_rational(to, number);
        mpq_clear(number);
        return known;
    }
    if (value->narrow)
        return set_double(to, value->value[movement_index(value, at)]);
    switch (words_row(plan_op(plan, value))->class) {
    case CLASS_ELEMENTWISE:
        return elementwise(plan, value, at, to);
    case CLASS_REDUCTION:
        return reduction(plan, value, at, to);
    case CLASS_SCAN:
        return cumulative(plan, value, at, to);
    case CLASS_PRODUCT:
        return contraction(plan, value, at, to);
    default: {
        struct movement_source source;
        movement_find(plan, value, at, &source);
        if (source.operand)
            return element(plan, source.operand, source.at, to);
        return set_double(to, source.number);
    }
    }
}

// The 64 leading bits and whether anything is left.
static struct num_exact exact_of(mpq_t x)
{
    struct num_exact to = {.kind = NUM_FINITE, .negative = mpq_sgn(x) < 0};
    mpz_t n, rest;
    if (!mpq_sgn(x))
        return (struct num_exact){.kind = NUM_FINITE};
    mpz_inits(n, rest, (mpz_ptr)0);
    mpz_abs(n, mpq_numref(x));
    const long shift = 66 + (long)mpz_sizeinbase(mpq_denref(x), 2) - (long)mpz_sizeinbase(n, 2);
    if (shift > 0)
        mpz_mul_2exp(n, n, (mp_bitcnt_t)shift);
    mpz_tdiv_qr(n, rest, n, mpq_denref(x));
    to.sticky = mpz_sgn(rest) != 0;
    const long extra = (long)mpz_sizeinbase(n, 2) - 64;
    to.sticky = to.sticky || (extra > 0 && mpz_scan1(n, 0) < (mp_bitcnt_t)extra);
    mpz_tdiv_q_2exp(n, n, (mp_bitcnt_t)extra);
    mpz_export(&to.significand, NULL, -1, sizeof to.significand, 0, 0, n);
    const long exponent = extra - (shift > 0 ? shift : 0);
    to.exponent = (int)(exponent > 8000 ? 8000 : exponent < -8000 ? -8000 : exponent);
    mpz_clears(n, rest, (mpz_ptr)0);
    return to;
}

uint64_t settle_wrap(enum dtype type, mpz_srcptr whole)
{
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, whole, (mp_bitcnt_t)(dtype_bits(type)));
    const uint64_t bits = mpz_get_ui(low);
    mpz_clear(low);
    return bits;
}

bool settle_rational(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                     enum dtype type, enum num_overflow overflow, uint64_t *bits)
{
    struct surd found;
    mpq_t x;
    surd_init(&found);
    mpq_init(x);
    const bool known = element(plan, value, at, &found) && surd_rational(&found, x);
    surd_clear(&found);
    // A zero's sign is not rational; enclosures show zeros that are exact in their precision.
    if (known && overflow == NUM_WRAP && dtype_kind(type) != DTYPE_KIND_FLOAT) {
        whole(WORD_ROUND_EVEN, x);
        *bits = settle_wrap(type, mpq_numref(x));
    } else if (known) {
        *bits = num_pack(type, exact_of(x), NUM_NEAREST_EVEN, overflow);
    }
    mpq_clear(x);
    return known;
}
