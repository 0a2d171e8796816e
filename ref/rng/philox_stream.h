// SPDX-License-Identifier: Apache-2.0
// Streams of words from philox4x32: the blocks of consecutive counters, one after the other.
//
// Every system that draws arrays from philox4x32 reads such a stream; they differ in the counter it
// starts from, in how far a carry goes and in what they make of a word, and that is the business of
// ref/op.

#ifndef ASSAY_REF_RNG_PHILOX_STREAM_H
#define ASSAY_REF_RNG_PHILOX_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/isa.h"

// Word i of the stream is word i mod 4 of the block of counter + i div 4.
struct philox_stream {
    uint32_t key[2];
    uint32_t counter[4];  // of block 0; word 0 is the least significant
    unsigned rounds;      // PHILOX_ROUNDS as published
    unsigned carry_words; // 1 to 4: counter words that are one integer, which wraps; the others
                          // never change
};

// Writes words [first_word, first_word + count) of the stream to `out`. Any first word, any
// alignment of `out`; the words do not depend on how a range is cut into calls. Beyond the size of
// a cache it writes past it. Never fails.
void philox_fill_u32(const struct philox_stream *stream, uint64_t first_word, size_t count,
                     uint32_t *out);

// The same words by one named form; ISA_SCALAR where this build or this processor lacks it. For
// tests and measurements.
void philox_fill_u32_with(enum isa isa, const struct philox_stream *stream, uint64_t first_word,
                          size_t count, uint32_t *out);

#endif
