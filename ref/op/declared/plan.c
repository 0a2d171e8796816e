// SPDX-License-Identifier: Apache-2.0
// A request put to a graph: sizes are bound, requirements checked, expressions given shapes.

#include "ref/op/declared/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- inputs -----------------------------------------------------------------

static enum error refuse_size(const struct plan *plan, unsigned input, unsigned axis,
                              const char *what, double expected, struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &plan->request->input[input];
    char text[160];
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "%s is %s: size %u is %" PRIu64 "; expected %s = %.0f",
        plan->request->operation->inputs[input].name, tensor_describe(tensor, text, sizeof text),
        axis, tensor->shape[axis], what, expected);
}

static enum error bind_like(const struct plan *plan, unsigned input, unsigned like,
                            struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &plan->request->input[input], *const other =
                                                                          &plan->request
                                                                               ->input[like];
    char a[160], b[160];
    if (!tensor_present(other) || tensor_same_shape(tensor, other))
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "%s is %s; expected the shape of %s, which is %s",
        plan->request->operation->inputs[input].name, tensor_describe(tensor, a, sizeof a),
        plan->request->operation->inputs[like].name, tensor_describe(other, b, sizeof b));
}

static enum error bind_size(struct plan *plan, unsigned input, unsigned axis,
                            const struct graph_dimension *dimension, struct diagnostic *diagnostic)
{
    const double size = (double)plan->request->input[input].shape[axis];
    if (dimension->kind == DIMENSION_NAME) {
        double *const name = &plan->name[dimension->index];
        if (isnan(*name))
            *name = size;
        return *name == size ? ERROR_NONE
                             : refuse_size(plan, input, axis, plan->graph->name[dimension->index],
                                           *name, diagnostic);
    }
    int64_t expected = 0;
    const enum error error = plan_integer(plan, dimension->index, &expected, diagnostic);
    return error || size == (double)expected
               ? error
               : refuse_size(plan, input, axis, "what is written for it", (double)expected,
                             diagnostic);
}

static enum error bind_shape(struct plan *plan, unsigned input, struct diagnostic *diagnostic)
{
    const struct graph_shape *const shape = &plan->graph->input[input].shape;
    const struct tensor *const tensor = &plan->request->input[input];
    char text[160];
    if (tensor->rank > GRAPH_RANK_MAX)
        return diagnostic_fail(
            diagnostic, ERROR_TOO_LARGE, "%s has rank %u; declared operators take at most %d",
            plan->request->operation->inputs[input].name, tensor->rank, GRAPH_RANK_MAX);
    if (!shape->given)
        return ERROR_NONE;
    if (shape->like >= 0)
        return bind_like(plan, input, (unsigned)shape->like, diagnostic);
    unsigned written = 0;
    bool rest = false;
    for (unsigned d = 0; d < shape->count; d++) {
        rest = rest || shape->dimension[d].kind == DIMENSION_REST;
        written += shape->dimension[d].kind != DIMENSION_REST;
    }
    if (rest ? tensor->rank < written : tensor->rank != written)
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT, "%s is %s; expected %s%u dimensions",
            plan->request->operation->inputs[input].name,
            tensor_describe(tensor, text, sizeof text), rest ? "at least " : "", written);
    unsigned axis = 0;
    enum error error = ERROR_NONE;
    for (unsigned d = 0; d < shape->count && !error; d++) {
        if (shape->dimension[d].kind == DIMENSION_REST)
            axis += tensor->rank - written;
        else
            error = bind_size(plan, input, axis++, &shape->dimension[d], diagnostic);
    }
    return error;
}

static enum error bind_inputs(struct plan *plan, struct diagnostic *diagnostic)
{
    const struct request *const request = plan->request;
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < request->operation->input_count && !error; i++) {
        const struct graph_input *const input = &plan->graph->input[i];
        if (!tensor_present(&request->input[i])) {
            if (!request->operation->inputs[i].optional)
                return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is required",
                                       request->operation->inputs[i].name);
            continue;
        }
        unsigned types = input->types;
        if (input->type_of >= 0 && tensor_present(&request->input[input->type_of]))
            types = DTYPE_BIT(request->input[input->type_of].dtype);
        error = operation_check_dtype(request, i, types, diagnostic);
        if (!error)
            error = bind_shape(plan, i, diagnostic);
    }
    return error;
}

