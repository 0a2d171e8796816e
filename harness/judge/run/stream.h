// SPDX-License-Identifier: Apache-2.0
// Outputs larger than memory: the first output of a request, gone through in chunks from any
// element to any other, on all threads, by the reference and by a target that gives windows. What
// is kept of a chunk is its SHA-256 (of little-endian bytes). A target is held against the
// reference element by element; where it is held against kept digests, what is wrong in a chunk is
// found by making that chunk again.

#ifndef ASSAY_HARNESS_JUDGE_RUN_STREAM_H
#define ASSAY_HARNESS_JUDGE_RUN_STREAM_H

#include "harness/host/host.h"
#include "ref/base/digest.h"
#include "ref/op/operation.h"

enum { STREAM_CHUNK = 64 * 1024 }; // elements, as in golden files

// Opens one more worker of the target; each thread has its own.
struct stream_target {
    enum error (*open)(void *context, struct host **host, struct diagnostic *diagnostic);
    void *context;
};

struct stream {
    const struct request
        *request; // with an empty window, where the operation gives no output of that size whole
    uint64_t first, count;              // elements; `first` is a multiple of STREAM_CHUNK
    unsigned threads;                   // 0: all
    const struct stream_target *target; // NULL: the reference alone
    // Called in order with the digests of the next chunks, those of the target where there is one;
    // may be NULL.
    enum error (*take)(void *context, const unsigned char *digests, uint64_t chunks,
                       struct diagnostic *diagnostic);
    // Instead of the reference: the digests that chunks [first, first + chunks) of the range must
    // have. NULL: the reference's.
    enum error (*expect)(void *context, uint64_t first, uint64_t chunks, unsigned char *digests,
                         struct diagnostic *diagnostic);
    void *context;
};

struct stream_element {
    bool found;
    uint64_t at;
    uint64_t expected, got; // bits
};

struct stream_result {
    enum dtype dtype;
    // Those that are not as they should be. NaN of other payloads are, also where digests are kept:
    // unless the chunk, made again, has another digest than at first.
    uint64_t chunks, wrong_chunks;
    char digest[DIGEST_HEX_SIZE];     // of the digests of all chunks, as golden files keep it
    uint64_t wrong_first, wrong_last; // elements of the first wrong chunk
    bool changed;                // it was made again, and has another digest: not deterministic
    struct stream_element wrong; // its first wrong element. With kept digests that of the second
                                 // making, if that is wrong at all
};

// ERROR_UNSUPPORTED when the operation gives no slices under the request's profile, or the target
// no windows. A target that fails on a window is ERROR_INPUT with the window and its message.
enum error stream_run(const struct stream *stream, struct stream_result *result,
                      struct diagnostic *diagnostic);

#endif
