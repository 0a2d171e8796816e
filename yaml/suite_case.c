// SPDX-License-Identifier: Apache-2.0
// The cases of a suite read and checked: forms, their matrices, what each case covers and how it
// counts.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/relation.h"
#include "yaml/suite_words.h"

static enum error read_covers(struct suite *suite, const struct document_node *node,
                              struct suite_case *to, struct diagnostic *diagnostic)
{
    const struct document_node *const covers = document_find(node, "covers");
    if (!covers)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "case %s has no covers: name the requirements that it shows", to->id);
    enum error error = document_expect(covers, DOCUMENT_SEQUENCE, "covers", diagnostic);
    if (!error && !covers->count)
        error = document_fail(covers, ERROR_INPUT, diagnostic, "covers is empty");
    uint16_t *const indices =
        error ? NULL : arena_take_array(&suite->arena, covers->count, sizeof *indices);
    if (!error && !indices)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < covers->count && !error; i++) {
        const struct document_node *const item = covers->item[i];
        if ((error = document_expect(item, DOCUMENT_SCALAR, "a requirement", diagnostic)))
            break;
        const int index = suite_requirement_index(suite, item->text);
        if (index < 0)
            return document_fail(item, ERROR_INPUT, diagnostic, "there is no requirement '%.80s'",
                                 item->text);
        for (size_t k = 0; k < i; k++)
            if (indices[k] == index)
                return document_fail(item, ERROR_INPUT, diagnostic, "requirement %s stands twice",
                                     item->text);
        indices[i] = (uint16_t)index;
        suite->requirement[index].cases++;
    }
    to->covers = indices;
    to->covers_count = covers->count;
    return error;
}

static enum error read_level(const struct document_node *node, struct suite_case *to,
                             struct diagnostic *diagnostic)
{
    static const char *const name[] = {"automatic", "bits", "bound", "distribution"};
    const char *text;
    const enum error error = suite_read_text(node, "level", false, &text, diagnostic);
    if (error || !text)
        return error;
    for (unsigned level = SUITE_LEVEL_BITS; level <= SUITE_LEVEL_DISTRIBUTION; level++)
        if (!strcmp(text, name[level])) {
            to->level = (enum suite_level)level;
            return ERROR_NONE;
        }
    return document_fail(document_find(node, "level"), ERROR_INPUT, diagnostic,
                         "level is '%.40s'; expected bits, bound or distribution", text);
}

static enum error read_override(const struct suite_case *to, const struct document_node *choice,
                                const struct document_node *list, enum suite_class class,
                                struct suite_override *overrides, size_t *count,
                                struct diagnostic *diagnostic)
{
    if (!list)
        return ERROR_NONE;
    enum error error = document_expect(list, DOCUMENT_SEQUENCE, "a list of options", diagnostic);
    for (size_t i = 0; i < list->count && !error; i++) {
        unsigned c, o = 0;
        if ((error = document_expect(list->item[i], DOCUMENT_SCALAR, "an option", diagnostic)))
            break;
        if (!variant_find(to->operation, choice->text, list->item[i]->text, &c, &o))
            error = document_fail(list->item[i], ERROR_INPUT, diagnostic,
                                  "%s has no option '%.80s' of a choice '%.80s'",
                                  to->operation->name, list->item[i]->text, choice->text);
        else if (!o)
            error = document_fail(list->item[i], ERROR_INPUT, diagnostic,
                                  "option %s is the default, which is always allowed",
                                  list->item[i]->text);
        else
            overrides[(*count)++] =
                (struct suite_override){choice->text, list->item[i]->text, class};
    }
    return error;
}

static enum error read_overrides(struct suite *suite, const struct document_node *node,
                                 struct suite_case *to, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"allowed", "deviant", NULL};
    const struct document_node *const choices = document_find(node, "choices");
    if (!choices)
        return ERROR_NONE;
    enum error error = document_expect(choices, DOCUMENT_MAPPING, "choices", diagnostic);
    size_t most = 0;
    for (size_t i = 0; i < choices->count && !error; i++) {
        error = document_only_keys(choices->item[i], keys, "a choice of a case", diagnostic);
        for (size_t k = 0; k < choices->item[i]->count && !error; k++)
            most += choices->item[i]->item[k]->count;
    }
    struct suite_override *const overrides =
        error ? NULL : arena_take_array(&suite->arena, most, sizeof *overrides);
    if (!error && !overrides)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < choices->count && !error; i++) {
        const struct document_node *const lists = choices->item[i];
        error = read_override(to, choices->key[i], document_find(lists, "allowed"), SUITE_ALLOWED,
                              overrides, &to->override_count, diagnostic);
        if (!error)
            error = read_override(to, choices->key[i], document_find(lists, "deviant"),
                                  SUITE_DEVIANT, overrides, &to->override_count, diagnostic);
    }
    to->overrides = overrides;
    return error;
}

