// SPDX-License-Identifier: Apache-2.0
// Avalanche of a block function.

#include "stats/source/avalanche.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/threads.h"
#include "stats/kernel/kernel.h"
#include "stats/source/source.h"

// Columns stand in groups of eight words: differences, their neighbours, and the exclusive ors of
// pairs of words.
enum {
    GROUP_WORDS = 8,
    BATCH = 4096,
    COLUMNS_MAX = 2 * BLOCK_OUTPUT_MAX + BLOCK_OUTPUT_MAX * (BLOCK_OUTPUT_MAX - 1) / 2
};
enum { GROUPS_MAX = (COLUMNS_MAX + GROUP_WORDS - 1) / GROUP_WORDS };
_Static_assert(32 * GROUP_WORDS == KERNEL_POSITIONS,
               "a group fills the positions that are counted");

// Words drawn for an input: itself, and one by which pairs of its words are changed.
enum { DRAWN_FEW = 8, DRAWN_MANY = BLOCK_INPUT_MAX };

static unsigned drawn_of(const struct block_function *block)
{
    return (block->input_words <= DRAWN_FEW ? DRAWN_FEW : DRAWN_MANY) + 1;
}

struct job {
    const struct block_function *block;
    const void *context;
    const uint32_t *input;              // of each random input drawn_of(block) words
    uint32_t (*base)[BLOCK_OUTPUT_MAX]; // what the function makes of it
    size_t inputs;
    uint64_t (*count)[GROUPS_MAX * KERNEL_POSITIONS]; // for each change of the input
};

// Changes of the input: every bit alone; then every pair of words in each of these ways; then whole
// parts complemented.
enum { PAIR_XOR, PAIR_SHIFT, PAIR_EXCHANGE, PAIR_WAYS };
enum { WHOLE_COUNTER, WHOLE_KEY, WHOLE_ALL, WHOLE_WAYS };

static unsigned bits_of(const struct block_function *block)
{
    return 32 * block->input_words;
}

static unsigned changes_of(const struct block_function *block)
{
    return bits_of(block) + block->input_words * (block->input_words - 1) / 2 * PAIR_WAYS +
           WHOLE_WAYS;
}

// The pair of words and the way of a change beyond the bits; a part's way and a = b for those that
// complement.
static unsigned pair_of(const struct block_function *block, unsigned change, unsigned *a,
                        unsigned *b)
{
    unsigned pair = (change - bits_of(block)) / PAIR_WAYS;
    for (*b = 1; *b < block->input_words; pair -= (*b)++)
        if (pair < *b) {
            *a = pair;
            return (change - bits_of(block)) % PAIR_WAYS;
        }
    *a = *b;
    return change - (changes_of(block) - WHOLE_WAYS);
}

static void make_change(const struct block_function *block, unsigned change, const uint32_t *given,
                        uint32_t *turned)
{
    unsigned a, b;
    memcpy(turned, given, block->input_words * sizeof *turned);
    if (change < bits_of(block)) {
        turned[change / 32] ^= 1u << change % 32;
        return;
    }
    const unsigned way = pair_of(block, change, &a, &b);
    const uint32_t by = given[drawn_of(block) - 1] | 1;
    if (a == b) {
        for (unsigned w = 0; w < block->input_words; w++)
            if (way == WHOLE_ALL || (way == WHOLE_COUNTER) == (w < block->counter_words))
                turned[w] = ~turned[w];
    } else if (way == PAIR_XOR) {
        turned[a] ^= by, turned[b] ^= by;
    } else if (way == PAIR_SHIFT) {
        turned[a] += by, turned[b] -= by;
    } else {
        turned[a] = given[b] ^ (given[a] == given[b]), turned[b] = given[a];
    }
}

static unsigned columns_of(const struct block_function *block)
{
    return 2 * block->output_words + block->output_words * (block->output_words - 1) / 2;
}

