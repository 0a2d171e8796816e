// SPDX-License-Identifier: Apache-2.0
// The request becomes the only case of a copy of the suite, and the given values the answer to a
// call that was not made.

#include "harness/judge/search/given.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/by_profile.h"
#include "harness/judge/run/certify.h"
#include "harness/judge/run/outputs.h"
#include "harness/judge/run/reference.h"
#include "harness/judge/search/explain.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/fill.h"

// A copy of the suite with one case, which is still to be set.
static void copy_suite(const struct suite *suite, struct judge_alone *alone)
{
    *alone = (struct judge_alone){.suite = *suite};
    alone->suite.arena = (struct arena){0}; // is not its own
    alone->suite.operators.arena = (struct arena){0};
    alone->suite.operators.folder = NULL; // nothing is read into it
    alone->sorted[0] = alone->suite.cases = &alone->of;
    alone->suite.sorted = alone->sorted;
    alone->suite.case_count = 1;
    alone->run = (struct judge_run){.suite = &alone->suite, .model = evaluation_model_standard};
}

static enum error set_request(const struct document_node *node, struct judge_alone *alone,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request = {.runs = 1};
    // Operations that the suite declares, and those that its cases found.
    const struct request_sources sources = {
        .fill = fill_make_tensor, .operators = &alone->suite.operators, .find = operators_source};
    const enum error error = request_read(node, NULL, &sources, &arena, &request, diagnostic);
    arena_release(&arena);
    if (error)
        return error;
    alone->form = (struct suite_form){
        .node = node, .id = document_find(node, "id"), .matrix = {.combinations = 1}};
    assert(alone->form.id);
    alone->of = (struct suite_case){.id = alone->form.id->text,
                                    .form = &alone->form,
                                    .operation = request.operation,
                                    .derived = request.operation};
    return ERROR_NONE;
}

// What was given knows no memory, so that it may lie in any way; states come beside gradients where
// they were given.
static void describe(const struct judge_alone *alone, const struct judge_given *given,
                     const struct request *request, struct host_description *description)
{
    const int seen = operation_observable(request);
    *description = (struct host_description){.capabilities = ASSAY_CAPABILITY_LAYOUTS};
    snprintf(description->name, sizeof description->name, "%s", alone->of.operation->name);
    if (seen >= 0 && tensor_present(&given->output[seen]))
        description->capabilities |= ASSAY_CAPABILITY_STATES;
}

// All profiles that are allowed, which takes longer than to judge by the default one: only what
// that does not make right needs them.
static enum error list_profiles(struct judge_alone *alone, struct diagnostic *diagnostic)
{
    return alone->run.allowed ? ERROR_NONE
                              : by_profile_list(&alone->run, &alone->suite, NULL, diagnostic);
}

// ---- refusals ---------------------------------------------------------------

// What is said of a request that the reference refuses by default, and no allowed profile answers.
static enum error judge_refused(struct judge_alone *alone, const struct judge_given *given,
                                const struct diagnostic *refusal, struct diagnostic *diagnostic)
{
    struct judge_run *const run = &alone->run;
    struct judge_result *const result = &run->result[0];
    // Of a case that must be refused its suite has said so.
    enum error error = alone->of.reject ? ERROR_NONE : list_profiles(alone, diagnostic);
    for (size_t at = 1; at < run->allowed_count && !error; at++) {
        struct named_profile allowed;
        bool does = true;
        if (!by_profile_differs(run, &alone->of, at, &allowed))
            continue;
        error = judge_refuses(&alone->suite, &alone->of, &allowed, &does, diagnostic);
        if (!error && !does)
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                   "the reference refuses the request (%s), and a reading that is "
                                   "allowed answers it: that is not judged here",
                                   refusal->text);
    }
    if (error)
        return error;
    result->verdict = given->refused ? VERDICT_REJECTED : VERDICT_ACCEPTED;
    result->reason = arena_print(&run->arena, "the request is invalid: %s", refusal->text);
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static enum error note_refusal(struct judge_alone *alone, const struct judge_given *given,
                               struct diagnostic *diagnostic)
{
    struct judge_result *const result = &alone->run.result[0];
    result->verdict = VERDICT_FAIL;
    result->reason = arena_print(&alone->run.arena, "refused: %s", given->refused);
    if (!result->reason)
        return diagnostic_no_memory(diagnostic);
    return judge_may_refuse(&alone->suite, &alone->of, &result->refused, diagnostic);
}

