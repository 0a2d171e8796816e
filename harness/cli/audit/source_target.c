// SPDX-License-Identifier: Apache-2.0
// An operation of a target as a source of words.
//
// The stream is cut into pieces. A request, written as text with a few numbers in it, asks for one
// piece; where the operation takes a counter, an offset or a state, the piece is a window of one
// long stream, and any may be asked. Where it does not, each piece is an array of its own under a
// seed (or second key word) that counts up from 0: the stream then holds what one call gives and
// what neighbouring seeds give. Floats in [0, 1) give the bits of their grid, packed; one that is
// not on it ends the audit with an error, for then the target breaks the operation's law.
//
// Where a request takes any counters and a key for each (philox and threefry), the function behind
// the stream is at hand as well: its avalanche is looked at.

#include "harness/cli/audit/source.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/audit/target_request.h"
#include "harness/cli/audit/target_words.h"
#include "harness/cli/target_table.h"
#include "harness/judge/compare/convert.h"
#include "ref/variant/variant.h"

struct target_source {
    struct arena arena; // of the target's name
    char name[128];
    const struct target_row *row;
    struct host *host;
    struct target_piece piece; // the one that `words` holds, if `held`
    bool held;
    uint32_t *words;
    void *elements, *counter, *key;
    struct block_function block;
    pthread_mutex_t lock;
};

// Consecutive counters from that of element `first` on, in place of the one that the text has.
static void set_counters(const struct target_source *source, uint64_t piece,
                         struct request *request)
{
    const struct target_row *const row = source->row;
    const int at = operation_input(request->operation, "counter");
    const uint64_t blocks = row->elements / row->block, first = piece * blocks;
    struct tensor *const counter = &request->input[at < 0 ? 0 : at];
    counter->shape[0] = blocks;
    counter->data = source->counter;
    for (uint64_t b = 0; b < blocks; b++)
        for (unsigned w = 0; w < row->block; w++) {
            const uint64_t value = row->bits == 64 ? (w ? 0 : first + b)
                                   : w < 2         ? (first + b) >> 32 * w & UINT32_MAX
                                                   : 0;
            if (row->bits == 64)
                ((uint64_t *)source->counter)[b * row->block + w] = value;
            else
                ((uint32_t *)source->counter)[b * row->block + w] = (uint32_t)value;
        }
}

// Any counters, and a key for each, in place of those that the text has. `input` is laid out as
// avalanche.h says.
static void set_inputs(const struct target_source *source, const uint32_t *input, size_t count,
                       struct request *request)
{
    const struct block_function *const block = &source->block;
    const unsigned width = source->row->bits / 32; // words of 32 bits in one of the request's
    const unsigned counter_words = block->counter_words / width,
                   key_words = (block->input_words - block->counter_words) / width;
    const int counter_at = operation_input(request->operation, "counter"),
              key_at = operation_input(request->operation, "key");
    struct tensor *const counter = &request->input[counter_at < 0 ? 0 : counter_at];
    struct tensor *const key = &request->input[key_at < 0 ? 0 : key_at];
    counter->shape[0] = count;
    counter->data = source->counter;
    key->rank = 2;
    key->shape[0] = count;
    key->shape[1] = key_words;
    key->data = source->key;
    for (size_t i = 0; i < count; i++, input += BLOCK_INPUT_MAX) {
        target_words_put(input, width, counter_words, source->counter, i * counter_words);
        target_words_put(input + block->counter_words, width, key_words, source->key,
                         i * key_words);
    }
}

// Puts a request to the target; its answer, of type *dtype, goes to source->elements. Or only asks
// whether that could be had.
static enum error exchange(struct target_source *source, const struct request *request,
                           struct arena *arena, bool ask, enum dtype *dtype,
                           struct diagnostic *diagnostic)
{
    struct inference inference = {0};
    struct host_request converted;
    enum error error = variant_infer(request, &inference, diagnostic);
    if (!error)
        error = judge_convert_request(request, &inference, arena, &converted, diagnostic);
    if (error)
        return error;
    ((struct host_tensor *)(uintptr_t)converted.outputs)[0].tensor.data = source->elements;
    *dtype = converted.outputs[0].tensor.dtype;
    struct host_call host_call = {.request = &converted, .ask = ask};
    host_run(source->host, &host_call, 1);
    if (host_call.outcome == HOST_OK)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic,
                           host_call.outcome == HOST_UNSUPPORTED ? ERROR_UNSUPPORTED : ERROR_SYSTEM,
                           "%s: %s%s%s", source->name, host_outcome_name(host_call.outcome),
                           *host_call.message ? ": " : "", host_call.message);
}

