// SPDX-License-Identifier: Apache-2.0
// What shapes and attributes decide: sizes, axes, and conditions on them.

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/op/declared/plan.h"

static void put_number(struct plan_static *to, double number)
{
    *to = (struct plan_static){.count = 1, .number = {number}};
}

static enum error of_attribute(const struct plan *plan, unsigned index, struct plan_static *to,
                               struct diagnostic *diagnostic)
{
    const struct attribute_spec *const spec = &plan->request->operation->attributes[index];
    const struct attribute_value *const value = &plan->request->attribute[index];
    if (!value->present)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "attribute %s is not given",
                               spec->name);
    switch (spec->kind) {
    case ATTRIBUTE_WORD:
        *to = (struct plan_static){.text = request_word(plan->request, index)};
        return ERROR_NONE;
    case ATTRIBUTE_DTYPE:
        *to = (struct plan_static){.text = dtype_name((enum dtype)value->integer)};
        return ERROR_NONE;
    case ATTRIBUTE_REAL:
        put_number(to, value->real);
        return ERROR_NONE;
    case ATTRIBUTE_SIZES:
    case ATTRIBUTE_REALS:
        *to = (struct plan_static){.list = true, .count = (unsigned)value->count};
        if (value->count > GRAPH_LIST_MAX)
            return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                   "attribute %s has %zu numbers; at most %d are supported",
                                   spec->name, value->count, GRAPH_LIST_MAX);
        for (unsigned i = 0; i < to->count; i++)
            to->number[i] =
                spec->kind == ATTRIBUTE_REALS ? value->reals[i] : (double)value->integers[i];
        return ERROR_NONE;
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_INTEGER64:
    case ATTRIBUTE_BOOLEAN:
        put_number(to, (double)value->integer);
        return ERROR_NONE;
    default:
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute %s is neither a number nor a word", spec->name);
    }
}

// An input whose elements are sizes or axes: whole numbers.
static enum error of_input(const struct plan *plan, unsigned index, struct plan_static *to,
                           struct diagnostic *diagnostic)
{
    const char *const name = plan->request->operation->inputs[index].name;
    const struct tensor *const tensor = &plan->request->input[index];
    uint64_t count = 0;
    if (!tensor_present(tensor))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is not given", name);
    if (dtype_kind(tensor->dtype) == DTYPE_KIND_FLOAT || tensor->rank > 1 ||
        !tensor_count(tensor, &count) || count > GRAPH_LIST_MAX || (count && !tensor->data))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "input %s is used as a size or an axis; expected at most %d whole "
                               "numbers",
                               name, GRAPH_LIST_MAX);
    *to = (struct plan_static){.list = tensor->rank == 1, .count = (unsigned)count};
    for (unsigned i = 0; i < to->count; i++)
        to->number[i] = (double)operation_load_integer(tensor, i);
    return ERROR_NONE;
}

static bool is_present(const struct plan *plan, const struct graph_expression *of)
{
    return of->op == WORD_INPUT ? tensor_present(&plan->request->input[of->index])
                                : plan->request->attribute[of->index].present;
}

// The axes of `tensor` along which `smaller` is broadcast to it.
static enum error of_broadcast(struct plan *plan, const struct plan_value *tensor, uint16_t smaller,
                               struct plan_static *to, struct diagnostic *diagnostic)
{
    struct plan_value *other;
    const enum error error = plan_expression(plan, smaller, &other, diagnostic);
    if (error)
        return error;
    *to = (struct plan_static){.list = true};
    for (unsigned i = 0; i < tensor->rank; i++) {
        const int of = (int)(i + other->rank) - (int)tensor->rank;
        if (of < 0 || other->size[of] == 1)
            to->number[to->count++] = i;
    }
    return ERROR_NONE;
}

