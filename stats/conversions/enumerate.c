// SPDX-License-Identifier: Apache-2.0
// Enumeration of conversions: one counter for each value. Few counters are a thread's own while it
// does a piece, so that threads do not wait for each other's; many are shared at once.

#include "stats/conversions/enumerate.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/num/small_float.h"

enum { BATCH = 1 << 14, OWN_MAX = 1 << 13, NARROW_VALUES = 1 << 16, GRAIN = 1 << 20 };

static const uint32_t NO_VALUE = UINT32_MAX;

struct job {
    enumerate_convert convert;
    const void *context;
    enum dtype dtype;
    int64_t minimum;
    uint64_t values;
    uint32_t *narrow; // of a 16-bit type: the number of each of its bit patterns
    _Atomic uint32_t *count;
    _Atomic uint64_t outside;
};

// Which multiple of 1/values it is, NO_VALUE for one that the law does not know.
static uint32_t multiple(double value, double values)
{
    const double scaled = value * values;
    if (!(scaled >= 0 && scaled < values))
        return NO_VALUE;
    const uint32_t number = (uint32_t)scaled;
    return (double)number < scaled ? NO_VALUE : number;
}

static void number_values(const struct job *job, const void *data, size_t count, uint32_t *number)
{
    const double values = (double)job->values;
    if (job->dtype == DTYPE_I32)
        for (size_t i = 0; i < count; i++) {
            const int64_t away = (int64_t)((const int32_t *)data)[i] - job->minimum;
            number[i] = away < 0 || away >= (int64_t)job->values ? NO_VALUE : (uint32_t)away;
        }
    else if (job->dtype == DTYPE_F32)
        for (size_t i = 0; i < count; i++)
            number[i] = multiple((double)((const float *)data)[i], values);
    else
        for (size_t i = 0; i < count; i++)
            number[i] = job->narrow[((const uint16_t *)data)[i]];
}

// What a piece works in: on the heap, for what is a thread's own is cleared for every thread of a
// program, be it an audit's or not.
struct batch {
    uint32_t word[BATCH], out[BATCH], number[BATCH], own[OWN_MAX];
};

static enum error convert_all(void *context, uint64_t first, uint64_t words,
                              struct diagnostic *diagnostic)
{
    struct job *const job = context;
    struct batch *const batch = calloc(1, sizeof *batch);
    if (!batch)
        return diagnostic_no_memory(diagnostic);
    const uint64_t own_count = job->values <= OWN_MAX ? job->values : 0;
    uint64_t outside = 0;
    for (uint64_t w = first; w < first + words; w += BATCH) {
        const size_t n = first + words - w < BATCH ? (size_t)(first + words - w) : BATCH;
        for (size_t i = 0; i < n; i++)
            batch->word[i] = (uint32_t)(w + i);
        job->convert(job->context, batch->word, n, batch->out);
        number_values(job, batch->out, n, batch->number);
        for (size_t i = 0; i < n; i++)
            if (batch->number[i] == NO_VALUE)
                outside++;
            else if (own_count)
                batch->own[batch->number[i]]++;
            else
                atomic_fetch_add_explicit(&job->count[batch->number[i]], 1, memory_order_relaxed);
    }
    for (uint64_t v = 0; v < own_count; v++)
        atomic_fetch_add_explicit(&job->count[v], batch->own[v], memory_order_relaxed);
    free(batch);
    atomic_fetch_add(&job->outside, outside);
    return ERROR_NONE;
}

static enum error enumerate(struct job *job, unsigned bits, unsigned threads,
                            struct enumeration *result, struct diagnostic *diagnostic)
{
    const uint64_t words = UINT64_C(1) << bits, base = words / job->values,
                   rest = words % job->values;
    *result = (struct enumeration){
        .least = UINT64_MAX, .smallest = __builtin_inf(), .largest = -__builtin_inf()};
    job->count = calloc(job->values, sizeof *job->count);
    if (!job->count)
        return diagnostic_no_memory(diagnostic);
    const enum error error = threads_run(threads, words, GRAIN, convert_all, job, diagnostic);
    for (uint64_t v = 0; v < job->values; v++) {
        const uint64_t n = job->count[v];
        result->uneven += n != base + (v < rest);
        result->least = n < result->least ? n : result->least;
        result->most = n > result->most ? n : result->most;
        const double value = job->dtype == DTYPE_I32 ? (double)job->minimum + (double)v
                                                     : (double)v / (double)job->values;
        if (n) {
            result->smallest = value < result->smallest ? value : result->smallest;
            result->largest = value > result->largest ? value : result->largest;
        }
    }
    result->words = words;
    result->outside = job->outside;
    free(job->count);
    return error;
}

