// SPDX-License-Identifier: Apache-2.0
// Boxes: which leaves an expression has, how they lie, and runs along the last axis.

#include "ref/op/declared/look.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/product/kernel.h"
#include "ref/num/small_float.h"

static enum error add_leaf(struct look *look, const struct plan_value *value,
                           struct diagnostic *diagnostic)
{
    for (unsigned i = 1; i < look->leaves; i++)
        if (look->leaf[i].value == value)
            return ERROR_NONE;
    if (look->leaves == LOOK_LEAVES_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "an expression uses more than %d tensors", LOOK_LEAVES_MAX - 1);
    struct look_leaf *const leaf = &look->leaf[look->leaves++];
    ptrdiff_t stride = 1;
    *leaf = (struct look_leaf){.value = value};
    for (unsigned i = value->rank; i-- > 0;) {
        leaf->stride[look->rank - value->rank + i] = value->size[i] == 1 ? 0 : stride;
        stride *= (ptrdiff_t)value->size[i];
    }
    leaf->at = -(ptrdiff_t)value->shift;
    return ERROR_NONE;
}

static enum error collect(struct look *look, const struct plan_value *value,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (value->kind == PLAN_SCALAR)
        return ERROR_NONE;
    if (value->kind != PLAN_FUSED)
        return add_leaf(look, value, diagnostic);
    for (unsigned o = 0; o < plan_operands(look->plan, value) && !error; o++)
        error = collect(look, plan_operand(look->plan, value, o), diagnostic);
    return error;
}

// Whether every leaf goes through axes `axis` and `axis` + 1 as through one.
static bool runs_through(const struct look *look, unsigned axis)
{
    for (unsigned i = 0; i < look->leaves; i++)
        if (look->leaf[i].stride[axis] !=
            look->leaf[i].stride[axis + 1] * (ptrdiff_t)look->size[axis + 1])
            return false;
    return true;
}

static void remove_axis(struct look *look, unsigned axis)
{
    for (unsigned k = axis; k + 1 < look->rank; k++) {
        look->size[k] = look->size[k + 1];
        for (unsigned i = 0; i < look->leaves; i++)
            look->leaf[i].stride[k] = look->leaf[i].stride[k + 1];
    }
    look->rank--;
}

static void merge_axes(struct look *look)
{
    for (unsigned axis = look->rank; axis-- > 0;)
        if (look->size[axis] == 1 && look->rank > 1)
            remove_axis(look, axis);
    for (unsigned axis = look->rank - 1; axis-- > 0;)
        if (runs_through(look, axis)) {
            look->size[axis + 1] *= look->size[axis];
            remove_axis(look, axis);
        }
}

// Merges axes, and finds the one that threads divide: they must not share a result, so that it is
// the longest along which results differ.
static void divide(struct look *look)
{
    merge_axes(look);
    look->split = look->rank;
    for (unsigned i = 0; i < look->rank; i++)
        if (look->leaf[0].stride[i] &&
            (look->split == look->rank || look->size[i] > look->size[look->split]))
            look->split = i;
}

// Leaves one index of every axis but those where at[i] is LOOK_ALL.
static void narrow(struct look *look, const uint64_t *at)
{
    for (unsigned axis = 0; axis < look->root->rank; axis++) {
        if (at[axis] == LOOK_ALL)
            continue;
        for (unsigned i = 0; i < look->leaves; i++)
            look->leaf[i].at += (ptrdiff_t)at[axis] * look->leaf[i].stride[axis];
        look->size[axis] = 1;
    }
}

// Leaves the rows of the band, as one axis.
static void take_band(struct look *look, const struct look_band *band)
{
    assert(band->axes && band->count && band->first + band->count <= band->rows);
    unsigned last = band->axes - 1;
    while (last > 0 && look->size[last] == 1)
        last--;
    look->size[0] = band->count;
    for (unsigned i = 0; i < look->leaves; i++) {
        look->leaf[i].stride[0] = look->leaf[i].stride[last];
        look->leaf[i].at += (ptrdiff_t)band->first * look->leaf[i].stride[0];
    }
    for (unsigned axis = 1; axis < band->axes; axis++)
        look->size[axis] = 1;
}

