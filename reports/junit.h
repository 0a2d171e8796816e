// SPDX-License-Identifier: Apache-2.0
// JUnit XML of the form that Ant's JUnitReport defined and GitLab, Jenkins and GitHub's readers
// take.
//
// One testsuite for each target and suite, one testcase for each case: classname target.suite, name
// the case's id. An expected failure, an unsupported case and a vacuous one are skipped,
// each with its reason; nothing that was not run counts as passed.

#ifndef ASSAY_REPORTS_JUNIT_H
#define ASSAY_REPORTS_JUNIT_H

#include "reports/results.h"
#include "reports/tally.h"
#include "reports/text.h"

enum error junit_write(const struct text_sink *sink, const struct results *results,
                       const struct tally *tally, struct diagnostic *diagnostic);

#endif
