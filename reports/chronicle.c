// SPDX-License-Identifier: Apache-2.0
// The history of cases in SQLite. A run is one results file and one target.

#include "reports/chronicle.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "ref/base/shard/seal.h"

struct chronicle {
    sqlite3 *database;
    sqlite3_int64 newest; // run when it was opened
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL,"
    " target TEXT NOT NULL, version TEXT, started TEXT, plan TEXT NOT NULL, tool TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS outcome (run INTEGER NOT NULL REFERENCES run, suite TEXT NOT NULL,"
    " name TEXT NOT NULL, verdict TEXT NOT NULL, reached TEXT, failed INTEGER NOT NULL,"
    " expected INTEGER NOT NULL, PRIMARY KEY (run, suite, name)) WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

static const struct seal sealed = {
    .what = "the history",
    .rows = (const char *const[]){"SELECT * FROM run ORDER BY id",
                                  "SELECT * FROM outcome ORDER BY run, suite, name", NULL}};

static enum error failed(const struct chronicle *chronicle, const char *what,
                         struct diagnostic *diagnostic)
{
    const int code = chronicle->database ? sqlite3_errcode(chronicle->database) : SQLITE_NOMEM;
    return diagnostic_fail(diagnostic,
                           code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ERROR_INPUT
                           : code == SQLITE_NOMEM                          ? ERROR_INTERNAL
                                                                           : ERROR_SYSTEM,
                           "history: cannot %s: %s", what,
                           chronicle->database ? sqlite3_errmsg(chronicle->database)
                                               : "out of memory");
}

static bool find_newest(struct chronicle *chronicle)
{
    sqlite3_stmt *statement = NULL;
    const bool good =
        sqlite3_prepare_v2(chronicle->database, "SELECT coalesce(max(id), 0) FROM run", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    chronicle->newest = good ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return good;
}

enum error chronicle_open(struct chronicle **chronicle, const char *path,
                          struct diagnostic *diagnostic)
{
    struct chronicle *const opened = calloc(1, sizeof *opened);
    if (!opened)
        return diagnostic_no_memory(diagnostic);
    enum error error = seal_open(&opened->database, path, schema, &sealed, diagnostic);
    if (!error && !find_newest(opened))
        error = failed(opened, "read", diagnostic);
    if (error)
        chronicle_close(opened);
    else
        *chronicle = opened;
    return error;
}

void chronicle_close(struct chronicle *chronicle)
{
    if (chronicle)
        sqlite3_close(chronicle->database);
    free(chronicle);
}

// ---- adding -----------------------------------------------------------------

static bool bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return (text ? sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT)
                 : sqlite3_bind_null(statement, at)) == SQLITE_OK;
}

// The new run's number in *run; 0 when the target's newest run is this file's.
static enum error add_run(struct chronicle *chronicle, const struct results_file *file,
                          const struct results_target *target, sqlite3_int64 *run,
                          struct diagnostic *diagnostic)
{
    // The same results twice in a row are one run.
    static const char insert[] =
        "INSERT INTO run (sha256, target, version, started, plan, tool)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM run"
        " WHERE id = (SELECT max(id) FROM run WHERE target = ?2) AND sha256 = ?1)";
    sqlite3_stmt *statement = NULL;
    const char *const values[] = {file->sha256,  target->name, target->version,
                                  file->started, file->plan,   file->tool_version};
    bool good = sqlite3_prepare_v2(chronicle->database, insert, -1, &statement, NULL) == SQLITE_OK;
    for (int i = 0; good && i < 6; i++)
        good = bind_text(statement, i + 1, values[i]);
    good = good && sqlite3_step(statement) == SQLITE_DONE;
    *run = good && sqlite3_changes(chronicle->database)
               ? sqlite3_last_insert_rowid(chronicle->database)
               : 0;
    const enum error error = good ? ERROR_NONE : failed(chronicle, "add a run", diagnostic);
    sqlite3_finalize(statement);
    return error;
}

static bool insert_case(sqlite3_stmt *statement, sqlite3_int64 run, const struct results *results,
                        const struct results_case *item)
{
    const bool good =
        sqlite3_bind_int64(statement, 1, run) == SQLITE_OK &&
        bind_text(statement, 2, results->suite[item->suite].name) &&
        bind_text(statement, 3, item->id) && bind_text(statement, 4, verdict_name(item->verdict)) &&
        bind_text(statement, 5,
                  item->reached == LEVEL_NONE ? NULL : results_level_name(item->reached)) &&
        sqlite3_bind_int(statement, 6, results_case_unexpected(item)) == SQLITE_OK &&
        sqlite3_bind_int(statement, 7, item->known == KNOWN_EXPECTED) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return good;
}

