// SPDX-License-Identifier: Apache-2.0
// Totals over nights, and the evidence in them.
//
// For a start at night s the totals hold the counts of all nights from s on. Evidence from s: the
// average over the rows, by their weights (a row that was never fed counts as 1), of what
// evidence_of_row says; and the whole is the sum over all starts by their weights 1 / (s (s + 1)),
// those to come counting as 1. All of it e-processes, and so their mixture.
//
// Totals for every start would fill a disc. So a start, counted from 0, lives for as many nights as
// the greatest power of two that divides it (the first for ever); what it had found by then stays
// as it is, as an e-process that is stopped. After t nights the living are t with its lowest ones
// struck out one after the other, log2(t) at most; and a flaw that shows itself after m nights
// meets a start that begins less than 2 m nights after it and lives for m.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/law/evidence.h"
#include "stats/nights/parts.h"
#include "stats/law/real.h"
#include "stats/audit/tally.h"

void history_row_text(const struct battery_row *row, char text[HISTORY_ROW_TEXT])
{
    const struct test *const test = &row->test;
    uint64_t list = 0;
    for (unsigned i = 0; i < test->listed; i++)
        list = list * UINT64_C(6364136223846793005) + test->list[i] + 1;
    snprintf(text, HISTORY_ROW_TEXT, "%s %u %u %u %u %u %u %u %" PRIx64 " weight %" PRIu64,
             test->name, (unsigned)test->counts, test->p[0], test->p[1], test->p[2], test->p[3],
             test->p[4], test->p[5], list, (uint64_t)(row->weight * 1e12));
}

// What one row adds tonight.
struct tonight {
    struct tally *tally;
    unsigned row;
    uint64_t units;
    double log_p; // of the row
    double log_e; // of tonight's counts alone, of a row whose evidence is a product
};

static double weigh(const struct tonight *tonight, const uint64_t *count, struct bag *bag,
                    uint64_t units, bool *weighed)
{
    const struct test *const test = &tonight->tally->battery->row[tonight->row].test;
    struct judgement judgement;
    judgement_weigh(&judgement);
    test->judge(&(struct totals){test, count, bag, units}, &judgement);
    *weighed = judgement.weighed != 0;
    return judgement_log_e(&judgement);
}

// Evidence of one row from one start on. Rows whose counts have a known law: the exact mixture on
// the counts of all nights together; those that keep values: the product of the nights' exact
// mixtures; others: the product of the nights' calibrated p-values.
static double evidence_of_row(const struct tonight *tonight, const uint64_t *sum, uint64_t units,
                              double *log_product, bool *ok)
{
    struct bag none = {0};
    bool weighed = false;
    if (!tonight->tally->battery->row[tonight->row].test.keeps) {
        const double log_e = weigh(tonight, sum, &none, units, &weighed);
        *ok = *ok && !none.failed; // memory for the judgement
        if (weighed)
            return log_e;
    }
    return *log_product += tonight->log_e;
}

