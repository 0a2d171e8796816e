// SPDX-License-Identifier: Apache-2.0
// Forms of num_convert_array for one instruction set. Each converts as many leading elements as it
// has a fast way for and says how many; the caller does the rest.

#ifndef ASSAY_REF_NUM_CONVERT_H
#define ASSAY_REF_NUM_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include "ref/num/small_float.h"

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count);
size_t convert_f8_avx512(enum dtype to, uint8_t *out, const float *in, size_t count); // of 8 bits
size_t convert_bf16_avx512(uint16_t *out, const float *in, size_t count);

// How to convert to an 8-bit float of p bits, in numbers of f32. Scaled so that the format's least
// normal number is that of f32, the bits of x, whose last ones may be cut off, count the format's
// codes in their place 24 - p. Half a code more and a shift round them, for which their upper 16
// bits suffice. Scaled by the next smaller factor and rounded toward zero, the bits are those of
// the next number below what x has: ties go down then, and nothing else changes. A tie at an odd
// code, where that is wrong, ends in 16 ones, as any other number without bits in its lower half:
// blocks are looked through for them. The product is a fused sum with -0, as Zen 4's bare products
// below the normal numbers take longer.
struct convert_f8 {
    float scale;
    int16_t unit;               // 2^(15 + shift to the right)
    int32_t field, tie;         // the last bit of a code and those below; as an odd tie has them
    int32_t cut;                // bits of x that its product may lack
    int8_t most, infinity, nan; // codes; what is above `most` has another one
    int32_t last;               // bits; what is above `last` has the code of NaN
};

struct convert_f8 convert_f8_of(enum dtype to);

#endif
