// SPDX-License-Identifier: Apache-2.0
// onnx.rnn, onnx.gru and onnx.lstm: their names and choices, and how a request of theirs is put to
// the engine of onednn.rnn.
//
// A layer of ONNX is one of the primitive's in a frame (ref/op/onednn/rnn_problem.h): its tensors
// are read where they lie, under the primitive's names. Where `layout` is 1 data and states are
// transposed first.

#include "ref/op/onnx/rnn.h"

#include <string.h>

#include "ref/base/size.h"
#include "ref/op/onednn/rnn.h"
#include "ref/op/onednn/rnn_entries.h"
#include "ref/op/onnx/rnn_rules.h"
#include "ref/op/request.h"

static const char *const activation_words[] = {
    "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
    "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "Softplus",  NULL};

// clang-format off
#define SHARED_ATTRIBUTES                                                                        \
    [ONNX_RNN_DIRECTION] = {.name = "direction", .kind = ATTRIBUTE_WORD,                         \
                            .presence = ATTRIBUTE_DEFAULT,                                       \
                            .words = OPERATION_WORDS("forward", "reverse", "bidirectional")},    \
    [ONNX_RNN_HIDDEN_SIZE] = {.name = "hidden_size", .kind = ATTRIBUTE_INTEGER, .minimum = 1,    \
                              .maximum = INT64_MAX},                                             \
    [ONNX_RNN_ACTIVATIONS] = {.name = "activations", .kind = ATTRIBUTE_WORDS,                    \
                              .words = activation_words},                                        \
    [ONNX_RNN_ALPHA] = {.name = "activation_alpha", .kind = ATTRIBUTE_REALS},                    \
    [ONNX_RNN_BETA] = {.name = "activation_beta", .kind = ATTRIBUTE_REALS},                      \
    [ONNX_RNN_CLIP] = {.name = "clip", .kind = ATTRIBUTE_REAL},                                  \
    [ONNX_RNN_LAYOUT] = {.name = "layout", .kind = ATTRIBUTE_INTEGER,                            \
                         .presence = ATTRIBUTE_DEFAULT, .maximum = 1},                           \
    [ONNX_RNN_OPSET] = {.name = "opset", .kind = ATTRIBUTE_INTEGER,                              \
                        .presence = ATTRIBUTE_DEFAULT, .standard = 22, .minimum = 7,             \
                        .maximum = 27}

static const struct attribute_spec rnn_attributes[] = {SHARED_ATTRIBUTES},
    gru_attributes[] = {SHARED_ATTRIBUTES,
        [ONNX_RNN_OWN] = {.name = "linear_before_reset", .kind = ATTRIBUTE_INTEGER,
                          .presence = ATTRIBUTE_DEFAULT, .minimum = INT64_MIN,
                          .maximum = INT64_MAX}},
    lstm_attributes[] = {SHARED_ATTRIBUTES,
        [ONNX_RNN_OWN] = {.name = "input_forget", .kind = ATTRIBUTE_INTEGER,
                          .presence = ATTRIBUTE_DEFAULT, .maximum = 1}};

#define SHARED_INPUTS                                                                            \
    [ONNX_RNN_X] = {.name = "X"}, [ONNX_RNN_W] = {.name = "W"}, [ONNX_RNN_R] = {.name = "R"},    \
    [ONNX_RNN_B] = {.name = "B", .optional = true},                                              \
    [ONNX_RNN_SEQUENCE_LENS] = {.name = "sequence_lens", .optional = true},                      \
    [ONNX_RNN_INITIAL_H] = {.name = "initial_h", .optional = true}

static const struct input_spec inputs[] = {SHARED_INPUTS},
    lstm_inputs[] = {SHARED_INPUTS,
        [ONNX_RNN_INITIAL_C] = {.name = "initial_c", .optional = true},
        [ONNX_RNN_P] = {.name = "P", .optional = true}};

#define SHARED_CHOICES                                                                           \
    [ONNX_RNN_BEYOND_LENGTH] = {"beyond_length", OPERATION_WORDS("zero", "state")},               \
    [ONNX_RNN_NO_STEPS] = {"no_steps", OPERATION_WORDS("initial", "zero")},                      \
    [ONNX_RNN_PARAMETERS] = {"parameters", OPERATION_WORDS("consumed", "by_place")}
#define FUNCTIONS_OF(...)                                                                        \
    [ONNX_RNN_FUNCTIONS] = {"functions", OPERATION_WORDS("as_named", "default",                  \
        "of_first_direction", "default_alpha", "default_beta", "exchanged",                      \
        "threshold_of_0" __VA_ARGS__)}
#define CLIPPING_OF(...)                                                                         \
    [ONNX_RNN_CLIPPING] = {"clipping", OPERATION_WORDS("all_activations", "ignored",             \
        "from_above", "from_below" __VA_ARGS__)}

static const struct choice rnn_choices[] = {SHARED_CHOICES, FUNCTIONS_OF(), CLIPPING_OF()},
    gru_choices[] = {SHARED_CHOICES, FUNCTIONS_OF(, "reversed"), CLIPPING_OF(, "gates_alone")},
    lstm_choices[] = {SHARED_CHOICES, FUNCTIONS_OF(, "reversed"),
        CLIPPING_OF(, "gates_alone", "inputs_alone"),
        [ONNX_RNN_COUPLING] = {"coupling", OPERATION_WORDS("forget_of_input", "input_of_forget",
                                                           "ignored")}};
// clang-format on

static const char *const outputs[] = {"Y", "Y_h", NULL}, *const lstm_outputs[] = {"Y", "Y_h", "Y_c",
                                                                                  NULL};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    return input == ONNX_RNN_SEQUENCE_LENS ? DTYPE_I32 : DTYPE_F32;
}

