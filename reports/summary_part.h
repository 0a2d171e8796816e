// SPDX-License-Identifier: Apache-2.0
// What the parts of the summary share.

#ifndef ASSAY_REPORTS_SUMMARY_PART_H
#define ASSAY_REPORTS_SUMMARY_PART_H

#include "reports/causes.h"
#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

// How the two forms differ: everything else is said once.
struct summary_style {
    bool coloured, markdown;
    size_t causes[CAUSE_KINDS]; // how many causes of each kind are shown
};

struct summary {
    struct text *text;
    const struct summary_style *style;
    const struct results *results;
    const struct tally *tally;
    struct causes causes;
    struct diagnostic *diagnostic;
};

enum { SUMMARY_CUT_MAX = 96, SUMMARY_NAME_MAX = 30 };

// Text from the results, escaped; on a terminal no more than `most` bytes of it, at most
// SUMMARY_CUT_MAX.
void summary_put_foreign(struct summary *summary, const char *words, size_t most);
void summary_put_heading(struct summary *summary, const char *words);

// New failures, expected ones that did not occur, known ones, what is not supported; those that
// there are.
enum error summary_put_causes(struct summary *summary);

#endif