const char *suite_asked(const struct suite *suite)
{
    return suite->own ? suite->path : suite->name;
}

bool suite_case_is_answered(const struct suite_case *of)
{
    return !of->reject && !of->survive;
}

bool suite_case_has_values(const struct suite_case *of)
{
    return suite_case_is_answered(of) && !of->relation.kind;
}

bool suite_case_keeps_digests(const struct suite_case *of)
{
    return of->digests || of->relation.kind ||
           (of->form->matrix.drawn && !suite_case_is_stored(of));
}

static enum error check_printed(const struct document_node *node, struct suite_case *to,
                                struct diagnostic *diagnostic)
{
    const struct document_node *const printed = document_find(node, "printed");
    if (!printed)
        return ERROR_NONE;
    const enum error error = document_expect(printed, DOCUMENT_MAPPING, "printed", diagnostic);
    if (error)
        return error;
    if (!suite_case_has_values(to))
        return document_fail(printed, ERROR_INPUT, diagnostic,
                             "printed cannot be combined with reject, survive or agrees");
    for (size_t i = 0; i < printed->count; i++)
        if (operation_output(to->operation, printed->key[i]->text) < 0)
            return document_fail(printed->key[i], ERROR_INPUT, diagnostic,
                                 "%s has no output '%.80s'", to->operation->name,
                                 printed->key[i]->text);
    to->printed = true;
    return ERROR_NONE;
}

static enum error read_unbiased_input(const struct document_node *node, struct suite_case *to,
                                      struct diagnostic *diagnostic)
{
    struct suite_unbiased *const unbiased = &to->unbiased;
    const enum error error = document_expect(node, DOCUMENT_SCALAR, "an input", diagnostic);
    if (error)
        return error;
    const int input = operation_input(to->operation, node->text);
    if (input < 0)
        return document_fail(node, ERROR_INPUT, diagnostic, "%s has no input '%.80s'",
                             to->operation->name, node->text);
    unbiased->input[unbiased->parts++] = input;
    return ERROR_NONE;
}

// One input, two, or {input: NAME, last_along: AXIS}.
static enum error read_unbiased(const struct document_node *node, struct suite_case *to,
                                struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"input", "last_along", NULL};
    const struct document_node *const parts = document_find(node, "unbiased");
    if (!parts)
        return ERROR_NONE;
    const bool list = parts->kind == DOCUMENT_SEQUENCE;
    if (to->reject || (list && parts->count != 2))
        return document_fail(parts, ERROR_INPUT, diagnostic,
                             "unbiased names one input, or two, of a case that is answered");
    if (parts->kind == DOCUMENT_SCALAR)
        return read_unbiased_input(parts, to, diagnostic);
    enum error error = ERROR_NONE;
    for (size_t i = 0; list && i < 2 && !error; i++)
        error = read_unbiased_input(parts->item[i], to, diagnostic);
    if (error || list)
        return error || to->unbiased.input[0] != to->unbiased.input[1]
                   ? error
                   : document_fail(parts, ERROR_INPUT, diagnostic,
                                   "unbiased names one input twice");
    if ((error = document_only_keys(parts, keys, "unbiased", diagnostic)))
        return error;
    const struct document_node *const input = document_find(parts, "input"), *const along =
                                                                                 document_find(
                                                                                     parts,
                                                                                     "last_along");
    long long axis = 0;
    if (!input || !along)
        return document_fail(parts, ERROR_INPUT, diagnostic, "the key %s is missing here",
                             input ? "last_along" : "input");
    error = document_integer(along, 0, TENSOR_RANK_MAX - 1, &axis, "last_along", diagnostic);
    to->unbiased.along = true;
    to->unbiased.axis = (unsigned)axis;
    return error ? error : read_unbiased_input(input, to, diagnostic);
}

