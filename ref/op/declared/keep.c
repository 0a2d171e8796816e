// SPDX-License-Identifier: Apache-2.0
// Cumulative sums, products and moved elements, as estimates with errors.

#include "ref/op/declared/keep.h"

#include <math.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/base/threads.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/running.h"
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

// ---- boxes ------------------------------------------------------------------

void keep_strides(const struct plan_value *value, ptrdiff_t *stride)
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

enum error keep_run(const struct look *look, threads_job job, void *context,
                    struct diagnostic *diagnostic)
{
    if (look->split == look->rank)
        return job(context, 0, 1, diagnostic);
    return threads_run(0, look->size[look->split], grain_of(look), job, context, diagnostic);
}

// ---- arrays of operands -----------------------------------------------------

struct copy {
    const struct look *look;
    double *value, *error;
};

static enum error copy_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                           const struct look_taken *taken, struct look_open *open,
                           struct diagnostic *diagnostic)
{
    const struct copy *const copy = context;
    (void)open;
    (void)diagnostic;
    (void)stride; // results lie as the box does: 1, or one element alone
    memcpy(copy->value + to, taken->value, count * sizeof *taken->value);
    memcpy(copy->error + to, taken->error, count * sizeof *taken->error);
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
    keep_strides(of, stride);
    const enum error failed = look_start(&look, plan, of, stride, NULL, NULL, diagnostic);
    struct copy copy = {&look, *value, *error};
    return failed ? failed : keep_run(&look, copy_part, &copy, diagnostic);
}

// ---- cumulative sums --------------------------------------------------------

static void cumulate(const struct plan_value *value, const double *from, const double *from_error,
                     uint64_t first, ptrdiff_t stride)
{
    const int64_t size = (int64_t)value->size[value->own[0]];
    const bool exclusive = value->own[1] != 0, reverse = value->own[2] != 0;
    double room[5];
    const struct running sum = {room, room + 1, room + 2, room + 3, room + 4, value->narrow};
    running_start(&sum, 0);
    for (int64_t k = 0; k < size; k++) {
        const ptrdiff_t at = (ptrdiff_t)first + (reverse ? size - 1 - k : k) * stride;
        if (!exclusive)
            running_add(&sum, 0, from[at], from_error[at]);
        double kept[5];
        memcpy(kept, room, sizeof kept);
        const struct running here = {kept, kept + 1, kept + 2, kept + 3, kept + 4, value->narrow};
        running_finish(&here, 0, false);
        value->value[at] = kept[0];
        value->error[at] = kept[2];
        if (exclusive)
            running_add(&sum, 0, from[at], from_error[at]);
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
        running_add(sum, 0, x * y, 0);
        return;
    }
    double left = of->error[0][at[0]], right = of->error[1][at[1]], term, off;
    const struct look_run operand[2] = {{&x, &left}, {&y, &right}};
    look_word(WORD_MULTIPLY, 1, operand, (struct look_run){&term, &off});
    running_add(sum, 0, term, off >= 0 ? off : infinite);
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
        const struct running sum = {room,     room + 1, room + 2,
                                    room + 3, room + 4, of->value->narrow};
        movement_place(of->value->rank, of->value->size, e, place);
        for (unsigned i = 0; i < of->value->rank; i++)
            for (unsigned side = 0; side < 2; side++)
                at[side] += (ptrdiff_t)place[i] * of->stride[side][of->product->out[i]];
        running_start(&sum, 0);
        contract_element(of, &sum, at);
        running_finish(&sum, 0, false);
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

// 0, 1, 2, ... along the axis.
static void count_along(const struct plan_value *value)
{
    const uint64_t size = value->size[value->own[0]];
    uint64_t inner = 1;
    for (unsigned i = (unsigned)value->own[0] + 1; i < value->rank; i++)
        inner *= value->size[i];
    for (uint64_t e = 0, index = 0; e < value->count; e += inner, index = (index + 1) % size)
        for (uint64_t i = 0; i < inner; i++) {
            value->value[e + i] = (double)index;
            value->error[e + i] = 0;
        }
}

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
    if (!error && op == WORD_IOTA) {
        count_along(value);
        return ERROR_NONE;
    }
    if (!error && movement_stays(op)) {
        memcpy(value->value, number[0], (size_t)value->count * sizeof *value->value);
        memcpy(value->error, bound[0], (size_t)value->count * sizeof *value->error);
        return ERROR_NONE;
    }
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

enum error keep_value(struct plan *plan, struct plan_value *value, bool glance,
                      struct keep_store *store, struct diagnostic *diagnostic)
{
    if (words_row(plan_op(plan, value))->class == CLASS_REDUCTION) {
        keep_take_reduction(value, store);
        return store->base ? keep_reduce(plan, value, glance, NULL, diagnostic) : ERROR_NONE;
    }
    value->value = keep_take(store, value->count, sizeof(double));
    value->error = keep_take(store, value->count, sizeof(double));
    switch (words_row(plan_op(plan, value))->class) {
    case CLASS_SCAN:
        return keep_scan(plan, value, store, diagnostic);
    case CLASS_PRODUCT:
        return keep_product(plan, value, store, diagnostic);
    default:
        return keep_moved(plan, value, store, diagnostic);
    }
}
