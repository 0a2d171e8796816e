// SPDX-License-Identifier: Apache-2.0
// A declared operator as an operation like any other.

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/op/declared/bound.h"
#include "ref/op/declared/evaluate.h"

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct plan plan;
    const enum error error = plan_make(&plan, request, diagnostic);
    for (unsigned i = 0; i < plan.graph->node_count && !error; i++) {
        const int output = plan.graph->node[i].output;
        if (output < 0 || !plan.used[i])
            continue;
        struct tensor *const to = &inference->output[output];
        *to = (struct tensor){.dtype = plan.node[i].type, .rank = plan.node[i].rank};
        memcpy(to->shape, plan.node[i].size, to->rank * sizeof *to->shape);
        inference->level[output] = plan.graph->output[output].level;
    }
    return error;
}

// Room for the outputs, where bounds alone are asked for.
static void take_outputs(const struct plan *plan, struct keep_store *store, void **data)
{
    for (unsigned i = 0; i < plan->graph->node_count; i++) {
        const int output = plan->graph->node[i].output;
        if (output < 0 || !plan->used[i])
            continue;
        void *const room = keep_take(store, plan->node[i].count, dtype_size(plan->node[i].type));
        if (data)
            data[output] = room;
    }
}

// ---- bounds -----------------------------------------------------------------

// How many forms the bounds of the request go over: the written one alone, or all.
static unsigned form_count(const struct request *request)
{
    const struct graph *const graph = declared_graph(request->operation);
    unsigned count = 0;
    if (graph->form < 0 || request->profile.option[graph->form])
        return 1;
    while (request->operation->choices[graph->form].options[count])
        count++;
    return count;
}

static struct request with_form(const struct request *request, unsigned form)
{
    struct request with = *request;
    if (form)
        with.profile.option[declared_graph(request->operation)->form] = (uint16_t)form;
    return with;
}

// Room for lower and upper ends of one form.
static void take_ends(const struct plan *plan, struct keep_store *store, void **lower, void **upper)
{
    take_outputs(plan, store, lower);
    take_outputs(plan, store, upper);
}

static enum error measure_form(const struct request *request, unsigned form, bool bounds,
                               size_t *size, struct diagnostic *diagnostic)
{
    const struct request with = with_form(request, form);
    void *unused[OPERATION_OUTPUTS_MAX];
    struct plan plan;
    struct keep_store store = {0};
    enum error error = plan_make(&plan, &with, diagnostic);
    keep_take(&store, 1, sizeof plan);
    if (!error && bounds) {
        take_outputs(&plan, &store, unused);
        take_ends(&plan, &store, unused, unused);
    }
    plan.whole = bounds;
    if (!error)
        error = evaluate_nodes(&plan, NULL, &store, diagnostic);
    if (!error && bounds)
        error = bound_nodes(&plan, request->model, NULL, NULL, &store, diagnostic);
    *size = store.used > *size ? store.used : *size;
    return error;
}

static enum error workspace_size(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    (void)inference;
    *size = 0;
    for (unsigned form = 0; form < (bounds ? form_count(request) : 1) && !error; form++)
        error = measure_form(request, form, bounds, size, diagnostic);
    return error;
}

static enum error evaluate(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    struct keep_store store = {.base = workspace};
    struct plan *const plan = keep_take(&store, 1, sizeof *plan);
    (void)inference;
    enum error error = plan_make(plan, request, diagnostic);
    if (!error)
        error = evaluate_nodes(plan, data, &store, diagnostic);
    if (request->looks) {
        request->looks->elements += plan->elements;
        request->looks->pairs += plan->pairs;
        request->looks->enclosed += plan->settled;
        request->looks->rational += plan->rational;
    }
    return error;
}

// The hull of both, element by element. What holds everything stays so, and a NaN that is certain
// in one alone makes it so.
static void join(const struct plan_node *node, void *lower, void *upper, const void *other_lower,
                 const void *other_upper)
{
    const size_t size = dtype_size(node->type);
    for (uint64_t i = 0; i < node->count; i++) {
        uint64_t low = element_load(lower, size, i), high = element_load(upper, size, i);
        const uint64_t other[2] = {element_load(other_lower, size, i),
                                   element_load(other_upper, size, i)};
        if (low == other[0] && high == other[1])
            continue;
        const struct interval a = bound_get(node->type, low, high),
                              b = bound_get(node->type, other[0], other[1]),
                              both = bound_is_nan(a) == bound_is_nan(b) ? interval_hull(a, b)
                                                                        : interval_any();
        bound_put(node->type, both, &low, &high);
        element_store(lower, size, i, low);
        element_store(upper, size, i, high);
    }
}

