// SPDX-License-Identifier: Apache-2.0
// Elements that a results file gives as bits, shown as numbers.

#ifndef ASSAY_REPORTS_VALUE_H
#define ASSAY_REPORTS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/dtype.h"

enum { VALUE_TEXT_SIZE = 48 };

// Bits from hexadecimal digits; false when their number is not that of the dtype.
bool value_parse(enum dtype dtype, const char *hex, uint64_t *bits);

// The value in as many decimal digits as tell it from its neighbours ("0.7011236", "-inf", "nan",
// "true").
void value_write(enum dtype dtype, uint64_t bits, char text[VALUE_TEXT_SIZE]);

// The fields of the dtype's bits, most significant first: "1" sign, "8" exponent, "23" fraction for
// f32; {bits} for an integer. Returns how many fields there are.
unsigned value_fields(enum dtype dtype, unsigned width[3]);

// got - expected in steps of representable values (for integers: the difference); false for NaN,
// bool and what does not fit.
bool value_steps(enum dtype dtype, uint64_t expected, uint64_t got, int64_t *steps);

#endif
