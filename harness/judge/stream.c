// SPDX-License-Identifier: Apache-2.0
// A batch of chunks at a time goes through the threads, so that memory holds the digests of one batch and a few chunks a thread.

#include "harness/judge/stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare.h"
#include "harness/judge/convert.h"
#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/variant/variant.h"

// A batch is large enough to keep many threads busy, a piece large enough to make a call to a worker cheap.
enum { BATCH = 4096, PIECE = 16, HOSTS_MAX = 1024 };

// Workers that no thread uses at the moment.
struct pool {
    pthread_mutex_t lock;
    size_t count;
    struct host *host[HOSTS_MAX];
};

struct work {
    const struct stream *stream;
    struct inference inference;
    unsigned output;
    uint64_t total; // elements of the output
    size_t size;    // of one
    struct host_request call;
    struct arena arena;
    struct pool pool;
    uint64_t batch_first;         // chunk of the range
    unsigned char *made, *wanted; // digests of the batch
};

// ---- elements -------------------------------------------------------------------------------------------------------

static enum error fill_by_reference(const struct work *work, uint64_t first, uint64_t count, void *data,
                                    struct diagnostic *diagnostic)
{
    const struct slice slice = {.output = work->output, .first = first, .count = count, .data = data};
    return variant_fill(work->stream->request, &work->inference, &slice, 1, diagnostic);
}

// One worker for each thread that will run. A worker dies with the thread that started it, so that is the caller's.
static enum error open_workers(struct work *work, uint64_t chunks, struct diagnostic *diagnostic)
{
    const struct stream_target *const target = work->stream->target;
    const uint64_t pieces = (chunks + PIECE - 1) / PIECE;
    uint64_t wanted = work->stream->threads ? work->stream->threads : threads_available();
    wanted = wanted > pieces ? pieces : wanted;
    enum error error = ERROR_NONE;
    while (work->pool.count < wanted && work->pool.count < HOSTS_MAX && !error) {
        error = target->open(target->context, &work->pool.host[work->pool.count], diagnostic);
        work->pool.count += !error;
    }
    return error;
}

// There are as many as threads, so one is always there.
static struct host *borrow(struct work *work)
{
    pthread_mutex_lock(&work->pool.lock);
    struct host *const host = work->pool.host[--work->pool.count];
    pthread_mutex_unlock(&work->pool.lock);
    return host;
}

static void give_back(struct work *work, struct host *host)
{
    pthread_mutex_lock(&work->pool.lock);
    work->pool.host[work->pool.count++] = host;
    pthread_mutex_unlock(&work->pool.lock);
}

static enum error fill_by_target(struct work *work, uint64_t first, uint64_t count, void *data, struct diagnostic *diagnostic)
{
    struct host_tensor output = work->call.outputs[0];
    struct host_request request = work->call;
    struct host_call call = {.request = &request};
    output.tensor.data = data;
    request.outputs = &output;
    request.window_first = first;
    request.window_count = count;
    struct host *const host = borrow(work);
    host_run(host, &call, 1);
    give_back(work, host);
    if (call.outcome == HOST_OK)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, call.outcome == HOST_LOST ? ERROR_SYSTEM : ERROR_INPUT,
                           "elements %" PRIu64 " to %" PRIu64 ": %s: %.400s", first, first + count - 1,
                           host_outcome_name(call.outcome), call.message);
}

static enum error fill(struct work *work, uint64_t first, uint64_t count, void *data, struct diagnostic *diagnostic)
{
    return work->stream->target ? fill_by_target(work, first, count, data, diagnostic)
                                : fill_by_reference(work, first, count, data, diagnostic);
}

// ---- chunks ---------------------------------------------------------------------------------------------------------

// Where chunk `chunk` of the range lies; *count is smaller for the last one.
static uint64_t place(const struct work *work, uint64_t chunk, uint64_t *count)
{
    const uint64_t at = chunk * STREAM_CHUNK, left = work->stream->count - at;
    *count = left < STREAM_CHUNK ? left : STREAM_CHUNK;
    return work->stream->first + at;
}

