// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/onednn/operator.h"

#include <string.h>

#include "harness/targets/helper/request.h"

// `since`: the version of the operator that brought bf16; what is refused before it, ONNX refuses,
// and not a library.
static const struct row {
    const char *operation, *source, *result;
    enum operator_kind kind;
    int since;
} rows[] = {
    {"onnx.mat_mul", "A", "Y", OPERATOR_PRODUCT, 13},
    {"onnx.softmax", "input", "output", OPERATOR_SOFTMAX, 13},
    {"onnx.log_softmax", "input", "output", OPERATOR_LOG_SOFTMAX, 13},
    {"onnx.layer_normalization", "X", "Y", OPERATOR_LAYER_NORMALIZATION, 17},
    {"onnx.rms_normalization", "X", "Y", OPERATOR_RMS_NORMALIZATION, 23},
    {"onnx.gelu", "X", "Y", OPERATOR_GELU_ERF, 20},
    {"onnx.softplus", "X", "Y", OPERATOR_SOFTPLUS, 22},
    {"onnx.hard_sigmoid", "X", "Y", OPERATOR_HARD_SIGMOID, 22},
    {"onnx.reduce_sum", "data", "reduced", OPERATOR_SUM, 13},
};

static const struct row *find(const char *operation)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].operation, operation))
            return &rows[i];
    return NULL;
}

bool dnn_operator_is(const char *operation)
{
    return find(operation) != NULL;
}

int dnn_operator_argument(unsigned slot)
{
    static const int arguments[] = {[OPERATOR_SRC] = 1,
                                    [OPERATOR_WEIGHTS] = 33,
                                    [OPERATOR_DST] = 17,
                                    [OPERATOR_SCALE] = 51,
                                    [OPERATOR_SHIFT] = 52};
    return arguments[slot];
}

// False for a type that the library does not have.
static bool take(struct dnn_operator *to, enum operator_slot slot, const char *name,
                 const struct assay_tensor *from)
{
    const int type = from->dtype == ASSAY_F16    ? RNN_F16
                     : from->dtype == ASSAY_BF16 ? RNN_BF16
                     : from->dtype == ASSAY_F32  ? RNN_F32
                                                 : 0;
    to->name[slot] = name;
    if (from->layout.ndim > RNN_RANK_MAX)
        return false;
    rnn_set_tensor(&to->tensor[slot], from->layout.ndim, from->layout.shape, type, NULL);
    return type != 0;
}

// Scale and shift of the last axis, in f32.
static const char *take_parameter(const struct assay_request *request, const char *name,
                                  enum operator_slot slot, struct dnn_operator *to)
{
    const struct assay_tensor *const from = assay_input_named(request, name);
    const struct rnn_tensor *const source = &to->tensor[OPERATOR_SRC];
    if (!from)
        return NULL;
    if (from->dtype != ASSAY_F32 || !take(to, slot, name, from))
        return "scale and shift are f32";
    return from->layout.ndim == 1 && from->layout.shape[0] == source->dims[source->rank - 1]
               ? NULL
               : "scale and shift have one number for each place of the last axis";
}

static const char *read_normalization(const struct assay_request *request, struct dnn_operator *to)
{
    const int64_t axis = assay_integer(request, "axis", -1);
    const struct assay_attribute *const stash = assay_attribute_named(request, "stash_type");
    if (axis != -1 && axis != to->tensor[OPERATOR_SRC].rank - 1)
        return "the last axis alone is normalised";
    if (stash && (stash->text ? strcmp(stash->text, "f32") != 0 : stash->integer != 1))
        return "it computes in f32";
    if (request->output_count > 1)
        return "it gives a mean and a variance, no deviation";
    to->epsilon = (float)assay_real(request, "epsilon", 1e-5);
    const char *why = take_parameter(request, "Scale", OPERATOR_SCALE, to);
    why = why ? why : take_parameter(request, "scale", OPERATOR_SCALE, to);
    return why ? why : take_parameter(request, "B", OPERATOR_SHIFT, to);
}

static const char *read_product(const struct assay_request *request, struct dnn_operator *to)
{
    const struct assay_tensor *const right = assay_input_named(request, "B");
    if (!right || !take(to, OPERATOR_WEIGHTS, "B", right))
        return "no matrices of this type";
    if (to->tensor[OPERATOR_SRC].rank != to->tensor[OPERATOR_WEIGHTS].rank ||
        to->tensor[OPERATOR_SRC].rank < 2)
        return "both operands have as many axes, two or more";
    return NULL;
}

const char *dnn_operator_read(const struct assay_request *request, struct dnn_operator *to)
{
    static const char *const forms[] = {"none", "tanh", NULL};
    const struct row *const row = find(request->operation);
    const struct assay_tensor *const source = assay_input_named(request, row->source),
                                     *const result = assay_output_named(request, row->result);
    memset(to, 0, sizeof *to);
    to->kind = row->kind;
    to->alpha = 1;
    if (!source || !result || !take(to, OPERATOR_SRC, row->source, source) ||
        !take(to, OPERATOR_DST, row->result, result))
        return "no tensors of this type";
    if (source->dtype == ASSAY_BF16 && assay_integer(request, "opset", row->since) < row->since)
        return "a primitive knows no versions of ONNX";
    const int rank = to->tensor[OPERATOR_SRC].rank;
    if (!rank)
        return "a tensor has one axis at least";
    const int64_t axis = assay_integer(request, "axis", -1);
    switch (row->kind) {
    case OPERATOR_PRODUCT:
        return read_product(request, to);
    case OPERATOR_SOFTMAX:
    case OPERATOR_LOG_SOFTMAX:
        if (axis < -rank || axis >= rank)
            return "an axis is counted from the first one";
        if (assay_integer(request, "opset", 13) < 13)
            return "softmax is over one axis, as of version 13";
        to->axis = (int)(axis < 0 ? axis + rank : axis);
        return NULL;
    case OPERATOR_LAYER_NORMALIZATION:
    case OPERATOR_RMS_NORMALIZATION:
        return read_normalization(request, to);
    case OPERATOR_GELU_ERF: {
        const int form = assay_word(request, "approximate", forms);
        to->kind = form == 1 ? OPERATOR_GELU_TANH : OPERATOR_GELU_ERF;
        return form < 0 ? "GELU has two forms" : NULL;
    }
    case OPERATOR_HARD_SIGMOID:
        to->alpha = (float)assay_real(request, "alpha", 0.2);
        to->beta = (float)assay_real(request, "beta", 0.5);
        return NULL;
    case OPERATOR_SUM:
        return to->tensor[OPERATOR_DST].rank != rank ? "sums keep their axes"
               : !memcmp(to->tensor[OPERATOR_DST].dims, to->tensor[OPERATOR_SRC].dims,
                         (size_t)rank * sizeof *to->tensor[OPERATOR_DST].dims)
                   ? "a sum makes an axis shorter"
                   : NULL;
    default:
        return NULL;
    }
}
