// SPDX-License-Identifier: Apache-2.0
// One step after the other: the reference is evaluated; each output is compared, drawn, digested,
// and, where it is wrong, described and put down to a gate; the verdict is decided; what differs is
// kept.

#include "harness/judge/run/outputs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "harness/judge/compare/lean.h"
#include "harness/judge/compare/nulls.h"
#include "harness/judge/compare/pattern.h"
#include "harness/judge/compare/window.h"
#include "harness/judge/run/by_profile.h"
#include "harness/judge/run/reference.h"
#include "ref/base/bytes.h"
#include "ref/num/function/pair.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

// A trial beside the reference. The results of a run are those of its calls: `outputs` of one run
// after the other.
struct beside {
    struct judge_run *run;
    const struct trial *trial;
    const struct host_call *calls;
    struct request request; // what the reference is asked
    struct evaluation evaluation;
    struct arena arena;
    size_t count;
    struct judge_output *outputs;
};

// ---- the reference ----------------------------------------------------------

// The target's own output as operands of what follows it, where that is sound.
static bool observe(const struct trial *trial, const struct host_call *call,
                    struct request *request)
{
    const struct operation *const operation = request->operation;
    const int seen = !request->windowed && request->runs == 1 ? operation_observable(request) : -1;
    for (size_t o = 0; o < trial->call.output_count && seen >= 0; o++)
        if (!strcmp(trial->call.outputs[o].name, operation->outputs[seen])) {
            request->observed = trial->inference.output[seen];
            request->observed.data = (void *)(uintptr_t)trial_output_data(trial, call, o);
            return true;
        }
    return false;
}

static enum error evaluate(struct beside *beside, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct judge_result *const result = beside->trial->result;
    struct request *const request = &beside->request;
    const bool bounded = result->required == LEVEL_BOUND;
    if (!beside->trial->reshaped)
        profiles_apply(beside->run->suite, &plain, request->operation, &request->profile);
    if (!request->model) // a case may have its own
        request->model = &beside->run->model;
    if (bounded && beside->run->mode != JUDGE_SEQUENCE)
        result->observed = observe(beside->trial, beside->calls, request);
    return variant_evaluate_with(request, bounded, &beside->arena, &beside->evaluation, diagnostic);
}

// ---- one output -------------------------------------------------------------

// The `i`th output as the target gave it, its data still where the call left it.
static struct judge_output take_output(const struct beside *beside, size_t i)
{
    const struct trial *const trial = beside->trial;
    const size_t o = i % trial->call.output_count, run = i / trial->call.output_count;
    const char *const name = trial->call.outputs[o].name;
    const unsigned index = (unsigned)operation_output(beside->request.operation, name);
    struct judge_output output = {
        .name = name,
        .index = index,
        .run = (unsigned)run,
        .tensor = beside->evaluation.tensor[run * OPERATION_OUTPUTS_MAX + index],
        .count = trial_output_count(trial, o)};
    output.tensor.data = (void *)(uintptr_t)trial_output_data(trial, &beside->calls[run], o);
    return output;
}

// Which gates the wrong elements of a step's output belong to: see wrong_gates.
static uint32_t find_gates(const struct request *request, const struct expected *expected,
                           const struct judge_output *output)
{
    const size_t size = dtype_size(expected->dtype);
    const struct operation_stepping *const stepping = request->operation->stepping;
    uint32_t gates = 0;
    for (uint64_t i = 0; i < output->count && stepping; i++) {
        if (compare_is_right(expected, i, element_load(output->tensor.data, size, (size_t)i)))
            continue;
        const int gate = stepping->gate_of(request, output->index, i);
        if (gate != OPERATION_NO_GATE)
            gates |= gate == OPERATION_ALL_GATES ? (uint32_t)RESULT_SHARED : 1u << gate;
    }
    return gates;
}

// Says where the wrong elements lie, for the first output that has a pattern.
static void describe(struct beside *beside, const struct expected *expected,
                     const struct judge_output *output)
{
    struct judge_result *const result = beside->trial->result;
    char pattern[PATTERN_TEXT_SIZE];
    if (!result->reason &&
        pattern_describe(expected, &output->tensor,
                         pattern_axes(beside->request.operation->name, output->name),
                         output->tensor.data, output->count, pattern, sizeof pattern))
        result->reason = arena_print(&beside->run->arena, "%s: %s", output->name, pattern);
}

