// SPDX-License-Identifier: Apache-2.0
// Parts of golden vectors: cases as they stand in the files, so that joining them computes nothing.

#include "vectors/golden_shard.h"

#include <stdlib.h>
#include <string.h>

void golden_put(struct shard_payload *payload, const struct golden *golden)
{
    shard_put_text(payload, golden->suite);
    shard_put_text(payload, golden->version);
    shard_put_text(payload, golden->suite_sha256);
    shard_put_number(payload, golden->count);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_case *const of = &golden->cases[i];
        shard_put_text(payload, of->id);
        shard_put_text(payload, of->line);
        shard_put_number(payload, of->count);
        for (size_t k = 0; k < of->count; k++) {
            const struct golden_tensor *const tensor = &of->tensor[k];
            shard_put_text(payload, tensor->name);
            shard_put_text(payload, tensor->of);
            shard_put_number(payload, tensor->output);
            shard_put_number(payload, tensor->run);
            shard_put_number(payload, tensor->part);
            shard_put_number(payload, tensor->first);
            shard_put_number(payload, tensor->tensor.dtype);
            shard_put_number(payload, tensor->tensor.rank);
            for (unsigned d = 0; d < tensor->tensor.rank; d++)
                shard_put_number(payload, tensor->tensor.shape[d]);
            shard_put_bytes(payload, tensor->bytes, tensor->size);
        }
    }
}

static bool take_tensor(struct shard_reader *reader, struct arena *arena,
                        struct golden_tensor *tensor)
{
    size_t expected;
    tensor->name = shard_get_text(reader, arena);
    tensor->of = shard_get_text(reader, arena);
    tensor->output = shard_get_number(reader) != 0;
    tensor->run = (unsigned)shard_get_number(reader);
    const uint64_t part = shard_get_number(reader);
    tensor->part = part <= GOLDEN_WINDOW ? (enum golden_part)part : GOLDEN_WHOLE;
    tensor->first = shard_get_number(reader);
    const uint64_t dtype = shard_get_number(reader), rank = shard_get_number(reader);
    if (dtype >= DTYPE_COUNT || rank > TENSOR_RANK_MAX || part > GOLDEN_WINDOW)
        return false;
    tensor->tensor = (struct tensor){.dtype = (enum dtype)dtype, .rank = (unsigned)rank};
    for (unsigned d = 0; d < rank; d++)
        tensor->tensor.shape[d] = shard_get_number(reader);
    const void *const bytes = shard_get_bytes(reader, &tensor->size);
    unsigned char *const copy = arena_take(arena, tensor->size);
    if (!bytes || !copy || !tensor->name || !tensor->of ||
        !tensor_bytes(&tensor->tensor, &expected) || expected != tensor->size)
        return false;
    memcpy(copy, bytes, tensor->size);
    tensor->bytes = copy;
    return true;
}

static bool take_case(struct shard_reader *reader, struct arena *arena, struct golden_case *to)
{
    to->id = shard_get_text(reader, arena);
    to->line = shard_get_text(reader, arena);
    const uint64_t count = shard_get_number(reader);
    // A tensor takes more than one byte, so a count beyond what is left is a lie.
    if (!to->id || !to->line || count > (uint64_t)(reader->end - reader->at))
        return false;
    struct golden_tensor *const tensor = arena_take_array(arena, (size_t)count, sizeof *tensor);
    to->count = (size_t)count;
    to->tensor = tensor;
    for (size_t k = 0; tensor && k < count; k++)
        if (!take_tensor(reader, arena, &tensor[k]))
            return false;
    return tensor != NULL;
}

enum error golden_take(struct shard_reader *reader, struct golden *golden,
                       struct diagnostic *diagnostic)
{
    if (!golden->arenas) {
        golden->arenas = calloc(1, sizeof *golden->arenas);
        golden->arena_count = golden->arenas ? 1 : 0;
    }
    if (!golden->arenas)
        return diagnostic_no_memory(diagnostic);
    struct arena *const arena = &golden->arenas[0];
    const char *const suite = shard_get_text(reader, arena),
                      *const version = shard_get_text(reader, arena),
                      *const sha256 = shard_get_text(reader, arena);
    const uint64_t count = shard_get_number(reader);
    if (arena->failed)
        return diagnostic_no_memory(diagnostic);
    if (!suite || !version || !sha256 || count > SUITE_CASES_MAX ||
        (golden->suite &&
         (strcmp(golden->suite, suite) != 0 || strcmp(golden->version, version) != 0 ||
          strcmp(golden->suite_sha256, sha256) != 0)))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "a part does not hold the suite that its neighbours hold");
    golden->suite = suite;
    golden->version = version;
    golden->suite_sha256 = sha256;
    struct golden_case *const more =
        realloc(golden->cases, (golden->count + (size_t)count + 1) * sizeof *more);
    if (!more)
        return diagnostic_no_memory(diagnostic);
    golden->cases = more;
    for (uint64_t i = 0; i < count; i++) {
        struct golden_case *const to = &golden->cases[golden->count];
        *to = (struct golden_case){0};
        if (!take_case(reader, arena, to))
            return arena->failed
                       ? diagnostic_no_memory(diagnostic)
                       : diagnostic_fail(diagnostic, ERROR_INPUT,
                                         "a part of %s does not hold golden vectors", suite);
        golden->count++;
    }
    return ERROR_NONE;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct golden_case *)a)->id, ((const struct golden_case *)b)->id);
}

enum error golden_join(struct golden *golden, struct diagnostic *diagnostic)
{
    qsort(golden->cases, golden->count, sizeof *golden->cases, by_id);
    for (size_t i = 1; i < golden->count; i++)
        if (!by_id(&golden->cases[i - 1], &golden->cases[i]))
            return diagnostic_fail(diagnostic, ERROR_INPUT, "case %s is in two parts",
                                   golden->cases[i].id);
    return ERROR_NONE;
}
