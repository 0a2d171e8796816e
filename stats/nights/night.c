// SPDX-License-Identifier: Apache-2.0
// One night: its course, its range, and how it is closed once and no more.
//
// Who runs a night holds a lock of the system on a byte of the file far behind its end, and has
// written a number of its own into the night's open entry. The lock falls with the process; it is
// one of the open file description (fcntl's F_OFD_SETLK), as SQLite gives back every lock that the
// process has on the file. The night is closed only while the number stands there.

#define _GNU_SOURCE // F_OFD_SETLK, which POSIX has since 2024

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/shard/seal.h"
#include "ref/base/hash.h"
#include "ref/base/version.h"
#include "stats/law/evidence.h"
#include "stats/nights/parts.h"
#include "stats/law/real.h"
#include "stats/audit/tally.h"

static const char TOOL[] = "assay " ASSAY_VERSION;

static const double LOG_2 = 0.6931471805599453,
                    LOG_PROFILES = 1.0986122886681098; // quick, nightly, deep

// Far beyond any database of SQLite, and what fits where offsets are signed.
static const off_t LOCKS_FROM = (off_t)1 << 60;

// ---- which course, and which process holds it -------------------------------

static sqlite3_stmt *about(const struct course *course, const struct history_subject *subject,
                           const char *sql)
{
    sqlite3_stmt *const statement = history_prepare(course, sql);
    if (statement) {
        sqlite3_bind_text(statement, 1, subject->name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)subject->seed);
        sqlite3_bind_int64(statement, 3, subject->streams);
        sqlite3_bind_text(statement, 4, subject->kin, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 5, subject->version, -1, SQLITE_STATIC);
    }
    return statement;
}

enum error history_next_block(struct history *history, const struct history_subject *subject,
                              uint64_t *first_block, struct diagnostic *diagnostic)
{
    const struct course course = {.history = history, .profile = ""};
    sqlite3_stmt *const select = about(
        &course, subject,
        "SELECT MAX(first_block + blocks) FROM night JOIN source ON source.id = night.source WHERE "
        "name = ?1 "
        "AND seed = ?2 AND streams = ?3 AND kin = ?4 AND version = ?5 AND state = 'closed'");
    const bool found = select && sqlite3_step(select) == SQLITE_ROW;
    *first_block = found ? (uint64_t)sqlite3_column_int64(select, 0) : 0;
    history_done(select);
    return found ? ERROR_NONE : history_failed(history, diagnostic);
}

// Another version of the same subject, the latest that has a course.
static bool find_older(const struct course *course, const struct history_subject *subject)
{
    sqlite3_stmt *const select = about(
        course, subject,
        "SELECT version FROM source WHERE name = ?1 AND seed = ?2 AND streams = ?3 AND kin = ?4 "
        "AND "
        "version <> ?5 ORDER BY id DESC LIMIT 1");
    const int found = select ? sqlite3_step(select) : SQLITE_ERROR;
    if (found == SQLITE_ROW) {
        const char *const version = (const char *)sqlite3_column_text(select, 0);
        snprintf(course->night->older, sizeof course->night->older, "%s",
                 version && *version ? version : "none");
    }
    history_done(select);
    return found == SQLITE_ROW || found == SQLITE_DONE;
}

static enum error find_source(struct course *course, const struct history_subject *subject,
                              double alpha, struct diagnostic *diagnostic)
{
    struct history *const history = course->history;
    sqlite3_stmt *const insert = about(
        course, subject,
        "INSERT OR IGNORE INTO source (name, seed, streams, kin, version, alpha) VALUES (?1, ?2, "
        "?3, ?4, "
        "?5, ?6)");
    if (insert)
        sqlite3_bind_double(insert, 6, alpha);
    if (!history_do(insert))
        return history_failed(history, diagnostic);
    if (sqlite3_changes(history->database) == 1 && !find_older(course, subject))
        return history_failed(history, diagnostic);
    sqlite3_stmt *const select = about(
        course, subject,
        "SELECT id, alpha FROM source WHERE name = ?1 AND seed = ?2 AND streams = ?3 AND kin = ?4 "
        "AND version = ?5");
    const bool found = select && sqlite3_step(select) == SQLITE_ROW;
    course->source = found ? sqlite3_column_int64(select, 0) : 0;
    course->night->alpha = found ? sqlite3_column_double(select, 1) : 0;
    history_done(select);
    if (!found)
        return history_failed(history, diagnostic);
    if (alpha < course->night->alpha || alpha > course->night->alpha)
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "the history of %s was begun with alpha %g, not %g: a limit on false alarms cannot "
            "change later",
            course->name, course->night->alpha, alpha);
    return ERROR_NONE;
}

