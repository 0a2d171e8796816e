// SPDX-License-Identifier: Apache-2.0
// Combinations of a matrix, and their values put into a case.

#include "yaml/matrix.h"

#include <assert.h>
#include <string.h>

// The value that `reference` ("name" or "name.field", `length` bytes) means, or NULL.
static struct document_node *look_up(const struct matrix_row *row, const char *reference,
                                     size_t length)
{
    const char *const dot = memchr(reference, '.', length);
    const size_t name = dot ? (size_t)(dot - reference) : length;
    for (size_t i = 0; row->names && i < row->names->count; i++) {
        if (row->names->key[i]->count != name ||
            memcmp(row->names->key[i]->text, reference, name) != 0)
            continue;
        struct document_node *const value = row->value[i];
        if (!dot)
            return value;
        if (value->kind != DOCUMENT_MAPPING)
            return NULL;
        for (size_t k = 0; k < value->count; k++)
            if (value->key[k]->count == length - name - 1 &&
                !memcmp(value->key[k]->text, dot + 1, length - name - 1))
                return value->item[k];
        return NULL;
    }
    return NULL;
}

static enum error unknown_name(const struct matrix_row *row, const struct document_node *node,
                               const char *reference, size_t length, struct diagnostic *diagnostic)
{
    char known[256] = "";
    for (size_t i = 0; row->names && i < row->names->count; i++) {
        if (strlen(known) + row->names->key[i]->count + 3 > sizeof known)
            break;
        strcat(strcat(known, i ? ", " : ""), row->names->key[i]->text);
    }
    return document_fail(node, ERROR_INPUT, diagnostic,
                         "'%.*s' is not a name of the matrix or a field of its value; names: %s",
                         (int)(length < 80 ? length : 80), reference, known[0] ? known : "none");
}

static bool is_reference(const struct document_node *node)
{
    return node->kind == DOCUMENT_SCALAR && !node->quoted && node->text[0] == '$';
}

static enum error substitute_items(const struct matrix_row *row, struct document_node *node,
                                   struct arena *arena, struct document_node **result,
                                   struct diagnostic *diagnostic)
{
    *result = node;
    for (size_t i = 0; i < node->count; i++) {
        struct document_node *item;
        const enum error error = matrix_substitute(row, node->item[i], arena, &item, diagnostic);
        if (error)
            return error;
        if (item == node->item[i])
            continue;
        if (*result == node) {
            struct document_node *const copy = arena_take(arena, sizeof *copy);
            struct document_node **const items =
                arena_take_array(arena, node->count, sizeof(struct document_node *));
            if (!copy || !items)
                return diagnostic_no_memory(diagnostic);
            *copy = *node;
            copy->item = items;
            memcpy(items, node->item, node->count * sizeof(struct document_node *));
            *result = copy;
        }
        (*result)->item[i] = item;
    }
    return ERROR_NONE;
}

enum error matrix_substitute(const struct matrix_row *row, struct document_node *node,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic)
{
    if (node->kind != DOCUMENT_SCALAR)
        return substitute_items(row, node, arena, result, diagnostic);
    *result = node;
    if (!is_reference(node))
        return ERROR_NONE;
    *result = look_up(row, node->text + 1, node->count - 1);
    return *result ? ERROR_NONE : unknown_name(row, node, node->text, node->count, diagnostic);
}

enum error matrix_expand_id(const struct matrix_row *row, const struct document_node *node,
                            struct arena *arena, const char **id, struct diagnostic *diagnostic)
{
    char text[256];
    size_t used = 0;
    const enum error error = document_expect(node, DOCUMENT_SCALAR, "id", diagnostic);
    if (error)
        return error;
    for (const char *at = node->text; *at;) {
        const char *part = at;
        size_t length = 1;
        const char *const close = *at == '{' ? strchr(at, '}') : NULL;
        at += 1;
        if (close) {
            const struct document_node *const value =
                look_up(row, part + 1, (size_t)(close - part) - 1);
            if (!value)
                return unknown_name(row, node, part, (size_t)(close - part) + 1, diagnostic);
            if (value->kind != DOCUMENT_SCALAR)
                return document_fail(value, ERROR_INPUT, diagnostic,
                                     "a value that stands in an id must be a single value");
            at = close + 1;
            part = value->text;
            length = value->count;
        }
        if (used + length >= sizeof text)
            return document_fail(node, ERROR_INPUT, diagnostic, "an id has at most %zu characters",
                                 sizeof text - 1);
        memcpy(text + used, part, length);
        used += length;
    }
    *id = arena_copy_text(arena, text, used);
    return *id ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static bool same(const struct document_node *a, const struct document_node *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == DOCUMENT_SCALAR)
        return a->quoted == b->quoted && !strcmp(a->text, b->text);
    for (size_t i = 0; i < a->count; i++)
        if (!same(a->item[i], b->item[i]) ||
            (a->kind == DOCUMENT_MAPPING && strcmp(a->key[i]->text, b->key[i]->text) != 0))
            return false;
    return true;
}

