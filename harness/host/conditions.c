// SPDX-License-Identifier: Apache-2.0
// The covering array is built greedily: each new row is the combination that meets the most pairs
// not met yet.

#include "harness/host/conditions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct space {
    unsigned values[AXIS_COUNT];
    uint32_t threads[CONDITIONS_VALUES_MAX];
};

static void add_threads(struct space *space, uint32_t threads)
{
    assert(space->values[AXIS_THREADS] < CONDITIONS_VALUES_MAX);
    space->threads[space->values[AXIS_THREADS]++] = threads;
}

static struct space make_space(const struct host_description *description)
{
    enum { ALL = 4 };
    const bool plugin = !description->process;
    const uint32_t can = plugin ? description->capabilities : 0;
    const uint32_t most =
        description->threads_most ? description->threads_most : CONDITIONS_THREADS;
    struct space space = {
        .values = {[AXIS_FEED] = description->feed_count ? description->feed_count : 1,
                   [AXIS_GUARD] = plugin ? 3 : 1,
                   [AXIS_POISON] = plugin ? 2 : 1,
                   [AXIS_PADDED] = (can & ASSAY_CAPABILITY_STRIDED) ? 2 : 1,
                   [AXIS_TOGETHER] = (can & ASSAY_CAPABILITY_REENTRANT) ? 2 : 1}};
    add_threads(&space, 0);
    if (!(can & ASSAY_CAPABILITY_THREADS))
        return space;
    for (uint32_t threads = 1; threads < most; threads = threads < ALL ? threads + 1 : threads * 2)
        add_threads(&space, threads);
    add_threads(&space, most);
    return space;
}

static unsigned product(const struct space *space)
{
    unsigned count = 1;
    for (int a = 0; a < AXIS_COUNT; a++)
        count *= space->values[a];
    return count;
}

// The values of combination `index`, the first axis fastest.
static void take_apart(const struct space *space, unsigned index, unsigned *value)
{
    for (int a = 0; a < AXIS_COUNT; a++) {
        value[a] = index % space->values[a];
        index /= space->values[a];
    }
}

static struct host_conditions to_conditions(const struct space *space, const unsigned *value)
{
    return (struct host_conditions){.threads = space->threads[value[AXIS_THREADS]],
                                    .feed = value[AXIS_FEED],
                                    .guard = (enum host_guard)value[AXIS_GUARD],
                                    .poison = (enum host_poison)value[AXIS_POISON],
                                    .padded = value[AXIS_PADDED] != 0,
                                    .together = value[AXIS_TOGETHER] != 0};
}

struct pairs {
    bool met[AXIS_COUNT][AXIS_COUNT][CONDITIONS_VALUES_MAX][CONDITIONS_VALUES_MAX];
};

static unsigned meet(struct pairs *pairs, const unsigned *value, bool commit)
{
    unsigned fresh = 0;
    for (int a = 0; a < AXIS_COUNT; a++)
        for (int b = a + 1; b < AXIS_COUNT; b++) {
            bool *const met = &pairs->met[a][b][value[a]][value[b]];
            fresh += !*met;
            *met = *met || commit;
        }
    return fresh;
}

void conditions_make_plan(const struct host_description *description, size_t rows,
                          struct conditions_plan *plan)
{
    assert(rows && rows <= CONDITIONS_ROWS_MAX);
    const struct space space = make_space(description);
    const unsigned count = product(&space);
    struct pairs pairs;
    unsigned value[AXIS_COUNT];
    memset(&pairs, 0, sizeof pairs);
    memset(plan, 0, sizeof *plan);
    for (unsigned best = 0, most = 1; most;) {
        take_apart(&space, best, value);
        meet(&pairs, value, true);
        plan->row[plan->count++] = to_conditions(&space, value);
        if (plan->count == rows)
            return;
        most = 0;
        for (unsigned i = 0; i < count; i++) {
            take_apart(&space, i, value);
            const unsigned fresh = meet(&pairs, value, false);
            if (fresh > most) {
                most = fresh;
                best = i;
            }
        }
    }
}

void conditions_put_untried(const struct host_description *description, struct text *text)
{
    static const struct {
        uint32_t capability; // that brings it; 0: every plugin has it, a process has not
        const char *words;
    } axes[] = {{0, "inaccessible pages beside tensors"},
                {0, "outputs poisoned"},
                {0, "checks of what a call does to its process"},
                {0, "repeated calls of one instance"},
                {ASSAY_CAPABILITY_THREADS, "several numbers of threads"},
                {ASSAY_CAPABILITY_STRIDED, "rows that stand apart"},
                {ASSAY_CAPABILITY_REENTRANT, "two calls at once"}};
    const uint32_t can = description->process ? 0 : description->capabilities;
    const size_t start = text->size;
    for (unsigned i = 0; i < sizeof axes / sizeof *axes; i++)
        if (axes[i].capability ? !(can & axes[i].capability) : description->process) {
            text_put(text, text->size > start ? ", " : "");
            text_put(text, axes[i].words);
        }
    if ((can & ASSAY_CAPABILITY_THREADS) && !description->threads_most) {
        text_put(text, text->size > start ? ", " : "");
        text_print(text, "more than %d threads", (int)CONDITIONS_THREADS);
    }
    if (description->capabilities & ASSAY_CAPABILITY_NONDETERMINISTIC) {
        text_put(text, text->size > start ? ", " : "");
        text_put(text, "equal calls giving equal bits");
    }
}

size_t conditions_product(const struct host_description *description, struct host_conditions *row,
                          size_t most)
{
    assert(most);
    const struct space space = make_space(description);
    size_t count = 0;
    for (unsigned i = 0; i < product(&space) && count < most; i++) {
        unsigned value[AXIS_COUNT];
        take_apart(&space, i, value);
        row[count++] = to_conditions(&space, value);
    }
    return count;
}

const char *conditions_describe(const struct host_description *description,
                                const struct host_conditions *conditions, char *text, size_t size)
{
    static const char *const guards[] = {[HOST_GUARD_END] = "",
                                         [HOST_GUARD_START] = " guard=start",
                                         [HOST_GUARD_INSIDE] = " guard=inside"};
    assert(size && (unsigned)conditions->guard < sizeof guards / sizeof *guards);
    char threads[32] = "", feed[64] = "";
    if (conditions->threads)
        snprintf(threads, sizeof threads, " threads=%u", conditions->threads);
    if (conditions->feed && conditions->feed < HOST_FEEDS_MAX)
        snprintf(feed, sizeof feed, " feed=%s", description->feeds[conditions->feed]);
    snprintf(text, size, "%s%s%s%s%s%s%s%s", threads, feed, guards[conditions->guard],
             conditions->poison == HOST_POISON_B ? " poison=5a" : "",
             conditions->padded ? " padded" : "", conditions->together ? " two at once" : "",
             conditions->remade  ? " again, and on new instances"
             : conditions->again ? " again"
                                 : "",
             conditions->back     ? " again, after another instance was made and run in its place"
             : conditions->beside ? " beside an instance of another request, in its place"
                                  : "");
    if (!text[0])
        snprintf(text, size, "the usual way");
    else
        memmove(text, text + 1, strlen(text));
    return text;
}
