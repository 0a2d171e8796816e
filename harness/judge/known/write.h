// SPDX-License-Identifier: Apache-2.0
// Entries for what is new in runs, to be looked at, given a reason and put into a list.

#ifndef ASSAY_HARNESS_JUDGE_KNOWN_WRITE_H
#define ASSAY_HARNESS_JUDGE_KNOWN_WRITE_H

#include "harness/judge/run/run.h"
#include "ref/base/text.h"

// Adds to `text` an entry for each group of the run's failures that are not known: those of one
// explanation, or of one verdict where there is none. Returns how many entries.
size_t known_write_run(const char *target, const struct judge_run *run, struct text *text);

#endif
