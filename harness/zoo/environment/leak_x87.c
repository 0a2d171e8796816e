// SPDX-License-Identifier: Apache-2.0
// Leaves the x87 unit rounding to single precision (where there is one; else another rounding
// mode).

#include <fenv.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
#if defined(__x86_64__)
    uint16_t control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (uint16_t)(control & ~0x300);
    __asm__ volatile("fldcw %0" : : "m"(control));
#else
    fesetround(FE_UPWARD);
#endif
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("leak_x87", 0);
    return &plugin;
}
