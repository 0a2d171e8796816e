// SPDX-License-Identifier: Apache-2.0
// The first look: elementwise expressions in double, a run of elements at a time, each with a bound
// on its error.
//
// An error of 0 says that the value is the exact one: its sign too where it is zero, and infinities
// and NaN as IEEE 754 has them. An infinite error says that nothing is known. ref/PROOFS.md,
// "Declared operators", has the bounds.

#ifndef ASSAY_REF_OP_DECLARED_LOOK_H
#define ASSAY_REF_OP_DECLARED_LOOK_H

#include "ref/num/function/function_kind.h"
#include "ref/op/declared/plan.h"

enum { LOOK_RUN = 128, LOOK_LEAVES_MAX = 64 };

struct look_leaf {
    const struct plan_value *value; // NULL: where results go
    ptrdiff_t stride[GRAPH_RANK_MAX];
    ptrdiff_t at; // element of the run's beginning
};

// An expression over a box of elements. Axes that every leaf runs through as through one are one.
struct look {
    const struct plan *plan;
    const struct plan_value *root;
    unsigned rank; // of the box, at least 1
    uint64_t size[GRAPH_RANK_MAX];
    unsigned leaves; // leaf 0 is where results go
    struct look_leaf leaf[LOOK_LEAVES_MAX];
    unsigned split; // the axis along which threads divide the box
};

// The box of `root`; results go to places `stride` elements apart (0: all to one).
enum error look_start(struct look *look, const struct plan *plan, const struct plan_value *root,
                      const ptrdiff_t *stride, struct diagnostic *diagnostic);

// Takes `count` (at most LOOK_RUN) elements of the root: the first belongs to place `to` of the
// results, each next one `stride` further.
typedef enum error look_take(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                             const double *value, const double *error,
                             struct diagnostic *diagnostic);

// Goes through the part [first, first + count) of the axis `split`.
enum error look_through(const struct look *look, uint64_t first, uint64_t count, look_take *take,
                        void *context, struct diagnostic *diagnostic);

// ---- words on runs ----------------------------------------------------------

// One run of values and errors; both arrays have room for LOOK_RUN.
struct look_run {
    double *value, *error;
};

// `to` = the word of its operands, `count` elements each.
void look_word(enum word_op op, size_t count, const struct look_run *operand, struct look_run to);

// A function of num_function: `to` may not be `of`.
void look_function(enum num_function function, size_t count, struct look_run of,
                   struct look_run to);

// The sum of two numbers and what it leaves out, exactly (Knuth).
static inline double look_sum(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

#endif
