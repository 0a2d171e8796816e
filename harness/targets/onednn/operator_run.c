// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness/targets/onednn/operator_run.h"

#include <stdlib.h>

#include "harness/targets/helper/request.h"

static int describe(struct operator_run *run)
{
    const struct dnn_version *const version = run->library->version;
    int status = DNN_OK;
    for (unsigned slot = 0; slot < OPERATOR_SLOTS && !status; slot++)
        if (run->operator.tensor[slot].present)
            status = version->md_create(run->library, &run->operator.tensor[slot], false,
                                        &run->md[slot]);
    return status ? status
                  : version->describe_operator(run->library, &run->operator, run->md,
                                               &run->descriptor);
}

static int build(struct operator_run *run)
{
    const struct dnn_calls *const calls = &run->library->calls;
    int status = calls->primitive_create(&run->primitive, run->descriptor);
    for (unsigned slot = 0; slot < OPERATOR_SLOTS && !status; slot++)
        if (run->md[slot])
            status = calls->memory_create(&run->memory[slot], run->md[slot], run->library->engine,
                                          DNN_ALLOCATE);
    return status;
}

int dnn_operator_make(const struct dnn_library *library, const struct dnn_operator *operator,
                      bool whole, struct operator_run **result)
{
    struct operator_run *const run = calloc(1, sizeof *run);
    *result = run;
    if (!run)
        return DNN_OUT_OF_MEMORY;
    run->library = library;
    run->operator= * operator;
    const int status = describe(run);
    return status || !whole ? status : build(run);
}

// Copies between a tensor of the request and the library's memory.
static int copy(struct operator_run *run, unsigned slot, const struct assay_tensor *tensor, bool in)
{
    const struct dnn_calls *const calls = &run->library->calls;
    const struct rnn_tensor *const shape = &run->operator.tensor[slot];
    void *mapped = NULL;
    const int status = rnn_span(shape) ? calls->memory_map(run->memory[slot], &mapped) : DNN_OK;
    if (status || !mapped)
        return status;
    if (in)
        rnn_copy(shape, mapped, NULL, tensor->layout.data, tensor->layout.strides);
    else
        rnn_copy(shape, tensor->layout.data, tensor->layout.strides, mapped, NULL);
    return calls->memory_unmap(run->memory[slot], mapped);
}

// The result starts as the request's output is, so that what the library leaves unwritten shows.
int dnn_operator_execute(struct operator_run *run, const struct assay_request *request)
{
    const struct dnn_calls *const calls = &run->library->calls;
    const struct assay_tensor *const output =
        assay_output_named(request, run->operator.name[OPERATOR_DST]);
    struct dnn_argument arguments[OPERATOR_SLOTS];
    int count = 0, status = DNN_OK;
    for (unsigned slot = 0; slot < OPERATOR_SLOTS && !status; slot++) {
        if (!run->memory[slot])
            continue;
        status = copy(run, slot,
                      slot == OPERATOR_DST ? output
                                           : assay_input_named(request, run->operator.name[slot]),
                      true);
        arguments[count++] = (struct dnn_argument){dnn_operator_argument(slot), run->memory[slot]};
    }
    if (!status)
        status = calls->execute(run->primitive, run->library->stream, count, arguments);
    if (!status)
        status = calls->stream_wait(run->library->stream);
    return status ? status : copy(run, OPERATOR_DST, output, false);
}

void dnn_operator_release(struct operator_run *run)
{
    const struct dnn_calls *const calls = &run->library->calls;
    if (run->primitive)
        calls->primitive_destroy(run->primitive);
    if (run->descriptor)
        calls->descriptor_destroy(run->descriptor);
    for (unsigned slot = 0; slot < OPERATOR_SLOTS; slot++) {
        if (run->memory[slot])
            calls->memory_destroy(run->memory[slot]);
        if (run->md[slot])
            run->library->version->md_destroy(run->library, run->md[slot]);
    }
    free(run);
}
