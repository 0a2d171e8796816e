// SPDX-License-Identifier: Apache-2.0
// assay minimize: a failing case, cut down as far as it still fails in the same way.

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/summary.h"
#include "harness/cli/commands.h"
#include "harness/cli/subject.h"
#include "harness/judge/write/program.h"
#include "harness/judge/write/results_case.h"
#include "ref/base/file.h"

struct arguments {
    struct subject subject;
    const char *results, *yaml, *c_program;
    unsigned long long tries, seconds;
};

// Writes to the file, or after a line of title to standard output.
static enum error put(const char *path, const char *title, const struct text *text,
                      struct diagnostic *diagnostic)
{
    if (path)
        return file_replace_with(path, text->bytes, text->size, diagnostic);
    printf("---- %s\n%s", title, text->bytes ? text->bytes : "");
    return ERROR_NONE;
}

static enum error write_both(const struct arguments *a, const char *target,
                             const struct minimized *minimized, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    struct text text = {0};
    const bool named = a->yaml && strncmp(a->yaml, "/dev/", 5) != 0;
    const char *const name = named ? file_stem(a->yaml, arena) : "minimal";
    const bool both = !a->yaml && !a->c_program;
    enum error error = ERROR_NONE;
    if (a->yaml || both) {
        error = specimen_write_suite(&minimized->specimen, name, &text, diagnostic);
        if (!error)
            error = put(a->yaml, "minimal.yaml", &text, diagnostic);
    }
    text_release(&text);
    if (error || (!a->c_program && !both))
        return error;
    char folder[PATH_MAX];
    cli_data_path("harness/targets/templates", folder, sizeof folder);
    error = program_write(minimized, target, folder, &text, diagnostic);
    if (!error)
        error = put(a->c_program, "minimal.c", &text, diagnostic);
    else if (error == ERROR_UNSUPPORTED && both) {
        printf("---- no C program: %s\n", diagnostic->text);
        error = ERROR_NONE;
    }
    text_release(&text);
    return error;
}

static enum error minimize(struct arguments *a, const struct named_profile *profile,
                           struct diagnostic *diagnostic)
{
    const struct suite_case *const of = a->subject.of;
    const struct target *const target = &a->subject.targets[0];
    struct host *host = NULL;
    struct minimized minimized;
    const struct minimize_options options = {
        .profile = profile, .tries = (unsigned)a->tries, .seconds = (unsigned)a->seconds};
    enum error error = target_open(target, 0, &host, diagnostic);
    if (error)
        return error;
    error = minimize_case(&a->subject.suite, of, host, &options, &minimized, diagnostic);
    if (!error) {
        minimized.run.selector = target->selector;
        printf("%s: %" PRIu64 " elements of inputs and outputs, were %" PRIu64 "; %" PRIu64
               " values are not zero, were %" PRIu64 "; %u of %u cuts kept%s\n",
               of->id, minimized.size_after, minimized.size_before, minimized.values_after,
               minimized.values_before, minimized.cuts, minimized.tries,
               minimized.exhausted ? "; the search was not finished" : "");
        summary_print_result(stdout, target->name, &minimized.run, &minimized.run.result[0],
                             cli_coloured(stdout));
        error = write_both(a, target->name, &minimized, &a->subject.arena, diagnostic);
    }
    minimize_release(&minimized);
    host_close(host, NULL);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.tries = 0};
    struct subject *const subject = &a.subject;
    const struct cli_option options[] = {
        SUBJECT_TARGET_OPTIONS(*subject),
        SUBJECT_CASE_OPTION(*subject),
        {"results", CLI_TEXT, &a.results, "FILE",
         "results of certify: names target and suite, and the profile of its passes"},
        {"yaml", CLI_OUT, &a.yaml, "FILE.yaml",
         "write the case there, as a suite of its own, which certify takes"},
        {"program", CLI_OUT, &a.c_program, "FILE.c", "write the C program there"},
        {"tries", CLI_NUMBER, &a.tries, "N", "most candidates put to the target (1,000)"},
        {"seconds", CLI_NUMBER, &a.seconds, "N", "longest search (120)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct diagnostic diagnostic = {.text = ""};
    struct results_case recorded = {.target = NULL};
    struct named_profile profile;
    enum error error = a.results
                           ? results_find_case(a.results, argv[1], subject->target, subject->suites,
                                               &subject->arena, &recorded, &diagnostic)
                           : ERROR_NONE;
    if (!error && a.results && !subject->plugin && !subject->program)
        subject->target = recorded.target;
    if (!error && !subject->suites)
        subject->suites = recorded.suite;
    if (!error)
        error = subject_choose_one(subject, &diagnostic);
    if (!error)
        error = subject_find_case(subject, argv[1], &diagnostic);
    const bool found = subject->of != NULL;
    if (found && recorded.target)
        error = results_profile(&recorded, &subject->suite, &profile, &diagnostic);
    if (!error && found)
        error = minimize(&a, recorded.target ? &profile : NULL, &diagnostic);
    subject_release(subject);
    return error   ? cli_fail(&diagnostic)
           : found ? CLI_CONFORMS
                   : subject_no_case(&subject->nearest);
}

const struct cli_command command_minimize = {
    .name = "minimize",
    .arguments = "CASE --target NAME [options]",
    .summary = "cut a failing case down and write it as YAML and as a C program",
    .help = "Cuts sizes, then values, then attributes, as long as the target fails in the same "
            "way: the same verdict, no other output wrong, the same explanation. Writes a suite "
            "of that one case, and a C program that needs nothing but the library's public API "
            "(oneDNN, OpenVINO). Without --yaml and --program it prints both.\n\n"
            "  assay minimize away-i32 --target openvino --suite openvino.range \\\n"
            "    --yaml minimal.yaml --program minimal.c",
    .exits = {"the case was cut down", [CLI_INPUT] = "usage or input, or the case does not fail",
              [CLI_NOTHING] = "no suite has the case"},
    .takes = {1, 1, "the id of one case"},
    .run = run,
};
