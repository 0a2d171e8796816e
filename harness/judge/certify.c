// SPDX-License-Identifier: Apache-2.0
// Cases go through in chunks of bounded memory: forwards, then backwards under other conditions.

#include "harness/judge/certify.h"

#include <fnmatch.h>
#include <math.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "harness/judge/pattern.h"
#include "harness/judge/stepwise.h"
#include "harness/judge/trial.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/base/isa.h"
#include "ref/base/threads.h"
#include "yaml/reader.h"

enum { CERTIFY_CHUNK_CASES = 256, CERTIFY_CHUNK_BYTES = 24 << 20, CERTIFY_KEEP_BYTES = 48 << 20, CERTIFY_ASK = 512 };

static enum error no_memory(struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
}

static enum level required_level(const struct trial *trial)
{
    static const enum level levels[] = {
        [SUITE_LEVEL_BITS] = LEVEL_BITS, [SUITE_LEVEL_BOUND] = LEVEL_BOUND, [SUITE_LEVEL_DISTRIBUTION] = LEVEL_DISTRIBUTION};
    if (trial->chance)
        return LEVEL_DISTRIBUTION;
    if (trial->of->level != SUITE_LEVEL_AUTOMATIC)
        return levels[trial->of->level];
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (tensor_present(&trial->inference.output[i]) && trial->inference.level[i] == LEVEL_BOUND)
            return LEVEL_BOUND;
    return LEVEL_BITS;
}

static const char *const modes[] = {
    [JUDGE_OBSERVED] = "observed", [JUDGE_SEQUENCE] = "sequence", [JUDGE_STEPWISE] = "stepwise"};

const char *judge_mode_name(enum judge_mode mode)
{
    return modes[mode];
}

enum judge_mode judge_mode_named(const char *name)
{
    unsigned mode = 0;
    while (mode < JUDGE_MODES && strcmp(modes[mode], name) != 0)
        mode++;
    return (enum judge_mode)mode;
}

static enum error make_request(const struct suite *suite, const struct suite_case *of, const struct named_profile *profile,
                               struct arena *arena, struct request *request, struct diagnostic *diagnostic)
{
    const enum error error = suite_case_request(suite, of, arena, request, diagnostic);
    if (!error)
        profiles_apply(suite, profile, of->operation, &request->profile);
    return error;
}

enum error judge_evaluate(const struct suite *suite, const struct suite_case *of, const struct named_profile *profile,
                          struct arena *arena, struct request *request, struct evaluation *evaluation,
                          struct diagnostic *diagnostic)
{
    const enum error error = make_request(suite, of, profile, arena, request, diagnostic);
    return error ? error : variant_evaluate(request, arena, evaluation, diagnostic);
}

// ---- outputs of a call ----------------------------------------------------------------------------------------------

// The target's own output as operands of what follows it, where that is sound.
static bool observe(const struct trial *trial, const struct host_call *call, struct request *request)
{
    const struct operation *const operation = request->operation;
    const int seen = operation->observable && !request->windowed && request->runs == 1 ? operation->observable(request) : -1;
    for (size_t o = 0; o < trial->call.output_count && seen >= 0; o++)
        if (!strcmp(trial->call.outputs[o].name, operation->outputs[seen])) {
            request->observed = trial->inference.output[seen];
            request->observed.data = (void *)(uintptr_t)trial_output_data(trial, call->request, o);
            return true;
        }
    return false;
}

