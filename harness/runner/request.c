// SPDX-License-Identifier: Apache-2.0
#include "harness/runner/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/host/wire.h"
#include "ref/base/bytes.h"

// ---- attributes -------------------------------------------------------------

static const char *const kinds[] = {"integer",  "real",  "boolean", "text",
                                    "integers", "reals", "words",   NULL};

static enum error take_integer(const struct document_node *node, int64_t *value,
                               struct diagnostic *diagnostic)
{
    char *end = NULL;
    errno = 0;
    *value = node->kind == DOCUMENT_SCALAR ? strtoll(node->text, &end, 10) : 0;
    return end && *end == '\0' && end != node->text && !errno
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic, "expected an integer");
}

static enum error take_real(const struct document_node *node, double *value,
                            struct diagnostic *diagnostic)
{
    char *end = NULL;
    *value = node->kind == DOCUMENT_SCALAR ? strtod(node->text, &end) : 0;
    return end && *end == '\0' && end != node->text
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic, "expected a number");
}

static enum error take_list(const struct document_node *node, bool reals, struct arena *arena,
                            struct assay_attribute *attribute, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, attribute->name, diagnostic);
    int64_t *const integers =
        error || reals ? NULL : arena_take_array(arena, node->count + 1, sizeof *integers);
    double *const numbers =
        error || !reals ? NULL : arena_take_array(arena, node->count + 1, sizeof *numbers);
    if (!error && !integers && !numbers)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        error = reals ? take_real(node->item[i], &numbers[i], diagnostic)
                      : take_integer(node->item[i], &integers[i], diagnostic);
    attribute->count = error ? 0 : (uint32_t)node->count;
    attribute->integers = integers;
    attribute->reals = numbers;
    return error;
}

static enum error take_words(const struct document_node *node, struct arena *arena,
                             struct assay_attribute *attribute, struct diagnostic *diagnostic)
{
    const char *text = "";
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, attribute->name, diagnostic);
    for (size_t i = 0; !error && text && i < node->count; i++)
        text = arena_print(arena, "%s%s%s", text, i ? "," : "", node->item[i]->text);
    if (!error && !text)
        error = diagnostic_no_memory(diagnostic);
    attribute->text = text;
    attribute->count = error ? 0 : (uint32_t)node->count;
    return error;
}

static enum error take_attribute(const struct document_node *node, const char *kind,
                                 struct arena *arena, struct assay_attribute *attribute,
                                 struct diagnostic *diagnostic)
{
    bool truth = false;
    enum error error = ERROR_NONE;
    const int index = kind ? text_index(kinds, kind) : -1;
    switch (index) {
    case 0:
        attribute->kind = ASSAY_INTEGER;
        return take_integer(node, &attribute->integer, diagnostic);
    case 1:
        attribute->kind = ASSAY_REAL;
        return take_real(node, &attribute->real, diagnostic);
    case 2:
        attribute->kind = ASSAY_BOOLEAN;
        error = document_boolean(node, &truth, attribute->name, diagnostic);
        attribute->integer = truth;
        return error;
    case 3:
        attribute->kind = ASSAY_TEXT;
        if (node->kind != DOCUMENT_SCALAR)
            return document_fail(node, ERROR_INPUT, diagnostic, "expected a text");
        attribute->text = arena_copy_text(arena, node->text, node->count);
        return attribute->text ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    case 4:
    case 5:
        attribute->kind = index == 4 ? ASSAY_INTEGERS : ASSAY_REALS;
        return take_list(node, index == 5, arena, attribute, diagnostic);
    case 6:
        attribute->kind = ASSAY_TEXT;
        return take_words(node, arena, attribute, diagnostic);
    default:
        return document_fail(node, ERROR_INPUT, diagnostic, "'kinds' does not say what this is");
    }
}

static enum error take_attributes(const struct document_node *root, struct arena *arena,
                                  struct host_request *host, struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(root, "attributes"), *const types =
                                                                                    document_find(
                                                                                        root,
                                                                                        "kinds");
    enum error error = list && types ? ERROR_NONE
                                     : document_fail(root, ERROR_INPUT, diagnostic,
                                                     "a request has attributes and kinds");
    if (!error)
        error = document_expect(list, DOCUMENT_MAPPING, "attributes", diagnostic);
    struct assay_attribute *const attributes =
        error ? NULL : arena_take_array(arena, list->count + 1, sizeof *attributes);
    if (!error && !attributes)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < list->count; i++) {
        attributes[i].name = arena_copy_text(arena, list->key[i]->text, list->key[i]->count);
        error = attributes[i].name
                    ? take_attribute(list->item[i], document_text(types, list->key[i]->text), arena,
                                     &attributes[i], diagnostic)
                    : diagnostic_no_memory(diagnostic);
    }
    host->attributes = attributes;
    host->attribute_count = error ? 0 : list->count;
    return error;
}

// ---- tensors ----------------------------------------------------------------

static enum error take_input(const struct form *form, const struct document_node *node,
                             struct arena *arena, struct tensor *tensor,
                             struct diagnostic *diagnostic)
{
    uint64_t count = 0;
    const enum error error = form_take_tensor(form, node, tensor, &count, diagnostic);
    if (error)
        return error;
    const size_t size = dtype_size(tensor->dtype);
    const void *const bytes = tensor->data;
    tensor->data = arena_take(arena, (size_t)count * size + 1);
    if (!tensor->data)
        return diagnostic_no_memory(diagnostic);
    if (count)
        bytes_copy_little_endian(tensor->data, bytes, size, (size_t)count);
    return ERROR_NONE;
}

