// SPDX-License-Identifier: Apache-2.0
// Wrong ways to read or write the tensors of onednn.rnn, and to write its equations, generated:
// every tensor by every action on every one of its indices; every equation by every change of every
// operand. Each list below is the options of a choice and what they do.

#ifndef ASSAY_REF_VARIANT_ONEDNN_RNN_H
#define ASSAY_REF_VARIANT_ONEDNN_RNN_H

#include "ref/variant/lens.h"

#define RNN_LENS_FUNCTIONS(name)                                                                   \
    enum error rnn_lens_##name(unsigned option, struct request *request, struct arena *arena,      \
                               struct diagnostic *diagnostic)
#define RNN_LENS_RESULT(name)                                                                      \
    enum error rnn_lens_##name(unsigned option, const struct request *request,                     \
                               struct tensor *tensor, struct arena *arena,                         \
                               struct diagnostic *diagnostic)

// ---- what options do --------------------------------------------------------

RNN_LENS_FUNCTIONS(gates);
RNN_LENS_FUNCTIONS(bias_gates);
RNN_LENS_FUNCTIONS(weights_layer);
RNN_LENS_FUNCTIONS(weights_iter);
RNN_LENS_FUNCTIONS(weights_peephole);
RNN_LENS_FUNCTIONS(weights_projection);
RNN_LENS_FUNCTIONS(bias);
RNN_LENS_FUNCTIONS(src_layer);
RNN_LENS_FUNCTIONS(src_iter);
RNN_LENS_FUNCTIONS(src_iter_c);
RNN_LENS_FUNCTIONS(attention);
RNN_LENS_FUNCTIONS(layers);
RNN_LENS_FUNCTIONS(directions);
RNN_LENS_FUNCTIONS(diff_dst_layer);
RNN_LENS_FUNCTIONS(diff_dst_iter);
RNN_LENS_FUNCTIONS(diff_dst_iter_c);
RNN_LENS_FUNCTIONS(initial);
RNN_LENS_FUNCTIONS(data_shift);
RNN_LENS_FUNCTIONS(data_scale);
RNN_LENS_FUNCTIONS(weights_scales);
RNN_LENS_FUNCTIONS(projection_scales);
RNN_LENS_FUNCTIONS(reset);
RNN_LENS_FUNCTIONS(store);
RNN_LENS_FUNCTIONS(early);
RNN_LENS_FUNCTIONS(operand);
RNN_LENS_FUNCTIONS(twice);
RNN_LENS_FUNCTIONS(neighbour);
RNN_LENS_FUNCTIONS(sign);
RNN_LENS_FUNCTIONS(factor);
RNN_LENS_FUNCTIONS(factor_neighbour);
RNN_LENS_FUNCTIONS(gradient);
RNN_LENS_FUNCTIONS(wiring);

RNN_LENS_RESULT(dst_layer);
RNN_LENS_RESULT(dst_iter);
RNN_LENS_RESULT(saturation);
RNN_LENS_RESULT(diff_src_layer);
RNN_LENS_RESULT(diff_src_iter);
RNN_LENS_RESULT(diff_attention);
RNN_LENS_RESULT(diff_weights_layer);
RNN_LENS_RESULT(diff_weights_iter);
RNN_LENS_RESULT(diff_weights_peephole);
RNN_LENS_RESULT(diff_weights_projection);
RNN_LENS_RESULT(diff_bias);

struct rnn_cell;

// Whether the equations that lenses made for the request, `cell`, are its own after all.
bool rnn_lens_left_cell(const struct request *request, const struct rnn_cell *cell);

// ---- tensors: option, action, axis ------------------------------------------

// [T, N, channels]
#define RNN_SEQUENCE_LIST(X)                                                                       \
    X("next_row", ROTATE, 1)                                                                       \
    X("rows_reversed", REVERSE, 1)                                                                 \
    X("time_shifted", ROTATE, 0)                                                                   \
    X("time_reversed", REVERSE, 0)                                                                 \
    X("channels_rotated", ROTATE, 2)                                                               \
    X("channels_reversed", REVERSE, 2) X("ignored", CLEAR, 0) X("negated", NEGATE, 0)
