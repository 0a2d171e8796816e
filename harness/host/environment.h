// SPDX-License-Identifier: Apache-2.0
// What a target must leave as it found it: compared before and after each call, put back when it
// was changed.

#ifndef ASSAY_HARNESS_HOST_ENVIRONMENT_H
#define ASSAY_HARNESS_HOST_ENVIRONMENT_H

#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>

enum {
    ENVIRONMENT_FILES = 128,
    ENVIRONMENT_SIGNALS = 32,
    ENVIRONMENT_TIMERS = 3,
    ENVIRONMENT_REPEATS = 16,
    // Of what harness/plugin.h grants a cache, 2,000 calls or instances: a library that keeps equal
    // instances apart may keep twice as many as oneDNN keeps primitives.
    ENVIRONMENT_CACHED = 2048
};

struct environment {
    // Cheap, looked at around every call.
    uint64_t floating;       // rounding mode, flush to zero, exception masks; not the sticky flags
    uint64_t floating_other; // the same of the x87 unit
    sigset_t mask;
    char locale[256];
    locale_t thread_locale;
    char directory[PATH_MAX];
    uint64_t variables; // hash of environ
    bool child;         // a child process exists, or one whose own parent has ended
    // Expensive, looked at when `thorough`.
    bool thorough;
    struct sigaction handlers[ENVIRONMENT_SIGNALS];
    uint64_t files[ENVIRONMENT_FILES]; // device and inode of each descriptor; 0: closed
    struct rlimit limits[RLIM_NLIMITS];
    struct itimerval timers[ENVIRONMENT_TIMERS];
    stack_t signal_stack;
    int priority;
    unsigned file_mask; // umask
};

// What repeated calls take and do not give back: open files, running threads, address space, and
// what the C library's allocator hands out.
enum { ENVIRONMENT_GROWTHS = 4 };

struct environment_row {
    uint64_t first, last; // before the row and after its last call
    unsigned calls;       // in a row after each of which there was more than after the one before
};

struct environment_growth {
    struct environment_row of[ENVIRONMENT_GROWTHS];
    uint64_t granted; // bytes that calls may leave in a cache
};

void environment_take(struct environment *environment, bool thorough);

// Whether what is expensive stays as it was just taken until the caller itself changes it: there is
// neither another thread that could, nor a child process.
bool environment_stands(const struct environment *environment);

// As environment_take, thorough; what is expensive is that of `stands`, which was said to stand.
void environment_take_from(struct environment *environment, const struct environment *stands);

// Writes what differs to `text` ("flush to zero was turned on") and returns true when something
// does. A new stack for signal handlers counts only where the call was made `again`: a runtime may
// bring one when it starts, but not at every call.
bool environment_differs(const struct environment *before, const struct environment *after,
                         bool again, char *text, size_t size);

// _start before the first of the calls that repeat one request, _end after each; between two of
// them nothing else may allocate. _end is true when there is more of something than after the call
// before. Proven, with words, is what a row of calls did, each of which left more behind than there
// was after the one before: ENVIRONMENT_REPEATS calls, with what plugin.h grants a cache of memory
// exceeded (ENVIRONMENT_CACHED calls, or more than `granted` bytes in all), and with more blocks or
// bytes than the allocator's caches of all threads hold.
//
// Levels are compared after each call, not before and after it: what a thread of the target frees a
// moment after the call has returned is then in none of the differences. Levels that only fluctuate
// rise n times in a row in 1 of (n + 1)! cases at most, and caches and pools end to rise when they
// are full. A library that lets go of what it keeps at each n-th call passes where n is at most
// ENVIRONMENT_CACHED.
//
// The same holds of `instances` that are made anew of one request, also of files and threads: what
// ENVIRONMENT_CACHED of them in a row did.
void environment_growth_start(struct environment_growth *growth, uint64_t granted);
bool environment_growth_end(struct environment_growth *growth);
bool environment_growth_proven(const struct environment_growth *growth, bool instances, char *text,
                               size_t size);

// Puts back what can be put back.
void environment_restore(const struct environment *before);

#endif
