// SPDX-License-Identifier: Apache-2.0
// The lenses of onnx.rnn, onnx.gru and onnx.lstm: an action on an axis of a tensor as the text
// concatenates it, another order of gates, a length or a direction misread, a changed equation.

#include "ref/variant/onnx_rnn.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/op/onnx/rnn.h"
#include "ref/op/onnx/rnn_cell.h"
#include "ref/variant/onednn_rnn.h"
#include "ref/variant/onnx_bf16.h"
#include "ref/variant/tensor_action.h"

// ---- tensors in their parts ---------------------------------------------------

// `tensor` with the dimensions that its parts have: gates apart, and data and states as with layout
// 1 read as with layout 0, so that an axis means the same for both.
static struct tensor parts_of(const struct request *request, bool output, unsigned index,
                              const struct tensor *tensor)
{
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    struct tensor parts = *tensor;
    const uint64_t weights[] = {s.directions, s.gates, s.hidden, tensor->shape[2]},
                   bias[] = {s.directions, 2, s.gates, s.hidden},
                   peephole[] = {s.directions, 3, s.hidden};
    const bool gates = !output && (index == ONNX_RNN_W || index == ONNX_RNN_R);
    const uint64_t *const shape = gates                 ? weights
                                  : output              ? NULL
                                  : index == ONNX_RNN_B ? bias
                                  : index == ONNX_RNN_P ? peephole
                                                        : NULL;
    parts.rank = !shape ? tensor->rank : shape == peephole ? 3 : 4;
    for (unsigned i = 0; shape && i < parts.rank; i++)
        parts.shape[i] = shape[i];
    return parts;
}

// Axes of X, Y and the states by what they are; of other tensors by number.
enum axis { TIME = 16, BATCH, DIRECTION, CHANNEL };

static uint8_t axis_of(const struct request *request, bool output, unsigned index, uint8_t axis)
{
    const bool first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    const bool y = output && index == ONNX_RNN_Y;
    switch (axis) {
    case TIME:
        return first;
    case BATCH:
        return first ? 0 : y ? 2 : 1;
    case DIRECTION:
        return y ? (first ? 2 : 1) : first;
    case CHANNEL:
        return y ? 3 : 2;
    default:
        return axis;
    }
}

struct part_lens {
    unsigned first, last;
    const struct act *act;
};

static enum error change_part(const struct lens_call *call, const struct request *request,
                              bool output, unsigned index, struct tensor *tensor)
{
    const struct part_lens *const lens = call->lens->detail;
    struct act act = lens->act[call->option - 1];
    if (!tensor_present(tensor))
        return ERROR_NONE;
    struct tensor parts = parts_of(request, output, index, tensor);
    act.axis = axis_of(request, output, index, act.axis);
    const enum error error = lens_change_tensor(call, act, &parts);
    tensor->data = parts.data;
    return error;
}

static enum error change_inputs(const struct lens_call *call, struct request *request)
{
    const struct part_lens *const lens = call->lens->detail;
    enum error error = ERROR_NONE;
    for (unsigned i = lens->first; i <= lens->last && !error; i++)
        error = change_part(call, request, false, i, &request->input[i]);
    return error;
}

static enum error change_outputs(const struct lens_call *call, const struct request *request,
                                 struct tensor *tensor)
{
    const struct part_lens *const lens = call->lens->detail;
    enum error error = ERROR_NONE;
    for (unsigned i = lens->first; i <= lens->last && !error; i++) {
        struct tensor changed = tensor[i];
        size_t bytes;
        error = change_part(call, request, true, i, &changed);
        if (!error && tensor_present(&changed) && changed.data != tensor[i].data &&
            tensor_bytes(&changed, &bytes))
            memcpy(tensor[i].data, changed.data, bytes);
    }
    return error;
}

// A new copy of `tensor`, in the arena; NULL when there is no memory.
static char *copied(const struct lens_call *call, const struct tensor *tensor)
{
    size_t bytes = 0;
    char *const data = tensor_bytes(tensor, &bytes) ? arena_take(call->arena, bytes) : NULL;
    if (data)
        memcpy(data, tensor->data, bytes);
    return data;
}

// ---- orders -------------------------------------------------------------------

