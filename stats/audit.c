// SPDX-License-Identifier: Apache-2.0
// The course of an audit: stages, looks, repeats.

#include "stats/audit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ref/base/threads.h"
#include "stats/audit_before.h"
#include "stats/real.h"
#include "stats/tally.h"

static const double LOG_FLAWED = AUDIT_LOG_FLAWED, LOG_SUSPECT = AUDIT_LOG_SUSPECT, LOG_REPEATED = AUDIT_LOG_REPEATED;

enum { LARGE_STAGE = 16384, REPEAT_SMALL = 4, REPEAT_LARGE = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct course {
    const struct audit_options *options;
    const struct source *source;
    struct audit_result *result;
    uint64_t cursor; // first block of the source that nobody has read
};

static void note(struct audit_finding *finding, const struct battery_row *row, unsigned index, const struct suspicion *worst,
                 double log_p)
{
    *finding = (struct audit_finding){.test = row->test.name,
                                      .about = row->test.about,
                                      .row = index,
                                      .hypothesis = worst->index,
                                      .log_p = log_p,
                                      .observed = worst->observed,
                                      .expected = worst->expected};
    row->test.describe(&row->test, worst->index, finding->what, sizeof finding->what);
}

// Puts one hypothesis of one row to blocks that nobody has seen. *confirmed: its p is below 1e-6 there.
static enum error repeat(struct course *course, const struct audit_finding *suspect, int *confirmed,
                         struct diagnostic *diagnostic)
{
    struct audit_result *const result = course->result;
    struct battery alone = {.name = "repeat", .rows = 1};
    alone.row[0] = course->options->battery.row[suspect->row];
    const uint64_t unit = UINT64_C(1) << (alone.row[0].test.unit_log2 - BATTERY_BLOCK_LOG2);
    uint64_t size = suspect->blocks * (suspect->blocks >= LARGE_STAGE ? REPEAT_LARGE : REPEAT_SMALL);
    size = (size + unit - 1) / unit * unit;
    alone.row[0].from = 0;
    alone.row[0].blocks = size;
    struct tally tally;
    enum error error = tally_open(&tally, &alone, course->options->threads, diagnostic);
    if (error)
        return error;
    const uint64_t from = course->cursor;
    error = tally_advance(&tally, course->source, from, size, diagnostic);
    struct judgement judgement;
    if (!error)
        error = tally_judge(&tally, 0, suspect->hypothesis, &judgement, diagnostic);
    course->cursor += tally.blocks;
    *confirmed = 0;
    if (!error && tally.blocks < suspect->blocks) {
        result->unconfirmed = 1;
    } else if (!error && judgement.kept) {
        result->repeats++;
        *confirmed = judgement.worst[0].log_p < LOG_REPEATED;
        if (*confirmed || !result->repeated) {
            result->repeated = 1;
            note(&result->repeat, &alone.row[0], suspect->row, &judgement.worst[0], judgement.worst[0].log_p);
            result->repeat.first_block = from;
            result->repeat.blocks = tally.blocks;
        }
    }
    tally_close(&tally);
    return error;
}

struct looks {
    struct tally *tally;
    uint64_t before;
    struct judgement judgement[BATTERY_ROWS_MAX];
};

static enum error judge_row(void *context, uint64_t row, uint64_t rows, struct diagnostic *diagnostic)
{
    (void)rows;
    struct looks *const looks = context;
    const struct battery_row *const of = &looks->tally->battery->row[row];
    judgement_begin(&looks->judgement[row], UINT32_MAX);
    if (battery_seen(of, looks->tally->blocks) == battery_seen(of, looks->before))
        return ERROR_NONE;
    return tally_judge(looks->tally, (unsigned)row, UINT32_MAX, &looks->judgement[row], diagnostic);
}

// Judges the rows that have grown since `before` blocks. Repeats come after all looks, in the order of rows.
static enum error look(struct course *course, struct tally *tally, uint64_t before, uint64_t origin,
                       struct diagnostic *diagnostic)
{
    const struct battery *const battery = &course->options->battery;
    struct audit_result *const result = course->result;
    struct audit_finding suspect[AUDIT_REPEATS_MAX];
    struct looks looks = {.tally = tally, .before = before};
    unsigned suspects = 0;
    enum error error = threads_run(tally->threads, battery->rows, 1, judge_row, &looks, diagnostic);
    for (unsigned r = 0; r < battery->rows && !error; r++) {
        const struct battery_row *const row = &battery->row[r];
        const struct judgement *const judgement = &looks.judgement[r];
        if (!judgement->kept)
            continue;
        result->looks++;
        const double share =
            row->weight / battery_looks(battery, r) * (1 - audit_before_weight(course->options, course->source));
        double log_p = judgement_log_p(judgement) - real_log(share);
        log_p = log_p > 0 ? 0 : log_p;
        struct audit_finding finding;
        note(&finding, row, r, &judgement->worst[0], log_p);
        finding.first_block = origin + row->from;
        finding.blocks = battery_seen(row, tally->blocks);
        if (log_p < result->finding.log_p || !result->finding.test)
            result->finding = finding;
        if (log_p < LOG_SUSPECT && suspects < AUDIT_REPEATS_MAX)
            suspect[suspects++] = finding;
    }
    if (error)
        return error;
    if (result->finding.log_p < LOG_FLAWED) {
        result->verdict = AUDIT_FLAWED;
        return ERROR_NONE;
    }
    for (unsigned s = 0; s < suspects && result->verdict == AUDIT_CLEAN; s++) {
        int confirmed;
        error = repeat(course, &suspect[s], &confirmed, diagnostic);
        if (error)
            return error;
        if (confirmed) {
            result->verdict = AUDIT_FLAWED;
            result->finding = suspect[s];
        }
    }
    return ERROR_NONE;
}

void audit_release(struct audit_result *result)
{
    free(result->window.words_kept);
    result->window = (struct audit_window){0};
}

enum error audit_run(const struct audit_options *options, const struct source *source, struct audit_result *result,
                     struct diagnostic *diagnostic)
{
    const double start = now();
    *result = (struct audit_result){.verdict = AUDIT_CLEAN};
    const struct battery *const battery = &options->battery;
    struct course course = {options, source, result, options->first_block};
    struct tally tally;
    enum error error = tally_open(&tally, battery, options->threads, diagnostic);
    if (!error)
        error = audit_look_before(options, source, result, diagnostic);
    // A repeat consumes blocks of the stream: the tally goes on behind them.
    uint64_t shift = options->first_block;
    for (unsigned s = 0; !error && s < battery->stages && result->verdict == AUDIT_CLEAN && !result->ended; s++) {
        const uint64_t before = tally.blocks;
        error = options->advance
                    ? options->advance(options->advance_context, &tally, source, shift, battery->stage[s], diagnostic)
                    : tally_advance(&tally, source, shift, battery->stage[s], diagnostic);
        if (error)
            break;
        course.cursor += tally.blocks - before;
        if (!tally.blocks)
            error =
                diagnostic_fail(diagnostic, ERROR_INPUT, "the source holds less than %u bytes, the least that can be judged",
                                4u << BATTERY_BLOCK_LOG2);
        else
            error = look(&course, &tally, before, options->first_block, diagnostic);
        shift = course.cursor - tally.blocks;
        result->ended = tally.blocks < battery->stage[s];
        if (options->progress && !error)
            options->progress(options->context, tally.blocks, battery->stage[battery->stages - 1], result->finding.log_p);
    }
    result->blocks = course.cursor - options->first_block;
    const struct audit_finding *const finding = &result->finding;
    if (!error && result->verdict == AUDIT_FLAWED && finding->blocks)
        error = audit_window_find(source, &battery->row[finding->row], finding->hypothesis, finding->first_block,
                                  finding->blocks, tally.head, options->first_block,
                                  tally.blocks < TALLY_GROUP ? tally.blocks : TALLY_GROUP, &result->window, diagnostic);
    if (!error && options->finish)
        error = options->finish(options->context, &tally, result, diagnostic);
    tally_close(&tally);
    result->seconds = now() - start;
    return error;
}
