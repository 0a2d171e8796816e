// SPDX-License-Identifier: Apache-2.0
// Reductions, cumulative sums, products and moved elements, as estimates with errors.
//
// Sums carry what each addition leaves out (Knuth) and add it at the end, so that their error is
// that of the operands and a second order of the roundings; a sum that double holds is exact, with
// its sign.

#include "ref/op/declared/keep.h"

#include <math.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/base/threads.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

enum { KEEP_ALIGNMENT = 64, GRAIN_OPERATIONS = 1 << 16 };

static const double infinite = (double)INFINITY;

void *keep_take(struct keep_store *store, uint64_t count, size_t size)
{
    size_t bytes = 0, end = 0;
    if (count > SIZE_MAX || !size_multiply((size_t)count, size, &bytes) ||
        !size_round_up(bytes, KEEP_ALIGNMENT, &bytes) || !size_add(store->used, bytes, &end)) {
        store->failed = true;
        return NULL;
    }
    void *const taken = store->base ? store->base + store->used : NULL;
    store->used = end;
    return taken;
}

// ---- sums -------------------------------------------------------------------

// A sum so far: value + rest, off by at most error + 2^-53 * turned.
struct running {
    double *value, *rest, *error, *turned;
    double *count; // of terms
};

static void start(const struct running *sum, uint64_t i)
{
    sum->value[i] = sum->rest[i] = sum->error[i] = sum->turned[i] = sum->count[i] = 0;
}

static inline void add_term(const struct running *sum, ptrdiff_t i, double value, double error)
{
    if (sum->count[i] == 0) { // a first -0 stays one
        sum->value[i] = value;
        sum->error[i] = error;
    } else {
        double rest;
        sum->value[i] = look_sum(sum->value[i], value, &rest);
        sum->rest[i] += rest;
        sum->turned[i] += fabs(sum->rest[i]);
        sum->error[i] += error;
    }
    sum->count[i]++;
}

// The same for `count` terms of one sum, kept in registers.
static void add_run(const struct running *sum, ptrdiff_t to, size_t count, const double *value,
                    const double *error)
{
    size_t i = 0;
    if (sum->count[to] == 0) {
        add_term(sum, to, value[0], error[0]);
        i = 1;
    }
    double so_far = sum->value[to], rest = sum->rest[to], turned = sum->turned[to],
           errors = sum->error[to];
    sum->count[to] += (double)(count - i);
    for (; i < count; i++) {
        double left;
        so_far = look_sum(so_far, value[i], &left);
        rest += left;
        turned += fabs(rest);
        errors += error[i];
    }
    sum->value[to] = so_far;
    sum->rest[to] = rest;
    sum->turned[to] = turned;
    sum->error[to] = errors;
}

// The estimate and its error, in place of value and error. What is not finite is left to the last
// resort.
static void finish(const struct running *sum, uint64_t i, bool mean)
{
    double rest, value = look_sum(sum->value[i], sum->rest[i], &rest);
    const double n = sum->count[i];
    if (sum->rest[i] == 0) { // the sum of a zero and a zero would lose its sign
        value = sum->value[i];
        rest = 0;
    }
    double error =
        (sum->error[i] * (1 + n * 0x1p-52) + sum->turned[i] * 0x1p-52 + fabs(rest)) * (1 + 0x1p-40);
    if (mean && n > 0) {
        const double quotient = value / n, left = fma(-quotient, n, value);
        error = (error + fabs(left)) / n * (1 + 0x1p-40) + (left != 0 ? 0x1p-1070 : 0);
        value = quotient;
    }
    sum->value[i] = value;
    sum->error[i] = isfinite(value) && error >= 0 && !(mean && n == 0) ? error : infinite;
}

// ---- reductions -------------------------------------------------------------

struct reduction {
    enum word_op op;
    struct running sum;
    const struct look *look;
};

static void take_extreme(const struct reduction *to, ptrdiff_t i, double value, double error)
{
    struct look_run operand[2] = {{&to->sum.value[i], &to->sum.error[i]}, {&value, &error}};
    if (to->sum.count[i]++ == 0) {
        to->sum.value[i] = value;
        to->sum.error[i] = error;
        return;
    }
    double most, bound;
    look_word(to->op == WORD_MIN ? WORD_LEAST : WORD_GREATEST, 1, operand,
              (struct look_run){&most, &bound});
    to->sum.value[i] = most;
    to->sum.error[i] = bound;
}

static void take_product(const struct reduction *to, ptrdiff_t i, double value, double error)
{
    struct look_run operand[2] = {{&to->sum.value[i], &to->sum.error[i]}, {&value, &error}};
    double of[1], bound[1];
    if (to->sum.count[i]++ == 0)
        to->sum.value[i] = 1;
    look_word(WORD_MULTIPLY, 1, operand, (struct look_run){of, bound});
    to->sum.value[i] = of[0];
    to->sum.error[i] = bound[0] >= 0 ? bound[0] : infinite;
}

