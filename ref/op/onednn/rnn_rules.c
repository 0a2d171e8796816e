// SPDX-License-Identifier: Apache-2.0
// The rules of onednn.rnn: which tensors a cell has, their ranks and sizes, and how channels fit
// together.
//
// Limits of a library are no rules: attention with several layers or directions, a missing bias and
// 16-bit gradients are taken.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ref/op/onednn/rnn_cell.h"

static enum error refuse(struct diagnostic *diagnostic, const char *rule)
{
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s", rule);
}

// Sizes from src_layer and the weights.
static enum error read_sizes(struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct request *const request = p->request;
    const struct tensor *const in = request->input;
    enum error error = operation_check_rank(request, RNN_SRC_LAYER, 3, "T,N,SLC", diagnostic);
    if (!error)
        error = operation_check_rank(request, RNN_WEIGHTS_LAYER, 5, "L,D,SLC,G,DHC", diagnostic);
    if (!error)
        error = operation_check_rank(request, RNN_WEIGHTS_ITER, 5, "L,D,SIC,G,DHC", diagnostic);
    if (!error && p->projection)
        error = operation_check_rank(request, RNN_WEIGHTS_PROJECTION, 4, "L,D,DHC,DIC", diagnostic);
    if (error)
        return error;
    p->times = in[RNN_SRC_LAYER].shape[0];
    p->batch = in[RNN_SRC_LAYER].shape[1];
    p->layer_channels = in[RNN_SRC_LAYER].shape[2];
    p->layers = in[RNN_WEIGHTS_LAYER].shape[0];
    p->directions = p->direction >= RNN_CONCAT ? 2 : 1;
    p->iter_channels = in[RNN_WEIGHTS_ITER].shape[2];
    p->hidden_channels = in[RNN_WEIGHTS_LAYER].shape[4];
    p->output_channels = p->projection ? in[RNN_WEIGHTS_PROJECTION].shape[3] : p->hidden_channels;
    p->dst_channels = p->output_channels * (p->direction == RNN_CONCAT ? 2 : 1);
    return ERROR_NONE;
}

static enum error check_positive(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct {
        const char *name;
        size_t size;
    } sizes[] = {{"L (layers)", p->layers},
                 {"SLC (channels of src_layer)", p->layer_channels},
                 {"SIC (channels of src_iter)", p->iter_channels},
                 {"DHC (hidden channels)", p->hidden_channels},
                 {"DIC (channels of dst_iter)", p->output_channels}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].size == 0)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s is 0; it is at least 1",
                                   sizes[i].name);
    return ERROR_NONE;
}

// How the channels of a cell, its neighbour in time and its neighbour above fit together.
static enum error check_channels(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    if (p->request->input[RNN_WEIGHTS_LAYER].shape[1] != p->directions)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "weights_layer has %" PRIu64 " directions; %s has D = %zu",
                               p->request->input[RNN_WEIGHTS_LAYER].shape[1],
                               request_word(p->request, RNN_DIRECTION), p->directions);
    if (p->layers > 1 && p->layer_channels != p->output_channels)
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "with L > 1, channels(src_layer) = channels(dst_iter), in every direction: SLC is "
            "%zu, DIC %zu",
            p->layer_channels, p->output_channels);
    if (p->cell >= RNN_GRU && p->iter_channels != p->hidden_channels)
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "%s blends h' into h, so channels(src_iter) = channels(dst_iter): SIC is %zu, DHC %zu",
            request_word(p->request, RNN_CELL), p->iter_channels, p->hidden_channels);
    if (p->times != 1 && p->iter_channels != p->output_channels)
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "unless T = 1, channels(src_iter) = channels(dst_iter): SIC is %zu, DIC %zu",
            p->iter_channels, p->output_channels);
    return ERROR_NONE;
}