// ---- requirements -----------------------------------------------------------

// What both sides of a condition are, for the message.
static void describe_sides(struct plan *plan, uint16_t condition, char *text, size_t size)
{
    const struct graph_expression *const e = &plan->graph->expression[condition];
    struct plan_static side[2];
    struct diagnostic ignored;
    text[0] = '\0';
    if (e->count != 2 || plan_evaluate_static(plan, e->operand[0], &side[0], &ignored) ||
        plan_evaluate_static(plan, e->operand[1], &side[1], &ignored))
        return;
    size_t used = (size_t)snprintf(text, size, "; found");
    for (unsigned s = 0; s < 2; s++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", s ? " and " : " ",
                                 side[s].text ? side[s].text : "", side[s].list ? "[" : "");
        for (unsigned i = 0; i < side[s].count && used + 64 < size; i++)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%g", i ? "," : "", side[s].number[i]);
        used += (size_t)snprintf(text + used, size - used, "%s", side[s].list ? "]" : "");
    }
}

static enum error check_requirements(struct plan *plan, struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < plan->graph->requirement_count; i++) {
        const struct graph_requirement *const requirement = &plan->graph->requirement[i];
        struct plan_static holds;
        char sides[400];
        const enum error error =
            plan_evaluate_static(plan, requirement->condition, &holds, diagnostic);
        if (error)
            return error;
        if (!holds.text && !holds.list && holds.number[0] != 0)
            continue;
        describe_sides(plan, requirement->condition, sides, sizeof sides);
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s: this must hold: %s%s",
                               requirement->why ? requirement->why : "refused", requirement->text,
                               sides);
    }
    return ERROR_NONE;
}

// ---- expressions ------------------------------------------------------------

enum dtype plan_natural(enum dtype type)
{
    switch (dtype_kind(type)) {
    case DTYPE_KIND_FLOAT:
        return type == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
    case DTYPE_KIND_BOOL:
        return DTYPE_BOOL;
    default:
        return DTYPE_I64;
    }
}

static enum error stored_input(struct plan *plan, unsigned input, struct plan_value *value,
                               struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &plan->request->input[input];
    if (!tensor_present(tensor))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "input %s is needed here and is not given",
                               plan->request->operation->inputs[input].name);
    value->kind = PLAN_STORED;
    value->type = tensor->dtype;
    value->natural = plan_natural(tensor->dtype);
    value->rank = tensor->rank;
    memcpy(value->size, tensor->shape, tensor->rank * sizeof *value->size);
    value->data = tensor->data;
    return plan_count(value, diagnostic);
}

static enum error stored_node(struct plan *plan, unsigned node, struct plan_value *value,
                              struct diagnostic *diagnostic)
{
    const struct plan_node *const from = &plan->node[node];
    if (from->type == DTYPE_NONE)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "node %s is not made yet",
                               plan->graph->node[node].name);
    value->kind = PLAN_STORED;
    value->type = from->type;
    value->natural = plan_natural(from->type);
    value->rank = from->rank;
    memcpy(value->size, from->size, sizeof value->size);
    value->data = from->data;
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[node]] - 1];
    if (root->kind == PLAN_SCALAR && root->exact && (root->number == 0 || root->number == 1)) {
        value->kind = PLAN_SCALAR; // every type holds them
        value->number = root->number;
        value->exact = true;
    }
    return plan_count(value, diagnostic);
}

