// SPDX-License-Identifier: Apache-2.0
// Whether the reference under another profile gives what a target gave.

#ifndef ASSAY_HARNESS_JUDGE_RUN_FIT_H
#define ASSAY_HARNESS_JUDGE_RUN_FIT_H

#include "harness/judge/compare/verdict.h"
#include "harness/judge/compare/profiles.h"
#include "harness/judge/run/run.h"

// Whether the outputs of the result are those of the reference under `profile`. A profile under
// which the reference refuses the request does not match, and is no error.
enum error judge_matches(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic);

// What the result's verdict is under what its case allows of `profile`, instead of the default:
// fail, pass, or vacuous; of what was refused, rejected where the reference does so too. With
// `adopt` the comparisons of its outputs become those under the profile.
enum error judge_again(const struct judge_run *run, struct judge_result *result,
                       const struct named_profile *profile, bool adopt, enum verdict *verdict,
                       struct diagnostic *diagnostic);

// The same of an output that was received in another shape than asked for.
enum error judge_matches_received(const struct suite *suite, const struct judge_result *result,
                                  const struct named_profile *profile, bool *matches,
                                  struct diagnostic *diagnostic);

// For a case at level bound: whether its outputs lie inside the radius around the reference under
// `profile`, the radius being that of the default profile, under the model that the target
// declares; NULL: the standard one.
enum error judge_is_near(const struct suite *suite, const struct evaluation_model *model,
                         const struct judge_result *result, const struct named_profile *profile,
                         bool *near, struct diagnostic *diagnostic);

// The same of a target that passes: whether what lies inside the radius may at the same time lie
// inside it around the reference under `profile`, so that the two cannot be told apart.
enum error judge_may_be_near(const struct suite *suite, const struct evaluation_model *model,
                             const struct judge_result *result, const struct named_profile *profile,
                             bool *near, struct diagnostic *diagnostic);

#endif
