// SPDX-License-Identifier: Apache-2.0
// What a target must leave as it found it: compared before and after each call, put back when it was changed.

#ifndef ASSAY_HARNESS_HOST_ENVIRONMENT_H
#define ASSAY_HARNESS_HOST_ENVIRONMENT_H

#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENVIRONMENT_FILES = 128, ENVIRONMENT_SIGNALS = 32 };

struct environment {
    // Cheap, looked at around every call.
    uint64_t floating;       // rounding mode, flush to zero, exception masks; not the sticky flags
    uint64_t floating_other; // the same of the x87 unit
    sigset_t mask;
    char locale[256];
    locale_t thread_locale;
    char directory[PATH_MAX];
    uint64_t variables; // hash of environ
    bool child;         // a child process exists
    // Dear, looked at when `thorough`.
    bool thorough;
    struct sigaction handlers[ENVIRONMENT_SIGNALS];
    uint64_t files[ENVIRONMENT_FILES]; // device and inode of each descriptor; 0: closed
    unsigned file_count, thread_count;
};

void environment_take(struct environment *environment, bool thorough);

// Writes what differs to `text` ("flush to zero was turned on") and returns true when something does. New files and threads count
// only when `growth` is asked for: a library may open a pool at its first call, but not at every one.
bool environment_differs(const struct environment *before, const struct environment *after, bool growth, char *text,
                         size_t size);

// Puts back what can be put back.
void environment_restore(const struct environment *before);

#endif
