// SPDX-License-Identifier: Apache-2.0
// The words of openvino.random_uniform: the published Philox, and the readings that are told apart
// from it.

#include <stdlib.h>
#include <string.h>

#include "ref/op/openvino/random_uniform.h"
#include "ref/op/openvino/random_uniform_forms.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"

enum { READING_LITERAL = 1 };
enum { STATE_SKIP_256_GROUPS = 1, STATE_SKIP_GROUPS, STATE_SKIP_256_ELEMENTS };
enum { SEEDS_SWAPPED = 1, SEEDS_LOW_32_BITS };
enum { ORDER_DESCENDING = 1, ORDER_PAIRS_SWAPPED };
enum { I64_WORDS_ONE = 1 };

void random_uniform_start(struct random_uniform *uniform, const struct request *request,
                          const struct inference *inference, uint64_t elements)
{
    *uniform = (struct random_uniform){
        .type = inference->output[0].dtype,
        .pytorch = request->attribute[RANDOM_UNIFORM_ALIGNMENT].integer != 0,
        .global_seed = (uint64_t)request->attribute[RANDOM_UNIFORM_GLOBAL_SEED].integer,
        .op_seed = (uint64_t)request->attribute[RANDOM_UNIFORM_OP_SEED].integer,
        .minimum = inference->own.word[RANDOM_UNIFORM_OWN_MINIMUM],
        .maximum = inference->own.word[RANDOM_UNIFORM_OWN_MAXIMUM],
        .count = inference->own.word[RANDOM_UNIFORM_OWN_COUNT],
    };
    memcpy(uniform->option, request->profile.option, sizeof uniform->option);
    const char *const rounds = request->operation->choices[RANDOM_UNIFORM_ROUNDS]
                                   .options[uniform->option[RANDOM_UNIFORM_ROUNDS]];
    uniform->rounds = (unsigned)strtoul(rounds, NULL, 10);
    if (uniform->option[RANDOM_UNIFORM_SEEDS] == SEEDS_SWAPPED) {
        const uint64_t seed = uniform->global_seed;
        uniform->global_seed = uniform->op_seed;
        uniform->op_seed = seed;
    } else if (uniform->option[RANDOM_UNIFORM_SEEDS] == SEEDS_LOW_32_BITS) {
        uniform->global_seed = (uint32_t)uniform->global_seed;
        uniform->op_seed = (uint32_t)uniform->op_seed;
    }
    if (elements > RANDOM_UNIFORM_NARROW_DRAWS && random_uniform_wants_table(uniform))
        random_uniform_make_table(uniform);
}

// PyTorch alignment: one word while both bounds, compared as signed, are below 2^32.
unsigned random_uniform_words_per_element(const struct random_uniform *uniform)
{
    if (uniform->type == DTYPE_F64)
        return 2;
    if (uniform->type != DTYPE_I64)
        return 1;
    if (uniform->pytorch)
        return (int64_t)uniform->minimum < INT64_C(1) << 32 &&
                       (int64_t)uniform->maximum < INT64_C(1) << 32
                   ? 1
                   : 2;
    return uniform->option[RANDOM_UNIFORM_I64_WORDS] == I64_WORDS_ONE ? 1 : 2;
}

// One round of the text read to the letter: each 64-bit half is updated from its own product, and
// the low word is listed first.
static void literal_round(uint32_t half[2], uint32_t multiplier, uint32_t key)
{
    const uint32_t low = half[0], high = half[1];
    const uint64_t product = (uint64_t)low * multiplier;
    half[1] = (uint32_t)product;
    half[0] = (uint32_t)(product >> 32) ^ key ^ high;
}

static void literal_block(const uint32_t counter[4], uint64_t seed, unsigned rounds,
                          uint32_t word[4])
{
    uint32_t n[2] = {counter[0], counter[1]}, c[2] = {counter[2], counter[3]};
    uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32);
    for (unsigned r = 0; r < rounds; r++) {
        literal_round(n, 0xD2511F53, high);
        literal_round(c, 0xCD9E8D57, low);
        high += 0x9E3779B9;
        low += 0xBB67AE85;
    }
    word[0] = n[1];
    word[1] = n[0];
    word[2] = c[1];
    word[3] = c[0];
}

