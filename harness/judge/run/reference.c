// SPDX-License-Identifier: Apache-2.0
// The one place where a case becomes a request, so that all callers ask the reference the same.

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

enum error judge_refuses(const struct suite *suite, const struct suite_case *of,
                         const struct named_profile *profile, bool *does,
                         struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct inference inference = {0};
    enum error error = suite_case_shapes(suite, of, &arena, &request, diagnostic);
    if (!error)
        profiles_apply(suite, profile, of->operation, &request.profile);
    if (!error)
        error = variant_infer(&request, &inference, diagnostic);
    *does = error == ERROR_INVALID_ARGUMENT;
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error judge_may_refuse(const struct suite *suite, const struct suite_case *of, bool *may,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    *may = false;
    for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
        for (size_t o = 1; o < suite->choice[c].count && !*may && !error; o++) {
            struct named_profile profile = {.option = {0}};
            profile.option[c] = (uint16_t)o;
            if (profiles_is_allowed(suite, of, &profile))
                error = judge_refuses(suite, of, &profile, may, diagnostic);
        }
    return error;
}

struct expected judge_expected(const struct evaluation *evaluation, enum level required,
                               unsigned run, unsigned index)
{
    const struct tensor *const reference =
        &evaluation->tensor[(size_t)run * OPERATION_OUTPUTS_MAX + index];
    struct expected expected = {.dtype = reference->dtype, .bits = reference->data};
    if (required != LEVEL_BOUND || run || !tensor_present(&evaluation->lower[index]))
        return expected;
    expected.lower = evaluation->lower[index].data;
    expected.upper = evaluation->upper[index].data;
    return expected;
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
