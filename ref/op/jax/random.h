// SPDX-License-Identifier: Apache-2.0
// What all of JAX's random operations stand on: keys, how they are split, and the bits that they
// give.
//
// Source: JEP 263 for the intent (a key is hashed with a count; arrays are the hash mapped over a
// range of counts), jax 0.10 for the bits. The six generators are rows of one table: which block
// function, where the 64-bit index stands in its counter, which words of a block make an element.
// `rbg` and `unsafe_rbg` are XLA's RngBitGenerator on a CPU, a stream of philox4x32.

#ifndef ASSAY_REF_OP_JAX_RANDOM_H
#define ASSAY_REF_OP_JAX_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JAX_KEY_WORDS_MAX = 4, JAX_GENERATORS = 6 };

// In the order of jax_generator_names.
enum jax_generator {
    JAX_THREEFRY2X32,
    JAX_THREEFRY4X32,
    JAX_PHILOX2X32,
    JAX_PHILOX4X32,
    JAX_RBG,
    JAX_UNSAFE_RBG,
};

extern const char *const jax_generator_names[]; // NULL-terminated

// How a request reads the hash; all zero is jax's own way. Only the block generators follow it.
struct jax_reading {
    uint8_t rounds;      // 0: as published
    bool low_first;      // the counter's two index words change places
    bool from_one;       // counts begin at 1, as in the text of the JEP
    bool first_word;     // an element of up to 32 bits is word 0, not the exclusive or
    bool halves_swapped; // of 64-bit elements
};

struct jax_key {
    enum jax_generator generator;
    bool partitionable; // jax_threefry_partitionable: false is the form before jax 0.5, of
                        // threefry2x32 and rbg alone
    struct jax_reading reading;
    uint32_t word[JAX_KEY_WORDS_MAX];
};

unsigned jax_key_words(enum jax_generator generator);

// The key of a 64-bit seed (the low 32 bits alone where jax would have narrowed it).
void jax_seed(struct jax_key *key, uint64_t seed);

// Key `index` of the `total` that `key` is split into. The original form depends on the total, and
// is defined below 2^31.
struct jax_key jax_split(const struct jax_key *key, uint64_t total, uint64_t index);

struct jax_key jax_fold_in(const struct jax_key *key, uint32_t data);

// Elements [first, first + count) of an array of `total` elements of `width` bits (8, 16, 32, 64),
// native, to `out`.
void jax_bits(const struct jax_key *key, unsigned width, uint64_t total, uint64_t first,
              size_t count, void *out);

#endif