// *lock is to be closed when the night is over, outside of any transaction: SQLite's locks on the
// file fall as well then.
static enum error take_lock(const struct course *course, int *lock, struct diagnostic *diagnostic)
{
    struct flock range = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = LOCKS_FROM + course->source,
                          .l_len = 1};
    *lock = open(course->history->path, O_RDWR | O_CLOEXEC);
    if (*lock >= 0 && !fcntl(*lock, F_OFD_SETLK, &range))
        return ERROR_NONE;
    const bool held = *lock >= 0 && (errno == EACCES || errno == EAGAIN);
    return diagnostic_fail(
        diagnostic, ERROR_SYSTEM,
        held ? "another process is running a night of %s in this history (%s); run this one "
               "when it has ended"
             : "the history of %s cannot be locked: %s",
        course->name, held ? course->history->path : strerror(errno));
}

// ---- opening ----------------------------------------------------------------

// All that is counted, and with what weights, as one number.
static sqlite3_int64 digest_battery(const struct battery *battery)
{
    uint64_t digest = HASH_EMPTY;
    for (unsigned r = 0; r < battery->rows; r++) {
        char text[HISTORY_ROW_TEXT];
        history_row_text(&battery->row[r], text);
        digest = hash_add(digest, text, strlen(text));
        digest = hash_add(digest, "\n", 1);
    }
    return (sqlite3_int64)(digest >> 1);
}

// What the nights before have left: the next range, evidence of this profile and of the others.
static enum error read_course(struct course *course, sqlite3_int64 battery,
                              struct diagnostic *diagnostic)
{
    struct history_night *const night = course->night;
    uint64_t others = 0;
    sqlite3_stmt *const last = history_prepare(
        course, "SELECT COUNT(*), MAX(night), MAX(first_block + blocks), MAX(alarm) FROM night "
                "WHERE source = ?1 AND state = 'closed'");
    bool ok = last && sqlite3_step(last) == SQLITE_ROW;
    if (ok && sqlite3_column_int64(last, 0)) {
        night->night = (uint64_t)sqlite3_column_int64(last, 1) + 1;
        night->first_block = (uint64_t)sqlite3_column_int64(last, 2);
        course->alarmed = sqlite3_column_int(last, 3);
    }
    history_done(last);
    // The last night of each profile: how many there were, and how far evidence had come.
    sqlite3_stmt *const each = history_prepare(
        course,
        "SELECT profile = ?2, MAX(night), COUNT(*), log_run, log_e_profile, battery FROM night "
        "WHERE source = ?1 AND "
        "state = 'closed' GROUP BY profile");
    bool same = true;
    int step = SQLITE_ERROR;
    course->log_other = REAL_MINUS_INFINITY;
    while (ok && each && (step = sqlite3_step(each)) == SQLITE_ROW) {
        if (!sqlite3_column_int(each, 0)) {
            course->log_other = real_log_add(course->log_other, sqlite3_column_double(each, 4));
            others++;
            continue;
        }
        course->before = (uint64_t)sqlite3_column_int64(each, 2);
        course->log_run = sqlite3_column_double(each, 3);
        same = sqlite3_column_int64(each, 5) == battery;
    }
    history_done(each);
    if (!ok || step != SQLITE_DONE)
        return history_failed(course->history, diagnostic);
    for (; others < 2; others++)
        course->log_other = real_log_add(course->log_other, 0);
    return same ? ERROR_NONE
                : diagnostic_fail(
                      diagnostic, ERROR_INPUT,
                      "the nights of %s were counted by another version of the battery, and their "
                      "counts cannot be "
                      "added to; keep that history as it is and begin another with --db FILE",
                      course->name);
}

