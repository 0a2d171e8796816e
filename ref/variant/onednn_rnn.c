// SPDX-License-Identifier: Apache-2.0
// The lenses of onednn.rnn, and those on tensors: a mistake is an action on one axis of some of
// them.

#include "ref/variant/onednn_rnn.h"

#include <string.h>

#include "ref/op/onednn/rnn.h"
#include "ref/variant/tensor_action.h"

// ---- lenses on tensors --------------------------------------------------------

// Inputs or outputs first..last, as far as they are present, and the act of each option.
struct tensor_lens {
    unsigned first, last;
    const struct act *act;
};

static enum error change_inputs(const struct lens_call *call, struct request *request)
{
    const struct tensor_lens *const lens = call->lens->detail;
    enum error error = ERROR_NONE;
    for (unsigned i = lens->first; i <= lens->last && !error; i++)
        error = lens_change_tensor(call, lens->act[call->option - 1], &request->input[i]);
    return error;
}

static enum error change_outputs(const struct lens_call *call, const struct request *request,
                                 struct tensor *tensor)
{
    const struct tensor_lens *const lens = call->lens->detail;
    enum error error = ERROR_NONE;
    (void)request;
    for (unsigned i = lens->first; i <= lens->last && !error; i++) {
        struct tensor changed = tensor[i];
        size_t bytes;
        error = lens_change_tensor(call, lens->act[call->option - 1], &changed);
        if (!error && changed.data != tensor[i].data && tensor_bytes(&changed, &bytes))
            memcpy(tensor[i].data, changed.data, bytes);
    }
    return error;
}

// clang-format off
// ---- options: name, action, axis --------------------------------------------

// [T, N, channels]
#define SEQUENCE(X)                                                            \
    X("next_row", ROTATE, 1)         X("rows_reversed", REVERSE, 1)            \
    X("time_shifted", ROTATE, 0)     X("time_reversed", REVERSE, 0)            \
    X("channels_rotated", ROTATE, 2) X("channels_reversed", REVERSE, 2)        \
    X("ignored", CLEAR, 0)           X("negated", NEGATE, 0)
#define SOURCE(X) SEQUENCE(X) X("rows_in_8_bits", WRAP, 1)
// [T, N, 1]
#define ATTENTION(X)                                                           \
    X("ignored", CLEAR, 0)           X("next_row", ROTATE, 1)                  \
    X("negated", NEGATE, 0)          X("rows_reversed", REVERSE, 1)            \
    X("time_shifted", ROTATE, 0)     X("time_reversed", REVERSE, 0)            \
    X("doubled", DOUBLE, 0)
// [L, D, N, channels]
#define STATE(X)                                                               \
    X("ignored", CLEAR, 0)           X("next_row", ROTATE, 2)                  \
    X("channels_rotated", ROTATE, 3) X("rows_reversed", REVERSE, 2)            \
    X("channels_reversed", REVERSE, 3) X("layers_exchanged", ROTATE, 0)        \
    X("directions_exchanged", ROTATE, 1)                                       \
    X("negated", NEGATE, 0)          X("doubled", DOUBLE, 0)
// [L, D, inputs, G, outputs]
#define MATRIX(X)                                                              \
    X("rows_rotated", ROTATE, 2)     X("rows_reversed", REVERSE, 2)            \
    X("columns_rotated", ROTATE, 4)  X("columns_reversed", REVERSE, 4)         \
    X("gates_rotated", ROTATE, 3)    X("gates_reversed", REVERSE, 3)           \
    X("layers_exchanged", ROTATE, 0) X("directions_exchanged", ROTATE, 1)      \
    X("ignored", CLEAR, 0)                                                     \
    X("gate_0_negated", NEGATE_LINE + 0, 3) X("gate_1_negated", NEGATE_LINE + 1, 3) \
    X("gate_2_negated", NEGATE_LINE + 2, 3) X("gate_3_negated", NEGATE_LINE + 3, 3)
// [L, D, rows, channels]
#define ROWS(X)                                                                \
    X("ignored", CLEAR, 0)           X("rows_rotated", ROTATE, 2)              \
    X("columns_rotated", ROTATE, 3)  X("rows_reversed", REVERSE, 2)            \
    X("columns_reversed", REVERSE, 3) X("layers_exchanged", ROTATE, 0)         \
    X("directions_exchanged", ROTATE, 1)                                       \
    X("negated", NEGATE, 0)          X("doubled", DOUBLE, 0)
