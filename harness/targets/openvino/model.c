// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness/targets/openvino/model.h"

#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "harness/targets/helper/openvino_types.h"
#include "harness/targets/helper/request.h"

enum { TEXT_SIZE = 16384 };

// ---- types ------------------------------------------------------------------

struct type {
    const char *ir;        // in <data element_type>
    const char *precision; // in <port precision>
    int code;              // ov_element_type_e
};

#define OPENVINO_TYPE(dtype, ir, precision, name, code) [ASSAY_##dtype] = {ir, precision, code},
static const struct type types[] = {OPENVINO_TYPES(OPENVINO_TYPE)};

// The dtype that attribute output_type names, 0 when there is none.
static uint32_t type_named(const char *name)
{
    for (uint32_t i = ASSAY_BOOL; i <= OPENVINO_DTYPE_LAST; i++)
        if (!strcmp(types[i].ir, name))
            return i;
    return 0;
}

int openvino_code(uint32_t dtype)
{
    return types[dtype].code;
}

const char *openvino_type_name(int code)
{
    for (uint32_t i = ASSAY_BOOL; i <= OPENVINO_DTYPE_LAST; i++)
        if (types[i].ir && types[i].code == code)
            return types[i].ir;
    return "of an unknown type";
}

// ---- session ----------------------------------------------------------------

// NULL, or the first function that the library lacks.
static const char *load(void *library, struct openvino *api)
{
    static const struct assay_symbol symbols[] = {OPENVINO_CALLS(OPENVINO_SYMBOL)};
    return assay_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, api);
}

// NULL when it is not there.
static void *open_library(void)
{
    char folder[3500], pattern[4096];
    glob_t found;
    void *library = NULL;
    const char *const chosen = getenv("ASSAY_OPENVINO");
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (!assay_wheels_folder(folder, sizeof folder))
        return NULL;
    snprintf(pattern, sizeof pattern,
             "%s/lib/python3*/site-packages/openvino/libs/libopenvino_c.so.*", folder);
    if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
        library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

enum assay_status openvino_open_session(struct assay_session **result,
                                        struct assay_message *message)
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
    const char *const missing = load(session->library, &session->api);
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

void openvino_close_session(struct assay_session *session)
{
    session->api.core_free(session->core);
    free(session); // the library stays: its threads may still be ending
}

// ---- the request ------------------------------------------------------------

static const char *const uniform_inputs[] = {"shape", "minval", "maxval"}, *const range_inputs[] = {
                                                                               "start", "stop",
                                                                               "step"};

const char *const *openvino_inputs(const struct assay_request *request)
{
    if (!strcmp(request->operation, "openvino.random_uniform"))
        return uniform_inputs;
    return !strcmp(request->operation, "openvino.range") ? range_inputs : NULL;
}

uint32_t openvino_output_type(const struct assay_request *request)
{
    const struct assay_attribute *const type = assay_attribute_named(request, "output_type");
    return type && type->kind == ASSAY_TEXT ? type_named(type->text) : 0;
}

// ---- the model --------------------------------------------------------------

struct writer {
    char *text;
    size_t size, capacity;
    unsigned char *constants; // OPENVINO_CONSTANTS_SIZE bytes of the instance
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
        if (at + bytes > OPENVINO_CONSTANTS_SIZE)
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
    put(writer, "<data output_type=\"%s\"", types[openvino_output_type(request)].ir);
    if (openvino_inputs(request) == uniform_inputs) {
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
    const char *const *const names = openvino_inputs(request);
    const bool uniform = names == uniform_inputs;
    const struct assay_tensor *const shape = uniform ? assay_input_named(request, "shape") : NULL;
    const long long rank = shape && shape->layout.ndim == 1 ? (long long)shape->layout.shape[0] : 1;
    put(writer, "<?xml version=\"1.0\"?><net name=\"case\" version=\"11\"><layers>");
    for (int i = 0; i < OPENVINO_INPUTS; i++)
        put_input(writer, i, assay_input_named(request, names[i]), constant);
    put(writer, "<layer id=\"3\" name=\"node\" type=\"%s\" version=\"%s\">",
        uniform ? "RandomUniform" : "Range", uniform ? "opset8" : "opset4");
    put_node_data(writer, request);
    put(writer, "<input>");
    for (int i = 0; i < OPENVINO_INPUTS; i++)
        put_port(writer, i, assay_input_named(request, names[i]));
    put(writer, "</input><output><port id=\"3\" precision=\"%s\">",
        types[openvino_output_type(request)].precision);
    for (long long d = 0; d < (uniform ? rank : 1); d++)
        put(writer, "<dim>-1</dim>");
    put(writer,
        "</port></output></layer>"
        "<layer id=\"4\" name=\"output\" type=\"Result\" version=\"opset1\"><input>"
        "<port id=\"0\" precision=\"%s\">",
        types[openvino_output_type(request)].precision);
    for (long long d = 0; d < (uniform ? rank : 1); d++)
        put(writer, "<dim>-1</dim>");
    put(writer, "</port></input></layer></layers><edges>");
    for (int i = 0; i < OPENVINO_INPUTS; i++)
        put(writer, "<edge from-layer=\"%d\" from-port=\"0\" to-layer=\"3\" to-port=\"%d\"/>", i,
            i);
    put(writer,
        "<edge from-layer=\"3\" from-port=\"3\" to-layer=\"4\" to-port=\"0\"/></edges></net>");
}

// ---- instances --------------------------------------------------------------

void openvino_release(struct assay_instance *instance)
{
    const struct openvino *const api = &instance->session->api;
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
    const struct openvino *const api = &session->api;
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

enum assay_status openvino_refuse(const struct openvino *api, struct assay_message *message,
                                  const char *when)
{
    const char *const text = api->last_error();
    const bool other = !text || strstr(text, "bad_alloc") || strstr(text, "ot implemented") ||
                       strstr(text, "Element not supported");
    return assay_answer(message, other ? ASSAY_FAILED : ASSAY_REJECTED, "%s: %.400s", when,
                        text ? text : "no message");
}

enum assay_status openvino_prepare(struct assay_session *session,
                                   const struct assay_request *request,
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
        status = openvino_refuse(&session->api, message, "compiling");
    else if (session->api.compiled_request(instance->compiled, &instance->request))
        status = openvino_refuse(&session->api, message, "creating a request");
    free(writer.text);
    if (status == ASSAY_OK)
        *result = instance;
    else
        openvino_release(instance);
    return status;
}

ov_status openvino_set_inputs(const struct assay_instance *instance,
                              const struct assay_request *request)
{
    const struct openvino *const api = &instance->session->api;
    const char *const *const names = openvino_inputs(request);
    ov_status status = 0;
    size_t parameter = 0;
    for (size_t i = 0; i < OPENVINO_INPUTS && !status; i++) {
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