// `value` keeps the place of the largest so far, `rest` the largest, `turned` its error.
static void take_largest(const struct reduction *to, ptrdiff_t i, double value, double error)
{
    const struct running *const sum = &to->sum;
    const double best = sum->rest[i], e = error + sum->turned[i];
    const bool first = sum->count[i] == 0, nan = isnan(value) && !isnan(best);
    if (!first && !(e == 0 || fabs(value - best) * (1 - 0x1p-50) > e))
        sum->error[i] = infinite;
    if (first || nan || value > best) {
        sum->value[i] = sum->count[i];
        sum->rest[i] = value;
        sum->turned[i] = error;
    }
    if (!(error < infinite))
        sum->error[i] = infinite;
    sum->count[i]++;
}

static enum error take_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                           const double *value, const double *error, struct diagnostic *diagnostic)
{
    const struct reduction *const of = context;
    (void)diagnostic;
    if (stride == 0 && (of->op == WORD_SUM || of->op == WORD_MEAN)) {
        add_run(&of->sum, to, count, value, error);
        return ERROR_NONE;
    }
    for (size_t i = 0; i < count; i++, to += stride)
        switch (of->op) {
        case WORD_SUM:
        case WORD_MEAN:
            add_term(&of->sum, to, value[i], error[i]);
            break;
        case WORD_PRODUCT:
            take_product(of, to, value[i], error[i]);
            break;
        case WORD_ARGMAX:
            take_largest(of, to, value[i], error[i]);
            break;
        default:
            take_extreme(of, to, value[i], error[i]);
        }
    return ERROR_NONE;
}

static enum error reduce_part(void *context, uint64_t first, uint64_t count,
                              struct diagnostic *diagnostic)
{
    struct reduction *const of = context;
    return look_through(of->look, first, count, take_run, of, diagnostic);
}

// Strides of the results in the box of the body.
static void result_strides(const struct plan_value *value, ptrdiff_t *stride)
{
    ptrdiff_t next = 1;
    for (unsigned i = value->rank; i-- > 0;) {
        stride[i] = value->size[i] == 1 ? 0 : next;
        next *= (ptrdiff_t)value->size[i];
    }
}

// So many elements of the axis that threads divide make a piece worth a thread.
static uint64_t grain_of(const struct look *look)
{
    uint64_t beside = 1;
    for (unsigned i = 0; i < look->rank; i++)
        beside *= i == look->split || !look->size[i] ? 1 : look->size[i];
    return beside > GRAIN_OPERATIONS ? 1 : GRAIN_OPERATIONS / beside;
}

static enum error run_box(const struct look *look, threads_job job, void *context,
                          struct diagnostic *diagnostic)
{
    if (look->split == look->rank)
        return job(context, 0, 1, diagnostic);
    return threads_run(0, look->size[look->split], grain_of(look), job, context, diagnostic);
}

static enum error reduce(struct plan *plan, struct plan_value *value, struct running sum,
                         struct diagnostic *diagnostic)
{
    struct look look;
    ptrdiff_t stride[GRAPH_RANK_MAX];
    struct reduction of = {plan_op(plan, value), sum, &look};
    result_strides(value, stride);
    for (uint64_t i = 0; i < value->count; i++)
        start(&sum, i);
    const enum error error =
        look_start(&look, plan, plan_operand(plan, value, 0), stride, diagnostic);
    if (error)
        return error;
    const enum error ran = run_box(&look, reduce_part, &of, diagnostic);
    for (uint64_t i = 0; i < value->count && !ran; i++) {
        if (of.op == WORD_SUM || of.op == WORD_MEAN)
            finish(&sum, i, of.op == WORD_MEAN);
        else if (of.op != WORD_ARGMAX && sum.count[i] == 0)
            sum.value[i] = words_of_none(of.op);
    }
    return ran;
}

static enum error keep_reduction(struct plan *plan, struct plan_value *value,
                                 struct keep_store *store, struct diagnostic *diagnostic)
{
    const struct running sum = {value->value, keep_take(store, value->count, sizeof(double)),
                                value->error, keep_take(store, value->count, sizeof(double)),
                                keep_take(store, value->count, sizeof(double))};
    return store->base ? reduce(plan, value, sum, diagnostic) : ERROR_NONE;
}

// ---- arrays of operands -----------------------------------------------------

struct copy {
    const struct look *look;
    double *value, *error;
};

static enum error copy_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                           const double *value, const double *error, struct diagnostic *diagnostic)
{
    const struct copy *const copy = context;
    (void)diagnostic;
    (void)stride; // results lie as the box does: 1, or one element alone
    memcpy(copy->value + to, value, count * sizeof *value);
    memcpy(copy->error + to, error, count * sizeof *error);
    return ERROR_NONE;
}

