// SPDX-License-Identifier: Apache-2.0
// Intervals node by node.

#include "ref/op/declared/bound.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/evaluate.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

// ---- leaves -----------------------------------------------------------------

// An element of a tensor; of 64-bit integers as far as a double shows it.
static struct interval whole_point(enum dtype type, double x)
{
    const bool rounded = dtype_size(type) == 8 && dtype_kind(type) != DTYPE_KIND_FLOAT;
    if (isnan(x))
        return bound_nan();
    return rounded && fabs(x) >= 0x1p53 ? interval_outward(x, x) : interval_of(x);
}

const struct bound_node *bound_node_of(const struct bounding *b, const struct plan_value *value,
                                       uint64_t *begin)
{
    const struct plan *const plan = b->plan;
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct bound_node *node;
    unsigned index;
    uint64_t step;
    if (plan_scanned(plan, value, &index, &step)) {
        *begin = step * value->count;
        return &b->node[index];
    }
    switch (e->op) {
    case WORD_NODE:
        *begin = 0;
        return &b->node[e->index];
    case WORD_STEP:
        node = bound_node_of(b, plan_operand(plan, value, 0), begin);
        *begin = plan->step[plan->scan] * value->count;
        return node;
    case WORD_BEFORE:
        return bound_node_of(b, plan_operand(plan, value, 1), begin);
    case WORD_STEPS:
        *begin = 0;
        return &b->node[plan->graph->expression[e->operand[0]].index];
    default:
        return NULL;
    }
}

static struct interval stored(const struct bounding *b, const struct plan_value *value,
                              const uint64_t *at)
{
    uint64_t i = movement_index(value, at), begin = 0;
    const struct bound_node *const node = bound_node_of(b, value, &begin);
    if (node)
        return (struct interval){node->low[begin + i], node->high[begin + i]};
    const size_t size = dtype_size(value->type);
    const double x = num_to_double(value->type, element_load(value->data, size, i));
    struct interval leaf = whole_point(value->type, x);
    const bool tiny = value->type != DTYPE_F64 && fabs(x) < 0x1p-126 && x != 0;
    if (b->model->flush && tiny)
        leaf = interval_hull(leaf, interval_of(0));
    return leaf;
}

struct interval bound_range(const struct bounding *b, const struct plan_value *value, double *low)
{
    const struct plan_value *const of =
        plan_op(b->plan, value) == WORD_STEP ? plan_operand(b->plan, value, 0) : value;
    struct interval range = interval_of(0);
    uint64_t at[GRAPH_RANK_MAX];
    for (uint64_t i = 0; i < of->count; i++) {
        movement_place(of->rank, of->size, i, at);
        const struct interval x = stored(b, of, at);
        if (!bound_is_point(x) && !(x.upper < 0x1p-125 && x.lower > -0x1p-125))
            return interval_any();
        range = interval_hull(range, x);
        if (interval_magnitude(x) > 0 && isfinite(x.upper))
            *low = fmin(*low, num_low_bit(fabs(x.upper)));
    }
    return range;
}

static struct interval scalar(const struct bounding *b, const struct plan_value *value)
{
    if (isnan(value->number))
        return bound_nan();
    if (plan_op(b->plan, value) == WORD_ROUNDOFF)
        return interval_of(num_ulp(b->type, 1) / 2);
    if (value->exact)
        return interval_of(value->number);
    return bound_operation(b, interval_outward(value->number, value->number));
}

// ---- expressions ------------------------------------------------------------

static struct interval elementwise(const struct bounding *b, const struct plan_value *value,
                                   const uint64_t *at)
{
    struct interval operand[3];
    for (unsigned o = 0; o < plan_operands(b->plan, value); o++) {
        const struct plan_value *const of = plan_operand(b->plan, value, o);
        uint64_t place[GRAPH_RANK_MAX];
        movement_align(of, value->rank, at, place);
        operand[o] = bound_element(b, of, place);
    }
    const double beyond =
        value == b->rounded ? bound_overflow(b->type, plan_op(b->plan, value), operand[0]) : 0;
    if (beyond != 0)
        return interval_of(beyond);
    return bound_as_one_sum(b, value, at, bound_word(b, plan_op(b->plan, value), operand));
}

