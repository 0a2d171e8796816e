// SPDX-License-Identifier: Apache-2.0
// The plugin itself, once in each file of the panel. Include last: the file has defined its list
// (PANEL_LIST), `struct state`, the functions that the list names, and
//   void start(struct state *, uint64_t seed, unsigned parameter);
// A file that keeps account of the words given (PANEL_DRAWS_WORDS) has defined as well
//   void draw_words(const struct panel_generator *, struct state *, uint32_t *to, size_t count);
// which gives the next `count` words, a multiple of PANEL_BATCH.

#ifndef ASSAY_STATS_PANEL_PLUGIN_H
#define ASSAY_STATS_PANEL_PLUGIN_H

#include "harness/targets/helper/request.h"
#include "harness/targets/helper/stateless.h"
#include "stats/panel/panel.h"

// A row is filled by the type of the function that the list names; any other type is an error.
#define OF_TYPE(function, type) _Generic((function), type * : (function), default : 0)
#define OF_ANY_TYPE(function)                                                                      \
    _Generic((function), panel_word * : 0, panel_pair * : 0, panel_bits * : 0, panel_fill * : 0)
#define PANEL_ROW(text, function, n)                                                               \
    {.name = (text),                                                                               \
     .word = OF_TYPE(function, panel_word),                                                        \
     .pair = OF_TYPE(function, panel_pair),                                                        \
     .bits = OF_TYPE(function, panel_bits),                                                        \
     .fill = OF_TYPE(function, panel_fill),                                                        \
     .parameter = (n) + OF_ANY_TYPE(function)},
#define FLAWED(function) PANEL_ROW(#function, function, 0)
#define FLAWED_AT(function, n) PANEL_ROW(#function "_" #n, function, n)
#define BEYOND(function, why) FLAWED(function)
#define BEYOND_AT(function, n, why) FLAWED_AT(function, n)
#define GOOD(function) FLAWED(function)
#define GOOD_AT(function, n) FLAWED_AT(function, n)

static const struct panel_generator panel_generators[] = {
#include PANEL_LIST
};

#ifndef PANEL_DRAWS_WORDS
static void draw_words(const struct panel_generator *of, struct state *state, uint32_t *to,
                       size_t count)
{
    if (of->fill)
        of->fill(state, to, count);
    for (size_t i = 0; i < count && of->word; i++)
        to[i] = of->word(state);
    for (size_t i = 0; i < count && of->pair; i += 2) {
        const uint64_t x = of->pair(state);
        to[i] = (uint32_t)x, to[i + 1] = (uint32_t)(x >> 32);
    }
}
#endif

_Static_assert(sizeof(struct state) <= PANEL_STATE_SIZE, "a generator's state");

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

static const struct panel_generator *panel_find(const struct assay_request *request)
{
    const struct assay_attribute *const wanted = assay_attribute_named(request, "generator");
    const unsigned count = sizeof panel_generators / sizeof *panel_generators;
    for (unsigned i = 0; i < count && wanted && wanted->text; i++)
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
    return assay_answer(message, ASSAY_UNSUPPORTED, "this plugin has no such generator");
}

static enum assay_status panel_prepare(struct assay_session *session,
                                       const struct assay_request *request,
                                       struct assay_instance **instance,
                                       struct assay_message *message)
{
    if (panel_supports(session, request, message) != ASSAY_OK)
        return ASSAY_REJECTED;
    const struct assay_attribute *const seed = assay_attribute_named(request, "seed");
    struct assay_instance *const made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    if (!made)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    memset(made, 0, sizeof *made);
    made->generator = panel_find(request);
    made->seed = seed ? (uint64_t)seed->integer : 1;
    start((struct state *)made->state, made->seed, made->generator->parameter);
    *instance = made;
    return ASSAY_OK;
}

// The next `count` words, a multiple of PANEL_BATCH.
static void panel_draw(struct assay_instance *instance, uint32_t *to, size_t count)
{
    draw_words(instance->generator, (struct state *)instance->state, to, count);
    instance->position += count;
}

static void panel_restart(struct assay_instance *instance)
{
    memset(instance->state, 0, sizeof instance->state);
    start((struct state *)instance->state, instance->seed, instance->generator->parameter);
    instance->position = 0;
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
        const uint64_t begin = first / PANEL_BATCH * PANEL_BATCH;
        const bool at_hand = instance->position == begin + PANEL_BATCH && instance->kept;
        if (begin < instance->position && !at_hand)
            panel_restart(instance);
        while (instance->position < begin)
            panel_draw(instance, instance->batch, PANEL_BATCH);
        uint64_t words = left / PANEL_BATCH * PANEL_BATCH;
        if (first == begin && words && !at_hand) {
            panel_draw(instance, to, words);
            instance->kept = false;
        } else {
            if (!at_hand)
                panel_draw(instance, instance->batch, PANEL_BATCH);
            instance->kept = true;
            words = begin + PANEL_BATCH - first < left ? begin + PANEL_BATCH - first : left;
            memcpy(to, instance->batch + (first - begin), words * sizeof *to);
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
                                               .close = assay_close_nothing};
    return &plugin;
}

#endif