static enum error take_tensors(const struct form *form, const struct document_node *list,
                               struct arena *arena, const struct host_tensor **tensors,
                               size_t *count, struct diagnostic *diagnostic)
{
    enum error error =
        list ? document_expect(list, DOCUMENT_MAPPING, "tensors", diagnostic)
             : diagnostic_fail(diagnostic, ERROR_INPUT, "a request has inputs and outputs");
    struct host_tensor *const made =
        error ? NULL : arena_take_array(arena, list->count + 1, sizeof *made);
    if (!error && !made)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < list->count; i++) {
        made[i].name = arena_copy_text(arena, list->key[i]->text, list->key[i]->count);
        if (!made[i].name)
            error = diagnostic_no_memory(diagnostic);
        else if (form)
            error = take_input(form, list->item[i], arena, &made[i].tensor, diagnostic);
        else
            error = form_take_type(list->item[i], &made[i].tensor, diagnostic);
    }
    *tensors = made;
    *count = error ? 0 : list->count;
    return error;
}

// As the plugin gets them, without data.
static struct assay_tensor *describe(const struct host_tensor *tensors, size_t count,
                                     struct assay_tensor *to, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        const struct tensor *const tensor = &tensors[i].tensor;
        int64_t *const shape = arena_take_array(arena, tensor->rank + 1, sizeof *shape);
        if (!shape)
            return NULL;
        for (unsigned d = 0; d < tensor->rank; d++)
            shape[d] = (int64_t)tensor->shape[d];
        to[i] = (struct assay_tensor){.name = tensors[i].name,
                                      .dtype = (uint32_t)tensor->dtype,
                                      .layout = {.device = {.device_type = kDLCPU},
                                                 .ndim = (int32_t)tensor->rank,
                                                 .dtype = wire_dlpack_dtype(tensor->dtype),
                                                 .shape = shape}};
    }
    return to;
}

// ---- all together -----------------------------------------------------------

static enum error check_digest(const struct document_node *root, const struct host_request *host,
                               struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    const enum error error = request_digest(host, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    return text_same(hex, document_text(root, "request"))
               ? ERROR_NONE
               : document_fail(root, ERROR_INPUT, diagnostic,
                               "the request is not the one that its digest names");
}

static enum error take_root(const struct form *form, const struct document_node *root,
                            struct arena *arena, struct runner_request *request,
                            struct diagnostic *diagnostic)
{
    long long runs = 1;
    struct host_request *const host = &request->host;
    const char *const of = document_text(root, "case"),
                      *const operation = document_text(root, "op"),
                      *const declaration = document_text(root, "declaration");
    if (!of || !operation)
        return document_fail(root, ERROR_INPUT, diagnostic, "a request has case and op");
    request->of = arena_copy_text(arena, of, strlen(of));
    host->operation = arena_copy_text(arena, operation, strlen(operation));
    if (declaration)
        host->declaration = arena_copy_text(arena, declaration, strlen(declaration));
    if (!request->of || !host->operation || !host->declaration != !declaration)
        return diagnostic_no_memory(diagnostic);
    enum error error = take_attributes(root, arena, host, diagnostic);
    if (!error)
        error = take_tensors(form, document_find(root, "inputs"), arena, &host->inputs,
                             &host->input_count, diagnostic);
    if (!error)
        error = take_tensors(NULL, document_find(root, "outputs"), arena, &host->outputs,
                             &host->output_count, diagnostic);
    if (!error && document_find(root, "runs"))
        error = document_integer(document_find(root, "runs"), 1, 64, &runs, "runs", diagnostic);
    request->runs = (unsigned)runs;
    if (!error && document_find(root, "stateful"))
        error = document_boolean(document_find(root, "stateful"), &request->stateful, "stateful",
                                 diagnostic);
    return error ? error : check_digest(root, host, diagnostic);
}

enum error runner_take_request(const struct form *form, const struct document_source *line,
                               struct arena *arena, struct runner_request *request,
                               struct diagnostic *diagnostic)
{
    struct document_node *root;
    *request = (struct runner_request){.runs = 1};
    enum error error = json_read(line, arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "the line", diagnostic);
    if (!error)
        error = take_root(form, root, arena, request, diagnostic);
    if (error)
        return error;
    const struct host_request *const host = &request->host;
    request->tensor = arena_take_array(arena, host->input_count + host->output_count + 1,
                                       sizeof *request->tensor);
    if (!request->tensor || !describe(host->inputs, host->input_count, request->tensor, arena) ||
        !describe(host->outputs, host->output_count, request->tensor + host->input_count, arena))
        return diagnostic_no_memory(diagnostic);
    request->asked = (struct assay_request){.size = sizeof request->asked,
                                            .operation = host->operation,
                                            .attributes = host->attributes,
                                            .attribute_count = host->attribute_count,
                                            .inputs = request->tensor,
                                            .input_count = host->input_count,
                                            .outputs = request->tensor + host->input_count,
                                            .output_count = host->output_count,
                                            .declaration = host->declaration};
    return ERROR_NONE;
}
