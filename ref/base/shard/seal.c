// SPDX-License-Identifier: Apache-2.0
// Each column goes into the digest with its type and its length, so that no two rows look alike.

#include "ref/base/shard/seal.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ref/base/digest.h"
#include "ref/base/file.h"

static enum error failed(sqlite3 *database, const struct seal *seal, struct diagnostic *diagnostic)
{
    const int code = sqlite3_errcode(database);
    const int damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                        code == SQLITE_ERROR; // ERROR: a table is not there
    return diagnostic_fail(diagnostic,
                           damaged                ? ERROR_INPUT
                           : code == SQLITE_NOMEM ? ERROR_INTERNAL
                                                  : ERROR_SYSTEM,
                           "%s cannot be read: %s", seal->what, sqlite3_errmsg(database));
}

static enum error damaged(const struct seal *seal, const char *how, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT, "%s is damaged: %s; take a copy that is not",
                           seal->what, how);
}

static enum error add_column(struct digest *digest, sqlite3_stmt *row, int column,
                             struct diagnostic *diagnostic)
{
    const int type = sqlite3_column_type(row, column);
    // Text of a number would hide its last digits.
    const double real = type == SQLITE_FLOAT ? sqlite3_column_double(row, column) : 0;
    const sqlite3_int64 integer = type == SQLITE_INTEGER ? sqlite3_column_int64(row, column) : 0;
    const void *bytes = "";
    uint64_t bits = (uint64_t)integer;
    int size = 8;
    if (type == SQLITE_FLOAT)
        memcpy(&bits, &real, sizeof bits);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
        bytes = sqlite3_column_blob(row, column);
        size = sqlite3_column_bytes(row, column);
        if (size && !bytes)
            return diagnostic_no_memory(diagnostic);
    } else
        bytes = NULL;
    char head[64], number[32];
    const int length = snprintf(head, sizeof head, "%d:%d:", type, size);
    enum error error = digest_add(digest, head, (size_t)length, diagnostic);
    if (error)
        return error;
    if (bytes)
        return digest_add(digest, bytes, (size_t)size, diagnostic);
    return digest_add(digest, number, (size_t)snprintf(number, sizeof number, "%016" PRIx64, bits),
                      diagnostic);
}

// The digest of all rows; *count says how many there are.
static enum error digest_rows(sqlite3 *database, const struct seal *seal, char hex[DIGEST_HEX_SIZE],
                              uint64_t *count, struct diagnostic *diagnostic)
{
    struct digest digest = {0};
    unsigned char bytes[DIGEST_SIZE];
    enum error error = digest_begin(&digest, diagnostic);
    *count = 0;
    for (unsigned q = 0; seal->rows[q] && !error; q++) {
        sqlite3_stmt *rows = NULL;
        int step = SQLITE_ERROR;
        if (sqlite3_prepare_v2(database, seal->rows[q], -1, &rows, NULL) == SQLITE_OK)
            for (; !error && (step = sqlite3_step(rows)) == SQLITE_ROW; ++*count)
                for (int c = 0; c < sqlite3_column_count(rows) && !error; c++)
                    error = add_column(&digest, rows, c, diagnostic);
        if (!error && step != SQLITE_DONE)
            error = failed(database, seal, diagnostic);
        sqlite3_finalize(rows);
        if (!error)
            error = digest_add(&digest, "end", 3, diagnostic);
    }
    if (!error)
        error = digest_end(&digest, bytes, diagnostic);
    if (!error)
        digest_write_hex(bytes, hex);
    return error;
}

// The first column of the first row as text; empty when there is no row.
static enum error ask(sqlite3 *database, const struct seal *seal, const char *sql, char *text,
                      size_t size, struct diagnostic *diagnostic)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_ERROR;
    text[0] = '\0';
    if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK &&
        (step = sqlite3_step(row)) == SQLITE_ROW) {
        const char *const found = (const char *)sqlite3_column_text(row, 0);
        snprintf(text, size, "%s", found ? found : "");
        if (!found && sqlite3_errcode(database) == SQLITE_NOMEM)
            step = SQLITE_NOMEM;
    }
    const enum error error =
        step == SQLITE_ROW || step == SQLITE_DONE ? ERROR_NONE : failed(database, seal, diagnostic);
    sqlite3_finalize(row);
    return error;
}

