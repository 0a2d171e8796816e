// SPDX-License-Identifier: Apache-2.0
// Combinations of a matrix, and their values put into a case.

#include "yaml/matrix.h"

#include <assert.h>
#include <string.h>

// The value that `reference` ("name" or "name.field", `length` bytes) means, or NULL.
struct document_node *matrix_look_up(const struct matrix_row *row, const char *reference,
                                     size_t length)
{
    const char *const dot = memchr(reference, '.', length);
    const size_t name = dot ? (size_t)(dot - reference) : length;
    if (row->sweep && length == strlen("sweep") && !memcmp(reference, "sweep", length))
        return row->sweep;
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

enum error matrix_unknown_name(const struct matrix_row *row, const struct document_node *node,
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

bool matrix_is_absent(const struct document_node *node)
{
    return node->kind == DOCUMENT_SCALAR && !node->quoted && !strcmp(node->text, "~");
}

// ---- putting in -------------------------------------------------------------

static enum error substitute(const struct matrix_row *row, struct document_node *node, bool inner,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic);

// *result is `node` itself where nothing changes, and NULL where an inner one misses a part.
static enum error substitute_items(const struct matrix_row *row, struct document_node *node,
                                   bool inner, struct arena *arena, struct document_node **result,
                                   struct diagnostic *diagnostic)
{
    const bool mapping = node->kind == DOCUMENT_MAPPING;
    struct document_node *copy = NULL;
    *result = node;
    for (size_t i = 0; i < node->count; i++) {
        struct document_node *item;
        enum error error = substitute(row, node->item[i], true, arena, &item, diagnostic);
        if (!error && !item && inner) {
            *result = NULL;
            return ERROR_NONE;
        }
        if (!error && item != node->item[i] && !copy) {
            copy = *result =
                document_new(arena, node->kind, node->source, node->line, node->column);
            error = copy ? ERROR_NONE : diagnostic_no_memory(diagnostic);
            for (size_t k = 0; k < i && !error; k++)
                error = document_append(arena, copy, mapping ? node->key[k] : NULL, node->item[k],
                                        diagnostic);
        }
        if (!error && copy && item)
            error = document_append(arena, copy, mapping ? node->key[i] : NULL, item, diagnostic);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static enum error substitute(const struct matrix_row *row, struct document_node *node, bool inner,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic)
{
    if (node->kind != DOCUMENT_SCALAR)
        return substitute_items(row, node, inner, arena, result, diagnostic);
    *result = node;
    if (!is_reference(node))
        return ERROR_NONE;
    if (strchr(node->text, ' ')) {
        int64_t number = 0;
        const enum error error = matrix_calculate(row, node, &number, diagnostic);
        *result = error ? NULL : matrix_new_number(arena, node, number);
        return error || *result ? error : diagnostic_no_memory(diagnostic);
    }
    *result = matrix_look_up(row, node->text + 1, node->count - 1);
    if (!*result)
        return matrix_unknown_name(row, node, node->text, node->count, diagnostic);
    if (matrix_is_absent(*result))
        *result = NULL;
    return ERROR_NONE;
}

enum error matrix_substitute(const struct matrix_row *row, struct document_node *node,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic)
{
    return substitute(row, node, false, arena, result, diagnostic);
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
                matrix_look_up(row, part + 1, (size_t)(close - part) - 1);
            if (!value)
                return matrix_unknown_name(row, node, part, (size_t)(close - part) + 1, diagnostic);
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

bool matrix_same(const struct document_node *a, const struct document_node *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == DOCUMENT_SCALAR)
        return a->quoted == b->quoted && !strcmp(a->text, b->text);
    for (size_t i = 0; i < a->count; i++)
        if (!matrix_same(a->item[i], b->item[i]) ||
            (a->kind == DOCUMENT_MAPPING && strcmp(a->key[i]->text, b->key[i]->text) != 0))
            return false;
    return true;
}

bool matrix_is_left_out_by(const struct matrix_row *row, const struct document_node *exception)
{
    for (size_t i = 0; i < exception->count; i++) {
        const struct document_node *const value =
            matrix_look_up(row, exception->key[i]->text, exception->key[i]->count);
        if (!value || !matrix_same(value, exception->item[i]))
            return false;
    }
    return true;
}

void matrix_take_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row)
{
    assert(index < matrix->combinations);
    if (matrix->drawn) {
        *row = matrix->drawn[index];
        return;
    }
    row->names = matrix->names;
    row->sweep = NULL;
    for (size_t i = matrix->names ? matrix->names->count : 0; i-- > 0;) {
        const struct document_node *const values = matrix->names->item[i];
        row->value[i] = values->item[index % values->count];
        index /= values->count;
    }
}

bool matrix_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row)
{
    matrix_take_row(matrix, index, row);
    for (size_t i = 0; matrix->except && !matrix->drawn && i < matrix->except->count; i++)
        if (matrix_is_left_out_by(row, matrix->except->item[i]))
            return false;
    return true;
}
