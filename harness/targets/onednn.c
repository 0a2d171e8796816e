// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.x through its C API: the RNN primitives, forward, and backward as the training pair with its workspace.
//
// The library comes with the PyPI wheel and is opened by path (ASSAY_ONEDNN, else the virtual environment beside this plugin), so
// that nothing of it is needed for building. Weights are handed over in the format that the library asks for, or, where this file
// is included by onednn_plain.c, row-major as far as the library has a primitive for that. What is unsupported is what the library itself calls
// unimplemented when a primitive descriptor is asked for.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plugin.h"

#ifndef ONEDNN_PLAIN_WEIGHTS
#define ONEDNN_PLAIN_WEIGHTS 0
#endif

// ---- the part of the C API that is used (oneapi/dnnl/dnnl.h) --------------------------------------------------------

typedef struct dnn_handle *dnn; // engine, stream, memory, primitive, their descriptors and attributes alike
typedef int64_t dnn_dims[12];
struct dnn_argument {
    int index;
    dnn memory;
};
struct dnn_version {
    int major, minor, patch;
};

enum { DNN_OK = 0, DNN_OUT_OF_MEMORY = 1, DNN_INVALID = 2, DNN_UNIMPLEMENTED = 3 };
enum { DNN_CPU = 1, DNN_IN_ORDER = 1, DNN_ANY = 1, DNN_QUERY_WORKSPACE = 135, DNN_QUERY_ARGUMENT = 255 };
enum { DNN_TRAINING = 64, DNN_INFERENCE = 96, DNN_BACKWARD = 128, DNN_WORKSPACE = 64, DNN_OVERWRITE = 1 };

struct api {
    const struct dnn_version *(*version)(void);
    int (*engine_create)(dnn *, int kind, size_t index);
    int (*engine_destroy)(dnn);
    int (*stream_create)(dnn *, dnn engine, unsigned flags);
    int (*stream_wait)(dnn);
    int (*stream_destroy)(dnn);
    int (*md_by_strides)(dnn *, int rank, const dnn_dims dims, int type, const dnn_dims strides);
    int (*md_by_tag)(dnn *, int rank, const dnn_dims dims, int type, int tag);
    int (*md_destroy)(dnn);
    int (*md_equal)(dnn, dnn);
    int (*memory_create)(dnn *, dnn md, dnn engine, void *handle);
    int (*memory_map)(dnn, void **);
    int (*memory_unmap)(dnn, void *);
    int (*memory_destroy)(dnn);
    int (*reorder_create)(dnn *, dnn from, dnn from_engine, dnn to, dnn to_engine, dnn attributes);
    int (*primitive_create)(dnn *, dnn descriptor);
    int (*primitive_destroy)(dnn);
    int (*execute)(dnn, dnn stream, int count, const struct dnn_argument *);
    dnn (*query_md)(dnn descriptor, int what, int index);
    int (*descriptor_destroy)(dnn);
    int (*attributes_create)(dnn *);
    int (*attributes_destroy)(dnn);
    int (*data_scales)(dnn, float scale, float shift);
    int (*weights_scales)(dnn, int64_t count, int mask, const float *);
    int (*projection_scales)(dnn, int64_t count, int mask, const float *);
    int (*vanilla)(dnn *, dnn, int, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, float, float, dnn);
    int (*vanilla_back)(dnn *, dnn, int, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn,
                        unsigned, float, float, dnn, dnn);
    int (*lstm)(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, dnn);
    int (*lstm_back)(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn,
                     dnn, dnn, dnn, dnn, dnn, unsigned, dnn, dnn);
    int (*gru[2])(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, dnn); // and its linear-before-reset form
    int (*gru_back[2])(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned,
                       dnn, dnn);
    int (*augru[2])(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, dnn);
    int (*augru_back[2])(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn,
                         unsigned, dnn, dnn);
};

struct symbol {
    const char *name;
    size_t offset;
};

#define SYMBOL(name, member)                                                                                                   \
    {                                                                                                                          \
        "dnnl_" name, offsetof(struct api, member)                                                                             \
    }