// Lines of axis `axis` of `parts` in the order that `order` gives the letters of `right`: line k is
// read where that order has the letter.
static enum error reorder(const struct lens_call *call, const char *order, const char *right,
                          unsigned axis, struct tensor *parts)
{
    const size_t size = dtype_size(parts->dtype), lines = strlen(right);
    uint64_t count = 0, inner = 1;
    if (!tensor_present(parts) || !parts->data || !tensor_count(parts, &count))
        return ERROR_NONE;
    for (unsigned d = axis + 1; d < parts->rank; d++)
        inner *= parts->shape[d];
    char *const data = copied(call, parts);
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t line = i / inner % lines,
                       from = (uint64_t)(strchr(order, right[line]) - order);
        memcpy(data + i * size,
               (const char *)parts->data + (i - line * inner + from * inner) * size, size);
    }
    parts->data = data;
    return ERROR_NONE;
}

static enum error change_gates(const struct lens_call *call, struct request *request)
{
    const char *const order = call->lens->choice.options[call->option], *const right =
                                                                            call->lens->choice
                                                                                .options[0];
    static const struct {
        unsigned input, axis;
    } with_gates[] = {{ONNX_RNN_W, 1}, {ONNX_RNN_R, 1}, {ONNX_RNN_B, 2}};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < 3 && !error; i++) {
        struct tensor *const tensor = &request->input[with_gates[i].input];
        struct tensor parts = parts_of(request, false, with_gates[i].input, tensor);
        error = reorder(call, order, right, with_gates[i].axis, &parts);
        tensor->data = parts.data;
    }
    return error;
}

static enum error change_peepholes(const struct lens_call *call, struct request *request)
{
    struct tensor parts = parts_of(request, false, ONNX_RNN_P, &request->input[ONNX_RNN_P]);
    const enum error error = reorder(call, call->lens->choice.options[call->option],
                                     call->lens->choice.options[0], 1, &parts);
    request->input[ONNX_RNN_P].data = parts.data;
    return error;
}

// R with rows and columns exchanged in every gate.
static enum error transpose_recurrence(const struct lens_call *call, struct request *request)
{
    struct tensor *const r = &request->input[ONNX_RNN_R];
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const size_t size = dtype_size(r->dtype), square = s.hidden * s.hidden;
    if (!r->data)
        return ERROR_NONE;
    char *const data = copied(call, r);
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t i = 0; i < s.directions * s.gates * square; i++) {
        const size_t at = i % square, from = i - at + at % s.hidden * s.hidden + at / s.hidden;
        memcpy(data + i * size, (const char *)r->data + from * size, size);
    }
    r->data = data;
    return ERROR_NONE;
}

// The biases of both products gate by gate instead of one after the other.
static enum error interleave_biases(const struct lens_call *call, struct request *request)
{
    struct tensor *const b = &request->input[ONNX_RNN_B];
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const size_t size = dtype_size(b->dtype);
    char *const data = tensor_present(b) && b->data ? copied(call, b) : NULL;
    if (!tensor_present(b) || !b->data)
        return ERROR_NONE;
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t i = 0; i < s.directions * 2 * s.gates; i++) {
        const size_t row = i % (2 * s.gates), half = row / s.gates, gate = row % s.gates;
        memcpy(data + i * s.hidden * size,
               (const char *)b->data + (i - row + 2 * gate + half) * s.hidden * size,
               s.hidden * size);
    }
    b->data = data;
    return ERROR_NONE;
}

// ---- lengths and directions ---------------------------------------------------

static enum error change_lengths(const struct lens_call *call, struct request *request)
{
    enum { IGNORED = 1, ONE_MORE, ONE_LESS, NEXT_ROW, FIRST_FOR_ALL, LONGEST_FOR_ALL };
    struct tensor *const lengths = &request->input[ONNX_RNN_SEQUENCE_LENS];
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    int32_t longest = 0;
    if (call->option == IGNORED || !tensor_present(lengths) || !lengths->data || !s.batch) {
        if (call->option == IGNORED)
            *lengths = (struct tensor){0};
        return ERROR_NONE;
    }
    const int32_t *const given = lengths->data;
    int32_t *const data = (int32_t *)(void *)copied(call, lengths);
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t n = 0; n < s.batch; n++)
        longest = given[n] > longest ? given[n] : longest;
    for (size_t n = 0; n < s.batch; n++)
        data[n] = call->option == ONE_MORE        ? given[n] + ((size_t)given[n] < s.times)
                  : call->option == ONE_LESS      ? given[n] - (given[n] > 0)
                  : call->option == NEXT_ROW      ? given[(n + 1) % s.batch]
                  : call->option == FIRST_FOR_ALL ? given[0]
                                                  : longest;
    lengths->data = data;
    return ERROR_NONE;
}

