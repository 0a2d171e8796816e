// SPDX-License-Identifier: Apache-2.0
// New expressions: operands are checked before they are put together, so that whatever stands in a
// graph has a meaning.

#include <string.h>

#include "yaml/declared/reader.h"

static enum error take_room(struct operator_reader *r, struct diagnostic *diagnostic)
{
    const unsigned count = r->to->graph.expression_count;
    if (count < r->room)
        return ERROR_NONE;
    if (count == GRAPH_EXPRESSIONS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the operator has more than %d expressions",
                               GRAPH_EXPRESSIONS_MAX);
    const unsigned room = r->room ? 2 * r->room : 128;
    struct graph_expression *const expression =
        arena_take_array(r->arena, room, sizeof *expression);
    unsigned char *const depth = arena_take_array(r->arena, room, 1);
    if (!expression || !depth)
        return diagnostic_no_memory(diagnostic);
    if (count) {
        memcpy(expression, r->expression, count * sizeof *expression);
        memcpy(depth, r->depth, count);
    }
    r->expression = expression;
    r->depth = depth;
    r->room = room;
    r->to->graph.expression = expression;
    return ERROR_NONE;
}

enum error operator_leaf(struct operator_reader *r, enum word_op op, unsigned index,
                         const char *text, uint16_t *expression, struct diagnostic *diagnostic)
{
    struct graph *const graph = &r->to->graph;
    const bool named = op == WORD_INPUT || op == WORD_NODE || op == WORD_ATTRIBUTE;
    for (unsigned i = 0; named && i < graph->expression_count; i++)
        if (r->expression[i].op == op && r->expression[i].index == index) {
            *expression = (uint16_t)i;
            return ERROR_NONE;
        }
    const enum error error = take_room(r, diagnostic);
    if (error)
        return error;
    const char *const kept = arena_copy_text(r->arena, text, strlen(text));
    if (!kept)
        return diagnostic_no_memory(diagnostic);
    *expression = (uint16_t)graph->expression_count++;
    r->expression[*expression] =
        (struct graph_expression){.op = op, .index = (uint16_t)index, .text = kept};
    return ERROR_NONE;
}

// Whether shapes and attributes (and inputs that hold sizes) decide it.
static bool can_be_static(const struct operator_reader *r, uint16_t expression)
{
    const struct graph_expression *const e = &r->expression[expression];
    switch (e->op) {
    case WORD_INPUT:
        return !(r->to->graph.input[e->index].types & DTYPES_FLOATING);
    case WORD_NODE:
    case WORD_NAN:
    case WORD_PI:
    case WORD_ROUNDOFF:
    case WORD_WITHIN:
        return false;
    case WORD_RANK:
    case WORD_SIZE:
    case WORD_SHAPE:
    case WORD_BROADCAST_AXES:
    case WORD_PRESENT:
    case WORD_TYPE:
        return true;
    case WORD_SQUARE:
    case WORD_SIGN:
    case WORD_SELECT:
        return false;
    default:
        break;
    }
    const enum word_class class = words_row(e->op)->class;
    if (class != CLASS_LEAF && class != CLASS_STATIC &&
        !(class == CLASS_ELEMENTWISE &&
          (e->op <= WORD_ABS || e->op == WORD_IF || e->op == WORD_LEAST || e->op == WORD_GREATEST ||
           (e->op >= WORD_LESS && e->op <= WORD_NOT))))
        return false;
    for (unsigned i = 0; i < e->count; i++)
        if (!can_be_static(r, e->operand[i]))
            return false;
    return true;
}

// Inputs whose elements decide sizes.
static void mark_inputs(struct operator_reader *r, uint16_t expression)
{
    const struct graph_expression *const e = &r->expression[expression];
    if (e->op == WORD_INPUT)
        r->to->graph.input[e->index].numbers_matter = true;
    const bool shape_alone = e->op >= WORD_RANK && e->op <= WORD_TYPE;
    for (unsigned i = shape_alone; i < e->count; i++)
        mark_inputs(r, e->operand[i]);
}