static enum error digest_chunks(const struct work *work, const unsigned char *data, uint64_t count, unsigned char *little,
                                unsigned char *digests, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (uint64_t at = 0; at < count && !error; at += STREAM_CHUNK, digests += DIGEST_SIZE) {
        const size_t part = count - at < STREAM_CHUNK ? (size_t)(count - at) : STREAM_CHUNK;
        bytes_copy_little_endian(little, data + at * work->size, work->size, part);
        error = digest_of(little, part * work->size, digests, diagnostic);
    }
    return error;
}

// Chunks [first, first + count) of the batch.
static enum error do_piece(void *context, uint64_t first, uint64_t count, struct diagnostic *diagnostic)
{
    struct work *const work = context;
    const struct stream *const stream = work->stream;
    uint64_t last;
    const uint64_t at = place(work, work->batch_first + first, &last);
    place(work, work->batch_first + first + count - 1, &last);
    const uint64_t elements = (count - 1) * STREAM_CHUNK + last;
    unsigned char *const data = malloc((PIECE + 1) * STREAM_CHUNK * work->size);
    if (!data)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const little = data + PIECE * STREAM_CHUNK * work->size;
    enum error error = fill(work, at, elements, data, diagnostic);
    if (!error)
        error = digest_chunks(work, data, elements, little, work->made + first * DIGEST_SIZE, diagnostic);
    if (!error && stream->target && !stream->expect) {
        error = fill_by_reference(work, at, elements, data, diagnostic);
        if (!error)
            error = digest_chunks(work, data, elements, little, work->wanted + first * DIGEST_SIZE, diagnostic);
    }
    free(data);
    return error;
}

// Makes the chunk again, by both, and looks for its first wrong element.
static enum error look_closer(struct work *work, uint64_t chunk, struct stream_result *result, struct diagnostic *diagnostic)
{
    uint64_t count;
    const uint64_t at = place(work, chunk, &count);
    unsigned char *const got = malloc(2 * STREAM_CHUNK * work->size);
    if (!got)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const expected = got + STREAM_CHUNK * work->size;
    enum error error = fill(work, at, count, got, diagnostic);
    if (!error)
        error = fill_by_reference(work, at, count, expected, diagnostic);
    const uint64_t found = error ? count : compare_first_difference(result->dtype, expected, got, count);
    if (!error && found < count) {
        result->placed = true;
        result->at = at + found;
        result->expected = element_load(expected, work->size, (size_t)found);
        result->got = element_load(got, work->size, (size_t)found);
    }
    free(got);
    return error;
}

// Digests differ where NaN carry other payloads, too; what is wrong is decided by elements.
static enum error judge_batch(struct work *work, uint64_t chunks, struct stream_result *result, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (uint64_t i = 0; i < chunks && !error; i++) {
        if (!memcmp(work->made + i * DIGEST_SIZE, work->wanted + i * DIGEST_SIZE, DIGEST_SIZE))
            continue;
        struct stream_result closer = {.dtype = result->dtype};
        if (!result->placed)
            error = look_closer(work, work->batch_first + i, &closer, diagnostic);
        if (!error && !result->placed && !closer.placed && work->stream->target && !work->stream->expect)
            continue; // equal but for the payloads of NaN
        result->wrong_chunks++;
        if (closer.placed) {
            result->placed = true;
            result->at = closer.at;
            result->expected = closer.expected;
            result->got = closer.got;
        }
    }
    return error;
}

