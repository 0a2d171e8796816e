// SPDX-License-Identifier: Apache-2.0
// Nodes that are evaluated again and again: a recurrence, and one that goes back over its steps.
// Every tensor that is gone through has the steps along its first axis; what a node was at the step
// before is a tensor like any other.
// ref/PROOFS.md, "Declared operators", says what bounds hold.

#include <inttypes.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/op/declared/plan.h"

enum error plan_start_scan(struct plan *plan, struct diagnostic *diagnostic)
{
    int64_t steps = 0;
    const enum error error = plan_integer(plan, plan->graph->steps, &steps, diagnostic);
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

// A node of a scan that was gone through before the one at work, or of this one.
static bool is_scanned(const struct plan *plan, const struct plan_value *value, bool own)
{
    const struct graph_expression *const e = operand(plan, value, 0);
    const unsigned scan = e->op == WORD_NODE ? graph_scan_of(plan->graph, e->index) : GRAPH_SCANS;
    return scan < plan->scan || (own && scan == plan->scan && scan < GRAPH_SCANS);
}

// A stored tensor from outside the scans.
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
    if (plan->scan == GRAPH_SCANS || from->kind != PLAN_STORED)
        return refuse(plan, value, diagnostic);
    if (is_scanned(plan, value, false)) {
        take_shape(value, from->type, from->natural, from->rank, from->size);
        return ERROR_NONE;
    }
    if (!is_outside(plan, value, 0))
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
    const struct plan_value *const from = plan_operand(plan, value, 0);
    if (plan->scan < GRAPH_SCANS || !is_scanned(plan, value, false) || from->kind != PLAN_STORED)
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
    if (plan->scan == GRAPH_SCANS || !is_scanned(plan, value, true) || !is_outside(plan, value, 1))
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
    for (unsigned i = 0; i < plan->graph->node_count && !error; i++) {
        uint64_t all = 0;
        if (plan->used[i] && graph_in_scan(plan->graph, i) &&
            (__builtin_mul_overflow(plan->node[i].count, plan->steps, &all) || all > UINT64_C(1)
                                                                                         << 40))
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

bool plan_scanned(const struct plan *plan, const struct plan_value *value, unsigned *node,
                  uint64_t *step)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const bool named = e->op == WORD_STEP || e->op == WORD_BEFORE;
    *node = named ? operand(plan, value, 0)->index : e->index;
    const enum word_op op = named ? operand(plan, value, 0)->op : e->op;
    const unsigned scan = op == WORD_NODE ? graph_scan_of(plan->graph, *node) : GRAPH_SCANS;
    if (value->kind != PLAN_STORED || scan == GRAPH_SCANS)
        return false;
    *step = plan->step[named ? plan->scan : scan];
    if (e->op == WORD_BEFORE && *step == (scan ? plan->steps - 1 : 0))
        return false;
    if (e->op == WORD_BEFORE)
        *step += scan ? 1 : -UINT64_C(1);
    return true;
}

static void set_before(const struct plan *plan, struct plan_value *value)
{
    const struct plan_value *const start = plan_operand(plan, value, 1);
    unsigned index;
    uint64_t step;
    value->type = start->type;
    value->data = start->data;
    if (!plan_scanned(plan, value, &index, &step))
        return;
    value->type = plan->node[index].type;
    value->data = part_of(plan->node[index].all, value->type, step, value->count);
}

static void set_value(const struct plan *plan, struct plan_value *value)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    unsigned index;
    uint64_t step;
    if (value->kind != PLAN_STORED)
        return;
    if (e->op == WORD_BEFORE)
        set_before(plan, value);
    else if (e->op == WORD_STEPS)
        value->data = plan->node[operand(plan, value, 0)->index].all;
    else if (plan_scanned(plan, value, &index, &step))
        value->data = part_of(plan->node[index].all, value->type, step, value->count);
    else if (e->op == WORD_STEP)
        value->data = part_of(plan_operand(plan, value, 0)->data, value->type,
                              plan->step[plan->scan], value->count);
}

void plan_set_step(struct plan *plan, unsigned scan, uint64_t round)
{
    const struct graph_scan *const of = &plan->graph->scan[scan];
    plan->scan = scan;
    plan->step[scan] = scan ? plan->steps - 1 - round : round;
    for (unsigned i = of->first; i < of->end; i++) {
        struct plan_node *const node = &plan->node[i];
        node->data = (void *)(uintptr_t)part_of(node->all, node->type, plan->step[scan],
                                                plan->used[i] ? node->count : 0);
    }
    for (unsigned v = 0; v < plan->live; v++)
        set_value(plan, &plan->value[v]);
}
