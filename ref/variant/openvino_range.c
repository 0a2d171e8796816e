// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.range: results that pass through types of 32 bits, and conversions to narrow
// floats that go wrong.

#include "ref/variant/openvino_range.h"

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/range.h"

enum { OUTPUT_TYPE }; // attribute
enum { FLUSHED = 2 }; // option of bf16_rounding
enum { F8_TOWARD_ZERO = 1, F8_NEAREST_AWAY, F8_THROUGH_F16, F8_OPENVINO };
enum { F8_SWAPPED = 2 }; // option of f8_format

// The type of 32 bits that stands for a wider one.
static enum dtype narrow(enum dtype type)
{
    return dtype_kind(type) == DTYPE_KIND_FLOAT ? DTYPE_F32 : DTYPE_I32;
}

// Outputs of `dtypes` are computed as f32, and `narrowed` by the option from there.
struct narrowing {
    unsigned dtypes;
    uint64_t (*narrowed)(enum dtype to, uint64_t bits, unsigned option);
};

static bool concerns(const struct lens_call *call, const struct request *request)
{
    const struct narrowing *const narrowing = call->lens->detail;
    return DTYPE_BIT(request->attribute[OUTPUT_TYPE].integer) & narrowing->dtypes;
}

static enum error ask_for_f32(const struct lens_call *call, struct request *request)
{
    if (concerns(call, request))
        request->attribute[OUTPUT_TYPE].integer = DTYPE_F32;
    return ERROR_NONE;
}

static enum error narrow_from_f32(const struct lens_call *call, const struct request *request,
                                  struct tensor *tensor)
{
    uint64_t count;
    const struct tensor from = tensor[0];
    if (!concerns(call, request) || from.dtype != DTYPE_F32)
        return ERROR_NONE;
    const struct narrowing *const narrowing = call->lens->detail;
    const enum dtype to = (enum dtype)request->attribute[OUTPUT_TYPE].integer;
    const size_t size = dtype_size(to);
    tensor_count(&from, &count);
    tensor[0].dtype = to;
    tensor[0].data = arena_take_array(call->arena, (size_t)count + 1, size);
    for (uint64_t i = 0; tensor[0].data && i < count; i++)
        element_store(
            tensor[0].data, size, i,
            narrowing->narrowed(to, element_load(from.data, sizeof(uint32_t), i), call->option));
    return tensor[0].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

// bf16 as OpenVINO's own conversion takes it from f32, or as AVX-512's instruction does: to the
// nearest even, and what is subnormal becomes 0.
static uint64_t narrowed_to_bf16(enum dtype to, uint64_t bits, unsigned option)
{
    if (option != FLUSHED)
        return lens_bf16_as_openvino(bits);
    return num_convert(to, DTYPE_F32, bits & 0x7f800000 ? bits : bits & 0x80000000,
                       NUM_NEAREST_EVEN, NUM_IEEE);
}

static uint64_t narrowed_to_f8(enum dtype to, uint64_t bits, unsigned option)
{
    const struct num_format *const format = num_format_of(to);
    const uint64_t even = num_convert(to, DTYPE_F32, bits, NUM_NEAREST_EVEN, NUM_IEEE),
                   cut = num_convert(to, DTYPE_F32, bits, NUM_TOWARD_ZERO, NUM_IEEE);
    const double value = fabs(num_to_double(DTYPE_F32, bits)), low = fabs(num_to_double(to, cut)),
                 high = fabs(num_to_double(to, cut + 1));
    switch (option) {
    case F8_TOWARD_ZERO:
        return cut;
    case F8_NEAREST_AWAY:
        return value - low == high - value ? cut + 1 : even;
    case F8_OPENVINO:
        if (bits == 0x80000000)
            return 0;
        // fall through
    case F8_THROUGH_F16:
        return num_convert(to, DTYPE_F16,
                           num_convert(DTYPE_F16, DTYPE_F32, bits, NUM_NEAREST_EVEN, NUM_IEEE),
                           NUM_NEAREST_EVEN, NUM_IEEE);
    default: // flushed
        return (even & (format->sign - 1)) >> (format->precision - 1) ? even : even & format->sign;
    }
}

static const struct narrowing to_bf16 = {DTYPE_BIT(DTYPE_BF16), narrowed_to_bf16},
                              to_f8 = {DTYPES_F8, narrowed_to_f8};

// The two 8-bit floats for each other, all else as it is.
static enum dtype swapped(enum dtype dtype)
{
    return dtype == DTYPE_F8E4M3 ? DTYPE_F8E5M2 : dtype == DTYPE_F8E5M2 ? DTYPE_F8E4M3 : dtype;
}

static enum error ask_swapped(const struct lens_call *call, struct request *request)
{
    if (call->option != F8_SWAPPED)
        return ERROR_NONE;
    struct attribute_value *const type = &request->attribute[OUTPUT_TYPE];
    type->integer = swapped((enum dtype)type->integer);
    for (unsigned i = 0; i < openvino_range.input_count; i++)
        request->input[i].dtype = swapped(request->input[i].dtype);
    return ERROR_NONE;
}

// swapped: each type's codes are the other's, in and out. ieee: f8e4m3 has infinities, in place of
// 256 and all beyond.
static enum error reformat(const struct lens_call *call, const struct request *request,
                           struct tensor *tensor)
{
    uint64_t count;
    if (call->option == F8_SWAPPED) {
        if (DTYPE_BIT(tensor[0].dtype) & DTYPES_F8)
            tensor[0].dtype = (enum dtype)request->attribute[OUTPUT_TYPE].integer;
        return ERROR_NONE;
    }
    tensor_count(&tensor[0], &count);
    for (uint64_t i = 0; tensor[0].dtype == DTYPE_F8E4M3 && i < count; i++) {
        const uint64_t bits = element_load(tensor[0].data, 1, i);
        if ((bits & 0x7f) > 0x78)
            element_store(tensor[0].data, 1, i, (bits & 0x80) | 0x78);
    }
    return ERROR_NONE;
}

// Results of 32 and 64 bits pass through f32 or i32, saturated; what is subnormal in f32 becomes
// +0.
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
        if (!(bits & 0x7f800000) && bits & 0x007fffff)
            element_store(small.data, sizeof(uint32_t), i, 0);
    }
    if (small.data)
        tensor[0] = lens_converted(&small, type, count, NUM_IEEE, call->arena);
    return small.data && tensor[0].data ? ERROR_NONE : diagnostic_no_memory(call->diagnostic);
}

static const struct lens lenses[] = {
    {{"bf16_rounding", OPERATION_WORDS("nearest_even", "openvino", "nearest_flushed")},
     ask_for_f32,
     narrow_from_f32,
     &to_bf16,
     NULL},
    {{"f8_rounding", OPERATION_WORDS("nearest_even", "toward_zero", "nearest_away", "through_f16",
                                     "openvino", "nearest_flushed")},
     ask_for_f32,
     narrow_from_f32,
     &to_f8,
     NULL},
    {{"f8_format", OPERATION_WORDS("ocp", "ieee", "swapped")}, ask_swapped, reformat, NULL, NULL},
    {{"results", OPERATION_WORDS("as_computed", "32_bits")}, NULL, narrow_results, NULL, NULL},
};

const struct lens_family range_lenses = {
    .operation = &openvino_range, .lens = lenses, .count = OPERATION_ROWS(lenses)};
