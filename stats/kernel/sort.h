// SPDX-License-Identifier: Apache-2.0
// Sorting of unsigned integers by radix, and counting of equal neighbours.

#ifndef ASSAY_STATS_KERNEL_SORT_H
#define ASSAY_STATS_KERNEL_SORT_H

#include <stddef.h>
#include <stdint.h>

// Sorts `key` ascending; `spare` has room for as many. Only the low `bits` bits are looked at (1 to
// 64).
void sort_u64(uint64_t *key, uint64_t *spare, size_t count, unsigned bits);
void sort_u32(uint32_t *key, uint32_t *spare, size_t count);

// How many elements of a sorted array equal the one before them.
uint64_t sorted_repeats_u64(const uint64_t *key, size_t count);
uint64_t sorted_repeats_u32(const uint32_t *key, size_t count);

#endif
