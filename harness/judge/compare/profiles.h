// SPDX-License-Identifier: Apache-2.0
// Profiles of a suite: all that are allowed, each deviant option alone, and in words.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_PROFILES_H
#define ASSAY_HARNESS_JUDGE_COMPARE_PROFILES_H

#include "ref/variant/variant.h"
#include "yaml/suite.h"

// Choices by name, since operations of one suite number theirs differently: an option for each
// choice of the suite (0: default).
enum { PROFILES_CHOICES_MAX = 128, PROFILES_ALLOWED_MAX = 1024 };

struct named_profile {
    uint16_t option[PROFILES_CHOICES_MAX]; // index into suite->choice[i].option
};

// The profiles allowed for some case, the default first, then by the number of options that differ.
// Fewer than asked when there are more than `most`: the further ones are left out and *complete is
// false.
size_t profiles_list_allowed(const struct suite *suite, struct named_profile *profile, size_t most,
                             bool *complete);

// The profile for a request of `operation`; options that the operation does not have are ignored.
// False when an option that is not the default concerns this operation nowhere: the request is then
// as by default.
bool profiles_apply(const struct suite *suite, const struct named_profile *profile,
                    const struct operation *operation, struct profile *to);

// "rounding=fused, rounds=9", or "the default profile".
const char *profiles_describe(const struct suite *suite, const struct named_profile *profile,
                              char *text, size_t size);

// How many options differ from the default.
unsigned profiles_distance(const struct suite *suite, const struct named_profile *profile);

// Sets the options that are not allowed for the case to the default.
void profiles_restrict(const struct suite *suite, const struct suite_case *of,
                       struct named_profile *profile);

// The simplest profile that is the same for the case: also sets the options that its operation does
// not have to the default.
void profiles_reduce(const struct suite *suite, const struct suite_case *of,
                     struct named_profile *profile);

// Whether every option is allowed for the case.
bool profiles_is_allowed(const struct suite *suite, const struct suite_case *of,
                         const struct named_profile *profile);

#endif
