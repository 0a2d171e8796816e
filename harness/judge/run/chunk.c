// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/judge/run/answers.h"
#include "harness/judge/run/outputs.h"
#include "harness/judge/run/reference.h"
#include "harness/judge/run/relate.h"
#include "ref/base/clock.h"

enum { CHUNK_CASES = 128, CHUNK_BYTES = 4 << 20 };

// Most suites have fewer cases than a chunk may hold.
struct trial *chunk_add(struct chunk *chunk)
{
    const size_t cases = chunk->judging->supported,
                 room = cases < CHUNK_CASES ? cases : CHUNK_CASES;
    assert(chunk->count < room);
    if (!chunk->trials)
        chunk->trials = calloc(room, sizeof *chunk->trials);
    return chunk->trials ? &chunk->trials[chunk->count++] : NULL;
}

void chunk_drop(struct chunk *chunk)
{
    assert(chunk->count);
    struct trial *const last = &chunk->trials[--chunk->count];
    trial_release(last);
    memset(last, 0, sizeof *last);
}

// Bytes of its tensors, in all calls.
static size_t tensor_bytes_of(const struct chunk *chunk)
{
    size_t bytes = 0;
    for (size_t i = 0; i < chunk->count; i++)
        bytes += chunk->trials[i].bytes * (chunk->trials[i].unit_count * chunk->trials[i].runs + 1);
    return bytes;
}

// Bytes of memory that it holds: of small tensors, calls and requests take most.
static size_t bytes_held(const struct chunk *chunk)
{
    size_t bytes = chunk->count * sizeof *chunk->trials + chunk->room * sizeof *chunk->calls[0];
    for (size_t i = 0; i < chunk->count; i++) {
        const struct trial *const trial = &chunk->trials[i];
        bytes += trial->arena.used + (trial->companion ? trial->companion->arena.used : 0);
    }
    return bytes;
}

bool chunk_is_full(const struct chunk *chunk)
{
    return chunk->count == CHUNK_CASES || tensor_bytes_of(chunk) >= CHUNK_BYTES;
}

static void empty(struct chunk *chunk)
{
    for (size_t i = 0; i < chunk->count; i++)
        trial_release(&chunk->trials[i]);
    if (chunk->trials)
        memset(chunk->trials, 0, chunk->count * sizeof *chunk->trials);
    chunk->count = 0;
}

void chunk_release(struct chunk *chunk)
{
    empty(chunk);
    free(chunk->trials);
    free(chunk->calls[0]);
    *chunk = (struct chunk){.judging = chunk->judging};
}

// ---- judging ----------------------------------------------------------------

// Holds every call against the reference, up to the first that differs, of a target whose equal
// calls may give different bits.
static enum error judge_others(const struct chunk *chunk, struct trial *trial,
                               struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t u = 0; u < trial->unit_count; u++) {
        const struct trial_unit *const unit = &trial->unit[u];
        const struct host_call *const calls = &chunk->calls[unit->pass][unit->call];
        const size_t answers = unit->conditions.together ? unit->count : 1;
        for (size_t i = u ? 0 : 1; i < answers && !error; i++) {
            if (verdict_is_failure(trial->result->verdict))
                return ERROR_NONE;
            error = judge_outputs(chunk->judging->run, trial, &calls[i], diagnostic);
            trial->result->placed = verdict_is_failure(trial->result->verdict);
            trial->result->condition = unit->conditions;
        }
    }
    return error;
}

// What was run and waits to be judged. It brings along what it was run for, since its suite may
// have ended.
struct chunk_job {
    struct backlog_job job;
    struct judging judging;
    struct chunk chunk;
    size_t judged;
};

static enum error judge(const struct chunk *chunk, struct trial *trial,
                        struct diagnostic *diagnostic)
{
    struct judge_run *const run = chunk->judging->run;
    const struct host_call *valued = NULL;
    enum error error =
        trial_judge(trial, &run->description, chunk->calls, &run->arena, &valued, diagnostic);
    if (valued && chunk->judging->plan.alone)
        trial->result->bits = answers_hash(trial, valued);
    if (trial->result->refused && !error)
        error = judge_may_refuse(run->suite, trial->of, &trial->result->refused, diagnostic);
    const bool relates = trial->of->relation.kind != RELATION_NONE;
    if (valued && relates && !error)
        error = relate_judge(run, trial, valued, diagnostic);
    if (valued && !error && (!relates || relate_is_valued(trial)))
        error = judge_outputs(run, trial, valued, diagnostic);
    if (valued && !relates && !error && trial->result->required == LEVEL_BOUND &&
        (run->description.capabilities & ASSAY_CAPABILITY_NONDETERMINISTIC ||
         (run->description.process && run->description.feed_count > 1)))
        error = judge_others(chunk, trial, diagnostic);
    if (!error)
        error = answers_keep(run, trial, chunk->calls, diagnostic);
    if (trial->reshaped && !error && trial->result->verdict == VERDICT_FAIL &&
        trial->result->output_count)
        error = judge_reshaped(run, trial, diagnostic);
    if (trial->received && !error)
        error = judge_received(run, trial, diagnostic);
    if (verdict_is_failure(trial->result->verdict) && trial->printed)
        trial->result->printed =
            arena_copy_text(&run->arena, trial->printed, strlen(trial->printed));
    return error;
}

