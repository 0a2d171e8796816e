// SPDX-License-Identifier: Apache-2.0
// How many elements a range has, exactly: ceil((stop - start) / step) of numbers with any
// exponents.
//
// Every number that an input can hold, f64's smallest and largest included, is a whole multiple of
// 2^-1074 below 2^1024, so fixed-point numbers of 2,176 bits hold the inputs and their difference.
// A quotient that matters is below 2^62, so the division takes at most 63 steps, however far apart
// the exponents are.

#include <assert.h>

#include "ref/op/openvino/range.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { WORDS = 34, POINT = 1074, QUOTIENT_BITS = 62 };

struct wide {
    uint64_t word[WORDS]; // least significant first
};

static void wide_put(struct wide *wide, const struct num_exact *value)
{
    *wide = (struct wide){{0}};
    if (!value->significand)
        return;
    const int zeros = __builtin_ctzll(value->significand);
    const uint64_t significand = value->significand >> zeros;
    const unsigned at = (unsigned)(value->exponent + zeros + POINT), shift = at % 64;
    wide->word[at / 64] = significand << shift;
    if (shift)
        wide->word[at / 64 + 1] = significand >> (64 - shift);
}

static int wide_compare(const struct wide *a, const struct wide *b)
{
    for (int i = WORDS; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static void wide_add(struct wide *a, const struct wide *b)
{
    bool carry = false;
    for (int i = 0; i < WORDS; i++) {
        const bool first = __builtin_add_overflow(a->word[i], b->word[i], &a->word[i]);
        carry = __builtin_add_overflow(a->word[i], (uint64_t)carry, &a->word[i]) || first;
    }
}

// a - b for a >= b.
static void wide_subtract(struct wide *a, const struct wide *b)
{
    bool borrow = false;
    for (int i = 0; i < WORDS; i++) {
        const bool first = __builtin_sub_overflow(a->word[i], b->word[i], &a->word[i]);
        borrow = __builtin_sub_overflow(a->word[i], (uint64_t)borrow, &a->word[i]) || first;
    }
}

static int wide_bits(const struct wide *wide)
{
    for (int i = WORDS; i-- > 0;)
        if (wide->word[i])
            return 64 * i + 64 - __builtin_clzll(wide->word[i]);
    return 0;
}

// By less than 64 places.
static void wide_shift_left(struct wide *wide, unsigned places)
{
    for (int i = WORDS - 1; places && i >= 0; i--)
        wide->word[i] = wide->word[i] << places | (i ? wide->word[i - 1] >> (64 - places) : 0);
}

static void wide_halve(struct wide *wide)
{
    for (int i = 0; i < WORDS; i++)
        wide->word[i] = wide->word[i] >> 1 | (i + 1 < WORDS ? wide->word[i + 1] << 63 : 0);
}

// The same for integers below 2^64.
static struct range_quotient divide_small(const struct num_exact *from, const struct num_exact *to,
                                          const struct num_exact *step)
{
    const int128 start = from->negative ? -(int128)from->significand : (int128)from->significand;
    const int128 span = (to->negative ? -(int128)to->significand : (int128)to->significand) - start;
    const uint128 magnitude = (uint128)(span < 0 ? -span : span),
                  floor = magnitude / step->significand;
    return (struct range_quotient){.huge = floor >> QUOTIENT_BITS != 0,
                                   .negative = span && (span < 0) != step->negative,
                                   .exact = floor * step->significand == magnitude,
                                   .floor = (uint64_t)floor};
}

struct range_quotient range_divide(const struct num_exact *from, const struct num_exact *to,
                                   const struct num_exact *step)
{
    assert(step->kind == NUM_FINITE && step->significand);
    if (!from->exponent && !to->exponent && !step->exponent)
        return divide_small(from, to, step);
    struct wide rest, other, divisor;
    wide_put(&rest, to);
    wide_put(&other, from);
    wide_put(&divisor, step);
    bool negative = to->negative;
    if (to->negative != from->negative) {
        wide_add(&rest, &other);
        negative = wide_bits(&rest) && (to->significand ? to->negative : !from->negative);
    } else if (wide_compare(&rest, &other) >= 0) {
        wide_subtract(&rest, &other);
    } else {
        wide_subtract(&other, &rest);
        rest = other;
        negative = !negative;
    }
    const int bits = wide_bits(&rest), places = bits - wide_bits(&divisor);
    struct range_quotient quotient = {.negative = bits && negative != step->negative,
                                      .exact = !bits};
    if (places < 0)
        return quotient;
    if (places >= QUOTIENT_BITS) {
        quotient.huge = true;
        return quotient;
    }
    wide_shift_left(&divisor, (unsigned)places);
    for (int i = 0; i <= places; i++) {
        quotient.floor <<= 1;
        if (wide_compare(&rest, &divisor) >= 0) {
            wide_subtract(&rest, &divisor);
            quotient.floor |= 1;
        }
        wide_halve(&divisor);
    }
    quotient.exact = !wide_bits(&rest);
    return quotient;
}

bool range_count_exactly(const struct num_exact *start, const struct num_exact *stop,
                         const struct num_exact *step, unsigned rounding, unsigned direction,
                         uint64_t *count)
{
    const struct range_quotient quotient = range_divide(start, stop, step);
    *count = 0;
    if (quotient.negative && direction == COUNT_DIRECTION_SIGNED)
        return true;
    if (quotient.huge)
        return false;
    const bool more = rounding == COUNT_ROUNDING_DOWN_PLUS_ONE ||
                      (rounding == COUNT_ROUNDING_UP && !quotient.exact);
    *count = quotient.floor + more;
    return *count <= RANGE_COUNT_MAX;
}

struct num_exact range_to_integer(struct num_exact value, enum num_rounding rounding)
{
    if (value.exponent >= 0 || !value.significand)
        return value;
    const bool negative = value.negative;
    value.negative = false;
    if (negative && (rounding == NUM_DOWN || rounding == NUM_UP))
        rounding = rounding == NUM_DOWN ? NUM_UP : NUM_DOWN;
    const uint64_t magnitude = num_pack(DTYPE_U64, value, rounding, NUM_SATURATE);
    return (struct num_exact){NUM_FINITE, negative, false, 0, magnitude};
}
