// SPDX-License-Identifier: Apache-2.0
// One tensor of a request: plain numbers, decimals with a dtype, or exact bits.

#include <inttypes.h>

#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "ref/op/request.h"

// What is being read: the tensor, its name for messages, and whether its elements are written as
// bits.
struct elements {
    struct tensor *tensor;
    const char *name;
    bool hex;
    struct diagnostic *diagnostic;
};

static enum error parse_hex(const struct elements *elements, const struct document_node *node,
                            uint64_t *bits)
{
    const size_t digits = 2 * dtype_size(elements->tensor->dtype);
    bool right = node->kind == DOCUMENT_SCALAR && node->count == digits;
    *bits = 0;
    for (size_t i = 0; right && i < digits; i++) {
        const char c = node->text[i];
        right = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        *bits = *bits << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (!right)
        return document_fail(node, ERROR_INPUT, elements->diagnostic,
                             "%s: expected %zu lower-case hexadecimal digits", elements->name,
                             digits);
    const enum dtype dtype = elements->tensor->dtype;
    if (*bits > dtype_last_code(dtype))
        return document_fail(node, ERROR_INPUT, elements->diagnostic,
                             "%s: of type %s is 00 to %02x", elements->name, dtype_name(dtype),
                             (unsigned)dtype_last_code(dtype));
    return ERROR_NONE;
}

static enum error parse_number(const struct elements *elements, const struct document_node *node,
                               uint64_t *bits)
{
    const enum error error =
        document_expect(node, DOCUMENT_SCALAR, elements->name, elements->diagnostic);
    if (error)
        return error;
    struct diagnostic why = {.text = ""};
    if (num_parse(elements->tensor->dtype, node->text, node->count, bits, &why))
        return document_fail(node, ERROR_INPUT, elements->diagnostic, "%s: %s", elements->name,
                             why.text);
    return ERROR_NONE;
}

static enum error parse_element(const struct elements *elements, const struct document_node *node,
                                uint64_t index)
{
    uint64_t bits = 0;
    const enum error error =
        elements->hex ? parse_hex(elements, node, &bits) : parse_number(elements, node, &bits);
    if (!error)
        element_store(elements->tensor->data, dtype_size(elements->tensor->dtype), index, bits);
    return error;
}

// Nested lists in row-major order; ragged ones are refused.
static enum error parse_nested(const struct elements *elements, const struct document_node *node,
                               unsigned depth, uint64_t *index)
{
    if (depth == elements->tensor->rank)
        return parse_element(elements, node, (*index)++);
    const uint64_t expected = elements->tensor->shape[depth];
    if (node->kind != DOCUMENT_SEQUENCE || node->count != expected)
        return document_fail(node, ERROR_INPUT, elements->diagnostic,
                             "%s is ragged: expected a list of %" PRIu64 " at depth %u",
                             elements->name, expected, depth + 1);
    for (size_t i = 0; i < node->count; i++) {
        const enum error error = parse_nested(elements, node->item[i], depth + 1, index);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static enum error take_data(const struct elements *elements, const struct document_node *node,
                            struct arena *arena)
{
    size_t bytes;
    if (!tensor_bytes(elements->tensor, &bytes))
        return document_fail(node, ERROR_TOO_LARGE, elements->diagnostic,
                             "%s does not fit in memory", elements->name);
    elements->tensor->data = arena_take(arena, bytes);
    return elements->tensor->data ? ERROR_NONE : diagnostic_no_memory(elements->diagnostic);
}

static enum error shape_of_nesting(const struct document_node *node, struct tensor *tensor,
                                   const char *name, struct diagnostic *diagnostic)
{
    for (const struct document_node *at = node; at->kind == DOCUMENT_SEQUENCE; at = at->item[0]) {
        if (tensor->rank == TENSOR_RANK_MAX)
            return document_fail(node, ERROR_TOO_LARGE, diagnostic,
                                 "%s has more than %d dimensions", name, TENSOR_RANK_MAX);
        tensor->shape[tensor->rank++] = at->count;
        if (!at->count)
            break;
    }
    return ERROR_NONE;
}

static enum error read_shape(const struct document_node *node, struct tensor *tensor,
                             const char *name, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "shape", diagnostic);
    if (!error && node->count > TENSOR_RANK_MAX)
        error = document_fail(node, ERROR_TOO_LARGE, diagnostic, "%s has more than %d dimensions",
                              name, TENSOR_RANK_MAX);
    for (; !error && tensor->rank < node->count; tensor->rank++) {
        long long size = 0;
        error =
            document_integer(node->item[tensor->rank], 0, INT64_MAX, &size, "a size", diagnostic);
        tensor->shape[tensor->rank] = (uint64_t)size;
    }
    return error;
}

static enum error read_dtype(const struct document_node *node, const char *name, enum dtype *dtype,
                             struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, "dtype", diagnostic);
    *dtype = error ? DTYPE_NONE : dtype_named(node->text);
    return error || *dtype ? error
                           : document_fail(node, ERROR_INPUT, diagnostic,
                                           "%s: unknown dtype '%.40s'", name, node->text);
}

enum error request_read_type(const struct document_node *node, const char *name,
                             struct tensor *tensor, struct diagnostic *diagnostic)
{
    const struct document_node *const dtype = document_find(node, "dtype"), *const shape =
                                                                                document_find(
                                                                                    node, "shape");
    uint64_t count;
    *tensor = (struct tensor){.dtype = DTYPE_NONE};
    if (!dtype || !shape)
        return document_fail(node, ERROR_INPUT, diagnostic, "%s needs dtype and shape", name);
    enum error error = read_dtype(dtype, name, &tensor->dtype, diagnostic);
    if (!error)
        error = read_shape(shape, tensor, name, diagnostic);
    if (!error && !tensor_count(tensor, &count))
        error = document_fail(node, ERROR_TOO_LARGE, diagnostic, "%s has too many elements", name);
    return error;
}

static enum error read_typed(const struct document_node *node, const char *name,
                             struct arena *arena, struct tensor *tensor,
                             struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"dtype", "shape", "bits", "data", NULL};
    enum error error = document_only_keys(node, keys, name, diagnostic);
    if (error)
        return error;
    const struct document_node *const dtype = document_find(node, "dtype");
    const struct document_node *const shape = document_find(node, "shape");
    const struct document_node *const bits = document_find(node, "bits");
    const struct document_node *const data = document_find(node, "data");
    const struct document_node *const values = bits ? bits : data;
    if (!dtype || !values || (bits && data))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "%s: a typed tensor has dtype, shape, and either bits or data", name);
    if ((error = read_dtype(dtype, name, &tensor->dtype, diagnostic)))
        return error;
    struct tensor nesting = {.dtype = tensor->dtype};
    error = shape_of_nesting(values, &nesting, name, diagnostic);
    if (!error && shape)
        error = read_shape(shape, tensor, name, diagnostic);
    if (error)
        return error;
    if (!shape)
        *tensor = nesting;
    uint64_t count;
    if (!tensor_count(tensor, &count))
        return document_fail(node, ERROR_TOO_LARGE, diagnostic, "%s has too many elements", name);
    const struct elements elements = {tensor, name, bits != NULL, diagnostic};
    // The elements stand in one flat list, or nested as the shape says; a scalar may stand alone.
    const bool flat =
        values->kind == DOCUMENT_SEQUENCE && nesting.rank == 1 && values->count == count;
    if (!flat && !tensor_same_shape(tensor, &nesting))
        return document_fail(values, ERROR_INPUT, diagnostic,
                             "%s: the shape has %" PRIu64 " elements, the list has %zu", name,
                             count, values->kind == DOCUMENT_SEQUENCE ? values->count : (size_t)1);
    if ((error = take_data(&elements, node, arena)))
        return error;
    uint64_t index = 0;
    if (!flat)
        return parse_nested(&elements, values, 0, &index);
    for (; index < count && !error; index++)
        error = parse_element(&elements, values->item[index], index);
    return error;
}

