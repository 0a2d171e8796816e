// SPDX-License-Identifier: Apache-2.0
// assay certify: a certification is prepared, run target by target, and released.

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/certify/recorded.h"
#include "harness/cli/certify/work.h"
#include "harness/judge/run/chunk.h"
#include "harness/judge/search/explain.h"
#include "harness/judge/search/survey.h"
#include "vectors/golden.h"

struct progress {
    const char *target, *suite;
    bool shown;
};

static void show_progress(void *context, size_t done, size_t total)
{
    struct progress *const progress = context;
    fprintf(stderr, "\r%s, %s: %zu of %zu cases\033[K", progress->target, progress->suite, done,
            total);
    fflush(stderr);
    progress->shown = true;
}

enum judge_mode certify_mode(const struct certify_arguments *arguments)
{
    return arguments->mode ? judge_mode_named(arguments->mode) : JUDGE_OBSERVED;
}

// ---- preparing --------------------------------------------------------------

static enum error read_suites(struct certify_work *work, struct diagnostic *diagnostic)
{
    char **paths = NULL;
    enum error error =
        suites_choose(work->arguments->suite, &work->arena, &paths, &work->suite_count, diagnostic);
    if (!error)
        error = suites_read(paths, work->suite_count, &work->arena, &work->suites, diagnostic);
    for (size_t i = 0; i < work->suite_count && !error; i++) {
        for (size_t j = 0; j < i && !error; j++)
            if (!strcmp(work->suites[j].name, work->suites[i].name))
                error = diagnostic_fail(diagnostic, ERROR_INPUT, "%s and %s are both suite %s",
                                        paths[j], paths[i], work->suites[i].name);
    }
    // A suite must be the one that its golden vectors were made from.
    char vectors[PATH_MAX];
    for (size_t i = 0; i < work->suite_count && !error; i++)
        error = golden_check_suite(suites_vectors(&work->suites[i], vectors, sizeof vectors),
                                   &work->suites[i], diagnostic);
    work->manifests = arena_take_array(&work->arena, work->suite_count, sizeof *work->manifests);
    if (!error && !work->manifests)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < work->suite_count && !error; i++)
        error = golden_manifest_read(suites_vectors(&work->suites[i], vectors, sizeof vectors),
                                     work->suites[i].name, &work->manifests[i], diagnostic);
    return error;
}

static enum error open_log(struct certify_work *work, struct diagnostic *diagnostic)
{
    const char *const path = work->arguments->log;
    work->log = path ? fopen(path, "we") : NULL;
    return work->log || !path ? ERROR_NONE
                              : diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot write %.400s: %s",
                                                path, strerror(errno));
}

enum error certify_prepare(struct certify_work *work, struct diagnostic *diagnostic)
{
    const struct certify_arguments *const a = work->arguments;
    enum error error = read_suites(work, diagnostic);
    work->machine = machine_here();
    if (!error && a->recorded)
        error = recorded_open(work, diagnostic);
    else if (!error)
        error = targets_choose(a->target, a->plugin, a->program, &work->arena, &work->targets,
                               &work->target_count, diagnostic);
    if (!error && a->known) {
        error = known_read(a->known, &work->known, diagnostic);
        work->has_known = work->known.count || work->known.classes.count;
    }
    if (error)
        return error;
    error = certify_draw(work, diagnostic);
    if (!error)
        error = open_log(work, diagnostic);
    if (error)
        return error;
    work->runs =
        arena_take_array(&work->arena, work->target_count * work->suite_count, sizeof *work->runs);
    work->judged = arena_take_array(&work->arena, work->target_count * work->suite_count,
                                    sizeof *work->judged);
    work->session = arena_take_array(&work->arena, work->target_count, sizeof *work->session);
    return work->runs && work->judged && work->session ? ERROR_NONE
                                                       : diagnostic_no_memory(diagnostic);
}

void certify_release(struct certify_work *work)
{
    for (size_t i = 0; work->runs && i < work->target_count * work->suite_count; i++) {
        judge_release(&work->runs[i]);
        if (work->finished)
            judge_release(&work->finished[i]);
    }
    for (size_t i = 0; work->suites && i < work->suite_count; i++)
        suite_release(&work->suites[i]);
    for (size_t i = 0; work->manifests && i < work->suite_count; i++)
        golden_manifest_release(&work->manifests[i]);
    known_release(&work->known);
    if (work->record)
        record_release(work->record);
    if (work->log)
        fclose(work->log);
    arena_release(&work->arena);
}

// ---- running ----------------------------------------------------------------

