// SPDX-License-Identifier: Apache-2.0
// The course of an audit: stages, looks, repeats.

#include "stats/audit/audit.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/base/clock.h"
#include "ref/base/threads.h"
#include "stats/audit/course.h"
#include "stats/law/real.h"
#include "stats/audit/tally.h"

enum { KEPT_BLOCKS = 256 };

void audit_enter(struct audit_result *result, const struct audit_finding *finding)
{
    if (result->finding.test && finding->log_p >= result->finding.log_p)
        return;
    result->finding = *finding;
    result->repeated = false; // what was repeated was another one
}

struct looks {
    struct tally *tally;
    uint64_t before;
    struct judgement judgement[BATTERY_ROWS_MAX];
};

static enum error judge_row(void *context, uint64_t row, uint64_t rows,
                            struct diagnostic *diagnostic)
{
    (void)rows;
    struct looks *const looks = context;
    const struct battery_row *const of = &looks->tally->battery->row[row];
    judgement_begin(&looks->judgement[row], UINT32_MAX);
    if (battery_seen(of, looks->tally->blocks) == battery_seen(of, looks->before))
        return ERROR_NONE;
    return tally_judge(looks->tally, (unsigned)row, UINT32_MAX, &looks->judgement[row], diagnostic);
}

double audit_share(const struct audit_options *options, const struct source *source, unsigned row)
{
    assert(row < options->battery.rows);
    return options->battery.row[row].weight / battery_looks(&options->battery, row) *
           (1 - audit_before_weight(options, source));
}

static void note(const struct audit_course *course, const struct tally *tally, uint64_t before,
                 unsigned index, const struct judgement *judgement, struct audit_finding *finding)
{
    const struct battery_row *const row = &tally->battery->row[index];
    const struct suspicion *const worst = &judgement->worst[0];
    const double log_p =
        judgement_log_p(judgement) - real_log(audit_share(course->options, course->source, index));
    const uint64_t seen = battery_seen(row, tally->blocks);
    *finding =
        (struct audit_finding){.test = row->test.name,
                               .about = row->test.about,
                               .row = index,
                               .hypothesis = worst->index,
                               .first_block = audit_map_block(&course->map, row->from),
                               .blocks = seen,
                               .end_block = audit_map_block(&course->map, row->from + seen - 1) + 1,
                               .before = row->from + battery_seen(row, before),
                               .log_p = log_p > 0 ? 0 : log_p,
                               .observed = worst->observed,
                               .expected = worst->expected};
    row->test.describe(&row->test, worst->index, finding->what, sizeof finding->what);
}

// Judges the rows that have grown since `before` blocks. Repeats come after all looks, in the order
// of rows.
static enum error look(struct audit_course *course, struct tally *tally, uint64_t before,
                       struct diagnostic *diagnostic)
{
    const struct battery *const battery = &course->options->battery;
    struct audit_result *const result = course->result;
    struct audit_finding suspect[AUDIT_REPEATS_MAX];
    struct looks looks = {.tally = tally, .before = before};
    unsigned suspects = 0;
    const enum error error =
        threads_run(tally->threads, battery->rows, 1, judge_row, &looks, diagnostic);
    if (error)
        return error;
    for (unsigned r = 0; r < battery->rows; r++) {
        struct audit_finding finding;
        if (!looks.judgement[r].kept)
            continue;
        result->looks++;
        note(course, tally, before, r, &looks.judgement[r], &finding);
        audit_enter(result, &finding);
        if (finding.log_p < AUDIT_LOG_SUSPECT && suspects < AUDIT_REPEATS_MAX)
            suspect[suspects++] = finding;
    }
    if (result->finding.log_p < AUDIT_LOG_FLAWED) {
        result->verdict = AUDIT_FLAWED;
        return ERROR_NONE;
    }
    return suspects ? audit_repeat(course, suspect, suspects, diagnostic) : ERROR_NONE;
}

