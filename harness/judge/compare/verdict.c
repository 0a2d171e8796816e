// SPDX-License-Identifier: Apache-2.0
// Verdicts are rows of one table; what the host saw becomes a verdict by another.

#include "harness/judge/compare/verdict.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    bool failure;
} rows[VERDICT_COUNT] = {
    [VERDICT_PASS] = {"pass", false},
    [VERDICT_FAIL] = {"fail", true},
    [VERDICT_VACUOUS] = {"vacuous", false},
    [VERDICT_UNSUPPORTED] = {"unsupported", false},
    [VERDICT_REJECTED] = {"rejected", false},
    [VERDICT_ACCEPTED] = {"accepted", true},
    [VERDICT_CRASH] = {"crash", true},
    [VERDICT_TIMEOUT] = {"timeout", true},
    [VERDICT_MEMORY] = {"memory", true},
    [VERDICT_NONDETERMINISTIC] = {"nondeterministic", true},
    [VERDICT_ENVIRONMENT] = {"environment", true},
    [VERDICT_HARNESS] = {"harness", true},
};

const char *verdict_name(enum verdict verdict)
{
    return (unsigned)verdict < VERDICT_COUNT ? rows[verdict].name : "unknown";
}

enum verdict verdict_named(const char *name)
{
    int verdict = 0;
    while (verdict < VERDICT_COUNT && strcmp(rows[verdict].name, name) != 0)
        verdict++;
    return (enum verdict)verdict;
}

enum verdict verdict_of_outcome(enum host_outcome outcome)
{
    static const enum verdict verdicts[] = {[HOST_OK] = VERDICT_PASS,
                                            [HOST_UNSUPPORTED] = VERDICT_UNSUPPORTED,
                                            [HOST_REJECTED] = VERDICT_FAIL,
                                            [HOST_FAILED] = VERDICT_FAIL,
                                            [HOST_WRONG_RESULT] = VERDICT_FAIL,
                                            [HOST_CRASH] = VERDICT_CRASH,
                                            [HOST_TIMEOUT] = VERDICT_TIMEOUT,
                                            [HOST_MEMORY] = VERDICT_MEMORY,
                                            [HOST_ENVIRONMENT] = VERDICT_ENVIRONMENT,
                                            [HOST_LOST] = VERDICT_HARNESS};
    assert((size_t)outcome < sizeof verdicts / sizeof *verdicts);
    return verdicts[outcome];
}

bool verdict_is_failure(enum verdict verdict)
{
    return (unsigned)verdict < VERDICT_COUNT && rows[verdict].failure;
}
