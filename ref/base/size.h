// SPDX-License-Identifier: Apache-2.0
// Sizes that cannot wrap: every size that comes from outside is multiplied and added through these.

#ifndef ASSAY_REF_BASE_SIZE_H
#define ASSAY_REF_BASE_SIZE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

// *result = a * b; false when it does not fit.
static inline bool size_multiply(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

// *result = a + b; false when it does not fit.
static inline bool size_add(size_t a, size_t b, size_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

// *result = the least multiple of `unit` (a power of two) that is not below `size`; false when it
// does not fit.
static inline bool size_round_up(size_t size, size_t unit, size_t *result)
{
    assert(unit && !(unit & (unit - 1)));
    if (!size_add(size, unit - 1, result))
        return false;
    *result &= ~(unit - 1);
    return true;
}

#endif
