// SPDX-License-Identifier: Apache-2.0
// Lenses of onednn.rnn on what is not a tensor: scales and zero points of quantised data, the
// bounds of saturation, and where a GRU applies its reset gate.

#include "ref/variant/onednn_rnn.h"

#include <string.h>

static bool is_quantised(const struct request *request, enum dtype *dtype)
{
    *dtype = request->input[RNN_SRC_LAYER].dtype;
    return *dtype == DTYPE_U8 || *dtype == DTYPE_I8;
}

// i8 data has no zero point.
enum error rnn_lens_data_shift(const struct lens_call *call, struct request *request)
{
    enum { ONE_MORE = 1, NONE, HALF_LESS };
    struct attribute_value *const shift = &request->attribute[RNN_DATA_SHIFT];
    if (request->input[RNN_SRC_LAYER].dtype == DTYPE_U8)
        shift->real = call->option == ONE_MORE    ? shift->real + 1
                      : call->option == HALF_LESS ? shift->real - 0.5
                                                  : 0;
    return ERROR_NONE;
}

enum error rnn_lens_data_scale(const struct lens_call *call, struct request *request)
{
    enum { DOUBLED = 1, PERCENT_MORE };
    enum dtype dtype;
    if (is_quantised(request, &dtype))
        request->attribute[RNN_DATA_SCALE].real *= call->option == DOUBLED ? 2 : 1 + 0x1p-7;
    return ERROR_NONE;
}

enum { FIRST_FOR_ALL = 1, ROTATED, TRANSPOSED };

// [rows][columns] of scales.
static enum error change_scales(const struct lens_call *call, struct attribute_value *scales,
                                size_t rows)
{
    const size_t count = scales->count, columns = rows ? count / rows : 0;
    double *const changed = count ? arena_take_array(call->arena, count, sizeof *changed) : NULL;
    if (!count)
        return ERROR_NONE;
    if (!changed)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t i = 0; i < count; i++)
        changed[i] = scales->reals[call->option == FIRST_FOR_ALL ? 0
                                   : call->option == ROTATED     ? (i + 1) % count
                                                                 : i % rows * columns + i / rows];
    scales->reals = changed;
    return ERROR_NONE;
}

enum error rnn_lens_weights_scales(const struct lens_call *call, struct request *request)
{
    const size_t gates = (size_t)request->input[RNN_WEIGHTS_LAYER].shape[3];
    return change_scales(call, &request->attribute[RNN_WEIGHTS_SCALES], gates);
}

enum error rnn_lens_projection_scales(const struct lens_call *call, struct request *request)
{
    return change_scales(call, &request->attribute[RNN_PROJECTION_SCALES], 1);
}

// Stored as if the type had fewer values.
enum error rnn_lens_saturation(const struct lens_call *call, const struct request *request,
                               struct tensor *tensor)
{
    enum { SEVEN_BITS = 1, LEAST_LEFT_OUT, MOST_LEFT_OUT };
    enum dtype dtype;
    if (!is_quantised(request, &dtype))
        return ERROR_NONE;
    const bool is_signed = dtype == DTYPE_I8;
    const int least = (is_signed ? call->option == SEVEN_BITS ? -64 : -128 : 0) +
                      (call->option == LEAST_LEFT_OUT);
    const int most = (is_signed                    ? call->option == SEVEN_BITS ? 63 : 127
                      : call->option == SEVEN_BITS ? 127
                                                   : 255) -
                     (call->option == MOST_LEFT_OUT);
    for (unsigned o = RNN_DST_LAYER; o <= RNN_DST_ITER; o++) {
        uint64_t count;
        if (tensor[o].dtype != dtype || !tensor_count(&tensor[o], &count))
            continue;
        unsigned char *const data = tensor[o].data;
        for (uint64_t i = 0; i < count; i++) {
            const int value = is_signed ? (int)(signed char)data[i] : data[i];
            data[i] = (unsigned char)(value < least ? least : value > most ? most : value);
        }
    }
    return ERROR_NONE;
}

// A GRU whose reset gate comes after its product, or before it where it should come after.
// Gradients have other shapes then.
enum error rnn_lens_reset(const struct lens_call *call, struct request *request)
{
    static const enum rnn_cell_kind others[] = {[RNN_GRU] = RNN_LBR_GRU,
                                                [RNN_LBR_GRU] = RNN_GRU,
                                                [RNN_AUGRU] = RNN_LBR_AUGRU,
                                                [RNN_LBR_AUGRU] = RNN_AUGRU};
    enum { GATES = 3 };
    const enum rnn_cell_kind cell = (enum rnn_cell_kind)request->attribute[RNN_CELL].integer;
    enum dtype dtype;
    struct tensor *const bias = &request->input[RNN_BIAS];
    if (cell < RNN_GRU || request->attribute[RNN_PROPAGATION].integer == RNN_BACKWARD ||
        is_quantised(request, &dtype))
        return ERROR_NONE;
    request->attribute[RNN_CELL].integer = others[cell];
    if (!tensor_present(bias) || bias->rank != 4)
        return ERROR_NONE;
    const size_t from = (size_t)bias->shape[2], to = from == GATES ? GATES + 1 : GATES;
    const size_t row = (size_t)bias->shape[3] * dtype_size(bias->dtype),
                 cells = (size_t)(bias->shape[0] * bias->shape[1]);
    char *const data = arena_take(call->arena, cells * to * row);
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    for (size_t i = 0; i < cells; i++) {
        memset(data + i * to * row, 0, to * row);
        memcpy(data + i * to * row, (const char *)bias->data + i * from * row, GATES * row);
    }
    bias->data = data;
    bias->shape[2] = to;
    return ERROR_NONE;
}
