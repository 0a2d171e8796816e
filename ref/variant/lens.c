// SPDX-License-Identifier: Apache-2.0
#include "ref/variant/lens.h"

#include "ref/base/bytes.h"

struct tensor lens_converted(const struct tensor *tensor, enum dtype dtype, uint64_t count,
                             enum num_overflow overflow, struct arena *arena)
{
    struct tensor result = *tensor;
    const size_t from = dtype_size(tensor->dtype), to = dtype_size(dtype);
    result.dtype = dtype;
    result.data = arena_take_array(arena, (size_t)count + 1, to);
    for (uint64_t i = 0; result.data && i < count; i++)
        element_store(result.data, to, i,
                      num_convert(dtype, tensor->dtype, element_load(tensor->data, from, i),
                                  NUM_NEAREST_EVEN, overflow));
    return result;
}

uint64_t lens_bf16_as_openvino(uint64_t bits)
{
    return (bits + ((bits & 0x10000) >> 1)) >> 16;
}
