// SPDX-License-Identifier: Apache-2.0
// assay score: what somebody else's tests would notice.

#include <limits.h>
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/score/scoring.h"
#include "harness/cli/suite_table.h"
#include "harness/judge/write/records.h"
#include "ref/base/file.h"

// Suites with their scores: `count` of them, whose operations the tests have.
struct scored {
    struct arena arena;
    struct suite *suite;
    size_t read, count;
    const struct suite **of;
    struct score *score;
};

// Whether the tests have an operation of the suite, or were searched for one.
static bool is_asked(const struct scoring *scoring, const struct suite *suite)
{
    for (size_t i = 0; i < scoring->looked_count; i++)
        if (score_has_operation(suite, scoring->looked[i]))
            return true;
    for (size_t i = 0; i < scoring->count; i++)
        if (score_has_operation(suite, scoring->test[i].request.operation))
            return true;
    return false;
}

static enum error choose(const struct scoring *scoring, const char *names, struct scored *scored,
                         struct diagnostic *diagnostic)
{
    char **paths = NULL;
    size_t count = 0;
    enum error error = suites_choose(names, &scored->arena, &paths, &count, diagnostic);
    if (!error)
        error = suites_read(paths, count, &scored->arena, &scored->suite, diagnostic);
    scored->read = scored->suite ? count : 0;
    scored->of = error ? NULL : arena_take_array(&scored->arena, count + 1, sizeof *scored->of);
    scored->score =
        error ? NULL : arena_take_array(&scored->arena, count + 1, sizeof *scored->score);
    if (!error && (!scored->of || !scored->score))
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        if (names || is_asked(scoring, &scored->suite[i]))
            scored->of[scored->count++] = &scored->suite[i];
    return error;
}

static enum error run_all(const struct scoring *scoring, struct scored *scored, size_t *survivors,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    const struct score_operations looked = {scoring->looked_count, scoring->looked};
    const size_t count = scored->count;
    scored->count = 0; // those that there is something of to release
    for (size_t i = 0; i < count && !error; i++) {
        struct score *const score = &scored->score[scored->count++];
        error = score_run(scored->of[i], &looked, scoring->test, scoring->count, score, diagnostic);
        if (error)
            break;
        const size_t caught = score->wrong_count - score_survivors(score);
        *survivors += score_survivors(score);
        printf("%s: %zu of %zu tests held; they notice %zu of %zu wrong implementations, our cases "
               "%zu\n",
               score->suite->name, score->held, score->tests, caught, score->wrong_count,
               score_ours(score));
        if (score->flaw_count)
            printf("%s: %zu tests expect what no right implementation gives\n", score->suite->name,
                   score->flaw_count);
        fflush(stdout);
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
        .command = "score", .suite_count = scored->count, .suite = scored->of};
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
        error = choose(&scoring, suites, &scored, &diagnostic);
    if (!error)
        error = run_all(&scoring, &scored, &survivors, &diagnostic);
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
        "and `atol`, or `ulp`.\n\n"
        "Each deviant option of the suite of their operation is a known mistake; it is noticed "
        "where a test that the reference passes fails by its own tolerance. Expected values that "
        "are wrong are told, with what is right.\n\n"
        "  make scores               the tests that Python packages bring\n"
        "  make scores SCORES=\"webnn=DIR stablehlo=DIR ...\"   and of folders",
    .exits = {"each known mistake is noticed",
              "some are not", [CLI_NOTHING] = "there are no tests of an operation here"},
    .takes = {1, 1, "a file of tests"},
    .run = run,
};
