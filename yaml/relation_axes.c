// SPDX-License-Identifier: Apache-2.0
// Which axes of which tensors are rows, time and directions, and which outputs hand a state or a
// sum on, stands in tables. All else is cutting and joining along an axis.

#include "yaml/relation_axes.h"

#include <assert.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/variant/variant.h"

// ---- tables -----------------------------------------------------------------

// An axis of an input or output that has this rank: its place, and that where the attribute
// `layout` is 1.
struct axis {
    const char *tensor;
    unsigned rank, at, at_layout_1;
};

static const struct axis
    words_rows[] = {{"counter", 2, 0, 0}, {"key", 2, 0, 0}, {"output", 2, 0, 0}, {NULL, 0, 0, 0}},
    primitive_rows[] =
        {{"src_layer", 3, 1, 1},       {"src_iter", 4, 2, 2},       {"src_iter_c", 4, 2, 2},
         {"attention", 3, 1, 1},       {"diff_dst_layer", 3, 1, 1}, {"diff_dst_iter", 4, 2, 2},
         {"diff_dst_iter_c", 4, 2, 2}, {"dst_layer", 3, 1, 1},      {"dst_iter", 4, 2, 2},
         {"dst_iter_c", 4, 2, 2},      {"diff_src_layer", 3, 1, 1}, {"diff_src_iter", 4, 2, 2},
         {"diff_src_iter_c", 4, 2, 2}, {"diff_attention", 3, 1, 1}, {NULL, 0, 0, 0}},
    onnx_rows[] = {{"X", 3, 1, 0},         {"sequence_lens", 1, 0, 0},
                   {"initial_h", 3, 1, 0}, {"initial_c", 3, 1, 0},
                   {"Y", 4, 2, 0},         {"Y_h", 3, 1, 0},
                   {"Y_c", 3, 1, 0},       {NULL, 0, 0, 0}},
    onnx_directions[] = {{"W", 3, 0, 0}, {"R", 3, 0, 0},         {"B", 2, 0, 0},
                         {"P", 2, 0, 0}, {"initial_h", 3, 0, 1}, {"initial_c", 3, 0, 1},
                         {"Y", 4, 1, 2}, {"Y_h", 3, 0, 1},       {"Y_c", 3, 0, 1},
                         {NULL, 0, 0, 0}};

// Sums over all rows, which an operation adds to its input of the same name.
static const char *const primitive_sums[] = {
    "diff_weights_layer",      "diff_weights_iter", "diff_weights_peephole",
    "diff_weights_projection", "diff_bias",         NULL};

static const struct sequence
    primitive_sequence = {{"src_layer", "attention"},
                          NULL,
                          NULL,
                          "dst_layer",
                          {{"dst_iter", "src_iter"}, {"dst_iter_c", "src_iter_c"}}},
    onnx_sequence = {{"X"},
                     "sequence_lens",
                     NULL,
                     "Y",
                     {{"Y_h", "initial_h"}, {"Y_c", "initial_c"}}},
    directml_sequence = {{NULL}, NULL, "output_sizes", "output", {{"output_state", "input_state"}}},
    numpy_sequence = {{NULL}, NULL, "count", "output", {{"counter", "counter"}}};

static const struct {
    const char *operation;
    const struct axis *rows, *directions; // NULL: none
    const char *const *sums;              // NULL: none
    const struct sequence *sequence;      // NULL: it does not go on where it stopped
} table[] = {
    {"philox", words_rows, NULL, NULL, NULL},
    {"threefry", words_rows, NULL, NULL, NULL},
    {"onednn.rnn", primitive_rows, NULL, primitive_sums, &primitive_sequence},
    {"onnx.rnn", onnx_rows, onnx_directions, NULL, &onnx_sequence},
    {"onnx.gru", onnx_rows, onnx_directions, NULL, &onnx_sequence},
    {"onnx.lstm", onnx_rows, onnx_directions, NULL, &onnx_sequence},
    {"directml.random_generator", NULL, NULL, NULL, &directml_sequence},
    {"numpy.philox", NULL, NULL, NULL, &numpy_sequence},
};
enum { TABLE = sizeof table / sizeof *table };

// An attribute that has an operation overwrite its sums.
static const char overwrites[] = "diff_weights_overwrite";

// The row of the operation, TABLE where it has none.
static size_t find_operation(const struct operation *operation)
{
    size_t i = 0;
    while (i < TABLE && strcmp(table[i].operation, operation->name) != 0)
        i++;
    return i;
}

static bool is_batch_first(const struct request *request)
{
    const int layout = operation_attribute(request->operation, "layout");
    return layout >= 0 && request->attribute[layout].integer != 0;
}

static int find_axis(const struct axis *axis, const struct request *request, const char *name,
                     const struct tensor *tensor)
{
    for (; axis && axis->tensor; axis++)
        if (!strcmp(axis->tensor, name) && axis->rank == tensor->rank)
            return (int)(is_batch_first(request) ? axis->at_layout_1 : axis->at);
    return -1;
}

int relation_row_axis(const struct request *request, const char *name, const struct tensor *tensor)
{
    const size_t i = find_operation(request->operation);
    return i == TABLE ? -1 : find_axis(table[i].rows, request, name, tensor);
}

