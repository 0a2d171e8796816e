// SPDX-License-Identifier: Apache-2.0
// Takes denormals for zero from then on.

#include "harness/zoo/zoo.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x40);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1u << 24));
#endif
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("leak_daz", 0);
    return &plugin;
}