enum error chronicle_add(struct chronicle *chronicle, const struct results *results,
                         unsigned *added, struct diagnostic *diagnostic)
{
    static const char insert[] =
        "INSERT INTO outcome (run, suite, name, verdict, reached, failed, expected)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    const size_t targets = results->target_count;
    sqlite3_int64 *const run = calloc(results->file_count * targets + 1, sizeof *run);
    bool *const has_cases = calloc(results->file_count * targets + 1, sizeof *has_cases);
    sqlite3_stmt *statement = NULL;
    enum error error = ERROR_NONE;
    *added = 0;
    if (!run || !has_cases)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < results->case_count; i++)
        has_cases[results->cases[i].file * targets + results->cases[i].target] = true;
    if (!error &&
        (sqlite3_exec(chronicle->database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_prepare_v2(chronicle->database, insert, -1, &statement, NULL) != SQLITE_OK))
        error = failed(chronicle, "begin", diagnostic);
    for (size_t i = 0; !error && i < results->file_count * targets; i++)
        if (has_cases[i]) {
            error = add_run(chronicle, &results->file[i / targets], &results->target[i % targets],
                            &run[i], diagnostic);
            *added += run[i] != 0;
        }
    for (size_t i = 0; !error && i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        const sqlite3_int64 number = run[item->file * targets + item->target];
        if (number && !insert_case(statement, number, results, item))
            error = failed(chronicle, "add a case", diagnostic);
    }
    sqlite3_finalize(statement);
    if (!error)
        error = seal_put(chronicle->database, &sealed, diagnostic);
    if (!error && sqlite3_exec(chronicle->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        error = failed(chronicle, "commit", diagnostic);
    if (error)
        sqlite3_exec(chronicle->database, "ROLLBACK", NULL, NULL, NULL);
    free(run);
    free(has_cases);
    return error;
}

// ---- asking -----------------------------------------------------------------

static const char *column(sqlite3_stmt *statement, int at)
{
    return (const char *)sqlite3_column_text(statement, at);
}

enum error chronicle_changes(struct chronicle *chronicle,
                             void (*visit)(void *context, const struct chronicle_change *change),
                             void *context, struct diagnostic *diagnostic)
{
    // The last two runs of each target, and a full join of their cases.
    static const char query[] =
        "WITH newest AS (SELECT target, max(id) AS id FROM run WHERE id > ? GROUP BY target),"
        " older AS (SELECT n.target, max(r.id) AS id FROM newest n"
        "  JOIN run r ON r.target = n.target AND r.id < n.id GROUP BY n.target),"
        " pair AS (SELECT o.target, o.id AS old, n.id AS new"
        "  FROM older o JOIN newest n USING (target))"
        " SELECT p.target, b.suite, b.name, a.verdict, b.verdict, coalesce(a.failed, 0), b.failed"
        "  FROM pair p JOIN outcome b ON b.run = p.new"
        "  LEFT JOIN outcome a ON a.run = p.old AND a.suite = b.suite AND a.name = b.name"
        "  WHERE a.verdict IS NOT b.verdict OR a.failed IS NOT b.failed"
        " UNION ALL SELECT p.target, a.suite, a.name, a.verdict, NULL, a.failed, 1"
        "  FROM pair p JOIN outcome a ON a.run = p.old WHERE NOT EXISTS (SELECT 1"
        "  FROM outcome b WHERE b.run = p.new AND b.suite = a.suite AND b.name = a.name)"
        " ORDER BY 1, 2, 3";
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(chronicle->database, query, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(statement, 1, chronicle->newest) == SQLITE_OK)
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
            const bool before = sqlite3_column_int(statement, 5),
                       now = sqlite3_column_int(statement, 6);
            const struct chronicle_change change = {column(statement, 0), column(statement, 1),
                                                    column(statement, 2), column(statement, 3),
                                                    column(statement, 4), now && !before,
                                                    before && !now};
            visit(context, &change);
        }
    const enum error error =
        step == SQLITE_DONE ? ERROR_NONE : failed(chronicle, "compare", diagnostic);
    sqlite3_finalize(statement);
    return error;
}

enum error chronicle_runs(struct chronicle *chronicle, unsigned most,
                          void (*visit)(void *context, const struct chronicle_run *run),
                          void *context, struct diagnostic *diagnostic)
{
    static const char query[] =
        "SELECT r.started, r.sha256, r.target, count(*), sum(o.failed), sum(o.expected) FROM run r "
        "JOIN outcome o ON o.run = r.id"
        " GROUP BY r.id ORDER BY r.id DESC LIMIT ?";
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(chronicle->database, query, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(statement, 1, most) == SQLITE_OK)
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
            const struct chronicle_run run = {column(statement, 0),
                                              column(statement, 1),
                                              column(statement, 2),
                                              sqlite3_column_int64(statement, 3),
                                              sqlite3_column_int64(statement, 4),
                                              sqlite3_column_int64(statement, 5)};
            visit(context, &run);
        }
    const enum error error =
        step == SQLITE_DONE ? ERROR_NONE : failed(chronicle, "list runs", diagnostic);
    sqlite3_finalize(statement);
    return error;
}
