// SPDX-License-Identifier: Apache-2.0
// oneDNN 3: memory descriptors are objects of the library, and a primitive descriptor is made in
// one call.
//
// The library comes with the PyPI wheel and is opened by path (ASSAY_ONEDNN, else the virtual
// environment beside this plugin). Its threads are those of a SYCL runtime, which has no call for
// their number: they are as many as the processors that the process may use while it starts
// (rnn_target.serial).

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "harness/targets/helper/request.h"
#include "harness/targets/onednn/library.h"
#include "harness/targets/onednn/target.h"

enum { QUERY_WORKSPACE = 135, ANY = 1, RELU = 0x20, TANH = 0x21, LOGISTIC = 0x29 };
enum {
    SOFTPLUS = 0x27,
    HARD_SIGMOID = 0x28,
    GELU_TANH = 0x2b,
    GELU_ERF = 0x31,
    SUM = 0x2fff4,
    SOFTMAX = 0x30000,
    LOG_SOFTMAX = 0x30001
};
enum { USE_SCALE = 2, USE_SHIFT = 4, RMS_NORM = 0x20 };
enum { TRAINING = 64, INFERENCE = 96, BACKWARD = 128, OVERWRITE = 1 };

#define T(slot) dnn
#define CALLS(X)                                                                                   \
    X(md_by_strides, memory_desc_create_with_strides,                                              \
      (dnn *, int rank, const int64_t *dims, int type, const int64_t *strides))                    \
    X(md_by_tag, memory_desc_create_with_tag,                                                      \
      (dnn *, int rank, const int64_t *dims, int type, int tag))                                   \
    X(md_destroy, memory_desc_destroy, (dnn))                                                      \
    X(vanilla, vanilla_rnn_forward_primitive_desc_create,                                          \
      (dnn *, dnn, int, int, int, DNN_PLAIN(T), unsigned, float, float, dnn))                      \
    X(vanilla_back, vanilla_rnn_backward_primitive_desc_create,                                    \
      (dnn *, dnn, int, int, int, DNN_PLAIN(T), DNN_PLAIN(T), unsigned, float, float, dnn, dnn))   \
    X(lstm, lstm_forward_primitive_desc_create,                                                    \
      (dnn *, dnn, int, int, DNN_LSTM(T), unsigned, dnn))                                          \
    X(lstm_back, lstm_backward_primitive_desc_create,                                              \
      (dnn *, dnn, int, int, DNN_LSTM(T), DNN_LSTM(T), unsigned, dnn, dnn))                        \
    X(gru, gru_forward_primitive_desc_create, GRU)                                                 \
    X(lbr_gru, lbr_gru_forward_primitive_desc_create, GRU)                                         \
    X(gru_back, gru_backward_primitive_desc_create, GRU_BACK)                                      \
    X(lbr_gru_back, lbr_gru_backward_primitive_desc_create, GRU_BACK)                              \
    X(product, matmul_primitive_desc_create, (dnn *, dnn, dnn, dnn, dnn bias, dnn, dnn))           \
    X(softmax, softmax_forward_primitive_desc_create,                                              \
      (dnn *, dnn, int, int, dnn, dnn, int axis, dnn))                                             \
    X(normalization, layer_normalization_forward_primitive_desc_create,                            \
      (dnn *, dnn, int, dnn, dnn, dnn statistics, float epsilon, unsigned flags, dnn))             \
    X(eltwise, eltwise_forward_primitive_desc_create,                                              \
      (dnn *, dnn, int, int, dnn, dnn, float alpha, float beta, dnn))                              \
    X(reduction, reduction_primitive_desc_create, (dnn *, dnn, int, dnn, dnn, float, float, dnn))  \
    X(augru, augru_forward_primitive_desc_create, AUGRU)                                           \
    X(lbr_augru, lbr_augru_forward_primitive_desc_create, AUGRU)                                   \
    X(augru_back, augru_backward_primitive_desc_create, AUGRU_BACK)                                \
    X(lbr_augru_back, lbr_augru_backward_primitive_desc_create, AUGRU_BACK)
#define GRU (dnn *, dnn, int, int, DNN_PLAIN(T), unsigned, dnn)
#define GRU_BACK (dnn *, dnn, int, int, DNN_PLAIN(T), DNN_PLAIN(T), unsigned, dnn, dnn)
#define AUGRU (dnn *, dnn, int, int, DNN_ATTENTIVE(T), unsigned, dnn)
#define AUGRU_BACK (dnn *, dnn, int, int, DNN_ATTENTIVE(T), DNN_ATTENTIVE(T), unsigned, dnn, dnn)

#define MEMBER(name, symbol, arguments) int(*name) arguments;
#define SYMBOL(name, symbol, arguments) {"dnnl_" #symbol, offsetof(struct own_calls, name)},

