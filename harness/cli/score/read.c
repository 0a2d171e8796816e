// SPDX-License-Identifier: Apache-2.0
// Reads the tests of others, one JSON object a line.

#include <stdlib.h>
#include <string.h>

#include "harness/cli/score/scoring.h"
#include "ref/base/file.h"
#include "ref/op/request.h"

static enum error read_distance(const struct document_node *node, const char *key, double *value,
                                struct diagnostic *diagnostic)
{
    const char *const text = document_text(node, key);
    char *end = NULL;
    *value = text ? strtod(text, &end) : -1;
    if (!text || end == text || *end || !(*value >= 0) || *value > 1e30)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a test needs 'ulp', or '%s', a number from 0", key);
    return ERROR_NONE;
}

static enum error read_tolerance(const struct document_node *node,
                                 struct score_tolerance *tolerance, struct diagnostic *diagnostic)
{
    const struct document_node *const ulp = document_find(node, "ulp");
    long long steps = 0;
    if (ulp && (document_find(node, "rtol") || document_find(node, "atol")))
        return document_fail(ulp, ERROR_INPUT, diagnostic,
                             "a test has 'ulp', or 'rtol' and 'atol', not both");
    enum error error = ulp ? document_integer(ulp, 0, INT64_MAX, &steps, "ulp", diagnostic)
                           : read_distance(node, "rtol", &tolerance->rtol, diagnostic);
    if (!error && !ulp)
        error = read_distance(node, "atol", &tolerance->atol, diagnostic);
    tolerance->in_steps = ulp;
    tolerance->steps = (uint64_t)steps;
    return error;
}

static enum error read_rounded(const struct document_node *node, bool *rounded,
                               struct diagnostic *diagnostic)
{
    const struct document_node *const said = document_find(node, "rounded");
    const char *const text = document_text(node, "rounded");
    *rounded = text && strcmp(text, "true") == 0;
    return !said || *rounded ? ERROR_NONE
                             : document_fail(said, ERROR_INPUT, diagnostic,
                                             "'rounded' must be true, or be left out");
}

static enum error read_expected(const struct document_node *node, struct arena *arena,
                                struct score_test *test, struct diagnostic *diagnostic)
{
    const struct document_node *const expected = document_find(node, "expected");
    if (!expected)
        return document_fail(node, ERROR_INPUT, diagnostic, "a test needs 'expected'");
    enum error error = document_expect(expected, DOCUMENT_MAPPING, "expected", diagnostic);
    if (!error && !expected->count)
        error = document_fail(expected, ERROR_INPUT, diagnostic, "'expected' names no output");
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

static enum error read_test(const struct document_node *node, struct scoring *scoring,
                            struct score_test *test, struct diagnostic *diagnostic)
{
    static const char *const more[] = {"expected", "rtol", "atol", "ulp", "rounded", NULL};
    const struct request_sources sources = {.operators = &scoring->operators,
                                            .find = operators_source};
    struct arena *const arena = &scoring->arena;
    *test = (struct score_test){.request = {.runs = 1}};
    enum error error = request_read(node, more, &sources, arena, &test->request, diagnostic);
    test->id = test->request.id ? test->request.id : "a test";
    if (!error)
        error = read_tolerance(node, &test->tolerance, diagnostic);
    if (!error)
        error = read_rounded(node, &test->rounded, diagnostic);
    return error ? error : read_expected(node, arena, test, diagnostic);
}

// ---- what the tests are -----------------------------------------------------

static enum error read_looked(const struct document_node *node, struct scoring *scoring,
                              struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "operations", diagnostic);
    scoring->looked =
        error ? NULL : arena_take_array(&scoring->arena, node->count + 1, sizeof *scoring->looked);
    if (!error && !scoring->looked)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++) {
        const struct document_node *const item = node->item[i];
        const struct operation *operation = NULL;
        if (item->kind == DOCUMENT_SCALAR)
            error = operators_find(&scoring->operators, item->text, &operation, diagnostic);
        if (!error && !operation)
            return document_fail(item, ERROR_INPUT, diagnostic, "there is no operation '%.80s'",
                                 item->kind == DOCUMENT_SCALAR ? item->text : "");
        scoring->looked[scoring->looked_count++] = operation;
    }
    return error;
}

static enum error read_left(const struct document_node *node, struct scoring *scoring,
                            struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "left_out", diagnostic);
    scoring->left =
        error ? NULL : arena_take_array(&scoring->arena, node->count + 1, sizeof *scoring->left);
    if (!error && !scoring->left)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++) {
        long long count = 0;
        error = document_integer(node->item[i], 0, INT64_MAX, &count, "a count", diagnostic);
        scoring->left[scoring->left_count++] =
            (struct scoring_left){.reason = node->key[i]->text, .count = (uint64_t)count};
    }
    return error;
}

static enum error read_head(const struct document_node *node, struct scoring *scoring,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"source", "operations", "left_out", NULL};
    const struct document_node *const looked = document_find(node, "operations");
    const struct document_node *const left = document_find(node, "left_out");
    scoring->source = document_text(node, "source");
    enum error error = document_only_keys(node, keys, "the line with 'source'", diagnostic);
    if (!error && !scoring->source)
        error = document_fail(node, ERROR_INPUT, diagnostic, "'source' must be a text");
    if (!error && looked)
        error = read_looked(looked, scoring, diagnostic);
    return error || !left ? error : read_left(left, scoring, diagnostic);
}

// ---- lines ------------------------------------------------------------------

static enum error read_line(const struct document_source *line, struct scoring *scoring,
                            struct diagnostic *diagnostic)
{
    struct document_node *node = NULL;
    enum error error = json_read(line, &scoring->arena, &node, diagnostic);
    if (!error)
        error = document_expect(node, DOCUMENT_MAPPING, "a line", diagnostic);
    if (error)
        return error;
    return !scoring->source && document_find(node, "source")
               ? read_head(node, scoring, diagnostic)
               : read_test(node, scoring, &scoring->test[scoring->count++], diagnostic);
}

enum error scoring_read(const char *path, struct scoring *scoring, struct diagnostic *diagnostic)
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
    unsigned before = 0;
    for (size_t at = 0; !error && at < source->size; before++) {
        const char *const text = source->text + at;
        const char *const end = memchr(text, '\n', source->size - at);
        struct document_source *const line = arena_take(&scoring->arena, sizeof *line);
        if (!line)
            return diagnostic_no_memory(diagnostic);
        *line = (struct document_source){.name = source->name,
                                         .text = (char *)(uintptr_t)text,
                                         .size = end ? (size_t)(end - text) : source->size - at,
                                         .lines_before = before};
        at += line->size + 1;
        error = line->size ? read_line(line, scoring, diagnostic) : ERROR_NONE;
    }
    if (!error && (!scoring->source || !(scoring->count || scoring->looked_count)))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s: expected a line with 'source', then one for each test",
                               path);
    return error;
}
