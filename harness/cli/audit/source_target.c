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

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/target_table.h"
#include "harness/judge/compare/convert.h"
#include "ref/base/bytes.h"
#include "ref/base/digest_file.h"
#include "ref/base/json.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "stats/source/avalanche.h"

// In a request: $S the seed, $L and $H its low and high 32 bits, $N the number of the piece (from
// 1), $E its first element, $B its first block, $b and $t the low and high 32 bits of that; $M the
// seed and below it, in PIECE_BITS bits, the number of the piece from 0, of which there are so many
// then; $A stands for the attributes, if a number of rounds was asked for.
enum { TEXT_MAX = 1 << 10, PIECE_BITS = 22 };

// A piece may be made element by element in Python: seconds are no sign that the target hangs.
enum { PIECE_TIME_MS = 120000 };

static const struct row {
    const char *operation;
    unsigned bits;      // of an element that are used: 32 or 64 are words as they are
    unsigned elements;  // of a piece
    unsigned block;     // elements a block, for $B and counters
    unsigned seed_bits; // that the request holds; equal ones are the same stream
    bool by_position;
    const char *request;
} rows[] = {
    {"philox", 32, 1 << 16, 4, 64, true,
     "{\"op\": \"philox\", $A\"inputs\": {\"counter\": {\"dtype\": \"u32\", \"shape\": [1, 4], \"data\": [0, 0, 0, 0]}, "
     "\"key\": "
     "{\"dtype\": \"u32\", \"shape\": [2], \"data\": [$L, $H]}}}"},
    {"philox", 64, 1 << 15, 4, 64, true,
     "{\"op\": \"philox\", $A\"inputs\": {\"counter\": {\"dtype\": \"u64\", \"shape\": [1, 4], \"data\": [0, 0, 0, 0]}, "
     "\"key\": "
     "{\"dtype\": \"u64\", \"shape\": [2], \"data\": [$S, 0]}}}"},
    {"threefry", 32, 1 << 16, 2, 64, true,
     "{\"op\": \"threefry\", $A\"inputs\": {\"counter\": {\"dtype\": \"u32\", \"shape\": [1, 2], \"data\": [0, 0]}, \"key\": "
     "{\"dtype\": \"u32\", \"shape\": [2], \"data\": [$L, $H]}}}"},
    {"threefry", 64, 1 << 15, 4, 64, true,
     "{\"op\": \"threefry\", $A\"inputs\": {\"counter\": {\"dtype\": \"u64\", \"shape\": [1, 4], \"data\": [0, 0, 0, 0]}, "
     "\"key\": "
     "{\"dtype\": \"u64\", \"shape\": [4], \"data\": [$S, 0, 0, 0]}}}"},
    {"openvino.random_uniform", 23, 1 << 21, 1, 64, false,
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f32\", \"global_seed\": $S, \"op_seed\": $N}, "
     "\"inputs\": {\"shape\": [2097152], \"minval\": 0.0, \"maxval\": 1.0}}"},
    {"openvino.random_uniform.f16", 10, 1 << 21, 1, 64, false,
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f16\", \"global_seed\": $S, \"op_seed\": $N}, "
     "\"inputs\": {\"shape\": [2097152], \"minval\": 0.0, \"maxval\": 1.0}}"},
    {"openvino.random_uniform.f64", 52, 1 << 21, 1, 64, false,
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f64\", \"global_seed\": $S, \"op_seed\": $N}, "
     "\"inputs\": {\"shape\": [2097152], \"minval\": 0.0, \"maxval\": 1.0}}"},
    {"directml.random_generator", 32, 1 << 20, 4, 64, true,
     "{\"op\": \"directml.random_generator\", \"attributes\": {\"output_sizes\": [1, 1, 1024, 1024]}, \"inputs\": "
     "{\"input_state\": {\"dtype\": \"u32\", \"shape\": [1, 1, 1, 6], \"data\": [$b, $t, 0, 0, $L, $H]}}, \"outputs\": "
     "[\"output\"]}"},
    {"jax.bits", 32, 1 << 21, 1, 32, false,
     "{\"op\": \"jax.bits\", \"attributes\": {\"shape\": [2097152]}, \"inputs\": {\"key\": [$L, $N]}}"},
    {"jax.uniform", 23, 1 << 21, 1, 32, false,
     "{\"op\": \"jax.uniform\", \"attributes\": {\"shape\": [2097152]}, \"inputs\": {\"key\": [$L, $N]}}"},
    {"jax.split", 32, 1 << 21, 1, 32, false,
     "{\"op\": \"jax.split\", \"attributes\": {\"shape\": [1048576]}, \"inputs\": {\"key\": [$L, $N]}}"},
    {"numpy.philox", 64, 1 << 20, 4, 64, true,
     "{\"op\": \"numpy.philox\", \"attributes\": {\"count\": 1048576}, \"inputs\": {\"key\": [$S, 0], \"counter\": [$B, 0, 0, "
     "0]}, \"outputs\": [\"output\"]}"},
    {"numpy.philox_random", 53, 1 << 20, 4, 64, true,
     "{\"op\": \"numpy.philox_random\", \"attributes\": {\"count\": 1048576, \"dtype\": \"f64\"}, \"inputs\": {\"key\": [$S, "
     "0], \"counter\": [$B, 0, 0, 0]}, \"outputs\": [\"output\"]}"},
    {"numpy.philox_random.f32", 24, 1 << 21, 8, 64, true,
     "{\"op\": \"numpy.philox_random\", \"attributes\": {\"count\": 2097152, \"dtype\": \"f32\"}, \"inputs\": {\"key\": [$S, "
     "0], \"counter\": [$B, 0, 0, 0]}, \"outputs\": [\"output\"]}"},
    {"tensorflow.stateless_bits", 32, 1 << 21, 1, 32, false,
     "{\"op\": \"tensorflow.stateless_bits\", \"attributes\": {\"shape\": [2097152], \"dtype\": \"u32\"}, \"inputs\": "
     "{\"seed\": [$L, $N]}}"},
    {"tensorflow.stateless_uniform", 23, 1 << 21, 1, 32, false,
     "{\"op\": \"tensorflow.stateless_uniform\", \"attributes\": {\"shape\": [2097152], \"dtype\": \"f32\"}, \"inputs\": "
     "{\"seed\": [$L, $N]}}"},
    {"torch.stateless_bits", 32, 1 << 21, 1, 64, false,
     "{\"op\": \"torch.stateless_bits\", \"attributes\": {\"shape\": [2097152], \"dtype\": \"u32\"}, \"inputs\": {\"key\": "
     "[$S, "
     "$E]}}"},
    {"torch.mt19937_rand", 24, 1 << 18, 1, 10, false,
     "{\"op\": \"torch.mt19937_rand\", \"attributes\": {\"shape\": [262144], \"dtype\": \"f32\"}, \"inputs\": {\"seed\": "
     "$M}}"},
    {"curand.philox_bits", 32, 1 << 20, 1, 64, true,
     "{\"op\": \"curand.philox_bits\", \"attributes\": {\"count\": 1048576}, \"inputs\": {\"seed\": $S, \"offset\": $E}}"},
    {"cpp.philox_engine", 32, 1 << 20, 1, 32, true,
     "{\"op\": \"cpp.philox_engine\", \"attributes\": {\"count\": 1048576, \"engine\": \"philox4x32\"}, \"inputs\": {\"seed\": "
     "$L, \"discard\": $E}}"},
};

