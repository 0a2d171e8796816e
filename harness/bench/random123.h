// SPDX-License-Identifier: Apache-2.0
// Random123's own block functions in a plain loop, compiled with -O3: a peer that is only timed.

#ifndef ASSAY_HARNESS_BENCH_RANDOM123_H
#define ASSAY_HARNESS_BENCH_RANDOM123_H

#include <stddef.h>
#include <stdint.h>

// `count` words of philox4x32-10, a multiple of 4.
void bench_random123_philox(uint32_t *out, size_t count);

#endif
