// SPDX-License-Identifier: Apache-2.0
// A parsed document as a tree in which every node knows its place.

#include "ref/base/document.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/nearest.h"

struct document_node *document_find(const struct document_node *node, const char *key)
{
    assert(node->kind == DOCUMENT_MAPPING);
    if (node->unsorted) {
        for (size_t i = 0; i < node->count; i++)
            if (!strcmp(node->key[i]->text, key))
                return node->item[i];
        return NULL;
    }
    for (size_t low = 0, high = node->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(node->key[middle]->text, key);
        if (!order)
            return node->item[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *document_text(const struct document_node *node, const char *key)
{
    const struct document_node *const value =
        node && node->kind == DOCUMENT_MAPPING ? document_find(node, key) : NULL;
    return value && value->kind == DOCUMENT_SCALAR ? value->text : NULL;
}

static void copy_excerpt(const struct document_source *source, unsigned line,
                         struct diagnostic *diagnostic)
{
    const char *at = source->text, *const end = source->text + source->size;
    for (unsigned n = source->lines_before + 1; n < line && at < end; n++) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    size_t length = 0;
    while (at + length < end && at[length] != '\n' && at[length] != '\r' &&
           length + 1 < sizeof diagnostic->excerpt)
        length++;
    for (size_t i = 0; i < length; i++)
        diagnostic->excerpt[i] = (unsigned char)at[i] < ' ' ? ' ' : at[i];
    diagnostic->excerpt[length] = '\0';
}

__attribute__((format(printf, 6, 0))) static enum error fail(const struct document_source *source,
                                                             unsigned line, unsigned column,
                                                             enum error error,
                                                             struct diagnostic *diagnostic,
                                                             const char *format, va_list arguments)
{
    if (!diagnostic)
        return error;
    diagnostic->error = error;
    diagnostic->line = line;
    diagnostic->column = column;
    snprintf(diagnostic->file, sizeof diagnostic->file, "%s", source->name);
    copy_excerpt(source, line, diagnostic);
    vsnprintf(diagnostic->text, sizeof diagnostic->text, format, arguments);
    return error;
}

enum error document_fail_at(const struct document_source *source, unsigned line, unsigned column,
                            enum error error, struct diagnostic *diagnostic, const char *format,
                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(source, line, column, error, diagnostic, format, arguments);
    va_end(arguments);
    return error;
}

enum error document_fail(const struct document_node *node, enum error error,
                         struct diagnostic *diagnostic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(node->source, node->line, node->column, error, diagnostic, format, arguments);
    va_end(arguments);
    return error;
}

enum error document_expect(const struct document_node *node, enum document_kind kind,
                           const char *what, struct diagnostic *diagnostic)
{
    static const char *const name[] = {[DOCUMENT_SCALAR] = "a single value",
                                       [DOCUMENT_SEQUENCE] = "a list",
                                       [DOCUMENT_MAPPING] = "a mapping of names to values"};
    if (node->kind == kind)
        return ERROR_NONE;
    return document_fail(node, ERROR_INPUT, diagnostic, "%s is %s; expected %s", what,
                         name[node->kind], name[kind]);
}

enum error document_only_keys(const struct document_node *node, const char *const *keys,
                              const char *what, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_MAPPING, what, diagnostic);
    if (error)
        return error;
    for (size_t i = 0; i < node->count; i++) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], node->key[i]->text) != 0)
            k++;
        if (keys[k])
            continue;
        char known[DIAGNOSTIC_TEXT_SIZE / 2] = "", hint[NEAREST_HINT_SIZE];
        struct nearest nearest = {.asked = node->key[i]->text};
        size_t used = 0;
        for (k = 0; keys[k]; k++) {
            nearest_offer(&nearest, keys[k]);
            if (used < sizeof known)
                used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                                         keys[k]);
        }
        return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                             "unknown key '%.80s' in %s; known: %s%s", node->key[i]->text, what,
                             known, nearest_hint(&nearest, hint));
    }
    return ERROR_NONE;
}

enum error document_integer(const struct document_node *node, long long minimum, long long maximum,
                            long long *value, const char *what, struct diagnostic *diagnostic)
{
    assert(minimum <= maximum);
    enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    const char *const digits = node->text + (node->text[0] == '-');
    char *end;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    if (node->quoted || *digits < '0' || *digits > '9' || *end || (digits[0] == '0' && digits[1]))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "%s is '%.80s'; expected a whole number", what, node->text);
    if (errno || *value < minimum || *value > maximum)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "%s is %.80s; expected a whole number from %lld to %lld", what,
                             node->text, minimum, maximum);
    return ERROR_NONE;
}

enum error document_boolean(const struct document_node *node, bool *value, const char *what,
                            struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    *value = !strcmp(node->text, "true");
    if (node->quoted || (!*value && strcmp(node->text, "false") != 0))
        return document_fail(node, ERROR_INPUT, diagnostic, "%s is '%.80s'; expected true or false",
                             what, node->text);
    return ERROR_NONE;
}

struct document_node *document_new(struct arena *arena, enum document_kind kind,
                                   const struct document_source *source, unsigned line,
                                   unsigned column)
{
    struct document_node *const node = arena_take(arena, sizeof *node);
    if (node)
        *node = (struct document_node){
            .kind = kind, .source = source, .line = line, .column = column, .text = ""};
    return node;
}

// Lists double when their length reaches a power of two, so that building one costs time
// proportional to its length.
static bool grow(struct arena *arena, struct document_node ***list, size_t count)
{
    if (count & (count - 1))
        return true;
    struct document_node **const longer = arena_take_pointers(arena, count ? 2 * count : 1);
    if (!longer)
        return false;
    if (count)
        memcpy(longer, *list, count * sizeof *longer);
    *list = longer;
    return true;
}

enum error document_append(struct arena *arena, struct document_node *node,
                           struct document_node *key, struct document_node *item,
                           struct diagnostic *diagnostic)
{
    assert(node->kind != DOCUMENT_SCALAR && item);
    assert(node->kind != DOCUMENT_MAPPING || (key && key->kind == DOCUMENT_SCALAR));
    if (node->kind == DOCUMENT_MAPPING) {
        // A key beyond the last one of a sorted mapping is new; else all have to be looked at, so
        // their number is limited.
        const bool beyond =
            !node->unsorted &&
            (!node->count || strcmp(node->key[node->count - 1]->text, key->text) < 0);
        if (!beyond && document_find(node, key->text))
            return document_fail(key, ERROR_INPUT, diagnostic,
                                 "key '%.80s' stands twice in one mapping", key->text);
        node->unsorted |= !beyond;
        if (node->unsorted && node->count >= DOCUMENT_UNSORTED_KEYS_MAX)
            return document_fail(key, ERROR_INPUT, diagnostic, "more than %d keys in one mapping",
                                 DOCUMENT_UNSORTED_KEYS_MAX);
        if (!grow(arena, &node->key, node->count))
            return diagnostic_no_memory(diagnostic);
        node->key[node->count] = key;
    }
    if (!grow(arena, &node->item, node->count))
        return diagnostic_no_memory(diagnostic);
    node->item[node->count++] = item;
    return ERROR_NONE;
}
