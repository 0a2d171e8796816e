// SPDX-License-Identifier: Apache-2.0
// Files and folders under way, and what becomes of them when their owner is killed.
//
// Each has a name of its own (random, made with O_EXCL) and is locked (flock) by its owner as long
// as it is in use; the kernel gives the lock back when the owner dies. So a process that can take
// the lock knows that it is no longer in use. That holds within one running kernel, whose boot id
// is part of the name; what another one left is taken for dead when it has not changed for a day.

#ifndef ASSAY_REF_BASE_LEFTOVER_H
#define ASSAY_REF_BASE_LEFTOVER_H

#include <limits.h>

#include "ref/base/error.h"

// Makes PATH.<16 hexadecimal digits>.part, locked, open for writing; *name is the caller's to free.
// -1 with errno set.
int leftover_open_part(const char *path, char **name);

// Removes what dead processes left beside `path` under such names. What cannot be looked at stays.
void leftover_sweep_parts(const char *path);

// A folder for files of this run below $TMPDIR (/tmp without it).
struct leftover_folder {
    char path[PATH_MAX];
    int lock;
};

// Makes one, after those that dead processes of the same user left there have been removed with the
// files in them. ERROR_SYSTEM with the reason.
enum error leftover_make_folder(struct leftover_folder *folder, struct diagnostic *diagnostic);
void leftover_empty_folder(const struct leftover_folder *folder);
// With the files in it.
void leftover_remove_folder(struct leftover_folder *folder);

// From now on SIGTERM, SIGINT and SIGHUP, where they are not ignored, remove the folders of this
// process before they end it.
void leftover_remove_on_signals(void);

#endif
