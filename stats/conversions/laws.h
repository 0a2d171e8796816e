// SPDX-License-Identifier: Apache-2.0
// Laws of operations: draws of the reference against the exact distribution of their discrete
// output, and conversions proved by enumeration.

#ifndef ASSAY_STATS_CONVERSIONS_LAWS_H
#define ASSAY_STATS_CONVERSIONS_LAWS_H

#include <stdbool.h>
#include "ref/base/error.h"

enum { LAW_TEXT = 160 };

struct law_result {
    const char *operation;
    char what[LAW_TEXT];
    bool proof;   // enumerated; else sampled
    bool holds;   // proof: every count is exact; sample: p is not below 1e-9 / (number of sampled
                  // laws), repeats included
    bool offered; // 0: the drawer does not offer the operation, so nothing was judged
    double log_p; // of a sample
    double draws;
};

typedef void (*law_report)(void *context, const struct law_result *result);

// Checks every law; `all` also the enumerations of 2^32 words. *broken: how many do not hold.
// Operations that this build lacks are passed over.
enum error laws_check(unsigned threads, bool all, law_report report, void *context,
                      unsigned *broken, struct diagnostic *diagnostic);

struct arena;
struct evaluation;
struct request;

// Whose draws are judged. `evaluate` puts output 0 of the request, in memory of the arena, into
// evaluation->tensor[0]; ERROR_UNSUPPORTED where it does not offer the operation.
struct law_drawer {
    enum error (*evaluate)(void *context, const struct request *request, struct arena *arena,
                           struct evaluation *evaluation, struct diagnostic *diagnostic);
    void *context;
};

// Checks the sampled laws on a target's draws. *judged: how many of them were offered.
enum error laws_check_draws(const struct law_drawer *drawer, law_report report, void *context,
                            unsigned *broken, unsigned *judged, struct diagnostic *diagnostic);

#endif