// Compares every output of every run with the reference's; keeps what differs.
static enum error compare_outputs(struct judge_run *run, struct trial *trial, const struct host_call *calls,
                                  struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    struct arena arena = {0};
    struct evaluation evaluation;
    const struct named_profile plain = {{0}};
    struct request request;
    const size_t count = trial->call.output_count * trial->runs;
    struct judge_output *const outputs = arena_take_array(&run->arena, count, sizeof *outputs);
    enum error error =
        outputs ? make_request(run->suite, trial->of, &plain, &arena, &request, diagnostic) : no_memory(diagnostic);
    if (!error && !request.model) // a case may have its own
        request.model = &run->model;
    if (!error && result->required == LEVEL_BOUND && run->mode != JUDGE_SEQUENCE)
        result->observed = observe(trial, calls, &request);
    if (!error)
        error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    if (!error && result->required == LEVEL_BOUND)
        error = variant_bound(&request, &arena, &evaluation, diagnostic);
    bool differs = false;
    for (size_t i = 0; i < count && !error; i++) {
        const size_t o = i % trial->call.output_count, r = i / trial->call.output_count;
        struct judge_output *const output = &outputs[i];
        const int index = operation_output(trial->request.operation, trial->call.outputs[o].name);
        const struct tensor *const reference = &evaluation.tensor[r * OPERATION_OUTPUTS_MAX + (size_t)index];
        struct expected expected = {.dtype = reference->dtype, .bits = reference->data};
        if (result->required == LEVEL_BOUND && r == 0 && tensor_present(&evaluation.lower[index])) {
            expected.lower = evaluation.lower[index].data;
            expected.upper = evaluation.upper[index].data;
            if (request.operation->reach)
                expected.reach = request.operation->reach(&request, (unsigned)index);
        }
        *output = (struct judge_output){.name = trial->call.outputs[o].name,
                                        .index = (unsigned)index,
                                        .run = (unsigned)r,
                                        .tensor = *reference,
                                        .count = trial_output_count(trial, o)};
        output->tensor.data = (void *)(uintptr_t)trial_output_data(trial, calls[r].request, o);
        compare_elements(&expected, output->tensor.data, output->count, &output->comparison);
        error = picture_draw(&expected, &output->tensor, output->count, &output->comparison, &run->arena, &output->picture,
                             diagnostic);
        differs = differs || output->comparison.wrong;
        char pattern[PATTERN_TEXT_SIZE];
        if (output->comparison.wrong && !result->reason &&
            pattern_describe(&expected, &output->tensor, pattern_axes(trial->request.operation->name, output->name),
                             output->tensor.data, output->count, pattern, sizeof pattern))
            result->reason = arena_print(&run->arena, "%s: %s", output->name, pattern);
        if (output->comparison.radius_used > result->radius_used)
            result->radius_used = output->comparison.radius_used;
        const bool vacuous = output->comparison.radius_infinite || 2 * output->comparison.vacuous > output->comparison.compared;
        if (vacuous && result->verdict == VERDICT_PASS)
            result->verdict = VERDICT_VACUOUS;
    }
    arena_release(&arena);
    if (error)
        return error;
    result->valued = true;
    result->by_default = !differs;
    if (differs && (result->verdict == VERDICT_PASS || result->verdict == VERDICT_VACUOUS))
        result->verdict = VERDICT_FAIL;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = (size_t)outputs[i].count * dtype_size(outputs[i].tensor.dtype);
        void *const copy = differs && result->keeps ? arena_take(&run->arena, bytes) : NULL;
        if (differs && result->keeps && !copy)
            return no_memory(diagnostic);
        if (copy)
            memcpy(copy, outputs[i].tensor.data, bytes);
        outputs[i].tensor.data = copy;
    }
    result->outputs = outputs;
    result->output_count = count;
    return ERROR_NONE;
}

// ---- support --------------------------------------------------------------------------------------------------------