static enum error check_shapes(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const size_t l = p->layers, d = p->directions, n = p->batch, g = p->gates;
    const size_t slc = p->layer_channels, sic = p->iter_channels, dhc = p->hidden_channels,
                 dic = p->output_channels;
    const struct {
        enum rnn_input input;
        unsigned rank;
        size_t sizes[5];
        const char *letters;
    } shapes[] = {
        {RNN_WEIGHTS_LAYER, 5, {l, d, slc, g, dhc}, "L,D,SLC,G,DHC"},
        {RNN_WEIGHTS_ITER, 5, {l, d, sic, g, dhc}, "L,D,SIC,G,DHC"},
        {RNN_WEIGHTS_PEEPHOLE, 4, {l, d, 3, dhc}, "L,D,3,DHC"},
        {RNN_WEIGHTS_PROJECTION, 4, {l, d, dhc, dic}, "L,D,DHC,DIC"},
        {RNN_BIAS, 4, {l, d, p->bias_rows, dhc}, p->bias_rows == g ? "L,D,G,DHC" : "L,D,G+1,DHC"},
        {RNN_SRC_ITER, 4, {l, d, n, sic}, "L,D,N,SIC"},
        {RNN_SRC_ITER_C, 4, {l, d, n, dhc}, "L,D,N,DHC"},
        {RNN_ATTENTION, 3, {p->times, n, 1}, "T,N,1"},
        {RNN_DIFF_DST_LAYER,
         3,
         {p->times, n, p->dst_channels},
         p->direction == RNN_CONCAT ? "T,N,2*DIC" : "T,N,DIC"},
        {RNN_DIFF_DST_ITER, 4, {l, d, n, dic}, "L,D,N,DIC"},
        {RNN_DIFF_DST_ITER_C, 4, {l, d, n, dhc}, "L,D,N,DHC"},
        {RNN_INITIAL_WEIGHTS_LAYER, 5, {l, d, slc, g, dhc}, "L,D,SLC,G,DHC"},
        {RNN_INITIAL_WEIGHTS_ITER, 5, {l, d, sic, g, dhc}, "L,D,SIC,G,DHC"},
        {RNN_INITIAL_WEIGHTS_PEEPHOLE, 4, {l, d, 3, dhc}, "L,D,3,DHC"},
        {RNN_INITIAL_WEIGHTS_PROJECTION, 4, {l, d, dhc, dic}, "L,D,DHC,DIC"},
        {RNN_INITIAL_BIAS,
         4,
         {l, d, p->bias_rows, dhc},
         p->bias_rows == g ? "L,D,G,DHC" : "L,D,G+1,DHC"},
    };
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !error; i++)
        if (rnn_has(p, shapes[i].input))
            error = operation_check_shape(p->request, shapes[i].input, shapes[i].rank,
                                          shapes[i].sizes, shapes[i].letters, diagnostic);
    return error;
}

// Which optional tensors a cell and a propagation have, and which go in pairs.
static enum error check_presence(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    static const enum rnn_input of_lstm[] = {
        RNN_SRC_ITER_C,      RNN_WEIGHTS_PEEPHOLE,         RNN_WEIGHTS_PROJECTION,
        RNN_DIFF_DST_ITER_C, RNN_INITIAL_WEIGHTS_PEEPHOLE, RNN_INITIAL_WEIGHTS_PROJECTION};
    static const struct {
        enum rnn_input gradient, of;
    } pairs[] = {{RNN_INITIAL_WEIGHTS_PEEPHOLE, RNN_WEIGHTS_PEEPHOLE},
                 {RNN_INITIAL_WEIGHTS_PROJECTION, RNN_WEIGHTS_PROJECTION},
                 {RNN_INITIAL_BIAS, RNN_BIAS}};
    const struct input_spec *const name = p->request->operation->inputs;
    const bool attention = p->cell == RNN_AUGRU || p->cell == RNN_LBR_AUGRU;
    for (size_t i = 0; i < sizeof of_lstm / sizeof *of_lstm; i++)
        if (p->cell != RNN_LSTM && rnn_has(p, of_lstm[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "only lstm has %s, not %s",
                                   name[of_lstm[i]].name, request_word(p->request, RNN_CELL));
    if (rnn_has(p, RNN_ATTENTION) != attention)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s %s",
                               request_word(p->request, RNN_CELL),
                               attention ? "needs attention" : "has no attention");
    if (p->cell == RNN_LSTM && !p->frame && rnn_has(p, RNN_SRC_ITER) != rnn_has(p, RNN_SRC_ITER_C))
        return refuse(diagnostic, "lstm takes src_iter and src_iter_c both or neither");
    for (enum rnn_input i = RNN_DIFF_DST_LAYER; i <= RNN_INITIAL_BIAS; i++)
        if (!p->backward && rnn_has(p, i))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%s is for propagation backward", name[i].name);
    if (p->backward && !rnn_has(p, RNN_DIFF_DST_LAYER))
        return refuse(diagnostic, "propagation backward needs diff_dst_layer");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (rnn_has(p, pairs[i].gradient) && !rnn_has(p, pairs[i].of))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%s is the gradient of %s, which is absent",
                                   name[pairs[i].gradient].name, name[pairs[i].of].name);
    return ERROR_NONE;
}

