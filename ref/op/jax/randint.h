// SPDX-License-Identifier: Apache-2.0
// Integers in a range as JAX draws them, for jax.randint and jax.choice.

#ifndef ASSAY_REF_OP_JAX_RANDINT_H
#define ASSAY_REF_OP_JAX_RANDINT_H

#include "ref/base/dtype.h"
#include "ref/op/jax/random.h"

__extension__ typedef __int128 jax_bound; // holds every i64 and every u64

// Two draws H and L of the width make one number below span: (H mod span) * multiplier + (L mod
// span) mod span, where x mod 0 is x.
struct jax_randint {
    struct jax_key high, low;
    unsigned width; // of a draw, 32 or 64
    size_t size;    // bytes of an element
    uint64_t total; // elements of the whole array
    uint64_t minimum, span, multiplier;
};

// Numbers from `minimum` up to and without `maximum`; `minimum` alone when that is none.
struct jax_randint jax_randint_start(const struct jax_key *key, enum dtype dtype, uint64_t total,
                                     jax_bound minimum, jax_bound maximum);

// Elements [first, first + count) to `out`, native.
void jax_randint_fill(const struct jax_randint *randint, uint64_t first, size_t count, void *out);

#endif