static struct interval combine(const struct bounding *b, enum word_op op, struct interval so_far,
                               struct interval next)
{
    const struct interval operand[2] = {so_far, next};
    return bound_word(b, op == WORD_MIN ? WORD_LEAST : WORD_GREATEST, operand);
}

// From the first to the last place that may hold the largest.
static struct interval largest_place(const struct bounding *b, const struct plan_value *body,
                                     const struct plan_value *value, uint64_t *place)
{
    double best = -(double)INFINITY, first = -1, last = 0;
    bool certain = true; // all that may be largest are it
    for (unsigned pass = 0; pass < 2; pass++) {
        double index = 0;
        bool more = body->count > 0;
        while (more) {
            const struct interval x = bound_element(b, body, place);
            if (bound_is_nan(x) || interval_is_any(x))
                return (struct interval){0, (double)body->count};
            if (pass == 0)
                best = fmax(best, x.lower);
            else if (x.upper >= best) {
                first = first < 0 ? index : first;
                last = index;
                certain = certain && bound_is_point(x);
            }
            index++;
            more = settle_next(value->rank, body->size, value->own, place);
        }
    }
    return (struct interval){first, certain ? first : last};
}

static struct interval reduction(const struct bounding *b, const struct plan_value *value,
                                 const uint64_t *at)
{
    const enum word_op op = plan_op(b->plan, value);
    const struct plan_value *const body = plan_operand(b->plan, value, 0);
    uint64_t place[GRAPH_RANK_MAX], count = 0;
    struct bound_sum sum;
    struct bound_product product;
    struct interval so_far = interval_of(words_of_none(op));
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    if (op == WORD_ARGMAX)
        return largest_place(b, body, value, place);
    bound_sum_start(&sum, &b->sum);
    bound_product_start(&product);
    for (bool more = body->count > 0; more;
         more = settle_next(value->rank, body->size, value->own, place)) {
        const struct interval next = bound_taken(b, body, place);
        if (op == WORD_SUM || op == WORD_MEAN)
            bound_sum_add(&sum, next);
        else if (op == WORD_PRODUCT)
            bound_product_add(b, &product, next);
        else
            so_far = count ? combine(b, op, so_far, next) : next;
        count++;
    }
    if (op == WORD_PRODUCT)
        return bound_product_end(b, &product);
    if (op != WORD_SUM && op != WORD_MEAN)
        return so_far;
    so_far = bound_sum_end(b, &sum);
    if (op == WORD_SUM)
        return bound_operation(b, so_far);
    // Divided, or multiplied by a reciprocal that is rounded.
    const double n = (double)count;
    const struct interval mean[2] = {so_far, interval_of(n)},
                          share[2] = {so_far, bound_operation(b, interval_outward(1 / n, 1 / n))},
                          divided = bound_word(b, WORD_DIVIDE, mean);
    return bound_is_nan(divided) || num_low_bit(n) == n
               ? divided
               : interval_hull(divided, bound_word(b, WORD_MULTIPLY, share));
}

static struct interval cumulative(const struct bounding *b, const struct plan_value *value,
                                  const uint64_t *at)
{
    const struct plan_value *const body = plan_operand(b->plan, value, 0);
    const int64_t axis = value->own[0], exclusive = value->own[1], reverse = value->own[2];
    const uint64_t first = reverse ? at[axis] + (exclusive != 0) : 0,
                   end = reverse ? body->size[axis] : at[axis] + (exclusive == 0);
    uint64_t place[GRAPH_RANK_MAX];
    struct bound_sum sum;
    memcpy(place, at, sizeof(uint64_t) * value->rank);
    bound_sum_start(&sum, &b->sum);
    for (uint64_t i = first; i < end; i++) {
        place[axis] = i;
        bound_sum_add(&sum, bound_element(b, body, place));
    }
    return bound_operation(b, bound_sum_end(b, &sum));
}

