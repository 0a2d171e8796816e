// SPDX-License-Identifier: Apache-2.0
// assay score: what somebody else's tests would notice.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/suite_table.h"
#include "harness/judge/search/score.h"
#include "ref/base/file.h"
#include "ref/op/request.h"
#include "yaml/reader.h"

struct scoring {
    struct arena arena;
    const char *source; // what the tests are, in words
    struct score_test *test;
    size_t count;
    struct text page;
};

// ---- tests ------------------------------------------------------------------

static enum error read_tolerance(const struct document_node *node, const char *key, double *value,
                                 struct diagnostic *diagnostic)
{
    const char *const text = document_text(node, key);
    char *end = NULL;
    *value = text ? strtod(text, &end) : -1;
    if (!text || end == text || *end || !(*value >= 0) || *value > 1e30)
        return document_fail(node, ERROR_INPUT, diagnostic, "a test needs '%s', a number from 0",
                             key);
    return ERROR_NONE;
}

static enum error read_expected(const struct document_node *node, struct arena *arena,
                                struct score_test *test, struct diagnostic *diagnostic)
{
    const struct document_node *const expected = document_find(node, "expected");
    if (!expected)
        return document_fail(node, ERROR_INPUT, diagnostic, "a test needs 'expected'");
    enum error error = document_expect(expected, DOCUMENT_MAPPING, "expected", diagnostic);
    for (size_t i = 0; !error && i < expected->count; i++) {
        const char *const name = expected->key[i]->text;
        const int output = operation_output(test->request.operation, name);
        if (output < 0)
            return document_fail(expected->key[i], ERROR_INPUT, diagnostic,
                                 "%s has no output '%.80s'", test->request.operation->name, name);
        error = request_read_tensor(expected->item[i], DTYPE_NONE, name, NULL, arena,
                                    &test->expected[output], diagnostic);
    }
    return error;
}

static enum error read_test(const struct document_node *node, struct arena *arena,
                            struct score_test *test, struct diagnostic *diagnostic)
{
    static const char *const more[] = {"expected", "rtol", "atol", NULL};
    *test = (struct score_test){.request = {.runs = 1}};
    enum error error = request_read(node, more, NULL, arena, &test->request, diagnostic);
    test->id = test->request.id ? test->request.id : "a test";
    if (!error)
        error = read_tolerance(node, "rtol", &test->rtol, diagnostic);
    if (!error)
        error = read_tolerance(node, "atol", &test->atol, diagnostic);
    return error ? error : read_expected(node, arena, test, diagnostic);
}

static enum error read_tests(const char *path, struct scoring *scoring,
                             struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(&scoring->arena, sizeof *source);
    if (!source)
        return diagnostic_no_memory(diagnostic);
    enum error error = file_read(path, &scoring->arena, source, diagnostic);
    size_t lines = 1;
    for (size_t i = 0; !error && i < source->size; i++)
        lines += source->text[i] == '\n';
    scoring->test = error ? NULL : arena_take_array(&scoring->arena, lines, sizeof *scoring->test);
    if (!error && !scoring->test)
        return diagnostic_no_memory(diagnostic);
    struct document_node *node = NULL;
    for (size_t at = 0; !error && at < source->size;) {
        const char *const text = source->text + at;
        const char *const end = memchr(text, '\n', source->size - at);
        struct document_source *const line = arena_take(&scoring->arena, sizeof *line);
        if (!line)
            return diagnostic_no_memory(diagnostic);
        *line = (struct document_source){.name = source->name, .text = (char *)(uintptr_t)text};
        line->size = end ? (size_t)(end - text) : source->size - at;
        at += line->size + 1;
        if (!line->size)
            continue;
        error = json_read(line, &scoring->arena, &node, diagnostic);
        if (!error && !scoring->source && document_find(node, "source"))
            scoring->source = document_text(node, "source");
        else if (!error)
            error = read_test(node, &scoring->arena, &scoring->test[scoring->count++], diagnostic);
    }
    if (!error && (!scoring->source || !scoring->count))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s: expected a line with 'source', then one for each test",
                               path);
    return error;
}

// ---- the page ---------------------------------------------------------------

static void put_row(struct text *page, const struct score *score)
{
    const size_t caught = score->wrong_count - score_survivors(score);
    const size_t ours = score->wrong_count - mutants_survivors(&score->mutants);
    const double all = score->wrong_count ? (double)score->wrong_count : 1;
    text_print(page, "| `%s` | %zu | %zu | %zu of %zu (%.0f %%) | %zu of %zu (%.0f %%) | %zu |\n",
               score->suite->name, score->tests, score->held, caught, score->wrong_count,
               100 * (double)caught / all, ours, score->wrong_count, 100 * (double)ours / all,
               score->allowed_count);
}

