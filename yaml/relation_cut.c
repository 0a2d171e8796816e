// SPDX-License-Identifier: Apache-2.0
// Rows alone, a batch in pieces, and what two whole answers have in common.

#include "yaml/relation_cut.h"

#include "yaml/relation_axes.h"

// ---- rows -------------------------------------------------------------------

// How many rows the request has; 0: none that could be asked for alone.
static uint64_t count_rows(const struct request *request)
{
    const struct operation *const operation = request->operation;
    for (unsigned i = 0; i < operation->input_count; i++) {
        const int axis = relation_row_axis(request, operation->inputs[i].name, &request->input[i]);
        if (tensor_present(&request->input[i]) && axis >= 0)
            return request->input[i].shape[axis];
    }
    return 0;
}

enum error relation_cut_rows(const struct suite_case *of, struct arena *arena, struct request *part,
                             struct diagnostic *diagnostic)
{
    const struct operation *const operation = part->operation;
    const uint64_t rows = count_rows(part);
    enum error error = ERROR_NONE;
    if (!rows)
        return relation_does_not_fit(of, "the request has no input with rows", diagnostic);
    for (size_t i = 0; i < of->relation.count; i++)
        if (of->relation.numbers[i] >= rows)
            return relation_does_not_fit(of, "it names a row that the request does not have",
                                         diagnostic);
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        struct tensor *const input = &part->input[i];
        const int axis = relation_row_axis(part, operation->inputs[i].name, input);
        if (tensor_present(input) && axis >= 0 && input->shape[axis] == rows)
            error = relation_take_along(input, (unsigned)axis, of->relation.numbers, 0,
                                        of->relation.count, arena, input, diagnostic);
    }
    return error;
}

enum error relation_join_rows(const struct suite_case *of, const struct request *whole,
                              const struct tensor *outputs, const struct tensor *parts,
                              struct arena *arena, struct tensor *left, struct tensor *right,
                              struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    enum error error = ERROR_NONE;
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        const int axis = tensor_present(&outputs[i])
                             ? relation_row_axis(whole, operation->outputs[i], &outputs[i])
                             : -1;
        if (axis < 0)
            continue;
        right[i] = parts[i];
        error = relation_take_along(&outputs[i], (unsigned)axis, of->relation.numbers, 0,
                                    of->relation.count, arena, &left[i], diagnostic);
    }
    return error;
}

// ---- a batch in pieces ------------------------------------------------------

bool relation_is_handed_sum(const struct suite_case *of, const struct request *whole,
                            unsigned output)
{
    return (of->relation.kind == RELATION_BATCH || of->relation.kind == RELATION_THROUGH) &&
           relation_is_row_sum(whole->operation, whole->operation->outputs[output]);
}

enum error relation_cut_batch(const struct suite_case *of, const struct request *whole,
                              size_t index, const struct tensor *before, struct arena *arena,
                              struct request *part, struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const uint64_t rows = count_rows(whole);
    uint64_t first, count;
    enum error error =
        rows ? relation_check_cuts(of, rows,
                                   "batch must ascend, from 1 to less than the number of rows",
                                   diagnostic)
             : relation_does_not_fit(of, "the request has no input with rows", diagnostic);
    if (error)
        return error;
    relation_find_piece(of, rows, index, &first, &count);
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        struct tensor *const input = &part->input[i];
        const int axis = relation_row_axis(whole, operation->inputs[i].name, input);
        if (tensor_present(input) && axis >= 0 && input->shape[axis] == rows)
            error = relation_take_along(input, (unsigned)axis, NULL, first, count, arena, input,
                                        diagnostic);
    }
    return error || !index ? error : relation_hand_sums_on(whole, before, part, diagnostic);
}

enum error relation_join_batch(const struct suite_case *of, const struct request *whole,
                               const struct tensor *outputs, const struct tensor *parts,
                               struct arena *arena, struct tensor *left, struct tensor *right,
                               struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    enum error error = ERROR_NONE;
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        const int axis = relation_row_axis(whole, operation->outputs[i], &outputs[i]);
        const bool sum = relation_is_row_sum(operation, operation->outputs[i]);
        if (!tensor_present(&outputs[i]) || (axis < 0 && !sum))
            continue;
        left[i] = outputs[i];
        right[i] = parts[of->relation.count * OPERATION_OUTPUTS_MAX + i];
        if (!sum)
            error = relation_join_along(of, &outputs[i], (unsigned)axis, &parts[i], false, arena,
                                        &right[i], diagnostic);
    }
    return error;
}

// ---- two whole answers ------------------------------------------------------

enum error relation_take_corner(const struct tensor *from, const struct tensor *shape,
                                struct arena *arena, struct tensor *to,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    *to = *from;
    for (unsigned d = 0; d < from->rank && !error; d++)
        if (shape->shape[d] < to->shape[d])
            error = relation_take_along(to, d, NULL, 0, shape->shape[d], arena, to, diagnostic);
    return error;
}

enum error relation_join_corners(const struct suite_case *of, const struct request *whole,
                                 const struct tensor *outputs, const struct tensor *parts,
                                 struct arena *arena, struct tensor *left, struct tensor *right,
                                 struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    (void)whole;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++) {
        if (!tensor_present(&outputs[i]) || !tensor_present(&parts[i]))
            continue;
        if (outputs[i].dtype != parts[i].dtype || outputs[i].rank != parts[i].rank)
            return relation_does_not_fit(of, "the outputs have other types or ranks", diagnostic);
        error = relation_take_corner(&outputs[i], &parts[i], arena, &left[i], diagnostic);
        if (!error)
            error = relation_take_corner(&parts[i], &outputs[i], arena, &right[i], diagnostic);
    }
    return error;
}
