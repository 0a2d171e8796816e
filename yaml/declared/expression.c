// SPDX-License-Identifier: Apache-2.0
// Expressions: + - * /, comparisons, and/or/not, words with parentheses, lists, numbers.
//
// By recursive descent, a level for each binding strength. A list is a static operand; whether
// max(a, b) goes over axes is seen from b: a list, or an attribute that is a whole number or a list
// of them.

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/nearest.h"
#include "ref/num/text.h"
#include "yaml/declared/reader.h"

enum { NAME_SIZE = 64, NESTING_MAX = 64 };

struct parser {
    struct operator_reader *reader;
    const struct document_node *node;
    size_t at;
    unsigned nesting;
    unsigned lets;            // how many of them can be named here
    struct operator_let *let; // what is read; NULL: an expression of its own
    const uint16_t *argument; // of `let`
    struct diagnostic *diagnostic;
};

static enum error any_of(struct parser *p, uint16_t *to);
static enum error whole_of(struct parser *p, uint16_t *to);

__attribute__((format(printf, 3, 4))) static enum error fail(struct parser *p, size_t at,
                                                             const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return document_fail_at(p->node->source, p->node->line,
                            p->node->column + (unsigned)at + (p->node->quoted ? 1 : 0), ERROR_INPUT,
                            p->diagnostic, "%s", text);
}

// The same for what was found without a place; memory that ran out has none.
static enum error placed(struct parser *p, size_t at, enum error error)
{
    char text[400];
    if (!error || error == ERROR_INTERNAL || p->diagnostic->line)
        return error;
    snprintf(text, sizeof text, "%.390s", p->diagnostic->text);
    return fail(p, at, "%s", text);
}

static char skip(struct parser *p)
{
    while (p->node->text[p->at] == ' ' || p->node->text[p->at] == '\n')
        p->at++;
    return p->node->text[p->at];
}

static bool take(struct parser *p, const char *symbol)
{
    const size_t length = strlen(symbol);
    skip(p);
    if (strncmp(p->node->text + p->at, symbol, length) != 0)
        return false;
    const char next = p->node->text[p->at + length];
    if (isalpha((unsigned char)symbol[0]) && (isalnum((unsigned char)next) || next == '_'))
        return false;
    p->at += length;
    return true;
}

static enum error make(struct parser *p, size_t at, enum word_op op, unsigned count,
                       const uint16_t *operand, uint16_t *to)
{
    return placed(p, at, operator_make(p->reader, op, count, operand, to, p->diagnostic));
}

// ---- leaves -----------------------------------------------------------------

// Whether a decimal is a double exactly, as far as this can tell.
static bool is_exact(const char *text, size_t length)
{
    uint64_t digits = 0;
    int fives = 0;
    bool point = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || digits > UINT64_C(100000000000000))
            return false;
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        fives += point;
    }
    for (; fives > 0 && digits % 5 == 0; fives--)
        digits /= 5;
    return fives == 0 || digits == 0;
}

static enum error number(struct parser *p, uint16_t *to)
{
    const char *const text = p->node->text + p->at;
    const size_t at = p->at;
    size_t length = 0;
    uint64_t bits = 0;
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    while (isalnum((unsigned char)text[length]) || text[length] == '.' ||
           ((text[length] == '+' || text[length] == '-') && length &&
            strchr(hexadecimal ? "pP" : "eE", text[length - 1])))
        length++;
    struct diagnostic why = {.text = ""};
    if (num_parse(DTYPE_F64, text, length, &bits, &why))
        return fail(p, at, "%.300s", why.text);
    const char *const kept = arena_copy_text(p->reader->arena, text, length);
    if (!kept)
        return diagnostic_no_memory(p->diagnostic);
    const enum error error =
        placed(p, at, operator_leaf(p->reader, WORD_NUMBER, 0, kept, to, p->diagnostic));
    if (error)
        return error;
    p->reader->expression[*to].number = double_from_bits(bits);
    p->reader->expression[*to].exact = hexadecimal ? length <= 14 : is_exact(text, length);
    p->at += length;
    return ERROR_NONE;
}

