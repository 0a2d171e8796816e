// SPDX-License-Identifier: Apache-2.0
// One element by exact rationals: what decides a quotient that is a tie, a zero or a number of
// finitely many bits, which directed roundings never show.

#include "ref/op/declared/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/movement.h"

enum { DECIMAL_EXPONENT_MAX = 4096 };

bool settle_is_rational(const struct plan *plan, const struct plan_value *value)
{
    const enum word_op op = plan_op(plan, value);
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED)
        return op != WORD_PI;
    if (!words_is_rational(op))
        return false;
    for (unsigned o = 0; o < plan_operands(plan, value); o++)
        if (!words_operand_is_static(op, o) &&
            !settle_is_rational(plan, plan_operand(plan, value, o)))
            return false;
    return true;
}

static bool element(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                    mpq_t to);

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
        return decimal(plan->graph->expression[value->expression].text, to);
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
                    const uint64_t *at, mpq_t to)
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

static bool combine(enum word_op op, mpq_t to, mpq_t with)
{
    const int order = mpq_cmp(to, with);
    switch (op) {
    case WORD_ADD:
    case WORD_SUM:
    case WORD_MEAN:
        mpq_add(to, to, with);
        return true;
    case WORD_SUBTRACT:
        mpq_sub(to, to, with);
        return true;
    case WORD_MULTIPLY:
    case WORD_PRODUCT:
        mpq_mul(to, to, with);
        return true;
    case WORD_DIVIDE:
        if (!mpq_sgn(with))
            return false;
        mpq_div(to, to, with);
        return true;
    case WORD_LEAST:
    case WORD_MIN:
        if (order > 0)
            mpq_set(to, with);
        return true;
    case WORD_GREATEST:
    case WORD_MAX:
        if (order < 0)
            mpq_set(to, with);
        return true;
    case WORD_LESS:
    case WORD_LESS_EQUAL:
        mpq_set_ui(to, order < 0 || (order == 0 && op == WORD_LESS_EQUAL), 1);
        return true;
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
        mpq_set_ui(to, (order == 0) == (op == WORD_EQUAL), 1);
        return true;
    case WORD_AND:
        mpq_set_ui(to, mpq_sgn(to) && mpq_sgn(with), 1);
        return true;
    case WORD_OR:
        mpq_set_ui(to, mpq_sgn(to) || mpq_sgn(with), 1);
        return true;
    default:
        return false;
    }
}

static bool alone(enum word_op op, mpq_t x)
{
    switch (op) {
    case WORD_NEGATE:
        mpq_neg(x, x);
        return true;
    case WORD_ABS:
        mpq_abs(x, x);
        return true;
    case WORD_SIGN:
        mpq_set_si(x, mpq_sgn(x), 1);
        return true;
    case WORD_SQUARE:
        mpq_mul(x, x, x);
        return true;
    case WORD_NOT:
        mpq_set_ui(x, !mpq_sgn(x), 1);
        return true;
    case WORD_FLOOR:
    case WORD_CEIL:
    case WORD_TRUNC:
    case WORD_ROUND_EVEN:
        whole(op, x);
        return true;
    default:
        return false;
    }
}

static bool elementwise(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        mpq_t to)
{
    const enum word_op op = plan_op(plan, value);
    if (!aligned(plan, value, 0, at, to))
        return false;
    if (op == WORD_WITHIN)
        return true;
    if (op == WORD_SELECT)
        return aligned(plan, value, mpq_sgn(to) ? 1 : 2, at, to);
    if (plan_operands(plan, value) == 1)
        return alone(op, to);
    mpq_t other;
    mpq_init(other);
    const bool known = aligned(plan, value, 1, at, other) && combine(op, to, other);
    mpq_clear(other);
    return known;
}

static bool reduction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                      mpq_t to)
{
    const enum word_op op = plan_op(plan, value);
    const struct plan_value *const body = plan_operand(plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX], count = 0, best = 0;
    mpq_t next;
    bool known = true, more = body->count > 0;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    if (!more && !isfinite(words_of_none(op)))
        return false;
    mpq_set_d(to, words_of_none(op));
    mpq_init(next);
    while (more && known) {
        known = element(plan, body, place, next);
        if (!count)
            mpq_set(to, next);
        else if (known && op != WORD_ARGMAX)
            known = combine(op, to, next);
        else if (known && mpq_cmp(next, to) > 0) {
            best = count;
            mpq_set(to, next);
        }
        count++;
        more = settle_next(value->rank, body->size, value->own, place);
    }
    if (op == WORD_ARGMAX)
        mpq_set_ui(to, (unsigned long)best, 1);
    if (op == WORD_MEAN && count) {
        mpq_set_ui(next, (unsigned long)count, 1);
        mpq_div(to, to, next);
    }
    mpq_clear(next);
    return known && (op != WORD_MEAN || count);
}

static bool cumulative(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                       mpq_t to)
{
    const int64_t axis = value->own[0], exclusive = value->own[1], reverse = value->own[2];
    const struct plan_value *const body = plan_operand(plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX];
    mpq_t next;
    bool known = true;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    const uint64_t first = reverse ? at[axis] + (exclusive != 0) : 0,
                   end = reverse ? body->size[axis] : at[axis] + (exclusive == 0);
    mpq_set_ui(to, 0, 1);
    mpq_init(next);
    for (uint64_t i = first; i < end && known; i++) {
        place[axis] = i;
        known = element(plan, body, place, next) && combine(WORD_SUM, to, next);
    }
    mpq_clear(next);
    return known;
}

static bool contraction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        mpq_t to)
{
    const struct plan_product *const product = &plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(plan, value) - 1;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    bool more = true, known = true;
    mpq_t a, b;
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = kept; i < product->letters; i++) {
        moves[i] = 1;
        more = more && product->size[i] > 0;
    }
    mpq_set_ui(to, 0, 1);
    mpq_inits(a, b, (mpq_ptr)0);
    while (more && known) {
        settle_product_places(plan, value, index, place);
        known = element(plan, plan_operand(plan, value, last - 1), place[0], a) &&
                element(plan, plan_operand(plan, value, last), place[1], b);
        mpq_mul(a, a, b);
        mpq_add(to, to, a);
        more = settle_next(product->letters, product->size, moves, index);
    }
    mpq_clears(a, b, (mpq_ptr)0);
    return known;
}

static bool element(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                    mpq_t to)
{
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED)
        return leaf(plan, value, at, to);
    if (value->narrow) {
        const double sum = value->value[movement_index(value, at)];
        if (isfinite(sum))
            mpq_set_d(to, sum);
        return isfinite(sum);
    }
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
        mpq_set_d(to, source.number);
        return true;
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
    mpq_t x;
    mpq_init(x);
    const bool known = element(plan, value, at, x);
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
