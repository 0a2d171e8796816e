// SPDX-License-Identifier: Apache-2.0
// By bits, or by the widths of the default profile's intervals, moved to where another profile puts
// their middles.

#include "harness/judge/run/fit.h"

#include <assert.h>
#include <math.h>

#include "harness/judge/run/reference.h"
#include "harness/judge/run/windows.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

// ---- near -------------------------------------------------------------------

// Whether each element of `got` lies within half the width of its admissible interval around `to`:
// inside the radius of the reference, moved to where another profile puts its middle. `radii`: so
// many of them.
static bool is_near(const struct tensor *to, const struct tensor *lower, const struct tensor *upper,
                    const void *got, uint64_t count, unsigned radii)
{
    const enum dtype dtype = to->dtype;
    const size_t size = dtype_size(dtype);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t a = element_load(to->data, size, (size_t)i),
                       b = element_load(got, size, (size_t)i);
        if (compare_same(dtype, a, b))
            continue;
        if (!tensor_present(lower) || dtype_kind(dtype) != DTYPE_KIND_FLOAT)
            return false;
        const double width = num_to_double(dtype, element_load(upper->data, size, (size_t)i)) -
                             num_to_double(dtype, element_load(lower->data, size, (size_t)i));
        if (!(fabs(num_to_double(dtype, a) - num_to_double(dtype, b)) <= radii * (width / 2)))
            return false;
    }
    return true;
}

// Whether the outputs of the result lie near the reference under `profile`, by the widths of
// `bounds`.
static enum error is_near_profile(const struct suite *suite, const struct judge_result *result,
                                  const struct named_profile *profile, bool observed,
                                  const struct evaluation *bounds, bool *near,
                                  struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    enum error error = judge_make_request(suite, result->of, profile, &arena, &request, diagnostic);
    judge_set_outputs(result, &request);
    if (!error && observed)
        judge_set_observed(result, &request);
    if (!error)
        error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    *near = !error;
    for (size_t i = 0; i < result->output_count && *near; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor = &evaluation.tensor[output->index];
        *near = output->run == 0 && output->tensor.data && tensor->dtype == output->tensor.dtype &&
                tensor_same_shape(tensor, &output->tensor) &&
                is_near(tensor, &bounds->lower[output->index], &bounds->upper[output->index],
                        output->tensor.data, output->count, 1);
    }
    arena_release(&arena);
    return error;
}

// The same, the bounds being those of the default profile: from the observed states where there are
// any and `observed`.
static enum error is_near_within(const struct suite *suite, const struct judge_result *result,
                                 const struct named_profile *profile, bool observed, bool *near,
                                 struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct evaluation bounds;
    *near = false;
    enum error error = judge_make_request(suite, result->of, &plain, &arena, &request, diagnostic);
    judge_set_outputs(result, &request);
    if (!error && observed)
        judge_set_observed(result, &request);
    if (!error)
        error = variant_evaluate_with(&request, true, &arena, &bounds, diagnostic);
    if (!error)
        error = is_near_profile(suite, result, profile, observed, &bounds, near, diagnostic);
    // A profile that changes what comes out shows other states than it went on from.
    if (error != ERROR_INTERNAL && observed && !*near)
        error = is_near_profile(suite, result, profile, false, &bounds, near, diagnostic);
    arena_release(&arena);
    return error;
}

// Whether the states that bounds come from were given beside what is explained by them.
static bool has_states_beside(const struct suite *suite, const struct judge_result *result)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct inference inference = {0};
    struct diagnostic ignored;
    bool beside = false;
    if (result->observed &&
        !judge_make_request(suite, result->of, &plain, &arena, &request, &ignored) &&
        !variant_infer(&request, &inference, &ignored))
        for (size_t i = 0; i < result->output_count; i++)
            beside = beside || !tensor_present(&inference.output[result->outputs[i].index]);
    arena_release(&arena);
    return beside;
}