static enum error check_activation(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const bool given = p->request->attribute[RNN_ACTIVATION].present;
    if (p->cell == RNN_VANILLA && !given)
        return refuse(diagnostic, "vanilla_rnn needs an activation: relu, tanh or logistic");
    if (p->cell != RNN_VANILLA && given)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "only vanilla_rnn has an activation, not %s",
                               request_word(p->request, RNN_CELL));
    if (!isfinite(p->alpha))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute alpha is %g; a slope is finite", (double)p->alpha);
    const bool relu = p->cell == RNN_VANILLA && p->activation == RNN_RELU;
    if (!relu && fabsf(p->alpha) > 0) // an interface may hand the default over
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute alpha is %g; only relu has a slope", (double)p->alpha);
    return ERROR_NONE;
}

enum error rnn_problem_read(const struct request *request, struct rnn_problem *p,
                            struct diagnostic *diagnostic)
{
    return rnn_problem_read_framed(request, NULL, p, diagnostic);
}

enum error rnn_problem_read_framed(const struct request *request, const struct rnn_frame *frame,
                                   struct rnn_problem *p, struct diagnostic *diagnostic)
{
    static const size_t gates[] = {1, 4, 3, 3, 3, 3}, bias_rows[] = {1, 4, 3, 4, 3, 4};
    memset(p, 0, sizeof *p);
    p->request = request;
    p->frame = frame;
    p->cell = (enum rnn_cell_kind)request->attribute[RNN_CELL].integer;
    p->direction = (enum rnn_direction)request->attribute[RNN_DIRECTION].integer;
    p->activation = (enum rnn_activation)request->attribute[RNN_ACTIVATION].integer;
    p->backward = request->attribute[RNN_PROPAGATION].integer == RNN_BACKWARD;
    p->peephole = rnn_has(p, RNN_WEIGHTS_PEEPHOLE);
    p->projection = rnn_has(p, RNN_WEIGHTS_PROJECTION);
    p->alpha = (float)request->attribute[RNN_ALPHA].real;
    p->gates = gates[p->cell];
    p->bias_rows = frame ? frame->cell->bias_rows : bias_rows[p->cell];
    enum error error = check_activation(p, diagnostic);
    if (!error)
        error = check_presence(p, diagnostic);
    if (!error)
        error = rnn_check_types(p, diagnostic);
    if (!error)
        error = read_sizes(p, diagnostic);
    if (!error)
        error = check_positive(p, diagnostic);
    if (!error)
        error = check_channels(p, diagnostic);
    if (!error)
        error = check_shapes(p, diagnostic);
    if (!error)
        error = rnn_check_quantisation(p, diagnostic);
    if (!error)
        error = rnn_check_formats(p, diagnostic);
    return error;
}
