// SPDX-License-Identifier: Apache-2.0
// A certification that can be interrupted: what is finished is kept in a folder, as one part of
// one, and taken over when the same certification is started again, by as many processes as it
// likes.

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/certify/work.h"
#include "harness/cli/cli.h"
#include "ref/base/clock.h"
#include "ref/base/threads.h"

// ---- interrupting -----------------------------------------------------------

static volatile sig_atomic_t own_stop;
static volatile sig_atomic_t *stop = &own_stop;
static struct sigaction before;

// The first Ctrl-C asks for an orderly end, the second ends the process.
static void on_interrupt(int number)
{
    static const char text[] =
        "\nassay: the cases under way are finished first; once more ends at once\n";
    *stop = 1;
    sigaction(number, &before, NULL);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; // no reader is left
}

static void watch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    if (!sigaction(SIGINT, NULL, &before) && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

const volatile sig_atomic_t *certify_stop(void)
{
    return stop;
}

// Takes over a Ctrl-C that came before.
void certify_share_stop(volatile sig_atomic_t *word)
{
    volatile sig_atomic_t *const old = stop;
    stop = word ? word : &own_stop;
    if (*old)
        *stop = 1;
}

// ---- keeping ----------------------------------------------------------------

static const char *folder_of(const struct certify_arguments *a, char *path, size_t size)
{
    if (a->resume)
        return a->resume;
    snprintf(path, size, "%s.unfinished", a->out ? a->out : "certify");
    return path;
}

// Whether every suite of the target was judged to its end.
static bool is_complete(const struct certify_work *work, size_t t)
{
    bool complete = true;
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        complete = complete && work->judged[at] && !judge_was_stopped(&work->runs[at]);
    }
    return complete;
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
    for (size_t t = 0; t < work->target_count; t++)
        certify_put_target(work, t, work->session[t].begun, &payload);
    enum error error = shard_begin(folder, plan, &complete, &diagnostic);
    if (!error)
        error = shard_write(folder, plan, &payload, &diagnostic);
    text_release(&payload.bytes);
    if (error)
        return cli_fail(&diagnostic);
    fprintf(stderr,
            "assay: interrupted: %zu of at most %zu cases are finished and kept in %s\n"
            "assay: the same command with --resume %s%s%s%s goes on\n",
            finished, total, folder, folder, work->drawn ? " and --seed " : "",
            work->drawn ? work->seed : "", work->arguments->key ? " in place of --sign" : "");
    return CLI_HARNESS;
}

// ---- going on ---------------------------------------------------------------

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
        for (size_t t = 0; t < work->target_count && !error; t++)
            error = certify_take_target(work, t, &reader, 1, diagnostic);
    if (!error)
        error = shard_finish(&set, 0, &reader, diagnostic);
    arena_release(&arena);
    size_t total;
    if (!error && !work->arguments->quiet)
        fprintf(stderr, "assay: %zu cases were finished before\n", count_finished(work, &total));
    return error;
}

// Sets aside what target `t` had finished before.
static void set_aside(struct certify_work *work, size_t t)
{
    work->complete[t] = is_complete(work, t);
    work->session[t].spent = 0; // of this run alone
    if (work->complete[t])
        return;
    work->kept[t] = work->session[t];
    work->session[t] = (struct certify_session){0};
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        if (work->judged[at])
            work->finished[at] = work->runs[at];
        else
            judge_release(&work->runs[at]);
        work->runs[at] = (struct judge_run){0};
        work->judged[at] = false;
    }
}

// Adds what was finished before to what was run now. The run shares the memory of both.
static void take_over(struct certify_work *work, size_t at)
{
    struct judge_run *const run = &work->runs[at], *const finished = &work->finished[at];
    if (!finished->suite)
        return;
    if (!work->judged[at]) { // not reached in this run
        judge_release(run);
        *run = *finished;
        *finished = (struct judge_run){0};
        work->judged[at] = true;
        return;
    }
    for (size_t i = 0; i < run->result_count; i++)
        if (finished->result[i].mine)
            run->result[i] = finished->result[i];
}

