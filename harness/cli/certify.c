// SPDX-License-Identifier: Apache-2.0
// assay certify: does this library do what the specification says?

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/certify_summary.h"
#include "harness/cli/commands.h"
#include "harness/cli/target_table.h"
#include "harness/judge/records.h"

struct arguments {
    const char *target, *plugin, *program, *suite, *pattern, *out, *known;
    unsigned long long time_ms, failures;
    bool quick, requirements, no_explain, quiet;
};

struct work {
    const struct arguments *arguments;
    struct arena arena;
    struct target *targets;
    size_t target_count, suite_count;
    struct suite *suites;
    struct judge_run *runs; // target by target
    bool *judged;
    struct records_target *described;
    struct known_list known;
    bool has_known;
    size_t selected, unexpected, expected, broken;
};

struct progress {
    const char *target, *suite;
    bool shown;
};

static void show_progress(void *context, size_t done, size_t total)
{
    struct progress *const progress = context;
    fprintf(stderr, "\r%s, %s: %zu of %zu cases\033[K", progress->target, progress->suite, done, total);
    fflush(stderr);
    progress->shown = true;
}

static enum error read_suites(struct work *work, struct diagnostic *diagnostic)
{
    char **paths = NULL;
    enum error error = suites_choose(work->arguments->suite, &work->arena, &paths, &work->suite_count, diagnostic);
    work->suites = error ? NULL : arena_take_array(&work->arena, work->suite_count, sizeof *work->suites);
    if (!error && !work->suites)
        error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    for (size_t i = 0; i < work->suite_count && !error; i++)
        error = suite_read(paths[i], &work->suites[i], diagnostic);
    return error;
}

static bool selects(const struct work *work, const struct judge_run *run)
{
    // A target that supports nothing of a suite is named in one line, unless the suite was asked for.
    return work->arguments->suite || judge_count(run, VERDICT_UNSUPPORTED) < run->result_count;
}

static enum error judge_one(struct work *work, size_t t, size_t s, struct host *host, struct diagnostic *diagnostic)
{
    const struct arguments *const a = work->arguments;
    struct judge_run *const run = &work->runs[t * work->suite_count + s];
    struct progress progress = {.target = work->targets[t].name, .suite = work->suites[s].name};
    const struct judge_options options = {.pattern = a->pattern,
                                          .explain = !a->no_explain,
                                          .quick = a->quick,
                                          .progress = isatty(STDERR_FILENO) && !a->quiet ? show_progress : NULL,
                                          .context = &progress};
    const enum error error = judge_certify(&work->suites[s], host, &options, run, diagnostic);
    run->selector = work->targets[t].selector;
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (error == ERROR_INVALID_ARGUMENT && !run->result_count)
        return ERROR_NONE; // nothing here matches the pattern
    if (error)
        return error;
    if (!selects(work, run)) {
        printf("%s %s, %s: supports none of %zu cases (%s)\n\n", work->targets[t].name, run->description.version,
               work->suites[s].name, run->result_count, run->result[0].reason ? run->result[0].reason : "no reason");
    }
    work->judged[t * work->suite_count + s] = true;
    if (work->has_known)
        known_apply(&work->known, work->targets[t].name, run);
    work->selected += run->result_count;
    work->unexpected += known_unexpected(run);
    for (size_t i = 0; i < run->result_count; i++)
        work->expected += run->result[i].known.why && !run->result[i].known.cured;
    if (selects(work, run)) {
        summary_print_run(stdout, work->targets[t].name, run, a->failures, a->requirements, cli_coloured(stdout));
        printf("\n");
    }
    fflush(stdout);
    return ERROR_NONE;
}

static enum error judge_target(struct work *work, size_t t, struct diagnostic *diagnostic)
{
    const struct target *const target = &work->targets[t];
    struct records_target *const described = &work->described[t];
    struct host *host = NULL;
    char message[HOST_MESSAGE_SIZE];
    *described = (struct records_target){.name = target->name, .path = target->path, .process = target->program != NULL};
    if (target_open(target, (unsigned)work->arguments->time_ms, &host, diagnostic)) {
        described->unavailable = arena_copy_text(&work->arena, diagnostic->text, strlen(diagnostic->text));
        printf("%s: not available: %s\n\n", target->name, diagnostic->text);
        work->broken++;
        return ERROR_NONE;
    }
    const struct host_description *const description = host_describe(host);
    described->version = arena_copy_text(&work->arena, description->version, strlen(description->version));
    if (description->change[0]) {
        printf("%s: loading it changed the process: %s\n\n", target->name, description->change);
        work->unexpected++;
    }
    enum error error = ERROR_NONE;
    for (size_t s = 0; s < work->suite_count && !error; s++)
        error = judge_one(work, t, s, host, diagnostic);
    if (!host_close(host, message)) {
        printf("%s: %s\n\n", target->name, message);
        work->unexpected++;
    }
    return error;
}

