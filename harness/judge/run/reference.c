// SPDX-License-Identifier: Apache-2.0
// A case becomes a request in one place, so that all who ask the reference ask the same.

#include "harness/judge/run/reference.h"

#include "ref/variant/variant.h"

enum error judge_make_request(const struct suite *suite, const struct suite_case *of,
                              const struct named_profile *profile, struct arena *arena,
                              struct request *request, struct diagnostic *diagnostic)
{
    const enum error error = suite_case_request(suite, of, arena, request, diagnostic);
    if (!error)
        profiles_apply(suite, profile, of->operation, &request->profile);
    return error;
}

enum error judge_evaluate(const struct suite *suite, const struct suite_case *of,
                          const struct named_profile *profile, struct arena *arena,
                          struct request *request, struct evaluation *evaluation,
                          struct diagnostic *diagnostic)
{
    const enum error error = judge_make_request(suite, of, profile, arena, request, diagnostic);
    return error ? error : variant_evaluate(request, arena, evaluation, diagnostic);
}

void judge_set_outputs(const struct judge_result *result, struct request *request)
{
    for (size_t i = 0; i < result->output_count; i++)
        request->outputs |= 1U << result->outputs[i].index;
}

void judge_set_observed(const struct judge_result *result, struct request *request)
{
    const int seen = result->observed ? operation_observable(request) : -1;
    for (size_t i = 0; i < result->output_count && seen >= 0; i++)
        if (result->outputs[i].index == (unsigned)seen && result->outputs[i].tensor.data)
            request->observed = result->outputs[i].tensor;
}