static char *copy_text(struct arena *arena, const char *text)
{
    return text[0] ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

// Whether the outputs are kept where they differ is settled before anything runs, so that it does not depend on what ran before.
static void plan_to_keep(struct judge_run *run, const struct trial *trial, struct judge_result *result)
{
    size_t bytes = 0;
    for (size_t o = 0; o < trial->call.output_count; o++)
        bytes += (size_t)trial_output_count(trial, o) * dtype_size(trial->call.outputs[o].tensor.dtype) * trial->runs;
    result->keeps = !trial->negative && run->kept + bytes <= CERTIFY_KEEP_BYTES;
    run->kept += result->keeps ? bytes : 0;
}

static enum error ask_some(struct judge_run *run, struct host *host, size_t first, size_t count, struct trial *trials,
                           struct host_call *calls, struct diagnostic *diagnostic)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        const enum error error = trial_make(run->suite, result->of, &run->description, &trials[i], diagnostic);
        result->required = required_level(&trials[i]);
        result->verdict = VERDICT_PASS; // so far
        if (error == ERROR_INTERNAL)
            return error;
        if (error) {
            result->verdict = error == ERROR_UNSUPPORTED ? VERDICT_UNSUPPORTED : VERDICT_HARNESS;
            result->reason = copy_text(&run->arena, diagnostic->text);
        } else
            calls[asked++] = (struct host_call){.request = &trials[i].call, .ask = true};
    }
    host_run(host, calls, asked);
    asked = 0;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        if (result->verdict != VERDICT_PASS)
            continue;
        const struct host_call *const call = &calls[asked++];
        static const enum verdict verdicts[] = {[HOST_OK] = VERDICT_PASS,
                                                [HOST_UNSUPPORTED] = VERDICT_UNSUPPORTED,
                                                [HOST_REJECTED] = VERDICT_FAIL,
                                                [HOST_FAILED] = VERDICT_FAIL,
                                                [HOST_WRONG_RESULT] = VERDICT_FAIL,
                                                [HOST_CRASH] = VERDICT_CRASH,
                                                [HOST_TIMEOUT] = VERDICT_TIMEOUT,
                                                [HOST_MEMORY] = VERDICT_MEMORY,
                                                [HOST_ENVIRONMENT] = VERDICT_ENVIRONMENT,
                                                [HOST_LOST] = VERDICT_HARNESS};
        result->verdict = verdicts[call->outcome];
        result->reason = copy_text(&run->arena, call->message);
        if (result->verdict == VERDICT_PASS)
            plan_to_keep(run, &trials[i], result);
    }
    return ERROR_NONE;
}

static enum error ask(struct judge_run *run, struct host *host, struct diagnostic *diagnostic)
{
    struct trial *const trials = calloc(CERTIFY_ASK, sizeof *trials);
    struct host_call *const calls = calloc(CERTIFY_ASK, sizeof *calls);
    enum error error = trials && calls ? ERROR_NONE : no_memory(diagnostic);
    for (size_t at = 0; at < run->result_count && !error;) {
        // Few at a time where inputs are large.
        const size_t left = run->result_count - at, count = left < CERTIFY_ASK / 8 ? left : CERTIFY_ASK / 8;
        error = ask_some(run, host, at, count, trials, calls, diagnostic);
        for (size_t i = 0; i < count; i++)
            trial_release(&trials[i]);
        memset(trials, 0, count * sizeof *trials);
        at += count;
    }
    free(trials);
    free(calls);
    return error;
}

// ---- chunks ---------------------------------------------------------------------------------------------------------

static enum error run_pass(struct host *host, struct trial *trials, size_t count, unsigned pass, struct host_call **calls,
                           struct diagnostic *diagnostic)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        total += trial_call_count(&trials[i], pass);
    *calls = calloc(total + 1, sizeof **calls);
    if (!*calls)
        return no_memory(diagnostic);
    for (size_t k = 0; k < count; k++) {
        struct trial *const trial = &trials[pass ? count - 1 - k : k];
        const enum error error = trial_make_calls(trial, pass, *calls, at, diagnostic);
        if (error)
            return error;
        at += trial_call_count(trial, pass);
    }
    host_run(host, *calls, total);
    return ERROR_NONE;
}