static void any_block(const struct random_uniform *uniform, uint64_t group, uint32_t word[4])
{
    uint32_t counter[4] = {(uint32_t)group, (uint32_t)(group >> 32), (uint32_t)uniform->op_seed,
                           (uint32_t)(uniform->op_seed >> 32)};
    if (uniform->option[RANDOM_UNIFORM_COUNTER_HALVES]) {
        const uint32_t swapped[4] = {counter[2], counter[3], counter[0], counter[1]};
        memcpy(counter, swapped, sizeof counter);
    }
    if (uniform->option[RANDOM_UNIFORM_PHILOX_READING] == READING_LITERAL) {
        literal_block(counter, uniform->global_seed, uniform->rounds, word);
    } else {
        const struct philox_counter at = {{counter[0], counter[1], counter[2], counter[3]}};
        const struct philox_key key = {
            {(uint32_t)uniform->global_seed, uniform->global_seed >> 32}};
        const struct philox_counter block = philox_block(&philox4x32, at, key, uniform->rounds);
        for (unsigned i = 0; i < 4; i++)
            word[i] = (uint32_t)block.word[i];
    }
    static const unsigned char order[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}};
    const unsigned char *const from = order[uniform->option[RANDOM_UNIFORM_WORD_ORDER]];
    const uint32_t as_drawn[4] = {word[0], word[1], word[2], word[3]};
    for (unsigned i = 0; i < 4; i++)
        word[i] = as_drawn[from[i]];
}

void random_uniform_words_start(struct random_uniform_words *words,
                                const struct random_uniform *uniform, unsigned run, uint64_t first)
{
    const uint64_t all_words = uniform->count * random_uniform_words_per_element(uniform);
    const uint64_t groups = all_words / 4 + (all_words % 4 != 0);
    const unsigned state = uniform->option[RANDOM_UNIFORM_STATE];
    words->uniform = uniform;
    words->next = first;
    const uint64_t step = state == STATE_SKIP_256_GROUPS     ? 256 * groups
                          : state == STATE_SKIP_GROUPS       ? groups
                          : state == STATE_SKIP_256_ELEMENTS ? 256 * uniform->count
                                                             : 0;
    words->group_offset = run * step + uniform->option[RANDOM_UNIFORM_COUNTER_START];
    if (uniform->pytorch) {
        mt19937_seed(&words->twister, (uint32_t)uniform->global_seed);
        mt19937_skip(&words->twister, first);
    }
}

// The published reading, which every option but these leaves alone, goes through the fast fill.
static bool is_published(const struct random_uniform *uniform)
{
    return !uniform->option[RANDOM_UNIFORM_PHILOX_READING] &&
           !uniform->option[RANDOM_UNIFORM_COUNTER_HALVES] &&
           !uniform->option[RANDOM_UNIFORM_WORD_ORDER];
}

static struct philox_stream stream_of(const struct random_uniform_words *words)
{
    const struct random_uniform *const uniform = words->uniform;
    return (struct philox_stream){
        .key = {(uint32_t)uniform->global_seed, (uint32_t)(uniform->global_seed >> 32)},
        .counter = {(uint32_t)words->group_offset, (uint32_t)(words->group_offset >> 32),
                    (uint32_t)uniform->op_seed, (uint32_t)(uniform->op_seed >> 32)},
        .rounds = uniform->rounds,
        .carry_words = 2,
    };
}

bool random_uniform_words_drawn(const struct random_uniform_words *words, uint64_t count,
                                struct philox_stream *stream, struct random_uniform_drawn *drawn)
{
    const struct random_uniform *const uniform = words->uniform;
    if (uniform->pytorch || !is_published(uniform) || words->next % 4)
        return false;
    *stream = stream_of(words);
    const uint64_t block = words->next / 4 + words->group_offset,
                   before_wrap = (UINT64_C(1) << 32) - (uint32_t)block;
    *drawn = (struct random_uniform_drawn){
        .stream = stream,
        .counter = {(uint32_t)block, (uint32_t)(block >> 32), stream->counter[2],
                    stream->counter[3]},
        .blocks = (size_t)(count / 4 < before_wrap ? count / 4 : before_wrap),
        .streamed = uniform->streamed};
    return true;
}

void random_uniform_words_next(struct random_uniform_words *words, uint32_t *word, size_t count)
{
    const struct random_uniform *const uniform = words->uniform;
    const uint64_t first = words->next;
    words->next += count;
    if (uniform->pytorch) {
        mt19937_fill(&words->twister, word, count);
        return;
    }
    if (is_published(uniform)) {
        const struct philox_stream stream = stream_of(words);
        philox_fill_u32(&stream, first, count, word);
        return;
    }
    for (size_t i = 0; i < count;) {
        uint32_t block[4];
        any_block(uniform, (first + i) / 4 + words->group_offset, block);
        for (unsigned from = (unsigned)((first + i) % 4); from < 4 && i < count; from++)
            word[i++] = block[from];
    }
}
