// SPDX-License-Identifier: Apache-2.0
// The windows of an output that is too large to be held whole: where they lie, and the digest that
// is kept of each.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_WINDOW_H
#define ASSAY_HARNESS_JUDGE_COMPARE_WINDOW_H

#include "ref/base/digest.h"
#include "ref/base/error.h"
#include "ref/base/tensor.h"

// Elements of a window, and the most windows that a case may have.
enum { WINDOW_ELEMENTS = 1 << 20, WINDOWS_MAX = 1 << 16 };

// How many windows an output of `count` elements has.
uint64_t window_count(uint64_t count);

// Elements of window `k` of `total` elements; *first is the first of them.
uint64_t window_place(uint64_t total, uint64_t k, uint64_t *first);

// SHA-256 of `count` elements as little-endian bytes, all NaN as one.
enum error window_digest(enum dtype dtype, const void *data, uint64_t count,
                         unsigned char digest[DIGEST_SIZE], struct diagnostic *diagnostic);

#endif
