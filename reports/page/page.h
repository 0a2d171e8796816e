// SPDX-License-Identifier: Apache-2.0
// Results as one HTML file that needs nothing else: no network, no script, readable on paper, on a
// phone and by a screen reader. The same results give the same bytes.

#ifndef ASSAY_REPORTS_PAGE_PAGE_H
#define ASSAY_REPORTS_PAGE_PAGE_H

#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

// How much of a large run is shown one by one; the rest is counted, and says so.
enum {
    PAGE_FAILURES_MAX = 200,
    PAGE_FAILURE_ROWS_MAX = 3000,
    PAGE_CASES_PER_CELL_MAX = 60,
    PAGE_CURVES_MAX = 24
};

enum error page_write(const struct text_sink *sink, const struct results *results,
                      const struct tally *tally, struct diagnostic *diagnostic);

// ---- for the files page_*.c -------------------------------------------------

struct page {
    struct text text;
    const struct text_sink *sink;
    const struct results *results;
    const struct tally *tally;
    struct diagnostic *diagnostic;
    uint32_t *failure;    // cases that are shown in full, unforeseen ones first
    size_t failure_count; // at most PAGE_FAILURES_MAX
    uint32_t *number;     // of a case: its place in `failure` from 1, 0 when it is not shown
};

extern const char *const page_style[]; // rules, NULL at the end

// A source of random words, which is audited: no column of the matrix.
bool page_is_source(const struct page *page, size_t target);

bool page_has_matrix(const struct page *page); // whether any case covers a requirement
void page_put_matrix(struct page *page);
enum error page_put_drilldown(struct page *page);
enum error page_put_failures(struct page *page);
void page_put_errors(struct page *page); // histograms of each target
void page_put_mutants(struct page *page);
enum error page_put_evidence(struct page *page);
enum error page_put_timings(struct page *page);

// Text from the results, escaped.
void page_put(struct page *page, const char *words);
// "<span class=... >mark words</span>": an outcome by sign and word, never by colour alone.
void page_put_outcome(struct page *page, enum tally_outcome outcome, const char *words);

#endif
