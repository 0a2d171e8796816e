// SPDX-License-Identifier: Apache-2.0
// What the files of the history share: the open database, and the course that a night belongs to.
// For stats/history*.c alone.

#ifndef ASSAY_STATS_NIGHTS_PARTS_H
#define ASSAY_STATS_NIGHTS_PARTS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "ref/base/shard/seal.h"
#include "stats/nights/history.h"

struct history {
    sqlite3 *database;
    char *path;
};

// The nights of one profile of one source.
struct course {
    struct history *history;
    const char *name, *profile; // for messages; column of every table
    sqlite3_int64 source;       // key of the source's row
    sqlite3_int64 owner;        // what this run wrote into the night that it opened
    struct history_night *night;
    uint64_t before;  // closed nights of this profile
    double log_run;   // the product half before this night, of starts that have begun
    double log_other; // log of the sum of the evidence of the other profiles
    bool alarmed;
};

extern const struct seal history_seal;

enum error history_failed(struct history *history, struct diagnostic *diagnostic);

// A prepared statement with the source bound to ?1 and the profile to ?2, where it has them; NULL
// when that fails. A night asks the same of every row, so a statement is prepared once and lives as
// long as the history; the same SQL is not to be asked for again before history_done.
sqlite3_stmt *history_prepare(const struct course *course, const char *sql);

// Ends the use of a statement, of which no value may be read any more. NULL is allowed.
void history_done(sqlite3_stmt *statement);

// Runs a statement to its end; whether that went well. NULL: it did not.
bool history_do(sqlite3_stmt *statement);

// A row of the battery as text: what is counted, and with what weight.
enum { HISTORY_ROW_TEXT = 224 };
void history_row_text(const struct battery_row *row, char text[HISTORY_ROW_TEXT]);

// Writes what every row said tonight, adds tonight's counts to the totals, and gives the evidence
// of the counts; whether that went well.
bool history_add_counts(const struct course *course, struct tally *tally, double *log_e);

#endif