static bool is_left_out_by(const struct matrix_row *row, const struct document_node *exception)
{
    for (size_t i = 0; i < exception->count; i++) {
        const struct document_node *const value =
            look_up(row, exception->key[i]->text, exception->key[i]->count);
        if (!value || !same(value, exception->item[i]))
            return false;
    }
    return true;
}

static void take_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row)
{
    assert(index < matrix->combinations);
    row->names = matrix->names;
    for (size_t i = matrix->names ? matrix->names->count : 0; i-- > 0;) {
        const struct document_node *const values = matrix->names->item[i];
        row->value[i] = values->item[index % values->count];
        index /= values->count;
    }
}

bool matrix_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row)
{
    take_row(matrix, index, row);
    for (size_t i = 0; matrix->except && i < matrix->except->count; i++)
        if (is_left_out_by(row, matrix->except->item[i]))
            return false;
    return true;
}

static enum error check_names(const struct document_node *names, struct matrix *matrix,
                              struct diagnostic *diagnostic)
{
    enum error error = document_expect(names, DOCUMENT_MAPPING, "matrix", diagnostic);
    if (!error && (!names->count || names->count > MATRIX_NAMES_MAX))
        error = document_fail(names, ERROR_INPUT, diagnostic, "a matrix has 1 to %d names",
                              MATRIX_NAMES_MAX);
    for (size_t i = 0; i < names->count && !error; i++) {
        const struct document_node *const values = names->item[i];
        if (strchr(names->key[i]->text, '.'))
            return document_fail(names->key[i], ERROR_INPUT, diagnostic,
                                 "a name of the matrix has no '.': it would mean a field");
        if ((error = document_expect(values, DOCUMENT_SEQUENCE, "a matrix entry", diagnostic)))
            return error;
        if (!values->count)
            return document_fail(values, ERROR_INPUT, diagnostic,
                                 "the matrix has no value for '%.80s'", names->key[i]->text);
        for (size_t k = 0; k < values->count; k++)
            for (size_t m = 0; m < k; m++)
                if (same(values->item[k], values->item[m]))
                    return document_fail(values->item[k], ERROR_INPUT, diagnostic,
                                         "this value stands twice under '%.80s'",
                                         names->key[i]->text);
        matrix->combinations *= values->count;
        if (matrix->combinations > MATRIX_COMBINATIONS_MAX)
            return document_fail(names, ERROR_INPUT, diagnostic,
                                 "the matrix has more than %d combinations",
                                 MATRIX_COMBINATIONS_MAX);
    }
    return error;
}

static enum error check_exceptions(const struct matrix *matrix, struct diagnostic *diagnostic)
{
    const struct document_node *const except = matrix->except;
    struct matrix_row row;
    enum error error = document_expect(except, DOCUMENT_SEQUENCE, "except", diagnostic);
    for (size_t i = 0; i < except->count && !error; i++) {
        if ((error =
                 document_expect(except->item[i], DOCUMENT_MAPPING, "an exception", diagnostic)))
            return error;
        bool used = false;
        for (uint64_t index = 0; index < matrix->combinations && !used; index++) {
            take_row(matrix, index, &row);
            used = is_left_out_by(&row, except->item[i]);
        }
        if (!used)
            return document_fail(except->item[i], ERROR_INPUT, diagnostic,
                                 "this exception leaves out no combination");
    }
    bool left = false;
    for (uint64_t index = 0; index < matrix->combinations && !left; index++)
        left = matrix_row(matrix, index, &row);
    if (!error && !left)
        error = document_fail(except, ERROR_INPUT, diagnostic,
                              "the exceptions leave out every combination");
    return error;
}

enum error matrix_read(const struct document_node *names, const struct document_node *except,
                       struct matrix *matrix, struct diagnostic *diagnostic)
{
    *matrix = (struct matrix){.names = names, .except = except, .combinations = 1};
    enum error error = names ? check_names(names, matrix, diagnostic) : ERROR_NONE;
    if (!error && except && !names)
        error = document_fail(except, ERROR_INPUT, diagnostic, "except without matrix");
    if (!error && except)
        error = check_exceptions(matrix, diagnostic);
    return error;
}
