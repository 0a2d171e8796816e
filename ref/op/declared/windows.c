// SPDX-License-Identifier: Apache-2.0
// windows(x, sizes, strides, dilations, pads, value, ceil): what a kernel sees at each of its
// places along the last axes of x. Products and sums over what it sees are convolutions and
// pooling.
//
// The axes become as many of places and then as many of what stands in the window. What lies beyond
// x is `value`. With ceil 1 the last window may reach beyond the padding, with 2 there may be no
// place at all, else a window that does not fit is refused. Output sizes and the padding of
// SAME_UPPER, SAME_LOWER and VALID are those of ONNX's Conv and pooling operators.
//
// seen_by(g, shape, sizes, strides, dilations, pads, ceil) is the reverse, of a g that is shaped
// like windows of an x of this shape, or has one element in place of a window's: at each place of x
// and of a kernel the element of g for which x is seen there, or 0. Its sums over the kernel are
// the transpose of windows, of which gradients are made.

#include <inttypes.h>
#include <string.h>

#include "ref/op/declared/movement.h"

enum { AXES_MAX = GRAPH_RANK_MAX / 2, NUMBER_MAX = 1 << 30 };

// Whether the last window may reach beyond what there is; whether there may be no place at all.
enum { CEIL_BEYOND = 1, CEIL_NONE = 2 };

// Where a value keeps what its windows are, for each axis, and, of their reverse, how many axes.
enum { OWN_STRIDE = 0, OWN_DILATION = AXES_MAX, OWN_BEFORE = 2 * AXES_MAX };
enum { OWN_AXES = 3 * AXES_MAX };

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

// Windows along `axes` axes; the padding is by `rule` where that is not NULL.
struct windows {
    unsigned axes;
    struct window axis[AXES_MAX];
    const char *rule;
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

// What operands from `at` on say: sizes, strides, dilations and pads; and the seventh, ceil.
static enum error take_windows(struct plan *plan, const struct graph_expression *e, unsigned at,
                               struct windows *to, struct diagnostic *diagnostic)
{
    int64_t size[2 * AXES_MAX], stride[2 * AXES_MAX], dilation[2 * AXES_MAX],
        pad[2 * AXES_MAX] = {0};
    int64_t ceil = 0;
    unsigned axes = 0;
    struct plan_static pads = {.text = NULL};
    enum error error = plan_integers(plan, e->operand[at], AXES_MAX, size, &axes, diagnostic);
    if (!error)
        error = take_numbers(plan, e->operand[at], "sizes", 1, axes, size, diagnostic);
    if (!error)
        error = take_numbers(plan, e->operand[at + 1], "strides", 1, axes, stride, diagnostic);
    if (!error)
        error = take_numbers(plan, e->operand[at + 2], "dilations", 1, axes, dilation, diagnostic);
    if (!error)
        error = plan_evaluate_static(plan, e->operand[at + 3], &pads, diagnostic);
    if (!error && !pads.text)
        error = take_numbers(plan, e->operand[at + 3], "pads", 0, 2 * axes, pad, diagnostic);
    if (!error && e->count > 6)
        error = plan_integer(plan, e->operand[6], &ceil, diagnostic);
    if (!error && (ceil < 0 || ceil > CEIL_NONE))
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "ceil of windows is %" PRId64 "; expected 0, 1 or 2", ceil);
    *to = (struct windows){.axes = axes, .rule = pads.text};
    for (unsigned i = 0; i < axes && !error; i++)
        to->axis[i] = (struct window){size[i], stride[i], dilation[i], pad[i], pad[axes + i], ceil};
    return error;
}

// The number of places that windows have on axis `i` of `length` elements; keeps in `value` where
// they are.
static enum error place_windows(struct windows *windows, unsigned i, int64_t length,
                                struct plan_value *value, uint64_t *places,
                                struct diagnostic *diagnostic)
{
    struct window *const w = &windows->axis[i];
    const enum error error =
        windows->rule ? pad_by_rule(windows->rule, length, w, diagnostic) : ERROR_NONE;
    const int64_t count = error ? 0 : count_places(length, w);
    value->own[OWN_STRIDE + i] = w->stride;
    value->own[OWN_DILATION + i] = w->dilation;
    value->own[OWN_BEFORE + i] = w->before;
    *places = (uint64_t)count;
    return error || count >= 0
               ? error
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                 "a window of %" PRId64 " elements does not fit into the %" PRId64
                                 " that there are with their padding",
                                 (w->size - 1) * w->dilation + 1, length + w->before + w->after);
}

