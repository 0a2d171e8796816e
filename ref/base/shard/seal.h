// SPDX-License-Identifier: Apache-2.0
// A seal over the rows of an SQLite database: SHA-256 of all of them, kept in a table of its own
// and renewed by every change, in the same transaction. SQLite itself does not notice a
// changed byte inside a value.

#ifndef ASSAY_REF_BASE_SHARD_SEAL_H
#define ASSAY_REF_BASE_SHARD_SEAL_H

#include "ref/base/error.h"

struct sqlite3;

// Which rows, and in which order: queries, NULL-terminated.
struct seal {
    const char *what; // for messages: "the audit history"
    const char *const *rows;
};

// Makes a database at `path` that has the schema and no rows, whole at once; one that another
// process made meanwhile is left as it is.
enum error seal_make(const char *path, const char *schema, struct diagnostic *diagnostic);

// Opens the database at `path`, with `schema` in force, and checks its seal. One that is not there
// is made, whole at once: a file without a page is never what was written here, but what is left of
// one that was cut off, and ERROR_INPUT. *database is the caller's to close, NULL after an error.
enum error seal_open(struct sqlite3 **database, const char *path, const char *schema,
                     const struct seal *seal, struct diagnostic *diagnostic);

// ERROR_INPUT when the file is damaged or its rows are not those that were sealed; a database
// without rows needs no seal. ERROR_SYSTEM when it cannot be read.
enum error seal_check(struct sqlite3 *database, const struct seal *seal,
                      struct diagnostic *diagnostic);

// Seals the rows as they are now.
enum error seal_put(struct sqlite3 *database, const struct seal *seal,
                    struct diagnostic *diagnostic);

#endif