static bool judge_next(struct backlog_job *job, enum error *error, struct diagnostic *diagnostic)
{
    struct chunk_job *const of = (struct chunk_job *)job;
    if (of->judged == of->chunk.count)
        return false;
    *error = judge(&of->chunk, &of->chunk.trials[of->judged++], diagnostic);
    return true;
}

static void release_job(struct backlog_job *job)
{
    struct chunk_job *const of = (struct chunk_job *)job;
    chunk_release(&of->chunk);
    free(of);
}

// Of a suite's only case it is said what the target printed.
static enum error keep_printed(struct chunk *chunk, struct diagnostic *diagnostic)
{
    if (chunk->judging->run->result_count != 1)
        return ERROR_NONE;
    const char *const printed = host_printed(chunk->judging->host);
    struct trial *const trial = &chunk->trials[0];
    if (!printed[0])
        return ERROR_NONE;
    trial->printed = arena_copy_text(&trial->arena, printed, strlen(printed));
    return trial->printed ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error chunk_leave(struct chunk *chunk, struct judge_backlog *backlog,
                       struct diagnostic *diagnostic)
{
    const enum error error = keep_printed(chunk, diagnostic);
    struct chunk_job *const left = error ? NULL : malloc(sizeof *left);
    if (!left)
        return error ? error : diagnostic_no_memory(diagnostic);
    *left = (struct chunk_job){
        .job = {.bytes = bytes_held(chunk), .work = judge_next, .release = release_job},
        .judging = *chunk->judging,
        .chunk = *chunk};
    left->chunk.judging = &left->judging;
    *chunk = (struct chunk){.judging = chunk->judging};
    return backlog_put(backlog, &left->job, diagnostic);
}

// ---- running ----------------------------------------------------------------

// Room for the calls of both passes.
static enum error take_calls(struct chunk *chunk, const size_t total[2],
                             struct diagnostic *diagnostic)
{
    const size_t all = total[0] + total[1];
    if (all > chunk->room) {
        free(chunk->calls[0]);
        chunk->calls[0] = calloc(all, sizeof *chunk->calls[0]);
        chunk->room = chunk->calls[0] ? all : 0;
    }
    if (all && !chunk->calls[0])
        return diagnostic_no_memory(diagnostic);
    chunk->calls[1] = chunk->calls[0] ? chunk->calls[0] + total[0] : NULL;
    return ERROR_NONE;
}

// The calls of one pass follow those of the other without a wait.
static enum error run_passes(struct chunk *chunk, struct diagnostic *diagnostic)
{
    size_t total[2] = {0, 0};
    for (size_t i = 0; i < chunk->count; i++)
        for (unsigned pass = 0; pass < 2; pass++)
            total[pass] += trial_call_count(&chunk->trials[i], pass);
    enum error error = take_calls(chunk, total, diagnostic);
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t k = 0, at = 0; k < chunk->count && !error; k++) {
            struct trial *const trial = &chunk->trials[pass ? chunk->count - 1 - k : k];
            error = trial_make_calls(trial, pass, chunk->calls[pass], at, diagnostic);
            at += trial_call_count(trial, pass);
        }
    if (!error)
        host_run(chunk->judging->host, chunk->calls[0], total[0] + total[1]);
    return error;
}

// ---- other shapes -----------------------------------------------------------

// Profiles are many and the shapes that they ask for few: each is tried once.
enum { SHAPES_MAX = 16 };

// The calls of a trial in one pass stand one after the other.
static struct host_call *find_calls(const struct trial *trial, struct host_call *const *calls,
                                    unsigned pass, size_t *count)
{
    *count = trial_call_count(trial, pass);
    for (size_t u = 0; u < trial->unit_count; u++)
        if (trial->unit[u].pass == pass)
            return &calls[pass][trial->unit[u].call];
    return NULL;
}

static bool has_other_shape(const struct trial *trial, struct host_call *const *calls)
{
    for (size_t u = 0; u < trial->unit_count; u++)
        for (size_t i = 0; i < trial->unit[u].count; i++)
            if (calls[trial->unit[u].pass][trial->unit[u].call + i].outcome == HOST_WRONG_RESULT)
                return true;
    return false;
}

