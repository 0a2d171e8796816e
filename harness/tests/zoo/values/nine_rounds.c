// SPDX-License-Identifier: Apache-2.0
// Computes nine rounds where ten are asked for.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
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

static const struct zoo_plugin zoo_plugin = {.name = "nine_rounds", .run = run};
