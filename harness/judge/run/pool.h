// SPDX-License-Identifier: Apache-2.0
// A pool of processes that certify one target over one suite: memory that all see, with counters of
// the work that no process has taken yet.
//
// Each process asks about some cases and learns the other answers from the others; then each takes
// the next few cases for as long as there are any. The verdict of a case does not depend on the
// process that ran it.

#ifndef ASSAY_HARNESS_JUDGE_RUN_POOL_H
#define ASSAY_HARNESS_JUDGE_RUN_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct judge_pool_case {
    _Atomic uint64_t bytes;       // of its outputs
    _Atomic uint32_t answer;      // the verdict after asking and 1; 0: not asked yet
    _Atomic uint32_t windowed;    // judged window after window, all processes taking windows
    _Atomic uint64_t next_window; // the first window that no process has taken
    _Atomic uint64_t last_window; // the first window that was not answered, and 1; 0: none. No
                                  // later one matters
};

struct judge_pool {
    pid_t owner;                 // started the processes: none goes on without it
    _Atomic uint32_t *stopped;   // of all pools of a certification: set when a process ended badly
    _Atomic uint64_t next_asked; // the first case that no process has asked about
    _Atomic uint64_t asked;      // how many have been asked about
    _Atomic uint64_t next_run;   // the first supported case that no process has taken
    struct judge_pool_case of[];
};

// Bytes of a pool for a suite of `cases` cases. It starts zeroed, but for the owner and `stopped`.
size_t judge_pool_size(size_t cases);

// Takes up to `most` from `counter`: the first of them. UINT64_MAX, which is beyond all, when one
// of the processes has ended badly.
uint64_t judge_pool_take(const struct judge_pool *pool, _Atomic uint64_t *counter, uint64_t most);

// Waits until all cases have been asked about; false when they never will be.
bool judge_pool_wait(const struct judge_pool *pool, uint64_t cases);

#endif
