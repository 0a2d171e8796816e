// SPDX-License-Identifier: Apache-2.0
// assay known: does a list of known failures say what results from another machine show?

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/render.h"
#include "harness/cli/suite_table.h"
#include "harness/judge/known/claim.h"
#include "harness/judge/known/known.h"
#include "harness/judge/known/recorded.h"
#include "harness/judge/run/reference.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"

// What the list says of a record.
enum kind {
    KIND_HELD, // covered, and what the record shows is what the entry says
    KIND_OPEN, // covered; the record shows nothing that could be held against the entry
    KIND_CONTRADICTED,
    KIND_NEW,
    KIND_UNLISTED,
    KIND_FINE, // no failure, and none expected
    KIND_COUNT
};

struct work {
    struct known_list list;
    struct arena arena;
    struct document_source file;
    struct suite *suites;
    size_t suite_count;
    struct recorded recorded;
    size_t kinds[KIND_COUNT], records, proofs, gone, idle;
    unsigned long long show, shown[KIND_COUNT];
};

static enum kind kind_of(const struct judge_result *result)
{
    const bool failed = verdict_is_failure(result->verdict);
    if (result->known.unlisted)
        return KIND_UNLISTED;
    if (result->known.why && !result->known.cured)
        return known_is_open(result) ? KIND_OPEN : KIND_HELD;
    if (result->known.line)
        return KIND_CONTRADICTED;
    return failed ? KIND_NEW : KIND_FINE;
}

static const struct known_entry *entry_at(const struct known_list *list, unsigned line)
{
    size_t i = 0;
    while (i < list->count && list->entry[i].line != line)
        i++;
    return i < list->count ? &list->entry[i] : NULL;
}

// The first element that the record shows, beside what the entry says that it is.
static void print_element(const struct work *work, const struct judge_run *run,
                          const struct judge_result *result)
{
    const struct known_entry *const entry = entry_at(&work->list, result->known.line);
    struct named_profile profile;
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    struct diagnostic ignored;
    size_t o = 0;
    while (o < result->output_count && !result->outputs[o].comparison.element_count)
        o++;
    if (!entry || o == result->output_count)
        return;
    const struct judge_output *const output = &result->outputs[o];
    const struct compare_element *const element = &output->comparison.element[0];
    const size_t size = dtype_size(output->tensor.dtype);
    char hex[2 * sizeof(uint64_t) + 1];
    bytes_write_hex(hex, element->got, size);
    printf(", element %" PRIu64 " of %s is %s", element->at, output->name, hex);
    if (entry->claim == KNOWN_EQUALS &&
        !known_claim_profile(entry, 0, run->suite, &profile, &ignored) &&
        !judge_evaluate(run->suite, result->of, &profile, &arena, &request, &evaluation,
                        &ignored)) {
        const size_t at = (size_t)output->run * OPERATION_OUTPUTS_MAX + output->index;
        bytes_write_hex(hex, element_load(evaluation.tensor[at].data, size, (size_t)element->at),
                        size);
        printf(" where the entry gives %s", hex);
    }
    arena_release(&arena);
}

static void print_result(struct work *work, const struct recorded_run *of,
                         const struct judge_result *result, enum kind kind)
{
    static const char *const names[KIND_COUNT] = {
        [KIND_CONTRADICTED] = "contradicted", [KIND_NEW] = "new", [KIND_UNLISTED] = "unlisted"};
    if (!names[kind] || work->shown[kind]++ >= work->show)
        return;
    printf("%s: %s %s %s: %s", names[kind], of->target, of->run.suite->name, result->of->id,
           verdict_name(result->verdict));
    if (kind == KIND_CONTRADICTED)
        printf(", against line %u", result->known.line);
    print_element(work, &of->run, result);
    printf("\n");
}

static void count_run(struct work *work, const struct recorded_run *of)
{
    if (of->other_version && of->run.result_count)
        printf("%s: recorded with another file of suite %s (version %s; here %s)\n", of->target,
               of->run.suite->name, of->other_version, of->run.suite->version);
    work->gone += of->gone;
    for (size_t i = 0; i < of->run.result_count; i++) {
        const enum kind kind = kind_of(&of->run.result[i]);
        work->records++;
        work->proofs += verdict_is_proof(of->run.result[i].verdict);
        work->kinds[kind]++;
        print_result(work, of, &of->run.result[i], kind);
    }
}

// Entries that cover no case of a suite that was recorded whole, and those that no record needs.
static void print_entries(struct work *work)
{
    size_t unused = 0;
    for (size_t i = 0; i < work->list.count; i++) {
        const struct known_entry *const entry = &work->list.entry[i];
        unused += entry->consulted && !entry->used && !entry->idle;
        work->idle += entry->idle != NULL;
        if (entry->idle)
            printf("line %u covers no case of %s\n", entry->line, entry->idle);
    }
    if (!unused)
        return;
    printf("entries that no record needs: line");
    for (size_t i = 0; i < work->list.count; i++) {
        const struct known_entry *const entry = &work->list.entry[i];
        if (entry->consulted && !entry->used && !entry->idle)
            printf(" %u", entry->line);
    }
    printf("\n");
}

