// SPDX-License-Identifier: Apache-2.0
// The table of operations that give random words, each with its request: YAML in which words that
// begin with $ stand for numbers of the piece (see the table of values below).

#include "harness/cli/audit/target_request.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/reader.h"

enum { TEXT_MAX = 1 << 10 };

#define UNIFORM(type)                                                                              \
    "op: openvino.random_uniform\nattributes: {output_type: " type ", global_seed: $seed,"         \
    " op_seed: $piece}\ninputs: {shape: [2097152], minval: 0.0, maxval: 1.0}"
#define NUMPY_STATE "inputs: {key: [$seed, 0], counter: [$block, 0, 0, 0]}\noutputs: [output]"

const struct target_row target_rows[] = {
    {"philox", 32, 1 << 16, 4, 64, true, true,
     "op: philox\n$rounds\ninputs: {counter: {dtype: u32, shape: [1, 4], data: [0, 0, 0, 0]},"
     " key: {dtype: u32, shape: [2], data: [$low, $high]}}"},
    {"philox", 64, 1 << 15, 4, 64, true, true,
     "op: philox\n$rounds\ninputs: {counter: {dtype: u64, shape: [1, 4], data: [0, 0, 0, 0]},"
     " key: {dtype: u64, shape: [2], data: [$seed, 0]}}"},
    {"threefry", 32, 1 << 16, 2, 64, true, true,
     "op: threefry\n$rounds\ninputs: {counter: {dtype: u32, shape: [1, 2], data: [0, 0]},"
     " key: {dtype: u32, shape: [2], data: [$low, $high]}}"},
    {"threefry", 64, 1 << 15, 4, 64, true, true,
     "op: threefry\n$rounds\ninputs: {counter: {dtype: u64, shape: [1, 4], data: [0, 0, 0, 0]},"
     " key: {dtype: u64, shape: [4], data: [$seed, 0, 0, 0]}}"},
    {"openvino.random_uniform", 23, 1 << 21, 1, 64, false, false, UNIFORM("f32")},
    {"openvino.random_uniform.f16", 10, 1 << 21, 1, 64, false, false, UNIFORM("f16")},
    {"openvino.random_uniform.f64", 52, 1 << 21, 1, 64, false, false, UNIFORM("f64")},
    {"directml.random_generator", 32, 1 << 20, 4, 64, true, false,
     "op: directml.random_generator\nattributes: {output_sizes: [1, 1, 1024, 1024]}\n"
     "inputs: {input_state: {dtype: u32, shape: [1, 1, 1, 6],"
     " data: [$block_low, $block_high, 0, 0, $low, $high]}}\noutputs: [output]"},
    {"jax.bits", 32, 1 << 21, 1, 32, false, false,
     "op: jax.bits\nattributes: {shape: [2097152]}\ninputs: {key: [$low, $piece]}"},
    {"jax.uniform", 23, 1 << 21, 1, 32, false, false,
     "op: jax.uniform\nattributes: {shape: [2097152]}\ninputs: {key: [$low, $piece]}"},
    {"jax.split", 32, 1 << 21, 1, 32, false, false,
     "op: jax.split\nattributes: {shape: [1048576]}\ninputs: {key: [$low, $piece]}"},
    {"numpy.philox", 64, 1 << 20, 4, 64, true, false,
     "op: numpy.philox\nattributes: {count: 1048576}\n" NUMPY_STATE},
    {"numpy.philox_random", 53, 1 << 20, 4, 64, true, false,
     "op: numpy.philox_random\nattributes: {count: 1048576, dtype: f64}\n" NUMPY_STATE},
    {"numpy.philox_random.f32", 24, 1 << 21, 8, 64, true, false,
     "op: numpy.philox_random\nattributes: {count: 2097152, dtype: f32}\n" NUMPY_STATE},
    {"tensorflow.stateless_bits", 32, 1 << 21, 1, 32, false, false,
     "op: tensorflow.stateless_bits\nattributes: {shape: [2097152], dtype: u32}\n"
     "inputs: {seed: [$low, $piece]}"},
    {"tensorflow.stateless_uniform", 23, 1 << 21, 1, 32, false, false,
     "op: tensorflow.stateless_uniform\nattributes: {shape: [2097152], dtype: f32}\n"
     "inputs: {seed: [$low, $piece]}"},
    {"torch.stateless_bits", 32, 1 << 21, 1, 64, false, false,
     "op: torch.stateless_bits\nattributes: {shape: [2097152], dtype: u32}\n"
     "inputs: {key: [$seed, $element]}"},
    {"torch.mt19937_rand", 24, 1 << 18, 1, 10, false, false,
     "op: torch.mt19937_rand\nattributes: {shape: [262144], dtype: f32}\n"
     "inputs: {seed: $seed_piece}"},
    {"curand.philox_bits", 32, 1 << 20, 1, 64, true, false,
     "op: curand.philox_bits\nattributes: {count: 1048576}\n"
     "inputs: {seed: $seed, offset: $element}"},
    {"cpp.philox_engine", 32, 1 << 20, 1, 32, true, false,
     "op: cpp.philox_engine\nattributes: {count: 1048576, engine: philox4x32}\n"
     "inputs: {seed: $low, discard: $element}"},
};

