// SPDX-License-Identifier: Apache-2.0
// The search: which candidate is better, and whether it fails in the same way.

#include "harness/judge/search/minimize.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "harness/judge/run/fit.h"
#include "harness/judge/run/reference.h"
#include "harness/judge/search/explain.h"
#include "ref/base/bytes.h"
#include "ref/base/clock.h"
#include "ref/variant/variant.h"

enum { TRIES = 1000, SECONDS = 120, SIZE_WEIGHT = 64, ATTRIBUTE_WEIGHT = 16 };

struct minimizer {
    struct host *host;
    const struct minimize_options *options;
    struct minimized *result;
    const struct symptom *symptom;
    bool quick; // one set of conditions shows it
    uint64_t cost;
    unsigned tries;
    uint64_t until; // nanoseconds of the clock
    enum error error;
    struct diagnostic *diagnostic;
};

// ---- symptoms ---------------------------------------------------------------

// The reason without numbers, so that it is the same for another size or address. A signal's number
// stays.
static void take_words(const struct judge_result *result, char *words, size_t size)
{
    const char *from = result->reason ? result->reason : "";
    const bool crash = result->verdict == VERDICT_CRASH;
    size_t at = 0;
    words[0] = '\0';
    while (*from && at + 1 < size) {
        const bool word =
            at && isalnum((unsigned char)words[at - 1]) && isdigit((unsigned char)*from);
        if (!crash && isdigit((unsigned char)*from) && !word) {
            from += strspn(from, "0123456789abcdefx");
            continue;
        }
        words[at++] = *from++;
    }
    words[at] = '\0';
}

static void take_symptom(const struct judge_result *result, struct symptom *symptom)
{
    memset(symptom, 0, sizeof *symptom);
    symptom->verdict = result->verdict;
    symptom->valued = result->verdict == VERDICT_FAIL && result->valued && result->output_count;
    for (size_t i = 0; i < result->output_count; i++) {
        const struct judge_output *const output = &result->outputs[i];
        if (!output->comparison.wrong)
            continue;
        symptom->outputs |= 1u << output->index;
        symptom->types[output->index] |= DTYPE_BIT(output->tensor.dtype);
    }
    symptom->explained = result->explanation.found;
    symptom->profile = result->explanation.profile;
    if (!symptom->valued && result->verdict != VERDICT_NONDETERMINISTIC)
        take_words(result, symptom->words, sizeof symptom->words);
}

