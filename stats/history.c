// SPDX-License-Identifier: Apache-2.0
// The history of audits.

#include "stats/history.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/seal.h"
#include "stats/evidence.h"
#include "stats/real.h"
#include "stats/tally.h"

static const char TOOL[] = "assay 1";

enum { IDENTITY_MAX = 192 };

struct history {
    sqlite3 *database;
};

static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "CREATE TABLE IF NOT EXISTS source (name TEXT NOT NULL, profile TEXT NOT NULL, alpha REAL NOT NULL,"
    "  PRIMARY KEY (name, profile));"
    "CREATE TABLE IF NOT EXISTS night (name TEXT NOT NULL, profile TEXT NOT NULL, night INTEGER NOT NULL,"
    "  first_block INTEGER NOT NULL, blocks INTEGER, state TEXT NOT NULL, verdict TEXT, log_p REAL, log_e_nights REAL,"
    "  log_e_counts REAL, log_e REAL, alarm INTEGER, test TEXT, what TEXT, tool TEXT NOT NULL, opened TEXT, closed TEXT,"
    "  PRIMARY KEY (name, profile, night));"
    // Cumulative counts of every row, as little-endian 64-bit integers, its evidence, and the product of its nights' e-values where
    // that is not a function of the counts.
    "CREATE TABLE IF NOT EXISTS total (name TEXT NOT NULL, profile TEXT NOT NULL, row INTEGER NOT NULL, test TEXT NOT NULL,"
    "  units INTEGER NOT NULL, counts BLOB NOT NULL, log_e REAL NOT NULL, log_e_product REAL NOT NULL,"
    "  PRIMARY KEY (name, profile, row));"
    // What every row said in every night.
    "CREATE TABLE IF NOT EXISTS look (name TEXT NOT NULL, profile TEXT NOT NULL, night INTEGER NOT NULL, row INTEGER NOT NULL,"
    "  test TEXT NOT NULL, units INTEGER NOT NULL, log_p REAL NOT NULL, hypothesis INTEGER, observed REAL, expected REAL,"
    "  PRIMARY KEY (name, profile, night, row));";

static const struct seal sealed = {
    .what = "the audit history",
    .rows = (const char *const[]){
        "SELECT * FROM source ORDER BY name, profile", "SELECT * FROM night ORDER BY name, profile, night",
        "SELECT * FROM total ORDER BY name, profile, row", "SELECT * FROM look ORDER BY name, profile, night, row", NULL}};

static enum error failed(struct history *history, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "the audit history: %s",
                           history->database ? sqlite3_errmsg(history->database) : "out of memory");
}

enum error history_open(struct history **history, const char *path, struct diagnostic *diagnostic)
{
    struct history *const made = calloc(1, sizeof *made);
    if (!made)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (sqlite3_open(path, &made->database) != SQLITE_OK || sqlite3_busy_timeout(made->database, 10000) != SQLITE_OK ||
        sqlite3_exec(made->database, schema, NULL, NULL, NULL) != SQLITE_OK) {
        const int code = made->database ? sqlite3_errcode(made->database) : SQLITE_NOMEM;
        const enum error error = diagnostic_fail(
            diagnostic, code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ERROR_INPUT : ERROR_SYSTEM,
            "the audit history %s: %s", path, made->database ? sqlite3_errmsg(made->database) : "out of memory");
        history_close(made);
        return error;
    }
    const enum error error = seal_check(made->database, &sealed, diagnostic);
    if (error) {
        history_close(made);
        return error;
    }
    *history = made;
    return ERROR_NONE;
}

void history_close(struct history *history)
{
    sqlite3_close(history->database);
    free(history);
}

// A prepared statement with the name and the profile bound to ?1 and ?2; NULL when that fails.
static sqlite3_stmt *prepare(struct history *history, const char *sql, const char *name, const char *profile)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(history->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    if (name)
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (profile)
        sqlite3_bind_text(statement, 2, profile, -1, SQLITE_STATIC);
    return statement;
}

