// SPDX-License-Identifier: Apache-2.0
// One profile for all: which allowed one gives the bits of the most cases, and what a profile makes
// of a result.

#include <math.h>
#include <stdlib.h>

#include "harness/judge/run/certify_compare.h"
#include "harness/judge/run/windows.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

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

// Whether each element of `got` lies within half the width of its admissible interval around `to`:
// inside the radius of the reference, moved to where another profile puts its middle.
static bool is_near(const struct tensor *to, const struct tensor *lower, const struct tensor *upper,
                    const void *got, uint64_t count)
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
        if (!(fabs(num_to_double(dtype, a) - num_to_double(dtype, b)) <= width / 2))
            return false;
    }
    return true;
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
                        output->tensor.data, output->count);
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

enum error judge_matches(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic)
{
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

static bool is_judged_by_bits(const struct judge_result *result)
{
    return result->valued && result->required == LEVEL_BITS;
}

// How many of the cases that differ (or do not differ) from the default the profile reproduces.
static enum error count_matches(const struct judge_run *run, const struct named_profile *profile,
                                bool by_default, size_t *count, struct diagnostic *diagnostic)
{
    *count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        bool matches = false;
        if (!is_judged_by_bits(result) || result->by_default != by_default ||
            !profiles_is_allowed(run->suite, result->of, profile))
            continue;
        const enum error error = judge_matches(run->suite, result, profile, &matches, diagnostic);
        if (error)
            return error;
        *count += matches;
    }
    return ERROR_NONE;
}

static enum error adopt(struct judge_run *run, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct judge_result *const result = &run->result[i];
        bool matches = false;
        if (!is_judged_by_bits(result))
            continue;
        const enum error error =
            profiles_is_allowed(run->suite, result->of, &run->profile)
                ? judge_matches(run->suite, result, &run->profile, &matches, diagnostic)
                : ERROR_NONE;
        if (error)
            return error;
        // What was said of the wrong elements was said of the default profile.
        if (result->verdict == VERDICT_PASS || result->verdict == VERDICT_FAIL)
            result->reason = NULL;
        if (result->verdict == VERDICT_PASS && !matches)
            result->verdict = VERDICT_FAIL;
        else if (result->verdict == VERDICT_FAIL && matches)
            result->verdict = VERDICT_PASS;
    }
    return ERROR_NONE;
}

// The allowed profile that reproduces the most cases; the default when none is better.
static enum error choose_profile(struct judge_run *run, struct diagnostic *diagnostic)
{
    size_t differing = 0, best = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        differing += is_judged_by_bits(&run->result[i]) && !run->result[i].by_default;
        best += is_judged_by_bits(&run->result[i]) && run->result[i].by_default;
    }
    run->profile_complete = true;
    if (!differing)
        return ERROR_NONE;
    struct named_profile *const profiles = calloc(PROFILES_ALLOWED_MAX, sizeof *profiles);
    if (!profiles)
        return diagnostic_no_memory(diagnostic);
    const size_t count =
        profiles_list_allowed(run->suite, profiles, PROFILES_ALLOWED_MAX, &run->profile_complete);
    enum error error = ERROR_NONE;
    for (size_t i = 1; i < count && !error; i++) {
        size_t gained = 0, held = 0;
        error = count_matches(run, &profiles[i], false, &gained, diagnostic);
        if (!error && gained)
            error = count_matches(run, &profiles[i], true, &held, diagnostic);
        if (!error && gained + held > best) {
            best = gained + held;
            run->profile = profiles[i];
        }
    }
    free(profiles);
    if (!error && profiles_distance(run->suite, &run->profile))
        error = adopt(run, diagnostic);
    return error;
}

enum error judge_conclude(struct judge_run *run, const struct judge_options *options,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (options->profile) {
        run->profile = *options->profile;
        run->profile_complete = true;
        error = profiles_distance(run->suite, &run->profile) ? adopt(run, diagnostic) : ERROR_NONE;
    } else
        error = choose_profile(run, diagnostic);
    return error || !options->explain ? error : judge_explain(run, options->pairs, diagnostic);
}
