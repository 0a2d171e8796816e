// SPDX-License-Identifier: Apache-2.0
// The recurrence val[i + 1] = val[i] + step, at any element without walking to it.
//
// Between two powers of two all numbers of the accumulator are multiples of one ulp u. A sum that
// stays there is v + step rounded to a multiple of u, and the distance travelled is the same each
// time: step = (q + f) * u gives q or q + 1 by f alone, except for f = 1/2, where the even
// neighbour is taken; but then every value but the first is even, and from there on the distance is
// whichever of q and q + 1 is even. So three values in one stretch fix the distance for the rest of
// it. A walk meets at most a hundred or so stretches: it ends where the distance becomes 0.

#include <assert.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/range.h"

double range_round(const struct range *range, double value)
{
    const enum dtype type = range->accumulator;
    if (!range->saturate || range->type != type)
        return num_to_double(type, num_from_double(type, value));
    return num_to_double(
        type, num_convert(type, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN, NUM_SATURATE));
}

double range_next(const struct range *range, double value)
{
    switch (range->accumulator) {
    case DTYPE_F64:
        return value + range->step;
    case DTYPE_F32:
        return (double)((float)value + (float)range->step);
    default:
        return range_round(range, num_sum_to_odd(value, range->step));
    }
}

// The exponent of the stretch that holds a finite `value`; all subnormal numbers share one with the
// smallest normal ones.
static int stretch_of(const struct num_format *format, double value)
{
    const int exponent = value == 0 ? format->exponent_min : ilogb(value);
    return exponent < format->exponent_min ? format->exponent_min : exponent;
}

// How often `distance` can be added to `value` with all sums strictly inside the stretch of
// `exponent`.
static uint64_t steps_inside(const struct num_format *format, int exponent, double value,
                             double distance)
{
    const int ulp = exponent - format->precision + 1;
    // The significand after the last: a power of two, but where the largest exponent has fewer.
    const uint64_t normal = UINT64_C(1) << (format->precision - 1);
    const uint64_t top = exponent == format->exponent_max
                             ? (format->largest & (normal - 1)) + normal + 1
                             : 2 * normal;
    const uint64_t bottom = exponent > format->exponent_min ? normal : 0;
    const uint64_t at = (uint64_t)ldexp(fabs(value), -ulp),
                   by = (uint64_t)ldexp(fabs(distance), -ulp);
    if ((value > 0) == (distance > 0))
        return (top - 1 - at) / by;
    return at > bottom ? (at - bottom - 1) / by : 0;
}

double range_recurrence_at(const struct range *range, uint64_t index)
{
    assert(num_format_of(range->accumulator));
    const struct num_format *const format = num_format_of(range->accumulator);
    double value = range->start;
    while (index >= 2) {
        const double one = range_next(range, value), two = range_next(range, one);
        index -= 2;
        if (!isfinite(one) || !isfinite(two) || one == two)
            return two;
        const int exponent = stretch_of(format, two);
        const bool together = value * two > 0 && one * two > 0 &&
                              stretch_of(format, one) == exponent &&
                              stretch_of(format, value) == exponent;
        value = two;
        if (together) {
            const double distance = two - one;
            const uint64_t inside = steps_inside(format, exponent, two, distance),
                           steps = inside < index ? inside : index;
            value += (double)steps * distance; // multiples of one ulp inside one stretch: exact
            index -= steps;
        }
    }
    return index ? range_next(range, value) : value;
}
