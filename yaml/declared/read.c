// SPDX-License-Identifier: Apache-2.0
// A declaration: its head, requirements and nodes. Inputs, attributes and outputs are read in
// tensors.c, choices in choices.c.

#include <string.h>

#include "ref/base/digest.h"
#include "ref/base/nearest.h"
#include "ref/base/text.h"
#include "ref/op/model.h"
#include "yaml/declared/reader.h"
#include "yaml/reader.h"

static const char *const keys[] = {"operator", "specification", "about",   "attributes", "inputs",
                                   "let",      "require",       "outputs", "nodes",      "choices",
                                   "forms",    "equivalent",    "model",   "onnx",       NULL};

static bool is_name(const char *text)
{
    const size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length && length < NEAREST_WORD_MAX && !text[length] && !strchr("0123456789", text[0]);
}

int operator_node(const struct operator_reader *r, const char *name)
{
    for (unsigned i = 0; i < r->to->graph.node_count; i++)
        if (!strcmp(r->to->graph.node[i].name, name))
            return (int)i;
    return -1;
}

enum error operator_check_name(const struct operator_reader *r, const struct document_node *at,
                               struct diagnostic *diagnostic)
{
    static const char *const taken[] = {"nan", "inf", "pi", "roundoff", "and", "or", "not", NULL};
    const struct operation *const operation = &r->to->operation;
    const struct graph *const graph = &r->to->graph;
    bool is_taken = text_index(taken, at->text) >= 0;
    if (!is_name(at->text))
        return document_fail(at, ERROR_INPUT, diagnostic,
                             "'%.80s' is no name: letters, digits and '_', first a letter",
                             at->text);
    for (unsigned i = 0; i < operation->input_count; i++)
        is_taken = is_taken || !strcmp(r->inputs[i].name, at->text);
    for (unsigned i = 0; i < operation->attribute_count; i++)
        is_taken = is_taken || !strcmp(r->attribute_called[i], at->text);
    for (unsigned i = 0; i < graph->name_count; i++)
        is_taken = is_taken || !strcmp(graph->name[i], at->text);
    for (unsigned i = 0; i < r->let_count; i++)
        is_taken = is_taken || !strcmp(r->let[i].name, at->text);
    for (unsigned i = 0; i < graph->node_count; i++)
        is_taken = is_taken || !strcmp(graph->node[i].name, at->text);
    return is_taken ? document_fail(at, ERROR_INPUT, diagnostic, "the name %s is taken", at->text)
                    : ERROR_NONE;
}

// Adds one type to those of a list.
static enum error read_one_type(const struct operator_reader *r, const struct document_node *node,
                                struct graph_type *type, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, "a type", diagnostic);
    if (error)
        return error;
    type->fixed = dtype_named(node->text);
    for (unsigned i = 0; i < r->to->operation.input_count && !type->fixed; i++)
        if (!strcmp(r->inputs[i].name, node->text))
            type->input = (int)i;
    for (unsigned i = 0; i < r->to->operation.attribute_count && !type->fixed; i++)
        if (!strcmp(r->attribute_called[i], node->text) && r->attributes[i].dtypes)
            type->attribute = (int)i;
    if (type->fixed || type->input >= 0 || type->attribute >= 0)
        return ERROR_NONE;
    struct nearest nearest = {.asked = node->text};
    char hint[NEAREST_HINT_SIZE];
    for (unsigned i = 1; i < DTYPE_COUNT; i++)
        nearest_offer(&nearest, dtype_name((enum dtype)i));
    for (unsigned i = 0; i < r->to->operation.input_count; i++)
        nearest_offer(&nearest, r->inputs[i].name);
    return document_fail(node, ERROR_INPUT, diagnostic,
                         "'%.40s' is no type: a type, an input, or an attribute of kind dtype%s",
                         node->text, nearest_hint(&nearest, hint));
}

