// SPDX-License-Identifier: Apache-2.0
// Lines that ask for the cases of a suite.

#include <string.h>

#include "harness/cli/serve/serve.h"
#include "ref/op/request.h"

static enum error find_suite(struct serve_suites *suites, const struct document_node *line,
                             const char *key, const struct suite **suite,
                             struct diagnostic *diagnostic)
{
    const char *const name = document_text(line, key);
    return name ? serve_suite_named(suites, name, suite, diagnostic)
                : document_fail(line, ERROR_INPUT, diagnostic, "'%s' names a suite", key);
}

enum error serve_find_case(struct serve_suites *suites, const struct document_node *line,
                           const char *id, const struct suite **suite, const struct suite_case **of,
                           struct diagnostic *diagnostic)
{
    const enum error error = find_suite(suites, line, "suite", suite, diagnostic);
    *of = error || !id ? NULL : suite_find_case(*suite, id);
    return error || *of
               ? error
               : document_fail(line, ERROR_INPUT, diagnostic, "suite %s has no case '%.80s'",
                               (*suite)->name, id ? id : "");
}

// What is expected of a target, in a word.
static const char *kind_of(const struct suite_case *of)
{
    return of->reject                              ? "reject"
           : of->survive                           ? "survive"
           : of->relation.kind                     ? "agrees"
           : of->level == SUITE_LEVEL_DISTRIBUTION ? "distribution"
                                                   : "values";
}

enum error serve_cases(struct serve_suites *suites, const struct document_node *line,
                       struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"cases", NULL};
    const struct suite *suite = NULL;
    (void)arena;
    enum error error = document_only_keys(line, keys, "a line of cases", diagnostic);
    if (!error)
        error = find_suite(suites, line, "cases", &suite, diagnostic);
    if (error)
        return error;
    json_begin_list_at(text, "cases");
    for (size_t i = 0; i < suite->case_count; i++)
        json_put_object(text, {"id", suite->cases[i].id}, {"op", suite->cases[i].operation->name},
                        {"kind", kind_of(&suite->cases[i])});
    json_end_list(text);
    return ERROR_NONE;
}

static void put_inputs(const struct request *request, struct text *text)
{
    json_begin_object_at(text, "inputs");
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        const struct tensor *const tensor = &request->input[i];
        uint64_t count = 0;
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        json_put_key(text, request->operation->inputs[i].name);
        json_begin_object(text);
        tensor_put_type(tensor, text);
        tensor_put_bits(tensor->dtype, tensor->data, count, text);
        json_end_object(text);
    }
    json_end_object(text);
}

// The request with its tensors written out; of one that breaks a rule of its operation's table as
// the suite spells it.
enum error serve_case(struct serve_suites *suites, const struct document_node *line,
                      struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"case", "suite", NULL};
    const struct suite *suite = NULL;
    const struct suite_case *of = NULL;
    struct document_node *node = NULL;
    struct request request;
    struct diagnostic refusal = {.text = ""};
    enum error error = document_only_keys(line, keys, "a line of a case", diagnostic);
    if (!error)
        error = serve_find_case(suites, line, document_text(line, "case"), &suite, &of, diagnostic);
    if (!error)
        error = suite_case_document(suite, of, arena, &node, diagnostic);
    if (error)
        return error;
    const enum error refused = suite_case_request(suite, of, arena, &request, &refusal);
    if (refused == ERROR_INTERNAL) {
        *diagnostic = refusal;
        return refused;
    }
    json_begin_object_at(text, "request");
    for (size_t i = 0; i < node->count; i++)
        if (strcmp(node->key[i]->text, "inputs") != 0 || refused)
            json_put_document_at(text, node->key[i]->text, node->item[i]);
    if (!refused)
        put_inputs(&request, text);
    json_end_object(text);
    json_put_pairs(text, {"kind", kind_of(of)}, {"about", of->form->about});
    return ERROR_NONE;
}