// Asks for one piece, or for the blocks of `count` inputs; or only whether that could be had.
static enum error call(struct target_source *source, const uint32_t *input, size_t count, bool ask,
                       struct diagnostic *diagnostic)
{
    const struct target_row *const row = source->row;
    struct arena arena = {0};
    struct request request;
    enum dtype dtype = DTYPE_NONE;
    enum error error =
        target_row_request(row, &source->piece, source->name, &arena, &request, diagnostic);
    if (!error && input)
        set_inputs(source, input, count, &request);
    else if (!error && row->counters)
        set_counters(source, source->piece.number, &request);
    if (!error)
        error = exchange(source, &request, &arena, ask, &dtype, diagnostic);
    if (!error && !ask && !input && row->bits % 32)
        error = target_words_pack(source->elements, dtype, row->elements, row->bits, source->name,
                                  source->words, diagnostic);
    else if (!error && !ask && !input)
        target_words_unpack(source->elements, row->elements, row->bits / 32, source->words);
    arena_release(&arena);
    return error;
}

// For key_tree.split, of target_split_row's children.
static enum error target_split(void *context, uint64_t key, uint64_t *child,
                               struct diagnostic *diagnostic)
{
    struct target_source *const source = context;
    struct arena arena = {0};
    struct request request;
    enum dtype dtype;
    const struct target_piece piece = {.seed = key};
    pthread_mutex_lock(&source->lock);
    enum error error =
        target_row_request(&target_split_row, &piece, source->name, &arena, &request, diagnostic);
    if (!error)
        error = exchange(source, &request, &arena, false, &dtype, diagnostic);
    const uint32_t *const word = source->elements;
    for (size_t c = 0; c < target_split_row.elements / 2 && !error; c++)
        child[c] = (uint64_t)word[2 * c] << 32 | word[2 * c + 1];
    pthread_mutex_unlock(&source->lock);
    arena_release(&arena);
    return error;
}

static enum error target_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    struct target_source *const source = context;
    const size_t size = target_row_words(source->row);
    enum error error = ERROR_NONE;
    pthread_mutex_lock(&source->lock); // a worker does one thing at a time
    for (*got = 0; *got < words && !error;) {
        const uint64_t piece = (first + *got) / size, from = (first + *got) % size;
        if (!target_row_has(source->row, piece))
            break; // the seeds of its pieces are at their end
        if (!source->held || source->piece.number != piece) {
            source->piece.number = piece;
            error = call(source, NULL, 0, false, diagnostic);
            source->held = !error;
        }
        const size_t part = size - from < words - *got ? size - (size_t)from : words - *got;
        if (!error) {
            memcpy(to + *got, source->words + from, part * sizeof *to);
            *got += part;
        }
    }
    pthread_mutex_unlock(&source->lock);
    return error;
}

static enum error target_evaluate(const void *context, const uint32_t *input, size_t count,
                                  uint32_t *output, struct diagnostic *diagnostic)
{
    struct target_source *const source = (struct target_source *)(uintptr_t)context;
    const unsigned words = source->block.output_words, width = source->row->bits / 32;
    const size_t most = source->row->elements / (words / width);
    enum error error = ERROR_NONE;
    pthread_mutex_lock(&source->lock);
    for (size_t done = 0, part; done < count && !error; done += part) {
        part = count - done < most ? count - done : most;
        error = call(source, input + done * BLOCK_INPUT_MAX, part, false, diagnostic);
        for (size_t i = 0; i < part && !error; i++)
            target_words_unpack((const char *)source->elements + i * words * 4, words / width,
                                width, output + (done + i) * BLOCK_OUTPUT_MAX);
    }
    pthread_mutex_unlock(&source->lock);
    return error;
}

