// SPDX-License-Identifier: Apache-2.0
// Nodes that only nodes of their own band read: the rows in work are kept in the cache, in place of
// a tensor that is written to memory and read back.

#ifndef ASSAY_REF_OP_DECLARED_PASSING_H
#define ASSAY_REF_OP_DECLARED_PASSING_H

#include "ref/op/declared/look.h"

enum { PASSING_SIZE = 160 * 1024 };

// Nodes [first, last), of which `rows` rows are evaluated together.
struct passing_band {
    unsigned first, last;
    uint64_t rows;
    struct look_band band;
};

// A plan of one thread, and room for the nodes that pass.
struct passing {
    struct plan plan;
    _Alignas(64) char room[PASSING_SIZE];
};

// Says of each node whether it passes; whether one does.
bool passing_mark(struct plan *plan, const struct passing_band *of);

// The plan as it stands, with counts of its own.
void passing_start(struct passing *own, const struct plan *plan);

// Places the nodes that pass, from row `row` on.
void passing_place(struct passing *own, const struct passing_band *of, uint64_t row);

// Adds the counts to those of the plan.
void passing_finish(const struct passing *own, struct plan *plan);

// Values that name the node find its elements.
void passing_publish(struct plan *plan, unsigned index);

#endif
