// SPDX-License-Identifier: Apache-2.0
// Tensors up to 64 elements as hex bits in the line itself, larger ones in safetensors files.

#include "harness/host/program_json.h"

#include <stdio.h>
#include <string.h>

#include "harness/host/tensor_file.h"
#include "ref/base/bytes.h"

// Words with commas between them, as a list.
static void put_words(struct text *text, const char *words)
{
    json_begin_list(text);
    for (size_t length; *words; words += length + (words[length] == ',')) {
        char word[64];
        length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_put_string(text, word);
    }
    json_end_list(text);
}

void program_put_attribute(struct text *text, const struct assay_attribute *attribute)
{
    json_put_key(text, attribute->name);
    switch (attribute->kind) {
    case ASSAY_INTEGER:
        json_put_integer(text, attribute->integer);
        break;
    case ASSAY_BOOLEAN:
        json_put_boolean(text, attribute->integer != 0);
        break;
    case ASSAY_REAL:
        json_put_real(text, attribute->real);
        break;
    case ASSAY_TEXT:
        if (attribute->count)
            put_words(text, attribute->text);
        else
            json_put_string(text, attribute->text);
        break;
    default:
        json_begin_list(text);
        for (uint32_t i = 0; i < attribute->count; i++)
            if (attribute->kind == ASSAY_INTEGERS)
                json_put_integer(text, attribute->integers[i]);
            else
                json_put_real(text, attribute->reals[i]);
        json_end_list(text);
        break;
    }
}

static enum error put_tensor(struct text *text, const struct host_tensor *tensor, bool ask,
                             uint32_t serial, int directory, struct diagnostic *diagnostic)
{
    uint64_t count = 0;
    if (!tensor_count(&tensor->tensor, &count))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "input '%s' is too large",
                               tensor->name);
    json_begin_object_at(text, tensor->name);
    tensor_put_type(&tensor->tensor, text);
    if (!ask && count <= PROGRAM_INLINE_MAX)
        tensor_put_bits(tensor->tensor.dtype, tensor->tensor.data, count, text);
    else if (!ask) {
        char file[128];
        snprintf(file, sizeof file, "in-%u-%.64s.safetensors", serial, tensor->name);
        const enum error error =
            tensor_file_write(directory, file, tensor->name, &tensor->tensor, diagnostic);
        if (error)
            return error;
        json_put_pair(text, "file", file);
        json_put_pair(text, "tensor", tensor->name);
    }
    json_end_object(text);
    return ERROR_NONE;
}

static void put_names(struct text *text, const char *key, const char *const *names)
{
    json_begin_list_at(text, key);
    while (*names)
        json_put_string(text, *names++);
    json_end_list(text);
}

static void put_onnx(struct text *text, const struct host_request *request)
{
    json_begin_list_at(text, "onnx");
    for (unsigned i = 0; i < request->onnx_count; i++) {
        json_begin_object(text);
        json_put_pair(text, "node", request->onnx[i].type);
        put_names(text, "inputs", request->onnx[i].inputs);
        put_names(text, "outputs", request->onnx[i].outputs);
        put_names(text, "attributes", request->onnx[i].attributes);
        json_end_object(text);
    }
    json_end_list(text);
}

enum error program_put_request(struct text *text, const struct host_request *request, bool ask,
                               const char *feed, uint32_t serial, int directory,
                               struct diagnostic *diagnostic)
{
    char id[16];
    snprintf(id, sizeof id, "%u", serial);
    json_begin_object(text);
    json_begin_object_at(text, ask ? "supports" : "run");
    json_put_pair(text, "id", id);
    json_put_pair(text, "op", request->operation);
    json_begin_object_at(text, "attributes");
    for (size_t i = 0; i < request->attribute_count; i++)
        program_put_attribute(text, &request->attributes[i]);
    json_end_object(text);
    json_begin_object_at(text, "inputs");
    for (size_t i = 0; i < request->input_count; i++) {
        const enum error error =
            put_tensor(text, &request->inputs[i], ask, serial, directory, diagnostic);
        if (error)
            return error;
    }
    json_end_object(text);
    json_begin_list_at(text, "outputs");
    for (size_t i = 0; i < request->output_count; i++)
        json_put_string(text, request->outputs[i].name);
    json_end_list(text);
    if (request->onnx_count)
        put_onnx(text, request);
    if (request->profile) {
        json_begin_object_at(text, "profile");
        json_put_pair_list(text, request->profile);
        json_end_object(text);
    }
    if (request->window_count)
        json_put_numbers_at(text, "window",
                            (const uint64_t[]){request->window_first, request->window_count}, 2);
    json_end_object(text);
    if (feed)
        json_put_pair(text, "feed", feed);
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
    if (text->failed || text->size > PROGRAM_LINE_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "the request does not fit into a line of %d bytes",
                               PROGRAM_LINE_MAX);
    return ERROR_NONE;
}

