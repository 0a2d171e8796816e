// SPDX-License-Identifier: Apache-2.0
// Each window is a case of its own on its way through the target, with the conditions, the outcomes
// and the comparison of any other.

#include "harness/judge/run/windows.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/reference.h"
#include "harness/judge/compare/compare.h"
#include "harness/judge/compare/window.h"
#include "ref/variant/variant.h"

// Window `k` of the reference's output under the request's profile; NULL where it has another type
// or shape.
static enum error make_window(const struct request *request, const struct judge_output *output,
                              uint64_t k, struct arena *arena, const struct tensor **made,
                              struct diagnostic *diagnostic)
{
    struct evaluation evaluation;
    struct request windowed = *request;
    windowed.windowed = true;
    windowed.window_count = window_place(output->count, k, &windowed.window_first);
    const enum error error = variant_evaluate(&windowed, arena, &evaluation, diagnostic);
    const struct tensor *const tensor = error ? NULL : &evaluation.tensor[output->index];
    *made = tensor && tensor_present(tensor) && tensor->dtype == output->tensor.dtype &&
                    tensor_same_shape(tensor, &output->tensor)
                ? tensor
                : NULL;
    return error;
}

// Whether the reference's window `k` under the request's profile is what the target gave: what the
// digest was made of or, where there is none, what the default profile gives.
static enum error match_window(const struct request *request, const struct request *plain,
                               const struct judge_output *output, uint64_t k,
                               const unsigned char wanted[DIGEST_SIZE], bool *same,
                               struct diagnostic *diagnostic)
{
    static const unsigned char none[DIGEST_SIZE];
    struct arena arena = {0};
    const struct tensor *made, *by_default;
    uint64_t first;
    const uint64_t count = window_place(output->count, k, &first);
    unsigned char digest[DIGEST_SIZE] = {0};
    enum error error = make_window(request, output, k, &arena, &made, diagnostic);
    *same = !error && made;
    if (*same && memcmp(wanted, none, DIGEST_SIZE) != 0) {
        error = window_digest(made->dtype, made->data, count, digest, diagnostic);
        *same = !error && !memcmp(digest, wanted, DIGEST_SIZE);
    } else if (*same) {
        error = make_window(plain, output, k, &arena, &by_default, diagnostic);
        *same = !error && by_default &&
                compare_first_difference(made->dtype, made->data, by_default->data, count) == count;
    }
    arena_release(&arena);
    return error;
}

