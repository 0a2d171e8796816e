// SPDX-License-Identifier: Apache-2.0
// First every case is run, then one profile is chosen for all, then failures are explained.

#include "harness/judge/run/certify.h"

#include <assert.h>

#include "harness/judge/run/cases.h"
#include "harness/judge/run/choose.h"
#include "harness/judge/run/stepwise.h"

enum error judge_conclude(struct judge_run *run, const struct judge_options *options,
                          struct diagnostic *diagnostic)
{
    assert(!options->part);
    enum error error = choose_profile(run, options->profile, diagnostic);
    if (!error && options->explain)
        error = options->explain(run, diagnostic);
    // Reasons are worth no check of their own where they are made, but none may be missing.
    return !error && run->arena.failed ? diagnostic_no_memory(diagnostic) : error;
}

enum error judge_certify(const struct suite *suite, struct host *host,
                         const struct judge_options *options, struct judge_run *run,
                         struct diagnostic *diagnostic)
{
    assert(!options->pool || options->part);
    const enum error error = (options->mode == JUDGE_STEPWISE ? judge_steps : judge_cases)(
        suite, host, options, run, diagnostic);
    return error || options->part ? error : judge_conclude(run, options, diagnostic);
}

enum error judge_certify_one(const struct suite *suite, struct host *host,
                             const struct judge_options *options, struct judge_run *run,
                             struct diagnostic *diagnostic)
{
    assert(suite->case_count == 1);
    const enum error error = judge_certify(suite, host, options, run, diagnostic);
    if (error || run->result[0].verdict != VERDICT_HARNESS)
        return error;
    return diagnostic_fail(diagnostic, ERROR_INTERNAL, "%s", run->result[0].reason);
}
