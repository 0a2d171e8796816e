// SPDX-License-Identifier: Apache-2.0
// Shapes of the words that move elements, and where each element comes from.

#include "ref/op/declared/movement.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { PAD_MAX = 1 << 30 };

// ---- shapes -----------------------------------------------------------------

static enum error take_axis(struct plan *plan, uint16_t expression, unsigned rank, int64_t *axis,
                            struct diagnostic *diagnostic)
{
    const enum error error = plan_integer(plan, expression, axis, diagnostic);
    if (error)
        return error;
    if (*axis < -(int64_t)rank || *axis >= (int64_t)rank)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "axis %" PRId64 " is outside the %u dimensions there are", *axis,
                               rank);
    *axis += *axis < 0 ? (int64_t)rank : 0;
    return ERROR_NONE;
}

static enum error take_sizes(struct plan *plan, uint16_t expression, struct plan_value *value,
                             int64_t *sizes, struct diagnostic *diagnostic)
{
    enum error error =
        plan_integers(plan, expression, GRAPH_RANK_MAX, sizes, &value->rank, diagnostic);
    for (unsigned i = 0; i < value->rank && !error; i++) {
        if (sizes[i] < -1)
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "a size is %" PRId64 "; expected 0 or more", sizes[i]);
        value->size[i] = (uint64_t)sizes[i];
    }
    return error;
}

static enum error refuse(const char *word, const struct plan_value *from,
                         const struct plan_value *to, struct diagnostic *diagnostic)
{
    char a[160], b[160];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s from shape %s to %s", word,
                           plan_describe(from->rank, from->size, a, sizeof a),
                           plan_describe(to->rank, to->size, b, sizeof b));
}

// One size may be -1: what is left.
static enum error shape_reshape(struct plan *plan, struct plan_value *value, uint16_t sizes,
                                struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t size[GRAPH_RANK_MAX];
    enum error error = take_sizes(plan, sizes, value, size, diagnostic);
    int open = -1;
    uint64_t count = 1;
    for (unsigned i = 0; i < value->rank && !error; i++) {
        if (size[i] < 0 && open >= 0)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "reshape leaves two sizes open");
        if (size[i] < 0)
            open = (int)i;
        else if (__builtin_mul_overflow(count, (uint64_t)size[i], &count))
            return refuse("reshape", from, value, diagnostic);
    }
    if (!error && open >= 0) {
        value->size[open] = count ? from->count / count : 0;
        count *= value->size[open];
    }
    return error || count == from->count ? error : refuse("reshape", from, value, diagnostic);
}

// The axes, each of size 1, are left out.
static enum error shape_squeeze(struct plan *plan, struct plan_value *value, uint16_t list,
                                struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t axis[GRAPH_LIST_MAX];
    bool left_out[GRAPH_RANK_MAX] = {false};
    unsigned count = 0;
    const enum error error = plan_integers(plan, list, GRAPH_LIST_MAX, axis, &count, diagnostic);
    for (unsigned i = 0; i < count && !error; i++) {
        axis[i] += axis[i] < 0 ? (int64_t)from->rank : 0;
        if (axis[i] < 0 || axis[i] >= (int64_t)from->rank || from->size[axis[i]] != 1)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "squeeze leaves out axes of size 1 alone");
        left_out[axis[i]] = true;
    }
    value->rank = 0;
    for (unsigned i = 0; i < from->rank && !error; i++)
        if (!left_out[i])
            value->size[value->rank++] = from->size[i];
    return error;
}

// Axes of size 1 are put in, where they stand in the result.
static enum error shape_unsqueeze(struct plan *plan, struct plan_value *value, uint16_t list,
                                  struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t axis[GRAPH_RANK_MAX];
    bool new[GRAPH_RANK_MAX] = {false};
    unsigned count = 0;
    const enum error error = plan_integers(plan, list, GRAPH_RANK_MAX, axis, &count, diagnostic);
    if (error)
        return error;
    const unsigned rank = from->rank + count;
    for (unsigned i = 0; i < count; i++) {
        axis[i] += axis[i] < 0 ? (int64_t)rank : 0;
        if (rank > GRAPH_RANK_MAX || axis[i] < 0 || axis[i] >= (int64_t)rank || new[axis[i]])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "unsqueeze puts each axis in once, up to %d axes",
                                   GRAPH_RANK_MAX);
        new[axis[i]] = true;
    }
    value->rank = rank;
    for (unsigned i = 0, old = 0; i < rank; i++)
        value->size[i] = new[i] ? 1 : from->size[old++];
    return ERROR_NONE;
}

