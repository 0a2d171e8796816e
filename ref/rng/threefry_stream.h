// SPDX-License-Identifier: Apache-2.0
// Arrays from threefry2x32 with 20 rounds, one block for each element: element i of a key comes
// from the words (x0, x1) of the block of the counter (i div 2^32, i mod 2^32), the high word
// first, as JAX counts.

#ifndef ASSAY_REF_RNG_THREEFRY_STREAM_H
#define ASSAY_REF_RNG_THREEFRY_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/isa.h"
#include "ref/rng/threefry_element.h"

// Writes elements [first, first + count) to `out` (4 or 8 bytes each, native order, aligned like
// their type). The bytes do not depend on how a range is cut into calls. Beyond the size of a cache
// it writes past it. Never fails.
void threefry_fill(enum threefry_element element, const uint32_t key[2], uint64_t first,
                   size_t count, void *out);

// The same bytes by one named form; ISA_SCALAR where this build or this processor lacks it. For
// tests and measurements.
void threefry_fill_with(enum isa isa, enum threefry_element element, const uint32_t key[2],
                        uint64_t first, size_t count, void *out);

// Pairs as THREEFRY_PAIR has them, after any number of rounds, by a portable loop, for the study of
// weakened forms.
void threefry_fill_pairs(unsigned rounds, const uint32_t key[2], uint64_t first, size_t count,
                         uint32_t *out);

#endif
