// SPDX-License-Identifier: Apache-2.0
// What a certification prints and writes: results first, since the summary and the page are made
// from them as `assay report` makes them.

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/certify/work.h"
#include "harness/host/record/record.h"
#include "harness/cli/commands.h"
#include "harness/cli/render.h"
#include "harness/cli/subject.h"
#include "harness/cli/summary.h"
#include "harness/judge/known/write.h"
#include "harness/host/conditions.h"
#include "ref/base/file.h"

// ---- everything, as it comes ------------------------------------------------

// Where every failure is printed in full; NULL after the last.
static FILE *place(const struct certify_work *work, unsigned i)
{
    FILE *const places[] = {work->arguments->verbose ? stdout : work->log,
                            work->arguments->verbose ? work->log : NULL};
    return i < sizeof places / sizeof *places ? places[i] : NULL;
}

__attribute__((format(printf, 2, 3))) static void print(const struct certify_work *work,
                                                        const char *format, ...)
{
    for (unsigned i = 0; place(work, i); i++) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(place(work, i), format, arguments);
        va_end(arguments);
    }
}

// Reports what belongs to no case, on standard error where the run is not printed in full.
static void tell(const struct certify_work *work, size_t t, const char *what, const char *text)
{
    print(work, "%s: %s%s\n\n", work->targets[t].name, what, text);
    if (!work->arguments->verbose)
        fprintf(stderr, "assay: %s: %s%s\n", work->targets[t].name, what, text);
}

void certify_report_opening(struct certify_work *work, size_t t)
{
    const struct certify_session *const session = &work->session[t];
    if (session->unavailable) {
        tell(work, t, "not available: ", session->unavailable);
        work->broken++;
    } else if (session->description.change[0]) {
        tell(work, t, "loading it changed the process: ", session->description.change);
        work->unexpected++;
    }
}

void certify_report_closing(struct certify_work *work, size_t t)
{
    if (!work->session[t].closing)
        return;
    tell(work, t, "", work->session[t].closing);
    work->unexpected++;
}

// A target that supports nothing of a suite is named in one line, unless the suite was asked for.
static void print_run(const struct certify_work *work, size_t t, const struct judge_run *run)
{
    const struct certify_arguments *const a = work->arguments;
    const char *const target = work->targets[t].name;
    if (!a->suite && judge_count(run, VERDICT_UNSUPPORTED) == run->result_count) {
        print(work, "%s %s, %s: supports none of %zu cases (%s)\n\n", target,
              run->description.version, run->suite->name, run->result_count,
              run->result[0].reason ? run->result[0].reason : "no reason");
        return;
    }
    for (unsigned i = 0; place(work, i); i++) {
        FILE *const stream = place(work, i);
        summary_print_run(stream, target, run, a->failures, a->requirements, cli_coloured(stream));
        fprintf(stream, "\n");
        fflush(stream);
    }
}

// An entry that covers no case of a suite that was run whole is misspelt, or the suite has changed.
static void report_idle_entries(struct certify_work *work, size_t t)
{
    char text[200];
    for (size_t i = 0; i < work->known.count; i++) {
        struct known_entry *const entry = &work->known.entry[i];
        if (!entry->idle)
            continue;
        snprintf(text, sizeof text, "line %u covers no case of %.100s", entry->line, entry->idle);
        tell(work, t, "known failures: ", text);
        work->unexpected++;
        work->idle++;
        entry->idle = NULL;
    }
}

// A failure of a native target on a class of processors without a list is no error.
static void report_unlisted(struct certify_work *work, size_t t, const struct judge_result *result)
{
    work->unlisted++;
    print(work, "%s: unlisted: %s %s\n", work->targets[t].name, verdict_name(result->verdict),
          result->of->id);
    if (!work->arguments->verbose && !work->arguments->quiet)
        printf("%s: unlisted: %s %s\n", work->targets[t].name, verdict_name(result->verdict),
               result->of->id);
}

enum error certify_report_run(struct certify_work *work, size_t t, size_t s,
                              struct diagnostic *diagnostic)
{
    const char *const target = work->targets[t].name;
    struct judge_run *const run = &work->runs[t * work->suite_count + s];
    const enum error error =
        work->has_known ? known_apply(&work->known, target, run, diagnostic) : ERROR_NONE;
    if (error)
        return error;
    report_idle_entries(work, t);
    work->selected += run->result_count;
    work->unexpected += known_unexpected(run);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        work->expected += result->known.why && !result->known.cured && !result->known.unlisted;
        if (result->known.unlisted)
            report_unlisted(work, t, result);
        work->lost += !result->known.why && result->verdict == VERDICT_HARNESS;
        work->proofs += verdict_is_proof(result->verdict);
    }
    print_run(work, t, run);
    return ERROR_NONE;
}

