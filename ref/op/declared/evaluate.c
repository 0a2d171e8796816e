// SPDX-License-Identifier: Apache-2.0
// Node by node: estimates, the rounding test, and what is left open.

#include "ref/op/declared/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/num/product/certify.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

struct storing {
    struct plan *plan;
    const struct plan_node *node;
    const char *name;
    const struct look *look;
    enum num_overflow overflow;
};

enum num_overflow evaluate_overflow(const struct graph_node *node)
{
    return node->overflow == NODE_SATURATE ? NUM_SATURATE
           : node->overflow == NODE_WRAP   ? NUM_WRAP
                                           : NUM_IEEE;
}

static uint64_t rounded(const struct storing *of, double value)
{
    return num_convert(of->node->type, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN,
                       of->overflow);
}

// The rounding test for types and overflows that num_certify does not serve.
static size_t certify_slowly(const struct storing *of, size_t count, const double *value,
                             const double *error, void *out, uint16_t *open)
{
    size_t opened = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = error[i] + fabs(value[i]) * 0x1p-52;
        const uint64_t low = rounded(of, value[i] - e);
        const bool narrow = of->overflow != NUM_WRAP || e < 0.5,
                   same = isfinite(e) && narrow && fabs(value[i]) > e &&
                          low == rounded(of, value[i] + e);
        element_store(out, dtype_size(of->node->type), i, low);
        open[opened] = (uint16_t)i;
        opened += !same;
    }
    return opened;
}

static enum error settle(const struct storing *of, uint64_t index, uint64_t *bits,
                         struct diagnostic *diagnostic)
{
    uint64_t at[GRAPH_RANK_MAX];
    const struct plan_value *const root = of->look->root;
    movement_place(root->rank, root->size, index, at);
    const enum error error =
        settle_round(of->plan, root, at, of->node->type, of->overflow, bits, diagnostic);
    if (!error)
        return ERROR_NONE;
    char text[DIAGNOSTIC_TEXT_SIZE];
    snprintf(text, sizeof text, "%.500s", diagnostic->text);
    return diagnostic_fail(diagnostic, error, "node %s, element %llu: %s", of->name,
                           (unsigned long long)index, text);
}

static enum error store_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                            const double *value, const double *error, struct diagnostic *diagnostic)
{
    const struct storing *const of = context;
    const enum dtype type = of->node->type;
    const size_t size = dtype_size(type);
    uint64_t out[LOOK_RUN];
    uint16_t open[LOOK_RUN];
    const bool plain = dtype_kind(type) == DTYPE_KIND_FLOAT && of->overflow == NUM_IEEE;
    const size_t opened = plain ? num_certify(type, count, value, error, out, open)
                                : certify_slowly(of, count, value, error, out, open);
    uint64_t settled = 0;
    (void)stride;
    for (size_t k = 0; k < opened; k++) {
        const size_t i = open[k];
        uint64_t bits = error[i] == 0 ? rounded(of, value[i]) : 0;
        const enum error failed =
            error[i] == 0 ? ERROR_NONE : settle(of, (uint64_t)to + i, &bits, diagnostic);
        if (failed)
            return failed;
        settled += error[i] != 0;
        element_store(out, size, i, bits);
    }
    of->plan->elements += count;
    of->plan->settled += settled;
    memcpy((char *)of->node->data + (size_t)to * size, out, count * size);
    return ERROR_NONE;
}

static enum error store_part(void *context, uint64_t first, uint64_t count,
                             struct diagnostic *diagnostic)
{
    struct storing *const of = context;
    return look_through(of->look, first, count, store_run, of, diagnostic);
}

static enum error store_node(struct plan *plan, unsigned index, const struct plan_value *root,
                             struct diagnostic *diagnostic)
{
    enum { GRAIN = 16 * 1024 };
    struct look look;
    ptrdiff_t stride[GRAPH_RANK_MAX], next = 1;
    uint64_t beside = 1;
    const struct graph_node *const node = &plan->graph->node[index];
    struct storing of = {plan, &plan->node[index], node->name, &look, evaluate_overflow(node)};
    for (unsigned i = root->rank; i-- > 0;) {
        stride[i] = root->size[i] == 1 ? 0 : next;
        next *= (ptrdiff_t)root->size[i];
    }
    const enum error error = look_start(&look, plan, root, stride, diagnostic);
    if (error || !root->count)
        return error;
    if (look.split == look.rank)
        return store_part(&of, 0, 1, diagnostic);
    for (unsigned i = 0; i < look.rank; i++)
        beside *= i == look.split ? 1 : look.size[i];
    return threads_run(0, look.size[look.split], beside > GRAIN ? 1 : GRAIN / beside, store_part,
                       &of, diagnostic);
}

// Values that name the node find its elements.
static void publish(struct plan *plan, unsigned index)
{
    for (unsigned v = 0; v < plan->live; v++)
        if (plan_op(plan, &plan->value[v]) == WORD_NODE &&
            plan->graph->expression[plan->value[v].expression].index == index)
            plan->value[v].data = plan->node[index].data;
}

static enum error evaluate_node(struct plan *plan, unsigned index, struct keep_store *store,
                                struct diagnostic *diagnostic)
{
    struct plan_node *const node = &plan->node[index];
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[index]] - 1];
    const bool product = evaluate_is_product(plan, node, root);
    enum error error = ERROR_NONE;
    for (unsigned v = node->first; v < node->last && !error; v++)
        if (plan->value[v].kind == PLAN_KEPT && !(product && &plan->value[v] == root))
            error = keep_value(plan, &plan->value[v], store, diagnostic);
    if (!error && product)
        error = evaluate_product(plan, node, root, store, diagnostic);
    else if (!error && store->base)
        error = store_node(plan, index, root, diagnostic);
    return error;
}

enum error evaluate_nodes(struct plan *plan, void *const *data, struct keep_store *store,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < plan->graph->node_count && !error; i++) {
        struct plan_node *const node = &plan->node[i];
        const int output = plan->graph->node[i].output;
        if (!plan->used[i])
            continue;
        if (output < 0)
            node->data = keep_take(store, node->count, dtype_size(node->type));
        else
            node->data = data ? data[output] : NULL;
        error = evaluate_node(plan, i, store, diagnostic);
        publish(plan, i);
    }
    return error || !store->failed
               ? error
               : diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "the nodes need too much memory");
}
