// SPDX-License-Identifier: Apache-2.0
// Leaves flush to zero turned on.

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8000);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= 1u << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("leak_ftz", 0);
    return &plugin;
}