struct target_source {
    struct arena arena; // of the target's name
    char name[128];
    const struct row *row;
    struct host *host;
    uint64_t seed, piece; // the piece that `words` holds
    unsigned rounds;      // 0: as the operation has them
    bool held;
    uint32_t *words;
    void *elements, *counter, *key;
    struct block_function block;
    pthread_mutex_t lock;
};

// A key that is split into 2^10.
static const struct row split_row = {
    "jax.split",
    32,
    1 << 11,
    1,
    64,
    false,
    "{\"op\": \"jax.split\", \"attributes\": {\"shape\": [1024]}, \"inputs\": {\"key\": [$H, $L]}}"};

static size_t piece_words(const struct row *row)
{
    return (size_t)row->elements / 32 * row->bits;
}

static bool takes_counters(const struct row *row)
{
    return !strcmp(row->operation, "philox") || !strcmp(row->operation, "threefry");
}

static void write_request(const struct target_source *source, const struct row *row, uint64_t seed,
                          uint64_t piece, char text[TEXT_MAX])
{
    const uint64_t element = piece * row->elements, block = element / row->block;
    size_t used = 0;
    for (const char *at = row->request; *at && used < TEXT_MAX - 24; at++) {
        if (*at != '$') {
            text[used++] = *at;
            continue;
        }
        const char which = *++at;
        if (which == 'A') {
            if (source->rounds)
                used += (size_t)snprintf(text + used, TEXT_MAX - used,
                                         "\"attributes\": {\"rounds\": %u}, ", source->rounds);
            continue;
        }
        const uint64_t value = which == 'S'   ? seed
                               : which == 'L' ? seed & UINT32_MAX
                               : which == 'H' ? seed >> 32
                               : which == 'N' ? piece + 1
                               : which == 'M' ? seed << PIECE_BITS | piece
                               : which == 'E' ? element
                               : which == 'B' ? block
                               : which == 'b' ? block & UINT32_MAX
                                              : block >> 32;
        used += (size_t)snprintf(text + used, TEXT_MAX - used, "%" PRIu64, value);
    }
    text[used] = 0;
}

