// SPDX-License-Identifier: Apache-2.0
// A matrix product in double, for estimates and bounds: rounded anyhow. Results that must be exact
// come from product.h.

#ifndef ASSAY_REF_NUM_PRODUCT_MATRIX_H
#define ASSAY_REF_NUM_PRODUCT_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/num/product/product.h"

// Bytes of the workspace for `rows` rows.
bool num_matrix_workspace(size_t rows, size_t *bytes);

// to[i * stride + j] += the sum over k < right->depth of left[i * right->depth + k] times number k
// of vector j of `right` (or its magnitude). The sum is off by at most (depth + 1) * 2^-53 * (1 +
// 2^-20) of the sum of magnitudes (and underflows). `to` overlaps no operand. Its bytes may depend
// on the machine: never store them.
void num_matrix_add(size_t rows, const double *left, const struct num_operand *right,
                    bool magnitudes, double *to, size_t stride, void *workspace);

// The same for magnitudes on both sides in single precision, twice as fast, rounded upward: what is
// added is at least the sum, and at most 1 + 2^-9.9 times it, the same bytes everywhere.
// num_is_in_range holds for every number on the left, num_operand_is_in_range for `right`.
void num_matrix_add_above(size_t rows, const double *left, const struct num_operand *right,
                          double *to, size_t stride, void *workspace);

// Products of such numbers, and sums of them, stay normal floats.
static inline bool num_is_in_range(double magnitude)
{
    return (magnitude == 0) | ((magnitude >= 0x1p-60) & (magnitude <= 0x1p40));
}
bool num_operand_is_in_range(const struct num_operand *operand); // of its panels' magnitudes

#endif