enum error look_start(struct look *look, const struct plan *plan, const struct plan_value *root,
                      const ptrdiff_t *stride, const uint64_t *at, const struct look_band *band,
                      struct diagnostic *diagnostic)
{
    memset(look, 0, offsetof(struct look, leaf));
    look->plan = plan;
    look->root = root;
    look->rank = root->rank ? root->rank : 1;
    look->size[0] = 1;
    memcpy(look->size, root->size, root->rank * sizeof *root->size);
    look->leaves = 1;
    look->leaf[0] = (struct look_leaf){.value = NULL};
    memcpy(look->leaf[0].stride, stride, root->rank * sizeof *stride);
    const enum error error = collect(look, root, diagnostic);
    if (error)
        return error;
    if (at)
        narrow(look, at);
    if (band)
        take_band(look, band);
    look->ranges = band ? band->ranges : NULL;
    divide(look);
    return ERROR_NONE;
}

void look_load(const struct look_leaf *leaf, ptrdiff_t stride, size_t count, struct look_run to)
{
    const struct plan_value *const value = leaf->value;
    if (value->kind == PLAN_KEPT) {
        for (size_t i = 0; i < count; i++) {
            to.value[i] = value->value[leaf->at + (ptrdiff_t)i * stride];
            to.error[i] = value->error[leaf->at + (ptrdiff_t)i * stride];
        }
        return;
    }
    const size_t size = dtype_size(value->type);
    const char *const data = (const char *)value->data + leaf->at * (ptrdiff_t)size;
    const bool wide = size == 8 && dtype_kind(value->type) != DTYPE_KIND_FLOAT;
    if (stride == 1 && value->type == DTYPE_F32) {
        num_kernel_chosen()->widen(count, (const float *)(const void *)data, to.value);
    } else if (stride == 1 && !wide && value->type != DTYPE_BOOL) {
        num_convert_array(DTYPE_F64, to.value, value->type, data, count);
    } else if (value->type == DTYPE_F32) {
        const float *const from = (const float *)(const void *)data;
        for (size_t i = 0; i < count; i++)
            to.value[i] = (double)from[(ptrdiff_t)i * stride];
    } else if (value->type == DTYPE_BOOL) {
        for (size_t i = 0; i < count; i++)
            to.value[i] = data[(ptrdiff_t)i * stride] != 0;
    } else if (value->type == DTYPE_I64) {
        const int64_t *const from = (const int64_t *)(const void *)data;
        for (size_t i = 0; i < count; i++)
            to.value[i] = (double)from[(ptrdiff_t)i * stride];
    } else {
        for (size_t i = 0; i < count; i++)
            to.value[i] = num_to_double(
                value->type, element_load(data + (ptrdiff_t)i * stride * (ptrdiff_t)size, size, 0));
    }
    for (size_t i = 0; i < count && to.error; i++)
        to.error[i] = wide && fabs(to.value[i]) >= 0x1p53 ? fabs(to.value[i]) * 0x1p-53 : 0;
}

void look_evaluate(const struct look *look, const struct plan_value *value, size_t count,
                   struct look_run to)
{
    const struct look_leaf *leaf = look->leaf;
    if (value->kind == PLAN_SCALAR) {
        for (size_t i = 0; i < count; i++) {
            to.value[i] = value->number;
            to.error[i] = value->exact ? 0 : fabs(value->number) * 0x1p-53 + 0x1p-1074;
        }
        return;
    }
    if (value->kind != PLAN_FUSED) {
        while (leaf->value != value)
            leaf++;
        look_load(leaf, leaf->stride[look->rank - 1], count, to);
        return;
    }
    double room[3][2][LOOK_RUN];
    struct look_run operand[3];
    for (unsigned o = 0; o < plan_operands(look->plan, value); o++) {
        // cppcheck-suppress legacyUninitvar ; where the rows begin, not what is in them
        operand[o] = (struct look_run){room[o][0], room[o][1]};
        look_evaluate(look, plan_operand(look->plan, value, o), count, operand[o]);
    }
    look_word(plan_op(look->plan, value), count, operand, to);
    for (size_t i = 0; i < count; i++)
        to.error[i] =
            to.error[i] >= 0 ? to.error[i] : (double)INFINITY; // a NaN says nothing either
}

