// SPDX-License-Identifier: Apache-2.0
// SHA256SUMS, which closes the chain over the golden files and which `sha256sum -c` reads, and
// CHANGES, which says why a case ever changed.

#ifndef ASSAY_VECTORS_SUMS_H
#define ASSAY_VECTORS_SUMS_H

#include <stddef.h>

#include "ref/base/error.h"

// Writes the sums of the suite's two files into `folder`/SHA256SUMS and leaves the other lines as
// they are: a damaged file of another suite must not get a new sum unnoticed.
enum error sums_update(const char *folder, const char *suite, struct diagnostic *diagnostic);

// Checks the two files of `suite` against SHA256SUMS. ERROR_INPUT names the file, or the line of a
// second sum of it.
enum error sums_check(const char *folder, const char *suite, struct diagnostic *diagnostic);

// One line of CHANGES, added at its end: "DATE SUITE VERSION WHAT ID: REASON". The date is that of
// SOURCE_DATE_EPOCH when it is set. `what` is "changed" or "removed".
struct change {
    const char *suite, *version, *what, *id, *reason;
};

// Adds the lines to the file at `path`, which need not exist; one that is there already is not said
// twice. Its sum stands in `folder`/SHA256SUMS as that of "../CHANGES"; a run that is killed in
// between leaves the sums of both, the old file and the new.
enum error changes_append(const char *folder, const char *path, const struct change *change,
                          size_t count, struct diagnostic *diagnostic);

// ERROR_INPUT when the file at `path` does not have a sum that `folder`/SHA256SUMS states for it.
// Without a sum it has to be empty, or not to be there.
enum error changes_check(const char *folder, const char *path, struct diagnostic *diagnostic);

// ERROR_INPUT when CHANGES says that the case of that id was removed: ids are not used twice.
enum error changes_check_new_id(const char *path, const char *suite, const char *id,
                                struct diagnostic *diagnostic);

#endif
