// SPDX-License-Identifier: Apache-2.0
// Starting, watching and ending the process of a worker.

#ifndef ASSAY_HARNESS_HOST_SPAWN_H
#define ASSAY_HARNESS_HOST_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ref/base/error.h"

// The first and the last of what was printed; what lies between is dropped.
enum { SPAWN_HEAD_SIZE = 2048, SPAWN_TAIL_SIZE = 4096 };

struct printed {
    char head[SPAWN_HEAD_SIZE], tail[SPAWN_TAIL_SIZE];
    size_t head_size, tail_at, total;
};

struct process {
    pid_t id;   // 0: none
    int socket; // conversation
    int errors; // what it prints
    struct printed printed;
};

// Starts `arguments` in a session of its own. Descriptor 4 (or, when `standard`, 0 and 1) is the
// other end of process->socket; descriptor 3 is `memory` unless that is negative; 2 is read by
// spawn_drain; all others are closed. `own`: variables that replace or join those of this process,
// "NAME=VALUE", NULL-terminated; NULL: none. Unless `standard`, spawn_heap joins them. Where
// watching is asked for (watch.h), only those of this process go along that spawn_kept names.
enum error spawn_process(struct process *process, const char *executable, char *const *arguments,
                         char *const *own, bool standard, int memory,
                         struct diagnostic *diagnostic);

// The names of the variables that a watched worker has from this process: NULL-terminated.
extern const char *const spawn_kept[];

// The variable that a plugin's worker has where its target sets none of that name, so that all that
// it takes from the heap is filled.
extern const char spawn_heap[];

// Reads what the process has printed, without waiting.
void spawn_drain(struct process *process);

// Private memory in bytes that the process holds, 0 when unknown.
uint64_t spawn_memory(const struct process *process);

// Whether the process has ended, or is about to whatever happens.
bool spawn_is_ending(const struct process *process);

// Waits until no thread of the process does anything by itself any more (thread_list.h), until it
// has ended, or for `limit_ms`.
void spawn_wait_for_rest(struct process *process, unsigned limit_ms);

// Kills the whole process group, waits, closes. *status (may be NULL) is that of waitpid; when
// `grace_ms` is not 0 the process is first given so long to end by itself, and false is returned
// when it did not.
bool spawn_end(struct process *process, unsigned grace_ms, int *status);

// Printable text of what was printed, in `text`.
void printed_text(const struct printed *printed, char *text, size_t size);

// Replaces the control characters that a terminal would act on.
void make_printable(char *text);

// Milliseconds of a clock that never goes back.
uint64_t spawn_clock_ms(void);

// How long a process has had for something, measured by a caller that looks at least every
// SPAWN_STEP_MS. Where more time than that passes between two looks, the machine was suspended or
// had no processor for the caller, and the surplus does not count against the target.
enum { SPAWN_STEP_MS = 50 };

struct spawn_watch {
    uint64_t looked, had; // when it was looked at last; how many milliseconds have counted so far
};

void spawn_watch_start(struct spawn_watch *watch);

// Looks, and gives the milliseconds that have counted since the start.
uint64_t spawn_watch_ms(struct spawn_watch *watch);

#endif
