// SPDX-License-Identifier: Apache-2.0
// One run a row. A pattern is a condition, or two together, that hold for the failing rows and for
// no others.

#include "harness/judge/search/survey.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/hash.h"

static unsigned value_of(const struct host_conditions *row, int axis)
{
    const unsigned values[AXIS_COUNT] = {row->threads, row->feed,
                                         row->guard,   row->poison == HOST_POISON_B,
                                         row->padded,  row->together};
    return values[axis];
}

// "threads=3", "feed=constant", ...
static const char *name_value(const struct host_description *description, int axis, unsigned value,
                              char *text, size_t size)
{
    static const char *const plain[AXIS_COUNT][3] = {
        [AXIS_GUARD] = {"buffers flush at their end", "buffers flush at their start",
                        "buffers flush at neither end"},
        [AXIS_POISON] = {"outputs of a5 before", "outputs of 5a before"},
        [AXIS_PADDED] = {"dense tensors", "padded rows"},
        [AXIS_TOGETHER] = {"one call at a time", "two calls at once"}};
    if (axis == AXIS_THREADS && !value)
        snprintf(text, size, "the library's own number of threads");
    else if (axis == AXIS_THREADS)
        snprintf(text, size, "threads=%u", value);
    else if (axis == AXIS_FEED)
        snprintf(text, size, "feed=%s", value < HOST_FEEDS_MAX ? description->feeds[value] : "?");
    else
        snprintf(text, size, "%s", plain[axis][value % 3]);
    return text;
}

// Whether exactly the rows where both hold fail (or, with `but`, exactly the others).
static bool fits(const struct host_conditions *row, size_t rows, const bool *fails, const int *axis,
                 const unsigned *value, bool but)
{
    for (size_t i = 0; i < rows; i++) {
        const bool holds =
            value_of(&row[i], axis[0]) == value[0] && value_of(&row[i], axis[1]) == value[1];
        if (fails[i] != (holds != but))
            return false;
    }
    return true;
}

// The values that the rows have in this axis, each once.
static unsigned list_values(const struct host_conditions *row, size_t rows, int axis,
                            unsigned *values)
{
    unsigned count = 0;
    for (size_t i = 0; i < rows; i++) {
        unsigned known = 0;
        while (known < count && values[known] != value_of(&row[i], axis))
            known++;
        if (known == count && count < CONDITIONS_VALUES_MAX)
            values[count++] = value_of(&row[i], axis);
    }
    return count;
}

// Looks for the values of two axes, or of one where they are the same.
static bool find_values(const struct host_description *description,
                        const struct host_conditions *row, size_t rows, const bool *fails,
                        const int *axis, char *text, size_t size)
{
    char first[64], second[64];
    unsigned v[CONDITIONS_VALUES_MAX], w[CONDITIONS_VALUES_MAX];
    const unsigned count_v = list_values(row, rows, axis[0], v),
                   count_w = list_values(row, rows, axis[1], w);
    const bool pair = axis[0] != axis[1];
    for (unsigned i = 0; i < count_v; i++)
        for (unsigned k = pair ? 0 : i; k < (pair ? count_w : i + 1); k++)
            for (int but = 0; but < 2; but++) {
                const unsigned value[] = {v[i], w[k]};
                if (!fits(row, rows, fails, axis, value, but != 0))
                    continue;
                snprintf(text, size, "%s %s%s%s", but ? "always but with" : "exactly with",
                         name_value(description, axis[0], v[i], first, sizeof first),
                         pair ? " and " : "",
                         pair ? name_value(description, axis[1], w[k], second, sizeof second) : "");
                return true;
            }
    return false;
}

static void find_pattern(const struct host_description *description,
                         const struct host_conditions *row, size_t rows, const bool *fails,
                         char *text, size_t size)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (find_values(description, row, rows, fails, (const int[]){a, a}, text, size))
            return;
    for (int a = 0; a < AXIS_COUNT; a++)
        for (int b = a + 1; b < AXIS_COUNT; b++)
            if (find_values(description, row, rows, fails, (const int[]){a, b}, text, size))
                return;
}

// Whether rows that agree in this axis have the same bits.
static bool decides(const struct host_conditions *row, size_t rows, const uint64_t *bits, int axis)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < i; k++)
            if (value_of(&row[i], axis) == value_of(&row[k], axis) && bits[i] != bits[k])
                return false;
    return true;
}

