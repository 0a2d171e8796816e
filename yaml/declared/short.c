// SPDX-License-Identifier: Apache-2.0
// Short texts for attributes and inputs. Each stands for a mapping, which is read as if it had been
// written, so that there is one set of rules.

#include <string.h>

#include "yaml/declared/reader.h"

// What is left of the text.
struct cursor {
    struct operator_reader *reader;
    const struct document_node *node;
    size_t at;
    struct document_node *full;
    struct diagnostic *diagnostic;
};

static enum error append(struct cursor *c, const char *key, const char *text, size_t length)
{
    struct arena *const arena = c->reader->arena;
    struct document_node *node[2];
    const char *const texts[2] = {key, arena_copy_text(arena, text, length)};
    for (unsigned i = 0; i < 2; i++) {
        node[i] = document_new(arena, DOCUMENT_SCALAR, c->node->source, c->node->line,
                               c->node->column + (unsigned)c->at + c->node->quoted);
        if (!node[i] || !texts[i])
            return diagnostic_no_memory(c->diagnostic);
        node[i]->text = texts[i];
        node[i]->count = strlen(texts[i]);
    }
    return document_append(arena, c->full, node[0], node[1], c->diagnostic);
}

// The length of the next word, which begins at c->at; 0: there is none.
static size_t next_word(struct cursor *c)
{
    c->at += strspn(c->node->text + c->at, " ");
    return strcspn(c->node->text + c->at, " ");
}

// A first word that says something of its own.
static enum error take_flag(struct cursor *c, const char *flag)
{
    const size_t length = next_word(c);
    if (length != strlen(flag) || strncmp(c->node->text + c->at, flag, length) != 0)
        return ERROR_NONE;
    const enum error error = append(c, flag, "true", 4);
    c->at += length;
    return error;
}

// LEAST..MOST, of which one may be left out.
static enum error take_range(struct cursor *c, size_t length)
{
    const char *const text = c->node->text + c->at, *const dots = strstr(text, "..");
    const size_t before = (size_t)(dots - text), after = length - before - 2;
    enum error error = before ? append(c, "minimum", text, before) : ERROR_NONE;
    c->at += before + 2;
    if (!error && after)
        error = append(c, "maximum", dots + 2, after);
    c->at += after;
    return error;
}

static enum error start(struct cursor *c, struct operator_reader *r,
                        const struct document_node *node, struct diagnostic *diagnostic)
{
    *c = (struct cursor){
        .reader = r,
        .node = node,
        .full = document_new(r->arena, DOCUMENT_MAPPING, node->source, node->line, node->column),
        .diagnostic = diagnostic};
    return c->full ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static enum error finish(struct cursor *c, const char *expected)
{
    const size_t length = next_word(c);
    return length
               ? document_fail_at(c->node->source, c->node->line,
                                  c->node->column + (unsigned)c->at + c->node->quoted, ERROR_INPUT,
                                  c->diagnostic, "found '%.*s'; expected %s",
                                  (int)(length > 40 ? 40 : length), c->node->text + c->at, expected)
               : ERROR_NONE;
}

enum error operator_attribute_in_full(struct operator_reader *r, const struct document_node *node,
                                      const struct document_node **full,
                                      struct diagnostic *diagnostic)
{
    struct cursor c;
    *full = node;
    if (node->kind != DOCUMENT_SCALAR)
        return ERROR_NONE;
    enum error error = start(&c, r, node, diagnostic);
    if (error || (error = take_flag(&c, "required")))
        return error;
    size_t length = next_word(&c);
    if ((error = append(&c, "kind", node->text + c.at, length)))
        return error;
    c.at += length;
    length = next_word(&c);
    const char *const dots = strstr(node->text + c.at, "..");
    if (dots && dots + 2 <= node->text + c.at + length && (error = take_range(&c, length)))
        return error;
    length = next_word(&c);
    if (length == 1 && node->text[c.at] == '=') {
        c.at++;
        length = next_word(&c);
        error = append(&c, "default", node->text + c.at, length);
        c.at += length;
    }
    *full = c.full;
    return error ? error : finish(&c, "[required] KIND [LEAST..MOST] [= DEFAULT]");
}

enum error operator_input_in_full(struct operator_reader *r, const struct document_node *node,
                                  const struct document_node **full, struct diagnostic *diagnostic)
{
    struct cursor c;
    *full = node;
    if (node->kind == DOCUMENT_MAPPING)
        return ERROR_NONE;
    enum error error = start(&c, r, node, diagnostic);
    if (error)
        return error;
    if (node->kind == DOCUMENT_SEQUENCE) {
        struct document_node *const key =
            document_new(r->arena, DOCUMENT_SCALAR, node->source, node->line, node->column);
        if (!key)
            return diagnostic_no_memory(diagnostic);
        key->text = "types";
        key->count = strlen(key->text);
        *full = c.full;
        return document_append(r->arena, c.full, key, (struct document_node *)(uintptr_t)node,
                               diagnostic);
    }
    if ((error = take_flag(&c, "optional")))
        return error;
    const size_t length = next_word(&c);
    error = append(&c, "type", node->text + c.at, length);
    c.at += length;
    *full = c.full;
    return error ? error : finish(&c, "[optional] TYPE");
}
