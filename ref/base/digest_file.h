// SPDX-License-Identifier: Apache-2.0
// Digests of what lies on a disk, of any size: a file's bytes, a folder's files, a link's text.
//
// A folder's digest is the SHA-256 of one line for each regular file below it, "DIGEST  NAME\n",
// names relative to the folder and in the order of their bytes; links are followed to files and not
// to folders, folders named __pycache__ are left out. With a folder F that holds nothing else the
// shell says the same:
//   cd F && find . -type f ! -path '*/__pycache__/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0
//   sha256sum | sha256sum

#ifndef ASSAY_REF_BASE_DIGEST_FILE_H
#define ASSAY_REF_BASE_DIGEST_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "ref/base/digest.h"

enum { DIGEST_FOLDER_FILES_MAX = 200000, DIGEST_FOLDER_DEPTH_MAX = 64 };

// At the end of a path where no file has that name: the symbolic link itself is meant.
#define DIGEST_LINK '@'

// At the end of a path where no file has that name: what has a digest is whether there is a file.
#define DIGEST_ABSENT '?'

// At the end of a path where no file has that name: that a file of that name was made, changed or
// removed, which has the digest of nothing, whether the file is there or not.
#define DIGEST_CHANGED '>'

// Whether there is anything of that name to be digested.
bool digest_is_there(const char *path);

// Whether two looks found the same file, not changed in between.
bool digest_is_same_file(const struct stat *a, const struct stat *b);

// Whether a change of the file from `now` on will show in digest_is_same_file: the last one is so
// long ago that the kernel's clock, of some milliseconds, has gone on.
bool digest_is_settled(const struct stat *file, time_t now);

// The digest of a regular file or a folder, or of the text of a link, as 64 digits; with a final
// DIGEST_ABSENT that of no bytes where there is no file, and another where there is; with a final
// DIGEST_CHANGED that of no bytes. A process reads a large file once, and again only after it was
// changed. ERROR_INPUT when it is none of these, cannot be read, or holds more than the limits
// above.
enum error digest_path(const char *path, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic);

#endif
