// SPDX-License-Identifier: Apache-2.0
// Two results files held against each other: what fails now that did not, what no longer fails,
// which bits changed while passing.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_RESULTS_DIFF_H
#define ASSAY_HARNESS_JUDGE_WRITE_RESULTS_DIFF_H

#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"

enum diff_kind {
    DIFF_NEWLY_FAILING,
    DIFF_NEWLY_PASSING,
    DIFF_OTHER_FAILURE, // another verdict, or other wrong bits
    DIFF_OTHER_PROFILE, // passes with other bits: under another allowed profile, or elsewhere
                        // inside the radius
    DIFF_RADIUS,        // passes, and uses more of the radius by DIFF_RADIUS_GROWN or more
    DIFF_SUPPORT,       // supported in one only
    DIFF_ADDED,
    DIFF_REMOVED,
    DIFF_KINDS
};

#define DIFF_RADIUS_GROWN 0.1

struct diff_entry {
    enum diff_kind kind;
    const char *target, *suite, *id;
    const char *before, *after; // what each file says, in a few words
};

struct results_diff {
    size_t count, same;
    size_t kinds[DIFF_KINDS];
    struct diff_entry *entry; // in the order of the new file, removed ones last
    struct arena arena;
};

const char *diff_kind_name(enum diff_kind kind);

// Reads both files (results.jsonl of `certify`) and compares their cases by target, suite and id.
enum error results_diff(const char *before, const char *after, struct results_diff *diff,
                        struct diagnostic *diagnostic);
void results_diff_release(struct results_diff *diff);

#endif
