// SPDX-License-Identifier: Apache-2.0
// oneDNN 2 as Debian has it: memory descriptors are structs, and an operation descriptor is filled
// before a primitive descriptor is made of it. Types and numbers come from its headers
// (libdnnl-dev), the library itself is opened by its soname. Where the headers are missing or of
// another version, the target is there and says so.

#define _GNU_SOURCE
#include <stdlib.h>

#include "harness/targets/helper/request.h"
#include "harness/targets/onednn/library.h"

#if __has_include(<oneapi/dnnl/dnnl_version.h>)
#include <oneapi/dnnl/dnnl_version.h>
#endif

#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR == 2
#include <oneapi/dnnl/dnnl.h>

#define CALLS(X)                                                                                   \
    X(memory_desc_init_by_strides)                                                                 \
    X(memory_desc_init_by_tag)                                                                     \
    X(primitive_desc_create)                                                                       \
    X(vanilla_rnn_forward_desc_init)                                                               \
    X(vanilla_rnn_backward_desc_init)                                                              \
    X(lstm_forward_desc_init_v3)                                                                   \
    X(lstm_backward_desc_init_v3)                                                                  \
    X(gru_forward_desc_init)                                                                       \
    X(gru_backward_desc_init)                                                                      \
    X(lbr_gru_forward_desc_init)                                                                   \
    X(lbr_gru_backward_desc_init)                                                                  \
    X(matmul_desc_init)                                                                            \
    X(softmax_v2_forward_desc_init)                                                                \
    X(layer_normalization_forward_desc_init)                                                       \
    X(eltwise_forward_desc_init)                                                                   \
    X(reduction_desc_init)                                                                         \
    X(augru_forward_desc_init)                                                                     \
    X(augru_backward_desc_init)                                                                    \
    X(lbr_augru_forward_desc_init)                                                                 \
    X(lbr_augru_backward_desc_init)

// The pointers have the types of the headers' own declarations.
#define MEMBER(name) __typeof__(dnnl_##name) *name;
#define SYMBOL(name) {"dnnl_" #name, offsetof(struct own_calls, name)},

static struct own_calls {
    CALLS(MEMBER)
    // Of the OpenMP runtime that the library is linked with.
    void (*set_threads)(int);
    int (*max_threads)(void);
} own;

static const struct assay_symbol symbols[] = {
    CALLS(SYMBOL){"omp_set_num_threads", offsetof(struct own_calls, set_threads)},
    {"omp_get_max_threads", offsetof(struct own_calls, max_threads)},
};

static enum assay_status open_installed(struct dnn_library *library,
                                        enum assay_status (*start)(struct dnn_library *,
                                                                   struct assay_message *),
                                        struct assay_message *message)
{
    library->handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    return library->handle
               ? start(library, message)
               : assay_answer(message, ASSAY_FAILED,
                              "oneDNN 2 is not installed: Debian's libdnnl-dev has it (%s)",
                              dlerror());
}

static enum assay_status load(struct dnn_library *library, struct assay_message *message)
{
    const char *const missing =
        assay_load_symbols(library->handle, symbols, sizeof symbols / sizeof *symbols, &own);
    return missing ? assay_answer(message, ASSAY_FAILED, "this oneDNN has no %s", missing)
                   : ASSAY_OK;
}

static int md_create(const struct dnn_library *library, const struct rnn_tensor *tensor, bool any,
                     dnn *md)
{
    (void)library;
    dnnl_memory_desc_t *const made = malloc(sizeof *made);
    *md = (dnn)(void *)made;
    if (!made)
        return DNN_OUT_OF_MEMORY;
    const dnnl_data_type_t type = (dnnl_data_type_t)tensor->type;
    return (int)(any ? own.memory_desc_init_by_tag(made, tensor->rank, tensor->dims, type,
                                                   dnnl_format_tag_any)
                     : own.memory_desc_init_by_strides(made, tensor->rank, tensor->dims, type,
                                                       tensor->strides));
}

static void md_destroy(const struct dnn_library *library, dnn md)
{
    (void)library;
    free(md);
}