// The first failures are run under every combination of conditions, where that is asked for.
static enum error survey_first(const struct certify_work *work, struct judge_run *run,
                               struct host *host, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    unsigned long long surveyed = 0;
    for (size_t i = 0; i < run->result_count && !error && surveyed < work->arguments->survey; i++)
        if (verdict_is_failure(run->result[i].verdict) &&
            run->result[i].verdict != VERDICT_TIMEOUT &&
            run->result[i].verdict != VERDICT_HARNESS) {
            error = judge_survey_result(run, i, host, diagnostic);
            surveyed++;
        }
    return error;
}

static enum error judge_one(struct certify_work *work, size_t t, size_t s, struct host *host,
                            const struct shard_plan *part, struct judge_backlog *backlog,
                            struct diagnostic *diagnostic)
{
    const struct certify_arguments *const a = work->arguments;
    struct judge_run *const run = &work->runs[t * work->suite_count + s];
    const struct judge_run *const finished =
        work->finished ? &work->finished[t * work->suite_count + s] : NULL;
    struct progress progress = {.target = work->targets[t].name, .suite = work->suites[s].name};
    const struct judge_options options = {
        .pattern = a->pattern,
        .explain = a->no_explain ? NULL : judge_explain,
        .quick = a->quick,
        .mode = certify_mode(a),
        .manifest = &work->manifests[s],
        .part = part,
        .backlog = part && certify_mode(a) != JUDGE_STEPWISE ? backlog : NULL,
        .pool = work->pools ? work->pools[t * work->suite_count + s] : NULL,
        .finished = finished && finished->result_count ? finished : NULL,
        .stop = part && certify_mode(a) != JUDGE_STEPWISE ? certify_stop() : NULL,
        .progress = isatty(STDERR_FILENO) && !a->quiet ? show_progress : NULL,
        .context = &progress};
    enum error error = judge_certify(&work->suites[s], host, &options, run, diagnostic);
    run->selector = work->targets[t].selector;
    run->held_to = work->targets[t].held_to;
    run->native = work->targets[t].native;
    run->machine = work->machine;
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (error == ERROR_INVALID_ARGUMENT && !run->result_count)
        return ERROR_NONE; // nothing here matches the pattern
    if (error)
        return error;
    work->judged[t * work->suite_count + s] = true;
    if (part)
        return ERROR_NONE;
    error = survey_first(work, run, host, diagnostic);
    return error ? error : certify_report_run(work, t, s, diagnostic);
}

// What the large cases of a suite were given is not kept for the next suite, which may have none.
static void give_back_memory(struct host *host)
{
    host_rest(host);
#ifdef M_TRIM_THRESHOLD
    malloc_trim(0);
#endif
}

enum error certify_run_target(struct certify_work *work, size_t t, const struct shard_plan *part,
                              struct diagnostic *diagnostic)
{
    struct certify_session *const session = &work->session[t];
    struct judge_backlog backlog = {.thread = NULL};
    struct host *host = NULL;
    char message[HOST_MESSAGE_SIZE];
    enum error error =
        target_open(&work->targets[t], (unsigned)work->arguments->time_ms, &host, diagnostic);
    if (error == ERROR_INTERNAL) // memory has run out: no fault of the target
        return error;
    if (error) {
        session->unavailable =
            arena_copy_text(&work->arena, diagnostic->text, strlen(diagnostic->text));
        if (!session->unavailable)
            return diagnostic_no_memory(diagnostic);
    } else
        session->description = *host_describe(host);
    session->begun = true;
    if (!part)
        certify_report_opening(work, t);
    if (!host)
        return ERROR_NONE;
    error = ERROR_NONE;
    const bool files = // results are to be written: they say what was loaded
        (part && !work->finished) || work->arguments->out || work->arguments->html;
    for (size_t s = 0; s < work->suite_count && !error && !*certify_stop(); s++) {
        char **file;
        size_t count;
        error = judge_one(work, t, s, host, part, &backlog, diagnostic);
        give_back_memory(host);
        if (!error && files) // asked after each suite: a later worker may have loaded less
            error = host_files(host, &work->arena, &file, &count, diagnostic);
    }
    if (!error)
        error = backlog_wait(&backlog, diagnostic);
    backlog_release(&backlog);
    if (!error && files && work->record)
        error = recorded_take_session(work, session, diagnostic);
    else if (!error && files)
        error = certify_find_files(host, work->targets[t].path, &work->arena, session, diagnostic);
    session->spent = host_spent(host);
    if (!host_close(host, message)) {
        session->closing = arena_copy_text(&work->arena, message, strlen(message));
        if (!error && !session->closing)
            error = diagnostic_no_memory(diagnostic);
    }
    if (!part)
        certify_report_closing(work, t);
    return error;
}
