// SPDX-License-Identifier: Apache-2.0
// OpenVINO's CPU plugin through its C API: RandomUniform-8 and Range-4 as one-node models, written
// as IR text and read from memory.
//
// The library comes with the PyPI wheel and is opened by path (ASSAY_OPENVINO, else the virtual
// environment beside this plugin), so that nothing of it is needed for building. Inputs are fed as
// parameters of the model or as constants in it. A model is compiled for each instance:
// RandomUniform keeps a position in a compiled model, and an instance must start afresh.

#define _GNU_SOURCE
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plugin.h"
#include "harness/targets/helper/library.h"
#include "harness/targets/helper/openvino_types.h"
#include "harness/targets/helper/request.h"

// ---- the part of the C API that is used (openvino/c/openvino.h) -------------

typedef int ov_status;
typedef struct ov_handle ov_handle; // core, model, compiled model, request and tensor alike
struct ov_shape {
    int64_t rank;
    int64_t *dims;
};
struct ov_version {
    const char *build, *description;
};

struct api {
    ov_status (*get_version)(struct ov_version *);
    void (*version_free)(struct ov_version *);
    ov_status (*core_create)(ov_handle **);
    void (*core_free)(ov_handle *);
    ov_status (*core_read_model)(const ov_handle *, const char *, size_t, const ov_handle *,
                                 ov_handle **);
    ov_status (*core_compile)(const ov_handle *, const ov_handle *, const char *, size_t,
                              ov_handle **, ...);
    void (*model_free)(ov_handle *);
    ov_status (*compiled_request)(const ov_handle *, ov_handle **);
    void (*compiled_free)(ov_handle *);
    ov_status (*request_set_input)(ov_handle *, size_t, const ov_handle *);
    ov_status (*request_get_output)(const ov_handle *, size_t, ov_handle **);
    ov_status (*request_start)(ov_handle *);
    ov_status (*request_wait)(ov_handle *);
    void (*request_free)(ov_handle *);
    ov_status (*tensor_from_host)(int, struct ov_shape, void *, ov_handle **);
    ov_status (*tensor_shape)(const ov_handle *, struct ov_shape *);
    ov_status (*tensor_size)(const ov_handle *, size_t *);
    ov_status (*tensor_type)(const ov_handle *, int *);
    ov_status (*tensor_data)(const ov_handle *, void **);
    void (*tensor_free)(ov_handle *);
    ov_status (*shape_free)(struct ov_shape *);
    const char *(*last_error)(void);
};

static const struct assay_symbol symbols[] = {
    {"ov_get_openvino_version", offsetof(struct api, get_version)},
    {"ov_version_free", offsetof(struct api, version_free)},
    {"ov_core_create", offsetof(struct api, core_create)},
    {"ov_core_free", offsetof(struct api, core_free)},
    {"ov_core_read_model_from_memory_buffer", offsetof(struct api, core_read_model)},
    {"ov_core_compile_model", offsetof(struct api, core_compile)},
    {"ov_model_free", offsetof(struct api, model_free)},
    {"ov_compiled_model_create_infer_request", offsetof(struct api, compiled_request)},
    {"ov_compiled_model_free", offsetof(struct api, compiled_free)},
    {"ov_infer_request_set_input_tensor_by_index", offsetof(struct api, request_set_input)},
    {"ov_infer_request_get_output_tensor_by_index", offsetof(struct api, request_get_output)},
    {"ov_infer_request_start_async", offsetof(struct api, request_start)},
    {"ov_infer_request_wait", offsetof(struct api, request_wait)},
    {"ov_infer_request_free", offsetof(struct api, request_free)},
    {"ov_tensor_create_from_host_ptr", offsetof(struct api, tensor_from_host)},
    {"ov_tensor_get_shape", offsetof(struct api, tensor_shape)},
    {"ov_tensor_get_size", offsetof(struct api, tensor_size)},
    {"ov_tensor_get_element_type", offsetof(struct api, tensor_type)},
    {"ov_tensor_data", offsetof(struct api, tensor_data)},
    {"ov_tensor_free", offsetof(struct api, tensor_free)},
    {"ov_shape_free", offsetof(struct api, shape_free)},
    {"ov_get_last_err_msg", offsetof(struct api, last_error)},
};