static enum error check_einsum(const char *text, struct diagnostic *diagnostic)
{
    const char *const comma = text ? strchr(text, ',') : NULL, *const arrow =
                                                                   text ? strstr(text, "->") : NULL;
    bool right = comma && arrow && comma < arrow && !strchr(comma + 1, ',');
    for (const char *c = text; right && *c; c++) {
        const bool dots = !strncmp(c, "...", 3);
        right = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || c == comma || c == arrow ||
                c == arrow + 1 || dots;
        c += dots ? 2 : 0;
    }
    // every letter of the result is one of an operand, once
    for (const char *c = right ? arrow + 2 : ""; right && *c; c++)
        right = *c == '.' || (memchr(text, *c, (size_t)(arrow - text)) && !strchr(c + 1, *c));
    return right ? ERROR_NONE
                 : diagnostic_fail(
                       diagnostic, ERROR_INPUT,
                       "einsum takes two terms and a result, such as \"...ij,jk->...ik\"");
}

static enum error check_operands(struct operator_reader *r, enum word_op op, unsigned count,
                                 const uint16_t *operand, struct diagnostic *diagnostic)
{
    const struct word *const word = words_row(op);
    for (unsigned i = op == WORD_BEFORE; i < count; i++) {
        const struct graph_expression *const e = &r->expression[operand[i]];
        if (words_operand_is_static(op, i)) {
            if (!can_be_static(r, operand[i]))
                return diagnostic_fail(
                    diagnostic, ERROR_INPUT,
                    "operand %u of %s is known before anything is computed: from shapes, "
                    "attributes and inputs that hold sizes",
                    i + 1, word->name ? word->name : "a list");
            if (op != WORD_LIST && word->class != CLASS_STATIC)
                mark_inputs(r, operand[i]);
        } else if ((e->op == WORD_LIST || e->op == WORD_TEXT) &&
                   !(op >= WORD_LESS && op <= WORD_NOT_EQUAL) && op != WORD_IF) {
            return diagnostic_fail(diagnostic, ERROR_INPUT, "operand %u of %s is a tensor", i + 1,
                                   word->name);
        }
    }
    const enum word_op first = count ? r->expression[operand[0]].op : WORD_NUMBER;
    if (op == WORD_PRESENT && first != WORD_INPUT && first != WORD_ATTRIBUTE)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "present takes an input or an attribute");
    return op == WORD_EINSUM
               ? check_einsum(first == WORD_TEXT ? r->expression[operand[0]].text : NULL,
                              diagnostic)
               : ERROR_NONE;
}

enum error operator_make(struct operator_reader *r, enum word_op op, unsigned count,
                         const uint16_t *operand, uint16_t *expression,
                         struct diagnostic *diagnostic)
{
    unsigned depth = 0;
    enum error error = check_operands(r, op, count, operand, diagnostic);
    if (!error)
        error = take_room(r, diagnostic);
    if (error)
        return error;
    for (unsigned i = 0; i < count; i++)
        depth = r->depth[operand[i]] >= depth ? r->depth[operand[i]] + 1u : depth;
    if (depth > GRAPH_DEPTH_MAX + r->deeper)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "an expression is more than %d words deep; give a part of it a name",
                               GRAPH_DEPTH_MAX);
    uint16_t *const kept = arena_take_array(r->arena, count, sizeof *kept);
    if (!kept)
        return diagnostic_no_memory(diagnostic);
    memcpy(kept, operand, count * sizeof *kept);
    *expression = (uint16_t)r->to->graph.expression_count++;
    r->expression[*expression] =
        (struct graph_expression){.op = op, .count = (uint16_t)count, .operand = kept};
    r->depth[*expression] = (unsigned char)depth;
    return ERROR_NONE;
}

enum error operator_copy(struct operator_reader *r, uint16_t from, uint16_t *expression,
                         struct diagnostic *diagnostic)
{
    const struct graph_expression e = r->expression[from];
    uint16_t operand[GRAPH_OPERANDS_MAX];
    enum error error = ERROR_NONE;
    *expression = from;
    for (unsigned i = 0; i < e.count && !error; i++)
        error = operator_copy(r, e.operand[i], &operand[i], diagnostic);
    return error || !e.count ? error
                             : operator_make(r, e.op, e.count, operand, expression, diagnostic);
}
