// SPDX-License-Identifier: Apache-2.0
// assay score: which known mistakes the tests of another project notice.

#include <limits.h>
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/score/scoring.h"
#include "harness/cli/suite_table.h"
#include "harness/judge/write/records.h"
#include "ref/base/file.h"
#include "ref/op/declared/graph.h"

// Suites, those of them whose operations the tests have with their mutants, and a score for each
// of their parts.
struct scored {
    struct arena arena;
    struct suite *suite;
    size_t read, suite_count, count;
    const struct suite **of;
    struct mutants *mutants;
    struct score *score;
};

// Whether the tests have an operation of the part, or were searched for one.
static bool is_asked(const struct scoring *scoring, const struct score_part *part)
{
    for (size_t i = 0; i < scoring->looked_count; i++)
        if (score_has_operation(part, scoring->looked[i]))
            return true;
    for (size_t i = 0; i < scoring->count; i++)
        if (score_has_operation(part, scoring->test[i].request.operation))
            return true;
    return false;
}

static enum error read_suites(const char *names, struct scored *scored,
                              struct diagnostic *diagnostic)
{
    char **paths = NULL;
    size_t count = 0, parts = 0;
    struct arena *const arena = &scored->arena;
    enum error error = suites_choose(names, arena, &paths, &count, diagnostic);
    if (!error)
        error = suites_read(paths, count, arena, &scored->suite, diagnostic);
    if (error)
        return error;
    scored->read = count;
    for (size_t i = 0; i < count; i++)
        parts += scored->suite[i].operation_count + 1;
    scored->of = arena_take_array(arena, count + 1, sizeof *scored->of);
    scored->mutants = arena_take_array(arena, count + 1, sizeof *scored->mutants);
    scored->score = arena_take_array(arena, parts + 1, sizeof *scored->score);
    return scored->of && scored->mutants && scored->score ? ERROR_NONE
                                                          : diagnostic_no_memory(diagnostic);
}

static enum error run_part(const struct scoring *scoring, const struct score_part *part,
                           struct scored *scored, size_t *survivors, struct diagnostic *diagnostic)
{
    const struct score_operations looked = {scoring->looked_count, scoring->looked};
    struct score *const score = &scored->score[scored->count++];
    const enum error error =
        score_run(part, &looked, scoring->test, scoring->count, score, diagnostic);
    if (error)
        return error;
    const size_t missed = score_survivors(score), flawed = score_flawed(score);
    *survivors += missed;
    printf("%s: %zu of %zu tests held; they notice %zu of %zu wrong implementations, our cases "
           "%zu\n",
           score_name(part), score->held, score->tests, score->wrong_count - missed,
           score->wrong_count, score_ours(score));
    if (flawed)
        printf("%s: %zu tests expect what no right implementation gives\n", score_name(part),
               flawed);
    fflush(stdout);
    return ERROR_NONE;
}

// Part `index` of the suite: a declared operator, or after them all that is written in C; false
// where there is none.
static bool find_part(const struct suite *suite, size_t index, struct score_part *part)
{
    *part = (struct score_part){.suite = suite};
    if (index == suite->operation_count)
        return true;
    part->declared = suite->operation[index];
    return declared_is(part->declared);
}

static enum error run_suite(const struct scoring *scoring, const struct suite *suite,
                            struct scored *scored, size_t *survivors, struct diagnostic *diagnostic)
{
    struct mutants *mutants = NULL;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i <= suite->operation_count && !error; i++) {
        struct score_part part;
        if (!find_part(suite, i, &part) || !is_asked(scoring, &part))
            continue;
        if (!mutants) {
            mutants = &scored->mutants[scored->suite_count];
            scored->of[scored->suite_count++] = suite;
            error = mutants_run(suite, NULL, false, mutants, diagnostic);
        }
        part.mutants = mutants;
        if (!error)
            error = run_part(scoring, &part, scored, survivors, diagnostic);
    }
    return error;
}

