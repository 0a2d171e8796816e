// SPDX-License-Identifier: Apache-2.0
// By bits; or by the widths of the default profile's intervals, moved to where another profile puts
// their middles; or by that profile's own intervals.

#include "harness/judge/run/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "harness/judge/compare/nulls.h"
#include "harness/judge/run/reference.h"
#include "harness/judge/compare/window.h"
#include "harness/judge/run/windows.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

// ---- near -------------------------------------------------------------------

// Whether `got` lies within half the width of element `at`'s admissible interval around `to`:
// inside the radius of the reference, moved to where another profile puts its middle. `radii`: so
// many of them; 0: whether it lies in the interval as it is, which has an end.
static bool is_near_at(const struct tensor *to, const struct tensor *lower,
                       const struct tensor *upper, uint64_t at, uint64_t got, unsigned radii)
{
    const enum dtype dtype = to->dtype;
    const size_t size = dtype_size(dtype);
    const uint64_t middle = element_load(to->data, size, (size_t)at);
    if (compare_same(dtype, middle, got))
        return true;
    if (!tensor_present(lower) || (radii && dtype_kind(dtype) != DTYPE_KIND_FLOAT))
        return false;
    const double width = num_to_double(dtype, element_load(upper->data, size, (size_t)at)) -
                         num_to_double(dtype, element_load(lower->data, size, (size_t)at));
    if (!radii)
        return isfinite(width) &&
               compare_is_right(&(struct expected){dtype, NULL, lower->data, upper->data}, at, got);
    return fabs(num_to_double(dtype, middle) - num_to_double(dtype, got)) <= radii * (width / 2);
}

static bool is_near(const struct tensor *to, const struct tensor *lower, const struct tensor *upper,
                    const void *got, uint64_t count, unsigned radii)
{
    const size_t size = dtype_size(to->dtype);
    bool near = true;
    for (uint64_t i = 0; i < count && near; i++)
        near = is_near_at(to, lower, upper, i, element_load(got, size, (size_t)i), radii);
    return near;
}

// Whether what is known of an output lies near `to`: all of it, or the elements that a record
// shows.
static bool output_is_near(const struct judge_result *result, const struct judge_output *output,
                           const struct tensor *to, const struct tensor *lower,
                           const struct tensor *upper, unsigned radii)
{
    const struct comparison *const shown = &output->comparison;
    bool near = result->recorded || output->tensor.data;
    if (near && !result->recorded)
        return is_near(to, lower, upper, output->tensor.data, output->count, radii);
    for (size_t i = 0; i < shown->element_count && near; i++)
        near = is_near_at(to, lower, upper, shown->element[i].at, shown->element[i].got, radii);
    return near;
}

// What the target was asked for, under its own model where the case has none; NULL: the standard.
static enum error make_request(const struct suite *suite, const struct evaluation_model *model,
                               const struct judge_result *result,
                               const struct named_profile *profile, struct arena *arena,
                               struct request *request, struct diagnostic *diagnostic)
{
    const enum error error =
        judge_make_request(suite, result->of, profile, arena, request, diagnostic);
    judge_set_outputs(result, request);
    request->model = request->model ? request->model : model;
    return error;
}

// Whether the outputs of the result lie near the reference under `profile`: by the widths of
// `bounds`; NULL: in the intervals that the profile itself has.
static enum error is_near_profile(const struct suite *suite, const struct evaluation_model *model,
                                  const struct judge_result *result,
                                  const struct named_profile *profile, bool observed,
                                  const struct evaluation *bounds, bool *near,
                                  struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    enum error error = make_request(suite, model, result, profile, &arena, &request, diagnostic);
    if (!error && observed)
        judge_set_observed(result, &request);
    if (!error)
        error = variant_evaluate_with(&request, !bounds, &arena, &evaluation, diagnostic);
    const unsigned radii = bounds ? 1 : 0;
    if (!bounds)
        bounds = &evaluation;
    *near = !error;
    for (size_t i = 0; i < result->output_count && *near; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor = &evaluation.tensor[output->index];
        *near = output->run == 0 && tensor->dtype == output->tensor.dtype &&
                tensor_same_shape(tensor, &output->tensor) &&
                output_is_near(result, output, tensor, &bounds->lower[output->index],
                               &bounds->upper[output->index], radii);
    }
    arena_release(&arena);
    return error;
}