// [T, N, 1]
#define RNN_ATTENTION_LIST(X)                                                                      \
    X("ignored", CLEAR, 0)                                                                         \
    X("next_row", ROTATE, 1)                                                                       \
    X("negated", NEGATE, 0)                                                                        \
    X("rows_reversed", REVERSE, 1)                                                                 \
    X("time_shifted", ROTATE, 0) X("time_reversed", REVERSE, 0) X("doubled", DOUBLE, 0)
// [L, D, N, channels]
#define RNN_STATE_LIST(X)                                                                          \
    X("ignored", CLEAR, 0)                                                                         \
    X("next_row", ROTATE, 2)                                                                       \
    X("channels_rotated", ROTATE, 3)                                                               \
    X("rows_reversed", REVERSE, 2)                                                                 \
    X("channels_reversed", REVERSE, 3)                                                             \
    X("layers_exchanged", ROTATE, 0)                                                               \
    X("directions_exchanged", ROTATE, 1) X("negated", NEGATE, 0) X("doubled", DOUBLE, 0)
// [L, D, inputs, G, outputs]
#define RNN_MATRIX_LIST(X)                                                                         \
    X("rows_rotated", ROTATE, 2)                                                                   \
    X("rows_reversed", REVERSE, 2)                                                                 \
    X("columns_rotated", ROTATE, 4)                                                                \
    X("columns_reversed", REVERSE, 4)                                                              \
    X("gates_rotated", ROTATE, 3)                                                                  \
    X("gates_reversed", REVERSE, 3)                                                                \
    X("layers_exchanged", ROTATE, 0)                                                               \
    X("directions_exchanged", ROTATE, 1)                                                           \
    X("ignored", CLEAR, 0)                                                                         \
    X("gate_0_negated", NEGATE_LINE + 0, 3)                                                        \
    X("gate_1_negated", NEGATE_LINE + 1, 3)                                                        \
    X("gate_2_negated", NEGATE_LINE + 2, 3) X("gate_3_negated", NEGATE_LINE + 3, 3)
// [L, D, rows, channels]
#define RNN_ROWS_LIST(X)                                                                           \
    X("ignored", CLEAR, 0)                                                                         \
    X("rows_rotated", ROTATE, 2)                                                                   \
    X("columns_rotated", ROTATE, 3)                                                                \
    X("rows_reversed", REVERSE, 2)                                                                 \
    X("columns_reversed", REVERSE, 3)                                                              \
    X("layers_exchanged", ROTATE, 0)                                                               \
    X("directions_exchanged", ROTATE, 1) X("negated", NEGATE, 0) X("doubled", DOUBLE, 0)
#define RNN_GATES_LIST(X, axis) X("rotated", ROTATE, axis) X("reversed", REVERSE, axis)
#define RNN_INITIAL_LIST(X)                                                                        \
    X("ignored", CLEAR, 0) X("subtracted", NEGATE, 0) X("doubled", DOUBLE, 0)
#define RNN_STACK_LIST(X, axis) X("exchanged", ROTATE, axis)

// ---- equations: option, the variable that the equation gives, the place of an
// (products with matrices first) ------

