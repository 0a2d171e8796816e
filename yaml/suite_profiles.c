// SPDX-License-Identifier: Apache-2.0
// The profiles under which a suite's program is asked: all that are allowed, so that a target which
// took another freedom is not accused, and each deviant option alone, so that a known mistake is
// recognised.

#include "yaml/suite_words.h"

// The class of option `o` of choice `c` of the case's operation.
static enum suite_class class_of(const struct suite *suite, const struct suite_case *of, unsigned c,
                                 unsigned o)
{
    const struct choice *const choice = &of->operation->choices[c];
    return o ? suite_classify(suite, of, choice->name, choice->options[o]) : SUITE_ALLOWED;
}

static unsigned count_options(const struct choice *choice)
{
    unsigned count = 0;
    while (choice->options[count])
        count++;
    return count;
}

// The next profile of allowed options, the last choice varying fastest; false: that was the last.
static bool next_allowed(const struct suite *suite, const struct suite_case *of,
                         struct profile *profile)
{
    for (unsigned c = of->operation->choice_count; c-- > 0;) {
        const unsigned count = count_options(&of->operation->choices[c]);
        for (unsigned o = profile->option[c] + 1U; o < count; o++)
            if (class_of(suite, of, c, o) == SUITE_ALLOWED) {
                profile->option[c] = (uint16_t)o;
                return true;
            }
        profile->option[c] = 0;
    }
    return false;
}

enum error suite_list_profiles(const struct suite *suite, const struct suite_case *of,
                               struct profile list[SUITE_PROFILES_MAX], size_t *count,
                               struct diagnostic *diagnostic)
{
    struct profile profile = {.option = {0}};
    bool more = true;
    *count = 0;
    for (; more && *count < SUITE_PROFILES_MAX; more = next_allowed(suite, of, &profile))
        list[(*count)++] = profile;
    for (unsigned c = 0; c < of->operation->choice_count; c++)
        for (unsigned o = 1; o < count_options(&of->operation->choices[c]); o++) {
            if (class_of(suite, of, c, o) == SUITE_ALLOWED)
                continue;
            more = more || *count == SUITE_PROFILES_MAX;
            if (more)
                break;
            list[*count] = (struct profile){.option = {0}};
            list[(*count)++].option[c] = (uint16_t)o;
        }
    return more ? diagnostic_fail(diagnostic, ERROR_INPUT,
                                  "the choices of %s have more than %d profiles",
                                  of->operation->name, SUITE_PROFILES_MAX)
                : ERROR_NONE;
}

const char *suite_answer_name(const struct suite_case *of, const char *output,
                              const struct profile *profile, struct arena *arena)
{
    const char *name = arena_print(arena, "%s/out/%s", of->id, output);
    const char *between = "/";
    for (unsigned c = 0; c < of->operation->choice_count && name; c++) {
        const struct choice *const choice = &of->operation->choices[c];
        if (!profile->option[c])
            continue;
        name = arena_print(arena, "%s%s{%s=%s}", name, between, choice->name,
                           choice->options[profile->option[c]]);
        between = "";
    }
    return name;
}
