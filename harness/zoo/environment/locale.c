// SPDX-License-Identifier: Apache-2.0
// Changes the locale.

#include <locale.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    setlocale(LC_ALL, "C.UTF-8");
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("locale", 0);
    return &plugin;
}