// Joins both. ERROR_INPUT where the library is another one now.
static enum error settle(struct certify_work *work, size_t t, struct diagnostic *diagnostic)
{
    struct certify_session *const session = &work->session[t];
    const struct certify_session *const kept = &work->kept[t];
    bool any = false;
    if (work->complete[t])
        return ERROR_NONE;
    for (size_t s = 0; s < work->suite_count; s++) {
        any = any || work->finished[t * work->suite_count + s].suite;
        take_over(work, t * work->suite_count + s);
    }
    if (!session->begun)
        *session = *kept;
    if (!any || !session->begun)
        return ERROR_NONE;
    if (session->unavailable ||
        !certify_same_description(&kept->description, &session->description))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s is another library than when it was interrupted: %s, then %s",
                               work->targets[t].name,
                               session->unavailable ? session->unavailable
                                                    : session->description.version,
                               kept->description.version);
    session->closing = session->closing ? session->closing : kept->closing;
    return certify_add_files(&work->arena, session, kept->library, kept->library_count, diagnostic);
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

static enum error make_room(struct certify_work *work, struct diagnostic *diagnostic)
{
    struct arena *const arena = &work->arena;
    const size_t runs = work->target_count * work->suite_count;
    work->finished = arena_take_array(arena, runs, sizeof *work->finished);
    work->kept = arena_take_array(arena, work->target_count, sizeof *work->kept);
    work->complete = arena_take_array(arena, work->target_count, sizeof *work->complete);
    return work->finished && work->kept && work->complete ? ERROR_NONE
                                                          : diagnostic_no_memory(diagnostic);
}

// Runs what is left, and says what went wrong: an exit code.
static int run_rest(struct certify_work *work, const struct shard_plan *plan, unsigned jobs)
{
    struct diagnostic diagnostic = {.text = ""};
    enum error error = ERROR_NONE;
    int code = CLI_CONFORMS;
    for (size_t t = 0; t < work->target_count; t++)
        set_aside(work, t);
    if (jobs != 1)
        code = certify_jobs(work, jobs);
    for (size_t t = 0; t < work->target_count && jobs == 1 && !error && !*stop; t++)
        if (!work->complete[t])
            error = certify_run_target(work, t, plan, &diagnostic);
    for (size_t t = 0; t < work->target_count && !error && !code; t++)
        error = settle(work, t, &diagnostic);
    return error ? cli_fail(&diagnostic) : code;
}

// Results are the same from run to run, and so is standard output: times go to standard error.
static void say_time(const struct certify_work *work, uint64_t begun, unsigned jobs)
{
    const double second = 1e9, took = (double)(clock_now() - begun) / second;
    const unsigned processes = jobs ? jobs : threads_available();
    double spent = 0;
    for (size_t t = 0; t < work->target_count; t++)
        spent += (double)work->session[t].spent / second;
    if (work->arguments->quiet || spent <= 0)
        return;
    fprintf(stderr, "assay: of ");
    if (processes > 1)
        fprintf(stderr, "%u times ", processes);
    fprintf(stderr, "%.1f s, %.1f s in the target's calls\n", took, spent);
}

int certify_whole(struct certify_work *work, unsigned jobs)
{
    struct text text = {0};
    struct diagnostic diagnostic = {.text = ""};
    const uint64_t begun = clock_now();
    const bool stoppable = certify_mode(work->arguments) != JUDGE_STEPWISE; // cases are kept
    // Digests of large files take longer than a short run: else only what is interrupted has a
    // plan.
    const bool planned = work->arguments->resume || jobs != 1 || !certify_note_files(work);
    struct shard_plan plan = {.command = "certify-unfinished", .index = 1, .count = 1};
    enum error error = make_room(work, &diagnostic);
    if (!error && planned)
        error = certify_describe(work, &text, &diagnostic);
    plan.text = text.bytes;
    if (!error)
        error = take(work, &plan, &diagnostic);
    if (stoppable)
        watch();
    int code = error ? cli_fail(&diagnostic) : run_rest(work, &plan, jobs);
    if (!code && *stop) {
        if (!planned)
            error = certify_check_files(work, &diagnostic);
        if (!planned && !error)
            error = certify_describe(work, &text, &diagnostic);
        plan.text = text.bytes;
        code = error ? cli_fail(&diagnostic) : keep(work, &plan);
    } else if (!code) {
        code = certify_join(work);
        say_time(work, begun, jobs);
        if (code != CLI_HARNESS && code != CLI_INPUT) // otherwise nothing may have been written
            remove_folder(work->arguments->resume);
    }
    if (stoppable) // what is finished is written in spite of a Ctrl-C that comes now
        sigaction(SIGINT, &before, NULL);
    text_release(&text);
    return code;
}
