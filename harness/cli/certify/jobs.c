// SPDX-License-Identifier: Apache-2.0
// A certification by several processes on one machine: each takes cases as long as there are any
// and writes what became of them as a part, in a folder of its own; parts are joined as `assay
// merge` joins them, so that the result cannot depend on their number, nor on which process ran
// which case. Processes, not threads: a worker dies with the thread that started it, and what a
// target does to one process it does not do to the others.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/certify/work.h"
#include "harness/cli/cli.h"
#include "ref/base/leftover.h"
#include "ref/base/threads.h"

enum { JOBS_MAX = 1024 }; // as many as command.c lets through

static int run_job(const struct certify_work *work, const char *folder, unsigned index,
                   unsigned count)
{
    struct certify_arguments arguments = *work->arguments;
    struct certify_work part = *work;
    signal(SIGINT, SIG_IGN); // the parent says when to stop
    arguments.to = folder;
    arguments.quiet = true;
    part.arguments = &arguments;
    if (!freopen("/dev/null", "w", stdout))
        return CLI_HARNESS;
    return certify_part(&part, index, count);
}

// Memory that the processes will share: one pool for each target and suite. NULL: there is none, or
// cases go step by step, and each process gets a fixed share.
static void *make_pools(struct certify_work *work, size_t *size)
{
    const size_t runs = work->target_count * work->suite_count;
    size_t head = 64;
    if (certify_mode(work->arguments) == JUDGE_STEPWISE)
        return NULL;
    *size = head;
    for (size_t i = 0; i < runs; i++)
        *size += judge_pool_size(work->suites[i % work->suite_count].case_count);
    struct judge_pool **const pools = arena_take_array(&work->arena, runs, sizeof *pools);
    char *const memory =
        pools ? mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
              : MAP_FAILED;
    if (memory == MAP_FAILED)
        return NULL;
    work->pools = pools;
    for (size_t i = 0; i < runs; i++) {
        work->pools[i] = (struct judge_pool *)(void *)(memory + head);
        work->pools[i]->owner = getpid();
        work->pools[i]->stopped = (_Atomic uint32_t *)(void *)memory;
        head += judge_pool_size(work->suites[i % work->suite_count].case_count);
    }
    certify_share_stop((volatile sig_atomic_t *)(void *)(memory + sizeof(_Atomic uint32_t)));
    return memory;
}

// Starts all jobs and waits for all. Returns the first exit code that is not 0; the job has said
// why.
static int run_jobs(struct certify_work *work, const char *folder, unsigned jobs,
                    _Atomic uint32_t *stopped)
{
    unsigned started = 0;
    int code = CLI_CONFORMS;
    fflush(NULL);
    while (started < jobs && code == CLI_CONFORMS) {
        const pid_t own = getpid(), job = fork();
        // A job ends with the process that started it.
        if (!job && (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != own))
            _exit(CLI_HARNESS);
        if (!job)
            _exit(run_job(work, folder, started + 1, jobs));
        if (job < 0) {
            fprintf(stderr, "assay: cannot start job %u of %u: %s\n", started + 1, jobs,
                    strerror(errno));
            code = CLI_HARNESS;
        } else
            started++;
    }
    while (started) {
        int status = 0;
        if (code && stopped)
            atomic_store(stopped, 1);
        if (waitpid(-1, &status, 0) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        started--;
        if (WIFSIGNALED(status))
            fprintf(stderr, "assay: a job of %u was killed by signal %d\n", jobs, WTERMSIG(status));
        const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_HARNESS;
        code = code ? code : ended;
    }
    return code;
}

int certify_jobs(struct certify_work *work, unsigned jobs)
{
    struct leftover_folder folder;
    struct arena arena = {0};
    struct shard_set set;
    struct diagnostic diagnostic = {.text = ""};
    if (!jobs)
        jobs = threads_available();
    jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
    if (leftover_make_folder(&folder, &diagnostic))
        return cli_fail(&diagnostic);
    size_t size = 0;
    void *const pools = make_pools(work, &size);
    int code = run_jobs(work, folder.path, jobs, pools);
    certify_share_stop(NULL);
    if (pools)
        munmap(pools, size);
    work->pools = NULL;
    if (!code && shard_survey(folder.path, &arena, &set, &diagnostic))
        code = cli_fail(&diagnostic);
    else if (!code && certify_take_parts(work, &set, &diagnostic))
        code = cli_fail(&diagnostic);
    leftover_remove_folder(&folder);
    arena_release(&arena);
    return code;
}
