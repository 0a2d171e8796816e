// SPDX-License-Identifier: Apache-2.0
// Uniform floats as JAX makes them, for its uniform and for all that is made of it.
//
// u takes the high bits of a draw behind the exponent of [1, 2) and subtracts 1: a multiple of 2^-m
// below 1, m the bits of the type's fraction. A draw has the type's width, but 8 bits for bf16. The
// result is max(minimum, u * span + minimum), where span, product and sum are nodes of the type.

#ifndef ASSAY_REF_OP_JAX_UNIFORM_H
#define ASSAY_REF_OP_JAX_UNIFORM_H

#include "ref/base/dtype.h"
#include "ref/op/jax/random.h"

struct jax_uniform {
    struct jax_key key;
    enum dtype dtype;          // f16, bf16, f32, f64
    uint64_t total;            // elements of the whole array
    uint64_t minimum, maximum; // bits of the dtype
    bool fused;                // product and sum are one node
};

// The range [0, 1), which changes nothing.
struct jax_uniform jax_uniform_unit(const struct jax_key *key, enum dtype dtype, uint64_t total);

// Bits of the fraction of `dtype`: u is a multiple of 2 to minus this.
unsigned jax_uniform_fraction_bits(enum dtype dtype);

// Bits of the draw that an element of `dtype` takes: 8 (bf16), 16, 32 or 64.
unsigned jax_uniform_draw_bits(enum dtype dtype);

// `count` elements from as many draws of jax_uniform_draw_bits() each; both native.
void jax_uniform_values(const struct jax_uniform *uniform, const void *draw, size_t count,
                        void *out);

// Elements [first, first + count) to `out`, native.
void jax_uniform_fill(const struct jax_uniform *uniform, uint64_t first, size_t count, void *out);

#endif
