// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness/targets/onednn/library.h"

#include "harness/targets/helper/request.h"

#define CALL(name, member)                                                                         \
    {                                                                                              \
        "dnnl_" name, offsetof(struct dnn_calls, member)                                           \
    }

static const struct assay_symbol symbols[] = {
    CALL("engine_create", engine_create),
    CALL("engine_destroy", engine_destroy),
    CALL("stream_create", stream_create),
    CALL("stream_wait", stream_wait),
    CALL("stream_destroy", stream_destroy),
    CALL("memory_desc_equal", md_equal),
    CALL("memory_create", memory_create),
    CALL("memory_map_data", memory_map),
    CALL("memory_unmap_data", memory_unmap),
    CALL("memory_destroy", memory_destroy),
    CALL("reorder_primitive_desc_create", reorder_create),
    CALL("primitive_create", primitive_create),
    CALL("primitive_destroy", primitive_destroy),
    CALL("primitive_execute", execute),
    CALL("primitive_desc_query_md", query_md),
    CALL("primitive_desc_destroy", descriptor_destroy),
    CALL("primitive_attr_create", attributes_create),
    CALL("primitive_attr_destroy", attributes_destroy),
    CALL("primitive_attr_set_rnn_data_qparams", data_scales),
    CALL("primitive_attr_set_rnn_weights_qparams", weights_scales),
    CALL("primitive_attr_set_rnn_weights_projection_qparams", projection_scales),
};

// dnnl_version_t begins with these in both versions.
struct number {
    int major, minor, patch;
};

static enum assay_status start(struct dnn_library *library, struct assay_message *message)
{
    const struct number *(*number_of)(void) = NULL;
    const struct assay_symbol ask[] = {{"dnnl_version", 0}};
    const char *missing = assay_load_symbols(library->handle, ask, 1, &number_of);
    if (!missing)
        missing = assay_load_symbols(library->handle, symbols, sizeof symbols / sizeof *symbols,
                                     &library->calls);
    if (missing)
        return assay_answer(message, ASSAY_FAILED, "this oneDNN has no %s", missing);
    const struct number *const number = number_of();
    snprintf(library->number, sizeof library->number, "%d.%d.%d", number->major, number->minor,
             number->patch);
    if (number->major != library->version->major)
        return assay_answer(message, ASSAY_FAILED, "this is oneDNN %s, not %d", library->number,
                            library->version->major);
    const enum assay_status status = library->version->load(library, message);
    if (status != ASSAY_OK)
        return status;
    if (library->calls.engine_create(&library->engine, DNN_CPU, 0))
        return assay_answer(message, ASSAY_FAILED, "oneDNN %s has no engine for the CPU",
                            library->number);
    return ASSAY_OK;
}

enum assay_status dnn_open(struct dnn_library *library, const struct dnn_version *version,
                           struct assay_message *message)
{
    memset(library, 0, sizeof *library);
    library->version = version;
    return version->open(library, start, message);
}

// The library stays: its threads may still be ending.
void dnn_close(struct dnn_library *library)
{
    library->calls.engine_destroy(library->engine);
}