// A number that shapes and attributes decide.
static enum error scalar(struct plan *plan, const struct graph_expression *e,
                         struct plan_value *value, struct diagnostic *diagnostic)
{
    struct plan_static number = {.count = 1};
    enum error error = ERROR_NONE;
    value->kind = PLAN_SCALAR;
    value->count = 1;
    value->exact = e->op != WORD_PI && (e->op != WORD_NUMBER || e->exact);
    if (e->op == WORD_NAN)
        number.number[0] = NAN;
    else if (e->op == WORD_PI)
        number.number[0] = 3.141592653589793;
    else if (e->op == WORD_ROUNDOFF)
        number.number[0] = 0x1p-24;
    else
        error = plan_evaluate_static(plan, value->expression, &number, diagnostic);
    if (!error && (number.text || number.list))
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "a word or a list stands where a number is expected");
    value->number = number.number[0];
    const bool whole = isfinite(value->number) && value->number == floor(value->number);
    value->natural = value->exact && whole ? DTYPE_NONE : DTYPE_F32;
    return error;
}

static enum error new_value(struct plan *plan, uint16_t expression, struct plan_value **value,
                            struct diagnostic *diagnostic)
{
    if (plan->live == GRAPH_LIVE_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "the graph uses more than %d expressions", GRAPH_LIVE_MAX);
    *value = &plan->value[plan->live++];
    memset(*value, 0, sizeof **value);
    (*value)->expression = expression;
    plan->slot[expression] = (uint16_t)plan->live;
    return ERROR_NONE;
}

static enum error choose_branch(struct plan *plan, uint16_t expression,
                                const struct graph_expression *e, struct plan_value **value,
                                struct diagnostic *diagnostic)
{
    int64_t condition = 0;
    enum error error = plan_integer(plan, e->operand[0], &condition, diagnostic);
    const uint16_t branch = e->operand[condition ? 1 : 2];
    if (!error)
        error = plan_expression(plan, branch, value, diagnostic);
    if (!error)
        plan->slot[expression] = plan->slot[branch];
    return error;
}

enum error plan_expression(struct plan *plan, uint16_t expression, struct plan_value **value,
                           struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[expression];
    enum error error = ERROR_NONE;
    if (plan->slot[expression]) {
        *value = &plan->value[plan->slot[expression] - 1];
        return ERROR_NONE;
    }
    if (e->op == WORD_IF)
        return choose_branch(plan, expression, e, value, diagnostic);
    for (unsigned o = 0; o < e->count && !error; o++) {
        struct plan_value *operand;
        if (!words_operand_is_static(e->op, o) && words_row(e->op)->class != CLASS_STATIC)
            error = plan_expression(plan, e->operand[o], &operand, diagnostic);
    }
    if (!error)
        error = new_value(plan, expression, value, diagnostic);
    if (error)
        return error;
    if (e->op == WORD_INPUT)
        return stored_input(plan, e->index, *value, diagnostic);
    if (e->op == WORD_NODE)
        return stored_node(plan, e->index, *value, diagnostic);
    if (words_row(e->op)->class == CLASS_LEAF || words_row(e->op)->class == CLASS_STATIC)
        return scalar(plan, e, *value, diagnostic);
    return plan_shape(plan, *value, diagnostic);
}

// ---- nodes ------------------------------------------------------------------

// NONE: it is absent, or none that the attribute may name.
static enum dtype type_of(const struct plan *plan, const struct graph_type *type)
{
    const struct attribute_value *const value =
        type->attribute >= 0 ? &plan->request->attribute[type->attribute] : NULL;
    if (value && value->present) {
        const struct attribute_spec *const spec =
            &plan->request->operation->attributes[type->attribute];
        const enum dtype named = spec->kind == ATTRIBUTE_DTYPE ? (enum dtype)value->integer
                                                               : dtype_of_onnx(value->integer);
        return DTYPE_BIT(named) & spec->dtypes ? named : DTYPE_NONE;
    }
    const struct tensor *const input = plan->request->input;
    const enum dtype first = type->input >= 0 ? input[type->input].dtype : DTYPE_NONE,
                     second = type->second >= 0 ? input[type->second].dtype : DTYPE_NONE;
    return first ? first : second ? second : type->fixed;
}