static int run(sqlite3_stmt *statement)
{
    const int ok = statement && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return ok;
}

struct course {
    struct history *history;
    const char *name, *profile;
    struct history_night *night;
    double alpha, log_nights, log_counts; // evidence before this night
    int alarmed;
};

static enum error check_alpha(struct course *course, struct diagnostic *diagnostic)
{
    struct history *const history = course->history;
    sqlite3_stmt *insert = prepare(history, "INSERT OR IGNORE INTO source VALUES (?1, ?2, ?3)", course->name, course->profile);
    if (insert)
        sqlite3_bind_double(insert, 3, course->alpha);
    if (!run(insert))
        return failed(history, diagnostic);
    sqlite3_stmt *const select =
        prepare(history, "SELECT alpha FROM source WHERE name = ?1 AND profile = ?2", course->name, course->profile);
    const int found = select && sqlite3_step(select) == SQLITE_ROW;
    const double alpha = found ? sqlite3_column_double(select, 0) : 0;
    sqlite3_finalize(select);
    if (!found)
        return failed(history, diagnostic);
    if (alpha < course->alpha || alpha > course->alpha)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "the history of %s was begun with alpha %g, not %g: a limit on false alarms cannot change later",
                               course->name, alpha, course->alpha);
    return ERROR_NONE;
}

// Opens the next night, or the one that was opened and never closed.
static enum error open_night(struct course *course, struct diagnostic *diagnostic)
{
    struct history *const history = course->history;
    struct history_night *const night = course->night;
    sqlite3_stmt *const last = prepare(history,
                                       "SELECT night, first_block + blocks, log_e_nights, log_e_counts, alarm FROM night WHERE "
                                       "name = ?1 AND profile = ?2 AND state = 'closed' ORDER BY night DESC LIMIT 1",
                                       course->name, course->profile);
    const int found = last ? sqlite3_step(last) : SQLITE_ERROR;
    if (found == SQLITE_ROW) {
        night->night = (uint64_t)sqlite3_column_int64(last, 0) + 1;
        night->first_block = (uint64_t)sqlite3_column_int64(last, 1);
        course->log_nights = sqlite3_column_double(last, 2);
        course->log_counts = sqlite3_column_double(last, 3);
        course->alarmed = sqlite3_column_int(last, 4);
    }
    sqlite3_finalize(last);
    if (found != SQLITE_ROW && found != SQLITE_DONE)
        return failed(history, diagnostic);
    sqlite3_stmt *const insert =
        prepare(history,
                "INSERT OR REPLACE INTO night (name, profile, night, first_block, state, tool, opened) VALUES (?1, ?2, ?3, ?4, "
                "'open', ?5, datetime('now'))",
                course->name, course->profile);
    if (insert) {
        sqlite3_bind_int64(insert, 3, (sqlite3_int64)night->night);
        sqlite3_bind_int64(insert, 4, (sqlite3_int64)night->first_block);
        sqlite3_bind_text(insert, 5, TOOL, -1, SQLITE_STATIC);
    }
    return run(insert) ? ERROR_NONE : failed(history, diagnostic);
}

// What a row counts: totals are added to only by the same test with the same parameters.
static void identify_row(const struct test *test, char text[IDENTITY_MAX])
{
    uint64_t list = 0;
    for (unsigned i = 0; test->list && i < 2 * test->p[0]; i++)
        list = list * UINT64_C(6364136223846793005) + test->list[i] + 1;
    snprintf(text, IDENTITY_MAX, "%s %u %u %u %u %u %u %u %" PRIx64, test->name, (unsigned)test->counts, test->p[0], test->p[1],
             test->p[2], test->p[3], test->p[4], test->p[5], list);
}