static enum error refuse_axes(unsigned axes, unsigned rank, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "windows of %u axes on a tensor of rank %u", axes, rank);
}

enum error movement_shape_windows(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const from = plan_operand(plan, value, 0);
    struct windows windows;
    enum error error = take_windows(plan, e, 1, &windows, diagnostic);
    const unsigned axes = windows.axes, first = from->rank - axes;
    if (!error && (!axes || axes > from->rank || from->rank + axes > GRAPH_RANK_MAX))
        return refuse_axes(axes, from->rank, diagnostic);
    if (!error && e->count > 5 && plan_operand(plan, value, 5)->count != 1)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "the value beyond the edges of windows must be one number");
    value->rank = from->rank + axes;
    memcpy(value->size, from->size, sizeof value->size);
    for (unsigned i = 0; i < axes && !error; i++) {
        error = place_windows(&windows, i, (int64_t)from->size[first + i], value,
                              &value->size[first + i], diagnostic);
        value->size[from->rank + i] = (uint64_t)windows.axis[i].size;
    }
    return error;
}

// own[OWN_AXES]: the number of axes.
enum error movement_shape_seen_by(struct plan *plan, struct plan_value *value,
                                  struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t size[GRAPH_RANK_MAX] = {0};
    unsigned count = 0;
    struct windows windows = {0};
    enum error error = plan_integers(plan, e->operand[1], GRAPH_RANK_MAX, size, &count, diagnostic);
    if (!error)
        error = take_windows(plan, e, 2, &windows, diagnostic);
    const unsigned axes = windows.axes;
    if (!error && (!axes || axes > count || 2 * axes > from->rank))
        return refuse_axes(axes, count, diagnostic);
    value->rank = from->rank;
    value->own[OWN_AXES] = axes;
    memcpy(value->size, from->size, sizeof value->size);
    for (unsigned i = 0; i < axes && !error; i++) {
        const unsigned place = from->rank - 2 * axes + i, inside = from->rank - axes + i;
        const int64_t length = size[count - axes + i];
        uint64_t places = 0;
        error = place_windows(&windows, i, length, value, &places, diagnostic);
        value->size[place] = (uint64_t)length;
        value->size[inside] = (uint64_t)windows.axis[i].size;
        if (!error && (length < 0 || from->size[place] != places ||
                       (from->size[inside] != 1 && from->size[inside] != value->size[inside])))
            error =
                diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "seen_by of %" PRIu64 " places and %" PRIu64
                                " in a window; expected %" PRIu64 " and 1 or %" PRIu64,
                                from->size[place], from->size[inside], places, value->size[inside]);
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

void movement_find_seen_by(const struct plan *plan, const struct plan_value *value,
                           const uint64_t *at, struct movement_source *source)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    const unsigned axes = (unsigned)value->own[OWN_AXES], first = value->rank - 2 * axes;
    bool seen = true;
    memcpy(source->at, at, first * sizeof *at);
    for (unsigned i = 0; i < axes; i++) {
        const unsigned inside = first + axes + i;
        const int64_t stride = value->own[OWN_STRIDE + i],
                      way = (int64_t)at[first + i] + value->own[OWN_BEFORE + i] -
                            (int64_t)at[inside] * value->own[OWN_DILATION + i];
        seen =
            seen && way >= 0 && way % stride == 0 && way / stride < (int64_t)from->size[first + i];
        source->at[first + i] = seen ? (uint64_t)(way / stride) : 0;
        source->at[inside] = from->size[inside] == 1 ? 0 : at[inside];
    }
    if (seen)
        return;
    memset(source->at, 0, sizeof source->at);
    source->operand = NULL;
    source->number = 0;
}