static enum error quoted(struct parser *p, uint16_t *to)
{
    const size_t at = p->at;
    const char *const text = p->node->text + at + 1, *const end = strchr(text, p->node->text[at]);
    if (!end)
        return fail(p, at, "a word in quotes does not end");
    const char *const kept = arena_copy_text(p->reader->arena, text, (size_t)(end - text));
    p->at += (size_t)(end - text) + 2;
    return kept ? placed(p, at, operator_leaf(p->reader, WORD_TEXT, 0, kept, to, p->diagnostic))
                : diagnostic_no_memory(p->diagnostic);
}

static enum error unknown(struct parser *p, size_t at, const char *name, bool call)
{
    const struct operator_reader *const r = p->reader;
    const struct operation *const operation = &r->to->operation;
    const struct graph *const graph = &r->to->graph;
    struct nearest nearest = {.asked = name};
    char hint[NEAREST_HINT_SIZE];
    for (unsigned i = 0; i < WORD_COUNT && call; i++)
        if (words_row((enum word_op)i)->name)
            nearest_offer(&nearest, words_row((enum word_op)i)->name);
    for (unsigned i = 0; i < operation->input_count && !call; i++)
        nearest_offer(&nearest, r->inputs[i].name);
    for (unsigned i = 0; i < operation->attribute_count && !call; i++)
        nearest_offer(&nearest, r->attribute_called[i]);
    for (unsigned i = 0; i < r->visible && !call; i++)
        nearest_offer(&nearest, graph->node[i].name);
    for (unsigned i = 0; i < graph->name_count && !call; i++)
        nearest_offer(&nearest, graph->name[i]);
    for (unsigned i = 0; i < p->lets; i++)
        if (!r->let[i].parameters == !call)
            nearest_offer(&nearest, r->let[i].name);
    for (unsigned i = 0; p->let && i < p->let->parameters && !call; i++)
        nearest_offer(&nearest, p->let->parameter[i]);
    for (unsigned i = p->lets; i < r->let_count; i++)
        if (!strcmp(r->let[i].name, name))
            return fail(p, at, "%s does not stand above this one under let", name);
    for (unsigned i = r->visible; i < graph->node_count && !call; i++)
        if (!strcmp(graph->node[i].name, name))
            return fail(p, at, "node %s comes later; a node names those before it", name);
    return fail(p, at, "there is no %s '%s'%s", call ? "word" : "input, attribute, node or size",
                name, nearest_hint(&nearest, hint));
}

// ---- what stands under `let` --------------------------------------------------

static struct operator_let *find_let(const struct parser *p, const char *name)
{
    for (unsigned i = 0; i < p->lets; i++)
        if (!strcmp(p->reader->let[i].name, name))
            return &p->reader->let[i];
    return NULL;
}

// Reads what `let` is, with `count` arguments in place of its parameters.
static enum error use_let(struct parser *p, size_t at, struct operator_let *let, unsigned count,
                          const uint16_t *argument, uint16_t *to)
{
    if (count != let->parameters)
        return fail(p, at, "%s takes %u operands; found %u", let->name, let->parameters, count);
    if (++p->reader->let_uses > LET_USES_MAX)
        return fail(p, at, "what stands under let is used more than %d times", LET_USES_MAX);
    struct parser inner = {.reader = p->reader,
                           .node = let->is,
                           .nesting = p->nesting,
                           .lets = (unsigned)(let - p->reader->let),
                           .let = let,
                           .argument = argument,
                           .diagnostic = p->diagnostic};
    let->uses++;
    const enum error error = whole_of(&inner, to);
    if (error && error != ERROR_INTERNAL && !p->let) {
        char used[80];
        snprintf(used, sizeof used, "; line %u uses %.40s", p->node->line, let->name);
        strncat(p->diagnostic->text, used,
                sizeof p->diagnostic->text - strlen(p->diagnostic->text) - 1);
    }
    return error;
}

// Whether the name is a parameter; then it is what was given, once more.
static bool is_parameter(const struct parser *p, const char *name, unsigned *index)
{
    for (*index = 0; p->let && *index < p->let->parameters; ++*index)
        if (!strcmp(p->let->parameter[*index], name))
            return true;
    return false;
}

