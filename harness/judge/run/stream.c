// SPDX-License-Identifier: Apache-2.0
// A batch of chunks at a time goes through the threads, so that memory holds the digests of one
// batch and a few chunks a thread.

#include "harness/judge/run/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare/compare.h"
#include "harness/judge/compare/convert.h"
#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/variant/variant.h"

// A batch is large enough to keep many threads busy, a piece large enough to make a call to a
// worker cheap.
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
    unsigned char *made, *wanted; // digests of the batch; the wanted ones only where they are kept
    bool *differs;                // chunks of the batch
    struct stream_element wrong;  // the first one, where a target is held against the reference
    pthread_mutex_t lock;         // of `wrong`
};

// ---- elements ---------------------------------------------------------------

static enum error fill_by_reference(const struct work *work, uint64_t first, uint64_t count,
                                    void *data, struct diagnostic *diagnostic)
{
    const struct slice slice = {
        .output = work->output, .first = first, .count = count, .data = data};
    return variant_fill(work->stream->request, &work->inference, &slice, 1, diagnostic);
}

// One worker for each thread that will run. A worker dies with the thread that started it, so
// the calling thread starts them all.
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

// There is one worker for each thread, so one is always free.
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

static enum error fill_by_target(struct work *work, uint64_t first, uint64_t count, void *data,
                                 struct diagnostic *diagnostic)
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
                           "elements %" PRIu64 " to %" PRIu64 ": %s: %.400s", first,
                           first + count - 1, host_outcome_name(call.outcome), call.message);
}

static enum error fill(struct work *work, uint64_t first, uint64_t count, void *data,
                       struct diagnostic *diagnostic)
{
    return work->stream->target ? fill_by_target(work, first, count, data, diagnostic)
                                : fill_by_reference(work, first, count, data, diagnostic);
}

// ---- chunks -----------------------------------------------------------------

// Where chunk `chunk` of the range lies; *count is smaller for the last one.
static uint64_t place(const struct work *work, uint64_t chunk, uint64_t *count)
{
    const uint64_t at = chunk * STREAM_CHUNK, left = work->stream->count - at;
    *count = left < STREAM_CHUNK ? left : STREAM_CHUNK;
    return work->stream->first + at;
}

static enum error digest_chunks(const struct work *work, const unsigned char *data, uint64_t count,
                                unsigned char *little, unsigned char *digests,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (uint64_t at = 0; at < count && !error; at += STREAM_CHUNK, digests += DIGEST_SIZE) {
        const size_t part = count - at < STREAM_CHUNK ? (size_t)(count - at) : STREAM_CHUNK;
        bytes_copy_little_endian(little, data + at * work->size, work->size, part);
        error = digest_of(little, part * work->size, digests, diagnostic);
    }
    return error;
}

static void find_wrong(const struct work *work, uint64_t at, uint64_t count,
                       const unsigned char *expected, const unsigned char *got, enum dtype dtype,
                       struct stream_element *element)
{
    const uint64_t found = compare_first_difference(dtype, expected, got, count);
    *element = (struct stream_element){.found = found < count, .at = at + found};
    if (!element->found)
        return;
    element->expected = element_load(expected, work->size, (size_t)found);
    element->got = element_load(got, work->size, (size_t)found);
}

// Holds the very elements that were digested against the reference's. Chunks from `chunk` of the
// batch on, the first element being `at`.
static void compare_chunks(struct work *work, uint64_t chunk, uint64_t at, uint64_t count,
                           const unsigned char *expected, const unsigned char *got)
{
    const enum dtype dtype = work->inference.output[work->output].dtype;
    for (uint64_t done = 0; done < count; done += STREAM_CHUNK, chunk++) {
        const uint64_t part = count - done < STREAM_CHUNK ? count - done : STREAM_CHUNK;
        struct stream_element wrong;
        find_wrong(work, at + done, part, expected + done * work->size, got + done * work->size,
                   dtype, &wrong);
        work->differs[chunk] = wrong.found;
        if (!wrong.found)
            continue;
        pthread_mutex_lock(&work->lock);
        if (!work->wrong.found || wrong.at < work->wrong.at)
            work->wrong = wrong;
        pthread_mutex_unlock(&work->lock);
    }
}

// Chunks [first, first + count) of the batch.
static enum error do_piece(void *context, uint64_t first, uint64_t count,
                           struct diagnostic *diagnostic)
{
    struct work *const work = context;
    const struct stream *const stream = work->stream;
    const bool held = stream->target && !stream->expect;
    uint64_t last;
    const uint64_t at = place(work, work->batch_first + first, &last);
    place(work, work->batch_first + first + count - 1, &last);
    const uint64_t elements = (count - 1) * STREAM_CHUNK + last;
    const size_t piece = PIECE * STREAM_CHUNK * work->size;
    unsigned char *const data = malloc(piece * (held ? 2 : 1) + STREAM_CHUNK * work->size);
    if (!data)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const expected = data + piece, *const little =
                                                      held ? expected + piece : expected;
    enum error error = fill(work, at, elements, data, diagnostic);
    if (!error)
        error = digest_chunks(work, data, elements, little, work->made + first * DIGEST_SIZE,
                              diagnostic);
    if (!error && held)
        error = fill_by_reference(work, at, elements, expected, diagnostic);
    if (!error && held)
        compare_chunks(work, first, at, elements, expected, data);
    free(data);
    return error;
}

// ---- what differs -----------------------------------------------------------

