// SPDX-License-Identifier: Apache-2.0
// assay run: one case on one target, once, under stated conditions; for looking closely and for
// debuggers.

#include <stdio.h>

#include "harness/cli/summary.h"
#include "harness/cli/commands.h"
#include "harness/cli/subject.h"
#include "harness/judge/search/explain.h"
#include "harness/judge/search/survey.h"

static enum error judge(const struct suite *suite, const char *id, const struct target *target,
                        unsigned time_ms, int *code, struct diagnostic *diagnostic)
{
    struct host *host = NULL;
    struct judge_run run;
    const struct judge_options options = {.pattern = id, .explain = judge_explain_pairs};
    enum error error = target_open(target, time_ms, &host, diagnostic);
    if (error)
        return error;
    error = judge_certify(suite, host, &options, &run, diagnostic);
    run.selector = target->selector;
    for (size_t i = 0; i < run.result_count && !error; i++) {
        if (verdict_is_failure(run.result[i].verdict)) {
            const bool lost = run.result[i].verdict == VERDICT_HARNESS;
            *code = lost ? CLI_HARNESS : CLI_DIFFERS;
            error = lost ? ERROR_NONE : judge_survey_result(&run, i, host, diagnostic);
        }
        if (*code == CLI_NOTHING && run.result[i].verdict != VERDICT_UNSUPPORTED)
            *code = CLI_CONFORMS;
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
    struct subject subject = {.target = NULL};
    unsigned long long time_ms = 0;
    bool trace = false;
    const struct cli_option options[] = {
        SUBJECT_TARGET_OPTIONS(subject),
        SUBJECT_CASE_OPTION(subject),
        {"time", CLI_NUMBER, &time_ms, "MS", "longest that one call may take (10,000)"},
        {"trace", CLI_FLAG, &trace, NULL,
         "print to standard error each line that a process target is sent (>) and answers (<)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct diagnostic diagnostic = {.text = ""};
    int result = CLI_NOTHING;
    enum error error = subject_choose(&subject, &diagnostic);
    if (!error)
        error = subject_find_case(&subject, argv[1], &diagnostic);
    const bool found = !error && subject.of;
    for (size_t i = 0; i < subject.target_count && found && !error; i++) {
        subject.targets[i].trace = trace;
        error = judge(&subject.suite, subject.of->id, &subject.targets[i], (unsigned)time_ms,
                      &result, &diagnostic);
    }
    subject_release(&subject);
    return error ? cli_fail(&diagnostic) : found ? result : subject_no_case(&subject.nearest);
}

const struct cli_command command_run = {
    .name = "run",
    .arguments = "CASE --target NAME [options]",
    .summary = "run one case on a target and print everything about it",
    .help = "Prints verdict, first differing element, explanation and what the target printed. "
            "The target runs in a child process: with gdb, `set follow-fork-mode child`.\n\n"
            "  assay run example-1 --target openvino",
    .exits = {"the case does not fail",
              "it fails", [CLI_NOTHING] = "no suite has the case, or no target supports it"},
    .takes = {1, 1, "the id of one case"},
    .run = run,
};