static const struct symbol symbols[] = {
    SYMBOL("version", version),
    SYMBOL("engine_create", engine_create),
    SYMBOL("engine_destroy", engine_destroy),
    SYMBOL("stream_create", stream_create),
    SYMBOL("stream_wait", stream_wait),
    SYMBOL("stream_destroy", stream_destroy),
    SYMBOL("memory_desc_create_with_strides", md_by_strides),
    SYMBOL("memory_desc_create_with_tag", md_by_tag),
    SYMBOL("memory_desc_destroy", md_destroy),
    SYMBOL("memory_desc_equal", md_equal),
    SYMBOL("memory_create", memory_create),
    SYMBOL("memory_map_data", memory_map),
    SYMBOL("memory_unmap_data", memory_unmap),
    SYMBOL("memory_destroy", memory_destroy),
    SYMBOL("reorder_primitive_desc_create", reorder_create),
    SYMBOL("primitive_create", primitive_create),
    SYMBOL("primitive_destroy", primitive_destroy),
    SYMBOL("primitive_execute", execute),
    SYMBOL("primitive_desc_query_md", query_md),
    SYMBOL("primitive_desc_destroy", descriptor_destroy),
    SYMBOL("primitive_attr_create", attributes_create),
    SYMBOL("primitive_attr_destroy", attributes_destroy),
    SYMBOL("primitive_attr_set_rnn_data_qparams", data_scales),
    SYMBOL("primitive_attr_set_rnn_weights_qparams", weights_scales),
    SYMBOL("primitive_attr_set_rnn_weights_projection_qparams", projection_scales),
    SYMBOL("vanilla_rnn_forward_primitive_desc_create", vanilla),
    SYMBOL("vanilla_rnn_backward_primitive_desc_create", vanilla_back),
    SYMBOL("lstm_forward_primitive_desc_create", lstm),
    SYMBOL("lstm_backward_primitive_desc_create", lstm_back),
    SYMBOL("gru_forward_primitive_desc_create", gru[0]),
    SYMBOL("lbr_gru_forward_primitive_desc_create", gru[1]),
    SYMBOL("gru_backward_primitive_desc_create", gru_back[0]),
    SYMBOL("lbr_gru_backward_primitive_desc_create", gru_back[1]),
    SYMBOL("augru_forward_primitive_desc_create", augru[0]),
    SYMBOL("lbr_augru_forward_primitive_desc_create", augru[1]),
    SYMBOL("augru_backward_primitive_desc_create", augru_back[0]),
    SYMBOL("lbr_augru_backward_primitive_desc_create", augru_back[1]),
};

// ---- session --------------------------------------------------------------------------------------------------------

struct assay_session {
    struct api api;
    dnn engine;
    char version[64];
};

static enum assay_status fail(struct assay_message *message, enum assay_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return status;
}

// The wheel's engine for the CPU is an OpenCL device that must be named while the library starts.
static const char OPENCL_DEVICES[] = "OCL_ICD_FILENAMES";

// The wheel keeps its libraries and those it needs in one folder without saying so to the loader: they are opened in the order of
// their needs, as far as they exist.
static void *open_library(void)
{
    static const char *const needed[] = {"libintlc.so.5",     "libirng.so",     "libimf.so",   "libsvml.so",
                                         "libtbb.so.12",      "libhwloc.so.15", "libumf.so.1", "libOpenCL.so.1",
                                         "libur_loader.so.0", "libsycl.so.9"};
    char folder[3500], path[4096];
    Dl_info self;
    const char *const chosen = getenv("ASSAY_ONEDNN");
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    const struct assay_plugin *(*const entry)(void) = assay_plugin_entry;
    void *address = NULL;
    memcpy(&address, &entry, sizeof address);
    if (!dladdr(address, &self) || !strrchr(self.dli_fname, '/'))
        return NULL;
    snprintf(folder, sizeof folder, "%.*s/../venv/lib", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
    snprintf(path, sizeof path, "%s/libintelocl.so", folder);
    setenv(OPENCL_DEVICES, path, 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, needed[i]);
        dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    snprintf(path, sizeof path, "%s/libdnnl.so.3", folder);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static enum assay_status start(void *library, struct assay_session **result, struct assay_message *message)
{
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session)
        return fail(message, ASSAY_FAILED, "out of memory");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *const address = dlsym(library, symbols[i].name);
        if (!address) {
            free(session);
            return fail(message, ASSAY_FAILED, "this oneDNN has no %s", symbols[i].name);
        }
        memcpy((char *)&session->api + symbols[i].offset, &address, sizeof address);
    }
    const struct dnn_version *const version = session->api.version();
    const int major = version->major, minor = version->minor;
    snprintf(session->version, sizeof session->version, "%d.%d.%d", major, minor, version->patch);
    if (major != 3 || session->api.engine_create(&session->engine, DNN_CPU, 0)) {
        free(session);
        return fail(message, ASSAY_FAILED, "oneDNN %d.%d has no engine for the CPU", major, minor);
    }
    *result = session;
    return ASSAY_OK;
}