const size_t target_row_count = sizeof target_rows / sizeof *target_rows;

const struct target_row target_split_row = {
    "jax.split", 32,
    1 << 11,     1,
    64,          false,
    false,       "op: jax.split\nattributes: {shape: [1024]}\ninputs: {key: [$high, $low]}"};

bool target_row_is_named(const struct target_row *row, const char *name, unsigned *rounds)
{
    const size_t length = strlen(row->name);
    *rounds = 0;
    if (strncmp(row->name, name, length) != 0)
        return false;
    name += length;
    if (row->counters && row->bits == 64 && !strncmp(name, ".u64", 4))
        name += 4;
    if (!*name)
        return true;
    char *end;
    const unsigned long asked = row->counters && *name == '-' ? strtoul(name + 1, &end, 10) : 0;
    *rounds = (unsigned)asked;
    return asked >= 1 && asked <= 72 && !*end;
}

const char *target_row_hint(const char *name, char hint[NEAREST_HINT_SIZE])
{
    struct nearest nearest = {.asked = name};
    for (size_t r = 0; r < target_row_count; r++)
        nearest_offer(&nearest, target_rows[r].name);
    return nearest_hint(&nearest, hint);
}

size_t target_row_words(const struct target_row *row)
{
    return (size_t)row->elements / 32 * row->bits;
}

bool target_row_has(const struct target_row *row, uint64_t number)
{
    return !(number >> TARGET_PIECE_BITS) || !strstr(row->request, "$seed_piece");
}

// The request as text, every $WORD replaced.
static void write_text(const struct target_row *row, const struct target_piece *piece,
                       char text[TEXT_MAX])
{
    const uint64_t element = piece->number * row->elements, block = element / row->block;
    char rounds[40] = "";
    if (piece->rounds)
        snprintf(rounds, sizeof rounds, "attributes: {rounds: %u}", piece->rounds);
    const struct {
        const char *name;
        uint64_t value;
    } values[] = {
        {"seed", piece->seed},
        {"low", piece->seed & UINT32_MAX},
        {"high", piece->seed >> 32},
        {"piece", piece->number + 1},
        {"seed_piece", piece->seed << TARGET_PIECE_BITS | piece->number},
        {"element", element},
        {"block", block},
        {"block_low", block & UINT32_MAX},
        {"block_high", block >> 32},
    };
    size_t used = 0;
    for (const char *at = row->request; *at && used < TEXT_MAX - 48;) {
        if (*at != '$') {
            text[used++] = *at++;
            continue;
        }
        const size_t length = strspn(++at, "abcdefghijklmnopqrstuvwxyz_");
        char *const to = text + used;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            if (strlen(values[v].name) == length && !strncmp(values[v].name, at, length))
                used += (size_t)snprintf(to, TEXT_MAX - used, "%" PRIu64, values[v].value);
        if (length == 6 && !strncmp(at, "rounds", length))
            used += (size_t)snprintf(to, TEXT_MAX - used, "%s", rounds);
        at += length;
    }
    text[used] = '\0';
}

enum error target_row_request(const struct target_row *row, const struct target_piece *piece,
                              const char *name, struct arena *arena, struct request *request,
                              struct diagnostic *diagnostic)
{
    assert(target_row_has(row, piece->number));
    struct document_source *const document = arena_take(arena, sizeof *document);
    char *const text = arena_take(arena, TEXT_MAX);
    struct document_node *root = NULL;
    if (!document || !text)
        return diagnostic_no_memory(diagnostic);
    write_text(row, piece, text);
    *document = (struct document_source){.name = name, .text = text, .size = strlen(text)};
    const enum error error = yaml_read(document, arena, &root, diagnostic);
    return error ? error : request_read(root, NULL, NULL, arena, request, diagnostic);
}
