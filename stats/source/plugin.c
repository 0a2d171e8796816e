// SPDX-License-Identifier: Apache-2.0
// Sources that are generators of the panel's plugins. They are ours, and run in this process: the
// clock of a detection includes no other.

#include "stats/source/source.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plugin.h"

struct plugin_source {
    void *library;
    const struct assay_plugin *plugin;
    struct assay_session *session;
    struct assay_instance *instance;
    char name[64];
};

static enum error plugin_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    const struct plugin_source *const source = context;
    struct assay_message message = {""};
    int64_t shape[1] = {INT64_MAX};
    struct assay_tensor output = {.name = "output", .dtype = ASSAY_U32};
    output.layout = (DLTensor){.data = to, .ndim = 1, .dtype = {kDLUInt, 32, 1}, .shape = shape};
    output.layout.device.device_type = kDLCPU;
    const struct assay_request request = {.size = sizeof request,
                                          .operation = "panel.words",
                                          .outputs = &output,
                                          .output_count = 1,
                                          .threads = 1,
                                          .window_first = first,
                                          .window_count = words};
    *got = 0;
    if (source->plugin->run(source->instance, &request, &message) != ASSAY_OK)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "the generator %s failed: %s",
                               source->name, message.text);
    *got = words;
    return ERROR_NONE;
}

static void plugin_close(void *context)
{
    struct plugin_source *const source = context;
    if (source->instance)
        source->plugin->release(source->instance);
    if (source->session)
        source->plugin->close(source->session);
    if (source->library)
        dlclose(source->library);
    free(source);
}

enum error source_open_plugin(struct source *source, const char *path, const char *generator,
                              uint64_t seed, struct diagnostic *diagnostic)
{
    struct plugin_source *const made = calloc(1, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    strncpy(made->name, generator, sizeof made->name - 1);
    made->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const symbol = made->library ? dlsym(made->library, "assay_plugin_entry") : NULL;
    const struct assay_plugin *(*entry)(void);
    memcpy(&entry, &symbol, sizeof entry);
    if (!symbol) {
        const char *const why = dlerror();
        const enum error error = diagnostic_fail(diagnostic, ERROR_INPUT, "%s is no plugin: %s",
                                                 path, why ? why : "no entry");
        plugin_close(made);
        return error;
    }
    made->plugin = entry();
    struct assay_message message = {""};
    const struct assay_attribute attribute[] = {
        {.name = "generator", .kind = ASSAY_TEXT, .text = made->name},
        {.name = "seed", .kind = ASSAY_INTEGER, .integer = (int64_t)seed}};
    const struct assay_request request = {.size = sizeof request,
                                          .operation = "panel.words",
                                          .attributes = attribute,
                                          .attribute_count = 2,
                                          .threads = 1};
    if (made->plugin->abi_version != ASSAY_PLUGIN_ABI_VERSION ||
        made->plugin->open(&made->session, &message) != ASSAY_OK ||
        made->plugin->prepare(made->session, &request, &made->instance, &message) != ASSAY_OK) {
        const enum error error = diagnostic_fail(diagnostic, ERROR_INPUT, "%s: generator %s: %s",
                                                 path, generator, message.text);
        plugin_close(made);
        return error;
    }
    *source = (struct source){.name = made->name,
                              .context = made,
                              .read = plugin_read,
                              .close = plugin_close,
                              .seed_bits = 64};
    return ERROR_NONE;
}
