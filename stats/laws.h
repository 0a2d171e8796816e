// SPDX-License-Identifier: Apache-2.0
// Laws of operations: draws of the reference against the exact distribution of their discrete output, and conversions proved by
// enumeration.

#ifndef ASSAY_STATS_LAWS_H
#define ASSAY_STATS_LAWS_H

#include "ref/base/error.h"

enum { LAW_TEXT = 160 };

struct law_result {
    const char *operation;
    char what[LAW_TEXT];
    int proof;    // enumerated; else sampled
    int holds;    // proof: every count is exact; sample: p is not below 1e-9 / (number of sampled laws), repeats included
    double log_p; // of a sample
    double draws;
};

typedef void (*law_report)(void *context, const struct law_result *result);

// Checks every law; `all` also the enumerations of 2^32 words. *broken: how many do not hold. Operations that this build lacks
// are passed over.
enum error laws_check(unsigned threads, int all, law_report report, void *context, unsigned *broken,
                      struct diagnostic *diagnostic);

#endif
