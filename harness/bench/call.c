// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/call.h"

#include "harness/host/wire.h"
#include "harness/judge/compare/convert.h"
#include "ref/variant/variant.h"

static void take_tensor(struct bench_call *call, size_t at, const struct host_tensor *from)
{
    for (unsigned d = 0; d < from->tensor.rank; d++)
        call->shape[at][d] = (int64_t)from->tensor.shape[d];
    call->tensor[at] =
        (struct assay_tensor){.name = from->name,
                              .dtype = (uint32_t)from->tensor.dtype,
                              .layout = {.data = from->tensor.data,
                                         .device = {kDLCPU, 0},
                                         .ndim = (int32_t)from->tensor.rank,
                                         .dtype = wire_dlpack_dtype(from->tensor.dtype),
                                         .shape = call->shape[at]}};
}

enum error bench_call_make(struct bench_call *call, const struct request *request, bool outputs,
                           struct diagnostic *diagnostic)
{
    struct inference inference = {0};
    struct host_request like, copy;
    call->arena = (struct arena){0};
    enum error error = outputs ? variant_infer(request, &inference, diagnostic) : ERROR_NONE;
    if (!error)
        error = judge_convert_request(request, outputs ? &inference : NULL, &call->arena, &like,
                                      diagnostic);
    if (!error)
        error = judge_copy_call(&like, &call->arena, &copy, diagnostic);
    if (error)
        return error;
    for (size_t i = 0; i < copy.input_count; i++)
        take_tensor(call, i, &copy.inputs[i]);
    for (size_t i = 0; i < copy.output_count; i++)
        take_tensor(call, copy.input_count + i, &copy.outputs[i]);
    call->request = (struct assay_request){.size = sizeof call->request,
                                           .operation = copy.operation,
                                           .attributes = copy.attributes,
                                           .attribute_count = copy.attribute_count,
                                           .inputs = call->tensor,
                                           .input_count = copy.input_count,
                                           .outputs = call->tensor + copy.input_count,
                                           .output_count = copy.output_count};
    return ERROR_NONE;
}
