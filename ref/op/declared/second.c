// SPDX-License-Identifier: Apache-2.0
// One element in pairs of doubles, each with a bound on its error; ref/PROOFS.md, "Declared
// operators", has the bounds.
//
// Whatever pairs cannot hold well is given up, and left to enclosures: infinities and NaN, numbers
// near the ends of the exponents, errors that are not far below the number itself, and so every
// condition that an error could turn.

#include "ref/op/declared/second.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

// Products of such numbers, and what they leave out, are far from the ends of the exponents.
#define LEAST 0x1p-480
#define LARGEST 0x1p480
// An error is at most this share of the number.
#define SHARE 0x1p-40
// Roundings of the bounds, and second orders of errors.
#define WIDER (1 + 0x1p-30)
// What a sum, and a product, of pairs may be off by, as a share.
#define SUM_SHARE 0x1p-104
#define PRODUCT_SHARE 0x1p-103

static const struct second one = {{1, 0}, 0};

// It is one double.
static bool is_exact(const struct second *x)
{
    return x->error == 0 && x->pair.low == 0;
}

static bool keep(struct second *to, struct function_pair pair, double error)
{
    const double size = fabs(pair.high);
    *to = (struct second){pair, error};
    return size == 0 ? error == 0 && pair.low == 0
                     : size >= LEAST && size <= LARGEST && error <= size * SHARE;
}

// ---- arithmetic -------------------------------------------------------------

static bool add(struct second *to, struct second a, struct second b)
{
    const struct function_pair sum = pair_add(a.pair, b.pair);
    const double own = is_exact(&a) && is_exact(&b) ? 0 : fabs(sum.high) * SUM_SHARE;
    return keep(to, sum, (a.error + b.error + own) * WIDER);
}

static struct second negated(struct second x)
{
    x.pair = pair_negated(x.pair);
    return x;
}

static bool multiply(struct second *to, struct second a, struct second b)
{
    const struct function_pair product = pair_multiply(a.pair, b.pair);
    const double own = is_exact(&a) && is_exact(&b) ? 0 : fabs(product.high) * PRODUCT_SHARE;
    return keep(to, product,
                (own + fabs(a.pair.high) * b.error + fabs(b.pair.high) * a.error) * WIDER);
}

// What `product` is off from `whole`, whose share of error it has: an upper bound.
static double distance(struct function_pair whole, struct function_pair product)
{
    const struct function_pair left = pair_add(whole, pair_negated(product));
    return fabs(left.high) + fabs(whole.high) * 0x1p-102;
}

static bool divide(struct second *to, struct second a, struct second b)
{
    if (b.pair.high == 0)
        return false;
    const struct function_pair quotient = pair_divide(a.pair, b.pair);
    const struct function_pair back = pair_two_product(quotient.high, b.pair.high);
    if (is_exact(&a) && is_exact(&b) && quotient.low == 0 && back.low == 0 &&
        back.high == a.pair.high)
        return keep(to, quotient, 0);
    const double left = distance(a.pair, pair_multiply(quotient, b.pair));
    return keep(to, quotient,
                (left + a.error + fabs(quotient.high) * b.error) / fabs(b.pair.high) * WIDER);
}

static bool root(struct second *to, struct second x)
{
    if (!(x.pair.high > 0))
        return false;
    const double high = sqrt(x.pair.high), rest = fma(-high, high, x.pair.high);
    if (is_exact(&x) && rest == 0)
        return keep(to, (struct function_pair){high, 0}, 0);
    const struct function_pair pair = pair_fast_two_sum(high, (rest + x.pair.low) / (2 * high));
    const double left = distance(x.pair, pair_multiply(pair, pair));
    return keep(to, pair, (left + x.error) / high * WIDER);
}

// ---- functions --------------------------------------------------------------

