// SPDX-License-Identifier: Apache-2.0
// The plugin itself, once in each file of the panel. Include last, after `panel_generators` is
// defined.

#ifndef ASSAY_STATS_PANEL_PLUGIN_H
#define ASSAY_STATS_PANEL_PLUGIN_H

#include "stats/panel/panel.h"

static enum assay_status panel_open(struct assay_session **session, struct assay_message *message)
{
    (void)message;
    static struct assay_session only;
    *session = &only;
    return ASSAY_OK;
}

static const char *panel_version(struct assay_session *session)
{
    (void)session;
    return "1";
}

static const struct assay_attribute *panel_attribute(const struct assay_request *request,
                                                     const char *name)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name))
            return &request->attributes[i];
    return NULL;
}

static const struct panel_generator *panel_find(const struct assay_request *request)
{
    const struct assay_attribute *const wanted = panel_attribute(request, "generator");
    for (unsigned i = 0; i < panel_generator_count && wanted && wanted->text; i++)
        if (!strcmp(panel_generators[i].name, wanted->text))
            return &panel_generators[i];
    return NULL;
}

static enum assay_status panel_supports(struct assay_session *session,
                                        const struct assay_request *request,
                                        struct assay_message *message)
{
    (void)session;
    if (!strcmp(request->operation, "panel.words") && panel_find(request))
        return ASSAY_OK;
    snprintf(message->text, sizeof message->text, "this plugin has no such generator");
    return ASSAY_UNSUPPORTED;
}

static enum assay_status panel_prepare(struct assay_session *session,
                                       const struct assay_request *request,
                                       struct assay_instance **instance,
                                       struct assay_message *message)
{
    if (panel_supports(session, request, message) != ASSAY_OK)
        return ASSAY_REJECTED;
    const struct assay_attribute *const seed = panel_attribute(request, "seed");
    struct assay_instance *const made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    if (!made) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return ASSAY_FAILED;
    }
    memset(made, 0, sizeof *made);
    made->generator = panel_find(request);
    made->seed = seed ? (uint64_t)seed->integer : 1;
    made->generator->start(made->state, made->seed, made->generator->parameter);
    *instance = made;
    return ASSAY_OK;
}

static enum assay_status panel_run(struct assay_instance *instance,
                                   const struct assay_request *request,
                                   struct assay_message *message)
{
    (void)message;
    uint64_t first = request->window_first, left = request->window_count;
    uint32_t *to = request->outputs[0].layout.data;
    while (left) {
        // Generators give whole batches: what lies in the last one comes from there.
        const uint64_t start = first / PANEL_BATCH * PANEL_BATCH;
        const int at_hand = instance->position == start + PANEL_BATCH && instance->kept;
        if (start < instance->position && !at_hand) {
            memset(instance->state, 0, sizeof instance->state);
            instance->generator->start(instance->state, instance->seed,
                                       instance->generator->parameter);
            instance->position = 0;
        }
        for (; instance->position < start; instance->position += PANEL_BATCH)
            instance->generator->fill(instance->state, instance->batch, PANEL_BATCH);
        uint64_t words = left / PANEL_BATCH * PANEL_BATCH;
        if (first == start && words && !at_hand) {
            instance->generator->fill(instance->state, to, words);
            instance->position += words;
            instance->kept = 0;
        } else {
            if (!at_hand) {
                instance->generator->fill(instance->state, instance->batch, PANEL_BATCH);
                instance->position += PANEL_BATCH;
                instance->kept = 1;
            }
            words = start + PANEL_BATCH - first < left ? start + PANEL_BATCH - first : left;
            memcpy(to, instance->batch + (first - start), words * sizeof *to);
        }
        to += words;
        first += words;
        left -= words;
    }
    return ASSAY_OK;
}

static void panel_release(struct assay_instance *instance)
{
    free(instance);
}

static void panel_close(struct assay_session *session)
{
    (void)session;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const char *const feeds[] = {"attribute"};
    static const struct assay_plugin plugin = {.abi_version = ASSAY_PLUGIN_ABI_VERSION,
                                               .size = sizeof(struct assay_plugin),
                                               .name = "panel",
                                               .capabilities = ASSAY_CAPABILITY_WINDOW,
                                               .feed_count = 1,
                                               .feeds = feeds,
                                               .open = panel_open,
                                               .version = panel_version,
                                               .supports = panel_supports,
                                               .prepare = panel_prepare,
                                               .run = panel_run,
                                               .release = panel_release,
                                               .close = panel_close};
    return &plugin;
}

#endif
