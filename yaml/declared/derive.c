// SPDX-License-Identifier: Apache-2.0
// Mutants without being asked: of every node, what a slip of the pen makes of its expression.
//
// Each node gets a choice, `mutant_NODE`, whose options replace it; what each word invites stands
// in derive_word.c. Beside them a node is stored in another type, its sums are added up in a
// narrower one, and of the whole graph an attribute or an optional input is ignored. What the
// declaration calls `equivalent`, with its reason, is left out.

#include "yaml/declared/derive.h"

#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"

// ---- options ----------------------------------------------------------------

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

static bool is_equivalent(const struct deriving *d, const char *name)
{
    char key[2 * MUTANT_NAME_SIZE];
    snprintf(key, sizeof key, "%s.%s", d->choice, name);
    for (size_t i = 0; d->equivalent && i < d->equivalent->count; i++)
        if (!strcmp(d->equivalent->key[i]->text, key)) {
            d->met[i] = true;
            return true;
        }
    return false;
}

// Adds an option of these replacements, which are copied. A name that is taken gets a number.
static enum error add_option(struct deriving *d, const char *what, unsigned count,
                             const struct graph_replacement *replacement)
{
    char name[MUTANT_NAME_SIZE];
    snprintf(name, sizeof name, "%.60s", what);
    for (unsigned n = 2; has_name(d, name); n++)
        snprintf(name, sizeof name, "%.60s_%u", what, n);
    struct graph_replacement *const to = arena_take_array(d->reader->arena, count, sizeof *to);
    const char *const kept = arena_copy_text(d->reader->arena, name, strlen(name));
    if (!to || !kept)
        return diagnostic_no_memory(d->diagnostic);
    if (d->count == MUTANTS_MAX)
        return ERROR_NONE;
    memcpy(to, replacement, count * sizeof *to);
    d->name[++d->count] = kept;
    d->option[d->count] = (struct graph_option){.count = count, .replacement = to};
    return ERROR_NONE;
}

enum error derive_add(struct deriving *d, const char *what, uint16_t place)
{
    struct graph_replacement to = {.node = (uint16_t)d->node};
    const enum error error = rebuild(d, d->root, 0, place, &to.root);
    return error ? error : add_option(d, what, 1, &to);
}

enum error derive_add_word(struct deriving *d, const char *what, enum word_op op, unsigned count,
                           const uint16_t *operand)
{
    uint16_t place = 0;
    const enum error error = operator_make(d->reader, op, count, operand, &place, d->diagnostic);
    return error ? error : derive_add(d, what, place);
}

enum error derive_number(struct deriving *d, double number, uint16_t *expression)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", number);
    const enum error error =
        operator_leaf(d->reader, WORD_NUMBER, 0, text, expression, d->diagnostic);
    if (error)
        return error;
    d->reader->expression[*expression].number = number;
    d->reader->expression[*expression].exact = true;
    return ERROR_NONE;
}

// ---- a node -----------------------------------------------------------------

static enum error walk(struct deriving *d, uint16_t at, bool fixed)
{
    const struct graph_expression e = d->reader->expression[at];
    enum error error = fixed ? derive_at_static(d, at) : derive_at(d, at);
    if (words_row(e.op)->class == CLASS_STATIC && e.op != WORD_RANGE)
        return error;
    for (unsigned o = 0; o < e.count && !error; o++) {
        d->path[d->depth++] = (uint8_t)o;
        error = walk(d, e.operand[o], fixed || words_operand_is_static(e.op, o));
        d->depth--;
    }
    return error;
}

static bool adds_up(const struct operator_reader *r, uint16_t at)
{
    const struct graph_expression *const e = &r->expression[at];
    bool found = words_is_sum(e->op);
    for (unsigned o = 0; o < e->count && !found && words_row(e->op)->class != CLASS_STATIC; o++)
        found = !words_operand_is_static(e->op, o) && adds_up(r, e->operand[o]);
    return found;
}

// Whether an expression reads elements of a node, not its shape alone.
static bool reads_node(const struct operator_reader *r, uint16_t at, unsigned index)
{
    const struct graph_expression *const e = &r->expression[at];
    bool found = e->op == WORD_NODE && e->index == index;
    for (unsigned o = 0; o < e->count && !found && words_row(e->op)->class != CLASS_STATIC; o++)
        found = !words_operand_is_static(e->op, o) && reads_node(r, e->operand[o], index);
    return found;
}

