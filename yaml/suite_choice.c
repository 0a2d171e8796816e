// SPDX-License-Identifier: Apache-2.0
// The choices of a suite: what the operations' tables offer, and what the suite says of each
// option.

#include <stdio.h>
#include <string.h>

#include "ref/op/declared/graph.h"
#include "ref/variant/variant.h"
#include "yaml/suite_words.h"

enum { UNCLASSIFIED = -1 };

static struct suite_choice *find_choice(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->choice_count; i++)
        if (!strcmp(suite->choice[i].name, name))
            return &suite->choice[i];
    return NULL;
}

static size_t find_option(const struct suite_choice *choice, const char *option)
{
    size_t i = 0;
    while (i < choice->count && strcmp(choice->option[i], option) != 0)
        i++;
    return i;
}

static size_t count_choices(const struct suite *suite)
{
    size_t choices = 0;
    for (size_t i = 0; i < suite->operation_count; i++)
        choices += variant_choice_count(suite->operation[i]);
    return choices;
}

// How many options the choice has in all operations, those that they share counted by each.
static size_t count_options(const struct suite *suite, const char *choice)
{
    size_t options = 0;
    for (size_t i = 0; i < suite->operation_count; i++) {
        const unsigned count = variant_choice_count(suite->operation[i]);
        for (unsigned c = 0; c < count; c++) {
            const struct choice *const from = variant_choice(suite->operation[i], c);
            for (size_t k = 0; !strcmp(from->name, choice) && from->options[k]; k++)
                options++;
        }
    }
    return options;
}

// Operations that share a choice share its default, or one profile would mean two things in a
// suite.
static enum error collect(struct suite *suite, const struct document_node *root,
                          struct diagnostic *diagnostic)
{
    suite->choice = arena_take_array(&suite->arena, count_choices(suite), sizeof *suite->choice);
    for (size_t i = 0; suite->choice && i < suite->operation_count; i++) {
        const unsigned count = variant_choice_count(suite->operation[i]);
        for (unsigned c = 0; c < count; c++) {
            const struct choice *const from = variant_choice(suite->operation[i], c);
            struct suite_choice *to = find_choice(suite, from->name);
            if (!to) {
                const size_t options = count_options(suite, from->name);
                to = &suite->choice[suite->choice_count++];
                to->name = from->name;
                to->about = variant_choice_about(suite->operation[i], c);
                to->option = arena_take_array(&suite->arena, options, sizeof *to->option);
                to->class = arena_take_array(&suite->arena, options, sizeof *to->class);
                if (!to->option || !to->class)
                    return diagnostic_no_memory(diagnostic);
            } else if (strcmp(to->option[0], from->options[0]) != 0) {
                return document_fail(
                    root, ERROR_INPUT, diagnostic,
                    "the operations of this suite have different defaults for choice %s: %s and %s",
                    to->name, to->option[0], from->options[0]);
            }
            for (const char *const *option = from->options; *option; option++)
                if (find_option(to, *option) == to->count)
                    to->option[to->count++] = *option;
        }
    }
    return suite->choice ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static void list_options(const struct suite_choice *choice, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < choice->count && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", choice->option[i]);
}

static enum error classify(const struct suite_choice *choice, const struct document_node *list,
                           enum suite_class class, signed char *seen, struct diagnostic *diagnostic)
{
    if (!list)
        return ERROR_NONE;
    enum error error = document_expect(list, DOCUMENT_SEQUENCE, "a list of options", diagnostic);
    for (size_t i = 0; i < list->count && !error; i++) {
        const struct document_node *const item = list->item[i];
        if ((error = document_expect(item, DOCUMENT_SCALAR, "an option", diagnostic)))
            break;
        const size_t option = find_option(choice, item->text);
        char known[320];
        list_options(choice, known, sizeof known);
        if (option == choice->count)
            error = document_fail(item, ERROR_INPUT, diagnostic,
                                  "choice %s has no option '%.80s'; known: %s", choice->name,
                                  item->text, known);
        else if (seen[option] != UNCLASSIFIED)
            error = document_fail(item, ERROR_INPUT, diagnostic,
                                  "option %s of choice %s is classified twice", item->text,
                                  choice->name);
        else if (!option && class == SUITE_DEVIANT)
            error = document_fail(item, ERROR_INPUT, diagnostic,
                                  "option %s of choice %s is the default: it cannot be deviant",
                                  item->text, choice->name);
        else
            seen[option] = (signed char)class;
    }
    return error;
}

// What a declared operator says of its own option; UNCLASSIFIED where none of the suite's does.
static signed char declared_class(const struct suite *suite, const char *choice, const char *option)
{
    for (size_t i = 0; i < suite->operation_count; i++) {
        const struct operation *const operation = suite->operation[i];
        unsigned c, o;
        if (declared_is(operation) && variant_find(operation, choice, option, &c, &o))
            return declared_graph(operation)->option[c][o].allowed ? SUITE_ALLOWED : SUITE_DEVIANT;
    }
    return UNCLASSIFIED;
}

static enum error read_choice(struct suite *suite, const struct document_node *key,
                              const struct document_node *node, bool others,
                              struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"default", "allowed", "deviant", "about", NULL};
    const char *about;
    struct suite_choice *const choice = find_choice(suite, key->text);
    const char *standard;
    enum error error;
    if (!choice)
        return document_fail(key, ERROR_INPUT, diagnostic,
                             "no operation of this suite has a choice '%.80s'", key->text);
    if ((error = document_only_keys(node, keys, "a choice", diagnostic)) ||
        (error = suite_read_text(node, "default", true, &standard, diagnostic)) ||
        (error = suite_read_text(node, "about", false, &about, diagnostic)))
        return error;
    choice->about = about ? about : choice->about;
    if (strcmp(standard, choice->option[0]) != 0)
        return document_fail(
            document_find(node, "default"), ERROR_INPUT, diagnostic,
            "the default of choice %s is %s, which the reference computes; found '%.80s'",
            choice->name, choice->option[0], standard);
    signed char *const seen = arena_take(&suite->arena, choice->count);
    if (!seen)
        return diagnostic_no_memory(diagnostic);
    memset(seen, UNCLASSIFIED, choice->count);
    if ((error =
             classify(choice, document_find(node, "allowed"), SUITE_ALLOWED, seen, diagnostic)) ||
        (error = classify(choice, document_find(node, "deviant"), SUITE_DEVIANT, seen, diagnostic)))
        return error;
    seen[0] = SUITE_ALLOWED;
    for (size_t i = 0; i < choice->count; i++) {
        if (seen[i] == UNCLASSIFIED)
            seen[i] = declared_class(suite, choice->name, choice->option[i]);
        if (seen[i] == UNCLASSIFIED && others)
            seen[i] = SUITE_DEVIANT;
        if (seen[i] == UNCLASSIFIED)
            return document_fail(
                key, ERROR_INPUT, diagnostic,
                "option %s of choice %s is neither allowed nor deviant; put it in one of the lists",
                choice->option[i], choice->name);
        choice->class[i] = (enum suite_class)seen[i];
    }
    return ERROR_NONE;
}

