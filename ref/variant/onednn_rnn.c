// SPDX-License-Identifier: Apache-2.0
// Lenses of onednn.rnn, generated: a mistake is an action on one axis of some tensors.

#include "ref/variant/onednn_rnn.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn.h"

// NEGATE_LINE + k: line k of the axis.
enum action { ROTATE, REVERSE, CLEAR, NEGATE, DOUBLE, NEGATE_LINE };

// What an option does: an action on an axis (counted from the front) of inputs first..last, as far
// as they are present.
struct mistake {
    unsigned action; // enum action
    unsigned axis, first, last;
};

static void move_lines(const struct mistake *mistake, const struct tensor *from, char *to,
                       uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    uint64_t inner = 1;
    for (unsigned d = mistake->axis + 1; d < from->rank; d++)
        inner *= from->shape[d];
    const uint64_t length = from->shape[mistake->axis];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i / inner % length;
        const uint64_t source = mistake->action == ROTATE ? (at + 1) % length : length - 1 - at;
        memcpy(to + i * size, (const char *)from->data + (i - at * inner + source * inner) * size,
               size);
    }
}

// Floats alone: integers that are quantised have no number of opposite sign for each.
static void change_values(const struct mistake *mistake, const struct tensor *from, char *to,
                          uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    const bool is_float = dtype_kind(from->dtype) == DTYPE_KIND_FLOAT,
               lines = mistake->action >= NEGATE_LINE;
    uint64_t inner = 1;
    for (unsigned d = mistake->axis + 1; d < from->rank; d++)
        inner *= from->shape[d];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(from->data, size, i);
        const bool meant = is_float && (!lines || i / inner % from->shape[mistake->axis] ==
                                                      mistake->action - NEGATE_LINE);
        element_store(to, size, i,
                      !meant ? bits
                      : mistake->action == DOUBLE
                          ? num_from_double(from->dtype, 2 * num_to_double(from->dtype, bits))
                          : num_negate(from->dtype, bits));
    }
}

static enum error make_mistake(const struct mistake *mistake, struct tensor *tensor,
                               struct arena *arena, struct diagnostic *diagnostic)
{
    size_t bytes;
    uint64_t count;
    if (!tensor_present(tensor) || !tensor->data || !tensor_count(tensor, &count) || !count ||
        !tensor_bytes(tensor, &bytes) || mistake->axis >= tensor->rank)
        return ERROR_NONE;
    char *const data = arena_take(arena, bytes);
    if (!data)
        return diagnostic_no_memory(diagnostic);
    if (mistake->action <= REVERSE)
        move_lines(mistake, tensor, data, count);
    else if (mistake->action != CLEAR)
        change_values(mistake, tensor, data, count);
    tensor->data = data; // CLEAR: the arena's memory is zero
    return ERROR_NONE;
}

static enum error change_inputs(const struct mistake *mistake, struct request *request,
                                struct arena *arena, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = mistake->first; i <= mistake->last && !error; i++)
        error = make_mistake(mistake, &request->input[i], arena, diagnostic);
    return error;
}

// Each choice: its options from 1 on, as its list gives them.
struct act {
    unsigned action, axis;
};
#define ACT(name, action, axis) {action, axis},
#define ON_INPUTS(name, from, to, ...)                                                             \
    RNN_LENS_FUNCTIONS(name)                                                                       \
    {                                                                                              \
        static const struct act acts[] = {__VA_ARGS__};                                            \
        const struct mistake mistake = {acts[option - 1].action, acts[option - 1].axis, from, to}; \
        return change_inputs(&mistake, request, arena, diagnostic);                                \
    }