// Whether an output depends on elements of the node: some node reads them, as it is written or in
// an option of a choice, and is read in turn, or is one of a scan.
static bool is_read(const struct operator_reader *r, unsigned index)
{
    const struct graph *const graph = &r->to->graph;
    bool found = graph->node[index].output >= 0;
    for (unsigned i = 0; i < graph->node_count && !found; i++)
        if (reads_node(r, graph->node[i].root, index))
            found = i <= index || is_read(r, i);
    for (unsigned c = 0; c < r->to->operation.choice_count && !found; c++)
        for (unsigned o = 0; r->to->operation.choices[c].options[o] && !found; o++)
            for (unsigned i = 0; i < graph->option[c][o].count && !found; i++)
                found = reads_node(r, graph->option[c][o].replacement[i].root, index);
    return found;
}

static bool names_leaf(const struct operator_reader *r, uint16_t at, enum word_op op,
                       unsigned index)
{
    const struct graph_expression *const e = &r->expression[at];
    bool found = e->op == op && e->index == index;
    for (unsigned o = 0; o < e->count && !found; o++)
        found = names_leaf(r, e->operand[o], op, index);
    return found;
}

// An input of another's type has that one's.
static int first_of_type(const struct graph *graph, int input)
{
    while (input >= 0 && graph->input[input].type_of >= 0)
        input = graph->input[input].type_of;
    return input;
}

static bool same_type(const struct graph *graph, struct graph_type a, struct graph_type b)
{
    return a.fixed == b.fixed && a.attribute == b.attribute && a.second == b.second &&
           first_of_type(graph, a.input) == first_of_type(graph, b.input);
}

// Whether the type holds whatever the expression gives: it moves and chooses among elements that
// have this type.
static bool is_held(const struct operator_reader *r, uint16_t at, struct graph_type type)
{
    const struct graph_expression *const e = &r->expression[at];
    const struct graph *const graph = &r->to->graph;
    switch (e->op) {
    case WORD_INPUT:
        if (type.fixed == DTYPE_I64)
            return !(graph->input[e->index].types & DTYPES_FLOAT);
        return type.attribute < 0 && type.second < 0 && type.input >= 0 &&
               first_of_type(graph, type.input) == first_of_type(graph, e->index);
    case WORD_NODE:
        return graph->node[e->index].typed && same_type(graph, graph->node[e->index].type, type);
    case WORD_NUMBER:
    case WORD_INFINITY:
    case WORD_LEAST:
    case WORD_GREATEST:
    case WORD_MAX:
    case WORD_MIN:
    case WORD_SELECT:
    case WORD_IF:
    case WORD_NEGATE:
        break;
    case WORD_STEP:
    case WORD_STEPS:
        break;
    default:
        if (words_row(e->op)->class != CLASS_MOVEMENT)
            return false;
    }
    for (unsigned o = 0; o < e->count; o++)
        if (!words_operand_is_static(e->op, o) && !(e->op == WORD_SELECT && !o) &&
            !(e->op == WORD_GATHER && o == 1) && !is_held(r, e->operand[o], type))
            return false;
    return true;
}

// Whether it is made of whole numbers or conditions.
static bool counts(const struct operator_reader *r, uint16_t at)
{
    const struct graph_expression *const e = &r->expression[at];
    bool found =
        e->op == WORD_IOTA || e->op == WORD_ARGMAX || (e->op >= WORD_LESS && e->op <= WORD_NOT);
    for (unsigned o = 0; o < e->count && !found && e->op != WORD_SELECT; o++)
        found = !words_operand_is_static(e->op, o) && counts(r, e->operand[o]);
    return found;
}

// Whether what is stored in the node's type is only moved, and stored in it again.
static bool is_stored_again(const struct operator_reader *r, unsigned index)
{
    const struct graph *const graph = &r->to->graph;
    bool again = false;
    for (unsigned i = index + 1; i < graph->node_count; i++) {
        const struct graph_node *const node = &graph->node[i];
        if (!names_leaf(r, node->root, WORD_NODE, index))
            continue;
        again = node->typed && same_type(graph, node->type, graph->node[index].type) &&
                is_held(r, node->root, node->type);
        if (!again)
            return false;
    }
    return again;
}