enum error request_read_tensor(const struct document_node *node, enum dtype dtype, const char *name,
                               const struct request_sources *sources, struct arena *arena,
                               struct tensor *tensor, struct diagnostic *diagnostic)
{
    *tensor = (struct tensor){.dtype = DTYPE_NONE};
    if (node->kind == DOCUMENT_MAPPING) {
        const bool fill = document_find(node, "fill"), file = document_find(node, "file");
        if (fill && sources && sources->fill)
            return sources->fill(sources->context, node, name, arena, tensor, diagnostic);
        if (file && sources && sources->file)
            return sources->file(sources->context, node, name, arena, tensor, diagnostic);
        if (fill || file)
            return document_fail(node, ERROR_UNSUPPORTED, diagnostic,
                                 "%s: a tensor by '%s' cannot be used here", name,
                                 fill ? "fill" : "file");
        return read_typed(node, name, arena, tensor, diagnostic);
    }
    if (!dtype)
        return document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic,
                             "%s must say its dtype: {dtype, shape, data}", name);
    tensor->dtype = dtype;
    const struct elements elements = {tensor, name, false, diagnostic};
    enum error error = shape_of_nesting(node, tensor, name, diagnostic);
    if (!error)
        error = take_data(&elements, node, arena);
    uint64_t index = 0;
    return error ? error : parse_nested(&elements, node, 0, &index);
}
