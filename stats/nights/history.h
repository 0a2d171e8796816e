// SPDX-License-Identifier: Apache-2.0
// Audits night after night, in an SQLite file.
//
// A night takes the next blocks that no night of its source has used, whatever its profile. It is
// opened under a lock of the system, run, and closed in one transaction together with its counts: a
// night that was killed leaves an open entry and nothing else, and the next run takes the same
// range again; one that is still running is not disturbed.
//
// Evidence of a profile's nights is an e-process: half the calibrated p-values of whole nights,
// half the counts of the rows (stats/nights/evidence.c), each a mixture over the night from which a
// flaw may have begun: a start at night s has the weight 1 / (s (s + 1)), so nights that were clean
// cost a later flaw a factor of some s^2 and no more. Evidence of a source is the average over its
// three profiles, those never run counting as 1. So the alarm at 1/alpha is false with a chance of
// at most alpha over all nights together.

#ifndef ASSAY_STATS_NIGHTS_HISTORY_H
#define ASSAY_STATS_NIGHTS_HISTORY_H

#include <stdbool.h>
#include "stats/audit/audit.h"

struct history;

enum history_mode { HISTORY_READ, HISTORY_WRITE };

// HISTORY_READ changes nothing; HISTORY_WRITE makes the file if there is none. ERROR_INPUT when it
// is no audit history of this version (nothing is written into it), or its rows are not those that
// were sealed (ref/base/shard/seal.h).
enum error history_open(struct history **history, const char *path, enum history_mode mode,
                        struct diagnostic *diagnostic);
void history_close(struct history *history);

// What a course of nights is about: another seed, other streams or another version of the target is
// another source, with ranges, evidence and alarm of its own.
struct history_subject {
    const char *name, *kin,
        *version; // as --source; how streams are seeded, and of the target: may be empty
    uint64_t seed;
    unsigned streams;
};

struct history_night {
    uint64_t night, first_block, blocks;
    double log_p; // of the night, all looks counted in
    double log_e; // of this and all nights before
    bool alarm;   // log_e has passed log(1 / alpha), in this night or an earlier one
    bool flawed;  // the verdict of this night's audit alone
    double alpha;
    char source[192]; // the name and, where it is not plain, version, seed and streams
    char profile[16], test[32], what[AUDIT_TEXT], tool[32], version[96], closed[32];
    char older[96]; // history_run: of a course that this night begins, another version that has
                    // one; else empty
};

// The next block that no night of the source has read.
enum error history_next_block(struct history *history, const struct history_subject *subject,
                              uint64_t *first_block, struct diagnostic *diagnostic);

// Runs one night. `alpha` belongs to the history of that source: a different one than before is
// ERROR_INVALID_ARGUMENT. ERROR_SYSTEM when another process is at a night of the same source.
// `options` says battery and threads; its first_block, finish and context are this function's.
enum error history_run(struct history *history, const struct history_subject *subject, double alpha,
                       struct audit_options *options, const struct source *source,
                       struct history_night *night, struct audit_result *result,
                       struct diagnostic *diagnostic);

// Calls `each` for every closed night, oldest first, of all courses of one name (NULL: of all).
enum error history_list(struct history *history, const char *name,
                        void (*each)(void *context, const struct history_night *night),
                        void *context, struct diagnostic *diagnostic);

#endif
