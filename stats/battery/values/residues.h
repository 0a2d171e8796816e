// SPDX-License-Identifier: Apache-2.0
// Values modulo a number, which several tests count: residues.c defines it.

#ifndef ASSAY_STATS_BATTERY_RESIDUES_H
#define ASSAY_STATS_BATTERY_RESIDUES_H

#include <stddef.h>
#include <stdint.h>

// Writes the residues of the values of `bits` bits, 32 or 64 (two words, the low one first), modulo
// a number from 2 to 65,536; returns how many values there are. `words` is a multiple of 32, `to`
// has room for as many.
size_t residues_find(const uint32_t *word, size_t words, unsigned bits, uint32_t modulus,
                     uint32_t *to);

// Bits of the word, 32 or 64, whose `bits` high bits are a value.
static inline unsigned residues_word_bits(unsigned bits)
{
    return bits <= 32 ? 32 : 64;
}

// Writes the `bits` high bits of words of 32 or 64 bits as numbers of that size; `words` is even.
void residues_take_high(const uint32_t *word, size_t words, unsigned bits, uint32_t *to);

// The next odd prime from p >= 3 on.
unsigned residues_prime_from(unsigned p);

#endif
