// SPDX-License-Identifier: Apache-2.0
// The nodes of ONNX as which an operator is written that is no operator of ONNX itself. Every
// input, output and attribute has its place in them, so that the model asks what the request asks.

#include <string.h>

#include "yaml/declared/reader.h"

enum { ONNX_NODES_MAX = 16, ONNX_NAMES_MAX = 64 };

// What nodes may name: inputs of the operator, and what nodes gave.
struct names {
    struct operator_reader *reader;
    struct diagnostic *diagnostic;
    struct {
        const struct document_node *at; // NULL: an input
        const char *text;
        bool used;
    } item[ONNX_NAMES_MAX];
    unsigned count;
    unsigned attributes; // a bit for each that a node has
};

static int find(const struct names *names, const char *text)
{
    for (unsigned i = 0; i < names->count; i++)
        if (!strcmp(names->item[i].text, text))
            return (int)i;
    return -1;
}

static enum error take_input(struct names *names, const struct document_node *at)
{
    const int index = find(names, at->text);
    if (index < 0)
        return document_fail(at, ERROR_INPUT, names->diagnostic,
                             "%.60s is no input, and no node before gives it", at->text);
    names->item[index].used = true;
    return ERROR_NONE;
}

static enum error take_output(struct names *names, const struct document_node *at)
{
    if (find(names, at->text) >= 0)
        return document_fail(at, ERROR_INPUT, names->diagnostic, "the name %.60s is taken",
                             at->text);
    if (!at->count || names->count == ONNX_NAMES_MAX)
        return document_fail(at, ERROR_INPUT, names->diagnostic,
                             "the nodes have at most %d names, and none is empty", ONNX_NAMES_MAX);
    names->item[names->count].at = at;
    names->item[names->count++].text = at->text;
    return ERROR_NONE;
}

static int find_attribute(const struct operator_reader *r, const char *text)
{
    for (unsigned i = 0; i < r->to->operation.attribute_count; i++)
        if (!strcmp(r->attributes[i].name, text))
            return (int)i;
    return -1;
}

static enum error take_attribute(struct names *names, const struct document_node *at)
{
    const int index = find_attribute(names->reader, at->text);
    if (index < 0 || !strcmp(at->text, "opset"))
        return document_fail(at, ERROR_INPUT, names->diagnostic,
                             "%.60s is no attribute of the operator besides opset", at->text);
    names->attributes |= 1U << index;
    return ERROR_NONE;
}

// The names under `key`, a list of them.
static enum error read_names(struct names *names, const struct document_node *node, const char *key,
                             enum error (*take)(struct names *, const struct document_node *),
                             const char *const **to)
{
    const struct document_node *const list = document_find(node, key);
    const size_t count = list ? list->count : 0;
    enum error error =
        list ? document_expect(list, DOCUMENT_SEQUENCE, key, names->diagnostic) : ERROR_NONE;
    const char **const text =
        error ? NULL : arena_take_array(names->reader->arena, count + 1, sizeof *text);
    if (!error && !text)
        return diagnostic_no_memory(names->diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        error = document_expect(list->item[i], DOCUMENT_SCALAR, "a name", names->diagnostic);
        if (!error)
            error = take(names, list->item[i]);
        text[i] = list->item[i]->text;
    }
    *to = text;
    return error;
}

static enum error read_node(struct names *names, const struct document_node *node,
                            struct onnx_node *to)
{
    static const char *const keys[] = {"node", "inputs", "outputs", "attributes", NULL};
    enum error error = document_expect(node, DOCUMENT_MAPPING, "a node", names->diagnostic);
    if (!error)
        error = document_only_keys(node, keys, "a node", names->diagnostic);
    to->type = error ? NULL : document_text(node, "node");
    if (!error && (!to->type || !*to->type || !document_find(node, "outputs")))
        error = document_fail(node, ERROR_INPUT, names->diagnostic,
                              "a node says which one it is, under node, and has outputs");
    if (!error)
        error = read_names(names, node, "inputs", take_input, &to->inputs);
    if (!error)
        error = read_names(names, node, "attributes", take_attribute, &to->attributes);
    if (!error)
        error = read_names(names, node, "outputs", take_output, &to->outputs);
    return error;
}

// That all of it is used: inputs and attributes of the operator, what nodes give; and that its
// outputs are given.
static enum error check_all(const struct names *names, const struct document_node *node)
{
    const struct operator_reader *const r = names->reader;
    for (unsigned i = 0; i < r->output_count; i++) {
        const int index = find(names, r->outputs[i]);
        if (index < 0 || !names->item[index].at)
            return document_fail(node, ERROR_INPUT, names->diagnostic,
                                 "no node of ONNX gives the output %s", r->outputs[i]);
    }
    for (unsigned i = 0; i < names->count; i++) {
        bool used = names->item[i].used;
        for (unsigned k = 0; k < r->output_count; k++)
            used = used || !strcmp(r->outputs[k], names->item[i].text);
        if (!used)
            return document_fail(names->item[i].at ? names->item[i].at : node, ERROR_INPUT,
                                 names->diagnostic, "no node of ONNX takes %s",
                                 names->item[i].text);
    }
    for (unsigned i = 0; i < r->to->operation.attribute_count; i++)
        if (!(names->attributes >> i & 1) && strcmp(r->attributes[i].name, "opset") != 0)
            return document_fail(node, ERROR_INPUT, names->diagnostic,
                                 "no node of ONNX has the attribute %s", r->attributes[i].name);
    return ERROR_NONE;
}

enum error operator_read_onnx(struct operator_reader *r, const struct document_node *node,
                              struct diagnostic *diagnostic)
{
    struct names names = {.reader = r, .diagnostic = diagnostic};
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "onnx", diagnostic);
    if (!error && (!node->count || node->count > ONNX_NODES_MAX))
        error =
            document_fail(node, ERROR_INPUT, diagnostic, "onnx has 1 to %d nodes", ONNX_NODES_MAX);
    if (!error && find_attribute(r, "opset") < 0)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "nodes of ONNX need an attribute opset of the operator");
    for (unsigned i = 0; i < r->to->operation.input_count && !error; i++) {
        names.item[names.count++].text = r->inputs[i].name;
        if (r->inputs[i].optional)
            error = document_fail(node, ERROR_INPUT, diagnostic,
                                  "where nodes of ONNX are written, no input is optional, as %s is",
                                  r->inputs[i].name);
    }
    struct onnx_node *const to = error ? NULL : arena_take_array(r->arena, node->count, sizeof *to);
    if (!error && !to)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        error = read_node(&names, node->item[i], &to[i]);
    r->to->graph.onnx = to;
    r->to->graph.onnx_count = to ? (unsigned)node->count : 0;
    return error ? error : check_all(&names, node);
}
