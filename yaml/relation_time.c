// SPDX-License-Identifier: Apache-2.0
// A sequence in pieces, and turned round: which states are handed on, and which direction time has.

#include "yaml/relation_cut.h"

#include <string.h>

#include "ref/variant/variant.h"
#include "yaml/relation_axes.h"

// ---- a sequence in pieces ---------------------------------------------------

static struct attribute_value *find_size(struct request *request, const struct sequence *sequence)
{
    const int index = sequence->size ? operation_attribute(request->operation, sequence->size) : -1;
    return index < 0 ? NULL : &request->attribute[index];
}

static uint64_t length_of(const struct request *request, const struct sequence *sequence)
{
    struct request copy = *request;
    const struct attribute_value *const size = find_size(&copy, sequence);
    if (!size) {
        const struct tensor *const cut =
            &request->input[operation_input(request->operation, sequence->cut[0])];
        const unsigned axis = relation_time_axis(request, sequence, cut);
        return cut->rank > axis ? cut->shape[axis] : 0;
    }
    return (uint64_t)(size->integers ? size->count ? size->integers[size->count - 1] : 0
                                     : size->integer);
}

// Time goes the other way: the last piece is asked for first. Both ways at once cannot be cut.
static bool goes_back(const struct request *request, bool *both)
{
    const int direction = operation_attribute(request->operation, "direction");
    *both = direction >= 0 && request->attribute[direction].integer > 1;
    return direction >= 0 && request->attribute[direction].integer == 1;
}

static bool has_lengths(const struct request *request, const struct sequence *sequence)
{
    return sequence->lengths &&
           tensor_present(&request->input[operation_input(request->operation, sequence->lengths)]);
}

static enum error check_split(const struct suite_case *of, const struct request *whole,
                              const struct sequence *sequence, struct diagnostic *diagnostic)
{
    bool both;
    goes_back(whole, &both);
    if (!sequence)
        return relation_does_not_fit(of, "the operation returns no state to continue from",
                                     diagnostic);
    if (both)
        return relation_does_not_fit(of, "a bidirectional sequence cannot be split", diagnostic);
    if (has_lengths(whole, sequence))
        return relation_does_not_fit(of, "a sequence with lengths cannot be split", diagnostic);
    for (unsigned i = 0; i < whole->operation->input_count; i++)
        if (tensor_present(&whole->input[i]) &&
            !strncmp(whole->operation->inputs[i].name, "diff_", 5))
            return relation_does_not_fit(of, "a request with gradients cannot be split",
                                         diagnostic);
    return relation_check_cuts(of, length_of(whole, sequence),
                               "split must ascend, from 1 to less than the length of the sequence",
                               diagnostic);
}

static enum error set_length(struct request *part, const struct sequence *sequence, uint64_t count,
                             struct arena *arena, struct diagnostic *diagnostic)
{
    struct attribute_value *const size = find_size(part, sequence);
    if (size && !size->integers)
        size->integer = (int64_t)count;
    if (!size || !size->integers)
        return ERROR_NONE;
    int64_t *const sizes = arena_take_array(arena, size->count, sizeof *sizes);
    if (!sizes)
        return diagnostic_no_memory(diagnostic);
    memcpy(sizes, size->integers, size->count * sizeof *sizes);
    sizes[size->count - 1] = (int64_t)count;
    size->integers = sizes;
    return ERROR_NONE;
}

// Each state that is handed on becomes an input, and is asked for.
static enum error hand_on(const struct request *whole, const struct sequence *sequence,
                          size_t index, const struct tensor *before, struct request *part,
                          struct diagnostic *diagnostic)
{
    struct inference inference = {0};
    const enum error error = variant_infer(whole, &inference, diagnostic);
    for (size_t i = 0; i < 2 && sequence->handed[i][0] && !error; i++) {
        const int output = operation_output(whole->operation, sequence->handed[i][0]),
                  input = operation_input(whole->operation, sequence->handed[i][1]);
        if (output < 0 || !tensor_present(&inference.output[output]))
            continue;
        part->outputs |= part->outputs ? 1U << output : 0;
        if (index)
            part->input[input] = before ? before[output] : inference.output[output];
    }
    return error;
}

enum error relation_cut_piece(const struct suite_case *of, const struct request *whole,
                              size_t index, const struct tensor *before, struct arena *arena,
                              struct request *part, struct diagnostic *diagnostic)
{
    const struct sequence *const sequence = relation_sequence_of(whole->operation);
    bool both;
    uint64_t first, count;
    enum error error = check_split(of, whole, sequence, diagnostic);
    if (error)
        return error;
    relation_find_piece(of, length_of(whole, sequence),
                        goes_back(whole, &both) ? of->relation.count - index : index, &first,
                        &count);
    for (size_t i = 0; i < 2 && sequence->cut[i] && !error; i++) {
        struct tensor *const input =
            &part->input[operation_input(whole->operation, sequence->cut[i])];
        const unsigned axis = relation_time_axis(whole, sequence, input);
        if (tensor_present(input) && input->rank > axis)
            error = relation_take_along(input, axis, NULL, first, count, arena, input, diagnostic);
    }
    if (!error)
        error = set_length(part, sequence, count, arena, diagnostic);
    return error ? error : hand_on(whole, sequence, index, before, part, diagnostic);
}

