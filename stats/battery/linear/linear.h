// SPDX-License-Identifier: Apache-2.0
// Linear complexity over GF(2).

#ifndef ASSAY_STATS_BATTERY_LINEAR_H
#define ASSAY_STATS_BATTERY_LINEAR_H

#include <stddef.h>
#include <stdint.h>

// The linear complexity of the first `length` bits of `sequence` (bit i is bit i mod 64 of word i /
// 64). `scratch` has linear_scratch(length) bytes.
size_t linear_complexity(const uint64_t *sequence, size_t length, void *scratch);
size_t linear_scratch(size_t length);

#endif