enum error operator_read_type(const struct operator_reader *r, const struct document_node *node,
                              struct graph_type *type, struct diagnostic *diagnostic)
{
    *type = (struct graph_type){DTYPE_NONE, -1, -1, -1};
    if (node->kind != DOCUMENT_SEQUENCE)
        return read_one_type(r, node, type, diagnostic);
    enum error error = ERROR_NONE;
    int last = -1;
    for (size_t i = 0; i < node->count && !error; i++) {
        struct graph_type one = {DTYPE_NONE, -1, -1, -1};
        error = read_one_type(r, node->item[i], &one, diagnostic);
        const int kind = one.attribute >= 0 ? 0 : one.input < 0 ? 3 : last == 1 ? 2 : 1;
        if (!error && kind <= last)
            error = document_fail(node->item[i], ERROR_INPUT, diagnostic,
                                  "a list of types is an attribute, one input or two, and a type, "
                                  "of which the first counts that is there");
        last = kind;
        type->attribute = kind == 0 ? one.attribute : type->attribute;
        type->input = kind == 1 ? one.input : type->input;
        type->second = kind == 2 ? one.input : type->second;
        type->fixed = kind == 3 ? one.fixed : type->fixed;
    }
    return error || node->count >= 2
               ? error
               : document_fail(node, ERROR_INPUT, diagnostic, "a list of types has two to four");
}

static enum error read_text(const struct document_node *node, const char *key, const char **text,
                            struct diagnostic *diagnostic)
{
    const struct document_node *const value = document_find(node, key);
    *text = NULL;
    if (!value)
        return ERROR_NONE;
    const enum error error = document_expect(value, DOCUMENT_SCALAR, key, diagnostic);
    *text = value->text;
    return error || value->count
               ? error
               : document_fail(value, ERROR_INPUT, diagnostic, "%s is empty", key);
}

// A name as operations have it: "onnx.hard_sigmoid".
static bool is_operation_name(const char *text)
{
    const size_t length = strlen(text);
    bool right = length > 0 && length < NEAREST_WORD_MAX;
    for (size_t i = 0; right && i < length; i++)
        right = (text[i] >= 'a' && text[i] <= 'z') ||
                (i && ((text[i] >= '0' && text[i] <= '9') || strchr("._", text[i])));
    return right;
}

static enum error read_head(struct operator_reader *r, const struct document_node *root,
                            struct diagnostic *diagnostic)
{
    static const char *const specification_keys[] = {"title", "source", NULL};
    struct operation *const operation = &r->to->operation;
    const struct document_node *const specification = document_find(root, "specification");
    const char *title = NULL, *source, *about;
    enum error error;
    if ((error = document_only_keys(root, keys, "an operator", diagnostic)) ||
        (error = read_text(root, "operator", &operation->name, diagnostic)) ||
        (error = read_text(root, "about", &about, diagnostic)))
        return error;
    if (!operation->name)
        return document_fail(root, ERROR_INPUT, diagnostic, "the key operator is missing here");
    if (!is_operation_name(operation->name))
        return document_fail(document_find(root, "operator"), ERROR_INPUT, diagnostic,
                             "'%.80s' is no name of an operation: lower-case letters, digits, '.' "
                             "and '_', at most %d",
                             operation->name, NEAREST_WORD_MAX - 1);
    if (specification && ((error = document_only_keys(specification, specification_keys,
                                                      "specification", diagnostic)) ||
                          (error = read_text(specification, "title", &title, diagnostic)) ||
                          (error = read_text(specification, "source", &source, diagnostic))))
        return error;
    operation->summary = about ? about : title ? title : "declared in YAML";
    return ERROR_NONE;
}

// ---- requirements -----------------------------------------------------------

// An expression that can be known beforehand, which a list of it asks.
static enum error read_known(struct operator_reader *r, const struct document_node *node,
                             const char *what, uint16_t *to, struct diagnostic *diagnostic)
{
    uint16_t ignored;
    enum error error = operator_expression(r, node, to, diagnostic);
    if (error)
        return error;
    diagnostic->line = 0;
    error = operator_make(r, WORD_LIST, 1, to, &ignored, diagnostic);
    if (!error || error == ERROR_INTERNAL)
        return error;
    return document_fail(node, ERROR_INPUT, diagnostic,
                         "%s is about shapes, attributes and inputs that hold sizes", what);
}