// ---- results ----------------------------------------------------------------

// What the target did wrong when it was loaded or closed; NULL: nothing.
static const char *name_outside(struct certify_work *work, const struct certify_session *session)
{
    const char *const change = session->description.change;
    const char *const closing = session->closing ? session->closing : "";
    if (session->unavailable || (!change[0] && !closing[0]))
        return NULL;
    return arena_print(&work->arena, "%s%s%s%s",
                       change[0] ? "loading it changed the process: " : "", change,
                       change[0] && closing[0] ? "; " : "", closing);
}

static void describe_targets(struct certify_work *work, struct records_target *targets)
{
    for (size_t t = 0; t < work->target_count; t++) {
        const struct certify_session *const session = &work->session[t];
        struct text untried = {0};
        if (!session->unavailable && !work->record)
            conditions_put_untried(&session->description, &untried);
        else if (work->record && work->record->untried)
            text_put(&untried, work->record->untried);
        targets[t] = (struct records_target){
            .name = work->targets[t].name,
            .path = work->record ? work->record->file : work->targets[t].path,
            .process =
                work->record ? session->description.process : work->targets[t].program != NULL,
            .recorded = work->record ? &work->recorded : NULL,
            .held_to = work->targets[t].held_to,
            .version = session->unavailable ? NULL : session->description.version,
            .model = session->unavailable ? NULL : session->description.model,
            .library_count = session->library_count,
            .library = session->library,
            .environment = session->unavailable ? NULL
                           : work->record
                               ? work->record->environment
                               : host_environment(work->targets[t].environment, &work->arena),
            .unseen = session->unseen,
            .outside = name_outside(work, session),
            .untried =
                untried.size ? arena_copy_text(&work->arena, untried.bytes, untried.size) : NULL,
            .unavailable = session->unavailable};
        work->arena.failed |= untried.failed;
        text_release(&untried);
    }
}

// All records, as they stand in a results file.
static enum error make_records(struct certify_work *work, struct records *records,
                               struct diagnostic *diagnostic)
{
    const struct suite **const suites = calloc(work->suite_count + 1, sizeof *suites);
    struct records_target *const targets = calloc(work->target_count + 1, sizeof *targets);
    const char **const vectors = calloc(work->suite_count + 1, sizeof *vectors);
    char folder[PATH_MAX];
    for (size_t i = 0; suites && vectors && i < work->suite_count; i++) {
        suites[i] = &work->suites[i];
        vectors[i] =
            arena_print(&work->arena, "%s", suites_vectors(suites[i], folder, sizeof folder));
    }
    if (targets)
        describe_targets(work, targets);
    const struct certify_arguments *const a = work->arguments;
    const struct records_plan plan = {.command = "certify",
                                      .unwritten = !a->out && !a->html && !a->junit && !a->key,
                                      .suite_count = work->suite_count,
                                      .suite = suites,
                                      .vectors = vectors,
                                      .target_count = work->target_count,
                                      .target = targets,
                                      .selection = a->pattern,
                                      .time_ms = a->time_ms,
                                      .seed = work->seed,
                                      .drawn = work->drawn,
                                      .quick = a->quick,
                                      .mode = certify_mode(work->arguments),
                                      .known = work->has_known ? &work->known : NULL,
                                      .machine = &work->machine};
    enum error error = suites && vectors && targets && !work->arena.failed
                           ? records_begin(records, &plan, diagnostic)
                           : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < work->target_count * work->suite_count; i++)
        if (work->judged[i])
            records_put_run(records, work->targets[i / work->suite_count].name, &work->runs[i]);
    if (!error)
        error = records_close(records, diagnostic);
    free(targets);
    free(vectors);
    free(suites);
    return error;
}

// ---- the conclusion ---------------------------------------------------------

