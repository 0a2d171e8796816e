// SPDX-License-Identifier: Apache-2.0
// Results held against each other by bits (all NaN equal) or against an interval for each element.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_COMPARE_H
#define ASSAY_HARNESS_JUDGE_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/host/host.h"
#include "ref/base/tensor.h"

enum { COMPARE_ELEMENTS_MAX = 16 };

// An element that is wrong.
struct compare_element {
    uint64_t at; // row-major
    uint64_t expected, got;
    uint64_t lower, upper; // of an interval
};

// How `got` differs. `element` holds the first ones.
struct comparison {
    uint64_t compared, wrong;
    size_t element_count;
    struct compare_element element[COMPARE_ELEMENTS_MAX];
    bool interval;        // lower and upper are set
    double radius_used;   // level bound: the largest |got - middle| / radius
    bool radius_infinite; // some interval is without end, and of either sign
};

// What is expected of `count` elements: bits, or, where lower and upper are set, an interval for
// each element.
struct expected {
    enum dtype dtype;
    const void *bits;
    const void *lower, *upper; // NULL: compare bits
};

// Whether the bits are a NaN of `dtype`.
bool compare_is_nan(enum dtype dtype, uint64_t bits);

// Whether [lower, upper] holds everything, NaN too: infinity at both ends, or the largest number of
// a type that has no infinities.
bool compare_is_any(enum dtype dtype, uint64_t lower, uint64_t upper);

// Whether any of `count` elements is a NaN.
bool compare_has_nan(enum dtype dtype, const void *elements, size_t count);

// Whether two elements count as equal.
bool compare_same(enum dtype dtype, uint64_t a, uint64_t b);

// Whether `got` is right in the place of element `at`.
bool compare_is_right(const struct expected *expected, uint64_t at, uint64_t got);

void compare_elements(const struct expected *expected, const void *got, uint64_t count,
                      struct comparison *comparison);

// The first element that differs between two results of the same call, or `count`.
uint64_t compare_first_difference(enum dtype dtype, const void *a, const void *b, uint64_t count);

// The first element that still holds the poison in both results, or `count`: it was never written.
uint64_t compare_first_unwritten(enum dtype dtype, const void *with_a, const void *with_b,
                                 uint64_t count);

#endif
