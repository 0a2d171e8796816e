// SPDX-License-Identifier: Apache-2.0
// onednn.rnn: its names, attributes and choices, and what a request gives.

#include "ref/op/onednn/rnn.h"

#include "ref/op/onednn/rnn_entries.h"
#include "ref/op/onednn/rnn_problem.h"

enum { TYPES_DATA = DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F16) };
enum {
    TYPES_QUANTISED = DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I8),
    WHOLE_MASK = 0,
    GATE_MASK = 24,
    OUTPUT_MASK = 8
};

// An attribute that asks for a place in memory, by the words that it takes.
#define LAYOUT(text, ...)                                                                          \
    ATTRIBUTE(text, WORD, OPTIONAL, .words = OPERATION_WORDS(__VA_ARGS__), .layout = true)

static const struct attribute_spec attributes[] = {
    [RNN_CELL] = ATTRIBUTE(
        "cell", WORD, REQUIRED,
        .words = OPERATION_WORDS("vanilla_rnn", "lstm", "gru", "lbr_gru", "augru", "lbr_augru")),
    [RNN_DIRECTION] =
        ATTRIBUTE("direction", WORD, DEFAULT,
                  .words = OPERATION_WORDS("left2right", "right2left", "bidirectional_concat",
                                           "bidirectional_sum")),
    [RNN_PROPAGATION] =
        ATTRIBUTE("propagation", WORD, DEFAULT,
                  .words = OPERATION_WORDS("forward_inference", "forward_training", "backward")),
    [RNN_ACTIVATION] = ATTRIBUTE("activation", WORD, OPTIONAL,
                                 .words = OPERATION_WORDS("relu", "tanh", "logistic")),
    [RNN_ALPHA] = ATTRIBUTE("alpha", REAL, DEFAULT),
    [RNN_DST_LAYER_TYPE] =
        ATTRIBUTE("dst_layer_type", DTYPE, OPTIONAL, .dtypes = TYPES_DATA | TYPES_QUANTISED),
    [RNN_DST_ITER_TYPE] =
        ATTRIBUTE("dst_iter_type", DTYPE, OPTIONAL, .dtypes = TYPES_DATA | TYPES_QUANTISED),
    [RNN_DST_ITER_C_TYPE] = ATTRIBUTE("dst_iter_c_type", DTYPE, OPTIONAL, .dtypes = TYPES_DATA),
    [RNN_DATA_SCALE] = ATTRIBUTE("data_scale", REAL, OPTIONAL),
    [RNN_DATA_SHIFT] = ATTRIBUTE("data_shift", REAL, OPTIONAL),
    [RNN_WEIGHTS_SCALES] = ATTRIBUTE("weights_scales", REALS, OPTIONAL),
    [RNN_WEIGHTS_SCALES_MASK] =
        ATTRIBUTE("weights_scales_mask", INTEGER, DEFAULT, .standard = WHOLE_MASK,
                  .minimum = WHOLE_MASK, .maximum = GATE_MASK),
    [RNN_PROJECTION_SCALES] = ATTRIBUTE("projection_scales", REALS, OPTIONAL),
    [RNN_PROJECTION_SCALES_MASK] =
        ATTRIBUTE("projection_scales_mask", INTEGER, DEFAULT, .standard = WHOLE_MASK,
                  .minimum = WHOLE_MASK, .maximum = OUTPUT_MASK),
    [RNN_DIFF_WEIGHTS_OVERWRITE] = ATTRIBUTE("diff_weights_overwrite", BOOLEAN, DEFAULT),
    [RNN_SRC_LAYER_FORMAT] = LAYOUT("src_layer_format", "any", "tnc", "ntc"),
    [RNN_DST_LAYER_FORMAT] = LAYOUT("dst_layer_format", "any", "tnc", "ntc"),
    [RNN_ITER_FORMAT] = LAYOUT("iter_format", "any", "ldnc"),
    [RNN_WEIGHTS_LAYER_FORMAT] = LAYOUT("weights_layer_format", "any", "ldigo", "ldgoi"),
    [RNN_WEIGHTS_ITER_FORMAT] = LAYOUT("weights_iter_format", "any", "ldigo", "ldgoi"),
    [RNN_PROJECTION_FORMAT] = LAYOUT("projection_format", "any", "ldio"),
    [RNN_VIEWS] = LAYOUT("views", "data", "states", "weights", "parameters", "attention", "all"),
};

#define INPUT(index, text, absent, ...) {.name = text, .optional = absent},
#define OUTPUT(index, text, ...) text,
static const struct input_spec inputs[] = {RNN_INPUT_ROWS(INPUT)};
static const char *const outputs[] = {RNN_OUTPUT_ROWS(OUTPUT) NULL};

