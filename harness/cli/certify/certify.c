// SPDX-License-Identifier: Apache-2.0
// assay certify: does this library do what the specification says?

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/certify/work.h"
#include "harness/cli/commands.h"
#include "harness/cli/seal.h"
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
    // What is certified is what the golden vectors hold.
    char vectors[PATH_MAX];
    cli_data_path("vectors/golden", vectors, sizeof vectors);
    for (size_t i = 0; i < work->suite_count && !error; i++)
        error = golden_check_suite(vectors, &work->suites[i], diagnostic);
    work->manifests = arena_take_array(&work->arena, work->suite_count, sizeof *work->manifests);
    if (!error && !work->manifests)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < work->suite_count && !error; i++)
        error =
            golden_manifest_read(vectors, work->suites[i].name, &work->manifests[i], diagnostic);
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
    if (!error)
        error = targets_choose(a->target, a->plugin, a->program, &work->arena, &work->targets,
                               &work->target_count, diagnostic);
    if (!error && a->known) {
        error = known_read(a->known, &work->known, diagnostic);
        work->has_known = true;
    }
    if (error)
        return error;
    error = open_log(work, diagnostic);
    if (error)
        return error;
    work->machine = judge_machine_here();
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
            run->result[i].verdict != VERDICT_TIMEOUT) {
            error = judge_survey_result(run, i, host, diagnostic);
            surveyed++;
        }
    return error;
}

static enum error judge_one(struct certify_work *work, size_t t, size_t s, struct host *host,
                            const struct shard_plan *part, struct diagnostic *diagnostic)
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
        .pool = work->pools ? work->pools[t * work->suite_count + s] : NULL,
        .finished = finished && finished->result_count ? finished : NULL,
        .stop = work->alone && certify_mode(a) != JUDGE_STEPWISE ? certify_stop() : NULL,
        .progress = isatty(STDERR_FILENO) && !a->quiet ? show_progress : NULL,
        .context = &progress};
    enum error error = judge_certify(&work->suites[s], host, &options, run, diagnostic);
    run->selector = work->targets[t].selector;
    run->held_to = work->targets[t].held_to;
    run->native = work->targets[t].native;
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

enum error certify_run_target(struct certify_work *work, size_t t, const struct shard_plan *part,
                              struct diagnostic *diagnostic)
{
    struct certify_session *const session = &work->session[t];
    struct host *host = NULL;
    char message[HOST_MESSAGE_SIZE];
    enum error error =
        target_open(&work->targets[t], (unsigned)work->arguments->time_ms, &host, diagnostic);
    if (error == ERROR_INTERNAL) // memory has run out, which is nothing that the target does
        return error;
    if (error) {
        session->unavailable =
            arena_copy_text(&work->arena, diagnostic->text, strlen(diagnostic->text));
        if (!session->unavailable)
            return diagnostic_no_memory(diagnostic);
    } else
        session->description = *host_describe(host);
    if (!part)
        certify_report_opening(work, t);
    if (!host)
        return ERROR_NONE;
    error = ERROR_NONE;
    const bool files = // results are to be written: they say what was loaded
        (part && !work->alone) || work->arguments->out || work->arguments->html;
    for (size_t s = 0; s < work->suite_count && !error && !(work->alone && *certify_stop()); s++) {
        char **file;
        size_t count;
        error = judge_one(work, t, s, host, part, diagnostic);
        if (!error && files) // what it has loaded by now; the worker may be another at the end
            error = host_files(host, &work->arena, &file, &count, diagnostic);
    }
    if (!error && files)
        error = certify_find_files(host, work->targets[t].path, &work->arena, session, diagnostic);
    if (!host_close(host, message)) {
        session->closing = arena_copy_text(&work->arena, message, strlen(message));
        if (!error && !session->closing)
            error = diagnostic_no_memory(diagnostic);
    }
    if (!part)
        certify_report_closing(work, t);
    return error;
}