// Writes the open entry of the next night, over one that was opened and never closed.
static enum error open_night(struct course *course, const struct battery *battery,
                             struct diagnostic *diagnostic)
{
    const sqlite3_int64 digest = digest_battery(battery);
    const enum error error = read_course(course, digest, diagnostic);
    if (error)
        return error;
    sqlite3_stmt *const insert = history_prepare(
        course,
        "INSERT OR REPLACE INTO night (source, profile, night, first_block, state, owner, battery, "
        "tool, "
        "opened) VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?6, ?7, datetime('now'))");
    sqlite3_randomness(sizeof course->owner, &course->owner);
    if (insert) {
        sqlite3_bind_int64(insert, 3, (sqlite3_int64)course->night->night);
        sqlite3_bind_int64(insert, 4, (sqlite3_int64)course->night->first_block);
        sqlite3_bind_int64(insert, 5, course->owner);
        sqlite3_bind_int64(insert, 6, digest);
        sqlite3_bind_text(insert, 7, TOOL, -1, SQLITE_STATIC);
    }
    return history_do(insert) ? ERROR_NONE : history_failed(course->history, diagnostic);
}

// ---- closing ----------------------------------------------------------------

// Claims the open entry, so that no other run can; nothing is added to it unless it is still this
// run's.
static enum error claim(const struct course *course, struct diagnostic *diagnostic)
{
    sqlite3_stmt *const put = history_prepare(
        course, "UPDATE night SET state = 'closed', owner = NULL, closed = datetime('now') WHERE "
                "source = ?1 AND night = ?3 AND state = 'open' AND owner = ?4");
    if (put) {
        sqlite3_bind_int64(put, 3, (sqlite3_int64)course->night->night);
        sqlite3_bind_int64(put, 4, course->owner);
    }
    if (!history_do(put))
        return history_failed(course->history, diagnostic);
    if (sqlite3_changes(course->history->database) != 1)
        return diagnostic_fail(
            diagnostic, ERROR_SYSTEM,
            "night %" PRIu64
            " of %s was taken over by another process; what was counted here is left out",
            course->night->night, course->name);
    return ERROR_NONE;
}

static bool write_night(const struct course *course, double log_run, double log_nights,
                        double log_counts, double log_profile)
{
    const struct history_night *const night = course->night;
    sqlite3_stmt *const put = history_prepare(
        course,
        "UPDATE night SET blocks = ?4, verdict = ?5, log_p = ?6, log_run = ?7, log_e_nights = ?8, "
        "log_e_counts = ?9, "
        "log_e_profile = ?10, log_e = ?11, alarm = ?12, test = ?13, what = ?14 WHERE source = ?1 "
        "AND night = ?3");
    if (!put)
        return false;
    const double reals[] = {night->log_p, log_run,     log_nights,
                            log_counts,   log_profile, night->log_e};
    sqlite3_bind_int64(put, 3, (sqlite3_int64)night->night);
    sqlite3_bind_int64(put, 4, (sqlite3_int64)night->blocks);
    sqlite3_bind_text(put, 5, night->flawed ? "flawed" : "clean", -1, SQLITE_STATIC);
    for (int i = 0; i < (int)(sizeof reals / sizeof *reals); i++)
        sqlite3_bind_double(put, 6 + i, reals[i]);
    sqlite3_bind_int(put, 12, night->alarm);
    sqlite3_bind_text(put, 13, night->test, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 14, night->what, -1, SQLITE_STATIC);
    return history_do(put);
}

// A start at each night s (from 1) with the weight 1 / (s (s + 1)): those begun so far share one
// sum, as they bet alike from tonight on.
static double add_product(const struct course *course, double log_e)
{
    const double t = (double)course->before;
    const double begun = course->before ? course->log_run : REAL_MINUS_INFINITY;
    return real_log_add(begun, -real_log((t + 1) * (t + 2))) + log_e;
}

