// SPDX-License-Identifier: Apache-2.0
// Shared by the files of onednn.rnn: its names as indices, and the problem that a checked request
// poses. The channel letters are the specification's: T time, N batch, L layers, D
// directions; SLC and SIC input channels of the two products of a gate, DHC hidden channels, DIC
// channels of a cell's output, DLC those of dst_layer.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_PROBLEM_H
#define ASSAY_REF_OP_ONEDNN_RNN_PROBLEM_H

#include "ref/op/operation.h"

enum rnn_attribute {
    RNN_CELL,
    RNN_DIRECTION,
    RNN_PROPAGATION,
    RNN_ACTIVATION,
    RNN_ALPHA,
    RNN_DST_LAYER_TYPE,
    RNN_DST_ITER_TYPE,
    RNN_DST_ITER_C_TYPE,
    RNN_DATA_SCALE,
    RNN_DATA_SHIFT,
    RNN_WEIGHTS_SCALES,
    RNN_WEIGHTS_SCALES_MASK,
    RNN_PROJECTION_SCALES,
    RNN_PROJECTION_SCALES_MASK,
    RNN_DIFF_WEIGHTS_OVERWRITE,
    RNN_SRC_LAYER_FORMAT,
    RNN_DST_LAYER_FORMAT,
    RNN_ITER_FORMAT,
    RNN_WEIGHTS_LAYER_FORMAT,
    RNN_WEIGHTS_ITER_FORMAT,
    RNN_PROJECTION_FORMAT,
    RNN_VIEWS,
};

enum rnn_cell_kind { RNN_VANILLA, RNN_LSTM, RNN_GRU, RNN_LBR_GRU, RNN_AUGRU, RNN_LBR_AUGRU };
enum rnn_direction { RNN_LEFT2RIGHT, RNN_RIGHT2LEFT, RNN_CONCAT, RNN_SUM_DIRECTIONS };
enum rnn_propagation { RNN_INFERENCE, RNN_TRAINING, RNN_BACKWARD };
enum rnn_activation { RNN_RELU, RNN_TANH, RNN_LOGISTIC };

enum rnn_input {
    RNN_SRC_LAYER,
    RNN_SRC_ITER,
    RNN_SRC_ITER_C,
    RNN_ATTENTION,
    RNN_WEIGHTS_LAYER,
    RNN_WEIGHTS_ITER,
    RNN_WEIGHTS_PEEPHOLE,
    RNN_WEIGHTS_PROJECTION,
    RNN_BIAS,
    RNN_DIFF_DST_LAYER,
    RNN_DIFF_DST_ITER,
    RNN_DIFF_DST_ITER_C,
    RNN_INITIAL_WEIGHTS_LAYER, // what the diff_* outputs of these names are added to
    RNN_INITIAL_WEIGHTS_ITER,
    RNN_INITIAL_WEIGHTS_PEEPHOLE,
    RNN_INITIAL_WEIGHTS_PROJECTION,
    RNN_INITIAL_BIAS,
};

enum rnn_output {
    RNN_DST_LAYER,
    RNN_DST_ITER,
    RNN_DST_ITER_C,
    RNN_DIFF_SRC_LAYER,
    RNN_DIFF_SRC_ITER,
    RNN_DIFF_SRC_ITER_C,
    RNN_DIFF_ATTENTION,
    RNN_DIFF_WEIGHTS_LAYER,
    RNN_DIFF_WEIGHTS_ITER,
    RNN_DIFF_WEIGHTS_PEEPHOLE,
    RNN_DIFF_WEIGHTS_PROJECTION,
    RNN_DIFF_BIAS,
    RNN_OUTPUTS,
};

enum rnn_choice {
    RNN_INT8_BIAS,
    RNN_INT8_SUM,
    RNN_INT8_ROUNDING,
    RNN_INT8_OVERFLOW,
    RNN_INT8_PRODUCTS
};

// The words of attribute `views`.
enum rnn_part {
    RNN_PART_DATA,
    RNN_PART_STATES,
    RNN_PART_WEIGHTS,
    RNN_PART_PARAMETERS,
    RNN_PART_ATTENTION,
    RNN_PART_ALL
};

// What a tensor is in memory.
struct rnn_form {
    const char *letters; // of its dimensions, as a request has them, in oneDNN's format tags
    enum rnn_part part;
    int format; // the attribute that names its format
};
enum { RNN_FORMAT_FIXED = -1 }; // it has the one

const struct rnn_form *rnn_form_of(bool output, unsigned index);

// What a request that broke no rule asks for.
struct rnn_problem {
    const struct request *request;
    enum rnn_cell_kind cell;
    enum rnn_direction direction;
    enum rnn_activation activation; // vanilla RNN
    bool backward, quantised, peephole, projection;
    size_t times, batch, layers, directions;
    size_t layer_channels, iter_channels, hidden_channels, output_channels,
        dst_channels; // SLC, SIC, DHC, DIC, DLC
    size_t gates, bias_rows;
    enum dtype state,
        c; // the types in which h and c recur; of a quantised problem, u8 or i8 and f32
    enum dtype dst_layer, dst_iter;
    float alpha, scale, shift; // scale and shift: of quantised data
};

// Reads the problem, or refuses the request with the rule that it breaks.
enum error rnn_problem_read(const struct request *request, struct rnn_problem *problem,
                            struct diagnostic *diagnostic);

// The types of all tensors. Needs the request, the cell and the propagation in `problem`; fills its
// types.
enum error rnn_check_types(struct rnn_problem *problem, struct diagnostic *diagnostic);

// Scales, shift and masks: required for u8 and i8 data, refused for other types. Needs the whole
// problem.
enum error rnn_check_quantisation(struct rnn_problem *problem, struct diagnostic *diagnostic);

// Memory formats that fit the tensors, and views of tensors that are there. Needs `projection`.
enum error rnn_check_formats(const struct rnn_problem *problem, struct diagnostic *diagnostic);

// How the request asks for an input or output to lie in memory; as operation.layout has it.
struct tensor_layout rnn_layout(const struct request *request, bool output, unsigned index);

// Whether the request leaves the format of such a tensor to the library.
bool rnn_is_of_any_format(const struct request *request, const struct rnn_form *form);

// Holds a request's `observed` against what is observable.
enum error rnn_check_observed(const struct rnn_problem *problem, struct diagnostic *diagnostic);

// Whether the request has the optional input.
static inline bool rnn_has(const struct rnn_problem *problem, enum rnn_input input)
{
    return tensor_present(&problem->request->input[input]);
}

#endif
