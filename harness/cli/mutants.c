// SPDX-License-Identifier: Apache-2.0
// assay mutants: would the suites notice?

#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/cli/subject.h"
#include "harness/cli/suite_table.h"
#include "harness/judge/write/records.h"

static void print_mutant(const struct mutants *mutants, const struct mutant *mutant)
{
    static const char *const words[TRIALS] = {
        [TRIAL_SAME] = "SURVIVED", [TRIAL_INSIDE] = "inside",  [TRIAL_REFUSED] = "killed",
        [TRIAL_BITS] = "killed",   [TRIAL_OUTSIDE] = "killed",
    };
    const struct suite_choice *const choice = &mutants->suite->choice[mutant->choice];
    printf("  %-9s ", words[mutant->best]);
    if (mutant->operation && mutants->suite->operation_count > 1)
        printf("%s ", mutant->operation->name);
    printf("%s=%s", choice->name, choice->option[mutant->option]);
    if (mutant->kills)
        printf("  by %zu cases, first %s%s", mutant->kills, mutant->killer[0]->id,
               mutant->best == TRIAL_REFUSED ? ", which it refuses" : "");
    if (mutant->best == TRIAL_INSIDE)
        printf("  other bits, but inside the bound of every case");
    printf("\n");
}

static void print_suite(const struct mutants *mutants, bool matrix)
{
    const struct suite *const suite = mutants->suite;
    const size_t inside = mutants_that(mutants, TRIAL_INSIDE),
                 refused = mutants_that(mutants, TRIAL_REFUSED), counted = mutants->count - inside;
    printf("%s %s: %zu of %zu deviant options killed", suite->name, suite->version,
           counted - mutants_survivors(mutants), counted);
    if (refused)
        printf(", %zu of them by what they refuse", refused);
    if (inside)
        printf("; %zu inside the bound", inside);
    printf("\n");
    if (!mutants->complete)
        printf("  held to the first %zu allowed profiles: the suite has more, and a mutant may be "
               "one of them\n",
               mutants->allowed);
    for (size_t i = 0; i < mutants->count; i++)
        if (!mutants->mutant[i].kills || matrix)
            print_mutant(mutants, &mutants->mutant[i]);
    fflush(stdout);
}

static enum error write_file(const char *path, const struct suite *suites,
                             const struct mutants *mutants, size_t count,
                             struct diagnostic *diagnostic)
{
    const struct suite **const list = calloc(count + 1, sizeof *list);
    if (!list)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++)
        list[i] = &suites[i];
    const struct records_plan plan = {.command = "mutants", .suite_count = count, .suite = list};
    struct records records = {.records = 0};
    enum error error = records_begin(&records, &plan, diagnostic);
    for (size_t i = 0; i < count; i++)
        if (mutants[i].cases)
            records_put_mutants(&records, &mutants[i]);
    if (!error)
        error = records_end(&records, path, diagnostic);
    records_release(&records);
    free(list);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *names = NULL, *out = NULL, *pattern = NULL;
    bool matrix = false;
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &names, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &pattern, "PATTERN", "only by cases whose id matches, as in a shell"},
        {"matrix", CLI_FLAG, &matrix, NULL,
         "go on after the first kill: which case kills which option"},
        {"out", CLI_OUT, &out, "FILE", "write results.jsonl there"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    char **paths = NULL;
    size_t suite_count = 0, total = 0, survivors = 0, inside = 0;
    struct nearest nearest = {.asked = pattern};
    enum error error = cli_check_out(out, &diagnostic);
    if (!error)
        error = suites_choose(names, &arena, &paths, &suite_count, &diagnostic);
    struct suite *const suites =
        error ? NULL : arena_take_array(&arena, suite_count, sizeof *suites);
    struct mutants *const mutants =
        error ? NULL : arena_take_array(&arena, suite_count, sizeof *mutants);
    if (!error && (!suites || !mutants))
        error = diagnostic_no_memory(&diagnostic);
    for (size_t i = 0; i < suite_count && !error; i++) {
        error = suites_read_file(paths[i], &suites[i], &diagnostic);
        if (!error)
            error = mutants_run(&suites[i], pattern, matrix, &mutants[i], &diagnostic);
        if (error)
            break;
        if (!mutants[i].cases) {
            subject_offer_cases(&nearest, &suites[i]);
            continue;
        }
        print_suite(&mutants[i], matrix);
        inside += mutants_that(&mutants[i], TRIAL_INSIDE);
        total += mutants[i].count - mutants_that(&mutants[i], TRIAL_INSIDE);
        survivors += mutants_survivors(&mutants[i]);
    }
    if (!error && out)
        error = write_file(out, suites, mutants, suite_count, &diagnostic);
    if (!error && total)
        printf("mutants: %zu of %zu killed (%.4g %%); %zu beside them inside the bound (%.3g %%)\n",
               total - survivors, total, 100.0 * (double)(total - survivors) / (double)total,
               inside, 100.0 * (double)inside / (double)(total + inside));
    const int result = error       ? cli_fail(&diagnostic)
                       : !total    ? pattern ? subject_no_case(&nearest) : CLI_NOTHING
                       : survivors ? CLI_DIFFERS
                                   : CLI_CONFORMS;
    for (size_t i = 0; i < suite_count && suites && mutants; i++) {
        mutants_release(&mutants[i]);
        suite_release(&suites[i]);
    }
    arena_release(&arena);
    return result;
}

const struct cli_command command_mutants = {
    .name = "mutants",
    .arguments = "[--suite NAME] [--matrix]",
    .summary = "run every deviant option against the suites: each must be killed",
    .help =
        "A deviant option of a choice is a known way to implement an operation wrong. A case "
        "kills it when it gives other bits than every allowed profile, or leaves every "
        "bound. An option that mixes allowed profiles is killed by several cases together, since "
        "one profile holds for a whole suite. Options that give other bits inside the bounds "
        "are counted apart: a right implementation may give them. Survivors, whose bits are "
        "those of the reference, are named.",
    .exits = {"every deviant option is killed",
              "some survive", [CLI_NOTHING] = "there is no deviant option"},
    .run = run,
};