static enum error own_cell(const struct lens_call *call, struct request *request,
                           struct rnn_cell **cell)
{
    *cell = arena_take(call->arena, sizeof **cell);
    if (!*cell)
        return diagnostic_no_memory(call->diagnostic);
    const struct rnn_cell *const made = request->deviation;
    memcpy(*cell, made ? made : onnx_cell_of(request), sizeof **cell); // with its padding
    request->deviation = *cell;
    return ERROR_NONE;
}

static bool keeps(const struct request *request, const void *deviation)
{
    const void *const own = onnx_cell_of(request);
    return !memcmp(own, deviation, sizeof(struct rnn_cell));
}

// No direction turns time round.
static enum error ignore_direction(const struct lens_call *call, struct request *request)
{
    struct attribute_value *const direction = &request->attribute[ONNX_RNN_DIRECTION];
    struct rnn_cell *cell;
    if (direction->integer == ONNX_RNN_REVERSE)
        direction->integer = ONNX_RNN_FORWARD;
    if (direction->integer != ONNX_RNN_BIDIRECTIONAL)
        return ERROR_NONE;
    const enum error error = own_cell(call, request, &cell);
    if (!error)
        cell->wiring.one_way = true;
    return error;
}

// linear_before_reset the other way round.
static enum error change_reset(const struct lens_call *call, struct request *request)
{
    (void)call;
    request->attribute[ONNX_RNN_OWN].integer = !request->attribute[ONNX_RNN_OWN].integer;
    return ERROR_NONE;
}

static enum error change_equation(const struct lens_call *call, struct request *request)
{
    struct rnn_cell *cell;
    const enum error error = own_cell(call, request, &cell);
    if (!error)
        rnn_change_by_option(call->lens->detail, call->option, cell);
    return error;
}

// ---- results ------------------------------------------------------------------

static char *element_of(const struct request *request, const struct tensor *y, size_t t, size_t d,
                        size_t n)
{
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const bool first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    const size_t row =
        first ? (n * s.times + t) * s.directions + d : (t * s.directions + d) * s.batch + n;
    return (char *)y->data + row * s.hidden * dtype_size(y->dtype);
}

static bool is_reversed(const struct request *request, size_t d)
{
    return d == 1 || request->attribute[ONNX_RNN_DIRECTION].integer == ONNX_RNN_REVERSE;
}

static size_t length_of(const struct request *request, size_t n, size_t times)
{
    const struct tensor *const lengths = &request->input[ONNX_RNN_SEQUENCE_LENS];
    return tensor_present(lengths) ? (size_t)operation_load_integer(lengths, n) : times;
}

// Y of a reverse direction in the order in which it was processed.
static enum error keep_order_of_processing(const struct lens_call *call,
                                           const struct request *request, struct tensor *tensor)
{
    struct tensor *const y = &tensor[ONNX_RNN_Y];
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    if (!tensor_present(y) || !s.times || !s.batch)
        return ERROR_NONE;
    struct tensor before = *y;
    before.data = copied(call, y);
    if (!before.data)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t d = 0; d < s.directions; d++)
        for (size_t n = 0; n < s.batch && is_reversed(request, d); n++) {
            const size_t length = length_of(request, n, s.times);
            for (size_t t = 0; t < length; t++)
                memcpy(element_of(request, y, t, d, n),
                       element_of(request, &before, length - 1 - t, d, n),
                       s.hidden * dtype_size(y->dtype));
        }
    return ERROR_NONE;
}

