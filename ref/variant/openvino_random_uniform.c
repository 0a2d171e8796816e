// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.random_uniform.

#include "ref/variant/openvino_random_uniform.h"

#include "ref/base/bytes.h"
#include "ref/op/openvino/random_uniform.h"

enum { OUTPUT_TYPE };        // attribute
enum { MINVAL = 1, MAXVAL }; // inputs
enum { SATURATED = 2 };      // option of computed_in
enum { BF16_OPENVINO = 1 };  // option of bf16_rounding

static enum error ignore_minimum(const struct lens_call *call, struct request *request)
{
    request->input[MINVAL].data =
        arena_take(call->arena, dtype_size(request->input[MINVAL].dtype)); // zero
    return request->input[MINVAL].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

// f16, bf16 and f64 are asked for as f32, i64 as i32; bounds that these do not hold become infinite
// and wrap, or become the nearest that they hold, as infinite results then do.
static enum error ask_in_32_bits(const struct lens_call *call, struct request *request)
{
    const enum dtype type = (enum dtype)request->attribute[OUTPUT_TYPE].integer;
    const enum dtype seen = dtype_kind(type) == DTYPE_KIND_FLOAT ? DTYPE_F32 : DTYPE_I32;
    const enum num_overflow overflow = call->option == SATURATED ? NUM_SATURATE : NUM_WRAP;
    request->attribute[OUTPUT_TYPE].integer = seen;
    for (unsigned input = MINVAL; input <= MAXVAL; input++) {
        request->input[input] =
            lens_converted(&request->input[input], seen, 1, overflow, call->arena);
        if (!request->input[input].data)
            return diagnostic_no_memory(call->diagnostic);
    }
    return ERROR_NONE;
}

// bf16 as OpenVINO's own conversion takes it.
static struct tensor rounded_as_openvino(const struct tensor *from, uint64_t count,
                                         struct arena *arena)
{
    struct tensor result = *from;
    result.dtype = DTYPE_BF16;
    result.data = arena_take_array(arena, (size_t)count, sizeof(uint16_t));
    for (uint64_t i = 0; result.data && i < count; i++) {
        const uint64_t bits = element_load(from->data, sizeof(uint32_t), i);
        element_store(result.data, sizeof(uint16_t), i, lens_bf16_as_openvino(bits));
    }
    return result;
}

// Floats are converted back to nearest even.
static enum error answer_from_32_bits(const struct lens_call *call, const struct request *request,
                                      struct tensor *tensor)
{
    const enum dtype type = (enum dtype)request->attribute[OUTPUT_TYPE].integer;
    const bool as_openvino = type == DTYPE_BF16 && tensor[0].dtype == DTYPE_F32 &&
                             request->profile.option[RANDOM_UNIFORM_BF16_ROUNDING] == BF16_OPENVINO;
    uint64_t count;
    tensor_count(&tensor[0], &count);
    if (call->option == SATURATED && tensor[0].dtype == DTYPE_F32)
        tensor[0] = lens_converted(&tensor[0], DTYPE_F32, count, NUM_SATURATE, call->arena);
    if (!tensor[0].data)
        return diagnostic_no_memory(call->diagnostic);
    tensor[0] = as_openvino ? rounded_as_openvino(&tensor[0], count, call->arena)
                            : lens_converted(&tensor[0], type, count, NUM_IEEE, call->arena);
    return tensor[0].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

static const struct lens lenses[] = {
    {{"minval", OPERATION_WORDS("as_given", "ignored")}, ignore_minimum, NULL, NULL, NULL},
    {{"computed_in", OPERATION_WORDS("own_type", "32_bits", "32_bits_saturated")},
     ask_in_32_bits,
     answer_from_32_bits,
     NULL,
     NULL},
};

const struct lens_family random_uniform_lenses = {
    .operation = &openvino_random_uniform, .lens = lenses, .count = OPERATION_ROWS(lenses)};
