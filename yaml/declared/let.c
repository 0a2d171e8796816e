// SPDX-License-Identifier: Apache-2.0
// Parts of expressions that have a name, with parameters or without. They are kept as they are
// written; expression.c reads one anew wherever its name stands, so that it may name what can be
// named there.

#include <string.h>

#include "ref/base/text.h"
#include "yaml/declared/reader.h"

// A part of a key, as if it stood alone.
static struct document_node part_of(const struct document_node *key, const char *text, size_t at)
{
    struct document_node part = *key;
    part.text = text;
    part.count = strlen(text);
    part.column += (unsigned)at;
    return part;
}

// The parameters in `text`, the copy of a key that begins with the name; `at` is behind "(".
static enum error read_parameters(struct operator_reader *r, const struct document_node *key,
                                  char *text, size_t at, struct operator_let *let,
                                  struct diagnostic *diagnostic)
{
    char *end = text + at;
    do {
        if (let->parameters == LET_PARAMETERS_MAX)
            return document_fail(key, ERROR_INPUT, diagnostic, "%s has more than %d parameters",
                                 let->name, LET_PARAMETERS_MAX);
        char *const name = end + strspn(end, " ");
        end = name + strcspn(name, " ,)");
        const char *const after = end + strspn(end, " ");
        const char separator = *after;
        const size_t place = (size_t)(name - text);
        *end = '\0';
        end = text + (after - text) + 1;
        const struct document_node part = part_of(key, name, place);
        const enum error error = operator_check_name(r, &part, diagnostic);
        if (error)
            return error;
        for (unsigned i = 0; i < let->parameters; i++)
            if (!strcmp(let->parameter[i], name))
                return document_fail(&part, ERROR_INPUT, diagnostic, "%s stands here twice", name);
        let->parameter[let->parameters++] = name;
        if (separator == ')' && !*end)
            return ERROR_NONE;
        if (separator != ',')
            return document_fail(key, ERROR_INPUT, diagnostic,
                                 "expected a name, or NAME(PARAMETER, ...)");
    } while (true);
}

static enum error read_let(struct operator_reader *r, const struct document_node *key,
                           const struct document_node *is, struct diagnostic *diagnostic)
{
    struct operator_let *const let = &r->let[r->let_count];
    char *const text = arena_copy_text(r->arena, key->text, strlen(key->text));
    if (!text)
        return diagnostic_no_memory(diagnostic);
    const size_t length = strcspn(text, "(");
    const bool call = text[length] != '\0';
    *let = (struct operator_let){.name = text, .key = key, .is = is};
    text[length] = '\0';
    const struct document_node name = part_of(key, text, 0);
    enum error error = operator_check_name(r, &name, diagnostic);
    if (!error && call && (words_find(text) >= 0 || !strcmp(text, "choose")))
        error = document_fail(key, ERROR_INPUT, diagnostic, "%s is a word of the language", text);
    if (!error && call)
        error = read_parameters(r, key, text, length + 1, let, diagnostic);
    r->let_count += !error;
    return error;
}

enum error operator_read_lets(struct operator_reader *r, const struct document_node *node,
                              struct diagnostic *diagnostic)
{
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "let", diagnostic);
    if (!error && node->count > LETS_MAX)
        error =
            document_fail(node, ERROR_INPUT, diagnostic, "more than %d names under let", LETS_MAX);
    for (size_t i = 0; !error && i < node->count; i++)
        error = read_let(r, node->key[i], node->item[i], diagnostic);
    return error;
}

enum error operator_check_lets(const struct operator_reader *r, struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < r->let_count; i++) {
        const struct operator_let *const let = &r->let[i];
        if (!let->uses)
            return document_fail(let->key, ERROR_INPUT, diagnostic, "nothing uses %s", let->name);
        for (unsigned p = 0; p < let->parameters; p++)
            if (!(let->used >> p & 1))
                return document_fail(let->key, ERROR_INPUT, diagnostic,
                                     "%s does not use its parameter %s", let->name,
                                     let->parameter[p]);
    }
    return ERROR_NONE;
}
