// SPDX-License-Identifier: Apache-2.0
// Results counted: by target, by suite and target, by requirement and target. Every report shows
// these numbers and no others.

#ifndef ASSAY_REPORTS_TALLY_H
#define ASSAY_REPORTS_TALLY_H

#include "reports/results.h"

struct tally_cell {
    uint32_t verdict[VERDICT_COUNT];
    uint32_t level[LEVEL_COUNT]; // passes by the level they reached
    uint32_t expected;           // failures that are listed as known
    uint32_t cured;              // expected failures that did not occur
    uint32_t total;
};

enum tally_outcome {
    OUTCOME_CONFORMS,
    OUTCOME_PARTLY,   // nothing failed, but part of it was not run or proves little
    OUTCOME_EXPECTED, // failures, all of them known
    OUTCOME_DIFFERS,  // unexpected failures, or expected ones that did not occur
    OUTCOME_NOTHING,  // no case was run
    OUTCOME_COUNT
};

struct tally {
    size_t targets, suites, requirements;
    struct tally_cell *by_requirement; // [requirement * targets + target]
    struct tally_cell *by_suite;       // [suite * targets + target]
    struct tally_cell *by_target;
    struct tally_cell all;
};

// Counts. ERROR_INPUT when requirements times targets is beyond reason. Release with tally_release.
enum error tally_count(struct tally *tally, const struct results *results,
                       struct diagnostic *diagnostic);
void tally_release(struct tally *tally);

enum tally_outcome tally_outcome_of(const struct tally_cell *cell);
// "conforms", "conforms in part", ...
const char *tally_outcome_name(enum tally_outcome outcome);

uint32_t tally_failures(const struct tally_cell *cell);

// The lowest level that a pass of the cell reached; LEVEL_NONE when nothing passed.
enum results_level tally_level(const struct tally_cell *cell);

#endif
