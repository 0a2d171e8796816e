// SPDX-License-Identifier: Apache-2.0
// A plugin around the reference's (REFERENCE) whose element AT is wrong by its lowest bit, and no other.

#include <dlfcn.h>
#include <stdlib.h>

#include "harness/plugin.h"

static enum assay_status (*run_rightly)(struct assay_instance *instance, const struct assay_request *request,
                                        struct assay_message *message);

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    const enum assay_status status = run_rightly(instance, request, message);
    const uint64_t at = AT - request->window_first;
    if (status == ASSAY_OK && AT >= request->window_first && at < request->window_count)
        ((uint32_t *)request->outputs[0].layout.data)[at] ^= 1;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin;
    void *const library = dlopen(REFERENCE, RTLD_NOW | RTLD_LOCAL);
    const struct assay_plugin *(*entry)(void) = NULL;
    *(void **)&entry = library ? dlsym(library, "assay_plugin_entry") : NULL;
    if (!entry)
        abort();
    plugin = *entry();
    plugin.name = "late_element";
    run_rightly = plugin.run;
    plugin.run = run;
    return &plugin;
}
