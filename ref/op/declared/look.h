// SPDX-License-Identifier: Apache-2.0
// The first look: elementwise expressions in double, a run of elements at a time, each with a bound
// on its error.
//
// An error of 0 says that the value is the exact one: its sign too where it is zero, and infinities
// and NaN as IEEE 754 has them. An infinite error says that nothing is known. ref/PROOFS.md,
// "Declared operators", has the bounds.

#ifndef ASSAY_REF_OP_DECLARED_LOOK_H
#define ASSAY_REF_OP_DECLARED_LOOK_H

#include "ref/num/function/function_estimate.h"
#include "ref/op/declared/glance_form.h"
#include "ref/op/declared/plan.h"

enum { LOOK_RUN = 1024, LOOK_LEAVES_MAX = 64 };

// One run of values and errors; both arrays have room for LOOK_RUN.
struct look_run {
    double *value, *error;
};

struct glance;

// Ranges of floats that somebody asked for, found again by where they stand.
enum { GLANCE_RANGES = 64 };
struct glance_ranges {
    struct glance_range {
        const float *of;
        size_t count;
        double low, high;
    } range[GLANCE_RANGES];
};

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
    unsigned split;              // the axis along which threads divide the box
    const struct glance *glance; // how elements are glanced at first; NULL: not so
    struct glance_ranges *ranges;
    unsigned leaves; // leaf 0 is where results go
    struct look_leaf leaf[LOOK_LEAVES_MAX];
};

// Rows of a box: its first `axes` axes count as one, along which every leaf lies in one piece or
// does not move.
struct look_band {
    unsigned axes;
    uint64_t first, count, rows;  // those taken, and how many there are
    struct glance_ranges *ranges; // of one thread, while its nodes stay as they are; NULL: none
};

// The box of `root`; results go to places `stride` elements apart (0: all to one). With `at` one
// index of each axis alone, but for those where it is LOOK_ALL; with `band` its rows alone.
#define LOOK_ALL UINT64_MAX
enum error look_start(struct look *look, const struct plan *plan, const struct plan_value *root,
                      const ptrdiff_t *stride, const uint64_t *at, const struct look_band *band,
                      struct diagnostic *diagnostic);

// The nodes [first, the result) whose rows can be evaluated by themselves: the axes that make the
// rows and how many there are go to `band`, how many are worth being gone through together to
// `*rows`. One node alone, and `*rows` 0, where that is nothing to gain. Shapes alone decide.
unsigned band_find(const struct plan *plan, unsigned first, struct look_band *band, uint64_t *rows);

// Elements of a run that a glance leaves to a look.
struct look_open {
    size_t count;
    uint16_t index[LOOK_RUN];
};

// Elements of the root: values with their errors or, where `run` is not NULL, what a glance says.
struct look_taken {
    const double *value, *error;
    const struct glance_run *run;
};

// Takes `count` (at most LOOK_RUN) elements: the first belongs to place `to` of the results, each
// next one `stride` further. With `open`, whose count is 0, elements may be left to a look.
typedef enum error look_take(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                             const struct look_taken *taken, struct look_open *open,
                             struct diagnostic *diagnostic);

// Goes through the part [first, first + count) of the axis `split`.
enum error look_through(const struct look *look, uint64_t first, uint64_t count, look_take *take,
                        void *context, struct diagnostic *diagnostic);

// ---- for the files of the looks ---------------------------------------------

// `count` elements of the leaf, `stride` apart, with their errors (of what is stored only where
// there is room for them).
void look_load(const struct look_leaf *leaf, ptrdiff_t stride, size_t count, struct look_run to);

// The first look at `count` elements of a value.
void look_evaluate(const struct look *look, const struct plan_value *value, size_t count,
                   struct look_run to);

// Values and errors of what was taken: its own, or those of a run, in two arrays of LOOK_RUN.
struct look_taken look_spread(const struct look_taken *taken, size_t count, double *value,
                              double *error);

// ---- glances ----------------------------------------------------------------

// An elementwise expression as steps: each a word on runs of leaves, of numbers and of earlier
// steps. Made once for a box, then gone through for each of its runs.

enum { GLANCE_SLOTS_MAX = 48, GLANCE_STEPS_MAX = 32, GLANCE_ROOMS = 12 };

// Where a run comes from: a number (`value` NULL), a leaf (`leaf` not 0), or a step.
struct glance_slot {
    const struct plan_value *value;
    struct glance_run number;
    uint8_t leaf, room; // index in look.leaf; where doubles stand
};

struct glance_step {
    enum word_op op;
    uint8_t operands, operand[3], to; // slots
};

_Static_assert(LOOK_RUN / GLANCE_STEP + 4 <= GLANCE_DEPTH,
               "additions of a run: partial sums, and a tree over GLANCE_STEP of them");

// What becomes of elements: anything, floats rounded to nearest, terms of one sum or of several.
enum glance_use { GLANCE_PLAIN, GLANCE_ROUNDED, GLANCE_SUMMED };

struct glance {
    unsigned slots, steps;
    unsigned taken, used; // a bit for each room: taken now, ever
    uint8_t root;
    enum glance_use use;
    float *results;  // GLANCE_ROUNDED: whole steps of them belong here; NULL: not so
    ptrdiff_t shift; // what stands there is element `shift` and those after it
    const struct glance_form *form;
    const struct function_form *functions;
    struct glance_slot slot[GLANCE_SLOTS_MAX];
    struct glance_step step[GLANCE_STEPS_MAX];
};

// Doubles of runs, and a room to spare.
struct glance_rooms {
    _Alignas(64) double room[GLANCE_ROOMS + 1][LOOK_RUN];
    struct glance_run run[GLANCE_SLOTS_MAX];
    struct function_product product; // GLANCE_FUNCTION: what is left to round
};

// False: the expression has a word that a glance does not know, or too many of them. What its
// leaves stand for is there.
bool glance_make(struct glance *glance, const struct look *look, enum glance_use use);

// A run of `count` elements of the box where its leaves are, in `rooms`; what it points to stands
// there too, or belongs to a leaf. With GLANCE_ROUNDED floats are what the expression gives,
// rounded. NULL: a glance does not do.
const struct glance_run *glance_look(const struct glance *glance, const struct look *look,
                                     size_t count, struct glance_rooms *rooms);

// The range of a run of `count`, which is looked for unless it is known; false where something is
// not finite. `known` may be NULL.
bool glance_find_range(struct glance_ranges *known, size_t count, struct glance_run *of);

// ---- words on runs ----------------------------------------------------------

// `to` = the word of its operands, `count` elements each.
void look_word(enum word_op op, size_t count, const struct look_run *operand, struct look_run to);

// The function of num_function that the word is, or -1.
int look_function_of(enum word_op op);

// The sum of two numbers and what it leaves out, exactly (Knuth).
static inline double look_sum(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

// Of a run of `root`, rounded to f64, whose first element is `first`: decides those of the `opened`
// elements in `open` that it can, writes them to their places in `out`, and keeps the others in
// `open`; returns how many these are. What is exact stays there.
size_t single_settle(struct plan *plan, const struct plan_value *root, uint64_t first,
                     const struct look_taken *taken, size_t opened, uint16_t *open, double *out);

#endif
