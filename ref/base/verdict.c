// SPDX-License-Identifier: Apache-2.0
// The one table of the names of verdicts.

#include "ref/base/verdict.h"

#include "ref/base/text.h"

const char *const verdict_words[VERDICT_COUNT + 1] = {
    [VERDICT_PASS] = "pass",
    [VERDICT_FAIL] = "fail",
    [VERDICT_VACUOUS] = "vacuous",
    [VERDICT_UNSUPPORTED] = "unsupported",
    [VERDICT_REJECTED] = "rejected",
    [VERDICT_ACCEPTED] = "accepted",
    [VERDICT_SURVIVED] = "survived",
    [VERDICT_CRASH] = "crash",
    [VERDICT_TIMEOUT] = "timeout",
    [VERDICT_MEMORY] = "memory",
    [VERDICT_NONDETERMINISTIC] = "nondeterministic",
    [VERDICT_ENVIRONMENT] = "environment",
    [VERDICT_PROTOCOL] = "protocol",
    [VERDICT_HARNESS] = "harness",
};

const char *verdict_name(enum verdict verdict)
{
    return (unsigned)verdict < VERDICT_COUNT ? verdict_words[verdict] : "unknown";
}

enum verdict verdict_named(const char *name)
{
    const int index = text_index(verdict_words, name);
    return index < 0 ? VERDICT_COUNT : (enum verdict)index;
}

bool verdict_is_good(enum verdict verdict)
{
    return verdict == VERDICT_PASS || verdict == VERDICT_REJECTED || verdict == VERDICT_SURVIVED;
}

bool verdict_is_proof(enum verdict verdict)
{
    return verdict != VERDICT_UNSUPPORTED && verdict != VERDICT_SURVIVED &&
           verdict != VERDICT_VACUOUS;
}

bool verdict_is_failure(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_PASS:
    case VERDICT_VACUOUS:
    case VERDICT_UNSUPPORTED:
    case VERDICT_REJECTED:
    case VERDICT_SURVIVED:
        return false;
    default:
        return (unsigned)verdict < VERDICT_COUNT;
    }
}
