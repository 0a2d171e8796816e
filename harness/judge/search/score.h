// SPDX-License-Identifier: Apache-2.0
// How much somebody else's tests notice: the deviant options of a suite of ours are run over the
// requests of those tests and held to their expected values by their own tolerance.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_SCORE_H
#define ASSAY_HARNESS_JUDGE_SEARCH_SCORE_H

#include "harness/judge/search/mutants.h"

// A test of others. An output passes where each element lies within atol + rtol * |expected| of
// what is expected, computed in double; NaN passes for NaN, an infinity for itself alone.
struct score_test {
    const char *id;
    struct request request;                        // its memory is its maker's
    struct tensor expected[OPERATION_OUTPUTS_MAX]; // DTYPE_NONE: not looked at
    double rtol, atol;
};

struct score_option {
    size_t choice, option;          // of the suite
    const struct score_test *first; // of the tests that tell it from what is right; NULL: none
    const struct suite_case *ours;  // a case of ours that does; NULL: none
};

struct score {
    const struct suite *suite;
    size_t tests, held; // of the suite's operations; of these, tests that the reference passes
    size_t wrong_count, allowed_count;
    struct score_option *wrong, *allowed; // deviant options, and allowed ones that a test refuses
    struct mutants mutants;               // of the suite's own cases
};

// Counts a test as held where the reference passes it; only those judge the options. An option that
// is refused, or gives another shape, does not pass. Release the score also after an error.
enum error score_run(const struct suite *suite, const struct score_test *tests, size_t count,
                     struct score *score, struct diagnostic *diagnostic);
void score_release(struct score *score);

// How many deviant options no test notices.
size_t score_survivors(const struct score *score);

#endif
