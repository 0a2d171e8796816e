// SPDX-License-Identifier: Apache-2.0
// How the systems that draw from Philox (or mt19937) differ: one core, and a mapping from words to
// elements that is data.
//
// A source is a stream of 32-bit words; a generator of 64-bit words gives the low half of each
// first. A mapping says how many words make an element, in which order, which of their bits and by
// which rule. Three conventions bite: whether the first block is that of the counter or of the next
// one, whether the first word of a pair is its high or its low half, and from which end the
// fraction of a float is taken.

#ifndef ASSAY_REF_OP_WORDS_MAPPING_H
#define ASSAY_REF_OP_WORDS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"

// ---- words ------------------------------------------------------------------

enum word_generator { WORDS_PHILOX4X32, WORDS_PHILOX4X64, WORDS_MT19937 };

struct word_source {
    enum word_generator generator;
    uint64_t key[2]; // mt19937: the seed in key[0]
    uint64_t counter[4];
    unsigned
        first_block; // 0: that of `counter`; 1: the next one, where a system counts before it draws
    unsigned carry_words; // of a philox4x32 counter
    uint64_t lanes; // 0: one stream. Else lane l has l added to counter word 2; they take turns,
                    // four elements each
};

// The words of elements [first, first + count), `per_element` (1 or 2) each, to `out`.
void word_source_fill(const struct word_source *source, unsigned per_element, uint64_t first,
                      size_t count, uint32_t *out);

// ---- elements ---------------------------------------------------------------

enum mapping_system {
    MAPPING_NUMPY,
    MAPPING_TENSORFLOW,
    MAPPING_TORCH,
    MAPPING_TORCH_MT19937,
    MAPPING_CURAND,
    MAPPING_CPP,
};

enum mapping_rule {
    MAPPING_WHOLE,     // the element is its words
    MAPPING_LOW_BITS,  // the low `bits` of them, times 2^-bits
    MAPPING_HIGH_BITS, // the high `bits` of them, times 2^-bits
    MAPPING_REMAINDER, // an integer: minval + words mod (maxval - minval)
    MAPPING_VIA_F32,   // an f32 of `bits` low bits, rounded to the type; a 1 becomes 0
    MAPPING_CENTRED,   // (words + 1/2) 2^-bits, every step rounded: in (0, 1]
};

struct mapping {
    enum mapping_system system;
    enum dtype dtype;
    uint8_t words;   // 32-bit words an element, 1 or 2
    bool first_high; // of two words the first is the high half
    enum mapping_rule rule;
    uint8_t bits;
};

// All of them, grouped by system, and their number.
extern const struct mapping mapping_table[];
extern const unsigned mapping_count;

// The mapping of `system` for `dtype`, NULL when it has none.
const struct mapping *mapping_of(enum mapping_system system, enum dtype dtype);

// "NumPy Generator(Philox)", ...: static strings.
const char *mapping_system_name(enum mapping_system system);

// The element before any range: an integer of all its words (REMAINDER too), or the bits of a float
// of the mapping's dtype.
uint64_t mapping_element(const struct mapping *mapping, const uint32_t *word);

#endif