ON_INPUTS(gates, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_ITER, RNN_GATES_LIST(ACT, 3))
ON_INPUTS(bias_gates, RNN_BIAS, RNN_BIAS, RNN_GATES_LIST(ACT, 2))
ON_INPUTS(weights_layer, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER, RNN_MATRIX_LIST(ACT))
ON_INPUTS(weights_iter, RNN_WEIGHTS_ITER, RNN_WEIGHTS_ITER, RNN_MATRIX_LIST(ACT))
ON_INPUTS(weights_peephole, RNN_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE, RNN_ROWS_LIST(ACT))
ON_INPUTS(weights_projection, RNN_WEIGHTS_PROJECTION, RNN_WEIGHTS_PROJECTION, RNN_ROWS_LIST(ACT))
ON_INPUTS(bias, RNN_BIAS, RNN_BIAS, RNN_ROWS_LIST(ACT))
ON_INPUTS(src_layer, RNN_SRC_LAYER, RNN_SRC_LAYER, RNN_SEQUENCE_LIST(ACT))
ON_INPUTS(src_iter, RNN_SRC_ITER, RNN_SRC_ITER, RNN_STATE_LIST(ACT))
ON_INPUTS(src_iter_c, RNN_SRC_ITER_C, RNN_SRC_ITER_C, RNN_STATE_LIST(ACT))
ON_INPUTS(attention, RNN_ATTENTION, RNN_ATTENTION, RNN_ATTENTION_LIST(ACT))
ON_INPUTS(layers, RNN_WEIGHTS_LAYER, RNN_BIAS, RNN_STACK_LIST(ACT, 0))
ON_INPUTS(directions, RNN_WEIGHTS_LAYER, RNN_BIAS, RNN_STACK_LIST(ACT, 1))
ON_INPUTS(diff_dst_layer, RNN_DIFF_DST_LAYER, RNN_DIFF_DST_LAYER, RNN_SEQUENCE_LIST(ACT))
ON_INPUTS(diff_dst_iter, RNN_DIFF_DST_ITER, RNN_DIFF_DST_ITER_C, RNN_STATE_LIST(ACT))
ON_INPUTS(diff_dst_iter_c, RNN_DIFF_DST_ITER_C, RNN_DIFF_DST_ITER_C, RNN_STATE_LIST(ACT))
ON_INPUTS(initial, RNN_INITIAL_WEIGHTS_LAYER, RNN_INITIAL_BIAS, RNN_INITIAL_LIST(ACT))

static enum error change_outputs(const struct mistake *mistake, struct tensor *tensor,
                                 struct arena *arena, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = mistake->first; i <= mistake->last && !error; i++) {
        struct tensor changed = tensor[i];
        size_t bytes;
        error = make_mistake(mistake, &changed, arena, diagnostic);
        if (!error && changed.data != tensor[i].data && tensor_bytes(&changed, &bytes))
            memcpy(tensor[i].data, changed.data, bytes);
    }
    return error;
}

#define ON_OUTPUTS(name, from, to, ...)                                                            \
    RNN_LENS_RESULT(name)                                                                          \
    {                                                                                              \
        static const struct act acts[] = {__VA_ARGS__};                                            \
        const struct mistake mistake = {acts[option - 1].action, acts[option - 1].axis, from, to}; \
        (void)request;                                                                             \
        return change_outputs(&mistake, tensor, arena, diagnostic);                                \
    }

ON_OUTPUTS(dst_layer, RNN_DST_LAYER, RNN_DST_LAYER, RNN_SEQUENCE_LIST(ACT))
ON_OUTPUTS(dst_iter, RNN_DST_ITER, RNN_DST_ITER_C, RNN_STATE_LIST(ACT))
ON_OUTPUTS(diff_src_layer, RNN_DIFF_SRC_LAYER, RNN_DIFF_SRC_LAYER, RNN_SEQUENCE_LIST(ACT))
ON_OUTPUTS(diff_src_iter, RNN_DIFF_SRC_ITER, RNN_DIFF_SRC_ITER_C, RNN_STATE_LIST(ACT))
ON_OUTPUTS(diff_attention, RNN_DIFF_ATTENTION, RNN_DIFF_ATTENTION, RNN_ATTENTION_LIST(ACT))
ON_OUTPUTS(diff_weights_layer, RNN_DIFF_WEIGHTS_LAYER, RNN_DIFF_WEIGHTS_LAYER, RNN_MATRIX_LIST(ACT))
ON_OUTPUTS(diff_weights_iter, RNN_DIFF_WEIGHTS_ITER, RNN_DIFF_WEIGHTS_ITER, RNN_MATRIX_LIST(ACT))
ON_OUTPUTS(diff_weights_peephole, RNN_DIFF_WEIGHTS_PEEPHOLE, RNN_DIFF_WEIGHTS_PEEPHOLE,
           RNN_ROWS_LIST(ACT))
ON_OUTPUTS(diff_weights_projection, RNN_DIFF_WEIGHTS_PROJECTION, RNN_DIFF_WEIGHTS_PROJECTION,
           RNN_ROWS_LIST(ACT))
ON_OUTPUTS(diff_bias, RNN_DIFF_BIAS, RNN_DIFF_BIAS, RNN_ROWS_LIST(ACT))
