// SPDX-License-Identifier: Apache-2.0
// What a specification prints, held against the reference: every value is right to the digits that
// are printed, no further.

#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/num/text.h"
#include "ref/op/request.h"
#include "yaml/suite.h"
#include "yaml/suite_words.h"

enum { DIGITS_MAX = 40 };

struct check {
    const char *case_id, *output;
    const struct tensor *tensor;
    struct diagnostic *diagnostic;
};

// glibc rounds the exact binary value to the digits asked for, so equal texts mean "right to the
// printed digits".
static bool is_printed_as(enum dtype dtype, uint64_t bits, const struct document_node *node)
{
    uint64_t expected;
    if (dtype_kind(dtype) != DTYPE_KIND_FLOAT || strpbrk(node->text, "xni"))
        return !num_parse(dtype, node->text, node->count, &expected, NULL) && expected == bits;
    const char *const point = strchr(node->text, '.');
    const int digits = point ? (int)strlen(point + 1)
                             : 0; // "2." prints none, which %f cannot say: it counts as wrong
    char text[400 + DIGITS_MAX];
    if (digits > DIGITS_MAX || strpbrk(node->text, "eE"))
        return !num_parse(dtype, node->text, node->count, &expected, NULL) && expected == bits;
    snprintf(text, sizeof text, "%.*f", digits, num_to_double(dtype, bits));
    return !strcmp(text, node->text);
}

static enum error check_element(const struct check *check, const struct document_node *node,
                                uint64_t index)
{
    enum error error = document_expect(node, DOCUMENT_SCALAR, "a printed value", check->diagnostic);
    if (error)
        return error;
    const enum dtype dtype = check->tensor->dtype;
    const uint64_t bits = element_load(check->tensor->data, dtype_size(dtype), (size_t)index);
    if (is_printed_as(dtype, bits, node))
        return ERROR_NONE;
    char text[NUM_TEXT_SIZE];
    num_format(dtype, bits, text, sizeof text);
    return document_fail(
        node, ERROR_INVALID_ARGUMENT, check->diagnostic,
        "case %s: the specification prints %.60s for element %llu of %s, the reference gives %s",
        check->case_id, node->text, (unsigned long long)index, check->output, text);
}

static enum error check_nested(const struct check *check, const struct document_node *node,
                               unsigned depth, uint64_t *index)
{
    if (depth == check->tensor->rank)
        return check_element(check, node, (*index)++);
    enum error error =
        document_expect(node, DOCUMENT_SEQUENCE, "a printed tensor", check->diagnostic);
    if (!error && node->count != check->tensor->shape[depth])
        error = document_fail(node, ERROR_INVALID_ARGUMENT, check->diagnostic,
                              "case %s: %zu values are printed here, %s has %llu in dimension %u",
                              check->case_id, node->count, check->output,
                              (unsigned long long)check->tensor->shape[depth], depth);
    for (size_t i = 0; !error && i < node->count; i++)
        error = check_nested(check, node->item[i], depth + 1, index);
    return error;
}

// {dtype, shape, bits}: what is printed as words.
static enum error check_typed(const struct check *check, const struct document_node *node)
{
    struct arena arena = {0};
    struct tensor printed;
    uint64_t count = 0;
    enum error error = request_read_tensor(node, DTYPE_NONE, check->output, NULL, &arena, &printed,
                                           check->diagnostic);
    char expected[96], got[96];
    if (!error &&
        (printed.dtype != check->tensor->dtype || !tensor_same_shape(&printed, check->tensor)))
        error = document_fail(node, ERROR_INVALID_ARGUMENT, check->diagnostic,
                              "case %s: %s is printed as %s, but is %s", check->case_id,
                              check->output, tensor_describe(&printed, expected, sizeof expected),
                              tensor_describe(check->tensor, got, sizeof got));
    if (!error)
        tensor_count(&printed, &count);
    const size_t size = dtype_size(check->tensor->dtype);
    for (uint64_t i = 0; i < count && !error; i++) {
        char want[17], have[17];
        const uint64_t a = element_load(printed.data, size, (size_t)i),
                       b = element_load(check->tensor->data, size, (size_t)i);
        bytes_write_hex(want, a, size);
        bytes_write_hex(have, b, size);
        if (a != b)
            error = document_fail(node, ERROR_INVALID_ARGUMENT, check->diagnostic,
                                  "case %s: the specification prints %s for element %llu of %s, "
                                  "the reference gives %s",
                                  check->case_id, want, (unsigned long long)i, check->output, have);
    }
    arena_release(&arena);
    return error;
}

enum error suite_check_printed(const struct suite *suite, const struct suite_case *of,
                               const char *output, const struct tensor *tensor,
                               struct diagnostic *diagnostic)
{
    if (!of->printed)
        return ERROR_NONE;
    struct arena arena = {0};
    struct document_node *node;
    enum error error = suite_case_expand(suite, of, &arena, &node, diagnostic);
    const struct document_node *const printed =
        error ? NULL : document_find(document_find(node, "printed"), output);
    const struct check check = {of->id, output, tensor, diagnostic};
    uint64_t index = 0, count = 0;
    if (printed && printed->kind == DOCUMENT_MAPPING)
        error = check_typed(&check, printed);
    else if (printed && printed->kind == DOCUMENT_SEQUENCE && tensor_count(tensor, &count) &&
             printed->count == count && (!count || printed->item[0]->kind == DOCUMENT_SCALAR))
        for (; index < count && !error; index++)
            error = check_element(&check, printed->item[index], index);
    else if (printed)
        error = check_nested(&check, printed, 0, &index);
    arena_release(&arena);
    return error;
}
