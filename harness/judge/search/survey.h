// SPDX-License-Identifier: Apache-2.0
// A failing case under every combination of conditions that its target offers: those under which it
// fails, and those on which its bits depend.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_SURVEY_H
#define ASSAY_HARNESS_JUDGE_SEARCH_SURVEY_H

#include "harness/judge/run/certify.h"
#include "harness/judge/run/conditions.h"

enum { SURVEY_ROWS_MAX = 2048, SURVEY_TEXT_SIZE = 320 };

struct survey {
    size_t rows, failing; // conditions, and those under which it fails
    size_t thread_count;  // numbers of threads under which it fails under some other condition; 0
                          // stands for all
    uint32_t threads[CONDITIONS_VALUES_MAX];
    char text[SURVEY_TEXT_SIZE]; // "under 8 of 32 conditions: exactly with feed=constant; its bits
                                 // depend on threads"
};

// Runs the case once for each combination, each judged by itself under `profile`. A target that
// hangs twice is not run again.
enum error judge_survey(const struct suite *suite, const struct suite_case *of, struct host *host,
                        const struct named_profile *profile, struct survey *survey,
                        struct diagnostic *diagnostic);

// The same for a result of a run, which gets the words.
enum error judge_survey_result(struct judge_run *run, size_t index, struct host *host,
                               struct diagnostic *diagnostic);

// What the rows say, in words; for tests. `fails` and `bits` (a digest of what came out) have an
// entry for each row.
void survey_describe(const struct host_description *description, const struct host_conditions *row,
                     size_t rows, const bool *fails, const uint64_t *bits, char *text, size_t size);

#endif