// Counts of another battery mean something else: nights of the two are no one course.
static enum error check_battery(struct course *course, const struct battery *battery, struct diagnostic *diagnostic)
{
    sqlite3_stmt *const select =
        prepare(course->history, "SELECT row, test FROM total WHERE name = ?1 AND profile = ?2", course->name, course->profile);
    int same = 1, step = SQLITE_ERROR;
    while (select && (step = sqlite3_step(select)) == SQLITE_ROW) {
        const sqlite3_int64 row = sqlite3_column_int64(select, 0);
        const char *const kept = (const char *)sqlite3_column_text(select, 1);
        char text[IDENTITY_MAX] = "";
        if (row >= 0 && row < (sqlite3_int64)battery->rows)
            identify_row(&battery->row[row].test, text);
        same = same && kept && !strcmp(kept, text);
    }
    sqlite3_finalize(select);
    if (step != SQLITE_DONE)
        return failed(course->history, diagnostic);
    return same ? ERROR_NONE
                : diagnostic_fail(diagnostic, ERROR_INPUT,
                                  "the nights of %s were counted by another version of the battery, and their counts cannot be "
                                  "added to; keep that history as it is and begin another with --db FILE",
                                  course->name);
}

// Evidence of one row after this night. Rows whose counts have a known law: the exact mixture on the counts of all nights together;
// those that keep values: the product of the nights' exact mixtures; others: the product of the nights' calibrated p-values.
static double evidence_of_row(struct tally *tally, unsigned row, const uint64_t *sum, uint64_t units, double log_product_before,
                              double log_p, double *log_product)
{
    const struct test *const test = &tally->battery->row[row].test;
    struct judgement judgement;
    judgement_weigh(&judgement);
    struct bag none = {0};
    *log_product = log_product_before;
    if (test->keeps)
        test->judge(test, tally->count[row], &tally->bag[row], tally_units(tally, row), &judgement);
    else
        test->judge(test, sum, &none, units, &judgement);
    if (judgement.weighed && !test->keeps)
        return judgement_log_e(&judgement);
    *log_product += judgement.weighed ? judgement_log_e(&judgement) : evidence_calibrated(log_p);
    return *log_product;
}