// Has chunk `chunk` of the batch made again: whether what comes is what came first; where digests
// are kept, where it is wrong. *excused: the kept digest is the reference's, and the chunk differs
// from it by the payloads of NaN alone, both times alike.
static enum error look_closer(struct work *work, uint64_t chunk, struct stream_result *result,
                              bool *excused, struct diagnostic *diagnostic)
{
    const struct stream *const stream = work->stream;
    unsigned char again[DIGEST_SIZE] = {0}, reference[DIGEST_SIZE] = {0};
    uint64_t count;
    const uint64_t at = place(work, work->batch_first + chunk, &count);
    unsigned char *const got = malloc(3 * STREAM_CHUNK * work->size);
    if (!got)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const expected = got + STREAM_CHUNK * work->size, *const little =
                                                                         expected +
                                                                         STREAM_CHUNK * work->size;
    enum error error = fill(work, at, count, got, diagnostic);
    if (!error)
        error = digest_chunks(work, got, count, little, again, diagnostic);
    const bool changed =
        !error && memcmp(again, work->made + chunk * DIGEST_SIZE, DIGEST_SIZE) != 0;
    if (!error && stream->expect)
        error = fill_by_reference(work, at, count, expected, diagnostic);
    if (!error && stream->expect)
        error = digest_chunks(work, expected, count, little, reference, diagnostic);
    struct stream_element wrong = work->wrong;
    if (!error && stream->expect)
        find_wrong(work, at, count, expected, got, result->dtype, &wrong);
    free(got);
    *excused = !error && stream->expect && stream->target && !changed && !wrong.found &&
               !memcmp(reference, work->wanted + chunk * DIGEST_SIZE, DIGEST_SIZE);
    if (error || *excused)
        return error;
    result->wrong = wrong;
    result->wrong_first = at;
    result->wrong_last = at + count - 1;
    result->changed = changed;
    return ERROR_NONE;
}

static enum error judge_batch(struct work *work, uint64_t chunks, struct stream_result *result,
                              struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (uint64_t i = 0; i < chunks && !error; i++) {
        const size_t at = (size_t)i * DIGEST_SIZE;
        bool excused = false;
        if (!(work->stream->expect ? memcmp(work->made + at, work->wanted + at, DIGEST_SIZE) != 0
                                   : work->differs[i]))
            continue;
        if (!result->wrong_chunks)
            error = look_closer(work, i, result, &excused, diagnostic);
        result->wrong_chunks += !excused;
    }
    return error;
}

static enum error run_batches(struct work *work, struct stream_result *result,
                              struct diagnostic *diagnostic)
{
    const struct stream *const stream = work->stream;
    unsigned char all[DIGEST_SIZE];
    struct digest digest;
    enum error error = digest_begin(&digest, diagnostic);
    for (work->batch_first = 0; work->batch_first < result->chunks && !error;
         work->batch_first += BATCH) {
        const uint64_t left = result->chunks - work->batch_first,
                       chunks = left < BATCH ? left : BATCH;
        error = threads_run(stream->threads, chunks, PIECE, do_piece, work, diagnostic);
        if (!error && stream->expect)
            error = stream->expect(stream->context, work->batch_first, chunks, work->wanted,
                                   diagnostic);
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

// ---- all together -----------------------------------------------------------

// The first output that is wanted, and the call that a target gets for windows of it.
static enum error prepare(struct work *work, struct stream_result *result,
                          struct diagnostic *diagnostic)
{
    const struct stream *const stream = work->stream;
    enum error error = variant_infer(stream->request, &work->inference, diagnostic);
    if (!error && !variant_streams(stream->request))
        error = diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                "the reference computes %s only as a whole",
                                stream->request->operation->name);
    if (error)
        return error;
    while (!tensor_present(&work->inference.output[work->output]) ||
           (stream->request->outputs && !(stream->request->outputs >> work->output & 1)))
        work->output++;
    const struct tensor *const tensor = &work->inference.output[work->output];
    result->dtype = tensor->dtype;
    work->size = dtype_size(tensor->dtype);
    if (!tensor_count(tensor, &work->total) || stream->first > work->total ||
        stream->count > work->total - stream->first || !stream->count ||
        stream->first % STREAM_CHUNK)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "elements %" PRIu64 " and %" PRIu64 " more: the output has %" PRIu64
                               ", and a range starts at a multiple of %d",
                               stream->first, stream->count, work->total, STREAM_CHUNK);
    result->chunks = (stream->count + STREAM_CHUNK - 1) / STREAM_CHUNK;
    work->made = malloc(BATCH * DIGEST_SIZE);
    work->wanted = malloc(BATCH * DIGEST_SIZE);
    work->differs = calloc(BATCH, sizeof *work->differs);
    if (!work->made || !work->wanted || !work->differs)
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
                           windows ? call.message
                                   : "the target does not declare that it can compute windows");
}

enum error stream_run(const struct stream *stream, struct stream_result *result,
                      struct diagnostic *diagnostic)
{
    assert(stream->request);
    struct work *const work = calloc(1, sizeof *work);
    *result = (struct stream_result){.chunks = 0};
    if (!work)
        return diagnostic_no_memory(diagnostic);
    work->stream = stream;
    pthread_mutex_init(&work->pool.lock, NULL);
    pthread_mutex_init(&work->lock, NULL);
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
    pthread_mutex_destroy(&work->lock);
    arena_release(&work->arena);
    free(work->made);
    free(work->wanted);
    free(work->differs);
    free(work);
    return error;
}
