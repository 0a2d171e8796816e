// SPDX-License-Identifier: Apache-2.0
// The table of lenses.

#include "ref/variant/lens.h"

#include "ref/variant/onednn_rnn.h"
#include "ref/variant/openvino_random_uniform.h"

#define RNN_ROW(choice, function, ...)                                                                                         \
    {                                                                                                                          \
        "onednn.rnn", {choice, (const char *const[]){__VA_ARGS__, NULL}}, function, NULL, NULL                                 \
    }

const struct lens lens_table[] = {
    RNN_ROW("gates", rnn_lens_gates, RNN_GATES_OPTIONS),
    RNN_ROW("bias_gates", rnn_lens_bias_gates, RNN_GATES_OPTIONS),
    RNN_ROW("weights_layer", rnn_lens_weights_layer, RNN_MATRIX_OPTIONS),
    RNN_ROW("weights_iter", rnn_lens_weights_iter, RNN_MATRIX_OPTIONS),
    RNN_ROW("weights_peephole", rnn_lens_weights_peephole, RNN_PEEPHOLE_OPTIONS),
    RNN_ROW("weights_projection", rnn_lens_weights_projection, RNN_PROJECTION_OPTIONS),
    RNN_ROW("bias", rnn_lens_bias, RNN_BIAS_OPTIONS),
    RNN_ROW("src_layer", rnn_lens_src_layer, RNN_SRC_LAYER_OPTIONS),
    RNN_ROW("src_iter", rnn_lens_src_iter, RNN_STATE_OPTIONS),
    RNN_ROW("src_iter_c", rnn_lens_src_iter_c, RNN_STATE_OPTIONS),
    RNN_ROW("attention", rnn_lens_attention, RNN_ATTENTION_OPTIONS),
    RNN_ROW("layers", rnn_lens_layers, RNN_STACK_OPTIONS),
    RNN_ROW("directions", rnn_lens_directions, RNN_STACK_OPTIONS),
    RNN_ROW("diff_dst_layer", rnn_lens_diff_dst_layer, RNN_DIFF_OPTIONS),
    RNN_ROW("diff_dst_iter", rnn_lens_diff_dst_iter, RNN_DIFF_OPTIONS),
    RNN_ROW("initial_gradient", rnn_lens_initial, RNN_INITIAL_OPTIONS),
    RNN_ROW("data_shift", rnn_lens_data_shift, RNN_DATA_SHIFT_OPTIONS),
    RNN_ROW("data_scale", rnn_lens_data_scale, RNN_DATA_SCALE_OPTIONS),
    RNN_ROW("scales_of_weights", rnn_lens_weights_scales, RNN_WEIGHTS_SCALES_OPTIONS),
    RNN_ROW("scales_of_projection", rnn_lens_projection_scales, RNN_PROJECTION_SCALES_OPTIONS),
    RNN_ROW("reset", rnn_lens_reset, RNN_RESET_OPTIONS),
    {"onednn.rnn", {"saturation", (const char *const[]){RNN_SATURATION_OPTIONS, NULL}}, NULL, rnn_lens_saturation, NULL},
    {"onednn.rnn", {"dst_layer", (const char *const[]){RNN_DST_LAYER_OPTIONS, NULL}}, NULL, rnn_lens_dst_layer, NULL},
    {"onednn.rnn", {"dst_iter", (const char *const[]){RNN_DST_ITER_OPTIONS, NULL}}, NULL, rnn_lens_dst_iter, NULL},
    {"onednn.rnn", {"store", (const char *const[]){RNN_STORE_OPTIONS, NULL}}, NULL, NULL, rnn_lens_store},
    {"onednn.rnn", {"operand", (const char *const[]){RNN_OPERAND_OPTIONS, NULL}}, NULL, NULL, rnn_lens_operand},
    {"onednn.rnn", {"sign", (const char *const[]){RNN_SIGN_OPTIONS, NULL}}, NULL, NULL, rnn_lens_sign},
    {"onednn.rnn", {"factor", (const char *const[]){RNN_FACTOR_OPTIONS, NULL}}, NULL, NULL, rnn_lens_factor},
    {"openvino.random_uniform",
     {"minval", (const char *const[]){"as_given", "ignored", NULL}},
     random_uniform_ignore_minimum,
     NULL,
     NULL},
    {"openvino.random_uniform",
     {"computed_in", (const char *const[]){"own_type", "32_bits", NULL}},
     random_uniform_ask_in_32_bits,
     random_uniform_answer_from_32_bits,
     NULL},
};

const unsigned lens_count = OPERATION_ROWS(lens_table);