static enum error read_requirement(struct operator_reader *r, const struct document_node *node,
                                   struct graph_requirement *to, struct diagnostic *diagnostic)
{
    static const char *const requirement_keys[] = {"that", "why", NULL};
    const struct document_node *that = node;
    enum error error = ERROR_NONE;
    if (node->kind == DOCUMENT_MAPPING) {
        if ((error = document_only_keys(node, requirement_keys, "a requirement", diagnostic)) ||
            (error = read_text(node, "why", &to->why, diagnostic)))
            return error;
        that = document_find(node, "that");
        if (!that)
            return document_fail(node, ERROR_INPUT, diagnostic, "the key that is missing here");
    }
    to->text = that->text;
    return read_known(r, that, "a requirement", &to->condition, diagnostic);
}

static enum error read_requirements(struct operator_reader *r, const struct document_node *node,
                                    struct diagnostic *diagnostic)
{
    if (!node)
        return ERROR_NONE;
    const bool alone = node->kind != DOCUMENT_SEQUENCE;
    const size_t count = alone ? 1 : node->count;
    struct graph_requirement *const to = arena_take_array(r->arena, count, sizeof *to);
    if (!to)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++)
        error = read_requirement(r, alone ? node : node->item[i], &to[i], diagnostic);
    r->to->graph.requirement = to;
    r->to->graph.requirement_count = (unsigned)count;
    return error;
}

// `model: {dot: ATTRIBUTE}`: an attribute whose words are algorithms of products.
static enum error read_model(struct operator_reader *r, const struct document_node *node,
                             struct diagnostic *diagnostic)
{
    static const char *const model_keys[] = {"dot", NULL};
    struct graph *const graph = &r->to->graph;
    const char *name = NULL;
    graph->dot = -1;
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "model", diagnostic);
    if (!error)
        error = document_only_keys(node, model_keys, "model", diagnostic);
    if (!error)
        error = read_text(node, "dot", &name, diagnostic);
    if (error)
        return error;
    for (unsigned i = 0; name && i < r->to->operation.attribute_count; i++)
        if (!strcmp(r->attribute_called[i], name) && r->attributes[i].kind == ATTRIBUTE_WORD)
            graph->dot = (int)i;
    const char *const *word = graph->dot < 0 ? NULL : r->attributes[graph->dot].words;
    while (word && *word && evaluation_model_dot(*word) >= 0)
        word++;
    return word && !*word ? ERROR_NONE
                          : document_fail(node, ERROR_INPUT, diagnostic,
                                          "dot is an attribute of kind word whose words are names "
                                          "of `dot` of an evaluation model");
}

// ---- nodes ------------------------------------------------------------------

static enum error read_node_type(struct operator_reader *r, const struct document_node *value,
                                 struct graph_node *node, struct diagnostic *diagnostic)
{
    static const char *const node_keys[] = {"type", "is", "overflow", "stored", NULL};
    static const char *const overflows[] = {"ieee", "saturate", "wrap", NULL};
    for (size_t i = 0; i < value->count; i++)
        if (strpbrk(value->key[i]->text, " ()*+/"))
            return document_fail(value->key[i], ERROR_INPUT, diagnostic,
                                 "an expression with commas is put in quotes where it stands in "
                                 "braces");
    enum error error = document_only_keys(value, node_keys, "a node", diagnostic);
    const struct document_node *const type = error ? NULL : document_find(value, "type");
    const struct document_node *const stored = error ? NULL : document_find(value, "stored");
    const char *overflow = NULL;
    if (!error)
        error = read_text(value, "overflow", &overflow, diagnostic);
    if (!error && overflow) {
        const int index = text_index(overflows, overflow);
        if (index < 0)
            return document_fail(document_find(value, "overflow"), ERROR_INPUT, diagnostic,
                                 "overflow is '%.40s'; expected ieee, saturate or wrap", overflow);
        node->overflow = (enum node_overflow)index;
    }
    if (!error && stored)
        error = document_boolean(stored, &node->stored, "stored", diagnostic);
    if (!error && type) {
        if (node->output >= 0)
            return document_fail(type, ERROR_INPUT, diagnostic,
                                 "%s is an output, whose type stands under outputs", node->name);
        error = operator_read_type(r, type, &node->type, diagnostic);
        node->typed = true;
    }
    return error;
}