// ---- types ------------------------------------------------------------------

struct type_name {
    const char *ir;        // in <data element_type>
    const char *precision; // in <port precision>
    int code;              // ov_element_type_e
};

#define ROW(dtype, ir, precision, name, code) [ASSAY_##dtype] = {ir, precision, code},
static const struct type_name types[] = {OPENVINO_TYPES(ROW)};
#undef ROW

// The dtype that attribute output_type names, 0 when there is none.
static uint32_t type_named(const char *name)
{
    for (uint32_t i = ASSAY_BOOL; i <= ASSAY_F64; i++)
        if (!strcmp(types[i].ir, name))
            return i;
    return 0;
}

static const char *name_of_type(int code)
{
    for (uint32_t i = ASSAY_BOOL; i <= ASSAY_F64; i++)
        if (types[i].ir && types[i].code == code)
            return types[i].ir;
    return "of an unknown type";
}

// ---- session ----------------------------------------------------------------

struct assay_session {
    void *library;
    struct api api;
    ov_handle *core;
    char version[128];
};

enum { INPUTS = 3, TEXT_SIZE = 16384, CONSTANTS_SIZE = 4096 };

struct assay_instance {
    struct assay_session *session;
    ov_handle *compiled, *request;
    bool constant;
    // A model's constants are not copied when it is read or compiled: they stay here as long as it
    // lives.
    unsigned char constants[CONSTANTS_SIZE];
};

// dlopens the first file that matches.
static void *open_matching(const char *pattern)
{
    glob_t found;
    void *library = NULL;
    if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
        library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

static void *open_library(void)
{
    char folder[3500], pattern[4096];
    const char *const chosen = getenv("ASSAY_OPENVINO");
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (!assay_plugin_folder(folder, sizeof folder))
        return NULL;
    snprintf(pattern, sizeof pattern,
             "%s/../venv/lib/python3*/site-packages/openvino/libs/libopenvino_c.so.*", folder);
    return open_matching(pattern);
}

static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    session->library = open_library();
    if (!session->library) {
        free(session);
        return assay_answer(
            message, ASSAY_FAILED,
            "OpenVINO is not installed: scripts/setup does it, or set ASSAY_OPENVINO to "
            "libopenvino_c");
    }
    const char *const missing = assay_load_symbols(
        session->library, symbols, sizeof symbols / sizeof symbols[0], &session->api);
    if (missing) {
        free(session);
        return assay_answer(message, ASSAY_FAILED, "this OpenVINO has no %s", missing);
    }
    struct ov_version version = {NULL, NULL};
    if (!session->api.get_version(&version)) {
        snprintf(session->version, sizeof session->version, "%s", version.build);
        session->api.version_free(&version);
    }
    if (session->api.core_create(&session->core)) {
        const enum assay_status status =
            assay_answer(message, ASSAY_FAILED, "no core: %s", session->api.last_error());
        free(session);
        return status;
    }
    *result = session;
    return ASSAY_OK;
}

static const char *version(struct assay_session *session)
{
    return session->version;
}

static void close_session(struct assay_session *session)
{
    session->api.core_free(session->core);
    free(session); // the library stays: its threads may still be ending
}

// ---- what is supported ------------------------------------------------------

static const char *const uniform_inputs[] = {"shape", "minval", "maxval"}, *const range_inputs[] = {
                                                                               "start", "stop",
                                                                               "step"};

static const char *const *input_names(const struct assay_request *request)
{
    if (!strcmp(request->operation, "openvino.random_uniform"))
        return uniform_inputs;
    return !strcmp(request->operation, "openvino.range") ? range_inputs : NULL;
}

