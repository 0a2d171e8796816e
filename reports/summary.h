// SPDX-License-Identifier: Apache-2.0
// The summary that is read at a glance: for a terminal, and as Markdown for the page of a job.

#ifndef ASSAY_REPORTS_SUMMARY_H
#define ASSAY_REPORTS_SUMMARY_H

#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

// The outcome, a table of targets, then by cause: new failures with an example and its command,
// expected failures that did not occur, known ones, and what is not supported. Up to 16 targets
// take 55 lines at most; with the five that a command may add they fill no more than 60.
enum error summary_write(const struct text_sink *sink, const struct results *results,
                         const struct tally *tally, struct diagnostic *diagnostic);

// The same as GitHub's and GitLab's Markdown, with more causes.
enum error summary_write_markdown(const struct text_sink *sink, const struct results *results,
                                  const struct tally *tally, struct diagnostic *diagnostic);

#endif