struct own_calls {
    CALLS(MEMBER)
};
static const struct assay_symbol symbols[] = {CALLS(SYMBOL)};

// ---- loading ----------------------------------------------------------------

// The wheel's engine for the CPU is an OpenCL device that must be named while the library starts.
static const char OPENCL_DEVICES[] = "OCL_ICD_FILENAMES";

// The wheel keeps its libraries and those it needs in one folder without saying so to the loader:
// they are opened in the order of their needs, as far as they exist.
static void *open_library(void)
{
    static const char *const needed[] = {
        "libintlc.so.5",  "libirng.so",  "libimf.so",      "libsvml.so",        "libtbb.so.12",
        "libhwloc.so.15", "libumf.so.1", "libOpenCL.so.1", "libur_loader.so.0", "libsycl.so.9"};
    char folder[3500], path[4096];
    const char *const chosen = getenv("ASSAY_ONEDNN");
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (!assay_wheels_folder(folder, sizeof folder))
        return NULL;
    snprintf(path, sizeof path, "%s/lib/libintelocl.so", folder);
    setenv(OPENCL_DEVICES, path, 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        snprintf(path, sizeof path, "%s/lib/%s", folder, needed[i]);
        dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    snprintf(path, sizeof path, "%s/lib/libdnnl.so.3", folder);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// What loading changes without being asked (reports/findings/onednn-environment.md): a variable is
// set, handlers of signals and their stack are replaced.
static const char SYSMAN[] = "ZES_ENABLE_SYSMAN";
enum { SIGNALS = 65 };

struct surroundings {
    bool devices, sysman, serial;
    struct sigaction handler[SIGNALS];
    stack_t handlers_stack;
    cpu_set_t processors;
};

static void take_surroundings(struct surroundings *before)
{
    before->devices = getenv(OPENCL_DEVICES) != NULL;
    before->sysman = getenv(SYSMAN) != NULL;
    before->serial =
        rnn_target.serial && !sched_getaffinity(0, sizeof before->processors, &before->processors);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &before->handler[i]);
    sigaltstack(NULL, &before->handlers_stack);
}

static void restore_surroundings(const struct surroundings *before)
{
    if (before->serial)
        sched_setaffinity(0, sizeof before->processors, &before->processors);
    if (!before->devices)
        unsetenv(OPENCL_DEVICES);
    if (!before->sysman)
        unsetenv(SYSMAN);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, &before->handler[i], NULL);
    sigaltstack(&before->handlers_stack, NULL);
}

// The first of the processors that may be used.
static void use_one_processor(const cpu_set_t *all)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t cpu = 0; !CPU_COUNT(&one) && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, all))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static enum assay_status open_wheel(struct dnn_library *library,
                                    enum assay_status (*start)(struct dnn_library *,
                                                               struct assay_message *),
                                    struct assay_message *message)
{
    struct surroundings before;
    take_surroundings(&before);
    if (before.serial)
        use_one_processor(&before.processors);
    library->handle = open_library();
    const enum assay_status status =
        library->handle
            ? start(library, message)
            : assay_answer(
                  message, ASSAY_FAILED,
                  "oneDNN 3 is not installed: scripts/setup ci does it, or set ASSAY_ONEDNN (%s)",
                  dlerror());
    restore_surroundings(&before);
    return status;
}

static enum assay_status load(struct dnn_library *library, struct assay_message *message)
{
    static struct own_calls calls;
    const char *const missing =
        assay_load_symbols(library->handle, symbols, sizeof symbols / sizeof *symbols, &calls);
    library->own = &calls;
    return missing ? assay_answer(message, ASSAY_FAILED, "this oneDNN has no %s", missing)
                   : ASSAY_OK;
}

// ---- descriptors ------------------------------------------------------------

static int md_create(const struct dnn_library *library, const struct rnn_tensor *tensor, bool any,
                     dnn *md)
{
    const struct own_calls *const own = library->own;
    return any ? own->md_by_tag(md, tensor->rank, tensor->dims, tensor->type, ANY)
               : own->md_by_strides(md, tensor->rank, tensor->dims, tensor->type, tensor->strides);
}

static void md_destroy(const struct dnn_library *library, dnn md)
{
    ((const struct own_calls *)library->own)->md_destroy(md);
}

static int activation_of(const struct rnn *rnn)
{
    static const int kinds[] = {
        [RNN_RELU] = RELU, [RNN_TANH] = TANH, [RNN_LOGISTIC] = LOGISTIC, [RNN_NO_ACTIVATION] = 0};
    return kinds[rnn->activation];
}

#define A(slot) md[RNN_##slot]
#define B(slot) md[RNN_DIFF + RNN_##slot]

