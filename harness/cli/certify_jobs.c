// SPDX-License-Identifier: Apache-2.0
// A certification by several processes on one machine: parts in a folder of their own, joined as `assay merge` joins them, so that
// the result cannot depend on how many there are. Processes, not threads: a worker dies with the thread that started it, and what a
// target does to one process it does not do to the others.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/certify_work.h"
#include "harness/cli/cli.h"
#include "ref/base/threads.h"

enum { JOBS_MAX = 1024, PATH_SIZE = 4096 };

static int run_job(const struct certify_work *work, const char *folder, unsigned index, unsigned count)
{
    struct certify_arguments arguments = *work->arguments;
    struct certify_work part = *work;
    arguments.to = folder;
    arguments.quiet = true;
    part.arguments = &arguments;
    if (!freopen("/dev/null", "w", stdout))
        return CLI_HARNESS;
    return certify_part(&part, index, count);
}

// Starts all and waits for all; the first exit code that is not 0. A job says itself what went wrong.
static int run_jobs(struct certify_work *work, const char *folder, unsigned jobs)
{
    pid_t job[JOBS_MAX];
    unsigned started = 0;
    int code = CLI_CONFORMS;
    fflush(NULL);
    while (started < jobs && code == CLI_CONFORMS) {
        job[started] = fork();
        if (!job[started])
            _exit(run_job(work, folder, started + 1, jobs));
        if (job[started] < 0) {
            fprintf(stderr, "assay: cannot start job %u of %u: %s\n", started + 1, jobs, strerror(errno));
            code = CLI_HARNESS;
        } else
            started++;
    }
    for (unsigned i = 0; i < started; i++) {
        int status = 0;
        while (waitpid(job[i], &status, 0) < 0 && errno == EINTR)
            ;
        if (WIFSIGNALED(status))
            fprintf(stderr, "assay: job %u of %u was killed by signal %d\n", i + 1, jobs, WTERMSIG(status));
        const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_HARNESS;
        code = code ? code : ended;
    }
    return code;
}

int certify_jobs(struct certify_work *work, unsigned jobs)
{
    const char *const place = getenv("TMPDIR");
    char folder[PATH_SIZE], path[PATH_SIZE + 64];
    struct arena arena = {0};
    struct shard_set set;
    struct diagnostic diagnostic = {.text = ""};
    if (!jobs)
        jobs = threads_available();
    jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
    snprintf(folder, sizeof folder, "%.4000s/assay-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "assay: cannot make a folder %s: %s\n", folder, strerror(errno));
        return CLI_HARNESS;
    }
    int code = run_jobs(work, folder, jobs);
    if (!code && shard_survey(folder, &arena, &set, &diagnostic))
        code = cli_fail(&diagnostic);
    else if (!code)
        code = certify_join(work, &set);
    for (unsigned i = 1; i <= jobs; i++) {
        snprintf(path, sizeof path, "%s/shard-%u-of-%u", folder, i, jobs);
        unlink(path);
    }
    rmdir(folder);
    arena_release(&arena);
    return code;
}