static enum error read_request(const char *name, const char *text, struct arena *arena,
                               struct request *request, struct diagnostic *diagnostic)
{
    struct document_source *const document = arena_take(arena, sizeof *document);
    struct document_node *root = NULL;
    if (!document)
        return diagnostic_no_memory(diagnostic);
    *document = (struct document_source){name, text, strlen(text), 0};
    const enum error error = json_read(document, arena, &root, diagnostic);
    return error ? error : request_read(root, NULL, NULL, arena, request, diagnostic);
}

// Consecutive counters from that of element `first` on, in place of the one that the text has.
static void set_counters(const struct target_source *source, uint64_t piece,
                         struct request *request)
{
    const struct row *const row = source->row;
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

// Words of `width` times 32 bits, the low half first, to element `at` and on.
static void put_words(const uint32_t *from, unsigned width, unsigned words, void *to, size_t at)
{
    for (unsigned w = 0; w < words; w++)
        if (width == 2)
            ((uint64_t *)to)[at + w] = from[2 * w] | (uint64_t)from[2 * w + 1] << 32;
        else
            ((uint32_t *)to)[at + w] = from[w];
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
        put_words(input, width, counter_words, source->counter, i * counter_words);
        put_words(input + block->counter_words, width, key_words, source->key, i * key_words);
    }
}

// ---- elements to words ------------------------------------------------------

static double half_value(uint16_t bits)
{
    const unsigned exponent = bits >> 10 & 31;
    if (bits >> 15 || exponent >= 15)
        return bits == 0x8000 ? 0
                              : 2; // negative, one or more, or no number: off the grid whichever
    return (double)((bits & 1023u) | (exponent ? 1024u : 0)) *
           (double)(UINT64_C(1) << (exponent ? exponent : 1)) * 0x1p-25;
}

static enum error pack(const struct target_source *source, enum dtype dtype,
                       struct diagnostic *diagnostic)
{
    const struct row *const row = source->row;
    const unsigned bits = row->bits;
    const double scale = (double)(UINT64_C(1) << (bits < 64 ? bits : 0));
    __extension__ unsigned __int128 held = 0;
    unsigned have = 0;
    size_t word = 0;
    for (size_t i = 0; i < row->elements; i++) {
        const double value = dtype == DTYPE_F64 ? ((const double *)source->elements)[i]
                             : dtype == DTYPE_F32
                                 ? (double)((const float *)source->elements)[i]
                                 : half_value(((const uint16_t *)source->elements)[i]);
        const double scaled = value * scale;
        const uint64_t element = scaled >= 0 && scaled < scale ? (uint64_t)scaled : 0;
        if (!(scaled >= 0 && scaled < scale) || (double)element < scaled)
            return diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "%s gave %.17g: the law of the operation knows multiples of 2^-%u in [0, 1) only",
                source->name, value, bits);
        __extension__ const unsigned __int128 wide = element;
        held |= wide << have;
        for (have += bits; have >= 32; have -= 32) {
            source->words[word++] = (uint32_t)held;
            held >>= 32;
        }
    }
    return ERROR_NONE;
}

