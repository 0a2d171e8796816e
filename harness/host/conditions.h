// SPDX-License-Identifier: Apache-2.0
// Under which conditions a case is run: a covering array of all pairs over the suite, not the
// product for each case.

#ifndef ASSAY_HARNESS_HOST_CONDITIONS_H
#define ASSAY_HARNESS_HOST_CONDITIONS_H

#include "harness/host/host.h"
#include "ref/base/text.h"

// Numbers of threads: the library's own, 1 to 4, and twice as many each up to what the target
// declares, which is CONDITIONS_THREADS where it does not say.
enum { CONDITIONS_ROWS_MAX = 256, CONDITIONS_THREADS = 8, CONDITIONS_VALUES_MAX = 16 };

// The conditions, each with two values or more.
enum conditions_axis {
    AXIS_THREADS,
    AXIS_FEED,
    AXIS_GUARD,
    AXIS_POISON,
    AXIS_PADDED,
    AXIS_TOGETHER,
    AXIS_COUNT
};

// Rows such that any two values of any two conditions that the target offers meet in one row. Row 0
// is the usual way: default threads, first feed, guard at the end, poison A, alone.
struct conditions_plan {
    size_t count;
    bool alone; // a case runs under one row, once
    struct host_conditions row[CONDITIONS_ROWS_MAX];
};

// The first `rows` of them; CONDITIONS_ROWS_MAX: all.
void conditions_make_plan(const struct host_description *description, size_t rows,
                          struct conditions_plan *plan);

// Appends what the target's cases are not run under, since it does not offer it, in words parted by
// commas; nothing where it offers all.
void conditions_put_untried(const struct host_description *description, struct text *text);

// Every combination, for a case that failed; at most `most` rows.
size_t conditions_product(const struct host_description *description, struct host_conditions *row,
                          size_t most);

// "threads=3 feed=constant guard=start ...", what differs from the usual way, or "the usual way".
const char *conditions_describe(const struct host_description *description,
                                const struct host_conditions *conditions, char *text, size_t size);

#endif
