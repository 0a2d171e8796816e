// SPDX-License-Identifier: Apache-2.0
// assay run: one case on one target, once, under stated conditions; for looking closely and for debuggers.

#include <stdio.h>
#include <string.h>

#include "harness/cli/certify_summary.h"
#include "harness/cli/commands.h"
#include "harness/cli/target_table.h"
#include "harness/judge/survey.h"

struct arguments {
    const char *target, *plugin, *program, *suite;
    unsigned long long time_ms;
};

// The suite among `paths` that has the case; NULL when none has.
static const struct suite_case *find(const char *id, char **paths, size_t count, struct suite *suite, enum error *error,
                                     struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < count; i++) {
        *error = suite_read(paths[i], suite, diagnostic);
        const struct suite_case *const found = *error ? NULL : suite_find_case(suite, id);
        if (*error || found)
            return found;
        suite_release(suite);
    }
    *error = diagnostic_fail(diagnostic, ERROR_INPUT, "no suite has a case '%s'", id);
    return NULL;
}

static enum error judge(const struct suite *suite, const char *id, const struct target *target, unsigned time_ms, int *code,
                        struct diagnostic *diagnostic)
{
    struct host *host = NULL;
    struct judge_run run;
    const struct judge_options options = {.pattern = id, .explain = true, .pairs = true};
    enum error error = target_open(target, time_ms, &host, diagnostic);
    if (error)
        return error;
    error = judge_certify(suite, host, &options, &run, diagnostic);
    run.selector = target->selector;
    for (size_t i = 0; i < run.result_count && !error; i++) {
        if (verdict_is_failure(run.result[i].verdict)) {
            *code = CLI_DIFFERS;
            error = judge_survey_result(&run, i, host, diagnostic);
        }
        summary_print_result(stdout, target->name, &run, &run.result[i], cli_coloured(stdout));
    }
    const char *const printed = host_printed(host);
    if (!error && printed[0])
        printf("      the target printed:\n%s\n", printed);
    judge_release(&run);
    host_close(host, NULL);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.time_ms = 0};
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a.target, "NAME", "target by name (`assay targets` lists them)"},
        {"plugin", CLI_TEXT, &a.plugin, "FILE.so", "a plugin of your own"},
        {"exec", CLI_TEXT, &a.program, "PROGRAM", "a process target of your own, with its arguments"},
        {"suite", CLI_TEXT, &a.suite, "NAME", "the case's suite, by name or path; when not given, all are looked through"},
        {"time", CLI_NUMBER, &a.time_ms, "MS", "longest that one call may take (10,000)"},
    };
    int count;
    const int code = cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (code)
        return code < 0 ? CLI_CONFORMS : code;
    if (count != 1)
        return cli_usage(command, "expected the id of one case");
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    struct target *targets = NULL;
    struct suite suite;
    char **paths = NULL;
    size_t target_count = 0, path_count = 0;
    int result = CLI_CONFORMS;
    const struct suite_case *of = NULL;
    enum error error = targets_choose(a.target, a.plugin, a.program, &arena, &targets, &target_count, &diagnostic);
    if (!error)
        error = suites_choose(a.suite, &arena, &paths, &path_count, &diagnostic);
    if (!error)
        of = find(argv[1], paths, path_count, &suite, &error, &diagnostic);
    for (size_t i = 0; i < target_count && !error; i++)
        error = judge(&suite, of->id, &targets[i], (unsigned)a.time_ms, &result, &diagnostic);
    if (of)
        suite_release(&suite);
    arena_release(&arena);
    return error ? cli_fail(&diagnostic) : result;
}

const struct cli_command command_run = {
    .name = "run",
    .arguments = "CASE --target NAME [options]",
    .summary = "run one case on a target and print everything about it",
    .help = "Prints verdict, first differing element, explanation and what the target printed.\n"
            "The target runs in a child process: with gdb, `set follow-fork-mode child`.\n\n"
            "  assay run example-1 --target openvino",
    .run = run,
};