static enum error read_node(struct operator_reader *r, const struct document_node *key,
                            const struct document_node *value, struct diagnostic *diagnostic)
{
    struct graph *const graph = &r->to->graph;
    if (graph->node_count == GRAPH_NODES_MAX)
        return document_fail(key, ERROR_INPUT, diagnostic, "more than %d nodes", GRAPH_NODES_MAX);
    struct graph_node *const node = &graph->node[graph->node_count];
    int output = -1;
    for (unsigned i = 0; i < r->output_count; i++)
        if (!strcmp(r->outputs[i], key->text))
            output = (int)i;
    enum error error = operator_check_name(r, key, diagnostic);
    if (!error && r->scan < GRAPH_SCANS && output >= 0)
        error = document_fail(key, ERROR_INPUT, diagnostic,
                              "%s is an output: what a scan gives goes to one in a node after it",
                              key->text);
    if (error)
        return error;
    node->name = key->text;
    node->output = output;
    node->typed = output >= 0 && graph->output[output].typed;
    if (node->typed)
        node->type = graph->output[output].type;
    const struct document_node *is = value;
    if (value->kind == DOCUMENT_MAPPING) {
        if ((error = read_node_type(r, value, node, diagnostic)))
            return error;
        is = document_find(value, "is");
        if (!is)
            return document_fail(value, ERROR_INPUT, diagnostic, "the key is is missing here");
    }
    r->visible = graph->node_count;
    if ((error = operator_expression(r, is, &node->root, diagnostic)))
        return error;
    r->node_value[graph->node_count++] = is;
    return ERROR_NONE;
}

// `scan: {steps: EXPRESSION, nodes: {...}}` among the nodes, and after it `reverse_scan: {nodes:
// {...}}`, of the same steps.
static enum error read_scan(struct operator_reader *r, unsigned scan,
                            const struct document_node *key, const struct document_node *value,
                            struct diagnostic *diagnostic)
{
    static const char *const scan_keys[] = {"steps", "nodes", NULL};
    struct graph *const graph = &r->to->graph;
    enum error error = document_expect(value, DOCUMENT_MAPPING, "scan", diagnostic);
    if (!error)
        error = document_only_keys(value, scan_keys + scan, "a scan", diagnostic);
    const struct document_node *const steps = error ? NULL : document_find(value, "steps"),
                                      *const nodes = error ? NULL : document_find(value, "nodes");
    if (!error && (r->scan_nodes[scan] || (scan ? !r->scan_nodes[0] : !steps) || !nodes))
        return document_fail(key, ERROR_INPUT, diagnostic,
                             "an operator has one scan, of the keys steps and nodes, and after it "
                             "one reverse_scan, of the key nodes");
    if (!error)
        error = document_expect(nodes, DOCUMENT_MAPPING, "nodes", diagnostic);
    r->visible = graph->node_count;
    if (!error && !scan)
        error = read_known(r, steps, "the number of steps", &graph->steps, diagnostic);
    graph->scan[scan].first = graph->scan[scan].end = graph->node_count;
    r->scan_nodes[scan] = nodes;
    r->scan = scan;
    for (size_t i = 0; !error && i < nodes->count; i++)
        error = read_node(r, nodes->key[i], nodes->item[i], diagnostic);
    r->scan = GRAPH_SCANS;
    graph->scan[scan].end = graph->node_count;
    return error;
}

