// SPDX-License-Identifier: Apache-2.0
// The threads of a process, as the system lists them.

#ifndef ASSAY_HARNESS_HOST_THREAD_LIST_H
#define ASSAY_HARNESS_HOST_THREAD_LIST_H

#include <stdbool.h>
#include <stdint.h>

// How many threads of `process` (a number, or "self") are running: threads that are ending do
// not count, nor does a process that has ended. 0 where the system does not say.
unsigned thread_list_running(const char *process);

// Whether the calling thread is the only one of its process: one that is ending counts. False where
// the system does not say. One system call.
bool thread_list_alone(void);

// Whether no thread of `process` will do anything before something else happens: none is running,
// none sleeps or waits for a limited time, and none has run since the look that left *seen, which
// this one sets; 0 before the first look, which so is never enough. True where the system does not
// say, and of a process that has ended.
bool thread_list_at_rest(const char *process, uint64_t *seen);

#endif
