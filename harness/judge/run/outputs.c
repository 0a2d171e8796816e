// SPDX-License-Identifier: Apache-2.0
// One step after the other: the reference is evaluated; each output is compared, drawn, digested,
// and, where it is wrong, described and put down to a gate; the verdict is decided; what differs is
// kept.

#include "harness/judge/run/outputs.h"

#include <assert.h>
#include <string.h>

#include "harness/judge/compare/pattern.h"
#include "harness/judge/run/window.h"
#include "ref/base/bytes.h"
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
            request->observed.data = (void *)(uintptr_t)trial_output_data(trial, call->request, o);
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
    profiles_apply(beside->run->suite, &plain, request->operation, &request->profile);
    if (!request->model) // a case may have its own
        request->model = &beside->run->model;
    if (bounded && beside->run->mode != JUDGE_SEQUENCE)
        result->observed = observe(beside->trial, beside->calls, request);
    return variant_evaluate_with(request, bounded, &beside->arena, &beside->evaluation, diagnostic);
}

// What is expected of output `index` of run `run`.
static struct expected find_expected(const struct beside *beside, unsigned run, unsigned index)
{
    const struct evaluation *const evaluation = &beside->evaluation;
    const struct operation *const operation = beside->request.operation;
    const struct tensor *const reference =
        &evaluation->tensor[(size_t)run * OPERATION_OUTPUTS_MAX + index];
    struct expected expected = {.dtype = reference->dtype, .bits = reference->data};
    if (beside->trial->result->required != LEVEL_BOUND || run ||
        !tensor_present(&evaluation->lower[index]))
        return expected;
    expected.lower = evaluation->lower[index].data;
    expected.upper = evaluation->upper[index].data;
    expected.reach = operation->reach ? operation->reach(&beside->request, index) : 0;
    return expected;
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
    output.tensor.data = (void *)(uintptr_t)trial_output_data(trial, beside->calls[run].request, o);
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

static enum error judge_output(struct beside *beside, size_t i, struct diagnostic *diagnostic)
{
    struct judge_result *const result = beside->trial->result;
    struct judge_output *const output = &beside->outputs[i];
    *output = take_output(beside, i);
    const struct expected expected = find_expected(beside, output->run, output->index);
    compare_elements(&expected, output->tensor.data, output->count, &output->comparison);
    enum error error = picture_draw(&expected, &output->tensor, output->count, &output->comparison,
                                    &beside->run->arena, &output->picture, diagnostic);
    if (!error && result->digest && i == 0)
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
// answer that follows the target's own output may be another, so that a second one is asked for.
static enum error hold(const struct beside *beside, char why[GOLDEN_HOLD_SIZE],
                       struct diagnostic *diagnostic)
{
    const struct golden_manifest *const manifest = beside->run->manifest;
    const struct suite_case *const of = beside->trial->of;
    struct request request = beside->request;
    struct evaluation evaluation;
    struct arena arena = {0};
    why[0] = '\0';
    if (!manifest || !manifest->path || of->step || of->window)
        return ERROR_NONE;
    enum error error =
        golden_manifest_hold(manifest, of->id, &request, &beside->evaluation, why, diagnostic);
    if (error || !why[0] || !tensor_present(&request.observed))
        return error;
    request.observed = (struct tensor){.dtype = DTYPE_NONE};
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
    bool differs = false, vacuous = !beside->count;
    result->compared = 0;
    for (size_t i = 0; i < beside->count; i++) {
        const struct comparison *const comparison = &beside->outputs[i].comparison;
        differs = differs || comparison->wrong;
        vacuous = vacuous || comparison->radius_infinite ||
                  2 * comparison->vacuous > comparison->compared;
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

// Copies what differs, where there is room: the calls' buffers do not last.
static enum error keep(struct beside *beside, struct diagnostic *diagnostic)
{
    struct judge_result *const result = beside->trial->result;
    for (size_t i = 0; i < beside->count; i++) {
        struct tensor *const tensor = &beside->outputs[i].tensor;
        const size_t bytes = (size_t)beside->outputs[i].count * dtype_size(tensor->dtype);
        const void *const from = tensor->data;
        tensor->data = NULL;
        if (result->by_default || !result->keeps)
            continue;
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
    arena_release(&beside.arena);
    if (error)
        return error;
    if (why[0])
        return accuse_reference(run, trial->result, why, diagnostic);
    decide(&beside);
    return keep(&beside, diagnostic);
}
