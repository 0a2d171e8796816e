// SPDX-License-Identifier: Apache-2.0
// The host calls the judge of the chunk before whenever it would wait for an answer.

#include "harness/judge/run/chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/answers.h"
#include "harness/judge/run/outputs.h"

enum { CHUNK_CASES = 256, CHUNK_BYTES = 24 << 20 };

struct trial *chunk_add(struct chunk *chunk)
{
    assert(chunk->count < CHUNK_CASES);
    if (!chunk->trials)
        chunk->trials = calloc(CHUNK_CASES, sizeof *chunk->trials);
    return chunk->trials ? &chunk->trials[chunk->count++] : NULL;
}

void chunk_drop(struct chunk *chunk)
{
    assert(chunk->count);
    struct trial *const last = &chunk->trials[--chunk->count];
    trial_release(last);
    memset(last, 0, sizeof *last);
}

bool chunk_is_full(const struct chunk *chunk)
{
    size_t bytes = 0;
    for (size_t i = 0; i < chunk->count; i++)
        bytes += chunk->trials[i].bytes * (chunk->trials[i].unit_count * chunk->trials[i].runs + 1);
    return chunk->count == CHUNK_CASES || bytes >= CHUNK_BYTES;
}

static void empty(struct chunk *chunk)
{
    for (size_t i = 0; i < chunk->count; i++)
        trial_release(&chunk->trials[i]);
    if (chunk->trials)
        memset(chunk->trials, 0, chunk->count * sizeof *chunk->trials);
    chunk->count = chunk->judged = 0;
}

void chunk_release(struct chunk *chunk)
{
    empty(chunk);
    free(chunk->trials);
    free(chunk->calls[0]);
    free(chunk->calls[1]);
    *chunk = (struct chunk){.judging = chunk->judging};
}

// ---- judging ----------------------------------------------------------------

// Holds every call against the reference, up to the first that differs, of a target by whose own
// word equal calls may give different bits.
static enum error judge_others(const struct chunk *chunk, struct trial *trial,
                               struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t u = 0; u < trial->unit_count; u++) {
        const struct trial_unit *const unit = &trial->unit[u];
        const struct host_call *const calls = &chunk->calls[unit->pass][unit->call];
        const size_t answers = unit->conditions.together ? unit->count : 1;
        for (size_t i = u ? 0 : 1; i < answers && !error; i++)
            if (!verdict_is_failure(trial->result->verdict))
                error = judge_outputs(chunk->judging->run, trial, &calls[i], diagnostic);
    }
    return error;
}

// Judges the next case; false when all are judged, or one could not be.
static bool judge_next(void *context)
{
    struct chunk *const chunk = context;
    if (chunk->error || chunk->judged == chunk->count)
        return false;
    struct judge_run *const run = chunk->judging->run;
    struct trial *const trial = &chunk->trials[chunk->judged++];
    const struct host_call *valued = NULL;
    trial_judge(trial, &run->description, chunk->calls, &run->arena, &valued);
    if (valued)
        chunk->error = judge_outputs(run, trial, valued, &chunk->diagnostic);
    if (valued && !chunk->error && trial->result->required == LEVEL_BOUND &&
        run->description.capabilities & ASSAY_CAPABILITY_NONDETERMINISTIC)
        chunk->error = judge_others(chunk, trial, &chunk->diagnostic);
    if (!chunk->error)
        chunk->error = answers_keep(run, trial, chunk->calls, &chunk->diagnostic);
    if (trial->received && !chunk->error)
        chunk->error = judge_received(run, trial, &chunk->diagnostic);
    if (verdict_is_failure(trial->result->verdict) && run->result_count == 1) {
        const char *const printed = host_printed(chunk->judging->host);
        trial->result->printed =
            printed[0] ? arena_copy_text(&run->arena, printed, strlen(printed)) : NULL;
    }
    return true;
}

enum error chunk_judge(struct chunk *chunk, struct diagnostic *diagnostic)
{
    while (judge_next(chunk)) {}
    if (chunk->error)
        *diagnostic = chunk->diagnostic;
    empty(chunk);
    return chunk->error;
}

// ---- running ----------------------------------------------------------------

static enum error run_pass(struct chunk *chunk, unsigned pass, struct chunk *before,
                           struct diagnostic *diagnostic)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < chunk->count; i++)
        total += trial_call_count(&chunk->trials[i], pass);
    if (total > chunk->room[pass]) {
        free(chunk->calls[pass]);
        chunk->calls[pass] = calloc(total, sizeof *chunk->calls[pass]);
        chunk->room[pass] = chunk->calls[pass] ? total : 0;
    }
    if (total && !chunk->calls[pass])
        return diagnostic_no_memory(diagnostic);
    for (size_t k = 0; k < chunk->count; k++) {
        struct trial *const trial = &chunk->trials[pass ? chunk->count - 1 - k : k];
        const enum error error = trial_make_calls(trial, pass, chunk->calls[pass], at, diagnostic);
        if (error)
            return error;
        at += trial_call_count(trial, pass);
    }
    host_run_beside(chunk->judging->host, chunk->calls[pass], total, judge_next, before);
    return ERROR_NONE;
}

enum error chunk_run(struct chunk *chunk, struct chunk *before, struct diagnostic *diagnostic)
{
    assert(chunk != before && chunk->judging->host);
    enum error error = run_pass(chunk, 0, before, diagnostic);
    if (!error)
        error = run_pass(chunk, 1, before, diagnostic);
    return error ? error : chunk_judge(before, diagnostic);
}
