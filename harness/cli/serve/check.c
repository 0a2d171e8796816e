// SPDX-License-Identifier: Apache-2.0
// A line that brings outputs along: what certify would say of them.

#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/serve/serve.h"
#include "harness/cli/summary.h"
#include "harness/judge/search/given.h"
#include "ref/op/request.h"

// The request with an id, which a case must have.
static enum error name_request(const struct document_node *request, struct arena *arena,
                               const struct document_node **named, struct diagnostic *diagnostic)
{
    static const char word[] = "given";
    *named = request;
    if (document_find(request, "id"))
        return ERROR_NONE;
    struct document_node *const to =
        document_new(arena, DOCUMENT_MAPPING, request->source, request->line, request->column);
    struct document_node *const key =
        document_new(arena, DOCUMENT_SCALAR, request->source, request->line, request->column);
    struct document_node *const id =
        document_new(arena, DOCUMENT_SCALAR, request->source, request->line, request->column);
    if (!to || !key || !id)
        return diagnostic_no_memory(diagnostic);
    key->text = "id";
    key->count = 2;
    id->text = word;
    id->count = sizeof word - 1;
    id->quoted = true;
    enum error error = document_append(arena, to, key, id, diagnostic);
    for (size_t i = 0; i < request->count && !error; i++)
        error = document_append(arena, to, request->key[i], request->item[i], diagnostic);
    *named = to;
    return error;
}

static enum error read_outputs(const struct document_node *node, const struct operation *operation,
                               struct arena *arena, struct judge_given *given,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "outputs", diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        const char *const name = node->key[i]->text;
        const int output = operation_output(operation, name);
        error = output < 0 ? document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                           "%s has no output '%.80s'", operation->name, name)
                           : request_read_tensor(node->item[i], DTYPE_NONE, name, NULL, arena,
                                                 &given->output[output], diagnostic);
    }
    return error;
}

static enum error read_given(const struct document_node *line, const struct operation *operation,
                             struct arena *arena, struct judge_given *given,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const outputs = document_find(line, "outputs");
    *given = (struct judge_given){.refused = document_text(line, "refused")};
    if (!outputs == !given->refused)
        return document_fail(line, ERROR_INPUT, diagnostic,
                             "a check needs 'outputs' or 'refused', and not both");
    return outputs ? read_outputs(outputs, operation, arena, given, diagnostic) : ERROR_NONE;
}

// The lines of the summary, without what they are set in by.
static enum error put_text(struct text *text, const struct judge_run *run,
                           struct diagnostic *diagnostic)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *const stream = open_memstream(&bytes, &size);
    if (!stream)
        return diagnostic_no_memory(diagnostic);
    summary_print_difference(stream, run, &run->result[0]);
    const bool written = !fclose(stream) && bytes;
    if (written)
        json_put_pair(text, "text", bytes);
    free(bytes);
    return written ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static enum error put_verdict(struct text *text, const struct judge_run *run,
                              struct diagnostic *diagnostic)
{
    const struct judge_result *const result = &run->result[0];
    uint64_t wrong = 0;
    char profile[512];
    for (size_t i = 0; i < result->output_count && result->verdict == VERDICT_FAIL; i++)
        wrong += result->outputs[i].comparison.wrong;
    json_put_pairs(
        text, {"suite", run->suite->name}, {"verdict", verdict_name(result->verdict)},
        {"profile", profiles_describe(run->suite, &run->profile, profile, sizeof profile)});
    json_put_unsigned_at(text, "compared", result->compared);
    json_put_unsigned_at(text, "wrong", wrong);
    return put_text(text, run, diagnostic);
}

static enum error check_case(struct serve_suites *suites, const struct document_node *line,
                             struct arena *arena, struct judge_alone *alone,
                             struct diagnostic *diagnostic)
{
    const char *const id = document_text(line, "check");
    const struct suite *suite = NULL;
    const struct suite_case *of = NULL;
    struct judge_given given;
    enum error error = serve_find_case(suites, line, id, &suite, &of, diagnostic);
    if (!error)
        error = read_given(line, of->operation, arena, &given, diagnostic);
    return error ? error : judge_case_given(suite, of, &given, alone, diagnostic);
}

static enum error check_request(struct serve_suites *suites, const struct document_node *line,
                                struct arena *arena, struct judge_alone *alone,
                                struct diagnostic *diagnostic)
{
    const struct document_node *request = document_find(line, "check");
    enum error error = document_expect(request, DOCUMENT_MAPPING, "check", diagnostic);
    const char *const name = error ? NULL : document_text(request, "op");
    const char *const asked = document_text(line, "suite");
    const struct operation *operation = NULL;
    const struct suite *suite = NULL;
    struct judge_given given;
    if (!error && name)
        error = operators_find(&suites->operators, name, &operation, diagnostic);
    if (!error && (operation || asked)) // a suite may have operators of its own
        error = asked ? serve_suite_named(suites, asked, &suite, diagnostic)
                      : serve_suite_of(suites, request, &suite, diagnostic);
    const struct operation *const own = suite && name ? serve_operation_of(suite, name) : NULL;
    operation = own ? own : operation;
    if (!error && !operation)
        error = document_fail(request, ERROR_UNSUPPORTED, diagnostic,
                              "there is no operation '%.80s'", name ? name : "");
    if (!error)
        error = read_given(line, operation, arena, &given, diagnostic);
    if (!error)
        error = name_request(request, arena, &request, diagnostic);
    return error ? error : judge_request_given(suite, request, &given, alone, diagnostic);
}

enum error serve_check(struct serve_suites *suites, const struct document_node *line,
                       struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"check", "outputs", "refused", "suite", NULL};
    enum error error = document_only_keys(line, keys, "a check", diagnostic);
    if (error)
        return error;
    struct judge_alone *const alone = calloc(1, sizeof *alone);
    if (!alone)
        return diagnostic_no_memory(diagnostic);
    error = (document_text(line, "check") ? check_case : check_request)(suites, line, arena, alone,
                                                                        diagnostic);
    if (!error)
        error = put_verdict(text, &alone->run, diagnostic);
    judge_release_alone(alone);
    free(alone);
    return error;
}