void survey_describe(const struct host_description *description, const struct host_conditions *row,
                     size_t rows, const bool *fails, const uint64_t *bits, char *text, size_t size)
{
    assert(rows && rows <= SURVEY_ROWS_MAX && size);
    static const char *const names[AXIS_COUNT] = {"threads",
                                                  "the feed",
                                                  "which end of its buffers is flush",
                                                  "what its outputs held",
                                                  "padding",
                                                  "a second call at the same time"};
    char pattern[192] = "";
    size_t failing = 0;
    bool differ = false;
    for (size_t i = 0; i < rows; i++) {
        failing += fails[i];
        differ = differ || bits[i] != bits[0];
    }
    if (failing && failing < rows)
        find_pattern(description, row, rows, fails, pattern, sizeof pattern);
    size_t at = (size_t)snprintf(
        text, size, failing == rows ? "under all %zu conditions" : "under %zu of %zu conditions",
        failing, rows);
    if (pattern[0] && at < size)
        at += (size_t)snprintf(text + at, size - at, ": %s", pattern);
    if (!differ || at >= size)
        return;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (decides(row, rows, bits, axis)) {
            snprintf(text + at, size - at, "; its bits depend on %s alone", names[axis]);
            return;
        }
    snprintf(text + at, size - at, "; its bits depend on no single condition");
}

// Of what came out: the verdict and the bits.
static uint64_t digest_of_result(const struct judge_result *result)
{
    uint64_t digest = hash_add(HASH_EMPTY, &result->verdict, sizeof result->verdict);
    for (size_t i = 0; i < result->output_count && result->valued && !result->by_default; i++) {
        const struct judge_output *const output = &result->outputs[i];
        if (output->tensor.data)
            digest = hash_add(digest, output->tensor.data,
                              (size_t)output->count * dtype_size(output->tensor.dtype));
    }
    return digest;
}

enum error judge_survey(const struct suite *suite, const struct suite_case *of, struct host *host,
                        const struct named_profile *profile, struct survey *survey,
                        struct diagnostic *diagnostic)
{
    enum { HANGS_MAX = 2 };
    struct host_conditions *const row = calloc(SURVEY_ROWS_MAX, sizeof *row);
    bool *const fails = calloc(SURVEY_ROWS_MAX, sizeof *fails);
    uint64_t *const bits = calloc(SURVEY_ROWS_MAX, sizeof *bits);
    size_t hangs = 0;
    memset(survey, 0, sizeof *survey);
    enum error error = row && fails && bits ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    const size_t rows = error ? 0 : conditions_product(host_describe(host), row, SURVEY_ROWS_MAX);
    for (size_t i = 0; i < rows && !error && hangs < HANGS_MAX; i++) {
        struct judge_run run;
        struct suite alone = *suite;
        alone.cases = (struct suite_case *)(uintptr_t)of;
        alone.case_count = 1;
        const struct judge_options options = {.profile = profile, .only = &row[i]};
        error = judge_certify_one(&alone, host, &options, &run, diagnostic);
        if (!error) {
            fails[i] = verdict_is_failure(run.result[0].verdict);
            bits[i] = digest_of_result(&run.result[0]);
            hangs += run.result[0].verdict == VERDICT_TIMEOUT;
            survey->failing += fails[i];
            survey->rows++;
        }
        bool seen = !fails[i];
        for (size_t k = 0; k < survey->thread_count; k++)
            seen = seen || survey->threads[k] == row[i].threads;
        if (!seen && survey->thread_count < sizeof survey->threads / sizeof *survey->threads)
            survey->threads[survey->thread_count++] = row[i].threads;
        judge_release(&run);
    }
    if (!error)
        survey_describe(host_describe(host), row, survey->rows, fails, bits, survey->text,
                        sizeof survey->text);
    free(row);
    free(fails);
    free(bits);
    return error;
}

enum error judge_survey_result(struct judge_run *run, size_t index, struct host *host,
                               struct diagnostic *diagnostic)
{
    assert(index < run->result_count);
    struct survey survey;
    const enum error error =
        judge_survey(run->suite, run->result[index].of, host, &run->profile, &survey, diagnostic);
    if (!error)
        run->result[index].survey = arena_copy_text(&run->arena, survey.text, strlen(survey.text));
    return error;
}