static enum error of_shape(struct plan *plan, const struct graph_expression *e,
                           struct plan_static *to, struct diagnostic *diagnostic)
{
    struct plan_value *tensor;
    int64_t axis[GRAPH_RANK_MAX];
    unsigned count = 0;
    enum error error = plan_expression(plan, e->operand[0], &tensor, diagnostic);
    if (error)
        return error;
    const struct plan_value of = *tensor;
    if (e->op == WORD_RANK) {
        put_number(to, of.rank);
        return ERROR_NONE;
    }
    if (e->op == WORD_TYPE) {
        const enum dtype type = of.kind == PLAN_STORED ? of.type : of.natural;
        *to = (struct plan_static){.text = type ? dtype_name(type) : "number"};
        return ERROR_NONE;
    }
    if (e->op == WORD_SHAPE) {
        *to = (struct plan_static){.list = true, .count = of.rank};
        for (unsigned i = 0; i < of.rank; i++)
            to->number[i] = (double)of.size[i];
        return ERROR_NONE;
    }
    if (e->op == WORD_BROADCAST_AXES)
        return of_broadcast(plan, &of, e->operand[1], to, diagnostic);
    error = plan_evaluate_static(plan, e->operand[1], to, diagnostic);
    if (!error)
        error = plan_integers(plan, e->operand[1], GRAPH_RANK_MAX, axis, &count, diagnostic);
    for (unsigned i = 0; i < count && !error; i++) {
        if (axis[i] < -(int64_t)of.rank || axis[i] >= (int64_t)of.rank)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "axis %lld is outside the %u dimensions there are",
                                   (long long)axis[i], of.rank);
        to->number[i] = (double)of.size[axis[i] < 0 ? axis[i] + of.rank : axis[i]];
    }
    return error;
}

static double arithmetic(enum word_op op, double a, double b)
{
    switch (op) {
    case WORD_ADD:
        return a + b;
    case WORD_SUBTRACT:
        return a - b;
    case WORD_MULTIPLY:
        return a * b;
    case WORD_DIVIDE:
        return a / b;
    case WORD_DIVIDE_DOWN:
        return floor(a / b);
    case WORD_REMAINDER:
        return a - b * floor(a / b);
    case WORD_LEAST:
        return fmin(a, b);
    case WORD_GREATEST:
        return fmax(a, b);
    case WORD_LESS:
        return a < b;
    case WORD_LESS_EQUAL:
        return a <= b;
    case WORD_EQUAL:
        return a == b;
    case WORD_NOT_EQUAL:
        return a != b;
    case WORD_AND:
        return a != 0 && b != 0;
    case WORD_OR:
        return a != 0 || b != 0;
    case WORD_NEGATE:
        return -a;
    case WORD_ABS:
        return fabs(a);
    case WORD_NOT:
        return a == 0;
    default:
        return NAN;
    }
}

// Whether both are the same words or the same lists; -1: they cannot be compared so.
static int same(const struct plan_static *a, const struct plan_static *b)
{
    if (a->text || b->text)
        return a->text && b->text && !strcmp(a->text, b->text);
    if (!a->list && !b->list)
        return -1;
    bool is = a->count == b->count;
    for (unsigned i = 0; is && i < a->count; i++)
        is = a->number[i] == b->number[i];
    return is;
}

