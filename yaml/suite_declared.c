// SPDX-License-Identifier: Apache-2.0
// Operations that assay does not have: a suite declares their attributes, inputs and outputs, and
// values of them are stored.

#include <string.h>

#include "ref/op/stored.h"
#include "yaml/suite_words.h"

static const struct {
    const char *word;
    enum attribute_kind kind;
} kinds[] = {{"integer", ATTRIBUTE_INTEGER64}, {"boolean", ATTRIBUTE_BOOLEAN},
             {"real", ATTRIBUTE_REAL},         {"dtype", ATTRIBUTE_DTYPE},
             {"integers", ATTRIBUTE_SIZES},    {"reals", ATTRIBUTE_REALS}};

// A list of different words as texts, NULL-terminated.
static enum error read_words(const struct document_node *node, size_t most, const char *what,
                             struct arena *arena, const char *const **words,
                             struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, what, diagnostic);
    if (!error && (!node->count || node->count > most))
        error = document_fail(node, ERROR_INPUT, diagnostic, "%s are 1 to %zu words", what, most);
    const char **const list = error ? NULL : arena_take_array(arena, most + 1, sizeof *list);
    if (!error && !list)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        const struct document_node *const item = node->item[i];
        if ((error = document_expect(item, DOCUMENT_SCALAR, what, diagnostic)) ||
            (error = suite_check_word(item, item->text, false, what, diagnostic)))
            break;
        if (suite_is_one_of(item->text, list))
            error = document_fail(item, ERROR_INPUT, diagnostic, "'%s' stands twice", item->text);
        list[i] = item->text;
    }
    *words = list;
    return error;
}

static enum error read_attribute(const struct document_node *key, const struct document_node *node,
                                 struct arena *arena, struct attribute_spec *to,
                                 struct diagnostic *diagnostic)
{
    enum { WORDS_MAX = 64 };
    *to = (struct attribute_spec){.name = key->text,
                                  .kind = ATTRIBUTE_WORD,
                                  .presence = ATTRIBUTE_OPTIONAL,
                                  .minimum = INT64_MIN,
                                  .dtypes = DTYPES_ALL};
    const enum error error = suite_check_word(key, key->text, false, "attribute", diagnostic);
    if (error || node->kind == DOCUMENT_SEQUENCE)
        return error ? error
                     : read_words(node, WORDS_MAX, "an attribute's words", arena, &to->words,
                                  diagnostic);
    for (size_t i = 0; node->kind == DOCUMENT_SCALAR && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].word, node->text)) {
            to->kind = kinds[i].kind;
            return ERROR_NONE;
        }
    return document_fail(
        node, ERROR_INPUT, diagnostic,
        "an attribute is integer, boolean, real, dtype, integers, reals, or a list "
        "of words");
}

static enum error read_attributes(const struct document_node *node, struct arena *arena,
                                  struct operation *to, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "attributes", diagnostic);
    if (!error && node->count > OPERATION_ATTRIBUTES_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d attributes",
                              OPERATION_ATTRIBUTES_MAX);
    struct attribute_spec *const specs =
        error ? NULL : arena_take_array(arena, node->count, sizeof *specs);
    if (!error && !specs)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        error = read_attribute(node->key[i], node->item[i], arena, &specs[i], diagnostic);
    to->attributes = specs;
    to->attribute_count = error ? 0 : (unsigned)node->count;
    return error;
}

static enum error read_inputs(const struct document_node *node, struct arena *arena,
                              struct operation *to, struct diagnostic *diagnostic)
{
    const char *const *names = NULL;
    enum error error = read_words(node, OPERATION_INPUTS_MAX, "inputs", arena, &names, diagnostic);
    struct input_spec *const specs =
        error ? NULL : arena_take_array(arena, node->count, sizeof *specs);
    if (!error && !specs)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        specs[i] = (struct input_spec){.name = names[i], .optional = true};
    to->inputs = specs;
    to->input_count = error ? 0 : (unsigned)node->count;
    return error;
}

// Options of a choice; the first is the default.
static enum error read_choices(const struct document_node *node, struct arena *arena,
                               struct operation *to, struct diagnostic *diagnostic)
{
    enum { OPTIONS_MAX = 64 };
    enum error error = document_expect(node, DOCUMENT_MAPPING, "choices", diagnostic);
    if (!error && node->count > PROFILE_CHOICES_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d choices",
                              PROFILE_CHOICES_MAX);
    struct choice *const choices =
        error ? NULL : arena_take_array(arena, node->count, sizeof *choices);
    if (!error && !choices)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        choices[i].name = node->key[i]->text;
        if (!(error = suite_check_word(node->key[i], choices[i].name, false, "choice", diagnostic)))
            error = read_words(node->item[i], OPTIONS_MAX, "a choice's options", arena,
                               &choices[i].options, diagnostic);
        if (!error && node->item[i]->count < 2)
            error = document_fail(node->item[i], ERROR_INPUT, diagnostic,
                                  "a choice has two options or more");
    }
    to->choices = choices;
    to->choice_count = error ? 0 : (unsigned)node->count;
    return error;
}

static enum error read_operation(struct suite *suite, const struct document_node *key,
                                 const struct document_node *node, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"about", "attributes", "inputs", "outputs", "choices", NULL};
    struct arena *const arena = &suite->arena;
    struct operation operation = {.name = key->text, .summary = "declared by a suite"};
    const char *about;
    const struct operation *own = NULL;
    enum error error = suite_check_word(key, key->text, true, "operation", diagnostic);
    if (!error)
        error = operators_find(&suite->operators, key->text, &own, diagnostic);
    if (!error && own)
        error =
            document_fail(key, ERROR_INPUT, diagnostic,
                          "assay has an operation %s itself; only others are declared", key->text);
    if (error || (error = document_only_keys(node, keys, "an operation", diagnostic)) ||
        (error = suite_read_text(node, "about", false, &about, diagnostic)))
        return error;
    const struct document_node *const attributes = document_find(node, "attributes"),
                                      *const inputs = document_find(node, "inputs"),
                                      *const outputs = document_find(node, "outputs"),
                                      *const choices = document_find(node, "choices");
    if (!outputs)
        return document_fail(node, ERROR_INPUT, diagnostic, "the key outputs is missing here");
    if ((attributes && (error = read_attributes(attributes, arena, &operation, diagnostic))) ||
        (inputs && (error = read_inputs(inputs, arena, &operation, diagnostic))) ||
        (choices && (error = read_choices(choices, arena, &operation, diagnostic))) ||
        (error = read_words(outputs, OPERATION_OUTPUTS_MAX - 1, "outputs", arena,
                            &operation.outputs, diagnostic)))
        return error;
    stored_operation(&operation, true, &suite->declared[suite->declared_count++]);
    return ERROR_NONE;
}

enum error suite_read_declared(struct suite *suite, const struct document_node *node,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "operations", diagnostic);
    if (error)
        return error;
    suite->declared = arena_take_array(&suite->arena, node->count, sizeof *suite->declared);
    if (!suite->declared)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++)
        error = read_operation(suite, node->key[i], node->item[i], diagnostic);
    return error;
}
