// SPDX-License-Identifier: Apache-2.0
// The shape and the natural type of every word.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/op/declared/plan.h"

const char *plan_describe(unsigned rank, const uint64_t *sizes, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (unsigned i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, i ? "," : "", sizes[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

enum error plan_count(struct plan_value *value, struct diagnostic *diagnostic)
{
    value->count = 1;
    bool fits = true, empty = false;
    for (unsigned i = 0; i < value->rank; i++) {
        empty = empty || !value->size[i];
        fits = fits && !__builtin_mul_overflow(value->count, value->size[i] ? value->size[i] : 1,
                                               &value->count);
    }
    if (!fits || value->count > UINT64_C(1) << 40)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "a tensor inside would have more than 2^40 elements");
    value->count = empty ? 0 : value->count;
    return ERROR_NONE;
}

// Sums and products of these types are of the wider; NONE: a number, which takes the other's.
static enum dtype wider(enum dtype a, enum dtype b)
{
    static const int order[DTYPE_COUNT] = {
        [DTYPE_BOOL] = 1, [DTYPE_I64] = 2, [DTYPE_F32] = 3, [DTYPE_F64] = 4};
    return order[a] >= order[b] ? a : b;
}

static enum dtype at_least_float(enum dtype type)
{
    return wider(type, DTYPE_F32);
}

static enum error broadcast(struct plan *plan, struct plan_value *value,
                            struct diagnostic *diagnostic)
{
    value->rank = 0;
    for (unsigned o = 0; o < plan_operands(plan, value); o++)
        if (plan_operand(plan, value, o)->rank > value->rank)
            value->rank = plan_operand(plan, value, o)->rank;
    for (unsigned i = 0; i < value->rank; i++)
        value->size[i] = 1;
    for (unsigned o = 0; o < plan_operands(plan, value); o++) {
        const struct plan_value *const operand = plan_operand(plan, value, o);
        for (unsigned i = 0; i < operand->rank; i++) {
            uint64_t *const size = &value->size[value->rank - operand->rank + i];
            if (*size == 1)
                *size = operand->size[i];
            else if (operand->size[i] != 1 && operand->size[i] != *size) {
                char a[160], b[160];
                const struct plan_value *const first = plan_operand(plan, value, 0);
                return diagnostic_fail(
                    diagnostic, ERROR_INVALID_ARGUMENT,
                    "'%s' has operands of shapes %s and %s, which do not fit together",
                    words_row(plan_op(plan, value))->name,
                    plan_describe(first->rank, first->size, a, sizeof a),
                    plan_describe(operand->rank, operand->size, b, sizeof b));
            }
        }
    }
    return ERROR_NONE;
}

// An exact number as a condition, in every place the same: 1, 0; -1: it is none.
static int truth_of(const struct plan_value *value)
{
    return value->kind != PLAN_SCALAR || !value->exact || isnan(value->number) ? -1
           : value->number != 0                                                ? 1
                                                                               : 0;
}

// The least and the largest number of what shapes decide: an exact number, and indices along an
// axis. False of all else.
static bool range_of(const struct plan *plan, const struct plan_value *value, double *low,
                     double *high)
{
    if (value->kind != PLAN_SCALAR && plan_op(plan, value) == WORD_IOTA) {
        const uint64_t size = value->size[value->own[0]];
        *low = 0;
        *high = size ? (double)(size - 1) : 0;
        return true;
    }
    *low = *high = value->number;
    return truth_of(value) >= 0;
}

static int compared(const struct plan *plan, enum word_op op, const struct plan_value *a,
                    const struct plan_value *b)
{
    double low[2], high[2];
    if (!range_of(plan, a, &low[0], &high[0]) || !range_of(plan, b, &low[1], &high[1]))
        return -1;
    const bool same = low[0] == high[0] && low[1] == high[1] && low[0] == low[1],
               less = high[0]<low[1], more = low[0]> high[1];
    switch (op) {
    case WORD_LESS:
        return less ? 1 : low[0] >= high[1] ? 0 : -1;
    case WORD_LESS_EQUAL:
        return high[0] <= low[1] ? 1 : more ? 0 : -1;
    case WORD_EQUAL:
        return same ? 1 : less || more ? 0 : -1;
    case WORD_NOT_EQUAL:
        return same ? 0 : less || more ? 1 : -1;
    default:
        return -1;
    }
}

// A condition that shapes and attributes decide is a number, whatever its other operand holds.
static void decide(const struct plan *plan, struct plan_value *value)
{
    const enum word_op op = plan_op(plan, value);
    if (op < WORD_LESS || op > WORD_NOT)
        return;
    const struct plan_value *const a = plan_operand(plan, value, 0), *const b = plan_operand(
                                                                         plan, value,
                                                                         op == WORD_NOT ? 0 : 1);
    const int x = truth_of(a), y = truth_of(b);
    const int holds = op == WORD_AND   ? x == 0 || y == 0   ? 0
                                         : x == 1 && y == 1 ? 1
                                                            : -1
                      : op == WORD_OR  ? x == 1 || y == 1   ? 1
                                         : x == 0 && y == 0 ? 0
                                                            : -1
                      : op == WORD_NOT ? x < 0 ? x : !x
                                       : compared(plan, op, a, b);
    if (holds < 0)
        return;
    value->kind = PLAN_SCALAR;
    value->number = holds;
    value->exact = true;
}

static enum error shape_elementwise(struct plan *plan, struct plan_value *value,
                                    struct diagnostic *diagnostic)
{
    const enum word_op op = plan_op(plan, value);
    const unsigned first = op == WORD_SELECT;
    value->kind = PLAN_FUSED;
    value->natural = DTYPE_NONE;
    for (unsigned o = first; o < plan_operands(plan, value); o++)
        value->natural = wider(value->natural, plan_operand(plan, value, o)->natural);
    if (op >= WORD_LESS && op <= WORD_NOT)
        value->natural = DTYPE_BOOL;
    else if (op == WORD_DIVIDE || (op >= WORD_SQRT && op <= WORD_POW))
        value->natural = at_least_float(value->natural);
    else if (value->natural == DTYPE_BOOL && op != WORD_SELECT && op != WORD_LEAST &&
             op != WORD_GREATEST)
        value->natural = DTYPE_I64;
    decide(plan, value);
    return broadcast(plan, value, diagnostic);
}

static enum error axis_within(int64_t *axis, unsigned rank, struct diagnostic *diagnostic)
{
    if (*axis < -(int64_t)rank || *axis >= (int64_t)rank)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "axis %" PRId64 " is outside the %u dimensions there are", *axis,
                               rank);
    *axis += *axis < 0 ? (int64_t)rank : 0;
    return ERROR_NONE;
}

// own[axis] is 1 where the axis is reduced.
static enum error shape_reduction(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const operand = plan_operand(plan, value, 0);
    int64_t axes[GRAPH_LIST_MAX];
    unsigned count = 0;
    value->kind = PLAN_KEPT;
    value->rank = operand->rank;
    value->natural = e->op == WORD_MEAN     ? at_least_float(operand->natural)
                     : e->op == WORD_ARGMAX ? DTYPE_I64
                                            : operand->natural;
    if (value->natural == DTYPE_BOOL && (e->op == WORD_SUM || e->op == WORD_PRODUCT))
        value->natural = DTYPE_I64;
    memcpy(value->size, operand->size, sizeof value->size);
    enum error error =
        e->count > 1 ? plan_integers(plan, e->operand[1], GRAPH_LIST_MAX, axes, &count, diagnostic)
                     : ERROR_NONE;
    for (unsigned i = 0; e->count == 1 && i < value->rank; i++)
        axes[count++] = i;
    for (unsigned i = 0; i < count && !error; i++) {
        error = axis_within(&axes[i], value->rank, diagnostic);
        if (!error && value->own[axes[i]])
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "axis %" PRId64 " is named twice", axes[i]);
        if (!error) {
            value->own[axes[i]] = 1;
            value->size[axes[i]] = 1;
        }
    }
    if (error)
        return error;
    error = plan_count(value, diagnostic);
    if (!error && e->op == WORD_ARGMAX && value->count && !operand->count)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "%s over an axis without elements has no value",
                                words_row(e->op)->name);
    return error;
}

