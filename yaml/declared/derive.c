// SPDX-License-Identifier: Apache-2.0
// Mutants without being asked: of every node, what a slip of the pen makes of its expression.
//
// Each node gets a choice, `mutant_NODE`, whose options replace it: operands of - and / swapped, an
// addend or a factor left out, sum for mean, max for min, all axes or the mirrored axis, an epsilon
// moved out of the root, a transposition left out, < for <=, branches exchanged. What the
// declaration calls `equivalent`, with its reason, is left out.

#include <stdio.h>
#include <string.h>

#include "yaml/declared/reader.h"

enum { MUTANTS_MAX = 96, PATH_MAX_DEPTH = GRAPH_DEPTH_MAX + 1, NAME_SIZE = 80 };

struct deriving {
    struct operator_reader *reader;
    unsigned node;
    uint16_t root;
    uint8_t path[PATH_MAX_DEPTH]; // operands from the root down to the place at work
    unsigned depth;
    unsigned count;
    const char *name[MUTANTS_MAX + 1];
    struct graph_option option[MUTANTS_MAX + 1];
    const struct document_node *equivalent; // NULL: none
    bool *met;                              // of its entries
    struct diagnostic *diagnostic;
};

// The root with `place` put where the path ends.
static enum error rebuild(struct deriving *d, uint16_t at, unsigned depth, uint16_t place,
                          uint16_t *to)
{
    if (depth == d->depth) {
        *to = place;
        return ERROR_NONE;
    }
    const struct graph_expression e = d->reader->expression[at];
    uint16_t operand[GRAPH_OPERANDS_MAX];
    memcpy(operand, e.operand, e.count * sizeof *operand);
    const enum error error =
        rebuild(d, operand[d->path[depth]], depth + 1, place, &operand[d->path[depth]]);
    return error ? error : operator_make(d->reader, e.op, e.count, operand, to, d->diagnostic);
}

static bool has_name(const struct deriving *d, const char *name)
{
    for (unsigned i = 1; i <= d->count; i++)
        if (!strcmp(d->name[i], name))
            return true;
    return false;
}

static bool is_equivalent(const struct deriving *d, const char *choice, const char *name)
{
    char key[2 * NAME_SIZE];
    snprintf(key, sizeof key, "%s.%s", choice, name);
    for (size_t i = 0; d->equivalent && i < d->equivalent->count; i++)
        if (!strcmp(d->equivalent->key[i]->text, key)) {
            d->met[i] = true;
            return true;
        }
    return false;
}

static const char *choice_name(const struct deriving *d)
{
    return arena_print(d->reader->arena, "mutant_%s", d->reader->to->graph.node[d->node].name);
}

// Adds the option that puts `place` where the path ends.
static enum error add(struct deriving *d, const char *what, uint16_t place)
{
    char name[NAME_SIZE];
    const char *const choice = choice_name(d);
    uint16_t root = 0;
    snprintf(name, sizeof name, "%.60s", what);
    for (unsigned n = 2; has_name(d, name); n++)
        snprintf(name, sizeof name, "%.60s_%u", what, n);
    const enum error error = rebuild(d, d->root, 0, place, &root);
    if (error)
        return error;
    struct graph_replacement *const to = arena_take(d->reader->arena, sizeof *to);
    const char *const kept = arena_copy_text(d->reader->arena, name, strlen(name));
    if (!to || !kept || !choice)
        return diagnostic_no_memory(d->diagnostic);
    if (d->count == MUTANTS_MAX || is_equivalent(d, choice, name))
        return ERROR_NONE;
    *to = (struct graph_replacement){(uint16_t)d->node, root};
    d->name[++d->count] = kept;
    d->option[d->count] = (struct graph_option){.count = 1, .replacement = to};
    return ERROR_NONE;
}

// The same for a new word of these operands.
static enum error add_word(struct deriving *d, const char *what, enum word_op op, unsigned count,
                           const uint16_t *operand)
{
    uint16_t place = 0;
    const enum error error = operator_make(d->reader, op, count, operand, &place, d->diagnostic);
    return error ? error : add(d, what, place);
}

// "without_beta", or, of what has no name, "without_factor".
static enum error add_without(struct deriving *d, uint16_t without, const char *kind, uint16_t rest)
{
    const struct graph_expression *const e = &d->reader->expression[without];
    char what[NAME_SIZE];
    const bool named = e->op == WORD_INPUT || e->op == WORD_NODE || e->op == WORD_ATTRIBUTE ||
                       e->op == WORD_SIZE_NAME;
    snprintf(what, sizeof what, "without_%.60s", named ? e->text : kind);
    return add(d, what, rest);
}

