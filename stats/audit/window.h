// SPDX-License-Identifier: Apache-2.0
// The stretch of words that shows a finding best: something to look at, to keep, and to hand to
// another tool.

#ifndef ASSAY_STATS_AUDIT_WINDOW_H
#define ASSAY_STATS_AUDIT_WINDOW_H

#include <stdint.h>

#include "ref/base/error.h"
#include "stats/audit/memory.h"
#include "stats/battery/battery.h"

struct audit_window {
    uint64_t first;       // word of the source
    uint64_t words;       // 0: there is none
    double log_p;         // of the hypothesis in this window alone
    uint32_t *words_kept; // `words` of them; the caller's to free
    char none[120];       // why there is none; empty otherwise
};

// Where the blocks of a tally lie in its source: from block `from[i]` of the tally on at
// `origin[i]` + block, i rising.
struct audit_map {
    unsigned stretches;
    uint64_t from[BATTERY_STAGES_MAX], origin[BATTERY_STAGES_MAX];
};

uint64_t audit_map_block(const struct audit_map *map, uint64_t block);

// The most blocks that are searched, and how many at a time: the search ends when a unit shows the
// flaw by itself.
enum { AUDIT_WINDOW_BLOCKS = 4096, AUDIT_WINDOW_STEP = 64 };

struct audit_search {
    struct audit_memory *memory;
    const struct battery_row *row;
    uint32_t hypothesis;
    const struct audit_map *map;
    const uint32_t *head; // the first blocks of the tally, which need not be read again
    uint64_t head_blocks;
    // Blocks [from, to) of the tally are searched first: p fell there. Then those from `again` on
    // of the source, so many, on which it fell once more (0: none); then those before `from` that
    // the row has seen.
    uint64_t from, to, again, again_blocks;
};

// Looks for the unit of the row in which the hypothesis alone has the smallest p.
enum error audit_window_find(const struct audit_search *search, struct audit_window *window,
                             struct diagnostic *diagnostic);

#endif