static enum error make_node(struct plan *plan, unsigned index, struct diagnostic *diagnostic)
{
    const struct graph_node *const node = &plan->graph->node[index];
    struct plan_node *const to = &plan->node[index];
    struct plan_value *root;
    to->first = plan->done;
    const enum error error = plan_expression(plan, plan->root[index], &root, diagnostic);
    if (error && !diagnostic)
        return error;
    if (error) {
        char text[DIAGNOSTIC_TEXT_SIZE];
        snprintf(text, sizeof text, "%.600s", diagnostic->text);
        return diagnostic_fail(diagnostic, error, "node %s: %s", node->name, text);
    }
    to->last = plan->done = (uint16_t)plan->live;
    const struct graph_replacement *const replaced = plan->replaced[index];
    const bool cast = replaced && replaced->cast, typed = cast ? replaced->typed : node->typed;
    to->type = typed ? type_of(plan, cast ? &replaced->type : &node->type) : root->natural;
    if (to->type == DTYPE_NONE)
        to->type = typed ? DTYPE_NONE : DTYPE_F32;
    for (unsigned v = to->first; v < to->last && replaced; v++)
        if (words_is_sum(plan_op(plan, &plan->value[v])))
            plan->value[v].narrow = replaced->accumulator;
    if (to->type == DTYPE_NONE)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "node %s has the type of an input or attribute that is absent, or "
                               "that names none of its types",
                               node->name);
    to->rank = root->rank;
    memcpy(to->size, root->size, sizeof to->size);
    to->count = root->count;
    return ERROR_NONE;
}

// Which nodes some wanted output needs: found backwards, since each comes after its operands.
static void mark_expression(struct plan *plan, uint16_t expression)
{
    const struct graph_expression *const e = &plan->graph->expression[expression];
    int64_t condition = 0;
    struct diagnostic ignored;
    if (e->op == WORD_NODE)
        plan->used[e->index] = true;
    if (e->op == WORD_IF && !plan_integer(plan, e->operand[0], &condition, &ignored)) {
        mark_expression(plan, e->operand[condition ? 1 : 2]);
        return;
    }
    for (unsigned o = 0; o < e->count; o++)
        mark_expression(plan, e->operand[o]);
}

static unsigned count_used(const struct plan *plan)
{
    unsigned count = 0;
    for (unsigned i = 0; i < plan->graph->node_count; i++)
        count += plan->used[i];
    return count;
}

// A node of the scan may need a later one, as that was at the step before: it is gone through until
// no more are found.
static void mark_nodes(struct plan *plan)
{
    unsigned before;
    do {
        before = count_used(plan);
        for (unsigned i = plan->graph->node_count; i-- > 0;) {
            plan->used[i] = plan->used[i] || plan->graph->node[i].output >= 0;
            if (plan->used[i])
                mark_expression(plan, plan->root[i]);
            if (plan->used[i] && graph_in_scan(plan->graph, i))
                mark_expression(plan, plan->graph->steps);
        }
    } while (count_used(plan) != before && plan->graph->scan[0].end);
}

// A value's operands that have values, which are read where it is no number.
static void need_value(struct plan *plan, struct plan_value *value)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    if (value->kind == PLAN_SCALAR)
        return;
    value->read = true;
    if (e->op == WORD_NODE)
        plan->used[e->index] = true;
    if (e->op == WORD_BEFORE)
        plan->used[plan->graph->expression[e->operand[0]].index] = true;
    for (unsigned o = 0; o < e->count; o++)
        if (plan->slot[e->operand[o]])
            need_value(plan, &plan->value[plan->slot[e->operand[o]] - 1]);
}

// Nodes whose elements no other node and no output reads, now that conditions are known, are not in
// use, and values of which shapes alone are read are not kept.
static void drop_nodes(struct plan *plan)
{
    bool made[GRAPH_NODES_MAX];
    memcpy(made, plan->used, sizeof made);
    memset(plan->used, 0, sizeof plan->used);
    unsigned before;
    do {
        before = count_used(plan);
        for (unsigned i = plan->graph->node_count; i-- > 0;) {
            plan->used[i] = made[i] && (plan->used[i] || plan->graph->node[i].output >= 0);
            if (plan->used[i])
                need_value(plan, &plan->value[plan->slot[plan->root[i]] - 1]);
        }
    } while (count_used(plan) != before && plan->graph->scan[0].end);
    for (unsigned v = 0; v < plan->live; v++)
        if (plan->value[v].kind == PLAN_KEPT && !plan->value[v].read)
            plan->value[v].kind = PLAN_FUSED;
}

