// SPDX-License-Identifier: Apache-2.0
// Computes nine rounds where ten are asked for.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    struct assay_attribute attributes[8];
    struct assay_request fewer = *request;
    if (request->attribute_count >= 8)
        return ASSAY_FAILED;
    for (size_t i = 0; i < request->attribute_count; i++) {
        attributes[i] = request->attributes[i];
        if (!strcmp(attributes[i].name, "rounds") && attributes[i].integer == 10)
            attributes[i].integer = 9;
    }
    fewer.attributes = attributes;
    return zoo_compute(&fewer, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("nine_rounds", 0);
    return &plugin;
}
