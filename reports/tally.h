// SPDX-License-Identifier: Apache-2.0
// Results counted: by target, by suite and target, by requirement and target. Every report shows
// these numbers and no others.

#ifndef ASSAY_REPORTS_TALLY_H
#define ASSAY_REPORTS_TALLY_H

#include "ref/base/text.h"
#include "reports/results.h"

struct tally_cell {
    uint32_t verdict[VERDICT_COUNT];
    uint32_t level[LEVEL_COUNT]; // passes by the level they reached
    uint32_t expected;           // failures that are listed as known
    uint32_t cured;              // expected failures that did not occur
    uint32_t partial;            // passes step by step, or under one set of conditions
    uint32_t total;
    uint32_t cases;   // that there are to run, at least `total`
    uint32_t outside; // targets that failed outside of cases
    bool in_suite;    // of a requirement: something of its suite was asked
};

enum tally_outcome {
    OUTCOME_CONFORMS,
    OUTCOME_PARTLY,   // nothing failed, but part of it was not run, not run whole or proves little
    OUTCOME_EXPECTED, // failures, all of them known
    OUTCOME_DIFFERS,  // unexpected failures, also outside of cases, or expected ones that did not
                      // occur
    OUTCOME_NOTHING,  // no case was run, or, of a target, none that proves anything
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

// Appends the outcome with its numbers: "conforms in part: 9 of 12 cases, 1 vacuous, 2 unsupported;
// requirements: 3 met, 1 in part (2 of 4 cases), 1 not run".
void tally_put_outcome(struct text *text, const struct tally *tally, size_t target);
// "conforms", "conforms in part", "does not conform, as known", "proves nothing", ...
const char *tally_outcome_name(enum tally_outcome outcome);
// Of a requirement: "met", "met in part", ...
const char *tally_requirement_name(enum tally_outcome outcome);

uint32_t tally_failures(const struct tally_cell *cell);

// The verdicts that count for the target.
uint32_t tally_good(const struct tally_cell *cell);

// The lowest level that a pass of the cell reached; LEVEL_NONE when nothing passed.
enum results_level tally_level(const struct tally_cell *cell);

#endif