// Adds this night's counts of one row to its totals; *log_e is the evidence in them. `log_p`: of the row in this night.
static int add_totals(struct course *course, struct tally *tally, unsigned row, double log_p, double *log_e)
{
    const struct test *const test = &tally->battery->row[row].test;
    const size_t size = test->counts * sizeof(uint64_t);
    char identity[IDENTITY_MAX];
    identify_row(test, identity);
    uint64_t *const sum = malloc(size + 1), units = tally_units(tally, row);
    unsigned char *const bytes = malloc(size + 1);
    int ok = sum && bytes;
    if (ok && size)
        memcpy(sum, tally->count[row], size);
    uint64_t all = units;
    double before = 0, product = 0;
    sqlite3_stmt *const select =
        prepare(course->history, "SELECT units, counts, log_e_product FROM total WHERE name = ?1 AND profile = ?2 AND row = ?3",
                course->name, course->profile);
    ok = ok && select && sqlite3_bind_int64(select, 3, row) == SQLITE_OK;
    const int found = ok ? sqlite3_step(select) : SQLITE_ERROR;
    ok = ok && (found == SQLITE_ROW || found == SQLITE_DONE);
    if (found == SQLITE_ROW && (size_t)sqlite3_column_bytes(select, 1) == size) {
        const unsigned char *const earlier = sqlite3_column_blob(select, 1);
        all += (uint64_t)sqlite3_column_int64(select, 0);
        before = sqlite3_column_double(select, 2);
        for (uint32_t c = 0; c < test->counts; c++)
            for (unsigned b = 0; b < 8; b++)
                sum[c] += (uint64_t)earlier[8 * c + b] << 8 * b;
    }
    sqlite3_finalize(select);
    for (uint32_t c = 0; ok && c < test->counts; c++)
        for (unsigned b = 0; b < 8; b++)
            bytes[8 * c + b] = (unsigned char)(sum[c] >> 8 * b);
    *log_e = ok ? evidence_of_row(tally, row, sum, all, before, log_p, &product) : 0;
    sqlite3_stmt *const put =
        ok ? prepare(course->history, "INSERT OR REPLACE INTO total VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", course->name,
                     course->profile)
           : NULL;
    ok = ok && put && sqlite3_bind_int64(put, 3, row) == SQLITE_OK &&
         sqlite3_bind_text(put, 4, identity, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(put, 5, (sqlite3_int64)all) == SQLITE_OK &&
         sqlite3_bind_blob(put, 6, bytes, (int)size, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_double(put, 7, *log_e) == SQLITE_OK && sqlite3_bind_double(put, 8, product) == SQLITE_OK;
    ok = run(put) && ok;
    free(sum);
    free(bytes);
    return ok;
}

static int put_look(struct course *course, struct tally *tally, unsigned row, double *log_p)
{
    struct judgement judgement;
    *log_p = 0;
    struct diagnostic ignored;
    if (tally_judge(tally, row, UINT32_MAX, &judgement, &ignored))
        return 0;
    const uint64_t units = tally_units(tally, row);
    if (!units || !judgement.kept)
        return 1;
    *log_p = judgement_log_p(&judgement);
    sqlite3_stmt *const put =
        prepare(course->history, "INSERT OR REPLACE INTO look VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", course->name,
                course->profile);
    if (!put)
        return 0;
    sqlite3_bind_int64(put, 3, (sqlite3_int64)course->night->night);
    sqlite3_bind_int64(put, 4, row);
    sqlite3_bind_text(put, 5, tally->battery->row[row].test.name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 6, (sqlite3_int64)units);
    sqlite3_bind_double(put, 7, *log_p);
    sqlite3_bind_int64(put, 8, judgement.worst[0].index);
    sqlite3_bind_double(put, 9, judgement.worst[0].observed);
    sqlite3_bind_double(put, 10, judgement.worst[0].expected);
    return run(put);
}

static int close_night(struct course *course, struct tally *tally, const struct audit_result *result)
{
    struct history_night *const night = course->night;
    const struct battery *const battery = tally->battery;
    double log_counts = REAL_MINUS_INFINITY, weights = 0;
    for (unsigned r = 0; r < battery->rows; r++) {
        double log_e, log_p;
        if (!put_look(course, tally, r, &log_p))
            return 0;
        if (!tally_units(tally, r))
            continue;
        if (!add_totals(course, tally, r, log_p, &log_e))
            return 0;
        log_counts = real_log_add(log_counts, log_e + real_log(battery->row[r].weight));
        weights += battery->row[r].weight;
    }
    log_counts = weights > 0 ? log_counts - real_log(weights) : 0;
    night->log_p = result->finding.log_p;
    const double log_nights = course->log_nights + evidence_calibrated(night->log_p);
    night->log_e = real_log_add(log_nights, log_counts) - 0.6931471805599453;
    night->alarm = course->alarmed || night->log_e >= -real_log(course->alpha);
    night->blocks = result->blocks;
    snprintf(night->test, sizeof night->test, "%s", result->finding.test ? result->finding.test : "");
    snprintf(night->what, sizeof night->what, "%s", result->finding.what);
    sqlite3_stmt *const put = prepare(
        course->history,
        "UPDATE night SET state = 'closed', blocks = ?4, verdict = ?5, log_p = ?6, log_e_nights = ?7, log_e_counts = ?8, "
        "log_e = ?9, alarm = ?10, test = ?11, what = ?12, closed = datetime('now') WHERE name = ?1 AND profile = ?2 AND "
        "night = ?3",
        course->name, course->profile);
    if (!put)
        return 0;
    sqlite3_bind_int64(put, 3, (sqlite3_int64)night->night);
    sqlite3_bind_int64(put, 4, (sqlite3_int64)night->blocks);
    sqlite3_bind_text(put, 5, result->verdict == AUDIT_FLAWED ? "flawed" : "clean", -1, SQLITE_STATIC);
    sqlite3_bind_double(put, 6, night->log_p);
    sqlite3_bind_double(put, 7, log_nights);
    sqlite3_bind_double(put, 8, log_counts);
    sqlite3_bind_double(put, 9, night->log_e);
    sqlite3_bind_int(put, 10, night->alarm);
    sqlite3_bind_text(put, 11, night->test, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 12, night->what, -1, SQLITE_STATIC);
    return run(put);
}

// Both steps of a night change the rows and their seal at once, or nothing.
static enum error begin(struct history *history, struct diagnostic *diagnostic)
{
    const int begun = sqlite3_exec(history->database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    return begun ? ERROR_NONE : failed(history, diagnostic);
}

static enum error commit(struct history *history, enum error error, struct diagnostic *diagnostic)
{
    if (!error)
        error = seal_put(history->database, &sealed, diagnostic);
    if (!error && sqlite3_exec(history->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        error = failed(history, diagnostic);
    if (error)
        sqlite3_exec(history->database, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

static enum error finish(void *context, struct tally *tally, const struct audit_result *result, struct diagnostic *diagnostic)
{
    struct course *const course = context;
    const enum error error = begin(course->history, diagnostic);
    if (error)
        return error;
    return commit(course->history, close_night(course, tally, result) ? ERROR_NONE : failed(course->history, diagnostic),
                  diagnostic);
}

enum error history_run(struct history *history, const char *name, double alpha, struct audit_options *options,
                       const struct source *source, struct history_night *night, struct audit_result *result,
                       struct diagnostic *diagnostic)
{
    *night = (struct history_night){.night = 1};
    snprintf(night->source, sizeof night->source, "%s", name);
    snprintf(night->profile, sizeof night->profile, "%s", options->battery.name);
    struct course course = {.history = history, .name = name, .profile = options->battery.name, .night = night, .alpha = alpha};
    enum error error = begin(history, diagnostic);
    if (error)
        return error;
    error = check_alpha(&course, diagnostic);
    if (!error)
        error = check_battery(&course, &options->battery, diagnostic);
    if (!error)
        error = open_night(&course, diagnostic);
    error = commit(history, error, diagnostic);
    if (error)
        return error;
    options->first_block = night->first_block;
    options->stream_only = 1;
    options->finish = finish;
    options->context = &course;
    error = audit_run(options, source, result, diagnostic);
    options->finish = NULL;
    options->context = NULL;
    return error;
}

enum error history_list(struct history *history, const char *name,
                        void (*each)(void *context, const struct history_night *night), void *context,
                        struct diagnostic *diagnostic)
{
    sqlite3_stmt *const select =
        prepare(history,
                "SELECT name, profile, night, first_block, blocks, log_p, log_e, alarm, test, what, tool, closed "
                "FROM night WHERE state = 'closed' AND (?1 IS NULL OR name = ?1) ORDER BY name, profile, night",
                name, NULL);
    if (!select)
        return failed(history, diagnostic);
    int step;
    while ((step = sqlite3_step(select)) == SQLITE_ROW) {
        struct history_night night = {.night = (uint64_t)sqlite3_column_int64(select, 2),
                                      .first_block = (uint64_t)sqlite3_column_int64(select, 3),
                                      .blocks = (uint64_t)sqlite3_column_int64(select, 4),
                                      .log_p = sqlite3_column_double(select, 5),
                                      .log_e = sqlite3_column_double(select, 6),
                                      .alarm = sqlite3_column_int(select, 7)};
        const struct {
            char *to;
            size_t size;
            int column;
        } text[] = {{night.source, sizeof night.source, 0}, {night.profile, sizeof night.profile, 1},
                    {night.test, sizeof night.test, 8},     {night.what, sizeof night.what, 9},
                    {night.tool, sizeof night.tool, 10},    {night.closed, sizeof night.closed, 11}};
        for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
            const char *const value = (const char *)sqlite3_column_text(select, text[i].column);
            snprintf(text[i].to, text[i].size, "%s", value ? value : "");
        }
        each(context, &night);
    }
    const enum error error = step == SQLITE_DONE ? ERROR_NONE : failed(history, diagnostic);
    sqlite3_finalize(select);
    return error;
}
