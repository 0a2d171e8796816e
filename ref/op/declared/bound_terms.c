// SPDX-License-Identifier: Apache-2.0
// The terms of a sum, and of what is added to one: a library may begin a product's sum with a bias,
// or add a residual to its accumulator, so that both are one sum. ref/PROOFS.md, "Declared
// operators".

#include <string.h>

#include "ref/op/declared/bound.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

struct terms {
    const struct bounding *b;
    struct bound_sum *sum;
    bool negative;
};

static void add_parts(const struct terms *of, struct interval term, double parts)
{
    bound_sum_add_parts(of->sum, of->negative && !bound_is_nan(term) ? interval_negate(term) : term,
                        parts);
}

static void add_one(const struct terms *of, struct interval term)
{
    add_parts(of, term, 1);
}

// ---- products and sums over axes --------------------------------------------

static void add_products(const struct terms *of, const struct plan_value *value, const uint64_t *at)
{
    const struct bounding *const b = of->b;
    const struct plan_product *const product = &b->plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(b->plan, value) - 1;
    const struct plan_value *side[2];
    enum dtype type[2];
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    bool more = true;
    for (unsigned i = 0; i < 2; i++) {
        side[i] = plan_operand(b->plan, value, last - 1 + i);
        type[i] = side[i]->kind == PLAN_STORED ? side[i]->type : b->type;
    }
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = kept; i < product->letters; i++) {
        moves[i] = 1;
        more = more && product->size[i] > 0;
    }
    while (more) {
        settle_product_places(b->plan, value, index, place);
        const struct interval x = bound_factor(b, type[0], bound_element(b, side[0], place[0])),
                              y = bound_factor(b, type[1], bound_element(b, side[1], place[1]));
        double parts;
        const struct interval term = bound_term(b, x, y, &parts);
        add_parts(of, term, parts);
        more = settle_next(product->letters, product->size, moves, index);
    }
}

static void add_elements(const struct terms *of, const struct plan_value *value, const uint64_t *at)
{
    const struct plan_value *const body = plan_operand(of->b->plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX];
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    for (bool more = body->count > 0; more;
         more = settle_next(value->rank, body->size, value->own, place))
        add_one(of, bound_element(of->b, body, place));
}

struct interval bound_contraction(const struct bounding *b, const struct plan_value *value,
                                  const uint64_t *at)
{
    struct bound_sum sum;
    bound_sum_start(&sum, &b->dot);
    add_products(&(struct terms){b, &sum, false}, value, at);
    return bound_operation(b, bound_sum_end(b, &sum));
}

// ---- what is added to a sum -------------------------------------------------

static bool is_addition(enum word_op op)
{
    return op == WORD_ADD || op == WORD_SUBTRACT || op == WORD_NEGATE;
}

// Moves elements, and adds none.
static bool is_movement(enum word_op op)
{
    return op == WORD_RESHAPE || op == WORD_SQUEEZE || op == WORD_TRANSPOSE ||
           op == WORD_BROADCAST || op == WORD_SLICE;
}

// What the value is 1 times; NULL: nothing.
static const struct plan_value *one_times(const struct plan *plan, const struct plan_value *value)
{
    for (unsigned o = 0; o < 2 && plan_op(plan, value) == WORD_MULTIPLY; o++) {
        const struct plan_value *const factor = plan_operand(plan, value, o);
        if (factor->kind == PLAN_SCALAR && factor->exact && factor->number == 1)
            return plan_operand(plan, value, 1 - o);
    }
    return NULL;
}

// 1: sums over axes, 2: products; 0: neither is inside.
static int sums_inside(const struct plan *plan, const struct plan_value *value)
{
    const enum word_op op = plan_op(plan, value);
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED)
        return 0;
    if (words_row(op)->class == CLASS_PRODUCT)
        return 2;
    if (op == WORD_SUM)
        return 1;
    if (one_times(plan, value))
        return sums_inside(plan, one_times(plan, value));
    const unsigned operands = is_movement(op)   ? 1
                              : is_addition(op) ? plan_operands(plan, value)
                                                : 0;
    int found = 0;
    for (unsigned o = 0; o < operands; o++)
        found |= sums_inside(plan, plan_operand(plan, value, o));
    return found;
}

static void add_value(const struct terms *of, const struct plan_value *value, const uint64_t *at)
{
    const struct plan *const plan = of->b->plan;
    const enum word_op op = plan_op(plan, value);
    if (!sums_inside(plan, value)) {
        add_one(of, bound_element(of->b, value, at));
    } else if (words_row(op)->class == CLASS_PRODUCT) {
        add_products(of, value, at);
    } else if (op == WORD_SUM) {
        add_elements(of, value, at);
    } else if (is_movement(op)) {
        struct movement_source source;
        movement_find(plan, value, at, &source);
        add_value(of, source.operand, source.at);
    } else if (one_times(plan, value)) {
        const struct plan_value *const operand = one_times(plan, value);
        uint64_t place[GRAPH_RANK_MAX];
        movement_align(operand, value->rank, at, place);
        add_value(of, operand, place);
    } else {
        for (unsigned o = 0; o < plan_operands(plan, value); o++) {
            const struct plan_value *const operand = plan_operand(plan, value, o);
            const bool turned = op == WORD_NEGATE || (op == WORD_SUBTRACT && o == 1);
            uint64_t place[GRAPH_RANK_MAX];
            movement_align(operand, value->rank, at, place);
            add_value(&(struct terms){of->b, of->sum, of->negative != turned}, operand, place);
        }
    }
}

struct interval bound_as_one_sum(const struct bounding *b, const struct plan_value *value,
                                 const uint64_t *at, struct interval plain)
{
    const enum word_op op = plan_op(b->plan, value);
    const int inside = op == WORD_ADD || op == WORD_SUBTRACT ? sums_inside(b->plan, value) : 0;
    struct bound_sum sum;
    if (!inside)
        return plain;
    bound_sum_start(&sum, inside & 2 ? &b->dot : &b->sum);
    add_value(&(struct terms){b, &sum, false}, value, at);
    const struct interval one = bound_operation(b, bound_sum_end(b, &sum));
    // Two terms meet in one addition, whichever reading it is; of f64 `plain` does not show it.
    if (b->type == DTYPE_F64 && sum.terms == 2 && sum.points && bound_is_point(one))
        return one;
    return bound_is_nan(one) == bound_is_nan(plain) ? interval_hull(one, plain) : interval_any();
}
