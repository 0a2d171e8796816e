// SPDX-License-Identifier: Apache-2.0
// Shapes, types and attributes of ONNX's recurrent operators, and the functions of each direction.
//
// Where the text is silent the choices of the table in rnn_entries.c decide; what it cannot mean is
// refused: lengths outside of [0, T], a negative clip, activations without a number that has no
// default.

#include "ref/op/onnx/rnn_rules.h"

#include <inttypes.h>
#include <math.h>

#include "ref/op/onnx/rnn.h"
#include "ref/op/onnx/rnn_cell.h"

struct onnx_rnn_sizes onnx_rnn_sizes_of(const struct request *request)
{
    const struct tensor *const x = &request->input[ONNX_RNN_X];
    const bool batch_first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    const bool lstm = request->operation == &onnx_lstm, rnn = request->operation == &onnx_rnn;
    const bool both = request->attribute[ONNX_RNN_DIRECTION].integer == ONNX_RNN_BIDIRECTIONAL;
    return (struct onnx_rnn_sizes){.times = (size_t)x->shape[batch_first],
                                   .batch = (size_t)x->shape[!batch_first],
                                   .directions = both ? 2 : 1,
                                   .inputs = (size_t)x->shape[2],
                                   .hidden = (size_t)request->input[ONNX_RNN_R].shape[2],
                                   .gates = lstm  ? 4
                                            : rnn ? 1
                                                  : 3,
                                   .functions = lstm  ? 3
                                                : rnn ? 1
                                                      : 2};
}

// ---- tensors ----------------------------------------------------------------

static enum error check_shapes(const struct request *request, const struct onnx_rnn_sizes *s,
                               struct diagnostic *diagnostic)
{
    const bool batch_first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    const size_t d = s->directions, n = s->batch, h = s->hidden, g = s->gates;
    const size_t state[] = {batch_first ? n : d, batch_first ? d : n, h};
    const char *const letters = batch_first ? "batch_size, num_directions, hidden_size"
                                            : "num_directions, batch_size, hidden_size";
    const struct {
        unsigned input, rank;
        size_t sizes[3];
        const char *letters;
    } shapes[] = {
        {ONNX_RNN_W, 3, {d, g * h, s->inputs}, "num_directions, gates*hidden_size, input_size"},
        {ONNX_RNN_R, 3, {d, g * h, h}, "num_directions, gates*hidden_size, hidden_size"},
        {ONNX_RNN_B, 2, {d, 2 * g * h}, "num_directions, 2*gates*hidden_size"},
        {ONNX_RNN_SEQUENCE_LENS, 1, {n}, "batch_size"},
        {ONNX_RNN_INITIAL_H, 3, {state[0], state[1], h}, letters},
        {ONNX_RNN_INITIAL_C, 3, {state[0], state[1], h}, letters},
        {ONNX_RNN_P, 2, {d, 3 * h}, "num_directions, 3*hidden_size"},
    };
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !error; i++)
        if (shapes[i].input < request->operation->input_count &&
            tensor_present(&request->input[shapes[i].input]))
            error = operation_check_shape(request, shapes[i].input, shapes[i].rank, shapes[i].sizes,
                                          shapes[i].letters, diagnostic);
    return error;
}

static enum error check_types(const struct request *request, struct diagnostic *diagnostic)
{
    const enum dtype dtype = request->input[ONNX_RNN_X].dtype;
    const int64_t opset = request->attribute[ONNX_RNN_OPSET].integer;
    const unsigned all = DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64) |
                         (opset >= 22 ? DTYPE_BIT(DTYPE_BF16) : 0);
    enum error error = operation_check_dtype(request, ONNX_RNN_X, all, diagnostic);
    for (unsigned i = ONNX_RNN_W; i < request->operation->input_count && !error; i++)
        if (tensor_present(&request->input[i]))
            error = operation_check_dtype(
                request, i, i == ONNX_RNN_SEQUENCE_LENS ? DTYPE_BIT(DTYPE_I32) : DTYPE_BIT(dtype),
                diagnostic);
    if (!error && dtype == DTYPE_F64)
        error = diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                "%s of type f64 is not evaluated: its nodes are f32",
                                request->operation->name);
    return error;
}