// Whether the form replaces a node that the request needs: the tanh form of Gelu has other ones.
static bool is_in_use(const struct plan *plan, unsigned form)
{
    const struct graph *const graph = plan->graph;
    const struct graph_option *const option = form ? &graph->option[graph->form][form] : NULL;
    bool used = !option;
    for (unsigned i = 0; option && i < option->count; i++)
        used = used || plan->used[option->replacement[i].node];
    return used;
}

static enum error bound_form(const struct request *request, unsigned form, void *const *data,
                             void *const *lower, void *const *upper, void *workspace,
                             struct diagnostic *diagnostic)
{
    const struct request with = with_form(request, form);
    struct keep_store store = {.base = workspace};
    struct plan *const plan = keep_take(&store, 1, sizeof *plan);
    void *own[OPERATION_OUTPUTS_MAX] = {NULL}, *low[OPERATION_OUTPUTS_MAX] = {NULL},
         *high[OPERATION_OUTPUTS_MAX] = {NULL};
    enum error error = plan_make(plan, &with, diagnostic);
    if (error || !is_in_use(plan, form))
        return error;
    take_outputs(plan, &store, own);
    take_ends(plan, &store, low, high);
    plan->whole = true;
    error = evaluate_nodes(plan, data && !form ? data : own, &store, diagnostic);
    if (!error)
        error = bound_nodes(plan, request->model, form ? low : lower, form ? high : upper, &store,
                            diagnostic);
    for (unsigned i = 0; i < plan->graph->node_count && form && !error; i++) {
        const int output = plan->graph->node[i].output;
        if (plan->used[i] && output >= 0 && lower[output])
            join(&plan->node[i], lower[output], upper[output], low[output], high[output]);
    }
    return error;
}

static enum error evaluate_bounds(const struct request *request, const struct inference *inference,
                                  void *const *data, void *const *lower, void *const *upper,
                                  void *workspace, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    (void)inference;
    for (unsigned form = 0; form < form_count(request) && !error; form++)
        error = bound_form(request, form, data, lower, upper, workspace, diagnostic);
    return error;
}

// The type of an input of one type; else that of the first input before it; f32 for the first.
static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    const struct graph_input *const of = &declared_graph(request->operation)->input[input];
    if (of->type_of >= 0 && tensor_present(&request->input[of->type_of]))
        return request->input[of->type_of].dtype;
    if (!(of->types & (of->types - 1)))
        for (unsigned type = 1; type < DTYPE_COUNT; type++)
            if (of->types == DTYPE_BIT(type))
                return (enum dtype)type;
    return of->types & DTYPE_BIT(DTYPE_F32)   ? DTYPE_F32
           : of->types & DTYPE_BIT(DTYPE_I64) ? DTYPE_I64
                                              : DTYPE_NONE;
}

bool declared_is(const struct operation *operation)
{
    return operation->infer == infer;
}

const struct graph *declared_graph(const struct operation *operation)
{
    assert(declared_is(operation));
    return &((const struct declared_operation *)operation)->graph;
}

bool declared_same(const struct operation *a, const struct operation *b)
{
    return a == b || (declared_is(a) && declared_is(b) &&
                      !strcmp(declared_graph(a)->text, declared_graph(b)->text));
}

void declared_finish(struct declared_operation *declared)
{
    struct operation *const operation = &declared->operation;
    operation->plain_dtype = plain_dtype;
    operation->infer = infer;
    operation->evaluate = evaluate;
    operation->evaluate_bounds = evaluate_bounds;
    operation->workspace_size = workspace_size;
    operation->shapes_suffice = true;
    for (unsigned i = 0; i < operation->input_count; i++)
        if (declared->graph.input[i].numbers_matter)
            operation->shapes_suffice = false;
}