// The axis becomes two; the outer one has size `parts`.
static enum error shape_split(struct plan *plan, struct plan_value *value,
                              const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t axis = 0, parts = 0;
    enum error error = take_axis(plan, e->operand[1], from->rank, &axis, diagnostic);
    if (!error)
        error = plan_integer(plan, e->operand[2], &parts, diagnostic);
    if (!error && from->rank == GRAPH_RANK_MAX)
        error =
            diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "split of %d axes", GRAPH_RANK_MAX);
    if (!error && (parts < 1 || from->size[axis] % (uint64_t)parts))
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "split of size %" PRIu64 " into %" PRId64 " equal parts",
                                from->size[axis], parts);
    value->rank = error ? 0 : from->rank + 1;
    for (unsigned i = 0; i < value->rank; i++)
        value->size[i] = i < (unsigned)axis    ? from->size[i]
                         : i == (unsigned)axis ? (uint64_t)parts
                                               : from->size[i - 1];
    if (!error)
        value->size[axis + 1] /= (uint64_t)parts;
    return error;
}

// The axis and the next become one.
static enum error shape_join(struct plan *plan, struct plan_value *value,
                             const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t axis = 0;
    enum error error = take_axis(plan, e->operand[1], from->rank, &axis, diagnostic);
    if (!error && axis + 1 >= (int64_t)from->rank)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "join of axis %" PRId64 ", after which there is none", axis);
    value->rank = error ? 0 : from->rank - 1;
    for (unsigned i = 0; i < value->rank; i++)
        value->size[i] = from->size[i <= (unsigned)axis ? i : i + 1];
    if (!error &&
        __builtin_mul_overflow(value->size[axis], from->size[axis + 1], &value->size[axis]))
        error = refuse("join", from, value, diagnostic);
    return error;
}

static enum error shape_transpose(struct plan *plan, struct plan_value *value,
                                  const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    unsigned count = from->rank;
    bool seen[GRAPH_RANK_MAX] = {false};
    enum error error = ERROR_NONE;
    value->rank = from->rank;
    for (unsigned i = 0; i < count; i++)
        value->own[i] = (int64_t)(count - 1 - i);
    if (e->count > 1)
        error = plan_integers(plan, e->operand[1], GRAPH_RANK_MAX, value->own, &count, diagnostic);
    for (unsigned i = 0; i < count && !error; i++) {
        int64_t *const axis = &value->own[i];
        *axis += *axis < 0 ? (int64_t)from->rank : 0;
        if (count != from->rank || *axis < 0 || *axis >= (int64_t)from->rank || seen[*axis])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "transpose needs each of the %u axes once", from->rank);
        seen[*axis] = true;
        value->size[i] = from->size[*axis];
    }
    return error || count == from->rank
               ? error
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                 "transpose names %u axes of a tensor of rank %u", count,
                                 from->rank);
}

static enum error shape_broadcast(struct plan *plan, struct plan_value *value, uint16_t sizes,
                                  struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t size[GRAPH_RANK_MAX];
    const enum error error = take_sizes(plan, sizes, value, size, diagnostic);
    bool fits = !error && value->rank >= from->rank;
    for (unsigned i = 0; fits && i < from->rank; i++)
        fits = from->size[i] == 1 || from->size[i] == value->size[value->rank - from->rank + i];
    for (unsigned i = 0; fits && i < value->rank; i++)
        fits = size[i] >= 0;
    return error || fits ? error : refuse("broadcast", from, value, diagnostic);
}

