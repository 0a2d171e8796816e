// SPDX-License-Identifier: Apache-2.0
// Lenses of onednn.rnn, generated: a mistake is an action on one axis of some tensors.

#include "ref/variant/onednn_rnn.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn_rnn.h"

enum action { ROTATE, REVERSE, CLEAR, NEGATE };

// What an option does: an action on an axis (counted from the front) of inputs first..last, as far as they are present.
struct mistake {
    enum action action;
    unsigned axis, first, last;
};

static void move_lines(const struct mistake *mistake, const struct tensor *from, char *to, uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    uint64_t inner = 1;
    for (unsigned d = mistake->axis + 1; d < from->rank; d++)
        inner *= from->shape[d];
    const uint64_t length = from->shape[mistake->axis];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i / inner % length;
        const uint64_t source = mistake->action == ROTATE ? (at + 1) % length : length - 1 - at;
        memcpy(to + i * size, (const char *)from->data + (i - at * inner + source * inner) * size, size);
    }
}

static void negate(const struct tensor *from, char *to, uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    const bool is_float = dtype_kind(from->dtype) == DTYPE_KIND_FLOAT;
    memcpy(to, from->data, count * size);
    for (uint64_t i = 0; i < count && is_float; i++)
        element_store(to, size, i, num_negate(from->dtype, element_load(from->data, size, i)));
}

static enum error make_mistake(const struct mistake *mistake, struct tensor *tensor, struct arena *arena,
                               struct diagnostic *diagnostic)
{
    size_t bytes;
    uint64_t count;
    if (!tensor_present(tensor) || !tensor->data || !tensor_count(tensor, &count) || !count || !tensor_bytes(tensor, &bytes) ||
        (mistake->action <= REVERSE && mistake->axis >= tensor->rank))
        return ERROR_NONE;
    char *const data = arena_take(arena, bytes);
    if (!data)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (mistake->action <= REVERSE)
        move_lines(mistake, tensor, data, count);
    else if (mistake->action == NEGATE)
        negate(tensor, data, count);
    tensor->data = data; // CLEAR: the arena's memory is zero
    return ERROR_NONE;
}

static enum error change_inputs(const struct mistake *mistake, struct request *request, struct arena *arena,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = mistake->first; i <= mistake->last && !error; i++)
        error = make_mistake(mistake, &request->input[i], arena, diagnostic);
    return error;
}

// Each choice: its options from 1 on.
#define LENS(name, ...)                                                                                                        \
    RNN_LENS_FUNCTIONS(name)                                                                                                   \
    {                                                                                                                          \
        static const struct mistake mistakes[] = {__VA_ARGS__};                                                                \
        return change_inputs(&mistakes[option - 1], request, arena, diagnostic);                                               \
    }

LENS(gates, {ROTATE, 3, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_ITER}, {REVERSE, 3, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_ITER})
LENS(bias_gates, {ROTATE, 2, RNN_BIAS, RNN_BIAS}, {REVERSE, 2, RNN_BIAS, RNN_BIAS})
LENS(weights_layer, {ROTATE, 2, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER}, {REVERSE, 2, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER},
     {ROTATE, 4, RNN_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER})
LENS(weights_iter, {ROTATE, 2, RNN_WEIGHTS_ITER, RNN_WEIGHTS_ITER}, {REVERSE, 2, RNN_WEIGHTS_ITER, RNN_WEIGHTS_ITER},
     {ROTATE, 4, RNN_WEIGHTS_ITER, RNN_WEIGHTS_ITER})
LENS(weights_peephole, {CLEAR, 0, RNN_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE},
     {ROTATE, 2, RNN_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE}, {ROTATE, 3, RNN_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE})
LENS(weights_projection, {ROTATE, 2, RNN_WEIGHTS_PROJECTION, RNN_WEIGHTS_PROJECTION},
     {ROTATE, 3, RNN_WEIGHTS_PROJECTION, RNN_WEIGHTS_PROJECTION})
