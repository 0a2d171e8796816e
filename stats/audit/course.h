// SPDX-License-Identifier: Apache-2.0
// What the files of an audit share: where it stands.

#ifndef ASSAY_STATS_AUDIT_COURSE_H
#define ASSAY_STATS_AUDIT_COURSE_H

#include "stats/audit/before.h"

struct audit_course {
    const struct audit_options *options;
    const struct source *source;
    struct audit_result *result;
    struct audit_memory memory; // of the source
    struct audit_map map;       // of the tally
    uint64_t cursor;            // block of the source that the tally goes on with
    uint64_t end;               // behind the last block that was read
};

// Puts the suspects of a look, of a tally that ends at the cursor, to the blocks behind it; the
// first that is confirmed condemns the source.
enum error audit_repeat(struct audit_course *course, const struct audit_finding *suspect,
                        unsigned suspects, struct diagnostic *diagnostic);

#endif
