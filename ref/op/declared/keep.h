// SPDX-License-Identifier: Apache-2.0
// What is neither stored nor elementwise, inside an expression: whole arrays of estimates with
// their errors.

#ifndef ASSAY_REF_OP_DECLARED_KEEP_H
#define ASSAY_REF_OP_DECLARED_KEEP_H

#include "ref/op/declared/plan.h"

// Memory taken piece by piece. With `base` NULL nothing is there, and `used` says how much would
// be.
struct keep_store {
    char *base;
    size_t used;
    bool failed; // more than a size_t holds
};

void *keep_take(struct keep_store *store, uint64_t count, size_t size);

// Makes room for a value of PLAN_KEPT, and, unless the store only measures, fills it. Its operands
// are there.
enum error keep_value(struct plan *plan, struct plan_value *value, struct keep_store *store,
                      struct diagnostic *diagnostic);

#endif
