// SPDX-License-Identifier: Apache-2.0
// Nodes of f64 that are one word of stored numbers: what the first look leaves open of a run is
// decided at once, without a look at each element.

#ifndef ASSAY_REF_OP_DECLARED_SINGLE_H
#define ASSAY_REF_OP_DECLARED_SINGLE_H

#include "ref/op/declared/look.h"

// Of a run of `root`, rounded to f64, whose first element is `first`: decides those of the `opened`
// elements in `open` that it can, writes them to their places in `out`, and keeps the others in
// `open`; returns how many these are. What is exact stays there.
size_t single_settle(struct plan *plan, const struct plan_value *root, uint64_t first,
                     const struct look_taken *taken, size_t opened, uint16_t *open, double *out);

#endif