static enum error check_lengths(const struct request *request, const struct onnx_rnn_sizes *s,
                                struct diagnostic *diagnostic)
{
    const struct tensor *const lengths = &request->input[ONNX_RNN_SEQUENCE_LENS];
    for (size_t n = 0; tensor_present(lengths) && lengths->data && n < s->batch; n++) {
        const int64_t length = operation_load_integer(lengths, n);
        if (length < 0 || (uint64_t)length > s->times)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "sequence_lens holds %" PRId64
                                   "; a length is from 0 to seq_length, %zu",
                                   length, s->times);
    }
    return ERROR_NONE;
}

// ---- attributes -------------------------------------------------------------

// What an activation has, and the defaults of the operator of its name, where there is one.
static const struct {
    bool alpha, beta, has_default;
    float standard_alpha, standard_beta;
} activations[NUM_ACTIVATION_COUNT] = {
    [NUM_ACTIVATION_AFFINE] = {true, true, false, 0, 0},
    [NUM_ACTIVATION_LEAKY_RELU] = {true, false, true, 0.01F, 0},
    [NUM_ACTIVATION_THRESHOLDED_RELU] = {true, false, true, 1, 0},
    [NUM_ACTIVATION_SCALED_TANH] = {true, true, false, 0, 0},
    [NUM_ACTIVATION_HARD_SIGMOID] = {true, true, true, 0.2F, 0.5F},
    [NUM_ACTIVATION_ELU] = {true, false, true, 1, 0},
};

enum {
    AS_NAMED,
    UNNAMED,
    OF_FIRST_DIRECTION,
    WITHOUT_ALPHA,
    WITHOUT_BETA,
    EXCHANGED,
    THRESHOLD_OF_0, // where none is given
    REVERSED
};
enum { CONSUMED, POSITIONAL };

// How many of the list `attribute` a function takes that stands at `place`, the earlier ones having
// taken `used`; and the value, or `standard`.
static float take(const struct request *request, unsigned attribute, bool has, size_t place,
                  size_t *used, float standard)
{
    const struct attribute_value *const list = &request->attribute[attribute];
    const bool positional = request->profile.option[ONNX_RNN_PARAMETERS] == POSITIONAL;
    const size_t at = positional ? place : *used;
    *used += has;
    return has && list->present && at < list->count ? (float)list->reals[at] : standard;
}

// The activation at `place`: named by the request, or the equations' default.
static enum num_activation_kind kind_at(const struct request *request,
                                        const struct onnx_rnn_sizes *s, size_t place)
{
    const struct attribute_value *const named = &request->attribute[ONNX_RNN_ACTIVATIONS];
    const bool gate = s->functions > 1 && place % s->functions == 0;
    return named->present && named->count ? (enum num_activation_kind)named->integers[place]
           : gate                         ? NUM_ACTIVATION_SIGMOID
                                          : NUM_ACTIVATION_TANH;
}

static struct num_activation activation_at(const struct request *request,
                                           const struct onnx_rnn_sizes *s, size_t place,
                                           size_t *alphas, size_t *betas)
{
    const enum num_activation_kind kind = kind_at(request, s, place);
    return (struct num_activation){.kind = kind,
                                   .alpha = take(request, ONNX_RNN_ALPHA, activations[kind].alpha,
                                                 place, alphas, activations[kind].standard_alpha),
                                   .beta = take(request, ONNX_RNN_BETA, activations[kind].beta,
                                                place, betas, activations[kind].standard_beta)};
}

