// SPDX-License-Identifier: Apache-2.0
// Results as one HTML file that needs nothing else: no network, readable on paper, on a phone and
// by a screen reader. A small script adds search, filters and copy buttons; without it nothing is
// missing but those. The same results give the same bytes.

#ifndef ASSAY_REPORTS_PAGE_PAGE_H
#define ASSAY_REPORTS_PAGE_PAGE_H

#include "reports/causes.h"
#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

// How much of a large run is shown one by one; the rest is counted, and says so.
enum {
    PAGE_FAILURES_MAX = 200,    // in full
    PAGE_PER_KNOWN_CAUSE = 3,   // of them, of one known cause
    PAGE_PER_NEW_CAUSE = 12,    // of one new cause, before others have had as many
    PAGE_ROWS_MAX = 3000,       // failures by name alone
    PAGE_NAMES_MAX = 40 * 1000, // names of cases without a failure
    PAGE_CASES_PER_CELL_MAX = 60,
    PAGE_CURVES_MAX = 24
};

enum error page_write(const struct text_sink *sink, const struct results *results,
                      const struct tally *tally, struct diagnostic *diagnostic);

// ---- for the files of the page ----------------------------------------------

struct page {
    struct text text;
    const struct text_sink *sink;
    const struct results *results;
    const struct tally *tally;
    struct diagnostic *diagnostic;
    struct causes causes;
    size_t failure_count; // that are shown in full, at most PAGE_FAILURES_MAX
    uint32_t *number;     // of a case: its number among those from 1, 0 when it is not shown
};

// style.css and script.js line by line, NULL at the end.
extern const char *const page_style[], *const page_script[];

// A source of random words, which is audited: no column of a matrix.
bool page_is_source(const struct page *page, size_t target);

void page_put_targets(struct page *page);
bool page_has_matrix(const struct page *page); // whether any case covers a requirement
// Cases by a key, as a counting sort leaves them: those of key k are item[first[k]] up to
// item[first[k + 1]].
struct page_order {
    uint32_t *first, *item;
};

// Failing cases by requirement * targets + target, or all cases by suite * targets + target. False
// when there is no memory; release it also then.
bool page_sort_cases(const struct page *page, bool failing, struct page_order *order);
void page_release_order(struct page_order *order);
// Names by verdict, at most *most: of each verdict, or of all together, which *most then says.
void page_put_names(struct page *page, const uint32_t *items, size_t count, size_t *most,
                    bool each);

enum error page_put_suites(struct page *page);
enum error page_put_failures(struct page *page);
void page_put_failure(struct page *page, uint32_t index, const struct document_node *root,
                      bool open);
void page_put_output(struct page *page, const struct document_node *output);
void page_put_errors(struct page *page); // histograms of each target
void page_put_mutants(struct page *page);
void page_put_scores(struct page *page);
enum error page_put_evidence(struct page *page);
enum error page_put_timings(struct page *page);
void page_put_origin(struct page *page);

// Text from the results, escaped.
void page_put(struct page *page, const char *words);
// Markup with such texts in it.
#define page_print(page, ...) text_print_markup(&(page)->text, __VA_ARGS__)
// "<span class=... >mark words</span>": an outcome by sign and word, never by colour alone.
void page_put_outcome(struct page *page, enum tally_outcome outcome, const char *words);
// "<td data-label=...>count</td>", a dash for none.
void page_put_cell(struct page *page, const char *label, size_t count, const char *class_name);

#endif
