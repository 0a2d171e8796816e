// SPDX-License-Identifier: Apache-2.0
// How often two sequences of bits are both one, at every lag at once, exactly.

#ifndef ASSAY_STATS_KERNEL_CORRELATE_H
#define ASSAY_STATS_KERNEL_CORRELATE_H

#include <stddef.h>
#include <stdint.h>

// Bytes of scratch for sequences of 2^log2 bits.
size_t correlate_scratch(unsigned log2);

// together[k], k = 1 to lags: the number of i >= from with bit i of `bit` and bit i - k of
// `earlier` both one. Bits stand in words of 64, the lowest first; log2 from 6 to 23; lags <= from
// < 2^log2.
void correlate_bits(const uint64_t *bit, const uint64_t *earlier, unsigned log2, size_t from,
                    size_t lags, uint32_t *together, void *scratch);

#endif
