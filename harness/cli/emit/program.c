// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/emit/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/target_of.h"
#include "harness/cli/target_table.h"
#include "harness/judge/compare/convert.h"
#include "ref/base/file.h"
#include "vectors/golden.h"

// A suite's program under way.
struct asking {
    struct suite *suite;
    struct host *host;
    size_t count; // of the answers
    struct suite_tensor *answer;
    struct arena scratch;
    struct diagnostic *diagnostic;
};

static enum error fail(const struct asking *asking, const struct suite_case *of, const char *what,
                       const char *why)
{
    return document_fail(of->form->id, ERROR_INPUT, asking->diagnostic,
                         "case %s: the program %s%s%.400s", of->id, what, why[0] ? ": " : "", why);
}

// The choices and options of a profile that are not the default, as a request names them; NULL:
// the operation has no choices.
static const char *const (*name_profile(struct asking *asking, const struct suite_case *of,
                                        const struct profile *profile))[2]
{
    const struct operation *const operation = of->operation;
    const char *(*const pair)[2] =
        arena_take_array(&asking->scratch, operation->choice_count + 1, sizeof *pair);
    if (!pair || !operation->choice_count)
        return NULL;
    for (unsigned c = 0; c < operation->choice_count; c++) {
        pair[c][0] = operation->choices[c].name;
        pair[c][1] = operation->choices[c].options[profile->option[c]];
    }
    return (const char *const(*)[2])pair;
}

// All outputs that the case wants, of which nothing else is known.
static enum error want_outputs(struct asking *asking, const struct request *request,
                               struct host_request *call)
{
    const struct operation *const operation = request->operation;
    struct host_tensor *const outputs =
        arena_take_array(&asking->scratch, OPERATION_OUTPUTS_MAX, sizeof *outputs);
    if (!outputs)
        return diagnostic_no_memory(asking->diagnostic);
    call->outputs = outputs;
    call->output_count = 0;
    for (unsigned i = 0; operation->outputs[i]; i++)
        if (!request->outputs || request->outputs >> i & 1)
            outputs[call->output_count++].name = operation->outputs[i];
    return ERROR_NONE;
}

static enum error keep(struct asking *asking, const struct suite_case *of,
                       const struct host_request *call, const struct host_open *open,
                       const struct profile *profile)
{
    for (size_t i = 0; i < call->output_count; i++) {
        uint64_t count = 0;
        if (!tensor_count(&open->tensor[i], &count) || count > GOLDEN_CHUNK)
            return fail(asking, of, "gives more than 65,536 elements, which are not kept",
                        call->outputs[i].name);
        if (!array_grow(&asking->answer, asking->count, sizeof *asking->answer))
            return diagnostic_no_memory(asking->diagnostic);
        struct suite_tensor *const to = &asking->answer[asking->count++];
        *to = (struct suite_tensor){
            .name = suite_answer_name(of, call->outputs[i].name, profile, &asking->suite->arena),
            .tensor = open->tensor[i]};
        if (!to->name)
            return diagnostic_no_memory(asking->diagnostic);
    }
    return ERROR_NONE;
}

static enum error ask(struct asking *asking, const struct suite_case *of,
                      const struct request *request, const struct profile *profile)
{
    struct host_open open = {.arena = &asking->suite->arena};
    struct host_request asked;
    struct host_call call = {.request = &asked, .open = &open};
    enum error error =
        judge_convert_request(request, NULL, &asking->scratch, &asked, asking->diagnostic);
    if (!error)
        error = want_outputs(asking, request, &asked);
    if (error)
        return error;
    asked.profile = name_profile(asking, of, profile);
    host_run(asking->host, &call, 1);
    if (call.outcome == HOST_REJECTED && of->reject)
        return strstr(call.message, of->reject)
                   ? ERROR_NONE
                   : fail(asking, of, "refuses it, but not for the reason that the suite states",
                          call.message);
    if (call.outcome != HOST_OK)
        return fail(asking, of,
                    call.outcome == HOST_REJECTED ? "refuses it" : host_outcome_name(call.outcome),
                    call.message);
    return of->reject ? fail(asking, of, "answers what must be refused", "")
                      : keep(asking, of, &asked, &open, profile);
}

static enum error ask_case(struct asking *asking, const struct suite_case *of)
{
    struct profile *const profile =
        arena_take_array(&asking->scratch, SUITE_PROFILES_MAX, sizeof *profile);
    struct request request;
    size_t count = 0;
    enum error error = profile ? ERROR_NONE : diagnostic_no_memory(asking->diagnostic);
    if (!error)
        error =
            suite_case_request(asking->suite, of, &asking->scratch, &request, asking->diagnostic);
    if (!error)
        error = suite_list_profiles(asking->suite, of, profile, &count, asking->diagnostic);
    for (size_t i = 0; i < count && !error && !(of->reject && i); i++)
        error = ask(asking, of, &request, &profile[i]);
    arena_release(&asking->scratch);
    return error;
}

// Puts the answers in place of those that the golden vectors held.
static enum error take_answers(struct asking *asking)
{
    struct suite *const suite = asking->suite;
    size_t count = 0;
    struct suite_tensor *const all =
        arena_take_array(&suite->arena, suite->tensor_count + asking->count, sizeof *all);
    if (!all)
        return diagnostic_no_memory(asking->diagnostic);
    for (size_t i = 0; i < suite->tensor_count; i++)
        if (suite->tensor[i].file)
            all[count++] = suite->tensor[i];
    for (size_t i = 0; i < asking->count; i++)
        all[count++] = asking->answer[i];
    if (count)
        qsort(all, count, sizeof *all, suite_compare_tensors);
    suite->tensor = all;
    suite->tensor_count = count;
    return ERROR_NONE;
}

static enum error start(struct asking *asking, struct diagnostic *diagnostic)
{
    const struct suite *const suite = asking->suite;
    struct stat status;
    struct target target;
    const uid_t user = geteuid();
    if (stat(suite->path, &status) || (user && status.st_uid && status.st_uid != user))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s belongs to another user, whose program it names",
                               suite->path);
    const char *const folder = arena_copy_text(&asking->suite->arena, suite->path,
                                               (size_t)(file_name(suite->path) - suite->path));
    if (!folder)
        return diagnostic_no_memory(diagnostic);
    const enum error error = target_of_program(suite->program.command, folder,
                                               &asking->suite->arena, &target, diagnostic);
    return error ? error : target_open(&target, 0, &asking->host, diagnostic);
}

enum error program_ask(struct suite *suite, struct diagnostic *diagnostic)
{
    struct asking asking = {.suite = suite, .diagnostic = diagnostic};
    char message[HOST_MESSAGE_SIZE] = "";
    if (!suite->program.command)
        return ERROR_NONE;
    suite->unasked = NULL;
    enum error error = start(&asking, diagnostic);
    if (error)
        return error;
    for (size_t i = 0; i < suite->case_count && !error; i++)
        if (suite->cases[i].asked)
            error = ask_case(&asking, &suite->cases[i]);
    if (!host_close(asking.host, message) && !error)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "the program of suite %s: %.400s",
                                suite->name, message);
    if (!error)
        error = take_answers(&asking);
    free(asking.answer);
    return error;
}
