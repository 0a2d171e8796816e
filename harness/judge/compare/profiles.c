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

// An option that is not the default and is allowed for some case.
struct allowed {
    uint16_t choice, option;
};

// As many as there are, but no more than `most`.
static size_t list_options(const struct suite *suite, struct allowed *allowed, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < choice_count(suite); i++)
        for (size_t o = 1; o < suite->choice[i].count && count < most; o++)
            if (is_allowed_anywhere(suite, i, o))
                allowed[count++] = (struct allowed){(uint16_t)i, (uint16_t)o};
    return count;
}

// Where profiles are listed, and of which options.
struct listing {
    const struct allowed *allowed;
    struct named_profile *profile, now;
    size_t options, most, count;
    bool complete;
};

// Adds all profiles that change exactly `left` more options, of choices from that of option `from`
// on.
static void list_from(struct listing *list, size_t from, unsigned left)
{
    if (!left) {
        if (list->count < list->most)
            list->profile[list->count++] = list->now;
        else
            list->complete = false;
        return;
    }
    for (size_t i = from; i < list->options && list->complete; i++) {
        const struct allowed *const option = &list->allowed[i];
        size_t next = i + 1;
        while (next < list->options && list->allowed[next].choice == option->choice)
            next++;
        list->now.option[option->choice] = option->option;
        list_from(list, next, left - 1);
        list->now.option[option->choice] = 0;
    }
}

size_t profiles_list_allowed(const struct suite *suite, struct named_profile *profile, size_t most,
                             bool *complete)
{
    assert(most && most <= PROFILES_ALLOWED_MAX);
    struct allowed allowed[PROFILES_ALLOWED_MAX]; // each is a profile of its own beside the default
    struct listing list = {.allowed = allowed,
                           .profile = profile,
                           .options = list_options(suite, allowed, most),
                           .most = most,
                           .complete = true};
    for (unsigned distance = 0; distance <= choice_count(suite) && list.complete; distance++) {
        const size_t before = list.count;
        list_from(&list, 0, distance);
        if (list.count == before)
            break;
    }
    *complete = list.complete;
    return list.count;
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