static enum error close_night(struct course *course, struct tally *tally,
                              const struct audit_result *result, struct diagnostic *diagnostic)
{
    struct history_night *const night = course->night;
    double log_counts;
    const enum error error = claim(course, diagnostic);
    if (error)
        return error;
    if (!history_add_counts(course, tally, &log_counts))
        return history_failed(course->history, diagnostic);
    night->log_p = result->finding.log_p;
    night->flawed = result->verdict == AUDIT_FLAWED;
    night->blocks = result->blocks;
    const double log_run = add_product(course, evidence_calibrated(night->log_p));
    const double log_nights = real_log_add(log_run, -real_log((double)course->before + 2));
    const double log_profile = real_log_add(log_nights, log_counts) - LOG_2;
    night->log_e = real_log_add(log_profile, course->log_other) - LOG_PROFILES;
    night->alarm = course->alarmed || night->log_e >= -real_log(night->alpha);
    snprintf(night->test, sizeof night->test, "%s",
             result->finding.test ? result->finding.test : "");
    snprintf(night->what, sizeof night->what, "%s", result->finding.what);
    return write_night(course, log_run, log_nights, log_counts, log_profile)
               ? ERROR_NONE
               : history_failed(course->history, diagnostic);
}

// ---- steps, each in one transaction with the seal ---------------------------

static enum error begin(struct history *history, struct diagnostic *diagnostic)
{
    const bool begun =
        sqlite3_exec(history->database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    return begun ? ERROR_NONE : history_failed(history, diagnostic);
}

static enum error commit(struct history *history, enum error error, struct diagnostic *diagnostic)
{
    if (!error)
        error = seal_put(history->database, &history_seal, diagnostic);
    if (!error && sqlite3_exec(history->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        error = history_failed(history, diagnostic);
    if (error)
        sqlite3_exec(history->database, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

static enum error finish(void *context, struct tally *tally, const struct audit_result *result,
                         struct diagnostic *diagnostic)
{
    struct course *const course = context;
    const enum error error = begin(course->history, diagnostic);
    return error ? error
                 : commit(course->history, close_night(course, tally, result, diagnostic),
                          diagnostic);
}

static enum error run_night(struct course *course, struct audit_options *options,
                            const struct source *source, struct audit_result *result,
                            struct diagnostic *diagnostic)
{
    enum error error = begin(course->history, diagnostic);
    if (!error)
        error =
            commit(course->history, open_night(course, &options->battery, diagnostic), diagnostic);
    if (error)
        return error;
    options->first_block = course->night->first_block;
    options->stream_only = true;
    options->finish = finish;
    options->context = course;
    error = audit_run(options, source, result, diagnostic);
    options->finish = NULL;
    options->context = NULL;
    if (error == ERROR_INPUT && !result->blocks && course->night->first_block && !options->advance)
        return diagnostic_fail(
            diagnostic, ERROR_INPUT,
            "%s ends within the %" PRIu64
            " bytes that nights before have used: no fresh block is left for another",
            course->name, (course->night->first_block + 1) << (BATTERY_BLOCK_LOG2 + 2));
    return error;
}

enum error history_run(struct history *history, const struct history_subject *subject, double alpha,
                       struct audit_options *options, const struct source *source,
                       struct history_night *night, struct audit_result *result,
                       struct diagnostic *diagnostic)
{
    assert(alpha > 0 && alpha < 1);
    *night = (struct history_night){.night = 1};
    *result = (struct audit_result){.verdict = AUDIT_CLEAN};
    snprintf(night->source, sizeof night->source, "%s", subject->name);
    snprintf(night->profile, sizeof night->profile, "%s", options->battery.name);
    snprintf(night->version, sizeof night->version, "%s", subject->version);
    struct course course = {.history = history,
                            .name = subject->name,
                            .profile = options->battery.name,
                            .night = night};
    int lock = -1;
    enum error error = begin(history, diagnostic);
    if (!error)
        error = commit(history, find_source(&course, subject, alpha, diagnostic), diagnostic);
    if (!error)
        error = take_lock(&course, &lock, diagnostic);
    if (!error)
        error = run_night(&course, options, source, result, diagnostic);
    if (lock >= 0)
        close(lock);
    return error;
}
