// SPDX-License-Identifier: Apache-2.0
// The file of the history: what it holds, opening, listing.

#include "stats/nights/history.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/nights/parts.h"

// The name of this kind of file and of its version, in the header of the database (bytes 68 to 71,
// the highest first).
enum { APPLICATION = 0x41734e32, HEADER = 100, APPLICATION_AT = 68 };

static const char schema[] =
    "PRAGMA synchronous = FULL;"
    "BEGIN IMMEDIATE;"
    // A course of nights each: another seed, other streams or another version of the target is
    // another source.
    "CREATE TABLE IF NOT EXISTS source (id INTEGER PRIMARY KEY, name TEXT NOT NULL, seed INTEGER "
    "NOT NULL,"
    "  streams INTEGER NOT NULL, kin TEXT NOT NULL, version TEXT NOT NULL, alpha REAL NOT NULL,"
    "  UNIQUE (name, seed, streams, kin, version));"
    "CREATE TABLE IF NOT EXISTS night (source INTEGER NOT NULL, profile TEXT NOT NULL, night "
    "INTEGER NOT NULL,"
    "  first_block INTEGER NOT NULL, blocks INTEGER, state TEXT NOT NULL, owner INTEGER, battery "
    "INTEGER NOT NULL, verdict "
    "TEXT,"
    "  log_p REAL, log_run REAL, log_e_nights REAL, log_e_counts REAL, log_e_profile REAL, log_e "
    "REAL, alarm INTEGER, test "
    "TEXT,"
    "  what TEXT, tool TEXT NOT NULL, opened TEXT, closed TEXT, PRIMARY KEY (source, night));"
    // Cumulative counts of every row from a night on (the nights of a profile count from 0), as
    // little-endian 64-bit integers, the evidence in them, and the product of its nights' e-values
    // where that is not a function of the counts.
    "CREATE TABLE IF NOT EXISTS total (source INTEGER NOT NULL, profile TEXT NOT NULL, start "
    "INTEGER NOT NULL,"
    "  row INTEGER NOT NULL, test TEXT NOT NULL, units INTEGER NOT NULL, counts BLOB NOT NULL, "
    "log_e REAL NOT NULL,"
    "  log_e_product REAL NOT NULL, PRIMARY KEY (source, profile, start, row));"
    // The evidence of all rows together from a night on.
    "CREATE TABLE IF NOT EXISTS start (source INTEGER NOT NULL, profile TEXT NOT NULL, start "
    "INTEGER NOT NULL,"
    "  log_e REAL NOT NULL, PRIMARY KEY (source, profile, start));"
    // What every row said in every night.
    "CREATE TABLE IF NOT EXISTS look (source INTEGER NOT NULL, night INTEGER NOT NULL, row INTEGER "
    "NOT NULL, test TEXT NOT "
    "NULL,"
    "  units INTEGER NOT NULL, log_p REAL NOT NULL, hypothesis INTEGER, observed REAL, expected "
    "REAL,"
    "  PRIMARY KEY (source, night, row));"
    "PRAGMA application_id = 0x41734e32;"
    "COMMIT;";

const struct seal history_seal = {
    .what = "the audit history",
    .rows = (const char *const[]){"SELECT * FROM source ORDER BY id",
                                  "SELECT * FROM night ORDER BY source, night",
                                  "SELECT * FROM total ORDER BY source, profile, start, row",
                                  "SELECT * FROM start ORDER BY source, profile, start",
                                  "SELECT * FROM look ORDER BY source, night, row", NULL}};

enum error history_failed(struct history *history, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "the audit history: %s",
                           history->database ? sqlite3_errmsg(history->database) : "out of memory");
}

// Looks at the header alone, as SQLite would write a file beside a database that is not ours. One
// that is not there is made; an empty one is what is left of another.
static enum error check_kind(const char *path, enum history_mode mode,
                             struct diagnostic *diagnostic)
{
    unsigned char header[HEADER] = {0};
    FILE *const file = fopen(path, "rb");
    if (!file && errno == ENOENT && mode == HISTORY_WRITE)
        return seal_make(path, schema, diagnostic);
    const size_t got = file ? fread(header, 1, sizeof header, file) : 0;
    const bool failed = !file || ferror(file);
    if (failed)
        diagnostic_fail(diagnostic, ERROR_SYSTEM, "the audit history %s: %s", path,
                        strerror(errno));
    if (file)
        fclose(file);
    if (failed)
        return ERROR_SYSTEM;
    if (got < sizeof header)
        return diagnostic_fail(
            diagnostic, ERROR_INPUT,
            "the audit history %s is damaged: the file has %zu bytes; take a copy that is whole, "
            "or remove it "
            "to begin again",
            path, got);
    uint32_t application = 0;
    for (unsigned b = 0; b < 4; b++)
        application = application << 8 | header[APPLICATION_AT + b];
    if (!memcmp(header, "SQLite format 3", 16) && application == APPLICATION)
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INPUT,
        "%s is no audit history of this version of the program, and nothing is written into it; "
        "`assay audit night --source NAME --db FILE` begins another",
        path);
}

