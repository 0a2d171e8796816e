// SPDX-License-Identifier: Apache-2.0
// Enumeration of conversions: counters shared by all threads, one for each value.

#include "stats/enumerate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"

enum { BATCH = 1 << 14 };

static const uint32_t NO_VALUE = UINT32_MAX;

struct job {
    enumerate_convert convert;
    const void *context;
    enum dtype dtype;
    unsigned fraction;
    int64_t minimum;
    uint64_t values;
    _Atomic uint32_t *count;
    _Atomic uint64_t outside;
};

static double float_value(enum dtype dtype, const void *data, size_t index)
{
    const uint64_t bits = element_load(data, dtype_size(dtype), index);
    if (dtype == DTYPE_F32)
        return (double)float_from_bits((uint32_t)bits);
    if (dtype == DTYPE_BF16)
        return (double)float_from_bits((uint32_t)bits << 16);
    const int exponent = (int)(bits >> 10 & 31);
    double value = (double)((bits & 1023) | (exponent ? 1024 : 0)); // times 2^(max(exponent, 1) - 25)
    if (exponent == 31)
        return __builtin_inf();
    for (int e = exponent ? exponent : 1; e < 25; e++)
        value /= 2;
    for (int e = exponent; e > 25; e--)
        value *= 2;
    return bits >> 15 ? -value : value;
}

// Which value it is, NO_VALUE for one that the law does not know.
static uint32_t value_index(const struct job *job, const void *data, size_t i)
{
    if (job->dtype == DTYPE_I32) {
        int32_t v;
        memcpy(&v, (const char *)data + 4 * i, 4);
        const int64_t away = (int64_t)v - job->minimum;
        return away < 0 || away >= (int64_t)job->values ? NO_VALUE : (uint32_t)away;
    }
    const double scaled = float_value(job->dtype, data, i) * (double)job->values;
    if (!(scaled >= 0 && scaled < (double)job->values))
        return NO_VALUE;
    const uint32_t index = (uint32_t)scaled;
    return (double)index < scaled ? NO_VALUE : index;
}

static enum error convert_all(void *context, uint64_t first, uint64_t words, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    struct job *const job = context;
    static _Thread_local uint32_t word[BATCH], out[BATCH];
    uint64_t outside = 0;
    for (uint64_t w = first; w < first + words; w += BATCH) {
        const size_t n = first + words - w < BATCH ? (size_t)(first + words - w) : BATCH;
        for (size_t i = 0; i < n; i++)
            word[i] = (uint32_t)(w + i);
        job->convert(job->context, word, n, out);
        for (size_t i = 0; i < n; i++) {
            const uint32_t index = value_index(job, out, i);
            if (index == NO_VALUE)
                outside++;
            else
                atomic_fetch_add_explicit(&job->count[index], 1, memory_order_relaxed);
        }
    }
    atomic_fetch_add(&job->outside, outside);
    return ERROR_NONE;
}

static enum error enumerate(struct job *job, unsigned bits, unsigned threads, struct enumeration *result,
                            struct diagnostic *diagnostic)
{
    const uint64_t words = UINT64_C(1) << bits, base = words / job->values, rest = words % job->values;
    *result = (struct enumeration){.least = UINT64_MAX, .smallest = __builtin_inf(), .largest = -__builtin_inf()};
    job->count = calloc(job->values, sizeof *job->count);
    if (!job->count)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory for %llu counters", (unsigned long long)job->values);
    const enum error error = threads_run(threads, words, 1 << 20, convert_all, job, diagnostic);
    for (uint64_t v = 0; v < job->values; v++) {
        const uint64_t n = job->count[v];
        result->uneven += n != base + (v < rest);
        result->least = n < result->least ? n : result->least;
        result->most = n > result->most ? n : result->most;
        const double value = job->dtype == DTYPE_I32 ? (double)job->minimum + (double)v : (double)v / (double)job->values;
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

enum error enumerate_unit(enumerate_convert convert, const void *context, enum dtype dtype, unsigned bits, unsigned fraction,
                          unsigned threads, struct enumeration *result, struct diagnostic *diagnostic)
{
    struct job job = {
        .convert = convert, .context = context, .dtype = dtype, .fraction = fraction, .values = UINT64_C(1) << fraction};
    return enumerate(&job, bits, threads, result, diagnostic);
}

enum error enumerate_remainder(enumerate_convert convert, const void *context, int32_t minimum, uint32_t range, unsigned bits,
                               unsigned threads, struct enumeration *result, struct diagnostic *diagnostic)
{
    struct job job = {.convert = convert, .context = context, .dtype = DTYPE_I32, .minimum = minimum, .values = range};
    return enumerate(&job, bits, threads, result, diagnostic);
}