#define RNN_OPERAND_LIST(X, verb)                                                                  \
    X("z_0" verb "0", RNN_Z0, 0)                                                                   \
    X("z_0" verb "1", RNN_Z0, 1)                                                                   \
    X("z_0" verb "2", RNN_Z0, 2)                                                                   \
    X("z_0" verb "3", RNN_Z0, 3)                                                                   \
    X("z_1" verb "0", RNN_Z1, 0)                                                                   \
    X("z_1" verb "1", RNN_Z1, 1)                                                                   \
    X("z_1" verb "2", RNN_Z1, 2)                                                                   \
    X("z_1" verb "3", RNN_Z1, 3)                                                                   \
    X("z_2" verb "0", RNN_Z2, 0)                                                                   \
    X("z_2" verb "1", RNN_Z2, 1)                                                                   \
    X("z_2" verb "2", RNN_Z2, 2)                                                                   \
    X("z_3" verb "0", RNN_Z3, 0)                                                                   \
    X("z_3" verb "1", RNN_Z3, 1)                                                                   \
    X("z_3" verb "2", RNN_Z3, 2)                                                                   \
    X("z_3" verb "3", RNN_Z3, 3)                                                                   \
    X("w" verb "0", RNN_W, 0)                                                                      \
    X("w" verb "1", RNN_W, 1)                                                                      \
    X("c" verb "0", RNN_C_NEW, 0)                                                                  \
    X("c" verb "1", RNN_C_NEW, 1)                                                                  \
    X("h" verb "0", RNN_H_NEW, 0)                                                                  \
    X("h" verb "1", RNN_H_NEW, 1)                                                                  \
    X("dh" verb "0", RNN_DIFF_H, 0)                                                                \
    X("dh" verb "1", RNN_DIFF_H, 1)                                                                \
    X("dc" verb "0", RNN_DIFF_C_TOTAL, 0)                                                          \
    X("dc" verb "1", RNN_DIFF_C_TOTAL, 1)                                                          \
    X("dc" verb "2", RNN_DIFF_C_TOTAL, 2)                                                          \
    X("dc_before" verb "0", RNN_DIFF_C_PREV, 0)                                                    \
    X("dc_before" verb "1", RNN_DIFF_C_PREV, 1)                                                    \
    X("dc_before" verb "2", RNN_DIFF_C_PREV, 2)                                                    \
    X("dh_before" verb "0", RNN_DIFF_H_PREV, 0)                                                    \
    X("dh_before" verb "1", RNN_DIFF_H_PREV, 1)                                                    \
    X("dh_before" verb "2", RNN_DIFF_H_PREV, 2)                                                    \
    X("dh_before" verb "3", RNN_DIFF_H_PREV, 3)                                                    \
    X("dx" verb "0", RNN_DIFF_X, 0)                                                                \
    X("dx" verb "1", RNN_DIFF_X, 1)                                                                \
    X("dx" verb "2", RNN_DIFF_X, 2)                                                                \
    X("dx" verb "3", RNN_DIFF_X, 3)
#define RNN_SIGN_LIST(X)                                                                           \
    X("z_0_minus_0", RNN_Z0, 0)                                                                    \
    X("z_0_minus_1", RNN_Z0, 1)                                                                    \
    X("z_1_minus_0", RNN_Z1, 0)                                                                    \
    X("z_1_minus_1", RNN_Z1, 1)                                                                    \
    X("z_2_minus_0", RNN_Z2, 0)                                                                    \
    X("z_2_minus_1", RNN_Z2, 1)                                                                    \
    X("z_3_minus_0", RNN_Z3, 0)                                                                    \
    X("z_3_minus_1", RNN_Z3, 1)                                                                    \
    X("w_minus_0", RNN_W, 0)                                                                       \
    X("c_minus_0", RNN_C_NEW, 0)                                                                   \
    X("c_minus_1", RNN_C_NEW, 1)                                                                   \
    X("h_minus_0", RNN_H_NEW, 0)                                                                   \
    X("h_minus_1", RNN_H_NEW, 1)                                                                   \
    X("dh_minus_0", RNN_DIFF_H, 0)                                                                 \
    X("dh_minus_1", RNN_DIFF_H, 1)                                                                 \
    X("dc_minus_0", RNN_DIFF_C_TOTAL, 0)                                                           \
    X("dc_minus_1", RNN_DIFF_C_TOTAL, 1)                                                           \
    X("dc_minus_2", RNN_DIFF_C_TOTAL, 2)                                                           \
    X("dc_before_minus_0", RNN_DIFF_C_PREV, 0)                                                     \
    X("dc_before_minus_1", RNN_DIFF_C_PREV, 1)                                                     \
    X("dc_before_minus_2", RNN_DIFF_C_PREV, 2)                                                     \
    X("dh_before_minus_0", RNN_DIFF_H_PREV, 0)                                                     \
    X("dh_before_minus_1", RNN_DIFF_H_PREV, 1)                                                     \
    X("dz_0_minus_0", RNN_DIFF_Z0, 0)                                                              \
    X("dz_1_minus_0", RNN_DIFF_Z1, 0)                                                              \
    X("dz_2_minus_0", RNN_DIFF_Z2, 0)                                                              \
    X("dz_3_minus_0", RNN_DIFF_Z3, 0)                                                              \
    X("m_minus_0", RNN_M, 0)                                                                       \
    X("s_minus_0", RNN_S, 0)                                                                       \
    X("e_minus_0", RNN_DIFF_W, 0)