// `others: deviant`: what is in no list, and choices of which nothing is said, stand as the
// operations have them.
static enum error read_others(const struct document_node *node, bool *others,
                              struct diagnostic *diagnostic)
{
    const char *word = NULL;
    const enum error error =
        node ? suite_read_text(node, "others", false, &word, diagnostic) : ERROR_NONE;
    *others = word != NULL;
    return error || !word || !strcmp(word, "deviant")
               ? error
               : document_fail(document_find(node, "others"), ERROR_INPUT, diagnostic,
                               "others is '%.40s'; expected deviant", word);
}

static enum error leave_choice(const struct suite *suite, const struct document_node *at,
                               bool others, struct suite_choice *choice,
                               struct diagnostic *diagnostic)
{
    char known[320];
    bool all = true;
    for (size_t i = 1; i < choice->count; i++) {
        const signed char class = declared_class(suite, choice->name, choice->option[i]);
        choice->class[i] = class == SUITE_ALLOWED ? SUITE_ALLOWED : SUITE_DEVIANT;
        all = all && (class != UNCLASSIFIED || others);
    }
    if (all)
        return ERROR_NONE;
    list_options(choice, known, sizeof known);
    return document_fail(at, ERROR_INPUT, diagnostic,
                         "choice %s is not classified: say which of its options are allowed and "
                         "which are deviant (%s)",
                         choice->name, known);
}

enum error suite_read_choices(struct suite *suite, const struct document_node *node,
                              const struct document_node *root, struct diagnostic *diagnostic)
{
    bool others = false;
    enum error error = collect(suite, root, diagnostic);
    if (!error && node)
        error = document_expect(node, DOCUMENT_MAPPING, "choices", diagnostic);
    if (!error)
        error = read_others(node, &others, diagnostic);
    for (size_t i = 0; !error && node && i < node->count; i++)
        if (strcmp(node->key[i]->text, "others") != 0)
            error = read_choice(suite, node->key[i], node->item[i], others, diagnostic);
    for (size_t i = 0; !error && i < suite->choice_count; i++)
        if (!node || !document_find(node, suite->choice[i].name))
            error = leave_choice(suite, node ? node : root, others, &suite->choice[i], diagnostic);
    return error;
}
