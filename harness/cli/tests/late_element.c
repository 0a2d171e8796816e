// SPDX-License-Identifier: Apache-2.0
// A plugin around the reference's (REFERENCE) whose element AT comes with another lowest bit, and no other element does; the first
// TIMES times that a process is asked for it, or always; REST seconds late, if that is asked for.

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/plugin.h"

#ifndef TIMES
#define TIMES UINT64_MAX
#endif

#ifndef REST
#define REST 0
#endif

static enum assay_status (*run_rightly)(struct assay_instance *instance, const struct assay_request *request,
                                        struct assay_message *message);

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    const enum assay_status status = run_rightly(instance, request, message);
    static uint64_t times;
    const uint64_t at = AT - request->window_first;
    if (status != ASSAY_OK || AT < request->window_first || at >= request->window_count)
        return status;
    sleep(REST);
    if (times++ < TIMES)
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
