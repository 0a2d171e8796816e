// SPDX-License-Identifier: Apache-2.0
// Names and numbers pass through unchanged; words and dtypes travel as text.

#include "harness/judge/compare/convert.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/op/declared/graph.h"
#include "ref/base/size.h"
#include "ref/op/request.h"

// The words of a list, with commas between them; NULL when there is no memory.
static const char *joined_words(const struct attribute_spec *spec,
                                const struct attribute_value *value, struct arena *arena)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < value->count; i++)
        size += strlen(spec->words[value->integers[i]]) + 1;
    char *const text = arena_take(arena, size);
    for (size_t i = 0; text && i < value->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "",
                                 spec->words[value->integers[i]]);
    return text;
}

static enum error convert_attribute(const struct attribute_spec *spec,
                                    const struct attribute_value *value, struct arena *arena,
                                    struct assay_attribute *result, struct diagnostic *diagnostic)
{
    struct assay_attribute to = {
        .name = spec->name, .kind = ASSAY_INTEGER, .integer = value->integer};
    switch (spec->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_INTEGER64:
        break;
    case ATTRIBUTE_BOOLEAN:
        to.kind = ASSAY_BOOLEAN;
        break;
    case ATTRIBUTE_WORD:
        to.kind = ASSAY_TEXT;
        to.text = spec->words[value->integer];
        break;
    case ATTRIBUTE_DTYPE:
        to.kind = ASSAY_TEXT;
        to.text = dtype_name((enum dtype)value->integer);
        break;
    case ATTRIBUTE_SIZES:
        to.kind = ASSAY_INTEGERS;
        to.count = (uint32_t)value->count;
        to.integers = value->integers;
        break;
    case ATTRIBUTE_REAL:
        to.kind = ASSAY_REAL;
        to.real = value->real;
        break;
    case ATTRIBUTE_REALS:
        to.kind = ASSAY_REALS;
        to.count = (uint32_t)value->count;
        to.reals = value->reals;
        break;
    case ATTRIBUTE_WORDS:
        to.kind = ASSAY_TEXT;
        to.count = (uint32_t)value->count;
        to.text = joined_words(spec, value, arena);
        break;
    }
    *result = to;
    return to.kind == ASSAY_TEXT && !to.text ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

static struct tensor_layout layout_of(const struct request *request, bool output, unsigned index)
{
    const struct operation *const operation = request->operation;
    return operation->layout ? operation->layout(request, output, index)
                             : (struct tensor_layout){.asked = false};
}

static bool is_wanted(const struct request *request, const struct inference *inference,
                      unsigned output)
{
    return tensor_present(&inference->output[output]) &&
           (!request->outputs || (request->outputs >> output & 1));
}

enum error judge_convert_request(const struct request *request, const struct inference *inference,
                                 struct arena *arena, struct host_request *call,
                                 struct diagnostic *diagnostic)
{
    assert(request->operation);
    const struct operation *const operation = request->operation;
    struct assay_attribute *const attributes =
        arena_take_array(arena, OPERATION_ATTRIBUTES_MAX, sizeof *attributes);
    struct host_tensor *const inputs =
        arena_take_array(arena, OPERATION_INPUTS_MAX, sizeof *inputs);
    struct host_tensor *const outputs =
        arena_take_array(arena, OPERATION_OUTPUTS_MAX, sizeof *outputs);
    if (!attributes || !inputs || !outputs)
        return diagnostic_no_memory(diagnostic);
    *call = (struct host_request){
        .operation = operation->name,
        .declaration = declared_is(operation) ? declared_graph(operation)->text : NULL,
        .onnx = declared_is(operation) ? declared_graph(operation)->onnx : NULL,
        .onnx_count = declared_is(operation) ? declared_graph(operation)->onnx_count : 0,
        .attributes = attributes,
        .inputs = inputs,
        .outputs = outputs};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < operation->attribute_count && !error; i++)
        if (request->attribute[i].present)
            error = convert_attribute(&operation->attributes[i], &request->attribute[i], arena,
                                      &attributes[call->attribute_count++], diagnostic);
    for (unsigned i = 0; i < operation->input_count; i++)
        if (tensor_present(&request->input[i]))
            inputs[call->input_count++] = (struct host_tensor){
                operation->inputs[i].name, request->input[i], layout_of(request, false, i)};
    for (unsigned i = 0; inference && operation->outputs[i]; i++)
        if (is_wanted(request, inference, i)) {
            outputs[call->output_count] = (struct host_tensor){
                operation->outputs[i], inference->output[i], layout_of(request, true, i)};
            outputs[call->output_count++].tensor.data = NULL;
        }
    if (request->windowed) {
        call->window_first = request->window_first;
        call->window_count = request->window_count;
    }
    return error;
}

uint64_t judge_output_count(const struct host_request *call, size_t index)
{
    assert(index < call->output_count);
    uint64_t count = 0;
    if (index == 0 && call->window_count)
        return call->window_count;
    return tensor_count(&call->outputs[index].tensor, &count) ? count : 0;
}

