// SPDX-License-Identifier: Apache-2.0
// The parts of assay score: tests of others as they are read, and what is written of them.

#ifndef ASSAY_HARNESS_CLI_SCORE_SCORING_H
#define ASSAY_HARNESS_CLI_SCORE_SCORING_H

#include "harness/judge/search/score.h"
#include "yaml/declared/operator.h"

// Tests that were not taken, and why.
struct scoring_left {
    const char *reason;
    uint64_t count;
};

struct scoring {
    struct arena arena;
    struct operators operators; // where tests find declared ones
    const char *source;         // what the tests are, in words
    size_t looked_count, left_count, count;
    const struct operation **looked; // operations that they were searched for
    struct scoring_left *left;
    struct score_test *test;
};

// Reads JSON lines: the first says `source`, and may say `operations` and `left_out`; each of the
// others is a test. Release the arena also after an error.
enum error scoring_read(const char *path, struct scoring *scoring, struct diagnostic *diagnostic);

// The page of the suites' scores, as Markdown.
void scoring_put_page(const struct scoring *scoring, const struct score *scores, size_t count,
                      struct text *page);

#endif
