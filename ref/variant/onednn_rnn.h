// SPDX-License-Identifier: Apache-2.0
// Wrong ways to read or write the tensors of onednn.rnn: every index shifted or reversed, every operand left out or taken from a
// neighbour, seen as the right computation of another request.

#ifndef ASSAY_REF_VARIANT_ONEDNN_RNN_H
#define ASSAY_REF_VARIANT_ONEDNN_RNN_H

#include "ref/variant/lens.h"

#define RNN_LENS_FUNCTIONS(name)                                                                                               \
    enum error rnn_lens_##name(unsigned option, struct request *request, struct arena *arena, struct diagnostic *diagnostic)

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
RNN_LENS_FUNCTIONS(initial);
RNN_LENS_FUNCTIONS(data_shift);
RNN_LENS_FUNCTIONS(data_scale);
RNN_LENS_FUNCTIONS(weights_scales);
RNN_LENS_FUNCTIONS(projection_scales);
RNN_LENS_FUNCTIONS(reset);

enum error rnn_lens_dst_layer(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                              struct diagnostic *diagnostic);
enum error rnn_lens_dst_iter(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                             struct diagnostic *diagnostic);

enum error rnn_lens_saturation(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                               struct diagnostic *diagnostic);

// A cell whose 16-bit values are stored elsewhere than they should be.
enum error rnn_lens_store(unsigned option, const struct request *request, void *const *data, void *workspace,
                          struct diagnostic *diagnostic);

// A cell with one equation changed: an operand left out, a term's sign turned, a factor left out. Named by what the equation
// gives and the operand's place in it (products with matrices first).
enum error rnn_lens_operand(unsigned option, const struct request *request, void *const *data, void *workspace,
                            struct diagnostic *diagnostic);
enum error rnn_lens_sign(unsigned option, const struct request *request, void *const *data, void *workspace,
                         struct diagnostic *diagnostic);
enum error rnn_lens_factor(unsigned option, const struct request *request, void *const *data, void *workspace,
                           struct diagnostic *diagnostic);

#define RNN_OPERAND_OPTIONS                                                                                                    \
    "as_specified", "z_0_without_0", "z_0_without_1", "z_0_without_2", "z_0_without_3", "z_1_without_0", "z_1_without_1",      \
        "z_1_without_2", "z_1_without_3", "z_2_without_0", "z_2_without_1", "z_2_without_2", "z_3_without_0", "z_3_without_1", \
        "z_3_without_2", "z_3_without_3", "w_without_0", "w_without_1", "c_without_0", "c_without_1", "h_without_0",           \
        "h_without_1", "dh_without_0", "dh_without_1", "dc_without_0", "dc_without_1", "dc_without_2", "dc_before_without_0",  \
        "dc_before_without_1", "dc_before_without_2", "dh_before_without_0", "dh_before_without_1", "dh_before_without_2",     \
        "dh_before_without_3", "dx_without_0", "dx_without_1", "dx_without_2", "dx_without_3"
#define RNN_SIGN_OPTIONS                                                                                                       \
    "as_specified", "z_0_minus_0", "z_0_minus_1", "z_1_minus_0", "z_1_minus_1", "z_2_minus_0", "z_2_minus_1", "z_3_minus_0",   \
        "z_3_minus_1", "w_minus_0", "c_minus_0", "c_minus_1", "h_minus_0", "h_minus_1", "dh_minus_0", "dh_minus_1",            \
        "dc_minus_0", "dc_minus_1", "dc_minus_2", "dc_before_minus_0", "dc_before_minus_1", "dc_before_minus_2",               \
        "dh_before_minus_0", "dh_before_minus_1", "dz_0_minus_0", "dz_1_minus_0", "dz_2_minus_0", "dz_3_minus_0", "m_minus_0", \
        "s_minus_0", "e_minus_0"
#define RNN_FACTOR_OPTIONS                                                                                                     \
    "as_specified", "dz_0_without_0", "dz_0_without_1", "dz_0_without_2", "dz_0_without_3", "dz_1_without_0",                  \
        "dz_1_without_1", "dz_1_without_2", "dz_2_without_0", "dz_2_without_1", "dz_2_without_2", "dz_3_without_0",            \
        "dz_3_without_1", "dz_3_without_2", "m_without_0", "m_without_1", "s_without_0", "s_without_1", "e_without_0",         \
        "e_without_1", "ua_without_0", "ua_without_1"

#define RNN_GATES_OPTIONS "as_specified", "rotated", "reversed"
#define RNN_MATRIX_OPTIONS "as_given", "rows_rotated", "rows_reversed", "columns_rotated"
#define RNN_PEEPHOLE_OPTIONS "as_given", "ignored", "rows_rotated", "columns_rotated"
#define RNN_PROJECTION_OPTIONS "as_given", "rows_rotated", "columns_rotated"
#define RNN_BIAS_OPTIONS "as_given", "ignored", "columns_rotated", "negated"
#define RNN_SRC_LAYER_OPTIONS "as_given", "next_row", "time_reversed", "channels_rotated"
#define RNN_STATE_OPTIONS "as_given", "ignored", "next_row", "channels_rotated"
#define RNN_ATTENTION_OPTIONS "as_given", "ignored", "next_row", "negated"
#define RNN_STACK_OPTIONS "as_given", "exchanged"
#define RNN_DIFF_OPTIONS "as_given", "ignored", "next_row", "negated"
#define RNN_INITIAL_OPTIONS "added", "ignored", "subtracted"
#define RNN_DATA_SHIFT_OPTIONS "as_given", "one_more", "ignored", "half_less"
#define RNN_DATA_SCALE_OPTIONS "as_given", "doubled", "percent_more"
#define RNN_WEIGHTS_SCALES_OPTIONS "as_given", "first_for_all", "rotated", "transposed"
#define RNN_PROJECTION_SCALES_OPTIONS "as_given", "first_for_all", "rotated"
#define RNN_SATURATION_OPTIONS "as_typed", "seven_bits", "least_left_out", "most_left_out"
#define RNN_RESET_OPTIONS "as_specified", "other"
#define RNN_STORE_OPTIONS "as_specified", "c_before_tanh", "c_before_output_gate", "s_as_computed", "m_as_computed"
#define RNN_DST_LAYER_OPTIONS "as_computed", "time_reversed", "next_row", "channels_rotated"
#define RNN_DST_ITER_OPTIONS "as_computed", "layers_exchanged", "directions_exchanged", "next_row"

#endif