// The slope at x, where the function is v, and a bound of its change per unit of the argument. What
// the argument moves by is far less than x, and for log1p than 1 + x.
static double slope(enum num_function function, double x, double v, double *change)
{
    const double size = fabs(v);
    *change = 1.1 * size;
    switch (function) {
    case NUM_EXPM1:
        *change = 1.1 * (size + 1);
        return v + 1;
    case NUM_LOG:
        *change = 1.1 / (x * x);
        return 1 / x;
    case NUM_LOG1P:
        *change = 1.1 / ((1 + x) * (1 + x));
        return 1 / (1 + x);
    case NUM_TANH:
        *change = 2.2 * size;
        return 1 - v * v;
    case NUM_LOGISTIC:
        return v * (1 - v);
    default:
        return v;
    }
}

// At the high part of the argument, and from there along the slope.
static bool function_at(struct second *to, enum num_function function, struct second x)
{
    struct function_pair y;
    double change, off;
    if (x.pair.high == 0) { // exactly so
        if (function == NUM_LOG)
            return false;
        return keep(to,
                    (struct function_pair){function == NUM_EXP || function == NUM_COS ? 1
                                           : function == NUM_LOGISTIC                 ? 0.5
                                                                                      : 0,
                                           0},
                    0);
    }
    if (function == NUM_LOG && is_exact(&x) && x.pair.high == 1)
        return keep(to, (struct function_pair){0, 0}, 0);
    if (!function_pair_at(function, x.pair.high, &y, &off))
        return false;
    const double moved = x.pair.low, size = fabs(y.high), far = fabs(moved) + x.error;
    const double along = slope(function, x.pair.high, y.high, &change);
    if (function == NUM_LOG1P && !(far < (1 + x.pair.high) * 0x1p-20))
        return false;
    // the slope is off by 2^-48 of itself and of the function
    const double error = off + size * SUM_SHARE + far * 0x1p-48 * (fabs(along) + size) +
                         1.1 * fabs(along) * x.error + change * far * far;
    return keep(to, pair_add(y, (struct function_pair){moved * along, 0}), error * WIDER);
}

// erf x = 2 / sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): all terms have one sign.
static bool error_function(struct second *to, struct second x)
{
    enum { TERMS = 220 };
    static const struct function_pair two_by_root = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
    struct second square, down;
    struct function_pair term = x.pair, sum = x.pair;
    if (x.pair.high == 0)
        return keep(to, x.pair, 0);
    if (!(fabs(x.pair.high) < 6) || !multiply(&square, x, x) ||
        !function_at(&down, NUM_EXP, negated(square)))
        return false;
    int n = 1;
    for (; n < TERMS; n++) {
        term = pair_divide(pair_multiply(term, pair_scaled(square.pair, 1)),
                           (struct function_pair){2 * n + 1, 0});
        sum = pair_add(sum, term);
        // the next terms are less than half of those before them
        if (fabs(term.high) < fabs(sum.high) * 0x1p-100 && 4 * square.pair.high < 2 * n + 3)
            break;
    }
    // each term has lost at most 32 * 2^-106 more than the one before it
    const struct second series = {sum, fabs(sum.high) * 0x1p-92}, factor = {two_by_root, 0x1p-104};
    return n < TERMS && multiply(to, series, down) && multiply(to, *to, factor) &&
           keep(to, to->pair, to->error + 1.2 * x.error);
}

static bool function_of(struct second *to, enum word_op op, struct second x)
{
    if (op == WORD_ERF)
        return error_function(to, x);
    const int function = look_function_of(op);
    return function >= 0 && function_at(to, (enum num_function)function, x);
}

// x^y = exp(y log x)
static bool power(struct second *to, struct second x, struct second y)
{
    struct second log, times;
    return x.pair.high > 0 && function_at(&log, NUM_LOG, x) && multiply(&times, y, log) &&
           function_at(to, NUM_EXP, times);
}

// ---- conditions -------------------------------------------------------------

// Whether a is less than, equal to or more than b: -1, 0, 1; false where it is not known.
static bool order(struct second a, struct second b, int *to)
{
    struct second difference;
    if (!add(&difference, a, negated(b)))
        return false;
    *to = (difference.pair.high > 0) - (difference.pair.high < 0);
    return true;
}

