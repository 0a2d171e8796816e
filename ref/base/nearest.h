// SPDX-License-Identifier: Apache-2.0
// "did you mean": the word of a list that is closest to one that is in none.
//
// The distance is the least number of letters put in, left out, replaced, or exchanged with their
// neighbour (optimal string alignment). A word is near when the distance is at most a third of the
// letters asked for, and at most three; or when what was asked for is its beginning.

#ifndef ASSAY_REF_BASE_NEAREST_H
#define ASSAY_REF_BASE_NEAREST_H

#include <stddef.h>

enum { NEAREST_WORD_MAX = 64, NEAREST_HINT_SIZE = NEAREST_WORD_MAX + 32 };

// A search. Set `asked` (and `length`, 0: all of it), zero the rest, and offer every word there is.
struct nearest {
    const char *asked;
    size_t length;
    char best[NEAREST_WORD_MAX]; // "" while no word was near
    unsigned distance;           // of `best`
};

// The distance of two words of fewer than NEAREST_WORD_MAX bytes each.
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

// The first word of the least distance wins. Longer words than NEAREST_WORD_MAX are never near.
void nearest_offer(struct nearest *nearest, const char *word);

// "; did you mean 'WORD'?", or "" when no word is near. Returns `hint`.
const char *nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT_SIZE]);

#endif
