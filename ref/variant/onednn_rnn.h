// SPDX-License-Identifier: Apache-2.0
// Wrong ways to read or write the tensors of onednn.rnn, and to write its equations, generated:
// every tensor by every action on every one of its indices; every equation by every change of every
// operand.

#ifndef ASSAY_REF_VARIANT_ONEDNN_RNN_H
#define ASSAY_REF_VARIANT_ONEDNN_RNN_H

#include "ref/op/onednn/rnn_cell.h"
#include "ref/variant/lens.h"

extern const struct lens_family rnn_lenses;

// ---- equations ----------------------------------------------------------------

enum rnn_change {
    RNN_LEAVE_OUT, // an operand: a product with a matrix or, after those, a term
    RNN_REPEAT,
    RNN_TAKE_NEIGHBOUR,
    RNN_SUBTRACT,              // a term
    RNN_LEAVE_OUT_FACTOR,      // of the first term
    RNN_TAKE_NEIGHBOUR_FACTOR, // likewise
};

// Options of a lens: one for each bit of `places`. What they are places of: `result`, the variable
// that an equation gives; or the kind of a gradient, and then places are gates.
struct rnn_row {
    uint8_t result, places;
};

struct rnn_equation_lens {
    enum rnn_change change;
    const struct rnn_row *row; // up to one without places
};

// Changes the operand at `place` of every equation of `cell` that gives `result`, where there is
// one that can be changed so.
void rnn_change_cell(struct rnn_cell *cell, enum rnn_change change, uint8_t result, unsigned place);

// The same, as option `option` (from 1) of a lens has it.
void rnn_change_by_option(const struct rnn_equation_lens *lens, unsigned option,
                          struct rnn_cell *cell);

// Kinds of gradients of parameters, as rows name them: the right factor of another gate, or the
// left one of another step.
enum rnn_gradient_change {
    RNN_WEIGHTS_LAYER_OF_NEXT,
    RNN_WEIGHTS_ITER_OF_NEXT,
    RNN_WEIGHTS_ITER_OF_NEW,
    RNN_BIAS_OF_NEXT,
    RNN_PEEPHOLE_OF_NEXT,
    RNN_PEEPHOLE_OF_OTHER,
    RNN_PROJECTION_OF_ABOVE,
    RNN_WEIGHTS_ITER_OF_NEW_ALL // of every gate
};

// One equation changed, in every cell that has it; the detail is a struct rnn_equation_lens.
lens_on_request rnn_lens_equation;

// A gradient of parameters changed; a value of the forward pass rounded early, by result + place.
// The details are rows.
lens_on_request rnn_lens_gradient, rnn_lens_early;

lens_on_request rnn_lens_store, rnn_lens_wiring, rnn_lens_attention_gradient, rnn_lens_operations;

// The request's own table of equations, to be changed: *cell, which request->deviation becomes.
enum error rnn_lens_own_cell(const struct lens_call *call, struct request *request,
                             struct rnn_problem *problem, struct rnn_cell **cell);

// Whether the equations that lenses made, a struct rnn_cell, are the request's own after all.
bool rnn_lens_keeps(const struct request *request, const void *deviation);

// ---- what is not a tensor -------------------------------------------------------

lens_on_request rnn_lens_data_shift, rnn_lens_data_scale, rnn_lens_weights_scales,
    rnn_lens_projection_scales, rnn_lens_reset;
lens_on_result rnn_lens_saturation;

// ---- memory ---------------------------------------------------------------------

// Tensors read and written as if they lay elsewhere than the request asks for.
lens_on_request rnn_lens_read_format;
lens_on_result rnn_lens_write_format;

// Whether an output lies where the option has it wrong; of other lenses always true.
bool rnn_lens_concerns(const struct lens *lens, const struct request *request,
                       const struct inference *inference, unsigned option);

// X(option, how, format or part)
#define RNN_MISPLACED(X)                                                                           \
    X("src_layer_as_tnc", AS_USUAL, RNN_SRC_LAYER_FORMAT)                                          \
    X("dst_layer_as_tnc", AS_USUAL, RNN_DST_LAYER_FORMAT)                                          \
    X("weights_layer_as_ldigo", AS_USUAL, RNN_WEIGHTS_LAYER_FORMAT)                                \
    X("weights_iter_as_ldigo", AS_USUAL, RNN_WEIGHTS_ITER_FORMAT)                                  \
    X("src_layer_not_reordered", AS_GIVEN, RNN_SRC_LAYER_FORMAT)                                   \
    X("dst_layer_not_reordered", AS_GIVEN, RNN_DST_LAYER_FORMAT)                                   \
    X("states_not_reordered", AS_GIVEN, RNN_ITER_FORMAT)                                           \
    X("weights_layer_not_reordered", AS_GIVEN, RNN_WEIGHTS_LAYER_FORMAT)                           \
    X("weights_iter_not_reordered", AS_GIVEN, RNN_WEIGHTS_ITER_FORMAT)                             \
    X("projection_not_reordered", AS_GIVEN, RNN_PROJECTION_FORMAT)                                 \
    X("data_views_as_dense", AS_DENSE, RNN_PART_DATA)                                              \
    X("states_views_as_dense", AS_DENSE, RNN_PART_STATES)                                          \
    X("weights_views_as_dense", AS_DENSE, RNN_PART_WEIGHTS)                                        \
    X("parameters_views_as_dense", AS_DENSE, RNN_PART_PARAMETERS)                                  \
    X("attention_views_as_dense", AS_DENSE, RNN_PART_ATTENTION)

#endif
