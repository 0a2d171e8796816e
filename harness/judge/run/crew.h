// SPDX-License-Identifier: Apache-2.0
// Several processes at one certification of one target over one suite: what each of them has seen
// stands in memory that all see.
//
// Each asks about some cases and learns from the others what the rest of them is; then each takes
// the next few cases for as long as there are any, so that nobody waits for the one that met the
// dear ones. What becomes of a case does not depend on who ran it.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CREW_H
#define ASSAY_HARNESS_JUDGE_RUN_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct judge_crew_case {
    _Atomic uint64_t bytes;       // of its outputs
    _Atomic uint32_t answer;      // the verdict after asking and 1; 0: not asked yet
    _Atomic uint32_t windowed;    // judged window after window, all processes taking windows
    _Atomic uint64_t next_window; // the first window that nobody runs yet
    _Atomic uint64_t last_window; // the first that was not answered, which no later one matters
                                  // after, and 1; 0: none
};

struct judge_crew {
    pid_t owner; // who started the processes: none goes on without it
    _Atomic uint32_t
        *stopped; // set when one of the processes has ended badly; of all crews of a certification
    _Atomic uint64_t next_asked; // the first case that nobody asks about yet
    _Atomic uint64_t asked;      // how many have been asked about
    _Atomic uint64_t next_run;   // the first supported case that nobody runs yet
    struct judge_crew_case of[];
};

// Bytes of a crew for a suite of so many cases. It starts zeroed, but for the owner and `stopped`.
size_t judge_crew_size(size_t cases);

// Takes up to `most` from `counter`: the first of them. UINT64_MAX, which is beyond all, when one
// of the processes has ended badly.
uint64_t judge_crew_take(const struct judge_crew *crew, _Atomic uint64_t *counter, uint64_t most);

// Waits until all cases have been asked about; false when they never will be.
bool judge_crew_wait(const struct judge_crew *crew, uint64_t cases);

#endif