static enum error check_list(const struct request *request, unsigned attribute, size_t most,
                             struct diagnostic *diagnostic)
{
    const struct attribute_value *const list = &request->attribute[attribute];
    const char *const name = request->operation->attributes[attribute].name;
    if (!list->present)
        return ERROR_NONE;
    if (list->count > most)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "%s has %zu values for %zu activations", name, list->count, most);
    for (size_t i = 0; i < list->count; i++)
        if (!isfinite(list->reals[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%s holds %g; its values are finite", name, list->reals[i]);
    return ERROR_NONE;
}

// Names of all directions' functions; of RNN's own default two may stand for one direction too.
static enum error check_activations(const struct request *request, const struct onnx_rnn_sizes *s,
                                    struct diagnostic *diagnostic)
{
    const struct attribute_value *const named = &request->attribute[ONNX_RNN_ACTIVATIONS];
    const size_t expected = s->functions * s->directions;
    if (named->present && named->count != expected &&
        !(request->operation == &onnx_rnn && named->count == 2))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "activations names %zu functions; %s in %zu direction%s has %zu",
                               named->count, request->operation->name, s->directions,
                               s->directions > 1 ? "s" : "", expected);
    enum error error = check_list(request, ONNX_RNN_ALPHA, expected, diagnostic);
    if (!error)
        error = check_list(request, ONNX_RNN_BETA, expected, diagnostic);
    size_t alphas = 0, betas = 0;
    for (size_t i = 0; i < expected && !error; i++) {
        const enum num_activation_kind kind = kind_at(request, s, i);
        activation_at(request, s, i, &alphas, &betas);
        const bool without = alphas > request->attribute[ONNX_RNN_ALPHA].count ||
                             betas > request->attribute[ONNX_RNN_BETA].count;
        if (activations[kind].alpha && !activations[kind].has_default && without)
            error = diagnostic_fail(
                diagnostic, ERROR_INVALID_ARGUMENT,
                "%s at place %zu of activations has neither a value of its own nor a default",
                request->operation->attributes[ONNX_RNN_ACTIVATIONS].words[kind], i);
    }
    return error;
}

static enum error check_attributes(const struct request *request, const struct onnx_rnn_sizes *s,
                                   struct diagnostic *diagnostic)
{
    const struct attribute_value *const attribute = request->attribute;
    if (attribute[ONNX_RNN_HIDDEN_SIZE].present &&
        (uint64_t)attribute[ONNX_RNN_HIDDEN_SIZE].integer != s->hidden)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "hidden_size is %" PRId64 "; by the shape of R it is %zu",
                               attribute[ONNX_RNN_HIDDEN_SIZE].integer, s->hidden);
    if (attribute[ONNX_RNN_LAYOUT].integer && attribute[ONNX_RNN_OPSET].integer < 14)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "layout came with opset 14, not with %" PRId64,
                               attribute[ONNX_RNN_OPSET].integer);
    if (attribute[ONNX_RNN_CLIP].present && !(attribute[ONNX_RNN_CLIP].real >= 0))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "clip is %g; a threshold is not negative",
                               attribute[ONNX_RNN_CLIP].real);
    return check_activations(request, s, diagnostic);
}

enum error onnx_rnn_check(const struct request *request, struct diagnostic *diagnostic)
{
    const bool batch_first = request->attribute[ONNX_RNN_LAYOUT].integer != 0;
    enum error error = check_types(request, diagnostic);
    if (!error)
        error = operation_check_rank(request, ONNX_RNN_X, 3,
                                     batch_first ? "batch_size, seq_length, input_size"
                                                 : "seq_length, batch_size, input_size",
                                     diagnostic);
    if (!error)
        error = operation_check_rank(request, ONNX_RNN_R, 3,
                                     "num_directions, gates*hidden_size, hidden_size", diagnostic);
    if (error)
        return error;
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    if (!s.hidden || !s.inputs)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s is 0; it is at least 1",
                               s.hidden ? "input_size" : "hidden_size");
    error = check_shapes(request, &s, diagnostic);
    if (!error)
        error = check_attributes(request, &s, diagnostic);
    return error ? error : check_lengths(request, &s, diagnostic);
}

// ---- the frame --------------------------------------------------------------

