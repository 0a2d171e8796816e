// SPDX-License-Identifier: Apache-2.0
// Dense tensors.

#include "ref/base/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "ref/base/bytes.h"
#include "ref/base/size.h"

bool tensor_count(const struct tensor *tensor, uint64_t *count)
{
    assert(tensor->rank <= TENSOR_RANK_MAX);
    *count = 1;
    for (unsigned i = 0; i < tensor->rank; i++)
        if (!tensor->shape[i]) {
            *count = 0;
            return true;
        }
    for (unsigned i = 0; i < tensor->rank; i++)
        if (__builtin_mul_overflow(*count, tensor->shape[i], count))
            return false;
    return true;
}

bool tensor_bytes(const struct tensor *tensor, size_t *bytes)
{
    uint64_t count;
    return tensor_count(tensor, &count) && count <= SIZE_MAX &&
           size_multiply((size_t)count, dtype_size(tensor->dtype), bytes);
}

bool tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
    if (a->rank != b->rank)
        return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

const char *tensor_describe(const struct tensor *tensor, char *text, size_t size)
{
    assert(tensor->rank <= TENSOR_RANK_MAX && size > 0);
    int used = snprintf(text, size, "%s[", dtype_name(tensor->dtype));
    for (unsigned i = 0; i < tensor->rank && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i ? ",%" PRIu64 : "%" PRIu64,
                         tensor->shape[i]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "]");
    return text;
}

void tensor_put_type(const struct tensor *tensor, struct text *text)
{
    json_put_pair(text, "dtype", dtype_name(tensor->dtype));
    json_put_numbers_at(text, "shape", tensor->shape, tensor->rank);
}

void tensor_put_bits(enum dtype dtype, const void *data, uint64_t count, struct text *text)
{
    const size_t size = dtype_size(dtype);
    json_begin_list_at(text, "bits");
    for (uint64_t i = 0; i < count; i++) {
        char hex[2 * sizeof(uint64_t) + 1];
        bytes_write_hex(hex, element_load(data, size, (size_t)i), size);
        json_put_string(text, hex);
    }
    json_end_list(text);
}
