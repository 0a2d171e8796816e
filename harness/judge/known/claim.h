// SPDX-License-Identifier: Apache-2.0
// What an entry of the known failures claims, held against what a library gave.

#ifndef ASSAY_HARNESS_JUDGE_KNOWN_CLAIM_H
#define ASSAY_HARNESS_JUDGE_KNOWN_CLAIM_H

#include "harness/judge/known/entry.h"
#include "harness/judge/run/run.h"

// The options that alternative `at` of an entry with `equals` names, in the suite's numbers; the
// default profile of another entry. ERROR_INPUT: the suite has no such choice or option.
enum error known_claim_profile(const struct known_entry *entry, size_t at,
                               const struct suite *suite, struct named_profile *profile,
                               struct diagnostic *diagnostic);

// Whether a failure was recorded without anything that an entry's profile could be held against.
bool known_is_open(const struct judge_result *result);

// Whether one answer of a failing case is right by itself.
enum error known_answer_is_right(const struct judge_run *run, const struct judge_result *result,
                                 const struct judge_answer *answer, bool *right,
                                 struct diagnostic *diagnostic);

// Whether a wrong answer is what the entry claims; `answer` NULL: whether the failure as a whole
// is.
enum error known_claim_explains(const struct known_entry *entry,
                                const struct named_profile *profile, const struct judge_run *run,
                                const struct judge_result *result,
                                const struct judge_answer *answer, bool *explains,
                                struct diagnostic *diagnostic);

// Whether a case may pass although the entry's claim holds for it: what it claims cannot be told
// from what is right there.
enum error known_claim_may_pass(const struct known_entry *entry,
                                const struct named_profile *profile, const struct judge_run *run,
                                const struct judge_result *result, bool *may_pass,
                                struct diagnostic *diagnostic);

#endif
