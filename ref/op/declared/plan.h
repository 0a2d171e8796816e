// SPDX-License-Identifier: Apache-2.0
// A graph for one request: the shape and the type of every expression that the profile leaves in
// use, and where its elements are kept.

#ifndef ASSAY_REF_OP_DECLARED_PLAN_H
#define ASSAY_REF_OP_DECLARED_PLAN_H

#include "ref/op/declared/graph.h"

enum plan_kind {
    PLAN_SCALAR, // one number that shapes and attributes decide
    PLAN_STORED, // elements of a type: an input, or a node
    PLAN_FUSED,  // elementwise: computed where it is needed
    PLAN_KEPT,   // anything else inside an expression: estimates and their errors are kept
};

// A product of two tensors: letters with their sizes, and which of them each axis is. `letter` of
// an axis is -1 where its only element serves every index.
enum { PRODUCT_LETTERS_MAX = 3 * GRAPH_RANK_MAX, PRODUCTS_MAX = 32 };
struct plan_product {
    unsigned letters, contracted; // the contracted ones come last
    uint64_t size[PRODUCT_LETTERS_MAX];
    int8_t axis[2][GRAPH_RANK_MAX]; // letter of each axis of the operands
    int8_t out[GRAPH_RANK_MAX];
};

struct plan_value {
    uint16_t expression;
    enum plan_kind kind;
    enum dtype type;    // STORED: of its elements
    enum dtype natural; // of a node without a type of its own; NONE: any will do
    unsigned rank;
    uint64_t size[GRAPH_RANK_MAX], count;
    const void *data; // STORED: element `shift` and those after it
    uint64_t shift;
    double number;                   // SCALAR, to nearest
    double rest;                     // SCALAR: what `number` leaves out, by settle_scalars
    bool exact;                      // SCALAR: it is `number`
    bool read;                       // KEPT: its elements, not its shape alone
    enum dtype narrow;               // KEPT: partial sums are rounded to it; NONE: exact
    double *value, *error;           // KEPT
    double *left, *turned, *terms;   // KEPT, of a sum: rest, turned and count of running.h
    int64_t own[2 * GRAPH_RANK_MAX]; // what its static operands say
};

struct plan_node {
    enum dtype type;
    unsigned rank;
    uint64_t size[GRAPH_RANK_MAX], count;
    void *data; // element `shift` and those after it; of a node of a scan: at the step at work
    void *all;  // of a node of a scan: at every step, one after the other
    uint64_t shift;
    bool passing;          // its rows are needed while those of a band are evaluated, not later
    uint16_t first, last;  // of plan.value: those that are new in its expression
    double *lower, *upper; // where bounds are made: the interval of each element
};

struct plan {
    const struct graph *graph;
    const struct request *request;
    double name[GRAPH_NAMES_MAX]; // of sizes; NaN: not bound
    uint16_t root[GRAPH_NODES_MAX];
    const struct graph_replacement *replaced[GRAPH_NODES_MAX]; // by an option; NULL: as written
    bool used[GRAPH_NODES_MAX];                                // some output needs it
    bool whole;                                                // all nodes are kept
    struct plan_node node[GRAPH_NODES_MAX];
    // Elements of nodes that were rounded, and those that the first look left open: decided by a
    // longer sum or in pairs, by enclosures, by rationals. Products of two tensors count where it
    // is asked for.
    _Atomic uint64_t elements, pairs, settled, rational;
    unsigned live, products;
    unsigned scan;                        // at work, also while it is made; GRAPH_SCANS: none
    uint64_t steps, step[GRAPH_SCANS];    // of each scan: how many there are, and where it is
    uint16_t done;                        // while it is made: values of nodes so far
    uint16_t slot[GRAPH_EXPRESSIONS_MAX]; // of expressions in `value`, plus one; 0: not in use
    struct plan_value value[GRAPH_LIVE_MAX];
    struct plan_product product[PRODUCTS_MAX];
};

// A list of numbers, a number, or a word.
struct plan_static {
    bool list;
    unsigned count;
    double number[GRAPH_LIST_MAX];
    const char *text; // NULL: numbers
};

// Works out all shapes and types. Refuses what breaks a rule of the operator, with both sizes.
enum error plan_make(struct plan *plan, const struct request *request,
                     struct diagnostic *diagnostic);

// ---- for the files of this folder -------------------------------------------

// Expression `expression` as a value, made with its operands where it is new.
enum error plan_expression(struct plan *plan, uint16_t expression, struct plan_value **value,
                           struct diagnostic *diagnostic);

// The value of operand `index`; the branch that is taken in place of an `if`.
static inline const struct plan_value *plan_operand(const struct plan *plan,
                                                    const struct plan_value *value, unsigned index)
{
    const uint16_t e = plan->graph->expression[value->expression].operand[index];
    return &plan->value[plan->slot[e] - 1];
}

static inline enum word_op plan_op(const struct plan *plan, const struct plan_value *value)
{
    return plan->graph->expression[value->expression].op;
}

static inline unsigned plan_operands(const struct plan *plan, const struct plan_value *value)
{
    return plan->graph->expression[value->expression].count;
}

// A static expression; ERROR_INVALID_ARGUMENT where it is none or cannot be worked out.
enum error plan_evaluate_static(struct plan *plan, uint16_t expression, struct plan_static *to,
                                struct diagnostic *diagnostic);

// The same as whole numbers: one, or `*count` of at most `most`.
enum error plan_integer(struct plan *plan, uint16_t expression, int64_t *to,
                        struct diagnostic *diagnostic);
enum error plan_integers(struct plan *plan, uint16_t expression, unsigned most, int64_t *to,
                         unsigned *count, struct diagnostic *diagnostic);

// The type of a node that says none, where its operands have this one: f32 or f64, i64, bool.
enum dtype plan_natural(enum dtype type);

// Shape, natural type and own numbers of a value whose operands are made.
enum error plan_shape(struct plan *plan, struct plan_value *value, struct diagnostic *diagnostic);
enum error plan_shape_product(struct plan *plan, struct plan_value *value,
                              struct diagnostic *diagnostic);
enum error plan_shape_movement(struct plan *plan, struct plan_value *value,
                               struct diagnostic *diagnostic);
enum error plan_shape_step(struct plan *plan, struct plan_value *value,
                           struct diagnostic *diagnostic);

// How many steps a scan has; at least one.
enum error plan_start_scan(struct plan *plan, struct diagnostic *diagnostic);

// Once all nodes are made: a node of a scan starts from what has its shape, and all its steps have
// room.
enum error plan_check_scan(const struct plan *plan, struct diagnostic *diagnostic);

// Puts the scan's nodes, and all values, at the step that is `round` after its first one.
void plan_set_step(struct plan *plan, unsigned scan, uint64_t round);

// The node of a scan of which a stored value has the elements, and the step at which it has them;
// false: it is another tensor, as `before` is where there was no step yet.
bool plan_scanned(const struct plan *plan, const struct plan_value *value, unsigned *node,
                  uint64_t *step);

// Whether the certified product serves this node: two stored operands of at most f32, one sum.
bool plan_is_product(const struct plan *plan, const struct plan_node *node,
                     const struct plan_value *root);

// Sets the number of elements; refuses what is too large.
enum error plan_count(struct plan_value *value, struct diagnostic *diagnostic);

// "[2,3]"; `text` has room for `size` bytes and is returned.
const char *plan_describe(unsigned rank, const uint64_t *sizes, char *text, size_t size);

#endif