static void put_details(struct text *page, const struct score *score)
{
    const struct suite *const suite = score->suite;
    text_print(page, "\n## %s\n\n| wrong implementation | noticed by | by ours |\n|---|---|---|\n",
               suite->name);
    for (size_t i = 0; i < score->wrong_count; i++) {
        const struct score_option *const option = &score->wrong[i];
        const struct suite_choice *const choice = &suite->choice[option->choice];
        text_print(page, "| `%s=%s` | %s | %s |\n", choice->name, choice->option[option->option],
                   option->first ? option->first->id : "-", option->ours ? option->ours->id : "-");
    }
    for (size_t i = 0; i < score->allowed_count; i++) {
        const struct score_option *const option = &score->allowed[i];
        const struct suite_choice *const choice = &suite->choice[option->choice];
        text_print(page, "\nRight, and refused by `%s`: `%s=%s`.\n", option->first->id,
                   choice->name, choice->option[option->option]);
    }
}

static void put_head(struct text *page, const char *source)
{
    text_print(
        page,
        "# What %s notice\n\n"
        "Made by `make scores`. A wrong implementation is a deviant option of our suite: a\n"
        "known mistake around the reference. It is noticed where a test that the reference\n"
        "passes fails by the test's own tolerance; beside that, the first case of our own\n"
        "suite that notices it, by bits or bounds.\n\n"
        "| suite | their tests | that the reference passes | wrong implementations that they "
        "notice | that our cases notice | right ones that they refuse |\n"
        "|---|---|---|---|---|---|\n",
        source);
}

// Runs the tests of the suite `name`, with a row on the page and, behind it, what is noticed.
static enum error score_suite(struct scoring *scoring, const char *path, struct text *details,
                              size_t *survivors, struct diagnostic *diagnostic)
{
    struct suite suite;
    struct score score = {.suite = NULL};
    enum error error = suites_read_file(path, &suite, diagnostic);
    if (!error)
        error = score_run(&suite, scoring->test, scoring->count, &score, diagnostic);
    if (!error) {
        put_row(&scoring->page, &score);
        put_details(details, &score);
        *survivors += score_survivors(&score);
        printf("%s: %zu of %zu tests held; they notice %zu of %zu wrong implementations, our cases "
               "%zu\n",
               suite.name, score.held, score.tests, score.wrong_count - score_survivors(&score),
               score.wrong_count, score.wrong_count - mutants_survivors(&score.mutants));
        fflush(stdout);
    }
    score_release(&score);
    suite_release(&suite);
    return error;
}

// The suites that the operations of the tests are named like, each once, parted by commas.
static enum error name_suites(const struct scoring *scoring, struct text *names,
                              struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < scoring->count; i++) {
        const struct operation *const operation = scoring->test[i].request.operation;
        bool before = false;
        for (size_t j = 0; j < i; j++)
            before = before || scoring->test[j].request.operation == operation;
        if (!before)
            text_print(names, "%s%s", names->size ? "," : "", operation->name);
    }
    return names->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

static enum error score_all(struct scoring *scoring, const char *suites, const char *out,
                            size_t *survivors, struct diagnostic *diagnostic)
{
    struct text names = {0}, details = {0};
    char **paths = NULL;
    size_t count = 0;
    enum error error = suites ? ERROR_NONE : name_suites(scoring, &names, diagnostic);
    if (!error)
        error = suites_choose(suites ? suites : names.bytes, &scoring->arena, &paths, &count,
                              diagnostic);
    put_head(&scoring->page, scoring->source);
    for (size_t i = 0; i < count && !error; i++)
        error = score_suite(scoring, paths[i], &details, survivors, diagnostic);
    if (details.size)
        text_put_bytes(&scoring->page, details.bytes, details.size);
    if (!error && (scoring->page.failed || details.failed))
        error = diagnostic_no_memory(diagnostic);
    if (!error && out)
        error = file_replace_with(out, scoring->page.bytes, scoring->page.size, diagnostic);
    text_release(&names);
    text_release(&details);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *suites = NULL, *out = NULL;
    size_t survivors = 0;
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &suites, "NAME,...",
         "suites whose known mistakes are tried; those named like the tests' operations when not "
         "given"},
        {"out", CLI_OUT, &out, "FILE", "write the table there, as Markdown"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct scoring scoring = {.count = 0};
    struct diagnostic diagnostic = {.text = ""};
    enum error error = cli_check_out(out, &diagnostic);
    if (!error)
        error = read_tests(argv[1], &scoring, &diagnostic);
    if (!error)
        error = score_all(&scoring, suites, out, &survivors, &diagnostic);
    text_release(&scoring.page);
    arena_release(&scoring.arena);
    return error ? cli_fail(&diagnostic) : survivors ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_score = {
    .name = "score",
    .arguments = "FILE [options]",
    .summary = "what tests of others notice: their mutation score, beside ours",
    .help = "Reads tests, one JSON object a line: first {\"source\": what they are}, then requests "
            "with `expected` outputs, `rtol` and `atol`. Each deviant option of the suite of their "
            "operation is a known mistake; it is noticed where a test that the reference passes "
            "fails by its own tolerance.\n\n"
            "  make scores   ONNX's backend tests, to reports/scores",
    .exits = {"each known mistake is noticed", "some are not"},
    .takes = {1, 1, "a file of tests"},
    .run = run,
};