// Leaves the environment as it was.
static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    const bool named = getenv(OPENCL_DEVICES) != NULL;
    void *const library = open_library();
    const enum assay_status status =
        library ? start(library, result, message)
                : fail(message, ASSAY_FAILED, "oneDNN 3 is not installed: scripts/setup all does it, or set ASSAY_ONEDNN (%s)",
                       dlerror());
    if (!named)
        unsetenv(OPENCL_DEVICES);
    return status;
}

static const char *version_of(struct assay_session *session)
{
    return session->version;
}

static void close_session(struct assay_session *session)
{
    session->api.engine_destroy(session->engine);
    free(session); // the library stays: its threads may still be ending
}

// ---- a request's names ----------------------------------------------------------------------------------------------

static const struct assay_attribute *attribute(const struct assay_request *request, const char *name)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name))
            return &request->attributes[i];
    return NULL;
}

// The place of an attribute's word in a list that ends with NULL, 0 when it is absent.
static int word(const struct assay_request *request, const char *name, const char *const *words)
{
    const struct assay_attribute *const found = attribute(request, name);
    for (int i = 0; found && found->text && words[i]; i++)
        if (!strcmp(found->text, words[i]))
            return i;
    return 0;
}

static const struct assay_tensor *tensor_named(const struct assay_tensor *tensors, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(tensors[i].name, name))
            return &tensors[i];
    return NULL;
}

static int type_of(uint32_t dtype)
{
    switch (dtype) {
    case ASSAY_F16:
        return 1;
    case ASSAY_BF16:
        return 2;
    case ASSAY_F32:
        return 3;
    case ASSAY_I8:
        return 5;
    case ASSAY_U8:
        return 6;
    default:
        return 0;
    }
}

// ---- tensors of a primitive -----------------------------------------------------------------------------------------

// Every tensor that an RNN primitive may have, in the order of oneDNN's calls. Gradients stand behind what they are gradients of.
enum slot {
    SRC_LAYER,
    SRC_ITER,
    SRC_ITER_C,
    ATTENTION,
    WEIGHTS_LAYER,
    WEIGHTS_ITER,
    WEIGHTS_PEEPHOLE,
    WEIGHTS_PROJECTION,
    BIAS,
    DST_LAYER,
    DST_ITER,
    DST_ITER_C,
    SLOTS,
    DIFF = SLOTS,
    ALL_SLOTS = 2 * SLOTS
};

static const struct {
    const char *name;
    int index;
} names[SLOTS] = {
    [SRC_LAYER] = {"src_layer", 1},
    [SRC_ITER] = {"src_iter", 2},
    [SRC_ITER_C] = {"src_iter_c", 3},
    [ATTENTION] = {"attention", 4},
    [WEIGHTS_LAYER] = {"weights_layer", 33},
    [WEIGHTS_ITER] = {"weights_iter", 34},
    [WEIGHTS_PEEPHOLE] = {"weights_peephole", 35},
    [WEIGHTS_PROJECTION] = {"weights_projection", 36},
    [BIAS] = {"bias", 41},
    [DST_LAYER] = {"dst_layer", 17},
    [DST_ITER] = {"dst_iter", 18},
    [DST_ITER_C] = {"dst_iter_c", 19},
};

struct part {
    bool present;
    int rank, type;
    dnn_dims dims;
    size_t bytes;
    dnn plain;                         // md, row-major
    dnn asked;                         // md handed to the primitive's descriptor
    dnn memory;                        // plain
    dnn own;                           // in the primitive's own format; NULL: `memory` serves
    dnn own_back;                      // of the backward primitive, where it differs from the forward one
    dnn to_own, to_own_back, from_own; // reorders
};

enum cell { VANILLA, LSTM, GRU, LBR_GRU, AUGRU, LBR_AUGRU };

struct assay_instance {
    struct assay_session *session;
    dnn stream, attributes;
    struct part part[ALL_SLOTS];
    dnn forward_descriptor, backward_descriptor, forward, backward, workspace;
    enum cell cell;
    int direction, activation;
    float alpha;
    bool training_pair, plain_feed, overwrite;
};

static int element_bytes(int type)
{
    return type == 3 ? 4 : type <= 2 ? 2 : 1;
}

