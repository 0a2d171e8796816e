// SPDX-License-Identifier: Apache-2.0
// A plugin around the reference's (REFERENCE) whose element AT comes with another lowest bit, and
// no other element does; the first TIMES times that a process is asked for it, or always; REST
// seconds late, if that is asked for. With FUSED the others are those of RandomUniform in f64 with
// one rounding of u * (maxval - minval) + minval, where the reference has two. What holds one of
// the elements FAILS_AT, FAILS_AT + FAILS_EACH, ... is not answered.

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/plugin.h"

#ifndef TIMES
#define TIMES UINT64_MAX
#endif

#ifndef REST
#define REST 0
#endif

static enum assay_status (*run_rightly)(struct assay_instance *instance,
                                        const struct assay_request *request,
                                        struct assay_message *message);

#ifdef FUSED
// Between 0 and 1 both roundings are exact, and u itself comes out.
static enum assay_status run_others(struct assay_instance *instance,
                                    const struct assay_request *request,
                                    struct assay_message *message)
{
    double limit[2] = {0, 1}, asked[2] = {0, 1};
    struct assay_tensor inputs[8];
    struct assay_request plain = *request;
    plain.inputs = memcpy(inputs, request->inputs, request->input_count * sizeof *inputs);
    for (size_t i = 0; i < request->input_count; i++) {
        const int which = !strcmp(inputs[i].name, "maxval");
        if (!which && strcmp(inputs[i].name, "minval") != 0)
            continue;
        asked[which] = *(const double *)inputs[i].layout.data;
        inputs[i].layout.data = &limit[which];
    }
    const enum assay_status status = run_rightly(instance, &plain, message);
    double *const output = request->outputs[0].layout.data;
    const double span = asked[1] - asked[0];
    uint64_t count = request->window_count;
    for (int32_t d = 0; d < request->outputs[0].layout.ndim && !request->window_count; d++)
        count = (d ? count : 1) * (uint64_t)request->outputs[0].layout.shape[d];
    for (uint64_t i = 0; i < count && status == ASSAY_OK; i++)
        output[i] = fma(output[i], span, asked[0]);
    return status;
}
#else
#define run_others run_rightly
#endif

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
#ifdef FAILS_AT
    const uint64_t window_end = request->window_first + request->window_count;
    if (request->window_count && window_end > FAILS_AT &&
        (request->window_first <= FAILS_AT ||
         (window_end - 1 - FAILS_AT) / FAILS_EACH !=
             (request->window_first - 1 - FAILS_AT) / FAILS_EACH)) {
        snprintf(message->text, sizeof message->text, "no such window");
        return ASSAY_FAILED;
    }
#endif
    const enum assay_status status = run_others(instance, request, message);
    static uint64_t times;
    const uint64_t at = AT - request->window_first;
    if (status != ASSAY_OK || AT < request->window_first || at >= request->window_count)
        return status;
    sleep(REST);
    if (times++ < TIMES)
        ((unsigned char *)request->outputs[0]
             .layout.data)[at * (request->outputs[0].layout.dtype.bits / 8)] ^= 1; // little-endian
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin;
    void *const library = dlopen(REFERENCE, RTLD_NOW | RTLD_LOCAL);
    const struct assay_plugin *(*entry)(void) = NULL;
    *(void **)&entry = library ? dlsym(library, "assay_plugin_entry") : NULL;
    if (!entry)
        abort();
    plugin = *entry();
    plugin.name = "late_element";
#ifdef CAPABILITIES
    plugin.capabilities = CAPABILITIES;
#endif
    run_rightly = plugin.run;
    plugin.run = run;
    return &plugin;
}