// An interior node stored as wide as its expression is, or as narrow as the first input; and sums
// in a narrower type.
static enum error derive_types(struct deriving *d)
{
    static const struct {
        const char *name;
        enum dtype type;
    } accumulators[] = {{"accumulator_f16", DTYPE_F16},
                        {"accumulator_bf16", DTYPE_BF16},
                        {"accumulator_f32", DTYPE_F32}};
    static const struct graph_type of_first = {DTYPE_NONE, 0, -1, -1};
    const unsigned narrow = DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) | DTYPES_F8;
    const struct graph *const graph = &d->reader->to->graph;
    const struct graph_node *const node = &graph->node[d->node];
    const struct graph_replacement as_written = {.node = (uint16_t)d->node, .root = d->root};
    struct graph_replacement to = as_written;
    const bool whole = counts(d->reader, d->root) || node->type.fixed == DTYPE_I64;
    enum error error = ERROR_NONE;
    to.cast = true;
    if (node->output < 0 && node->typed && !is_held(d->reader, d->root, node->type) &&
        !is_stored_again(d->reader, d->node))
        error = add_option(d, "cast_left_out", 1, &to);
    to.typed = true;
    to.type = of_first;
    if (!error && node->output < 0 && !(node->typed && same_type(graph, node->type, of_first)) &&
        graph->input[0].types & narrow && !whole && !is_held(d->reader, d->root, of_first))
        error = add_option(d, "cast_to_first_input", 1, &to);
    for (unsigned i = 0; i < 3 && !error && adds_up(d->reader, d->root) && !whole; i++) {
        to = as_written;
        to.accumulator = accumulators[i].type;
        error = add_option(d, accumulators[i].name, 1, &to);
    }
    return error;
}

// What was derived becomes a choice, without those that are equivalent.
static enum error keep_choice(struct deriving *d)
{
    struct operation *const operation = &d->reader->to->operation;
    const char **const names = arena_take_array(d->reader->arena, d->count + 2, sizeof *names);
    struct graph_option *const options =
        arena_take_array(d->reader->arena, d->count + 1, sizeof *options);
    if (!names || !options)
        return diagnostic_no_memory(d->diagnostic);
    unsigned kept = 0;
    names[kept] = "as_written";
    options[kept++].allowed = true;
    for (unsigned i = 1; i <= d->count; i++)
        if (!is_equivalent(d, d->name[i])) {
            names[kept] = d->name[i];
            options[kept++] = d->option[i];
        }
    names[kept] = NULL;
    if (kept == 1)
        return ERROR_NONE;
    struct choice *const choices = (struct choice *)(uintptr_t)operation->choices;
    const struct graph_option **const table =
        (const struct graph_option **)(uintptr_t)d->reader->to->graph.option;
    choices[operation->choice_count] = (struct choice){d->choice, names};
    table[operation->choice_count++] = options;
    return ERROR_NONE;
}

static enum error derive_node(struct deriving *d, unsigned node)
{
    if (!is_read(d->reader, node))
        return ERROR_NONE; // nothing depends on it but shapes
    d->node = node;
    d->root = d->reader->to->graph.node[node].root;
    d->count = d->depth = 0;
    d->choice = arena_print(d->reader->arena, "mutant_%s", d->reader->to->graph.node[node].name);
    if (!d->choice)
        return diagnostic_no_memory(d->diagnostic);
    enum error error = walk(d, d->root, false);
    if (!error)
        error = derive_types(d);
    return error ? error : keep_choice(d);
}

// ---- the graph --------------------------------------------------------------