static unsigned groups_of(const struct block_function *block)
{
    return (columns_of(block) + GROUP_WORDS - 1) / GROUP_WORDS;
}

static unsigned output_bits_of(const struct block_function *block)
{
    return block->output_bits ? block->output_bits : 32;
}

static void derive(const struct block_function *block, const uint32_t *difference, uint32_t *column)
{
    const unsigned words = block->output_words, last = output_bits_of(block) - 1;
    unsigned c = 0;
    for (unsigned w = 0; w < words; w++) {
        column[c++] = difference[w];
        column[c++] = difference[w] ^
                      (difference[w] >> 1 | difference[w] << last); // higher bits are not used
        for (unsigned v = 0; v < w; v++)
            column[c++] = difference[w] ^ difference[v];
    }
}

static enum error evaluate_all(const struct job *job, const uint32_t *input, size_t count,
                               uint32_t (*output)[BLOCK_OUTPUT_MAX], struct diagnostic *diagnostic)
{
    if (job->block->evaluate_all)
        return job->block->evaluate_all(job->context, input, count, output[0], diagnostic);
    for (size_t i = 0; i < count; i++)
        job->block->evaluate(job->context, input + i * BLOCK_INPUT_MAX, output[i]);
    return ERROR_NONE;
}

struct room {
    uint32_t group[GROUPS_MAX * BATCH * GROUP_WORDS], input[BATCH * BLOCK_INPUT_MAX],
        output[BATCH][BLOCK_OUTPUT_MAX];
};

static enum error evaluate_bases(struct job *job, struct room *room, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t start = 0; start < job->inputs && !error; start += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            memcpy(room->input + i * BLOCK_INPUT_MAX,
                   job->input + (start + i) * drawn_of(job->block),
                   job->block->input_words * sizeof *room->input);
        error = evaluate_all(job, room->input, BATCH, job->base + start, diagnostic);
    }
    return error;
}

static enum error count_bits(void *context, uint64_t first, uint64_t bits,
                             struct diagnostic *diagnostic)
{
    const struct job *const job = context;
    struct room *const room = aligned_alloc(64, (sizeof *room + 63) / 64 * 64);
    enum error error = room ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    const unsigned drawn = drawn_of(job->block), groups = groups_of(job->block);
    for (uint64_t bit = first; bit < first + bits; bit++)
        for (size_t start = 0; start < job->inputs && !error; start += BATCH) {
            for (size_t i = 0; i < BATCH; i++)
                make_change(job->block, (unsigned)bit, job->input + (start + i) * drawn,
                            room->input + i * BLOCK_INPUT_MAX);
            error = evaluate_all(job, room->input, BATCH, room->output, diagnostic);
            for (size_t i = 0; i < BATCH && !error; i++) {
                uint32_t *const difference = room->output[i],
                                column[GROUPS_MAX * GROUP_WORDS] = {0};
                for (unsigned w = 0; w < job->block->output_words; w++)
                    difference[w] ^= job->base[start + i][w];
                derive(job->block, difference, column);
                for (unsigned g = 0; g < groups; g++)
                    memcpy(room->group + ((size_t)g * BATCH + i) * GROUP_WORDS,
                           column + (size_t)g * GROUP_WORDS, GROUP_WORDS * sizeof *column);
            }
            for (unsigned g = 0; g < groups && !error; g++)
                kernel_chosen()->positions(room->group + (size_t)g * BATCH * GROUP_WORDS,
                                           (size_t)BATCH * GROUP_WORDS,
                                           job->count[bit] + (size_t)g * KERNEL_POSITIONS);
        }
    free(room);
    return error;
}

