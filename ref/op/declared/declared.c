// SPDX-License-Identifier: Apache-2.0
// A declared operator as an operation like any other.

#include <assert.h>
#include <string.h>

#include "ref/base/size.h"
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

static enum error workspace_size(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    struct plan plan;
    struct keep_store store = {0};
    (void)inference;
    enum error error = plan_make(&plan, request, diagnostic);
    keep_take(&store, 1, sizeof plan);
    if (!error && bounds)
        take_outputs(&plan, &store, NULL);
    if (!error)
        error = evaluate_nodes(&plan, NULL, &store, diagnostic);
    if (!error && bounds)
        error = bound_nodes(&plan, request->model, NULL, NULL, &store, diagnostic);
    *size = store.used;
    return error;
}

static enum error evaluate(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    struct keep_store store = {.base = workspace};
    struct plan *const plan = keep_take(&store, 1, sizeof *plan);
    (void)inference;
    const enum error error = plan_make(plan, request, diagnostic);
    return error ? error : evaluate_nodes(plan, data, &store, diagnostic);
}

static enum error evaluate_bounds(const struct request *request, const struct inference *inference,
                                  void *const *data, void *const *lower, void *const *upper,
                                  void *workspace, struct diagnostic *diagnostic)
{
    struct keep_store store = {.base = workspace};
    struct plan *const plan = keep_take(&store, 1, sizeof *plan);
    void *own[OPERATION_OUTPUTS_MAX] = {NULL};
    (void)inference;
    enum error error = plan_make(plan, request, diagnostic);
    if (error)
        return error;
    take_outputs(plan, &store, own);
    error = evaluate_nodes(plan, data ? data : own, &store, diagnostic);
    return error ? error : bound_nodes(plan, request->model, lower, upper, &store, diagnostic);
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
