// SPDX-License-Identifier: Apache-2.0
// windows(x, sizes, strides, dilations, pads, value, ceil): what a kernel sees at each of its
// places along the last axes of x. Products and sums over what it sees are convolutions and
// pooling.
//
// The axes become as many of places and then as many of what stands in the window. What lies beyond
// x is `value`. With ceil 1 the last window may reach beyond the padding, with 2 there may be no
// place at all, else a window that does not fit is refused. Output sizes and the padding of
// SAME_UPPER, SAME_LOWER and VALID are those of ONNX's Conv and pooling operators.

#include <inttypes.h>
#include <string.h>

#include "ref/op/declared/movement.h"

enum { AXES_MAX = GRAPH_RANK_MAX / 2, NUMBER_MAX = 1 << 30 };

// Whether the last window may reach beyond what there is; whether there may be no place at all.
enum { CEIL_BEYOND = 1, CEIL_NONE = 2 };

// Where a value keeps what its windows are, for each axis.
enum { OWN_STRIDE = 0, OWN_DILATION = AXES_MAX, OWN_BEFORE = 2 * AXES_MAX };

// `count` whole numbers of at least `least`; one alone stands for all.
static enum error take_numbers(struct plan *plan, uint16_t expression, const char *what,
                               int64_t least, unsigned count, int64_t *to,
                               struct diagnostic *diagnostic)
{
    unsigned given = 0;
    const enum error error = plan_integers(plan, expression, 2 * AXES_MAX, to, &given, diagnostic);
    if (error)
        return error;
    if (given != count && given != 1)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "%u %s are given; expected %u, or one for all", given, what, count);
    for (unsigned i = given; i < count; i++)
        to[i] = to[0];
    for (unsigned i = 0; i < count; i++)
        if (to[i] < least || to[i] > NUMBER_MAX)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "one of the %s is %" PRId64 "; expected at least %" PRId64, what,
                                   to[i], least);
    return ERROR_NONE;
}

struct window {
    int64_t size, stride, dilation, before, after, ceil;
};

// Sets the padding as `rule` says.
static enum error pad_by_rule(const char *rule, int64_t length, struct window *w,
                              struct diagnostic *diagnostic)
{
    const bool upper = !strcmp(rule, "SAME_UPPER"), lower = !strcmp(rule, "SAME_LOWER");
    w->before = w->after = 0;
    if (!upper && !lower)
        return !strcmp(rule, "VALID")
                   ? ERROR_NONE
                   : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                     "padding is '%.40s'; expected numbers, SAME_UPPER, SAME_LOWER "
                                     "or VALID",
                                     rule);
    const int64_t places = (length + w->stride - 1) / w->stride;
    const int64_t missing = (places - 1) * w->stride + (w->size - 1) * w->dilation + 1 - length;
    const int64_t all = missing > 0 ? missing : 0;
    w->before = upper ? all / 2 : all - all / 2;
    w->after = all - w->before;
    return ERROR_NONE;
}

// So many places has a window on an axis; -1: it does not fit, and must.
static int64_t count_places(int64_t length, const struct window *w)
{
    const int64_t seen = (w->size - 1) * w->dilation + 1,
                  rest = length + w->before + w->after - seen;
    if (rest < 0)
        return w->ceil == CEIL_NONE ? 0 : -1;
    const bool beyond = w->ceil == CEIL_BEYOND;
    int64_t places = (rest + (beyond ? w->stride - 1 : 0)) / w->stride + 1;
    if (beyond && (places - 1) * w->stride >= length + w->before)
        places--; // it would begin behind all that there is
    return places;
}

enum error movement_shape_windows(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t size[2 * AXES_MAX], stride[2 * AXES_MAX], dilation[2 * AXES_MAX],
        pad[2 * AXES_MAX] = {0};
    int64_t ceil = 0;
    unsigned axes = 0;
    struct plan_static pads = {.text = NULL};
    enum error error = plan_integers(plan, e->operand[1], AXES_MAX, size, &axes, diagnostic);
    if (!error && (!axes || axes > from->rank || from->rank + axes > GRAPH_RANK_MAX))
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "windows of %u axes on a tensor of rank %u", axes, from->rank);
    if (!error)
        error = take_numbers(plan, e->operand[1], "sizes", 1, axes, size, diagnostic);
    if (!error)
        error = take_numbers(plan, e->operand[2], "strides", 1, axes, stride, diagnostic);
    if (!error)
        error = take_numbers(plan, e->operand[3], "dilations", 1, axes, dilation, diagnostic);
    if (!error)
        error = plan_evaluate_static(plan, e->operand[4], &pads, diagnostic);
    if (!error && !pads.text)
        error = take_numbers(plan, e->operand[4], "pads", 0, 2 * axes, pad, diagnostic);
    if (!error && e->count > 5 && plan_operand(plan, value, 5)->count != 1)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "what lies beyond windows is one value");
    if (!error && e->count > 6)
        error = plan_integer(plan, e->operand[6], &ceil, diagnostic);
    if (!error && (ceil < 0 || ceil > CEIL_NONE))
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "ceil of windows is %" PRId64 "; expected 0, 1 or 2", ceil);
    const unsigned first = from->rank - axes;
    value->rank = from->rank + axes;
    memcpy(value->size, from->size, sizeof value->size);
    for (unsigned i = 0; i < axes && !error; i++) {
        const int64_t length = (int64_t)from->size[first + i];
        struct window w = {size[i], stride[i], dilation[i], pad[i], pad[axes + i], ceil};
        if (pads.text)
            error = pad_by_rule(pads.text, length, &w, diagnostic);
        const int64_t places = error ? 0 : count_places(length, &w);
        if (places < 0)
            error =
                diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "a window of %" PRId64 " elements does not fit into the %" PRId64
                                " that there are with their padding",
                                (w.size - 1) * w.dilation + 1, length + w.before + w.after);
        value->size[first + i] = (uint64_t)places;
        value->size[from->rank + i] = (uint64_t)w.size;
        value->own[OWN_STRIDE + i] = w.stride;
        value->own[OWN_DILATION + i] = w.dilation;
        value->own[OWN_BEFORE + i] = w.before;
    }
    return error;
}

void movement_find_window(const struct plan *plan, const struct plan_value *value,
                          const uint64_t *at, struct movement_source *source)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    const unsigned axes = value->rank - from->rank, first = from->rank - axes;
    bool inside = true;
    memcpy(source->at, at, first * sizeof *at);
    for (unsigned i = 0; i < axes; i++) {
        const int64_t place = (int64_t)at[first + i] * value->own[OWN_STRIDE + i] +
                              (int64_t)at[from->rank + i] * value->own[OWN_DILATION + i] -
                              value->own[OWN_BEFORE + i];
        inside = inside && place >= 0 && place < (int64_t)from->size[first + i];
        source->at[first + i] = (uint64_t)place;
    }
    if (inside)
        return;
    memset(source->at, 0, sizeof source->at);
    source->operand = plan_operands(plan, value) > 5 ? plan_operand(plan, value, 5) : NULL;
    source->number = 0;
}