static int conclude(struct work *work)
{
    const size_t *const kinds = work->kinds;
    print_entries(work);
    printf("%zu records: %zu covered", work->records, kinds[KIND_HELD] + kinds[KIND_OPEN]);
    if (kinds[KIND_OPEN])
        printf(" (%zu of them show no values)", kinds[KIND_OPEN]);
    printf(", %zu contradicted, %zu new, %zu unlisted, %zu others\n", kinds[KIND_CONTRADICTED],
           kinds[KIND_NEW], kinds[KIND_UNLISTED], kinds[KIND_FINE]);
    if (work->gone)
        printf("%zu records are of cases that the suites here do not have, or have otherwise\n",
               work->gone);
    return kinds[KIND_CONTRADICTED] || kinds[KIND_NEW] || work->idle ? CLI_DIFFERS
           : !work->proofs                                           ? CLI_NOTHING
                                                                     : CLI_CONFORMS;
}

// The results' suites, of those that are here or that `chosen` names.
static enum error read_suites(struct work *work, const char *chosen, struct diagnostic *diagnostic)
{
    char **paths = NULL;
    const char *names = chosen;
    enum error error = ERROR_NONE;
    if (!names)
        error = recorded_suite_names(&work->file, &work->arena, &names, diagnostic);
    if (error || !*names)
        return error;
    error = suites_choose(names, &work->arena, &paths, &work->suite_count, diagnostic);
    return error ? error
                 : suites_read(paths, work->suite_count, &work->arena, &work->suites, diagnostic);
}

// Reads the file once, so that it may be a pipe.
static enum error read_results(struct work *work, const char *path, struct diagnostic *diagnostic)
{
    const enum error error = file_read(path, &work->arena, &work->file, diagnostic);
    if (error || !work->file.size)
        return error ? error : diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is empty", path);
    return render_run(&(struct render_run){.name = path}, (char *)(uintptr_t)work->file.text,
                      work->file.size, NULL, diagnostic);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    char standard[PATH_MAX];
    const char *against = NULL, *suites = NULL,
               *known = cli_data_path("harness/targets/known.yaml", standard, sizeof standard);
    struct work work = {.show = 20};
    struct diagnostic diagnostic = {.text = ""};
    const struct cli_option options[] = {
        {"against", CLI_TEXT, &against, "FILE",
         "results.jsonl, as `assay certify --out` writes it; - is standard input"},
        {"known", CLI_TEXT, &known, "FILE", "the list (default harness/targets/known.yaml)"},
        {"suite", CLI_TEXT, &suites, "NAME,...",
         "suites by name or path; those that the results name when not given"},
        {"show", CLI_NUMBER, &work.show, "N", "how many records of each kind to name (20)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (!against)
        return cli_usage(command, "--against RESULTS is missing");
    enum error error = known_read(known, &work.list, &diagnostic);
    if (!error)
        error = read_results(&work, against, &diagnostic);
    if (!error)
        error = read_suites(&work, suites, &diagnostic);
    if (!error)
        error =
            recorded_read(&work.file, work.suites, work.suite_count, &work.recorded, &diagnostic);
    for (size_t i = 0; i < work.recorded.count && !error; i++) {
        struct recorded_run *const of = &work.recorded.run[i];
        error = known_apply(&work.list, of->target, &of->run, &diagnostic);
        if (!error)
            count_run(&work, of);
    }
    const int result = error ? cli_fail(&diagnostic) : conclude(&work);
    recorded_release(&work.recorded);
    for (size_t i = 0; work.suites && i < work.suite_count; i++)
        suite_release(&work.suites[i]);
    known_release(&work.list);
    arena_release(&work.arena);
    return result;
}

const struct cli_command command_known = {
    .name = "known",
    .arguments = "--against RESULTS.jsonl [options]",
    .summary = "hold the known failures against results of another machine",
    .help = "Reads results that were made elsewhere and holds a list of known failures against "
            "them: no library is run. Elements of an output that a record shows are computed as "
            "the covering entry says, and compared. Named are records that contradict their entry "
            "(other elements, or a case that passes), new ones (failures that no entry covers), "
            "unlisted ones (failures on a class of processors that the list does not cover), and "
            "entries that cover no case of a suite.\n\n"
            "  assay known --against results.jsonl\n"
            "  xz -dc results.jsonl.xz | assay known --against -",
    .exits = {"every failure is covered or unlisted, and no entry was contradicted",
              "an entry was contradicted or covers nothing, or a failure is new",
              [CLI_NOTHING] = "no record of a suite that is here proves anything"},
    .run = run,
};
