// SPDX-License-Identifier: Apache-2.0
// The summary that is read at a glance: for a terminal, and as Markdown for the page of a job.

#ifndef ASSAY_REPORTS_SUMMARY_H
#define ASSAY_REPORTS_SUMMARY_H

#include "reports/causes.h"
#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

// How many lines the summary for a terminal takes at most, up to 16 targets; with the five that a
// command may add it fills no more than 60.
enum { SUMMARY_LINES_MAX = 55 };

// The outcome, a table of targets, then by cause: new failures with an example and its command,
// expected failures that did not occur, known ones, and what is not supported. `coloured`: with the
// escapes of a terminal.
enum error summary_write(struct text *text, const struct results *results,
                         const struct tally *tally, bool coloured, struct diagnostic *diagnostic);

// The same as GitHub's and GitLab's Markdown, with more causes.
enum error summary_write_markdown(struct text *text, const struct results *results,
                                  const struct tally *tally, struct diagnostic *diagnostic);

// "12 pass, 1 fail, 3 unsupported": what a cell holds, by verdict.
void summary_put_verdicts(struct text *text, const struct tally_cell *cell);

// "all 19 failures: rounds=9", "2 of 19 failures: rounds=9", "fail, 7 of 19 failures: ...": how
// much of what fails a new cause explains. Text from elsewhere is not escaped.
void summary_put_conclusion(struct text *text, const struct causes *causes,
                            const struct cause *cause);

// One line on the first wrong element of a case, without a newline: "output[0,1]: expected 3f337cd6
// (0.7011236), got ...; 3 of 9 elements differ". Nothing when the record has none.
void summary_put_first(struct text *text, const struct document_node *root);

#endif