static enum error run_again(const struct judging *judging, struct trial *trial,
                            struct host_call *const *calls, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned pass = 0; pass < 2 && !error; pass++) {
        size_t count;
        struct host_call *const first = find_calls(trial, calls, pass, &count);
        if (!count)
            continue;
        error =
            trial_make_calls(trial, pass, calls[pass], (size_t)(first - calls[pass]), diagnostic);
        if (!error)
            host_run(judging->host, first, count);
    }
    return error;
}

// Copies the trial's calls to `kept` or, with `back`, from there.
static void keep_calls(const struct trial *trial, struct host_call *const *calls,
                       struct host_call *kept, bool back)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t count;
        struct host_call *const first = find_calls(trial, calls, pass, &count);
        if (count)
            memcpy(back ? first : kept, back ? kept : first, count * sizeof *kept);
        kept += count;
    }
}

// Whether a call that was tried before asked for the outputs of this one.
static bool was_tried(const struct host_request *const *tried, size_t count,
                      const struct host_request *call)
{
    for (size_t k = 0; k < count; k++) {
        size_t same = 0;
        while (same < call->output_count && tried[k]->output_count == call->output_count &&
               tried[k]->outputs[same].tensor.dtype == call->outputs[same].tensor.dtype &&
               tensor_same_shape(&tried[k]->outputs[same].tensor, &call->outputs[same].tensor))
            same++;
        if (same == call->output_count)
            return true;
    }
    return false;
}

static enum error try_profiles(const struct judging *judging, struct trial *trial,
                               struct host_call *const *calls, const struct named_profile *profiles,
                               size_t count, const char *message, struct diagnostic *diagnostic)
{
    const struct judge_run *const run = judging->run;
    const struct host_request *tried[SHAPES_MAX];
    const struct trial first = *trial;
    size_t tries = 0;
    for (size_t i = 1; i < count && tries < SHAPES_MAX; i++) {
        struct named_profile profile = profiles[i];
        profiles_restrict(run->suite, trial->of, &profile);
        struct trial other = first;
        other.arena = trial->arena;
        enum error error =
            trial_reshape(run->suite, &profile, &run->description, &other, diagnostic);
        trial->arena = other.arena;
        if (error == ERROR_UNSUPPORTED || (!error && was_tried(tried, tries, &other.call)))
            continue;
        struct host_request *const copy = error ? NULL : arena_take(&trial->arena, sizeof *copy);
        if (!error && !copy)
            error = diagnostic_no_memory(diagnostic);
        if (error)
            return error;
        *copy = other.call;
        tried[tries++] = copy;
        other.arena = trial->arena;
        error = run_again(judging, &other, calls, diagnostic);
        const bool fits = !error && !has_other_shape(&other, calls);
        trial->arena = other.arena;
        if (error)
            return error;
        if (fits) {
            *trial = other;
            trial->message = arena_copy_text(&trial->arena, message, strlen(message));
            return trial->message ? ERROR_NONE : diagnostic_no_memory(diagnostic);
        }
    }
    return ERROR_NONE;
}

// Runs the calls of a trial again, under each allowed profile that asks for other types or shapes,
// until none gives a wrong one; trial and calls are then of that profile. Where all do, they are as
// before.
static enum error reshape_trial(const struct judging *judging, struct trial *trial,
                                struct host_call *const *calls, struct diagnostic *diagnostic)
{
    if (trial->negative || trial->chance || !has_other_shape(trial, calls))
        return ERROR_NONE;
    bool complete;
    struct named_profile *const profiles = calloc(PROFILES_ALLOWED_MAX, sizeof *profiles);
    struct host_call *const kept =
        calloc(trial_call_count(trial, 0) + trial_call_count(trial, 1), sizeof *kept);
    enum error error = profiles && kept ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error) {
        keep_calls(trial, calls, kept, false);
        error = try_profiles(
            judging, trial, calls, profiles,
            profiles_list_allowed(judging->run->suite, profiles, PROFILES_ALLOWED_MAX, &complete),
            kept->message, diagnostic);
    }
    if (!error && !trial->reshaped)
        keep_calls(trial, calls, kept, true);
    free(profiles);
    free(kept);
    return error;
}

// ---- more draws -------------------------------------------------------------

// More draws of one trial, which wait to be audited.
struct draws_job {
    struct backlog_job job;
    struct judge_run *run;
    struct trial *trial;
    struct trial_draws more[TRIAL_MORE];
    struct arena arena;
};