static enum error run_chunk(struct judge_run *run, struct host *host, struct trial *trials, size_t count,
                            struct diagnostic *diagnostic)
{
    struct host_call *calls[2] = {NULL, NULL};
    enum error error = run_pass(host, trials, count, 0, &calls[0], diagnostic);
    if (!error)
        error = run_pass(host, trials, count, 1, &calls[1], diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        const struct host_call *valued = NULL;
        trial_judge(&trials[i], &run->description, calls, &run->arena, &valued);
        if (valued)
            error = compare_outputs(run, &trials[i], valued, diagnostic);
        if (verdict_is_failure(trials[i].result->verdict) && run->result_count == 1)
            trials[i].result->printed = copy_text(&run->arena, host_printed(host));
    }
    for (size_t i = 0; i < count; i++)
        trial_release(&trials[i]);
    free(calls[0]);
    free(calls[1]);
    return error;
}

static enum error run_all(struct judge_run *run, struct host *host, const struct judge_options *options,
                          struct diagnostic *diagnostic)
{
    struct conditions_plan plan;
    struct trial *const trials = calloc(CERTIFY_CHUNK_CASES, sizeof *trials);
    size_t supported = 0, index = 0, count = 0, bytes = 0, last = 0;
    enum error error = trials ? ERROR_NONE : no_memory(diagnostic);
    conditions_make_plan(&run->description, &plan);
    if (options->quick)
        plan.count = 1;
    if (options->only)
        plan = (struct conditions_plan){.count = 1, .alone = true, .row = {*options->only}};
    for (size_t i = 0; i < run->result_count; i++)
        supported += run->result[i].verdict == VERDICT_PASS;
    for (size_t i = run->first; i < run->result_count; i += run->step)
        last = run->result[i].verdict == VERDICT_PASS ? i : last;
    for (size_t i = 0; i < run->result_count && !error; i++) {
        if (run->result[i].verdict != VERDICT_PASS)
            continue;
        if (i % run->step != run->first) {
            index++;
            continue;
        }
        struct trial *const trial = &trials[count];
        error = trial_make(run->suite, run->result[i].of, &run->description, trial, diagnostic);
        if (error)
            break;
        trial->result = &run->result[i];
        trial_plan(trial, &run->description, &plan, index++, supported);
        bytes += trial->bytes * (trial->unit_count * trial->runs + 1);
        if (++count < CERTIFY_CHUNK_CASES && bytes < CERTIFY_CHUNK_BYTES && i < last)
            continue;
        error = run_chunk(run, host, trials, count, diagnostic);
        memset(trials, 0, count * sizeof *trials);
        count = bytes = 0;
        if (options->progress)
            options->progress(options->context, index, supported);
    }
    for (size_t i = 0; i < count; i++)
        trial_release(&trials[i]);
    free(trials);
    return error;
}

// ---- one profile for all --------------------------------------------------------------------------------------------

// Results of parts were read from files: their outputs need not be those of the request.
static bool fits_request(const struct judge_output *output, const struct judge_output *first, const struct request *request,
                         const struct evaluation *evaluation)
{
    uint64_t count = request->window_count;
    if (output->run >= (request->runs ? request->runs : 1))
        return false;
    const struct tensor *const tensor = &evaluation->tensor[(size_t)output->run * OPERATION_OUTPUTS_MAX + output->index];
    return tensor_present(tensor) && ((request->windowed && output->index == first->index) || tensor_count(tensor, &count)) &&
           output->count == count;
}