LENS(bias, {CLEAR, 0, RNN_BIAS, RNN_BIAS}, {ROTATE, 3, RNN_BIAS, RNN_BIAS}, {NEGATE, 0, RNN_BIAS, RNN_BIAS})
LENS(src_layer, {ROTATE, 1, RNN_SRC_LAYER, RNN_SRC_LAYER}, {REVERSE, 0, RNN_SRC_LAYER, RNN_SRC_LAYER},
     {ROTATE, 2, RNN_SRC_LAYER, RNN_SRC_LAYER})
LENS(src_iter, {CLEAR, 0, RNN_SRC_ITER, RNN_SRC_ITER}, {ROTATE, 2, RNN_SRC_ITER, RNN_SRC_ITER},
     {ROTATE, 3, RNN_SRC_ITER, RNN_SRC_ITER})
LENS(src_iter_c, {CLEAR, 0, RNN_SRC_ITER_C, RNN_SRC_ITER_C}, {ROTATE, 2, RNN_SRC_ITER_C, RNN_SRC_ITER_C},
     {ROTATE, 3, RNN_SRC_ITER_C, RNN_SRC_ITER_C})
LENS(attention, {CLEAR, 0, RNN_ATTENTION, RNN_ATTENTION}, {ROTATE, 1, RNN_ATTENTION, RNN_ATTENTION},
     {NEGATE, 0, RNN_ATTENTION, RNN_ATTENTION})
LENS(layers, {ROTATE, 0, RNN_WEIGHTS_LAYER, RNN_BIAS})
LENS(directions, {ROTATE, 1, RNN_WEIGHTS_LAYER, RNN_BIAS})
LENS(diff_dst_layer, {CLEAR, 0, RNN_DIFF_DST_LAYER, RNN_DIFF_DST_LAYER}, {ROTATE, 1, RNN_DIFF_DST_LAYER, RNN_DIFF_DST_LAYER},
     {NEGATE, 0, RNN_DIFF_DST_LAYER, RNN_DIFF_DST_LAYER})
LENS(diff_dst_iter, {CLEAR, 0, RNN_DIFF_DST_ITER, RNN_DIFF_DST_ITER_C}, {ROTATE, 2, RNN_DIFF_DST_ITER, RNN_DIFF_DST_ITER_C},
     {NEGATE, 0, RNN_DIFF_DST_ITER, RNN_DIFF_DST_ITER_C})
LENS(initial, {CLEAR, 0, RNN_INITIAL_WEIGHTS_LAYER, RNN_INITIAL_BIAS}, {NEGATE, 0, RNN_INITIAL_WEIGHTS_LAYER, RNN_INITIAL_BIAS})

static enum error change_outputs(const struct mistake *mistake, struct tensor *tensor, struct arena *arena,
                                 struct diagnostic *diagnostic)
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

enum error rnn_lens_dst_layer(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                              struct diagnostic *diagnostic)
{
    static const struct mistake mistakes[] = {{REVERSE, 0, RNN_DST_LAYER, RNN_DST_LAYER},
                                              {ROTATE, 1, RNN_DST_LAYER, RNN_DST_LAYER},
                                              {ROTATE, 2, RNN_DST_LAYER, RNN_DST_LAYER}};
    (void)request;
    return change_outputs(&mistakes[option - 1], tensor, arena, diagnostic);
}

enum error rnn_lens_dst_iter(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    static const struct mistake mistakes[] = {{ROTATE, 0, RNN_DST_ITER, RNN_DST_ITER_C},
                                              {ROTATE, 1, RNN_DST_ITER, RNN_DST_ITER_C},
                                              {ROTATE, 2, RNN_DST_ITER, RNN_DST_ITER_C}};
    (void)request;
    return change_outputs(&mistakes[option - 1], tensor, arena, diagnostic);
}
