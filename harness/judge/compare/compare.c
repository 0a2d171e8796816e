// SPDX-License-Identifier: Apache-2.0
// Elements are compared as bits; only NaN are recognised, since their payloads do not travel.

#include "harness/judge/compare/compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"

bool compare_is_nan(enum dtype dtype, uint64_t bits)
{
    assert((unsigned)dtype < DTYPE_COUNT);
    return num_is_nan(dtype, bits);
}

// Without an exit, and of a size that is known, so that a compiler takes many elements at once.
static inline bool any_above(uint64_t last, const void *elements, size_t size, size_t count)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= (element_load(elements, size, i) & (UINT64_MAX >> (65 - 8 * size))) > last;
    return found != 0;
}

bool compare_has_nan(enum dtype dtype, const void *elements, size_t count)
{
    const uint64_t last = num_last_magnitude(dtype);
    const struct num_format *const format = num_format_of(dtype);
    if (!format || format->codes == NUM_FINITE_ONLY)
        return false;
    if (format->codes != NUM_SIGNED) // one code of one byte
        return memchr(elements, (int)format->nan, count) != NULL;
    switch (dtype_size(dtype)) {
    case sizeof(uint8_t):
        return any_above(last, elements, sizeof(uint8_t), count);
    case sizeof(uint16_t):
        return any_above(last, elements, sizeof(uint16_t), count);
    case sizeof(uint32_t):
        return any_above(last, elements, sizeof(uint32_t), count);
    default:
        return any_above(last, elements, sizeof(uint64_t), count);
    }
}

bool compare_same(enum dtype dtype, uint64_t a, uint64_t b)
{
    return a == b || (compare_is_nan(dtype, a) && compare_is_nan(dtype, b));
}

bool compare_is_any(enum dtype dtype, uint64_t lower, uint64_t upper)
{
    const uint64_t last = num_last_magnitude(dtype);
    return last && num_to_double(dtype, upper) == num_to_double(dtype, last) &&
           num_to_double(dtype, lower) == -num_to_double(dtype, last);
}

// Whether got lies in [lower, upper]; a NaN only where the bounds are NaN, or hold everything.
static bool is_inside(const struct expected *expected, uint64_t lower, uint64_t upper, uint64_t got,
                      struct comparison *comparison)
{
    if (compare_is_nan(expected->dtype, lower) || compare_is_nan(expected->dtype, upper))
        return compare_is_nan(expected->dtype, got);
    const double l = num_to_double(expected->dtype, lower),
                 u = num_to_double(expected->dtype, upper), g = num_to_double(expected->dtype, got);
    const bool any = compare_is_any(expected->dtype, lower, upper);
    if (isnan(g) && !any)
        return false;
    if (any || isinf(u - l))
        comparison->radius_infinite = comparison->radius_infinite || any || (l <= 0 && u >= 0);
    else if (u > l) {
        const double used = fabs(g - (l + (u - l) / 2)) / ((u - l) / 2);
        if (used > comparison->radius_used)
            comparison->radius_used = used;
    }
    return any || (g >= l && g <= u);
}

bool compare_is_right(const struct expected *expected, uint64_t at, uint64_t got)
{
    assert(!expected->lower == !expected->upper && (expected->bits || expected->lower));
    struct comparison unused = {.compared = 0};
    const size_t size = dtype_size(expected->dtype);
    if (expected->lower)
        return is_inside(expected, element_load(expected->lower, size, (size_t)at),
                         element_load(expected->upper, size, (size_t)at), got, &unused);
    return compare_same(expected->dtype, element_load(expected->bits, size, (size_t)at), got);
}

void compare_elements(const struct expected *expected, const void *got, uint64_t count,
                      struct comparison *comparison)
{
    assert(!expected->lower == !expected->upper && (expected->bits || expected->lower));
    const size_t size = dtype_size(expected->dtype);
    memset(comparison, 0, sizeof *comparison);
    comparison->compared = count;
    comparison->interval = expected->lower != NULL;
    if (!expected->lower && count && !memcmp(expected->bits, got, (size_t)count * size))
        return;
    for (uint64_t i = 0; i < count; i++) {
        struct compare_element element = {
            .at = i,
            .expected = expected->bits ? element_load(expected->bits, size, (size_t)i) : 0,
            .got = element_load(got, size, (size_t)i)};
        if (expected->lower) {
            element.lower = element_load(expected->lower, size, (size_t)i);
            element.upper = element_load(expected->upper, size, (size_t)i);
            if (is_inside(expected, element.lower, element.upper, element.got, comparison))
                continue;
        } else if (compare_same(expected->dtype, element.expected, element.got))
            continue;
        comparison->wrong++;
        if (comparison->element_count < COMPARE_ELEMENTS_MAX)
            comparison->element[comparison->element_count++] = element;
    }
}

uint64_t compare_first_difference(enum dtype dtype, const void *a, const void *b, uint64_t count)
{
    const size_t size = dtype_size(dtype);
    if (!count || !memcmp(a, b, (size_t)count * size))
        return count;
    for (uint64_t i = 0; i < count; i++)
        if (!compare_same(dtype, element_load(a, size, (size_t)i),
                          element_load(b, size, (size_t)i)))
            return i;
    return count;
}

uint64_t compare_first_unwritten(enum dtype dtype, const void *with_a, const void *with_b,
                                 uint64_t count)
{
    const size_t size = dtype_size(dtype);
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = a << 8 | host_poison_byte(HOST_POISON_A);
        b = b << 8 | host_poison_byte(HOST_POISON_B);
    }
    for (uint64_t i = 0; i < count; i++)
        if (element_load(with_a, size, (size_t)i) == a &&
            element_load(with_b, size, (size_t)i) == b)
            return i;
    return count;
}
