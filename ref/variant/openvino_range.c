// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.range: results that pass through types of 32 bits.

#include "ref/variant/openvino_range.h"

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/range.h"

enum { OUTPUT_TYPE }; // attribute
enum { FLUSHED = 2 }; // option of bf16_rounding

// The type of 32 bits that stands for a wider one.
static enum dtype narrow(enum dtype type)
{
    return dtype_kind(type) == DTYPE_KIND_FLOAT ? DTYPE_F32 : DTYPE_I32;
}

static enum error ask_for_f32(const struct lens_call *call, struct request *request)
{
    (void)call;
    if (request->attribute[OUTPUT_TYPE].integer == DTYPE_BF16)
        request->attribute[OUTPUT_TYPE].integer = DTYPE_F32;
    return ERROR_NONE;
}

// bf16 as OpenVINO's own conversion takes it from f32, or as AVX-512's instruction does: to the
// nearest even, and what is subnormal becomes 0.
static uint64_t narrowed(uint64_t bits, bool flushes)
{
    if (!flushes)
        return (bits + ((bits & 0x10000) >> 1)) >> 16;
    return num_convert(DTYPE_BF16, DTYPE_F32, bits & 0x7f800000 ? bits : bits & 0x80000000,
                       NUM_NEAREST_EVEN, NUM_IEEE);
}

static enum error round_to_bf16(const struct lens_call *call, const struct request *request,
                                struct tensor *tensor)
{
    uint64_t count;
    const struct tensor from = tensor[0];
    if (request->attribute[OUTPUT_TYPE].integer != DTYPE_BF16 || from.dtype != DTYPE_F32)
        return ERROR_NONE;
    tensor_count(&from, &count);
    tensor[0].dtype = DTYPE_BF16;
    tensor[0].data = arena_take_array(call->arena, (size_t)count + 1, sizeof(uint16_t));
    for (uint64_t i = 0; tensor[0].data && i < count; i++) {
        const uint64_t bits = element_load(from.data, sizeof(uint32_t), i);
        element_store(tensor[0].data, sizeof(uint16_t), i, narrowed(bits, call->option == FLUSHED));
    }
    return tensor[0].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

// Results of 32 and 64 bits pass through f32 or i32, saturated; what is subnormal in f32 becomes 0.
static enum error narrow_results(const struct lens_call *call, const struct request *request,
                                 struct tensor *tensor)
{
    const enum dtype type = tensor[0].dtype, through = narrow(type);
    uint64_t count;
    (void)request;
    if (dtype_size(type) < dtype_size(through) || type == DTYPE_I32)
        return ERROR_NONE;
    tensor_count(&tensor[0], &count);
    struct tensor small = lens_converted(&tensor[0], through, count, NUM_SATURATE, call->arena);
    for (uint64_t i = 0; small.data && through == DTYPE_F32 && i < count; i++) {
        const uint64_t bits = element_load(small.data, sizeof(uint32_t), i);
        if (!(bits & 0x7f800000))
            element_store(small.data, sizeof(uint32_t), i, bits & 0x80000000);
    }
    if (small.data)
        tensor[0] = lens_converted(&small, type, count, NUM_IEEE, call->arena);
    return small.data && tensor[0].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

static const struct lens lenses[] = {
    {{"bf16_rounding", OPERATION_WORDS("nearest_even", "openvino", "nearest_flushed")},
     ask_for_f32,
     round_to_bf16,
     NULL,
     NULL},
    {{"results", OPERATION_WORDS("as_computed", "32_bits")}, NULL, narrow_results, NULL, NULL},
};

const struct lens_family range_lenses = {
    .operation = &openvino_range, .lens = lenses, .count = OPERATION_ROWS(lenses)};
