// SPDX-License-Identifier: Apache-2.0
// Elements in which a null answer is right (a zero among zeros) say nothing for or against it.

#include "harness/judge/compare/nulls.h"

#include <assert.h>

#include "ref/base/bytes.h"

static uint64_t negate(enum dtype dtype, uint64_t bits)
{
    const unsigned width = 8 * (unsigned)dtype_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - width);
    switch (dtype_kind(dtype)) {
    case DTYPE_KIND_BOOL:
        return !bits;
    case DTYPE_KIND_FLOAT:
        return bits ^ UINT64_C(1) << (width - 1);
    case DTYPE_KIND_SIGNED:
        return (0 - bits) & all;
    default:
        return ~bits & all;
    }
}

uint64_t null_element(enum null_answer null, enum dtype dtype, const void *right, uint64_t at,
                      uint64_t count)
{
    assert((unsigned)null < NULL_ANSWERS && at < count);
    const size_t size = dtype_size(dtype);
    switch (null) {
    case NULL_NEGATED:
        return negate(dtype, element_load(right, size, (size_t)at));
    case NULL_MOVED:
        return element_load(right, size, (size_t)((at + 1) % count));
    default:
        return 0;
    }
}

bool null_is_right(enum dtype dtype, uint64_t a, uint64_t b)
{
    const bool zeros = dtype_kind(dtype) == DTYPE_KIND_FLOAT &&
                       !((a | b) << 1 & UINT64_MAX >> (64 - 8 * dtype_size(dtype)));
    return zeros || compare_same(dtype, a, b);
}

bool null_fits(const struct expected *expected, uint64_t count)
{
    assert(expected->bits && expected->lower && expected->upper);
    const enum dtype dtype = expected->dtype;
    const size_t size = dtype_size(dtype);
    for (unsigned null = 0; null < NULL_ANSWERS; null++) {
        uint64_t differ = 0, inside = 0;
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t bits =
                null_element((enum null_answer)null, dtype, expected->bits, i, count);
            if (null_is_right(dtype, bits, element_load(expected->bits, size, (size_t)i)))
                continue;
            differ++;
            inside += compare_is_right(expected, i, bits);
        }
        if (2 * inside > differ)
            return true;
    }
    return false;
}
