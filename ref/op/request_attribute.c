// SPDX-License-Identifier: Apache-2.0
// One attribute of a request.

#include "ref/op/request_attribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/text.h"

void attribute_set_default(const struct attribute_spec *spec, struct attribute_value *value)
{
    *value = (struct attribute_value){.present = spec->presence == ATTRIBUTE_DEFAULT};
    if (!value->present)
        return;
    value->integer = spec->standard;
    value->real = spec->standard_real != 0 ? spec->standard_real : (double)spec->standard;
    if (spec->kind == ATTRIBUTE_SIZES && spec->standard >= 0) {
        value->integers = &spec->standard;
        value->count = 1;
    }
}

static enum error read_number(const struct attribute_spec *spec, const struct document_node *node,
                              enum dtype dtype, uint64_t *bits, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SCALAR, spec->name, diagnostic);
    struct diagnostic why = {.text = ""};
    if (!error && num_parse(dtype, node->text, node->count, bits, &why))
        error =
            document_fail(node, ERROR_INPUT, diagnostic, "attribute %s: %s", spec->name, why.text);
    return error;
}

// The index of the word that `node` is.
static enum error read_word(const struct attribute_spec *spec, const struct document_node *node,
                            int64_t *index, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, spec->name, diagnostic);
    char known[256] = "";
    size_t used = 0;
    if (error)
        return error;
    for (unsigned i = 0; spec->words[i]; i++) {
        if (!strcmp(spec->words[i], node->text)) {
            *index = i;
            return ERROR_NONE;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                     spec->words[i]);
    }
    return document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic,
                         "attribute %s is '%.80s'; expected one of %s", spec->name, node->text,
                         known);
}

static enum error read_list(const struct attribute_spec *spec, const struct document_node *node,
                            struct arena *arena, struct attribute_value *value,
                            struct diagnostic *diagnostic)
{
    const bool single = node->kind != DOCUMENT_SEQUENCE;
    value->count = single ? 1 : node->count;
    int64_t *const integers = arena_take_array(arena, value->count, sizeof *integers);
    double *const reals = arena_take_array(arena, value->count, sizeof *reals);
    if (!integers || !reals)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < value->count; i++) {
        const struct document_node *const item = single ? node : node->item[i];
        uint64_t bits = 0;
        int64_t word = 0;
        const enum error error =
            spec->kind == ATTRIBUTE_WORDS
                ? read_word(spec, item, &word, diagnostic)
                : read_number(spec, item, spec->kind == ATTRIBUTE_SIZES ? DTYPE_I64 : DTYPE_F32,
                              &bits, diagnostic);
        if (error)
            return error;
        if (spec->kind == ATTRIBUTE_SIZES && (int64_t)bits < 0 && !spec->minimum)
            return document_fail(item, ERROR_INVALID_ARGUMENT, diagnostic,
                                 "attribute %s: a size is not negative, but one is %" PRId64,
                                 spec->name, (int64_t)bits);
        integers[i] = spec->kind == ATTRIBUTE_WORDS ? word : (int64_t)bits;
        reals[i] = (double)float_from_bits((uint32_t)bits);
    }
    value->integers = integers;
    value->reals = reals;
    return ERROR_NONE;
}

static enum error read_dtype(const struct attribute_spec *spec, const struct document_node *node,
                             struct attribute_value *value, struct diagnostic *diagnostic)
{
    const enum dtype dtype = dtype_named(node->text);
    value->integer = dtype;
    if (dtype && DTYPE_BIT(dtype) & spec->dtypes)
        return ERROR_NONE;
    char known[160];
    return document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic,
                         "attribute %s is '%.80s'; expected one of %s", spec->name, node->text,
                         dtype_describe_set(spec->dtypes, known, sizeof known));
}

static enum error read_integer64(const struct attribute_spec *spec,
                                 const struct document_node *node, struct attribute_value *value,
                                 struct diagnostic *diagnostic)
{
    uint64_t bits = 0;
    if (num_parse(DTYPE_U64, node->text, node->count, &bits, NULL) &&
        num_parse(DTYPE_I64, node->text, node->count, &bits, NULL))
        return document_fail(
            node, ERROR_INPUT, diagnostic,
            "attribute %s is '%.80s'; expected a whole number from -2^63 to 2^64 - 1", spec->name,
            node->text);
    value->integer = (int64_t)bits;
    return ERROR_NONE;
}

static enum error read_integer(const struct attribute_spec *spec, const struct document_node *node,
                               struct attribute_value *value, struct diagnostic *diagnostic)
{
    uint64_t bits = 0;
    const enum error error = read_number(spec, node, DTYPE_I64, &bits, diagnostic);
    value->integer = (int64_t)bits;
    if (!error && (value->integer < spec->minimum || value->integer > spec->maximum))
        return document_fail(node, ERROR_INVALID_ARGUMENT, diagnostic,
                             "attribute %s is %" PRId64 "; expected %" PRId64 " to %" PRId64,
                             spec->name, value->integer, spec->minimum, spec->maximum);
    return error;
}

enum error attribute_read(const struct attribute_spec *spec, const struct document_node *node,
                          struct arena *arena, struct attribute_value *value,
                          struct diagnostic *diagnostic)
{
    *value = (struct attribute_value){.present = true, .given = true};
    if (spec->kind == ATTRIBUTE_SIZES || spec->kind == ATTRIBUTE_WORDS ||
        spec->kind == ATTRIBUTE_REALS)
        return read_list(spec, node, arena, value, diagnostic);
    enum error error = document_expect(node, DOCUMENT_SCALAR, spec->name, diagnostic);
    if (error)
        return error;
    switch (spec->kind) {
    case ATTRIBUTE_INTEGER:
        return read_integer(spec, node, value, diagnostic);
    case ATTRIBUTE_INTEGER64:
        return read_integer64(spec, node, value, diagnostic);
    case ATTRIBUTE_WORD:
        return read_word(spec, node, &value->integer, diagnostic);
    case ATTRIBUTE_DTYPE:
        return read_dtype(spec, node, value, diagnostic);
    case ATTRIBUTE_BOOLEAN: {
        bool flag = false;
        error = document_boolean(node, &flag, spec->name, diagnostic);
        value->integer = flag;
        return error;
    }
    default: {
        uint64_t bits = 0;
        error = read_number(spec, node, DTYPE_F32, &bits, diagnostic);
        value->real = (double)float_from_bits((uint32_t)bits);
        return error;
    }
    }
}