static enum error run_batches(struct work *work, struct stream_result *result, struct diagnostic *diagnostic)
{
    const struct stream *const stream = work->stream;
    unsigned char all[DIGEST_SIZE];
    struct digest digest;
    enum error error = digest_begin(&digest, diagnostic);
    for (work->batch_first = 0; work->batch_first < result->chunks && !error; work->batch_first += BATCH) {
        const uint64_t left = result->chunks - work->batch_first, chunks = left < BATCH ? left : BATCH;
        error = threads_run(stream->threads, chunks, PIECE, do_piece, work, diagnostic);
        if (!error && stream->expect)
            error = stream->expect(stream->context, work->batch_first, chunks, work->wanted, diagnostic);
        if (!error && (stream->target || stream->expect))
            error = judge_batch(work, chunks, result, diagnostic);
        if (!error)
            error = digest_add(&digest, work->made, (size_t)chunks * DIGEST_SIZE, diagnostic);
        if (!error && stream->take)
            error = stream->take(stream->context, work->made, chunks, diagnostic);
    }
    if (!error)
        error = digest_end(&digest, all, diagnostic);
    if (!error)
        digest_write_hex(all, result->digest);
    return error;
}

// ---- all together ---------------------------------------------------------------------------------------------------

// The first output that is wanted, and the call that a target gets for windows of it.
static enum error prepare(struct work *work, struct stream_result *result, struct diagnostic *diagnostic)
{
    const struct stream *const stream = work->stream;
    enum error error = variant_infer(stream->request, &work->inference, diagnostic);
    if (!error && !variant_streams(stream->request))
        error =
            diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "%s is not computed in slices", stream->request->operation->name);
    if (error)
        return error;
    while (!tensor_present(&work->inference.output[work->output]) ||
           (stream->request->outputs && !(stream->request->outputs >> work->output & 1)))
        work->output++;
    const struct tensor *const tensor = &work->inference.output[work->output];
    result->dtype = tensor->dtype;
    work->size = dtype_size(tensor->dtype);
    if (!tensor_count(tensor, &work->total) || stream->first > work->total || stream->count > work->total - stream->first ||
        !stream->count || stream->first % STREAM_CHUNK)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "elements %" PRIu64 " and %" PRIu64 " more: the output has %" PRIu64
                               ", and a range starts at a multiple of %d",
                               stream->first, stream->count, work->total, STREAM_CHUNK);
    result->chunks = (stream->count + STREAM_CHUNK - 1) / STREAM_CHUNK;
    work->made = malloc(BATCH * DIGEST_SIZE);
    work->wanted = malloc(BATCH * DIGEST_SIZE);
    if (!work->made || !work->wanted)
        return diagnostic_no_memory(diagnostic);
    struct request alone = *stream->request;
    alone.outputs = UINT32_C(1) << work->output;
    return judge_convert_request(&alone, &work->inference, &work->arena, &work->call, diagnostic);
}

static enum error ask_target(struct work *work, struct diagnostic *diagnostic)
{
    struct host *const host = borrow(work);
    struct host_request request = work->call;
    request.window_first = work->stream->first;
    request.window_count = work->stream->count < STREAM_CHUNK ? work->stream->count : STREAM_CHUNK;
    struct host_call call = {.request = &request, .ask = true};
    const bool windows = host_describe(host)->capabilities & ASSAY_CAPABILITY_WINDOW;
    if (windows)
        host_run(host, &call, 1);
    give_back(work, host);
    if (windows && call.outcome == HOST_OK)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "%s",
                           windows ? call.message : "the target does not say that it can compute a window of an output");
}

enum error stream_run(const struct stream *stream, struct stream_result *result, struct diagnostic *diagnostic)
{
    struct work *const work = calloc(1, sizeof *work);
    *result = (struct stream_result){.chunks = 0};
    if (!work)
        return diagnostic_no_memory(diagnostic);
    work->stream = stream;
    pthread_mutex_init(&work->pool.lock, NULL);
    enum error error = prepare(work, result, diagnostic);
    if (!error && stream->target)
        error = open_workers(work, result->chunks, diagnostic);
    if (!error && stream->target)
        error = ask_target(work, diagnostic);
    if (!error)
        error = run_batches(work, result, diagnostic);
    for (size_t i = 0; i < work->pool.count; i++)
        host_close(work->pool.host[i], NULL);
    pthread_mutex_destroy(&work->pool.lock);
    arena_release(&work->arena);
    free(work->made);
    free(work->wanted);
    free(work);
    return error;
}
