// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/search/survey.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/hash.h"

struct surveying {
    struct suite alone; // the suite with this case alone
    struct host *host;
    const struct named_profile *profile;
    struct survey_row *row;
    size_t rows;
    unsigned hangs;
};

enum { HANGS_MAX = 2 };

// Runs the case once under the conditions of one row.
static enum error run_row(struct surveying *surveying, struct survey_row *row,
                          enum survey_pass pass, struct diagnostic *diagnostic)
{
    struct judge_run run;
    const struct judge_options options = {.profile = surveying->profile, .only = &row->conditions};
    const enum error error =
        judge_certify_one(&surveying->alone, surveying->host, &options, &run, diagnostic);
    if (!error) {
        const struct judge_result *const result = &run.result[0];
        row->fails = pass == SURVEY_IN_ORDER ? verdict_is_failure(result->verdict) : row->fails;
        row->bits[pass] = hash_add(HASH_EMPTY, &result->verdict, sizeof result->verdict);
        row->bits[pass] = hash_add(row->bits[pass], &result->bits, sizeof result->bits);
        surveying->hangs += result->verdict == VERDICT_TIMEOUT;
    }
    judge_release(&run);
    return error;
}

static enum error run_in_order(struct surveying *surveying, enum survey_pass pass,
                               struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    size_t done = 0;
    host_renew(surveying->host);
    for (; done < surveying->rows && !error && surveying->hangs < HANGS_MAX; done++)
        error = run_row(surveying, &surveying->row[done], pass, diagnostic);
    surveying->rows = done;
    return error;
}

// No row is the same call as in order, odd or even: one is run twice where it else would be.
static enum error run_reversed(struct surveying *surveying, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    struct survey_row first = surveying->row[0];
    host_renew(surveying->host);
    if (surveying->rows % 2)
        error = run_row(surveying, &first, SURVEY_REVERSED, diagnostic);
    for (size_t i = surveying->rows; i-- && !error;)
        error = run_row(surveying, &surveying->row[i], SURVEY_REVERSED, diagnostic);
    return error;
}

static bool have_same_bits(const struct surveying *surveying, enum survey_pass a, bool rows)
{
    const struct survey_row *const row = surveying->row;
    for (size_t i = 0; i < surveying->rows; i++)
        if (row[i].bits[a] != row[i].bits[SURVEY_IN_ORDER] ||
            (rows && row[i].bits[SURVEY_IN_ORDER] != row[0].bits[SURVEY_IN_ORDER]))
            return false;
    return true;
}

static enum error run_all(struct surveying *surveying, struct diagnostic *diagnostic)
{
    enum error error = run_in_order(surveying, SURVEY_IN_ORDER, diagnostic);
    const bool hangs = surveying->hangs > 0;
    if (!error && !hangs)
        error = run_reversed(surveying, diagnostic);
    const bool same = hangs || have_same_bits(surveying, SURVEY_REVERSED, false);
    if (!error && !same && surveying->hangs < HANGS_MAX)
        error = run_in_order(surveying, SURVEY_REPEATED, diagnostic);
    for (size_t i = 0; i < surveying->rows && same; i++) {
        struct survey_row *const row = &surveying->row[i];
        row->bits[SURVEY_REVERSED] = row->bits[SURVEY_REPEATED] = row->bits[SURVEY_IN_ORDER];
    }
    return error;
}

// Every single call gave the same: certifies the case by itself, and appends what else it takes.
static enum error find_sequence(const struct surveying *surveying, char *text, size_t size,
                                struct diagnostic *diagnostic)
{
    struct judge_run run;
    char conditions[160];
    const struct judge_options options = {.profile = surveying->profile};
    const size_t at = strlen(text);
    host_renew(surveying->host);
    const enum error error =
        judge_certify_one(&surveying->alone, surveying->host, &options, &run, diagnostic);
    const struct judge_result *const result = error ? NULL : &run.result[0];
    if (result && !verdict_is_failure(result->verdict))
        snprintf(text + at, size - at, "; it takes calls of other cases before it");
    else if (result)
        snprintf(text + at, size - at, "; it takes more than one call%s%s",
                 result->placed ? ": " : "",
                 result->placed ? conditions_describe(&run.description, &result->condition,
                                                      conditions, sizeof conditions)
                                : "");
    judge_release(&run);
    return error;
}

static void note(const struct surveying *surveying, struct survey *survey)
{
    survey->rows = surveying->rows;
    for (size_t i = 0; i < surveying->rows; i++) {
        const struct survey_row *const row = &surveying->row[i];
        bool seen = !row->fails;
        survey->failing += row->fails;
        for (size_t k = 0; k < survey->thread_count; k++)
            seen = seen || survey->threads[k] == row->conditions.threads;
        if (!seen && survey->thread_count < sizeof survey->threads / sizeof *survey->threads)
            survey->threads[survey->thread_count++] = row->conditions.threads;
    }
}

enum error judge_survey(const struct suite *suite, const struct suite_case *of, struct host *host,
                        const struct named_profile *profile, struct survey *survey,
                        struct diagnostic *diagnostic)
{
    struct surveying surveying = {.alone = *suite, .host = host, .profile = profile};
    struct host_conditions *const conditions = calloc(SURVEY_ROWS_MAX, sizeof *conditions);
    surveying.row = calloc(SURVEY_ROWS_MAX, sizeof *surveying.row);
    surveying.alone.cases = (struct suite_case *)(uintptr_t)of;
    surveying.alone.case_count = 1;
    memset(survey, 0, sizeof *survey);
    enum error error = conditions && surveying.row ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    surveying.rows =
        error ? 0 : conditions_product(host_describe(host), conditions, SURVEY_ROWS_MAX);
    for (size_t i = 0; i < surveying.rows; i++)
        surveying.row[i].conditions = conditions[i];
    if (!error)
        error = run_all(&surveying, diagnostic);
    if (!error) {
        note(&surveying, survey);
        survey_describe(host_describe(host), surveying.row, surveying.rows, survey->text,
                        sizeof survey->text);
        if (!survey->failing && !surveying.hangs &&
            have_same_bits(&surveying, SURVEY_REVERSED, true))
            error = find_sequence(&surveying, survey->text, sizeof survey->text, diagnostic);
    }
    free(conditions);
    free(surveying.row);
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
