// SPDX-License-Identifier: Apache-2.0
// The verdict of each case in every nightly run: a SQLite database that is made from results and
// can be made again from them. Its rows are sealed (ref/base/shard/seal.h): one that was changed
// from outside is refused.

#ifndef ASSAY_REPORTS_CHRONICLE_H
#define ASSAY_REPORTS_CHRONICLE_H

#include "reports/results.h"

struct chronicle; // an open database

// Opens the database at `path`, or makes it. Errors of all of these are ERROR_SYSTEM, ERROR_INPUT
// when the file is something else.
enum error chronicle_open(struct chronicle **chronicle, const char *path,
                          struct diagnostic *diagnostic);
void chronicle_close(struct chronicle *chronicle);

// Adds `results` in one transaction, one run for each file and target; not when the target's newest
// run came from the same bytes. *added counts the runs.
enum error chronicle_add(struct chronicle *chronicle, const struct results *results,
                         unsigned *added, struct diagnostic *diagnostic);

// One case whose verdict is not that of the run of the same target before it. A verdict is NULL
// where the case was not in the run.
struct chronicle_change {
    const char *target, *suite, *name, *before, *after;
    bool worse; // it fails now, unexpectedly, and did not before; or it was run and is not any more
    bool better; // the reverse
};

// Calls `visit` for every change between the last two runs of each target that got one since
// chronicle_open, by target, suite and name.
enum error chronicle_changes(struct chronicle *chronicle,
                             void (*visit)(void *context, const struct chronicle_change *change),
                             void *context, struct diagnostic *diagnostic);

// One line for each run: when, target, how many cases, how many failed unexpectedly; the newest
// first, at most `most`.
struct chronicle_run {
    const char *started, *sha256, *target; // started may be NULL
    long long cases, failures, expected;
};
enum error chronicle_runs(struct chronicle *chronicle, unsigned most,
                          void (*visit)(void *context, const struct chronicle_run *run),
                          void *context, struct diagnostic *diagnostic);

#endif