static void set_output(const struct request *request, struct inference *inference, unsigned output,
                       unsigned rank, const size_t *sizes)
{
    struct tensor *const tensor = &inference->output[output];
    tensor->dtype = request->input[ONNX_RNN_X].dtype;
    tensor->rank = rank;
    for (unsigned i = 0; i < rank; i++)
        tensor->shape[i] = sizes[i];
    inference->level[output] = LEVEL_BOUND;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum error error = onnx_rnn_check(request, diagnostic);
    if (error)
        return error;
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const size_t all[2][4] = {{s.times, s.directions, s.batch, s.hidden},
                              {s.batch, s.times, s.directions, s.hidden}},
                 state[2][3] = {{s.directions, s.batch, s.hidden},
                                {s.batch, s.directions, s.hidden}};
    const bool batch_first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    set_output(request, inference, ONNX_RNN_Y, 4, all[batch_first]);
    set_output(request, inference, ONNX_RNN_Y_H, 3, state[batch_first]);
    if (request->operation == &onnx_lstm)
        set_output(request, inference, ONNX_RNN_Y_C, 3, state[batch_first]);
    return ERROR_NONE;
}

// ---- the primitive's request ------------------------------------------------

// `tensor` with another shape of as many elements.
static struct tensor reshaped(const struct tensor *tensor, unsigned rank, const size_t *sizes)
{
    struct tensor result = *tensor;
    result.rank = rank;
    for (unsigned i = 0; tensor_present(tensor) && i < rank; i++)
        result.shape[i] = sizes[i];
    return result;
}

