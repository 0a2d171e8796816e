// SPDX-License-Identifier: Apache-2.0
// OpenVINO's CPU plugin through its C API: RandomUniform-8 and Range-4 as one-node models
// (openvino/model.h).

#define _GNU_SOURCE
#include "harness/targets/helper/request.h"
#include "harness/targets/openvino/model.h"

static const char *version(struct assay_session *session)
{
    return session->version;
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    const char *const *const names = openvino_inputs(request);
    if (!names)
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "only openvino.random_uniform and openvino.range");
    if (!openvino_output_type(request))
        return assay_answer(message, ASSAY_UNSUPPORTED, "an IR model must name an element type");
    for (int i = 0; i < OPENVINO_INPUTS; i++) {
        const struct assay_tensor *const tensor = assay_input_named(request, names[i]);
        if (!tensor)
            return assay_answer(message, ASSAY_UNSUPPORTED,
                                "an IR model cannot leave out the input '%s'", names[i]);
        if (tensor->dtype > OPENVINO_DTYPE_LAST)
            return assay_answer(message, ASSAY_UNSUPPORTED, "no element type for input '%s'",
                                names[i]);
    }
    return ASSAY_OK;
}

static enum assay_status copy_output(const struct openvino *api, const ov_handle *tensor,
                                     const struct assay_tensor *wanted,
                                     struct assay_message *message)
{
    struct ov_shape shape = {0, NULL};
    int code = 0;
    void *data = NULL;
    size_t size = 0;
    if (api->tensor_type(tensor, &code) || api->tensor_size(tensor, &size))
        return assay_answer(message, ASSAY_FAILED, "describing the output: %.400s",
                            api->last_error());
    // The C API has no shape for a scalar (ov_tensor_get_shape fails): one element is then taken
    // for one.
    if (api->tensor_shape(tensor, &shape) && (wanted->layout.ndim || size != 1))
        return assay_answer(message, ASSAY_FAILED, "describing the output: %.400s",
                            api->last_error());
    bool same = code == openvino_code(wanted->dtype) && shape.rank == wanted->layout.ndim;
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
        return assay_answer(message, ASSAY_WRONG_RESULT,
                            "output '%s' is %s[%s]; expected another %s", wanted->name,
                            openvino_type_name(code), found,
                            code == openvino_code(wanted->dtype) ? "shape" : "type");
    const size_t bytes = assay_tensor_bytes(wanted);
    if (bytes && (api->tensor_data(tensor, &data) || !data))
        return assay_answer(message, ASSAY_FAILED, "reading the output: %.400s", api->last_error());
    if (bytes)
        memcpy(wanted->layout.data, data, bytes);
    return ASSAY_OK;
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    const struct openvino *const api = &instance->session->api;
    ov_handle *output = NULL;
    if (openvino_set_inputs(instance, request))
        return openvino_refuse(api, message, "setting inputs");
    // Not ov_infer_request_infer: OpenVINO 2026.4.1 crashes there, in the calling thread, when a
    // model compiled for one thread was freed before; a finding of its own, which would strike
    // cases at random.
    if (api->request_start(instance->request) || api->request_wait(instance->request))
        return openvino_refuse(api, message, "inferring");
    if (api->request_get_output(instance->request, 0, &output))
        return assay_answer(message, ASSAY_FAILED, "getting the output: %.400s", api->last_error());
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
                                               .open = openvino_open_session,
                                               .version = version,
                                               .supports = supports,
                                               .prepare = openvino_prepare,
                                               .run = run,
                                               .release = openvino_release,
                                               .close = openvino_close_session,
                                               .dtype_last = OPENVINO_DTYPE_LAST};
    return &plugin;
}
