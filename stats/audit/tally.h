// SPDX-License-Identifier: Apache-2.0
// Counting a battery over a range of a source, with any number of threads: the sums never depend on
// how many.

#ifndef ASSAY_STATS_AUDIT_TALLY_H
#define ASSAY_STATS_AUDIT_TALLY_H

#include <stdbool.h>
#include "ref/base/error.h"
#include "stats/battery/battery.h"
#include "stats/source/source.h"

struct tally_worker;

struct tally {
    const struct battery *battery;
    uint64_t *count[BATTERY_ROWS_MAX];
    struct bag bag[BATTERY_ROWS_MAX];
    uint64_t blocks;     // counted so far, from the start
    bool ended;          // the source has no more whole blocks
    uint32_t words_left; // then: behind the last one
    unsigned threads;
    uint32_t *head; // the first group, kept until it is whole: tests with large units need it in
                    // one piece
    struct tally_worker *worker;
};

enum { TALLY_GROUP = 16 }; // blocks that a thread takes at once: the largest unit

// Memory for a battery (which must outlive it) and up to `threads` threads (0: as many as there
// are).
enum error tally_open(struct tally *tally, const struct battery *battery, unsigned threads,
                      struct diagnostic *diagnostic);
void tally_close(struct tally *tally);

// Counts on until `blocks` blocks are counted or the source ends. Block b of the tally is block
// `origin` + b of the source. Beyond the first group, `blocks` is a multiple of TALLY_GROUP or the
// last to be counted: a unit is not put together from two advances.
enum error tally_advance(struct tally *tally, const struct source *source, uint64_t origin,
                         uint64_t blocks, struct diagnostic *diagnostic);

// Units of the row's test counted so far.
uint64_t tally_units(const struct tally *tally, unsigned row);

// Judges one row; `only` as in struct judgement. ERROR_INTERNAL when memory ran out.
enum error tally_judge(struct tally *tally, unsigned row, uint32_t only,
                       struct judgement *judgement, struct diagnostic *diagnostic);

#endif