int relation_direction_axis(const struct request *request, const char *name,
                            const struct tensor *tensor)
{
    const size_t i = find_operation(request->operation);
    return i == TABLE ? -1 : find_axis(table[i].directions, request, name, tensor);
}

unsigned relation_time_axis(const struct request *request, const struct sequence *sequence,
                            const struct tensor *tensor)
{
    return sequence->size ? tensor->rank - 1 : is_batch_first(request);
}

bool relation_is_row_sum(const struct operation *operation, const char *name)
{
    const size_t i = find_operation(operation);
    for (const char *const *sum = i == TABLE ? NULL : table[i].sums; sum && *sum; sum++)
        if (!strcmp(*sum, name))
            return true;
    return false;
}

const struct sequence *relation_sequence_of(const struct operation *operation)
{
    const size_t i = find_operation(operation);
    return i == TABLE ? NULL : table[i].sequence;
}

// ---- cutting and joining ----------------------------------------------------

enum error relation_does_not_fit(const struct suite_case *of, const char *why,
                                 struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "case %s, agrees: %s", of->id, why);
}

// Bytes that belong to one index of the axis, and how often they come.
static bool measure(const struct tensor *tensor, unsigned axis, size_t *inner, size_t *outer)
{
    *inner = dtype_size(tensor->dtype);
    *outer = 1;
    for (unsigned d = 0; d < tensor->rank; d++)
        if (d != axis && !size_multiply(d < axis ? *outer : *inner, (size_t)tensor->shape[d],
                                        d < axis ? outer : inner))
            return false;
    return true;
}

// Copies `count` indices of the axis of `from`, numbers[i] or first + i, to index `to_first` of
// `to`, whose data are there.
static void copy_along(const struct tensor *from, unsigned axis, const uint64_t *numbers,
                       uint64_t first, uint64_t count, const struct tensor *to, uint64_t to_first)
{
    size_t inner, outer;
    if (!measure(from, axis, &inner, &outer) || !inner)
        return;
    for (size_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t index = numbers ? numbers[i] : first + i;
            memcpy((char *)to->data + (o * to->shape[axis] + to_first + i) * inner,
                   (const char *)from->data + (o * from->shape[axis] + index) * inner, inner);
        }
}

enum error relation_take_along(const struct tensor *from, unsigned axis, const uint64_t *numbers,
                               uint64_t first, uint64_t count, struct arena *arena,
                               struct tensor *to, struct diagnostic *diagnostic)
{
    assert(axis < from->rank);
    struct tensor tensor = *from;
    size_t bytes = 0;
    tensor.shape[axis] = count;
    tensor.data = NULL;
    if (from->data &&
        (!tensor_bytes(&tensor, &bytes) || !(tensor.data = arena_take(arena, bytes + 1))))
        return diagnostic_no_memory(diagnostic);
    if (from->data)
        copy_along(from, axis, numbers, first, count, &tensor, 0);
    *to = tensor;
    return ERROR_NONE;
}

void relation_find_piece(const struct suite_case *of, uint64_t length, size_t position,
                         uint64_t *first, uint64_t *count)
{
    *first = position ? of->relation.numbers[position - 1] : 0;
    *count = (position < of->relation.count ? of->relation.numbers[position] : length) - *first;
}

enum error relation_check_cuts(const struct suite_case *of, uint64_t length, const char *why,
                               struct diagnostic *diagnostic)
{
    uint64_t before = 0;
    for (size_t i = 0; i <= of->relation.count; i++) {
        const uint64_t at = i < of->relation.count ? of->relation.numbers[i] : length;
        if (at <= before)
            return relation_does_not_fit(of, why, diagnostic);
        before = at;
    }
    return ERROR_NONE;
}

enum error relation_join_along(const struct suite_case *of, const struct tensor *whole,
                               unsigned axis, const struct tensor *piece, bool back,
                               struct arena *arena, struct tensor *to,
                               struct diagnostic *diagnostic)
{
    const size_t count = of->relation.count + 1;
    size_t bytes = 0;
    *to = *whole;
    to->data = tensor_bytes(whole, &bytes) ? arena_take(arena, bytes + 1) : NULL;
    if (!to->data)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        const struct tensor *const from =
            &piece[(back ? count - 1 - i : i) * OPERATION_OUTPUTS_MAX];
        uint64_t first, length;
        relation_find_piece(of, whole->shape[axis], i, &first, &length);
        if (from->rank != whole->rank || from->shape[axis] != length)
            return relation_does_not_fit(
                of, "the output of a piece does not have the shape of its part of the whole",
                diagnostic);
        copy_along(from, axis, NULL, 0, length, to, first);
    }
    return ERROR_NONE;
}

enum error relation_hand_sums_on(const struct request *whole, const struct tensor *before,
                                 struct request *part, struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const int overwrite = operation_attribute(operation, overwrites);
    struct inference inference = {0};
    const enum error error = variant_infer(whole, &inference, diagnostic);
    for (unsigned i = 0; operation->outputs[i] && !error; i++)
        if (relation_is_row_sum(operation, operation->outputs[i]) &&
            tensor_present(&inference.output[i]))
            part->input[operation_input(operation, operation->outputs[i])] =
                before ? before[i] : inference.output[i];
    if (overwrite >= 0)
        part->attribute[overwrite].integer = 0;
    return error;
}
