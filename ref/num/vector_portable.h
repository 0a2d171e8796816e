// SPDX-License-Identifier: Apache-2.0
// Vectors of two doubles: what SSE2 and the vector facilities of other machines hold; the compiler
// does without where there are none.

#ifndef ASSAY_REF_NUM_VECTOR_PORTABLE_H
#define ASSAY_REF_NUM_VECTOR_PORTABLE_H

#if defined(__SSE2__)
#include <emmintrin.h>
#define ADD_PAIRS(a, b, c) ((c) + (integers)_mm_madd_epi16((__m128i)(a), (__m128i)(b)))
#endif

#define LANES 2
#define PRODUCT_ROWS 2
#define SINGLES 4
#define INTEGERS 4
#define INTEGER_ROWS 2
#define FUSED(a, b, c) ((a) * (b) + (c))
#define FUSED_SINGLES(a, b, c) ((a) * (b) + (c))
#define FUSED_SINGLES_ONCE 0
#define WIDEN(x) __builtin_convertvector(x, vector)
#define NARROW(x) __builtin_convertvector(x, narrow)
#define WIDEN_MASK(m) __builtin_convertvector(m, mask)
#define GREATER(a, b) choose((a) > (b), a, b)
#define GREATER_SINGLES(a, b) choose_singles((a) > (b), a, b)
#define ALL(m) (((m)[0] & (m)[1]) != 0)
#define LOOK_UP(t, k) ((vector){(t)[(k)[0]], (t)[(k)[1]]})
#define ANY_BITS(m) (((m)[0] | (m)[1]) != 0)

#include "ref/num/vector.h"

#endif
