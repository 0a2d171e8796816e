// SPDX-License-Identifier: Apache-2.0
// What is neither stored nor elementwise, inside an expression: whole arrays of estimates with
// their errors.

#ifndef ASSAY_REF_OP_DECLARED_KEEP_H
#define ASSAY_REF_OP_DECLARED_KEEP_H

#include "ref/base/threads.h"
#include "ref/op/declared/look.h"

// Memory taken piece by piece. With `base` NULL nothing is there, and `used` says how much would
// be.
struct keep_store {
    char *base;
    size_t used;
    bool failed; // more than a size_t holds
};

void *keep_take(struct keep_store *store, uint64_t count, size_t size);

// Makes room for a value of PLAN_KEPT, and, unless the store only measures, fills it. Its operands
// are there. With `glance` sums have wider errors and take less time.
enum error keep_value(struct plan *plan, struct plan_value *value, bool glance,
                      struct keep_store *store, struct diagnostic *diagnostic);

// The same in two steps for a value of CLASS_REDUCTION: its room, and the rows of a band (NULL:
// all).
void keep_take_reduction(struct plan_value *value, struct keep_store *store);
enum error keep_reduce(struct plan *plan, struct plan_value *value, bool glance,
                       const struct look_band *band, struct diagnostic *diagnostic);

// Sums up element `at` of a value of CLASS_REDUCTION once more, with the narrow error.
enum error keep_again(struct plan *plan, const struct plan_value *value, const uint64_t *at,
                      struct diagnostic *diagnostic);

// ---- for the files of what is kept ------------------------------------------

// Strides of a value's elements in the box that has its rank: 0 along axes of size 1.
void keep_strides(const struct plan_value *value, ptrdiff_t *stride);

// The job over the whole box, by all threads where it is worth that.
enum error keep_run(const struct look *look, threads_job job, void *context,
                    struct diagnostic *diagnostic);

#endif