// ---- outputs ----------------------------------------------------------------

// Refuses outputs that were not asked for, and asks for those that are missing.
static enum error match_names(const struct trial *trial, const struct judge_given *given,
                              struct diagnostic *diagnostic)
{
    const struct operation *const operation = trial->request.operation;
    for (unsigned i = 0; operation->outputs[i]; i++) {
        bool wanted = false;
        for (size_t o = 0; o < trial->call.output_count; o++)
            wanted = wanted || !strcmp(trial->call.outputs[o].name, operation->outputs[i]);
        if (wanted != tensor_present(&given->output[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   wanted ? "output '%s' is missing"
                                          : "the request has no output '%s'",
                                   operation->outputs[i]);
    }
    return ERROR_NONE;
}

static const struct tensor *given_for(const struct trial *trial, const struct judge_given *given,
                                      size_t o)
{
    return &given->output[operation_output(trial->request.operation, trial->call.outputs[o].name)];
}

// The first output of another type or shape than the call asks for; the number of outputs where
// there is none.
static size_t find_misfit(const struct trial *trial, const struct judge_given *given)
{
    size_t o = 0;
    while (o < trial->call.output_count) {
        const struct tensor *const asked = &trial->call.outputs[o].tensor;
        const struct tensor *const got = given_for(trial, given, o);
        if (asked->dtype != got->dtype || !tensor_same_shape(asked, got))
            break;
        o++;
    }
    return o;
}

// Makes the trial that of an allowed profile which asks for what was given, where there is one.
static enum error reshape(struct judge_alone *alone, const struct judge_given *given,
                          struct trial *trial, struct diagnostic *diagnostic)
{
    struct judge_run *const run = &alone->run;
    enum error error = list_profiles(alone, diagnostic);
    for (size_t at = 1; at < run->allowed_count && error != ERROR_INTERNAL; at++) {
        struct named_profile allowed;
        struct trial other = *trial;
        if (!by_profile_differs(run, &alone->of, at, &allowed))
            continue;
        error = trial_reshape(&alone->suite, &allowed, &run->description, &other, diagnostic);
        trial->arena = other.arena;
        if (!error && find_misfit(&other, given) == other.call.output_count) {
            *trial = other;
            return ERROR_NONE;
        }
    }
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// The verdict on an output of another type or shape: what it holds may say why.
static enum error judge_misfit(struct judge_alone *alone, const struct judge_given *given,
                               struct trial *trial, size_t o, struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    const struct tensor *const got = given_for(trial, given, o);
    struct host_received received = {.tensor = *got};
    char asked[96], has[96];
    uint64_t count;
    result->verdict = VERDICT_FAIL;
    result->reason =
        arena_print(&alone->run.arena, "wrong result: %s is %s, where %s is asked for",
                    trial->call.outputs[o].name, tensor_describe(got, has, sizeof has),
                    tensor_describe(&trial->call.outputs[o].tensor, asked, sizeof asked));
    if (!result->reason)
        return diagnostic_no_memory(diagnostic);
    received.tensor.data = NULL;
    received.there =
        trial->call.output_count == 1 && tensor_count(got, &count) && count <= HOST_RECEIVED_MAX;
    if (!received.there)
        return ERROR_NONE;
    memcpy(received.data, got->data, (size_t)count * dtype_size(got->dtype));
    trial->received = &received;
    const enum error error = judge_received(&alone->run, trial, diagnostic);
    trial->received = NULL;
    return error;
}

static enum error judge_values(struct judge_alone *alone, const struct judge_given *given,
                               struct trial *trial, struct diagnostic *diagnostic)
{
    struct host_request call = trial->call;
    struct host_tensor outputs[OPERATION_OUTPUTS_MAX];
    for (size_t o = 0; o < call.output_count; o++) {
        outputs[o] = trial->call.outputs[o];
        outputs[o].tensor.data = given_for(trial, given, o)->data;
    }
    call.outputs = outputs;
    const struct host_call answered = {.request = &call, .outcome = HOST_OK, .answered = true};
    trial->result->verdict = VERDICT_PASS; // so far
    trial->result->keeps = true;
    enum error error = judge_outputs(&alone->run, trial, &answered, diagnostic);
    if (!error && trial->reshaped && trial->result->verdict == VERDICT_FAIL)
        error = judge_reshaped(&alone->run, trial, diagnostic);
    return error;
}

static enum error judge_trial(struct judge_alone *alone, const struct judge_given *given,
                              struct trial *trial, struct diagnostic *diagnostic)
{
    enum error error = match_names(trial, given, diagnostic);
    if (error)
        return error;
    size_t misfit = find_misfit(trial, given);
    if (misfit < trial->call.output_count) {
        trial->message = arena_print(&trial->arena, "%s has another type or shape",
                                     trial->call.outputs[misfit].name);
        error = trial->message ? reshape(alone, given, trial, diagnostic)
                               : diagnostic_no_memory(diagnostic);
    }
    if (error)
        return error;
    misfit = find_misfit(trial, given);
    return misfit < trial->call.output_count ? judge_misfit(alone, given, trial, misfit, diagnostic)
                                             : judge_values(alone, given, trial, diagnostic);
}

// ---- all together -----------------------------------------------------------

static enum error judge_one(struct judge_alone *alone, const struct judge_given *given,
                            struct diagnostic *diagnostic)
{
    struct judge_run *const run = &alone->run;
    struct trial trial = {.arena = {0}};
    struct arena arena = {0};
    struct request request;
    struct inference inference = {0};
    struct diagnostic refusal = {.text = ""};
    enum error error = suite_case_request(&alone->suite, &alone->of, &arena, &request, &refusal);
    if (!error) {
        describe(alone, given, &request, &run->description);
        error = variant_infer(&request, &inference, &refusal);
    }
    arena_release(&arena);
    if (error == ERROR_INVALID_ARGUMENT || (error == ERROR_INPUT && alone->of.reject))
        return judge_refused(alone, given, &refusal, diagnostic);
    if (error)
        *diagnostic = refusal;
    if (error == ERROR_NONDETERMINISTIC || (!error && request.runs > 1))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               error ? "the values are left to chance: `assay certify` judges draws"
                                     : "one run is judged here, and the request asks for several");
    if (!error && given->refused)
        return note_refusal(alone, given, diagnostic);
    if (!error)
        error = trial_make(&alone->suite, &alone->of, &run->description, false, &trial, diagnostic);
    if (!error) {
        trial.result = &run->result[0];
        trial.result->required = trial_required_level(&trial);
        error = trial.windows ? diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                                "the tensors are too large to be judged at once")
                              : judge_trial(alone, given, &trial, diagnostic);
    }
    trial_release(&trial);
    return error;
}

static enum error judge(struct judge_alone *alone, const struct judge_given *given,
                        struct diagnostic *diagnostic)
{
    static const struct judge_options options = {.explain = judge_explain};
    enum error error = judge_select(&alone->run, NULL, diagnostic);
    if (!error)
        error = judge_one(alone, given, diagnostic);
    return error || alone->run.result[0].verdict != VERDICT_FAIL
               ? error
               : judge_conclude(&alone->run, &options, diagnostic);
}

enum error judge_case_given(const struct suite *suite, const struct suite_case *of,
                            const struct judge_given *given, struct judge_alone *alone,
                            struct diagnostic *diagnostic)
{
    copy_suite(suite, alone);
    alone->of = *of;
    if (!of->reject && !suite_case_has_values(of))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "case %s has no values of its own: `assay certify` judges it",
                               of->id);
    return judge(alone, given, diagnostic);
}

enum error judge_request_given(const struct suite *suite, const struct document_node *node,
                               const struct judge_given *given, struct judge_alone *alone,
                               struct diagnostic *diagnostic)
{
    copy_suite(suite, alone);
    alone->suite.form = &alone->form;
    alone->suite.form_count = 1;
    const enum error error = set_request(node, alone, diagnostic);
    return error ? error : judge(alone, given, diagnostic);
}

void judge_release_alone(struct judge_alone *alone)
{
    judge_release(&alone->run);
}