static enum error read_operation(struct suite *suite, const struct document_node *node,
                                 struct suite_case *to, struct diagnostic *diagnostic)
{
    const char *name;
    enum error error = suite_read_text(node, "op", true, &name, diagnostic);
    to->operation = error ? NULL : suite_operation_named(suite, name);
    if (!error && !to->operation)
        error = operators_find(&suite->operators, name, &to->operation, diagnostic);
    if (error)
        return error;
    char hint[NEAREST_HINT_SIZE];
    if (!to->operation)
        return document_fail(
            document_find(node, "op"), ERROR_INPUT, diagnostic,
            "there is no operation '%.80s'; `assay list operations` names them all%s", name,
            operation_hint(name, hint));
    return ERROR_NONE;
}

static void add_operation(struct suite *suite, const struct operation *operation)
{
    for (size_t i = 0; i < suite->operation_count; i++)
        if (suite->operation[i] == operation)
            return;
    suite->operation[suite->operation_count++] = operation;
}

// A relation is between requests that can be made, with fills that are not made yet.
static enum error check_relation(const struct suite *suite, const struct document_node *node,
                                 const struct suite_case *of, const struct request *request,
                                 struct arena *arena, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < relation_parts(of) && !error; i++) {
        struct request part;
        error = relation_request(suite, of, request, i, NULL, arena, &part, diagnostic);
    }
    if (!error || diagnostic->line)
        return error;
    char text[DIAGNOSTIC_TEXT_SIZE];
    snprintf(text, sizeof text, "%s", diagnostic->text);
    return document_fail(document_find(node, "agrees"), error, diagnostic, "%s", text);
}

// A case that need not be answered may break the rules of its operation's table, but not the form
// of a request.
static enum error check_request(const struct suite *suite, const struct document_node *node,
                                const struct suite_case *to, struct arena *arena,
                                struct diagnostic *diagnostic)
{
    struct suite_context context = {.suite = suite};
    const struct request_sources sources = {.context = &context,
                                            .fill = suite_read_fill,
                                            .file = suite_read_file_tensor,
                                            .operation = to->operation};
    struct request request;
    enum error error = request_read(node, suite_case_keys, &sources, arena, &request, diagnostic);
    if (!error && suite_case_is_stored(to))
        error = suite_store(suite, to, node, arena, &request, diagnostic);
    const bool refused = error == ERROR_INVALID_ARGUMENT || error == ERROR_TOO_LARGE;
    if (error || !to->relation.kind)
        return refused && !suite_case_is_answered(to) ? ERROR_NONE : error;
    return check_relation(suite, node, to, &request, arena, diagnostic);
}

static enum error read_case(struct suite *suite, const struct suite_form *form, uint64_t index,
                            struct suite_case *to, struct arena *arena,
                            struct diagnostic *diagnostic)
{
    struct matrix_row row;
    struct document_node *node;
    enum error error;
    matrix_row(&form->matrix, index, &row);
    *to = (struct suite_case){.form = form, .row = index};
    if ((error = matrix_expand_id(&row, form->id, &suite->arena, &to->id, diagnostic)) ||
        (error = suite_check_word(form->id, to->id, true, "id", diagnostic)) ||
        (error = suite_form_expand(form, index, to->id, arena, &node, diagnostic)))
        return error;
    const struct document_node *const agrees = document_find(node, "agrees");
    if ((error = read_operation(suite, node, to, diagnostic)) ||
        (error = read_covers(suite, node, to, diagnostic)) ||
        (error = suite_read_text(node, "reject", false, &to->reject, diagnostic)) ||
        (error = suite_read_text(node, "survive", false, &to->survive, diagnostic)) ||
        (error = suite_read_from(suite, node, to, diagnostic)))
        return error;
    add_operation(suite, to->operation);
    if ((error = read_level(node, to, diagnostic)) ||
        (error = read_overrides(suite, node, to, diagnostic)) ||
        (error = read_unbiased(node, to, diagnostic)) ||
        (agrees && (error = relation_read(agrees, &suite->arena, &to->relation, diagnostic))) ||
        (error = check_printed(node, to, diagnostic)))
        return error;
    if (to->survive && (to->reject || to->level))
        return document_fail(document_find(node, "survive"), ERROR_INPUT, diagnostic,
                             "survive cannot be combined with level or reject");
    if (to->relation.kind && (!suite_case_is_answered(to) || suite_case_is_unbiased(to) ||
                              to->level == SUITE_LEVEL_DISTRIBUTION))
        return document_fail(
            document_find(node, "agrees"), ERROR_INPUT, diagnostic,
            "agrees needs level bits or bound, and cannot be combined with reject, survive "
            "or unbiased");
    const struct document_node *const portable = document_find(node, "portable"),
                                      *const digests = document_find(node, "digests");
    if ((portable && (error = document_boolean(portable, &to->portable, "portable", diagnostic))) ||
        (digests && (error = document_boolean(digests, &to->digests, "digests", diagnostic))))
        return error;
    if (to->digests && suite_case_is_stored(to))
        return document_fail(digests, ERROR_INPUT, diagnostic,
                             "values that are stored are kept whole");
    return check_request(suite, node, to, arena, diagnostic);
}