static enum error of_operands(struct plan *plan, const struct graph_expression *e,
                              struct plan_static *to, struct diagnostic *diagnostic)
{
    struct plan_static a, b = {.count = 1};
    enum error error = plan_evaluate_static(plan, e->operand[0], &a, diagnostic);
    // What a condition rules out is not looked at: `present(B) and rank(B) == 1`.
    if (!error && (e->op == WORD_AND || e->op == WORD_OR || e->op == WORD_IF) && !a.list &&
        !a.text) {
        const bool holds = a.number[0] != 0;
        if (e->op == WORD_IF)
            return plan_evaluate_static(plan, e->operand[holds ? 1 : 2], to, diagnostic);
        if (holds == (e->op == WORD_OR)) {
            put_number(to, holds);
            return ERROR_NONE;
        }
    }
    if (!error && e->count > 1)
        error = plan_evaluate_static(plan, e->operand[1], &b, diagnostic);
    if (error)
        return error;
    const int alike = same(&a, &b);
    if (alike >= 0 && (e->op == WORD_EQUAL || e->op == WORD_NOT_EQUAL)) {
        put_number(to, (e->op == WORD_EQUAL) == (alike != 0));
        return ERROR_NONE;
    }
    if (a.list && e->op == WORD_NEGATE) {
        *to = a;
        for (unsigned i = 0; i < a.count; i++)
            to->number[i] = -a.number[i];
        return ERROR_NONE;
    }
    if (a.text || b.text || a.list || b.list)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "'%s' takes numbers here, not words or lists",
                               words_row(e->op)->name);
    put_number(to, arithmetic(e->op, a.number[0], b.number[0]));
    return ERROR_NONE;
}

static enum error of_list(struct plan *plan, const struct graph_expression *e,
                          struct plan_static *to, struct diagnostic *diagnostic)
{
    *to = (struct plan_static){.list = true};
    for (unsigned i = 0; i < e->count; i++) {
        struct plan_static item;
        const enum error error = plan_evaluate_static(plan, e->operand[i], &item, diagnostic);
        if (error)
            return error;
        if (item.text || to->count + item.count > GRAPH_LIST_MAX)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "a list holds at most %d numbers", GRAPH_LIST_MAX);
        memcpy(to->number + to->count, item.number, item.count * sizeof *item.number);
        to->count += item.count;
    }
    return ERROR_NONE;
}

// The whole numbers from the first up to the end, which is not one of them.
static enum error of_range(struct plan *plan, const struct graph_expression *e,
                           struct plan_static *to, struct diagnostic *diagnostic)
{
    int64_t first = 0, end = 0;
    enum error error = plan_integer(plan, e->operand[0], &first, diagnostic);
    if (!error)
        error = plan_integer(plan, e->operand[1], &end, diagnostic);
    if (!error && end - first > GRAPH_LIST_MAX)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "a list holds at most %d numbers", GRAPH_LIST_MAX);
    *to = (struct plan_static){.list = true};
    for (int64_t i = first; i < end && !error; i++)
        to->number[to->count++] = (double)i;
    return error;
}

// item: what stands in a list at one place, or at each of a list of them. places: where in a list
// each of these numbers stands first.
static enum error of_items(struct plan *plan, const struct graph_expression *e,
                           struct plan_static *to, struct diagnostic *diagnostic)
{
    struct plan_static list;
    enum error error = plan_evaluate_static(plan, e->operand[0], &list, diagnostic);
    if (!error)
        error = plan_evaluate_static(plan, e->operand[1], to, diagnostic);
    if (error)
        return error;
    if (list.text || to->text)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "'%s' takes lists of numbers",
                               words_row(e->op)->name);
    for (unsigned i = 0; i < to->count; i++) {
        const double asked = to->number[i];
        unsigned place = 0;
        if (e->op == WORD_ITEM)
            place = asked >= 0 && asked < list.count && asked == floor(asked) ? (unsigned)asked
                                                                              : list.count;
        while (e->op == WORD_PLACES && place < list.count && list.number[place] != asked)
            place++;
        if (place == list.count)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "a list of %u numbers has no %s %g", list.count,
                                   e->op == WORD_ITEM ? "place" : "number", asked);
        to->number[i] = e->op == WORD_ITEM ? list.number[place] : place;
    }
    return ERROR_NONE;
}