static struct interval moved(const struct bounding *b, const struct plan_value *value,
                             const uint64_t *at)
{
    struct movement_source source;
    movement_find(b->plan, value, at, &source);
    if (plan_op(b->plan, value) == WORD_GATHER) {
        // An index that is not certain may be any.
        const struct plan_value *const indices = plan_operand(b->plan, value, 1);
        uint64_t place[GRAPH_RANK_MAX];
        memcpy(place, at + value->own[0], indices->rank * sizeof *place);
        if (!bound_is_point(stored(b, indices, place)))
            return interval_any();
    }
    return source.operand ? bound_element(b, source.operand, source.at)
                          : interval_of(source.number);
}

static struct interval fresh(const struct bounding *b, const struct plan_value *value,
                             const uint64_t *at)
{
    switch (words_row(plan_op(b->plan, value))->class) {
    case CLASS_ELEMENTWISE:
        return elementwise(b, value, at);
    case CLASS_REDUCTION:
        return reduction(b, value, at);
    case CLASS_SCAN:
        return cumulative(b, value, at);
    case CLASS_PRODUCT:
        return bound_contraction(b, value, at);
    default:
        return moved(b, value, at);
    }
}

struct interval bound_element(const struct bounding *b, const struct plan_value *value,
                              const uint64_t *at)
{
    if (value->kind == PLAN_SCALAR)
        return scalar(b, value);
    if (value->kind == PLAN_STORED)
        return stored(b, value, at);
    if (value->kind == PLAN_KEPT) {
        const uint64_t i = movement_index(value, at);
        return (struct interval){value->value[i], value->error[i]};
    }
    return fresh(b, value, at);
}

// ---- nodes ------------------------------------------------------------------

struct filling {
    const struct bounding *bounding;
    const struct plan_value *value;
    double *low, *high;
};

static enum error fill_part(void *context, uint64_t first, uint64_t count,
                            struct diagnostic *diagnostic)
{
    const struct filling *const of = context;
    uint64_t at[GRAPH_RANK_MAX];
    (void)diagnostic;
    for (uint64_t i = first; i < first + count; i++) {
        movement_place(of->value->rank, of->value->size, i, at);
        const struct interval x = of->value->kind == PLAN_KEPT && of->low == of->value->value
                                      ? fresh(of->bounding, of->value, at)
                                      : bound_element(of->bounding, of->value, at);
        of->low[i] = x.lower;
        of->high[i] = x.upper;
    }
    return ERROR_NONE;
}

enum error bound_fill(const struct bounding *b, const struct plan_value *value, double *low,
                      double *high, struct diagnostic *diagnostic)
{
    enum { GRAIN = 256 };
    struct filling of = {b, value, low, high};
    return threads_run(0, value->count, GRAIN, fill_part, &of, diagnostic);
}

// A node that every implementation gives alike: its stored elements are points, as far as doubles
// show them.
static void fill_points(const struct plan_node *node, const struct bound_node *to)
{
    for (uint64_t i = 0; i < node->count; i++) {
        const double x =
            num_to_double(node->type, element_load(node->data, dtype_size(node->type), i));
        const struct interval of = whole_point(node->type, x);
        to->low[i] = of.lower;
        to->high[i] = of.upper;
    }
}

// Whether the value is made of integers alone, which no implementation rounds.
static bool is_integral(const struct bounding *b, const struct plan_value *value)
{
    const struct graph_expression *const e = &b->plan->graph->expression[value->expression];
    uint64_t begin;
    const struct bound_node *const node =
        value->kind == PLAN_STORED ? bound_node_of(b, value, &begin) : NULL;
    if (value->kind == PLAN_STORED)
        return dtype_kind(value->type) != DTYPE_KIND_FLOAT && (!node || node->same);
    if (value->natural == DTYPE_F32 || value->natural == DTYPE_F64)
        return false;
    bool all = true;
    for (unsigned o = 0; value->kind != PLAN_SCALAR && o < e->count && all; o++)
        all = words_operand_is_static(e->op, o) || is_integral(b, plan_operand(b->plan, value, o));
    return all;
}