enum error judge_copy_call(const struct host_request *call, struct arena *arena,
                           struct host_request *copy, struct diagnostic *diagnostic)
{
    *copy = *call;
    struct host_tensor *const outputs =
        arena_take_array(arena, call->output_count, sizeof *outputs);
    if (!outputs)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < call->output_count; i++) {
        outputs[i] = call->outputs[i];
        size_t bytes = 0;
        outputs[i].tensor.data = NULL;
        if (size_multiply(judge_output_count(call, i), dtype_size(outputs[i].tensor.dtype), &bytes))
            outputs[i].tensor.data = arena_take_unset(arena, bytes);
        if (!outputs[i].tensor.data)
            return diagnostic_no_memory(diagnostic);
    }
    copy->outputs = outputs;
    return ERROR_NONE;
}

// ---- as spelled -------------------------------------------------------------

static bool spells_integer(const struct document_node *node, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    if (node->kind != DOCUMENT_SCALAR || node->quoted || !node->count)
        return false;
    *value = strtoll(node->text, &end, 0);
    if (errno == ERANGE && node->text[0] != '-') {
        errno = 0;
        *value = (int64_t)strtoull(node->text, &end, 0);
    }
    return !*end && errno == 0;
}

static bool spells_real(const struct document_node *node, double *value)
{
    char *end = NULL;
    if (node->kind != DOCUMENT_SCALAR || node->quoted || !node->count)
        return false;
    *value = strtod(node->text, &end);
    return !*end;
}

static enum error words_as_spelled(const struct document_node *node, struct arena *arena,
                                   struct assay_attribute *to, struct diagnostic *diagnostic)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < node->count; i++) {
        if (node->item[i]->kind != DOCUMENT_SCALAR || strchr(node->item[i]->text, ','))
            return document_fail(node->item[i], ERROR_UNSUPPORTED, diagnostic,
                                 "the plugin ABI cannot carry attribute %s", to->name);
        size += strlen(node->item[i]->text) + 1;
    }
    char *const text = arena_take(arena, size);
    if (!text)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", node->item[i]->text);
    to->text = text;
    to->count = (uint32_t)node->count;
    return ERROR_NONE;
}

static enum error attribute_as_spelled(const char *name, const struct document_node *node,
                                       struct arena *arena, struct assay_attribute *to,
                                       struct diagnostic *diagnostic)
{
    *to = (struct assay_attribute){
        .name = name, .kind = ASSAY_TEXT, .text = node->kind == DOCUMENT_SCALAR ? node->text : ""};
    if (spells_integer(node, &to->integer))
        to->kind = ASSAY_INTEGER;
    else if (spells_real(node, &to->real))
        to->kind = ASSAY_REAL;
    else if (node->kind == DOCUMENT_SCALAR &&
             (!strcmp(node->text, "true") || !strcmp(node->text, "false"))) {
        to->kind = ASSAY_BOOLEAN;
        to->integer = node->text[0] == 't';
    } else if (node->kind == DOCUMENT_SEQUENCE && node->count &&
               !spells_integer(node->item[0], &to->integer)) {
        return words_as_spelled(node, arena, to, diagnostic);
    } else if (node->kind == DOCUMENT_SEQUENCE) {
        int64_t *const integers = arena_take_array(arena, node->count, sizeof *integers);
        if (!integers)
            return diagnostic_no_memory(diagnostic);
        for (size_t i = 0; i < node->count; i++)
            if (!spells_integer(node->item[i], &integers[i]))
                return document_fail(node->item[i], ERROR_UNSUPPORTED, diagnostic,
                                     "the plugin ABI cannot carry attribute %s", name);
        to->kind = ASSAY_INTEGERS;
        to->count = (uint32_t)node->count;
        to->integers = integers;
    }
    return ERROR_NONE;
}

// Whether every number of a plain value is whole.
static bool is_whole(const struct document_node *node)
{
    int64_t unused;
    if (node->kind == DOCUMENT_SCALAR)
        return spells_integer(node, &unused);
    for (size_t i = 0; i < node->count; i++)
        if (!is_whole(node->item[i]))
            return false;
    return true;
}

enum error judge_convert_document(const struct document_node *node, struct arena *arena,
                                  struct host_request *call, struct diagnostic *diagnostic)
{
    const struct document_node *const operation = document_find(node, "op"),
                                      *const attributes = document_find(node, "attributes"),
                                      *const inputs = document_find(node, "inputs");
    const size_t attribute_count =
                     attributes && attributes->kind == DOCUMENT_MAPPING ? attributes->count : 0,
                 input_count = inputs && inputs->kind == DOCUMENT_MAPPING ? inputs->count : 0;
    struct assay_attribute *const to = arena_take_array(arena, attribute_count, sizeof *to);
    struct host_tensor *const tensors = arena_take_array(arena, input_count, sizeof *tensors);
    if (!to || !tensors)
        return diagnostic_no_memory(diagnostic);
    *call = (struct host_request){.operation = operation ? operation->text : "",
                                  .attributes = to,
                                  .attribute_count = attribute_count,
                                  .inputs = tensors,
                                  .input_count = input_count};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < attribute_count && !error; i++)
        error = attribute_as_spelled(attributes->key[i]->text, attributes->item[i], arena, &to[i],
                                     diagnostic);
    for (size_t i = 0; i < input_count && !error; i++) {
        tensors[i].name = inputs->key[i]->text;
        const enum dtype plain =
            inputs->item[i]->kind != DOCUMENT_MAPPING && is_whole(inputs->item[i]) ? DTYPE_I64
                                                                                   : DTYPE_F32;
        error = request_read_tensor(inputs->item[i], plain, tensors[i].name, NULL, arena,
                                    &tensors[i].tensor, diagnostic);
    }
    return error;
}
