// SPDX-License-Identifier: Apache-2.0
// Numbers as text: read strictly, rounded once; written as short as they can be read back.
// Independent of the locale.

#ifndef ASSAY_REF_NUM_TEXT_H
#define ASSAY_REF_NUM_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/base/error.h"

// Reads all `length` characters of `text` (no NUL needed) as one number of `dtype`.
// - Integers: [+-] digits, or 0x and hexadecimal digits; exact and in range. A point, an exponent
// and leading zeros are errors.
// - Floats: [+-] decimal digits with at most one point and an optional exponent, or 0x1.8p3;
// rounded once, to nearest even, so
//   that what lies beyond the largest number becomes an infinity (an error where there is none,
//   and for f8e8m0 what is not above 0); nan, inf, -inf, as far as the type has them.
// - Bool: true, false.
// ERROR_INPUT with what was found and what was expected; *bits is then untouched.
enum error num_parse(enum dtype dtype, const char *text, size_t length, uint64_t *bits,
                     struct diagnostic *diagnostic);

enum { NUM_TEXT_SIZE = 32 }; // room for any result of num_format

// The shortest decimal that num_parse reads as the same bits, and among those the nearest to the
// number; NaN is "nan". Floats keep a point or an exponent ("3.0", "1e-7"). Writes at most `size`
// bytes with the final NUL, and returns the length that the whole text has.
size_t num_format(enum dtype dtype, uint64_t bits, char *text, size_t size);

#endif