// What the node's storage makes of each interval.
static void store(const struct bounding *b, const struct plan_node *node,
                  const struct graph_node *declared, const struct bound_node *to)
{
    const bool floating = dtype_kind(node->type) == DTYPE_KIND_FLOAT,
               certain = declared->output >= 0 || declared->stored || !floating;
    const enum num_overflow overflow = evaluate_overflow(declared, node->type);
    for (uint64_t i = 0; i < node->count; i++) {
        const struct interval x = {to->low[i], to->high[i]},
                              stored = bound_store(node->type, overflow, x),
                              either = bound_is_nan(stored) == bound_is_nan(x)
                                           ? interval_hull(bound_operation(b, x), stored)
                                           : interval_any(),
                              kept = certain ? stored : either;
        to->low[i] = kept.lower;
        to->high[i] = kept.upper;
    }
}

static void put_bits(const struct plan_node *node, const struct bound_node *from, void *lower,
                     void *upper)
{
    const size_t size = dtype_size(node->type);
    for (uint64_t i = 0; i < node->count; i++) {
        uint64_t ends[2];
        bound_put(node->type, (struct interval){from->low[i], from->high[i]}, &ends[0], &ends[1]);
        element_store(lower, size, i, from->same ? element_load(node->data, size, i) : ends[0]);
        element_store(upper, size, i, from->same ? element_load(node->data, size, i) : ends[1]);
    }
}

// f16 or bf16, where no input of floats is wider than that.
static enum dtype narrow_inputs(const struct request *request)
{
    enum dtype narrow = DTYPE_NONE;
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        const enum dtype type = request->input[i].dtype;
        if (type == DTYPE_F32 || type == DTYPE_F64)
            return DTYPE_NONE;
        if (!narrow && (type == DTYPE_F16 || type == DTYPE_BF16))
            narrow = type;
    }
    return narrow;
}

// What is no float is computed in the type of what it is made of; integers are exact. A type that
// is written stands.
static enum dtype computed_in(const struct bounding *b, const struct plan_node *node,
                              const struct graph_node *declared, const struct plan_value *root)
{
    const enum dtype type = DTYPE_BIT(node->type) & DTYPES_FLOAT ? node->type
                            : root->natural == DTYPE_I64         ? DTYPE_F64
                                                                 : DTYPE_F32;
    const bool narrow = b->narrow && !declared->typed && type == DTYPE_F32;
    return narrow && b->model->intermediates == MODEL_NARROW ? b->narrow : type;
}

// Room for the node's intervals, and for those of what it keeps.
static void take_room(struct bounding *b, struct plan *plan, unsigned index,
                      struct keep_store *room)
{
    const struct plan_node *const node = &plan->node[index];
    const uint64_t all = (graph_in_scan(plan->graph, index) ? plan->steps : 1) * node->count;
    b->node[index].low = keep_take(room, all, sizeof(double));
    b->node[index].high = keep_take(room, all, sizeof(double));
    // The certified product keeps no estimates: its intervals get room here.
    for (unsigned v = node->first; v < node->last; v++) {
        struct plan_value *const value = &plan->value[v];
        if (value->kind == PLAN_KEPT && !value->value) {
            value->value = keep_take(room, value->count, sizeof(double));
            value->error = keep_take(room, value->count, sizeof(double));
        }
    }
}

