// SPDX-License-Identifier: Apache-2.0
// What this target needs of oneDNN, whichever version: the calls that versions 2 and 3 have in one
// form, and those that differ.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_LIBRARY_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_LIBRARY_H

#include "harness/targets/helper/library.h"
#include "harness/targets/onednn/operator.h"
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

// X(our name, after dnnl_, result, arguments)
#define DNN_CALLS(X)                                                                               \
    X(engine_create, engine_create, int, (dnn *, int kind, size_t index))                          \
    X(engine_destroy, engine_destroy, int, (dnn))                                                  \
    X(stream_create, stream_create, int, (dnn *, dnn engine, unsigned flags))                      \
    X(stream_wait, stream_wait, int, (dnn))                                                        \
    X(stream_destroy, stream_destroy, int, (dnn))                                                  \
    X(md_equal, memory_desc_equal, int, (dnn, dnn))                                                \
    X(memory_create, memory_create, int, (dnn *, dnn md, dnn engine, void *handle))                \
    X(memory_map, memory_map_data, int, (dnn, void **))                                            \
    X(memory_unmap, memory_unmap_data, int, (dnn, void *))                                         \
    X(memory_destroy, memory_destroy, int, (dnn))                                                  \
    X(reorder_create, reorder_primitive_desc_create, int,                                          \
      (dnn *, dnn from, dnn from_engine, dnn to, dnn to_engine, dnn attributes))                   \
    X(primitive_create, primitive_create, int, (dnn *, dnn descriptor))                            \
    X(primitive_destroy, primitive_destroy, int, (dnn))                                            \
    X(execute, primitive_execute, int, (dnn, dnn stream, int count, const struct dnn_argument *))  \
    X(query_md, primitive_desc_query_md, dnn, (dnn descriptor, int what, int index))               \
    X(descriptor_destroy, primitive_desc_destroy, int, (dnn))                                      \
    X(attributes_create, primitive_attr_create, int, (dnn *))                                      \
    X(attributes_destroy, primitive_attr_destroy, int, (dnn))                                      \
    X(data_scales, primitive_attr_set_rnn_data_qparams, int, (dnn, float scale, float shift))      \
    X(weights_scales, primitive_attr_set_rnn_weights_qparams, int,                                 \
      (dnn, int64_t count, int mask, const float *))                                               \
    X(projection_scales, primitive_attr_set_rnn_weights_projection_qparams, int,                   \
      (dnn, int64_t count, int mask, const float *))

#define DNN_MEMBER(name, symbol, result, arguments) result(*name) arguments;
struct dnn_calls {
    DNN_CALLS(DNN_MEMBER)
};

// The tensors of a cell's calls in oneDNN's order, each as X(slot).
#define DNN_WEIGHTED(X) X(WEIGHTS_LAYER), X(WEIGHTS_ITER), X(BIAS), X(DST_LAYER), X(DST_ITER)
#define DNN_PLAIN(X) X(SRC_LAYER), X(SRC_ITER), DNN_WEIGHTED(X)
#define DNN_ATTENTIVE(X) X(SRC_LAYER), X(SRC_ITER), X(ATTENTION), DNN_WEIGHTED(X)
#define DNN_LSTM(X)                                                                                \
    X(SRC_LAYER), X(SRC_ITER), X(SRC_ITER_C), X(WEIGHTS_LAYER), X(WEIGHTS_ITER),                   \
        X(WEIGHTS_PEEPHOLE), X(WEIGHTS_PROJECTION), X(BIAS), X(DST_LAYER), X(DST_ITER),            \
        X(DST_ITER_C)

struct dnn_version;

struct dnn_library {
    struct dnn_calls calls;
    const struct dnn_version *version;
    void *handle; // of the loader
    dnn engine;
    dnn stream;      // of all instances: oneDNN 3 loses 11 KiB with each one that was used
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
    // The primitive descriptor of an operator; `md` has NULL for tensors that are absent.
    int (*describe_operator)(const struct dnn_library *, const struct dnn_operator *, const dnn *md,
                             dnn *descriptor);
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