static int set_part(struct assay_instance *i, enum slot slot, int rank, const int64_t *dims, int type, bool any)
{
    struct part *const part = &i->part[slot];
    const struct api *const api = &i->session->api;
    part->present = true;
    part->rank = rank;
    part->type = type;
    part->bytes = (size_t)element_bytes(type);
    dnn_dims strides = {0};
    for (int d = rank - 1; d >= 0; d--) {
        part->dims[d] = dims[d];
        strides[d] = d == rank - 1 ? 1 : strides[d + 1] * (dims[d + 1] ? dims[d + 1] : 1);
        part->bytes *= (size_t)dims[d];
    }
    int status = api->md_by_strides(&part->plain, rank, part->dims, type, strides);
    if (!status && any)
        return api->md_by_tag(&part->asked, rank, part->dims, type, DNN_ANY);
    return status ? status : api->md_by_strides(&part->asked, rank, part->dims, type, strides);
}

static bool is_matrix(enum slot slot)
{
    return slot % SLOTS == WEIGHTS_LAYER || slot % SLOTS == WEIGHTS_ITER || slot % SLOTS == WEIGHTS_PROJECTION;
}

static int set_from(struct assay_instance *i, enum slot slot, const struct assay_tensor *tensor)
{
    return set_part(i, slot, tensor->layout.ndim, tensor->layout.shape, type_of(tensor->dtype),
                    is_matrix(slot) && !i->plain_feed);
}

// The type that an output attribute names, else `standard`.
static int type_named(const struct assay_request *request, const char *name, int standard)
{
    static const char *const words[] = {"?", "f16", "bf16", "f32", "?", "i8", "u8", NULL};
    const int type = word(request, name, words);
    return type ? type : standard;
}

// Shapes of the outputs follow from the inputs; the request lists the outputs only where it is valid.
static int set_outputs(struct assay_instance *i, const struct assay_request *request)
{
    const struct part *const x = &i->part[SRC_LAYER], *const w = &i->part[WEIGHTS_LAYER],
                             *const r = &i->part[WEIGHTS_PROJECTION];
    const int64_t dhc = w->rank == 5 ? w->dims[4] : 1, dic = r->present && r->rank == 4 ? r->dims[3] : dhc;
    const int64_t layers = w->dims[0], directions = w->dims[1], batch = x->dims[1];
    const int64_t layer[] = {x->dims[0], batch, dic * (i->direction == 3 ? 2 : 1)};
    const int64_t h[] = {layers, directions, batch, dic}, c[] = {layers, directions, batch, dhc};
    const int h_type = type_named(request, "dst_iter_type", i->part[SRC_ITER].present ? i->part[SRC_ITER].type : x->type);
    const int c_type = type_named(request, "dst_iter_c_type", i->part[SRC_ITER_C].present ? i->part[SRC_ITER_C].type : 3);
    const struct assay_tensor *const diff_h = tensor_named(request->inputs, request->input_count, "diff_dst_iter");
    const struct assay_tensor *const diff_c = tensor_named(request->inputs, request->input_count, "diff_dst_iter_c");
    const bool state = !i->training_pair || diff_h || diff_c;
    int status = set_part(i, DST_LAYER, 3, layer, type_named(request, "dst_layer_type", x->type), false);
    if (!status && state)
        status = set_part(i, DST_ITER, 4, h, h_type, false);
    if (!status && state && i->cell == LSTM)
        status = set_part(i, DST_ITER_C, 4, c, c_type, false);
    for (enum slot slot = 0; i->training_pair && slot < SLOTS && !status; slot++)
        if (i->part[slot].present)
            status = set_part(i, DIFF + slot, i->part[slot].rank, i->part[slot].dims, 3, is_matrix(slot) && !i->plain_feed);
    return status;
}

// ---- descriptors ----------------------------------------------------------------------------------------------------

static dnn asked(const struct assay_instance *i, unsigned slot)
{
    return i->part[slot].present ? i->part[slot].asked : NULL;
}

#define A(slot) asked(i, slot)
#define B(slot) asked(i, DIFF + (slot))

