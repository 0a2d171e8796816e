// SPDX-License-Identifier: Apache-2.0
// Far lags.

#include "stats/source/far.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/base/threads.h"
#include "stats/kernel/kernel.h"

enum { LAGS = FAR_LAG_LAST - FAR_LAG_FIRST + 1, KINDS = 2, CHUNK = SOURCE_GRAIN };

static const unsigned period[] = {256, 128, 64, 32};
enum {
    PERIODS = sizeof period / sizeof *period,
    POSITIONS = 256 + 128 + 64 + 32,
    HYPOTHESES = KINDS * POSITIONS + 1
};

struct lag {
    uint64_t count[KINDS][KERNEL_POSITIONS], equal, words;
};

struct job {
    const struct source *source;
    uint64_t first;
    size_t words;
    struct lag *lag;
};

// Pairs of one lag. Below the size of a chunk partners lie in the same chunk, and its pairs fill
// half as many words.
static enum error count_lag(struct job *job, unsigned b, uint32_t *buffer,
                            struct diagnostic *diagnostic)
{
    struct lag *const lag = &job->lag[b - FAR_LAG_FIRST];
    const uint64_t distance = UINT64_C(1) << b;
    uint32_t *const x = buffer, *const y = buffer + CHUNK, *const d = buffer + 2 * CHUNK,
                    *const e = buffer + 3 * CHUNK;
    const bool near = distance < CHUNK;
    if (job->first + 2 * job->words + distance > UINT64_C(1) << job->source->reach)
        return ERROR_NONE;
    for (uint64_t i = 0; i < job->words; i += CHUNK) {
        // Chunks without bit b, in order; for near lags every chunk.
        const uint64_t at = near ? i : (i >> b << (b + 1)) | (i & (distance - 1));
        size_t got, partner = CHUNK, pairs = 0;
        enum error error =
            job->source->read(job->source->context, job->first + at, CHUNK, x, &got, diagnostic);
        if (!error && !near)
            error = job->source->read(job->source->context, job->first + at + distance, CHUNK, y,
                                      &partner, diagnostic);
        if (error)
            return error;
        if (got < CHUNK || partner < CHUNK)
            break;
        for (size_t j = 0; j < CHUNK; j++) {
            if (near && (j & distance))
                continue;
            const uint32_t difference = x[j] ^ (near ? x[j + distance] : y[j]);
            lag->equal += difference == 0;
            d[pairs] = difference;
            e[pairs++] = difference ^ (difference >> 1 | difference << 31);
        }
        kernel_chosen()->positions(d, pairs, lag->count[0]);
        kernel_chosen()->positions(e, pairs, lag->count[1]);
        lag->words += pairs;
    }
    return ERROR_NONE;
}

static enum error count_lags(void *context, uint64_t first, uint64_t lags,
                             struct diagnostic *diagnostic)
{
    uint32_t *const buffer = aligned_alloc(64, (size_t)4 * CHUNK * sizeof *buffer);
    if (!buffer)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    for (uint64_t l = first; l < first + lags && !error; l++)
        error = count_lag(context, (unsigned)l + FAR_LAG_FIRST, buffer, diagnostic);
    free(buffer);
    return error;
}

static void judge(const struct lag *lag, uint32_t index, struct judgement *judgement)
{
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned f = 0; f < PERIODS; f++)
            for (unsigned position = 0; position < period[f]; position++) {
                uint64_t ones = 0;
                for (unsigned at = position; at < KERNEL_POSITIONS; at += period[f])
                    ones += lag->count[kind][at];
                judgement_add_fair(judgement, index++, ones, lag->words * 32 / period[f]);
            }
    judgement_add_rare(judgement, index, lag->equal, lag->words, 0x1p-32);
}

enum error far_run(const struct source *source, uint64_t first, unsigned log2_words,
                   unsigned threads, uint32_t only, struct judgement *judgement,
                   struct diagnostic *diagnostic)
{
    judgement_begin(judgement, only);
    if (!source->random_access)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s has no random access",
                               source->name);
    struct job job = {source, first, (size_t)1 << log2_words, calloc(LAGS, sizeof *job.lag)};
    if (!job.lag)
        return diagnostic_no_memory(diagnostic);
    const enum error error = threads_run(threads, LAGS, 1, count_lags, &job, diagnostic);
    for (unsigned l = 0; l < LAGS && !error; l++)
        if (job.lag[l].words)
            judge(&job.lag[l], l * HYPOTHESES, judgement);
    free(job.lag);
    return error;
}

void far_describe(uint32_t index, char *text, size_t size)
{
    const unsigned b = (unsigned)index / HYPOTHESES + FAR_LAG_FIRST, at = index % HYPOTHESES,
                   kind = at / POSITIONS;
    if (at == HYPOTHESES - 1) {
        snprintf(text, size, "words equal to the one 2^%u words away", b);
        return;
    }
    unsigned f = 0, position = at % POSITIONS;
    while (f + 1 < PERIODS && position >= period[f])
        position -= period[f++];
    snprintf(text, size,
             "fraction of differences at bit %u%s of every %u, from the word 2^%u words away",
             position, kind ? " and the next together" : "", period[f], b);
}
