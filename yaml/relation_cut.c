// SPDX-License-Identifier: Apache-2.0
// Which axes of which tensors are rows and time, and which outputs hand a state or a sum on,
// stands in tables. All else is cutting and joining along an axis.

#include "yaml/relation_cut.h"

#include <assert.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/variant/variant.h"

// ---- tables -----------------------------------------------------------------

// An axis of an input or output that has this rank.
struct axis {
    const char *operation, *tensor;
    unsigned rank, at;
};

static const struct axis row_axes[] = {
    {"philox", "counter", 2, 0},
    {"philox", "key", 2, 0},
    {"philox", "output", 2, 0},
    {"threefry", "counter", 2, 0},
    {"threefry", "key", 2, 0},
    {"threefry", "output", 2, 0},
    {"onednn.rnn", "src_layer", 3, 1},
    {"onednn.rnn", "src_iter", 4, 2},
    {"onednn.rnn", "src_iter_c", 4, 2},
    {"onednn.rnn", "attention", 3, 1},
    {"onednn.rnn", "diff_dst_layer", 3, 1},
    {"onednn.rnn", "diff_dst_iter", 4, 2},
    {"onednn.rnn", "diff_dst_iter_c", 4, 2},
    {"onednn.rnn", "dst_layer", 3, 1},
    {"onednn.rnn", "dst_iter", 4, 2},
    {"onednn.rnn", "dst_iter_c", 4, 2},
    {"onednn.rnn", "diff_src_layer", 3, 1},
    {"onednn.rnn", "diff_src_iter", 4, 2},
    {"onednn.rnn", "diff_src_iter_c", 4, 2},
    {"onednn.rnn", "diff_attention", 3, 1},
};

// An operation that goes on where it stopped.
struct sequence {
    const char *operation;
    const char *cut[2];       // inputs that are cut along axis 0; NULL: none
    const char *size;         // the attribute whose last number is the length; NULL: that of cut[0]
    const char *output;       // that is joined along axis 0, or along its last where `size`
    const char *handed[2][2]; // output and the input that it becomes; NULL: no more
};

static const struct sequence sequences[] = {
    {"onednn.rnn",
     {"src_layer", "attention"},
     NULL,
     "dst_layer",
     {{"dst_iter", "src_iter"}, {"dst_iter_c", "src_iter_c"}}},
    {"directml.random_generator",
     {NULL},
     "output_sizes",
     "output",
     {{"output_state", "input_state"}}},
    {"numpy.philox", {NULL}, "count", "output", {{"counter", "counter"}}},
};

// Sums over all rows, which an operation adds to its input of the same name.
static const struct {
    const char *operation, *tensor;
} row_sums[] = {
    {"onednn.rnn", "diff_weights_layer"},
    {"onednn.rnn", "diff_weights_iter"},
    {"onednn.rnn", "diff_weights_peephole"},
    {"onednn.rnn", "diff_weights_projection"},
    {"onednn.rnn", "diff_bias"},
};

// An attribute that has an operation overwrite its sums.
static const char overwrites[] = "diff_weights_overwrite";

static bool is_row_sum(const struct operation *operation, const char *name)
{
    for (size_t i = 0; i < sizeof row_sums / sizeof *row_sums; i++)
        if (!strcmp(row_sums[i].operation, operation->name) && !strcmp(row_sums[i].tensor, name))
            return true;
    return false;
}

static int row_axis(const struct operation *operation, const char *name,
                    const struct tensor *tensor)
{
    for (size_t i = 0; i < sizeof row_axes / sizeof *row_axes; i++)
        if (!strcmp(row_axes[i].operation, operation->name) && !strcmp(row_axes[i].tensor, name) &&
            row_axes[i].rank == tensor->rank)
            return (int)row_axes[i].at;
    return -1;
}

static const struct sequence *find_sequence(const struct operation *operation)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (!strcmp(sequences[i].operation, operation->name))
            return &sequences[i];
    return NULL;
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

// *to is `from` with other indices along the axis.
static enum error take_along(const struct tensor *from, unsigned axis, const uint64_t *numbers,
                             uint64_t first, uint64_t count, struct arena *arena, struct tensor *to,
                             struct diagnostic *diagnostic)
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