// Y_h as Y has it at the last time of all; or at the first; or the reverse direction's at the last.
static enum error take_state_of_time(const struct lens_call *call, const struct request *request,
                                     struct tensor *tensor)
{
    enum { OF_LAST_TIME = 1, OF_FIRST_TIME, REVERSE_OF_LAST };
    const struct tensor *const y = &tensor[ONNX_RNN_Y], *const state = &tensor[ONNX_RNN_Y_H];
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const bool first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    if (!tensor_present(y) || !tensor_present(state) || !s.times)
        return ERROR_NONE;
    const size_t bytes = s.hidden * dtype_size(y->dtype);
    for (size_t d = 0; d < s.directions; d++)
        for (size_t n = 0; n < s.batch; n++) {
            const size_t length = length_of(request, n, s.times),
                         row = first ? n * s.directions + d : d * s.batch + n;
            const size_t t = call->option == OF_LAST_TIME    ? s.times - 1
                             : call->option == OF_FIRST_TIME ? 0
                                                             : length - 1;
            if (call->option == REVERSE_OF_LAST && (!is_reversed(request, d) || !length))
                continue;
            memcpy((char *)state->data + row * bytes, element_of(request, y, t, d, n), bytes);
        }
    return ERROR_NONE;
}

// clang-format off
// ---- options: name, action, axis ----------------------------------------------

#define SEQUENCE(X)                                                            \
    X("next_row", ROTATE, BATCH)         X("time_shifted", ROTATE, TIME)       \
    X("time_reversed", REVERSE, TIME)    X("channels_rotated", ROTATE, CHANNEL) \
    X("channels_reversed", REVERSE, CHANNEL) X("ignored", CLEAR, CHANNEL)      \
    X("negated", NEGATE, CHANNEL)
#define SOURCE(X) SEQUENCE(X) X("rows_in_8_bits", WRAP, BATCH) X("times_in_8_bits", WRAP, TIME)
#define RESULT(X) SEQUENCE(X) X("directions_exchanged", ROTATE, DIRECTION)
#define STATE(X)                                                               \
    X("ignored", CLEAR, CHANNEL)         X("next_row", ROTATE, BATCH)          \
    X("rows_reversed", REVERSE, BATCH)   X("channels_rotated", ROTATE, CHANNEL) \
    X("directions_exchanged", ROTATE, DIRECTION)                               \
    X("negated", NEGATE, CHANNEL)        X("doubled", DOUBLE, CHANNEL)
// [D, G, H, columns]
#define MATRIX(X)                                                              \
    X("ignored", CLEAR, 0)               X("directions_exchanged", ROTATE, 0)  \
    X("rows_rotated", ROTATE, 2)         X("rows_reversed", REVERSE, 2)        \
    X("columns_rotated", ROTATE, 3)      X("columns_reversed", REVERSE, 3)     \
    X("gate_0_negated", NEGATE_LINE + 0, 1)
#define MATRIX_3(X) MATRIX(X)                                                  \
    X("gate_1_negated", NEGATE_LINE + 1, 1) X("gate_2_negated", NEGATE_LINE + 2, 1) \
    X("gates_rotated", ROTATE, 1)        X("gates_reversed", REVERSE, 1)
#define MATRIX_4(X) MATRIX_3(X) X("gate_3_negated", NEGATE_LINE + 3, 1)
// [D, 2, G, H]
#define BIAS(X)                                                                \
    X("ignored", CLEAR, 0)               X("directions_exchanged", ROTATE, 0)  \
    X("columns_rotated", ROTATE, 3)      X("columns_reversed", REVERSE, 3)     \
    X("first_negated", NEGATE_LINE + 0, 1) X("second_negated", NEGATE_LINE + 1, 1) \
    X("doubled", DOUBLE, 0)
#define BIAS_3(X) BIAS(X) X("gates_rotated", ROTATE, 2) X("gates_reversed", REVERSE, 2) \
    X("halves_exchanged", ROTATE, 1)
#define BIAS_4(X) BIAS(X) X("gates_rotated", ROTATE, 2) X("gates_reversed", REVERSE, 2)
// [D, 3, H]
#define PEEPHOLE(X)                                                            \
    X("ignored", CLEAR, 0)               X("directions_exchanged", ROTATE, 0)  \
    X("columns_rotated", ROTATE, 2)      X("columns_reversed", REVERSE, 2)     \
    X("row_0_negated", NEGATE_LINE + 0, 1) X("row_1_negated", NEGATE_LINE + 1, 1) \
    X("row_2_negated", NEGATE_LINE + 2, 1)

