// SPDX-License-Identifier: Apache-2.0
// The covering array is built greedily: each new row is the combination that meets the most pairs
// not met yet.

#include "harness/judge/run/conditions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { AXIS_VALUES_MAX = HOST_FEEDS_MAX, PRODUCT_MAX = CONDITIONS_THREADS * HOST_FEEDS_MAX * 16 };

struct space {
    unsigned values[AXIS_COUNT];
};

static struct space make_space(const struct host_description *description)
{
    const uint32_t can = description->capabilities;
    return (struct space){{
        [AXIS_THREADS] = (can & ASSAY_CAPABILITY_THREADS) ? CONDITIONS_THREADS : 1,
        [AXIS_FEED] = description->feed_count ? description->feed_count : 1,
        [AXIS_GUARD] = 2,
        [AXIS_POISON] = 2,
        [AXIS_PADDED] = (can & ASSAY_CAPABILITY_STRIDED) ? 2 : 1,
        [AXIS_TOGETHER] = (can & ASSAY_CAPABILITY_REENTRANT) ? 2 : 1,
    }};
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

static struct host_conditions to_conditions(const unsigned *value)
{
    return (struct host_conditions){.threads = value[AXIS_THREADS],
                                    .feed = value[AXIS_FEED],
                                    .guard = (enum host_guard)value[AXIS_GUARD],
                                    .poison = (enum host_poison)value[AXIS_POISON],
                                    .padded = value[AXIS_PADDED] != 0,
                                    .together = value[AXIS_TOGETHER] != 0};
}

struct pairs {
    bool met[AXIS_COUNT][AXIS_COUNT][AXIS_VALUES_MAX][AXIS_VALUES_MAX];
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

void conditions_make_plan(const struct host_description *description, struct conditions_plan *plan)
{
    struct space space = make_space(description);
    struct pairs pairs;
    unsigned value[AXIS_COUNT];
    memset(&pairs, 0, sizeof pairs);
    memset(plan, 0, sizeof *plan);
    if (description->process)
        space = (struct space){{1, 1, 1, 1, 1, 1}};
    for (unsigned best = 0; plan->count < CONDITIONS_ROWS_MAX;) {
        take_apart(&space, best, value);
        meet(&pairs, value, true);
        plan->row[plan->count++] = to_conditions(value);
        unsigned most = 0;
        for (unsigned i = 0; i < product(&space); i++) {
            take_apart(&space, i, value);
            const unsigned fresh = meet(&pairs, value, false);
            if (fresh > most) {
                most = fresh;
                best = i;
            }
        }
        if (!most)
            return;
    }
}

size_t conditions_product(const struct host_description *description, struct host_conditions *row,
                          size_t most)
{
    assert(most);
    const struct space space =
        description->process ? (struct space){{1, 1, 1, 1, 1, 1}} : make_space(description);
    size_t count = 0;
    for (unsigned i = 0; i < product(&space) && count < most; i++) {
        unsigned value[AXIS_COUNT];
        take_apart(&space, i, value);
        row[count++] = to_conditions(value);
    }
    return count;
}

const char *conditions_describe(const struct host_description *description,
                                const struct host_conditions *conditions, char *text, size_t size)
{
    assert(size);
    char threads[32] = "", feed[64] = "";
    if (conditions->threads)
        snprintf(threads, sizeof threads, " threads=%u", conditions->threads);
    if (conditions->feed && conditions->feed < HOST_FEEDS_MAX)
        snprintf(feed, sizeof feed, " feed=%s", description->feeds[conditions->feed]);
    snprintf(text, size, "%s%s%s%s%s%s%s", threads, feed,
             conditions->guard == HOST_GUARD_START ? " guard=start" : "",
             conditions->poison == HOST_POISON_B ? " poison=5a" : "",
             conditions->padded ? " padded" : "", conditions->together ? " two at once" : "",
             conditions->again ? " again" : "");
    if (!text[0])
        snprintf(text, size, "the usual way");
    else
        memmove(text, text + 1, strlen(text));
    return text;
}
