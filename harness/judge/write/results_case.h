// SPDX-License-Identifier: Apache-2.0
// One failing case looked up in a results file, and the profile under which that run was judged.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_RESULTS_CASE_H
#define ASSAY_HARNESS_JUDGE_WRITE_RESULTS_CASE_H

#include "harness/judge/compare/profiles.h"

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

// Chooses the option; false when the suite has no such choice or option.
bool results_set_option(const struct suite *suite, const char *choice, const char *option,
                        struct named_profile *profile);

// All lines of a file of results as objects, whose memory is the arena's. ERROR_INPUT with the
// place.
enum error results_lines(const char *path, struct arena *arena, struct document_node ***records,
                         size_t *count, struct diagnostic *diagnostic);

// A text or number of a record as it stands there, empty when there is none.
const char *results_text(const struct document_node *record, const char *key);

#endif
