// SPDX-License-Identifier: Apache-2.0
// oneDNN's C API, from the wheel beside this program (build/venv) or at ASSAY_ONEDNN.

#define _GNU_SOURCE
#include "harness/bench/onednn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct dnn_handle
    *dnn; // engine, stream, memory, primitive, their descriptors and attributes alike
typedef int64_t dnn_dims[12];

struct dnn_argument {
    int index;
    dnn memory;
};

struct dnn_version {
    int major, minor, patch;
};

enum { F32 = 3, CPU = 1, IN_ORDER = 1, LEFT2RIGHT = 1, ANY = 1, OVERWRITE = 1 };
enum { TRAINING = 64, INFERENCE = 96, BACKWARD = 128 }; // propagation
enum { DIFF = 128, WORKSPACE = 64, ARGUMENTS = 16 };
enum { QUERY_WORKSPACE = 135, QUERY_ARGUMENT = 255 };
enum part { SRC_LAYER, WEIGHTS_LAYER, WEIGHTS_ITER, BIAS, DST_LAYER, PARTS };

struct bench_onednn {
    void *library;
    dnn engine, stream, attributes;
    dnn descriptor[2], primitive[2]; // forward, backward
    struct dnn_argument argument[2][ARGUMENTS];
    int arguments[2], primitives;
    int (*execute)(dnn, dnn, int, const struct dnn_argument *);
    int (*wait)(dnn);
    char name[64];
};

static const int argument_of[PARTS] = {1, 33, 34, 41, 17};

// A function of the library; the caller's pointer has its type.
static int find(const struct bench_onednn *peer, const char *name, void *function)
{
    void *const address = dlsym(peer->library, name);
    memcpy(function, &address, sizeof address);
    return address ? 0 : -1;
}

#define FIND(variable, name) (status = status ? status : find(peer, name, &(variable)))

static void *open_library(void)
{
    static const char *const needed[] = {
        "libintlc.so.5",  "libirng.so",  "libimf.so",      "libsvml.so",        "libtbb.so.12",
        "libhwloc.so.15", "libumf.so.1", "libOpenCL.so.1", "libur_loader.so.0", "libsycl.so.9"};
    const char *const chosen = getenv("ASSAY_ONEDNN");
    char self[2048] = "", path[4096];
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !strrchr(self, '/'))
        return NULL;
    *strrchr(self, '/') = 0;
    snprintf(path, sizeof path, "%s/venv/lib/libintelocl.so", self);
    setenv("OCL_ICD_FILENAMES", path, 0);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        snprintf(path, sizeof path, "%s/venv/lib/%s", self, needed[i]);
        dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    snprintf(path, sizeof path, "%s/venv/lib/libdnnl.so.3", self);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// ---- tensors ----------------------------------------------------------------

struct tensors {
    dnn plain[PARTS], asked[PARTS]; // descriptors
    const float *data[PARTS];
};

static int describe_tensors(const struct bench_onednn *peer, const struct bench_onednn_layer *layer,
                            struct tensors *tensors)
{
    int (*by_strides)(dnn *, int, const dnn_dims, int, const dnn_dims) = NULL;
    int (*by_tag)(dnn *, int, const dnn_dims, int, int) = NULL;
    int status = 0;
    FIND(by_strides, "dnnl_memory_desc_create_with_strides");
    FIND(by_tag, "dnnl_memory_desc_create_with_tag");
    const int64_t c = layer->channels, gates = layer->gru ? 3 : 4;
    const struct {
        int rank;
        dnn_dims dims;
    } shapes[PARTS] = {{3, {layer->times, layer->batch, c}},
                       {5, {1, 1, c, gates, c}},
                       {5, {1, 1, c, gates, c}},
                       {4, {1, 1, gates, c}},
                       {3, {layer->times, layer->batch, c}}};
    for (int p = 0; p < PARTS && !status; p++) {
        dnn_dims strides = {0};
        int64_t stride = 1;
        for (int d = shapes[p].rank - 1; d >= 0; stride *= shapes[p].dims[d--])
            strides[d] = stride;
        status = by_strides(&tensors->plain[p], shapes[p].rank, shapes[p].dims, F32, strides);
        tensors->asked[p] = tensors->plain[p];
        if (!status && (p == WEIGHTS_LAYER || p == WEIGHTS_ITER))
            status = by_tag(&tensors->asked[p], shapes[p].rank, shapes[p].dims, F32, ANY);
    }
    return status;
}

