// SPDX-License-Identifier: Apache-2.0
// Cases are asked about a few at a time, without their large inputs.

#include "harness/judge/run/support.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/chunk.h"
#include "harness/judge/run/queue.h"
#include "harness/judge/run/relate.h"
#include "harness/judge/run/trial.h"

enum { SUPPORT_KEEP_BYTES = 48 << 20 };

// Few at a time: inputs may be large, and other processes wait for the last answer.
enum { SUPPORT_ASK = 64, SUPPORT_ASK_WHOLE = 4 };

struct asking {
    struct judge_run *run;
    struct host *host;
    const struct judge_options *options;
    struct trial trials[SUPPORT_ASK];
    struct host_call calls[SUPPORT_ASK];
};

static uint64_t output_bytes(const struct trial *trial)
{
    uint64_t bytes = 0;
    for (size_t o = 0; o < trial->call.output_count; o++)
        bytes += trial_output_count(trial, o) * dtype_size(trial->call.outputs[o].tensor.dtype) *
                 trial->runs;
    return bytes;
}

static const char *copy_text(struct arena *arena, const char *text)
{
    return text[0] ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

static bool is_asked(const struct asking *asking, size_t i)
{
    return !asking->options->parent || queue_is_of_part(asking->run, asking->options, i);
}

// Makes the calls for results [first, first + count), and returns how many there are to make.
static enum error make_calls(struct asking *asking, size_t first, size_t count, size_t *calls,
                             struct diagnostic *diagnostic)
{
    struct judge_run *const run = asking->run;
    *calls = 0;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        struct trial *const trial = &asking->trials[i];
        result->verdict = VERDICT_PASS; // so far
        if (!is_asked(asking, first + i))
            continue;
        const enum error error = trial_make(run->suite, result->of, &run->description,
                                            !run->description.kept, trial, diagnostic);
        result->required = trial_required_level(trial);
        if (error == ERROR_INTERNAL)
            return error;
        if (error) {
            result->verdict = error == ERROR_UNSUPPORTED ? VERDICT_UNSUPPORTED : VERDICT_HARNESS;
            result->reason = copy_text(&run->arena, diagnostic->text);
        } else
            asking->calls[(*calls)++] =
                (struct host_call){.request = &trial->call, .of = trial->label, .ask = true};
    }
    return ERROR_NONE;
}

// A trial does not last.
static bool keep_nearest(struct judge_run *run, const struct trial *trial,
                         struct judge_result *result)
{
    struct inference *const kept = arena_take(&run->arena, sizeof *kept);
    if (kept)
        *kept = *trial->nearest;
    result->nearest = kept;
    return kept;
}

static enum error take_answers(struct asking *asking, size_t first, size_t count,
                               struct diagnostic *diagnostic)
{
    struct judge_run *const run = asking->run;
    const struct host_call *call = asking->calls;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        if (result->verdict != VERDICT_PASS || !is_asked(asking, first + i))
            continue;
        result->verdict = verdict_of_outcome(call->outcome);
        result->reason = copy_text(&run->arena, call->message);
        const enum error error =
            result->verdict == VERDICT_PASS && run->description.replayed
                ? trial_plan_recorded(&asking->trials[i], asking->host, diagnostic)
                : ERROR_NONE;
        if (error && error != ERROR_UNSUPPORTED)
            return error;
        if (error) {
            result->verdict = VERDICT_UNSUPPORTED;
            result->reason = copy_text(&run->arena, diagnostic->text);
        }
        if (asking->trials[i].nearest && !keep_nearest(run, &asking->trials[i], result))
            return diagnostic_no_memory(diagnostic);
        result->bytes = output_bytes(&asking->trials[i]);
        result->windowed = result->verdict == VERDICT_PASS && asking->trials[i].windows;
        call++;
    }
    return ERROR_NONE;
}