// Adds the first output of `request` to sum[0 .. count).
static enum error add_part(struct beside *beside, unsigned index, const struct request *request,
                           struct function_pair *sum, uint64_t count, struct diagnostic *diagnostic)
{
    struct request part = *request;
    struct evaluation evaluation;
    part.observed = (struct tensor){.dtype = DTYPE_NONE};
    const enum error error = variant_evaluate(&part, &beside->arena, &evaluation, diagnostic);
    const struct tensor *const output = &evaluation.tensor[index];
    for (uint64_t i = 0; i < count && !error; i++)
        sum[i] = pair_add(
            sum[i],
            (struct function_pair){
                num_to_double(output->dtype,
                              element_load(output->data, dtype_size(output->dtype), (size_t)i)),
                0});
    return error;
}

// Which elements of an input are left out.
enum left_out { LEFT_LARGE, LEFT_SMALL, LEFT_ALL };

// Elements of an input of the request, made zero: all, or those of at least half the largest
// magnitude, or the others.
static enum error leave_out(struct beside *beside, struct request *request, int zeroed,
                            enum left_out what, struct diagnostic *diagnostic)
{
    struct tensor *const input = &request->input[zeroed];
    const size_t size = dtype_size(input->dtype);
    const void *const from = input->data;
    size_t bytes;
    uint64_t count;
    double largest = 0;
    if (!tensor_present(input) || !tensor_bytes(input, &bytes) || !tensor_count(input, &count))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "case %s: unbiased names an input that the case does not have",
                               beside->trial->of->id);
    input->data = arena_take(&beside->arena, bytes);
    if (!input->data)
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < count; i++)
        largest =
            fmax(largest, fabs(num_to_double(input->dtype, element_load(from, size, (size_t)i))));
    for (uint64_t i = 0; i < count && what != LEFT_ALL; i++) {
        const uint64_t bits = element_load(from, size, (size_t)i);
        const bool large = fabs(num_to_double(input->dtype, bits)) >= largest / 2;
        if (large == (what == LEFT_SMALL))
            element_store((void *)(uintptr_t)input->data, size, (size_t)i, bits);
    }
    return ERROR_NONE;
}

// The exact values of a case whose errors must not lean; NaN: the element does not count.
static enum error find_exact(struct beside *beside, const struct judge_output *output,
                             struct function_pair *exact, struct diagnostic *diagnostic)
{
    const struct suite_unbiased *const unbiased = &beside->trial->of->unbiased;
    for (unsigned i = 0; i < 2; i++) {
        struct request part = beside->request;
        const bool one = unbiased->parts == 1;
        enum error error = leave_out(beside, &part, unbiased->input[one ? 0 : i],
                                     one ? (i ? LEFT_SMALL : LEFT_LARGE) : LEFT_ALL, diagnostic);
        if (!error)
            error = add_part(beside, output->index, &part, exact, output->count, diagnostic);
        if (error)
            return error;
    }
    if (!unbiased->along || unbiased->axis >= output->tensor.rank)
        return ERROR_NONE;
    uint64_t inner = 1;
    for (unsigned d = unbiased->axis + 1; d < output->tensor.rank; d++)
        inner *= output->tensor.shape[d];
    const uint64_t length = output->tensor.shape[unbiased->axis];
    for (uint64_t i = 0; i < output->count; i++)
        if (i / inner % length != length - 1)
            exact[i].high = (double)NAN;
    return ERROR_NONE;
}

// Errors that lean to one side, where the case says what its sums are.
static enum error judge_lean(struct beside *beside, const struct expected *expected,
                             struct judge_output *output, struct diagnostic *diagnostic)
{
    struct judge_result *const result = beside->trial->result;
    if (!suite_case_is_unbiased(beside->trial->of))
        return ERROR_NONE;
    struct function_pair *const exact =
        arena_take_array(&beside->arena, (size_t)output->count, sizeof *exact);
    if (!exact)
        return diagnostic_no_memory(diagnostic);
    const enum error error = find_exact(beside, output, exact, diagnostic);
    if (error)
        return error;
    const struct lean lean =
        compare_lean(expected, exact, output->tensor.data, output->count, &output->comparison);
    if (lean.evidence >= LEAN_EVIDENCE)
        result->reason =
            arena_print(&beside->run->arena,
                        "%s: %llu of %llu errors are toward zero, where rounding to nearest has "
                        "half of them; the chance of that is at most 2^-%.0f",
                        output->name, (unsigned long long)lean.toward,
                        (unsigned long long)lean.count, floor(lean.evidence));
    return ERROR_NONE;
}

