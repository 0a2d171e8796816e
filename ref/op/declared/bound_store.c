// SPDX-License-Identifier: Apache-2.0
// What storing makes of an interval: a rounding to the node's type, and what becomes of numbers
// beyond it. A type without infinities (e4m3) holds [-inf, inf] as [-largest, largest].

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/bound.h"

static const double infinite = (double)INFINITY;

static double converted(enum dtype type, enum num_overflow overflow, double x)
{
    return num_to_double(type,
                         num_convert(type, DTYPE_F64, double_bits(x), NUM_NEAREST_EVEN, overflow));
}

// ---- integers ---------------------------------------------------------------

static struct interval range_of(enum dtype type)
{
    return (struct interval){converted(type, NUM_SATURATE, -infinite),
                             converted(type, NUM_SATURATE, infinite)};
}

// Mod 2^bits, where both ends turn round as often; doubles show it up to 2^53.
static struct interval wrap(enum dtype type, struct interval a)
{
    const struct interval range = range_of(type);
    if (a.lower >= range.lower && a.upper <= range.upper)
        return a;
    const double width = range.upper - range.lower + 1;
    if (dtype_size(type) == 8 || !(interval_magnitude(a) <= 0x1p53))
        return range;
    const double turns = floor((a.lower - range.lower) / width);
    return turns == floor((a.upper - range.lower) / width)
               ? (struct interval){a.lower - turns * width, a.upper - turns * width}
               : range;
}

static struct interval store_integer(enum dtype type, enum num_overflow overflow, struct interval a)
{
    const struct interval whole = {nearbyint(a.lower), nearbyint(a.upper)};
    if (overflow == NUM_WRAP && interval_is_any(a))
        return range_of(type);
    return overflow == NUM_WRAP ? wrap(type, whole)
                                : (struct interval){converted(type, NUM_SATURATE, whole.lower),
                                                    converted(type, NUM_SATURATE, whole.upper)};
}

// A number that is not 0 is true.
static struct interval store_truth(struct interval a)
{
    return (struct interval){a.lower > 0 || a.upper < 0, a.lower != 0 || a.upper != 0};
}

// ---- floats -----------------------------------------------------------------

static struct interval store_float(enum dtype type, enum num_overflow overflow, struct interval a)
{
    const struct interval stored = {converted(type, overflow, a.lower),
                                    converted(type, overflow, a.upper)};
    if (isnan(stored.lower) && isnan(stored.upper) && (a.lower > 0 || a.upper < 0))
        return bound_nan(); // all of it is beyond a type that has no infinities
    return isnan(stored.lower) || isnan(stored.upper) ? interval_any() : stored;
}

struct interval bound_store(enum dtype type, enum num_overflow overflow, struct interval a)
{
    if (bound_is_nan(a))
        return dtype_kind(type) == DTYPE_KIND_FLOAT
                   ? a
                   : interval_of(converted(type, overflow, a.lower));
    if (dtype_kind(type) == DTYPE_KIND_BOOL)
        return store_truth(a);
    if (dtype_kind(type) != DTYPE_KIND_FLOAT)
        return store_integer(type, overflow, a);
    return interval_is_any(a) ? a : store_float(type, overflow, a);
}

// ---- bits -------------------------------------------------------------------

// Infinity, or the largest number of a type that has none.
static double utmost(enum dtype type)
{
    return num_to_double(type, num_last_magnitude(type));
}

void bound_put(enum dtype type, struct interval a, uint64_t *lower, uint64_t *upper)
{
    if (dtype_kind(type) == DTYPE_KIND_FLOAT && interval_is_any(a))
        a = (struct interval){-utmost(type), utmost(type)};
    *lower = num_convert(type, DTYPE_F64, double_bits(a.lower), NUM_NEAREST_EVEN, NUM_IEEE);
    *upper = num_convert(type, DTYPE_F64, double_bits(a.upper), NUM_NEAREST_EVEN, NUM_IEEE);
}

struct interval bound_get(enum dtype type, uint64_t lower, uint64_t upper)
{
    const struct interval a = {num_to_double(type, lower), num_to_double(type, upper)};
    const bool any =
        dtype_kind(type) == DTYPE_KIND_FLOAT && a.upper == utmost(type) && a.lower == -a.upper;
    return any ? interval_any() : a;
}
