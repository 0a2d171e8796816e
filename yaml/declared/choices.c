// SPDX-License-Identifier: Apache-2.0
// Choices: options that put other expressions in place of nodes.

#include <string.h>

#include "yaml/declared/reader.h"

// An option and what it replaces: {node: expression, ...}.
static enum error read_option(struct operator_reader *r, const struct document_node *node,
                              struct graph_option *option, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "an option", diagnostic);
    if (!error && !node->count)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "an option must replace at least one node");
    struct graph_replacement *const to =
        error ? NULL : arena_take_array(r->arena, node->count, sizeof *to);
    if (!error && !to)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        const int index = operator_node(r, node->key[i]->text);
        if (index < 0)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                 "there is no node '%.80s'; an expression with commas is put in "
                                 "quotes where it stands in braces",
                                 node->key[i]->text);
        r->visible = (unsigned)index;
        r->scan = graph_scan_of(&r->to->graph, r->visible);
        to[i].node = (uint16_t)index;
        error = operator_expression(r, node->item[i], &to[i].root, diagnostic);
    }
    option->count = error ? 0 : (unsigned)node->count;
    option->replacement = to;
    return error;
}

// Fills the options from *count on with those of `list`.
static enum error read_options(struct operator_reader *r, const struct document_node *list,
                               bool allowed, const char **names, struct graph_option *options,
                               unsigned *count, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; list && i < list->count && !error; i++) {
        for (unsigned o = 0; o < *count; o++)
            if (!strcmp(names[o], list->key[i]->text))
                return document_fail(list->key[i], ERROR_INPUT, diagnostic,
                                     "option %s stands here twice", names[o]);
        names[*count] = list->key[i]->text;
        options[*count].allowed = allowed;
        error = read_option(r, list->item[i], &options[(*count)++], diagnostic);
    }
    return error;
}

static enum error read_choice(struct operator_reader *r, const struct document_node *key,
                              const struct document_node *node, struct choice *choice,
                              const struct graph_option **options, struct diagnostic *diagnostic)
{
    static const char *const choice_keys[] = {"default", "allowed", "deviant", "about", NULL};
    enum error error = document_only_keys(node, choice_keys, "a choice", diagnostic);
    const char *const standard = error ? NULL : document_text(node, "default");
    const struct document_node *const list[2] = {error ? NULL : document_find(node, "allowed"),
                                                 error ? NULL : document_find(node, "deviant")};
    size_t most = 2;
    for (unsigned i = 0; i < 2 && !error; i++) {
        if (list[i])
            error = document_expect(list[i], DOCUMENT_MAPPING, "options", diagnostic);
        most += list[i] ? list[i]->count : 0;
    }
    if (!error && (!standard || most == 2))
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "a choice has a default, a word, and other options");
    const char **const names = error ? NULL : arena_take_array(r->arena, most, sizeof *names);
    struct graph_option *const to = error ? NULL : arena_take_array(r->arena, most, sizeof *to);
    if (!error && (!names || !to))
        error = diagnostic_no_memory(diagnostic);
    if (error)
        return error;
    unsigned count = 1;
    names[0] = standard;
    to[0].allowed = true;
    *choice = (struct choice){key->text, names};
    *options = to;
    error = read_options(r, list[0], true, names, to, &count, diagnostic);
    return error ? error : read_options(r, list[1], false, names, to, &count, diagnostic);
}

static bool replaces(const struct graph_option *option, unsigned node)
{
    bool found = false;
    for (unsigned i = 0; i < option->count; i++)
        found = found || option->replacement[i].node == node;
    return found;
}

// A form that replaces one node of an allowed option replaces all of them, so that both together
// are no third function.
static enum error check_form(const struct operator_reader *r, const struct document_node *at,
                             const struct graph_option *form, struct diagnostic *diagnostic)
{
    const struct graph *const graph = &r->to->graph;
    for (unsigned c = 0; c < r->to->operation.choice_count; c++)
        for (unsigned o = 1; r->to->operation.choices[c].options[o]; o++) {
            const struct graph_option *const option = &graph->option[c][o];
            const char *both = NULL, *missing = NULL;
            for (unsigned i = 0; option->allowed && i < option->count; i++) {
                const char *const name = graph->node[option->replacement[i].node].name;
                if (replaces(form, option->replacement[i].node))
                    both = name;
                else
                    missing = name;
            }
            if (both && missing)
                return document_fail(at, ERROR_INPUT, diagnostic,
                                     "a form that replaces %s replaces %s too, as the option %s of "
                                     "%s does; both together would be another function",
                                     both, missing, r->to->operation.choices[c].options[o],
                                     r->to->operation.choices[c].name);
        }
    return ERROR_NONE;
}

// `forms`: one choice more, whose options are all allowed.
static enum error read_forms(struct operator_reader *r, const struct document_node *node,
                             struct diagnostic *diagnostic)
{
    struct operation *const operation = &r->to->operation;
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "forms", diagnostic);
    if (!error && !node->count)
        error = document_fail(node, ERROR_INPUT, diagnostic, "forms is empty");
    const char **const names =
        error ? NULL : arena_take_array(r->arena, node->count + 2, sizeof *names);
    struct graph_option *const to =
        error ? NULL : arena_take_array(r->arena, node->count + 1, sizeof *to);
    if (!error && (!names || !to))
        error = diagnostic_no_memory(diagnostic);
    if (error)
        return error;
    unsigned count = 1;
    names[0] = "written";
    to[0].allowed = true;
    error = read_options(r, node, true, names, to, &count, diagnostic);
    for (size_t i = 0; i < node->count && !error; i++)
        error = check_form(r, node->key[i], &to[i + 1], diagnostic);
    ((struct choice *)(uintptr_t)operation->choices)[operation->choice_count] =
        (struct choice){"form", names};
    ((const struct graph_option **)(uintptr_t)r->to->graph.option)[operation->choice_count] = to;
    r->to->graph.form = (int)operation->choice_count++;
    return error;
}

enum error operator_read_choices(struct operator_reader *r, const struct document_node *root,
                                 struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(root, "choices");
    struct operation *const operation = &r->to->operation;
    const size_t count = node && node->kind == DOCUMENT_MAPPING ? node->count : 0;
    enum error error =
        node ? document_expect(node, DOCUMENT_MAPPING, "choices", diagnostic) : ERROR_NONE;
    if (!error && count >= PROFILE_CHOICES_MAX - GRAPH_NODES_MAX - 1)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d choices",
                              PROFILE_CHOICES_MAX - GRAPH_NODES_MAX - 2);
    struct choice *const choices = arena_take_array(r->arena, PROFILE_CHOICES_MAX, sizeof *choices);
    const struct graph_option **const options =
        arena_take_array(r->arena, PROFILE_CHOICES_MAX, sizeof *options);
    if (!error && (!choices || !options))
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        error = read_choice(r, node->key[i], node->item[i], &choices[i], &options[i], diagnostic);
    operation->choices = choices;
    operation->choice_count = (unsigned)count;
    r->to->graph.option = options;
    r->to->graph.form = -1;
    return error ? error : read_forms(r, document_find(root, "forms"), diagnostic);
}