static enum error copy_part(void *context, uint64_t first, uint64_t count,
                            struct diagnostic *diagnostic)
{
    struct copy *const copy = context;
    return look_through(copy->look, first, count, copy_run, copy, diagnostic);
}

// The operand's estimates as whole arrays: its own, or new ones.
static enum error take_arrays(struct plan *plan, const struct plan_value *of,
                              struct keep_store *store, double **value, double **error,
                              struct diagnostic *diagnostic)
{
    struct look look;
    ptrdiff_t stride[GRAPH_RANK_MAX];
    *value = of->value;
    *error = of->error;
    if (of->kind == PLAN_KEPT)
        return ERROR_NONE;
    *value = keep_take(store, of->count, sizeof(double));
    *error = keep_take(store, of->count, sizeof(double));
    if (!store->base)
        return ERROR_NONE;
    result_strides(of, stride);
    const enum error failed = look_start(&look, plan, of, stride, diagnostic);
    struct copy copy = {&look, *value, *error};
    return failed ? failed : run_box(&look, copy_part, &copy, diagnostic);
}

// ---- cumulative sums --------------------------------------------------------

static void cumulate(const struct plan_value *value, const double *from, const double *from_error,
                     uint64_t first, ptrdiff_t stride)
{
    const int64_t size = (int64_t)value->size[value->own[0]];
    const bool exclusive = value->own[1] != 0, reverse = value->own[2] != 0;
    double room[5];
    const struct running sum = {room, room + 1, room + 2, room + 3, room + 4};
    start(&sum, 0);
    for (int64_t k = 0; k < size; k++) {
        const ptrdiff_t at = (ptrdiff_t)first + (reverse ? size - 1 - k : k) * stride;
        if (!exclusive)
            add_term(&sum, 0, from[at], from_error[at]);
        double kept[5];
        memcpy(kept, room, sizeof kept);
        const struct running here = {kept, kept + 1, kept + 2, kept + 3, kept + 4};
        finish(&here, 0, false);
        value->value[at] = kept[0];
        value->error[at] = kept[2];
        if (exclusive)
            add_term(&sum, 0, from[at], from_error[at]);
    }
}

static enum error keep_scan(struct plan *plan, struct plan_value *value, struct keep_store *store,
                            struct diagnostic *diagnostic)
{
    double *from, *from_error;
    const enum error error =
        take_arrays(plan, plan_operand(plan, value, 0), store, &from, &from_error, diagnostic);
    if (error || !store->base || !value->count)
        return error;
    ptrdiff_t stride = 1;
    for (unsigned i = (unsigned)value->own[0] + 1; i < value->rank; i++)
        stride *= (ptrdiff_t)value->size[i];
    const uint64_t span = (uint64_t)stride * value->size[value->own[0]];
    for (uint64_t outer = 0; outer < value->count; outer += span)
        for (uint64_t inner = 0; inner < (uint64_t)stride; inner++)
            cumulate(value, from, from_error, outer + inner, stride);
    return ERROR_NONE;
}

// ---- products ---------------------------------------------------------------

struct contraction {
    const struct plan_value *value;
    const struct plan_product *product;
    const double *number[2], *error[2];
    ptrdiff_t stride[2][PRODUCT_LETTERS_MAX]; // of each letter in both operands
    bool exact;                               // products of these types are exact in double
};

static void find_strides(struct contraction *of, unsigned side, const struct plan_value *operand)
{
    ptrdiff_t stride = 1;
    for (unsigned i = operand->rank; i-- > 0;) {
        const int letter = of->product->axis[side][i];
        if (letter >= 0)
            of->stride[side][letter] += stride;
        stride *= (ptrdiff_t)operand->size[i];
    }
}

static bool is_narrow(const struct plan_value *value)
{
    return value->kind == PLAN_STORED && dtype_size(value->type) <= 4 &&
           (dtype_size(value->type) < 4 || value->type == DTYPE_F32);
}

static inline void add_product(const struct contraction *of, const struct running *sum,
                               const ptrdiff_t *at)
{
    double x = of->number[0][at[0]], y = of->number[1][at[1]];
    if (of->exact) {
        add_term(sum, 0, x * y, 0);
        return;
    }
    double left = of->error[0][at[0]], right = of->error[1][at[1]], term, off;
    const struct look_run operand[2] = {{&x, &left}, {&y, &right}};
    look_word(WORD_MULTIPLY, 1, operand, (struct look_run){&term, &off});
    add_term(sum, 0, term, off >= 0 ? off : infinite);
}

