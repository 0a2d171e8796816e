// SPDX-License-Identifier: Apache-2.0
// What the host saw becomes a verdict by a table.

#include "harness/judge/compare/verdict.h"

#include <assert.h>

enum verdict verdict_of_outcome(enum host_outcome outcome)
{
    static const enum verdict verdicts[] = {
        [HOST_OK] = VERDICT_PASS,           [HOST_UNSUPPORTED] = VERDICT_UNSUPPORTED,
        [HOST_REJECTED] = VERDICT_FAIL,     [HOST_FAILED] = VERDICT_FAIL,
        [HOST_WRONG_RESULT] = VERDICT_FAIL, [HOST_CRASH] = VERDICT_CRASH,
        [HOST_PROTOCOL] = VERDICT_PROTOCOL, [HOST_TIMEOUT] = VERDICT_TIMEOUT,
        [HOST_MEMORY] = VERDICT_MEMORY,     [HOST_ENVIRONMENT] = VERDICT_ENVIRONMENT,
        [HOST_LOST] = VERDICT_HARNESS,      [HOST_UNRECORDED] = VERDICT_UNSUPPORTED};
    assert((size_t)outcome < sizeof verdicts / sizeof *verdicts);
    return verdicts[outcome];
}