static uint32_t output_type(const struct assay_request *request)
{
    const struct assay_attribute *const type = assay_attribute_named(request, "output_type");
    return type && type->kind == ASSAY_TEXT ? type_named(type->text) : 0;
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    const char *const *const names = input_names(request);
    if (!names)
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "only openvino.random_uniform and openvino.range");
    if (!output_type(request))
        return assay_answer(message, ASSAY_UNSUPPORTED, "an IR model must name an element type");
    for (int i = 0; i < INPUTS; i++) {
        const struct assay_tensor *const tensor = assay_input_named(request, names[i]);
        if (!tensor)
            return assay_answer(message, ASSAY_UNSUPPORTED,
                                "an IR model cannot leave out the input '%s'", names[i]);
        if (tensor->dtype > ASSAY_F64)
            return assay_answer(message, ASSAY_UNSUPPORTED, "no element type for input '%s'",
                                names[i]);
    }
    return ASSAY_OK;
}

// ---- the model --------------------------------------------------------------

struct writer {
    char *text;
    size_t size, capacity;
    unsigned char *constants; // CONSTANTS_SIZE bytes of the instance
    size_t constants_size;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n =
        vsnprintf(writer->text + writer->size, writer->capacity - writer->size, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= writer->capacity - writer->size)
        writer->failed = true;
    else
        writer->size += (size_t)n;
}

// A tensor without elements cannot be a constant in OpenVINO; it stays a parameter.
static bool is_constant(bool constant, const struct assay_tensor *tensor)
{
    return constant && assay_tensor_bytes(tensor);
}

static void put_port(struct writer *writer, int id, const struct assay_tensor *tensor)
{
    put(writer, "<port id=\"%d\" precision=\"%s\">", id, types[tensor->dtype].precision);
    for (int32_t d = 0; d < tensor->layout.ndim; d++)
        put(writer, "<dim>%lld</dim>", (long long)tensor->layout.shape[d]);
    put(writer, "</port>");
}

static void put_input(struct writer *writer, int id, const struct assay_tensor *tensor,
                      bool all_constant)
{
    const bool constant = is_constant(all_constant, tensor);
    put(writer,
        "<layer id=\"%d\" name=\"%s\" type=\"%s\" version=\"opset1\">"
        "<data element_type=\"%s\" shape=\"",
        id, tensor->name, constant ? "Const" : "Parameter", types[tensor->dtype].ir);
    for (int32_t d = 0; d < tensor->layout.ndim; d++)
        put(writer, "%s%lld", d ? "," : "", (long long)tensor->layout.shape[d]);
    put(writer, "\"");
    if (constant) {
        const size_t bytes = assay_tensor_bytes(tensor),
                     at = (writer->constants_size + 63) / 64 * 64;
        if (at + bytes > CONSTANTS_SIZE)
            writer->failed = true;
        else {
            memcpy(writer->constants + at, tensor->layout.data, bytes);
            writer->constants_size = at + bytes;
        }
        put(writer, " offset=\"%zu\" size=\"%zu\"", at, bytes);
    }
    put(writer, "/><output>");
    put_port(writer, 0, tensor);
    put(writer, "</output></layer>");
}

static void put_node_data(struct writer *writer, const struct assay_request *request)
{
    put(writer, "<data output_type=\"%s\"", types[output_type(request)].ir);
    if (input_names(request) == uniform_inputs) {
        const struct assay_attribute *const alignment = assay_attribute_named(request, "alignment");
        put(writer, " global_seed=\"%lld\" op_seed=\"%lld\"",
            (long long)assay_integer(request, "global_seed", 0),
            (long long)assay_integer(request, "op_seed", 0));
        if (alignment && strcmp(alignment->text, "tensorflow") != 0)
            put(writer, " alignment=\"%s\"", alignment->text);
    }
    put(writer, "/>");
}

