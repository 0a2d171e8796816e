// SPDX-License-Identifier: Apache-2.0
// The closed set of verdicts on one case, as the judge gives them and reports show them.

#ifndef ASSAY_REF_BASE_VERDICT_H
#define ASSAY_REF_BASE_VERDICT_H

#include <stdbool.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_VACUOUS,     // inside bounds so wide that null answers are inside too
    VERDICT_UNSUPPORTED, // declared before the run
    VERDICT_REJECTED,    // a negative case was refused, as it must be
    VERDICT_ACCEPTED,    // a negative case was not refused
    VERDICT_SURVIVED,    // what the text leaves undefined was answered or refused, and did no harm
    VERDICT_CRASH,
    VERDICT_TIMEOUT,
    VERDICT_MEMORY,
    VERDICT_NONDETERMINISTIC,
    VERDICT_ENVIRONMENT,
    VERDICT_PROTOCOL, // an answer of a process target that is none, or two
    VERDICT_HARNESS,
    VERDICT_COUNT
};

// The names, in the order of the enum, then NULL.
extern const char *const verdict_words[VERDICT_COUNT + 1];

// "pass", ...; "unknown" for what is no verdict.
const char *verdict_name(enum verdict verdict);

// The verdict of that name, VERDICT_COUNT when there is none.
enum verdict verdict_named(const char *name);

// Whether it counts for the target.
bool verdict_is_good(enum verdict verdict);

// Whether it says something of the target: not of a case that it does not support, that is
// undefined, so that every answer will do, or whose bounds hold null answers.
bool verdict_is_proof(enum verdict verdict);

// Whether it counts against the target.
bool verdict_is_failure(enum verdict verdict);

#endif
