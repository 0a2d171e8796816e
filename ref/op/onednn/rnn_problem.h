// SPDX-License-Identifier: Apache-2.0
// Shared by the files of onednn.rnn: its names as indices, and the problem that a checked request
// poses. The channel letters are the specification's: T time, N batch, L layers, D
// directions; SLC and SIC input channels of the two products of a gate, DHC hidden channels, DIC
// channels of a cell's output, DLC those of dst_layer.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_PROBLEM_H
#define ASSAY_REF_OP_ONEDNN_RNN_PROBLEM_H

#include "ref/num/function/activation.h"
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

// clang-format off
// Inputs: their names here and in requests, whether they may be absent, and their form in memory
// (rnn_format.c); INITIAL_X is what the output diff_x of that name is added to. Outputs likewise.
#define RNN_INPUT_ROWS(X) \
    X(SRC_LAYER, "src_layer", false, LAYER(SRC)) \
    X(SRC_ITER, "src_iter", true, STATE) \
    X(SRC_ITER_C, "src_iter_c", true, STATE) \
    X(ATTENTION, "attention", true, ATTENTIVE) \
    X(WEIGHTS_LAYER, "weights_layer", false, WEIGHT(LAYER)) \
    X(WEIGHTS_ITER, "weights_iter", false, WEIGHT(ITER)) \
    X(WEIGHTS_PEEPHOLE, "weights_peephole", true, PARAMETER) \
    X(WEIGHTS_PROJECTION, "weights_projection", true, PROJECTED) \
    X(BIAS, "bias", true, PARAMETER) \
    X(DIFF_DST_LAYER, "diff_dst_layer", true, LAYER(DST)) \
    X(DIFF_DST_ITER, "diff_dst_iter", true, STATE) \
    X(DIFF_DST_ITER_C, "diff_dst_iter_c", true, STATE) \
    X(INITIAL_WEIGHTS_LAYER, "diff_weights_layer", true, WEIGHT(LAYER)) \
    X(INITIAL_WEIGHTS_ITER, "diff_weights_iter", true, WEIGHT(ITER)) \
    X(INITIAL_WEIGHTS_PEEPHOLE, "diff_weights_peephole", true, PARAMETER) \
    X(INITIAL_WEIGHTS_PROJECTION, "diff_weights_projection", true, PROJECTED) \
    X(INITIAL_BIAS, "diff_bias", true, PARAMETER)
#define RNN_OUTPUT_ROWS(X) \
    X(DST_LAYER, "dst_layer", LAYER(DST)) \
    X(DST_ITER, "dst_iter", STATE) \
    X(DST_ITER_C, "dst_iter_c", STATE) \
    X(DIFF_SRC_LAYER, "diff_src_layer", LAYER(SRC)) \
    X(DIFF_SRC_ITER, "diff_src_iter", STATE) \
    X(DIFF_SRC_ITER_C, "diff_src_iter_c", STATE) \
    X(DIFF_ATTENTION, "diff_attention", ATTENTIVE) \
    X(DIFF_WEIGHTS_LAYER, "diff_weights_layer", WEIGHT(LAYER)) \
    X(DIFF_WEIGHTS_ITER, "diff_weights_iter", WEIGHT(ITER)) \
    X(DIFF_WEIGHTS_PEEPHOLE, "diff_weights_peephole", PARAMETER) \
    X(DIFF_WEIGHTS_PROJECTION, "diff_weights_projection", PROJECTED) \
    X(DIFF_BIAS, "diff_bias", PARAMETER)
// clang-format on

#define RNN_INDEX(index, ...) RNN_##index,
enum rnn_input { RNN_INPUT_ROWS(RNN_INDEX) };
enum rnn_output { RNN_OUTPUT_ROWS(RNN_INDEX) RNN_OUTPUTS };

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

// Which gates of an LSTM are computed, and which one is 1 less the other.
enum rnn_coupling { RNN_UNCOUPLED, RNN_FORGET_OF_INPUT, RNN_INPUT_OF_FORGET };

// The activations of a cell, as its equations number them: of gates, of the candidate, of c.
enum { RNN_FUNCTIONS = 3 };

struct rnn_cell;

// What the operators of another system have besides: a request of oneDNN's primitive in a frame.
// One layer; h and c recur, and come out, in the type of src_layer; both weights are
// [L, D, G, outputs, inputs]; the peephole has their type; bias has as many rows as the cell says.
struct rnn_frame {
    const struct rnn_cell *cell;
    const int32_t *lengths; // [N]: a row's states pass through later steps unchanged; NULL: T
    struct num_activation function[2][RNN_FUNCTIONS]; // of each direction
    float least[RNN_FUNCTIONS], most[RNN_FUNCTIONS];  // arguments are brought to [least, most]
    enum rnn_coupling coupling;
    // dst_layer is [T, D, N, DIC] and the states [D, N, ...]; where `batch_first` [N, T, D, DIC]
    // and [N, D, ...]. Beyond a row's length dst_layer is 0, or the state that passes through
    // where `held`; states of length 0 are the initial ones, or 0 where `cleared`.
    bool batch_first, held, cleared;
};

// What a request that broke no rule asks for.
struct rnn_problem {
    const struct request *request;
    const struct rnn_frame *frame; // NULL: oneDNN's own
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

// The same of a request in a frame (NULL: in none), which lives as long as the problem.
enum error rnn_problem_read_framed(const struct request *request, const struct rnn_frame *frame,
                                   struct rnn_problem *problem, struct diagnostic *diagnostic);

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