static const struct choice choices[] = {
    [RNN_INT8_BIAS] = {"int8_bias", OPERATION_WORDS("one_node", "folded")},
    [RNN_INT8_SUM] = {"int8_sum", OPERATION_WORDS("plain", "corrected")},
    [RNN_INT8_ROUNDING] = {"int8_rounding", OPERATION_WORDS("nearest_even", "nearest_away", "down",
                                                            "up", "toward_zero")},
    [RNN_INT8_OVERFLOW] = {"int8_overflow", OPERATION_WORDS("saturates", "wraps", "negative_as_0")},
    [RNN_INT8_PRODUCTS] = {"int8_products", OPERATION_WORDS("exact", "pairs_in_16_bits")},
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_F32;
}

static void set_output(struct inference *inference, enum rnn_output output, enum dtype dtype,
                       unsigned rank, const size_t *sizes)
{
    struct tensor *const tensor = &inference->output[output];
    tensor->dtype = dtype;
    tensor->rank = rank;
    for (unsigned i = 0; i < rank; i++)
        tensor->shape[i] = sizes[i];
    inference->level[output] = LEVEL_BOUND;
}

// The gradient of an input that is present has its shape.
static void set_gradient(const struct rnn_problem *problem, struct inference *inference,
                         enum rnn_output output, enum rnn_input input)
{
    const struct tensor *const tensor = &problem->request->input[input];
    if (!tensor_present(tensor))
        return;
    inference->output[output] = *tensor;
    inference->output[output].dtype = DTYPE_F32;
    inference->output[output].data = NULL;
    inference->level[output] = LEVEL_BOUND;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct rnn_problem p;
    const enum error error = rnn_problem_read(request, &p, diagnostic);
    if (error)
        return error;
    const size_t layer[] = {p.times, p.batch, p.dst_channels};
    if (p.backward) {
        if (request->outputs >> RNN_DST_LAYER & 1) // of the forward half; only when asked for
            set_output(inference, RNN_DST_LAYER, p.dst_layer, 3, layer);
        set_gradient(&p, inference, RNN_DIFF_SRC_LAYER, RNN_SRC_LAYER);
        set_gradient(&p, inference, RNN_DIFF_SRC_ITER, RNN_SRC_ITER);
        set_gradient(&p, inference, RNN_DIFF_SRC_ITER_C, RNN_SRC_ITER_C);
        set_gradient(&p, inference, RNN_DIFF_ATTENTION, RNN_ATTENTION);
        set_gradient(&p, inference, RNN_DIFF_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER);
        set_gradient(&p, inference, RNN_DIFF_WEIGHTS_ITER, RNN_WEIGHTS_ITER);
        set_gradient(&p, inference, RNN_DIFF_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE);
        set_gradient(&p, inference, RNN_DIFF_WEIGHTS_PROJECTION, RNN_WEIGHTS_PROJECTION);
        set_gradient(&p, inference, RNN_DIFF_BIAS, RNN_BIAS);
        return ERROR_NONE;
    }
    set_output(inference, RNN_DST_LAYER, p.dst_layer, 3, layer);
    const size_t h[] = {p.layers, p.directions, p.batch, p.output_channels};
    set_output(inference, RNN_DST_ITER, p.dst_iter, 4, h);
    if (p.cell == RNN_LSTM)
        set_output(inference, RNN_DST_ITER_C, p.c, 4,
                   (const size_t[]){p.layers, p.directions, p.batch, p.hidden_channels});
    return ERROR_NONE;
}

// All choices are about quantised data.
static bool is_idle(const struct request *request)
{
    const enum dtype data = request->input[RNN_SRC_LAYER].dtype;
    return data != DTYPE_U8 && data != DTYPE_I8;
}

static const struct operation_stepping stepping = {.describe = rnn_describe_steps,
                                                   .take = rnn_take_step,
                                                   .gate_of = rnn_gate_of,
                                                   .observable = rnn_observable};

const struct operation onednn_rnn = {
    .name = "onednn.rnn",
    .summary = "oneDNN RNN primitive: vanilla RNN, LSTM, GRU and their kin, forward and backward",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = outputs,
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .layout = rnn_layout,
    .infer = infer,
    .shapes_suffice = true,
    .evaluate = rnn_evaluate,
    .evaluate_bounds = rnn_evaluate_bounds,
    .workspace_size = rnn_workspace_size,
    .is_idle = is_idle,
    .stepping = &stepping,
};