// Whether the reference under the profile that explains the original gives these outputs too.
static enum error is_explained(const struct specimen *specimen, const struct judge_result *result,
                               const struct profile *profile, bool *same,
                               struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct evaluation evaluation;
    struct request request = specimen->request;
    request.profile = *profile;
    judge_set_outputs(result, &request);
    const enum error error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    *same = !error;
    for (size_t i = 0; i < result->output_count && *same; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor =
            &evaluation.tensor[(size_t)output->run * OPERATION_OUTPUTS_MAX + output->index];
        *same = output->tensor.data && tensor->dtype == output->tensor.dtype &&
                tensor_same_shape(tensor, &output->tensor) &&
                compare_first_difference(tensor->dtype, tensor->data, output->tensor.data,
                                         output->count) == output->count;
    }
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// The options of `profile` in the suite's numbers.
static struct named_profile name_profile(const struct suite *suite,
                                         const struct operation *operation,
                                         const struct profile *profile)
{
    struct named_profile named = {{0}};
    for (unsigned i = 0; i < variant_choice_count(operation); i++) {
        const struct choice *const choice = variant_choice(operation, i);
        for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
            for (size_t o = 0; o < suite->choice[c].count; o++)
                if (!strcmp(suite->choice[c].name, choice->name) &&
                    !strcmp(suite->choice[c].option[o], choice->options[profile->option[i]]))
                    named.option[c] = (uint16_t)o;
    }
    return named;
}

static enum error shows(const struct suite *suite, const struct evaluation_model *model,
                        const struct specimen *specimen, const struct judge_result *result,
                        const struct symptom *symptom, bool *same, struct diagnostic *diagnostic)
{
    struct symptom now;
    take_symptom(result, &now);
    *same = now.verdict == symptom->verdict && now.valued == symptom->valued &&
            !strcmp(now.words, symptom->words) && !(now.outputs & ~symptom->outputs) &&
            (!symptom->outputs || now.outputs);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        *same = *same && !(now.types[i] & ~symptom->types[i]);
    if (!*same || !symptom->explained || !symptom->valued || result->required == LEVEL_DISTRIBUTION)
        return ERROR_NONE;
    if (result->required == LEVEL_BOUND) {
        const struct named_profile named =
            name_profile(suite, result->of->operation, &symptom->profile);
        return judge_is_near(suite, model, result, &named, same, diagnostic);
    }
    return is_explained(specimen, result, &symptom->profile, same, diagnostic);
}

// Whether the search for an explanation names no other profile: a case that is cut too far fits
// several, and `certify` would explain its failure by another than the whole case's.
static enum error is_told_alike(struct judge_run *run, const struct symptom *symptom, bool *same,
                                struct diagnostic *diagnostic)
{
    const struct judge_explanation *const now = &run->result[0].explanation;
    if (!*same || !symptom->explained || !symptom->valued)
        return ERROR_NONE;
    const enum error error = judge_explain(run, diagnostic);
    *same = !now->found || !memcmp(&now->profile, &symptom->profile, sizeof now->profile);
    return error;
}

static enum error judge(struct minimizer *minimizer, const struct specimen *specimen, bool quick,
                        bool *same)
{
    struct specimen_suite alone;
    struct judge_run run;
    const struct judge_options options = {.quick = quick, .profile = minimizer->options->profile};
    enum error error = specimen_make_suite(specimen, &alone, minimizer->diagnostic);
    *same = false;
    if (!error) {
        error =
            judge_certify_one(&alone.suite, minimizer->host, &options, &run, minimizer->diagnostic);
        if (!error)
            error = shows(&alone.suite, &run.model, specimen, &run.result[0], minimizer->symptom,
                          same, minimizer->diagnostic);
        if (!error)
            error = is_told_alike(&run, minimizer->symptom, same, minimizer->diagnostic);
        judge_release(&run);
    }
    specimen_release_suite(&alone);
    return error;
}

// ---- candidates -------------------------------------------------------------

static uint64_t attribute_cost(const struct attribute_spec *spec,
                               const struct attribute_value *value)
{
    uint64_t cost = 0;
    if (!value->present)
        return 0;
    if (spec->kind == ATTRIBUTE_SIZES)
        for (size_t i = 0; i < value->count; i++)
            cost += 1 + minimize_value_cost(DTYPE_I64, (uint64_t)value->integers[i]);
    else if (spec->kind == ATTRIBUTE_REALS)
        for (size_t i = 0; i < value->count; i++)
            cost += 1 + minimize_value_cost(DTYPE_F32, float_bits((float)value->reals[i]));
    else if (spec->kind == ATTRIBUTE_REAL)
        cost = minimize_value_cost(DTYPE_F32, float_bits((float)value->real));
    else if (spec->kind == ATTRIBUTE_INTEGER || spec->kind == ATTRIBUTE_INTEGER64)
        cost = minimize_value_cost(DTYPE_I64, (uint64_t)value->integer);
    const bool standard =
        spec->presence == ATTRIBUTE_DEFAULT && value->integer == spec->standard && !cost;
    return cost + (standard || spec->presence == ATTRIBUTE_REQUIRED ? 0 : ATTRIBUTE_WEIGHT);
}

static uint64_t cost_of(const struct specimen *specimen)
{
    const struct request *const request = &specimen->request;
    uint64_t cost = SIZE_WEIGHT * (specimen_size(specimen, NULL) + 4 * (uint64_t)request->runs),
             count = 0;
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        const struct tensor *const tensor = &request->input[i];
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        cost += ATTRIBUTE_WEIGHT;
        for (uint64_t k = 0; k < count; k++)
            cost += minimize_value_cost(
                tensor->dtype, element_load(tensor->data, dtype_size(tensor->dtype), (size_t)k));
    }
    for (unsigned i = 0; i < request->operation->attribute_count; i++)
        cost += attribute_cost(&request->operation->attributes[i], &request->attribute[i]);
    return cost + (request->windowed ? ATTRIBUTE_WEIGHT : 0);
}

const struct request *minimizer_request(const struct minimizer *minimizer)
{
    return &minimizer->result->specimen.request;
}

static bool is_over(const struct minimizer *minimizer)
{
    const unsigned tries = minimizer->options->tries ? minimizer->options->tries : TRIES;
    return minimizer->error || minimizer->tries >= tries || clock_now() > minimizer->until;
}

bool minimizer_copy(struct minimizer *minimizer, struct specimen *candidate)
{
    *candidate = (struct specimen){0};
    if (is_over(minimizer))
        return false;
    minimizer->error =
        specimen_copy(&minimizer->result->specimen, candidate, minimizer->diagnostic);
    if (minimizer->error)
        specimen_release(candidate);
    return !minimizer->error;
}

