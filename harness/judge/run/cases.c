// SPDX-License-Identifier: Apache-2.0
// One loop takes the next case of this process until there is none; the queue decides which process
// gets which case. Cases are run in chunks: while one runs, a thread judges those before it.

#include "harness/judge/run/cases.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/by_profile.h"
#include "harness/judge/run/chunk.h"
#include "harness/judge/run/companion.h"
#include "harness/judge/run/queue.h"
#include "harness/judge/run/support.h"
#include "harness/judge/run/windows.h"
#include "yaml/reader.h"

// A chunk is filled and run, and those before it are judged beside.
struct pipeline {
    struct judging judging;
    struct chunk chunk;
    struct judge_backlog *backlog;
    const struct judge_options *options;
};

static void make_plan(const struct judge_run *run, const struct judge_options *options,
                      struct conditions_plan *plan)
{
    if (options->only)
        *plan = (struct conditions_plan){.count = 1, .alone = true, .row = {*options->only}};
    else
        conditions_make_plan(&run->description, options->quick ? 1 : CONDITIONS_ROWS_MAX, plan);
}

static enum error flush(struct pipeline *pipeline, size_t done, struct diagnostic *diagnostic)
{
    const struct judge_options *const options = pipeline->options;
    if (!pipeline->chunk.count)
        return ERROR_NONE;
    enum error error = chunk_run(&pipeline->chunk, pipeline->backlog, diagnostic);
    if (!error)
        error = chunk_leave(&pipeline->chunk, pipeline->backlog, diagnostic);
    if (!error && options->progress)
        options->progress(options->context, done, pipeline->judging.supported);
    return error;
}

// Makes the next case a trial; puts it into the chunk, or judges its windows at once.
static enum error start(struct pipeline *pipeline, const struct queue_case *next,
                        struct diagnostic *diagnostic)
{
    const struct judging *const judging = &pipeline->judging;
    struct chunk *const chunk = &pipeline->chunk;
    struct trial *const trial = chunk_add(chunk);
    if (!trial)
        return diagnostic_no_memory(diagnostic);
    const struct judge_run *const run = judging->run;
    enum error error = trial_make_again(run->suite, next->result->of, &run->description,
                                        next->result->nearest, trial, diagnostic);
    if (error)
        return error;
    trial->result = next->result;
    trial->result->required = trial_required_level(trial);
    if (run->description.replayed) { // that it fits was found when it was asked about
        error = trial_plan_recorded(trial, judging->host, diagnostic);
        return error == ERROR_UNSUPPORTED
                   ? diagnostic_fail(diagnostic, ERROR_INTERNAL, "%s: the record has changed",
                                     trial->label)
                   : error;
    }
    if (!trial->windows) {
        error = judging->plan.alone ? ERROR_NONE
                                    : companion_find(run->suite, &run->description, next->number,
                                                     trial, diagnostic);
        trial_plan(trial, &run->description, &judging->plan, next->number, judging->supported);
        return error;
    }
    error = windows_judge(judging, trial, next, pipeline->backlog, diagnostic);
    chunk_drop(chunk);
    return error;
}

static bool is_stopped(const struct judge_options *options)
{
    return options->stop && *options->stop;
}

// Of cases that were taken and not run nothing is known.
static void abandon(struct pipeline *pipeline, struct queue *queue)
{
    struct chunk *const chunk = &pipeline->chunk;
    struct queue_case next;
    for (; chunk->count; chunk_drop(chunk))
        chunk->trials[chunk->count - 1].result->mine = false;
    while (queue_next(queue, &next))
        next.result->mine = false;
}

// What is finished is not this run's.
static void leave_out(struct judge_run *run, const struct judge_run *finished)
{
    assert(finished->result_count == run->result_count);
    for (size_t i = 0; i < run->result_count; i++)
        run->result[i].mine = run->result[i].mine && !finished->result[i].mine;
}

static enum error run_cases(struct judge_run *run, struct host *host,
                            const struct judge_options *options, struct diagnostic *diagnostic)
{
    struct judge_backlog own = {.thread = NULL};
    struct pipeline pipeline = {.judging = {.run = run, .host = host},
                                .backlog = options->backlog ? options->backlog : &own,
                                .options = options};
    struct queue queue = queue_make(run, options);
    struct queue_case next = {.number = 0};
    enum error error = ERROR_NONE;
    make_plan(run, options, &pipeline.judging.plan);
    pipeline.judging.supported = queue_length(&queue);
    pipeline.chunk.judging = &pipeline.judging;
    while (!error && !is_stopped(options) && queue_next(&queue, &next)) {
        error = start(&pipeline, &next, diagnostic);
        if (!error && (next.ends_batch || chunk_is_full(&pipeline.chunk)))
            error = flush(&pipeline, next.number + 1, diagnostic);
    }
    if (is_stopped(options))
        abandon(&pipeline, &queue);
    if (!error)
        error = flush(&pipeline, next.number + 1, diagnostic);
    if (!error)
        error = backlog_wait(&own, diagnostic);
    backlog_release(&own);
    chunk_release(&pipeline.chunk);
    return error;
}

enum error judge_read_model(struct judge_run *run, struct diagnostic *diagnostic)
{
    const char *const text = run->description.model;
    const struct document_source source = {
        .name = "the target's model", .text = text, .size = strlen(text)};
    struct document_node *root = NULL;
    run->model = evaluation_model_standard;
    if (!source.size)
        return ERROR_NONE;
    const enum error error = yaml_read(&source, &run->arena, &root, diagnostic);
    return error ? error : evaluation_model_read(root, &run->model, diagnostic);
}

enum error judge_cases(const struct suite *suite, struct host *host,
                       const struct judge_options *options, struct judge_run *run,
                       struct diagnostic *diagnostic)
{
    assert((!options->finished && !options->stop && !options->backlog) || options->part);
    assert(!options->backlog || !options->parent);
    assert(!options->part ||
           (options->part->index && options->part->index <= options->part->count));
    *run = (struct judge_run){.suite = suite,
                              .description = *host_describe(host),
                              .mode = options->mode,
                              .manifest = options->manifest};
    enum error error = judge_read_model(run, diagnostic);
    if (!error)
        error = by_profile_list(run, options->uncut ? options->uncut : suite, options->profile,
                                diagnostic);
    if (!error)
        error = judge_select(run, options->pattern, diagnostic);
    // Neighbours are alike: every n-th case makes parts of about the same length.
    run->first = options->part ? options->part->index - 1 : 0;
    run->step = options->part ? options->part->count : 1;
    for (size_t i = 0; i < run->result_count && !error; i++)
        run->result[i].mine = !options->pool && queue_is_of_part(run, options, i);
    if (!error)
        error = support_ask(run, host, options, diagnostic);
    if (!error && options->finished)
        leave_out(run, options->finished);
    return error ? error : run_cases(run, host, options, diagnostic);
}
