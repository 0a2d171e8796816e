// SPDX-License-Identifier: Apache-2.0
// Vectors of LANES doubles, and what the loops on them share. Included through vector_portable.h,
// vector_avx2.h and their like, which say how many lanes there are and name the instructions that a
// compiler does not find by itself:
//
//   PRODUCT_ROWS    rows of a product whose sums with NUM_PANEL columns stay in registers: 16 at
//                   most
//   SINGLES, FUSED_SINGLES: floats of a vector, and FUSED of them
//   INTEGERS, INTEGER_ROWS: integers of 32 bits of a vector, and rows of a product whose sums with
//                   NUM_UPWARD_PANEL columns stay in registers
//   ADD_PAIRS(a, b, c)  c and the products of the lower and of the upper 16 bits of integers, all
//                   of which are positive: none where there is no such instruction
//   FUSED(a, b, c)  a * b + c with one rounding, or with two
//   FUSED_SINGLES_ONCE  whether FUSED_SINGLES has one rounding
//   WIDEN(x)        floats to doubles            NARROW(x)       doubles to floats, to nearest even
//   WIDEN_MASK(m)   masks of floats to masks of doubles
//   GREATER(a, b)   the greater one; b where either is NaN
//   GREATER_SINGLES the same of SINGLES floats
//   ALL(m)          whether every lane of a mask is set
//   CHOOSE(t, PLACES(k))  lane k % PIECES of t in each lane, PIECES: so many as lanes; none of the
//   three where that takes long
//   LOOK_UP(t, k)   t[k] of each lane
//   ANY_BITS(m)     whether any bit of a mask of floats is set

#ifndef ASSAY_REF_NUM_VECTOR_H
#define ASSAY_REF_NUM_VECTOR_H

#include <stdint.h>
#include <string.h>

typedef double vector __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES)));
typedef float narrow __attribute__((vector_size(4 * LANES)));
typedef int32_t narrow_mask __attribute__((vector_size(4 * LANES)));

typedef float singles __attribute__((vector_size(4 * SINGLES)));
typedef int32_t single_mask __attribute__((vector_size(4 * SINGLES)));
typedef uint32_t single_words __attribute__((vector_size(4 * SINGLES)));

typedef uint32_t integers __attribute__((vector_size(4 * INTEGERS)));

#ifndef ADD_PAIRS
#define ADD_PAIRS(a, b, c) ((c) + ((a)&0xffff) * ((b)&0xffff) + ((a) >> 16) * ((b) >> 16))
#endif

static inline vector load(const double *from)
{
    vector x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline vector load_widened(const float *from)
{
    narrow x;
    memcpy(&x, from, sizeof x);
    return (vector)WIDEN(x);
}

static inline void store(double *to, vector x)
{
    memcpy(to, &x, sizeof x);
}

static inline vector splat(double x)
{
    return x - (vector){0};
}

static inline vector choose(mask which, vector yes, vector no)
{
    return (vector)((which & (mask)yes) | (~which & (mask)no));
}

static inline singles choose_singles(single_mask which, singles yes, singles no)
{
    return (singles)((which & (single_mask)yes) | (~which & (single_mask)no));
}

// For bounds that hold for one rounding and for two.
static inline vector fused(vector a, vector b, vector c)
{
    return (vector)FUSED(a, b, c);
}

static inline vector absolute(vector x)
{
    return (vector)((words)x & UINT64_C(0x7fffffffffffffff));
}

// The lanes where both ends round to the same float; not those where either is NaN.
static inline mask same_float(vector low, vector high, narrow *rounded)
{
    *rounded = (narrow)NARROW(low);
    return (mask)WIDEN_MASK((narrow_mask)(*rounded == (narrow)NARROW(high)));
}

#endif
