// SPDX-License-Identifier: Apache-2.0
// Linear complexity over GF(2), and the size of fractions.

#ifndef ASSAY_STATS_BATTERY_LINEAR_H
#define ASSAY_STATS_BATTERY_LINEAR_H

#include <stddef.h>
#include <stdint.h>

// The linear complexity of the first `length` bits of `sequence` (bit i is bit i mod 64 of word i /
// 64). `scratch` has linear_scratch(length) bytes.
size_t linear_complexity(const uint64_t *sequence, size_t length, void *scratch);
size_t linear_scratch(size_t length);

// The bits of the larger of p and q, not both 0, where p = q S modulo 2^bits up to the sign: S is
// the number whose digits of 64 bits, the lowest first, are `digits`, `bits` a multiple of 64. They
// are the smallest such p and q if those have fewer than bits / 2 bits. `scratch` has
// fractions_scratch(bits) bytes, aligned to 8.
size_t fraction_size(const uint64_t *digits, size_t bits, void *scratch);
size_t fractions_scratch(size_t bits);

#endif
