// SPDX-License-Identifier: Apache-2.0
// One line on a case, a cause or a count of cases, which the summary, the page and JUnit share.

#ifndef ASSAY_REPORTS_SUMMARY_LINE_H
#define ASSAY_REPORTS_SUMMARY_LINE_H

#include "reports/causes.h"
#include "reports/tally.h"
#include "reports/text.h"

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