static int describe_primitives(struct bench_onednn *peer, const struct bench_onednn_layer *layer,
                               const struct tensors *t)
{
    int (*lstm)(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn,
                unsigned, dnn) = NULL;
    int (*lstm_back)(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn,
                     dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, dnn, dnn) =
        NULL;
    int (*gru)(dnn *, dnn, int, int, dnn, dnn, dnn, dnn, dnn, dnn, dnn, unsigned, dnn) = NULL;
    int (*create)(dnn *, dnn) = NULL;
    int status = 0;
    FIND(lstm, "dnnl_lstm_forward_primitive_desc_create");
    FIND(lstm_back, "dnnl_lstm_backward_primitive_desc_create");
    FIND(gru, "dnnl_gru_forward_primitive_desc_create");
    FIND(create, "dnnl_primitive_create");
    const dnn engine = peer->engine, x = t->asked[SRC_LAYER], w = t->asked[WEIGHTS_LAYER],
              u = t->asked[WEIGHTS_ITER];
    const dnn b = t->asked[BIAS], y = t->asked[DST_LAYER], own = peer->attributes;
    dnn *const to = peer->descriptor;
    const int kind = layer->training ? TRAINING : INFERENCE;
    if (!status)
        status = layer->gru ? gru(to, engine, kind, LEFT2RIGHT, x, NULL, w, u, b, y, NULL, 0, own)
                            : lstm(to, engine, kind, LEFT2RIGHT, x, NULL, NULL, w, u, NULL, NULL, b,
                                   y, NULL, NULL, 0, own);
    if (!status && layer->training)
        status = layer->gru ? -1
                            : lstm_back(to + 1, engine, BACKWARD, LEFT2RIGHT, x, NULL, NULL, w, u,
                                        NULL, NULL, b, y, NULL, NULL, x, NULL, NULL, w, u, NULL,
                                        NULL, b, y, NULL, NULL, OVERWRITE, to[0], own);
    peer->primitives = layer->training ? 2 : 1;
    for (int i = 0; i < peer->primitives && !status; i++)
        status = create(&peer->primitive[i], peer->descriptor[i]);
    return status;
}

// ---- memory -----------------------------------------------------------------

// Memory of `md` from its plain form: data, or zeros when there is none.
static int make_memory(struct bench_onednn *peer, dnn md, dnn plain, const float *data,
                       size_t bytes, dnn *memory)
{
    int (*create)(dnn *, dnn, dnn, void *) = NULL, (*map)(dnn, void **) = NULL,
                                        (*unmap)(dnn, void *) = NULL;
    int (*reorder)(dnn *, dnn, dnn, dnn, dnn, dnn) = NULL, (*make)(dnn *, dnn) = NULL;
    int status = 0;
    FIND(create, "dnnl_memory_create");
    FIND(map, "dnnl_memory_map_data");
    FIND(unmap, "dnnl_memory_unmap_data");
    FIND(reorder, "dnnl_reorder_primitive_desc_create");
    FIND(make, "dnnl_primitive_create");
    if (!status)
        status = create(memory, md, peer->engine, (void *)(intptr_t)-1);
    if (status || !plain)
        return status;
    dnn from = NULL, descriptor = NULL, primitive = NULL;
    void *mapped = NULL;
    status = create(&from, plain, peer->engine, (void *)(intptr_t)-1);
    if (!status)
        status = map(from, &mapped);
    if (status)
        return status;
    if (data)
        memcpy(mapped, data, bytes);
    else
        memset(mapped, 0, bytes);
    status = unmap(from, mapped);
    if (!status)
        status = reorder(&descriptor, plain, peer->engine, md, peer->engine, NULL);
    if (!status)
        status = make(&primitive, descriptor);
    const struct dnn_argument arguments[] = {{1, from}, {17, *memory}};
    if (!status)
        status = peer->execute(primitive, peer->stream, 2, arguments);
    return status ? status : peer->wait(peer->stream);
}