// The pieces' outputs joined; states are those of the piece that was asked for last.
enum error relation_join_pieces(const struct suite_case *of, const struct request *whole,
                                const struct tensor *outputs, const struct tensor *parts,
                                struct arena *arena, struct tensor *left, struct tensor *right,
                                struct diagnostic *diagnostic)
{
    const struct sequence *const sequence = relation_sequence_of(whole->operation);
    const int joined = operation_output(whole->operation, sequence->output);
    const size_t count = of->relation.count + 1;
    bool both;
    const bool back = goes_back(whole, &both);
    for (size_t i = 0; i < 2 && sequence->handed[i][0]; i++) {
        const int output = operation_output(whole->operation, sequence->handed[i][0]);
        if (output < 0)
            continue;
        left[output] = outputs[output];
        right[output] = tensor_present(&outputs[output])
                            ? parts[(count - 1) * OPERATION_OUTPUTS_MAX + (size_t)output]
                            : outputs[output];
    }
    left[joined] = right[joined] = outputs[joined];
    return tensor_present(&outputs[joined])
               ? relation_join_along(of, &outputs[joined],
                                     relation_time_axis(whole, sequence, &outputs[joined]),
                                     &parts[joined], back, arena, &right[joined], diagnostic)
               : ERROR_NONE;
}

// ---- forward and back through a sequence in two pieces ----------------------

// Inputs that are cut along time, outputs that are joined along it, and what each state is called:
// as an output, as an input, and their gradients.
static const char *const through_cut[] = {"src_layer", "attention", "diff_dst_layer"},
                         *const through_joined[] = {"diff_src_layer", "diff_attention"},
                         *const through_states[][4] = {
                             {"dst_iter", "src_iter", "diff_src_iter", "diff_dst_iter"},
                             {"dst_iter_c", "src_iter_c", "diff_src_iter_c", "diff_dst_iter_c"}};

enum { PROPAGATION_FORWARD_TRAINING = 1, PROPAGATION_BACKWARD = 2 };

static enum error check_through(const struct suite_case *of, const struct request *whole,
                                struct diagnostic *diagnostic)
{
    const int propagation = operation_attribute(whole->operation, "propagation"),
              state = operation_input(whole->operation, "src_iter");
    bool both;
    if (propagation < 0 || whole->attribute[propagation].integer != PROPAGATION_BACKWARD)
        return relation_does_not_fit(of, "through takes a request with gradients", diagnostic);
    goes_back(whole, &both);
    if (both || !tensor_present(&whole->input[state]))
        return relation_does_not_fit(of, "through takes one direction, and src_iter", diagnostic);
    return relation_check_cuts(of, length_of(whole, relation_sequence_of(whole->operation)),
                               "through is from 1 to less than the length of the sequence",
                               diagnostic);
}

// What the part before gives: states forward, or their gradients and the sums back.
static void hand_through(const struct operation *operation, size_t index,
                         const struct tensor *before, struct request *part)
{
    const unsigned from = index == 1 ? 0 : 2;
    for (size_t i = 0; i < sizeof through_states / sizeof *through_states; i++) {
        const struct tensor *const given =
            &before[operation_output(operation, through_states[i][from])];
        if (tensor_present(given))
            part->input[operation_input(operation, through_states[i][from + 1])] = *given;
    }
}

// Part 0 goes forward through the piece that time reaches first, part 1 back through the other, and
// part 2 back through the first.
enum error relation_cut_through(const struct suite_case *of, const struct request *whole,
                                size_t index, const struct tensor *before, struct arena *arena,
                                struct request *part, struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    struct inference inference = {0};
    uint64_t first, count;
    bool both;
    enum error error = check_through(of, whole, diagnostic);
    if (!error)
        error = variant_infer(whole, &inference, diagnostic);
    if (error)
        return error;
    relation_find_piece(of, length_of(whole, relation_sequence_of(operation)),
                        (index != 1) == goes_back(whole, &both), &first, &count);
    for (size_t i = 0; i < sizeof through_cut / sizeof *through_cut && !error; i++) {
        struct tensor *const input = &part->input[operation_input(operation, through_cut[i])];
        if (tensor_present(input) && input->rank)
            error = relation_take_along(input, 0, NULL, first, count, arena, input, diagnostic);
    }
    part->outputs = 0;
    for (unsigned i = 0; i < operation->input_count && !index; i++)
        if (!strncmp(operation->inputs[i].name, "diff_", 5))
            part->input[i] = (struct tensor){.dtype = DTYPE_NONE};
    if (!index)
        part->attribute[operation_attribute(operation, "propagation")].integer =
            PROPAGATION_FORWARD_TRAINING;
    else
        hand_through(operation, index, before ? before : inference.output, part);
    return error || index < 2 ? error : relation_hand_sums_on(whole, before, part, diagnostic);
}

