// SPDX-License-Identifier: Apache-2.0
// The request form of the public vocabulary: its keys, and the order in which they are read.

#include "ref/op/request.h"

#include <assert.h>

#include "ref/num/text.h"
#include "ref/op/model.h"
#include "ref/op/request_attribute.h"

enum { KEYS_MAX = 32, RUNS_MAX = 4096 };

void request_start(struct request *request, const struct operation *operation)
{
    assert(operation->attribute_count <= OPERATION_ATTRIBUTES_MAX);
    assert(operation->input_count <= OPERATION_INPUTS_MAX);
    *request = (struct request){.operation = operation, .runs = 1};
    for (unsigned i = 0; i < operation->attribute_count; i++)
        attribute_set_default(&operation->attributes[i], &request->attribute[i]);
}

static enum error read_attributes(const struct document_node *node,
                                  const struct document_node *whole, struct arena *arena,
                                  struct request *request, struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    const char *known[OPERATION_ATTRIBUTES_MAX + 1] = {NULL};
    for (unsigned i = 0; i < operation->attribute_count; i++)
        known[i] = operation->attributes[i].name;
    enum error error =
        node ? document_only_keys(node, known, "attributes", diagnostic) : ERROR_NONE;
    for (unsigned i = 0; i < operation->attribute_count && !error; i++) {
        const struct attribute_spec *const spec = &operation->attributes[i];
        const struct document_node *const value = node ? document_find(node, spec->name) : NULL;
        if (value)
            error = attribute_read(spec, value, arena, &request->attribute[i], diagnostic);
        else if (spec->presence == ATTRIBUTE_REQUIRED)
            error = document_fail(node ? node : whole, ERROR_INVALID_ARGUMENT, diagnostic,
                                  "attribute %s is required by %s", spec->name, operation->name);
    }
    return error;
}

static enum error read_inputs(const struct document_node *node, const struct document_node *whole,
                              const struct request_sources *sources, struct arena *arena,
                              struct request *request, struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    const char *known[OPERATION_INPUTS_MAX + 1] = {NULL};
    for (unsigned i = 0; i < operation->input_count; i++)
        known[i] = operation->inputs[i].name;
    enum error error = node ? document_only_keys(node, known, "inputs", diagnostic) : ERROR_NONE;
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        const char *const name = operation->inputs[i].name;
        const struct document_node *const value = node ? document_find(node, name) : NULL;
        if (value) {
            const enum dtype plain =
                operation->plain_dtype ? operation->plain_dtype(request, i) : DTYPE_NONE;
            error = request_read_tensor(value, plain, name, sources, arena, &request->input[i],
                                        diagnostic);
        } else if (!operation->inputs[i].optional) {
            error = document_fail(node ? node : whole, ERROR_INVALID_ARGUMENT, diagnostic,
                                  "input %s is required by %s", name, operation->name);
        }
    }
    return error;
}

static enum error read_outputs(const struct document_node *node, struct request *request,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "outputs", diagnostic);
    if (!error && !node->count)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "outputs is empty; leave it out to get all");
    for (size_t i = 0; i < node->count && !error; i++) {
        error = document_expect(node->item[i], DOCUMENT_SCALAR, "an output", diagnostic);
        const int index = error ? -1 : operation_output(request->operation, node->item[i]->text);
        if (!error && index < 0)
            error = document_fail(node->item[i], ERROR_INVALID_ARGUMENT, diagnostic,
                                  "%s has no output '%.80s'", request->operation->name,
                                  node->item[i]->text);
        else if (!error)
            request->outputs |= 1U << index;
    }
    return error;
}

static enum error read_element_number(const struct document_node *node, uint64_t *value,
                                      const char *what, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    return num_parse(DTYPE_U64, node->text, node->count, value, NULL)
               ? document_fail(node, ERROR_INPUT, diagnostic,
                               "%s is '%.80s'; expected a whole number from 0", what, node->text)
               : ERROR_NONE;
}

static enum error read_window(const struct document_node *node, struct request *request,
                              struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "window", diagnostic);
    if (!error && node->count != 2)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "window is a list of two: first element, count");
    if (!error)
        error = read_element_number(node->item[0], &request->window_first,
                                    "the window's first element", diagnostic);
    if (!error)
        error = read_element_number(node->item[1], &request->window_count, "the window's count",
                                    diagnostic);
    request->windowed = true;
    return error;
}

static enum error read_model(const struct document_node *node, struct arena *arena,
                             struct request *request, struct diagnostic *diagnostic)
{
    struct evaluation_model *const model = arena_take(arena, sizeof *model);
    if (!model)
        return diagnostic_no_memory(diagnostic);
    *model = evaluation_model_standard;
    request->model = model;
    return evaluation_model_read(node, model, diagnostic);
}

