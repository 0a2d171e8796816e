// SPDX-License-Identifier: Apache-2.0
// Rows taken from an array along an axis, for jax.permutation and jax.choice.

#ifndef ASSAY_REF_OP_JAX_GATHER_H
#define ASSAY_REF_OP_JAX_GATHER_H

#include "ref/op/jax/shuffle.h"
#include "ref/op/operation.h"

#define JAX_ATTRIBUTE_AXIS                                                                         \
    ATTRIBUTE("axis", INTEGER, DEFAULT, .minimum = -TENSOR_RANK_MAX, .maximum = TENSOR_RANK_MAX - 1)

struct jax_population {
    bool numbers; // a scalar n, which stands for 0 .. n - 1 as i32
    unsigned axis;
    struct jax_lanes lanes; // `length` along the axis
};

// Refuses an axis that `a` does not have, and a scalar that is not an integer.
enum error jax_population_of(const struct tensor *a, int64_t axis,
                             struct jax_population *population, struct diagnostic *diagnostic);

// For every outer and inner index the elements source[0 .. count) of the lane, in order, to `out`.
void jax_gather(const struct jax_population *population, const struct tensor *a,
                const uint32_t *source, uint64_t count, enum dtype dtype, void *out);

#endif
