// SPDX-License-Identifier: Apache-2.0
// Nodes that are evaluated again and again: a recurrence. Every tensor that is gone through has the
// steps along its first axis; what a node was at the step before is a tensor like any other.
// ref/PROOFS.md, "Declared operators", says what bounds hold.

#include <inttypes.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/op/declared/plan.h"

enum error plan_start_scan(struct plan *plan, struct diagnostic *diagnostic)
{
    int64_t steps = 0;
    const enum error error = plan_integer(plan, plan->graph->scan.steps, &steps, diagnostic);
    if (error)
        return error;
    if (steps < 1)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "a scan of %" PRId64 " steps; expected one at least", steps);
    if (steps > GRAPH_STEPS_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "a scan of %" PRId64 " steps; at most %d are supported", steps,
                               GRAPH_STEPS_MAX);
    plan->steps = (uint64_t)steps;
    return ERROR_NONE;
}

static const struct graph_expression *operand(const struct plan *plan,
                                              const struct plan_value *value, unsigned index)
{
    const uint16_t e = plan->graph->expression[value->expression].operand[index];
    return &plan->graph->expression[e];
}

static enum error refuse(const struct plan *plan, const struct plan_value *value,
                         struct diagnostic *diagnostic)
{
    const struct word *const word = words_row(plan_op(plan, value));
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s takes %s, and stands %s",
                           word->name, word->arguments,
                           plan_op(plan, value) == WORD_STEPS ? "after a scan" : "in a scan");
}

static void take_shape(struct plan_value *value, enum dtype type, enum dtype natural, unsigned rank,
                       const uint64_t *size)
{
    value->kind = PLAN_STORED;
    value->type = type;
    value->natural = natural;
    value->rank = rank;
    if (rank)
        memcpy(value->size, size, rank * sizeof *size);
}

// A stored tensor from outside the scan.
static bool is_outside(const struct plan *plan, const struct plan_value *value, unsigned index)
{
    const struct graph_expression *const e = operand(plan, value, index);
    return plan_operand(plan, value, index)->kind == PLAN_STORED &&
           (e->op == WORD_INPUT || (e->op == WORD_NODE && !graph_in_scan(plan->graph, e->index)));
}

static enum error shape_step(struct plan *plan, struct plan_value *value,
                             struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    char text[160];
    if (!plan->scanning || !is_outside(plan, value, 0))
        return refuse(plan, value, diagnostic);
    if (!from->rank || from->size[0] != plan->steps)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "step of %s in a scan of %" PRIu64 " steps: they are its first axis",
                               plan_describe(from->rank, from->size, text, sizeof text),
                               plan->steps);
    take_shape(value, from->type, from->natural, from->rank - 1, from->size + 1);
    return ERROR_NONE;
}

static enum error shape_steps(struct plan *plan, struct plan_value *value,
                              struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = operand(plan, value, 0);
    const struct plan_value *const from = plan_operand(plan, value, 0);
    if (plan->scanning || e->op != WORD_NODE || !graph_in_scan(plan->graph, e->index) ||
        from->kind != PLAN_STORED)
        return refuse(plan, value, diagnostic);
    if (from->rank == GRAPH_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "steps of a tensor of rank %d",
                               GRAPH_RANK_MAX);
    take_shape(value, from->type, from->natural, from->rank + 1, value->size);
    value->size[0] = plan->steps;
    memcpy(value->size + 1, from->size, from->rank * sizeof *from->size);
    return ERROR_NONE;
}

enum error plan_shape_step(struct plan *plan, struct plan_value *value,
                           struct diagnostic *diagnostic)
{
    if (plan_op(plan, value) == WORD_STEP)
        return shape_step(plan, value, diagnostic);
    if (plan_op(plan, value) == WORD_STEPS)
        return shape_steps(plan, value, diagnostic);
    const struct graph_expression *const e = operand(plan, value, 0);
    if (!plan->scanning || e->op != WORD_NODE || !graph_in_scan(plan->graph, e->index) ||
        !is_outside(plan, value, 1))
        return refuse(plan, value, diagnostic);
    const struct plan_value *const from = plan_operand(plan, value, 1);
    take_shape(value, from->type, from->natural, from->rank, from->size);
    return ERROR_NONE;
}

// A node of one type may start from a tensor of the other: floats are converted, integers are not.
static bool is_start(enum dtype node, enum dtype start)
{
    return node == start ||
           (dtype_kind(node) == DTYPE_KIND_FLOAT && plan_natural(node) == plan_natural(start));
}

static enum error check_start(const struct plan *plan, const struct plan_value *value,
                              struct diagnostic *diagnostic)
{
    const unsigned index = operand(plan, value, 0)->index;
    const struct plan_node *const node = &plan->node[index];
    char a[160], b[160];
    if (is_start(node->type, value->type) && node->rank == value->rank &&
        !memcmp(node->size, value->size, value->rank * sizeof *value->size))
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "node %s is %s%s, and starts from %s%s",
        plan->graph->node[index].name, dtype_name(node->type),
        plan_describe(node->rank, node->size, a, sizeof a), dtype_name(value->type),
        plan_describe(value->rank, value->size, b, sizeof b));
}

enum error plan_check_scan(const struct plan *plan, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned v = 0; v < plan->live && !error; v++)
        if (plan_op(plan, &plan->value[v]) == WORD_BEFORE)
            error = check_start(plan, &plan->value[v], diagnostic);
    for (unsigned i = plan->graph->scan.first; i < plan->graph->scan.end && !error; i++) {
        uint64_t all = 0;
        if (plan->used[i] && (__builtin_mul_overflow(plan->node[i].count, plan->steps, &all) ||
                              all > UINT64_C(1) << 40))
            error = diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                    "node %s would have more than 2^40 elements in all steps",
                                    plan->graph->node[i].name);
    }
    return error;
}

// Element 0 of part `part` of what lies one after the other.
static const void *part_of(const void *data, enum dtype type, uint64_t part, uint64_t count)
{
    return data ? (const char *)data + part * count * dtype_size(type) : NULL;
}

static void set_before(const struct plan *plan, struct plan_value *value)
{
    const struct plan_node *const node = &plan->node[operand(plan, value, 0)->index];
    const struct plan_value *const start = plan_operand(plan, value, 1);
    value->type = plan->step ? node->type : start->type;
    value->data =
        plan->step ? part_of(node->all, node->type, plan->step - 1, node->count) : start->data;
}

void plan_set_step(struct plan *plan, uint64_t step)
{
    plan->step = step;
    for (unsigned i = plan->graph->scan.first; i < plan->graph->scan.end; i++) {
        struct plan_node *const node = &plan->node[i];
        node->data = (void *)(uintptr_t)part_of(node->all, node->type, step,
                                                plan->used[i] ? node->count : 0);
    }
    for (unsigned v = 0; v < plan->live; v++) {
        struct plan_value *const value = &plan->value[v];
        const struct graph_expression *const e = &plan->graph->expression[value->expression];
        if (value->kind != PLAN_STORED)
            continue;
        if (e->op == WORD_NODE && graph_in_scan(plan->graph, e->index))
            value->data = plan->node[e->index].data;
        else if (e->op == WORD_STEP)
            value->data =
                part_of(plan_operand(plan, value, 0)->data, value->type, step, value->count);
        else if (e->op == WORD_BEFORE)
            set_before(plan, value);
        else if (e->op == WORD_STEPS)
            value->data = plan->node[operand(plan, value, 0)->index].all;
    }
}
