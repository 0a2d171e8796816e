// SPDX-License-Identifier: Apache-2.0
// Elements in which a null answer is right (a zero among zeros) say nothing for or against it.

#include "harness/judge/compare/nulls.h"

#include <assert.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

static uint64_t negate(enum dtype dtype, uint64_t bits)
{
    const unsigned width = dtype_bits(dtype);
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
    const bool zeros = dtype_kind(dtype) == DTYPE_KIND_FLOAT && num_to_double(dtype, a) == 0 &&
                       num_to_double(dtype, b) == 0;
    return zeros || compare_same(dtype, a, b);
}

// Elements in which a null answer differs from the right one, and those of them that lie inside.
struct fit {
    uint64_t differ, inside;
};

static struct fit fit_of(enum null_answer null, const struct expected *expected, uint64_t count)
{
    const enum dtype dtype = expected->dtype;
    const size_t size = dtype_size(dtype);
    struct fit fit = {0};
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = null_element(null, dtype, expected->bits, i, count);
        if (null_is_right(dtype, bits, element_load(expected->bits, size, (size_t)i)))
            continue;
        fit.differ++;
        fit.inside += compare_is_right(expected, i, bits);
    }
    return fit;
}

enum { CHUNK = 256 };

static void load(const struct expected *expected, const void *from, uint64_t first, size_t count,
                 double *to)
{
    const size_t size = dtype_size(expected->dtype);
    num_convert_array(DTYPE_F64, to, expected->dtype, (const char *)from + first * size, count);
}

// The same, by values, of a type whose zeros alone are equal and have other bits.
static struct fit fit_of_values(enum null_answer null, const struct expected *expected,
                                uint64_t count)
{
    struct fit fit = {0};
    double right[CHUNK + 1], lower[CHUNK], upper[CHUNK];
    for (uint64_t first = 0; first < count; first += CHUNK) {
        const size_t some = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
        unsigned differ = 0, inside = 0;
        load(expected, expected->bits, first, some, right);
        load(expected, expected->bits, (first + some) % count, 1, right + some);
        load(expected, expected->lower, first, some, lower);
        load(expected, expected->upper, first, some, upper);
        for (size_t i = 0; i < some; i++) {
            const double is = right[i], l = lower[i], u = upper[i],
                         got = null == NULL_NEGATED ? -is
                               : null == NULL_MOVED ? right[i + 1]
                                                    : 0;
            const unsigned differs = !((got == is) | ((got != got) & (is != is))),
                           all = (l == -(double)INFINITY) & (u == (double)INFINITY),
                           none = (l != l) | (u != u);
            differ += differs;
            inside += differs & (none ? got != got : all | ((got >= l) & (got <= u)));
        }
        fit.differ += differ;
        fit.inside += inside;
    }
    return fit;
}

bool null_fits(const struct expected *expected, uint64_t count)
{
    assert(expected->bits && expected->lower && expected->upper);
    const bool values = DTYPE_BIT(expected->dtype) & DTYPES_FLOAT;
    for (unsigned null = 0; null < NULL_ANSWERS; null++) {
        const struct fit fit =
            (values ? fit_of_values : fit_of)((enum null_answer)null, expected, count);
        if (2 * fit.inside > fit.differ)
            return true;
    }
    return false;
}
