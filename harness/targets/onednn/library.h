// SPDX-License-Identifier: Apache-2.0
// What this target needs of oneDNN, whichever version: the calls that versions 2 and 3 have in one
// form, and those that differ.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_LIBRARY_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_LIBRARY_H

#include "harness/targets/helper/library.h"
#include "harness/targets/onednn/rnn.h"

// Engine, stream, memory, primitive, memory descriptor, primitive descriptor and attributes alike.
// A memory descriptor of version 2 is a struct; here it is always a pointer to one, as version 3
// has it.
typedef struct dnn_handle *dnn;

struct dnn_argument {
    int index;
    dnn memory;
};

// Numbers that are the same in both versions (of enum dnnl_status_t, dnnl_query_t and the
// arguments' indices).
enum { DNN_OK = 0, DNN_OUT_OF_MEMORY = 1, DNN_INVALID = 2, DNN_UNIMPLEMENTED = 3 };
enum {
    DNN_CPU = 1,
    DNN_IN_ORDER = 1,
    DNN_FROM = 1,
    DNN_TO = 17,
    DNN_WORKSPACE = 64,
    DNN_QUERY_ARGUMENT = 255
};

// Made by the library in its own memory.
#define DNN_ALLOCATE ((void *)(intptr_t)-1)

struct dnn_calls {
    int (*engine_create)(dnn *, int kind, size_t index);
    int (*engine_destroy)(dnn);
    int (*stream_create)(dnn *, dnn engine, unsigned flags);
    int (*stream_wait)(dnn);
    int (*stream_destroy)(dnn);
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
};

struct dnn_version;

struct dnn_library {
    struct dnn_calls calls;
    const struct dnn_version *version;
    void *handle; // of the loader
    dnn engine;
    char number[64]; // major.minor.patch
    const void *own; // calls of the one version alone
};

// One version of the library.
struct dnn_version {
    int major, query_workspace;
    bool has_overwrite; // the flag by which gradients of parameters overwrite
    // Loads the library (`handle`) and calls `start`, within whatever the library needs of its
    // surroundings to start.
    enum assay_status (*open)(struct dnn_library *,
                              enum assay_status (*start)(struct dnn_library *,
                                                         struct assay_message *),
                              struct assay_message *);
    // Finds the calls that this version alone has (`own`).
    enum assay_status (*load)(struct dnn_library *, struct assay_message *);
    // Of a tensor with its strides, or (any) in the format that the library will choose.
    int (*md_create)(const struct dnn_library *, const struct rnn_tensor *, bool any, dnn *md);
    void (*md_destroy)(const struct dnn_library *, dnn md);
    // The primitive descriptor of `rnn`; `md` has NULL for tensors that are absent. Backward:
    // `hint` is the forward one.
    int (*describe)(const struct dnn_library *, const struct rnn *rnn, const dnn *md,
                    dnn attributes, dnn *descriptor);
    int (*describe_backward)(const struct dnn_library *, const struct rnn *rnn, const dnn *md,
                             dnn attributes, dnn hint, dnn *descriptor);
    // Sets the threads of the calling thread's next calls and returns how many it was; NULL: the
    // library has no such call.
    int (*set_threads)(const struct dnn_library *, int count);
};

extern const struct dnn_version dnn_version_2, dnn_version_3;

// Opens the library and its engine for the CPU.
enum assay_status dnn_open(struct dnn_library *library, const struct dnn_version *version,
                           struct assay_message *message);
void dnn_close(struct dnn_library *library);

#endif