static enum error judge_output(struct beside *beside, size_t i, struct diagnostic *diagnostic)
{
    struct judge_result *const result = beside->trial->result;
    struct judge_output *const output = &beside->outputs[i];
    *output = take_output(beside, i);
    const struct expected expected =
        judge_expected(&beside->evaluation, result->required, output->run, output->index);
    compare_elements(&expected, output->tensor.data, output->count, &output->comparison);
    output->vacuous = output->comparison.radius_infinite ||
                      (expected.lower && null_fits(&expected, output->count));
    enum error error = i == 0 ? judge_lean(beside, &expected, output, diagnostic) : ERROR_NONE;
    if (!error)
        error = picture_draw(&expected, &output->tensor, output->count, &output->comparison,
                             &beside->run->arena, &output->picture, diagnostic);
    if (!error && result->digest && i == 0 && (output->comparison.wrong || beside->trial->reshaped))
        error = window_digest(output->tensor.dtype, output->tensor.data, output->count,
                              result->digest, diagnostic);
    if (error || !output->comparison.wrong)
        return error;
    if (beside->trial->of->step)
        result->wrong_gates |= find_gates(&beside->request, &expected, output);
    describe(beside, &expected, output);
    return ERROR_NONE;
}

// ---- the golden vectors -----------------------------------------------------

// Holds the reference's own answer against the manifest: `why` says what differs, "" nothing. An
// answer that follows the target's own output, or is of another profile, may be another, so that a
// second one is asked for.
static enum error hold(const struct beside *beside, char why[GOLDEN_HOLD_SIZE],
                       struct diagnostic *diagnostic)
{
    const struct golden_manifest *const manifest = beside->run->manifest;
    const struct suite_case *const of = beside->trial->of;
    struct request request = beside->request;
    struct evaluation evaluation;
    struct arena arena = {0};
    why[0] = '\0';
    if (!manifest || !manifest->path || of->step || of->window || of->drawn || of->relation.kind)
        return ERROR_NONE;
    enum error error =
        golden_manifest_hold(manifest, of->id, &request, &beside->evaluation, why, diagnostic);
    if (error || !why[0] || !(tensor_present(&request.observed) || beside->trial->reshaped))
        return error;
    request.observed = (struct tensor){.dtype = DTYPE_NONE};
    request.profile = (struct profile){.option = {0}};
    error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    if (!error)
        error = golden_manifest_hold(manifest, of->id, &request, &evaluation, why, diagnostic);
    arena_release(&arena);
    return error;
}

