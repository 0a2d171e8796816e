// SPDX-License-Identifier: Apache-2.0
// Hands requests for networks to the plugin ASSAY_ZOO_OF, with one gross mistake that shows only
// where two features of a request meet. ASSAY_ZOO_FAULT names it: states, bias, training, peephole
// or sizes; without it nothing is changed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { INPUTS_MAX = 24, ATTRIBUTES_MAX = 24 };

static const struct assay_plugin *inner;
static const char *fault;

struct rewritten {
    struct assay_request request;
    struct assay_tensor inputs[INPUTS_MAX];
    struct assay_attribute attributes[ATTRIBUTES_MAX];
    int64_t shape[5];
    void *made;
};

static const struct assay_tensor *input(const struct assay_request *request, const char *name)
{
    return assay_input_named(request, name);
}

static bool says(const struct assay_request *request, const char *name, const char *text)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name) && request->attributes[i].text)
            return !strcmp(request->attributes[i].text, text);
    return false;
}

// An input of f32 that is not there: `value` from element `first` on, before it 0.
static void add_input(struct rewritten *to, const char *name, const int64_t *shape, int64_t first,
                      float value)
{
    struct assay_tensor *const tensor = &to->inputs[to->request.input_count++];
    int64_t count = 1;
    memcpy(to->shape, shape, 4 * sizeof *shape);
    for (int d = 0; d < 4; d++)
        count *= shape[d];
    float *const data = calloc((size_t)count + 1, sizeof *data);
    for (int64_t i = first; data && i < count; i++)
        data[i] = value;
    to->made = data;
    *tensor = to->inputs[0];
    tensor->name = name;
    tensor->dtype = ASSAY_F32;
    tensor->layout = (DLTensor){.data = data,
                                .device = tensor->layout.device,
                                .ndim = 4,
                                .dtype = {kDLFloat, 32, 1},
                                .shape = to->shape};
}

static void rewrite(const struct assay_request *from, struct rewritten *to)
{
    const struct assay_tensor *const weights = input(from, "weights_iter"), *const source = input(
                                                                                from, "src_layer");
    *to = (struct rewritten){.request = *from};
    memcpy(to->inputs, from->inputs, from->input_count * sizeof *to->inputs);
    memcpy(to->attributes, from->attributes, from->attribute_count * sizeof *to->attributes);
    to->request.inputs = to->inputs;
    to->request.attributes = to->attributes;
    if (!weights || !source || weights->layout.ndim != 5 || !source->layout.data)
        return;
    const int64_t *const w = weights->layout.shape, n = source->layout.shape[1];
    const bool r2l = says(from, "direction", "right2left");
    if (!strcmp(fault, "states") && !input(from, "src_iter") && source->dtype == ASSAY_F32 &&
        !says(from, "cell", "lstm"))
        add_input(to, "src_iter", (const int64_t[]){w[0], w[1], n, w[2]}, r2l ? 0 : n * w[2],
                  0.75f);
    if (!strcmp(fault, "bias") && !input(from, "bias") &&
        (w[0] > 1 || w[1] > 1 || source->dtype != ASSAY_F32))
        add_input(to, "bias",
                  (const int64_t[]){
                      w[0], w[1],
                      w[3] + (says(from, "cell", "lbr_gru") || says(from, "cell", "lbr_augru")),
                      w[4]},
                  0, 0.5f);
    for (size_t i = 0; i < to->request.attribute_count; i++)
        if (!strcmp(fault, "training") && r2l && says(from, "propagation", "forward_training") &&
            !strcmp(to->attributes[i].name, "direction"))
            to->attributes[i].text = "left2right";
    const struct assay_tensor *const peephole = input(from, "weights_peephole");
    if (!strcmp(fault, "peephole") && peephole && input(from, "weights_projection"))
        to->inputs[peephole - from->inputs] = to->inputs[--to->request.input_count];
}

static bool is_beyond(const struct assay_request *request)
{
    const struct assay_tensor *const weights = input(request, "weights_iter"), *const source =
                                                                                   input(
                                                                                       request,
                                                                                       "src_layer");
    const bool backward = says(request, "propagation", "backward");
    return weights && source && weights->layout.ndim == 5 && source->layout.ndim == 3 &&
           (weights->layout.shape[0] > 3 || weights->layout.shape[4] > (backward ? 33 : 128) ||
            source->layout.shape[0] > (backward ? 16 : 64) ||
            source->layout.shape[1] > (backward ? 31 : 33));
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    struct rewritten to;
    rewrite(request, &to);
    const enum assay_status status = inner->run(instance, &to.request, message);
    free(to.made);
    for (size_t i = 0; i < request->output_count && !strcmp(fault, "sizes"); i++)
        if (status == ASSAY_OK && is_beyond(request))
            memset(request->outputs[i].layout.data, 0,
                   (size_t)assay_element_count(&request->outputs[i]) *
                       request->outputs[i].layout.dtype.bits / 8);
    return status;
}

static void alter(struct assay_plugin *plugin)
{
    const struct assay_plugin *(*entry)(void) = NULL;
    const char *const path = getenv("ASSAY_ZOO_OF");
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL,
                *const symbol = library ? dlsym(library, "assay_plugin_entry") : NULL;
    memcpy(&entry, &symbol, sizeof symbol);
    fault = getenv("ASSAY_ZOO_FAULT") ? getenv("ASSAY_ZOO_FAULT") : "";
    inner = entry ? entry() : NULL;
    if (!inner)
        return;
    *plugin = *inner;
    plugin->name = "rewrites";
    plugin->run = run;
}

static const struct zoo_plugin zoo_plugin = {.name = "rewrites", .alter = alter};