static enum error write_page(const char *path, const struct scoring *scoring,
                             const struct scored *scored, struct diagnostic *diagnostic)
{
    struct text page = {0};
    scoring_put_page(scoring, scored->score, scored->count, &page);
    const enum error error = page.failed
                                 ? diagnostic_no_memory(diagnostic)
                                 : file_replace_with(path, page.bytes, page.size, diagnostic);
    text_release(&page);
    return error;
}

static enum error write_results(const char *path, const struct scoring *scoring,
                                const struct scored *scored, struct diagnostic *diagnostic)
{
    const struct records_plan plan = {
        .command = "score", .suite_count = scored->suite_count, .suite = scored->of};
    struct records records = {.records = 0};
    enum error error = records_begin(&records, &plan, diagnostic);
    for (size_t i = 0; i < scored->count && !error; i++)
        records_put_score(&records, scoring->source, &scored->score[i]);
    if (!error)
        error = records_end(&records, path, diagnostic);
    records_release(&records);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *suites = NULL, *out = NULL, *results = NULL, *operators = NULL;
    char folder[PATH_MAX];
    size_t survivors = 0;
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &suites, "NAME,...",
         "suites whose known mistakes are tried; those that have the tests' operations when not "
         "given"},
        {"operators", CLI_TEXT, &operators, "FILE", "an operator of one's own, declared in YAML"},
        {"out", CLI_OUT, &out, "FILE", "write the table there, as Markdown"},
        {"records", CLI_OUT, &results, "FILE", "write results.jsonl there, for report"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct scoring scoring = {.count = 0};
    struct scored scored = {.count = 0};
    struct diagnostic diagnostic = {.text = ""};
    scoring.operators.folder = cli_data_path("yaml/operators", folder, sizeof folder);
    enum error error = cli_check_out(out, &diagnostic);
    if (!error)
        error = cli_check_out(results, &diagnostic);
    if (!error && operators)
        error = operators_add_file(&scoring.operators, operators, &diagnostic);
    if (!error)
        error = scoring_read(argv[1], &scoring, &diagnostic);
    if (!error)
        error = read_suites(suites, &scored, &diagnostic);
    for (size_t i = 0; i < scored.read && !error; i++)
        error = run_suite(&scoring, &scored.suite[i], &scored, &survivors, &diagnostic);
    if (!error && out)
        error = write_page(out, &scoring, &scored, &diagnostic);
    if (!error && results)
        error = write_results(results, &scoring, &scored, &diagnostic);
    const int result = error            ? cli_fail(&diagnostic)
                       : !scoring.count ? CLI_NOTHING
                       : survivors      ? CLI_DIFFERS
                                        : CLI_CONFORMS;
    for (size_t i = 0; i < scored.count; i++)
        score_release(&scored.score[i]);
    for (size_t i = 0; i < scored.suite_count; i++)
        mutants_release(&scored.mutants[i]);
    for (size_t i = 0; i < scored.read; i++)
        suite_release(&scored.suite[i]);
    arena_release(&scored.arena);
    arena_release(&scoring.arena);
    operators_release(&scoring.operators);
    return result;
}

const struct cli_command command_score = {
    .name = "score",
    .arguments = "FILE [options]",
    .summary = "what tests of others notice: their mutation score, beside ours",
    .help =
        "Reads tests, one JSON object a line. The first says {\"source\": what they are}, and may "
        "name `operations` that were looked for, and under `left_out` how many tests were not "
        "taken, and why. The others are requests with `expected` outputs and a tolerance: `rtol` "
        "and `atol`, or `ulp`. With `rounded` true a request has attributes rounded from the "
        "test's; what that expects is not held against the bounds.\n\n"
        "Each deviant option of the suite of their operation is a known mistake; it is noticed "
        "where a test that the reference passes fails by its own tolerance. Of declared operators "
        "each has a row of its own. Expected values that are wrong are named, with the right "
        "ones.\n\n"
        "  make scores               the tests that Python packages bring\n"
        "  make scores SCORES=\"webnn=DIR stablehlo=DIR ...\"   and of folders",
    .exits = {"each known mistake is noticed",
              "some are not", [CLI_NOTHING] = "there are no tests of an operation here"},
    .takes = {1, 1, "a file of tests"},
    .run = run,
};
