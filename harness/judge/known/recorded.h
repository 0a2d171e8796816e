// SPDX-License-Identifier: Apache-2.0
// Results that another machine recorded, as runs: a list of known failures is held against them as
// against what was run here. Of an output a record shows the first elements that are wrong; these
// alone are held against what an entry says.

#ifndef ASSAY_HARNESS_JUDGE_KNOWN_RECORDED_H
#define ASSAY_HARNESS_JUDGE_KNOWN_RECORDED_H

#include "harness/judge/run/run.h"

// One target over one suite.
struct recorded_run {
    const char *target;
    const char *other_version; // of the suite, that the records were made with; NULL: the same file
    struct judge_run run;
    size_t gone; // records of cases that the suite does not have, or that ask for something else
};

struct recorded {
    size_t count;
    struct recorded_run *run;
    struct arena arena;
};

// The suites of the file by name, separated by commas, as the arena's text; "" where there is none.
enum error recorded_suite_names(const struct document_source *file, struct arena *arena,
                                const char **names, struct diagnostic *diagnostic);

// The runs of a results file that was checked already (reports/results.h), over those of its suites
// that are among `suites`, which must live as long. Release it also after an error.
enum error recorded_read(const struct document_source *file, const struct suite *suites,
                         size_t suite_count, struct recorded *recorded,
                         struct diagnostic *diagnostic);
void recorded_release(struct recorded *recorded);

#endif
