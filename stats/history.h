// SPDX-License-Identifier: Apache-2.0
// Audits night after night, in an SQLite file.
//
// A night takes the next blocks that no night has used. It is opened, run, and closed in one transaction together with its
// counts: a night that was killed leaves an open entry and nothing else, and the next run takes the same range again. Evidence
// after each night is half the product of calibrated p-values of the nights and half the exact mixture on the cumulative counts
// of bits: an e-process, so the alarm at 1/alpha is false with a chance of at most alpha over all nights together.

#ifndef ASSAY_STATS_HISTORY_H
#define ASSAY_STATS_HISTORY_H

#include "stats/audit.h"

struct history;

// ERROR_INPUT when the file is no history, or its rows are not those that were sealed (ref/base/seal.h).
enum error history_open(struct history **history, const char *path, struct diagnostic *diagnostic);
void history_close(struct history *history);

struct history_night {
    uint64_t night, first_block, blocks;
    double log_p; // of the night, all looks counted in
    double log_e; // of this and all nights before
    int alarm;    // log_e has passed log(1 / alpha), in this night or an earlier one
    char source[128], profile[16], test[32], what[AUDIT_TEXT], tool[32], closed[32];
};

// Runs one night of `source` under the name `name`. `alpha` belongs to the history of that source: a different one than before
// is ERROR_INVALID_ARGUMENT. `options` says battery and threads; its first_block, finish and context are this function's.
enum error history_run(struct history *history, const char *name, double alpha, struct audit_options *options,
                       const struct source *source, struct history_night *night, struct audit_result *result,
                       struct diagnostic *diagnostic);

// Calls `each` for every closed night, oldest first, of one source (NULL: all).
enum error history_list(struct history *history, const char *name,
                        void (*each)(void *context, const struct history_night *night), void *context,
                        struct diagnostic *diagnostic);

#endif
