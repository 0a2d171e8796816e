// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/answers.h"

#include <string.h>

#include "harness/judge/compare/compare.h"
#include "ref/base/bytes.h"
#include "ref/base/hash.h"

// The outputs of one unit, run after run, copied; those of an equal answer before it are shared.
static enum error copy_outputs(struct judge_run *run, const struct trial *trial,
                               const struct host_call *calls, const struct judge_result *result,
                               struct judge_answer *answer, struct diagnostic *diagnostic)
{
    const size_t each = trial->call.output_count;
    answer->output_count = each * trial->runs;
    answer->outputs = arena_take_array(&run->arena, answer->output_count, sizeof *answer->outputs);
    if (!answer->outputs)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < answer->output_count; i++) {
        const size_t o = i % each;
        struct judge_output *const output = &answer->outputs[i];
        *output = (struct judge_output){.name = trial->call.outputs[o].name,
                                        .index = (unsigned)operation_output(
                                            trial->request.operation, trial->call.outputs[o].name),
                                        .run = (unsigned)(i / each),
                                        .tensor = trial->call.outputs[o].tensor,
                                        .count = trial_output_count(trial, o)};
        const size_t bytes = (size_t)output->count * dtype_size(output->tensor.dtype);
        const void *const from = trial_output_data(trial, &calls[i / each], o);
        output->tensor.data = NULL;
        output->comparison.compared = output->count;
        for (const struct judge_answer *before = result->answer;
             before < answer && !output->tensor.data; before++)
            if (before->output_count && !memcmp(before->outputs[i].tensor.data, from, bytes))
                output->tensor.data = before->outputs[i].tensor.data;
        if (output->tensor.data)
            continue;
        if (!(output->tensor.data = arena_take(&run->arena, bytes + 1)))
            return diagnostic_no_memory(diagnostic);
        memcpy(output->tensor.data, from, bytes);
    }
    return ERROR_NONE;
}

static bool has_values(enum host_outcome outcome)
{
    return outcome == HOST_OK || outcome == HOST_ENVIRONMENT;
}

static enum error keep_one(struct judge_run *run, const struct trial *trial,
                           struct host_call *const *calls, const struct trial_unit *unit,
                           struct judge_answer *answer, struct diagnostic *diagnostic)
{
    const struct host_call *const first = &calls[unit->pass][unit->call], *worst = first;
    for (size_t i = 1; i < trial->runs && has_values(worst->outcome); i++)
        worst = &first[i];
    *answer = (struct judge_answer){
        .feed = unit->conditions.feed,
        .outcome = worst->outcome,
        .message = arena_copy_text(&run->arena, worst->message, strlen(worst->message))};
    if (!answer->message)
        return diagnostic_no_memory(diagnostic);
    return has_values(answer->outcome)
               ? copy_outputs(run, trial, first, trial->result, answer, diagnostic)
               : ERROR_NONE;
}

// Whether the case's own answers failed. Where answers to two requests do not agree, relate_judge
// kept what explains it.
static bool is_own(const struct trial *trial, struct host_call *const *calls)
{
    bool own = !trial->of->relation.kind || trial->result->valued;
    for (size_t u = 0; u < trial->unit_count && !own; u++)
        own = !has_values(calls[trial->unit[u].pass][trial->unit[u].call].outcome);
    return own;
}

enum error answers_keep(struct judge_run *run, const struct trial *trial,
                        struct host_call *const *calls, struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    for (size_t u = 0; u < trial->unit_count; u++)
        result->feeds |= 1u << trial->unit[u].conditions.feed;
    const bool with_values = (result->verdict == VERDICT_FAIL && is_own(trial, calls)) ||
                             result->verdict == VERDICT_NONDETERMINISTIC ||
                             result->verdict == VERDICT_MEMORY;
    if (!with_values || trial->negative || trial->chance || !result->keeps)
        return ERROR_NONE;
    struct judge_answer *const answer =
        arena_take_array(&run->arena, trial->unit_count, sizeof *answer);
    if (!answer)
        return diagnostic_no_memory(diagnostic);
    result->answer = answer;
    enum error error = ERROR_NONE;
    for (size_t u = 0; u < trial->unit_count && !error; u++) {
        error = keep_one(run, trial, calls, &trial->unit[u], &answer[u], diagnostic);
        result->answer_count += !error;
    }
    return error;
}

uint64_t answers_hash(const struct trial *trial, const struct host_call *calls)
{
    uint64_t hash = HASH_EMPTY;
    for (unsigned run = 0; run < trial->runs; run++)
        for (size_t o = 0; o < trial->call.output_count; o++) {
            const enum dtype dtype = trial->call.outputs[o].tensor.dtype;
            const size_t size = dtype_size(dtype);
            const void *const data = trial_output_data(trial, &calls[run], o);
            for (uint64_t i = 0; i < trial_output_count(trial, o); i++) {
                const uint64_t bits = element_load(data, size, (size_t)i);
                const unsigned char nan = compare_is_nan(dtype, bits); // they are all the same
                hash = hash_add(hash_add(hash, &nan, sizeof nan), nan ? NULL : &bits, sizeof bits);
            }
        }
    return hash;
}
