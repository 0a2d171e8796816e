// SPDX-License-Identifier: Apache-2.0
// The form of a JSON object as a table.

#include "reports/shape.h"

#include <stdlib.h>
#include <string.h>

#include "ref/base/text.h"

static const long long COUNT_MAX = 9007199254740991;

static bool only_digits(const char *text, size_t count, const char *digits)
{
    return strspn(text, digits) == count;
}

// Whether `text` has the form of `pattern`, in which 0 stands for any digit.
static bool has_form(const char *text, const char *pattern)
{
    for (; *pattern; pattern++, text++)
        if (*pattern == '0' ? *text < '0' || *text > '9' : *text != *pattern)
            return false;
    return !*text;
}

static enum error check_text(const struct document_node *node, const struct shape *shape,
                             struct diagnostic *diagnostic)
{
    static const char hex[] = "0123456789abcdef";
    if (node->kind != DOCUMENT_SCALAR || !node->quoted)
        return document_fail(node, ERROR_INPUT, diagnostic, "'%s' must be text", shape->key);
    const char *wanted = NULL;
    switch (shape->kind) {
    case SHAPE_WORD:
        if (text_index(shape->words, node->text) < 0)
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "'%s' is '%.64s', which is none of the known words", shape->key,
                                 node->text);
        break;
    case SHAPE_DIGEST:
        wanted = node->count == 64 && only_digits(node->text, 64, hex)
                     ? NULL
                     : "64 lower-case hexadecimal digits";
        break;
    case SHAPE_BITS:
        wanted = node->count && node->count <= 16 && node->count % 2 == 0 &&
                         only_digits(node->text, node->count, hex)
                     ? NULL
                     : "1 to 8 bytes in lower-case hexadecimal digits";
        break;
    case SHAPE_DECIMAL:
        wanted = node->count && node->count <= 20 &&
                         only_digits(node->text, node->count, hex + 0) &&
                         strspn(node->text, "0123456789") == node->count
                     ? NULL
                     : "1 to 20 decimal digits";
        break;
    case SHAPE_TIME:
        wanted = has_form(node->text, "0000-00-00T00:00:00Z") ? NULL
                                                              : "a time like 2026-11-21T12:00:00Z";
        break;
    default:
        break;
    }
    return wanted ? document_fail(node, ERROR_INPUT, diagnostic, "'%s' is '%.64s'; expected %s",
                                  shape->key, node->text, wanted)
                  : ERROR_NONE;
}

static enum error check_number(const struct document_node *node, const struct shape *shape,
                               struct diagnostic *diagnostic)
{
    if (node->kind == DOCUMENT_SCALAR && shape->kind == SHAPE_REAL && node->quoted) {
        static const char *const names[] = {"nan", "inf", "-inf", NULL};
        if (text_index(names, node->text) >= 0)
            return ERROR_NONE;
    }
    if (node->kind != DOCUMENT_SCALAR || node->quoted || !strchr("-0123456789", *node->text))
        return document_fail(node, ERROR_INPUT, diagnostic, "'%s' must be a number", shape->key);
    if (shape->kind == SHAPE_REAL)
        return ERROR_NONE;
    long long value;
    return document_integer(node, shape->least, shape->most ? shape->most : COUNT_MAX, &value,
                            shape->key, diagnostic);
}

static enum error check_value(const struct document_node *node, const struct shape *shape,
                              struct diagnostic *diagnostic);

static enum error check_free_keys(const struct document_node *node, const struct shape *shape,
                                  struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, shape->key, diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        const struct shape value = {
            shape->key, shape->kind == SHAPE_TALLY ? SHAPE_COUNT : SHAPE_TEXT, true, NULL, NULL, 0,
            0};
        if (shape->kind == SHAPE_TALLY && text_index(shape->words, node->key[i]->text) < 0)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic, "'%.64s' is no verdict",
                                 node->key[i]->text);
        error = check_value(node->item[i], &value, diagnostic);
    }
    return error;
}

static enum error check_list(const struct document_node *node, const struct shape *shape,
                             struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, shape->key, diagnostic);
    if (!error && shape->most && node->count > (size_t)shape->most)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "'%s' has %zu items; at most %lld are allowed", shape->key,
                             node->count, shape->most);
    for (size_t i = 0; !error && i < node->count; i++)
        error = check_value(node->item[i], &shape->fields[0], diagnostic);
    return error;
}

static enum error check_value(const struct document_node *node, const struct shape *shape,
                              struct diagnostic *diagnostic)
{
    switch (shape->kind) {
    case SHAPE_TEXT:
    case SHAPE_WORD:
    case SHAPE_DIGEST:
    case SHAPE_BITS:
    case SHAPE_DECIMAL:
    case SHAPE_TIME:
        return check_text(node, shape, diagnostic);
    case SHAPE_COUNT:
    case SHAPE_REAL:
        return check_number(node, shape, diagnostic);
    case SHAPE_BOOLEAN:
    case SHAPE_TRUE:
        if (node->kind != DOCUMENT_SCALAR || node->quoted ||
            (strcmp(node->text, "true") != 0 &&
             (shape->kind == SHAPE_TRUE || strcmp(node->text, "false") != 0)))
            return document_fail(node, ERROR_INPUT, diagnostic, "'%s' must be %s", shape->key,
                                 shape->kind == SHAPE_TRUE ? "true where it is given"
                                                           : "true or false");
        return ERROR_NONE;
    case SHAPE_OBJECT:
        return shape_check(node, shape->fields, diagnostic);
    case SHAPE_LIST:
        return check_list(node, shape, diagnostic);
    case SHAPE_PROFILE:
    case SHAPE_TALLY:
        return check_free_keys(node, shape, diagnostic);
    case SHAPE_ANY:
        return ERROR_NONE;
    }
    return ERROR_NONE;
}

// The recursion is bounded: tables nest five levels at most.
enum error shape_check(const struct document_node *node, const struct shape *fields,
                       struct diagnostic *diagnostic)
{
    if (node->kind != DOCUMENT_MAPPING)
        return document_fail(node, ERROR_INPUT, diagnostic, "expected an object");
    size_t found = 0;
    for (const struct shape *field = fields; field->key; field++) {
        const struct document_node *const value = document_find(node, field->key);
        if (!value && field->needed)
            return document_fail(node, ERROR_INPUT, diagnostic, "'%s' is missing", field->key);
        if (!value)
            continue;
        found++;
        const enum error error = check_value(value, field, diagnostic);
        if (error)
            return error;
    }
    for (size_t i = 0; found < node->count && i < node->count; i++) {
        const struct shape *field = fields;
        while (field->key && strcmp(field->key, node->key[i]->text) != 0)
            field++;
        if (!field->key)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic, "unknown key '%.64s'",
                                 node->key[i]->text);
    }
    return ERROR_NONE;
}

const char *shape_text(const struct document_node *node, const char *key)
{
    const struct document_node *const value = document_find(node, key);
    return value ? value->text : NULL;
}

unsigned long long shape_count(const struct document_node *node, const char *key,
                               unsigned long long absent)
{
    const struct document_node *const value = document_find(node, key);
    return value ? strtoull(value->text, NULL, 10) : absent;
}

double shape_real(const struct document_node *node)
{
    return strtod(node->text, NULL);
}
