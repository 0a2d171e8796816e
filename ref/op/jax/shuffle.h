// SPDX-License-Identifier: Apache-2.0
// The shuffle behind jax.permutation and jax.choice: rounds of a stable sort by fresh random words.

#ifndef ASSAY_REF_OP_JAX_SHUFFLE_H
#define ASSAY_REF_OP_JAX_SHUFFLE_H

#include "ref/op/jax/random.h"

// An array of outer x length x inner elements, shuffled along the middle axis, each of its lanes by
// words of its own.
struct jax_lanes {
    uint64_t outer, length, inner;
};

// How many rounds an array of `count` elements takes: ceil(3 ln(count) / ln(2^32 - 1)), in
// integers.
unsigned jax_shuffle_rounds(uint64_t count);

// Bytes of workspace (aligned to 4) that jax_shuffle needs; false when the array has 2^32 elements
// or more.
bool jax_shuffle_workspace(struct jax_lanes lanes, size_t *size);

// For each place of the shuffled array the place that its element came from, in outer * length *
// inner words at the start of `workspace`, which is returned.
const uint32_t *jax_shuffle(const struct jax_key *key, struct jax_lanes lanes, void *workspace);

#endif