static enum error bound_node(struct bounding *b, struct plan *plan, unsigned index,
                             struct diagnostic *diagnostic)
{
    const struct plan_node *const node = &plan->node[index];
    const struct graph_node *const declared = &plan->graph->node[index];
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[index]] - 1];
    struct bound_node *const of = &b->node[index];
    const unsigned scan = graph_scan_of(plan->graph, index);
    const uint64_t begin = scan < GRAPH_SCANS ? plan->step[scan] * node->count : 0;
    enum error error = ERROR_NONE;
    b->index = index;
    b->type = computed_in(b, node, declared, root);
    b->rounded = declared->output >= 0 || declared->stored ? root : NULL;
    bound_choose_adding(b, !declared->typed || node->type != DTYPE_F32);
    of->same = dtype_kind(node->type) != DTYPE_KIND_FLOAT && is_integral(b, root);
    const struct bound_node to = {of->low + begin, of->high + begin, of->same};
    if (to.same ||
        (declared->output >= 0 && plan->graph->output[declared->output].level == LEVEL_BITS)) {
        fill_points(node, &to);
        return ERROR_NONE;
    }
    for (unsigned v = node->first; v < node->last && !error; v++) {
        struct plan_value *const value = &plan->value[v];
        if (value->kind != PLAN_KEPT)
            continue;
        error = bound_arrays_make(b, value, diagnostic);
        if (!error)
            error = bound_fill(b, value, value->value, value->error, diagnostic);
    }
    if (!error)
        error = bound_fill(b, root, to.low, to.high, diagnostic);
    if (!error)
        store(b, node, declared, &to);
    return error;
}

static enum error bound_scan(struct bounding *b, struct plan *plan, unsigned index,
                             struct diagnostic *diagnostic)
{
    const struct graph_scan *const scan = &plan->graph->scan[index];
    const bool many = plan->steps > 1;
    enum error error = ERROR_NONE;
    plan_set_step(plan, index, 0);
    if (many)
        bound_steps_start(b, index);
    for (uint64_t round = 0; round < plan->steps && !error; round++) {
        plan_set_step(plan, index, round);
        for (unsigned i = scan->first; i < scan->end && !error; i++) {
            if (!plan->used[i])
                continue;
            error = bound_node(b, plan, i, diagnostic);
            if (!error && many)
                error = bound_steps_measure(b, i, diagnostic);
        }
    }
    if (many && !error)
        bound_steps_finish(b, index);
    return error;
}

// The model, with the algorithm of products that an attribute names.
static struct evaluation_model model_of(const struct plan *plan,
                                        const struct evaluation_model *declared)
{
    struct evaluation_model model = declared ? *declared : evaluation_model_standard;
    const int dot = plan->graph->dot;
    if (dot < 0 || !plan->request->attribute[dot].present)
        return model;
    model.dot = (unsigned)evaluation_model_dot(request_word(plan->request, (unsigned)dot));
    if (model.accumulator == MODEL_BF16_PRODUCTS)
        model.accumulator = MODEL_F32;
    return model;
}

enum error bound_nodes(struct plan *plan, const struct evaluation_model *model, void *const *lower,
                       void *const *upper, struct keep_store *room, struct diagnostic *diagnostic)
{
    const struct evaluation_model own = model_of(plan, model);
    struct bound_node node[GRAPH_NODES_MAX] = {{.low = NULL}};
    struct bound_steps steps = {.linear = false};
    struct bound_array array[GRAPH_LIVE_MAX] = {{.node = 0}};
    struct bounding b = {.plan = plan,
                         .model = &own,
                         .node = node,
                         .steps = &steps,
                         .array = array,
                         .narrow = narrow_inputs(plan->request)};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < plan->graph->node_count; i++)
        if (plan->used[i])
            take_room(&b, plan, i, room);
    bound_steps_room(&b, room);
    bound_arrays_room(&b, room);
    for (unsigned i = 0; i < plan->graph->node_count && room->base && !error; i++) {
        const int output = plan->graph->node[i].output;
        const unsigned scan = graph_scan_of(plan->graph, i);
        if (scan < GRAPH_SCANS) {
            error = bound_scan(&b, plan, scan, diagnostic);
            i = plan->graph->scan[scan].end - 1;
            continue;
        }
        if (!plan->used[i])
            continue;
        error = bound_node(&b, plan, i, diagnostic);
        if (!error && output >= 0 && lower[output])
            put_bits(&plan->node[i], &b.node[i], lower[output], upper[output]);
    }
    return error;
}
