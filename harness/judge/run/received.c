// SPDX-License-Identifier: Apache-2.0
// An answer of another dtype or shape is wrong whatever it holds; what it holds says why.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/outputs.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "ref/variant/variant.h"

enum { VALUES_SHOWN = 8 };

// "0, 3, 6", and "..." for what is not shown; "nothing" where there is none.
static void list_values(const struct tensor *tensor, const void *data, uint64_t count, char *text,
                        size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", count ? "" : "nothing");
    for (uint64_t i = 0; i < count && i < VALUES_SHOWN && at < size; i++) {
        char value[NUM_TEXT_SIZE];
        num_format(tensor->dtype, element_load(data, dtype_size(tensor->dtype), (size_t)i), value,
                   sizeof value);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", value);
    }
    if (count > VALUES_SHOWN && at < size)
        snprintf(text + at, size - at, ", ...");
}

// What the reference gives by default.
static enum error list_expected(const struct trial *trial, unsigned index, char *text, size_t size,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct evaluation evaluation;
    struct request request = trial->request;
    request.profile = (struct profile){.option = {0}};
    uint64_t count = 0;
    const enum error error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    if (!error && tensor_count(&evaluation.tensor[index], &count))
        list_values(&evaluation.tensor[index], evaluation.tensor[index].data, count, text, size);
    arena_release(&arena);
    return error;
}

// Adds to the result's reason what the output holds, and what the reference gives.
static enum error tell_values(struct judge_run *run, const struct trial *trial, const char *reason,
                              const struct judge_output *output, struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    char got[VALUES_SHOWN * NUM_TEXT_SIZE + 16], wanted[VALUES_SHOWN * NUM_TEXT_SIZE + 16] = "";
    list_values(&output->tensor, output->tensor.data, output->count, got, sizeof got);
    const enum error error = list_expected(trial, output->index, wanted, sizeof wanted, diagnostic);
    if (error == ERROR_INTERNAL)
        return error;
    result->reason = arena_print(&run->arena, "%s: gave %s%s%s", reason, got,
                                 wanted[0] ? " where the reference gives " : "", wanted);
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error judge_received(struct judge_run *run, struct trial *trial, struct diagnostic *diagnostic)
{
    struct judge_result *const result = trial->result;
    const struct host_received *const received = trial->received;
    const char *const name = trial->call.outputs[0].name;
    const int index = operation_output(trial->request.operation, name);
    uint64_t count = 0;
    assert(received && received->there && result->verdict == VERDICT_FAIL);
    if (index < 0 || !tensor_count(&received->tensor, &count))
        return ERROR_NONE;
    struct judge_output *const output = arena_take(&run->arena, sizeof *output);
    void *const data = arena_take(&run->arena, sizeof received->data);
    if (!output || !data)
        return diagnostic_no_memory(diagnostic);
    memcpy(data, received->data, sizeof received->data);
    *output = (struct judge_output){.name = name,
                                    .index = (unsigned)index,
                                    .tensor = received->tensor,
                                    .count = count,
                                    .comparison = {.compared = count, .wrong = count}};
    output->tensor.data = data;
    result->received = output;
    return tell_values(run, trial, result->reason, output, diagnostic);
}

enum error judge_reshaped(struct judge_run *run, struct trial *trial, struct diagnostic *diagnostic)
{
    char reason[HOST_MESSAGE_SIZE + 32];
    struct judge_result *const result = trial->result;
    const struct judge_output *const output = result->outputs;
    assert(trial->reshaped && result->verdict == VERDICT_FAIL && result->output_count);
    snprintf(reason, sizeof reason, "wrong result: %s", trial->message);
    if (output->tensor.data)
        return tell_values(run, trial, reason, output, diagnostic);
    result->reason = arena_copy_text(&run->arena, reason, strlen(reason));
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}
