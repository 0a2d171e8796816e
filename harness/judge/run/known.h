// SPDX-License-Identifier: Apache-2.0
// Known failures: what is expected to fail, and why. A listed case that passes is an error, so that
// the list cannot rot.
//
// A YAML file: a list under `known`, each entry with target, suite, case (a shell pattern),
// verdict, why, and optionally version (a shell pattern of the library's) and when: {isa: NAME,
// threads: N, mode: NAME}. An entry whose version or `when` does not hold is not consulted. The
// verdict nondeterministic stands for any failure: chance may show itself in one run as a wrong
// result and in another as none.

#ifndef ASSAY_HARNESS_JUDGE_RUN_KNOWN_H
#define ASSAY_HARNESS_JUDGE_RUN_KNOWN_H

#include "harness/judge/run/certify.h"
#include "ref/base/document.h"

struct known_entry {
    const char *target, *version, *suite, *pattern, *why, *isa, *mode;
    unsigned threads; // 0: any
    enum verdict verdict;
    unsigned line;
    size_t used; // cases of this run that it covers
};

struct known_list {
    const char *path;
    size_t count;
    struct known_entry *entry;
    unsigned char digest[DIGEST_SIZE];
    struct arena arena;
};

enum error known_read(const char *path, struct known_list *list, struct diagnostic *diagnostic);
void known_release(struct known_list *list);

// Marks the run's results that are listed: as expected, or, where they do not fail, as cured. One
// that fails with another verdict than the listed one is left as it is: unexpected.
void known_apply(struct known_list *list, const char *target, struct judge_run *run);

// Failures that are not expected, and expected ones that did not come.
size_t known_unexpected(const struct judge_run *run);

#endif
