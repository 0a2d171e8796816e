// SPDX-License-Identifier: Apache-2.0
// mt19937, the 32-bit Mersenne Twister.
//
// Source: Matsumoto, Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
// pseudo-random number generator", ACM TOMACS 8 (1998), doi:10.1145/272991.272995; seeded as in the
// authors' 2002 revision (init_genrand).

#ifndef ASSAY_REF_RNG_MT19937_H
#define ASSAY_REF_RNG_MT19937_H

#include <stddef.h>
#include <stdint.h>

enum { MT19937_WORDS = 624 };

struct mt19937 {
    uint32_t state[MT19937_WORDS];
    unsigned used; // words of this state that were given out
};

// The state that init_genrand(seed) makes.
void mt19937_seed(struct mt19937 *generator, uint32_t seed);

// The next `count` words to `out`.
void mt19937_fill(struct mt19937 *generator, uint32_t *out, size_t count);

// Passes over `count` words; takes time proportional to `count`.
void mt19937_skip(struct mt19937 *generator, uint64_t count);

#endif
