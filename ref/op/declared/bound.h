// SPDX-License-Identifier: Apache-2.0
// What a conforming implementation may give: an interval for every element, under an evaluation
// model.
//
// A written operation is exact or rounded once, to the node's type or wider; a function errs by the
// model's ulps at the argument that it received; a sum may be any tree. An output is rounded for
// certain, an interior node where its declaration says `stored`. [-inf, inf] admits NaN as well;
// NaN at both ends: NaN alone. ref/PROOFS.md, "Declared operators", has the rules.

#ifndef ASSAY_REF_OP_DECLARED_BOUND_H
#define ASSAY_REF_OP_DECLARED_BOUND_H

#include "ref/num/function/interval.h"
#include "ref/num/rounding.h"
#include "ref/op/declared/keep.h"
#include "ref/op/declared/movement.h"
#include "ref/op/model.h"

struct bound_node {
    double *low, *high; // of each element
    bool same;          // every implementation gives the same: integers, made of integers alone
};

// How numbers are added up.
struct bound_adding {
    enum dtype type;  // of the accumulator
    double u;         // what an addition may lose, as a share of its result
    double whole;     // whole numbers up to it are held
    double largest;   // at most so large a sum cannot overflow
    double roundings; // that a term costs
    bool nearest;     // additions round to nearest
};

// Of a linear recurrence, expanded to one sum of products of what its steps are given: the sum of
// their magnitudes; what no part of it exceeds that begins and ends with a node; a power of two, at
// most 1, of which every part is a multiple.
enum bound_measure { BOUND_MAGNITUDE, BOUND_REACH, BOUND_UNIT, BOUND_MEASURES };
enum { BOUND_FUNCTIONS_MAX = 8 };

// A node of a scan.
struct bound_step {
    unsigned past;  // factors of a product in it that depend on other steps, at most
    bool carried;   // another node reads it
    bool slope;     // of the argument of exp: two factors depend on other steps, and exp is a third
    bool contracts; // it sums products of what depends on the step before
    double roundings; // of a product in its expression
    double results;   // the same, with a sum of products as one
    double factors;   // multiplications in its expression
    double functions; // that such a product has as factors
    unsigned listed;  // of them
    const struct plan_value *function[BOUND_FUNCTIONS_MAX];
    enum dtype type;                 // in which it is computed
    double *measure[BOUND_MEASURES]; // at every step
};

struct bound_steps {
    struct bound_step node[GRAPH_NODES_MAX];
    bool sums;                   // sums and products, and exp of what is given
    bool linear;                 // the same, where one factor at most of what is carried depends on
                                 // other steps, and two of the rest
    bool known;                  // what roundings make of it
    bool contracts;              // a carried node does
    double roundings, functions; // of all nodes in one step
    double chain;                // steps of all scans, which one product may pass through
    double low, unit;            // powers of two, at most 1: of numbers from outside; of all nodes
    double spread;               // sums, over all steps, of a number from outside times any node
    double factors;              // of the node that has most
    double u;                    // the largest unit roundoff of what is carried
    double whole;                // whole numbers up to it are held
    double given;                // what functions are given, in magnitude, over all steps
    double leaf, reach; // the largest number from outside, and measure of a node; at least 1
};

// All elements of a value that the elements of a product or a sum go over again and again.
struct bound_array {
    double *room[2];          // for both ends; NULL: they are elsewhere
    const double *low, *high; // of each element
    unsigned node;            // made for this node, plus one; 0: not made
    bool tame;                // no end is beyond 2^490
};

struct bounding {
    const struct plan *plan;
    const struct evaluation_model *model;
    struct bound_node *node;   // of the graph
    struct bound_steps *steps; // of its scan
    struct bound_array *array; // of each value of the plan
    enum dtype narrow;         // f16 or bf16, where no input of floats is wider; else NONE
    // of the node at work:
    unsigned index;
    enum dtype type;                  // in which it is computed: its own, f32 where it is no float
    const struct plan_value *rounded; // its value, where it is rounded for certain; else NULL
    struct bound_adding sum, dot;
};

// How the sums and the products of a node in `type` are added up under the model; `narrow`: an
// accumulator of 16 bits will do where the inputs have no more.
void bound_choose_adding(struct bounding *b, bool narrow);

// Intervals of all nodes that are used, after evaluate_nodes; those of outputs at level bound into
// lower[] and upper[].
enum error bound_nodes(struct plan *plan, const struct evaluation_model *model, void *const *lower,
                       void *const *upper, struct keep_store *store, struct diagnostic *diagnostic);

// ---- for the files of this folder -------------------------------------------

static inline struct interval bound_nan(void)
{
    return (struct interval){(double)NAN, (double)NAN};
}

static inline bool bound_is_nan(struct interval a)
{
    return isnan(a.lower);
}

static inline bool bound_is_point(struct interval a)
{
    return a.lower == a.upper;
}

// Below it the model may flush.
static inline double bound_least_normal(enum dtype type)
{
    return type == DTYPE_F64 ? 0x1p-1022 : 0x1p-126;
}

