// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, as estimates with errors.

#include "ref/op/declared/keep.h"

#include <math.h>

#include "ref/op/declared/movement.h"
#include "ref/op/declared/running.h"

static const double infinite = (double)INFINITY;

// The same for `count` terms of one sum, kept in registers.
static void add_run(const struct running *sum, ptrdiff_t to, size_t count, const double *value,
                    const double *error)
{
    size_t i = 0;
    if (sum->count[to] == 0) {
        running_add(sum, to, value[0], error[0]);
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

struct reduction {
    enum word_op op;
    struct running sum; // of a glance: the sum, its terms, errors, magnitudes and steps
    const struct look *look;
};

// A run of terms of one sum as one step.
static void glance_run(const struct reduction *of, ptrdiff_t to, size_t count,
                       const struct glance_run *run)
{
    const struct running *const sum = &of->sum;
    struct glance_sum added = {0};
    glance_form_chosen()->sum(count, run, &added);
    sum->value[to] += added.value;
    sum->turned[to] += added.magnitude;
    sum->error[to] +=
        (run->relative * added.magnitude + run->absolute * (double)count) * (1 + 0x1p-30);
    sum->rest[to] += (double)count;
    sum->count[to]++;
}

// A term for each of `count` sums that lie `stride` apart.
static void glance_terms(const struct reduction *of, ptrdiff_t to, ptrdiff_t stride, size_t count,
                         const struct look_taken *terms)
{
    const struct running *const sum = &of->sum;
    for (size_t i = 0; i < count; i++, to += stride) {
        sum->value[to] += terms->value[i];
        sum->turned[to] += fabs(terms->value[i]);
        sum->error[to] += terms->error[i];
        sum->rest[to]++;
        sum->count[to]++;
    }
}

// The sum or the mean of a glance, never without an error: the sign of a zero is not known.
static void finish_glance(const struct running *sum, uint64_t i, bool mean)
{
    const double terms = sum->rest[i], steps = sum->count[i] + GLANCE_DEPTH;
    double value = sum->value[i];
    double error = (sum->error[i] + steps * 0x1p-53 * sum->turned[i]) * (1 + 0x1p-30) + 0x1p-1000;
    if (mean) {
        value /= terms;
        error = error / terms * (1 + 0x1p-40) + fabs(value) * 0x1p-52 + 0x1p-1000;
    }
    sum->value[i] = value;
    sum->error[i] = isfinite(value) && error >= 0 ? error : infinite;
}

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

// The extreme of an exact run that is its own; false where its sign is not known.
static bool find_extreme(const struct reduction *of, size_t count, struct glance_run run,
                         double *most)
{
    if (!run.bits ||
        (run.kind == GLANCE_DOUBLES &&
         !glance_form_chosen()->range(count, run.value, &run.low, &run.high)) ||
        (run.kind == GLANCE_SINGLES && !glance_find_range(of->look->ranges, count, &run)))
        return false;
    *most = of->op == WORD_MIN ? run.low : run.high;
    return *most != 0;
}

static enum error take_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                           const struct look_taken *taken, struct look_open *open,
                           struct diagnostic *diagnostic)
{
    const struct reduction *const of = context;
    const bool sums = of->op == WORD_SUM || of->op == WORD_MEAN;
    const struct glance_run *const run = taken->run;
    double room[2][LOOK_RUN], most;
    (void)diagnostic;
    if (run && sums && stride == 0 && run->kind != GLANCE_NUMBER) {
        glance_run(of, to, count, run);
        return ERROR_NONE;
    }
    if (run && stride == 0 && !sums && find_extreme(of, count, *run, &most)) {
        take_extreme(of, to, most, 0);
        return ERROR_NONE;
    }
    const struct look_taken terms = look_spread(taken, count, room[0], room[1]);
    const double *const value = terms.value, *const error = terms.error;
    if (open && sums) {
        glance_terms(of, to, stride, count, &terms);
        return ERROR_NONE;
    }
    if (stride == 0 && sums && !of->sum.narrow) {
        add_run(&of->sum, to, count, value, error);
        return ERROR_NONE;
    }
    for (size_t i = 0; i < count; i++, to += stride)
        switch (of->op) {
        case WORD_SUM:
        case WORD_MEAN:
            running_add(&of->sum, to, value[i], error[i]);
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

enum error keep_reduce(struct plan *plan, struct plan_value *value, bool glance,
                       const struct look_band *band, struct diagnostic *diagnostic)
{
    struct look look;
    struct glance steps;
    ptrdiff_t stride[GRAPH_RANK_MAX];
    const struct running sum = {value->value,  value->left,  value->error,
                                value->turned, value->terms, value->narrow};
    struct reduction of = {plan_op(plan, value), sum, &look};
    const bool sums = of.op == WORD_SUM || of.op == WORD_MEAN;
    const uint64_t each = band ? value->count / band->rows : value->count,
                   first = band ? band->first * each : 0,
                   end = band ? first + band->count * each : each;
    keep_strides(value, stride);
    for (uint64_t i = first; i < end; i++)
        running_start(&sum, i);
    const enum error error =
        look_start(&look, plan, plan_operand(plan, value, 0), stride, NULL, band, diagnostic);
    if (error)
        return error;
    if (glance && !value->narrow && (sums || of.op == WORD_MAX || of.op == WORD_MIN) &&
        glance_make(&steps, &look, sums ? GLANCE_SUMMED : GLANCE_PLAIN))
        look.glance = &steps;
    const enum error ran =
        band ? reduce_part(&of, 0, look.split == look.rank ? 1 : look.size[look.split], diagnostic)
             : keep_run(&look, reduce_part, &of, diagnostic);
    for (uint64_t i = first; i < end && !ran; i++) {
        if (look.glance && sums)
            finish_glance(&sum, i, of.op == WORD_MEAN);
        else if (sums)
            running_finish(&sum, i, of.op == WORD_MEAN);
        else if (of.op != WORD_ARGMAX && sum.count[i] == 0)
            sum.value[i] = words_of_none(of.op);
    }
    return ran;
}

enum error keep_again(struct plan *plan, const struct plan_value *value, const uint64_t *at,
                      struct diagnostic *diagnostic)
{
    static const ptrdiff_t stride[GRAPH_RANK_MAX];
    double room[5];
    const struct running sum = {room, room + 1, room + 2, room + 3, room + 4, DTYPE_NONE};
    struct look look;
    struct reduction of = {plan_op(plan, value), sum, &look};
    uint64_t from[GRAPH_RANK_MAX];
    const uint64_t to = movement_index(value, at);
    if (value->narrow || (of.op != WORD_SUM && of.op != WORD_MEAN))
        return ERROR_NONE;
    for (unsigned i = 0; i < value->rank; i++)
        from[i] = value->own[i] ? LOOK_ALL : at[i];
    running_start(&sum, 0);
    enum error error =
        look_start(&look, plan, plan_operand(plan, value, 0), stride, from, NULL, diagnostic);
    if (!error)
        error = look_through(&look, 0, 1, take_run, &of, diagnostic);
    running_finish(&sum, 0, of.op == WORD_MEAN);
    value->value[to] = room[0];
    value->error[to] = room[2];
    return error;
}

void keep_take_reduction(struct plan_value *value, struct keep_store *store)
{
    double **const rooms[] = {&value->value, &value->error, &value->left, &value->turned,
                              &value->terms};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        *rooms[i] = keep_take(store, value->count, sizeof(double));
}