static int fill_arguments(struct bench_onednn *peer, const struct bench_onednn_layer *layer,
                          const struct tensors *tensors)
{
    dnn (*query)(dnn, int, int) = NULL;
    int status = 0;
    FIND(query, "dnnl_primitive_desc_query_md");
    const size_t c = (size_t)layer->channels, gates = layer->gru ? 3 : 4;
    const size_t activations = (size_t)(layer->times * layer->batch) * c * sizeof(float),
                 weights = c * gates * c * sizeof(float);
    const size_t bytes[PARTS] = {activations, weights, weights, gates * c * sizeof(float),
                                 activations};
    dnn workspace = NULL;
    if (!status && layer->training)
        status = make_memory(peer, query(peer->descriptor[0], QUERY_WORKSPACE, 0), NULL, NULL, 0,
                             &workspace);
    for (int i = 0; i < peer->primitives && !status; i++) {
        struct dnn_argument *const to = peer->argument[i];
        int *const count = &peer->arguments[i];
        for (int p = 0; p < PARTS * (i + 1) && !status; p++) {
            const int part = p % PARTS, index = argument_of[part] + (p >= PARTS ? DIFF : 0);
            const float *const data = p < PARTS           ? tensors->data[part]
                                      : part == DST_LAYER ? layer->diff_dst_layer
                                                          : NULL;
            if (i == 1 && p < PARTS && part != WEIGHTS_LAYER && part != WEIGHTS_ITER) {
                to[(*count)++] = peer->argument[0][p]; // what the forward primitive read and wrote
                continue;
            }
            to[*count].index = index;
            status = make_memory(peer, query(peer->descriptor[i], QUERY_ARGUMENT, index),
                                 tensors->plain[part], data, bytes[part], &to[(*count)++].memory);
        }
        if (workspace)
            to[(*count)++] = (struct dnn_argument){WORKSPACE, workspace};
    }
    return status;
}

// ---- entries ----------------------------------------------------------------

static int start(struct bench_onednn *peer, const struct bench_onednn_layer *layer)
{
    const struct dnn_version *(*version)(void) = NULL;
    int (*engine)(dnn *, int, size_t) = NULL, (*stream)(dnn *, dnn, unsigned) = NULL,
                              (*attributes)(dnn *) = NULL;
    int status = 0;
    FIND(version, "dnnl_version");
    FIND(engine, "dnnl_engine_create");
    FIND(stream, "dnnl_stream_create");
    FIND(attributes, "dnnl_primitive_attr_create");
    FIND(peer->execute, "dnnl_primitive_execute");
    FIND(peer->wait, "dnnl_stream_wait");
    if (status)
        return status;
    snprintf(peer->name, sizeof peer->name, "oneDNN %d.%d.%d", version()->major, version()->minor,
             version()->patch);
    struct tensors tensors = {
        .data = {layer->src_layer, layer->weights_layer, layer->weights_iter, layer->bias, NULL}};
    status = version()->major != 3 || engine(&peer->engine, CPU, 0) ||
             stream(&peer->stream, peer->engine, IN_ORDER) || attributes(&peer->attributes);
    if (!status)
        status = describe_tensors(peer, layer, &tensors);
    if (!status)
        status = describe_primitives(peer, layer, &tensors);
    return status ? status : fill_arguments(peer, layer, &tensors);
}

struct bench_onednn *bench_onednn_open(const struct bench_onednn_layer *layer,
                                       char why[BENCH_WHY_SIZE])
{
    struct bench_onednn *const peer = calloc(1, sizeof *peer);
    if (!peer || !(peer->library = open_library())) {
        snprintf(why, BENCH_WHY_SIZE,
                 "no oneDNN 3: scripts/setup all installs it, or set ASSAY_ONEDNN");
        free(peer);
        return NULL;
    }
    const int status = start(peer, layer);
    if (!status)
        return peer;
    snprintf(why, BENCH_WHY_SIZE, "oneDNN could not prepare the layer: status %d", status);
    bench_onednn_close(peer);
    return NULL;
}

void bench_onednn_run(struct bench_onednn *peer)
{
    int status = 0;
    for (int i = 0; i < peer->primitives && !status; i++)
        status =
            peer->execute(peer->primitive[i], peer->stream, peer->arguments[i], peer->argument[i]);
    if (status || peer->wait(peer->stream))
        abort();
}

// The library and its memory stay until the program ends: its threads may still be running.
void bench_onednn_close(struct bench_onednn *peer)
{
    free(peer);
}

const char *bench_onednn_name(const struct bench_onednn *peer)
{
    return peer->name;
}