// The sum over the contracted letters, which come last.
static void contract_element(const struct contraction *of, const struct running *sum, ptrdiff_t *at)
{
    const struct plan_product *const product = of->product;
    const unsigned kept = product->letters - product->contracted;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0};
    for (unsigned l = kept; l < product->letters; l++)
        if (!product->size[l])
            return;
    for (bool more = true; more;) {
        add_product(of, sum, at);
        more = false;
        for (unsigned l = product->letters; l-- > kept && !more;) {
            more = ++index[l] < product->size[l];
            const ptrdiff_t moved = more ? 1 : 1 - (ptrdiff_t)product->size[l];
            at[0] += moved * of->stride[0][l];
            at[1] += moved * of->stride[1][l];
            index[l] = more ? index[l] : 0;
        }
    }
}

static enum error contract(void *context, uint64_t first, uint64_t count,
                           struct diagnostic *diagnostic)
{
    const struct contraction *const of = context;
    (void)diagnostic;
    for (uint64_t e = first; e < first + count; e++) {
        uint64_t place[GRAPH_RANK_MAX];
        ptrdiff_t at[2] = {0, 0};
        double room[5];
        const struct running sum = {room, room + 1, room + 2, room + 3, room + 4};
        movement_place(of->value->rank, of->value->size, e, place);
        for (unsigned i = 0; i < of->value->rank; i++)
            for (unsigned side = 0; side < 2; side++)
                at[side] += (ptrdiff_t)place[i] * of->stride[side][of->product->out[i]];
        start(&sum, 0);
        contract_element(of, &sum, at);
        finish(&sum, 0, false);
        of->value->value[e] = room[0];
        of->value->error[e] = room[2];
    }
    return ERROR_NONE;
}

static enum error keep_product(struct plan *plan, struct plan_value *value,
                               struct keep_store *store, struct diagnostic *diagnostic)
{
    struct contraction of = {.value = value, .product = &plan->product[value->own[0]]};
    const unsigned last = plan_operands(plan, value) - 1;
    enum error error = ERROR_NONE;
    for (unsigned side = 0; side < 2 && !error; side++) {
        double *number = NULL, *bound = NULL;
        error = take_arrays(plan, plan_operand(plan, value, last - 1 + side), store, &number,
                            &bound, diagnostic);
        of.number[side] = number;
        of.error[side] = bound;
        find_strides(&of, side, plan_operand(plan, value, last - 1 + side));
    }
    of.exact = is_narrow(plan_operand(plan, value, last - 1)) &&
               is_narrow(plan_operand(plan, value, last));
    return error || !store->base ? error
                                 : threads_run(0, value->count, 256, contract, &of, diagnostic);
}

// ---- moved elements ---------------------------------------------------------

static enum error keep_moved(struct plan *plan, struct plan_value *value, struct keep_store *store,
                             struct diagnostic *diagnostic)
{
    const enum word_op op = plan_op(plan, value);
    double *number[GRAPH_OPERANDS_MAX] = {NULL}, *bound[GRAPH_OPERANDS_MAX] = {NULL};
    enum error error = ERROR_NONE;
    for (unsigned o = 0; o < plan_operands(plan, value) && !error; o++)
        if (!words_operand_is_static(op, o) && !(op == WORD_GATHER && o == 1))
            error = take_arrays(plan, plan_operand(plan, value, o), store, &number[o], &bound[o],
                                diagnostic);
    if (error || !store->base)
        return error;
    error = movement_check(plan, value, diagnostic);
    for (uint64_t e = 0; e < value->count && !error; e++) {
        uint64_t at[GRAPH_RANK_MAX];
        struct movement_source source = {0};
        movement_place(value->rank, value->size, e, at);
        movement_find(plan, value, at, &source);
        value->value[e] = source.number;
        value->error[e] = 0;
        unsigned o = 0;
        while (source.operand &&
               (words_operand_is_static(op, o) || plan_operand(plan, value, o) != source.operand))
            o++;
        if (source.operand) {
            const uint64_t i = movement_index(source.operand, source.at);
            value->value[e] = number[o][i];
            value->error[e] = bound[o][i];
        }
    }
    return error;
}

enum error keep_value(struct plan *plan, struct plan_value *value, struct keep_store *store,
                      struct diagnostic *diagnostic)
{
    value->value = keep_take(store, value->count, sizeof(double));
    value->error = keep_take(store, value->count, sizeof(double));
    switch (words_row(plan_op(plan, value))->class) {
    case CLASS_REDUCTION:
        return keep_reduction(plan, value, store, diagnostic);
    case CLASS_SCAN:
        return keep_scan(plan, value, store, diagnostic);
    case CLASS_PRODUCT:
        return keep_product(plan, value, store, diagnostic);
    default:
        return keep_moved(plan, value, store, diagnostic);
    }
}
