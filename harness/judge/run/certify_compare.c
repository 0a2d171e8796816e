// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/certify_compare.h"

#include <string.h>

#include "harness/judge/compare/pattern.h"
#include "harness/judge/run/windows.h"
#include "ref/base/bytes.h"

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

// Whose the wrong elements of a step's output are: see wrong_gates.
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

enum error judge_compare_outputs(struct judge_run *run, struct trial *trial,
                                 const struct host_call *calls, struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    struct arena arena = {0};
    struct evaluation evaluation = {0};
    const struct named_profile plain = {{0}};
    struct request request = trial->request;
    const size_t count = trial->call.output_count * trial->runs;
    struct judge_output *const outputs = arena_take_array(&run->arena, count, sizeof *outputs);
    enum error error = outputs ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    profiles_apply(run->suite, &plain, request.operation, &request.profile);
    if (!error && !request.model) // a case may have its own
        request.model = &run->model;
    if (!error && result->required == LEVEL_BOUND && run->mode != JUDGE_SEQUENCE)
        result->observed = observe(trial, calls, &request);
    if (!error)
        error = variant_evaluate_with(&request, result->required == LEVEL_BOUND, &arena,
                                      &evaluation, diagnostic);
    bool differs = false;
    for (size_t i = 0; i < count && !error; i++) {
        const size_t o = i % trial->call.output_count, r = i / trial->call.output_count;
        struct judge_output *const output = &outputs[i];
        const int index = operation_output(trial->request.operation, trial->call.outputs[o].name);
        const struct tensor *const reference =
            &evaluation.tensor[r * OPERATION_OUTPUTS_MAX + (size_t)index];
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
        error = picture_draw(&expected, &output->tensor, output->count, &output->comparison,
                             &run->arena, &output->picture, diagnostic);
        if (!error && result->digest && i == 0)
            error = windows_digest(reference->dtype, output->tensor.data, output->count,
                                   result->digest, diagnostic);
        differs = differs || output->comparison.wrong;
        if (output->comparison.wrong && trial->of->step)
            result->wrong_gates |= find_gates(&request, &expected, output);
        char pattern[PATTERN_TEXT_SIZE];
        if (output->comparison.wrong && !result->reason &&
            pattern_describe(&expected, &output->tensor,
                             pattern_axes(trial->request.operation->name, output->name),
                             output->tensor.data, output->count, pattern, sizeof pattern))
            result->reason = arena_print(&run->arena, "%s: %s", output->name, pattern);
        if (output->comparison.radius_used > result->radius_used)
            result->radius_used = output->comparison.radius_used;
        const bool vacuous = output->comparison.radius_infinite ||
                             2 * output->comparison.vacuous > output->comparison.compared;
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
            return diagnostic_no_memory(diagnostic);
        if (copy)
            memcpy(copy, outputs[i].tensor.data, bytes);
        outputs[i].tensor.data = copy;
    }
    result->outputs = outputs;
    result->output_count = count;
    return ERROR_NONE;
}