static enum error read_form(struct suite *suite, const struct document_node *node,
                            struct suite_form *form, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "a case", diagnostic);
    if (error)
        return error;
    form->node = node;
    form->id = document_find(node, "id");
    if (!form->id)
        return document_fail(node, ERROR_INPUT, diagnostic, "a case needs an id");
    if ((error = document_expect(form->id, DOCUMENT_SCALAR, "id", diagnostic)) ||
        (error = suite_read_text(node, "about", false, &form->about, diagnostic)) ||
        (error = matrix_read(node, &suite->arena, &form->matrix, diagnostic)))
        return error;
    suite->form_count++;
    suite->case_count += form->matrix.combinations;
    if (suite->case_count > SUITE_CASES_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "the suite has more than %d cases",
                              SUITE_CASES_MAX);
    return error;
}

// By id; those that share one in the order of the file, so that the later one is reported.
static int compare_cases(const void *a, const void *b)
{
    const struct suite_case *const left = *(const struct suite_case *const *)a,
                                   *const right = *(const struct suite_case *const *)b;
    const int order = strcmp(left->id, right->id);
    return order ? order : (left > right) - (left < right);
}

enum error suite_sort_cases(struct suite *suite, struct diagnostic *diagnostic)
{
    suite->sorted = arena_take_array(&suite->arena, suite->case_count, sizeof *suite->sorted);
    if (!suite->sorted)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < suite->case_count; i++)
        suite->sorted[i] = &suite->cases[i];
    qsort(suite->sorted, suite->case_count, sizeof *suite->sorted, compare_cases);
    for (size_t i = 1; i < suite->case_count; i++)
        if (!strcmp(suite->sorted[i - 1]->id, suite->sorted[i]->id))
            return document_fail(suite->sorted[i]->form->id, ERROR_INPUT, diagnostic,
                                 "two cases have the id '%s'", suite->sorted[i]->id);
    return ERROR_NONE;
}

enum error suite_read_cases(struct suite *suite, const struct document_node *node,
                            struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "cases", diagnostic);
    if (error)
        return error;
    if (!node->count)
        return document_fail(node, ERROR_INPUT, diagnostic, "cases is empty");
    suite->form = arena_take_array(&suite->arena, node->count, sizeof *suite->form);
    suite->operation = arena_take_array(
        &suite->arena, 2 * (operation_count + OPERATORS_MAX) + suite->declared_count,
        sizeof(struct operation *));
    if (!suite->form || !suite->operation)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++)
        error = read_form(suite, node->item[i], &suite->form[i], diagnostic);
    if (error)
        return error;
    suite->cases = arena_take_array(&suite->arena, suite->case_count, sizeof *suite->cases);
    if (!suite->cases)
        return diagnostic_no_memory(diagnostic);
    size_t count = 0;
    for (size_t i = 0; i < suite->form_count && !error; i++)
        for (uint64_t index = 0; index < suite->form[i].matrix.combinations && !error; index++) {
            struct matrix_row row;
            if (!matrix_row(&suite->form[i].matrix, index, &row))
                continue;
            struct arena arena = {0};
            error =
                read_case(suite, &suite->form[i], index, &suite->cases[count], &arena, diagnostic);
            suite->cases[count].position = (uint32_t)count;
            count++;
            arena_release(&arena);
        }
    suite->case_count = count;
    return error ? error : suite_sort_cases(suite, diagnostic);
}
