// SPDX-License-Identifier: Apache-2.0
// The system calls that a watched worker asks about: the filter in the worker stops them, the
// harness looks them up. Private to harness/host/watch*.c.

#ifndef ASSAY_HARNESS_HOST_WATCH_CALLS_H
#define ASSAY_HARNESS_HOST_WATCH_CALLS_H

#include <linux/audit.h>
#include <stddef.h>

#if defined(__x86_64__)
#define WATCH_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define WATCH_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define WATCH_ARCHITECTURE 0 // none: nothing is watched, and that is said
#endif

enum { WATCH_OPENAT2 = 437, WATCH_IO_URING_SETUP = 425 }; // older headers lack them

// What a call does to the file that it names.
enum watch_use { USE_BY_FLAGS, USE_RUN, USE_MAKE, USE_CHANGE };

// The system calls that name a file to be read, run, made, changed or removed: which argument is
// the folder that a relative name starts from (-1: the current one), which the name, which the
// flags. A call with two names stands twice.
struct watch_call {
    long number;
    int folder, name, flags;
    enum watch_use use;
};
extern const struct watch_call watch_calls[];
extern const size_t watch_call_count;

#endif
