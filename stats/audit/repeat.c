// SPDX-License-Identifier: Apache-2.0
// Repeats: suspicions put to fresh blocks, one hypothesis each, all of a look to the same ones (why
// that may be: stats/audit/audit.h).

#include "stats/audit/course.h"
#include "stats/audit/tally.h"

enum { LARGE_STAGE = 16384, REPEAT_SMALL = 4, REPEAT_LARGE = 2 };

// Blocks that a suspicion is put to: whole units of its test.
static uint64_t size_of(const struct battery_row *row, const struct audit_finding *suspect)
{
    const uint64_t unit = UINT64_C(1) << (row->test.unit_log2 - BATTERY_BLOCK_LOG2),
                   size = suspect->blocks *
                          (suspect->blocks >= LARGE_STAGE ? REPEAT_LARGE : REPEAT_SMALL);
    return (size + unit - 1) / unit * unit;
}

static bool same(const struct audit_finding *a, const struct audit_finding *b)
{
    return a->row == b->row && a->hypothesis == b->hypothesis && a->blocks == b->blocks;
}

static enum error judge(struct audit_course *course, struct tally *tally,
                        const struct audit_finding *suspect, unsigned suspects, uint64_t from,
                        struct diagnostic *diagnostic)
{
    struct audit_result *const result = course->result;
    for (unsigned s = 0; s < suspects && result->verdict == AUDIT_CLEAN; s++) {
        struct judgement judgement;
        const uint64_t seen = battery_seen(&tally->battery->row[s], tally->blocks);
        if (seen < suspect[s].blocks) {
            result->unconfirmed = true;
            continue;
        }
        const enum error error =
            tally_judge(tally, s, suspect[s].hypothesis, &judgement, diagnostic);
        if (error)
            return error;
        if (!judgement.kept)
            continue;
        const struct suspicion *const found = &judgement.worst[0];
        result->repeats++;
        if (found->log_p < AUDIT_LOG_REPEATED) {
            result->verdict = AUDIT_FLAWED;
            result->finding = suspect[s];
        }
        if (same(&suspect[s], &result->finding)) {
            result->repeated = true;
            result->repeat = suspect[s];
            result->repeat.log_p = found->log_p;
            result->repeat.observed = found->observed;
            result->repeat.expected = found->expected;
            result->repeat.first_block = from;
            result->repeat.blocks = seen;
            result->repeat.end_block = from + seen;
        }
    }
    return ERROR_NONE;
}

enum error audit_repeat(struct audit_course *course, const struct audit_finding *suspect,
                        unsigned suspects, struct diagnostic *diagnostic)
{
    struct battery battery = {.name = "repeat", .rows = suspects};
    uint64_t size = 0;
    for (unsigned s = 0; s < suspects; s++) {
        struct battery_row *const row = &battery.row[s];
        *row = course->options->battery.row[suspect[s].row];
        row->from = 0;
        row->blocks = size_of(row, &suspect[s]);
        size = row->blocks > size ? row->blocks : size;
    }
    struct tally tally;
    enum error error = tally_open(&tally, &battery, course->options->threads, diagnostic);
    if (error)
        return error;
    const uint64_t from = course->cursor;
    const bool again = audit_memory_fits(&course->memory, size);
    error = audit_memory_record(&course->memory, again || course->options->keep_always, diagnostic);
    if (!error)
        error = tally_advance(&tally, &course->memory.source, from, size, diagnostic);
    if (!error)
        error = audit_memory_record(&course->memory, course->options->keep_always, diagnostic);
    course->cursor += again ? 0 : tally.blocks;
    course->end = from + tally.blocks > course->end ? from + tally.blocks : course->end;
    if (!error)
        error = judge(course, &tally, suspect, suspects, from, diagnostic);
    tally_close(&tally);
    return error;
}