// The same, the bounds being those of the default profile: from the observed states where there are
// any and `observed`.
static enum error is_near_within(const struct suite *suite, const struct evaluation_model *model,
                                 const struct judge_result *result,
                                 const struct named_profile *profile, bool observed, bool *near,
                                 struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct evaluation bounds;
    *near = false;
    enum error error = make_request(suite, model, result, &plain, &arena, &request, diagnostic);
    if (!error && observed)
        judge_set_observed(result, &request);
    if (!error)
        error = variant_evaluate_with(&request, true, &arena, &bounds, diagnostic);
    if (!error)
        error = is_near_profile(suite, model, result, profile, observed, &bounds, near, diagnostic);
    // A profile that changes what comes out shows other states than it went on from.
    if (error != ERROR_INTERNAL && observed && !*near)
        error = is_near_profile(suite, model, result, profile, false, &bounds, near, diagnostic);
    // What it changes may also be wider than the default profile's.
    if (error != ERROR_INTERNAL && !*near)
        error = is_near_profile(suite, model, result, profile, observed, NULL, near, diagnostic);
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

enum error judge_is_near(const struct suite *suite, const struct evaluation_model *model,
                         const struct judge_result *result, const struct named_profile *profile,
                         bool *near, struct diagnostic *diagnostic)
{
    assert(result->required == LEVEL_BOUND);
    static const struct named_profile plain;
    bool by_default = true;
    enum error error =
        is_near_within(suite, model, result, profile, result->observed, near, diagnostic);
    // What a deviant adds up may be more than narrow bounds allow for: those of the sequence, where
    // they too call the target wrong.
    if (!error && !*near && has_states_beside(suite, result))
        error = is_near_within(suite, model, result, &plain, false, &by_default, diagnostic);
    if (!error && !by_default)
        error = is_near_within(suite, model, result, profile, false, near, diagnostic);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error judge_may_be_near(const struct suite *suite, const struct evaluation_model *model,
                             const struct judge_result *result, const struct named_profile *profile,
                             bool *near, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct evaluation right, other;
    enum error error = make_request(suite, model, result, &plain, &arena, &request, diagnostic);
    if (!error)
        error = variant_evaluate_with(&request, true, &arena, &right, diagnostic);
    if (!error)
        error = make_request(suite, model, result, profile, &arena, &request, diagnostic);
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

// Whether the elements that a record shows are those of `tensor`, and, where it shows all that are
// wrong, the others those of `right`; NULL: which is right is not known.
static bool shown_match(const struct comparison *comparison, const struct tensor *tensor,
                        const struct tensor *right, uint64_t count)
{
    const size_t size = dtype_size(tensor->dtype);
    const bool all = right && comparison->wrong == comparison->element_count &&
                     tensor->dtype == right->dtype && tensor_same_shape(tensor, right);
    bool same = true;
    for (size_t i = 0; i < comparison->element_count && same; i++)
        same = compare_same(tensor->dtype, comparison->element[i].got,
                            element_load(tensor->data, size, (size_t)comparison->element[i].at));
    for (uint64_t at = 0; all && at < count && same; at++) {
        size_t i = 0;
        while (i < comparison->element_count && comparison->element[i].at != at)
            i++;
        same = i < comparison->element_count ||
               compare_same(tensor->dtype, element_load(tensor->data, size, (size_t)at),
                            element_load(right->data, size, (size_t)at));
    }
    return same;
}

static const struct tensor *tensor_of(const struct evaluation *evaluation,
                                      const struct judge_output *output)
{
    return &evaluation->tensor[(size_t)output->run * OPERATION_OUTPUTS_MAX + output->index];
}

// Whether what a record says was expected is what this evaluation gives.
static bool shown_expect(const struct judge_result *result, const struct evaluation *right)
{
    bool same = true;
    for (size_t i = 0; i < result->output_count && same; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor = tensor_of(right, output);
        const struct comparison *const shown = &output->comparison;
        uint64_t count = 0;
        same = tensor->dtype == output->tensor.dtype &&
               tensor_same_shape(tensor, &output->tensor) && tensor_count(tensor, &count);
        for (size_t k = 0; k < shown->element_count && same; k++)
            same = shown->element[k].at < output->count &&
                   compare_same(tensor->dtype, shown->element[k].expected,
                                element_load(tensor->data, dtype_size(tensor->dtype),
                                             (size_t)shown->element[k].at));
    }
    return same;
}

static bool record_matches(const struct judge_result *result, const struct evaluation *evaluation,
                           const struct evaluation *right)
{
    bool same = true;
    for (size_t i = 0; i < result->output_count && same; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor = tensor_of(evaluation, output);
        same = tensor->dtype == output->tensor.dtype &&
               tensor_same_shape(tensor, &output->tensor) &&
               shown_match(&output->comparison, tensor, right ? tensor_of(right, output) : NULL,
                           output->count);
    }
    return same;
}

static enum error evaluate_as_asked(const struct suite *suite, const struct judge_result *result,
                                    const struct named_profile *profile, struct arena *arena,
                                    struct request *request, struct evaluation *evaluation,
                                    struct diagnostic *diagnostic)
{
    const enum error error =
        judge_make_request(suite, result->of, profile, arena, request, diagnostic);
    judge_set_outputs(result, request);
    return error ? error : variant_evaluate(request, arena, evaluation, diagnostic);
}

// A record was judged by the default profile or, where it was looked at again, by that of its run:
// its expected values show by which.
static enum error match_record(const struct suite *suite, const struct judge_result *result,
                               const struct evaluation *evaluation, struct arena *arena,
                               bool *matches, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct named_profile chosen = result->chosen ? *result->chosen : plain;
    bool known = false;
    *matches = false;
    profiles_restrict(suite, result->of, &chosen);
    const unsigned count = memcmp(&chosen, &plain, sizeof plain) ? 2 : 1;
    for (unsigned k = 0; k < count && !*matches; k++) {
        struct request request;
        struct evaluation right;
        const enum error error = evaluate_as_asked(suite, result, k ? &chosen : &plain, arena,
                                                   &request, &right, diagnostic);
        if (error == ERROR_INTERNAL)
            return error;
        if (error || !shown_expect(result, &right))
            continue;
        known = true;
        *matches = record_matches(result, evaluation, &right);
    }
    if (!known)
        *matches = record_matches(result, evaluation, NULL);
    return ERROR_NONE;
}

// Whether `tensor` holds what the output does, of which perhaps its digest alone was kept.
static enum error is_same(const struct tensor *tensor, const struct judge_output *output,
                          const void *got, bool *same, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    enum error error = ERROR_NONE;
    *same = tensor->dtype == output->tensor.dtype && tensor_same_shape(tensor, &output->tensor);
    if (*same && got)
        *same = compare_first_difference(tensor->dtype, tensor->data, got, output->count) ==
                output->count;
    else if (*same && (*same = output->digest)) {
        error = window_digest(tensor->dtype, tensor->data, output->count, digest, diagnostic);
        *same = !error && !memcmp(digest, output->digest, DIGEST_SIZE);
    }
    return error;
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
        evaluate_as_asked(suite, result, profile, &arena, &request, &evaluation, diagnostic);
    if (!error && result->by_default)
        error = evaluate_as_asked(suite, result, &plain, &arena, &plain_request, &by_default,
                                  diagnostic);
    bool same = !error;
    for (size_t i = 0; i < result->output_count && same; i++)
        same = fits_request(&result->outputs[i], &result->outputs[0], &request, &evaluation);
    if (same && result->recorded)
        error = match_record(suite, result, &evaluation, &arena, &same, diagnostic);
    for (size_t i = 0; i < result->output_count && same && !result->recorded; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const void *const got =
            result->by_default ? tensor_of(&by_default, output)->data : output->tensor.data;
        error = is_same(tensor_of(&evaluation, output), output, got, &same, diagnostic);
    }
    arena_release(&arena);
    *matches = same;
    // A profile under which the reference refuses the request does not match, that is all.
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// Holds what was kept of the outputs against the reference under the request's profile.
static enum error compare_again(struct judge_result *result, const struct request *request,
                                const struct evaluation *evaluation, bool adopt,
                                enum verdict *verdict)
{
    bool wrong = false, vacuous = false;
    for (size_t i = 0; i < result->output_count; i++) {
        struct judge_output *const output = &result->outputs[i];
        const size_t at = (size_t)output->run * OPERATION_OUTPUTS_MAX + output->index;
        if (!output->tensor.data ||
            !fits_request(output, &result->outputs[0], request, evaluation) ||
            evaluation->tensor[at].dtype != output->tensor.dtype ||
            !tensor_same_shape(&evaluation->tensor[at], &output->tensor)) {
            wrong = true;
            continue;
        }
        struct judge_output again = *output;
        const struct expected expected =
            judge_expected(evaluation, result->required, output->run, output->index);
        compare_elements(&expected, output->tensor.data, output->count, &again.comparison);
        again.vacuous = again.comparison.radius_infinite ||
                        (expected.lower && null_fits(&expected, output->count));
        again.picture = NULL;
        wrong = wrong || again.comparison.wrong;
        vacuous = vacuous || again.vacuous;
        if (adopt)
            *output = again;
    }
    *verdict = wrong ? VERDICT_FAIL : vacuous ? VERDICT_VACUOUS : VERDICT_PASS;
    return ERROR_NONE;
}

enum error judge_again(const struct judge_run *run, struct judge_result *result,
                       const struct named_profile *chosen, bool adopt, enum verdict *verdict,
                       struct diagnostic *diagnostic)
{
    struct named_profile allowed = *chosen;
    const struct named_profile *const profile = &allowed;
    const bool bounded = result->required == LEVEL_BOUND;
    bool matches = false, kept = result->output_count > 0;
    profiles_restrict(run->suite, result->of, &allowed);
    if (result->refused) {
        const enum error error =
            judge_refuses(run->suite, result->of, profile, &matches, diagnostic);
        *verdict = matches ? VERDICT_REJECTED : VERDICT_FAIL;
        return error;
    }
    for (size_t i = 0; i < result->output_count; i++)
        kept = kept && result->outputs[i].tensor.data;
    enum error error = bounded && !result->by_default
                           ? ERROR_NONE
                           : judge_matches(run->suite, result, profile, &matches, diagnostic);
    *verdict = !matches                             ? VERDICT_FAIL
               : result->verdict == VERDICT_VACUOUS ? VERDICT_VACUOUS
                                                    : VERDICT_PASS;
    if (error || matches || !kept || !(bounded || adopt))
        return error;
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    error = judge_make_request(run->suite, result->of, profile, &arena, &request, diagnostic);
    judge_set_outputs(result, &request);
    if (!error)
        judge_set_observed(result, &request);
    if (!request.model)
        request.model = &run->model;
    if (!error)
        error = variant_evaluate_with(&request, bounded, &arena, &evaluation, diagnostic);
    if (!error)
        error = compare_again(result, &request, &evaluation, adopt, verdict);
    arena_release(&arena);
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