static enum error of_arithmetic(struct deriving *d, enum word_op op, const uint16_t *operand)
{
    const uint16_t swapped[2] = {operand[1], operand[0]};
    uint16_t negative = 0;
    enum error error = ERROR_NONE;
    switch (op) {
    case WORD_ADD:
    case WORD_MULTIPLY: {
        const char *const kind = op == WORD_ADD ? "addend" : "factor";
        error = add_without(d, operand[0], kind, operand[1]);
        return error ? error : add_without(d, operand[1], kind, operand[0]);
    }
    case WORD_SUBTRACT:
        error = add_word(d, "minus_swapped", WORD_SUBTRACT, 2, swapped);
        if (!error)
            error = add_without(d, operand[1], "subtrahend", operand[0]);
        if (!error)
            error = operator_make(d->reader, WORD_NEGATE, 1, &operand[1], &negative, d->diagnostic);
        return error ? error : add_without(d, operand[0], "minuend", negative);
    default:
        error = add_word(d, "quotient_swapped", WORD_DIVIDE, 2, swapped);
        return error ? error : add_without(d, operand[1], "divisor", operand[0]);
    }
}

// -1 - axis: the first for the last.
static enum error add_mirrored(struct deriving *d, const struct graph_expression *e)
{
    uint16_t operand[GRAPH_OPERANDS_MAX], minus[2];
    memcpy(operand, e->operand, e->count * sizeof *operand);
    enum error error = operator_leaf(d->reader, WORD_NUMBER, 0, "1", &minus[0], d->diagnostic);
    if (error)
        return error;
    d->reader->expression[minus[0]].number = 1;
    d->reader->expression[minus[0]].exact = true;
    error = operator_make(d->reader, WORD_NEGATE, 1, minus, &minus[0], d->diagnostic);
    minus[1] = operand[1];
    if (!error)
        error = operator_make(d->reader, WORD_SUBTRACT, 2, minus, &operand[1], d->diagnostic);
    return error ? error : add_word(d, "axis_mirrored", e->op, e->count, operand);
}

static enum error of_reduction(struct deriving *d, const struct graph_expression *e)
{
    static const struct {
        enum word_op op, other;
        const char *what;
    } others[] = {{WORD_SUM, WORD_MEAN, "sum_as_mean"},
                  {WORD_MEAN, WORD_SUM, "mean_as_sum"},
                  {WORD_MAX, WORD_MIN, "max_as_min"},
                  {WORD_MIN, WORD_MAX, "min_as_max"},
                  {WORD_PRODUCT, WORD_SUM, "product_as_sum"}};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < sizeof others / sizeof *others && !error; i++)
        if (others[i].op == e->op)
            error = add_word(d, others[i].what, others[i].other, e->count, e->operand);
    if (error || e->count < 2)
        return error;
    if (e->op != WORD_ARGMAX)
        error = add_word(d, "all_axes", e->op, 1, e->operand);
    const bool one = d->reader->expression[e->operand[1]].op != WORD_LIST;
    return error || !one ? error : add_mirrored(d, e);
}

// rsqrt(v + epsilon) as 1 / (sqrt(v) + epsilon); sqrt(v + epsilon) as sqrt(v) + epsilon.
static enum error of_root(struct deriving *d, const struct graph_expression *e)
{
    const struct graph_expression inner = d->reader->expression[e->operand[0]];
    uint16_t sum[2], quotient[2];
    if (inner.op != WORD_ADD)
        return ERROR_NONE;
    sum[1] = inner.operand[1];
    enum error error =
        operator_make(d->reader, WORD_SQRT, 1, inner.operand, &sum[0], d->diagnostic);
    if (error || e->op == WORD_SQRT)
        return error ? error : add_word(d, "epsilon_moved", WORD_ADD, 2, sum);
    if (!(error = operator_make(d->reader, WORD_ADD, 2, sum, &quotient[1], d->diagnostic)))
        error = operator_leaf(d->reader, WORD_NUMBER, 0, "1", &quotient[0], d->diagnostic);
    if (error)
        return error;
    d->reader->expression[quotient[0]].number = 1;
    d->reader->expression[quotient[0]].exact = true;
    return add_word(d, "epsilon_moved", WORD_DIVIDE, 2, quotient);
}