#define RNN_FACTOR_LIST(X, verb)                                                                   \
    X("dz_0" verb "0", RNN_DIFF_Z0, 0)                                                             \
    X("dz_0" verb "1", RNN_DIFF_Z0, 1)                                                             \
    X("dz_0" verb "2", RNN_DIFF_Z0, 2)                                                             \
    X("dz_0" verb "3", RNN_DIFF_Z0, 3)                                                             \
    X("dz_1" verb "0", RNN_DIFF_Z1, 0)                                                             \
    X("dz_1" verb "1", RNN_DIFF_Z1, 1)                                                             \
    X("dz_1" verb "2", RNN_DIFF_Z1, 2)                                                             \
    X("dz_2" verb "0", RNN_DIFF_Z2, 0)                                                             \
    X("dz_2" verb "1", RNN_DIFF_Z2, 1)                                                             \
    X("dz_2" verb "2", RNN_DIFF_Z2, 2)                                                             \
    X("dz_3" verb "0", RNN_DIFF_Z3, 0)                                                             \
    X("dz_3" verb "1", RNN_DIFF_Z3, 1)                                                             \
    X("dz_3" verb "2", RNN_DIFF_Z3, 2)                                                             \
    X("m" verb "0", RNN_M, 0)                                                                      \
    X("m" verb "1", RNN_M, 1)                                                                      \
    X("s" verb "0", RNN_S, 0)                                                                      \
    X("s" verb "1", RNN_S, 1)                                                                      \
    X("e" verb "0", RNN_DIFF_W, 0)                                                                 \
    X("e" verb "1", RNN_DIFF_W, 1)                                                                 \
    X("ua" verb "0", RNN_UPDATE, 0)                                                                \
    X("ua" verb "1", RNN_UPDATE, 1)
// Those that have a neighbour.
#define RNN_FACTOR_NEIGHBOUR_LIST(X)                                                               \
    X("dz_0_neighbour_0", RNN_DIFF_Z0, 0)                                                          \
    X("dz_0_neighbour_1", RNN_DIFF_Z0, 1)                                                          \
    X("dz_0_neighbour_2", RNN_DIFF_Z0, 2)                                                          \
    X("dz_0_neighbour_3", RNN_DIFF_Z0, 3)                                                          \
    X("dz_1_neighbour_0", RNN_DIFF_Z1, 0)                                                          \
    X("dz_1_neighbour_1", RNN_DIFF_Z1, 1)                                                          \
    X("dz_1_neighbour_2", RNN_DIFF_Z1, 2)                                                          \
    X("dz_2_neighbour_0", RNN_DIFF_Z2, 0)                                                          \
    X("dz_2_neighbour_1", RNN_DIFF_Z2, 1)                                                          \
    X("dz_2_neighbour_2", RNN_DIFF_Z2, 2)                                                          \
    X("dz_3_neighbour_0", RNN_DIFF_Z3, 0)                                                          \
    X("dz_3_neighbour_2", RNN_DIFF_Z3, 2)                                                          \
    X("m_neighbour_0", RNN_M, 0)                                                                   \
    X("m_neighbour_1", RNN_M, 1)                                                                   \
    X("s_neighbour_0", RNN_S, 0)                                                                   \
    X("e_neighbour_0", RNN_DIFF_W, 0)                                                              \
    X("e_neighbour_1", RNN_DIFF_W, 1)                                                              \
    X("ua_neighbour_1", RNN_UPDATE, 1)
