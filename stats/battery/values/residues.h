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

// The next odd prime from p >= 3 on.
unsigned residues_prime_from(unsigned p);

#endif