// Deviant readings of the attributes of activations.
static void misread(const struct request *request, const struct onnx_rnn_sizes *s,
                    struct rnn_frame *frame)
{
    const unsigned option = request->profile.option[ONNX_RNN_FUNCTIONS];
    struct request unnamed = *request;
    unnamed.attribute[ONNX_RNN_ACTIVATIONS].present = false;
    for (size_t d = 0; d < s->directions; d++) {
        const struct num_activation given[RNN_FUNCTIONS] = {
            frame->function[d][0], frame->function[d][1], frame->function[d][2]};
        for (size_t k = 0; k < s->functions; k++) {
            struct num_activation *const f = &frame->function[d][k];
            if (option == UNNAMED)
                f->kind = kind_at(&unnamed, s, k);
            else if (option == OF_FIRST_DIRECTION)
                *f = frame->function[0][k];
            else if (option == WITHOUT_ALPHA)
                f->alpha = activations[f->kind].standard_alpha;
            else if (option == WITHOUT_BETA)
                f->beta = activations[f->kind].standard_beta;
            else if (option == EXCHANGED)
                *f = (struct num_activation){f->kind, f->beta, f->alpha};
            else if (option == THRESHOLD_OF_0 && f->kind == NUM_ACTIVATION_THRESHOLDED_RELU &&
                     !request->attribute[ONNX_RNN_ALPHA].present)
                f->alpha = 0;
            else if (option == REVERSED)
                *f = given[s->functions - 1 - k];
        }
    }
}

static void set_clip(const struct request *request, size_t functions, struct rnn_frame *frame)
{
    enum { AS_SPECIFIED, IGNORED, FROM_ABOVE, FROM_BELOW, GATES_ALONE, INPUTS_ALONE };
    const struct attribute_value *const clip = &request->attribute[ONNX_RNN_CLIP];
    const unsigned option = request->profile.option[ONNX_RNN_CLIPPING];
    const float infinity = (float)INFINITY, most = clip->present ? (float)clip->real : infinity;
    for (size_t k = 0; k < RNN_FUNCTIONS; k++) {
        const bool none = option == IGNORED || (option == GATES_ALONE && k > 0) ||
                          (option == INPUTS_ALONE && functions == 3 && k == 2);
        frame->most[k] = none || option == FROM_BELOW ? infinity : most;
        frame->least[k] = none || option == FROM_ABOVE ? -infinity : -most;
    }
}

void onnx_rnn_frame_of(const struct request *request, struct rnn_frame *frame)
{
    enum { FORGET_OF_INPUT, INPUT_OF_FORGET, IGNORED };
    const struct onnx_rnn_sizes s = onnx_rnn_sizes_of(request);
    const struct tensor *const lengths = &request->input[ONNX_RNN_SEQUENCE_LENS];
    const uint16_t *const option = request->profile.option;
    *frame = (struct rnn_frame){
        .cell = onnx_cell_of(request),
        .lengths = tensor_present(lengths) ? lengths->data : NULL,
        .batch_first = request->attribute[ONNX_RNN_LAYOUT].integer != 0,
        .held = option[ONNX_RNN_BEYOND_LENGTH] != 0,
        .cleared = option[ONNX_RNN_NO_STEPS] != 0,
    };
    size_t alphas = 0, betas = 0;
    for (size_t i = 0; i < s.functions * s.directions; i++)
        frame->function[i / s.functions][i % s.functions] =
            activation_at(request, &s, i, &alphas, &betas);
    if (option[ONNX_RNN_FUNCTIONS])
        misread(request, &s, frame);
    set_clip(request, s.functions, frame);
    if (request->operation == &onnx_lstm && request->attribute[ONNX_RNN_OWN].integer &&
        option[ONNX_RNN_COUPLING] != IGNORED)
        frame->coupling = option[ONNX_RNN_COUPLING] == INPUT_OF_FORGET ? RNN_INPUT_OF_FORGET
                                                                       : RNN_FORGET_OF_INPUT;
}
