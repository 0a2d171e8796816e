// SPDX-License-Identifier: Apache-2.0
// Whether a certificate names every case of its suites, and whether a sample of them comes out
// again as it says.

#ifndef ASSAY_HARNESS_CLI_VERIFY_RERUN_H
#define ASSAY_HARNESS_CLI_VERIFY_RERUN_H

#include "harness/cli/verify/files.h"

// What a certificate says, each a list of "SUITE/CASE"; NULL: it has no such list.
struct verify_case_lists {
    const struct document_node *suites; // of objects with a name
    const char *seed;                   // of its drawn cases; NULL: it has none
    const struct document_node *passed, *warned, *unsupported;
};

// Misses every case of the suites that no list names, and certifies `wanted` of all cases again, at
// equal distances. Adds to *faults what does not hold. `program` and `target` name the target where
// `places` does not. An error means that this machine failed, or that a suite cannot be read here.
enum error verify_cases(const struct verify_case_lists *lists, const struct verify_places *places,
                        const char *program, const char *target, unsigned long long wanted,
                        unsigned *faults, struct diagnostic *diagnostic);

#endif
