// SPDX-License-Identifier: Apache-2.0
// Words that move elements: where each element of the result comes from.

#ifndef ASSAY_REF_OP_DECLARED_MOVEMENT_H
#define ASSAY_REF_OP_DECLARED_MOVEMENT_H

#include "ref/op/declared/plan.h"

struct movement_source {
    const struct plan_value *operand; // NULL: the element is `number`
    uint64_t at[GRAPH_RANK_MAX];      // its place there
    double number;
};

// Where element `at` of `value`, of CLASS_MOVEMENT, comes from. Indices that a gather reads are
// brought into range; movement_check refuses those that are not.
void movement_find(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                   struct movement_source *source);

// windows.c: the shape of windows and of their reverse, and where an element of them comes from.
enum error movement_shape_windows(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic);
enum error movement_shape_seen_by(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic);
void movement_find_window(const struct plan *plan, const struct plan_value *value,
                          const uint64_t *at, struct movement_source *source);
void movement_find_seen_by(const struct plan *plan, const struct plan_value *value,
                           const uint64_t *at, struct movement_source *source);

// Refuses a gather with an index outside; its indices are stored by now.
enum error movement_check(const struct plan *plan, const struct plan_value *value,
                          struct diagnostic *diagnostic);

// Element `at` of an operand that is broadcast to `rank` dimensions: its place in the operand.
static inline void movement_align(const struct plan_value *operand, unsigned rank,
                                  const uint64_t *at, uint64_t *to)
{
    for (unsigned i = 0; i < operand->rank; i++)
        to[i] = operand->size[i] == 1 ? 0 : at[rank - operand->rank + i];
}

// Whether the word leaves every element where it is in memory.
static inline bool movement_stays(enum word_op op)
{
    return op == WORD_RESHAPE || op == WORD_SQUEEZE || op == WORD_UNSQUEEZE || op == WORD_SPLIT ||
           op == WORD_JOIN;
}

static inline uint64_t movement_index(const struct plan_value *value, const uint64_t *at)
{
    uint64_t index = 0;
    for (unsigned i = 0; i < value->rank; i++)
        index = index * value->size[i] + at[i];
    return index;
}

// Where the element stands in value->data.
static inline uint64_t movement_stored(const struct plan_value *value, const uint64_t *at)
{
    return movement_index(value, at) - value->shift;
}

static inline void movement_place(unsigned rank, const uint64_t *size, uint64_t index, uint64_t *at)
{
    for (unsigned i = rank; i-- > 0;) {
        at[i] = size[i] ? index % size[i] : 0;
        index = size[i] ? index / size[i] : 0;
    }
}

#endif