static void put_model(struct writer *writer, const struct assay_request *request, bool constant)
{
    const char *const *const names = input_names(request);
    const bool uniform = names == uniform_inputs;
    const struct assay_tensor *const shape = uniform ? assay_input_named(request, "shape") : NULL;
    const long long rank = shape && shape->layout.ndim == 1 ? (long long)shape->layout.shape[0] : 1;
    put(writer, "<?xml version=\"1.0\"?><net name=\"case\" version=\"11\"><layers>");
    for (int i = 0; i < INPUTS; i++)
        put_input(writer, i, assay_input_named(request, names[i]), constant);
    put(writer, "<layer id=\"3\" name=\"node\" type=\"%s\" version=\"%s\">",
        uniform ? "RandomUniform" : "Range", uniform ? "opset8" : "opset4");
    put_node_data(writer, request);
    put(writer, "<input>");
    for (int i = 0; i < INPUTS; i++)
        put_port(writer, i, assay_input_named(request, names[i]));
    put(writer, "</input><output><port id=\"3\" precision=\"%s\">",
        types[output_type(request)].precision);
    for (long long d = 0; d < (uniform ? rank : 1); d++)
        put(writer, "<dim>-1</dim>");
    put(writer,
        "</port></output></layer>"
        "<layer id=\"4\" name=\"output\" type=\"Result\" version=\"opset1\"><input>"
        "<port id=\"0\" precision=\"%s\">",
        types[output_type(request)].precision);
    for (long long d = 0; d < (uniform ? rank : 1); d++)
        put(writer, "<dim>-1</dim>");
    put(writer, "</port></input></layer></layers><edges>");
    for (int i = 0; i < INPUTS; i++)
        put(writer, "<edge from-layer=\"%d\" from-port=\"0\" to-layer=\"3\" to-port=\"%d\"/>", i,
            i);
    put(writer,
        "<edge from-layer=\"3\" from-port=\"3\" to-layer=\"4\" to-port=\"0\"/></edges></net>");
}

// ---- instances --------------------------------------------------------------

static void release(struct assay_instance *instance)
{
    const struct api *const api = &instance->session->api;
    if (instance->request)
        api->request_free(instance->request);
    if (instance->compiled)
        api->compiled_free(instance->compiled);
    free(instance);
}

// Compiling for the first time loads the CPU plugin, which replaces the calling thread's stack of
// signal handlers where it finds it too small (reports/findings/openvino-environment.md). It is
// given back.
static ov_status compile(struct assay_session *session, const struct writer *writer,
                         uint32_t threads, ov_handle **compiled)
{
    const struct api *const api = &session->api;
    ov_handle *model = NULL, *constants = NULL;
    int64_t size = (int64_t)writer->constants_size;
    ov_status status = 0;
    stack_t handlers;
    sigaltstack(NULL, &handlers);
    if (size)
        status = api->tensor_from_host(types[ASSAY_U8].code, (struct ov_shape){1, &size},
                                       (void *)(uintptr_t)writer->constants, &constants);
    if (!status)
        status = api->core_read_model(session->core, writer->text, writer->size, constants, &model);
    if (!status) {
        char count[16];
        snprintf(count, sizeof count, "%u", threads);
        // Names of properties as the API spells them; the hint keeps f32 in f32 on machines with
        // bf16 units.
        if (threads)
            status =
                api->core_compile(session->core, model, "CPU", 4, compiled, "INFERENCE_NUM_THREADS",
                                  count, "INFERENCE_PRECISION_HINT", "f32");
        else
            status = api->core_compile(session->core, model, "CPU", 2, compiled,
                                       "INFERENCE_PRECISION_HINT", "f32");
    }
    sigaltstack(&handlers, NULL);
    if (model)
        api->model_free(model);
    if (constants)
        api->tensor_free(constants);
    return status;
}

// The first line of OpenVINO's message that says something.
static enum assay_status refuse(const struct api *api, struct assay_message *message,
                                const char *when)
{
    const char *const text = api->last_error();
    return assay_answer(message, ASSAY_REJECTED, "%s: %.400s", when, text ? text : "no message");
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **result, struct assay_message *message)
{
    struct writer writer = {.capacity = TEXT_SIZE};
    struct assay_instance *const instance = calloc(1, sizeof *instance);
    writer.text = malloc(TEXT_SIZE);
    if (!instance || !writer.text) {
        free(instance);
        free(writer.text);
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    }
    instance->session = session;
    instance->constant = request->feed == 1;
    writer.constants = instance->constants;
    put_model(&writer, request, instance->constant);
    enum assay_status status = ASSAY_OK;
    if (writer.failed)
        status = assay_answer(message, ASSAY_FAILED, "the model is too large for this plugin");
    else if (compile(session, &writer, request->threads, &instance->compiled))
        status = refuse(&session->api, message, "compiling");
    else if (session->api.compiled_request(instance->compiled, &instance->request))
        status = refuse(&session->api, message, "creating a request");
    free(writer.text);
    if (status == ASSAY_OK)
        *result = instance;
    else
        release(instance);
    return status;
}

