// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/compare/profiles.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static size_t choice_count(const struct suite *suite)
{
    return suite->choice_count < PROFILES_CHOICES_MAX ? suite->choice_count : PROFILES_CHOICES_MAX;
}

unsigned profiles_distance(const struct suite *suite, const struct named_profile *profile)
{
    unsigned distance = 0;
    for (size_t i = 0; i < choice_count(suite); i++)
        distance += profile->option[i] != 0;
    return distance;
}

static bool is_allowed_anywhere(const struct suite *suite, size_t choice, size_t option)
{
    const struct suite_choice *const of = &suite->choice[choice];
    if (of->class[option] == SUITE_ALLOWED)
        return true;
    for (size_t i = 0; i < suite->case_count; i++)
        if (suite->cases[i].override_count &&
            suite_classify(suite, &suite->cases[i], of->name, of->option[option]) == SUITE_ALLOWED)
            return true;
    return false;
}

// Adds all allowed profiles that change exactly `left` more options from choice `from` on.
static void list_from(const struct suite *suite, struct named_profile *now, size_t from,
                      unsigned left, struct named_profile *profile, size_t most, size_t *count,
                      bool *complete)
{
    if (!left) {
        if (*count < most)
            profile[(*count)++] = *now;
        else
            *complete = false;
        return;
    }
    for (size_t i = from; i < choice_count(suite) && *complete; i++)
        for (size_t o = 1; o < suite->choice[i].count; o++) {
            if (!is_allowed_anywhere(suite, i, o))
                continue;
            now->option[i] = (uint16_t)o;
            list_from(suite, now, i + 1, left - 1, profile, most, count, complete);
            now->option[i] = 0;
        }
}

size_t profiles_list_allowed(const struct suite *suite, struct named_profile *profile, size_t most,
                             bool *complete)
{
    assert(most);
    size_t count = 0;
    struct named_profile now;
    memset(&now, 0, sizeof now);
    *complete = true;
    for (unsigned distance = 0; distance <= choice_count(suite) && *complete; distance++) {
        const size_t before = count;
        list_from(suite, &now, 0, distance, profile, most, &count, complete);
        if (count == before)
            break;
    }
    return count;
}

bool profiles_apply(const struct suite *suite, const struct named_profile *profile,
                    const struct operation *operation, struct profile *to)
{
    bool concerns = true;
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < choice_count(suite); i++) {
        unsigned choice = 0, option = 0;
        if (!profile->option[i])
            continue;
        if (variant_find(operation, suite->choice[i].name,
                         suite->choice[i].option[profile->option[i]], &choice, &option))
            to->option[choice] = (uint16_t)option;
        else
            concerns = false;
    }
    return concerns;
}

const char *profiles_describe(const struct suite *suite, const struct named_profile *profile,
                              char *text, size_t size)
{
    assert(size);
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < choice_count(suite) && at < size; i++)
        if (profile->option[i])
            at += (size_t)snprintf(text + at, size - at, "%s%s=%s", at ? ", " : "",
                                   suite->choice[i].name,
                                   suite->choice[i].option[profile->option[i]]);
    if (!at)
        snprintf(text, size, "the default profile");
    return text;
}

void profiles_restrict(const struct suite *suite, const struct suite_case *of,
                       struct named_profile *profile)
{
    for (size_t i = 0; i < choice_count(suite); i++) {
        unsigned choice = 0, option = 0;
        const struct suite_choice *const names = &suite->choice[i];
        const char *const value = names->option[profile->option[i]];
        if (profile->option[i] &&
            variant_find(of->operation, names->name, value, &choice, &option) &&
            suite_classify(suite, of, names->name, value) != SUITE_ALLOWED)
            profile->option[i] = 0;
    }
}

void profiles_reduce(const struct suite *suite, const struct suite_case *of,
                     struct named_profile *profile)
{
    profiles_restrict(suite, of, profile);
    for (size_t i = 0; i < choice_count(suite); i++) {
        unsigned choice = 0, option = 0;
        const struct suite_choice *const names = &suite->choice[i];
        if (profile->option[i] &&
            !variant_find(of->operation, names->name, names->option[profile->option[i]], &choice,
                          &option))
            profile->option[i] = 0;
    }
}

bool profiles_is_allowed(const struct suite *suite, const struct suite_case *of,
                         const struct named_profile *profile)
{
    struct named_profile allowed = *profile;
    profiles_restrict(suite, of, &allowed);
    return !memcmp(&allowed, profile, sizeof allowed);
}
