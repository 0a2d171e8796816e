// SPDX-License-Identifier: Apache-2.0
// Which nodes pass, and a plan for each thread, whose values find them in that thread's room.

#include "ref/op/declared/passing.h"

#include <stddef.h>
#include <string.h>

void passing_publish(struct plan *plan, unsigned index)
{
    for (unsigned v = 0; v < plan->live; v++)
        if (plan_op(plan, &plan->value[v]) == WORD_NODE &&
            plan->graph->expression[plan->value[v].expression].index == index) {
            plan->value[v].data = plan->node[index].data;
            plan->value[v].shift = plan->node[index].shift;
        }
}

static const struct plan_value *root_of(const struct plan *plan, unsigned index)
{
    return &plan->value[plan->slot[plan->root[index]] - 1];
}

// Whether the value is made of node `index`. What is static has no value.
static bool reads(const struct plan *plan, const struct plan_value *value, unsigned index)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    if (e->op == WORD_NODE)
        return e->index == index;
    bool any = false;
    for (unsigned o = 0; value->kind != PLAN_SCALAR && o < e->count && !any; o++)
        any = plan->slot[e->operand[o]] && reads(plan, plan_operand(plan, value, o), index);
    return any;
}

static size_t size_of(const struct plan_node *node, const struct passing_band *of)
{
    const uint64_t bytes = of->rows * (node->count / of->band.rows) * dtype_size(node->type);
    return (size_t)(bytes + 63) / 64 * 64;
}

static bool is_passing(const struct plan *plan, unsigned index, const struct passing_band *of)
{
    if (!plan->used[index] || plan->graph->node[index].output >= 0 ||
        root_of(plan, index)->kind == PLAN_STORED)
        return false;
    for (unsigned i = index + 1; i < plan->graph->node_count; i++) {
        const struct plan_value *const root = plan->used[i] ? root_of(plan, i) : NULL;
        // a copy may be the node itself
        if (root && reads(plan, root, index) && (i >= of->last || plan_op(plan, root) == WORD_NODE))
            return false;
    }
    return true;
}

bool passing_mark(struct plan *plan, const struct passing_band *of)
{
    size_t used = 0;
    for (unsigned i = of->first; i < of->last; i++) {
        struct plan_node *const node = &plan->node[i];
        node->passing = !plan->whole && of->band.rows > of->rows && is_passing(plan, i, of) &&
                        size_of(node, of) <= PASSING_SIZE - used;
        used += node->passing ? size_of(node, of) : 0;
    }
    return used > 0;
}

void passing_start(struct passing *own, const struct plan *plan)
{
    memcpy(&own->plan, plan, offsetof(struct plan, value) + plan->live * sizeof *plan->value);
    own->plan.elements = own->plan.pairs = own->plan.settled = own->plan.rational = 0;
}

void passing_place(struct passing *own, const struct passing_band *of, uint64_t row)
{
    size_t used = 0;
    for (unsigned i = of->first; i < of->last; i++) {
        struct plan_node *const node = &own->plan.node[i];
        if (!node->passing)
            continue;
        node->data = own->room + used;
        node->shift = row * (node->count / of->band.rows);
        used += size_of(node, of);
        passing_publish(&own->plan, i);
    }
}

void passing_finish(const struct passing *own, struct plan *plan)
{
    plan->pairs += own->plan.pairs;
    plan->settled += own->plan.settled;
    plan->rational += own->plan.rational;
}