static int describe_forward(struct assay_instance *i, int propagation)
{
    const struct api *const api = &i->session->api;
    const dnn engine = i->session->engine, own = i->attributes;
    dnn *const to = &i->forward_descriptor;
    switch (i->cell) {
    case VANILLA:
        return api->vanilla(to, engine, propagation, i->activation, i->direction, A(SRC_LAYER), A(SRC_ITER), A(WEIGHTS_LAYER),
                            A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER), A(DST_ITER), 0, i->alpha, 0, own);
    case LSTM:
        return api->lstm(to, engine, propagation, i->direction, A(SRC_LAYER), A(SRC_ITER), A(SRC_ITER_C), A(WEIGHTS_LAYER),
                         A(WEIGHTS_ITER), A(WEIGHTS_PEEPHOLE), A(WEIGHTS_PROJECTION), A(BIAS), A(DST_LAYER), A(DST_ITER),
                         A(DST_ITER_C), 0, own);
    case GRU:
    case LBR_GRU:
        return api->gru[i->cell == LBR_GRU](to, engine, propagation, i->direction, A(SRC_LAYER), A(SRC_ITER), A(WEIGHTS_LAYER),
                                            A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER), A(DST_ITER), 0, own);
    default:
        return api->augru[i->cell == LBR_AUGRU](to, engine, propagation, i->direction, A(SRC_LAYER), A(SRC_ITER), A(ATTENTION),
                                                A(WEIGHTS_LAYER), A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER), A(DST_ITER), 0, own);
    }
}

static int describe_backward(struct assay_instance *i)
{
    const struct api *const api = &i->session->api;
    const dnn engine = i->session->engine, own = i->attributes, hint = i->forward_descriptor;
    const unsigned flags = i->overwrite ? DNN_OVERWRITE : 0;
    dnn *const to = &i->backward_descriptor;
    switch (i->cell) {
    case VANILLA:
        return api->vanilla_back(to, engine, DNN_BACKWARD, i->activation, i->direction, A(SRC_LAYER), A(SRC_ITER),
                                 A(WEIGHTS_LAYER), A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER), A(DST_ITER), B(SRC_LAYER),
                                 B(SRC_ITER), B(WEIGHTS_LAYER), B(WEIGHTS_ITER), B(BIAS), B(DST_LAYER), B(DST_ITER), flags,
                                 i->alpha, 0, hint, own);
    case LSTM:
        return api->lstm_back(to, engine, DNN_BACKWARD, i->direction, A(SRC_LAYER), A(SRC_ITER), A(SRC_ITER_C),
                              A(WEIGHTS_LAYER), A(WEIGHTS_ITER), A(WEIGHTS_PEEPHOLE), A(WEIGHTS_PROJECTION), A(BIAS),
                              A(DST_LAYER), A(DST_ITER), A(DST_ITER_C), B(SRC_LAYER), B(SRC_ITER), B(SRC_ITER_C),
                              B(WEIGHTS_LAYER), B(WEIGHTS_ITER), B(WEIGHTS_PEEPHOLE), B(WEIGHTS_PROJECTION), B(BIAS),
                              B(DST_LAYER), B(DST_ITER), B(DST_ITER_C), flags, hint, own);
    case GRU:
    case LBR_GRU:
        return api->gru_back[i->cell == LBR_GRU](to, engine, DNN_BACKWARD, i->direction, A(SRC_LAYER), A(SRC_ITER),
                                                 A(WEIGHTS_LAYER), A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER), A(DST_ITER),
                                                 B(SRC_LAYER), B(SRC_ITER), B(WEIGHTS_LAYER), B(WEIGHTS_ITER), B(BIAS),
                                                 B(DST_LAYER), B(DST_ITER), flags, hint, own);
    default:
        return api->augru_back[i->cell == LBR_AUGRU](to, engine, DNN_BACKWARD, i->direction, A(SRC_LAYER), A(SRC_ITER),
                                                     A(ATTENTION), A(WEIGHTS_LAYER), A(WEIGHTS_ITER), A(BIAS), A(DST_LAYER),
                                                     A(DST_ITER), B(SRC_LAYER), B(SRC_ITER), B(ATTENTION), B(WEIGHTS_LAYER),
                                                     B(WEIGHTS_ITER), B(BIAS), B(DST_LAYER), B(DST_ITER), flags, hint, own);
    }
}

