// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/again.h"

#include <assert.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ref/base/digest_file.h"
#include "ref/base/leftover.h"
#include "ref/base/text.h"
#include "reports/results.h"

enum { ARGUMENTS_MAX = 24 };

int again_certify(const struct again_target *target, const char *named, const char *const *more)
{
    const char *const given = target->recorded  ? target->recorded
                              : target->program ? target->program
                                                : target->plugin;
    const char *arguments[ARGUMENTS_MAX] = {"assay", "certify", "--quiet",
                                            target->recorded  ? "--recorded"
                                            : target->program ? "--exec"
                                            : target->plugin  ? "--plugin"
                                                              : "--target",
                                            given ? given : named};
    for (size_t i = 0, at = 5; more[i]; i++) {
        assert(at < ARGUMENTS_MAX - 1);
        arguments[at++] = more[i];
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
        return -1;
    if (!child) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execv("/proc/self/exe", (char *const *)arguments);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Which line of two files differs first; 0: none.
static unsigned first_difference(const char *one, const char *other)
{
    FILE *const a = fopen(one, "re"), *const b = fopen(other, "re");
    unsigned line = 1;
    int c = 0, d = 0;
    while (a && b && (c = getc_unlocked(a)) == (d = getc_unlocked(b)) && c != EOF)
        line += c == '\n';
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return a && b && c == d ? 0 : line;
}

static enum error compare(const struct results *results, const char *path, int code,
                          struct diagnostic *diagnostic)
{
    const char *const file = results->file[0].path;
    char hex[DIGEST_HEX_SIZE];
    if (access(path, R_OK))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "%.400s cannot be run again (exit code %d): no certificate is made "
                               "of it",
                               file, code);
    const enum error error = digest_path(path, hex, diagnostic);
    if (error || !strcmp(hex, results->file[0].sha256))
        return error;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "%.400s:%u is not what a run gives here now: no certificate is made of "
                           "it. `assay certify --sign` makes results and certificate in one",
                           file, first_difference(file, path));
}

enum error again_results(const struct results *results, const struct again_target *target,
                         struct diagnostic *diagnostic)
{
    assert(results->file_count == 1);
    const struct results_file *const file = &results->file[0];
    struct text suites = {0}, targets = {0};
    struct leftover_folder folder;
    char out[sizeof folder.path + 16], limit[32];
    if (file->known_name)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "failures that %.200s lists were expected in %.400s: no certificate "
                               "is made of it",
                               file->known_name, file->path);
    for (size_t i = 0; i < results->target_count; i++)
        if (results->target[i].recorded.at)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "the answers in %.400s were recorded: no certificate is made of "
                                   "it. `assay certify --recorded DIR --sign KEY` makes one",
                                   file->path);
    if (file->drawn)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "the cases of %.400s were drawn for its run: no certificate is made "
                               "of it later. `assay certify --sign` draws anew",
                               file->path);
    if (leftover_make_folder(&folder, diagnostic))
        return ERROR_SYSTEM;
    snprintf(out, sizeof out, "%s/again.jsonl", folder.path);
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)file->time_ms);
    for (size_t i = 0; i < results->suite_count; i++)
        text_print(&suites, "%s%s", i ? "," : "",
                   results->suite[i].file ? results->suite[i].file : results->suite[i].name);
    for (size_t i = 0; i < results->target_count; i++)
        text_print(&targets, "%s%s", i ? "," : "", results->target[i].name);
    const char *more[10] = {"--out", out, "--suite", suites.bytes};
    size_t count = 4;
    if (file->time_ms) {
        more[count++] = "--time";
        more[count++] = limit;
    }
    if (file->seed) {
        more[count++] = "--seed";
        more[count++] = file->seed;
    }
    enum error error =
        suites.failed || targets.failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
    if (!error)
        error = compare(results, out, again_certify(target, targets.bytes, more), diagnostic);
    text_release(&suites);
    text_release(&targets);
    leftover_remove_folder(&folder);
    return error;
}