static bool audit(struct backlog_job *job, enum error *error, struct diagnostic *diagnostic)
{
    struct draws_job *const of = (struct draws_job *)job;
    if (of->more[0].call && of->more[1].call)
        *error = trial_audit_draws(of->trial, of->more, &of->run->arena, &of->arena, diagnostic);
    return false;
}

static void release_draws(struct backlog_job *job)
{
    struct draws_job *const of = (struct draws_job *)job;
    arena_release(&of->arena);
    free(of);
}

static bool may_draw(const struct chunk *chunk, const struct trial *trial)
{
    return trial->chance && !trial->of->relation.kind &&
           chunk->calls[trial->unit[0].pass][trial->unit[0].call].answered;
}

// Runs what asks for more draws; the backlog audits them before it judges the trial.
static enum error draw_more(const struct judging *judging, struct trial *trial,
                            struct judge_backlog *backlog, struct diagnostic *diagnostic)
{
    static const unsigned ranks[TRIAL_MORE] = {1, 3};
    struct draws_job *const drawn = calloc(1, sizeof *drawn);
    if (!drawn)
        return diagnostic_no_memory(diagnostic);
    *drawn = (struct draws_job){
        .job = {.work = audit, .release = release_draws}, .run = judging->run, .trial = trial};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < TRIAL_MORE && !error; i++) {
        struct trial_draws *const more = &drawn->more[i];
        error = trial_make_draws(trial, ranks[i], i > 0, &drawn->arena, more, diagnostic);
        if (!error && more->call)
            host_run(judging->host, more->call, 1);
        if (more->call && more->call->outcome == HOST_UNRECORDED)
            more->call = NULL;
    }
    drawn->job.bytes = drawn->arena.used;
    if (!error)
        return backlog_put(backlog, &drawn->job, diagnostic);
    release_draws(&drawn->job);
    return error;
}

static bool draws_afresh(const struct chunk *chunk, const struct trial *trial)
{
    return may_draw(chunk, trial) && !trial->repeats && !chunk->judging->plan.alone;
}

// Runs the first call of each trial that draws without a seed in a process of its own.
static enum error draw_afresh(struct chunk *chunk, unsigned round, bool *any,
                              struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < chunk->count; i++) {
        struct trial *const trial = &chunk->trials[i];
        struct host_call *call = NULL;
        if (!draws_afresh(chunk, trial))
            continue;
        const enum error error = trial_make_alone(trial, &call, diagnostic);
        if (error)
            return error;
        host_renew(chunk->judging->host);
        host_run(chunk->judging->host, call, 1);
        trial->fresh[round] = call;
        *any = true;
    }
    return ERROR_NONE;
}

// A target may take its seed from a clock that counts seconds: between the processes that begin
// afresh lies more than one. The trials of a chunk share the wait for it, in which more is drawn.
static enum error draw(struct chunk *chunk, struct judge_backlog *backlog,
                       struct diagnostic *diagnostic)
{
    enum { APART = 1100000000 }; // nanoseconds
    bool any = false;
    enum error error = draw_afresh(chunk, 0, &any, diagnostic);
    const uint64_t start = clock_now();
    for (size_t i = 0; i < chunk->count && !error; i++)
        if (may_draw(chunk, &chunk->trials[i]))
            error = draw_more(chunk->judging, &chunk->trials[i], backlog, diagnostic);
    if (error || !any)
        return error;
    const uint64_t passed = clock_now() - start;
    if (passed < APART && !chunk->judging->run->description.replayed) {
        const uint64_t rest = APART - passed;
        const struct timespec wait = {.tv_sec = (time_t)(rest / 1000000000),
                                      .tv_nsec = (long)(rest % 1000000000)};
        nanosleep(&wait, NULL);
    }
    return draw_afresh(chunk, 1, &any, diagnostic);
}

static enum error relate_trial(const struct judging *judging, struct trial *trial,
                               struct host_call *const *calls, struct diagnostic *diagnostic)
{
    const struct host_call *const first = &calls[trial->unit[0].pass][trial->unit[0].call];
    return first->answered ? relate_run(judging->run, judging->host, trial, first, diagnostic)
                           : ERROR_NONE;
}

enum error chunk_run(struct chunk *chunk, struct judge_backlog *backlog,
                     struct diagnostic *diagnostic)
{
    assert(chunk->judging->host && chunk->count);
    enum error error = run_passes(chunk, diagnostic);
    for (size_t i = 0; i < chunk->count && !error; i++)
        error = chunk->trials[i].of->relation.kind
                    ? relate_trial(chunk->judging, &chunk->trials[i], chunk->calls, diagnostic)
                    : reshape_trial(chunk->judging, &chunk->trials[i], chunk->calls, diagnostic);
    return error ? error : draw(chunk, backlog, diagnostic);
}
