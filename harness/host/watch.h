// SPDX-License-Identifier: Apache-2.0
// Which files a target reads: every open and every program start of its worker and of all that the
// worker starts, from before the target's first instruction on.
//
// The kernel stops each such call and asks the harness (seccomp user notification), which notes the
// file and lets the call go on. It needs no privileges, and unlike an interposed function or a look
// at /proc/PID/maps it also sees raw system calls, static programs, and what is loaded for one call
// alone. Not seen: code that is made in memory or handed over by another process, and a name that
// another thread changes between the look and the call.

#ifndef ASSAY_HARNESS_HOST_WATCH_H
#define ASSAY_HARNESS_HOST_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"

struct watch; // the files that one target's workers have read so far

// The variable by which workers are asked to be watched. A run that is to be signed sets it: each
// call that the watch stops takes some microseconds more.
#define WATCH_ASKED "ASSAY_WATCH"

// Asks for it. Fails where memory runs out.
enum error watch_ask(struct diagnostic *diagnostic);

// In a worker, before anything foreign runs: begins, and tells the harness at the other end of the
// socket, or tells it that the system offers no such thing.
void watch_begin(int socket);

// In the harness: takes the news of a worker that was just started, and serves it until it ends. At
// most one worker is served at a time: the one before must have ended. *watch is made where it is
// NULL. What lies in the folder `without` (NULL: none) is not noted. A worker that ends without a
// word is no error.
enum error watch_attach(struct watch **watch, int socket, unsigned limit_ms, const char *without,
                        struct diagnostic *diagnostic);

// Hands over file `i` of those that were read, by their real paths, of the links on the way to
// them, and of the names that were to be opened or run and were not there, as digest_path names
// them, in the order in which they were first seen; NULL past the last. The text lives as long as
// the watch.
const char *watch_file(struct watch *watch, size_t i);

// What was not seen; all false: nothing that is known of.
struct watch_gaps {
    bool unwatched; // some worker could not be watched
    bool unread;    // a name could not be read, or means another file there, or there were too many
    bool hidden;    // calls that open files and cannot be followed: of another architecture, of
                    // io_uring (which are refused), by handle
    bool changed;   // a file is not the one any more that was read, is gone, or has come
};
struct watch_gaps watch_gaps(struct watch *watch);

void watch_end(struct watch *watch);

#endif