// ---- names --------------------------------------------------------------------

static enum error name_leaf(struct parser *p, size_t at, const char *name, uint16_t *to)
{
    const struct operator_reader *const r = p->reader;
    const struct operation *const operation = &r->to->operation;
    const struct graph *const graph = &r->to->graph;
    static const struct {
        const char *name;
        enum word_op op;
    } constants[] = {
        {"nan", WORD_NAN}, {"inf", WORD_INFINITY}, {"pi", WORD_PI}, {"roundoff", WORD_ROUNDOFF}};
    int found = -1;
    enum word_op op = WORD_INPUT;
    unsigned index;
    if (is_parameter(p, name, &index)) {
        p->let->used |= 1u << index;
        return placed(p, at, operator_copy(p->reader, p->argument[index], to, p->diagnostic));
    }
    if (find_let(p, name))
        return use_let(p, at, find_let(p, name), 0, NULL, to);
    for (unsigned i = 0; i < operation->input_count && found < 0; i++)
        if (!strcmp(r->inputs[i].name, name))
            found = (int)i;
    for (unsigned i = 0; i < operation->attribute_count && found < 0; i++)
        if (!strcmp(r->attribute_called[i], name)) {
            found = (int)i;
            op = WORD_ATTRIBUTE;
        }
    for (unsigned i = 0; i < r->visible && found < 0; i++)
        if (!strcmp(graph->node[i].name, name)) {
            found = (int)i;
            op = WORD_NODE;
        }
    for (unsigned i = 0; i < graph->name_count && found < 0; i++)
        if (!strcmp(graph->name[i], name)) {
            found = (int)i;
            op = WORD_SIZE_NAME;
        }
    for (unsigned i = 0; i < sizeof constants / sizeof *constants && found < 0; i++)
        if (!strcmp(constants[i].name, name)) {
            found = 0;
            op = constants[i].op;
        }
    if (found < 0)
        return unknown(p, at, name, false);
    return placed(p, at, operator_leaf(p->reader, op, (unsigned)found, name, to, p->diagnostic));
}

// ---- calls ------------------------------------------------------------------

static enum error operands(struct parser *p, const char *end, uint16_t *operand, unsigned *count)
{
    enum error error = ERROR_NONE;
    *count = 0;
    if (take(p, end))
        return ERROR_NONE;
    for (;;) {
        if (*count == GRAPH_OPERANDS_MAX)
            return fail(p, p->at, "more than %d operands", GRAPH_OPERANDS_MAX);
        if ((error = any_of(p, &operand[(*count)++])))
            return error;
        if (take(p, end))
            return ERROR_NONE;
        if (!take(p, ","))
            return fail(p, p->at,
                        skip(p) ? "expected ',' or '%s'"
                                : "expected ',' or '%s'; an expression with commas is put in "
                                  "quotes where it stands in braces",
                        end);
    }
}

// Whether these are axes: a list, a range, or an attribute that is a whole number or a list of
// them.
static bool are_axes(const struct operator_reader *r, uint16_t expression)
{
    const struct graph_expression *const e = &r->expression[expression];
    if (e->op == WORD_LIST || e->op == WORD_RANGE)
        return true;
    if (e->op == WORD_IF)
        return are_axes(r, e->operand[1]) || are_axes(r, e->operand[2]);
    if (e->op == WORD_INPUT)
        return r->to->graph.input[e->index].numbers_matter;
    const enum attribute_kind kind =
        e->op == WORD_ATTRIBUTE ? r->attributes[e->index].kind : ATTRIBUTE_REAL;
    return kind == ATTRIBUTE_INTEGER || kind == ATTRIBUTE_SIZES;
}