// Adds tonight's counts of one row to its totals from `start` on; *log_e is the evidence in them.
static bool add_totals(const struct course *course, const struct tonight *tonight, uint64_t start,
                       double *log_e)
{
    const struct battery_row *const row = &tonight->tally->battery->row[tonight->row];
    const struct test *const test = &row->test;
    const size_t size = test->counts * sizeof(uint64_t);
    char text[HISTORY_ROW_TEXT];
    history_row_text(row, text);
    uint64_t *const sum = malloc(size + 1), units = tonight->units;
    unsigned char *const bytes = malloc(size + 1);
    double product = 0;
    sqlite3_stmt *const select = history_prepare(
        course,
        "SELECT units, counts, log_e_product FROM total WHERE source = ?1 AND profile = ?2 AND "
        "start = ?3 AND row = ?4");
    bool ok = sum && bytes && select &&
              sqlite3_bind_int64(select, 3, (sqlite3_int64)start) == SQLITE_OK &&
              sqlite3_bind_int64(select, 4, tonight->row) == SQLITE_OK;
    const int found = ok ? sqlite3_step(select) : SQLITE_ERROR;
    ok = ok && (found == SQLITE_ROW || found == SQLITE_DONE);
    if (ok && size)
        memcpy(sum, tonight->tally->count[tonight->row], size);
    const unsigned char *const earlier =
        found == SQLITE_ROW ? sqlite3_column_blob(select, 1) : NULL;
    // Without memory the counts of earlier nights would look as if there were none.
    ok = ok && (earlier || !select || sqlite3_errcode(sqlite3_db_handle(select)) != SQLITE_NOMEM);
    if (ok && found == SQLITE_ROW && (size_t)sqlite3_column_bytes(select, 1) == size) {
        units += (uint64_t)sqlite3_column_int64(select, 0);
        product = sqlite3_column_double(select, 2);
        for (uint32_t c = 0; c < test->counts; c++)
            for (unsigned b = 0; b < 8; b++)
                sum[c] += (uint64_t)earlier[8 * c + b] << 8 * b;
    }
    history_done(select);
    for (uint32_t c = 0; ok && c < test->counts; c++)
        for (unsigned b = 0; b < 8; b++)
            bytes[8 * c + b] = (unsigned char)(sum[c] >> 8 * b);
    *log_e = ok ? evidence_of_row(tonight, sum, units, &product, &ok) : 0;
    sqlite3_stmt *const put =
        ok ? history_prepare(
                 course, "INSERT OR REPLACE INTO total VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
           : NULL;
    ok = ok && put && sqlite3_bind_int64(put, 3, (sqlite3_int64)start) == SQLITE_OK &&
         sqlite3_bind_int64(put, 4, tonight->row) == SQLITE_OK &&
         sqlite3_bind_text(put, 5, text, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(put, 6, (sqlite3_int64)units) == SQLITE_OK &&
         sqlite3_bind_blob(put, 7, bytes, (int)size, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_double(put, 8, *log_e) == SQLITE_OK &&
         sqlite3_bind_double(put, 9, product) == SQLITE_OK;
    ok = history_do(put) && ok;
    free(sum);
    free(bytes);
    return ok;
}

// The evidence of a row that was not fed tonight, as it was.
static bool last_evidence(const struct course *course, uint64_t start, unsigned row, double *log_e)
{
    sqlite3_stmt *const select = history_prepare(
        course,
        "SELECT log_e FROM total WHERE source = ?1 AND profile = ?2 AND start = ?3 AND row = ?4");
    if (!select)
        return false;
    sqlite3_bind_int64(select, 3, (sqlite3_int64)start);
    sqlite3_bind_int64(select, 4, row);
    const int found = sqlite3_step(select);
    *log_e = found == SQLITE_ROW ? sqlite3_column_double(select, 0) : 0;
    history_done(select);
    return found == SQLITE_ROW || found == SQLITE_DONE;
}

// Judges the row's own counts and writes them down.
static bool look(const struct course *course, struct tonight *tonight)
{
    struct tally *const tally = tonight->tally;
    const unsigned row = tonight->row;
    struct judgement judgement;
    struct diagnostic ignored;
    tonight->units = tally_units(tally, row);
    tonight->log_p = tonight->log_e = 0;
    if (tally_judge(tally, row, UINT32_MAX, &judgement, &ignored))
        return false;
    if (!tonight->units)
        return true;
    if (judgement.kept)
        tonight->log_p = judgement_log_p(&judgement);
    bool weighed = false;
    if (tally->battery->row[row].test.keeps)
        tonight->log_e =
            weigh(tonight, tally->count[row], &tally->bag[row], tonight->units, &weighed);
    if (tally->bag[row].failed)
        return false;
    if (!weighed)
        tonight->log_e = evidence_calibrated(tonight->log_p);
    if (!judgement.kept)
        return true;
    sqlite3_stmt *const put = history_prepare(
        course, "INSERT OR REPLACE INTO look VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    if (!put)
        return false;
    sqlite3_bind_int64(put, 3, (sqlite3_int64)course->night->night);
    sqlite3_bind_int64(put, 4, row);
    sqlite3_bind_text(put, 5, tally->battery->row[row].test.name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 6, (sqlite3_int64)tonight->units);
    sqlite3_bind_double(put, 7, tonight->log_p);
    sqlite3_bind_int64(put, 8, judgement.worst[0].index);
    sqlite3_bind_double(put, 9, judgement.worst[0].observed);
    sqlite3_bind_double(put, 10, judgement.worst[0].expected);
    return history_do(put);
}

// ---- starts -----------------------------------------------------------------

enum { STARTS_MAX = 65 };

// The starts that live at night `t`, counted from 0, the youngest first.
static unsigned living(uint64_t t, uint64_t start[STARTS_MAX])
{
    unsigned count = 0;
    for (; t; t &= t - 1)
        start[count++] = t;
    start[count++] = 0;
    return count;
}

static bool bury(const struct course *course, const uint64_t *alive, unsigned count)
{
    uint64_t before[STARTS_MAX];
    const unsigned were = course->before ? living(course->before - 1, before) : 0;
    for (unsigned i = 0; i < were; i++) {
        bool lives = false;
        for (unsigned j = 0; j < count; j++)
            lives |= alive[j] == before[i];
        if (lives)
            continue;
        sqlite3_stmt *const bury_one = history_prepare(
            course, "DELETE FROM total WHERE source = ?1 AND profile = ?2 AND start = ?3");
        if (bury_one)
            sqlite3_bind_int64(bury_one, 3, (sqlite3_int64)before[i]);
        if (!history_do(bury_one))
            return false;
    }
    return true;
}

static bool put_start(const struct course *course, uint64_t start, double log_e)
{
    sqlite3_stmt *const put =
        history_prepare(course, "INSERT OR REPLACE INTO start VALUES (?1, ?2, ?3, ?4)");
    if (!put)
        return false;
    sqlite3_bind_int64(put, 3, (sqlite3_int64)start);
    sqlite3_bind_double(put, 4, log_e);
    return history_do(put);
}

// Over all starts, the living and the dead; those to come have the weight 1 / (t + 2) together.
static bool sum_starts(const struct course *course, double *log_e)
{
    sqlite3_stmt *const select = history_prepare(
        course, "SELECT start, log_e FROM start WHERE source = ?1 AND profile = ?2 ORDER BY start");
    *log_e = -real_log((double)course->before + 2);
    int step = SQLITE_ERROR;
    while (select && (step = sqlite3_step(select)) == SQLITE_ROW) {
        const double s = (double)sqlite3_column_int64(select, 0);
        *log_e =
            real_log_add(*log_e, sqlite3_column_double(select, 1) - real_log((s + 1) * (s + 2)));
    }
    history_done(select);
    return step == SQLITE_DONE;
}

bool history_add_counts(const struct course *course, struct tally *tally, double *log_e)
{
    const struct battery *const battery = tally->battery;
    uint64_t start[STARTS_MAX];
    double of_start[STARTS_MAX];
    const unsigned starts = living(course->before, start);
    if (!bury(course, start, starts))
        return false;
    for (unsigned s = 0; s < starts; s++)
        of_start[s] = REAL_MINUS_INFINITY;
    for (unsigned r = 0; r < battery->rows; r++) {
        struct tonight tonight = {.tally = tally, .row = r};
        if (!look(course, &tonight))
            return false;
        for (unsigned s = 0; s < starts; s++) {
            double of_row = 0;
            if (!(tonight.units ? add_totals(course, &tonight, start[s], &of_row)
                                : last_evidence(course, start[s], r, &of_row)))
                return false;
            of_start[s] = real_log_add(of_start[s], of_row + real_log(battery->row[r].weight));
        }
    }
    for (unsigned s = 0; s < starts; s++)
        if (!put_start(course, start[s], of_start[s]))
            return false;
    return sum_starts(course, log_e);
}
