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

#endif