static enum error advance(struct audit_course *course, struct tally *tally, uint64_t blocks,
                          struct diagnostic *diagnostic)
{
    const struct audit_options *const options = course->options;
    const struct source *const source = &course->memory.source;
    struct audit_map *const map = &course->map;
    const uint64_t before = tally->blocks, origin = course->cursor - before;
    if (!map->stretches || map->origin[map->stretches - 1] != origin) {
        map->from[map->stretches] = before;
        map->origin[map->stretches++] = origin;
    }
    const enum error error =
        options->advance
            ? options->advance(options->advance_context, tally, source, origin, blocks, diagnostic)
            : tally_advance(tally, source, origin, blocks, diagnostic);
    course->cursor += tally->blocks - before;
    course->end = course->cursor > course->end ? course->cursor : course->end;
    return error;
}

static enum error find_window(struct audit_course *course, const struct tally *tally,
                              struct diagnostic *diagnostic)
{
    struct audit_result *const result = course->result;
    const struct audit_finding *const finding = &result->finding;
    if (!finding->blocks) {
        snprintf(result->window.none, sizeof result->window.none,
                 "it is not about one stretch of words");
        return ERROR_NONE;
    }
    const struct battery_row *const row = &tally->battery->row[finding->row];
    const struct audit_search search = {
        .memory = &course->memory,
        .row = row,
        .hypothesis = finding->hypothesis,
        .map = &course->map,
        .head = tally->head,
        .head_blocks = tally->blocks < TALLY_GROUP ? tally->blocks : TALLY_GROUP,
        .from = finding->before,
        .to = row->from + finding->blocks,
        .again = result->repeat.first_block,
        .again_blocks = result->repeated ? result->repeat.blocks : 0};
    return audit_window_find(&search, &result->window, diagnostic);
}

void audit_release(struct audit_result *result)
{
    free(result->window.words_kept);
    result->window = (struct audit_window){0};
}

enum error audit_run(const struct audit_options *options, const struct source *source,
                     struct audit_result *result, struct diagnostic *diagnostic)
{
    assert(options->battery.rows > 0 && options->battery.stages > 0);
    const uint64_t start = clock_now();
    *result = (struct audit_result){.verdict = AUDIT_CLEAN};
    const struct battery *const battery = &options->battery;
    struct audit_course course = {.options = options,
                                  .source = source,
                                  .result = result,
                                  .cursor = options->first_block,
                                  .end = options->first_block};
    struct tally tally;
    enum error error = tally_open(&tally, battery, options->threads, diagnostic);
    if (error)
        return error;
    audit_memory_open(&course.memory, source,
                      options->kept_blocks ? options->kept_blocks : KEPT_BLOCKS);
    error = audit_memory_record(&course.memory, options->keep_always, diagnostic);
    if (!error)
        error = audit_look_before(options, source, result, diagnostic);
    for (unsigned s = 0;
         !error && s < battery->stages && result->verdict == AUDIT_CLEAN && !result->ended; s++) {
        const uint64_t before = tally.blocks;
        error = advance(&course, &tally, battery->stage[s], diagnostic);
        if (!error && !tally.blocks)
            error =
                diagnostic_fail(diagnostic, ERROR_INPUT,
                                "the source holds less than %u bytes, the least that can be judged",
                                4u << BATTERY_BLOCK_LOG2);
        if (!error)
            error = look(&course, &tally, before, diagnostic);
        result->ended = tally.blocks < battery->stage[s];
        if (options->progress && !error)
            options->progress(options->context, tally.blocks, battery->stage[battery->stages - 1],
                              result->finding.log_p);
    }
    result->judged = tally.blocks;
    result->skipped = course.cursor - options->first_block - tally.blocks;
    result->words_left = result->ended ? tally.words_left : 0;
    result->blocks = course.end - options->first_block;
    if (!error && result->verdict == AUDIT_FLAWED)
        error = find_window(&course, &tally, diagnostic);
    if (!error && options->finish)
        error = options->finish(options->context, &tally, result, diagnostic);
    audit_memory_close(&course.memory);
    tally_close(&tally);
    result->seconds = 1e-9 * (double)(clock_now() - start);
    return error;
}
