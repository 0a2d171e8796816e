// SPDX-License-Identifier: Apache-2.0
// What differs from the default profile decides: a profile that wins none of those cases is not
// looked at further.

#include "harness/judge/run/choose.h"

#include <stdlib.h>

#include "harness/judge/run/fit.h"

static bool is_judged_by_bits(const struct judge_result *result)
{
    return result->valued && result->required == LEVEL_BITS;
}

// How many of the cases that differ (or do not differ) from the default the profile reproduces.
static enum error count_matches(const struct judge_run *run, const struct named_profile *profile,
                                bool by_default, size_t *count, struct diagnostic *diagnostic)
{
    *count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        bool matches = false;
        if (!is_judged_by_bits(result) || result->by_default != by_default ||
            !profiles_is_allowed(run->suite, result->of, profile))
            continue;
        const enum error error = judge_matches(run->suite, result, profile, &matches, diagnostic);
        if (error)
            return error;
        *count += matches;
    }
    return ERROR_NONE;
}

// Judges by the run's profile what was judged by the default one.
static enum error adopt(struct judge_run *run, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct judge_result *const result = &run->result[i];
        bool matches = false;
        if (!is_judged_by_bits(result))
            continue;
        const enum error error =
            profiles_is_allowed(run->suite, result->of, &run->profile)
                ? judge_matches(run->suite, result, &run->profile, &matches, diagnostic)
                : ERROR_NONE;
        if (error)
            return error;
        // What was said of the wrong elements was said of the default profile.
        if (result->verdict == VERDICT_PASS || result->verdict == VERDICT_FAIL)
            result->reason = NULL;
        if (result->verdict == VERDICT_PASS && !matches)
            result->verdict = VERDICT_FAIL;
        else if (result->verdict == VERDICT_FAIL && matches)
            result->verdict = VERDICT_PASS;
    }
    return ERROR_NONE;
}

// The allowed profile that reproduces the most cases; the default when none is better.
static enum error choose_best(struct judge_run *run, struct diagnostic *diagnostic)
{
    size_t differing = 0, best = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        differing += is_judged_by_bits(&run->result[i]) && !run->result[i].by_default;
        best += is_judged_by_bits(&run->result[i]) && run->result[i].by_default;
    }
    run->profile_complete = true;
    if (!differing)
        return ERROR_NONE;
    struct named_profile *const profiles = calloc(PROFILES_ALLOWED_MAX, sizeof *profiles);
    if (!profiles)
        return diagnostic_no_memory(diagnostic);
    const size_t count =
        profiles_list_allowed(run->suite, profiles, PROFILES_ALLOWED_MAX, &run->profile_complete);
    enum error error = ERROR_NONE;
    for (size_t i = 1; i < count && !error; i++) {
        size_t gained = 0, held = 0;
        error = count_matches(run, &profiles[i], false, &gained, diagnostic);
        if (!error && gained)
            error = count_matches(run, &profiles[i], true, &held, diagnostic);
        if (!error && gained + held > best) {
            best = gained + held;
            run->profile = profiles[i];
        }
    }
    free(profiles);
    return error;
}

enum error choose_profile(struct judge_run *run, const struct named_profile *profile,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (profile) {
        run->profile = *profile;
        run->profile_complete = true;
    } else
        error = choose_best(run, diagnostic);
    return error || !profiles_distance(run->suite, &run->profile) ? error : adopt(run, diagnostic);
}