static ov_status set_inputs(const struct assay_instance *instance,
                            const struct assay_request *request)
{
    const struct api *const api = &instance->session->api;
    const char *const *const names = input_names(request);
    ov_status status = 0;
    size_t parameter = 0;
    for (size_t i = 0; i < INPUTS && !status; i++) {
        const struct assay_tensor *const from = assay_input_named(request, names[i]);
        ov_handle *tensor = NULL;
        if (is_constant(instance->constant, from))
            continue;
        status = api->tensor_from_host(types[from->dtype].code,
                                       (struct ov_shape){from->layout.ndim, from->layout.shape},
                                       from->layout.data, &tensor);
        if (!status)
            status = api->request_set_input(instance->request, parameter++, tensor);
        if (tensor)
            api->tensor_free(tensor);
    }
    return status;
}

static enum assay_status copy_output(const struct api *api, const ov_handle *tensor,
                                     const struct assay_tensor *wanted,
                                     struct assay_message *message)
{
    struct ov_shape shape = {0, NULL};
    int code = 0;
    void *data = NULL;
    size_t size = 0;
    if (api->tensor_type(tensor, &code) || api->tensor_size(tensor, &size))
        return refuse(api, message, "describing the output");
    // The C API has no shape for a scalar (ov_tensor_get_shape fails): one element is then taken
    // for one.
    if (api->tensor_shape(tensor, &shape) && (wanted->layout.ndim || size != 1))
        return refuse(api, message, "describing the output");
    bool same = code == types[wanted->dtype].code && shape.rank == wanted->layout.ndim;
    char found[128] = "";
    size_t at = 0;
    for (int64_t d = 0; d < shape.rank && at + 24 < sizeof found; d++) {
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%lld", d ? "," : "",
                               (long long)shape.dims[d]);
        same = same && shape.dims[d] == wanted->layout.shape[d];
    }
    if (shape.rank)
        api->shape_free(&shape);
    if (!same)
        return assay_answer(
            message, ASSAY_WRONG_RESULT, "output '%s' is %s[%s]; expected another %s", wanted->name,
            name_of_type(code), found, code == types[wanted->dtype].code ? "shape" : "type");
    const size_t bytes = assay_tensor_bytes(wanted);
    if (bytes && (api->tensor_data(tensor, &data) || !data))
        return refuse(api, message, "reading the output");
    if (bytes)
        memcpy(wanted->layout.data, data, bytes);
    return ASSAY_OK;
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    const struct api *const api = &instance->session->api;
    ov_handle *output = NULL;
    if (set_inputs(instance, request))
        return refuse(api, message, "setting inputs");
    // Not ov_infer_request_infer: OpenVINO 2026.4.1 crashes there, in the calling thread, when a
    // model compiled for one thread was freed before; a finding of its own, which would strike
    // cases at random.
    if (api->request_start(instance->request) || api->request_wait(instance->request))
        return refuse(api, message, "inferring");
    if (!request->output_count)
        return ASSAY_OK; // it should have been refused
    if (api->request_get_output(instance->request, 0, &output))
        return refuse(api, message, "getting the output");
    const enum assay_status status = copy_output(api, output, &request->outputs[0], message);
    api->tensor_free(output);
    return status;
}

static const char *const feeds[] = {"parameter", "constant"};

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = {.abi_version = ASSAY_PLUGIN_ABI_VERSION,
                                               .size = sizeof plugin,
                                               .name = "openvino",
                                               .capabilities = ASSAY_CAPABILITY_THREADS,
                                               .feed_count = 2,
                                               .feeds = feeds,
                                               .open = open_session,
                                               .version = version,
                                               .supports = supports,
                                               .prepare = prepare,
                                               .run = run,
                                               .release = release,
                                               .close = close_session};
    return &plugin;
}