static int set_scales(struct assay_instance *i, const struct assay_request *request)
{
    const struct api *const api = &i->session->api;
    const struct assay_attribute *const scale = attribute(request, "data_scale"), *const shift =
                                                                                      attribute(request, "data_shift");
    int status = api->attributes_create(&i->attributes);
    if (status || !scale || !shift)
        return status;
    status = api->data_scales(i->attributes, (float)scale->real, (float)shift->real);
    static const char *const lists[] = {"weights_scales", "projection_scales"};
    static const char *const masks[] = {"weights_scales_mask", "projection_scales_mask"};
    for (int n = 0; n < 2 && !status; n++) {
        const struct assay_attribute *const list = attribute(request, lists[n]), *const mask = attribute(request, masks[n]);
        if (!list)
            continue;
        float *const scales = calloc(list->count, sizeof *scales);
        for (uint32_t k = 0; scales && k < list->count; k++)
            scales[k] = (float)list->reals[k];
        status = !scales ? DNN_OUT_OF_MEMORY
                         : (n ? api->projection_scales : api->weights_scales)(i->attributes, list->count,
                                                                              mask ? (int)mask->integer : 0, scales);
        free(scales);
    }
    return status;
}

// The library's own list of requests that it takes: asks for the descriptors, and says what it answered.
static int describe_as(struct assay_instance *i, const struct assay_request *request, bool plain_feed)
{
    static const char *const cells[] = {"vanilla_rnn", "lstm", "gru", "lbr_gru", "augru", "lbr_augru", NULL};
    static const char *const directions[] = {"left2right", "right2left", "bidirectional_concat", "bidirectional_sum", NULL};
    static const char *const propagations[] = {"forward_inference", "forward_training", "backward", NULL};
    static const char *const activations[] = {"relu", "tanh", "logistic", NULL};
    static const int kinds[] = {0x20, 0x21, 0x29};
    const struct assay_attribute *const alpha = attribute(request, "alpha");
    const struct assay_attribute *const overwrite = attribute(request, "diff_weights_overwrite");
    const int propagation = word(request, "propagation", propagations);
    i->cell = (enum cell)word(request, "cell", cells);
    i->direction = 1 + word(request, "direction", directions);
    i->activation = kinds[word(request, "activation", activations)];
    i->alpha = alpha ? (float)alpha->real : 0;
    i->training_pair = propagation == 2;
    i->overwrite = overwrite && overwrite->integer;
    i->plain_feed = plain_feed;
    int status = set_scales(i, request);
    for (enum slot slot = SRC_LAYER; slot <= BIAS && !status; slot++) {
        const struct assay_tensor *const tensor = tensor_named(request->inputs, request->input_count, names[slot].name);
        if (tensor)
            status = set_from(i, slot, tensor);
    }
    if (!status)
        status = set_outputs(i, request);
    if (!status)
        status = describe_forward(i, propagation == 0 ? DNN_INFERENCE : DNN_TRAINING);
    return !status && i->training_pair ? describe_backward(i) : status;
}

static void release(struct assay_instance *i)
{
    const struct api *const api = &i->session->api;
    for (int p = 0; p < ALL_SLOTS; p++) {
        struct part *const part = &i->part[p];
        dnn const primitives[] = {part->to_own, part->to_own_back, part->from_own};
        dnn const memories[] = {part->memory, part->own, part->own_back};
        for (int k = 0; k < 3; k++) {
            if (primitives[k])
                api->primitive_destroy(primitives[k]);
            if (memories[k])
                api->memory_destroy(memories[k]);
        }
        if (part->plain)
            api->md_destroy(part->plain);
        if (part->asked)
            api->md_destroy(part->asked);
    }
    if (i->workspace)
        api->memory_destroy(i->workspace);
    if (i->forward)
        api->primitive_destroy(i->forward);
    if (i->backward)
        api->primitive_destroy(i->backward);
    if (i->backward_descriptor)
        api->descriptor_destroy(i->backward_descriptor);
    if (i->forward_descriptor)
        api->descriptor_destroy(i->forward_descriptor);
    if (i->attributes)
        api->attributes_destroy(i->attributes);
    if (i->stream)
        api->stream_destroy(i->stream);
    free(i);
}

static struct assay_instance *new_instance(struct assay_session *session)
{
    struct assay_instance *const i = calloc(1, sizeof *i);
    if (i)
        i->session = session;
    return i;
}

// Makes and describes an instance. Where the library has no primitive for plain weights, the format of its choice serves.
static int describe(struct assay_session *session, const struct assay_request *request, struct assay_instance **instance)
{
    *instance = new_instance(session);
    int status = *instance ? describe_as(*instance, request, ONEDNN_PLAIN_WEIGHTS) : DNN_OUT_OF_MEMORY;
    if (status != DNN_UNIMPLEMENTED || !ONEDNN_PLAIN_WEIGHTS)
        return status;
    release(*instance);
    *instance = new_instance(session);
    return *instance ? describe_as(*instance, request, false) : DNN_OUT_OF_MEMORY;
}