static const dnnl_alg_kind_t activations[] = {[RNN_RELU] = dnnl_eltwise_relu,
                                              [RNN_TANH] = dnnl_eltwise_tanh,
                                              [RNN_LOGISTIC] = dnnl_eltwise_logistic,
                                              [RNN_NO_ACTIVATION] = dnnl_alg_kind_undef};
static const dnnl_rnn_direction_t directions[] = {
    [RNN_LEFT_TO_RIGHT] = dnnl_unidirectional_left2right,
    [RNN_RIGHT_TO_LEFT] = dnnl_unidirectional_right2left,
    [RNN_CONCAT] = dnnl_bidirectional_concat,
    [RNN_SUM] = dnnl_bidirectional_sum};

static int make_descriptor(const struct dnn_library *library, const void *operation, dnn attributes,
                           dnn hint, dnn *to)
{
    return (int)own.primitive_desc_create((dnnl_primitive_desc_t *)(void *)to, operation,
                                          (const_dnnl_primitive_attr_t)(void *)attributes,
                                          (dnnl_engine_t)(void *)library->engine,
                                          (const_dnnl_primitive_desc_t)(void *)hint);
}

#define A(slot) ((const dnnl_memory_desc_t *)(const void *)md[RNN_##slot])
#define B(slot) ((const dnnl_memory_desc_t *)(const void *)md[RNN_DIFF + RNN_##slot])

static int describe(const struct dnn_library *library, const struct rnn *rnn, const dnn *md,
                    dnn attributes, dnn *to)
{
    dnnl_rnn_desc_t operation;
    dnnl_status_t status = dnnl_success;
    const dnnl_rnn_direction_t direction = directions[rnn->direction];
    const dnnl_prop_kind_t kind =
        rnn->propagation == RNN_INFERENCE ? dnnl_forward_inference : dnnl_forward_training;
    switch (rnn->cell) {
    case RNN_VANILLA:
        status = own.vanilla_rnn_forward_desc_init(&operation, kind, activations[rnn->activation],
                                                   direction, DNN_PLAIN(A), 0, rnn->alpha, 0);
        break;
    case RNN_LSTM:
        status = own.lstm_forward_desc_init_v3(&operation, kind, direction, DNN_LSTM(A), 0);
        break;
    case RNN_GRU:
    case RNN_LBR_GRU:
        status = (rnn->cell == RNN_GRU ? own.gru_forward_desc_init : own.lbr_gru_forward_desc_init)(
            &operation, kind, direction, DNN_PLAIN(A), 0);
        break;
    default:
        status = (rnn->cell == RNN_AUGRU ? own.augru_forward_desc_init
                                         : own.lbr_augru_forward_desc_init)(
            &operation, kind, direction, DNN_ATTENTIVE(A), 0);
    }
    return status == dnnl_success ? make_descriptor(library, &operation, attributes, NULL, to)
                                  : (int)status;
}

static int describe_backward(const struct dnn_library *library, const struct rnn *rnn,
                             const dnn *md, dnn attributes, dnn hint, dnn *to)
{
    dnnl_rnn_desc_t operation;
    dnnl_status_t status = dnnl_success;
    const dnnl_rnn_direction_t direction = directions[rnn->direction];
    switch (rnn->cell) {
    case RNN_VANILLA:
        status = own.vanilla_rnn_backward_desc_init(&operation, dnnl_backward,
                                                    activations[rnn->activation], direction,
                                                    DNN_PLAIN(A), DNN_PLAIN(B), 0, rnn->alpha, 0);
        break;
    case RNN_LSTM:
        status = own.lstm_backward_desc_init_v3(&operation, dnnl_backward, direction, DNN_LSTM(A),
                                                DNN_LSTM(B), 0);
        break;
    case RNN_GRU:
    case RNN_LBR_GRU:
        status =
            (rnn->cell == RNN_GRU ? own.gru_backward_desc_init : own.lbr_gru_backward_desc_init)(
                &operation, dnnl_backward, direction, DNN_PLAIN(A), DNN_PLAIN(B), 0);
        break;
    default:
        status = (rnn->cell == RNN_AUGRU ? own.augru_backward_desc_init
                                         : own.lbr_augru_backward_desc_init)(
            &operation, dnnl_backward, direction, DNN_ATTENTIVE(A), DNN_ATTENTIVE(B), 0);
    }
    return status == dnnl_success ? make_descriptor(library, &operation, attributes, hint, to)
                                  : (int)status;
}

