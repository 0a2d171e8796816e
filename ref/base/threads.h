// SPDX-License-Identifier: Apache-2.0
// Work on a range split among threads. The result never depends on how many there are.

#ifndef ASSAY_REF_BASE_THREADS_H
#define ASSAY_REF_BASE_THREADS_H

#include <stdint.h>

#include "ref/base/error.h"

// Does elements [first, first + count) of the work; may run at the same time as other calls on
// other ranges.
typedef enum error (*threads_job)(void *context, uint64_t first, uint64_t count,
                                  struct diagnostic *diagnostic);

// How many threads to use: ASSAY_THREADS when it is a number from 1 to 1024, else
// processors_usable().
unsigned threads_available(void);

// Runs `job` over [0, total) in pieces that start at multiples of `grain` (at least 1), on up to
// `threads` threads (0: threads_available()). The caller's thread takes part. Returns the error of
// the lowest failing piece, with its diagnostic.
enum error threads_run(unsigned threads, uint64_t total, uint64_t grain, threads_job job,
                       void *context, struct diagnostic *diagnostic);

#endif