// choose(n, a, b, c) is if(n == 0, a, if(n == 1, b, c)).
static enum error choose(struct parser *p, size_t at, unsigned count, const uint16_t *operand,
                         uint16_t *to)
{
    enum error error = ERROR_NONE;
    char text[12];
    if (count < 3)
        return fail(p, at, "choose takes (n, a, b, ...); found %u operands", count);
    *to = operand[count - 1];
    for (unsigned i = count - 2; i > 0 && !error; i--) {
        uint16_t which[2], branch[3] = {0, operand[i], *to};
        snprintf(text, sizeof text, "%u", i - 1);
        error = placed(p, at, operator_copy(p->reader, operand[0], &which[0], p->diagnostic));
        if (!error)
            error = placed(
                p, at, operator_leaf(p->reader, WORD_NUMBER, 0, text, &which[1], p->diagnostic));
        if (error)
            return error;
        p->reader->expression[which[1]].number = i - 1;
        p->reader->expression[which[1]].exact = true;
        error = make(p, at, WORD_EQUAL, 2, which, &branch[0]);
        error = error ? error : make(p, at, WORD_IF, 3, branch, to);
    }
    return error;
}

// The name that stands first in `before(S, start)`: any node of the scan, also a later one, or of
// the scan before.
static enum error scan_node(struct parser *p, uint16_t *to)
{
    const struct operator_reader *const r = p->reader;
    char name[NAME_SIZE] = "";
    skip(p);
    const size_t at = p->at, length = strcspn(p->node->text + at, " ,)");
    if (length < sizeof name)
        memcpy(name, p->node->text + at, length);
    for (unsigned s = 0; s <= r->scan; s++)
        for (size_t i = 0; i < r->scan_nodes[s]->count; i++)
            if (!strcmp(r->scan_nodes[s]->key[i]->text, name)) {
                const unsigned node = r->to->graph.scan[s].first + (unsigned)i;
                p->at += length;
                return placed(p, at,
                              operator_leaf(p->reader, WORD_NODE, node, name, to, p->diagnostic));
            }
    return fail(p, at, "before takes a node of the scan, and what it starts from");
}

static enum error call(struct parser *p, size_t at, const char *name, uint16_t *to)
{
    const int word = words_find(name);
    const bool chooses = !strcmp(name, "choose");
    struct operator_let *const let = find_let(p, name);
    uint16_t operand[GRAPH_OPERANDS_MAX + 1];
    unsigned count = 0, added = 0;
    if (!let && !chooses && (word < 0 || words_row((enum word_op)word)->class == CLASS_LEAF))
        return unknown(p, at, name, true);
    enum word_op op = let || chooses ? WORD_COUNT : (enum word_op)word;
    const bool inside = op == WORD_STEP || op == WORD_BEFORE;
    if (inside != (p->reader->scan < GRAPH_SCANS) && (inside || op == WORD_STEPS))
        return fail(p, at, "%s stands %s", name, inside ? "in a scan" : "after a scan");
    enum error error = ERROR_NONE;
    if (op == WORD_BEFORE) {
        error = scan_node(p, &operand[count++]);
        if (!error && !take(p, ","))
            error = fail(p, p->at, "before takes a node of the scan, and what it starts from");
    }
    if (!error)
        error = operands(p, ")", operand + count, &added);
    if (error)
        return error;
    count += added;
    if (let)
        return use_let(p, at, let, count, operand, to);
    if (chooses)
        return choose(p, at, count, operand, to);
    if ((op == WORD_MAX || op == WORD_MIN) && count == 2 && !are_axes(p->reader, operand[1]))
        op = op == WORD_MAX ? WORD_GREATEST : WORD_LEAST;
    if (count < words_row(op)->least || count > words_row(op)->most)
        return fail(p, at, "%s takes %s; found %u operands", name, words_row(op)->arguments, count);
    return make(p, at, op, count, operand, to);
}

static enum error primary(struct parser *p, uint16_t *to)
{
    const char c = skip(p);
    const size_t at = p->at;
    char name[NAME_SIZE];
    size_t length = 0;
    enum error error;
    if (isdigit((unsigned char)c) || c == '.')
        return number(p, to);
    if (c == '"' || c == '\'')
        return quoted(p, to);
    if (take(p, "(")) {
        if ((error = any_of(p, to)))
            return error;
        return take(p, ")") ? ERROR_NONE : fail(p, p->at, "expected ')'");
    }
    if (take(p, "[")) {
        uint16_t operand[GRAPH_OPERANDS_MAX];
        unsigned count = 0;
        error = operands(p, "]", operand, &count);
        return error ? error : make(p, at, WORD_LIST, count, operand, to);
    }
    while (isalnum((unsigned char)p->node->text[at + length]) || p->node->text[at + length] == '_')
        length++;
    if (!length)
        return c ? fail(p, at, "expected a number, a name or '('; found '%c'", c)
                 : fail(p, at, "the expression ends too early");
    if (length >= sizeof name)
        return fail(p, at, "a name is longer than %d characters", NAME_SIZE - 1);
    memcpy(name, p->node->text + at, length);
    name[length] = '\0';
    p->at += length;
    return take(p, "(") ? call(p, at, name, to) : name_leaf(p, at, name, to);
}

