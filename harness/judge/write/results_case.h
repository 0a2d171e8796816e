// SPDX-License-Identifier: Apache-2.0
// One failing case looked up in a results file, and the profile under which that run was judged.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_RESULTS_CASE_H
#define ASSAY_HARNESS_JUDGE_WRITE_RESULTS_CASE_H

#include "harness/judge/run/profiles.h"

struct results_case {
    const char *target, *suite, *id, *verdict;
    size_t profile_count; // choices and options of a pass of this target in this suite
    const struct document_node **profile;
};

// Finds the first failing record of case `id`; `target` and `suite` (NULL: any) choose among
// several. ERROR_INPUT when there is none. Memory is the arena's.
enum error results_find_case(const char *path, const char *id, const char *target,
                             const char *suite, struct arena *arena, struct results_case *found,
                             struct diagnostic *diagnostic);

// The profile of the passes, by the names of the suite as it is now.
enum error results_profile(const struct results_case *found, const struct suite *suite,
                           struct named_profile *profile, struct diagnostic *diagnostic);

#endif
