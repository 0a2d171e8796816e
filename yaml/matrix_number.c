// SPDX-License-Identifier: Apache-2.0
// `$n * 2 + 1`: whole numbers of a matrix, calculated with in 64 bits.

#include <inttypes.h>
#include <string.h>

#include "yaml/matrix.h"

static bool is_whole(const char *text, size_t length, int64_t *number)
{
    const bool negative = length && *text == '-';
    const size_t first = negative ? 1 : 0;
    *number = 0;
    for (size_t i = first; i < length; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_sub_overflow(*number, text[i] - '0', number))
            return false;
    return length > first && (negative || !__builtin_sub_overflow(0, *number, number));
}

// One word of an expression: a whole number, or a name that stands for one.
static enum error read_operand(const struct matrix_row *row, const struct document_node *node,
                               const char *word, size_t length, int64_t *number,
                               struct diagnostic *diagnostic)
{
    const struct document_node *value = NULL;
    if (length && *word == '$') {
        value = matrix_look_up(row, word + 1, length - 1);
        if (!value)
            return matrix_unknown_name(row, node, word, length, diagnostic);
    }
    const bool scalar = !value || value->kind == DOCUMENT_SCALAR;
    return scalar && is_whole(value ? value->text : word, value ? value->count : length, number)
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic, "'%.*s' is not a whole number",
                               (int)(length < 80 ? length : 80), word);
}

// The value of "$a * 2 + $b", words apart by one space each; products before sums.
enum error matrix_calculate(const struct matrix_row *row, const struct document_node *node,
                            int64_t *result, struct diagnostic *diagnostic)
{
    int64_t product = 0, sum = 0;
    char operation = '+';
    bool fits = true;
    for (const char *at = node->text; fits;) {
        const size_t length = strcspn(at, " ");
        int64_t number = 0;
        const enum error error = read_operand(row, node, at, length, &number, diagnostic);
        if (error)
            return error;
        if (operation == '*')
            fits = !__builtin_mul_overflow(product, number, &product);
        else {
            fits = !__builtin_add_overflow(sum, product, &sum);
            product = number;
            if (operation == '-')
                fits = fits && !__builtin_sub_overflow(0, number, &product);
        }
        at += length;
        if (!*at)
            break;
        if (!strchr("+-*", at[1]) || !at[1] || at[2] != ' ')
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "'%.80s': expected ' + ', ' - ' or ' * ' between numbers",
                                 node->text);
        operation = at[1];
        at += 3;
    }
    return fits && !__builtin_add_overflow(sum, product, result)
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic, "'%.80s' is beyond 64 bits",
                               node->text);
}

struct document_node *matrix_new_number(struct arena *arena, const struct document_node *like,
                                        int64_t number)
{
    struct document_node *const node =
        document_new(arena, DOCUMENT_SCALAR, like->source, like->line, like->column);
    if (!node)
        return NULL;
    node->text = arena_print(arena, "%" PRId64, number);
    node->count = node->text ? strlen(node->text) : 0;
    return node->text ? node : NULL;
}