// Whether each element of `got` lies within half the width of its admissible interval around `to`: inside the radius of the reference,
// moved to where another profile puts its middle.
static bool is_near(const struct tensor *to, const struct tensor *lower, const struct tensor *upper, const void *got,
                    uint64_t count)
{
    const enum dtype dtype = to->dtype;
    const size_t size = dtype_size(dtype);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t a = element_load(to->data, size, (size_t)i), b = element_load(got, size, (size_t)i);
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

void judge_set_observed(const struct judge_result *result, struct request *request)
{
    const struct operation *const operation = request->operation;
    const int seen = result->observed && operation->observable ? operation->observable(request) : -1;
    for (size_t i = 0; i < result->output_count && seen >= 0; i++)
        if (result->outputs[i].index == (unsigned)seen && result->outputs[i].tensor.data)
            request->observed = result->outputs[i].tensor;
}

// Whether the outputs of the result lie near the reference under `profile`, by the widths of `bounds`.
static enum error is_near_profile(const struct suite *suite, const struct judge_result *result,
                                  const struct named_profile *profile, bool observed, const struct evaluation *bounds,
                                  bool *near, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    enum error error = make_request(suite, result->of, profile, &arena, &request, diagnostic);
    if (!error && observed)
        judge_set_observed(result, &request);
    if (!error)
        error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    *near = !error;
    for (size_t i = 0; i < result->output_count && *near; i++) {
        const struct judge_output *const output = &result->outputs[i];
        const struct tensor *const tensor = &evaluation.tensor[output->index];
        *near =
            output->run == 0 && output->tensor.data && tensor->dtype == output->tensor.dtype &&
            tensor_same_shape(tensor, &output->tensor) &&
            is_near(tensor, &bounds->lower[output->index], &bounds->upper[output->index], output->tensor.data, output->count);
    }
    arena_release(&arena);
    return error;
}

enum error judge_is_near(const struct suite *suite, const struct judge_result *result, const struct named_profile *profile,
                         bool *near, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request;
    struct evaluation bounds;
    *near = false;
    enum error error = make_request(suite, result->of, &plain, &arena, &request, diagnostic);
    if (!error)
        judge_set_observed(result, &request);
    const bool observed = !error && tensor_present(&request.observed);
    if (!error)
        error = variant_evaluate(&request, &arena, &bounds, diagnostic);
    if (!error)
        error = variant_bound(&request, &arena, &bounds, diagnostic);
    if (!error)
        error = is_near_profile(suite, result, profile, observed, &bounds, near, diagnostic);
    // A profile that changes what comes out shows other states than it went on from.
    if (error != ERROR_INTERNAL && observed && !*near)
        error = is_near_profile(suite, result, profile, false, &bounds, near, diagnostic);
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error judge_matches(const struct suite *suite, const struct judge_result *result, const struct named_profile *profile,
                         bool *matches, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct arena arena = {0};
    struct request request, plain_request;
    struct evaluation evaluation, by_default = {.tensor = NULL};
    *matches = false;
    enum error error = judge_evaluate(suite, result->of, profile, &arena, &request, &evaluation, diagnostic);
    if (!error && result->by_default)
        error = judge_evaluate(suite, result->of, &plain, &arena, &plain_request, &by_default, diagnostic);
    bool same = !error;
    for (size_t i = 0; i < result->output_count && same; i++) {
        const struct judge_output *const output = &result->outputs[i];
        if (!(same = fits_request(output, &result->outputs[0], &request, &evaluation)))
            break;
        const size_t at = (size_t)output->run * OPERATION_OUTPUTS_MAX + output->index;
        const void *const got = result->by_default ? by_default.tensor[at].data : output->tensor.data;
        const struct tensor *const tensor = &evaluation.tensor[at];
        same = got && tensor->dtype == output->tensor.dtype && tensor_same_shape(tensor, &output->tensor) &&
               compare_first_difference(tensor->dtype, tensor->data, got, output->count) == output->count;
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
static enum error count_matches(const struct judge_run *run, const struct named_profile *profile, bool by_default,
                                size_t *count, struct diagnostic *diagnostic)
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
        const enum error error = profiles_is_allowed(run->suite, result->of, &run->profile)
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
        return no_memory(diagnostic);
    const size_t count = profiles_list_allowed(run->suite, profiles, PROFILES_ALLOWED_MAX, &run->profile_complete);
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

// ---- all together ---------------------------------------------------------------------------------------------------

enum error judge_select(struct judge_run *run, const char *pattern, struct diagnostic *diagnostic)
{
    const struct suite *const suite = run->suite;
    run->result = arena_take_array(&run->arena, suite->case_count, sizeof *run->result);
    if (!run->result)
        return no_memory(diagnostic);
    for (size_t i = 0; i < suite->case_count; i++)
        if (!pattern || !fnmatch(pattern, suite->cases[i].id, 0))
            run->result[run->result_count++] = (struct judge_result){.of = &suite->cases[i]};
    if (run->result_count)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no case of %s matches '%s'", suite->name,
                           pattern ? pattern : "*");
}

// The model that the target declares.
static enum error read_model(struct judge_run *run, struct diagnostic *diagnostic)
{
    const char *const text = run->description.model;
    const struct document_source source = {.name = "the target's model", .text = text, .size = strlen(text)};
    struct document_node *root = NULL;
    run->model = evaluation_model_standard;
    if (!source.size)
        return ERROR_NONE;
    const enum error error = yaml_read(&source, &run->arena, &root, diagnostic);
    return error ? error : evaluation_model_read(root, &run->model, diagnostic);
}

enum error judge_certify(const struct suite *suite, struct host *host, const struct judge_options *options,
                         struct judge_run *run, struct diagnostic *diagnostic)
{
    if (options->mode == JUDGE_STEPWISE)
        return judge_certify_stepwise(suite, host, options, run, diagnostic);
    *run = (struct judge_run){
        .suite = suite, .description = *host_describe(host), .machine = judge_machine_here(), .mode = options->mode};
    enum error error = read_model(run, diagnostic);
    if (!error)
        error = judge_select(run, options->pattern, diagnostic);
    if (!error)
        error = ask(run, host, diagnostic);
    // Neighbours are alike: every n-th case makes parts of about the same length.
    run->first = options->part ? options->part->index - 1 : 0;
    run->step = options->part ? options->part->count : 1;
    if (!error)
        error = run_all(run, host, options, diagnostic);
    if (!error && !options->part)
        error = judge_conclude(run, options, diagnostic);
    return error;
}

enum error judge_conclude(struct judge_run *run, const struct judge_options *options, struct diagnostic *diagnostic)
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

static void read_processor(char *name, size_t size)
{
    char line[256];
    FILE *const file = fopen("/proc/cpuinfo", "re");
    name[0] = '\0';
    while (file && !name[0] && fgets(line, sizeof line, file)) {
        const char *const colon = strstr(line, ": ");
        if (colon && (!strncmp(line, "model name", 10) || !strncmp(line, "Processor", 9)))
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
}

struct judge_machine judge_machine_here(void)
{
    struct judge_machine machine = {.threads = threads_available()};
    struct utsname name;
    const bool known = !uname(&name);
    snprintf(machine.architecture, sizeof machine.architecture, "%.64s", known ? name.machine : "unknown");
    snprintf(machine.system, sizeof machine.system, "%.60s %.60s, glibc %.20s", known ? name.sysname : "unknown",
             known ? name.release : "", gnu_get_libc_version());
    read_processor(machine.processor, sizeof machine.processor);
    snprintf(machine.instructions, sizeof machine.instructions, "%s", isa_name(isa_chosen()));
    return machine;
}

void judge_release(struct judge_run *run)
{
    arena_release(&run->arena);
    *run = (struct judge_run){0};
}

size_t judge_count(const struct judge_run *run, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += run->result[i].verdict == verdict;
    return count;
}

const char *judge_reproduce(const struct judge_run *run, const struct judge_result *result, const char *target, char *text,
                            size_t size)
{
    snprintf(text, size, "assay %s %s --suite %s %s%s", result->steps.count ? "certify --mode stepwise --case" : "run",
             result->of->id, run->suite->name, run->selector ? "" : "--target ", run->selector ? run->selector : target);
    return text;
}
