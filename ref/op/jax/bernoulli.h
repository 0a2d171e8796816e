// SPDX-License-Identifier: Apache-2.0
// Coins as JAX throws them, for jax.bernoulli and jax.rademacher.

#ifndef ASSAY_REF_OP_JAX_BERNOULLI_H
#define ASSAY_REF_OP_JAX_BERNOULLI_H

#include "ref/base/dtype.h"
#include "ref/op/jax/random.h"

struct jax_bernoulli {
    struct jax_key key;
    enum dtype dtype; // of p and of the uniform floats
    uint64_t total;   // elements of the whole array
    uint64_t p;       // bits of the dtype
    bool high; // two draws u and v an element, the second for the digits below the first: v < p - u
};

// Elements [first, first + count) to `out`, 0 or 1 a byte.
void jax_bernoulli_fill(const struct jax_bernoulli *bernoulli, uint64_t first, size_t count,
                        unsigned char *out);

#endif