enum error judge_is_near(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *near,
                         struct diagnostic *diagnostic)
{
    assert(result->required == LEVEL_BOUND);
    static const struct named_profile plain;
    bool by_default = true;
    enum error error = is_near_within(suite, result, profile, result->observed, near, diagnostic);
    // What a deviant adds up may be more than narrow bounds allow for: those of the sequence, where
    // they too call the target wrong.
    if (!error && !*near && has_states_beside(suite, result))
        error = is_near_within(suite, result, &plain, false, &by_default, diagnostic);
    if (!error && !by_default)
        error = is_near_within(suite, result, profile, false, near, diagnostic);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error judge_may_be_near(const struct suite *suite, const struct judge_result *result,
                             const struct named_profile *profile, bool *near,
                             struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct evaluation right, other;
    enum error error = judge_make_request(suite, result->of, &plain, &arena, &request, diagnostic);
    judge_set_outputs(result, &request);
    if (!error)
        error = variant_evaluate_with(&request, true, &arena, &right, diagnostic);
    if (!error)
        error = judge_make_request(suite, result->of, profile, &arena, &request, diagnostic);
    judge_set_outputs(result, &request);
    if (!error)
        error = variant_evaluate(&request, &arena, &other, diagnostic);
    *near = !error;
    for (size_t i = 0; i < result->output_count && *near; i++) {
        const unsigned o = result->outputs[i].index;
        *near = tensor_same_shape(&right.tensor[o], &other.tensor[o]) &&
                is_near(&right.tensor[o], &right.lower[o], &right.upper[o], other.tensor[o].data,
                        result->outputs[i].count, 2);
    }
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// ---- by bits ----------------------------------------------------------------

// Results of parts were read from files: their outputs need not be those of the request.
static bool fits_request(const struct judge_output *output, const struct judge_output *first,
                         const struct request *request, const struct evaluation *evaluation)
{
    uint64_t count = request->window_count;
    if (output->run >= (request->runs ? request->runs : 1))
        return false;
    const struct tensor *const tensor =
        &evaluation->tensor[(size_t)output->run * OPERATION_OUTPUTS_MAX + output->index];
    return tensor_present(tensor) &&
           ((request->windowed && output->index == first->index) || tensor_count(tensor, &count)) &&
           output->count == count;
}

enum error judge_matches(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic)
{
    assert(!result->windowed);
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request, plain_request;
    struct evaluation evaluation, by_default = {.tensor = NULL};
    *matches = false;
    if (result->windows)
        return result->output_count ? windows_match(suite, result, profile, matches, diagnostic)
                                    : ERROR_NONE;
    enum error error =
        judge_evaluate(suite, result->of, profile, &arena, &request, &evaluation, diagnostic);
    if (!error && result->by_default)
        error = judge_evaluate(suite, result->of, &plain, &arena, &plain_request, &by_default,
                               diagnostic);
    bool same = !error;
    for (size_t i = 0; i < result->output_count && same; i++) {
        const struct judge_output *const output = &result->outputs[i];
        if (!(same = fits_request(output, &result->outputs[0], &request, &evaluation)))
            break;
        const size_t at = (size_t)output->run * OPERATION_OUTPUTS_MAX + output->index;
        const void *const got =
            result->by_default ? by_default.tensor[at].data : output->tensor.data;
        const struct tensor *const tensor = &evaluation.tensor[at];
        same = got && tensor->dtype == output->tensor.dtype &&
               tensor_same_shape(tensor, &output->tensor) &&
               compare_first_difference(tensor->dtype, tensor->data, got, output->count) ==
                   output->count;
    }
    arena_release(&arena);
    *matches = same;
    // A profile under which the reference refuses the request does not match, that is all.
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error judge_matches_received(const struct suite *suite, const struct judge_result *result,
                                  const struct named_profile *profile, bool *matches,
                                  struct diagnostic *diagnostic)
{
    const struct judge_output *const output = result->received;
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    assert(output && output->tensor.data);
    *matches = false;
    const enum error error =
        judge_evaluate(suite, result->of, profile, &arena, &request, &evaluation, diagnostic);
    if (!error) {
        const struct tensor *const tensor = &evaluation.tensor[output->index];
        *matches = tensor_present(tensor) && tensor->dtype == output->tensor.dtype &&
                   tensor_same_shape(tensor, &output->tensor) &&
                   compare_first_difference(tensor->dtype, tensor->data, output->tensor.data,
                                            output->count) == output->count;
    }
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}