// The expression with `instead` for each leaf of an attribute, or, where `present`, for each
// `present` of an attribute or input.
static enum error without(struct deriving *d, uint16_t at, enum word_op op, unsigned index,
                          bool present, uint16_t instead, uint16_t *to)
{
    const struct graph_expression e = d->reader->expression[at];
    const struct graph_expression *const first =
        e.count ? &d->reader->expression[e.operand[0]] : NULL;
    uint16_t operand[GRAPH_OPERANDS_MAX];
    enum error error = ERROR_NONE;
    bool changed = false;
    *to = instead;
    if (present ? e.op == WORD_PRESENT && first->op == op && first->index == index
                : e.op == op && e.index == index)
        return ERROR_NONE;
    *to = at;
    if (!names_leaf(d->reader, at, op, index) || (!present && e.op == WORD_PRESENT))
        return ERROR_NONE;
    for (unsigned o = 0; o < e.count && !error; o++) {
        error = without(d, e.operand[o], op, index, present, instead, &operand[o]);
        changed = changed || operand[o] != e.operand[o];
    }
    return error || !changed ? error
                             : operator_make(d->reader, e.op, e.count, operand, to, d->diagnostic);
}

static enum error add_ignored(struct deriving *d, const char *name, enum word_op op, unsigned index,
                              bool present, uint16_t instead)
{
    const struct graph *const graph = &d->reader->to->graph;
    struct graph_replacement to[GRAPH_NODES_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < graph->node_count; i++) {
        uint16_t root = 0;
        const enum error error =
            without(d, graph->node[i].root, op, index, present, instead, &root);
        if (error)
            return error;
        if (root != graph->node[i].root)
            to[count++] = (struct graph_replacement){.node = (uint16_t)i, .root = root};
    }
    return count ? add_option(d, name, count, to) : ERROR_NONE;
}

// The default of an attribute as an expression; false: it has none that an expression holds.
static bool standard_of(struct deriving *d, const struct attribute_spec *spec, uint16_t *to,
                        enum error *error)
{
    *error = ERROR_NONE;
    if (spec->presence != ATTRIBUTE_DEFAULT || spec->dtypes)
        return false;
    if (spec->kind == ATTRIBUTE_WORD)
        *error =
            operator_leaf(d->reader, WORD_TEXT, 0, spec->words[spec->standard], to, d->diagnostic);
    else
        *error = derive_number(
            d, spec->kind == ATTRIBUTE_REAL ? spec->standard_real : (double)spec->standard, to);
    return !*error;
}

// A choice whose options each leave an attribute at its default, or an optional input out.
static enum error add_all_ignored(struct deriving *d)
{
    const struct operation *const operation = &d->reader->to->operation;
    enum error error = ERROR_NONE;
    d->count = 0;
    d->choice = "mutant_ignored";
    for (unsigned i = 0; i < operation->attribute_count && !error; i++) {
        const struct attribute_spec *const spec = &d->reader->attributes[i];
        uint16_t instead = 0;
        const bool standard = standard_of(d, spec, &instead, &error);
        if (!error && !standard && spec->presence == ATTRIBUTE_OPTIONAL)
            error = derive_number(d, 0, &instead);
        if (!error && (standard || spec->presence == ATTRIBUTE_OPTIONAL))
            error = add_ignored(d, d->reader->attribute_called[i], WORD_ATTRIBUTE, i, !standard,
                                instead);
    }
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        uint16_t zero = 0;
        if (!d->reader->inputs[i].optional)
            continue;
        error = derive_number(d, 0, &zero);
        if (!error)
            error = add_ignored(d, d->reader->inputs[i].name, WORD_INPUT, i, true, zero);
    }
    return error || !d->count ? error : keep_choice(d);
}

static enum error check_equivalents(const struct deriving *d)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; d->equivalent && i < d->equivalent->count && !error; i++) {
        const struct document_node *const key = d->equivalent->key[i];
        error = document_expect(d->equivalent->item[i], DOCUMENT_SCALAR, "a reason", d->diagnostic);
        if (!error && (!d->met[i] || !d->equivalent->item[i]->count))
            error = document_fail(key, ERROR_INPUT, d->diagnostic,
                                  "'%.100s' is no derived mutant with its reason; `assay list "
                                  "choices` names them as mutant_NODE and its options",
                                  key->text);
    }
    return error;
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
    *d = (struct deriving){
        .reader = r, .equivalent = equivalent, .met = met, .diagnostic = diagnostic};
    r->deeper = PATH_DEPTH_MAX - GRAPH_DEPTH_MAX;
    for (unsigned i = 0; i < r->to->graph.node_count && !error; i++)
        error = derive_node(d, i);
    if (!error)
        error = add_all_ignored(d);
    return error ? error : check_equivalents(d);
}