enum error history_open(struct history **history, const char *path, enum history_mode mode,
                        struct diagnostic *diagnostic)
{
    enum error error = check_kind(path, mode, diagnostic);
    if (error)
        return error;
    struct history *const made = calloc(1, sizeof *made);
    if (!made || !(made->path = strdup(path))) {
        free(made);
        return diagnostic_no_memory(diagnostic);
    }
    // Reading opens for writing as well, so that SQLite can take back what a killed night had begun
    // to commit.
    if (sqlite3_open_v2(path, &made->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(made->database, 10000) != SQLITE_OK ||
        sqlite3_exec(made->database,
                     mode == HISTORY_READ ? "PRAGMA query_only = 1" : "PRAGMA synchronous = FULL",
                     NULL, NULL, NULL) != SQLITE_OK) {
        const int code = made->database ? sqlite3_errcode(made->database) : SQLITE_NOMEM;
        error = diagnostic_fail(diagnostic,
                                code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ERROR_INPUT
                                : code == SQLITE_NOMEM                          ? ERROR_INTERNAL
                                                                                : ERROR_SYSTEM,
                                "the audit history %s: %s", path,
                                made->database ? sqlite3_errmsg(made->database) : "out of memory");
    }
    if (!error)
        error = seal_check(made->database, &history_seal, diagnostic);
    if (error) {
        history_close(made);
        return error;
    }
    *history = made;
    return ERROR_NONE;
}

void history_close(struct history *history)
{
    sqlite3 *const database = history->database;
    for (sqlite3_stmt *each; database && (each = sqlite3_next_stmt(database, NULL));)
        sqlite3_finalize(each);
    sqlite3_close(database);
    free(history->path);
    free(history);
}

sqlite3_stmt *history_prepare(const struct course *course, const char *sql)
{
    sqlite3 *const database = course->history->database;
    sqlite3_stmt *statement = sqlite3_next_stmt(database, NULL);
    while (statement && strcmp(sqlite3_sql(statement), sql) != 0)
        statement = sqlite3_next_stmt(database, statement);
    assert(!statement || !sqlite3_stmt_busy(statement));
    if (!statement && sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                         NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_int64(statement, 1, course->source);
    sqlite3_bind_text(statement, 2, course->profile, -1,
                      SQLITE_STATIC); // refused, and no matter, where there is no ?2
    return statement;
}

void history_done(sqlite3_stmt *statement)
{
    if (statement) {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
}

bool history_do(sqlite3_stmt *statement)
{
    const bool ok = statement && sqlite3_step(statement) == SQLITE_DONE;
    history_done(statement);
    return ok;
}

// ---- listing ----------------------------------------------------------------

static void take_text(sqlite3_stmt *row, int column, char *to, size_t size)
{
    const char *const value = (const char *)sqlite3_column_text(row, column);
    snprintf(to, size, "%s", value ? value : "");
}

// The name, and what is not plain of version, seed and streams.
static void label(struct history_night *night, uint64_t seed, unsigned streams, const char *kin)
{
    size_t used = strlen(night->source);
    const size_t size = sizeof night->source;
    if (night->version[0] && used < size)
        used += (size_t)snprintf(night->source + used, size - used, " %s", night->version);
    if (seed != 1 && used < size)
        used += (size_t)snprintf(night->source + used, size - used, ", seed %" PRIu64, seed);
    if (streams != 1 && used < size)
        snprintf(night->source + used, size - used, ", %u streams (%s)", streams, kin);
}

enum error history_list(struct history *history, const char *name,
                        void (*each)(void *context, const struct history_night *night),
                        void *context, struct diagnostic *diagnostic)
{
    sqlite3_stmt *select = NULL;
    if (sqlite3_prepare_v2(
            history->database,
            "SELECT night, first_block, blocks, log_p, log_e, alarm, verdict = 'flawed', seed, "
            "streams, alpha, "
            "name, profile, test, what, tool, version, closed, kin FROM night JOIN source ON "
            "source.id = "
            "night.source WHERE state = 'closed' AND (?1 IS NULL OR name = ?1) ORDER BY name, id, "
            "night",
            -1, &select, NULL) != SQLITE_OK)
        return history_failed(history, diagnostic);
    if (name)
        sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC);
    int step;
    while ((step = sqlite3_step(select)) == SQLITE_ROW) {
        struct history_night night = {.night = (uint64_t)sqlite3_column_int64(select, 0),
                                      .first_block = (uint64_t)sqlite3_column_int64(select, 1),
                                      .blocks = (uint64_t)sqlite3_column_int64(select, 2),
                                      .log_p = sqlite3_column_double(select, 3),
                                      .log_e = sqlite3_column_double(select, 4),
                                      .alarm = sqlite3_column_int(select, 5),
                                      .flawed = sqlite3_column_int(select, 6),
                                      .alpha = sqlite3_column_double(select, 9)};
        char kin[16];
        take_text(select, 10, night.source, sizeof night.source);
        take_text(select, 11, night.profile, sizeof night.profile);
        take_text(select, 12, night.test, sizeof night.test);
        take_text(select, 13, night.what, sizeof night.what);
        take_text(select, 14, night.tool, sizeof night.tool);
        take_text(select, 15, night.version, sizeof night.version);
        take_text(select, 16, night.closed, sizeof night.closed);
        take_text(select, 17, kin, sizeof kin);
        label(&night, (uint64_t)sqlite3_column_int64(select, 7),
              (unsigned)sqlite3_column_int64(select, 8), kin);
        each(context, &night);
    }
    const enum error error = step == SQLITE_DONE ? ERROR_NONE : history_failed(history, diagnostic);
    sqlite3_finalize(select);
    return error;
}