// The elements whose indices `shape` has too.
static enum error take_corner(const struct tensor *from, const struct tensor *shape,
                              struct arena *arena, struct tensor *to, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    *to = *from;
    for (unsigned d = 0; d < from->rank && !error; d++)
        if (shape->shape[d] < to->shape[d])
            error = take_along(to, d, NULL, 0, shape->shape[d], arena, to, diagnostic);
    return error;
}

// Piece `position` of what has `length` indices: its first index and its length.
static void find_piece(const struct suite_case *of, uint64_t length, size_t position,
                       uint64_t *first, uint64_t *count)
{
    *first = position ? of->relation.numbers[position - 1] : 0;
    *count = (position < of->relation.count ? of->relation.numbers[position] : length) - *first;
}

// Checks that the places of the cuts ascend within `length`.
static enum error check_cuts(const struct suite_case *of, uint64_t length, const char *why,
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

// *to has the shape of `whole`; `piece` of each position, whose stride is OPERATION_OUTPUTS_MAX
// tensors, is put in its place along the axis. `back`: the last position comes first.
static enum error join_along(const struct suite_case *of, const struct tensor *whole, unsigned axis,
                             const struct tensor *piece, bool back, struct arena *arena,
                             struct tensor *to, struct diagnostic *diagnostic)
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
        find_piece(of, whole->shape[axis], i, &first, &length);
        if (from->rank != whole->rank || from->shape[axis] != length)
            return relation_does_not_fit(
                of, "the output of a piece does not have the shape of its part of the whole",
                diagnostic);
        copy_along(from, axis, NULL, 0, length, to, first);
    }
    return ERROR_NONE;
}

// ---- rows -------------------------------------------------------------------

// How many rows the request has; 0: none that could be asked for alone.
static uint64_t count_rows(const struct request *request)
{
    const struct operation *const operation = request->operation;
    for (unsigned i = 0; i < operation->input_count; i++) {
        const int axis = row_axis(operation, operation->inputs[i].name, &request->input[i]);
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
        const int axis = row_axis(operation, operation->inputs[i].name, input);
        if (tensor_present(input) && axis >= 0 && input->shape[axis] == rows)
            error = take_along(input, (unsigned)axis, of->relation.numbers, 0, of->relation.count,
                               arena, input, diagnostic);
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
                             ? row_axis(operation, operation->outputs[i], &outputs[i])
                             : -1;
        if (axis < 0)
            continue;
        right[i] = parts[i];
        error = take_along(&outputs[i], (unsigned)axis, of->relation.numbers, 0, of->relation.count,
                           arena, &left[i], diagnostic);
    }
    return error;
}

// ---- a batch in pieces ------------------------------------------------------

bool relation_is_handed_sum(const struct suite_case *of, const struct request *whole,
                            unsigned output)
{
    return (of->relation.kind == RELATION_BATCH || of->relation.kind == RELATION_THROUGH) &&
           is_row_sum(whole->operation, whole->operation->outputs[output]);
}

// The sums of the piece before are what this one adds to.
static enum error hand_sums_on(const struct request *whole, const struct tensor *before,
                               struct request *part, struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const int overwrite = operation_attribute(operation, overwrites);
    struct inference inference = {0};
    const enum error error = variant_infer(whole, &inference, diagnostic);
    for (unsigned i = 0; operation->outputs[i] && !error; i++)
        if (is_row_sum(operation, operation->outputs[i]) && tensor_present(&inference.output[i]))
            part->input[operation_input(operation, operation->outputs[i])] =
                before ? before[i] : inference.output[i];
    if (overwrite >= 0)
        part->attribute[overwrite].integer = 0;
    return error;
}

enum error relation_cut_batch(const struct suite_case *of, const struct request *whole,
                              size_t index, const struct tensor *before, struct arena *arena,
                              struct request *part, struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    const uint64_t rows = count_rows(whole);
    uint64_t first, count;
    enum error error =
        rows ? check_cuts(of, rows, "batch must ascend, from 1 to less than the number of rows",
                          diagnostic)
             : relation_does_not_fit(of, "the request has no input with rows", diagnostic);
    if (error)
        return error;
    find_piece(of, rows, index, &first, &count);
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        struct tensor *const input = &part->input[i];
        const int axis = row_axis(operation, operation->inputs[i].name, input);
        if (tensor_present(input) && axis >= 0 && input->shape[axis] == rows)
            error = take_along(input, (unsigned)axis, NULL, first, count, arena, input, diagnostic);
    }
    return error || !index ? error : hand_sums_on(whole, before, part, diagnostic);
}

