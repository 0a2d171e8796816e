// SPDX-License-Identifier: Apache-2.0
// What a reader of an outcome must know beside it: a model that the target declares, a mode, limits
// and conditions that were not those of a whole certification. Summary, page and certificate show
// the same lines, and show them first.

#ifndef ASSAY_REPORTS_CAVEATS_H
#define ASSAY_REPORTS_CAVEATS_H

#include "ref/base/arena.h"
#include "reports/results.h"

struct caveats {
    const char **line; // text from the results is not escaped in it
    size_t count;
};

// The lines about one target, in a fixed order. Memory is the arena's.
enum error caveats_of_target(const struct results *results, uint32_t target, struct arena *arena,
                             struct caveats *caveats, struct diagnostic *diagnostic);

// The lines about all targets, each once, with the names of those that it is about where there are
// several.
enum error caveats_of_all(const struct results *results, struct arena *arena,
                          struct caveats *caveats, struct diagnostic *diagnostic);

#endif