static int describe(const struct dnn_library *library, const struct rnn *rnn, const dnn *md,
                    dnn attributes, dnn *to)
{
    const struct own_calls *const own = library->own;
    const dnn engine = library->engine;
    const int direction = 1 + (int)rnn->direction,
              kind = rnn->propagation == RNN_INFERENCE ? INFERENCE : TRAINING;
    switch (rnn->cell) {
    case RNN_VANILLA:
        return own->vanilla(to, engine, kind, activation_of(rnn), direction, DNN_PLAIN(A), 0,
                            rnn->alpha, 0, attributes);
    case RNN_LSTM:
        return own->lstm(to, engine, kind, direction, DNN_LSTM(A), 0, attributes);
    case RNN_GRU:
    case RNN_LBR_GRU:
        return (rnn->cell == RNN_GRU ? own->gru : own->lbr_gru)(to, engine, kind, direction,
                                                                DNN_PLAIN(A), 0, attributes);
    default:
        return (rnn->cell == RNN_AUGRU ? own->augru : own->lbr_augru)(
            to, engine, kind, direction, DNN_ATTENTIVE(A), 0, attributes);
    }
}

static int describe_backward(const struct dnn_library *library, const struct rnn *rnn,
                             const dnn *md, dnn attributes, dnn hint, dnn *to)
{
    const struct own_calls *const own = library->own;
    const dnn engine = library->engine;
    const unsigned flags = rnn->overwrite ? OVERWRITE : 0;
    const int direction = 1 + (int)rnn->direction;
    switch (rnn->cell) {
    case RNN_VANILLA:
        return own->vanilla_back(to, engine, BACKWARD, activation_of(rnn), direction, DNN_PLAIN(A),
                                 DNN_PLAIN(B), flags, rnn->alpha, 0, hint, attributes);
    case RNN_LSTM:
        return own->lstm_back(to, engine, BACKWARD, direction, DNN_LSTM(A), DNN_LSTM(B), flags,
                              hint, attributes);
    case RNN_GRU:
    case RNN_LBR_GRU:
        return (rnn->cell == RNN_GRU ? own->gru_back : own->lbr_gru_back)(
            to, engine, BACKWARD, direction, DNN_PLAIN(A), DNN_PLAIN(B), flags, hint, attributes);
    default:
        return (rnn->cell == RNN_AUGRU ? own->augru_back : own->lbr_augru_back)(
            to, engine, BACKWARD, direction, DNN_ATTENTIVE(A), DNN_ATTENTIVE(B), flags, hint,
            attributes);
    }
}

static int describe_operator(const struct dnn_library *library, const struct dnn_operator *of,
                             const dnn *md, dnn *to)
{
    static const int algorithms[] = {[OPERATOR_SOFTMAX] = SOFTMAX,
                                     [OPERATOR_LOG_SOFTMAX] = LOG_SOFTMAX,
                                     [OPERATOR_GELU_ERF] = GELU_ERF,
                                     [OPERATOR_GELU_TANH] = GELU_TANH,
                                     [OPERATOR_SOFTPLUS] = SOFTPLUS,
                                     [OPERATOR_HARD_SIGMOID] = HARD_SIGMOID,
                                     [OPERATOR_SUM] = SUM};
    const struct own_calls *const own = library->own;
    const dnn engine = library->engine, source = md[OPERATOR_SRC], result = md[OPERATOR_DST];
    const unsigned flags = (md[OPERATOR_SCALE] ? USE_SCALE : 0u) |
                           (md[OPERATOR_SHIFT] ? USE_SHIFT : 0u) |
                           (of->kind == OPERATOR_RMS_NORMALIZATION ? RMS_NORM : 0u);
    switch (of->kind) {
    case OPERATOR_PRODUCT:
        return own->product(to, engine, source, md[OPERATOR_WEIGHTS], NULL, result, NULL);
    case OPERATOR_SOFTMAX:
    case OPERATOR_LOG_SOFTMAX:
        return own->softmax(to, engine, INFERENCE, algorithms[of->kind], source, result, of->axis,
                            NULL);
    case OPERATOR_LAYER_NORMALIZATION:
    case OPERATOR_RMS_NORMALIZATION:
        return own->normalization(to, engine, INFERENCE, source, result, NULL, of->epsilon, flags,
                                  NULL);
    case OPERATOR_SUM:
        return own->reduction(to, engine, SUM, source, result, 0, 0, NULL);
    default:
        return own->eltwise(to, engine, INFERENCE, algorithms[of->kind], source, result, of->alpha,
                            of->beta, NULL);
    }
}

const struct dnn_version dnn_version_3 = {
    .major = 3,
    .query_workspace = QUERY_WORKSPACE,
    .has_overwrite = true,
    .open = open_wheel,
    .load = load,
    .md_create = md_create,
    .md_destroy = md_destroy,
    .describe = describe,
    .describe_backward = describe_backward,
    .describe_operator = describe_operator,
};
