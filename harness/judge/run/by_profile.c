// SPDX-License-Identifier: Apache-2.0
// Most options do not concern a case: what it allows of two profiles is often the same, and judged
// once.

#include "harness/judge/run/by_profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum error by_profile_list(struct judge_run *run, const struct suite *suite,
                           const struct named_profile *given, struct diagnostic *diagnostic)
{
    assert(!run->allowed);
    struct named_profile *const all = calloc(PROFILES_ALLOWED_MAX, sizeof *all);
    if (!all)
        return diagnostic_no_memory(diagnostic);
    run->profile_complete = true;
    run->allowed_count =
        given ? 2 : profiles_list_allowed(suite, all, PROFILES_ALLOWED_MAX, &run->profile_complete);
    if (given)
        all[1] = *given;
    // Of as many as there may be a suite has few.
    struct named_profile *const list =
        arena_take_array(&run->arena, run->allowed_count, sizeof *list);
    if (list)
        memcpy(list, all, run->allowed_count * sizeof *list);
    free(all);
    run->allowed = list;
    return list ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Errors that lean lie inside of bounds: no profile makes them right.
bool by_profile_applies(const struct judge_result *result)
{
    const bool leans = suite_case_is_unbiased(result->of) && result->verdict == VERDICT_FAIL;
    return (result->under || result->valued || result->refused) &&
           result->required != LEVEL_DISTRIBUTION && !leans;
}

// Room for a verdict under each profile, all of them the result's own.
static enum error make_room(struct judge_run *run, struct judge_result *result,
                            enum verdict verdict, struct diagnostic *diagnostic)
{
    result->under = arena_take(&run->arena, run->allowed_count);
    if (!result->under)
        return diagnostic_no_memory(diagnostic);
    result->under_count = run->allowed_count;
    memset(result->under, (int)verdict, run->allowed_count);
    return ERROR_NONE;
}

// The first profile of which the case allows the same as of number `at`.
static size_t find_like(const struct judge_run *run, const struct suite_case *of, size_t at,
                        struct named_profile *allowed)
{
    size_t i = 0;
    *allowed = run->allowed[at];
    profiles_reduce(run->suite, of, allowed);
    while (i < at && memcmp(&run->allowed[i], allowed, sizeof *allowed) != 0)
        i++;
    return i;
}

bool by_profile_differs(const struct judge_run *run, const struct suite_case *of, size_t at,
                        struct named_profile *allowed)
{
    return find_like(run, of, at, allowed) == at;
}

enum error by_profile_fill(struct judge_run *run, struct judge_result *result,
                           enum error (*judge)(void *context, const struct named_profile *profile,
                                               enum verdict *verdict,
                                               struct diagnostic *diagnostic),
                           void *context, struct diagnostic *diagnostic)
{
    assert(run->allowed_count && !result->under);
    if (run->allowed_count == 1)
        return ERROR_NONE;
    struct judge_result filled = *result; // `judge` sees the result without
    enum error error = make_room(run, &filled, result->verdict, diagnostic);
    for (size_t i = 1; i < run->allowed_count && !error; i++) {
        struct named_profile allowed;
        enum verdict verdict = VERDICT_FAIL;
        const size_t like = find_like(run, result->of, i, &allowed);
        if (like == i)
            error = judge(context, &allowed, &verdict, diagnostic);
        filled.under[i] = like < i ? filled.under[like] : (unsigned char)verdict;
    }
    if (error)
        return error;
    result->under = filled.under;
    result->under_count = filled.under_count;
    return ERROR_NONE;
}

// Which of two verdicts stands for both: a failure, else one that was not run, else a vacuous one.
static unsigned rank(enum verdict verdict)
{
    return verdict_is_failure(verdict)      ? 3
           : verdict == VERDICT_UNSUPPORTED ? 2
                                            : verdict == VERDICT_VACUOUS;
}

// Under run->allowed[at], of a result that has `under`. What was read from a part may have fewer
// than there are.
static enum verdict verdict_under(const struct judge_result *result, size_t at)
{
    return at < result->under_count ? (enum verdict)result->under[at] : VERDICT_FAIL;
}

enum error by_profile_join(struct judge_run *run, struct judge_result *whole,
                           const struct judge_result *step, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (run->allowed_count == 1)
        return ERROR_NONE;
    if (!whole->under)
        error = make_room(run, whole, VERDICT_PASS, diagnostic);
    for (size_t i = 0; i < run->allowed_count && !error; i++) {
        const enum verdict verdict = step->under ? verdict_under(step, i) : step->verdict;
        if (rank(verdict) > rank((enum verdict)whole->under[i]))
            whole->under[i] = (unsigned char)verdict;
    }
    return error;
}

enum verdict by_profile_verdict_of(const struct judge_run *run, const struct judge_result *result,
                                   const struct named_profile *profile)
{
    size_t at = 0;
    struct named_profile simple = *profile;
    profiles_reduce(run->suite, result->of, &simple);
    while (at < run->allowed_count && memcmp(&run->allowed[at], &simple, sizeof simple) != 0)
        at++;
    return verdict_under(result, at);
}

bool by_profile_fails_all(const struct judge_result *result)
{
    bool fails = verdict_is_failure(result->verdict);
    for (size_t i = 0; i < result->under_count; i++)
        fails = fails && verdict_is_failure(verdict_under(result, i));
    return fails;
}