static enum error draw_inputs(struct job *job, uint64_t seed, uint32_t **input,
                              struct diagnostic *diagnostic)
{
    struct source source;
    size_t got;
    // Reads ask for whole grains.
    const size_t words =
        (job->inputs * drawn_of(job->block) + SOURCE_GRAIN - 1) / SOURCE_GRAIN * SOURCE_GRAIN;
    *input = aligned_alloc(64, words * sizeof **input);
    job->base = calloc(job->inputs, sizeof *job->base);
    job->count = calloc(changes_of(job->block), sizeof *job->count);
    if (!*input || !job->base || !job->count)
        return diagnostic_no_memory(diagnostic);
    enum error error = source_open_chacha(&source, seed, diagnostic);
    if (error)
        return error;
    error = source.read(source.context, 0, words, *input, &got, diagnostic);
    source_close(&source);
    job->input = *input;
    return error;
}

enum error avalanche_run(const struct block_function *block, const void *context,
                         unsigned log2_inputs, uint64_t seed, unsigned threads, uint32_t only,
                         struct judgement *judgement, struct diagnostic *diagnostic)
{
    assert(block->input_words <= BLOCK_INPUT_MAX && block->output_words <= BLOCK_OUTPUT_MAX);
    assert(log2_inputs >= 12 && block->counter_words <= block->input_words);
    struct job job = {.block = block, .context = context, .inputs = (size_t)1 << log2_inputs};
    uint32_t *input = NULL;
    const unsigned changes = changes_of(block), columns = columns_of(block) * 32;
    judgement_begin(judgement, only);
    enum error error = draw_inputs(&job, seed, &input, diagnostic);
    struct room *const room = malloc(sizeof *room);
    if (!error)
        error = room ? evaluate_bases(&job, room, diagnostic) : diagnostic_no_memory(diagnostic);
    free(room);
    if (!error)
        error = threads_run(threads, changes, 1, count_bits, &job, diagnostic);
    for (unsigned bit = 0; bit < changes && !error; bit++)
        for (unsigned c = 0; c < columns; c++)
            if (c % 32 < output_bits_of(block))
                judgement_add_fair(judgement, bit * columns + c, job.count[bit][c], job.inputs);
    free(input);
    free(job.base);
    free(job.count);
    return error;
}

void avalanche_describe(const struct block_function *block, uint32_t index, char *text, size_t size)
{
    const unsigned columns = columns_of(block) * 32, bit = (unsigned)index / columns,
                   column = index % columns / 32, at = index % 32;
    char from[112], to[64] = "";
    if (bit < bits_of(block) && block->input_name) {
        snprintf(from, sizeof from, "bit %u of %s turned over", bit % 32,
                 block->input_name[bit / 32]);
    } else if (bit < 32 * block->counter_words) {
        snprintf(from, sizeof from, "counter bit %u turned over", bit);
    } else if (bit < bits_of(block)) {
        snprintf(from, sizeof from, "key bit %u turned over", bit - 32 * block->counter_words);
    } else {
        static const char *const way_name[PAIR_WAYS] = {"changed in the same bits",
                                                        "moved by opposite amounts", "exchanged"};
        static const char *const whole_name[WHOLE_WAYS] = {"the counter", "the key",
                                                           "the whole input"};
        unsigned a, b;
        const unsigned way = pair_of(block, bit, &a, &b);
        if (a == b)
            snprintf(from, sizeof from, "%s complemented", whole_name[way]);
        else if (block->input_name)
            snprintf(from, sizeof from, "%s and %s %s", block->input_name[a], block->input_name[b],
                     way_name[way]);
        else
            snprintf(from, sizeof from, "input words %u and %u %s", a, b, way_name[way]);
    }
    unsigned c = 0;
    for (unsigned w = 0; w < block->output_words; w++) {
        if (c++ == column)
            snprintf(to, sizeof to, "bit %u of word %u", at, w);
        if (c++ == column)
            snprintf(to, sizeof to, "bits %u and %u of word %u together", at,
                     (at + 1) % output_bits_of(block), w);
        for (unsigned v = 0; v < w; v++)
            if (c++ == column)
                snprintf(to, sizeof to, "bit %u of words %u and %u together", at, w, v);
    }
    snprintf(text, size, "%s: how often %s turn", from, to);
}
