// SPDX-License-Identifier: Apache-2.0
// What differs from the default profile decides: a profile that wins none of those cases is not
// looked at further, nor is one that cannot come to more than the best so far. Where more are
// allowed than are listed, the best one is changed option by option as long as that wins cases:
// most options concern one operator, whatever the others are.

#include "harness/judge/run/choose.h"

#include "harness/judge/run/by_profile.h"
#include "harness/judge/run/fit.h"

static size_t count_judged(const struct judge_run *run, bool by_default)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += by_profile_applies(&run->result[i]) && run->result[i].by_default == by_default;
    return count;
}

static enum error judge_by_profile(const struct judge_run *run, struct judge_result *result,
                                   const struct named_profile *profile, enum verdict *verdict,
                                   struct diagnostic *diagnostic)
{
    if (!result->under)
        return judge_again(run, result, profile, false, verdict, diagnostic);
    *verdict = by_profile_verdict_of(run, result, profile);
    return ERROR_NONE;
}

// How many of the cases that differ (or do not differ) from the default profile this one
// reproduces. Gives up, with fewer, once `most` of them cannot be reached.
static enum error count_matches(const struct judge_run *run, const struct named_profile *profile,
                                bool by_default, size_t most, size_t *count,
                                struct diagnostic *diagnostic)
{
    size_t left = count_judged(run, by_default);
    *count = 0;
    for (size_t i = 0; i < run->result_count && *count + left >= most; i++) {
        struct judge_result *const result = &run->result[i];
        enum verdict verdict;
        if (!by_profile_applies(result) || result->by_default != by_default)
            continue;
        const enum error error = judge_by_profile(run, result, profile, &verdict, diagnostic);
        if (error)
            return error;
        *count += verdict != VERDICT_FAIL;
        left--;
    }
    return ERROR_NONE;
}

// Of the result's own outputs it says what they are under the profile; `under` has the last word.
static enum error adopt_one(struct judge_run *run, struct judge_result *result,
                            struct diagnostic *diagnostic)
{
    // Of a case whose steps are right by default no step's outputs are kept.
    const bool kept = (!result->of->relation.kind || result->required == LEVEL_BITS) &&
                      (!result->steps.count || result->steps.wrong);
    enum verdict own = VERDICT_PASS;
    const enum error error =
        kept ? judge_again(run, result, &run->profile, true, &own, diagnostic) : ERROR_NONE;
    if (error || (result->verdict != VERDICT_PASS && result->verdict != VERDICT_VACUOUS &&
                  result->verdict != VERDICT_FAIL))
        return error;
    const enum verdict verdict =
        result->under ? by_profile_verdict_of(run, result, &run->profile) : own;
    const bool other = verdict_is_failure(verdict) && !verdict_is_failure(own);
    // What was said of the wrong elements was said of the default profile.
    if (!result->refused && !(other && result->of->relation.kind))
        result->reason = NULL;
    if (other && !result->reason)
        result->reason = result->steps.count
                             ? "steps are right under different profiles, not all under one"
                             : "the answers agree under another profile than the suite's";
    if (!kept)
        result->output_count = 0;
    result->steps.wrong = result->steps.count && verdict_is_failure(verdict);
    result->verdict = verdict;
    return ERROR_NONE;
}

// Judges by the run's profile what was judged by the default one.
static enum error adopt(struct judge_run *run, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->result_count && !error; i++)
        if (by_profile_applies(&run->result[i]))
            error = adopt_one(run, &run->result[i], diagnostic);
    return error;
}

// To run->profile where the profile reproduces more cases than *most, which it sets.
static enum error try_profile(struct judge_run *run, const struct named_profile *profile,
                              size_t *most, struct diagnostic *diagnostic)
{
    const size_t same = count_judged(run, true);
    size_t gained = 0, held = 0;
    enum error error = count_matches(run, profile, false, *most - same + 1, &gained, diagnostic);
    if (!error && gained && gained + same > *most)
        error = count_matches(run, profile, true, *most - gained + 1, &held, diagnostic);
    if (!error && gained + held > *most) {
        *most = gained + held;
        run->profile = *profile;
    }
    return error;
}

// Sets run->profile to the allowed one that reproduces the most cases, *most; the default when none
// is better.
static enum error find_best(struct judge_run *run, size_t *most, struct diagnostic *diagnostic)
{
    const size_t all = count_judged(run, false) + count_judged(run, true);
    enum error error = ERROR_NONE;
    *most = count_judged(run, true);
    run->profile = run->allowed[0];
    for (size_t i = 1; i < run->allowed_count && *most < all && !error; i++)
        error = try_profile(run, &run->allowed[i], most, diagnostic);
    return error;
}

// Changes run->profile option by option, as long as more than *most cases conform under it.
static enum error improve(struct judge_run *run, size_t most, struct diagnostic *diagnostic)
{
    const struct suite *const suite = run->suite;
    enum error error = ERROR_NONE;
    for (size_t before = 0; before < most && !error;) {
        before = most;
        for (size_t c = 0; c < suite->choice_count && !error; c++)
            for (size_t o = 0; o < suite->choice[c].count && !error; o++) {
                struct named_profile changed = run->profile;
                changed.option[c] = (uint16_t)o;
                if (suite->choice[c].class[o] != SUITE_DEVIANT)
                    error = try_profile(run, &changed, &most, diagnostic);
            }
    }
    return error;
}

enum error choose_profile(struct judge_run *run, const struct named_profile *profile,
                          struct diagnostic *diagnostic)
{
    size_t most = 0;
    enum error error =
        run->allowed ? ERROR_NONE : by_profile_list(run, run->suite, profile, diagnostic);
    if (!error && profile)
        run->profile = *profile;
    else if (!error)
        error = find_best(run, &most, diagnostic);
    if (!error && !run->profile_complete)
        error = improve(run, most, diagnostic);
    return error || !profiles_distance(run->suite, &run->profile) ? error : adopt(run, diagnostic);
}
