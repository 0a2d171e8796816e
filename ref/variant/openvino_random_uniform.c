// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.random_uniform.

#include "ref/variant/openvino_random_uniform.h"

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/random_uniform.h"

enum { OUTPUT_TYPE };        // attribute
enum { MINVAL = 1, MAXVAL }; // inputs

// A tensor of `dtype` with `count` elements converted from `tensor`; data NULL when there is no
// memory.
static struct tensor converted(const struct tensor *tensor, enum dtype dtype, uint64_t count,
                               enum num_overflow overflow, struct arena *arena)
{
    struct tensor result = *tensor;
    const size_t from = dtype_size(tensor->dtype), to = dtype_size(dtype);
    result.dtype = dtype;
    result.data = arena_take_array(arena, (size_t)count, to);
    for (uint64_t i = 0; result.data && i < count; i++)
        element_store(result.data, to, i,
                      num_convert(dtype, tensor->dtype, element_load(tensor->data, from, i),
                                  NUM_NEAREST_EVEN, overflow));
    return result;
}

enum error random_uniform_ignore_minimum(unsigned option, struct request *request,
                                         struct arena *arena, struct diagnostic *diagnostic)
{
    (void)option;
    void *const zero = arena_take(arena, dtype_size(request->input[MINVAL].dtype));
    if (!zero)
        return diagnostic_no_memory(diagnostic);
    request->input[MINVAL].data = zero;
    return ERROR_NONE;
}

enum error random_uniform_ask_in_32_bits(unsigned option, struct request *request,
                                         struct arena *arena, struct diagnostic *diagnostic)
{
    (void)option;
    const enum dtype type = (enum dtype)request->attribute[OUTPUT_TYPE].integer;
    const enum dtype seen = dtype_kind(type) == DTYPE_KIND_FLOAT ? DTYPE_F32 : DTYPE_I32;
    request->attribute[OUTPUT_TYPE].integer = seen;
    for (unsigned input = MINVAL; input <= MAXVAL; input++) {
        request->input[input] = converted(&request->input[input], seen, 1, NUM_WRAP, arena);
        if (!request->input[input].data)
            return diagnostic_no_memory(diagnostic);
    }
    return ERROR_NONE;
}

// Whether values go to bf16 as OpenVINO's own conversion takes them.
static bool rounds_as_openvino(const struct request *request)
{
    return (enum dtype)request->attribute[OUTPUT_TYPE].integer == DTYPE_BF16 &&
           request->profile.option[RANDOM_UNIFORM_BF16_ROUNDING] != 0;
}

enum error random_uniform_answer_from_32_bits(unsigned option, const struct request *request,
                                              struct tensor *tensor, struct arena *arena,
                                              struct diagnostic *diagnostic)
{
    (void)option;
    uint64_t count;
    tensor_count(&tensor[0], &count);
    if (rounds_as_openvino(request) && tensor[0].dtype == DTYPE_F32) {
        struct tensor result = tensor[0];
        result.dtype = DTYPE_BF16;
        result.data = arena_take_array(arena, (size_t)count, sizeof(uint16_t));
        for (uint64_t i = 0; result.data && i < count; i++) {
            const uint64_t bits = element_load(tensor[0].data, sizeof(uint32_t), i);
            element_store(result.data, sizeof(uint16_t), i, (bits + ((bits & 0x10000) >> 1)) >> 16);
        }
        tensor[0] = result;
        return result.data ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    }
    tensor[0] = converted(&tensor[0], (enum dtype)request->attribute[OUTPUT_TYPE].integer, count,
                          NUM_IEEE, arena);
    return tensor[0].data ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}