enum error windows_match(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic)
{
    assert(result->windows && result->output_count == 1);
    static const struct named_profile by_default;
    const struct judge_output *const output = &result->outputs[0];
    struct arena arena = {0};
    struct request request, plain;
    enum error error = judge_make_request(suite, result->of, profile, &arena, &request, diagnostic);
    if (!error)
        error = judge_make_request(suite, result->of, &by_default, &arena, &plain, diagnostic);
    // A window of what is computed whole costs the whole: worth it only for a profile by which the
    // target may be judged.
    bool same =
        !error && (variant_streams(&request) || profiles_is_allowed(suite, result->of, profile));
    for (uint64_t k = 0; k < window_count(output->count) && same && !error; k++)
        error = match_window(&request, &plain, output, k, result->windows + k * DIGEST_SIZE, &same,
                             diagnostic);
    arena_release(&arena);
    *matches = same && !error;
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// ---- judging ----------------------------------------------------------------

// A window on its way through the target: a case of its own, in a run of its own.
struct passage {
    struct suite_case of;
    struct judge_result result;
    struct judge_run run;
    struct judging judging;
    struct chunk chunk;
    uint64_t window[2], at;
    unsigned char digest[DIGEST_SIZE];
};

// Adds a copy of the window's result, which outlives the memory that it was judged in.
static enum error keep_window(struct judge_run *run, struct judge_result *to,
                              const struct judge_result *from, uint64_t at,
                              struct diagnostic *diagnostic)
{
    struct judge_window *const window = arena_take(&run->arena, sizeof *window);
    if (!window)
        return diagnostic_no_memory(diagnostic);
    struct judge_result *const kept = &window->result;
    *window = (struct judge_window){.next = to->window, .at = at, .result = *from};
    kept->of = to->of;
    kept->reason =
        from->reason ? arena_copy_text(&run->arena, from->reason, strlen(from->reason)) : NULL;
    kept->printed =
        from->printed ? arena_copy_text(&run->arena, from->printed, strlen(from->printed)) : NULL;
    kept->output_count = from->valued;
    kept->outputs = from->valued ? arena_take(&run->arena, sizeof *kept->outputs) : NULL;
    kept->windows = from->valued ? arena_take(&run->arena, DIGEST_SIZE) : NULL;
    kept->digest = NULL;
    if ((from->reason && !kept->reason) || (from->printed && !kept->printed) ||
        (from->valued && (!kept->outputs || !kept->windows)))
        return diagnostic_no_memory(diagnostic);
    if (from->valued) {
        *kept->outputs = from->outputs[0];
        kept->outputs->tensor.data = NULL;
        kept->outputs->digest = NULL;
        kept->outputs->picture = NULL;
        memcpy(kept->windows, from->digest, DIGEST_SIZE);
    }
    to->window = window;
    return ERROR_NONE;
}

// Makes a trial of window `k` of an output of `total` elements, as case `number`.
static enum error enter(const struct judging *judging, const struct judge_result *result,
                        size_t number, uint64_t total, uint64_t k, struct passage *passage,
                        struct diagnostic *diagnostic)
{
    const struct judge_run *const run = judging->run;
    passage->at = k;
    passage->window[1] = window_place(total, k, &passage->window[0]);
    passage->of = *result->of;
    passage->of.window = passage->window;
    memset(passage->digest, 0, DIGEST_SIZE);
    passage->result = (struct judge_result){
        .of = &passage->of, .required = result->required, .mine = true, .digest = passage->digest};
    passage->run = (struct judge_run){.suite = run->suite,
                                      .description = run->description,
                                      .model = run->model,
                                      .mode = run->mode,
                                      .allowed = run->allowed,
                                      .allowed_count = run->allowed_count,
                                      .result = &passage->result,
                                      // What a target prints is kept where there is one case.
                                      .result_count = run->result_count};
    passage->judging = *judging;
    passage->judging.run = &passage->run;
    passage->judging.supported = 1;
    passage->chunk.judging = &passage->judging;
    struct trial *const trial = chunk_add(&passage->chunk);
    if (!trial)
        return diagnostic_no_memory(diagnostic);
    const enum error error =
        trial_make(run->suite, &passage->of, &run->description, false, trial, diagnostic);
    if (error)
        return error;
    trial->result = &passage->result;
    trial_plan(trial, &run->description, &judging->plan, number, judging->supported);
    return ERROR_NONE;
}

// Adds a window that was judged to the case's result.
static enum error leave(struct judge_run *run, struct judge_result *result, struct passage *passage,
                        bool *answered, struct diagnostic *diagnostic)
{
    const enum error error = keep_window(run, result, &passage->result, passage->at, diagnostic);
    arena_release(&passage->run.arena);
    *answered = passage->result.valued;
    return error;
}

// Each window runs while the one before it is judged. What ran beside the judgement that ended the
// case is not looked at.
static enum error judge_all(const struct judging *judging, const struct queue_case *next,
                            uint64_t total, struct passage passage[2],
                            struct judge_backlog *backlog, struct diagnostic *diagnostic)
{
    const struct queue_windows *const windows = &next->windows;
    const uint64_t count = window_count(total);
    struct passage *before = NULL;
    enum error error = ERROR_NONE;
    bool answered = true;
    unsigned turn = 0;
    for (uint64_t k = queue_first_window(windows); answered && !error && (k < count || before);
         turn = !turn) {
        struct passage *const one = k < count ? &passage[turn] : NULL;
        if (one)
            error =
                enter(judging, next->result, next->number + (size_t)k, total, k, one, diagnostic);
        if (!error && one)
            error = chunk_run(&one->chunk, backlog, diagnostic);
        if (!error)
            error = backlog_wait(backlog, diagnostic);
        if (!error && one)
            error = chunk_leave(&one->chunk, backlog, diagnostic);
        if (!error && before)
            error = leave(judging->run, next->result, before, &answered, diagnostic);
        if (!answered)
            queue_end_windows(windows, before->at);
        before = one;
        k = one ? queue_next_window(windows, k) : k;
    }
    return error;
}

enum error windows_judge(const struct judging *judging, const struct trial *trial,
                         const struct queue_case *next, struct judge_backlog *backlog,
                         struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    const int output = operation_output(trial->request.operation, trial->call.outputs[0].name);
    uint64_t total = 0;
    assert(trial->windows && result == next->result);
    tensor_count(&trial->inference.output[output], &total);
    struct passage *const passage = calloc(2, sizeof *passage);
    enum error error = passage ? judge_all(judging, next, total, passage, backlog, diagnostic)
                               : diagnostic_no_memory(diagnostic);
    if (!error)
        error = backlog_wait(backlog, diagnostic);
    for (unsigned i = 0; i < 2 && passage; i++) {
        chunk_release(&passage[i].chunk);
        arena_release(&passage[i].run.arena);
    }
    free(passage);
    result->mine = result->window != NULL;
    return error || next->windows.shared ? error : windows_join(judging->run, result, diagnostic);
}

// ---- joining ----------------------------------------------------------------

static void add_comparison(struct comparison *to, const struct comparison *from, uint64_t first)
{
    to->compared += from->compared;
    to->wrong += from->wrong;
    for (size_t i = 0; i < from->element_count && to->element_count < COMPARE_ELEMENTS_MAX; i++) {
        to->element[to->element_count] = from->element[i];
        to->element[to->element_count++].at += first;
    }
}

// The first window against which something speaks stands for the case; its elements are counted in
// the whole output.
static enum error add_window(struct judge_run *run, struct judge_result *to,
                             const struct judge_result *from, uint64_t first, uint64_t count,
                             struct diagnostic *diagnostic)
{
    if (from->conditions > to->conditions)
        to->conditions = from->conditions;
    to->compared += from->compared;
    to->nanoseconds += from->nanoseconds == UINT64_MAX ? 0 : from->nanoseconds;
    to->valued = to->valued && from->valued;
    to->by_default = to->by_default && from->by_default;
    if (from->output_count)
        add_comparison(&to->outputs->comparison, &from->outputs->comparison, first);
    if (to->verdict != VERDICT_PASS || from->verdict == VERDICT_PASS)
        return ERROR_NONE;
    to->verdict = from->verdict;
    to->placed = from->placed;
    to->condition = from->condition;
    to->printed =
        from->printed ? arena_copy_text(&run->arena, from->printed, strlen(from->printed)) : NULL;
    to->reason = arena_print(&run->arena, "elements %" PRIu64 " to %" PRIu64 "%s%s", first,
                             first + count - 1, from->reason ? ": " : " have wrong ones",
                             from->reason ? from->reason : "");
    return to->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// The windows in their order; NULL where one is not there.
static enum error sort_windows(const struct judge_result *result,
                               const struct judge_window **windows, uint64_t count,
                               struct diagnostic *diagnostic)
{
    for (const struct judge_window *window = result->window; window; window = window->next) {
        if (window->at >= count || windows[window->at])
            return diagnostic_fail(diagnostic, ERROR_INPUT, "window %" PRIu64 " of case %s is %s",
                                   window->at, result->of->id,
                                   window->at >= count ? "none of its output" : "there twice");
        windows[window->at] = window;
    }
    return ERROR_NONE;
}

// Elements of the whole output, as every window that was answered says; 0 where none was.
static uint64_t find_total(const struct judge_result *result, const struct judge_output **output)
{
    uint64_t total = 0;
    *output = NULL;
    for (const struct judge_window *window = result->window; window && !*output;
         window = window->next)
        *output = window->result.output_count ? window->result.outputs : NULL;
    return *output && tensor_count(&(*output)->tensor, &total) ? total : 0;
}

static bool fits(const struct judge_result *window, uint64_t k, uint64_t total,
                 const struct judge_output *like)
{
    uint64_t first;
    return !window->valued ||
           (window->output_count == 1 && window->windows && window->outputs->index == like->index &&
            window->outputs->tensor.dtype == like->tensor.dtype &&
            tensor_same_shape(&window->outputs->tensor, &like->tensor) &&
            window->outputs->count == window_place(total, k, &first));
}

static enum error join_sorted(struct judge_run *run, struct judge_result *result,
                              const struct judge_window *const *windows, uint64_t total,
                              const struct judge_output *like, struct diagnostic *diagnostic)
{
    const uint64_t count = total ? window_count(total) : 1; // the first of them at least was judged
    for (uint64_t k = 0; k < count && result->valued; k++) {
        const struct judge_result *const window = windows[k] ? &windows[k]->result : NULL;
        uint64_t first = 0;
        if (!window)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "no part holds window %" PRIu64 " of case %s of %s", k,
                                   result->of->id, run->suite->name);
        if (!fits(window, k, total, like))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "window %" PRIu64 " of case %s is not one of its output", k,
                                   result->of->id);
        const uint64_t elements = total ? window_place(total, k, &first) : WINDOW_ELEMENTS;
        const enum error error = add_window(run, result, window, first, elements, diagnostic);
        if (error)
            return error;
        if (window->valued)
            memcpy(result->windows + k * DIGEST_SIZE, window->windows, DIGEST_SIZE);
    }
    return ERROR_NONE;
}

