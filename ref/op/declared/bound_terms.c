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

// ---- arrays -----------------------------------------------------------------

// Whether the elements of a product's operand are its factors as they are, each product one.
static bool takes_whole(const struct bounding *b)
{
    const struct model_dot *const dot = &model_dots[b->model->dot];
    return b->model->accumulator != MODEL_BF16_PRODUCTS && !dot->operands && !dot->bits &&
           dot->products == 1;
}

// The operands of a value that its elements go over: [*first, *end).
static void find_operands(const struct bounding *b, const struct plan_value *value, unsigned *first,
                          unsigned *end)
{
    const bool product = words_row(plan_op(b->plan, value))->class == CLASS_PRODUCT,
               sum = plan_op(b->plan, value) == WORD_SUM, any = sum || (product && takes_whole(b));
    *end = value->kind != PLAN_KEPT || !any ? 0 : sum ? 1 : plan_operands(b->plan, value);
    *first = *end - (!*end ? 0 : sum ? 1 : 2);
}

void bound_arrays_room(struct bounding *b, struct keep_store *room)
{
    for (unsigned v = 0; v < b->plan->live; v++) {
        unsigned o, end;
        for (find_operands(b, &b->plan->value[v], &o, &end); o < end; o++) {
            const struct plan_value *const of = plan_operand(b->plan, &b->plan->value[v], o);
            struct bound_array *const array = &b->array[of - b->plan->value];
            const bool there = of->kind == PLAN_KEPT || of->kind == PLAN_SCALAR ||
                               plan_op(b->plan, of) == WORD_NODE;
            if (there || array->room[0])
                continue;
            array->room[0] = keep_take(room, of->count, sizeof(double));
            array->room[1] = keep_take(room, of->count, sizeof(double));
        }
    }
}

static bool is_tame(const double *end, uint64_t count)
{
    bool tame = true;
    for (uint64_t i = 0; i < count; i++)
        tame &= fabs(end[i]) <= 0x1p490;
    return tame;
}

enum error bound_arrays_make(struct bounding *b, const struct plan_value *value,
                             struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    unsigned o, end;
    for (find_operands(b, value, &o, &end); o < end && !error; o++) {
        const struct plan_value *const of = plan_operand(b->plan, value, o);
        struct bound_array *const array = &b->array[of - b->plan->value];
        uint64_t begin = 0;
        const struct bound_node *const node =
            of->kind == PLAN_STORED ? bound_node_of(b, of, &begin) : NULL;
        if (of->kind == PLAN_SCALAR)
            continue;
        array->low = of->kind == PLAN_KEPT ? of->value : node ? node->low + begin : array->room[0];
        array->high = of->kind == PLAN_KEPT ? of->error
                      : node                ? node->high + begin
                                            : array->room[1];
        if (array->low == array->room[0])
            error = bound_fill(b, of, array->room[0], array->room[1], diagnostic);
        array->tame = is_tame(array->low, of->count) && is_tame(array->high, of->count);
        array->node = b->index + 1;
    }
    return error;
}

// ---- products and sums over axes --------------------------------------------

static const struct bound_array *array_of(const struct bounding *b, const struct plan_value *value)
{
    const struct bound_array *const array = &b->array[value - b->plan->value];
    return array->node == b->index + 1 ? array : NULL;
}

// The same from arrays of both operands; false where they are not made.
static bool add_runs(const struct terms *of, const struct plan_value *value, const uint64_t *at)
{
    const struct bounding *const b = of->b;
    const struct plan_product *const product = &b->plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(b->plan, value) - 1,
                   end = product->letters - (product->contracted > 0);
    ptrdiff_t stride[2][PRODUCT_LETTERS_MAX] = {{0}};
    uint64_t index[PRODUCT_LETTERS_MAX] = {0};
    struct bound_run run = {.count = product->contracted ? product->size[end] : 1,
                            .negative = of->negative,
                            .flush = b->model->flush};
    for (unsigned side = 0; side < 2; side++) {
        const struct plan_value *const operand = plan_operand(b->plan, value, last - 1 + side);
        const struct bound_array *const array = array_of(b, operand);
        if (!array || !array->tame)
            return false;
        ptrdiff_t next = 1;
        for (unsigned i = operand->rank; i-- > 0; next *= (ptrdiff_t)operand->size[i])
            if (product->axis[side][i] >= 0)
                stride[side][product->axis[side][i]] += next;
        run.low[side] = array->low;
        run.high[side] = array->high;
        for (unsigned i = 0; i < value->rank; i++) {
            const ptrdiff_t offset = (ptrdiff_t)at[i] * stride[side][product->out[i]];
            run.low[side] += offset;
            run.high[side] += offset;
        }
        run.stride[side] = product->contracted ? stride[side][end] : 0;
    }
    bool more = true;
    for (unsigned i = kept; i < product->letters; i++)
        more = more && product->size[i] > 0;
    while (more) {
        bound_sum_add_run(of->sum, &run);
        more = false;
        for (unsigned l = end; l-- > kept && !more;) {
            more = ++index[l] < product->size[l];
            const ptrdiff_t moved = more ? 1 : 1 - (ptrdiff_t)product->size[l];
            for (unsigned side = 0; side < 2; side++) {
                run.low[side] += moved * stride[side][l];
                run.high[side] += moved * stride[side][l];
            }
            index[l] = more ? index[l] : 0;
        }
    }
    return true;
}

static void add_products(const struct terms *of, const struct plan_value *value, const uint64_t *at)
{
    if (add_runs(of, value, at))
        return;
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
        add_one(of, bound_taken(of->b, body, place));
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