// A comparison of what is less, equal or more; false of other words.
static bool holds(struct second *to, enum word_op op, int way)
{
    if (op != WORD_LESS && op != WORD_LESS_EQUAL && op != WORD_EQUAL && op != WORD_NOT_EQUAL)
        return false;
    const bool yes = op == WORD_LESS         ? way < 0
                     : op == WORD_LESS_EQUAL ? way <= 0
                     : op == WORD_EQUAL      ? way == 0
                                             : way != 0;
    return keep(to, (struct function_pair){yes, 0}, 0);
}

static bool compare(struct second *to, enum word_op op, struct second a, struct second b)
{
    int way;
    return order(a, b, &way) && holds(to, op, way);
}

static bool larger(struct second *to, struct second a, struct second b, bool least)
{
    int way;
    if (!order(a, b, &way))
        return false;
    *to = (way > 0) != least ? a : b;
    return true;
}

// ---- expressions ------------------------------------------------------------

static bool aligned(const struct plan *plan, const struct plan_value *value, unsigned operand,
                    const uint64_t *at, struct second *to)
{
    const struct plan_value *const of = plan_operand(plan, value, operand);
    uint64_t place[GRAPH_RANK_MAX];
    movement_align(of, value->rank, at, place);
    return second_estimate(plan, of, place, to);
}

static bool of_two(struct second *to, enum word_op op, struct second a, struct second b)
{
    switch (op) {
    case WORD_ADD:
        return add(to, a, b);
    case WORD_SUBTRACT:
        return add(to, a, negated(b));
    case WORD_MULTIPLY:
        return multiply(to, a, b);
    case WORD_DIVIDE:
        return divide(to, a, b);
    case WORD_POW:
        return power(to, a, b);
    case WORD_LEAST:
    case WORD_GREATEST:
        return larger(to, a, b, op == WORD_LEAST);
    case WORD_AND:
        return keep(to, (struct function_pair){a.pair.high != 0 && b.pair.high != 0, 0}, 0);
    case WORD_OR:
        return keep(to, (struct function_pair){a.pair.high != 0 || b.pair.high != 0, 0}, 0);
    default:
        return compare(to, op, a, b);
    }
}

static bool of_one(struct second *to, enum word_op op, struct second x)
{
    const double sign = x.pair.high;
    switch (op) {
    case WORD_NEGATE:
        *to = negated(x);
        return true;
    case WORD_ABS:
        *to = sign < 0 ? negated(x) : x;
        return true;
    case WORD_SQUARE:
        return multiply(to, x, x);
    case WORD_SQRT:
        return root(to, x);
    case WORD_RSQRT:
        return root(to, x) && divide(to, one, *to);
    case WORD_SIGN:
        return keep(to, (struct function_pair){(sign > 0) - (sign < 0), 0}, 0);
    case WORD_NOT:
        return keep(to, (struct function_pair){sign == 0, 0}, 0);
    default:
        return function_of(to, op, x);
    }
}

// 1 and -1 for inf and -inf, as they are written; else 0.
static int infinity_of(const struct plan *plan, const struct plan_value *value)
{
    if (value->kind == PLAN_FUSED && plan_op(plan, value) == WORD_NEGATE)
        return -infinity_of(plan, plan_operand(plan, value, 0));
    return value->kind == PLAN_SCALAR && isinf(value->number) ? value->number > 0 ? 1 : -1 : 0;
}

static bool elementwise(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        struct second *to)
{
    const enum word_op op = plan_op(plan, value);
    struct second a, b;
    if (!aligned(plan, value, 0, at, &a))
        return false;
    if (op == WORD_SELECT)
        return aligned(plan, value, a.pair.high != 0 ? 1 : 2, at, to);
    if (op == WORD_WITHIN) {
        *to = a;
        return true;
    }
    if (plan_operands(plan, value) == 1)
        return of_one(to, op, a);
    const int infinite = infinity_of(plan, plan_operand(plan, value, 1));
    if (infinite) // a number beside it
        return holds(to, op, -infinite);
    return aligned(plan, value, 1, at, &b) && of_two(to, op, a, b);
}