// ---- answers ----------------------------------------------------------------

static bool take_hex(const char *text, size_t size, uint64_t *bits)
{
    *bits = 0;
    if (strlen(text) != 2 * size)
        return false;
    for (; *text; text++) {
        const char *const digits = "0123456789abcdef", *const digit = strchr(digits, *text);
        if (!digit)
            return false;
        *bits = *bits << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

static enum error take_bits(const struct document_node *list, const struct host_tensor *wanted,
                            uint64_t count, struct diagnostic *diagnostic)
{
    if (list->kind != DOCUMENT_SEQUENCE || list->count != count)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' has %zu bits; expected %llu",
                               wanted->name, list->kind == DOCUMENT_SEQUENCE ? list->count : 0,
                               (unsigned long long)count);
    const size_t size = dtype_size(wanted->tensor.dtype);
    for (size_t i = 0; i < list->count; i++) {
        uint64_t bits = 0;
        if (list->item[i]->kind != DOCUMENT_SCALAR || !take_hex(list->item[i]->text, size, &bits))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "element %zu of output '%s' is not %zu lower-case hex digits", i,
                                   wanted->name, 2 * size);
        if (wanted->tensor.data)
            element_store(wanted->tensor.data, size, i, bits);
    }
    return ERROR_NONE;
}

static bool same_shape(const struct document_node *shape, const struct tensor *wanted, char *text,
                       size_t size)
{
    size_t at = 0;
    bool same = shape->count == wanted->rank;
    text[0] = '\0';
    for (size_t d = 0; d < shape->count && at + 24 < size; d++) {
        long long extent = -1;
        if (document_integer(shape->item[d], 0, (long long)INT64_MAX, &extent, "shape", NULL))
            return false;
        at += (size_t)snprintf(text + at, size - at, "%s%lld", d ? "," : "", extent);
        same = same && (uint64_t)extent == wanted->shape[d];
    }
    return same;
}

// The elements of an output whose dtype and shape are those of `wanted`.
static enum error take_elements(const struct document_node *node, const struct host_tensor *wanted,
                                uint64_t window, int directory, struct diagnostic *diagnostic)
{
    uint64_t count = window;
    if (!count && !tensor_count(&wanted->tensor, &count))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "output '%s' is too large",
                               wanted->name);
    const struct document_node *const bits = document_find(node, "bits"),
                                      *const file = document_find(node, "file"),
                                      *const tensor = document_find(node, "tensor");
    if (bits && (file || tensor))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "output '%s' has bits, and a file beside them", wanted->name);
    if (bits)
        return take_bits(bits, wanted, count, diagnostic);
    if (!file || file->kind != DOCUMENT_SCALAR || !tensor || tensor->kind != DOCUMENT_SCALAR)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "output '%s' has neither bits nor file and tensor", wanted->name);
    if (!wanted->tensor.data)
        return ERROR_NONE;
    return tensor_file_read(directory, file->text, tensor->text, &wanted->tensor, window,
                            diagnostic);
}

// An output of another dtype or shape, if it is small enough to be looked at.
static void receive(const struct document_node *node, const struct host_tensor *wanted,
                    const struct document_node *shape, enum dtype dtype, int directory,
                    struct host_received *received)
{
    struct host_tensor got = {.name = wanted->name,
                              .tensor = {.dtype = dtype, .rank = (unsigned)shape->count}};
    struct diagnostic ignored;
    uint64_t count = 0;
    long long extent;
    if (dtype >= DTYPE_COUNT || shape->count > TENSOR_RANK_MAX)
        return;
    for (size_t d = 0; d < shape->count; d++) {
        if (document_integer(shape->item[d], 0, HOST_RECEIVED_MAX, &extent, "shape", NULL))
            return;
        got.tensor.shape[d] = (uint64_t)extent;
    }
    if (!tensor_count(&got.tensor, &count) || count > HOST_RECEIVED_MAX)
        return;
    got.tensor.data = received->data;
    received->there = !take_elements(node, &got, 0, directory, &ignored);
    received->tensor = got.tensor;
    received->tensor.data = NULL;
}