// Asks about the other requests of cases that have a relation.
static enum error ask_parts(struct asking *asking, size_t first, size_t count,
                            struct diagnostic *diagnostic)
{
    struct judge_run *const run = asking->run;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++) {
        struct judge_result *const result = &run->result[first + i];
        const char *reason = "";
        if (!result->of->relation.kind || result->verdict != VERDICT_PASS ||
            !is_asked(asking, first + i))
            continue;
        error = relate_ask(run, asking->host, &asking->trials[i], &result->verdict, &reason,
                           diagnostic);
        if (!error && result->verdict != VERDICT_PASS)
            result->reason = copy_text(&run->arena, reason);
    }
    return error;
}

static enum error ask_some(struct asking *asking, size_t first, size_t count,
                           struct diagnostic *diagnostic)
{
    size_t calls = 0;
    enum error error = make_calls(asking, first, count, &calls, diagnostic);
    if (!error) {
        host_run(asking->host, asking->calls, calls);
        error = take_answers(asking, first, count, diagnostic);
        if (!error)
            error = ask_parts(asking, first, count, diagnostic);
    }
    for (size_t i = 0; i < count; i++)
        trial_release(&asking->trials[i]);
    memset(asking->trials, 0, count * sizeof *asking->trials);
    return error;
}

// ---- processes of a pool ----------------------------------------------------

// Tells the other processes. Who asked about a case that is not to be run reports it.
static void tell(struct judge_run *run, struct judge_pool *pool, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        struct judge_result *const result = &run->result[i];
        atomic_store(&pool->of[i].bytes, result->bytes);
        atomic_store(&pool->of[i].windowed, result->windowed);
        atomic_store(&pool->of[i].answer, (uint32_t)result->verdict + 1);
        result->mine = result->verdict != VERDICT_PASS;
    }
    atomic_fetch_add(&pool->asked, count);
}

static enum error hear(struct judge_run *run, struct judge_pool *pool,
                       struct diagnostic *diagnostic)
{
    if (!judge_pool_wait(pool, run->result_count))
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "another process of this certification has ended");
    for (size_t i = 0; i < run->result_count; i++) {
        run->result[i].bytes = atomic_load(&pool->of[i].bytes);
        run->result[i].windowed = atomic_load(&pool->of[i].windowed) != 0;
        run->result[i].verdict = (enum verdict)(atomic_load(&pool->of[i].answer) - 1);
    }
    return ERROR_NONE;
}

// ---- all together -----------------------------------------------------------

// Whether the outputs are kept where they differ is settled before anything runs, so that it does
// not depend on what ran before. Each step has room of its own, since a part does not ask about the
// steps of others.
static void plan_to_keep(struct judge_run *run, const struct judge_options *options)
{
    const size_t *const parent = options->parent;
    const size_t room =
        SUPPORT_KEEP_BYTES / (parent ? parent[run->result_count - 1] + 1 : (size_t)1);
    uint64_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        struct judge_result *const result = &run->result[i];
        result->keeps = result->verdict == VERDICT_PASS && suite_case_is_answered(result->of) &&
                        kept + result->bytes <= room;
        kept += result->keeps && !parent ? result->bytes : 0;
    }
}

enum error support_ask(struct judge_run *run, struct host *host,
                       const struct judge_options *options, struct diagnostic *diagnostic)
{
    struct judge_pool *const pool = options->pool;
    struct asking *const asking = calloc(1, sizeof *asking);
    enum error error = asking ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (asking)
        *asking = (struct asking){.run = run, .host = host, .options = options};
    // Where a record tells requests apart by all of their data, the data are made for the question.
    const size_t most = run->description.kept ? SUPPORT_ASK_WHOLE : SUPPORT_ASK;
    for (size_t next = 0; !error; next += most) {
        const size_t at = pool ? (size_t)judge_pool_take(pool, &pool->next_asked, most) : next;
        if (at >= run->result_count)
            break;
        const size_t left = run->result_count - at, count = left < most ? left : most;
        error = ask_some(asking, at, count, diagnostic);
        if (!error && pool)
            tell(run, pool, at, count);
    }
    free(asking);
    if (!error && pool)
        error = hear(run, pool, diagnostic);
    if (!error)
        plan_to_keep(run, options);
    return error;
}