// Values that 16-bit cells keep in f32.
#define RNN_EARLY_LIST(X)                                                                          \
    X("z_0", RNN_Z0, 0)                                                                            \
    X("z_1", RNN_Z1, 0)                                                                            \
    X("z_2", RNN_Z2, 0)                                                                            \
    X("z_3", RNN_Z3, 0)                                                                            \
    X("gate_0", RNN_G0, 0)                                                                         \
    X("gate_1", RNN_G1, 0)                                                                         \
    X("gate_2", RNN_G2, 0)                                                                         \
    X("gate_3", RNN_G3, 0)                                                                         \
    X("w", RNN_W, 0)                                                                               \
    X("tanh_of_c", RNN_T, 0)                                                                       \
    X("ua", RNN_UPDATE, 0)
// Gradients of parameters: kind of tensor and gate. The right factor of another gate, the left one
// of another step.
#define RNN_GRADIENT_LIST(X)                                                                       \
    X("dw_0_of_next", WEIGHTS_LAYER_OF_NEXT, 0)                                                    \
    X("dw_1_of_next", WEIGHTS_LAYER_OF_NEXT, 1)                                                    \
    X("dw_2_of_next", WEIGHTS_LAYER_OF_NEXT, 2)                                                    \
    X("dw_3_of_next", WEIGHTS_LAYER_OF_NEXT, 3)                                                    \
    X("du_0_of_next", WEIGHTS_ITER_OF_NEXT, 0)                                                     \
    X("du_1_of_next", WEIGHTS_ITER_OF_NEXT, 1)                                                     \
    X("du_2_of_next", WEIGHTS_ITER_OF_NEXT, 2)                                                     \
    X("du_3_of_next", WEIGHTS_ITER_OF_NEXT, 3)                                                     \
    X("du_0_of_new_state", WEIGHTS_ITER_OF_NEW, 0)                                                 \
    X("du_1_of_new_state", WEIGHTS_ITER_OF_NEW, 1)                                                 \
    X("du_2_of_new_state", WEIGHTS_ITER_OF_NEW, 2)                                                 \
    X("du_3_of_new_state", WEIGHTS_ITER_OF_NEW, 3)                                                 \
    X("db_0_of_next", BIAS_OF_NEXT, 0)                                                             \
    X("db_1_of_next", BIAS_OF_NEXT, 1)                                                             \
    X("db_2_of_next", BIAS_OF_NEXT, 2)                                                             \
    X("db_3_of_next", BIAS_OF_NEXT, 3)                                                             \
    X("dp_0_of_next", PEEPHOLE_OF_NEXT, 0)                                                         \
    X("dp_1_of_next", PEEPHOLE_OF_NEXT, 1)                                                         \
    X("dp_2_of_next", PEEPHOLE_OF_NEXT, 2)                                                         \
    X("dp_0_of_other_c", PEEPHOLE_OF_OTHER, 0)                                                     \
    X("dp_1_of_other_c", PEEPHOLE_OF_OTHER, 1)                                                     \
    X("dp_2_of_other_c", PEEPHOLE_OF_OTHER, 2)                                                     \
    X("dr_of_above", PROJECTION_OF_ABOVE, 0)

#define RNN_NAME(name, ...) name,

// ---- the others -------------------------------------------------------------

#define RNN_WIRING_OPTIONS                                                                         \
    "as_specified", "other_direction", "src_layer", "step_before", "second_direction_forward"
#define RNN_DATA_SHIFT_OPTIONS "as_given", "one_more", "ignored", "half_less"
#define RNN_DATA_SCALE_OPTIONS "as_given", "doubled", "percent_more"
#define RNN_WEIGHTS_SCALES_OPTIONS "as_given", "first_for_all", "rotated", "transposed"
#define RNN_PROJECTION_SCALES_OPTIONS "as_given", "first_for_all", "rotated"
#define RNN_SATURATION_OPTIONS "as_typed", "seven_bits", "least_left_out", "most_left_out"
#define RNN_RESET_OPTIONS "as_specified", "other"
#define RNN_STORE_OPTIONS                                                                          \
    "as_specified", "c_before_tanh", "c_before_output_gate", "s_as_computed", "m_as_computed"

#endif
