// SPDX-License-Identifier: Apache-2.0
// Files read whole, and files replaced whole: a reader finds the old bytes or the new ones, also
// after a crash.

#ifndef ASSAY_REF_BASE_FILE_H
#define ASSAY_REF_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

// The whole file at `path` ("-": standard input) into `*source`, whose memory is the arena's.
// ERROR_INPUT when it cannot be opened or is larger than DOCUMENT_BYTES_MAX.
enum error file_read(const char *path, struct arena *arena, struct document_source *source,
                     struct diagnostic *diagnostic);

// As much of the file's start as `text` holds with a NUL after it, and its size there; empty when
// it cannot be read. For what the kernel says: no memory is needed.
size_t file_read_start(const char *path, char *text, size_t size);

// The last part of a path, behind its last slash.
const char *file_name(const char *path);

// The same without its ending; NULL: no memory.
const char *file_stem(const char *path, struct arena *arena);

// Names in `folder` that end in `suffix`, without it, in the order of their bytes; none where there
// is no such folder. Those that begin with a dot are left out. Memory is the arena's. ERROR_INPUT
// for more than FILE_LIST_MAX.
enum { FILE_LIST_MAX = 256 };
enum error file_list(const char *folder, const char *suffix, struct arena *arena, char ***names,
                     size_t *count, struct diagnostic *diagnostic);

// Up to `size` bytes of an open file, from byte `at` on or, FILE_HERE, from where it stands; fewer
// only where it ends. False, with errno, where the system refuses.
#define FILE_HERE UINT64_MAX
bool file_take(int descriptor, uint64_t at, void *bytes, size_t size, size_t *got);

// Writes all of the bytes where an open file stands. False, with errno, where the system refuses.
bool file_give(int descriptor, const void *bytes, size_t size);

// A file on its way to `path`: written beside it under another name (ref/base/leftover.h) until it
// is committed; what killed processes left of the same file is removed. Where `path` is a symbolic
// link, the file that it leads to is replaced; a pipe, a device or /dev/fd/N is written to as it
// is, without a temporary name.
struct file_replacement {
    int descriptor;
    char *path, *temporary;
    char *buffer;
    size_t used;
};

// Errors of all of these are ERROR_SYSTEM with the path and the system's reason.
enum error file_replace(struct file_replacement *file, const char *path,
                        struct diagnostic *diagnostic);
enum error file_put(struct file_replacement *file, const void *bytes, size_t size,
                    struct diagnostic *diagnostic);
// Flushes to the disk, renames, and flushes the folder. `file` is done whether this succeeds or
// not.
enum error file_commit(struct file_replacement *file, struct diagnostic *diagnostic);
// Removes what was written; nothing happens after a commit or for a zero-initialised one.
void file_abandon(struct file_replacement *file);

// All of it in one call.
enum error file_replace_with(const char *path, const void *bytes, size_t size,
                             struct diagnostic *diagnostic);

// The same for a file that is not there yet; one that another process has made meanwhile is left
// as it is.
enum error file_make_with(const char *path, const void *bytes, size_t size,
                          struct diagnostic *diagnostic);

#endif
