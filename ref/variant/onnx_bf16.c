// SPDX-License-Identifier: Apache-2.0
#include "ref/variant/onnx_bf16.h"

#include "ref/base/bytes.h"

enum error onnx_bf16_widen(const struct lens_call *call, struct request *request)
{
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        struct tensor *const input = &request->input[i];
        uint64_t count;
        if (input->dtype != DTYPE_BF16 || !tensor_count(input, &count))
            continue;
        *input = lens_converted(input, DTYPE_F32, count, NUM_IEEE, call->arena);
        if (!input->data)
            return diagnostic_no_memory(call->diagnostic);
    }
    return ERROR_NONE;
}

enum error onnx_bf16_narrow(const struct lens_call *call, const struct request *request,
                            struct tensor *tensor)
{
    for (unsigned i = 0; request->operation->outputs[i] && request->input[0].dtype == DTYPE_BF16;
         i++) {
        const struct tensor from = tensor[i];
        uint64_t count;
        if (from.dtype != DTYPE_F32 || !tensor_count(&from, &count))
            continue;
        tensor[i].dtype = DTYPE_BF16;
        tensor[i].data = arena_take_array(call->arena, (size_t)count + 1, sizeof(uint16_t));
        if (!tensor[i].data)
            return diagnostic_no_memory(call->diagnostic);
        for (uint64_t e = 0; e < count; e++)
            element_store(tensor[i].data, sizeof(uint16_t), e,
                          lens_bf16_as_openvino(element_load(from.data, sizeof(uint32_t), e)));
    }
    return ERROR_NONE;
}