static enum error accuse_reference(struct judge_run *run, struct judge_result *result,
                                   const char *why, struct diagnostic *diagnostic)
{
    result->verdict = VERDICT_HARNESS;
    result->reason = arena_copy_text(&run->arena, why, strlen(why));
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// ---- the verdict ------------------------------------------------------------

static void decide(const struct beside *beside)
{
    struct judge_result *const result = beside->trial->result;
    bool differs = beside->trial->reshaped, vacuous = !beside->count;
    result->compared = 0;
    for (size_t i = 0; i < beside->count; i++) {
        const struct comparison *const comparison = &beside->outputs[i].comparison;
        differs = differs || comparison->wrong;
        vacuous = vacuous || beside->outputs[i].vacuous;
        if (comparison->radius_used > result->radius_used)
            result->radius_used = comparison->radius_used;
        result->compared += comparison->compared;
    }
    result->valued = true;
    result->by_default = !differs;
    if (result->verdict == VERDICT_PASS && (differs || vacuous))
        result->verdict = differs ? VERDICT_FAIL : VERDICT_VACUOUS;
    if (!beside->count)
        result->reason = "there is no output to compare";
    else if (!result->compared && !result->reason)
        result->reason = "the outputs have no elements: their types and shapes were compared";
}

// Whether another evaluation gives the `i`th output as the default profile does.
static bool is_same(const struct beside *beside, size_t i, const struct evaluation *other)
{
    const struct judge_output *const output = &beside->outputs[i];
    const size_t at = (size_t)output->run * OPERATION_OUTPUTS_MAX + output->index;
    const struct tensor *const a = &beside->evaluation.tensor[at], *const b = &other->tensor[at];
    return a->dtype == b->dtype && tensor_same_shape(a, b) &&
           compare_first_difference(a->dtype, a->data, b->data, output->count) == output->count;
}

// Whether another profile that may be chosen gives other outputs, so that what lies inside the
// default profile's bounds may not lie inside the chosen one's.
static enum error find_others(const struct beside *beside, bool *others,
                              struct diagnostic *diagnostic)
{
    const struct judge_run *const run = beside->run;
    enum error error = ERROR_NONE;
    *others = false;
    for (size_t at = 1; at < run->allowed_count && !*others && !error; at++) {
        struct request request = beside->request;
        struct named_profile allowed;
        struct evaluation evaluation;
        struct arena arena = {0};
        if (!by_profile_differs(run, beside->trial->of, at, &allowed))
            continue;
        profiles_apply(run->suite, &allowed, request.operation, &request.profile);
        bool idle = false;
        error = variant_is_idle(&request, &arena, &idle, diagnostic);
        if (!error && !idle)
            error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
        *others = error && error != ERROR_INTERNAL;
        for (size_t i = 0; !error && !idle && i < beside->count && !*others; i++)
            *others = !is_same(beside, i, &evaluation);
        error = error == ERROR_INTERNAL ? error : ERROR_NONE;
        arena_release(&arena);
    }
    return error;
}

// Copies what differs, where there is room, or its digest: the calls' buffers do not last. Bounds
// need the values.
static enum error keep(struct beside *beside, struct diagnostic *diagnostic)
{
    struct judge_result *const result = beside->trial->result;
    const bool bounded = result->required == LEVEL_BOUND;
    bool needed = !result->by_default;
    enum error error = bounded && !needed ? find_others(beside, &needed, diagnostic) : ERROR_NONE;
    if (error)
        return error;
    for (size_t i = 0; i < beside->count; i++) {
        struct tensor *const tensor = &beside->outputs[i].tensor;
        const size_t bytes = (size_t)beside->outputs[i].count * dtype_size(tensor->dtype);
        const void *const from = tensor->data;
        tensor->data = NULL;
        if (!needed)
            continue;
        if (!bounded && !result->keeps) {
            unsigned char *const digest = arena_take(&beside->run->arena, DIGEST_SIZE);
            if (!digest)
                return diagnostic_no_memory(diagnostic);
            error =
                window_digest(tensor->dtype, from, beside->outputs[i].count, digest, diagnostic);
            if (error)
                return error;
            beside->outputs[i].digest = digest;
            continue;
        }
        tensor->data = arena_take(&beside->run->arena, bytes);
        if (!tensor->data)
            return diagnostic_no_memory(diagnostic);
        memcpy(tensor->data, from, bytes);
    }
    result->outputs = beside->outputs;
    result->output_count = beside->count;
    return ERROR_NONE;
}

enum error judge_outputs(struct judge_run *run, struct trial *trial, const struct host_call *calls,
                         struct diagnostic *diagnostic)
{
    assert(trial->result && !trial->negative && !trial->chance);
    struct beside beside = {.run = run,
                            .trial = trial,
                            .calls = calls,
                            .request = trial->request,
                            .count = trial->call.output_count * trial->runs};
    beside.outputs = arena_take_array(&run->arena, beside.count, sizeof *beside.outputs);
    char why[GOLDEN_HOLD_SIZE] = "";
    enum error error =
        beside.outputs ? evaluate(&beside, diagnostic) : diagnostic_no_memory(diagnostic);
    if (!error)
        error = hold(&beside, why, diagnostic);
    for (size_t i = 0; i < beside.count && !error; i++)
        error = judge_output(&beside, i, diagnostic);
    if (!error && why[0])
        error = accuse_reference(run, trial->result, why, diagnostic);
    else if (!error) {
        decide(&beside);
        error = keep(&beside, diagnostic);
    }
    arena_release(&beside.arena);
    return error;
}
