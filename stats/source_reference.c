// SPDX-License-Identifier: Apache-2.0
// Sources that are the reference's own generators, by counter.

#include "stats/source.h"

#include <stdlib.h>
#include <string.h>

#include "ref/rng/mt19937.h"
#include "ref/rng/philox_stream.h"
#include "ref/rng/threefry_stream.h"

struct stream {
    uint32_t key[2];
    unsigned rounds;
};

static enum error philox_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                              struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct stream *const s = context;
    const struct philox_stream stream = {{s->key[0], s->key[1]}, {0}, s->rounds, 4};
    philox_fill_u32(&stream, first, words, to);
    *got = words;
    return ERROR_NONE;
}

static enum error threefry_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                                struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct stream *const s = context;
    threefry_fill(THREEFRY_PAIR, s->key, first / 2, words / 2, to);
    *got = words;
    return ERROR_NONE;
}

struct twister {
    struct mt19937 generator;
    uint64_t position;
    uint32_t seed;
};

static enum error mt19937_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                               struct diagnostic *diagnostic)
{
    (void)diagnostic;
    struct twister *const twister = context;
    if (first < twister->position) {
        mt19937_seed(&twister->generator, twister->seed);
        twister->position = 0;
    }
    mt19937_skip(&twister->generator, first - twister->position);
    mt19937_fill(&twister->generator, to, words);
    twister->position = first + words;
    *got = words;
    return ERROR_NONE;
}

enum error source_open_reference(struct source *source, const char *name, uint64_t seed, struct diagnostic *diagnostic)
{
    const int philox = !strcmp(name, "philox4x32"), threefry = !strcmp(name, "threefry2x32"),
              twister = !strcmp(name, "mt19937");
    if (!philox && !threefry && !twister)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "there is no generator '%s' in the reference", name);
    void *const context = calloc(1, twister ? sizeof(struct twister) : sizeof(struct stream));
    if (!context)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (twister) {
        ((struct twister *)context)->seed = (uint32_t)seed;
        mt19937_seed(&((struct twister *)context)->generator, (uint32_t)seed);
        *source = (struct source){"mt19937", 0, context, mt19937_read, free};
        return ERROR_NONE;
    }
    *(struct stream *)context = (struct stream){{(uint32_t)seed, (uint32_t)(seed >> 32)}, 10};
    *source = (struct source){philox ? "philox4x32" : "threefry2x32", 1, context, philox ? philox_read : threefry_read, free};
    return ERROR_NONE;
}
