// SPDX-License-Identifier: Apache-2.0
// Which nodes can be evaluated row by row: every tensor that they read lies in one piece along the
// rows, or is the same for all, and reductions stay within a row: softmax along the last axis, say.

#include "ref/op/declared/look.h"

// Elements of a tensor of which several stay in a cache of 512 KiB; rows beyond the second say more
// than enough themselves; fewer rows than the third leave threads without work.
enum { BAND_ELEMENTS = 16 * 1024, ROW_MAX = 64 * 1024, ROWS_MIN = 4 };

static bool in_rows(const struct plan_value *value, unsigned rank, const uint64_t *size,
                    unsigned axes)
{
    bool same = value->rank == rank;
    for (unsigned i = 0; i < axes && same; i++)
        same = value->size[i] == size[i];
    return same;
}

static bool same_for_all(const struct plan_value *value, unsigned rank, unsigned axes)
{
    bool same = value->rank <= rank;
    for (unsigned i = 0; i < value->rank && same; i++)
        same = i + rank - value->rank >= axes || value->size[i] == 1;
    return same;
}

// The axes that may make rows as far as the value, and what it is made of, is concerned: at most
// `axes`, 0 where there are none.
static unsigned axes_of(const struct plan *plan, const struct plan_value *value,
                        const struct plan_value *root, unsigned axes)
{
    if (value->kind == PLAN_SCALAR)
        return axes;
    if (value->kind == PLAN_KEPT) {
        if (words_row(plan_op(plan, value))->class != CLASS_REDUCTION)
            return 0;
        for (unsigned i = 0; i < axes; i++)
            if (value->own[i])
                axes = i;
        axes = axes_of(plan, plan_operand(plan, value, 0), root, axes);
        return axes && in_rows(value, root->rank, root->size, axes) &&
                       in_rows(plan_operand(plan, value, 0), root->rank, root->size, axes)
                   ? axes
                   : 0;
    }
    while (axes && !in_rows(value, root->rank, root->size, axes) &&
           !same_for_all(value, root->rank, axes))
        axes--;
    for (unsigned o = 0; value->kind == PLAN_FUSED && o < plan_operands(plan, value); o++)
        axes = axes ? axes_of(plan, plan_operand(plan, value, o), root, axes) : 0;
    return axes;
}

static uint64_t rows_of(const struct plan_value *root, unsigned axes)
{
    uint64_t rows = 1;
    for (unsigned i = 0; i < axes; i++)
        rows *= root->size[i];
    return rows;
}

// How many axes make rows of the node and of those before it, or 0.
static unsigned axes_with(const struct plan *plan, unsigned index, const struct plan_value *first,
                          unsigned axes)
{
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[index]] - 1];
    while (axes && !in_rows(root, first->rank, first->size, axes))
        axes--;
    axes = axes && !plan_is_product(plan, &plan->node[index], root)
               ? axes_of(plan, root, first, axes)
               : 0;
    for (unsigned v = plan->node[index].first; v < plan->node[index].last && axes; v++)
        if (plan->value[v].kind == PLAN_KEPT)
            axes = axes_of(plan, &plan->value[v], first, axes);
    return axes && rows_of(first, axes) >= ROWS_MIN && root->count / rows_of(first, axes) <= ROW_MAX
               ? axes
               : 0;
}

unsigned band_find(const struct plan *plan, unsigned first, struct look_band *band, uint64_t *rows)
{
    *rows = 0;
    if (!plan->used[first])
        return first + 1;
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[first]] - 1];
    unsigned axes = root->rank ? root->rank - 1 : 0, last = first, nodes = 0;
    uint64_t most = 1;
    unsigned end = plan->graph->node_count;
    for (unsigned s = GRAPH_SCANS; s-- > 0;)
        end = first < plan->graph->scan[s].first ? plan->graph->scan[s].first : end;
    while (last < end && axes) {
        const unsigned with = plan->used[last] ? axes_with(plan, last, root, axes) : axes;
        if (!with)
            break;
        axes = with;
        nodes += plan->used[last];
        last++;
    }
    if (nodes < 2)
        return first + 1;
    band->axes = axes;
    band->rows = rows_of(root, axes);
    for (unsigned i = first; i < last; i++)
        if (plan->used[i] && plan->node[i].count / band->rows > most)
            most = plan->node[i].count / band->rows;
    *rows = most < BAND_ELEMENTS ? BAND_ELEMENTS / most : 1;
    return last;
}