#define PROJECTION(X)     ROWS(X) X("lines_in_pairs", PAIR, 2)
#define MATRIX_GATES(X)   X("rotated", ROTATE, 3) X("reversed", REVERSE, 3)
#define BIAS_GATES(X)     X("rotated", ROTATE, 2) X("reversed", REVERSE, 2)
#define STACK(X)          X("exchanged", ROTATE, 0)
#define BOTH_DIRECTIONS(X) X("exchanged", ROTATE, 1)
#define INITIAL(X) X("ignored", CLEAR, 0) X("subtracted", NEGATE, 0) X("doubled", DOUBLE, 0)

#define NAME_OF(name, ...) name,
#define ACT_OF(name, action, axis) {action, axis},
#define OPTIONS(...) OPERATION_WORDS(__VA_ARGS__)
#define TENSORS(from, to, list) \
    &(const struct tensor_lens){RNN_##from, RNN_##to, (const struct act[]){list(ACT_OF)}}

#define USE_OF(name) "indices and use of " name
#define INPUTS(name, about, standard, from, to, list) \
    {{name, OPTIONS(standard, list(NAME_OF) NULL)}, change_inputs, NULL, \
     TENSORS(from, to, list), about}
#define INPUT(name, tensor, list) INPUTS(name, USE_OF(name), "as_given", tensor, tensor, list)
#define OUTPUTS(name, from, to, list) \
    {{name, OPTIONS("as_computed", list(NAME_OF) NULL)}, NULL, change_outputs, \
     TENSORS(from, to, list), USE_OF(name)}
#define OUTPUT(name, tensor, list) OUTPUTS(name, tensor, tensor, list)

// ---- options: the variable that an equation gives, and the places of its operands
// (products with matrices first). lenses_test holds them against the tables of cells ----

#define FIRST_1(name, end) name "0" end,
#define FIRST_2(name, end) name "0" end, name "1" end,
#define FIRST_3(name, end) FIRST_2(name, end) name "2" end,
#define FIRST_4(name, end) FIRST_3(name, end) name "3" end,
#define ONLY_1(name, end) name "1" end,
#define ONLY_0_AND_2(name, end) name "0" end, name "2" end,
#define ITSELF(name, end) name end,
enum {
    PLACES_FIRST_1 = 1, PLACES_FIRST_2 = 3, PLACES_FIRST_3 = 7, PLACES_FIRST_4 = 15,
    PLACES_ONLY_1 = 2, PLACES_ONLY_0_AND_2 = 5, PLACES_ITSELF = 1
};

#define OPERANDS(X, verb)                                                      \
    X("z_0" verb, Z0, FIRST_4, "") X("z_1" verb, Z1, FIRST_4, "")              \
    X("z_2" verb, Z2, FIRST_3, "") X("z_3" verb, Z3, FIRST_4, "")              \
    X("w" verb, W, FIRST_2, "")    X("c" verb, C_NEW, FIRST_2, "")             \
    X("h" verb, H_NEW, FIRST_2, "") X("dh" verb, DIFF_H, FIRST_2, "")                  \
    X("dc" verb, DIFF_C_TOTAL, FIRST_3, "")                                    \
    X("dc_before" verb, DIFF_C_PREV, FIRST_3, "")                              \
    X("dh_before" verb, DIFF_H_PREV, FIRST_4, "")                              \
    X("dx" verb, DIFF_X, FIRST_4, "")
#define WITHOUT(X)   OPERANDS(X, "_without_")
#define TWICE(X)     OPERANDS(X, "_twice_")
#define NEIGHBOUR(X) OPERANDS(X, "_neighbour_")
#define SIGNS(X)                                                               \
    X("z_0_minus_", Z0, FIRST_2, "") X("z_1_minus_", Z1, FIRST_2, "")          \
    X("z_2_minus_", Z2, FIRST_2, "") X("z_3_minus_", Z3, FIRST_2, "")          \
    X("w_minus_", W, FIRST_1, "")    X("c_minus_", C_NEW, FIRST_2, "")         \
    X("h_minus_", H_NEW, FIRST_2, "") X("dh_minus_", DIFF_H, FIRST_2, "")      \
    X("dc_minus_", DIFF_C_TOTAL, FIRST_3, "")                                  \
    X("dc_before_minus_", DIFF_C_PREV, FIRST_3, "")                            \
    X("dh_before_minus_", DIFF_H_PREV, FIRST_2, "")                            \
    X("dz_0_minus_", DIFF_Z0, FIRST_1, "") X("dz_1_minus_", DIFF_Z1, FIRST_1, "") \
    X("dz_2_minus_", DIFF_Z2, FIRST_1, "") X("dz_3_minus_", DIFF_Z3, FIRST_1, "") \
    X("m_minus_", M, FIRST_1, "") X("s_minus_", S, FIRST_1, "")                \
    X("e_minus_", DIFF_W, FIRST_1, "")
#define FACTORS(X)                                                             \
    X("dz_0_without_", DIFF_Z0, FIRST_4, "") X("dz_1_without_", DIFF_Z1, FIRST_3, "") \
    X("dz_2_without_", DIFF_Z2, FIRST_3, "") X("dz_3_without_", DIFF_Z3, FIRST_3, "") \
    X("m_without_", M, FIRST_2, "") X("s_without_", S, FIRST_2, "")            \
    X("e_without_", DIFF_W, FIRST_2, "") X("ua_without_", UPDATE, FIRST_2, "")
// Those that have a neighbour.
#define FACTOR_NEIGHBOURS(X)                                                   \
    X("dz_0_neighbour_", DIFF_Z0, FIRST_4, "") X("dz_1_neighbour_", DIFF_Z1, FIRST_3, "") \
    X("dz_2_neighbour_", DIFF_Z2, FIRST_3, "") X("dz_3_neighbour_", DIFF_Z3, ONLY_0_AND_2, "") \
    X("m_neighbour_", M, FIRST_2, "") X("s_neighbour_", S, FIRST_1, "")        \
    X("e_neighbour_", DIFF_W, FIRST_2, "") X("ua_neighbour_", UPDATE, ONLY_1, "")
// Values that 16-bit cells keep in f32.
#define EARLY(X)                                                               \
    X("z_", Z0, FIRST_4, "") X("gate_", G0, FIRST_4, "") X("w", W, ITSELF, "") \
    X("tanh_of_c", T, ITSELF, "") X("ua", UPDATE, ITSELF, "")
// Gradients of parameters: kind of change and gates.
#define GRADIENTS(X)                                                           \
    X("dw_", WEIGHTS_LAYER_OF_NEXT, FIRST_4, "_of_next")                       \
    X("du_", WEIGHTS_ITER_OF_NEXT, FIRST_4, "_of_next")                        \
    X("du_", WEIGHTS_ITER_OF_NEW, FIRST_4, "_of_new_state")                    \
    X("db_", BIAS_OF_NEXT, FIRST_4, "_of_next")                                \
    X("dp_", PEEPHOLE_OF_NEXT, FIRST_3, "_of_next")                            \
    X("dp_", PEEPHOLE_OF_OTHER, FIRST_3, "_of_other_c")                        \
    X("dr_of_above", PROJECTION_OF_ABOVE, ITSELF, "")                          \
    X("du_of_new_state", WEIGHTS_ITER_OF_NEW_ALL, ITSELF, "")

#define NAMES_OF(name, result, places, end) places(name, end)
#define ROW_OF(name, result, places, end) {RNN_##result, PLACES_##places},
#define EQUATION_OPTIONS(list) OPTIONS("as_specified", list(NAMES_OF) NULL)
#define ROWS_OF(list) (const struct rnn_row[]){list(ROW_OF) {0, 0}}

#define EQUATION(name, about, change, list)                                    \
    {{name, EQUATION_OPTIONS(list)}, rnn_lens_equation, NULL,                  \
     &(const struct rnn_equation_lens){change, ROWS_OF(list)}, about}
#define BY_ROWS(name, about, on_request, list) \
    {{name, EQUATION_OPTIONS(list)}, on_request, NULL, ROWS_OF(list), about}

// ---- the table --------------------------------------------------------------

#define REQUEST(name, about, on_request, ...) \
    {{name, OPTIONS(__VA_ARGS__)}, on_request, NULL, NULL, about}

static const struct lens lenses[] = {
    INPUTS("gates", "order of the gates in both weights",
           "as_specified", WEIGHTS_LAYER, WEIGHTS_ITER, MATRIX_GATES),
    INPUTS("bias_gates", "order of the gates in the bias", "as_specified", BIAS, BIAS, BIAS_GATES),
    INPUT("weights_layer", WEIGHTS_LAYER, MATRIX),
    INPUT("weights_iter", WEIGHTS_ITER, MATRIX),
    INPUT("weights_peephole", WEIGHTS_PEEPHOLE, ROWS),
    INPUT("weights_projection", WEIGHTS_PROJECTION, PROJECTION),
    INPUT("bias", BIAS, ROWS),
    INPUT("src_layer", SRC_LAYER, SOURCE),
    INPUT("src_iter", SRC_ITER, STATE),
    INPUT("src_iter_c", SRC_ITER_C, STATE),
    INPUT("attention", ATTENTION, ATTENTION),
    INPUTS("layers", "parameters of which layer", "as_given", WEIGHTS_LAYER, BIAS, STACK),
    INPUTS("directions", "parameters of which direction",
           "as_given", WEIGHTS_LAYER, BIAS, BOTH_DIRECTIONS),
    INPUT("diff_dst_layer", DIFF_DST_LAYER, SEQUENCE),
    INPUTS("diff_dst_iter", "indices and use of diff_dst_iter",
           "as_given", DIFF_DST_ITER, DIFF_DST_ITER_C, STATE),
    INPUT("diff_dst_iter_c", DIFF_DST_ITER_C, STATE),
    INPUTS("initial_gradient", "what gradients of parameters are added to",
           "added", INITIAL_WEIGHTS_LAYER, INITIAL_BIAS, INITIAL),
    REQUEST("data_shift", "the zero point of quantised data",
            rnn_lens_data_shift, "as_given", "one_more", "ignored", "half_less"),
    REQUEST("data_scale", "the scale of quantised data",
            rnn_lens_data_scale, "as_given", "doubled", "percent_more"),
    REQUEST("scales_of_weights", "which scale a quantised weight has", rnn_lens_weights_scales,
            "as_given", "first_for_all", "rotated", "transposed"),
    REQUEST("scales_of_projection", "which scale a quantised weight of the projection has",
            rnn_lens_projection_scales,
            "as_given", "first_for_all", "rotated"),
    {{"format_read", OPTIONS("as_asked", RNN_MISPLACED(NAME_OF) NULL)}, rnn_lens_read_format, NULL,
     NULL, "where a tensor lies that is read"},
    {{"format_written", OPTIONS("as_asked", RNN_MISPLACED(NAME_OF) NULL)}, NULL,
     rnn_lens_write_format, NULL, "where a tensor lies that is written"},
    REQUEST("reset", "the reset gate before or after the product",
            rnn_lens_reset, "as_specified", "other"),
    REQUEST("wiring", "which state a layer reads from the one below, and which way time goes",
            rnn_lens_wiring, "as_specified", "other_direction", "src_layer",
            "step_before", "second_direction_forward"),
    REQUEST("store", "where a value of 16 bits is rounded",
            rnn_lens_store, "as_specified", "c_before_tanh", "c_before_output_gate",
            "s_as_computed", "m_as_computed"),
    BY_ROWS("early", "a value that 16-bit cells keep in f32, rounded to their type",
            rnn_lens_early, EARLY),
    REQUEST("operations", "16-bit data: sums that are rounded once, or each operation's result",
            rnn_lens_operations, "as_specified", "each_stored"),
    EQUATION("operand", "an operand of an equation left out", RNN_LEAVE_OUT, WITHOUT),
    EQUATION("twice", "an operand of an equation taken twice", RNN_REPEAT, TWICE),
    EQUATION("neighbour", "an operand of an equation taken from the next gate, row or state",
             RNN_TAKE_NEIGHBOUR, NEIGHBOUR),
    EQUATION("sign", "a term with the other sign", RNN_SUBTRACT, SIGNS),
    EQUATION("factor", "a factor left out", RNN_LEAVE_OUT_FACTOR, FACTORS),
    EQUATION("factor_neighbour", "a factor taken from the next gate, row or state",
             RNN_TAKE_NEIGHBOUR_FACTOR, FACTOR_NEIGHBOURS),
    BY_ROWS("gradient", "a gradient of parameters made of another gate's or step's values",
            rnn_lens_gradient, GRADIENTS),
    REQUEST("attention_gradient",
            "gradients of attention, of o and of h' read u before or after attention",
            rnn_lens_attention_gradient, "as_specified", "of_update"),
    {{"saturation", OPTIONS("as_typed", "seven_bits", "least_left_out", "most_left_out")},
     NULL, rnn_lens_saturation, NULL, "the ends of what quantised data can hold"},
    OUTPUT("dst_layer", DST_LAYER, SEQUENCE),
    OUTPUTS("dst_iter", DST_ITER, DST_ITER_C, STATE),
    OUTPUT("diff_src_layer", DIFF_SRC_LAYER, SEQUENCE),
    OUTPUTS("diff_src_iter", DIFF_SRC_ITER, DIFF_SRC_ITER_C, STATE),
    OUTPUT("diff_attention", DIFF_ATTENTION, ATTENTION),
    OUTPUT("diff_weights_layer", DIFF_WEIGHTS_LAYER, MATRIX),
    OUTPUT("diff_weights_iter", DIFF_WEIGHTS_ITER, MATRIX),
    OUTPUT("diff_weights_peephole", DIFF_WEIGHTS_PEEPHOLE, ROWS),
    OUTPUT("diff_weights_projection", DIFF_WEIGHTS_PROJECTION, ROWS),
    OUTPUT("diff_bias", DIFF_BIAS, ROWS),
};
// clang-format on

const struct lens_family rnn_lenses = {&onednn_rnn, lenses, OPERATION_ROWS(lenses), rnn_lens_keeps,
                                       rnn_lens_concerns};
