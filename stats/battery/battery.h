// SPDX-License-Identifier: Apache-2.0
// Which tests a profile runs, how much each of them sees, and with what weight.

#ifndef ASSAY_STATS_BATTERY_BATTERY_H
#define ASSAY_STATS_BATTERY_BATTERY_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/battery/frame.h"

enum {
    BATTERY_BLOCK_LOG2 = 16,
    BATTERY_ROWS_MAX = 400,
    BATTERY_STAGES_MAX = 24
}; // a block is 2^16 words, 256 KiB

struct battery_row {
    struct test test;
    uint64_t from,
        blocks; // sees blocks [from, from + blocks) of the stream; `from` is a multiple of the unit
    double weight; // its share of the chance of a false alarm; all rows together 1
};

// Verdicts are looked for when stage[i] blocks in all have been counted: the same places however
// the work is split.
struct battery {
    const char *name;
    unsigned rows, stages;
    struct battery_row row[BATTERY_ROWS_MAX];
    uint64_t stage[BATTERY_STAGES_MAX];
};

// "quick", "nightly" or "deep"; 0 when there is no such profile.
bool battery_named(const char *name, struct battery *battery);

// Limits the battery to `bytes` (rounded down to blocks, at least one): stages beyond are cut, the
// last one lies there.
void battery_limit(struct battery *battery, uint64_t bytes);

// How many stages row `row` is judged at, and so among how many looks its weight is shared.
unsigned battery_looks(const struct battery *battery, unsigned row);

// Blocks of the stream that the row has seen when `blocks` have been counted.
uint64_t battery_seen(const struct battery_row *row, uint64_t blocks);

#endif
