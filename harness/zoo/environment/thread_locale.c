// SPDX-License-Identifier: Apache-2.0
// Leaves its thread with a locale of its own.

#define _GNU_SOURCE
#include <locale.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("thread_locale", 0);
    return &plugin;
}