// ---- operators --------------------------------------------------------------

static enum error unary(struct parser *p, uint16_t *to)
{
    skip(p);
    const size_t at = p->at;
    enum error error;
    if (++p->nesting > NESTING_MAX)
        return fail(p, at, "parentheses and signs are nested too deeply");
    if (take(p, "-")) {
        error = unary(p, to);
        error = error ? error : make(p, at, WORD_NEGATE, 1, (const uint16_t[]){*to}, to);
    } else {
        error = primary(p, to);
    }
    p->nesting--;
    return error;
}

struct binding {
    const char *symbol[7];
    enum word_op op[7];
    bool once; // a < b < c means nothing
};

static const struct binding levels[] = {
    {{"or"}, {WORD_OR}, false},
    {{"and"}, {WORD_AND}, false},
    {{"<=", ">=", "==", "!=", "<", ">"},
     {WORD_LESS_EQUAL, WORD_LESS_EQUAL, WORD_EQUAL, WORD_NOT_EQUAL, WORD_LESS, WORD_LESS},
     true},
    {{"+", "-"}, {WORD_ADD, WORD_SUBTRACT}, false},
    {{"*", "/"}, {WORD_MULTIPLY, WORD_DIVIDE}, false},
};
enum { LEVELS = sizeof levels / sizeof *levels, COMPARISON = 2 };

static enum error level(struct parser *p, unsigned which, uint16_t *to)
{
    if (which == LEVELS)
        return unary(p, to);
    if (which == COMPARISON) {
        skip(p);
        const size_t at = p->at;
        if (take(p, "not")) {
            if (++p->nesting > NESTING_MAX)
                return fail(p, at, "'not' is nested too deeply");
            const enum error error = level(p, which, to);
            p->nesting--;
            return error ? error : make(p, at, WORD_NOT, 1, (const uint16_t[]){*to}, to);
        }
    }
    enum error error = level(p, which + 1, to);
    for (bool more = true; more && !error;) {
        skip(p);
        const size_t at = p->at;
        const struct binding *const l = &levels[which];
        more = false;
        for (unsigned i = 0; l->symbol[i] && !more; i++) {
            if (!take(p, l->symbol[i]))
                continue;
            uint16_t operand[2] = {*to, 0};
            error = level(p, which + 1, &operand[1]);
            if (l->symbol[i][0] == '>') {
                operand[0] = operand[1];
                operand[1] = *to;
            }
            error = error ? error : make(p, at, l->op[i], 2, operand, to);
            more = true;
        }
        more = more && !l->once;
    }
    return error;
}

static enum error any_of(struct parser *p, uint16_t *to)
{
    if (++p->nesting > NESTING_MAX)
        return fail(p, p->at, "the expression is nested too deeply");
    const enum error error = level(p, 0, to);
    p->nesting--;
    return error;
}

static enum error whole_of(struct parser *p, uint16_t *to)
{
    enum error error = document_expect(p->node, DOCUMENT_SCALAR, "an expression", p->diagnostic);
    if (!error)
        error = any_of(p, to);
    if (!error && skip(p))
        error =
            fail(p, p->at, "the expression should end here; found '%.20s'", p->node->text + p->at);
    return error;
}

enum error operator_expression(struct operator_reader *reader, const struct document_node *node,
                               uint16_t *expression, struct diagnostic *diagnostic)
{
    struct parser p = {
        .reader = reader, .node = node, .lets = reader->let_count, .diagnostic = diagnostic};
    diagnostic->line = 0;
    return whole_of(&p, expression);
}
