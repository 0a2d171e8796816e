// SPDX-License-Identifier: Apache-2.0
// The rounding test: a number known to lie within an error of an estimate has been rounded when
// both ends round to the same bits.

#ifndef ASSAY_REF_NUM_PRODUCT_CERTIFY_H
#define ASSAY_REF_NUM_PRODUCT_CERTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"

// For `count` (at most NUM_CHUNK) numbers, number i within error[i] of value[i] (both in double;
// the ends are computed outward): writes the rounded numbers of dtype `to`, dense, to `out`, and
// the indexes of those that the test leaves open (their place in `out` has no meaning) to `open`.
// Returns how many are open. NaN, infinities, and estimates that the error could bring to zero stay
// open; so does a zero without error of a float type, whose sign is unknown.
size_t num_certify(enum dtype to, size_t count, const double *value, const double *error, void *out,
                   uint16_t *open);

#endif
