// SPDX-License-Identifier: Apache-2.0
// Proof instead of sampling: a conversion from words to values is called with every word, and each
// value's count is compared with its exact law. Sources: Goualard, doi:10.1007/978-3-030-50417-5_2;
// Lemire, doi:10.1145/3230636.

#ifndef ASSAY_STATS_CONVERSIONS_ENUMERATE_H
#define ASSAY_STATS_CONVERSIONS_ENUMERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/base/error.h"

// Converts `count` words to as many values at `out`, native, of the dtype that is enumerated.
typedef void (*enumerate_convert)(const void *context, const uint32_t *word, size_t count,
                                  void *out);

struct enumeration {
    uint64_t words;   // called with
    uint64_t outside; // values that the law does not know: off the grid, 1 or more, below 0, out of
                      // range, NaN
    uint64_t uneven; // values whose count is not that of the law; inputs whose value is not that of
                     // the formula
    uint64_t least, most; // counts of a value
    double smallest, largest;
};

static inline bool enumeration_proves(const struct enumeration *e)
{
    return e->words && !e->outside && !e->uneven;
}

// Floats in [0, 1): every multiple of 2^-fraction below 1 must come 2^(bits - fraction) times among
// the words below 2^bits (fraction <= bits <= 32), and nothing else. `dtype` is f16, bf16 or f32.
enum error enumerate_unit(enumerate_convert convert, const void *context, enum dtype dtype,
                          unsigned bits, unsigned fraction, unsigned threads,
                          struct enumeration *result, struct diagnostic *diagnostic);

// Integers (i32) from `minimum` on, `range` of them (at most 2^26), as the remainder gives them:
// value minimum + v must come floor(2^bits / range) times, once more where v < 2^bits mod range.
enum error enumerate_remainder(enumerate_convert convert, const void *context, int32_t minimum,
                               uint32_t range, unsigned bits, unsigned threads,
                               struct enumeration *result, struct diagnostic *diagnostic);

// The bits of the value that the law gives to one input, of one word or two.
typedef uint64_t (*enumerate_formula)(const void *context, const uint32_t *word);

// Input by input against a formula, where values are too many to be counted. `words` 1: every word
// below 2^bits (at most 32). 2: by structure (`bits` is not used): each aligned 16 bits of the 64
// go through all their patterns while the others are all 0, all 1 and mixed in 14 ways. Sets
// `words` (inputs) and `uneven` of the result.
enum error enumerate_against(enumerate_convert convert, const void *context, enum dtype dtype,
                             unsigned words, unsigned bits, enumerate_formula formula,
                             const void *formula_context, unsigned threads,
                             struct enumeration *result, struct diagnostic *diagnostic);

#endif