static enum error check_output(struct plan *plan, unsigned index, struct diagnostic *diagnostic)
{
    const struct plan_node *const node = &plan->node[index];
    const unsigned output = (unsigned)plan->graph->node[index].output;
    const struct graph_shape *const shape = &plan->graph->output[output].shape;
    uint64_t size[GRAPH_RANK_MAX];
    unsigned rank = 0;
    char a[160], b[160];
    if (!shape->given)
        return ERROR_NONE;
    if (shape->like >= 0) {
        const struct tensor *const like = &plan->request->input[shape->like];
        rank = like->rank;
        memcpy(size, like->shape, rank * sizeof *size);
    }
    for (unsigned d = 0; d < shape->count; d++) {
        const struct graph_dimension *const dimension = &shape->dimension[d];
        int64_t number = 0;
        if (dimension->kind == DIMENSION_REST)
            return ERROR_NONE;
        const enum error error = dimension->kind == DIMENSION_NAME
                                     ? ERROR_NONE
                                     : plan_integer(plan, dimension->index, &number, diagnostic);
        if (error)
            return error;
        size[rank++] = dimension->kind == DIMENSION_NAME ? (uint64_t)plan->name[dimension->index]
                                                         : (uint64_t)number;
    }
    if (rank == node->rank && !memcmp(size, node->size, rank * sizeof *size))
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "output %s comes out as %s; declared as %s",
        plan->request->operation->outputs[output],
        plan_describe(node->rank, node->size, a, sizeof a), plan_describe(rank, size, b, sizeof b));
}

// The expressions of the nodes under the request's profile.
static void take_roots(struct plan *plan)
{
    const struct graph *const graph = plan->graph;
    for (unsigned i = 0; i < graph->node_count; i++)
        plan->root[i] = graph->node[i].root;
    for (unsigned c = 0; c < plan->request->operation->choice_count; c++) {
        const struct graph_option *const option =
            &graph->option[c][plan->request->profile.option[c]];
        for (unsigned r = 0; r < option->count; r++) {
            plan->root[option->replacement[r].node] = option->replacement[r].root;
            plan->replaced[option->replacement[r].node] = &option->replacement[r];
        }
    }
}

// What was made so far to decide conditions is made anew: one on the size of a node has failed.
static void forget_values(struct plan *plan)
{
    if (plan->live)
        memset(plan->slot, 0, sizeof plan->slot);
    plan->live = plan->products = 0;
}

enum error plan_make(struct plan *plan, const struct request *request,
                     struct diagnostic *diagnostic)
{
    memset(plan, 0, offsetof(struct plan, value));
    plan->graph = declared_graph(request->operation);
    plan->request = request;
    for (unsigned i = 0; i < GRAPH_NAMES_MAX; i++)
        plan->name[i] = NAN;
    take_roots(plan);
    enum error error = bind_inputs(plan, diagnostic);
    if (!error)
        error = check_requirements(plan, diagnostic);
    if (!error)
        mark_nodes(plan);
    forget_values(plan);
    for (unsigned i = 0; i < plan->graph->node_count && !error; i++) {
        if (!plan->used[i])
            continue;
        plan->scan = graph_scan_of(plan->graph, i);
        if (plan->scan < GRAPH_SCANS && !plan->steps)
            error = plan_start_scan(plan, diagnostic);
        if (!error)
            error = make_node(plan, i, diagnostic);
        if (!error && plan->graph->node[i].output >= 0)
            error = check_output(plan, i, diagnostic);
    }
    if (error)
        return error;
    drop_nodes(plan);
    return plan_check_scan(plan, diagnostic);
}
