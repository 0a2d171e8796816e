// SPDX-License-Identifier: Apache-2.0
// Node by node: estimates, the rounding test, and what is left open.

#ifndef ASSAY_REF_OP_DECLARED_EVALUATE_H
#define ASSAY_REF_OP_DECLARED_EVALUATE_H

#include "ref/num/rounding.h"
#include "ref/op/declared/keep.h"

// What becomes of numbers beyond a node's type, which is `type`; no number is beyond bool.
enum num_overflow evaluate_overflow(const struct graph_node *node, enum dtype type);

// Evaluates all nodes that are used, outputs into data[]. With a store that only measures, says how
// much memory that needs.
enum error evaluate_nodes(struct plan *plan, void *const *data, struct keep_store *store,
                          struct diagnostic *diagnostic);

// A node for which plan_is_product holds.
enum error evaluate_product(struct plan *plan, struct plan_node *node,
                            const struct plan_value *root, struct keep_store *store,
                            struct diagnostic *diagnostic);

#endif