static enum error check(sqlite3 *database, const struct seal *seal, struct diagnostic *diagnostic)
{
    char text[256], hex[DIGEST_HEX_SIZE];
    uint64_t count = 0;
    // Indexes that do not agree with their tables would give wrong answers to right rows.
    enum error error =
        ask(database, seal, "PRAGMA integrity_check(1)", text, sizeof text, diagnostic);
    // A read that failed for lack of memory looks like damage: only what is found twice counts.
    if (!error && strcmp(text, "ok") != 0)
        error = ask(database, seal, "PRAGMA integrity_check(1)", text, sizeof text, diagnostic);
    if (!error && strcmp(text, "ok") != 0)
        error = damaged(seal, text, diagnostic);
    if (!error)
        error = digest_rows(database, seal, hex, &count, diagnostic);
    if (error || !count)
        return error;
    error = ask(database, seal, "SELECT count(*) FROM sqlite_master WHERE name = 'seal'", text,
                sizeof text, diagnostic);
    if (!error && strcmp(text, "1") != 0)
        error = damaged(seal, "it has rows and no seal", diagnostic);
    if (!error)
        error = ask(database, seal, "SELECT sha256 FROM seal", text, sizeof text, diagnostic);
    if (!error && strcmp(text, hex) != 0)
        error = damaged(seal, "its rows are not those that were written", diagnostic);
    return error;
}

enum error seal_check(sqlite3 *database, const struct seal *seal, struct diagnostic *diagnostic)
{
    // One transaction, so that rows and seal belong together while others write.
    if (sqlite3_exec(database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return failed(database, seal, diagnostic);
    const enum error error = check(database, seal, diagnostic);
    sqlite3_exec(database, "END", NULL, NULL, NULL);
    return error;
}

enum error seal_put(sqlite3 *database, const struct seal *seal, struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE], sql[160];
    uint64_t count;
    const enum error error = digest_rows(database, seal, hex, &count, diagnostic);
    if (error)
        return error;
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO seal (id, sha256) VALUES (1, '%s')", hex);
    if (sqlite3_exec(
            database,
            "CREATE TABLE IF NOT EXISTS seal (id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL)", NULL,
            NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return failed(database, seal, diagnostic);
    return ERROR_NONE;
}

// ---- opening ----------------------------------------------------------------

enum { BUSY_MS = 10000, PAGE_SIZE_MIN = 512 };

// A database that lacks nothing but rows, made in memory, so that there is no moment at which the
// file holds less.
enum error seal_make(const char *path, const char *schema, struct diagnostic *diagnostic)
{
    sqlite3 *memory = NULL;
    sqlite3_int64 size = 0;
    unsigned char *bytes = NULL;
    if (sqlite3_open(":memory:", &memory) == SQLITE_OK &&
        sqlite3_exec(memory, schema, NULL, NULL, NULL) == SQLITE_OK)
        bytes = sqlite3_serialize(memory, "main", &size, 0);
    enum error error = bytes ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error)
        error = file_make_with(path, bytes, (size_t)size, diagnostic);
    sqlite3_free(bytes);
    sqlite3_close(memory);
    return error;
}

static enum error open_file(sqlite3 **database, const char *path, const char *schema,
                            const struct seal *seal, struct diagnostic *diagnostic)
{
    if (sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(*database, BUSY_MS) == SQLITE_OK &&
        sqlite3_exec(*database, schema, NULL, NULL, NULL) == SQLITE_OK)
        return seal_check(*database, seal, diagnostic);
    const int code = *database ? sqlite3_errcode(*database) : SQLITE_NOMEM;
    const int damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
                        code == SQLITE_ERROR; // ERROR: the schema does not fit
    return diagnostic_fail(diagnostic,
                           damaged                ? ERROR_INPUT
                           : code == SQLITE_NOMEM ? ERROR_INTERNAL
                                                  : ERROR_SYSTEM,
                           "%s %.400s: %s", seal->what, path,
                           *database ? sqlite3_errmsg(*database) : "out of memory");
}

enum error seal_open(sqlite3 **database, const char *path, const char *schema,
                     const struct seal *seal, struct diagnostic *diagnostic)
{
    struct stat status;
    enum error error = ERROR_NONE;
    *database = NULL;
    if (stat(path, &status)) {
        error = errno == ENOENT ? seal_make(path, schema, diagnostic)
                                : diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s %.400s: %s",
                                                  seal->what, path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "%s %.400s is no plain file", seal->what,
                                path);
    } else if (status.st_size < PAGE_SIZE_MIN) {
        // SQLite would take it for a new database.
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%s %.400s is damaged: the file has %lld bytes; take a copy that "
                                "is whole, or remove it to begin again",
                                seal->what, path, (long long)status.st_size);
    }
    if (!error)
        error = open_file(database, path, schema, seal, diagnostic);
    if (error) {
        sqlite3_close(*database);
        *database = NULL;
    }
    return error;
}