// Cases come and go, and memory that is handed back after one costs a fault for every page of the
// next.
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    enum { KEPT = 128 << 20, MAPPED = 32 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, MAPPED);
#endif
}

// ---- the command ------------------------------------------------------------

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct certify_arguments a = {.failures = 10, .jobs = 1};
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a.target, "NAME,...",
         "targets by name (`assay targets` lists them), or all"},
        {"plugin", CLI_TEXT, &a.plugin, "FILE.so", "a plugin of your own"},
        {"exec", CLI_TEXT, &a.program, "PROGRAM",
         "a process target of your own, with its arguments"},
        {"suite", CLI_TEXT, &a.suite, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &a.pattern, "PATTERN", "only cases whose id matches, as in a shell"},
        {"out", CLI_OUT, &a.out, "FILE",
         "write results there (with --sign: results.jsonl when not given)"},
        {"sign", CLI_TEXT, &a.key, "KEY.pem",
         "also write statement and, where the target conforms, certificate, signed with this "
         "Ed25519 key"},
        {"known", CLI_TEXT, &a.known, "FILE", "expected failures, with their reasons"},
        {"write-known", CLI_TEXT, &a.write_known, "FILE",
         "write entries for what is new, grouped by what explains it"},
        {"failures", CLI_NUMBER, &a.failures, "N",
         "how many failures to print in full for each suite (10)"},
        {"survey", CLI_NUMBER, &a.survey, "N",
         "run the first N failures of each suite under every combination of conditions"},
        {"time", CLI_NUMBER, &a.time_ms, "MS", "longest that one call may take (10,000)"},
        {"mode", CLI_TEXT, &a.mode, "NAME",
         "bounds over many steps: observed (the default), sequence or stepwise; see above"},
        {"requirements", CLI_FLAG, &a.requirements, NULL,
         "print every requirement, not only those that are not met"},
        {"no-explain", CLI_FLAG, &a.no_explain, NULL,
         "do not search the choices for what a failing target does"},
        {"resume", CLI_TEXT, &a.resume, "DIR",
         "go on with what an interrupted certification kept there (Ctrl-C says where)"},
        {"quick", CLI_FLAG, &a.quick, NULL,
         "one set of conditions for all cases (not a certification)"},
        {"quiet", CLI_FLAG, &a.quiet, NULL, "print the result line alone"},
        {"verbose", CLI_FLAG, &a.verbose, NULL,
         "print every suite of every target, with --failures N of them in full"},
        {"log", CLI_TEXT, &a.log, "FILE", "write there what --verbose prints"},
        {"html", CLI_TEXT, &a.html, "FILE", "also write the results as a page to look at"},
        {"junit", CLI_TEXT, &a.junit, "FILE", "also write them as JUnit XML"},
        {"jobs", CLI_NUMBER, &a.jobs, "N",
         "number of processes (default 1; 0: one per processor); results do not depend on it"},
        {"shard", CLI_TEXT, &a.shard, "I/N", "only run part I of N, for assay merge"},
        {"to", CLI_TEXT, &a.to, "DIR", "with --shard: the folder of the parts"},
        {"plan", CLI_FLAG, &a.plan, NULL,
         "with --shard: run nothing; exit 2 when the folder belongs to another plan, machines "
         "apart"},
    };
    const int code =
        cli_parse(command, options, sizeof options / sizeof *options, argc, argv, NULL);
    if (code)
        return code < 0 ? CLI_CONFORMS : code;
    unsigned index = 0, parts = 0;
    if (a.shard && !shard_parse(a.shard, &index, &parts))
        return cli_usage(command, "--shard is '%s'; expected I/N with I from 1 to N", a.shard);
    if (!a.shard != !a.to || (a.shard && a.out))
        return cli_usage(
            command, "--shard and --to go together, without --out: assay merge writes the results");
    if (a.plan && !a.shard)
        return cli_usage(command, "--plan goes with --shard and --to");
    if (a.survey && (a.shard || a.jobs != 1))
        return cli_usage(
            command,
            "--survey needs the target at hand when all is judged: no --shard and one job");
    if (a.resume && (a.survey || a.shard || a.jobs != 1 || certify_mode(&a) == JUDGE_STEPWISE))
        return cli_usage(command, "--resume goes with one job that runs whole cases: no --jobs, "
                                  "--shard, --survey or --mode stepwise");
    if (a.key && (a.quick || a.pattern || a.shard))
        return cli_usage(
            command, "--sign needs all cases under all conditions: no --case, --quick or --shard");
    if (a.mode && judge_mode_named(a.mode) == JUDGE_MODES)
        return cli_usage(
            command, "there is no mode '%s'; there are observed, sequence and stepwise", a.mode);
    if (a.mode && judge_mode_named(a.mode) == JUDGE_OBSERVED)
        a.mode = NULL; // the default
    if (certify_mode(&a) == JUDGE_STEPWISE && a.survey)
        return cli_usage(command, "--mode stepwise names the first wrong step: no --survey");
    if (a.key && a.mode)
        return cli_usage(command, "--sign needs the standard mode: no --mode %s", a.mode);
    if (a.key && !a.out)
        a.out = "results.jsonl";
    struct diagnostic diagnostic = {.text = ""};
    struct certify_work work = {.arguments = &a};
    keep_memory();
    enum error error = a.key ? seal_check_key(a.key, &diagnostic) : ERROR_NONE;
    if (!error)
        error = cli_check_out(a.out, &diagnostic);
    if (!error)
        error = certify_prepare(&work, &diagnostic);
    const bool alone = !a.shard && a.jobs == 1;
    for (size_t t = 0; t < work.target_count && !error && a.survey; t++)
        error = certify_run_target(&work, t, NULL, &diagnostic);
    const int exit_code = error      ? cli_fail(&diagnostic)
                          : a.shard  ? certify_part(&work, index, parts)
                          : a.survey ? certify_finish(&work)
                          : alone    ? certify_alone(&work)
                                  : certify_jobs(&work, (unsigned)(a.jobs > 1024 ? 1024 : a.jobs));
    certify_release(&work);
    return exit_code;
}