// Names the suites without golden vectors, so that no reader takes them for kept ones.
static void print_unkept(const struct certify_work *work)
{
    for (size_t s = 0; s < work->suite_count && !work->arguments->quiet; s++)
        if (!work->manifests[s].path)
            printf("%s has no golden vectors: targets were held against the reference of this "
                   "build alone (assay emit --suite %s --write makes them)\n",
                   work->suites[s].name, suite_asked(&work->suites[s]));
}

static void print_places(const struct certify_arguments *a)
{
    const struct {
        const char *name, *path;
    } places[] = {{"page", a->html}, {"JUnit", a->junit}, {"results", a->out}, {"log", a->log}};
    if (a->quiet)
        return;
    if (!a->verbose)
        printf("\n");
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].path)
            printf("%-9s%s\n", places[i].name,
                   strncmp(places[i].path, "/dev/fd/", 8) != 0 ? places[i].path
                                                               : "standard output");
}

static int exit_code(const struct certify_work *work)
{
    return work->unexpected > work->lost ? CLI_DIFFERS
           : work->broken || work->lost  ? CLI_HARNESS
           : !work->proofs               ? CLI_NOTHING
                                         : CLI_CONFORMS;
}

static void print_result(const struct certify_work *work, const char *outcome)
{
    printf("%zu cases, %zu unexpected, %zu expected failures", work->selected, work->unexpected,
           work->expected);
    if (work->unlisted)
        printf(", %zu unlisted", work->unlisted);
    if (work->broken)
        printf(", %zu targets not available", work->broken);
    if (work->lost)
        printf(", %zu cases that the harness could not run", work->lost);
    printf(": %s\n", exit_code(work) == CLI_HARNESS ? "not all could be run" : outcome);
}

// Entries for what is new, in the form of a list of known failures.
static enum error write_known(const struct certify_work *work, struct diagnostic *diagnostic)
{
    struct text text = {0};
    size_t count = 0;
    text_put(&text, "known:");
    const size_t head = text.size;
    text_put(&text, "\n");
    for (size_t i = 0; i < work->target_count * work->suite_count; i++)
        if (work->judged[i])
            count +=
                known_write_run(work->targets[i / work->suite_count].name, &work->runs[i], &text);
    if (!count && !text.failed) {
        text.size = head;
        text_put(&text, " []\n");
    }
    const enum error error = text.failed ? diagnostic_no_memory(diagnostic)
                                         : file_replace_with(work->arguments->write_known,
                                                             text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

static int report_no_case(const struct certify_work *work)
{
    struct nearest nearest = {.asked = work->arguments->pattern};
    for (size_t i = 0; nearest.asked && i < work->suite_count; i++)
        subject_offer_cases(&nearest, &work->suites[i]);
    if (nearest.asked)
        return subject_no_case(&nearest);
    fprintf(stderr, "assay: no case was selected\n");
    return CLI_NOTHING;
}

int certify_finish(struct certify_work *work)
{
    const struct certify_arguments *const a = work->arguments;
    const bool summary = !a->quiet && !a->verbose && work->selected;
    struct diagnostic diagnostic;
    struct records records = {.records = 0};
    struct text outcome = {0};
    enum error error = certify_check_fixed(work, &diagnostic);
    if (!error)
        error = make_records(work, &records, &diagnostic);
    if (!error && a->out)
        error = file_replace_with(a->out, records.text.bytes, records.text.size, &diagnostic);
    if (!error && a->write_known)
        error = write_known(work, &diagnostic);
    if (!error && work->log && (fflush(work->log) || ferror(work->log)))
        error = diagnostic_fail(&diagnostic, ERROR_SYSTEM, "cannot write %.400s: %s", a->log,
                                strerror(errno));
    const struct render_run run = {.path = {[RENDER_SUMMARY] = summary ? "-" : NULL,
                                            [RENDER_JUNIT] = a->junit,
                                            [RENDER_HTML] = a->html},
                                   .name = a->out ? a->out : "these results",
                                   .seal = a->key && work->selected,
                                   .key = work->idle ? NULL : a->key};
    if (!error)
        error = render_run(&run, records.text.bytes, records.text.size, &outcome, &diagnostic);
    records_release(&records);
    if (!error && !work->selected && !work->broken) {
        text_release(&outcome);
        return report_no_case(work);
    }
    if (!error) {
        print_unkept(work);
        print_places(a);
        print_result(work, outcome.bytes);
    }
    text_release(&outcome);
    return error ? cli_fail(&diagnostic) : exit_code(work);
}
