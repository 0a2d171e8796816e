// SPDX-License-Identifier: Apache-2.0
// A failing case under every combination of conditions that its target offers: those under which it
// fails, and those on which its bits depend.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_SURVEY_H
#define ASSAY_HARNESS_JUDGE_SEARCH_SURVEY_H

#include "harness/judge/run/certify.h"
#include "harness/host/conditions.h"

enum { SURVEY_ROWS_MAX = 2048, SURVEY_TEXT_SIZE = 512 };

// All combinations are run in a process of their own, in order and again in reverse order; and
// where two equal calls gave different bits, once more in order.
enum survey_pass { SURVEY_IN_ORDER, SURVEY_REVERSED, SURVEY_REPEATED, SURVEY_PASSES };

struct survey_row {
    struct host_conditions conditions;
    bool fails;                   // in the first pass
    uint64_t bits[SURVEY_PASSES]; // a hash of the verdict and of what came out
};

struct survey {
    size_t rows, failing; // conditions, and those under which it fails
    size_t thread_count;  // numbers of threads under which it fails under some other condition; 0
                          // stands for all
    uint32_t threads[CONDITIONS_VALUES_MAX];
    char text[SURVEY_TEXT_SIZE]; // "under 8 of 32 conditions: exactly with feed=constant; its bits
                                 // depend on threads alone: own, 1, 3 | 2"
};

// Runs the case, each combination judged by itself under `profile`. Where no single call is wrong
// and none differs from another, the case is certified by itself, to see what else it takes. A
// target that hangs twice is not run again.
enum error judge_survey(const struct suite *suite, const struct suite_case *of, struct host *host,
                        const struct named_profile *profile, struct survey *survey,
                        struct diagnostic *diagnostic);

// The same for a result of a run, which gets the words.
enum error judge_survey_result(struct judge_run *run, size_t index, struct host *host,
                               struct diagnostic *diagnostic);

// What the rows say, in words. Bits depend on a condition where two rows that differ in it alone
// have different bits. Where equal calls gave different bits, this is by chance if a pass in the
// same order did so too, else by what ran before.
void survey_describe(const struct host_description *description, const struct survey_row *row,
                     size_t rows, char *text, size_t size);

#endif