static enum error write_results(const struct work *work, struct diagnostic *diagnostic)
{
    const struct suite **const suites = calloc(work->suite_count + 1, sizeof *suites);
    if (!suites)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    for (size_t i = 0; i < work->suite_count; i++)
        suites[i] = &work->suites[i];
    const struct records_plan plan = {.command = "certify",
                                      .suite_count = work->suite_count,
                                      .suite = suites,
                                      .target_count = work->target_count,
                                      .target = work->described,
                                      .selection = work->arguments->pattern,
                                      .known = work->has_known ? &work->known : NULL};
    struct records records = {.records = 0};
    enum error error = records_begin(&records, &plan, diagnostic);
    for (size_t t = 0; t < work->target_count; t++)
        for (size_t s = 0; s < work->suite_count; s++)
            if (work->judged[t * work->suite_count + s])
                records_put_run(&records, work->targets[t].name, &work->runs[t * work->suite_count + s]);
    if (!error)
        error = records_end(&records, work->arguments->out, diagnostic);
    records_release(&records);
    free(suites);
    return error;
}

static enum error prepare(struct work *work, struct diagnostic *diagnostic)
{
    const struct arguments *const a = work->arguments;
    enum error error = read_suites(work, diagnostic);
    if (!error)
        error = targets_choose(a->target, a->plugin, a->program, &work->arena, &work->targets, &work->target_count, diagnostic);
    if (!error && a->known) {
        error = known_read(a->known, &work->known, diagnostic);
        work->has_known = true;
    }
    if (error)
        return error;
    work->runs = arena_take_array(&work->arena, work->target_count * work->suite_count, sizeof *work->runs);
    work->judged = arena_take_array(&work->arena, work->target_count * work->suite_count, sizeof *work->judged);
    work->described = arena_take_array(&work->arena, work->target_count, sizeof *work->described);
    return work->runs && work->judged && work->described ? ERROR_NONE
                                                         : diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
}

static int conclude(const struct work *work)
{
    if (!work->selected && !work->broken) {
        fprintf(stderr, "assay: no case was selected\n");
        return CLI_NOTHING;
    }
    printf("%zu cases, %zu unexpected, %zu expected failures", work->selected, work->unexpected, work->expected);
    if (work->broken)
        printf(", %zu targets not available", work->broken);
    printf("\n");
    if (work->unexpected)
        return CLI_DIFFERS;
    return work->broken ? CLI_HARNESS : CLI_CONFORMS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.failures = 10};
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a.target, "NAME,...", "targets by name (`assay targets` lists them), or all"},
        {"plugin", CLI_TEXT, &a.plugin, "FILE.so", "a plugin of your own"},
        {"exec", CLI_TEXT, &a.program, "PROGRAM", "a process target of your own, with its arguments"},
        {"suite", CLI_TEXT, &a.suite, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &a.pattern, "PATTERN", "only cases whose id matches, as in a shell"},
        {"out", CLI_TEXT, &a.out, "FILE", "write results.jsonl there"},
        {"known", CLI_TEXT, &a.known, "FILE", "expected failures, with their reasons"},
        {"failures", CLI_NUMBER, &a.failures, "N", "how many failures to print in full for each suite (10)"},
        {"time", CLI_NUMBER, &a.time_ms, "MS", "longest that one call may take (10,000)"},
        {"requirements", CLI_FLAG, &a.requirements, NULL, "print every requirement, not only those that are not met"},
        {"no-explain", CLI_FLAG, &a.no_explain, NULL, "do not search the choices for what a failing target does"},
        {"quick", CLI_FLAG, &a.quick, NULL, "one set of conditions for all cases (not a certification)"},
        {"quiet", CLI_FLAG, &a.quiet, NULL, "no progress line"},
    };
    int count;
    const int code = cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (code)
        return code < 0 ? CLI_CONFORMS : code;
    if (count)
        return cli_usage(command, "unexpected argument '%s'", argv[1]);
    struct diagnostic diagnostic = {.text = ""};
    struct work work = {.arguments = &a};
    enum error error = prepare(&work, &diagnostic);
    for (size_t t = 0; t < work.target_count && !error; t++)
        error = judge_target(&work, t, &diagnostic);
    if (!error && a.out)
        error = write_results(&work, &diagnostic);
    const int exit_code = error ? cli_fail(&diagnostic) : conclude(&work);
    for (size_t i = 0; work.runs && i < work.target_count * work.suite_count; i++)
        judge_release(&work.runs[i]);
    for (size_t i = 0; work.suites && i < work.suite_count; i++)
        suite_release(&work.suites[i]);
    known_release(&work.known);
    arena_release(&work.arena);
    return exit_code;
}

const struct cli_command command_certify = {
    .name = "certify",
    .arguments = "--target NAME [options]",
    .summary = "certify a library against the suites",
    .help = "Runs every case in a worker process: buffers against inaccessible pages, outputs poisoned, several numbers of\n"
            "threads, again and in another order. What always gives the same bits is compared with the reference under one\n"
            "allowed profile. Support is declared by the target before the run, with its reason.\n\n"
            "  assay certify --target openvino --suite openvino.random_uniform --out results.jsonl",
    .run = run,
};