// One of the library's descriptors.
union operation {
    dnnl_matmul_desc_t product;
    dnnl_softmax_v2_desc_t softmax;
    dnnl_layer_normalization_desc_t normalization;
    dnnl_eltwise_desc_t eltwise;
    dnnl_reduction_desc_t reduction;
};

#define M(slot) ((const dnnl_memory_desc_t *)(const void *)md[OPERATOR_##slot])

static dnnl_status_t describe_eltwise(const struct dnn_operator *of, const dnn *md,
                                      dnnl_eltwise_desc_t *to)
{
    const dnnl_alg_kind_t algorithm = of->kind == OPERATOR_GELU_ERF    ? dnnl_eltwise_gelu_erf
                                      : of->kind == OPERATOR_GELU_TANH ? dnnl_eltwise_gelu_tanh
                                                                       : dnnl_eltwise_soft_relu;
    return of->kind == OPERATOR_HARD_SIGMOID // which came with version 2.7
               ? dnnl_unimplemented
               : own.eltwise_forward_desc_init(to, dnnl_forward_inference, algorithm, M(SRC),
                                               of->alpha, of->beta);
}

static int describe_operator(const struct dnn_library *library, const struct dnn_operator *of,
                             const dnn *md, dnn *to)
{
    union operation operation;
    dnnl_status_t status;
    switch (of->kind) {
    case OPERATOR_PRODUCT:
        status = own.matmul_desc_init(&operation.product, M(SRC), M(WEIGHTS), NULL, M(DST));
        break;
    case OPERATOR_SOFTMAX:
    case OPERATOR_LOG_SOFTMAX:
        status = own.softmax_v2_forward_desc_init(
            &operation.softmax, dnnl_forward_inference,
            of->kind == OPERATOR_SOFTMAX ? dnnl_softmax_accurate : dnnl_softmax_log, M(SRC), M(DST),
            of->axis);
        break;
    case OPERATOR_LAYER_NORMALIZATION:
        status = own.layer_normalization_forward_desc_init(
            &operation.normalization, dnnl_forward_inference, M(SRC), NULL, of->epsilon,
            (md[OPERATOR_SCALE] ? (unsigned)dnnl_use_scale : 0) |
                (md[OPERATOR_SHIFT] ? (unsigned)dnnl_use_shift : 0));
        break;
    case OPERATOR_RMS_NORMALIZATION: // which came with version 3.8
        status = dnnl_unimplemented;
        break;
    case OPERATOR_SUM:
        status =
            own.reduction_desc_init(&operation.reduction, dnnl_reduction_sum, M(SRC), M(DST), 0, 0);
        break;
    default:
        status = describe_eltwise(of, md, &operation.eltwise);
    }
    return status == dnnl_success ? make_descriptor(library, &operation, NULL, NULL, to)
                                  : (int)status;
}

static int set_threads(const struct dnn_library *library, int count)
{
    (void)library;
    const int before = own.max_threads();
    own.set_threads(count);
    return before;
}

const struct dnn_version dnn_version_2 = {
    .major = 2,
    .query_workspace = dnnl_query_workspace_md,
    .open = open_installed,
    .load = load,
    .md_create = md_create,
    .md_destroy = md_destroy,
    .describe = describe,
    .describe_backward = describe_backward,
    .describe_operator = describe_operator,
    .set_threads = set_threads,
};

#else

static enum assay_status open_nothing(struct dnn_library *library,
                                      enum assay_status (*start)(struct dnn_library *,
                                                                 struct assay_message *),
                                      struct assay_message *message)
{
    (void)library;
    (void)start;
    return assay_answer(message, ASSAY_FAILED,
                        "built without the headers of oneDNN 2 (Debian: libdnnl-dev)");
}

const struct dnn_version dnn_version_2 = {.major = 2, .open = open_nothing};

#endif