enum error enumerate_unit(enumerate_convert convert, const void *context, enum dtype dtype,
                          unsigned bits, unsigned fraction, unsigned threads,
                          struct enumeration *result, struct diagnostic *diagnostic)
{
    struct job job = {
        .convert = convert, .context = context, .dtype = dtype, .values = UINT64_C(1) << fraction};
    if (dtype != DTYPE_F32) {
        job.narrow = malloc(NARROW_VALUES * sizeof *job.narrow);
        if (!job.narrow)
            return diagnostic_no_memory(diagnostic);
        for (uint32_t b = 0; b < NARROW_VALUES; b++)
            job.narrow[b] = multiple(num_to_double(dtype, b), (double)job.values);
    }
    const enum error error = enumerate(&job, bits, threads, result, diagnostic);
    free(job.narrow);
    return error;
}

enum error enumerate_remainder(enumerate_convert convert, const void *context, int32_t minimum,
                               uint32_t range, unsigned bits, unsigned threads,
                               struct enumeration *result, struct diagnostic *diagnostic)
{
    struct job job = {.convert = convert,
                      .context = context,
                      .dtype = DTYPE_I32,
                      .minimum = minimum,
                      .values = range};
    return enumerate(&job, bits, threads, result, diagnostic);
}

// ---- formulas ---------------------------------------------------------------

enum { WINDOW = 16, BACKGROUNDS = 16 };

struct comparison {
    enumerate_convert convert;
    const void *context;
    enum dtype dtype;
    unsigned words;
    enumerate_formula formula;
    const void *formula_context;
    _Atomic uint64_t wrong;
};

// Input number i of those of two words: WINDOW bits go through all patterns, the others are 0, 1 or
// mixed.
static uint64_t pair_of_words(uint64_t i)
{
    const uint64_t pattern = i % (1 << WINDOW), background = i >> WINDOW & (BACKGROUNDS - 1);
    const unsigned shift = WINDOW * (unsigned)(i / (BACKGROUNDS << WINDOW));
    const uint64_t others =
        background < 2 ? 0 - background : background * UINT64_C(0x9e3779b97f4a7c15);
    return (others & ~(UINT64_C(0xffff) << shift)) | pattern << shift;
}

static enum error compare_all(void *context, uint64_t first, uint64_t count,
                              struct diagnostic *diagnostic)
{
    struct comparison *const c = context;
    uint32_t *const word = malloc(2 * BATCH * sizeof *word);
    uint64_t *const out = malloc(BATCH * sizeof *out);
    const enum error error = word && out ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    uint64_t wrong = 0;
    for (uint64_t at = first; at < first + count && !error; at += BATCH) {
        const size_t n = first + count - at < BATCH ? (size_t)(first + count - at) : BATCH;
        for (size_t i = 0; i < n; i++) {
            const uint64_t input = c->words == 2 ? pair_of_words(at + i) : at + i;
            word[c->words * i] = (uint32_t)input;
            if (c->words == 2)
                word[2 * i + 1] = (uint32_t)(input >> 32);
        }
        c->convert(c->context, word, n, out);
        for (size_t i = 0; i < n; i++)
            wrong += element_load(out, dtype_size(c->dtype), i) !=
                     c->formula(c->formula_context, word + c->words * i);
    }
    free(word);
    free(out);
    atomic_fetch_add(&c->wrong, wrong);
    return error;
}

enum error enumerate_against(enumerate_convert convert, const void *context, enum dtype dtype,
                             unsigned words, unsigned bits, enumerate_formula formula,
                             const void *formula_context, unsigned threads,
                             struct enumeration *result, struct diagnostic *diagnostic)
{
    struct comparison comparison = {convert, context, dtype, words, formula, formula_context, 0};
    *result = (struct enumeration){.words = words == 2 ? (64 / WINDOW * BACKGROUNDS) << WINDOW
                                                       : UINT64_C(1) << bits};
    const enum error error =
        threads_run(threads, result->words, GRAIN, compare_all, &comparison, diagnostic);
    result->uneven = comparison.wrong;
    return error;
}
