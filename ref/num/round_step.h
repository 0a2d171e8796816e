// SPDX-License-Identifier: Apache-2.0
// The rounding test for f32 on doubles that are off by at most |value| * relative + absolute, some
// vectors at a time. For loops that have included their vectors (vector.h).

#ifndef ASSAY_REF_NUM_ROUND_STEP_H
#define ASSAY_REF_NUM_ROUND_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "ref/num/vector.h"

// What the ends of a value are apart: wider by the roundings of both, and never 0.
struct round_off {
    vector relative, absolute;
};

static inline struct round_off round_off(double relative, double absolute)
{
    return (struct round_off){splat((relative + 0x1p-52) * (1 + 0x1p-40)),
                              splat(absolute * (1 + 0x1p-40) + 0x1p-1000)};
}

// Rounds to `to`. Both ends have the same bits where nothing is open: ends on both sides of 0 have
// other signs. NaN must be seen elsewhere.
static inline narrow_mask round_ends(vector value, const struct round_off *off, float *to)
{
    const vector e = fused(absolute(value), off->relative, off->absolute);
    const narrow low = (narrow)NARROW(value - e), high = (narrow)NARROW(value + e);
    memcpy(to, &low, sizeof low);
    return (narrow_mask)low ^ (narrow_mask)high;
}

// The lanes where exact zeros stand, which are rounded anew.
static inline mask round_zeros(vector value, narrow *rounded)
{
    const narrow own = (narrow)NARROW(value);
    for (size_t lane = 0; lane < LANES; lane++)
        (*rounded)[lane] = value[lane] == 0 ? own[lane] : (*rounded)[lane];
    return (mask)(value == 0);
}

// The lanes whose two ends, in any order, are on one side of 0 and round to the same number.
static inline mask round_same(vector low, vector high, narrow *rounded)
{
    const mask one_side = (mask)((low > 0) & (high > 0)) | (mask)((low < 0) & (high < 0));
    return same_float(low, high, rounded) & one_side;
}

// Stores a vector at place `at`, of `count`; the places of lanes that are not closed go to `open`,
// and how many there are is returned.
static inline size_t round_store(mask closed, narrow rounded, size_t at, size_t count, float *to,
                                 uint16_t *open)
{
    size_t opened = 0;
    memcpy(to + at, &rounded, sizeof rounded);
    for (size_t lane = 0; lane < LANES && at + lane < count; lane++) {
        open[opened] = (uint16_t)(at + lane);
        opened += !closed[lane];
    }
    return opened;
}

// Rounds a vector by its ends, one number after another.
static inline size_t round_note_ends(vector low, vector high, size_t at, size_t count, float *to,
                                     uint16_t *open)
{
    narrow rounded;
    const mask closed = round_same(low, high, &rounded);
    return round_store(closed, rounded, at, count, to, open);
}

// The same for `vectors` values from place `from` on. With `zeros` zeros are exact.
static inline size_t round_note(const vector *value, size_t vectors, const struct round_off *off,
                                int zeros, size_t from, size_t count, float *to, uint16_t *open)
{
    size_t opened = 0;
    for (size_t v = 0; v < vectors; v++) {
        const vector e = fused(absolute(value[v]), off->relative, off->absolute);
        narrow rounded;
        mask closed = round_same(value[v] - e, value[v] + e, &rounded);
        if (zeros)
            closed |= round_zeros(value[v], &rounded);
        opened += round_store(closed, rounded, from + v * LANES, count, to, open + opened);
    }
    return opened;
}

#endif
