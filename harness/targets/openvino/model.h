// SPDX-License-Identifier: Apache-2.0
// RandomUniform-8 and Range-4 as one-node models of OpenVINO's CPU plugin, written as IR text, read
// from memory and compiled, through the part of its C API (openvino/c/openvino.h) that is needed.
//
// The library comes with the PyPI wheel and is opened by path (ASSAY_OPENVINO, else the virtual
// environment of the build), so that nothing of it is needed for building. Inputs are fed as
// parameters of the model or as constants in it.

#ifndef ASSAY_HARNESS_TARGETS_OPENVINO_MODEL_H
#define ASSAY_HARNESS_TARGETS_OPENVINO_MODEL_H

#include "harness/targets/helper/library.h"
#include "harness/plugin.h"

typedef int ov_status;
typedef struct ov_handle ov_handle; // core, model, compiled model, request and tensor alike
struct ov_shape {
    int64_t rank;
    int64_t *dims;
};
struct ov_version {
    const char *build, *description;
};

// X(our name, after ov_, result, arguments)
#define OPENVINO_CALLS(X)                                                                          \
    X(get_version, get_openvino_version, ov_status, (struct ov_version *))                         \
    X(version_free, version_free, void, (struct ov_version *))                                     \
    X(core_create, core_create, ov_status, (ov_handle **))                                         \
    X(core_free, core_free, void, (ov_handle *))                                                   \
    X(core_read_model, core_read_model_from_memory_buffer, ov_status,                              \
      (const ov_handle *, const char *, size_t, const ov_handle *, ov_handle **))                  \
    X(core_compile, core_compile_model, ov_status,                                                 \
      (const ov_handle *, const ov_handle *, const char *, size_t, ov_handle **, ...))             \
    X(model_free, model_free, void, (ov_handle *))                                                 \
    X(compiled_request, compiled_model_create_infer_request, ov_status,                            \
      (const ov_handle *, ov_handle **))                                                           \
    X(compiled_free, compiled_model_free, void, (ov_handle *))                                     \
    X(request_set_input, infer_request_set_input_tensor_by_index, ov_status,                       \
      (ov_handle *, size_t, const ov_handle *))                                                    \
    X(request_get_output, infer_request_get_output_tensor_by_index, ov_status,                     \
      (const ov_handle *, size_t, ov_handle **))                                                   \
    X(request_start, infer_request_start_async, ov_status, (ov_handle *))                          \
    X(request_wait, infer_request_wait, ov_status, (ov_handle *))                                  \
    X(request_free, infer_request_free, void, (ov_handle *))                                       \
    X(tensor_from_host, tensor_create_from_host_ptr, ov_status,                                    \
      (int, struct ov_shape, void *, ov_handle **))                                                \
    X(tensor_shape, tensor_get_shape, ov_status, (const ov_handle *, struct ov_shape *))           \
    X(tensor_size, tensor_get_size, ov_status, (const ov_handle *, size_t *))                      \
    X(tensor_type, tensor_get_element_type, ov_status, (const ov_handle *, int *))                 \
    X(tensor_data, tensor_data, ov_status, (const ov_handle *, void **))                           \
    X(tensor_free, tensor_free, void, (ov_handle *))                                               \
    X(shape_free, shape_free, ov_status, (struct ov_shape *))                                      \
    X(last_error, get_last_err_msg, const char *, (void))

#define OPENVINO_MEMBER(name, symbol, result, arguments) result(*name) arguments;
#define OPENVINO_SYMBOL(name, symbol, result, arguments)                                           \
    {"ov_" #symbol, offsetof(struct openvino, name)},
struct openvino {
    OPENVINO_CALLS(OPENVINO_MEMBER)
};
struct assay_session {
    void *library;
    struct openvino api;
    ov_handle *core;
    char version[128];
};

enum { OPENVINO_INPUTS = 3, OPENVINO_CONSTANTS_SIZE = 4096, OPENVINO_DTYPE_LAST = ASSAY_F8E5M2 };

struct assay_instance {
    struct assay_session *session;
    ov_handle *compiled, *request;
    bool constant;
    // A model's constants are not copied when it is read or compiled: they stay here as long as it
    // lives.
    unsigned char constants[OPENVINO_CONSTANTS_SIZE];
};

enum assay_status openvino_open_session(struct assay_session **session,
                                        struct assay_message *message);
void openvino_close_session(struct assay_session *session);

// The names of the operation's inputs, in order; NULL for an operation that has no model here.
const char *const *openvino_inputs(const struct assay_request *request);

// The dtype that attribute output_type names, 0 when there is none.
uint32_t openvino_output_type(const struct assay_request *request);

// The library's number of a dtype, and what it calls the type of a number.
int openvino_code(uint32_t dtype);
const char *openvino_type_name(int code);

// A model is compiled for each instance: RandomUniform keeps a position in a compiled model, and an
// instance must start afresh.
enum assay_status openvino_prepare(struct assay_session *session,
                                   const struct assay_request *request,
                                   struct assay_instance **instance, struct assay_message *message);
void openvino_release(struct assay_instance *instance);

// Hands over the inputs that are no constants, where they lie.
ov_status openvino_set_inputs(const struct assay_instance *instance,
                              const struct assay_request *request);

// ASSAY_REJECTED with the library's last message; ASSAY_FAILED where that speaks of memory or of
// what is not implemented.
enum assay_status openvino_refuse(const struct openvino *api, struct assay_message *message,
                                  const char *when);

#endif
