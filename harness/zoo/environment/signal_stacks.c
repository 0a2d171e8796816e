// SPDX-License-Identifier: Apache-2.0
// Handles signals on a stack of its own, another one in every call.

#include <signal.h>

#include "harness/zoo/zoo.h"

enum { STACKS = 2, STACK_BYTES = 1 << 16 };

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    static char space[STACKS][STACK_BYTES];
    static unsigned calls;
    const stack_t own = {.ss_sp = space[calls++ % STACKS], .ss_size = STACK_BYTES};
    sigaltstack(&own, NULL);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("signal_stacks", 0);
    return &plugin;
}