// Scans of more than one step: room; before the first step of one; after each node of each step; at
// its end, the intervals that hold for libraries which go through the steps in chunks.
void bound_steps_room(struct bounding *b, struct keep_store *room);
void bound_steps_start(struct bounding *b, unsigned scan);
enum error bound_steps_measure(struct bounding *b, unsigned index, struct diagnostic *diagnostic);
void bound_steps_finish(struct bounding *b, unsigned scan);

// Of a stored tensor from outside the scan: all its elements, where they are points; else anything.
// `*low` becomes no more than the lowest bit of any.
struct interval bound_range(const struct bounding *b, const struct plan_value *value, double *low);

// What the model lets a function be off by; 0: it is rounded once.
double bound_ulps(const struct evaluation_model *model, enum word_op op);

// What `a` becomes when it is stored in a node of `type`.
struct interval bound_store(enum dtype type, enum num_overflow overflow, struct interval a);

// An interval as two numbers of an output's type, and back. [-inf, inf] in a type that has no
// infinities: from its least to its largest number.
void bound_put(enum dtype type, struct interval a, uint64_t *lower, uint64_t *upper);
struct interval bound_get(enum dtype type, uint64_t lower, uint64_t upper);

// The hull of [lower, upper] and of its ends rounded, and 0 where the model flushes.
struct interval bound_operation(const struct bounding *b, struct interval a);

// A word of elementwise operands.
struct interval bound_word(const struct bounding *b, enum word_op op,
                           const struct interval *operand);

// The infinity that exp, expm1, sinh or cosh in f64 is once it is rounded, by whatever ulps it is
// off, because it lies so far beyond the numbers; else 0. Of narrower types intervals show it
// themselves.
double bound_overflow(enum dtype type, enum word_op op, struct interval x);

// The sum of terms in any order, each exact or rounded to the accumulator before it is added.
struct bound_sum {
    const struct bound_adding *adding;
    double terms, low, high;        // low, high: the sums of both ends, as doubles
    double rest_low, rest_high;     // of the first two terms: what their sum leaves out
    double magnitude, finite, unit; // finite: magnitude of what is not infinite
    bool points, any, nan;
    bool open; // a term that may be infinite, or not
};
void bound_sum_start(struct bound_sum *sum, const struct bound_adding *adding);
void bound_sum_add(struct bound_sum *sum, struct interval term);
// A product that is added up as so many products of components, in magnitude at most 1.02 of it.
void bound_sum_add_parts(struct bound_sum *sum, struct interval term, double parts);
// So many products of two factors each, which lie apart by `stride`, are tame and are taken as they
// are; `flush`: a product below the least normal double may become 0.
struct bound_run {
    const double *low[2], *high[2];
    ptrdiff_t stride[2];
    uint64_t count;
    bool negative, flush;
};
void bound_sum_add_run(struct bound_sum *sum, const struct bound_run *run);
struct interval bound_sum_end(const struct bounding *b, const struct bound_sum *sum);

// A factor of a product of two tensors as the model may round it; `type` is that of its tensor.
struct interval bound_factor(const struct bounding *b, enum dtype type, struct interval x);
// The product of two such factors, with what its components leave out, and how many products of
// components it is.
struct interval bound_term(const struct bounding *b, struct interval x, struct interval y,
                           double *parts);

// Element `at` of a value in the node at work.
struct interval bound_element(const struct bounding *b, const struct plan_value *value,
                              const uint64_t *at);

// The same, from its array where there is one.
static inline struct interval bound_taken(const struct bounding *b, const struct plan_value *value,
                                          const uint64_t *at)
{
    const struct bound_array *const array = &b->array[value - b->plan->value];
    if (array->node != b->index + 1)
        return bound_element(b, value, at);
    const uint64_t i = movement_index(value, at);
    return (struct interval){array->low[i], array->high[i]};
}

// Room for arrays of what the products and sums of the plan go over.
void bound_arrays_room(struct bounding *b, struct keep_store *room);

// Makes those of a value of the node at work, whose operands are there.
enum error bound_arrays_make(struct bounding *b, const struct plan_value *value,
                             struct diagnostic *diagnostic);

// The intervals of all elements of a value into low[] and high[].
enum error bound_fill(const struct bounding *b, const struct plan_value *value, double *low,
                      double *high, struct diagnostic *diagnostic);

// The intervals of the node that a stored value is, and where the value begins in them; NULL: it is
// an input, whose elements are what they are.
const struct bound_node *bound_node_of(const struct bounding *b, const struct plan_value *value,
                                       uint64_t *begin);

// Of a product of two tensors.
struct interval bound_contraction(const struct bounding *b, const struct plan_value *value,
                                  const uint64_t *at);

// The hull of `plain` and, where the value adds something to a sum, of all as one sum.
struct interval bound_as_one_sum(const struct bounding *b, const struct plan_value *value,
                                 const uint64_t *at, struct interval plain);

// The product of factors in any order, each multiplication exact or rounded to the node's type.
struct bound_product {
    struct interval range; // of the exact product
    double factors;        // that are not 1
    double error;          // (1 + u)^(factors - 1) - 1
    double most, least;    // no partial product is larger, smaller, but for its roundings
    double odd;            // the product of odd parts
    bool points;
};
void bound_product_start(struct bound_product *product);
void bound_product_add(const struct bounding *b, struct bound_product *product,
                       struct interval factor);
struct interval bound_product_end(const struct bounding *b, const struct bound_product *product);

#endif