// own: axis, first, step. As Python has it: ends are counted from the end where they are negative,
// and brought into the axis.
static enum error shape_slice(struct plan *plan, struct plan_value *value,
                              const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t first = 0, last = 0, step = 1;
    enum error error = take_axis(plan, e->operand[1], from->rank, &value->own[0], diagnostic);
    if (!error)
        error = plan_integer(plan, e->operand[2], &first, diagnostic);
    if (!error)
        error = plan_integer(plan, e->operand[3], &last, diagnostic);
    if (!error && e->count > 4)
        error = plan_integer(plan, e->operand[4], &step, diagnostic);
    if (error)
        return error;
    if (step == 0)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "a slice of step 0");
    value->rank = from->rank;
    memcpy(value->size, from->size, sizeof value->size);
    const int64_t size = (int64_t)from->size[value->own[0]], low = step > 0 ? 0 : -1,
                  high = step > 0 ? size : size - 1;
    first += first < 0 ? size : 0;
    last += last < 0 ? size : 0;
    first = first < low ? low : first > high ? high : first;
    last = last < low ? low : last > high ? high : last;
    const int64_t span = step > 0 ? last - first : first - last, stride = step > 0 ? step : -step;
    value->size[value->own[0]] = span > 0 ? (uint64_t)((span + stride - 1) / stride) : 0;
    value->own[1] = first;
    value->own[2] = step;
    return ERROR_NONE;
}

static enum error shape_concat(struct plan *plan, struct plan_value *value,
                               const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const first = plan_operand(plan, value, 1);
    const enum error error =
        take_axis(plan, e->operand[0], first->rank, &value->own[0], diagnostic);
    if (error)
        return error;
    value->rank = first->rank;
    memcpy(value->size, first->size, sizeof value->size);
    for (unsigned o = 2; o < e->count; o++) {
        const struct plan_value *const next = plan_operand(plan, value, o);
        bool fits = next->rank == value->rank;
        for (unsigned i = 0; fits && i < value->rank; i++)
            fits = i == (unsigned)value->own[0] || next->size[i] == value->size[i];
        if (!fits)
            return refuse("concat", next, value, diagnostic);
        value->size[value->own[0]] += next->size[value->own[0]];
    }
    return ERROR_NONE;
}

// One whole number for each axis that pad names; one alone stands for all.
static enum error take_pads(struct plan *plan, uint16_t expression, unsigned count, int64_t least,
                            int64_t *to, struct diagnostic *diagnostic)
{
    unsigned given = 0;
    const enum error error =
        plan_integers(plan, expression, GRAPH_RANK_MAX, to, &given, diagnostic);
    if (error)
        return error;
    for (unsigned i = given; i < count && given == 1; i++)
        to[i] = to[0];
    bool right = given == count || given == 1;
    for (unsigned i = 0; i < count && right; i++)
        right = to[i] >= least && to[i] <= PAD_MAX && to[i] >= -PAD_MAX;
    return right ? ERROR_NONE
                 : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "pad takes a whole number for each of %u axes, a spread of at "
                                   "least 1",
                                   count);
}

// own: of each axis `before`, then of each its spread, 0 where it is not padded. Elements are put
// `spread` apart, and `before` and `after` added, or taken away.
static enum error shape_pad(struct plan *plan, struct plan_value *value,
                            const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0);
    int64_t axis[GRAPH_RANK_MAX], before[GRAPH_RANK_MAX], after[GRAPH_RANK_MAX],
        spread[GRAPH_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    unsigned count = 0;
    enum error error = plan_integers(plan, e->operand[1], GRAPH_RANK_MAX, axis, &count, diagnostic);
    if (!error)
        error = take_pads(plan, e->operand[2], count, -PAD_MAX, before, diagnostic);
    if (!error)
        error = take_pads(plan, e->operand[3], count, -PAD_MAX, after, diagnostic);
    if (!error && e->count > 5)
        error = take_pads(plan, e->operand[5], count, 1, spread, diagnostic);
    value->rank = from->rank;
    memcpy(value->size, from->size, sizeof value->size);
    for (unsigned i = 0; i < count && !error; i++) {
        const int64_t rank = (int64_t)from->rank, at = axis[i] + (axis[i] < 0 ? rank : 0);
        if (at < 0 || at >= rank || value->own[GRAPH_RANK_MAX + at])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "pad names axis %" PRId64 " twice, or outside the %u dimensions "
                                   "there are",
                                   axis[i], from->rank);
        const int64_t length = from->size[at] <= PAD_MAX ? (int64_t)from->size[at] : -1,
                      size = (length > 0 ? (length - 1) * spread[i] + 1 : 0) + before[i] + after[i];
        if (size < 0 || length < 0 || (e->count > 4 && plan_operand(plan, value, 4)->count != 1))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "pad takes one value, and no more away than there is");
        value->size[at] = (uint64_t)size;
        value->own[at] = before[i];
        value->own[GRAPH_RANK_MAX + at] = spread[i];
    }
    return error;
}

