// SPDX-License-Identifier: Apache-2.0
// What the reference is asked about a case, and what it says under a profile.

#ifndef ASSAY_HARNESS_JUDGE_RUN_REFERENCE_H
#define ASSAY_HARNESS_JUDGE_RUN_REFERENCE_H

#include "harness/judge/compare/verdict.h"
#include "harness/judge/compare/profiles.h"

// The case as a request under `profile`. Memory is the arena's.
enum error judge_make_request(const struct suite *suite, const struct suite_case *of,
                              const struct named_profile *profile, struct arena *arena,
                              struct request *request, struct diagnostic *diagnostic);

// The reference's outputs for the case under `profile`. Memory is the arena's.
enum error judge_evaluate(const struct suite *suite, const struct suite_case *of,
                          const struct named_profile *profile, struct arena *arena,
                          struct request *request, struct evaluation *evaluation,
                          struct diagnostic *diagnostic);

// Whether the reference refuses the case as invalid under `profile`.
enum error judge_refuses(const struct suite *suite, const struct suite_case *of,
                         const struct named_profile *profile, bool *does,
                         struct diagnostic *diagnostic);

// Whether an option that the suite allows for the case has the reference refuse it as invalid,
// which by default it answers.
enum error judge_may_refuse(const struct suite *suite, const struct suite_case *of, bool *may,
                            struct diagnostic *diagnostic);

// What is expected of output `index` of run `run`, whose `evaluation` has bounds where the level
// that is required is LEVEL_BOUND.
struct expected judge_expected(const struct evaluation *evaluation, enum level required,
                               unsigned run, unsigned index);

// Asks for what the target was asked for: with gradients perhaps for the states that they were made
// from.
void judge_set_outputs(const struct judge_result *result, struct request *request);

// What the target gave, as operands of what follows: sets `observed` of a request made of the case
// where the result was judged so.
void judge_set_observed(const struct judge_result *result, struct request *request);

#endif
