// SPDX-License-Identifier: Apache-2.0
// A certification by one process, which can be interrupted: what is finished is kept in a folder,
// as one part of one, and taken over when the same certification is started again.

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/certify/work.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"

enum progress { NOT_BEGUN, BEGUN, COMPLETE, PROGRESS_COUNT };

// ---- interrupting -----------------------------------------------------------

static volatile sig_atomic_t stop;
static struct sigaction before;

// The second time ends the process as it would have at first.
static void on_interrupt(int number)
{
    static const char text[] =
        "\nassay: the cases under way are finished first; once more ends at once\n";
    stop = 1;
    sigaction(number, &before, NULL);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; // no reader is left
}

static void watch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    stop = 0;
    if (!sigaction(SIGINT, NULL, &before) && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

const volatile sig_atomic_t *certify_stop(void)
{
    return &stop;
}

// ---- keeping ----------------------------------------------------------------

static const char *folder_of(const struct certify_arguments *a, char *path, size_t size)
{
    if (a->resume)
        return a->resume;
    snprintf(path, size, "%s.unfinished", a->out ? a->out : "certify");
    return path;
}

static enum progress progress_of(const struct certify_work *work, size_t t)
{
    enum progress progress = COMPLETE;
    bool any = false;
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        any |= work->judged[at];
        if (!work->judged[at] || judge_was_stopped(&work->runs[at]))
            progress = BEGUN;
    }
    return any ? progress : NOT_BEGUN;
}

static size_t count_finished(const struct certify_work *work, size_t *total)
{
    size_t finished = 0;
    *total = 0;
    for (size_t i = 0; i < work->target_count * work->suite_count; i++) {
        *total += work->suites[i % work->suite_count].case_count;
        for (size_t k = 0; work->judged[i] && k < work->runs[i].result_count; k++)
            finished += work->runs[i].result[k].mine;
    }
    return finished;
}

static int keep(const struct certify_work *work, const struct shard_plan *plan)
{
    struct shard_payload payload = {0};
    struct diagnostic diagnostic = {.text = ""};
    char path[SHARD_PATH_SIZE];
    const char *const folder = folder_of(work->arguments, path, sizeof path);
    size_t total;
    const size_t finished = count_finished(work, &total);
    bool complete = false;
    for (size_t t = 0; t < work->target_count; t++) {
        const enum progress progress = progress_of(work, t);
        shard_put_number(&payload, progress);
        if (progress != NOT_BEGUN)
            certify_put_target(work, t, &payload);
    }
    enum error error = shard_begin(folder, plan, &complete, &diagnostic);
    if (!error)
        error = shard_write(folder, plan, &payload, &diagnostic);
    text_release(&payload.bytes);
    if (error)
        return cli_fail(&diagnostic);
    fprintf(stderr,
            "assay: interrupted: %zu of at most %zu cases are finished and kept in %s\n"
            "assay: the same command with --resume %s goes on\n",
            finished, total, folder, folder);
    return CLI_HARNESS;
}

// ---- going on ---------------------------------------------------------------

static enum error take_all(struct certify_work *work, struct shard_reader *reader,
                           struct diagnostic *diagnostic)
{
    for (size_t t = 0; t < work->target_count; t++) {
        const uint64_t progress = shard_get_number(reader);
        if (reader->failed || progress >= PROGRESS_COUNT)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%s does not hold an interrupted certification",
                                   work->arguments->resume);
        const enum error error = progress == NOT_BEGUN
                                     ? ERROR_NONE
                                     : certify_take_target(work, t, reader, 1, diagnostic);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

// What the folder holds; nothing where there is no folder yet.
static enum error take(struct certify_work *work, const struct shard_plan *plan,
                       struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_set set;
    struct shard_reader reader;
    struct stat status;
    const char *const folder = work->arguments->resume;
    if (!folder || stat(folder, &status))
        return ERROR_NONE;
    enum error error = shard_check_plan(folder, plan, NULL, diagnostic);
    if (!error)
        error = shard_survey(folder, &arena, &set, diagnostic);
    if (!error)
        error = shard_open(&set, 0, &arena, &reader, diagnostic);
    if (!error)
        error = take_all(work, &reader, diagnostic);
    if (!error)
        error = shard_finish(&set, 0, &reader, diagnostic);
    arena_release(&arena);
    size_t total;
    if (!error && !work->arguments->quiet)
        fprintf(stderr, "assay: %zu cases were finished before\n", count_finished(work, &total));
    return error;
}

// Runs what target `t` has left; it must be the library that it was.
static enum error run_target(struct certify_work *work, size_t t, const struct shard_plan *plan,
                             struct diagnostic *diagnostic)
{
    struct certify_session *const session = &work->session[t];
    const struct certify_session kept = *session;
    const enum progress progress = progress_of(work, t);
    if (progress == COMPLETE)
        return ERROR_NONE;
    *session = (struct certify_session){0};
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        work->finished[at] = work->runs[at];
        work->runs[at] = (struct judge_run){0};
    }
    enum error error = certify_run_target(work, t, plan, diagnostic);
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        if (work->runs[at].suite)
            continue;
        work->runs[at] = work->finished[at]; // not come to again
        work->finished[at] = (struct judge_run){0};
    }
    if (error || progress == NOT_BEGUN)
        return error;
    if (session->unavailable || !certify_same_description(&kept.description, &session->description))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s is another library than when it was interrupted: %s, then %s",
                               work->targets[t].name,
                               session->unavailable ? session->unavailable
                                                    : session->description.version,
                               kept.description.version);
    session->closing = session->closing ? session->closing : kept.closing;
    return certify_add_files(&work->arena, session, kept.library, kept.library_count, diagnostic);
}

static void remove_folder(const char *folder)
{
    char path[SHARD_PATH_SIZE];
    static const char *const names[] = {"plan.json", "shard-1-of-1"};
    for (size_t i = 0; folder && i < sizeof names / sizeof *names; i++)
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, names[i]) < sizeof path)
            unlink(path);
    if (folder)
        rmdir(folder);
}

int certify_alone(struct certify_work *work)
{
    struct text text = {0};
    struct diagnostic diagnostic = {.text = ""};
    work->alone = true;
    work->finished = arena_take_array(&work->arena, work->target_count * work->suite_count,
                                      sizeof *work->finished);
    enum error error = work->finished ? certify_describe(work, &text, &diagnostic)
                                      : diagnostic_no_memory(&diagnostic);
    const struct shard_plan plan = {
        .command = "certify-unfinished", .text = text.bytes, .index = 1, .count = 1};
    if (!error)
        error = take(work, &plan, &diagnostic);
    if (certify_mode(work->arguments) != JUDGE_STEPWISE) // whose cases are not kept one by one
        watch();
    for (size_t t = 0; t < work->target_count && !error && !stop; t++)
        error = run_target(work, t, &plan, &diagnostic);
    if (certify_mode(work->arguments) != JUDGE_STEPWISE)
        sigaction(SIGINT, &before, NULL);
    int code;
    if (error)
        code = cli_fail(&diagnostic);
    else if (stop)
        code = keep(work, &plan);
    else if (certify_conclude(work, &diagnostic))
        code = cli_fail(&diagnostic);
    else {
        code = certify_finish(work);
        remove_folder(work->arguments->resume);
    }
    text_release(&text);
    return code;
}