enum error windows_join(struct judge_run *run, struct judge_result *result,
                        struct diagnostic *diagnostic)
{
    const struct judge_output *like;
    const uint64_t total = find_total(result, &like), count = window_count(total);
    if (count > WINDOWS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "case %s has too many windows",
                               result->of->id);
    const struct judge_window **const windows = calloc(WINDOWS_MAX, sizeof *windows);
    result->outputs = arena_take(&run->arena, sizeof *result->outputs);
    result->windows = arena_take_array(&run->arena, count + 1, DIGEST_SIZE);
    enum error error = windows && result->outputs && result->windows
                           ? ERROR_NONE
                           : diagnostic_no_memory(diagnostic);
    if (!error && like) {
        *result->outputs = *like;
        result->outputs->count = total;
        result->outputs->run = 0;
        result->outputs->tensor.data = NULL;
        result->outputs->digest = NULL;
        result->outputs->picture = NULL;
        result->outputs->comparison = (struct comparison){.compared = 0};
    }
    result->verdict = VERDICT_PASS;
    result->mine = result->valued = result->by_default = true;
    result->required = result->window ? result->window->result.required : result->required;
    result->nanoseconds = result->compared = 0;
    result->conditions = 0;
    if (!error)
        error = sort_windows(result, windows, count ? count : WINDOWS_MAX, diagnostic);
    if (!error)
        error = join_sorted(run, result, windows, total, like, diagnostic);
    free(windows);
    result->output_count = result->valued;
    result->windowed = false;
    result->window = NULL;
    return error;
}
