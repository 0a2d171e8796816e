// SPDX-License-Identifier: Apache-2.0
// Sources that are the reference's own generators, by counter.

#include "stats/source/source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/nearest.h"
#include "ref/rng/mt19937.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"
#include "ref/rng/threefry.h"
#include "ref/rng/threefry_stream.h"

struct stream {
    uint32_t key[2];
    unsigned rounds;
};

static enum error philox_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct stream *const s = context;
    const struct philox_stream stream = {{s->key[0], s->key[1]}, {0}, s->rounds, 4};
    philox_fill_u32(&stream, first, words, to);
    *got = words;
    return ERROR_NONE;
}

static void threefry_evaluate(const void *context, const uint32_t *input, uint32_t *output)
{
    const struct stream *const s = context;
    const struct threefry_words block =
        threefry_block(&threefry2x32, (struct threefry_words){{input[0], input[1]}},
                       (struct threefry_words){{input[2], input[3]}}, s->rounds);
    output[0] = (uint32_t)block.word[0];
    output[1] = (uint32_t)block.word[1];
}

static enum error threefry_read(void *context, uint64_t first, size_t words, uint32_t *to,
                                size_t *got, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct stream *const s = context;
    *got = words;
    if (s->rounds == THREEFRY_ROUNDS) {
        threefry_fill(THREEFRY_PAIR, s->key, first / 2, words / 2, to);
        return ERROR_NONE;
    }
    threefry_fill_pairs(s->rounds, s->key, first / 2, words / 2, to);
    return ERROR_NONE;
}

static void philox_evaluate(const void *context, const uint32_t *input, uint32_t *output)
{
    const struct stream *const s = context;
    const struct philox_stream stream = {
        {input[4], input[5]}, {input[0], input[1], input[2], input[3]}, s->rounds, 4};
    philox_fill_u32_with(ISA_SCALAR, &stream, 0, 4, output);
}

static const struct block_function philox_function = {.input_words = 6,
                                                      .output_words = 4,
                                                      .counter_words = 4,
                                                      .evaluate = philox_evaluate},
                                   threefry_function = {.input_words = 4,
                                                        .output_words = 2,
                                                        .counter_words = 2,
                                                        .evaluate = threefry_evaluate};

struct twister {
    struct mt19937 generator;
    uint64_t position;
    uint32_t seed;
};

static enum error mt19937_read(void *context, uint64_t first, size_t words, uint32_t *to,
                               size_t *got, struct diagnostic *diagnostic)
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

// "philox4x32-7" against "philox4x32": the rounds; the usual ones without a suffix, 0 when it is
// another name.
static unsigned rounds_of(const char *name, const char *family, unsigned usual)
{
    const size_t length = strlen(family);
    if (strncmp(name, family, length) != 0)
        return 0;
    if (!name[length])
        return usual;
    char *end;
    const unsigned long rounds = name[length] == '-' ? strtoul(name + length + 1, &end, 10) : 0;
    return rounds >= 1 && rounds <= 72 && !*end ? (unsigned)rounds : 0;
}

enum error source_open_reference(struct source *source, const char *name, uint64_t seed,
                                 struct diagnostic *diagnostic)
{
    const unsigned philox = rounds_of(name, "philox4x32", PHILOX_ROUNDS);
    const unsigned threefry = rounds_of(name, "threefry2x32", THREEFRY_ROUNDS);
    const bool twister = !strcmp(name, "mt19937");
    struct nearest nearest = {.asked = name};
    char hint[NEAREST_HINT_SIZE];
    nearest_offer(&nearest, "philox4x32");
    nearest_offer(&nearest, "threefry2x32");
    nearest_offer(&nearest, "mt19937");
    nearest_offer(&nearest, "chacha20");
    if (!philox && !threefry && !twister)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "there is no source '%s'%s `assay help audit run` lists them", name,
                               *nearest_hint(&nearest, hint) ? hint : ";");
    void *const context = calloc(1, twister ? sizeof(struct twister) : sizeof(struct stream));
    if (!context)
        return diagnostic_no_memory(diagnostic);
    if (twister) {
        ((struct twister *)context)->seed = (uint32_t)seed;
        mt19937_seed(&((struct twister *)context)->generator, (uint32_t)seed);
        *source = (struct source){.name = "mt19937",
                                  .context = context,
                                  .read = mt19937_read,
                                  .close = free,
                                  .seed_bits = 32};
        return ERROR_NONE;
    }
    *(struct stream *)context =
        (struct stream){{(uint32_t)seed, (uint32_t)(seed >> 32)}, philox ? philox : threefry};
    *source = (struct source){.name = philox ? "philox4x32" : "threefry2x32",
                              .random_access = true,
                              .context = context,
                              .read = philox ? philox_read : threefry_read,
                              .close = free,
                              .reach = 63,
                              .block = philox ? &philox_function : &threefry_function,
                              .seed_bits = 64};
    return ERROR_NONE;
}