// The library calls attention with several layers or directions invalid; the specification does not.
static bool is_unspecified_limit(const struct assay_instance *i)
{
    return i->cell >= AUGRU && (i->direction != 1 || i->part[WEIGHTS_LAYER].dims[0] != 1);
}

static enum assay_status supports(struct assay_session *session, const struct assay_request *request,
                                  struct assay_message *message)
{
    if (strcmp(request->operation, "onednn.rnn") != 0)
        return fail(message, ASSAY_UNSUPPORTED, "only onednn.rnn");
    struct assay_instance *i;
    const int status = describe(session, request, &i);
    const bool limit = i && status == DNN_INVALID && is_unspecified_limit(i);
    if (i)
        release(i);
    if (limit)
        return fail(message, ASSAY_UNSUPPORTED, "oneDNN takes attention with one layer from left to right alone");
    return status == DNN_UNIMPLEMENTED ? fail(message, ASSAY_UNSUPPORTED, "oneDNN answers unimplemented") : ASSAY_OK;
}

// ---- preparing ------------------------------------------------------------------------------------------------------

static int make_reorder(struct assay_instance *i, dnn from, dnn to, dnn attributes, dnn *primitive)
{
    const struct api *const api = &i->session->api;
    dnn descriptor = NULL;
    int status = api->reorder_create(&descriptor, from, i->session->engine, to, i->session->engine, attributes);
    if (!status)
        status = api->primitive_create(primitive, descriptor);
    if (descriptor)
        api->descriptor_destroy(descriptor);
    return status;
}

// Memory in the format that a primitive wants for an argument, and the reorder that fills it, unless plain memory serves.
static int make_own(struct assay_instance *i, struct part *part, dnn descriptor, int index, dnn *own, dnn *to_own)
{
    const struct api *const api = &i->session->api;
    const dnn md = api->query_md(descriptor, DNN_QUERY_ARGUMENT, index);
    if (!md || api->md_equal(md, part->plain))
        return DNN_OK;
    const int status = api->memory_create(own, md, i->session->engine, (void *)(intptr_t)-1);
    return status ? status : make_reorder(i, part->plain, md, i->attributes, to_own);
}

static int make_memories(struct assay_instance *i)
{
    const struct api *const api = &i->session->api;
    int status = DNN_OK;
    for (int p = 0; p < ALL_SLOTS && !status; p++) {
        struct part *const part = &i->part[p];
        const int index = names[p % SLOTS].index + (p >= DIFF ? 128 : 0);
        if (!part->present)
            continue;
        status = api->memory_create(&part->memory, part->plain, i->session->engine, (void *)(intptr_t)-1);
        if (!status && is_matrix((enum slot)p) && p < DIFF)
            status = make_own(i, part, i->forward_descriptor, index, &part->own, &part->to_own);
        if (!status && is_matrix((enum slot)p) && i->training_pair)
            status = make_own(i, part, i->backward_descriptor, index, &part->own_back, &part->to_own_back);
        if (!status && part->own_back && p >= DIFF)
            status = make_reorder(i, api->query_md(i->backward_descriptor, DNN_QUERY_ARGUMENT, index), part->plain, NULL,
                                  &part->from_own);
    }
    return status;
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    const struct api *const api = &session->api;
    struct assay_instance *i;
    int status = describe(session, request, &i);
    if (!i)
        return fail(message, ASSAY_FAILED, "out of memory");
    if (status) {
        release(i);
        return fail(message, status == DNN_OUT_OF_MEMORY ? ASSAY_FAILED : ASSAY_REJECTED, "oneDNN answers %s",
                    status == DNN_UNIMPLEMENTED ? "unimplemented" : "invalid arguments");
    }
    status = api->stream_create(&i->stream, session->engine, DNN_IN_ORDER);
    if (!status)
        status = api->primitive_create(&i->forward, i->forward_descriptor);
    if (!status && i->training_pair)
        status = api->primitive_create(&i->backward, i->backward_descriptor);
    if (!status)
        status = make_memories(i);
    const dnn workspace = status ? NULL : api->query_md(i->forward_descriptor, DNN_QUERY_WORKSPACE, 0);
    if (workspace)
        status = api->memory_create(&i->workspace, workspace, session->engine, (void *)(intptr_t)-1);
    if (status) {
        release(i);
        return fail(message, ASSAY_FAILED, "oneDNN could not prepare a primitive that it described: status %d", status);
    }
    *instance = i;
    return ASSAY_OK;
}

