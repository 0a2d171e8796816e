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

enum error rnn_lens_dst_layer(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                              struct diagnostic *diagnostic);
enum error rnn_lens_dst_iter(unsigned option, const struct request *request, struct tensor *tensor, struct arena *arena,
                             struct diagnostic *diagnostic);

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
#define RNN_DST_LAYER_OPTIONS "as_computed", "time_reversed", "next_row", "channels_rotated"
#define RNN_DST_ITER_OPTIONS "as_computed", "layers_exchanged", "directions_exchanged", "next_row"

#endif
