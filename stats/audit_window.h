// SPDX-License-Identifier: Apache-2.0
// The stretch of words that shows a finding best: something to look at, to keep, and to hand to another tool.

#ifndef ASSAY_STATS_AUDIT_WINDOW_H
#define ASSAY_STATS_AUDIT_WINDOW_H

#include <stdint.h>

#include "ref/base/error.h"
#include "stats/battery.h"
#include "stats/source.h"

struct audit_window {
    uint64_t first;       // word of the source
    uint64_t words;       // 0: no single stretch shows it, or its words are gone
    double log_p;         // of the hypothesis in this window alone
    uint32_t *words_kept; // `words` of them; the caller's to free
};

enum { AUDIT_WINDOW_BLOCKS = 64 }; // so many blocks of the finding are searched

// Looks at the units of `row` from block `from` of the source on, at most `blocks` and AUDIT_WINDOW_BLOCKS, for the one in which
// `hypothesis` alone has the smallest p. A source that gives its words in order is looked at only where `head`, its first
// `head_blocks` blocks from block `origin` on, holds them.
enum error audit_window_find(const struct source *source, const struct battery_row *row, uint32_t hypothesis, uint64_t from,
                             uint64_t blocks, const uint32_t *head, uint64_t origin, uint64_t head_blocks,
                             struct audit_window *window, struct diagnostic *diagnostic);

#endif