enum error relation_join_batch(const struct suite_case *of, const struct request *whole,
                               const struct tensor *outputs, const struct tensor *parts,
                               struct arena *arena, struct tensor *left, struct tensor *right,
                               struct diagnostic *diagnostic)
{
    const struct operation *const operation = whole->operation;
    enum error error = ERROR_NONE;
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        const int axis = row_axis(operation, operation->outputs[i], &outputs[i]);
        const bool sum = is_row_sum(operation, operation->outputs[i]);
        if (!tensor_present(&outputs[i]) || (axis < 0 && !sum))
            continue;
        left[i] = outputs[i];
        right[i] = parts[of->relation.count * OPERATION_OUTPUTS_MAX + i];
        if (!sum)
            error = join_along(of, &outputs[i], (unsigned)axis, &parts[i], false, arena, &right[i],
                               diagnostic);
    }
    return error;
}

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
        return cut->rank ? cut->shape[0] : 0;
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
    for (unsigned i = 0; i < whole->operation->input_count; i++)
        if (tensor_present(&whole->input[i]) &&
            !strncmp(whole->operation->inputs[i].name, "diff_", 5))
            return relation_does_not_fit(of, "a request with gradients cannot be split",
                                         diagnostic);
    return check_cuts(of, length_of(whole, sequence),
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
        if (!tensor_present(&inference.output[output]))
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
    const struct sequence *const sequence = find_sequence(whole->operation);
    bool both;
    uint64_t first, count;
    enum error error = check_split(of, whole, sequence, diagnostic);
    if (error)
        return error;
    find_piece(of, length_of(whole, sequence),
               goes_back(whole, &both) ? of->relation.count - index : index, &first, &count);
    for (size_t i = 0; i < 2 && sequence->cut[i] && !error; i++) {
        struct tensor *const input =
            &part->input[operation_input(whole->operation, sequence->cut[i])];
        if (tensor_present(input) && input->rank)
            error = take_along(input, 0, NULL, first, count, arena, input, diagnostic);
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
    const struct sequence *const sequence = find_sequence(whole->operation);
    const int joined = operation_output(whole->operation, sequence->output);
    const size_t count = of->relation.count + 1;
    bool both;
    const bool back = goes_back(whole, &both);
    for (size_t i = 0; i < 2 && sequence->handed[i][0]; i++) {
        const int output = operation_output(whole->operation, sequence->handed[i][0]);
        left[output] = outputs[output];
        right[output] = tensor_present(&outputs[output])
                            ? parts[(count - 1) * OPERATION_OUTPUTS_MAX + (size_t)output]
                            : outputs[output];
    }
    left[joined] = right[joined] = outputs[joined];
    const unsigned axis = sequence->size ? outputs[joined].rank - 1 : 0;
    return tensor_present(&outputs[joined]) ? join_along(of, &outputs[joined], axis, &parts[joined],
                                                         back, arena, &right[joined], diagnostic)
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
    return check_cuts(of, length_of(whole, find_sequence(whole->operation)),
                      "through is from 1 to less than the length of the sequence", diagnostic);
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
    find_piece(of, length_of(whole, find_sequence(operation)),
               (index != 1) == goes_back(whole, &both), &first, &count);
    for (size_t i = 0; i < sizeof through_cut / sizeof *through_cut && !error; i++) {
        struct tensor *const input = &part->input[operation_input(operation, through_cut[i])];
        if (tensor_present(input) && input->rank)
            error = take_along(input, 0, NULL, first, count, arena, input, diagnostic);
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
    return error || index < 2 ? error : hand_sums_on(whole, before, part, diagnostic);
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
            error = join_along(of, &outputs[i], 0, &later[i], !back, arena, &right[i], diagnostic);
    }
    return error;
}

// ---- two whole answers ------------------------------------------------------

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
        error = take_corner(&outputs[i], &parts[i], arena, &left[i], diagnostic);
        if (!error)
            error = take_corner(&parts[i], &outputs[i], arena, &right[i], diagnostic);
    }
    return error;
}
