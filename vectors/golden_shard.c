// SPDX-License-Identifier: Apache-2.0
// Parts of golden vectors: cases as they stand in the files, so that joining them computes nothing.

#include "vectors/golden_shard.h"

#include <stdlib.h>
#include <string.h>

static void code_tensor(const struct shard_codec *codec, struct golden_tensor *tensor)
{
    shard_code_text(codec, &tensor->name);
    shard_code_text(codec, &tensor->of);
    SHARD_CODE(codec, tensor->output, true);
    SHARD_CODE(codec, tensor->run, UINT32_MAX);
    SHARD_CODE(codec, tensor->part, GOLDEN_WINDOW);
    SHARD_CODE(codec, tensor->first, UINT64_MAX);
    shard_code_tensor(codec, &tensor->tensor);
    if (shard_code_check(codec, tensor->name && tensor->of &&
                                    tensor_bytes(&tensor->tensor, &tensor->size)))
        tensor->bytes = shard_code_bytes(codec, tensor->bytes, tensor->size, 1);
}

static void code_case(const struct shard_codec *codec, struct golden_case *of)
{
    shard_code_text(codec, &of->id);
    shard_code_text(codec, &of->line);
    shard_code_check(codec, of->id && of->line);
    struct golden_tensor *const tensor =
        shard_code_list(codec, of->tensor, &of->count, sizeof *tensor, UINT64_MAX);
    of->tensor = tensor;
    for (size_t k = 0; k < of->count && !shard_code_failed(codec); k++)
        code_tensor(codec, &tensor[k]);
}

void golden_put(struct shard_payload *payload, const struct golden *golden)
{
    const struct shard_codec codec = {.to = payload};
    shard_put_text(payload, golden->suite);
    shard_put_text(payload, golden->version);
    shard_put_text(payload, golden->suite_sha256);
    shard_put_text(payload, golden->operators ? golden->operators : "");
    shard_put_number(payload, golden->count);
    for (size_t i = 0; i < golden->count; i++)
        code_case(&codec, &golden->cases[i]);
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
    const struct shard_codec codec = {.from = reader, .arena = arena};
    const char *const suite = shard_get_text(reader, arena),
                      *const version = shard_get_text(reader, arena),
                      *const sha256 = shard_get_text(reader, arena),
                      *const operators = shard_get_text(reader, arena);
    const uint64_t count = shard_get_number(reader);
    if (arena->failed)
        return diagnostic_no_memory(diagnostic);
    if (!suite || !version || !sha256 || !operators || count > SUITE_CASES_MAX ||
        (golden->suite &&
         (strcmp(golden->suite, suite) != 0 || strcmp(golden->version, version) != 0 ||
          strcmp(golden->suite_sha256, sha256) != 0)))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "a part does not hold the suite that the other parts hold");
    golden->suite = suite;
    golden->version = version;
    golden->suite_sha256 = sha256;
    golden->operators = *operators ? operators : NULL;
    struct golden_case *const more =
        realloc(golden->cases, (golden->count + (size_t)count + 1) * sizeof *more);
    if (!more)
        return diagnostic_no_memory(diagnostic);
    golden->cases = more;
    for (uint64_t i = 0; i < count; i++) {
        struct golden_case *const to = &golden->cases[golden->count];
        *to = (struct golden_case){0};
        code_case(&codec, to);
        if (reader->failed)
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
