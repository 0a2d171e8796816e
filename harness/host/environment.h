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
    ENVIRONMENT_REPEATS = 16
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

// What repeated calls of one instance take and do not give back.
struct environment_growth {
    uint64_t bytes;          // of memory in use before the call
    unsigned files, threads; // open descriptors and running threads before the first of the calls
                             // that are counted below
    unsigned byte_calls, file_calls,
        thread_calls;     // in a row that took some; of memory, more than a little
    uint64_t bytes_taken; // by the first of these, together
};

void environment_take(struct environment *environment, bool thorough);

// Writes what differs to `text` ("flush to zero was turned on") and returns true when something
// does. A new stack for signal handlers counts only where the call was made `again`: a runtime may
// bring one when it starts, but not at every call.
bool environment_differs(const struct environment *before, const struct environment *after,
                         bool again, char *text, size_t size);

// Around each of the calls that repeat one request on one instance, from a zeroed `growth`. _end is
// true when this call took memory, a descriptor or a thread and kept it. Proven, with words, is
// what ENVIRONMENT_REPEATS calls in a row did. One that did proves nothing: caches fill, pools
// start, each thread's store of freed blocks takes up to 7 of a size before it gives any back, and
// a thread that has done its work needs a moment more to be gone. Memory is what the C library's
// allocator hands out.
void environment_growth_start(struct environment_growth *growth);
bool environment_growth_end(struct environment_growth *growth);
bool environment_growth_proven(const struct environment_growth *growth, char *text, size_t size);

// Puts back what can be put back.
void environment_restore(const struct environment *before);

#endif