// others: the whole numbers below an end that are not in a list, in order. count: how many it has.
static enum error of_others(struct plan *plan, const struct graph_expression *e,
                            struct plan_static *to, struct diagnostic *diagnostic)
{
    struct plan_static list;
    int64_t end = 0;
    enum error error = plan_evaluate_static(plan, e->operand[0], &list, diagnostic);
    if (!error && list.text)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "'%s' takes a list of numbers",
                                words_row(e->op)->name);
    if (error)
        return error;
    if (e->op == WORD_LENGTH) {
        put_number(to, list.count);
        return ERROR_NONE;
    }
    error = plan_integer(plan, e->operand[1], &end, diagnostic);
    if (!error && end > GRAPH_LIST_MAX)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "a list holds at most %d numbers", GRAPH_LIST_MAX);
    *to = (struct plan_static){.list = true};
    for (int64_t i = 0; i < end && !error; i++) {
        unsigned place = 0;
        while (place < list.count && list.number[place] != (double)i)
            place++;
        if (place == list.count)
            to->number[to->count++] = (double)i;
    }
    return error;
}

// Sums and products, comparisons and conditions.
static bool is_arithmetic(enum word_op op)
{
    return op == WORD_IF || op == WORD_DIVIDE_DOWN || op == WORD_REMAINDER || op == WORD_LEAST ||
           op == WORD_GREATEST || (op >= WORD_ADD && op <= WORD_ABS) ||
           (op >= WORD_LESS && op <= WORD_NOT);
}

enum error plan_evaluate_static(struct plan *plan, uint16_t expression, struct plan_static *to,
                                struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[expression];
    switch (e->op) {
    case WORD_NUMBER:
        put_number(to, e->number);
        return ERROR_NONE;
    case WORD_INFINITY:
        put_number(to, (double)INFINITY);
        return ERROR_NONE;
    case WORD_TEXT:
        *to = (struct plan_static){.text = e->text};
        return ERROR_NONE;
    case WORD_ATTRIBUTE:
        return of_attribute(plan, e->index, to, diagnostic);
    case WORD_INPUT:
        return of_input(plan, e->index, to, diagnostic);
    case WORD_SIZE_NAME:
        if (isnan(plan->name[e->index]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "the size %s is not known: the input that has it is absent",
                                   plan->graph->name[e->index]);
        put_number(to, plan->name[e->index]);
        return ERROR_NONE;
    case WORD_PRESENT:
        put_number(to, is_present(plan, &plan->graph->expression[e->operand[0]]));
        return ERROR_NONE;
    case WORD_RANK:
    case WORD_SIZE:
    case WORD_SHAPE:
    case WORD_BROADCAST_AXES:
    case WORD_TYPE:
        return of_shape(plan, e, to, diagnostic);
    case WORD_LIST:
        return of_list(plan, e, to, diagnostic);
    case WORD_RANGE:
        return of_range(plan, e, to, diagnostic);
    case WORD_ITEM:
    case WORD_PLACES:
        return of_items(plan, e, to, diagnostic);
    case WORD_OTHERS:
    case WORD_LENGTH:
        return of_others(plan, e, to, diagnostic);
    default:
        return is_arithmetic(e->op)
                   ? of_operands(plan, e, to, diagnostic)
                   : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                     "expected what shapes and attributes alone decide");
    }
}

enum error plan_integers(struct plan *plan, uint16_t expression, unsigned most, int64_t *to,
                         unsigned *count, struct diagnostic *diagnostic)
{
    struct plan_static value;
    const enum error error = plan_evaluate_static(plan, expression, &value, diagnostic);
    if (error)
        return error;
    if (value.text || value.count > most)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "expected at most %u whole numbers", most);
    for (unsigned i = 0; i < value.count; i++) {
        if (!(fabs(value.number[i]) <= 0x1p53) || value.number[i] != floor(value.number[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%g is no whole number that a size or an axis can be",
                                   value.number[i]);
        to[i] = (int64_t)value.number[i];
    }
    *count = value.count;
    return ERROR_NONE;
}

enum error plan_integer(struct plan *plan, uint16_t expression, int64_t *to,
                        struct diagnostic *diagnostic)
{
    unsigned count = 0;
    const enum error error = plan_integers(plan, expression, 1, to, &count, diagnostic);
    return error || count == 1
               ? error
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "expected one whole number");
}