static enum error read_step(const struct document_node *node, struct arena *arena,
                            struct request *request, struct diagnostic *diagnostic)
{
    static const char *const names[] = {"the step's layer", "the step's direction",
                                        "the step's time", "the step's gate"};
    int64_t where[OPERATION_STEP] = {0, 0, 0, -1};
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "step", diagnostic);
    if (!error && node->count != OPERATION_STEP - 1 && node->count != OPERATION_STEP)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "step is a list: layer, direction, time, and perhaps a gate");
    for (unsigned i = 0; !error && i < node->count; i++) {
        long long number = 0;
        error = document_integer(node->item[i], 0, INT32_MAX, &number, names[i], diagnostic);
        where[i] = number;
    }
    const struct operation_stepping *const stepping = request->operation->stepping;
    if (!error && !stepping)
        error = document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic, "%s has no steps",
                              request->operation->name);
    return error ? error : stepping->take(request, where, arena, diagnostic);
}

enum error request_read_observed(const struct document_node *node,
                                 const struct request_sources *sources, struct arena *arena,
                                 struct request *request, struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    const int output = operation_observable(request);
    if (output < 0)
        return document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic,
                             "no output of this request can be taken as observed");
    const char *const name = operation->outputs[output], *const known[] = {name, NULL};
    enum error error = document_only_keys(node, known, "observed", diagnostic);
    const struct document_node *const tensor = error ? NULL : document_find(node, name);
    if (!error && !tensor)
        error = document_fail(node, ERROR_INPUT, diagnostic, "observed needs the key %s", name);
    return error ? error
                 : request_read_tensor(tensor, DTYPE_NONE, name, sources, arena, &request->observed,
                                       diagnostic);
}

static enum error find_operation(const struct document_node *op,
                                 const struct request_sources *sources,
                                 const struct operation **operation, struct diagnostic *diagnostic)
{
    char hint[NEAREST_HINT_SIZE];
    enum error error = document_expect(op, DOCUMENT_SCALAR, "op", diagnostic);
    if (error)
        return error;
    if (sources && sources->operation)
        *operation = sources->operation;
    else if (sources && sources->find)
        error = sources->find(sources->operators, op->text, operation, diagnostic);
    else
        *operation = operation_named(op->text);
    return error || *operation
               ? error
               : document_fail(
                     op, ERROR_UNSUPPORTED, diagnostic,
                     "there is no operation '%.80s'; `assay list operations` names them all%s",
                     op->text, operation_hint(op->text, hint));
}

enum error request_read(const struct document_node *node, const char *const *more,
                        const struct request_sources *sources, struct arena *arena,
                        struct request *request, struct diagnostic *diagnostic)
{
    const char *keys[KEYS_MAX + 1] = {"id",     "op",   "attributes", "inputs", "outputs",
                                      "window", "runs", "model",      "step"};
    for (unsigned used = 9; more && *more && used < KEYS_MAX; used++)
        keys[used] = *more++;
    enum error error = document_only_keys(node, keys, "a request", diagnostic);
    if (error)
        return error;

    const struct document_node *const op = document_find(node, "op");
    if (!op)
        return document_fail(node, ERROR_INPUT, diagnostic, "a request needs the key op");
    const struct operation *operation = NULL;
    if ((error = find_operation(op, sources, &operation, diagnostic)))
        return error;
    request_start(request, operation);

    const struct document_node *const id = document_find(node, "id");
    const struct document_node *const runs = document_find(node, "runs");
    const struct document_node *const outputs = document_find(node, "outputs");
    const struct document_node *const window = document_find(node, "window");
    const struct document_node *const model = document_find(node, "model");
    const struct document_node *const step = document_find(node, "step");
    if (id && !(error = document_expect(id, DOCUMENT_SCALAR, "id", diagnostic)))
        request->id = id->text;
    if (!error && runs) {
        long long count = 1;
        error = document_integer(runs, 1, RUNS_MAX, &count, "runs", diagnostic);
        request->runs = (uint32_t)count;
    }
    if (!error)
        error =
            read_attributes(document_find(node, "attributes"), node, arena, request, diagnostic);
    if (!error)
        error =
            read_inputs(document_find(node, "inputs"), node, sources, arena, request, diagnostic);
    if (!error && outputs)
        error = read_outputs(outputs, request, diagnostic);
    if (!error && window)
        error = read_window(window, request, diagnostic);
    if (!error && model)
        error = read_model(model, arena, request, diagnostic);
    if (!error && step)
        error = read_step(step, arena, request, diagnostic);
    return error;
}