#define NAME_OF(name, ...) name,
#define ACT_OF(name, action, axis) {action, axis},
#define OPTIONS(...) OPERATION_WORDS(__VA_ARGS__)
#define PARTS(from, to, list) \
    &(const struct part_lens){ONNX_RNN_##from, ONNX_RNN_##to, (const struct act[]){list(ACT_OF)}}
#define INPUT(name, tensor, list) \
    {{name, OPTIONS("as_given", list(NAME_OF) NULL)}, change_inputs, NULL, \
     PARTS(tensor, tensor, list), "indices and use of " name}
#define OUTPUT(name, tensor, list) \
    {{name, OPTIONS("as_computed", list(NAME_OF) NULL)}, NULL, change_outputs, \
     PARTS(tensor, tensor, list), "indices of " name}
#define REQUEST(name, about, on_request, ...) \
    {{name, OPTIONS(__VA_ARGS__)}, on_request, NULL, NULL, about}
#define RESULTS(name, about, on_result, ...) \
    {{name, OPTIONS(__VA_ARGS__)}, NULL, on_result, NULL, about}

// ---- options: the variable that an equation gives, and the places of its operands
// (products with matrices first) ------------------------------------------------

#define AT_0(name, end) name "0" end,
#define AT_01(name, end) AT_0(name, end) name "1" end,
#define AT_012(name, end) AT_01(name, end) name "2" end,
#define AT_0123(name, end) AT_012(name, end) name "3" end,
#define AT_01234(name, end) AT_0123(name, end) name "4" end,
enum { PLACES_AT_0 = 1, PLACES_AT_01 = 3, PLACES_AT_012 = 7, PLACES_AT_0123 = 15,
       PLACES_AT_01234 = 31 };

#define RNN_OPERANDS(X, verb)  X("z_i" verb, Z0, AT_0123)
#define GRU_OPERANDS(X, verb)                                                  \
    X("z_z" verb, Z0, AT_0123) X("z_r" verb, Z1, AT_0123) X("z_h" verb, Z2, AT_0123) \
    X("w" verb, W, AT_01) X("h" verb, H_NEW, AT_01)
#define LSTM_OPERANDS(X, verb)                                                 \
    X("z_i" verb, Z0, AT_01234) X("z_o" verb, Z1, AT_01234) X("z_f" verb, Z2, AT_01234) \
    X("z_c" verb, Z3, AT_0123) X("c" verb, C_NEW, AT_01)
#define RNN_SIGNS(X) X("z_i_minus_", Z0, AT_01)
#define GRU_SIGNS(X)                                                           \
    X("z_z_minus_", Z0, AT_01) X("z_r_minus_", Z1, AT_01) X("z_h_minus_", Z2, AT_01) \
    X("w_minus_", W, AT_0) X("h_minus_", H_NEW, AT_01) X("s_minus_", S, AT_0)
#define LSTM_SIGNS(X)                                                          \
    X("z_i_minus_", Z0, AT_012) X("z_o_minus_", Z1, AT_012) X("z_f_minus_", Z2, AT_012) \
    X("z_c_minus_", Z3, AT_01) X("c_minus_", C_NEW, AT_01) X("m_minus_", M, AT_0)
#define GRU_FACTORS(X)  X("s_without_", S, AT_01)
#define LSTM_FACTORS(X) X("m_without_", M, AT_01)
#define RNN_WITHOUT(X) RNN_OPERANDS(X, "_without_")
#define RNN_TWICE(X) RNN_OPERANDS(X, "_twice_")
#define GRU_WITHOUT(X) GRU_OPERANDS(X, "_without_")
#define GRU_TWICE(X) GRU_OPERANDS(X, "_twice_")
#define LSTM_WITHOUT(X) LSTM_OPERANDS(X, "_without_")
#define LSTM_TWICE(X) LSTM_OPERANDS(X, "_twice_")

#define NAMES_OF(name, result, places) places(name, "")
#define ROW_OF(name, result, places) {RNN_##result, PLACES_##places},
#define EQUATION(name, about, change, list)                                    \
    {{name, OPTIONS("as_specified", list(NAMES_OF) NULL)}, change_equation, NULL, \
     &(const struct rnn_equation_lens){change, (const struct rnn_row[]){list(ROW_OF) {0, 0}}}, \
     about}

// ---- the tables -----------------------------------------------------------------

#define ORDER(...) \
    REQUEST("gates", "order of the gates in W, R and B", change_gates, __VA_ARGS__)
#define SHARED(matrix, bias)                                                   \
    INPUT("X", X, SOURCE), INPUT("W", W, matrix), INPUT("R", R, matrix), INPUT("B", B, bias), \
    INPUT("initial_h", INITIAL_H, STATE),                                      \
    REQUEST("recurrence", "rows and columns of R", transpose_recurrence,       \
            "as_given", "transposed"),                                         \
    REQUEST("sequence_lens", "use of sequence_lens", change_lengths, "as_given", "ignored", \
            "one_more", "one_less", "next_row", "first_for_all", "longest_for_all"), \
    REQUEST("direction", "which way time goes", ignore_direction, "as_asked", "forward"), \
    RESULTS("order", "the order of Y in a reverse direction", keep_order_of_processing, \
            "of_input", "of_processing"),                                      \
    RESULTS("last", "which state Y_h is", take_state_of_time, "of_length", "of_last_time", \
            "of_first_time", "reverse_of_last"),                               \
    OUTPUT("Y", Y, RESULT), OUTPUT("Y_h", Y_H, STATE)
#define INTERLEAVED                                                            \
    REQUEST("biases", "order of the two biases of each gate", interleave_biases, \
            "one_after_the_other", "interleaved")

static const struct lens of_rnn[] = {
    SHARED(MATRIX, BIAS),
    EQUATION("operand", "an operand left out", RNN_LEAVE_OUT, RNN_WITHOUT),
    EQUATION("twice", "an operand taken twice", RNN_REPEAT, RNN_TWICE),
    EQUATION("sign", "a term with the other sign", RNN_SUBTRACT, RNN_SIGNS),
    ONNX_BF16_LENS,
};

static const struct lens of_gru[] = {
    SHARED(MATRIX_3, BIAS_3),
    INTERLEAVED,
    ORDER("zrh", "zhr", "rzh", "rhz", "hzr", "hrz"),
    REQUEST("reset", "the reset gate before or after the product", change_reset,
            "as_asked", "other"),
    EQUATION("operand", "an operand left out", RNN_LEAVE_OUT, GRU_WITHOUT),
    EQUATION("twice", "an operand taken twice", RNN_REPEAT, GRU_TWICE),
    EQUATION("sign", "a term with the other sign", RNN_SUBTRACT, GRU_SIGNS),
    EQUATION("factor", "a factor left out", RNN_LEAVE_OUT_FACTOR, GRU_FACTORS),
    ONNX_BF16_LENS,
};

static const struct lens of_lstm[] = {
    SHARED(MATRIX_4, BIAS_4),
    INTERLEAVED,
    ORDER("iofc", "iocf", "ifoc", "ifco", "icof", "icfo", "oifc", "oicf", "ofic", "ofci", "ocif",
          "ocfi", "fioc", "fico", "foic", "foci", "fcio", "fcoi", "ciof", "cifo", "coif", "cofi",
          "cfio", "cfoi"),
    INPUT("initial_c", INITIAL_C, STATE),
    INPUT("P", P, PEEPHOLE),
    REQUEST("peepholes", "order of the gates in P", change_peepholes,
            "iof", "ifo", "oif", "ofi", "fio", "foi"),
    OUTPUT("Y_c", Y_C, STATE),
    EQUATION("operand", "an operand left out", RNN_LEAVE_OUT, LSTM_WITHOUT),
    EQUATION("twice", "an operand taken twice", RNN_REPEAT, LSTM_TWICE),
    EQUATION("sign", "a term with the other sign", RNN_SUBTRACT, LSTM_SIGNS),
    EQUATION("factor", "a factor left out", RNN_LEAVE_OUT_FACTOR, LSTM_FACTORS),
    ONNX_BF16_LENS,
};
// clang-format on

const struct lens_family onnx_rnn_lenses = {&onnx_rnn, of_rnn, OPERATION_ROWS(of_rnn), keeps, NULL};
const struct lens_family onnx_gru_lenses = {&onnx_gru, of_gru, OPERATION_ROWS(of_gru), keeps, NULL};
const struct lens_family onnx_lstm_lenses = {&onnx_lstm, of_lstm, OPERATION_ROWS(of_lstm), keeps,
                                             NULL};