static struct request primitive_of(const struct request *request)
{
    static const int64_t direction[] = {RNN_LEFT2RIGHT, RNN_RIGHT2LEFT, RNN_CONCAT};
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const struct tensor *const in = request->input;
    const size_t d = s.directions, h = s.hidden, g = s.gates, n = s.batch;
    struct request to;
    request_start(&to, &onednn_rnn);
    to.model = request->model;
    to.deviation = request->deviation;
    to.attribute[RNN_CELL].integer = request->operation == &onnx_lstm           ? RNN_LSTM
                                     : request->operation == &onnx_rnn          ? RNN_VANILLA
                                     : request->attribute[ONNX_RNN_OWN].integer ? RNN_LBR_GRU
                                                                                : RNN_GRU;
    to.attribute[RNN_CELL].present = true;
    to.attribute[RNN_DIRECTION].integer = direction[request->attribute[ONNX_RNN_DIRECTION].integer];
    to.attribute[RNN_ACTIVATION].present = request->operation == &onnx_rnn;
    to.attribute[RNN_ACTIVATION].integer = RNN_TANH; // the frame's function takes its place
    to.input[RNN_SRC_LAYER] = reshaped(&in[ONNX_RNN_X], 3, (size_t[]){s.times, n, s.inputs});
    to.input[RNN_WEIGHTS_LAYER] = reshaped(&in[ONNX_RNN_W], 5, (size_t[]){1, d, s.inputs, g, h});
    to.input[RNN_WEIGHTS_ITER] = reshaped(&in[ONNX_RNN_R], 5, (size_t[]){1, d, h, g, h});
    to.input[RNN_BIAS] = reshaped(&in[ONNX_RNN_B], 4, (size_t[]){1, d, 2 * g, h});
    to.input[RNN_SRC_ITER] = reshaped(&in[ONNX_RNN_INITIAL_H], 4, (size_t[]){1, d, n, h});
    if (request->operation != &onnx_lstm)
        return to;
    to.attribute[RNN_DST_ITER_C_TYPE] =
        (struct attribute_value){.present = true, .integer = (int64_t)in[ONNX_RNN_X].dtype};
    to.input[RNN_SRC_ITER_C] = reshaped(&in[ONNX_RNN_INITIAL_C], 4, (size_t[]){1, d, n, h});
    to.input[RNN_WEIGHTS_PEEPHOLE] = reshaped(&in[ONNX_RNN_P], 4, (size_t[]){1, d, 3, h});
    return to;
}

// Where `layout` is 1: which tensors have their first two dimensions exchanged, and as what the
// primitive takes them.
static const struct {
    enum onnx_rnn_input from;
    enum rnn_input to;
} transposed[] = {{ONNX_RNN_X, RNN_SRC_LAYER},
                  {ONNX_RNN_INITIAL_H, RNN_SRC_ITER},
                  {ONNX_RNN_INITIAL_C, RNN_SRC_ITER_C}};
enum { TRANSPOSED = sizeof transposed / sizeof *transposed };

// How much memory the transposed tensor takes; 0: it is not there.
static bool room_of(const struct request *request, size_t index, size_t *bytes)
{
    const struct tensor *const tensor = &request->input[transposed[index].from];
    *bytes = 0;
    return !tensor_present(tensor) || !request->attribute[ONNX_RNN_LAYOUT].integer ||
           (tensor_bytes(tensor, bytes) && size_round_up(*bytes, 64, bytes));
}

static void transpose(const struct tensor *from, char *to)
{
    const size_t rows = (size_t)from->shape[0], columns = (size_t)from->shape[1],
                 bytes = (size_t)from->shape[2] * dtype_size(from->dtype);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(to + (c * rows + r) * bytes,
                   (const char *)from->data + (r * columns + c) * bytes, bytes);
}

static bool is_empty(const struct request *request)
{
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    return s.times == 0 || s.batch == 0;
}

static enum error workspace_size(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    const struct request primitive = primitive_of(request);
    struct rnn_frame frame;
    (void)inference;
    *size = 0;
    if (is_empty(request))
        return ERROR_NONE;
    onnx_rnn_frame_of(request, &frame);
    const enum error error =
        rnn_framed_workspace_size(&primitive, &frame, bounds, size, diagnostic);
    for (size_t i = 0; i < TRANSPOSED && !error; i++) {
        size_t bytes;
        if (!room_of(request, i, &bytes) || !size_add(*size, bytes, size))
            return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                   "the workspace of this request does not fit in memory");
    }
    return error;
}