static enum error of_others(struct deriving *d, const struct graph_expression *e)
{
    switch (e->op) {
    case WORD_LEAST:
        return add_word(d, "min_as_max", WORD_GREATEST, 2, e->operand);
    case WORD_GREATEST:
        return add_word(d, "max_as_min", WORD_LEAST, 2, e->operand);
    case WORD_LESS:
        return add_word(d, "less_or_equal", WORD_LESS_EQUAL, 2, e->operand);
    case WORD_LESS_EQUAL:
        return add_word(d, "less", WORD_LESS, 2, e->operand);
    case WORD_SELECT: {
        const uint16_t swapped[3] = {e->operand[0], e->operand[2], e->operand[1]};
        return add_word(d, "branches_exchanged", WORD_SELECT, 3, swapped);
    }
    case WORD_TRANSPOSE:
        return add(d, "transpose_left_out", e->operand[0]);
    case WORD_SQRT:
    case WORD_RSQRT:
        return of_root(d, e);
    default:
        return ERROR_NONE;
    }
}

static enum error walk(struct deriving *d, uint16_t at)
{
    const struct graph_expression e = d->reader->expression[at];
    enum error error = ERROR_NONE;
    if (e.op == WORD_ADD || e.op == WORD_SUBTRACT || e.op == WORD_MULTIPLY || e.op == WORD_DIVIDE)
        error = of_arithmetic(d, e.op, e.operand);
    else if (words_row(e.op)->class == CLASS_REDUCTION)
        error = of_reduction(d, &e);
    else
        error = of_others(d, &e);
    if (words_row(e.op)->class == CLASS_STATIC)
        return error;
    for (unsigned o = 0; o < e.count && !error; o++)
        if (!words_operand_is_static(e.op, o)) {
            d->path[d->depth++] = (uint8_t)o;
            error = walk(d, e.operand[o]);
            d->depth--;
        }
    return error;
}

static enum error derive_node(struct deriving *d, unsigned node)
{
    struct operation *const operation = &d->reader->to->operation;
    d->node = node;
    d->root = d->reader->to->graph.node[node].root;
    d->count = d->depth = 0;
    enum error error = walk(d, d->root);
    if (error || !d->count)
        return error;
    const char **const names = arena_take_array(d->reader->arena, d->count + 2, sizeof *names);
    struct graph_option *const options =
        arena_take_array(d->reader->arena, d->count + 1, sizeof *options);
    const char *const choice = choice_name(d);
    if (!names || !options || !choice)
        return diagnostic_no_memory(d->diagnostic);
    names[0] = "as_written";
    options[0].allowed = true;
    memcpy(names + 1, d->name + 1, d->count * sizeof *names);
    memcpy(options + 1, d->option + 1, d->count * sizeof *options);
    struct choice *const choices = (struct choice *)(uintptr_t)operation->choices;
    const struct graph_option **const table =
        (const struct graph_option **)(uintptr_t)d->reader->to->graph.option;
    choices[operation->choice_count] = (struct choice){choice, names};
    table[operation->choice_count++] = options;
    return ERROR_NONE;
}

enum error operator_derive_mutants(struct operator_reader *r,
                                   const struct document_node *equivalent,
                                   struct diagnostic *diagnostic)
{
    struct deriving *const d = arena_take(r->arena, sizeof *d);
    enum error error = equivalent
                           ? document_expect(equivalent, DOCUMENT_MAPPING, "equivalent", diagnostic)
                           : ERROR_NONE;
    if (error)
        return error;
    bool *const met = arena_take_array(r->arena, equivalent ? equivalent->count : 0, sizeof *met);
    if (!d || !met)
        return diagnostic_no_memory(diagnostic);
    d->reader = r;
    d->equivalent = equivalent;
    d->met = met;
    d->diagnostic = diagnostic;
    for (unsigned i = 0; i < r->to->graph.node_count && !error; i++)
        error = derive_node(d, i);
    for (size_t i = 0; equivalent && i < equivalent->count && !error; i++) {
        error = document_expect(equivalent->item[i], DOCUMENT_SCALAR, "a reason", diagnostic);
        if (!error && (!met[i] || !equivalent->item[i]->count))
            error = document_fail(equivalent->key[i], ERROR_INPUT, diagnostic,
                                  "'%.100s' is no derived mutant with its reason; `assay list "
                                  "choices` names them as mutant_NODE and its options",
                                  equivalent->key[i]->text);
    }
    return error;
}