// ---- running --------------------------------------------------------------------------------------------------------

// Copies between a tensor of the request (NULL: zeros) and a plain memory.
static int copy(struct assay_instance *i, const struct part *part, void *tensor, bool in)
{
    const struct api *const api = &i->session->api;
    void *mapped = NULL;
    int status = part->bytes ? api->memory_map(part->memory, &mapped) : DNN_OK;
    if (status || !mapped)
        return status;
    if (in && tensor)
        memcpy(mapped, tensor, part->bytes);
    else if (in)
        memset(mapped, 0, part->bytes);
    else
        memcpy(tensor, mapped, part->bytes);
    return api->memory_unmap(part->memory, mapped);
}

static int reorder(struct assay_instance *i, dnn primitive, dnn from, dnn to)
{
    const struct dnn_argument arguments[] = {{1, from}, {17, to}};
    return primitive ? i->session->api.execute(primitive, i->stream, 2, arguments) : DNN_OK;
}

// The tensor of the request that fills a part before the primitives run; NULL: zeros.
static void *data_of(const struct assay_request *request, int p)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", p >= DIFF ? "diff_" : "", names[p % SLOTS].name);
    const struct assay_tensor *const tensor = tensor_named(request->inputs, request->input_count, name);
    return tensor ? tensor->layout.data : NULL;
}

static int load(struct assay_instance *i, const struct assay_request *request)
{
    int status = DNN_OK;
    for (int p = 0; p < ALL_SLOTS && !status; p++) {
        struct part *const part = &i->part[p];
        if (!part->present)
            continue;
        status = copy(i, part, data_of(request, p), true);
        if (!status)
            status = reorder(i, part->to_own, part->memory, part->own);
        if (!status)
            status = reorder(i, part->to_own_back, part->memory, part->own_back);
    }
    return status;
}

static int execute(struct assay_instance *i, dnn primitive, bool backward)
{
    struct dnn_argument arguments[ALL_SLOTS + 1];
    int count = 0;
    for (int p = 0; p < (backward ? ALL_SLOTS : SLOTS); p++) {
        const struct part *const part = &i->part[p];
        const dnn own = backward ? part->own_back : part->own;
        if (part->present)
            arguments[count++] =
                (struct dnn_argument){names[p % SLOTS].index + (p >= DIFF ? 128 : 0), own ? own : part->memory};
    }
    if (i->workspace)
        arguments[count++] = (struct dnn_argument){DNN_WORKSPACE, i->workspace};
    return i->session->api.execute(primitive, i->stream, count, arguments);
}

static int store(struct assay_instance *i, const struct assay_request *request)
{
    int status = DNN_OK;
    for (int p = 0; p < ALL_SLOTS && !status; p++) // all are queued before the first wait
        if (i->part[p].present)
            status = reorder(i, i->part[p].from_own, i->part[p].own_back, i->part[p].memory);
    if (!status)
        status = i->session->api.stream_wait(i->stream);
    for (size_t n = 0; n < request->output_count && !status; n++) {
        const bool diff = !strncmp(request->outputs[n].name, "diff_", 5);
        for (int p = 0; p < SLOTS && !status; p++)
            if (!strcmp(request->outputs[n].name + (diff ? 5 : 0), names[p].name))
                status = copy(i, &i->part[p + (diff ? DIFF : 0)], request->outputs[n].layout.data, false);
    }
    return status;
}

static enum assay_status run(struct assay_instance *i, const struct assay_request *request, struct assay_message *message)
{
    int status = load(i, request);
    if (!status)
        status = execute(i, i->forward, false);
    if (!status && i->training_pair)
        status = execute(i, i->backward, true);
    if (!status)
        status = store(i, request);
    return status ? fail(message, ASSAY_FAILED, "oneDNN failed with status %d", status) : ASSAY_OK;
}

static const char *const feeds[] = {ONEDNN_PLAIN_WEIGHTS ? "plain" : "any"};

static const struct assay_plugin plugin = {
    .abi_version = ASSAY_PLUGIN_ABI_VERSION,
    .size = sizeof plugin,
    .name = ONEDNN_PLAIN_WEIGHTS ? "onednn_plain" : "onednn",
    .feed_count = 1,
    .feeds = feeds,
    .open = open_session,
    .version = version_of,
    .supports = supports,
    .prepare = prepare,
    .run = run,
    .release = release,
    .close = close_session,
};

const struct assay_plugin *assay_plugin_entry(void)
{
    return &plugin;
}