// No time: the states are the initial ones, or zeros; all else is empty.
static void finish_empty(const struct request *request, void *const *data)
{
    const bool cleared = request->profile.option[ONNX_RNN_NO_STEPS] != 0;
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const size_t bytes =
        s.directions * s.batch * s.hidden * dtype_size(request->input[ONNX_RNN_X].dtype);
    for (unsigned output = ONNX_RNN_Y_H; output <= ONNX_RNN_Y_C; output++) {
        const struct tensor *const initial =
            &request->input[output == ONNX_RNN_Y_H ? ONNX_RNN_INITIAL_H : ONNX_RNN_INITIAL_C];
        if (data && data[output] && tensor_present(initial) && !cleared)
            memcpy(data[output], initial->data, bytes);
        else if (data && data[output])
            memset(data[output], 0, bytes);
    }
}

static enum error evaluate_bounds(const struct request *request, const struct inference *inference,
                                  void *const *data, void *const *lower, void *const *upper,
                                  void *workspace, struct diagnostic *diagnostic)
{
    struct request primitive = primitive_of(request);
    struct rnn_frame frame;
    char *free_memory = workspace;
    (void)inference;
    if (is_empty(request)) {
        finish_empty(request, data);
        finish_empty(request, lower);
        finish_empty(request, upper);
        return ERROR_NONE;
    }
    onnx_rnn_frame_of(request, &frame);
    for (size_t i = 0; i < TRANSPOSED; i++) {
        size_t bytes;
        if (!room_of(request, i, &bytes) || !bytes)
            continue;
        transpose(&request->input[transposed[i].from], free_memory);
        primitive.input[transposed[i].to].data = free_memory;
        free_memory += bytes;
    }
    return rnn_framed_evaluate(&primitive, &frame, data, lower, upper, free_memory, diagnostic);
}

static enum error evaluate(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    return evaluate_bounds(request, inference, data, NULL, NULL, workspace, diagnostic);
}

// A profile reaches the primitive by the frame alone.
static bool is_idle(const struct request *request)
{
    struct request plain = *request;
    struct rnn_frame frame[2];
    plain.profile = (struct profile){.option = {0}};
    if (is_empty(request))
        return !request->profile.option[ONNX_RNN_NO_STEPS];
    onnx_rnn_frame_of(request, &frame[0]);
    onnx_rnn_frame_of(&plain, &frame[1]);
    for (unsigned i = 0; i < 2 && !tensor_present(&request->input[ONNX_RNN_SEQUENCE_LENS]); i++)
        frame[i].held = frame[i].cleared = false; // which are about lengths
    // Bytes between members may differ: then it is not known.
    const void *const own = &frame[0], *const standard = &frame[1];
    return !memcmp(own, standard, sizeof *frame);
}

// ---- rows of the table ------------------------------------------------------

#define SHARED_MEMBERS                                                                             \
    .plain_dtype = plain_dtype, .infer = infer, .shapes_suffice = true, .evaluate = evaluate,      \
    .evaluate_bounds = evaluate_bounds, .workspace_size = workspace_size, .is_idle = is_idle

const struct operation onnx_rnn = {.name = "onnx.rnn",
                                   .summary = "ONNX RNN: a layer of a simple recurrent network",
                                   OPERATION_ATTRIBUTES(rnn_attributes),
                                   OPERATION_INPUTS(inputs),
                                   .outputs = outputs,
                                   OPERATION_CHOICES(rnn_choices),
                                   SHARED_MEMBERS};

const struct operation onnx_gru = {.name = "onnx.gru",
                                   .summary = "ONNX GRU: a layer of gated recurrent units",
                                   OPERATION_ATTRIBUTES(gru_attributes),
                                   OPERATION_INPUTS(inputs),
                                   .outputs = outputs,
                                   OPERATION_CHOICES(gru_choices),
                                   SHARED_MEMBERS};

const struct operation onnx_lstm = {.name = "onnx.lstm",
                                    .summary = "ONNX LSTM: a layer of long short-term memory cells",
                                    OPERATION_ATTRIBUTES(lstm_attributes),
                                    OPERATION_INPUTS(lstm_inputs),
                                    .outputs = lstm_outputs,
                                    OPERATION_CHOICES(lstm_choices),
                                    SHARED_MEMBERS};