enum error relation_join_through(const struct suite_case *of, const struct request *whole,
                                 const struct tensor *outputs, const struct tensor *parts,
                                 struct arena *arena, struct tensor *left, struct tensor *right,
                                 struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const struct tensor *const later = &parts[OPERATION_OUTPUTS_MAX],
                               *const last = &parts[2 * OPERATION_OUTPUTS_MAX];
    bool both;
    const bool back = goes_back(whole, &both);
    enum error error = ERROR_NONE;
    for (unsigned i = 0; operation->outputs[i]; i++)
        if (tensor_present(&outputs[i]) && strcmp(operation->outputs[i], "dst_layer") != 0) {
            left[i] = outputs[i];
            right[i] = last[i];
        }
    for (size_t k = 0; k < sizeof through_joined / sizeof *through_joined && !error; k++) {
        const int i = operation_output(operation, through_joined[k]);
        if (tensor_present(&outputs[i]))
            error = relation_join_along(of, &outputs[i], 0, &later[i], !back, arena, &right[i],
                                        diagnostic);
    }
    return error;
}

// ---- a sequence turned round --------------------------------------------------

// *to is `from` with the indices of the axis in the other order.
static enum error turn_round(const struct tensor *from, unsigned axis, struct arena *arena,
                             struct tensor *to, struct diagnostic *diagnostic)
{
    const uint64_t count = from->shape[axis];
    uint64_t *const numbers = arena_take_array(arena, (size_t)count + 1, sizeof *numbers);
    if (!numbers)
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = count - 1 - i;
    return relation_take_along(from, axis, numbers, 0, count, arena, to, diagnostic);
}

static enum error check_reversed(const struct suite_case *of, const struct request *whole,
                                 const struct sequence *sequence, bool both,
                                 struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const int activations = operation_attribute(operation, "activations");
    if (!sequence || operation_attribute(operation, "direction") < 0)
        return relation_does_not_fit(of, "the operation has no direction", diagnostic);
    if (has_lengths(whole, sequence))
        return relation_does_not_fit(of, "a sequence with lengths cannot be reversed", diagnostic);
    for (unsigned i = 0; i < operation->input_count; i++)
        if (tensor_present(&whole->input[i]) && !strncmp(operation->inputs[i].name, "diff_", 5))
            return relation_does_not_fit(of, "a request with gradients cannot be reversed",
                                         diagnostic);
    if (both && activations >= 0 && whole->attribute[activations].given)
        return relation_does_not_fit(of, "functions of two directions cannot be exchanged",
                                     diagnostic);
    for (unsigned i = 0; i < operation->input_count; i++)
        if (relation_direction_axis(whole, operation->inputs[i].name, &whole->input[i]) >= 0)
            return ERROR_NONE;
    return both ? relation_does_not_fit(of, "its two directions cannot be exchanged", diagnostic)
                : ERROR_NONE;
}

// The other direction, or both exchanged, reads the sequence from its end.
enum error relation_cut_reversed(const struct suite_case *of, const struct request *whole,
                                 struct arena *arena, struct request *part,
                                 struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const struct sequence *const sequence = relation_sequence_of(operation);
    bool both;
    const bool back = goes_back(whole, &both);
    enum error error = check_reversed(of, whole, sequence, both, diagnostic);
    if (error)
        return error;
    for (size_t i = 0; i < 2 && sequence->cut[i] && !error; i++) {
        struct tensor *const input = &part->input[operation_input(operation, sequence->cut[i])];
        const unsigned axis = relation_time_axis(whole, sequence, input);
        if (tensor_present(input) && input->rank > axis)
            error = turn_round(input, axis, arena, input, diagnostic);
    }
    if (!both) {
        part->attribute[operation_attribute(operation, "direction")].integer = !back;
        return error;
    }
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        struct tensor *const input = &part->input[i];
        const int axis = relation_direction_axis(whole, operation->inputs[i].name, input);
        if (tensor_present(input) && axis >= 0)
            error = turn_round(input, (unsigned)axis, arena, input, diagnostic);
    }
    return error;
}

enum error relation_join_reversed(const struct suite_case *of, const struct request *whole,
                                  const struct tensor *outputs, const struct tensor *parts,
                                  struct arena *arena, struct tensor *left, struct tensor *right,
                                  struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const struct sequence *const sequence = relation_sequence_of(operation);
    bool both;
    enum error error = ERROR_NONE;
    (void)of;
    goes_back(whole, &both);
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        if (!tensor_present(&outputs[i]))
            continue;
        const int axis = relation_direction_axis(whole, operation->outputs[i], &outputs[i]);
        left[i] = outputs[i];
        right[i] = parts[i];
        if (!strcmp(operation->outputs[i], sequence->output))
            error = turn_round(&right[i], relation_time_axis(whole, sequence, &right[i]), arena,
                               &right[i], diagnostic);
        if (!error && both && axis >= 0)
            error = turn_round(&right[i], (unsigned)axis, arena, &right[i], diagnostic);
    }
    return error;
}