// Whether the target takes a key for each counter: then the function behind its stream can be asked
// for.
static bool has_block(struct target_source *source)
{
    static const uint32_t input[2 * BLOCK_INPUT_MAX] = {0};
    struct diagnostic diagnostic;
    const unsigned words = source->row->block,
                   keys = !strcmp(source->row->name, "philox") ? words / 2 : words;
    const unsigned width = source->row->bits / 32;
    if (!source->row->counters)
        return false;
    source->block = (struct block_function){.input_words = (words + keys) * width,
                                            .output_words = words * width,
                                            .counter_words = words * width,
                                            .evaluate_all = target_evaluate};
    source->key = malloc((size_t)source->row->elements / words * keys * 8);
    return source->key && !call(source, input, 2, true, &diagnostic);
}

static void target_close(void *context)
{
    struct target_source *const source = context;
    if (source->host)
        host_close(source->host, NULL);
    pthread_mutex_destroy(&source->lock);
    arena_release(&source->arena);
    free(source->words);
    free(source->elements);
    free(source->counter);
    free(source->key);
    free(source);
}

static enum error allocate(struct target_source *source, struct diagnostic *diagnostic)
{
    free(source->words);
    free(source->elements);
    free(source->counter);
    source->words = malloc(target_row_words(source->row) * sizeof *source->words);
    source->elements = malloc((size_t)source->row->elements * 8);
    source->counter = malloc((size_t)source->row->elements * 8);
    return source->words && source->elements && source->counter ? ERROR_NONE
                                                                : diagnostic_no_memory(diagnostic);
}

// Opens the first row of that name that the target supports.
static enum error open_row(struct target_source *made, const char *name, const char *operation,
                           struct diagnostic *diagnostic)
{
    struct target *target = NULL;
    const char *const which = arena_copy_text(&made->arena, name, (size_t)(operation - 1 - name));
    enum error error = which ? audit_source_choose_target(which, &made->arena, &target, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    if (!error)
        error = target_open(target, AUDIT_TARGET_TIME_MS, &made->host, diagnostic);
    enum error answer = ERROR_UNSUPPORTED;
    for (size_t r = 0; r < target_row_count && !error && answer == ERROR_UNSUPPORTED; r++)
        if (target_row_is_named(&target_rows[r], operation, &made->piece.rounds)) {
            made->row = &target_rows[r];
            error = allocate(made, diagnostic);
            if (!error)
                answer = call(made, NULL, 0, true, diagnostic);
        }
    return error ? error : answer;
}

// An operation that no row names.
static enum error check_operation(const char *name, const char *operation,
                                  struct diagnostic *diagnostic)
{
    unsigned rounds;
    char hint[NEAREST_HINT_SIZE];
    for (size_t r = 0; r < target_row_count; r++)
        if (target_row_is_named(&target_rows[r], operation, &rounds))
            return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                           "%s: '%s' is no operation that gives random words; `assay help audit "
                           "run` names some%s",
                           name, operation, target_row_hint(operation, hint));
}

enum error audit_source_open_target(struct source *source, const char *name, uint64_t seed,
                                    struct diagnostic *diagnostic)
{
    const char *const colon = strrchr(name, ':');
    assert(colon);
    enum error error = check_operation(name, colon + 1, diagnostic);
    if (error)
        return error;
    struct target_source *const made = calloc(1, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    made->piece.seed = seed;
    pthread_mutex_init(&made->lock, NULL);
    snprintf(made->name, sizeof made->name, "%s", name);
    error = open_row(made, name, colon + 1, diagnostic);
    if (error) {
        target_close(made);
        return error;
    }
    // Far lags read scattered grains: only where a piece is one, and from a target that does not
    // answer over files.
    const bool fast = made->row->by_position && target_row_words(made->row) == SOURCE_GRAIN &&
                      !host_describe(made->host)->process;
    *source = (struct source){.name = made->name,
                              .random_access = made->row->by_position,
                              .context = made,
                              .read = target_read,
                              .close = target_close,
                              .reach = fast ? 63 : 0,
                              .block = has_block(made) ? &made->block : NULL,
                              .seed_bits = made->row->seed_bits};
    if (!strcmp(made->row->name, target_split_row.name))
        source->tree = (struct key_tree){
            .root = seed, .fan_log2 = TREE_FAN_LOG2_MAX, .split = target_split, .context = made};
    return ERROR_NONE;
}