static enum error take_output(const struct document_node *node, const struct host_tensor *wanted,
                              uint64_t window, int directory, struct host_received *received,
                              struct diagnostic *diagnostic)
{
    char found[128], expected[128];
    if (node->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' is not an object",
                               wanted->name);
    const struct document_node *const type = document_find(node, "dtype"), *const shape =
                                                                               document_find(
                                                                                   node, "shape");
    if (!type || type->kind != DOCUMENT_SCALAR || !shape || shape->kind != DOCUMENT_SEQUENCE)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' lacks dtype or shape",
                               wanted->name);
    const bool fits = same_shape(shape, &wanted->tensor, found, sizeof found);
    if ((!fits || dtype_named(type->text) != wanted->tensor.dtype) && received)
        receive(node, wanted, shape, dtype_named(type->text), directory, received);
    if (!fits || dtype_named(type->text) != wanted->tensor.dtype)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "output '%s' is %.32s[%s]; expected %s", wanted->name, type->text,
                               found, tensor_describe(&wanted->tensor, expected, sizeof expected));
    return take_elements(node, wanted, window, directory, diagnostic);
}

static bool is_wanted(const struct host_request *request, const char *name)
{
    bool wanted = false;
    for (size_t i = 0; i < request->output_count; i++)
        wanted = wanted || !strcmp(request->outputs[i].name, name);
    return wanted;
}

enum error program_take_outputs(const struct document_node *outputs,
                                const struct host_request *request, int directory,
                                struct host_received *received, struct diagnostic *diagnostic)
{
    const bool alone = request->output_count == 1 && !request->window_count;
    if (outputs->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "outputs is not an object");
    for (size_t i = 0; i < request->output_count; i++) {
        const struct document_node *const node = document_find(outputs, request->outputs[i].name);
        if (!node)
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "output '%s' is missing",
                                   request->outputs[i].name);
        const enum error error =
            take_output(node, &request->outputs[i], i == 0 ? request->window_count : 0, directory,
                        alone ? received : NULL, diagnostic);
        if (error)
            return error;
    }
    for (size_t k = 0; k < outputs->count; k++)
        if (!is_wanted(request, outputs->key[k]->text))
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                   "output '%.100s' was not asked for", outputs->key[k]->text);
    return ERROR_NONE;
}

// ---- outputs of any type and shape -------------------------------------------

static enum error open_output(const struct document_node *node, const char *name, int directory,
                              struct host_open *open, struct tensor *tensor,
                              struct diagnostic *diagnostic)
{
    struct host_tensor got = {.name = name};
    const struct document_node *const shape =
        node->kind == DOCUMENT_MAPPING ? document_find(node, "shape") : NULL;
    const char *const type = document_text(node, "dtype");
    size_t bytes = 0;
    if (!type || !shape || shape->kind != DOCUMENT_SEQUENCE || shape->count > TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' lacks dtype or shape", name);
    got.tensor = (struct tensor){.dtype = dtype_named(type), .rank = (unsigned)shape->count};
    if (!got.tensor.dtype)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s': unknown dtype '%.40s'", name,
                               type);
    for (size_t d = 0; d < shape->count; d++) {
        long long extent = 0;
        if (document_integer(shape->item[d], 0, (long long)INT64_MAX, &extent, "shape", NULL))
            return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s': a size is no number",
                                   name);
        got.tensor.shape[d] = (uint64_t)extent;
    }
    if (!tensor_bytes(&got.tensor, &bytes) || bytes > PROGRAM_OPEN_BYTES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' is larger than %d MiB", name,
                               PROGRAM_OPEN_BYTES_MAX >> 20);
    got.tensor.data = arena_take(open->arena, bytes);
    if (!got.tensor.data)
        return diagnostic_no_memory(diagnostic);
    *tensor = got.tensor;
    return take_elements(node, &got, 0, directory, diagnostic);
}

enum error program_take_open(const struct document_node *outputs,
                             const struct host_request *request, int directory,
                             struct host_open *open, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (outputs->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "outputs is not an object");
    for (size_t i = 0; i < request->output_count && !error; i++) {
        const struct document_node *const node = document_find(outputs, request->outputs[i].name);
        error = node ? open_output(node, request->outputs[i].name, directory, open,
                                   &open->tensor[i], diagnostic)
                     : diagnostic_fail(diagnostic, ERROR_INPUT, "output '%s' is missing",
                                       request->outputs[i].name);
    }
    for (size_t k = 0; k < outputs->count && !error; k++)
        if (!is_wanted(request, outputs->key[k]->text))
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "output '%.100s' was not asked for",
                                    outputs->key[k]->text);
    return error;
}
