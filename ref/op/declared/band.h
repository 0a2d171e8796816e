// SPDX-License-Identifier: Apache-2.0
// Nodes that rows go through one by one: softmax along the last axis, say, whose rows know nothing
// of each other.

#ifndef ASSAY_REF_OP_DECLARED_BAND_H
#define ASSAY_REF_OP_DECLARED_BAND_H

#include "ref/op/declared/look.h"

// The nodes [first, the result) whose rows can be evaluated by themselves: the axes that make the
// rows and how many there are go to `band`, how many are worth being gone through together to
// `*rows`. One node alone, and `*rows` 0, where that is nothing to gain. Shapes alone decide.
unsigned band_find(const struct plan *plan, unsigned first, struct look_band *band, uint64_t *rows);

#endif
