// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness/targets/onednn/library.h"

#include "harness/targets/helper/request.h"

#define SYMBOL(name, symbol, result, arguments) {"dnnl_" #symbol, offsetof(struct dnn_calls, name)},
static const struct assay_symbol symbols[] = {DNN_CALLS(SYMBOL)};

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
    if (library->calls.engine_create(&library->engine, DNN_CPU, 0) ||
        library->calls.stream_create(&library->stream, library->engine, DNN_IN_ORDER))
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
    library->calls.stream_destroy(library->stream);
    library->calls.engine_destroy(library->engine);
}
