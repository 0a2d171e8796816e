// SPDX-License-Identifier: Apache-2.0
#include "vectors/foreign/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_SIZE = 96, ID_MAX = 120 };

void foreign_release(struct foreign *foreign)
{
    free(foreign->cases);
    arena_release(&foreign->arena);
    *foreign = (struct foreign){.count = 0};
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

enum error foreign_add(struct foreign *foreign, const char *id, struct foreign_case **added,
                       struct diagnostic *diagnostic)
{
    const size_t length = strlen(id);
    struct foreign_case *const to = arena_take(&foreign->arena, sizeof *to);
    char *const word = arena_copy_text(&foreign->arena, id, length);
    if (!to || !word || !array_grow(&foreign->cases, foreign->count, sizeof *foreign->cases))
        return diagnostic_no_memory(diagnostic);
    if (!length || length > ID_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the id of a case has %zu bytes; expected 1 to %d", length, ID_MAX);
    for (size_t i = 0; i < length; i++) {
        const char c = (char)tolower((unsigned char)word[i]);
        word[i] = is_word(c) && (i || isalnum((unsigned char)c)) ? c : i ? '-' : 'x';
    }
    to->id = word;
    foreign->cases[foreign->count++] = to;
    *added = to;
    return ERROR_NONE;
}

enum error foreign_place(struct foreign *foreign, struct foreign_case *to, bool expected,
                         const char *name, struct foreign_tensor **place,
                         struct diagnostic *diagnostic)
{
    struct foreign_tensor *const list = expected ? to->expected : to->input;
    size_t *const count = expected ? &to->expected_count : &to->input_count;
    const size_t most = expected ? OPERATION_OUTPUTS_MAX - 1 : OPERATION_INPUTS_MAX;
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(list[i].name, name)) {
            *place = &list[i];
            return ERROR_NONE;
        }
    const size_t length = strlen(name);
    bool right = length && length < NAME_MAX_SIZE && isalnum((unsigned char)name[0]);
    for (size_t i = 0; i < length && right; i++)
        right = is_word((char)tolower((unsigned char)name[i]));
    if (!right || *count == most)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               right ? "case %.120s has more than %zu tensors"
                                     : "case %.120s: a tensor's name is a word of letters, digits, "
                                       "'.', '_' and '-'",
                               to->id, most);
    *place = &list[(*count)++];
    (*place)->name = arena_copy_text(&foreign->arena, name, length);
    return (*place)->name ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

struct document_node *foreign_scalar(struct arena *arena, const struct document_source *source,
                                     const char *text, bool quoted)
{
    struct document_node *const node = document_new(arena, DOCUMENT_SCALAR, source, 0, 0);
    if (!node)
        return NULL;
    node->text = text;
    node->count = strlen(text);
    node->quoted = quoted;
    return node;
}

static enum error finish_case(struct foreign_case *of, const struct document_node *op,
                              const struct foreign_words *words, const struct document_source *from,
                              struct diagnostic *diagnostic)
{
    of->op = of->op ? of->op : op;
    of->attributes = of->attributes ? of->attributes : words->attributes;
    if (!of->op || of->op->kind != DOCUMENT_SCALAR)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.200s: case %.120s does not say its operation; name it with --op",
                               from->name, of->id);
    if (!of->expected_count == !of->reject)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.200s: case %.120s has neither expected values nor a reason to be "
                               "refused, or both",
                               from->name, of->id);
    for (size_t i = 0; i < of->input_count; i++)
        if (!tensor_present(&of->input[i].value))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.200s: case %.120s: input %s has no "
                                   "value",
                                   from->name, of->id, of->input[i].name);
    for (size_t i = 0; i < of->expected_count; i++) {
        const struct foreign_tensor *const at = &of->expected[i];
        const bool low = tensor_present(&at->lower), high = tensor_present(&at->upper);
        if (low != high || (!low && !tensor_present(&at->value)))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.200s: case %.120s: output %s needs a value, or a lower and "
                                   "an upper end",
                                   from->name, of->id, at->name);
    }
    return ERROR_NONE;
}

enum error foreign_finish(struct foreign *foreign, const struct foreign_words *words,
                          const struct document_source *source, struct diagnostic *diagnostic)
{
    const struct document_node *const op =
        words->op ? foreign_scalar(&foreign->arena, source, words->op, true) : NULL;
    enum error error = words->op && !op ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
    for (size_t i = 0; i < foreign->count && !error; i++)
        error = finish_case(foreign->cases[i], op, words, source, diagnostic);
    return error;
}