// own: axis, exclusive, reverse.
static enum error shape_cumsum(struct plan *plan, struct plan_value *value,
                               struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const operand = plan_operand(plan, value, 0);
    value->kind = PLAN_KEPT;
    value->natural = operand->natural == DTYPE_BOOL ? DTYPE_I64 : operand->natural;
    value->rank = operand->rank;
    memcpy(value->size, operand->size, sizeof value->size);
    enum error error = plan_integer(plan, e->operand[1], &value->own[0], diagnostic);
    for (unsigned i = 2; i < e->count && !error; i++)
        error = plan_integer(plan, e->operand[i], &value->own[i - 1], diagnostic);
    return error ? error : axis_within(&value->own[0], value->rank, diagnostic);
}

enum error plan_shape(struct plan *plan, struct plan_value *value, struct diagnostic *diagnostic)
{
    enum error error;
    switch (words_row(plan_op(plan, value))->class) {
    case CLASS_ELEMENTWISE:
        error = shape_elementwise(plan, value, diagnostic);
        break;
    case CLASS_REDUCTION:
        error = shape_reduction(plan, value, diagnostic);
        break;
    case CLASS_SCAN:
        error = shape_cumsum(plan, value, diagnostic);
        break;
    case CLASS_PRODUCT:
        error = plan_shape_product(plan, value, diagnostic);
        break;
    case CLASS_STEP:
        error = plan_shape_step(plan, value, diagnostic);
        break;
    default:
        error = plan_shape_movement(plan, value, diagnostic);
    }
    return error ? error : plan_count(value, diagnostic);
}
