// SPDX-License-Identifier: Apache-2.0
// Threefry, a family of counter-based generators made of Threefish without its tweak.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
// doi:10.1145/2063384.2063405. A block is a pure function of a counter and a key. How a block
// becomes elements is the business of each operation in ref/op.

#ifndef ASSAY_REF_RNG_THREEFRY_H
#define ASSAY_REF_RNG_THREEFRY_H

#include <stdint.h>

enum { THREEFRY_WORDS_MAX = 4, THREEFRY_ROUNDS = 20, THREEFRY_ROTATIONS = 8 };

// One member of the family. Words of 32 bits are kept in the low half of a uint64_t.
struct threefry_form {
    unsigned words;                          // words in a counter and in a key: 2 or 4
    unsigned width;                          // bits in a word: 32 or 64
    uint64_t parity;                         // mixed into the key's extra word
    uint8_t rotation[THREEFRY_ROTATIONS][2]; // of round r mod 8, one for each pair of words
};

extern const struct threefry_form threefry2x32, threefry4x32, threefry2x64, threefry4x64;

struct threefry_words {
    uint64_t word[THREEFRY_WORDS_MAX];
};

// The block of `counter` under `key` after `rounds` rounds (THREEFRY_ROUNDS as published; 0 adds
// the key alone). Any number of rounds; words above form->words are zero. Never fails.
struct threefry_words threefry_block(const struct threefry_form *form,
                                     struct threefry_words counter, struct threefry_words key,
                                     unsigned rounds);

#endif