// ---- what goes over axes ------------------------------------------------------

// Takes `next` into the sum, product, least or largest so far.
static bool reduce(enum word_op op, struct second *to, struct second next)
{
    switch (op) {
    case WORD_SUM:
    case WORD_MEAN:
        return add(to, *to, next);
    case WORD_PRODUCT:
        return multiply(to, *to, next);
    case WORD_MAX:
    case WORD_MIN:
        return larger(to, *to, next, op == WORD_MIN);
    default:
        return false;
    }
}

static bool reduction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                      struct second *to)
{
    const enum word_op op = plan_op(plan, value);
    const struct plan_value *const body = plan_operand(plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX], count = 0;
    struct second next;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    if (!body->count)
        return false;
    do {
        if (!second_estimate(plan, body, place, count ? &next : to) ||
            (count && !reduce(op, to, next)))
            return false;
        count++;
    } while (settle_next(value->rank, body->size, value->own, place));
    const struct second divisor = {{(double)count, 0}, 0};
    return op != WORD_MEAN || divide(to, *to, divisor);
}

static bool cumulative(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                       struct second *to)
{
    const struct plan_value *const body = plan_operand(plan, value, 0);
    const int64_t axis = value->own[0];
    const bool exclusive = value->own[1] != 0, reverse = value->own[2] != 0;
    uint64_t place[GRAPH_RANK_MAX];
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    const uint64_t first = reverse ? at[axis] + exclusive : 0,
                   end = reverse ? body->size[axis] : at[axis] + !exclusive;
    struct second next;
    for (uint64_t i = first; i < end; i++) {
        place[axis] = i;
        if (!second_estimate(plan, body, place, i == first ? to : &next) ||
            (i != first && !add(to, *to, next)))
            return false;
    }
    return first < end || keep(to, (struct function_pair){0, 0}, 0);
}

static bool contraction(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        struct second *to)
{
    const struct plan_product *const product = &plan->product[value->own[0]];
    const unsigned last = plan_operands(plan, value) - 1;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = product->letters - product->contracted; i < product->letters; i++) {
        moves[i] = 1;
        if (!product->size[i])
            return false;
    }
    bool first = true;
    do {
        struct second a, b, term;
        settle_product_places(plan, value, index, place);
        if (!second_estimate(plan, plan_operand(plan, value, last - 1), place[0], &a) ||
            !second_estimate(plan, plan_operand(plan, value, last), place[1], &b) ||
            !multiply(first ? to : &term, a, b) || (!first && !add(to, *to, term)))
            return false;
        first = false;
    } while (settle_next(product->letters, product->size, moves, index));
    return true;
}

// ---- one element --------------------------------------------------------------

static bool leaf(const struct plan_value *value, const uint64_t *at, struct second *to)
{
    const size_t size = dtype_size(value->type);
    const uint64_t bits = element_load(value->data, size, movement_stored(value, at));
    const double number = num_to_double(value->type, bits);
    const bool whole = size == 8 && dtype_kind(value->type) != DTYPE_KIND_FLOAT;
    return (!whole || fabs(number) < 0x1p53) && keep(to, (struct function_pair){number, 0}, 0);
}

bool second_estimate(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                     struct second *to)
{
    if (value->kind == PLAN_SCALAR)
        return keep(to, (struct function_pair){value->number, value->rest},
                    value->exact ? 0 : fabs(value->number) * SUM_SHARE);
    if (value->kind == PLAN_STORED)
        return leaf(value, at, to);
    if (value->narrow)
        return keep(to, (struct function_pair){value->value[movement_index(value, at)], 0}, 0);
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
        return source.operand ? second_estimate(plan, source.operand, source.at, to)
                              : keep(to, (struct function_pair){source.number, 0}, 0);
    }
    }
}