bool minimizer_offer(struct minimizer *minimizer, struct specimen *candidate)
{
    assert(minimizer->result && minimizer->options);
    bool same = false;
    const uint64_t cost = cost_of(candidate);
    if (cost < minimizer->cost && specimen_is_legal(candidate)) {
        minimizer->tries++;
        minimizer->error = judge(minimizer, candidate, minimizer->quick, &same);
    }
    if (!same) {
        specimen_release(candidate);
        return false;
    }
    specimen_release(&minimizer->result->specimen);
    minimizer->result->specimen = *candidate;
    minimizer->result->cuts++;
    minimizer->cost = cost;
    return true;
}

// ---- all together -----------------------------------------------------------

static void search(struct minimizer *minimizer)
{
    for (bool cut = true; cut;) {
        cut = minimize_frame(minimizer);
        cut = minimize_axes(minimizer) || cut;
        cut = minimize_values(minimizer) || cut;
        cut = minimize_attributes(minimizer) || cut;
    }
}

// Judges the specimen under all conditions, explained; the run stays in `result`.
static enum error judge_fully(struct minimizer *minimizer, bool *same)
{
    struct minimized *const result = minimizer->result;
    const struct judge_options options = {.explain = judge_explain_pairs,
                                          .profile = minimizer->options->profile};
    judge_release(&result->run);
    specimen_release_suite(&result->alone);
    enum error error =
        specimen_make_suite(&result->specimen, &result->alone, minimizer->diagnostic);
    if (!error)
        error = judge_certify_one(&result->alone.suite, minimizer->host, &options, &result->run,
                                  minimizer->diagnostic);
    *same = !error;
    if (!error && minimizer->symptom)
        error = shows(&result->alone.suite, &result->run.model, &result->specimen,
                      &result->run.result[0], minimizer->symptom, same, minimizer->diagnostic);
    if (!error && *same && minimizer->symptom && minimizer->symptom->explained) {
        // What is left may be too little for the search to find the profile that it was cut by.
        result->run.result[0].explanation.found = true;
        result->run.result[0].explanation.profile = minimizer->symptom->profile;
    }
    return error;
}

static enum error restart(struct minimizer *minimizer, const struct suite *suite,
                          const struct suite_case *of)
{
    struct minimized *const result = minimizer->result;
    specimen_release(&result->specimen);
    const enum error error = specimen_take(suite, of, &result->specimen, minimizer->diagnostic);
    if (error)
        return error;
    minimizer->cost = cost_of(&result->specimen);
    result->cuts = 0;
    return ERROR_NONE;
}

enum error minimize_case(const struct suite *suite, const struct suite_case *of, struct host *host,
                         const struct minimize_options *options, struct minimized *minimized,
                         struct diagnostic *diagnostic)
{
    *minimized = (struct minimized){.tries = 0};
    if (suite_case_is_stored(of))
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "case %s cannot be cut down: its values are stored, and of a smaller "
            "request nothing is",
            of->id);
    struct minimizer minimizer = {
        .host = host,
        .options = options,
        .result = minimized,
        .diagnostic = diagnostic,
        .until =
            clock_now() + UINT64_C(1000000000) * (options->seconds ? options->seconds : SECONDS)};
    bool same = false;
    enum error error = restart(&minimizer, suite, of);
    if (!error)
        error = judge_fully(&minimizer, &same);
    if (error)
        return error;
    const struct judge_result *const first = &minimized->run.result[0];
    if (!verdict_is_failure(first->verdict))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "case %s does not fail here: %s%s%s", of->id,
                               verdict_name(first->verdict), first->reason ? ": " : "",
                               first->reason ? first->reason : "");
    take_symptom(first, &minimized->symptom);
    minimizer.symptom = &minimized->symptom;
    minimized->size_before = specimen_size(&minimized->specimen, &minimized->values_before);
    // One set of conditions is enough to search under when it shows the symptom; the final
    // specimen is judged under all of them.
    error = judge(&minimizer, &minimized->specimen, true, &minimizer.quick);
    if (!error) {
        search(&minimizer);
        error = minimizer.error ? minimizer.error : judge_fully(&minimizer, &same);
    }
    if (!error && !same && minimizer.quick) {
        minimizer.quick = false;
        error = restart(&minimizer, suite, of);
        if (!error) {
            search(&minimizer);
            error = minimizer.error ? minimizer.error : judge_fully(&minimizer, &same);
        }
    }
    minimized->tries = minimizer.tries;
    minimized->exhausted = is_over(&minimizer);
    minimized->size_after = specimen_size(&minimized->specimen, &minimized->values_after);
    if (!error && !same)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "case %s fails in another way when it is run again", of->id);
    return error;
}

void minimize_release(struct minimized *minimized)
{
    judge_release(&minimized->run);
    specimen_release_suite(&minimized->alone);
    specimen_release(&minimized->specimen);
}
