// SPDX-License-Identifier: Apache-2.0
// Null answers: what a target gives that computed nothing, or the wrong thing altogether. Bounds
// that admit one of them say nothing of an output, whatever was held to them.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_NULLS_H
#define ASSAY_HARNESS_JUDGE_COMPARE_NULLS_H

#include "harness/judge/compare/compare.h"

enum null_answer {
    NULL_ZEROS,
    NULL_NEGATED, // of an unsigned type: mirrored in its range
    NULL_MOVED,   // each element holds what belongs to the next one, the last what to the first
    NULL_ANSWERS
};

// What the null answer has in the place of element `at` of `count`, of which `right` holds the
// right values.
uint64_t null_element(enum null_answer null, enum dtype dtype, const void *right, uint64_t at,
                      uint64_t count);

// Whether two elements are one value: zeros of either sign are, and all NaN.
bool null_is_right(enum dtype dtype, uint64_t a, uint64_t b);

// Whether a null answer lies inside the bounds of `expected` in more than half of the elements in
// which it is not the right value. `expected` has bits, lower and upper.
bool null_fits(const struct expected *expected, uint64_t count);

#endif
