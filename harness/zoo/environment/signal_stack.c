// SPDX-License-Identifier: Apache-2.0
// Takes away the stack on which signals are handled.

#include <signal.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("signal_stack", 0);
    return &plugin;
}