// own: axis.
static enum error shape_gather(struct plan *plan, struct plan_value *value,
                               const struct graph_expression *e, struct diagnostic *diagnostic)
{
    const struct plan_value *const from = plan_operand(plan, value, 0), *const indices =
                                                                            plan_operand(plan,
                                                                                         value, 1);
    const enum error error = take_axis(plan, e->operand[2], from->rank, &value->own[0], diagnostic);
    if (error)
        return error;
    if (indices->kind != PLAN_STORED || dtype_kind(indices->type) == DTYPE_KIND_FLOAT ||
        indices->rank + from->rank - 1 > GRAPH_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "the indices of gather are an input or a node of an integer type");
    const unsigned axis = (unsigned)value->own[0];
    value->rank = 0;
    for (unsigned i = 0; i < axis; i++)
        value->size[value->rank++] = from->size[i];
    for (unsigned i = 0; i < indices->rank; i++)
        value->size[value->rank++] = indices->size[i];
    for (unsigned i = axis + 1; i < from->rank; i++)
        value->size[value->rank++] = from->size[i];
    return ERROR_NONE;
}

enum error plan_shape_movement(struct plan *plan, struct plan_value *value,
                               struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    value->kind = PLAN_KEPT;
    if (e->op == WORD_IOTA) {
        int64_t sizes[GRAPH_RANK_MAX];
        value->natural = DTYPE_I64;
        enum error error = take_sizes(plan, e->operand[0], value, sizes, diagnostic);
        for (unsigned i = 0; i < value->rank && !error; i++)
            if (sizes[i] < 0)
                error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "iota of a size -1");
        return error ? error
                     : take_axis(plan, e->operand[1], value->rank, &value->own[0], diagnostic);
    }
    value->natural = plan_operand(plan, value, e->op == WORD_CONCAT)->natural;
    switch (e->op) {
    case WORD_RESHAPE:
        return shape_reshape(plan, value, e->operand[1], diagnostic);
    case WORD_SQUEEZE:
        return shape_squeeze(plan, value, e->operand[1], diagnostic);
    case WORD_UNSQUEEZE:
        return shape_unsqueeze(plan, value, e->operand[1], diagnostic);
    case WORD_SPLIT:
        return shape_split(plan, value, e, diagnostic);
    case WORD_JOIN:
        return shape_join(plan, value, e, diagnostic);
    case WORD_TRANSPOSE:
        return shape_transpose(plan, value, e, diagnostic);
    case WORD_BROADCAST:
        return shape_broadcast(plan, value, e->operand[1], diagnostic);
    case WORD_SLICE:
        return shape_slice(plan, value, e, diagnostic);
    case WORD_CONCAT:
        return shape_concat(plan, value, e, diagnostic);
    case WORD_PAD:
        return shape_pad(plan, value, e, diagnostic);
    case WORD_WINDOWS:
        return movement_shape_windows(plan, value, diagnostic);
    case WORD_SEEN_BY:
        return movement_shape_seen_by(plan, value, diagnostic);
    default:
        return shape_gather(plan, value, e, diagnostic);
    }
}

// ---- elements ---------------------------------------------------------------

static int64_t gathered(const struct plan_value *from, const struct plan_value *indices,
                        unsigned axis, uint64_t place)
{
    const struct tensor tensor = {.dtype = indices->type, .data = (void *)(uintptr_t)indices->data};
    const int64_t index = operation_load_integer(&tensor, place);
    return index < 0 ? index + (int64_t)from->size[axis] : index;
}

