// SPDX-License-Identifier: Apache-2.0
// The summary that is read at a glance: for a terminal, and as Markdown for the page of a job.

#ifndef ASSAY_REPORTS_SUMMARY_H
#define ASSAY_REPORTS_SUMMARY_H

#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

enum { SUMMARY_FAILURES_MAX = 10 };

// By target and by requirement, then the first SUMMARY_FAILURES_MAX unforeseen failures with their
// first wrong element, and every foreseen failure. `coloured`: with the escapes of a terminal.
enum error summary_write(struct text *text, const struct results *results,
                         const struct tally *tally, bool coloured, struct diagnostic *diagnostic);

// The same as GitHub's and GitLab's Markdown.
enum error summary_write_markdown(struct text *text, const struct results *results,
                                  const struct tally *tally, struct diagnostic *diagnostic);

// "12 pass, 1 fail, 3 unsupported": what a cell holds, by verdict.
void summary_put_verdicts(struct text *text, const struct tally_cell *cell);

// One line on the first wrong element of a case, without a newline: "output[0,1]: expected 3f337cd6
// (0.7011236), got ...; 3 of 9 elements differ". Nothing when the record has none.
void summary_put_first(struct text *text, const struct document_node *root);

#endif