// The next place of the axes before the last, within the part; moves all leaves.
static bool step(struct look *look, uint64_t *at, uint64_t first, uint64_t end)
{
    for (unsigned axis = look->rank - 1; axis-- > 0;) {
        const uint64_t from = axis == look->split ? first : 0,
                       to = axis == look->split ? end : look->size[axis];
        const bool more = ++at[axis] < to;
        const ptrdiff_t moved = more ? 1 : -(ptrdiff_t)(to - from - 1);
        for (unsigned i = 0; i < look->leaves; i++)
            look->leaf[i].at += moved * look->leaf[i].stride[axis];
        if (more)
            return true;
        at[axis] = from;
    }
    return false;
}

// Moves every leaf by `elements` along the last axis.
static void advance(struct look *look, ptrdiff_t elements)
{
    for (unsigned i = 0; i < look->leaves; i++)
        look->leaf[i].at += elements * look->leaf[i].stride[look->rank - 1];
}

static enum error take_looked(const struct look *look, size_t count, look_take *take, void *context,
                              struct look_open *open, struct diagnostic *diagnostic)
{
    double value[LOOK_RUN], bound[LOOK_RUN];
    look_evaluate(look, look->root, count, (struct look_run){value, bound});
    return take(context, look->leaf[0].at, look->leaf[0].stride[look->rank - 1], count,
                &(struct look_taken){value, bound, NULL}, open, diagnostic);
}

struct look_taken look_spread(const struct look_taken *taken, size_t count, double *value,
                              double *error)
{
    const struct glance_run *const run = taken->run;
    if (!run)
        return *taken;
    for (size_t i = 0; i < count; i++) {
        const double number = glance_at(run, i);
        value[i] = number;
        error[i] = run->bits ? 0 : (fabs(number) * run->relative + run->absolute) * (1 + 0x1p-40);
    }
    return (struct look_taken){value, error, NULL};
}

static enum error take_glanced(struct look *look, size_t count, look_take *take, void *context,
                               struct diagnostic *diagnostic)
{
    struct glance_rooms rooms;
    struct look_open open;
    enum error error = ERROR_NONE;
    open.count = 0;
    const struct glance_run *const run = glance_look(look->glance, look, count, &rooms);
    if (run)
        error = take(context, look->leaf[0].at, look->leaf[0].stride[look->rank - 1], count,
                     &(struct look_taken){NULL, NULL, run}, &open, diagnostic);
    else
        error = take_looked(look, count, take, context, &open, diagnostic);
    for (size_t k = 0; k < open.count && !error; k++) {
        advance(look, open.index[k]);
        error = take_looked(look, 1, take, context, NULL, diagnostic);
        advance(look, -(ptrdiff_t)open.index[k]);
    }
    return error;
}

enum error look_through(const struct look *look, uint64_t first, uint64_t count, look_take *take,
                        void *context, struct diagnostic *diagnostic)
{
    struct look here;
    memcpy(&here, look, offsetof(struct look, leaf) + look->leaves * sizeof *look->leaf);
    const unsigned last = look->rank - 1;
    uint64_t at[GRAPH_RANK_MAX] = {0};
    enum error error = ERROR_NONE;
    if (look->split == look->rank) { // one result alone
        first = 0;
        count = 1;
    }
    for (unsigned i = 0; i < look->rank; i++)
        if (!look->size[i] || !count)
            return ERROR_NONE;
    if (look->split < look->rank) {
        at[look->split] = first;
        for (unsigned i = 0; i < look->leaves; i++)
            here.leaf[i].at += (ptrdiff_t)first * look->leaf[i].stride[look->split];
    }
    const uint64_t length = look->split == last ? count : look->size[last];
    do {
        for (uint64_t k = 0, some; k < length && !error; k += some) {
            some = length - k < LOOK_RUN ? length - k : LOOK_RUN;
            if (some > GLANCE_STEP) // what is left over is a short run of its own
                some -= some % GLANCE_STEP;
            error =
                (look->glance ? take_glanced(&here, (size_t)some, take, context, diagnostic)
                              : take_looked(&here, (size_t)some, take, context, NULL, diagnostic));
            advance(&here, (ptrdiff_t)some);
        }
        advance(&here, -(ptrdiff_t)length);
    } while (!error && step(&here, at, first, first + count));
    return error;
}