enum error movement_check(const struct plan *plan, const struct plan_value *value,
                          struct diagnostic *diagnostic)
{
    if (plan_op(plan, value) != WORD_GATHER)
        return ERROR_NONE;
    const struct plan_value *const from = plan_operand(plan, value, 0), *const indices =
                                                                            plan_operand(plan,
                                                                                         value, 1);
    const unsigned axis = (unsigned)value->own[0];
    for (uint64_t i = 0; i < indices->count; i++) {
        const int64_t index = gathered(from, indices, axis, i);
        if (index < 0 || index >= (int64_t)from->size[axis])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "an index of gather is outside the %" PRIu64
                                   " elements of axis %u",
                                   from->size[axis], axis);
    }
    return ERROR_NONE;
}

static void find_gathered(const struct plan *plan, const struct plan_value *value,
                          const uint64_t *at, struct movement_source *source)
{
    const struct plan_value *const from = source->operand, *const indices =
                                                               plan_operand(plan, value, 1);
    const unsigned axis = (unsigned)value->own[0];
    memcpy(source->at, at, axis * sizeof *at);
    source->at[axis] = (uint64_t)gathered(from, indices, axis, movement_index(indices, at + axis));
    for (unsigned i = axis + 1; i < from->rank; i++)
        source->at[i] = at[i + indices->rank - 1];
}

static void find_concatenated(const struct plan *plan, const struct plan_value *value,
                              const uint64_t *at, struct movement_source *source)
{
    const unsigned axis = (unsigned)value->own[0];
    unsigned o = 1;
    memcpy(source->at, at, value->rank * sizeof *at);
    source->operand = plan_operand(plan, value, o);
    while (source->at[axis] >= source->operand->size[axis]) {
        source->at[axis] -= source->operand->size[axis];
        source->operand = plan_operand(plan, value, ++o);
    }
}

static void find_padded(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                        struct movement_source *source)
{
    bool inside = true;
    memcpy(source->at, at, value->rank * sizeof *at);
    for (unsigned i = 0; i < value->rank; i++) {
        const int64_t spread = value->own[GRAPH_RANK_MAX + i],
                      place = (int64_t)at[i] - value->own[i];
        if (!spread)
            continue;
        source->at[i] = (uint64_t)(place / spread);
        inside =
            inside && place >= 0 && place % spread == 0 && source->at[i] < source->operand->size[i];
    }
    if (inside)
        return;
    memset(source->at, 0, sizeof source->at);
    source->operand = plan_operands(plan, value) > 4 ? plan_operand(plan, value, 4) : NULL;
    source->number = 0;
}

void movement_find(const struct plan *plan, const struct plan_value *value, const uint64_t *at,
                   struct movement_source *source)
{
    const enum word_op op = plan_op(plan, value);
    source->operand = op == WORD_IOTA ? NULL : plan_operand(plan, value, op == WORD_CONCAT ? 1 : 0);
    const struct plan_value *const from = source->operand;
    switch (op) {
    case WORD_IOTA:
        source->number = (double)at[value->own[0]];
        break;
    case WORD_RESHAPE:
    case WORD_SQUEEZE:
    case WORD_UNSQUEEZE:
    case WORD_SPLIT:
    case WORD_JOIN:
        movement_place(from->rank, from->size, movement_index(value, at), source->at);
        break;
    case WORD_TRANSPOSE:
        for (unsigned i = 0; i < value->rank; i++)
            source->at[value->own[i]] = at[i];
        break;
    case WORD_BROADCAST:
        movement_align(from, value->rank, at, source->at);
        break;
    case WORD_SLICE:
        memcpy(source->at, at, value->rank * sizeof *at);
        source->at[value->own[0]] =
            (uint64_t)(value->own[1] + (int64_t)at[value->own[0]] * value->own[2]);
        break;
    case WORD_CONCAT:
        find_concatenated(plan, value, at, source);
        break;
    case WORD_PAD:
        find_padded(plan, value, at, source);
        break;
    case WORD_WINDOWS:
        movement_find_window(plan, value, at, source);
        break;
    case WORD_SEEN_BY:
        movement_find_seen_by(plan, value, at, source);
        break;
    default:
        assert(op == WORD_GATHER);
        find_gathered(plan, value, at, source);
    }
}