static enum error read_nodes(struct operator_reader *r, const struct document_node *root,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const nodes = document_find(root, "nodes");
    struct graph *const graph = &r->to->graph;
    if (!nodes)
        return document_fail(root, ERROR_INPUT, diagnostic, "the key nodes is missing here");
    enum error error = document_expect(nodes, DOCUMENT_MAPPING, "nodes", diagnostic);
    if (error)
        return error;
    r->node_value = arena_take_array(r->arena, GRAPH_NODES_MAX, sizeof *r->node_value);
    if (!r->node_value)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < nodes->count && !error; i++) {
        const char *const name = nodes->key[i]->text;
        const bool reverse = !strcmp(name, "reverse_scan");
        error = reverse || !strcmp(name, "scan")
                    ? read_scan(r, reverse, nodes->key[i], nodes->item[i], diagnostic)
                    : read_node(r, nodes->key[i], nodes->item[i], diagnostic);
    }
    r->visible = graph->node_count;
    for (unsigned i = 0; i < r->output_count && !error; i++)
        if (operator_node(r, r->outputs[i]) < 0)
            error = document_fail(nodes, ERROR_INPUT, diagnostic,
                                  "no node gives the output %s; put one of that name here",
                                  r->outputs[i]);
    return error;
}

static enum error read_all(struct operator_reader *r, const struct document_node *root,
                           struct diagnostic *diagnostic)
{
    enum error error;
    if ((error = read_head(r, root, diagnostic)) ||
        (error = operator_read_attributes(r, document_find(root, "attributes"), diagnostic)) ||
        (error = read_model(r, document_find(root, "model"), diagnostic)))
        return error;
    const struct document_node *const inputs = document_find(root, "inputs"), *const outputs =
                                                                                  document_find(
                                                                                      root,
                                                                                      "outputs");
    if (!inputs || !outputs)
        return document_fail(root, ERROR_INPUT, diagnostic, "the key %s is missing here",
                             inputs ? "outputs" : "inputs");
    if ((error = operator_read_inputs(r, inputs, diagnostic)) ||
        (error = operator_read_lets(r, document_find(root, "let"), diagnostic)) ||
        (error = read_requirements(r, document_find(root, "require"), diagnostic)) ||
        (error = operator_read_outputs(r, outputs, diagnostic)) ||
        (error = read_nodes(r, root, diagnostic)) ||
        (error = operator_read_onnx(r, document_find(root, "onnx"), diagnostic)))
        return error;
    if ((error = operator_read_choices(r, root, diagnostic)))
        return error;
    if ((error = operator_check_lets(r, diagnostic)))
        return error;
    return operator_derive_mutants(r, document_find(root, "equivalent"), diagnostic);
}

enum error operator_read(const struct document_source *source, struct arena *arena,
                         struct declared_operation **declared, struct diagnostic *diagnostic)
{
    struct document_node *root;
    struct operator_reader reader = {.arena = arena, .scan = GRAPH_SCANS};
    unsigned char digest[DIGEST_SIZE];
    enum error error = yaml_read(source, arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "an operator", diagnostic);
    if (!error)
        error = digest_of(source->text, source->size, digest, diagnostic);
    if (error)
        return error;
    reader.to = arena_take(arena, sizeof *reader.to);
    char *const hex = arena_take(arena, DIGEST_HEX_SIZE);
    if (!reader.to || !hex)
        return diagnostic_no_memory(diagnostic);
    digest_write_hex(digest, hex);
    reader.to->graph.text = arena_copy_text(arena, source->text, source->size);
    if (!reader.to->graph.text)
        return diagnostic_no_memory(diagnostic);
    reader.to->graph.sha256 = hex;
    error = read_all(&reader, root, diagnostic);
    if (error)
        return error;
    struct operation *const operation = &reader.to->operation;
    operation->attributes = reader.attributes;
    operation->inputs = reader.inputs;
    operation->outputs = reader.outputs;
    declared_finish(reader.to);
    *declared = reader.to;
    return ERROR_NONE;
}