static void unpack_words(const struct target_source *source)
{
    if (source->row->bits == 32)
        memcpy(source->words, source->elements, (size_t)source->row->elements * 4);
    for (size_t i = 0; source->row->bits == 64 && i < source->row->elements; i++) {
        const uint64_t element = ((const uint64_t *)source->elements)[i];
        source->words[2 * i] = (uint32_t)element;
        source->words[2 * i + 1] = (uint32_t)(element >> 32);
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
static enum error call(struct target_source *source, uint64_t piece, const uint32_t *input,
                       size_t count, bool ask, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    enum dtype dtype = DTYPE_NONE;
    char text[TEXT_MAX];
    write_request(source, source->row, source->seed, piece, text);
    enum error error = read_request(source->name, text, &arena, &request, diagnostic);
    if (!error && input)
        set_inputs(source, input, count, &request);
    else if (!error && takes_counters(source->row))
        set_counters(source, piece, &request);
    if (!error)
        error = exchange(source, &request, &arena, ask, &dtype, diagnostic);
    if (!error && !ask && !input && source->row->bits % 32)
        error = pack(source, dtype, diagnostic);
    else if (!error && !ask && !input)
        unpack_words(source);
    arena_release(&arena);
    return error;
}

// For key_tree.split, of split_row's children.
static enum error target_split(void *context, uint64_t key, uint64_t *child,
                               struct diagnostic *diagnostic)
{
    struct target_source *const source = context;
    struct arena arena = {0};
    struct request request;
    enum dtype dtype;
    char text[TEXT_MAX];
    pthread_mutex_lock(&source->lock);
    write_request(source, &split_row, key, 0, text);
    enum error error = read_request(source->name, text, &arena, &request, diagnostic);
    if (!error)
        error = exchange(source, &request, &arena, false, &dtype, diagnostic);
    const uint32_t *const word = source->elements;
    for (size_t c = 0; c < split_row.elements / 2 && !error; c++)
        child[c] = (uint64_t)word[2 * c] << 32 | word[2 * c + 1];
    pthread_mutex_unlock(&source->lock);
    arena_release(&arena);
    return error;
}

static enum error target_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    struct target_source *const source = context;
    const size_t size = piece_words(source->row);
    enum error error = ERROR_NONE;
    pthread_mutex_lock(&source->lock); // a worker does one thing at a time
    for (*got = 0; *got < words && !error;) {
        const uint64_t piece = (first + *got) / size, from = (first + *got) % size;
        if (piece >> PIECE_BITS && strstr(source->row->request, "$M"))
            break; // the seeds of its pieces are at their end
        if (!source->held || source->piece != piece) {
            error = call(source, piece, NULL, 0, false, diagnostic);
            source->held = !error;
            source->piece = piece;
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
        error = call(source, 0, input + done * BLOCK_INPUT_MAX, part, false, diagnostic);
        for (size_t i = 0; i < part && !error; i++)
            for (unsigned w = 0; w < words; w++) {
                const size_t at = i * words + w;
                output[(done + i) * BLOCK_OUTPUT_MAX + w] =
                    width == 2
                        ? (uint32_t)(((const uint64_t *)source->elements)[at / 2] >> at % 2 * 32)
                        : ((const uint32_t *)source->elements)[at];
            }
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
                   keys = !strcmp(source->row->operation, "philox") ? words / 2 : words;
    const unsigned width = source->row->bits / 32;
    if (!takes_counters(source->row))
        return false;
    source->block = (struct block_function){.input_words = (words + keys) * width,
                                            .output_words = words * width,
                                            .counter_words = words * width,
                                            .evaluate_all = target_evaluate};
    source->key = malloc((size_t)source->row->elements / words * keys * 8);
    return source->key && !call(source, 0, input, 2, true, &diagnostic);
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
    source->words = malloc(piece_words(source->row) * sizeof *source->words);
    source->elements = malloc((size_t)source->row->elements * 8);
    source->counter = malloc((size_t)source->row->elements * 8);
    return source->words && source->elements && source->counter ? ERROR_NONE
                                                                : diagnostic_no_memory(diagnostic);
}

// "philox-6" is philox with six rounds, "philox.u64" and "philox.u64-6" that of 64-bit words: of
// operations that take counters.
static bool is_named(const struct row *row, const char *name, unsigned *rounds)
{
    size_t length = strlen(row->operation);
    *rounds = 0;
    if (strncmp(row->operation, name, length) != 0)
        return false;
    if (takes_counters(row) && row->bits == 64 && !strncmp(name + length, ".u64", 4))
        length += 4;
    if (!name[length])
        return true;
    char *end;
    const unsigned long asked =
        takes_counters(row) && name[length] == '-' ? strtoul(name + length + 1, &end, 10) : 0;
    *rounds = (unsigned)asked;
    return asked >= 1 && asked <= 72 && !*end;
}

enum error audit_source_choose_target(const char *name, struct arena *arena, struct target **target,
                                      struct diagnostic *diagnostic)
{
    size_t count;
    const size_t length = strlen(name);
    const bool plugin = length > 3 && !strcmp(name + length - 3, ".so"),
               program = !plugin && strchr(name, '/');
    return targets_choose(plugin || program ? NULL : name, plugin ? name : NULL,
                          program ? name : NULL, arena, target, &count, diagnostic);
}

enum error audit_source_open_target(struct source *source, const char *name, uint64_t seed,
                                    struct diagnostic *diagnostic)
{
    const char *const colon = strrchr(name, ':');
    struct target_source *const made = calloc(1, sizeof *made);
    struct target *target = NULL;
    if (!made || !colon) {
        free(made);
        return diagnostic_fail(diagnostic, ERROR_INTERNAL,
                               made ? "'%s' is not TARGET:OPERATION" : "out of memory", name);
    }
    made->seed = seed;
    pthread_mutex_init(&made->lock, NULL);
    snprintf(made->name, sizeof made->name, "%s", name);
    const char *const which = arena_copy_text(&made->arena, name, (size_t)(colon - name));
    enum error error = ERROR_UNSUPPORTED;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        error = is_named(&rows[r], colon + 1, &made->rounds) ? ERROR_NONE : error;
    if (error)
        error = diagnostic_fail(
            diagnostic, ERROR_UNSUPPORTED,
            "'%s' is no operation that gives random words; `assay audit --help` lists them",
            colon + 1);
    else
        error = which ? audit_source_choose_target(which, &made->arena, &target, diagnostic)
                      : diagnostic_no_memory(diagnostic);
    if (!error)
        error = target_open(target, PIECE_TIME_MS, &made->host, diagnostic);
    // The first row of that name that the target supports.
    enum error answer = ERROR_UNSUPPORTED;
    for (size_t r = 0; r < sizeof rows / sizeof *rows && !error && answer == ERROR_UNSUPPORTED; r++)
        if (is_named(&rows[r], colon + 1, &made->rounds)) {
            made->row = &rows[r];
            error = allocate(made, diagnostic);
            if (!error)
                answer = call(made, 0, NULL, 0, true, diagnostic);
        }
    if (!error && answer)
        error = answer;
    if (error) {
        target_close(made);
        return error;
    }
    // Far lags read scattered grains: only where a piece is one, and from a target that does not
    // answer over files.
    const bool fast = made->row->by_position && piece_words(made->row) == SOURCE_GRAIN &&
                      !host_describe(made->host)->process;
    *source = (struct source){.name = made->name,
                              .random_access = made->row->by_position,
                              .context = made,
                              .read = target_read,
                              .close = target_close,
                              .reach = fast ? 63 : 0,
                              .block = has_block(made) ? &made->block : NULL,
                              .seed_bits = made->row->seed_bits};
    if (!strcmp(made->row->operation, split_row.operation))
        source->tree = (struct key_tree){
            .root = seed, .fan_log2 = TREE_FAN_LOG2_MAX, .split = target_split, .context = made};
    return ERROR_NONE;
}

enum error audit_source_start(const char *name, struct arena *arena, const struct target **target,
                              struct host **host, struct diagnostic *diagnostic)
{
    const char *const full = !strcmp(name, "random123") ? "random123:" : name, *const colon =
                                                                                   strrchr(full,
                                                                                           ':');
    struct target *chosen = NULL;
    *target = NULL;
    *host = NULL;
    if (!colon || !strncmp(full, "file:", 5) || !strncmp(full, "panel:", 6))
        return ERROR_NONE;
    const char *const which = arena_copy_text(arena, full, (size_t)(colon - full));
    enum error error = which ? audit_source_choose_target(which, arena, &chosen, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    if (!error)
        error = target_open(chosen, PIECE_TIME_MS, host, diagnostic);
    *target = chosen;
    return error;
}

enum error audit_source_version(const char *name, char *text, size_t size,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    const struct target *target;
    struct host *host;
    char hex[DIGEST_HEX_SIZE] = "";
    *text = 0;
    enum error error = audit_source_start(name, &arena, &target, &host, diagnostic);
    if (!error && host && !target->program)
        error = digest_path(target->path, hex, diagnostic);
    if (!error && host)
        snprintf(text, size, "%.60s%s%.16s", host_describe(host)->version,
                 target->program ? "" : " sha256:", hex);
    if (host)
        host_close(host, NULL);
    arena_release(&arena);
    return error;
}

void audit_source_operations(void (*each)(void *context, const char *operation), void *context)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (!r || strcmp(rows[r].operation, rows[r - 1].operation) != 0)
            each(context, rows[r].operation);
}