const struct cli_command command_certify = {
    .name = "certify",
    .arguments = "--target NAME [options]",
    .summary = "certify a library against the suites",
    .help =
        "Runs every case in a worker process: buffers against inaccessible pages, outputs "
        "poisoned, several numbers of threads, again and in another order. What always gives the "
        "same bits is compared with the reference under one allowed profile. Support is declared "
        "by the target before the run, with its reason.\n\n"
        "Bounds of outputs that many steps lead to (onednn.rnn) are derived in one of three "
        "modes:\n"
        "  observed  of each step from the target's own output of the step before, where\n"
        "            that output is what the next step reads (one layer, directions not\n"
        "            added): narrow over any number of steps; of gradients where the\n"
        "            target shows that output beside them; else as sequence\n"
        "  sequence  over all steps from the inputs of the first\n"
        "  stepwise  the target runs one step of one layer at a time, from the states\n"
        "            that the reference reaches (of gradients, from the last layer and\n"
        "            step on, with what its reverse pass hands on); of a case that\n"
        "            fails, the first wrong layer, direction, time and gate is named\n\n"
        "Ctrl-C lets the cases under way end and keeps what is finished in DIR\n"
        "(FILE.unfinished, with --out FILE). The same command with --resume DIR goes on,\n"
        "and its results are those of a run that was not interrupted.\n\n"
        "  assay certify --target openvino --suite openvino.random_uniform \\\n"
        "    --out results.jsonl\n"
        "  assay certify --plugin ./acme.so --suite philox --out acme.jsonl \\\n"
        "    --sign key.pem",
    .exits = {"the target conforms, or nothing unexpected happened", "it does not conform",
              [CLI_NOTHING] = "no case was selected, or the target supports none of them"},
    .run = run,
};
